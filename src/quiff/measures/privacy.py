"""Differential privacy: epsilon, also by a distance, delta, trade-off curves, composition; older notions."""

import math
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, final

import numpy as np

from quiff.core.channel import Channel
from quiff.core.kernels import DenseKernel, Kernel
from quiff.core.labels import as_labels
from quiff.core.limits import check_work
from quiff.core.metric import Distance, Metric, as_metric, discrete, distances
from quiff.core.numbers import Array, Number, as_number, filled, logarithms, to_float, unified
from quiff.core.prior import Prior
from quiff.errors import LabelError, ParameterError, SizeError, needed, typed
from quiff.measures.capacity import column_extremes, known_log_ratio, log_ratios
from quiff.theory.parameters import check_whole


@typed
def epsilon(C: Channel) -> float:
    """Return the smallest epsilon of local differential privacy, max |ln C[x,y] / C[x',y]|.

    Infinite where a column has both a zero and a number that is not zero (paper, eq. lift-capacity-epsilon
    and the sentence after it). Of ``repeat(C, n)`` it is n times that of C.

    Examples
    --------
    >>> import math
    >>> from quiff import Channel, epsilon
    >>> round(math.exp(epsilon(Channel([[0.75, 0.25], [0.25, 0.75]]))), 9)
    3.0
    """
    kernel, times = C.kernel.root()
    known = known_log_ratio(kernel)
    if known is not None:
        return times * known
    largest = 0.0
    for most, least in column_extremes(kernel):
        if (least == 0).any():
            return math.inf
        largest = max(largest, float((logarithms(most) - logarithms(least)).max()))
    return times * largest


@typed
def metric_epsilon(C: Channel | Prior, distance: Distance) -> float:
    """Return the smallest epsilon such that C[x,y] <= exp(epsilon d(x,x')) C[x',y] for all x, x', y.

    Parameters
    ----------
    C
        The channel; it is made dense, factor by factor. Of a prior, it is the epsilon that holds for its
        probabilities: max |ln pi_x / pi_x'| / d(x,x').
    distance
        A function of two inputs, a `Metric`, or a matrix (a frame brings its labels): 0 or more, possibly
        infinite. Where it is 0 the two rows must be equal.

    Examples
    --------
    >>> from quiff import Channel, euclidean, metric_epsilon
    >>> C = Channel([[0.5, 0.5], [0.25, 0.75]], inputs=[0, 2])
    >>> metric_epsilon(C, euclidean), metric_epsilon(C, lambda x, y: 2 * abs(x - y))
    (0.34657359027997264, 0.17328679513998632)
    """
    metric = as_metric(distance)
    labels = C.labels if isinstance(C, Prior) else C.inputs
    if metric is not discrete:
        check_work(labels.size**2, number_size=80)  # each distance is a call
    if metric is discrete and isinstance(C, Channel):
        return epsilon(C)
    kernel = C.kernel if isinstance(C, Channel) else DenseKernel(C.to_numpy()[:, np.newaxis])
    # An input says nothing against itself.
    rest = Metric(lambda x, y: math.inf if x == y else metric(x, y))
    largest = 0.0
    for label, apart in zip(labels, log_ratios(kernel), strict=True):
        row = to_float(distances(rest, as_labels([label]), labels)[0])
        largest = max(largest, _largest_ratio(apart, row))
    return largest


def _largest_ratio(apart: Array, distances: Array) -> float:
    """Return max over x' of what two rows are apart over their distance."""
    # Rows that are 0 apart ask for nothing, whatever their distance; others at distance 0 cannot be met.
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where((apart <= 0) | np.isinf(distances), 0.0, apart / distances)
    return float(ratios.max())


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
        result = _pair_excesses(C.kernel, left, right, factor).max()
    else:
        first, _ = C.kernel.distinct_rows()
        result, _, _ = largest_excess(C.kernel.take_rows(first), factor)
    if at_most and C.slack > 1:
        return min(1.0, C.slack * float(result) + (C.slack - 1) * float(factor))
    return as_number(result)


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
        left, right = (entry.reshape(-1) for entry in np.meshgrid(first, first, indexing="ij"))
    else:
        left, right = _rows_of(C, pairs)
        check_work(left.shape[0] * C.outputs.size, 8, left.shape[0])
    corners = {(0.0, 1.0), (1.0, 0.0)}
    rows = {int(x): to_float(C.kernel.take_rows(np.array([x])).to_dense()[0]) for x in {*left, *right}}
    for x, second in zip(left.tolist(), right.tolist(), strict=True):
        corners.update(_corners(rows[x], rows[second]))
    points = np.array(_lower_hull(sorted(corners)))
    return TradeOff(points[:, 0], points[:, 1])


