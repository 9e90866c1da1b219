"""The gallery's channels have the capacities that are known by hand."""

import pytest

import quiff
from quiff.testing.gallery import gallery


@pytest.mark.parametrize("example", list(gallery()), ids=lambda example: example.name)
def test_known_capacities(example):
    assert quiff.bayes_capacity(example.channel) == example.bayes_capacity
    assert quiff.max_case_capacity(example.channel) == example.max_case_capacity
