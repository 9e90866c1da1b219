"""Capacities of noisy histograms, which tell which bucket one value was added to, if any."""

from math import ceil, exp

import numpy as np

from quiff.core.kernels.one_hot import OneHotKernel
from quiff.core.numbers import Array

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
    one = np.zeros(2 * cells + 1)
    ends = (exp(-t) / 2, 0.5) if added else (0.5, exp(-t) / 2)
    distance = t - edges if added else edges
    one[0], one[-1] = ends
    one[1::2] = np.abs(np.diff(np.exp(-distance))) / 2
    size = 1 << ceil(np.log2(2 * cells * n + 1))
    law = np.fft.irfft(np.fft.rfft(one, size) ** n, size)[: 2 * cells * n + 1]
    return np.maximum(law, 0.0)
