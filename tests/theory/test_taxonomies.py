"""The sizes of the published taxonomies."""

import pytest

from quiff.errors import ParameterError
from quiff.theory.taxonomies import taxonomy_size


@pytest.mark.parametrize(
    ("text", "size"), [("v1", 349), ("v2", 469), ("google-nl-v2", 1091), ("iab-1.1", 1679), ("31", 31)]
)
def test_a_name_or_a_number_is_a_size(text, size):
    assert taxonomy_size(text) == size


@pytest.mark.parametrize("text", ["v3", "", "V1", "3.5", "9" * 5000])
def test_anything_else_is_an_error_that_lists_the_names(text):
    with pytest.raises(ParameterError, match=r"v1, v2, google-nl-v2, iab-1\.1"):
        taxonomy_size(text)
