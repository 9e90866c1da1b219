"""The reference tells about every public name, and only about names that there are."""

import re
from collections import Counter
from pathlib import Path

import quiff
from quiff import mechanisms, theory
from quiff.testing import facts, gallery, strategies

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
TEXT = "\n".join(page.read_text() for page in sorted(REFERENCE.glob("*.md")))
SHOWN = re.findall(r"^::: ([\w.]+)$", TEXT, re.MULTILINE)


def test_every_public_name_is_shown():
    names = [f"quiff.{name}" for name in quiff.__all__]
    names += [f"quiff.mechanisms.{name}" for name in dir(mechanisms)]
    names += [module.__name__ for module in (facts, gallery, strategies)]
    assert set(names) - set(SHOWN) == set()


def test_nothing_is_shown_twice():
    assert [name for name, times in Counter(SHOWN).items() if times > 1] == []


def test_the_closed_forms_are_all_shown():
    homes = {getattr(theory, name).__module__ for name in dir(theory)}
    assert homes == {name for name in SHOWN if name.startswith("quiff.theory.")} - {"quiff.theory.popularity"}
