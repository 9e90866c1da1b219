"""The recipe for a study gives one that is right, and is shown in every form, by one file."""

import pytest
from kitchen import follow


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory):
    return follow("Add a study", tmp_path_factory.mktemp("study"))


def test_the_recipe_passes_all_gates(kitchen):
    kitchen.passes_the_gates()


def test_it_is_one_file_of_a_screen_or_two(kitchen):
    (source,) = (path for path in kitchen.written if path.name == "hiding.py")
    assert 40 <= len(source.read_text().splitlines()) <= 80
