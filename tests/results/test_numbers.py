"""Numbers that no float can hold are infinite, as text and as JSON."""

import json
from fractions import Fraction
from math import inf

import pytest

from quiff.results.numbers import plain, shown, to_json


@pytest.mark.parametrize(
    ("value", "machine", "people"),
    [
        (Fraction(10**400, 3), "inf", "inf"),
        (Fraction(-(10**400), 3), "-inf", "-inf"),
        (Fraction(10**5000), "inf", "inf"),
        (Fraction(1, 10**400), 0.0, "0"),
        (Fraction(41_922_588_819), 41_922_588_819, "41922588819"),
        (inf, "inf", "inf"),
    ],
)
def test_extreme_values(value, machine, people):
    assert plain(value) == machine
    assert shown(value) == people
    assert json.loads(to_json([value])) == [machine]


def test_a_float_keeps_its_full_precision():
    assert json.loads(to_json({"x": 0.1 + 0.2}))["x"] == 0.1 + 0.2
