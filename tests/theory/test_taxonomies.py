"""The sizes of the published taxonomies, and the numbers of their topics."""

import re

import pytest

from quiff.errors import ParameterError
from quiff.theory.taxonomies import TAXONOMY_NUMBERS, TAXONOMY_SIZES, taxonomy_size
from words import refused


@pytest.mark.parametrize(
    ("text", "size"), [("v1", 349), ("v2", 469), ("google-nl-v2", 1091), ("iab-1.1", 1558), ("31", 31)]
)
def test_a_name_or_a_number_is_a_size(text, size):
    assert taxonomy_size(text) == size


@pytest.mark.parametrize("text", ["v3", "", "V1", "3.5", "9" * 5000])
def test_anything_else_is_an_error_that_lists_the_names(text):
    with refused(ParameterError):
        taxonomy_size(text)


@pytest.mark.parametrize("name", ["v1", "v2"])
def test_the_numbers_are_as_many_as_the_topics(name):
    assert len(TAXONOMY_NUMBERS[name]) == TAXONOMY_SIZES[name]


@pytest.mark.parametrize(("name", "highest"), [("v1", 349), ("v2", 629)])
def test_the_numbers_are_those_of_the_published_taxonomy(mirror, name, highest):
    text = (mirror / f"topics-taxonomy-{name}.md").read_text()
    published = {int(number) for number in re.findall(r"^\|\s*(\d+)\s*\|", text, re.MULTILINE)}
    assert published == TAXONOMY_NUMBERS[name]
    assert max(published) == highest
