"""Numbers that no float can hold are infinite, as text and as JSON."""

import json
import math
from fractions import Fraction
from math import inf

import numpy as np
import pytest

from quiff.results.numbers import plain, rounded, said, shown, to_json


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


@pytest.mark.parametrize("digits", [3, 4, 6])
def test_what_floats_lose_is_not_shown(digits):
    near = {rounded(value, digits) for value in (28.549999999, 28.549999999999997, 28.55, Fraction(571, 20))}
    assert near == {"28.6" if digits == 3 else "28.55"}


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.125, 2, "0.13"),
        (-0.125, 2, "-0.13"),
        (0, 3, "0"),
        (9.996, 3, "10"),
        (2.3e-6, 3, "2.3e-06"),
        (inf, 3, "inf"),
    ],
)
def test_a_half_is_rounded_up(value, digits, text):
    assert rounded(value, digits) == text


def test_all_sentences_round_alike():
    texts = {said(value) for value in (28.549999999999997, 28.55, Fraction(571, 20))}
    assert texts == {"28.6"}
    assert {said(value) for value in (1327.4999999999998, 1327.5)} == {"1,328"}


def test_a_whole_number_reads_the_same_whatever_holds_it():
    assert {shown(value) for value in (1_000_000, 1_000_000.0, Fraction(10**6))} == {"1000000"}
    assert shown(1e300) == "1e+300"
    assert shown(1_761_459.84) == "1.76146e+06"


def test_a_number_is_never_written_as_text():
    found = json.loads(to_json([np.float64(0.5), np.int64(5), np.float32(0.5), np.uint8(7)]))
    assert found == [0.5, 5, 0.5, 7]
    assert [type(number) for number in found] == [float, int, float, int]
    with pytest.raises(TypeError, match="not JSON serializable"):
        to_json([np.array([1, 2])])


def test_a_set_is_written_as_text():
    assert json.loads(to_json({"topic": frozenset({1})})) == {"topic": "frozenset({1})"}


def test_the_noise_of_floats_does_not_hide_a_whole_number():
    near = (999_999.9999999999, 1e6, math.nextafter(1e6, math.inf), 1_000_000.00000001)
    assert {shown(value) for value in near} == {"1000000"}
    assert {shown(value) for value in (1e10, math.nextafter(1e10, 0))} == {"10000000000"}
    assert (shown(12_345_678_901.5), shown(1_000_000.5), shown(-0.0), shown(1e-12)) == (
        "1.23457e+10", "1e+06", "0", "1e-12",
    )  # fmt: skip
