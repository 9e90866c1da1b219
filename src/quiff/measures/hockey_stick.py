"""Differential privacy beyond pure epsilon: delta, the trade-off of the two errors, and Bayes security."""

import math
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from quiff.core.channel import Channel
from quiff.core.kernels import Kernel
from quiff.core.limits import check_work
from quiff.core.numbers import Array, Number, as_number, filled, to_float, unified
from quiff.errors import LabelError, ParameterError, typed

Pairs = Iterable[tuple[Hashable, Hashable]]
_LARGE = 700.0  # e^epsilon still has room in a float


@typed
def delta(C: Channel, epsilon: float, pairs: Pairs | None = None, *, at_most: bool = False) -> Number:
    """Return the least delta of (epsilon, delta)-privacy, the largest hockey-stick divergence of two rows.

    max over x, x' of sum_y max(0, C[x,y] - e^epsilon C[x',y]); at epsilon 0 the largest total variation.

    Parameters
    ----------
    C
        The channel. Structured ones of 100 000 secrets take no matrix.
    epsilon
        0 or more; infinite asks for what happens with one secret and never with the other.
    pairs
        Which secrets are neighbours, each pair in both orders; by default all are.
    at_most
        Of outputs that were cut into cells (``C.slack`` above 1) the answer is a lower bound, since cells
        tell less than what lies in them. This asks for the upper one.

    Notes
    -----
    For two secrets with weights 1 and e^epsilon, the posterior Bayes vulnerability is e^epsilon + delta, over
    the sum of the weights. The true one is at most s = ``C.slack`` times that of the cells, so that the true
    delta is at most s delta + (s - 1) e^epsilon, and 1.

    Examples
    --------
    >>> from quiff import Channel, delta
    >>> C = Channel([[0.75, 0.25], [0.25, 0.75]], inputs=["yes", "no"])
    >>> delta(C, 0), round(delta(C, 0.5), 4), round(delta(C, 1.1), 4)
    (0.5, 0.3378, 0.0)
    >>> cut = C.with_slack(1.1)
    >>> round(delta(cut, 0.5), 4), round(delta(cut, 0.5, at_most=True), 4)
    (0.3378, 0.5365)
    """
    factor = _factor(epsilon)
    if pairs is not None:
        left, right = _rows_of(C, pairs)
        found = _greatest(_pair_excesses(C.kernel, left, right, factor))
    else:
        found = _over_all_pairs(C.kernel, factor)
    if at_most and C.slack > 1:
        return min(1.0, C.slack * float(found) + (C.slack - 1) * float(factor))
    return as_number(found)


@typed
def bayes_security(C: Channel, pairs: Pairs | None = None) -> Number:
    """Return beta = 1 - max over x, x' of the total variation of rows: from 0 (none) to 1 (perfect).

    The least ratio, over all priors, of the error of the best guess after and before the output; two
    secrets of equal probability are the worst (Chatzikokolakis, Cherubin, Palamidessi and Troncoso, CSF
    2023). Of outputs that were cut into cells it is an upper bound; 1 - delta(C, 0, at_most=True) is the
    lower one.

    Examples
    --------
    >>> from quiff import bayes_security, mechanisms
    >>> bayes_security(mechanisms.warner(ratio=3))
    Fraction(1, 2)
    """
    return 1 - delta(C, 0, pairs)


@final
@dataclass(frozen=True, eq=False)
class TradeOff:
    """The errors of the best tests of one secret against another: a decreasing convex curve, by its corners.

    Call it with a probability of false alarms to get the least probability of a miss.
    """

    false_alarms: Array
    misses: Array

    def __call__(self, false_alarm: float) -> float:
        if not 0 <= false_alarm <= 1:
            raise ParameterError(what="the false alarm", value=false_alarm, allowed="a probability")
        return float(np.interp(false_alarm, self.false_alarms, self.misses))


