"""The page of quantities is made from the registry, and has all that it says."""

import importlib.util
from pathlib import Path

import pytest

from quiff.attacks.catalogue import ATTACKS
from quiff.results.markup import markdown_text
from quiff.results.quantities import QUANTITIES
from quiff.theory.forms import FORMS

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def page():
    path = ROOT / "tools" / "docs" / "quantities.py"
    spec = importlib.util.spec_from_file_location("page_of_quantities", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return "\n".join(module.blocks())


def entries(page, name):
    return [part.partition("\n**")[0] for part in page.split(f"(`{name}`, ")[1:]]


def entries_with(page, name, words):
    return [entry for entry in entries(page, name) if all(text in entry for text in words)]


def test_every_quantity_is_there_with_all_that_the_registry_has_of_it(page):
    for name in [*QUANTITIES, "bayes", *ATTACKS]:
        quantity = QUANTITIES[name]
        words = [f"`{quantity.formula}`"]
        words += map(markdown_text, (quantity.unit, quantity.meaning, quantity.source))
        assert len(entries_with(page, name, words)) == 1, name


def test_every_closed_form_says_what_it_assumes(page):
    for name, form in FORMS.items():
        words = (f"`{form.formula}`", markdown_text(form.meaning), markdown_text(form.assumes))
        assert entries_with(page, form.quantity, words), name
