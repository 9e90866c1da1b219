"""What sites that act on what they learn carry to another site, by enumeration: exact for geometric noise."""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, log
from typing import Any, final

from quiff.core.channel import Channel
from quiff.core.limits import check_memory
from quiff.core.numbers import Number
from quiff.measures.noise import geometric, truncated_geometric
from quiff.theory.adaptivity import NoiseName, SecondSite


def second_site(
    log_odds: float | None = None, *, ratio: Any = None, sites: int = 1, moved: int = 1, stake: int = 1
) -> Channel:
    """Return the channel from the bit of a browser to what one more site sees: all releases are enumerated.

    The model is that of `quiff.theory.adaptivity`, with two-sided geometric noise of log-odds d, or of
    e^d = `ratio`, which may be a fraction; a site moves its conversions if its release is at least 1.

    Examples
    --------
    >>> from quiff import bayes_capacity
    >>> bayes_capacity(second_site(ratio=2, moved=1, stake=0))
    Fraction(10, 9)
    """
    acts = truncated_geometric(range(2), log_odds, ratio=ratio).to_numpy()  # 1: the release is at least 1
    largest = stake + moved * sites
    check_memory("what the second site sees takes", 2 * (sites + 1) * (largest + 1))
    laws: dict[int, dict[int, Any]] = {0: defaultdict(int), 1: defaultdict(int)}
    for x, j in product(laws, range(sites + 1)):
        stays, moves = acts[x]
        laws[x][stake * x + moved * j] += comb(sites, j) * moves**j * stays ** (sites - j)
    counted = sorted({*laws[0], *laws[1]})
    released = geometric(counted, log_odds, ratio=ratio, outputs=range(largest + 1))
    return Channel.sparse(laws, counted) @ released  # beyond the ends no likelihood ratio changes any more


def bucket_capacity(C: Channel, buckets: int) -> Number:
    """Return the Bayes capacity where each bucket is a bit of its own, and at most one of them is 1.

    It is E0[max(1, max_i L_i)] over independent buckets without the secret, L their likelihood ratios.

    Examples
    --------
    >>> bucket_capacity(second_site(ratio=2, moved=1), 2)
    Fraction(43, 27)
    """
    none, one = C.to_numpy()
    law: dict[Any, Any] = defaultdict(int)
    for p, q in zip(none, one, strict=True):
        law[max(q / p, 1)] += p
    capacity: Number = Fraction(0)
    below: Any = 0
    for factor, mass in sorted(law.items()):
        capacity += factor * ((below + mass) ** buckets - below**buckets)
        below += mass
    return capacity


@final
@dataclass(frozen=True)
class Adaptive:
    """What one more site sees, if some sites move so many conversions each: losses as epsilon, and averages.

    `charged` is what its own queries are charged for, `loss` the worst case, `bound` that for any release of
    the others with the same epsilon; a right guess is multiplied by `capacity` at most.
    """

    sites: int
    moved: int
    charged: float
    loss: float
    bound: float
    capacity: float
    bits: float | None


def adaptive_site(
    epsilon: float, buckets: int, sites: int, moved: int, *, stake: bool = True, noise: NoiseName = "laplace"
) -> Adaptive:
    """Return what one more site sees where every query asks for this epsilon, and all are of a single epoch.

    Examples
    --------
    >>> site = adaptive_site(1, 1, sites=1, moved=10)
    >>> site.charged, round(site.loss, 4), round(site.capacity, 4)
    (0.5, 0.9914, 1.2387)
    """
    site = SecondSite(epsilon / 2, sites, moved, int(stake))  # of scale 2 maxValue/epsilon
    if noise == "laplace":
        bits = site.bits() if sites == buckets == 1 else None
        return Adaptive(sites, moved, site.charge, site.loss, site.bound, site.capacity(buckets), bits)
    C = second_site(epsilon / 2, sites=sites, moved=moved, stake=int(stake))
    none, one = C.to_numpy()
    loss = max(abs(log(q / p)) for p, q in zip(none, one, strict=True))
    return Adaptive(sites, moved, site.charge, loss, site.bound, float(bucket_capacity(C, buckets)), None)
