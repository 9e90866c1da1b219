"""Sites that act on what they learn: what the noisy result of one site carries to another site.

A model of cross-site adaptivity in the W3C's Attribution API; the draft names it and gives no size (api.bs at
9fab4e8, 14 May 2026, line 3092). The secret is a bit x of one browser and epoch. Each of n sites releases
x + noise, and moves k conversions of *other* people to one more site if its release is above a threshold.
That site releases b x + k (number of sites that moved) + noise, with b = 1 if its own query counts x, too.
What others convert is known to it; where it is not, these numbers are upper bounds. A conversion counts 1; d
is 1 over the scale of the noise, which for the draft's Laplace noise, 2 maxValue/epsilon, is epsilon/2.

In a histogram each bucket has a threshold of its own, and moves conversions of that bucket.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import asinh, comb, exp, expm1, inf, log, log1p, log2, sinh
from typing import Literal, TypeAlias, final

from quiff.errors import ParameterError
from quiff.theory.parameters import check_number, check_whole

NoiseName: TypeAlias = Literal["laplace", "geometric"]
_MOST = 700.0  # whose exponential is a float
_EDGE = 1e-12  # the law of a log-ratio steps where it bends


@final
@dataclass(frozen=True)
class SecondSite:
    """What one more site learns of a bit when `sites` others move `moved` conversions each.

    `log_odds` is d; `stake` is b, 1 if its own query counts the bit.

    Examples
    --------
    >>> site = SecondSite(0.5, moved=10)
    >>> round(site.loss, 7), round(SecondSite(0.5, moved=0).loss, 7), round(site.capacity(), 6)
    (0.9913722, 0.5, 1.238689)
    """

    log_odds: float
    sites: int = 1
    moved: int = 1
    stake: int = 1

    def __post_init__(self) -> None:
        d = check_number("log_odds", self.log_odds, 0, _MOST)
        if not d:
            raise ParameterError(what="log_odds", value=self.log_odds, allowed="above 0")
        object.__setattr__(self, "log_odds", float(d))
        check_whole("sites", self.sites, 1, 1000)
        check_whole("moved", self.moved, 0, 10**6)
        check_whole("stake", self.stake, 0, 1)

    @property
    def charge(self) -> float:
        """What its own query is charged: b d."""
        return self.stake * self.log_odds

    @property
    def carried(self) -> float:
        """What one other site carries to it at worst: m(k) = K - 2 arsinh(e^(-d/2) sinh(K/2)), with K = k d.

        It is the largest log-ratio (1 + q1 (e^K - 1))/(1 + q0 (e^K - 1)) over thresholds, where q1 and q0 are
        the probabilities that a release of x = 1, and of x = 0, is above it. No other policy carries more:
        docs/theory/attribution.md has the proof.
        """
        d, K = self.log_odds, self.moved * self.log_odds
        return d if K > _MOST else K - 2 * asinh(exp(-d / 2) * sinh(K / 2))

    @property
    def loss(self) -> float:
        """The worst-case log-ratio of what it sees: b d + n m(k), towards (n + b) d as k grows."""
        return self.charge + self.sites * self.carried

    @property
    def bound(self) -> float:
        """The same for any release of the others that has epsilon d: m <= ln((1 + e^(d+K))/(e^d + e^K)).

        Two-sided geometric noise reaches it, with the threshold that a release is at least 1.
        """
        d, K = self.log_odds, self.moved * self.log_odds
        each = d if K > _MOST else d + K - log(exp(d) + exp(K)) + log1p(exp(-d - K))
        return self.charge + self.sites * each

    @property
    def threshold(self) -> float:
        """The threshold of the largest loss, 1/2 + (K/2 - arsinh(e^(-d/2) sinh(K/2)))/d: from 1/2 to 1."""
        return 0.5 + self.carried / (2 * self.log_odds)

    def loss_at(self, threshold: float) -> float:
        """Return the worst-case loss with some other threshold, the larger one of both tails.

        >>> site = SecondSite(2.0, moved=2)
        >>> round(site.loss_at(site.threshold) - site.loss, 12), site.loss_at(0.5) < site.loss
        (0.0, True)
        """
        q0, q1 = (laplace_above(threshold - x, self.log_odds) for x in (0, 1))
        K = self.moved * self.log_odds
        if K > _MOST:
            right, left = log(q1 / q0), log((1 - q0) / (1 - q1))
        else:
            right = log1p(q1 * expm1(K)) - log1p(q0 * expm1(K))
            left = log1p(q0 * expm1(-K)) - log1p(q1 * expm1(-K))
        return self.charge + self.sites * max(right, left)

    def capacity(self, buckets: int = 1, threshold: float = 0.5) -> float:
        """Return the Bayes capacity of what it sees: E0[max(1, max_i L(y_i))].

        L is the likelihood ratio of a bucket, and y are draws without the secret. For one bucket it is 1 plus
        the total variation of both laws. The law of L is known piece by piece: between two places where
        conversions may lie each density is A e^(-dy) + C e^(dy).

        >>> round(SecondSite(2.0, sites=2, moved=5).capacity(), 6)
        1.821884
        """
        m = check_whole("buckets", buckets, 1)
        pieces = self._pieces(threshold)

        def excess(v: float) -> float:  # E0[max(0, L - v)]
            parts = [(piece, *piece.above(v)) for piece in pieces]
            return sum(piece.mass(1, *part) - v * piece.mass(0, *part) for piece, *part in parts)

        def some_above(w: float) -> float:  # (1 - P0[L <= v]^m) v, at v = e^w
            v = exp(w)
            above = min(1.0, sum(piece.mass(0, *piece.above(v)) for piece in pieces))
            return v if above == 1 else -expm1(m * log1p(-above)) * v

        if m == 1:
            return 1 + excess(1.0)
        from scipy.integrate import quad

        densities = [piece.densities(end) for piece in pieces for end in (0.0, piece.length) if end < inf]
        bends = sorted({0.0, *(log(one / none) for none, one in densities if one > none)})
        parts = ((low + _EDGE, high - _EDGE) for low, high in pairwise(bends) if high - low > 3 * _EDGE)
        return 1 + sum(
            float(quad(some_above, *part, limit=200, epsabs=1e-9, epsrel=1e-8)[0]) for part in parts
        )

    def bits(self, threshold: float = 0.5) -> float:
        """Return the information about a fair bit: the Shannon capacity, where both laws mirror each other.

        >>> round(SecondSite(0.5, moved=10).bits(), 7), round(SecondSite(0.5, moved=0).bits(), 8)
        (0.0713173, 0.03803954)
        """
        from scipy.integrate import quad

        total, far = 0.0, 60 / self.log_odds  # beyond it nothing is left of an exponential
        for piece in self._pieces(threshold):

            def information(u: float, piece: "_Piece" = piece) -> float:
                none, one = piece.densities(u)
                return sum(p / 2 * log2(2 * p / (none + one)) for p in (none, one) if p > 0)

            middle = piece.length / 2
            total += float(quad(information, 0.0, min(middle, far), limit=200, epsabs=1e-12)[0])
            if middle < inf:
                total += float(
                    quad(information, max(middle, piece.length - far), piece.length, epsabs=1e-12)[0]
                )
        return total

    def _pieces(self, threshold: float) -> list["_Piece"]:
        """Return the densities for x = 0 and x = 1, between the places where conversions may lie."""
        d, n, k = self.log_odds, self.sites, self.moved
        laws: list[dict[int, float]] = []
        for x in (0, 1):
            q = laplace_above(threshold - x, d)
            laws.append({self.stake * x + k * j: 0.0 for j in range(n + 1)})
            for j in range(n + 1):
                laws[x][self.stake * x + k * j] += comb(n, j) * q**j * (1 - q) ** (n - j)
        ends = sorted({*laws[0], *laws[1]})
        first, last = (
            tuple(sum(w * exp(-d * abs(end - c)) for c, w in law.items()) for law in laws)
            for end in (ends[0], ends[-1])
        )
        pieces = [_Piece(d, inf, first, (0.0, 0.0)), _Piece(d, inf, last, (0.0, 0.0))]
        for low, high in pairwise(ends):
            falling = tuple(sum(w * exp(-d * (low - c)) for c, w in law.items() if c <= low) for law in laws)
            rising = tuple(sum(w * exp(-d * (c - high)) for c, w in law.items() if c >= high) for law in laws)
            pieces.append(_Piece(d, float(high - low), falling, rising))
        return pieces


@final
@dataclass(frozen=True)
class _Piece:
    """The densities of x = 0 and x = 1 on an interval: d/2 (A e^(-du) + C e^(-d(length - u))), u from 0.

    On the two that are unbounded C is 0, and u is how far it is from the outermost place.
    """

    d: float
    length: float
    falling: tuple[float, ...]  # A, of x = 0 and of x = 1
    rising: tuple[float, ...]  # C

    def densities(self, u: float) -> tuple[float, float]:
        """Return both densities at a place."""
        down, up = exp(-self.d * u), exp(-self.d * (self.length - u))
        none, one = (a * down + c * up for a, c in zip(self.falling, self.rising, strict=True))
        return self.d / 2 * none, self.d / 2 * one

    def mass(self, x: int, low: float, high: float) -> float:
        """Return the probability of a part of the interval."""
        d, length = self.d, self.length
        falls = self.falling[x] * (exp(-d * low) - exp(-d * high))
        rises = (
            self.rising[x] * (exp(-d * (length - high)) - exp(-d * (length - low))) if self.rising[x] else 0
        )
        return (falls + rises) / 2

    def above(self, v: float) -> tuple[float, float]:
        """Return where the likelihood ratio is above v: it is monotone, so that it is a part at one end."""
        A, C = (pair[1] - v * pair[0] for pair in (self.falling, self.rising))
        if A <= 0 and C <= 0:
            return 0.0, 0.0
        if A >= 0 and C >= 0:
            return 0.0, self.length
        u = (self.length - log(-C / A) / self.d) / 2  # where A e^(-du) = -C e^(-d(length - u))
        u = min(max(u, 0.0), self.length)
        return (0.0, u) if A > 0 else (u, self.length)


def laplace_above(distance: float, d: float) -> float:
    """Return the probability that Laplace noise of scale 1/d is above a number.

    >>> laplace_above(0, 1)
    0.5
    """
    return exp(-d * distance) / 2 if distance > 0 else 1 - exp(d * distance) / 2
