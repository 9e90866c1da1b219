"""Wrong numbers are errors, told once, in the constructor, with the label and what is wrong."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import quiff
from quiff import (
    Channel,
    Gain,
    GainError,
    LabelError,
    ParameterError,
    Prior,
    ProbabilityError,
    ShapeError,
    SizeError,
)
from words import refused

AB = ["a", "b"]
SETS = {"Alice": {"a"}, "Bob": {"b"}}

BAD = {
    "prior sum": (lambda: Prior({"a": 0.5, "b": 0.4}), ProbabilityError, r"the prior sums to 0\.9, not to 1"),
    "prior exact sum": (
        lambda: Prior({"a": Fraction(1, 2), "b": Fraction(1, 3)}), ProbabilityError, "sums to 5/6, not to 1"
    ),
    "prior negative": (lambda: Prior({"a": 1.5, "b": -0.5}), ProbabilityError, r"of 'b' is -0\.5"),
    "prior nan": (lambda: Prior({"a": math.nan, "b": 1.0}), ProbabilityError, "of 'a' is nan"),
    "prior inf": (lambda: Prior({"a": math.inf}), ProbabilityError, "of 'a' is inf"),
    "prior empty": (lambda: Prior({}), LabelError, "at least one label"),
    "prior of words": (lambda: Prior({"a": "half"}), ProbabilityError, "'half' is not a number"),
    "prior of None": (lambda: Prior({"a": None}), ProbabilityError, "None is not a number"),
    "uniform on nothing": (lambda: Prior.uniform([]), LabelError, "at least one label"),
    "counts negative": (lambda: Prior.from_counts({"a": 2, "b": -1}), ProbabilityError, "count of 'b' is -1"),
    "counts zero": (lambda: Prior.from_counts({"a": 0}), ProbabilityError, "all counts are 0"),
    "counts negative twice": (
        lambda: Prior.from_count_array(AB, np.array([-1, -5])), ProbabilityError, "count of 'a' is -1"
    ),
    "counts float": (
        lambda: Prior.from_counts({"a": 1, "b": 0.5}), ProbabilityError, r"of 'b' is 0\.5, but .* whole numbers"
    ),
    "prior array shape": (lambda: Prior.from_array(AB, [1.0]), ShapeError, "is 1, but its labels ask for 2"),
    "channel sum": (lambda: Channel([[0.5, 0.4]], ["Alice"]), ProbabilityError, r"of 'Alice' sums to 0\.9"),
    "channel exact sum": (
        lambda: Channel([[Fraction(1, 2), Fraction(1, 3)]]), ProbabilityError, "row of 0 sums to 5/6"
    ),
    "channel negative": (lambda: Channel([[1.5, -0.5]]), ProbabilityError, r"row 0, column 1 is -0\.5"),
    "channel nan": (lambda: Channel([[math.nan, 1]]), ProbabilityError, "column 0 is nan"),
    "channel ragged": (lambda: Channel([[1], [0.5, 0.5]]), ShapeError, "different lengths"),
    "channel flat": (lambda: Channel([1, 0]), ShapeError, "2 dimensions, but this array has 1"),
    "channel empty": (lambda: Channel(np.zeros((0, 2))), LabelError, "at least one input"),
    "channel without outputs": (lambda: Channel([[]]), ProbabilityError, "sums to 0"),
    "channel labels": (lambda: Channel([[1, 0]], AB), ShapeError, "the matrix is 1 x 2, but .* 2 x 2"),
    "channel same input": (lambda: Channel([[1], [1]], ["a", "a"]), LabelError, "input 'a' is there twice"),
    "channel same output": (lambda: Channel([[1, 0]], outputs=["a", "a"]), LabelError, "output 'a'"),
    "channel of words": (lambda: Channel([["x", "y"]]), ProbabilityError, "'x' is not a number"),
    "constant sum": (lambda: Channel.constant([0.5, 0.1], AB), ProbabilityError, r"'a' sums to 0\.6"),
    "constant matrix": (lambda: Channel.constant([[1]], AB), ShapeError, "one dimension, not 2"),
    "constant labels": (lambda: Channel.constant([1], AB, AB), ShapeError, "ask for 2"),
    "membership sum": (
        lambda: Channel.membership(SETS, AB, inside=0.5, outside=0.4), ProbabilityError, r"'Alice' sums to 0\.9"
    ),
    "membership negative": (
        lambda: Channel.membership(SETS, AB, inside=1.5, outside=-0.5), ProbabilityError, r"outside is -0\.5"
    ),
    "membership nan": (
        lambda: Channel.membership(SETS, AB, inside=math.nan, outside=0), ProbabilityError, "inside is nan"
    ),
    "membership stranger": (
        lambda: Channel.membership({"Alice": {"z"}}, AB, 1, 0), LabelError, "'z' is not a known output"
    ),
    "membership twice": (
        lambda: Channel.membership({"Alice": ["a", "a"]}, AB, 1, 0), LabelError, "'Alice' has the same topic twice"
    ),
    "membership string": (
        lambda: Channel.membership({"Alice": "ab"}, AB, 0.5, 0), LabelError, "of 'Alice' is 'ab'; give"
    ),
    "membership sizes": (
        lambda: Channel.membership({"Alice": {"a"}, "Bob": {"a", "b"}}, AB, 1, 0), ProbabilityError, "'Bob' sums to 2"
    ),
    "codes twice": (
        lambda: Channel.membership_from_codes(AB, [[0, 1], [1, 1]], range(3), 0.5, 0), LabelError, "set of 'b'"
    ),
    "codes too high": (
        lambda: Channel.membership_from_codes(AB, [[0], [3]], range(3), 1, 0), LabelError, r"code 3 .* \(0 to 2\)"
    ),
    "codes negative": (
        lambda: Channel.membership_from_codes(AB, [[0], [-1]], range(3), 1, 0), LabelError, "code -1"
    ),
    "codes float": (
        lambda: Channel.membership_from_codes(AB, [[0.0], [1.0]], range(3), 1, 0), ShapeError, "whole numbers"
    ),
    "codes rows": (
        lambda: Channel.membership_from_codes(AB, [[0]], range(3), 1, 0), ShapeError, "ask for 2 rows"
    ),
    "codes flat": (
        lambda: Channel.membership_from_codes(AB, [0, 1], range(3), 1, 0), ShapeError, "ask for 2 rows"
    ),
    "sparse sum": (
        lambda: Channel.sparse({"Alice": {"a": 0.25}}, AB), ProbabilityError, r"'Alice' sums to 0\.25"
    ),
    "sparse negative": (
        lambda: Channel.sparse({"Alice": {"a": -1, "b": 2}}, AB), ProbabilityError, "row 'Alice', column 'a' is -1"
    ),
    "map stranger": (
        lambda: Channel.deterministic({"Alice": "z"}, outputs=AB), LabelError, "'z' is not a known output"
    ),
    "gain negative": (lambda: Gain([[1, -1]]), GainError, "row 0, column 1 is -1"),
    "gain inf": (lambda: Gain([[math.inf]]), GainError, "is inf"),
    "gain nan": (lambda: Gain([[math.nan]]), GainError, "is nan"),
    "gain of words": (lambda: Gain([["x"]]), GainError, "'x' is not a number"),
    "gain flat": (lambda: Gain([1, 2]), ShapeError, "2 dimensions"),
    "gain labels": (lambda: Gain([[1, 2]], actions=AB), ShapeError, "1 x 2, but its labels ask for 2 x 2"),
    "tries": (lambda: quiff.tries_gain(AB, 3), ParameterError, "3, but must lie between 1 and 2"),
    "repeat": (lambda: quiff.repeat(Channel.identity(AB), 0), ParameterError, "repetitions is 0"),
    "choice": (
        lambda: quiff.internal_choice(Channel.identity(AB), Channel.identity(AB), 1.5), ProbabilityError, r"1\.5"
    ),
    "choice inputs": (
        lambda: quiff.internal_choice(Channel.identity(AB), Channel.identity(["a", "c"]), 0.5),
        LabelError,
        "'b': known to the first channel, but missing in the second channel",
    ),
    "cascade": (
        lambda: Channel.identity(AB) @ Channel.identity(["a"]), LabelError, "'b' is not a known input of the second"
    ),
    "prior and channel": (
        lambda: quiff.leakage(Prior.uniform(["a", "b", "z"]), Channel.identity(AB)),
        LabelError,
        "'z': known to the prior, but missing in the channel",
    ),
    "gain and prior": (
        lambda: quiff.vulnerability(Prior.uniform(AB), quiff.bayes_gain(["a"])),
        LabelError,
        "'b': known to the prior, but missing in the gain",
    ),
    "no gain at all": (
        lambda: quiff.leakage(Prior.uniform(AB), Channel.identity(AB), Gain([[0, 0]], inputs=AB)),
        GainError,
        "prior vulnerability is 0",
    ),
    "joint": (lambda: quiff.dalenius_leakage(Prior.uniform(AB), Channel.identity(AB)), LabelError, "needs pairs"),
    "distance": (
        lambda: quiff.metric_epsilon(Channel.identity(AB), lambda x, y: -1), ParameterError, r"'a' and 'b' is -1,"
    ),
    "distance nan": (
        lambda: quiff.metric_epsilon(Channel.identity(AB), lambda x, y: math.nan), ParameterError, "but must be 0 or more"
    ),
    "stranger": (lambda: Channel.identity(AB)["z", "a"], LabelError, "'z' is not a known input; known are 'a', 'b'"),
    "dense limit": (lambda: quiff.dense_limit(0).__enter__(), ParameterError, "must be a positive number"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told(name):
    make, error, message = BAD[name]
    with pytest.raises(error, match=message) as told:
        make()
    assert isinstance(told.value, quiff.QuiffError)
    assert isinstance(told.value, ValueError)


def test_a_row_may_be_off_by_rounding_but_not_more():
    assert Channel([[0.1] * 10])
    with pytest.raises(ProbabilityError):
        Channel([[0.5, 0.5 + 2e-9]])


def test_decimals_count_as_floats():
    assert not Prior({"a": Decimal("0.5"), "b": Fraction(1, 2)}).exact


def test_the_limit_for_dense_matrices(monkeypatch):
    C = Channel.identity(range(1000))
    with quiff.dense_limit(0.001), refused(SizeError, 1000, 0.00745):
        C.to_numpy()
    assert C.to_numpy().shape == (1000, 1000)
    monkeypatch.setenv("QUIFF_DENSE_LIMIT", "0.001")
    with refused(SizeError, 1):
        C.to_numpy()
    for wrong in ("much", "-1"):
        monkeypatch.setenv("QUIFF_DENSE_LIMIT", wrong)
        with refused(ParameterError):
            C.to_numpy()


def test_what_does_not_fit_names_the_limit_to_raise():
    C = Channel([[0.5, 0.5]] * 2000, range(2000))
    many = quiff.repeat(C, 40)
    for measure in (lambda: many.to_numpy(), lambda: many @ Channel.identity(many.outputs)):
        with refused(SizeError):
            measure()


def test_nothing_can_be_changed_from_outside():
    rows = np.array([[0.5, 0.5]])
    C = Channel(rows)
    rows[0, 0] = 7
    C.to_numpy()[0, 0] = 7
    assert C[0, 0] == 0.5
    counts = np.array([1, 2])
    prior = Prior.from_count_array(AB, counts)
    counts[0] = 100
    assert prior["a"] == Fraction(1, 3)
