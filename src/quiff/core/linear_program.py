"""Linear programs min c.x with A x = b and x >= 0: in floats by HiGHS, in fractions with a proof."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any, final

import numpy as np

from quiff.core.numbers import Array, Number, as_fractions, as_number, is_exact, same_kind, to_float
from quiff.errors import ParameterError, QuiffError, SizeError

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


# How many numbers the table of an exact program may hold: some seconds; and for how many pivots are tried,
# or are fastest.
EXACT_CELLS, PIVOTED_CELLS, TINY_CELLS = 700_000, 60_000, 600
_NEAR = 1e-9  # what HiGHS may leave of 0


@final
@dataclass(frozen=True, eq=False)
class Program:
    """The entries of A as triples, so that it may be large and sparse."""

    cost: Array  # c, one number for each variable
    # Where A has entries, and which; entries at the same place add up.
    rows: Array
    columns: Array
    values: Array
    right: Array  # b, one number for each equation

    @property
    def exact(self) -> bool:
        """Whether all numbers are integers or fractions."""
        return all(map(is_exact, (self.cost, self.values, self.right)))

    @property
    def cells(self) -> int:
        """How many numbers its table has in fractions, with a helper for each equation and two objectives."""
        m, n = len(self.right), len(self.cost)
        return (m + 2) * (n + m + 1)

    def relaxed(self) -> "Program":
        """Return the program of how much of b no x explains: 0 if and only if some x meets all equations."""
        m, n = len(self.right), len(self.cost)
        signs = np.array([-1 if b < 0 else 1 for b in self.right])
        return Program(
            np.repeat([0, 1], [n, m]),
            np.concatenate([self.rows, np.arange(m)]),
            np.concatenate([self.columns, n + np.arange(m)]),
            np.concatenate(same_kind(self.values, signs)),
            self.right,
        )

    def in_floats(self) -> "Program":
        """Return the same program in floats."""
        return Program(
            to_float(self.cost), self.rows, self.columns, to_float(self.values), to_float(self.right)
        )


@final
@dataclass(frozen=True, eq=False)
class Optimum:
    """The least value, variables x that reach it, and dual variables y: y A <= c and y.b is the value too."""

    value: Number
    x: Array
    dual: Array


def minimise(program: Program) -> Optimum | None:
    """Return the optimum of a program, or None if no x meets its equations.

    Examples
    --------
    >>> one = np.array([1, 1])
    >>> found = minimise(Program(np.array([2, 3]), np.array([0, 0]), np.array([0, 1]), one, np.array([4])))
    >>> found.value, found.x.tolist(), found.dual.tolist()
    (Fraction(8, 1), [Fraction(4, 1), Fraction(0, 1)], [Fraction(2, 1)])
    """
    if not program.exact:
        return _by_highs(program)
    if TINY_CELLS < program.cells <= EXACT_CELLS:
        found = _by_basis(program)
        if found is not None:
            return found
        missing = _by_basis(program.relaxed())
        if missing is not None and missing.value > 0:
            return None
    if program.cells > PIVOTED_CELLS:
        raise SizeError(
            f"a linear program in fractions with {program.right.shape[0]} equations in "
            f"{program.cost.shape[0]} variables takes too long; give floats instead of fractions"
        )
    return _by_pivots(program)


def _by_highs(program: Program) -> Optimum | None:
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    floats = program.in_floats()
    shape = (floats.right.shape[0], floats.cost.shape[0])
    found = linprog(  # type: ignore[call-overload]  # the stubs know no sparse matrices
        floats.cost,
        A_eq=csr_array((floats.values, (floats.rows, floats.columns)), shape=shape),
        b_eq=floats.right,
        bounds=(0, None),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.status == 2:
        return None
    if found.status == 3:
        raise ParameterError("the linear program has no least value")
    if found.x is None:
        raise SizeError(f"the linear program could not be solved: {found.message}")
    return Optimum(float(found.fun), np.asarray(found.x), np.asarray(found.eqlin.marginals))


def _by_basis(program: Program) -> Optimum | None:
    """Solve in floats, then in fractions for the variables that are not 0 there; None if that proves nothing.

    x >= 0 with A x = b, and y with y A <= c that has y.b = c.x, prove each other optimal: what HiGHS found
    only says where to look. Of dual variables that these variables leave free, those of HiGHS are rounded.
    """
    try:
        near = _by_highs(program)
    except (OverflowError, QuiffError):  # too large for floats, or lost there
        near = None
    if near is None:
        return None
    cost, right, values = (
        as_fractions(np.array(part)).tolist() for part in (program.cost, program.right, program.values)
    )
    columns: list[Column] = [{} for _ in cost]
    for row, place, value in zip(program.rows.tolist(), program.columns.tolist(), values, strict=True):
        if value:
            columns[place][row] = columns[place].get(row, 0) + value
    spared = np.array(to_float(program.cost))
    np.subtract.at(spared, program.columns, to_float(program.values) * near.dual[program.rows])
    used = near.x > _NEAR
    tried = np.flatnonzero(used | (spared <= _NEAR)).tolist()
    tried.sort(key=lambda place: (not used[place], len(columns[place])))
    crowd = [0] * len(right)
    for place in tried:
        for row in columns[place]:
            crowd[row] += 1
    basis = Basis()
    chosen = [place for place in tried if basis.add(columns[place], crowd)]
    found = basis.solve({row: value for row, value in enumerate(right) if value})
    if found is None or min(found, default=0) < 0:
        return None
    free = [Fraction(float(value)).limit_denominator(10**6) for value in near.dual]
    dual = basis.solve_left([cost[place] for place in chosen], free)
    if any(
        sum(dual[row] * value for row, value in column.items()) > c
        for column, c in zip(columns, cost, strict=True)
    ):
        return None
    x = np.full(len(cost), Fraction(0), dtype=object)
    x[chosen] = found
    value = sum((cost[place] * v for place, v in zip(chosen, found, strict=True)), Fraction(0))
    return Optimum(value, x, np.array(dual, dtype=object))


def _by_pivots(program: Program) -> Optimum | None:
    """Solve by the simplex method on whole numbers: every entry of the table is over one denominator."""
    m, n = program.right.shape[0], program.cost.shape[0]
    A = np.full((m, n + 1), Fraction(0), dtype=object)
    np.add.at(A, (program.rows, program.columns), as_fractions(np.array(program.values)))
    A[:, n] = as_fractions(np.array(program.right))
    signs = [-1 if row[n] < 0 else 1 for row in A]
    factors = [sign * lcm(*(v.denominator for v in row)) for sign, row in zip(signs, A, strict=True)]
    cost = as_fractions(np.array(program.cost))
    unit = lcm(*(v.denominator for v in cost))
    table = np.zeros((m + 2, n + m + 1), dtype=object)
    for i, factor in enumerate(factors):
        table[i, :n] = [int(v * factor) for v in A[i, :n]]
        table[i, n + i], table[i, -1] = 1, int(A[i, n] * factor)
    table[m, :n] = [int(v * unit) for v in cost]
    # A sum of what is missing of each equation is brought to 0 first.
    table[m + 1] = -table[:m].sum(axis=0)
    table[m + 1, n : n + m] = 0
    simplex = _Simplex(table, list(range(n, n + m)), n)
    simplex.descend(m + 1)
    if table[m + 1, -1] != 0:
        return None
    simplex.drop_helpers()
    simplex.descend(m)
    x = np.full(n, Fraction(0), dtype=object)
    for row, column in enumerate(simplex.basis):
        if column < n:
            x[column] = Fraction(table[row, -1], simplex.over)
    dual = [Fraction(-table[m, n + i] * factors[i], simplex.over * unit) for i in range(m)]
    return Optimum(as_number((x * cost).sum()) if n else Fraction(0), x, np.array(dual, dtype=object))


@dataclass(eq=False)
class _Simplex:
    """A table of equations and objectives over a common denominator, and which variable each row gives."""

    table: Array
    basis: list[int]
    variables: int
    over: int = 1

    def descend(self, objective: int) -> None:
        """Pivot until no variable lowers an objective: the steepest first, the first one while stuck."""
        table, stuck = self.table, False
        while True:
            slopes = table[objective, : self.variables]
            lower = np.flatnonzero(slopes < 0)
            if not lower.size:
                return
            column = int(lower[0] if stuck else lower[np.argmin(slopes[lower])])
            rows = [row for row in range(len(self.basis)) if table[row, column] > 0]
            if not rows:
                raise ParameterError("the linear program has no least value")
            row = min(rows, key=lambda row: (self._ratio(row, column), self.basis[row]))
            stuck = table[row, -1] == 0
            self.pivot(row, column)

    def _ratio(self, row: int, column: int) -> Any:
        return Fraction(self.table[row, -1], self.table[row, column])

    def pivot(self, row: int, column: int) -> None:
        """Solve a row's equation for a variable; the divisions leave no remainder."""
        table = self.table
        pivot, kept = table[row, column], table[row].copy()
        changed = table * pivot - np.multiply.outer(table[:, column], kept)
        table[:] = changed // self.over
        table[row] = kept
        if pivot < 0:
            table *= -1
        self.over, self.basis[row] = abs(pivot), column

    def drop_helpers(self) -> None:
        """Give each equation to a variable of the program; one that says nothing new keeps its helper."""
        for row, column in enumerate(self.basis):
            if column >= self.variables:
                own = np.flatnonzero(self.table[row, : self.variables])
                if own.size:
                    self.pivot(row, int(own[0]))
