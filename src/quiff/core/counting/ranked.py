"""Users who differ in weight: the best value of each tuple of outputs, by tables of ranks.

With M_S[u] the largest weight of a user whose sets on the factors S have u,

    sum_y max_x w_x prod_e C_e[x,y_e] = sum_y max_S p^|S| q^(E-|S|) M_S[y_S]:

the user who is best for y fits it exactly on some S, and no user is worth less than their part there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import lcm, prod
from typing import Any

import numpy as np

from quiff.core.counting.tables import BLOCK, Tables
from quiff.core.counting.work import in_slices
from quiff.core.numbers import Array, is_exact, tie_codes

_SMALL = 2**20  # tuples of all users


@dataclass(frozen=True, eq=False)
class RankedValues:
    """All values w p^k q^(E-k) for the weights w of some users and k = 0, ..., E, from the least up."""

    ranks: Array  # the rank of each user's value when it fits in k factors, (E + 1, users)
    values: Array  # the value of each rank, exact if the weights and p and q are

    @property
    def tied_ranks(self) -> Array:
        """The ranks where values that tie have the same."""
        return np.asarray(tie_codes(self.values)[self.ranks])

    @classmethod
    def of(cls, weights: Array, inside: Any, outside: Any, n_factors: int) -> "RankedValues":
        """Rank the values.

        >>> ranked = RankedValues.of(np.array([1, 3]), Fraction(1, 2), Fraction(1, 4), 1)
        >>> ranked.ranks.tolist(), [str(value) for value in ranked.values]
        ([[0, 2], [1, 3]], ['1/4', '1/2', '3/4', '3/2'])
        """
        E, below = n_factors, 1
        distinct, which = np.unique(weights, return_inverse=True)
        exact = is_exact(weights) and not isinstance(inside, float) and not isinstance(outside, float)
        if exact:  # whole numbers over a common denominator: fractions would take ten times as long
            (p, q), common = _whole([inside, outside])
            numerators, divisor = _whole(distinct.tolist())
            numbers, below = np.array(numerators, dtype=object), common**E * divisor
        else:
            p, q, numbers = float(inside), float(outside), distinct.astype(np.float64)
        powers = np.array([p**k * q ** (E - k) for k in range(E + 1)], dtype=numbers.dtype)
        table = np.multiply.outer(powers, numbers)
        values, ranks = np.unique(table.reshape(-1), return_inverse=True)
        if exact:
            values = np.array([Fraction(value, below) for value in values.tolist()], dtype=object)
        return cls(ranks.reshape(table.shape).astype(np.int32)[:, which.reshape(-1)], values)


def _whole(numbers: list[Any]) -> tuple[list[Any], int]:
    """Return numerators over a common denominator, and the denominator."""
    fractions = [Fraction(number) for number in numbers]
    common = lcm(*(fraction.denominator for fraction in fractions))
    return [int(fraction * common) for fraction in fractions], common


class RankTables:
    """What users are worth on parts of a tuple, for the outputs of the first factor one by one.

    A cell of a table has the best rank of a user whose sets contain its tuple, -1 if there is none. `on` says
    on which factors, and `fits` in how many the users then fit: one more if all have an output of the first.
    """

    def __init__(self, tables: Tables, ranks: Array) -> None:
        self.tables = tables
        self.ranks = ranks.astype(np.min_scalar_type(-1 - int(ranks.max())))  # by how many factors fit
        self.alike = bool((ranks == ranks[:, :1]).all())  # whether all weigh the same
        self.all_subsets = [on for level in tables.subsets for on in level]
        # How many outputs each one stands for: the last one may stand for all that nobody has.
        self.shares = [
            np.array([1] * n + [spare] * (spare > 0))
            for n, spare in zip(tables.occurring, tables.spare, strict=True)
        ]
        E = tables.n_factors
        self.small = tables.rows.shape[0] * max(codes.shape[1] for codes in tables.codes) ** (E - 1) < _SMALL
        tables.by_first  # noqa: B018 - made here, once for all threads

    def best(self, on: tuple[int, ...], users: Array, fits: int) -> Array:
        """Return the best rank of each cell; the axes are the later factors, of length 1 if not in `on`."""
        shape = self.tables.shape(on)
        best = np.full(prod(shape), -1, dtype=self.ranks.dtype)
        for part in self.tables.parts(on, users):
            ranks, cells = self.ranks[fits][part], self.tables.cells(on, part)
            if self.alike:
                best[cells.reshape(-1)] = ranks[:1]
            else:
                np.maximum.at(best, cells.reshape(-1), np.tile(ranks, cells.shape[0]))
        return best.reshape(shape)


def best_sum(codes: Sequence[Array], sizes: Sequence[int], weights: Array, inside: Any, outside: Any) -> Any:
    """Return sum_y max_x w_x prod_e (p if y_e lies in the set of x for e, else q), for p >= q.

    Codes and sizes are those of `match_counts`; a user's weight w_x is 0 or more.

    >>> from fractions import Fraction
    >>> p, q = Fraction(9, 20), Fraction(1, 20)
    >>> best_sum([np.array([[0, 1], [2, 3]])], [4], np.array([2, 1]), p, q)
    Fraction(27, 10)
    """
    tables = Tables.of(codes, sizes)
    ranked = RankedValues.of(weights, inside, outside, tables.n_factors)
    ranks = RankTables(tables, ranked.ranks)
    without_first = reduce(np.maximum, (ranks.best(on, tables.rows, len(on)) for on in ranks.all_subsets))

    def count(first: int) -> Array:
        """Count the tuples that begin with one output by the rank of the best user's value."""
        users = tables.by_first[first].astype(np.intp)
        sliced = [ranks.best(on, users, len(on) + 1) for on in ranks.all_subsets]
        counts = np.zeros(ranked.values.shape[0])
        for part, shares in _parts(ranks.shares[1:]):
            # Small tables come first: few of the steps are as large as all tuples.
            every = [*sliced, without_first]
            best = reduce(np.maximum, (t[part] if t.ndim and t.shape[0] > 1 else t for t in every))
            ranked_cells = np.broadcast_to(best, shares.shape).reshape(-1)
            counts += np.bincount(ranked_cells, shares.reshape(-1), counts.size)
        return np.asarray(np.rint(counts).astype(np.int64) * ranks.shares[0][first])

    counted = in_slices(count, range(tables.outputs[0]), small=ranks.small)
    exact = np.int64 if prod(sizes) < 2**63 else object  # numbers of tuples
    return (np.sum(list(counted), axis=0, dtype=exact).astype(object) * ranked.values).sum()


def _parts(shares: Sequence[Array]) -> Iterator[tuple[slice, Array]]:
    """Yield parts of the second factor's outputs, and how many tuples each one of the later factors is."""
    if not shares:
        yield slice(None), np.ones(1)
        return
    step = max(1, BLOCK // prod(share.shape[0] for share in shares[1:]))
    for start in range(0, shares[0].shape[0], step):
        part = slice(start, start + step)
        yield part, reduce(np.multiply.outer, shares[1:], shares[0][part]).astype(np.float64)
