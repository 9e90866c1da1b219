"""Products of membership channels: recognised, and measured by counting instead of looking at all columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quiff.core.counting.matches import match_counts
from quiff.core.counting.ranked import best_sum
from quiff.core.counting.work import MOST_COUNTED, Sizes, counting_work
from quiff.core.numbers import Array, constant_of

if TYPE_CHECKING:
    from quiff.core.kernels.base import Kernel


@dataclass(frozen=True, eq=False)
class MembershipProduct:
    """Factors C[x,y] = p if y lies in the set of x, else q, with the same p >= q in all of them."""

    codes: tuple[Array, ...]  # the sets of each factor, (rows, outputs in a set)
    sizes: tuple[int, ...]  # how many outputs each factor has
    # p and q.
    inside: Any
    outside: Any

    @classmethod
    def of(cls, factors: "Sequence[Kernel]") -> "MembershipProduct | None":
        """Return the product if its factors are of this kind and few enough to be counted, else None."""
        if len(factors) > MOST_COUNTED:
            return None
        known: dict[Kernel, tuple[Array, Any, Any] | None] = {f: membership(f) for f in set(factors)}
        found = [member for factor in factors if (member := known[factor]) is not None]
        if len(found) < len(factors) or len({(inside, outside) for _, inside, outside in found}) > 1:
            return None
        _, inside, outside = found[0]
        if inside < outside:
            return None
        sizes = tuple(factor.n_columns for factor in factors)
        return cls(tuple(codes for codes, _, _ in found), sizes, inside, outside)

    def work(self, weights: Array) -> int:
        """Return about how many numbers are looked at to count with these weights."""
        return counting_work(Sizes.of(self.codes), weighted=_only(weights) is None)

    def column_max_sum(self, weights: Array) -> Any:
        """Return sum_y max_x weights[x] C[x,y] over all tuples y.

        If all weights are the same, w, it is w sum_k N_k p^k q^(E-k), N_k being the number of tuples that the
        best row fits in exactly k factors.
        """
        weight, E, p, q = _only(weights), len(self.codes), self.inside, self.outside
        if weight is None:
            return best_sum(self.codes, self.sizes, weights, p, q)
        counts = match_counts(self.codes, self.sizes)
        return weight * sum(n * p**k * q ** (E - k) for k, n in enumerate(counts))


def membership(kernel: "Kernel") -> tuple[Array, Any, Any] | None:
    """Return sets, p and q of a membership kernel, None for any other.

    The sets are positions of outputs, (rows, outputs in a set).
    """
    sparse = kernel.as_sparse()
    if sparse is None or not sparse.entries.per_row:
        return None
    outside, inside = _only(sparse.background), _only(sparse.entries.values)
    if outside is None or inside is None:
        return None
    return sparse.entries.columns.reshape(sparse.n_rows, -1), inside, outside


def _only(values: Array) -> Any | None:
    """Return the number that all of them are, None if they differ."""
    constant = constant_of(values)
    if constant is None and values.size and bool(np.all(values == values[0])):
        constant = values[0]
    return constant.item() if isinstance(constant, np.generic) else constant
