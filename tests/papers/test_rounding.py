"""Comparing with a printed number: rounding either way at ties, intervals, readings, words."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiff.errors import QuiffError
from quiff.papers.verdict import Interval, compare, derive, parse_number, rounds_to
from words import refused

values = st.fractions(min_value=-1000, max_value=1000, max_denominator=10**6)
decimals = st.integers(0, 6)


def printed(value, places):
    """Round half up, the way a hand would."""
    scaled = (value * 10**places + Fraction(1, 2)).__floor__()
    sign, digits = ("-" if scaled < 0 else ""), str(abs(scaled)).rjust(places + 1, "0")
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


@given(values, decimals)
def test_a_value_matches_its_own_rounding(value, places):
    assert compare(printed(value, places), value, rounded=True).agrees


@given(values, decimals, st.integers(1, 50))
def test_a_value_does_not_match_another_rounding(value, places, units):
    wrong = printed(value + Fraction(units, 10**places), places)
    assert not compare(wrong, value, rounded=True).agrees or units == 1  # a tie may go either way
    further = printed(value + Fraction(units + 1, 10**places), places)
    assert not compare(further, value, rounded=True).agrees


@given(values, decimals)
def test_a_tie_matches_both_ways(value, places):
    unit = Fraction(1, 10**places)
    low = parse_number(printed(value, places))
    tie = low + unit / 2
    assert compare(printed(low, places), tie, rounded=True).agrees
    assert compare(printed(low + unit, places), tie, rounded=True).agrees


positive = st.fractions(min_value=Fraction(1, 100), max_value=1000, max_denominator=10**4)


@given(positive, positive, st.integers(2, 4), st.integers(0, 3))
def test_a_quotient_matches_whatever_its_inputs_were_rounded_to(a, b, input_places, places):
    inputs = (printed(a, input_places), printed(b, input_places))
    if parse_number(inputs[1]) > Fraction(1, 2 * 10**input_places):
        assert derive(printed(a / b, places), lambda x, y: x / y, inputs).agrees


@given(positive, positive, positive, positive)
def test_intervals_meet_iff_a_number_is_in_both(a, b, c, d):
    first, second = Interval(min(a, b), max(a, b)), Interval(min(c, d), max(c, d))
    common = max(first.low, second.low)
    assert first.meets(second) == (common in first and common in second)
    assert first.meets(second) == second.meets(first)


def test_derived_figures_beyond_their_inputs_differ():
    def quotient(text, *inputs):
        return derive(text, lambda x, y: x / y, inputs or ("0.102", "0.032")).agrees

    assert quotient("3.18")
    assert quotient("3.25")
    assert not quotient("3.30")
    assert not quotient("3.11")
    assert quotient("13.24%", "27 970", "211 313")  # counts are exact
    assert not quotient("13.25%", "27 970", "211 313")


def test_integers_and_fractions_are_compared_exactly():
    assert not compare("3", Fraction(10, 3)).agrees
    assert compare("3", Fraction(10, 3), rounded=True).agrees
    assert not compare("2", Fraction(5, 2)).agrees
    assert compare("2/3", Fraction(2, 3)).agrees


def test_a_share_is_compared_in_percent():
    assert compare("6.17%", Fraction(2_243_660, 36_389_567)).agrees
    assert compare("20 percent", Fraction(1, 5)).computed == 20


def test_digits_beyond_a_double_do_not_count():
    q = Fraction(1, 20) / 349  # to 20 decimals it ends in 4, the double that was printed in 3
    assert compare("0.00014326647564469913", q).agrees
    assert not compare("0.00014326647564499913", q).agrees


@pytest.mark.parametrize(
    ("value", "words", "holds"),
    [
        ("0.354", "just above 0.35", True),
        ("0.349", "just above 0.35", False),
        ("0.41", "just above 0.35", False),
        ("0.125", "just below 0.15", True),
        ("0.0055", "close to 0.00", True),
        ("0.03", "close to 0.00", False),
    ],
)
def test_readings(value, words, holds):
    assert compare(words, Fraction(value)).agrees is holds


def test_what_cannot_be_parsed_is_an_error():
    with refused(QuiffError, 3):
        compare("around 3", Fraction(3))
    with refused(QuiffError):
        rounds_to("1_0")