def _corners(p: Array, q: Array) -> Iterator[tuple[float, float]]:
    """Yield the errors of the tests that accuse on the outputs with the largest q/p, one more at a time."""
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(q > 0, q / p, 0), kind="stable")
    alarms, result = np.cumsum(p[order]), np.cumsum(q[order])
    return zip(np.minimum(alarms, 1).tolist(), np.maximum(1 - result, 0).tolist(), strict=True)


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


def largest_excess(kernel: Kernel, factor: Any, classes: Array | None = None) -> tuple[Any, int, int]:
    """Return the largest sum_y max(0, C[x,y] - factor C[x',y]) of two rows, and two rows that have it.

    With `classes`, of two rows of different classes. A row is looked at only while its own bound is not met:
    it exceeds no other by more than it exceeds the least number of every column.
    """
    least = kernel.column_min(filled(np.int64(1), kernel.n_rows))
    bounds = kernel.positive_parts(1, np.asarray(-(least * factor)))
    best, looked = (0 * bounds[0], 0, 0), 0
    for x in np.argsort(-bounds.astype(np.float64), kind="stable").tolist():
        if not bounds[x] > best[0]:
            break
        looked += kernel.n_rows + kernel.n_columns
        check_work(looked, kernel.number_size)
        excess = kernel.positive_parts(-factor, kernel.take_rows(np.array([x])).to_dense()[0])
        if classes is not None:
            excess = np.where(classes == classes[x], 0 * excess, excess)
        second = int(np.argmax(excess))
        best = max(best, (excess[second], x, second), key=lambda pair: pair[0])
    return best


def _pair_excesses(kernel: Kernel, left: Array, right: Array, factor: Any) -> Any:
    """Return sum_y max(0, C[x,y] - factor C[x',y]) of each pair."""
    parts = []
    both = zip(kernel.take_rows(left).blocks(), kernel.take_rows(right).blocks(), strict=True)
    for (_, block), (_, against) in both:
        first, second = unified(block, against)
        parts.append(np.maximum(first - second * factor, 0).sum(axis=1))
    return sum(parts)


def _rows_of(C: Channel, pairs: Pairs) -> tuple[Array, Array]:
    """Return the rows of each pair, in both orders."""
    base = list(pairs)
    if not base:
        raise LabelError("pairs is empty; name at least one pair of neighbours, or leave it out for all")
    for pair in base:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise LabelError(what="an entry of pairs", value=pair, allowed="a pair of secrets")
    places = np.array([[C.inputs.position(x, "input") for x in pair] for pair in base])
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


_MOST_PAIRS = 2_000  # whose losses are composed, some milliseconds each
_SIGNIFICANT = 12  # digits to which two pairs' losses are compared


@typed
def composed_delta(
    C: Channel, epsilon: float, n: int = 1, *, pairs: Pairs | None = None, step: float = 1e-4
) -> float:
    """Return delta after n observations of the same secret, at most: that of ``repeat(C, n)``.

    Needs dp-accounting, which comes with the extra `dp`: ``pip install 'quiff[dp]'``.
    Privacy losses are rounded up to multiples of a step and convolved (Koskela, Jalko and Honkela 2020), so
    that the result is never too small.

    Parameters
    ----------
    C
        The channel; a lazy product such as ``parallel(C, D)`` is composed of its factors.
    epsilon
        0 or more.
    n
        How many observations.
    pairs
        Which secrets are neighbours; by default all are.
    step
        To which multiples losses are rounded.

    Examples
    --------
    >>> from quiff import composed_delta, delta, mechanisms, repeat
    >>> C = mechanisms.warner(epsilon=1)
    >>> round(composed_delta(C, 2, n=3), 4), round(delta(repeat(C, 3), 2), 4)
    (0.247, 0.247)
    """
    at = float(np.log(_factor(epsilon)))
    losses = _losses(C, n, pairs, step)
    return max(1.0 if loss is None else float(loss.get_delta_for_epsilon(at)) for loss in losses)


@typed
def composed_epsilon(
    C: Channel, delta: float, n: int = 1, *, pairs: Pairs | None = None, step: float = 1e-4
) -> float:
    """Return the epsilon after n observations that holds but for a probability delta, at most.

    Parameters are as for `composed_delta`, and so is what it needs.

    Examples
    --------
    >>> from quiff import composed_epsilon, mechanisms
    >>> C = mechanisms.warner(epsilon=0.1)
    >>> round(composed_epsilon(C, 1e-6, n=100), 2), round(0.1 * 100, 2)
    (4.78, 10.0)
    """
    if not hasattr(delta, "__float__") or not 0 <= delta <= 1:
        raise ParameterError(what="delta", value=delta, allowed="a number between 0 and 1")
    losses = _losses(C, n, pairs, step)
    apart = 0.0 if delta == 1 else math.inf
    return max(apart if loss is None else float(loss.get_epsilon_for_delta(delta)) for loss in losses)


