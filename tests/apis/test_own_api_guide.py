"""The API that the guide builds is the one that its words define."""

import doctest
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import quiff
from quiff.apis.base import Api
from quiff.people.population import Population
from words import refused

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "own-api.md"


def pair_api():
    """Return the class as the guide writes it."""
    (source,) = (
        example.source
        for example in doctest.DocTestParser().get_examples(GUIDE.read_text())
        if "class PairAPI" in example.source
    )
    names = {
        "Api": Api, "Channel": quiff.Channel, "Fraction": Fraction, "ParameterError": quiff.ParameterError,
        "internal_choice": quiff.internal_choice, "np": np, "dataclass": dataclass, "__name__": __name__,
    }  # fmt: skip
    exec(source, names)  # noqa: S102 - our own guide
    return names["PairAPI"]


PairAPI = pair_api()


def by_definition(chosen, topics, r):
    """Draw two distinct topics, replace each or not, forget the order: all cases, one by one."""
    m, s = len(topics), len(chosen)
    row = Counter()
    for pair in permutations(chosen, 2):
        for replaced in product([False, True], repeat=2):
            choices = [topics if gone else [topic] for topic, gone in zip(pair, replaced, strict=True)]
            chance = Fraction(1, s * (s - 1))
            for gone in replaced:
                chance *= r / m if gone else 1 - r
            for report in product(*choices):
                row[frozenset(report)] += chance
    return row


@st.composite
def cases(draw):
    m = draw(st.integers(2, 6))
    s = draw(st.integers(2, m))
    sets = {x: frozenset(draw(st.permutations(range(m)))[:s]) for x in "abcd"[: draw(st.integers(1, 4))]}
    return sets, list(range(m)), Fraction(draw(st.integers(0, 5)), 5)


@given(cases())
def test_every_entry_is_that_of_the_definition(case):
    sets, topics, r = case
    people = Population.from_sets(sets, topics)
    C = PairAPI(noise=r).channel(people)
    assert C.exact
    floats = PairAPI(noise=float(r)).channel(people)
    for x, chosen in sets.items():
        expected = by_definition(chosen, topics, r)
        assert sum(expected.values()) == 1
        for y in C.outputs:
            assert C[x, y] == expected[y]
            assert floats[x, y] == pytest.approx(float(expected[y]))


def test_the_order_that_the_report_leaves_out_says_nothing():
    """The ordered pair and the set refine each other, so that no measure can tell them apart."""
    topics, r = list(range(4)), Fraction(1, 5)
    sets = {"u": {0, 1}, "v": {1, 2}, "w": {0, 3}}
    people = Population.from_sets(sets, topics)
    unordered = PairAPI(noise=r).channel(people)
    pairs = list(product(topics, topics))
    rows = []
    for chosen in sets.values():
        row = by_definition(chosen, topics, r)
        rows.append([float(row[frozenset(p)]) / len(set(permutations(p))) for p in pairs])
    ordered = quiff.Channel(rows, inputs=list(sets), outputs=pairs)
    assert quiff.refines(unordered, ordered)
    assert quiff.refines(ordered, unordered)


def test_the_guides_parameters_are_checked():
    with refused(quiff.ParameterError, 0, 1):
        PairAPI(noise=2)
    with refused(quiff.ParameterError, 2):
        PairAPI().channel(Population.from_sets({"u": {1}}))
