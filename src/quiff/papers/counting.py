"""The counting figure: its constants, the points that its description states, and what they mean."""

from fractions import Fraction
from itertools import pairwise
from math import comb

from quiff import theory
from quiff.papers.items import Item, Value
from quiff.papers.settings import NOISE, TOP_S, V1, V2, V2_HAS_469, closed_form, percent, sized
from quiff.papers.verdict import Reading, Rounded, Statement

_TEXT = "Sec. 5.3.1, text"
_CONSTANTS = "Sec. 5.3.1, footnote with the constants of Fig. counting"
_FIGURE = "Sec. 5.3.1, description of Fig. counting"
_POPULATIONS = range(2, 31)
_BASIS = "((1 + p - q)/2)^N, p - q = (1-r)/s"


def _all_bits(n_users: int, n_topics: int = V1) -> Value:
    return theory.all_bits_right(n_topics, TOP_S, NOISE, n_users)


def _point(n_users: int, printed: str) -> Item:
    check = Reading(lambda: _all_bits(n_users))
    return Item(f"counting-figure-n{n_users}", _FIGURE, printed, check, f"{_BASIS}, N={n_users}")


def _printed_sum() -> tuple[bool, str]:
    p, q = theory.inside_probability(V1, TOP_S, NOISE), theory.outside_probability(V1, NOISE)
    sums = {N: sum(comb(N, n) * p**n * (1 - q) ** (N - n) for n in range(N + 1)) for N in (1, 2, 10)}
    holds = all(value == _all_bits(N) for N, value in sums.items())
    return holds, f"{float(sums[2]):.5g} for N=2, where the figure has {float(_all_bits(2)):.6g}"


def _expected_value() -> tuple[bool, str]:
    """Take the mean of A^n under the binomial distribution, and compare with what is plotted."""
    q = theory.outside_probability(V1, NOISE)
    A = theory.inside_probability(V1, TOP_S, NOISE) / q
    mean = sum(comb(2, n) * A**n * q**n * (1 - q) ** (2 - n) for n in range(3))
    return mean == _all_bits(
        2
    ), f"E[A^n] is {float(mean):.5g} for N=2, the plotted point {float(_all_bits(2)):.6g}"


def _stays_close() -> tuple[bool, str]:
    holds = all(_all_bits(N) < Fraction(1, 40) for N in range(10, 31))
    return holds, f"{float(_all_bits(10)):.5g} at N=10, {float(_all_bits(30)):.6g} at N=30"


def _overlap() -> tuple[bool, str]:
    holds = all(_all_bits(N, V1) == _all_bits(N, V2) == _all_bits(N, 629) for N in _POPULATIONS)
    return holds, "equal for every N from 2 to 30, whatever m is" if holds else "different points"


def _approaches_zero() -> tuple[bool, str]:
    points = [_all_bits(N) for N in _POPULATIONS]
    falling = all(later < earlier for earlier, later in pairwise(points))
    return falling and points[-1] < Fraction(1, 10**6), f"falls to {float(points[-1]):.6g} at N=30"


def _other_ways() -> str:
    before, raw = theory.prior_count_right(10), theory.raw_count_right(V1, TOP_S, float(NOISE), 10)
    return f"without any report {percent(before):.3f}%; for the raw noisy count {percent(raw):.5f}%"


ITEMS = (
    Item(
        "eq-counting-binomial", "Sec. 4.2.1, eq. counting-binomial", "sum of C(N,n) p^n (1-q)^(N-n)",
        Statement(_printed_sum), "",
        "A factor 2^-N is missing: as printed the sum is (1 + p - q)^N, which exceeds 1.",
    ),
    closed_form("counting-a-m349", _CONSTANTS, "1327.2", "max-case", V1),
    Item(
        "counting-q-m349", _CONSTANTS, "0.00014326647564469913",
        Rounded(lambda: theory.outside_probability(V1, NOISE)), "r/m, at the 15 digits that a double carries",
    ),
    closed_form("counting-a-m629", _CONSTANTS, "2391.2", "max-case", V2, why=V2_HAS_469),
    Item(
        "counting-q-m629", _CONSTANTS, "0.00007949125596184421",
        Rounded(lambda: theory.outside_probability(V2, NOISE)), "r/m", V2_HAS_469,
    ),
    sized("counting-m-v2", _TEXT, "629", V2, V2_HAS_469),
    sized("counting-figure-m-v2", "Sec. 5.3.1, second series of Fig. counting", "629", V2, V2_HAS_469),
    _point(2, "just above 0.35"),
    _point(3, "just above 0.20"),
    _point(4, "just below 0.15"),
    _point(5, "just below 0.10"),
    _point(10, "close to 0.00"),
    Item(
        "counting-figure-n10-to-n30", _FIGURE, "close to 0.00 from 10 to 30", Statement(_stays_close), _BASIS,
    ),
    Item("counting-figure-overlap", _FIGURE, "both series overlap exactly", Statement(_overlap), _BASIS),
    Item(
        "counting-figure-limit", "Sec. 5.3.1, caption of Fig. counting", "approaches zero",
        Statement(_approaches_zero), _BASIS,
    ),
    Item(
        "counting-figure-caption", "Sec. 5.3.1, caption of Fig. counting", "expected value of A^n",
        Statement(_expected_value), "",
        "The mean of A^n is (1 + p - q)^N under the binomial distribution; the points are 2^-N times that.",
    ),
    Item(
        "counting-n10", f"{_TEXT}, as the chance of all ten bits", "0.56%",
        Rounded(lambda: percent(_all_bits(10))),
        f"100 {_BASIS}, N=10",
    ),
    Item(
        "counting-n10-meaning", f"{_TEXT}, as the chance to count right", "0.56%",
        Rounded(lambda: percent(theory.best_count_right(V1, TOP_S, float(NOISE), 10)), _other_ways),
        "a Bayes-optimal guess of the count",
        "That is the chance to guess all N bits right; a best guess of the count alone does far better.",
    ),
)  # fmt: skip