def _losses(C: Channel, n: int, pairs: Pairs | None, step: float) -> Iterator[Any]:
    """Yield the privacy loss after n observations of each kind of pair; None if it is infinite."""
    pld = needed("dp_accounting.pld.privacy_loss_distribution", "dp", "composition")
    n = check_whole("n", n, 1)
    if not 0 < step <= 1:
        raise ParameterError(what="step", value=step, allowed="a number between 0 and 1")
    for parts in _distinct_pairs(C, pairs):
        if any(not (first * second).any() for first, second, _ in parts):  # no output in common
            yield None
            continue
        total = None
        for first, second, times in parts:
            loss = pld.from_two_probability_mass_functions(
                _logs(second),
                _logs(first),
                value_discretization_interval=step,
                symmetric=False,
            )
            loss = loss.self_compose(n * times)
            total = loss if total is None else total.compose(loss)
        yield total


def _logs(row: Array) -> dict[int, float]:
    return {y: float(np.log(row[y])) for y in np.flatnonzero(row).tolist()}


def _distinct_pairs(C: Channel, pairs: Pairs | None) -> list[list[tuple[Array, Array, int]]]:
    """Return the two rows of each pair in every factor, with how often it is there; pairs alike only once."""
    if pairs is None:
        first, _ = C.kernel.distinct_rows()
        if first.shape[0] * (first.shape[0] - 1) // 2 > 100 * _MOST_PAIRS:
            raise SizeError(
                f"{first.shape[0]} different rows make too many pairs to compose; name neighbours by pairs="
            )
        places = list(combinations(first.tolist(), 2)) or [(int(first[0]), int(first[0]))]
    else:
        left, right = _rows_of(C, pairs)
        places = list(zip(left.tolist(), right.tolist(), strict=True))[: left.shape[0] // 2]
    rows = sorted({x for pair in places for x in pair})
    where = {x: place for place, x in enumerate(rows)}
    leaves = [
        (to_float(leaf.take_rows(np.array(rows)).to_dense()), times)
        for leaf, times in C.kernel.leaves().items()
    ]
    result: dict[Any, list[tuple[Array, Array, int]]] = {}
    for x, second in places:
        parts = [(table[where[x]], table[where[second]], times) for table, times in leaves]
        result.setdefault(_kind(parts), parts)
    if len(result) > _MOST_PAIRS:
        raise SizeError(
            f"{len(result)} pairs of secrets differ, more than the {_MOST_PAIRS} that are composed; "
            "name the neighbours by pairs="
        )
    return list(result.values())


def _kind(parts: list[tuple[Array, Array, int]]) -> Any:
    """Return what pairs share whose outputs have the same probabilities, in any order and direction."""
    both = []
    for swap in (False, True):
        kind = []
        for first, second, times in parts:
            rows = (second, first) if swap else (first, second)
            digits = ([f"{value:.{_SIGNIFICANT - 1}e}" for value in row.tolist()] for row in rows)
            kind.append((tuple(sorted(zip(*digits, strict=True))), times))
        both.append(tuple(kind))
    return min(both)


@typed
def k_anonymity(C: Channel) -> int:
    """Return k: every output that occurs has at least k inputs that may lie behind it.

    For the deterministic C_G this is the least number of ones in a column (paper, Sec. 3.2). For a random
    one it counts the entries that are not 0, which need not be equally probable.

    >>> from quiff import Channel
    >>> k_anonymity(Channel.deterministic({"Alice": "x", "Bob": "y", "Carol": "x"}))
    1
    """
    columns = C.kernel.support().left_multiply(np.ones((1, C.inputs.size), dtype=np.int64))
    return int(columns[columns > 0].min())


@typed
def noise_bound(C: Channel) -> int:
    """Return B: every input has at least B outputs that may come of it.

    For C_BN this is s, the number of entries of each row that are not 0 (paper, Sec. 3.2).

    >>> from quiff import Channel
    >>> noise_bound(Channel.membership({"x": {1, 2}, "y": {2, 3}}, [1, 2, 3, 4], inside=0.5, outside=0))
    2
    """
    return int(C.kernel.support().right_multiply(np.ones((C.outputs.size, 1))).min())
