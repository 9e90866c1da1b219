"""Simulated outputs: how often each one is seen when every user shows one, and how many users it names."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np

from quiff.core.kernels import Kernel
from quiff.core.numbers import Array, as_number, constant_of
from quiff.measures.own_risk import marginal
from quiff.theory.popularity import Naming

_MANY = 20  # users of one secret from which on a multinomial draw for all of them is cheaper than one each
_ROUNDING = 1e-12


@final
@dataclass(frozen=True, eq=False)
class NamedDraws:
    """People whose outputs name what they have: with probability p each value, with q another one.

    Where all other outputs have probability q, too, an output is genuine with probability k (p - q), for
    users with k values each, and otherwise any at all: so of g genuine outputs of a value a binomial number
    remains, and the others spread evenly. Else outputs are drawn from the channel row by row.
    """

    attribute: str  # whose values are named
    # The values that users have, and the column of the output that names each.
    values: list[Any]
    columns: Array
    kernel: Kernel  # the channel from distinct secrets to outputs
    # The columns that name what each secret has (secrets, k), and how many users have the secret.
    places: Array
    counts: Array
    naming: Naming  # p and q
    even: bool  # whether all outputs but those that stand for a user's values have probability q

    @property
    def n_users(self) -> int:
        """How many users there are; N in formulas."""
        return int(self.counts.sum())

    def having(self) -> Array:
        """Return how many users have the value that each output names; 0 for one that names none."""
        each = np.repeat(self.counts, self.places.shape[1])
        return np.bincount(self.places.reshape(-1), each, self.kernel.n_columns).astype(np.int64)

    def having_both(self, first: Array, second: Array) -> Array:
        """Return how many users have both values of each pair, given by the columns that name them."""
        both = np.zeros(len(first), dtype=np.int64)
        for column in np.unique(first).tolist():
            pairs, rows = first == column, (self.places == column).any(axis=1)
            some = replace(self, places=self.places[rows], counts=self.counts[rows])
            both[pairs] = some.having()[second[pairs]]
        return both

    def shares(self, having: Array) -> Array:
        """Return how probable each output is, of a user taken at random."""
        p, q = float(self.naming.inside), float(self.naming.outside)
        shares = having / self.n_users * (p - q) + q if self.even else marginal(self.kernel, self.counts)
        return np.asarray(shares / shares.sum(), dtype=np.float64)

    def draw(self, rng: np.random.Generator) -> Array:
        """Return how many users show each output."""
        m, k = self.kernel.n_columns, self.places.shape[1]
        if not self.even:
            return np.bincount(self.kernel.sample(self._rows, rng), minlength=m)
        alone, shared, counts = self._by_size
        which = rng.integers(0, k, len(alone), dtype=np.min_scalar_type(k))
        genuine = np.bincount(alone.reshape(-1)[self._starts + which], minlength=m)
        if counts.size:
            split = rng.multinomial(counts, np.full(k, 1 / k))
            genuine += np.bincount(shared.reshape(-1), split.reshape(-1), m).astype(np.int64)
        share = k * (float(self.naming.inside) - float(self.naming.outside))
        kept = rng.binomial(genuine, 1.0 if share > 1 - _ROUNDING else share)
        replaced = rng.multinomial(int(genuine.sum() - kept.sum()), np.full(m, 1 / m))
        return np.asarray(kept + replaced)

    @cached_property
    def _by_size(self) -> tuple[Array, Array, Array]:
        """What users have who draw one by one; what many users have, and how many."""
        many = self.counts >= _MANY
        alone = np.repeat(self.places[~many], self.counts[~many], axis=0)
        small = alone.astype(np.min_scalar_type(self.kernel.n_columns))  # what fits the cache is drawn fast
        return small, self.places[many], self.counts[many]

    @cached_property
    def _starts(self) -> Array:
        alone, _, _ = self._by_size
        return np.arange(0, alone.size, alone.shape[1])

    @cached_property
    def _rows(self) -> Array:
        return np.repeat(np.arange(self.counts.shape[0]), self.counts)


def naming_at(kernel: Kernel, places: Array, named: Array) -> tuple[Naming, bool] | None:
    """Return p and q if all entries at the places are p, and all others in the named columns q."""
    sparse = kernel.as_sparse()
    if sparse is not None and sparse.entries.per_row == places.shape[1]:
        entries, rest = sparse.entries, sparse.background
        p, q = constant_of(entries.values), constant_of(rest)
        columns = np.sort(entries.columns.reshape(places.shape), axis=1)
        if p is not None and q is not None and p >= q and (columns == np.sort(places, axis=1)).all():
            return Naming(p, q), True
    inside: list[Any] = []
    outside: list[Any] = []
    start = 0
    for block in kernel.blocks():
        here = np.zeros(block.shape, dtype=bool)
        rows, slots = np.nonzero((places >= start) & (places < start + block.shape[1]))
        here[rows, places[rows, slots] - start] = True
        inside += _ends(block[here])
        outside += _ends(block[~here & np.isin(np.arange(start, start + block.shape[1]), named)])
        start += block.shape[1]
    p, q = inside[0], outside[0] if outside else 0
    if max(inside) - min(inside) > _ROUNDING or (outside and max(outside) - min(outside) > _ROUNDING):
        return None
    return Naming(as_number(p), as_number(q)), False


def _ends(numbers: Array) -> list[Any]:
    return [numbers.min(), numbers.max()] if numbers.size else []
