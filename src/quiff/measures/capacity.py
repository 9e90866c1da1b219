"""The most that a channel can leak, whatever the adversary knows and wants; also in bits, with a bound."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil, exp
from typing import final

import numpy as np

from quiff.core.channel import Channel
from quiff.core.kernels import Kernel
from quiff.core.kernels.one_hot import OneHotKernel
from quiff.core.limits import check_work
from quiff.core.numbers import Array, Number, as_number, filled, logarithms, product, quotient, to_float
from quiff.core.prior import Prior
from quiff.errors import ParameterError, typed
from quiff.theory.parameters import check_whole

_SURE = -660.0  # ln 1e-287: products above it are as exact as any
_LARGEST_LOG = 709.0


@typed
def bayes_capacity(C: Channel) -> Number:
    """Return sum_y max_x C[x,y], the average-case capacity (paper, eq. bayes-capacity).

    It is the Bayes leakage under the uniform prior, and no prior and no gain leaks more.

    Examples
    --------
    >>> from quiff import Channel, bayes_capacity
    >>> bayes_capacity(Channel([[0.75, 0.25], [0.25, 0.75]]))
    1.5
    """
    result = as_number(C.kernel.column_max_sum(filled(np.int64(1), C.inputs.size)))
    return max(result, 1.0) if isinstance(result, float) else result  # what is below 1 is rounding


@typed
def repeated_capacity_bound(C: Channel, n: int) -> float:
    """Return a bound on the Bayes capacity of n runs of any channel with as many outputs as C.

    It grows with a power of n, not exponentially: cap_1 = 1, cap_2 <= sqrt(pi n / 2) + 2/3 +
    sqrt(pi / 2n) / 12, and cap_b = cap_(b-1) + n / (b - 2) cap_(b-2) for b outputs.
    ``bayes_capacity(repeat(C, n))`` is the capacity itself, while it can be computed.

    Examples
    --------
    >>> from quiff import Channel, bayes_capacity, repeat, repeated_capacity_bound
    >>> C = Channel([[0.75, 0.25], [0.25, 0.75]])
    >>> bayes_capacity(repeat(C, 9)) <= repeated_capacity_bound(C, 9) <= 4.5
    True
    """
    n = check_whole("the number of repetitions", n, 1)
    if C.outputs.size == 1:
        return 1.0
    before, bound = 1.0, math.sqrt(math.pi * n / 2) + 2 / 3 + math.sqrt(math.pi / (2 * n)) / 12
    for outputs in range(3, C.outputs.size + 1):
        before, bound = bound, bound + before * n / (outputs - 2)
    return bound


@typed
def max_case_capacity(C: Channel) -> Number:
    """Return max C[x,y] / C[x',y], the max-case capacity e^epsilon (paper, eq. lift-capacity-epsilon).

    Infinite where a column has both a zero and a number that is not zero. Of ``repeat(C, n)`` it is the n-th
    power of that of C: the same two inputs and the same output are the worst every time.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Channel, max_case_capacity
    >>> max_case_capacity(Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]))
    Fraction(3, 1)
    >>> max_case_capacity(Channel.identity(["Alice", "Bob"]))
    inf
    """
    kernel, times = C.kernel.root()
    known = known_log_ratio(kernel)
    if known is not None:
        return math.exp(times * known) if times * known < _LARGEST_LOG else math.inf
    ratios = [as_number(1 if C.exact else 1.0)]
    for most, least in column_extremes(kernel):
        if (least == 0).any():
            return math.inf
        ratios.append(as_number(quotient(most, least).max()))
    try:
        return max(ratios) ** times
    except OverflowError:
        return math.inf


def known_log_ratio(kernel: Kernel) -> float | None:
    """Return max ln C[x,y] / C[x',y] if it is known, or if columns are too many or too small, else None.

    Two inputs and the outputs of each factor that tell them apart best are the worst together: the largest
    log ratio of a product is that of the pair of inputs with the largest sum over the factors.
    """
    leaves = kernel.leaves()
    if kernel.exact or len(leaves) == 1:
        return kernel.log_ratio()
    few = kernel.n_columns <= kernel.n_rows * sum(leaf.n_columns for leaf in leaves)
    if few and sum(times * leaf.least_log() for leaf, times in leaves.items()) > _SURE:
        return None
    kernel, _ = kernel.merged()
    check_work(kernel.n_rows**2 * sum(leaf.n_columns for leaf in kernel.leaves()))
    return max(float(ratios.max()) for ratios in log_ratios(kernel))


def log_entries(matrix: Array) -> Array:
    """Return the natural logarithm of each entry, minus infinity for 0."""
    logs = np.full(matrix.shape, -math.inf)
    logs[matrix > 0] = logarithms(matrix[matrix > 0])
    return logs


def log_ratios(kernel: Kernel) -> Iterator[Array]:
    """Yield for each row x, max_y ln C[x,y] / C[x',y] for every row x', over the outputs that x can have.

    In a product it is the sum over its factors, each at its own worst output.
    """
    parts = []
    for leaf, times in kernel.leaves().items():
        first, which = leaf.distinct_rows()
        parts.append((log_entries(leaf.take_rows(first).to_dense()), which, times))
    for row in range(kernel.n_rows):
        total = np.zeros(kernel.n_rows)
        for logs, which, times in parts:
            own = logs[which[row]]
            possible = own > -math.inf
            total += times * (own[possible] - logs[:, possible]).max(axis=1)[which]
        yield total


def column_extremes(kernel: Kernel) -> Iterator[tuple[Array, Array]]:
    """Yield the largest and the least entry of every column that is not all zero, part by part.

    Columns that are alike but for the order of outputs are one, which is their sum.
    """
    kernel, _ = kernel.merged()
    ones = filled(np.int64(1), kernel.n_rows)
    for head, leaf in kernel.slices(added=True):
        weights = ones if head is None else product(ones, head)
        most = leaf.column_max(weights)
        used = most > 0
        if used.any():
            yield most[used], leaf.column_min(weights)[used]


_FEW = 1000  # inputs up to which Newton's steps are taken
_BETWEEN = 20  # plain steps from one of Newton's to the next
_LEAST = 1e-200
_IN_USE = 1e-9


@final
@dataclass(frozen=True)
class Capacity:
    """The most that a channel can leak, over all priors.

    Attributes
    ----------
    value
        What leaks under `prior`.
    prior
        A prior under which so much leaks.
    gap
        How much more another prior may leak at most; 0 where the value is exact.
    """

    value: Number
    prior: Prior
    gap: float = 0.0


@typed
def shannon_capacity(C: Channel, gap: float = 1e-9, steps: int = 10_000) -> Capacity:
    """Return max_pi I(X; Y) in bits, with the prior that reaches it and a certified bound on the error.

    The Blahut-Arimoto iteration, with longer steps where these help. For any prior p, the capacity lies
    between sum_x p_x D_x and max_x D_x, where D_x = sum_y C[x,y] log2 C[x,y] / (p C)_y. Of channels that are
    symmetric or deterministic the first p is the best one, and the answer log2 of the number of outputs less
    the entropy of a row.

    Parameters
    ----------
    C
        The channel; large ones keep their structure.
    gap
        When to stop, in bits.
    steps
        After how many to stop in any case; the `gap` of the result tells how far it came.

    Examples
    --------
    >>> from quiff import Channel, shannon_capacity
    >>> found = shannon_capacity(Channel([[0.9, 0.1, 0], [0, 0.1, 0.9]]))
    >>> round(found.value, 9), found.prior[0], found.gap < 1e-9
    (0.9, 0.5, True)
    """
    if not gap > 0:
        raise ParameterError(what="the gap", value=gap, allowed="a positive number of bits")
    first, _ = C.kernel.distinct_rows()  # of equal inputs, one will do
    kernel = C.kernel.take_rows(first).telling()
    n, entropies = kernel.n_rows, kernel.row_entropies()
    small = n <= _FEW and kernel.n_columns <= 10 * _FEW
    matrix = to_float(kernel.to_dense()) if small else np.zeros((0, 0))

    def slopes(p: Array) -> tuple[float, float, Array]:
        apart = _divergences(kernel, p, entropies)
        return float(p @ apart), float(apart.max()), apart

    def leap(p: Array, apart: Array, turn: int) -> Array:
        # An input that would help gets some weight first: at 0 nothing is linear.
        start = normal(np.where(apart > p @ apart, np.maximum(p, 10.0 ** -(3 + 3 * (turn % 3))), p))
        return _newton(matrix, start, _divergences(kernel, start, entropies))

    best, high = ascent(np.full(n, 1 / n), slopes, gap, steps, leap if small else None)
    value = max(float(best @ _divergences(kernel, best, entropies)), 0.0)
    weights = np.zeros(C.inputs.size)
    weights[first] = best
    return Capacity(value, Prior.from_array(C.inputs, weights / weights.sum()), max(high - value, 0.0))


def ascent(
    start: Array,
    slopes: Callable[[Array], tuple[float, float, Array]],
    gap: float,
    steps: int,
    leap: Callable[[Array, Array, int], Array] | None = None,
) -> tuple[Array, float]:
    """Return weights p whose value is the largest up to a gap, and a bound on it (Blahut 1972; Arimoto 1972).

    `slopes` tells of weights their value, a bound on that of any, and D: the weights are multiplied by 2^D,
    or by a power of that where longer steps help; now and then they leap.
    """
    best, low, high, length, trial, plain = start, -math.inf, math.inf, 1.0, start, True
    for step in range(steps):
        value, bound, apart = slopes(trial)
        high = min(high, bound)
        if value >= low or plain:  # a plain step does no harm but for rounding
            best, low, best_apart, length = trial, max(low, value), apart, 1.3 * length
        else:
            length = 1.0
        if high - low <= gap:
            break
        plain = length == 1.0
        if leap is not None and step % _BETWEEN == _BETWEEN - 1:
            trial, plain = leap(best, best_apart, step // _BETWEEN), False
        else:
            trial = normal(best * np.exp2(length * (best_apart - best_apart.max())))
    return best, high


def _newton(matrix: Array, p: Array, apart: Array) -> Array:
    """Return the best weights, were all D_x linear in them: those that would be negative are left out."""
    used = np.flatnonzero((p > _IN_USE) | (apart > p @ apart))
    q = p @ matrix
    scaled = matrix[:, q > 0] / np.sqrt(q[q > 0] * np.log(2))
    trial = np.zeros_like(p)
    trial[used] = p[used]
    while used.size > 1:
        rows = scaled[used]
        inside = apart[used] - rows @ (scaled.T @ (trial - p))  # - dD_x / dp_x' = sum_y C[x,y] C[x',y] / q_y
        system = np.block([[rows @ rows.T, np.ones((used.size, 1))], [np.ones(used.size), np.zeros(1)]])
        move = np.linalg.lstsq(system, np.append(inside, 1 - trial.sum()), rcond=1e-14)[0][:-1]
        below = trial[used] + move < 0
        if not below.any():
            trial[used] += move
            break
        trial[used[below]] = 0.0
        used = used[~below]
    return normal(trial) if trial.sum() > 0 else p


def normal(weights: Array) -> Array:
    """Return weights that sum to 1, none of them 0."""
    weights = np.maximum(weights / weights.sum(), _LEAST)
    return np.asarray(weights / weights.sum())


def _divergences(kernel: Kernel, p: Array, entropies: Array) -> Array:
    """Return D_x = - H(C_x) - sum_y C[x,y] log2 q_y for each x, where q = p C."""
    result = -entropies
    for head, leaf in kernel.slices():
        q = leaf.left_multiply((p if head is None else product(p, head))[np.newaxis, :])[0]
        logs = leaf.right_multiply(np.log2(q, where=q > 0, out=np.zeros_like(q))[:, np.newaxis])[:, 0]
        result = result - (logs if head is None else product(head, logs))
    return np.asarray(result)


_CELLS = 8_192  # of one observation's log-ratio
_DRAWS = 40_000  # of an estimate; fewer if there are many buckets


def shannon_estimate(kernel: OneHotKernel, seed: int = 0) -> tuple[float, float]:
    """Return an estimate of the Shannon capacity of which cell is marked, or none, and its error at 95 %.

    By symmetry some prior (1-q, q/m, ..., q/m) is best. Relative to no mark, outputs have the density
    g = 1 - q + (q/m) sum_i rho_i, and I(q) = (1-q) E_none[-log2 g] + q E_bucket[log2 rho - log2 g].
    """
    from scipy.optimize import minimize_scalar

    rng, m = np.random.default_rng(seed), kernel.n_cells
    n = min(_DRAWS, _DRAWS * 100 // m)
    ratios = kernel.marked / kernel.base
    none = ratios[_drawn(rng, kernel.base, (n, m))].sum(axis=1)
    own = ratios[_drawn(rng, kernel.marked, (n,))]
    marked = own + ratios[_drawn(rng, kernel.base, (n, m - 1))].sum(axis=1)

    def information(q: float) -> Array:
        def density(total: Array) -> Array:
            return np.log2(1 - q + q / m * total)

        return (q - 1) * density(none) + q * (np.log2(own) - density(marked))

    best = minimize_scalar(lambda q: -information(q).mean(), bounds=(0, 1), method="bounded").x
    terms = information(float(best))
    return float(terms.mean()), float(1.96 * terms.std() / np.sqrt(n))


def _drawn(rng: np.random.Generator, law: Array, shape: tuple[int, ...]) -> Array:
    return np.searchsorted(np.cumsum(law)[:-1], rng.random(shape), side="right")


def repeated_capacity(t: float, n: int, buckets: int) -> tuple[float, float]:
    """Return bounds of the Bayes capacity of n noisy histograms of one secret: a bucket or none.

    t is the value divided by the scale of the noise. Of each bucket the sum of log-ratios matters. One ratio
    is -t with 1/2 and t with e^-t/2 where nothing was added, the other way round where the value was;
    between, noisy values are cut into cells, so that the first bound is that of a post-processing. In a cell
    the sum is within n t/cells of the middle, by which the second exceeds it at most.

    B = P_none[all sums <= 0] + m P_bucket[its sum is above 0 and the largest], ties broken at random.

    Examples
    --------
    >>> low, high = repeated_capacity(0.5, 1, 1)  # 2 - e^(-1/4)
    >>> round(low, 4), round(high / low, 4)
    (1.2212, 1.0001)
    """
    cells = min(_CELLS, max(64, (1 << 20) // n))
    base, marked = (_law(t, n, cells, added) for added in (False, True))
    above = np.arange(base.size) > n * cells  # whose sum of ratios is above 0
    below = np.cumsum(base)
    before = below - base
    # P[no other bucket has more, ties broken at random] = (F^m - F_before^m) / (m (F - F_before))
    step = np.where(base > 1e-300, base, 1.0)
    wins = np.where(base > 1e-300, (below**buckets - np.maximum(before, 0) ** buckets) / (buckets * step), 0)
    wins = np.where(base > 1e-12, wins, below ** (buckets - 1))
    none = float(below[n * cells] ** buckets)
    low = none + buckets * float((marked * wins)[above].sum())
    most = min(buckets + 1.0, exp(min(n * t, 700.0)))
    return min(low, most), min(low * exp(2 * n * t / cells), most)


def _law(t: float, n: int, cells: int, added: bool) -> Array:
    """Return the law of the sum of n log-ratios, in steps of t/cells from -n t."""
    edges = np.linspace(0, t, cells + 1)
    step = np.zeros(2 * cells + 1)
    ends = (exp(-t) / 2, 0.5) if added else (0.5, exp(-t) / 2)
    distance = t - edges if added else edges
    step[0], step[-1] = ends
    step[1::2] = np.abs(np.diff(np.exp(-distance))) / 2
    size = 1 << ceil(np.log2(2 * cells * n + 1))
    law = np.fft.irfft(np.fft.rfft(step, size) ** n, size)[: 2 * cells * n + 1]
    return np.maximum(law, 0.0)
