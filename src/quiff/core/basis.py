"""Sparse systems of equations in fractions: a basis of columns, factored as it grows."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

Column = dict[int, Fraction]  # row -> entry, zeros left out


@final
@dataclass(eq=False)
class Basis:
    """Independent columns B = L U: each is a sum of columns of L, of which each has a row of its own."""

    # The row that each column of L settles: its entry there is 1, and later columns have none.
    rows: list[int] = field(default_factory=list)
    lower: list[Column] = field(default_factory=list)  # the other entries of each column of L
    upper: list[Column] = field(default_factory=list)  # how each column of B is made of those of L

    def add(self, column: Column, crowd: list[int]) -> bool:
        """Add a column unless it depends on those before; it settles its row with the smallest crowd."""
        left = dict(column)
        parts = self._split(left)
        if not left:
            return False
        row = min(left, key=crowd.__getitem__)
        pivot = left.pop(row)
        parts[len(self.rows)] = pivot
        self.rows.append(row)
        self.lower.append({r: value / pivot for r, value in left.items()})
        self.upper.append(parts)
        return True

    def _split(self, left: Column) -> Column:
        """Take from a column what the columns of L explain, and return it."""
        parts: Column = {}
        for k, row in enumerate(self.rows):
            share = left.pop(row, None)
            if share is None:
                continue
            parts[k] = share
            for r, value in self.lower[k].items():
                rest = left.get(r, 0) - share * value
                if rest:
                    left[r] = rest
                else:
                    left.pop(r, None)
        return parts

    def solve(self, right: Column) -> list[Fraction] | None:
        """Return x with B x = right, or None if there is none."""
        left = dict(right)
        parts = self._split(left)
        if left:
            return None
        x = [parts.get(k, Fraction(0)) for k in range(len(self.rows))]
        for k in reversed(range(len(x))):
            if x[k]:
                x[k] /= self.upper[k][k]
                for i, share in self.upper[k].items():
                    if i != k:
                        x[i] -= share * x[k]
        return x

    def solve_left(self, cost: Iterable[Fraction], free: list[Fraction]) -> list[Fraction]:
        """Return y with y B = cost; rows that no column settles keep their number of `free`."""
        y, z = list(free), list[Fraction]()
        for parts, c in zip(self.upper, cost, strict=True):
            k = len(z)
            z.append((c - sum(share * z[i] for i, share in parts.items() if i != k)) / parts[k])
        for k in reversed(range(len(z))):
            y[self.rows[k]] = z[k] - sum(value * y[r] for r, value in self.lower[k].items())
        return y
