"""The reference tells about every public name, and only about names that there are."""

import re
from collections import Counter
from pathlib import Path

import pytest

import quiff
from quiff import mechanisms, theory
from quiff.testing import facts, gallery, strategies

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
TEXT = "\n".join(page.read_text() for page in sorted(REFERENCE.glob("*.md")))
SHOWN = re.findall(r"^::: ([\w.]+)$", TEXT, re.MULTILINE)
MEMBERS = [name for listed in re.findall(r"members: \[(.*?)\]", TEXT) for name in listed.split(", ")]


@pytest.mark.parametrize("name", sorted(quiff.__all__))
def test_a_public_name_is_shown_once(name):
    assert SHOWN.count(f"quiff.{name}") == 1


def test_nothing_is_shown_twice():
    assert [name for name, times in Counter(SHOWN).items() if times > 1] == []


@pytest.mark.parametrize("name", mechanisms.__all__)
def test_a_mechanism_is_shown_once(name):
    assert SHOWN.count(f"quiff.mechanisms.{name}") == 1


def test_the_closed_forms_are_all_shown():
    assert sorted(MEMBERS) == sorted(theory.__all__)


@pytest.mark.parametrize("module", [facts, gallery, strategies])
def test_the_helpers_of_tests_are_shown(module):
    assert module.__name__ in SHOWN