@typed
def trade_off(C: Channel, pairs: Pairs | None = None) -> TradeOff:
    """Return how rarely a test of x' against x can miss x', for each probability of a false alarm.

    The curve is the largest convex one below those of all pairs (Dong, Roth and Su 2022): no adversary does
    better for any pair. It says the same as `delta` for all epsilon.

    Examples
    --------
    >>> from quiff import Channel, trade_off
    >>> curve = trade_off(Channel([[0.75, 0.25], [0.25, 0.75]]))
    >>> curve(0), curve(0.25), curve(0.05)
    (1.0, 0.25, 0.85)
    """
    if pairs is None:
        first, _ = C.kernel.distinct_rows()
        n = first.shape[0]
        check_work(n * n * C.outputs.size, 8, n * n)
        left, right = (each.reshape(-1) for each in np.meshgrid(first, first, indexing="ij"))
    else:
        left, right = _rows_of(C, pairs)
        check_work(left.shape[0] * C.outputs.size, 8, left.shape[0])
    corners = {(0.0, 1.0), (1.0, 0.0)}
    rows = {int(x): to_float(C.kernel.take_rows(np.array([x])).to_dense()[0]) for x in {*left, *right}}
    for x, other in zip(left.tolist(), right.tolist(), strict=True):
        corners.update(_corners(rows[x], rows[other]))
    points = np.array(_lower_hull(sorted(corners)))
    return TradeOff(points[:, 0], points[:, 1])


def _corners(p: Array, q: Array) -> Iterator[tuple[float, float]]:
    """Yield the errors of the tests that accuse on the outputs with the largest q/p, one more at a time."""
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(q > 0, q / p, 0), kind="stable")
    alarms, found = np.cumsum(p[order]), np.cumsum(q[order])
    return zip(np.minimum(alarms, 1).tolist(), np.maximum(1 - found, 0).tolist(), strict=True)


def _lower_hull(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the corners of the largest convex curve below some points, which are sorted."""
    hull: list[tuple[float, float]] = []
    for x, y in points:
        if hull and x == hull[-1][0]:
            continue
        while len(hull) > 1 and _turns_up(hull[-2], hull[-1], (x, y)):
            hull.pop()
        hull.append((x, y))
    return hull


def _turns_up(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    """Tell whether b lies on or above the line from a to c."""
    return (b[1] - a[1]) * (c[0] - a[0]) >= (c[1] - a[1]) * (b[0] - a[0])


def _over_all_pairs(kernel: Kernel, factor: Any) -> Any:
    """Return the largest excess of two rows; a row is looked at only while its own bound is not met.

    No row exceeds another by more than it exceeds the least number of every column.
    """
    first, _ = kernel.distinct_rows()
    if first.shape[0] < kernel.n_rows:
        kernel = kernel.take_rows(first)
    least = kernel.column_min(filled(np.int64(1), kernel.n_rows))
    bounds = kernel.positive_parts(1, np.asarray(-(least * factor)))
    best, looked = 0 * bounds[0], 0
    for x in np.argsort(-bounds.astype(np.float64), kind="stable").tolist():
        if not bounds[x] > best:
            break
        looked += kernel.n_rows + kernel.n_columns
        check_work(looked, kernel.number_size)
        row = kernel.take_rows(np.array([x])).to_dense()[0]
        best = max(best, kernel.positive_parts(-factor, row).max())
    return best


def _pair_excesses(kernel: Kernel, left: Array, right: Array, factor: Any) -> Any:
    """Return sum_y max(0, C[x,y] - factor C[x',y]) of each pair."""
    parts = []
    for mine, theirs in zip(kernel.take_rows(left).blocks(), kernel.take_rows(right).blocks(), strict=True):
        one, other = unified(mine, theirs)
        parts.append(np.maximum(one - other * factor, 0).sum(axis=1))
    return sum(parts)


def _greatest(values: Array) -> Any:
    return max(values.tolist())


def _rows_of(C: Channel, pairs: Pairs) -> tuple[Array, Array]:
    """Return the rows of each pair, in both orders."""
    given = list(pairs)
    if not given:
        raise LabelError("pairs is empty; name at least one pair of neighbours, or leave it out for all")
    for pair in given:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise LabelError(what="an entry of pairs", value=pair, allowed="a pair of secrets")
    places = np.array([[C.inputs.position(x, "input") for x in pair] for pair in given])
    return np.r_[places[:, 0], places[:, 1]], np.r_[places[:, 1], places[:, 0]]


def _factor(epsilon: Any) -> Any:
    """Return e^epsilon; for 0 a whole number, so that fractions stay exact, and for infinity nearly that."""
    try:
        value = float(epsilon)
    except (TypeError, ValueError):
        value = math.nan
    if not value >= 0:
        raise ParameterError(what="epsilon", value=epsilon, allowed="a number of at least 0")
    return 1 if value == 0 else math.exp(min(value, _LARGE))
