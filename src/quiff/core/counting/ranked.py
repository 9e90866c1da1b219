"""Users who differ in weight: the best value of each tuple of outputs, by tables of ranks.

With M_S[u] the largest weight of a user whose sets on the factors S have u,

    sum_y max_x w_x prod_e C_e[x,y_e] = sum_y max_S p^|S| q^(E-|S|) M_S[y_S]:

the user who is best for y fits it exactly on some S, and no user is worth less than their part there.
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import combinations
from math import prod
from threading import local
from typing import Any

import numpy as np

from quiff.core.counting.layout import Layout, RankedValues
from quiff.core.counting.work import BLOCK, Progress, in_slices
from quiff.core.numbers import Array
from quiff.errors import SizeError

_SMALL = 2**20  # tuples of all users


class RankTables:
    """What users are worth on parts of a tuple, for the outputs of the first factor one by one.

    A table has a cell for each tuple of outputs on some factors after the first: the best rank of a user
    whose sets have it, -1 if there is none. Users who all have one output of the first factor make tables of
    their own. `on` says which factors, and `fits` in how many these users then fit.
    """

    def __init__(self, layout: Layout, ranks: Array) -> None:
        self.layout = layout
        self.ranks = ranks.astype(np.min_scalar_type(-1 - int(ranks.max())))  # by how many factors fit
        self.alike = bool((ranks == ranks[:, :1]).all())  # whether all weigh the same
        self.outputs = [int(n) for n in layout.occurring + (layout.spare > 0)]
        numbers = zip(self.outputs, layout.occurring, layout.spare, strict=True)
        # How many outputs each one stands for: the last one may stand for all that nobody has.
        self.shares = [np.where(np.arange(n) < occurring, 1, spare) for n, occurring, spare in numbers]
        E = layout.n_factors
        self.tables = [on for k in range(E) for on in combinations(range(1, E), k)]
        self.small = layout.rows.shape[0] * int(layout.lengths.max()) ** (E - 1) < _SMALL
        self._last = local()  # what each thread asked for last
        layout.by_first  # noqa: B018 - made here, once for all threads
        if prod(self.outputs[1:]) >= 2**31:
            raise SizeError(
                f"{' x '.join(map(str, self.outputs[1:]))} tuples are too many to be counted one by one; take"
                " fewer observations"
            )

    def cells(self, on: tuple[int, ...], users: Array) -> Array:
        """Return the cells of users in the table on some factors, (users, tuples)."""
        known = self._last.__dict__.setdefault("cells", {})
        if on not in known or known[on][0] is not users:
            known[on] = users, self._cells(on, users)
        found: Array = known[on][1]
        return found

    def _cells(self, on: tuple[int, ...], users: Array) -> Array:
        cells = np.zeros((users.shape[0], 1), dtype=np.int32)
        for factor in on:
            codes = self.layout.codes[factor, users, np.newaxis, : self.layout.lengths[factor]]
            grown = cells[:, :, np.newaxis] * np.int32(self.outputs[factor]) + codes.astype(np.int32)
            cells = grown.reshape(users.shape[0], -1)
        return cells

    def parts(self, on: tuple[int, ...], users: Array) -> Iterator[Array]:
        """Yield the users, so many at a time that their cells take little memory."""
        step = max(1, BLOCK // prod(int(self.layout.lengths[factor]) for factor in on))
        if 0 < users.shape[0] <= step:
            yield users  # itself, so that its cells are known the next time
            return
        for start in range(0, users.shape[0], step):
            yield users[start : start + step]

    def best(self, on: tuple[int, ...], users: Array, fits: int) -> Array:
        """Return the best rank of each cell; the axes are the later factors, of length 1 if not in `on`."""
        shape = [n if factor in on else 1 for factor, n in enumerate(self.outputs) if factor]
        best = np.full(prod(shape), -1, dtype=self.ranks.dtype)
        for part in self.parts(on, users):
            ranks, cells = self.ranks[fits][part], self.cells(on, part)
            if self.alike:
                best[cells.reshape(-1)] = ranks[:1]
            else:
                np.maximum.at(best, cells.reshape(-1), np.repeat(ranks, cells.shape[1]))
        return best.reshape(shape)


def best_sum(
    codes: Sequence[Array],
    sizes: Sequence[int],
    weights: Array,
    inside: Any,
    outside: Any,
    progress: Progress | None = None,
) -> Any:
    """Return sum_y max_x w_x prod_e (p if y_e lies in the set of x for e, else q), for p >= q.

    Codes and sizes are those of `match_counts`; a user's weight w_x is 0 or more.

    >>> from fractions import Fraction
    >>> p, q = Fraction(9, 20), Fraction(1, 20)
    >>> best_sum([np.array([[0, 1], [2, 3]])], [4], np.array([2, 1]), p, q)
    Fraction(27, 10)
    """
    layout = Layout.of(codes, sizes)
    ranked = RankedValues.of(weights, inside, outside, layout.n_factors)
    tables = RankTables(layout, ranked.ranks)
    kept = reduce(np.maximum, (tables.best(on, layout.rows, len(on)) for on in tables.tables))

    def count(first: int) -> Array:
        """Count the tuples that begin with one output by the rank of the best user's value."""
        users = layout.by_first[first].astype(np.intp)
        sliced = [tables.best(on, users, len(on) + 1) for on in tables.tables]
        counts = np.zeros(ranked.values.shape[0])
        for part, shares in _parts(tables.shares[1:]):
            # Small tables come first: few of the steps are as large as all tuples.
            best = reduce(np.maximum, (t[part] if t.ndim and t.shape[0] > 1 else t for t in [*sliced, kept]))
            counts += np.bincount(
                np.broadcast_to(best, shares.shape).reshape(-1), shares.reshape(-1), counts.size
            )
        return np.asarray(np.rint(counts).astype(np.int64) * tables.shares[0][first])

    found = in_slices(count, range(tables.outputs[0]), progress, small=tables.small)
    exact = np.int64 if prod(sizes) < 2**63 else object  # numbers of tuples
    return (np.sum(list(found), axis=0, dtype=exact).astype(object) * ranked.values).sum()


def _parts(shares: Sequence[Array]) -> Iterator[tuple[slice, Array]]:
    """Yield parts of the second factor's outputs, and how many tuples each one of the later factors is."""
    if not shares:
        yield slice(None), np.ones(1)
        return
    step = max(1, BLOCK // prod(one.shape[0] for one in shares[1:]))
    for start in range(0, shares[0].shape[0], step):
        part = slice(start, start + step)
        yield part, reduce(np.multiply.outer, shares[1:], shares[0][part]).astype(np.float64)
