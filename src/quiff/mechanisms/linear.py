"""Linear programs that are written constraint by constraint, and made smaller by their symmetries."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from quiff.core.linear_program import Program, minimise
from quiff.core.numbers import Array, filled, is_exact, same_kind, to_float
from quiff.errors import SizeError

_LARGE = 25_000  # constraints, from where on an interior-point method is faster than the simplex method
_DIGITS = 12  # to which floats count as equal when symmetries are looked for


@final
@dataclass(eq=False)
class Builder:
    """Variables, all at least 0, their costs, and constraints that hold with <= or with =."""

    variables: int = 0
    constraints: int = 0
    cost: list[Array] = field(default_factory=list)
    rows: list[Array] = field(default_factory=list)
    columns: list[Array] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)
    right: list[Array] = field(default_factory=list)
    less: list[Array] = field(default_factory=list)

    def add_variables(self, cost: Array) -> Array:
        """Return the numbers of new variables with these costs."""
        self.cost.append(cost)
        self.variables += cost.shape[0]
        return np.arange(self.variables - cost.shape[0], self.variables)

    def add(self, columns: Array, values: Any, right: Any, *, less: bool = True) -> None:
        """Add a constraint for each row of `columns`: values times these variables are at most `right`."""
        count, width = columns.shape
        numbers = np.asarray(values)
        self.rows.append(np.repeat(np.arange(self.constraints, self.constraints + count), width))
        self.columns.append(columns.reshape(-1))
        self.values.append(np.array(np.broadcast_to(numbers, columns.shape)).reshape(-1))
        self.right.append(np.array(filled(right, count)))
        self.less.append(np.full(count, less))
        self.constraints += count

    def solve(self) -> Array | None:
        """Return the variables at an optimum, or None if the constraints cannot be met."""
        cost, values, right = same_kind(*(_joined(part) for part in (self.cost, self.values, self.right)))
        rows, columns, less = (np.concatenate(part) for part in (self.rows, self.columns, self.less))
        there = values != 0
        table = Table(rows[there], columns[there], values[there], cost, right, less)
        small, classes = table.reduced()
        found = small.solution()
        return None if found is None else found[classes]


@final
@dataclass(frozen=True, eq=False)
class Table:
    """min c.x with A x <= b, or = b where `less` is not set; A by its entries."""

    rows: Array
    columns: Array
    values: Array
    cost: Array
    right: Array
    less: Array

    def solution(self) -> Array | None:
        """Return an optimum, or None if there is none: in fractions if all is exact and it is small."""
        program = self.program()
        if program.exact:
            with suppress(SizeError):
                found = minimise(program)
                return None if found is None else found.x[: self.cost.shape[0]]
        return self._by_highs()

    def _by_highs(self) -> Array | None:
        """Solve it in floats; that constraints stay <= and have entries up to 1 saves most of the time."""
        from scipy.optimize import linprog
        from scipy.sparse import csr_array

        values, right = to_float(self.values), to_float(self.right)
        largest = np.zeros(right.shape[0])
        np.maximum.at(largest, self.rows, np.abs(values))
        largest[largest == 0] = 1
        matrix = csr_array(
            (values / largest[self.rows], (self.rows, self.columns)),
            shape=(right.shape[0], self.cost.shape[0]),
        )
        right = right / largest
        found = linprog(  # type: ignore[call-overload]  # the stubs know no sparse matrices
            to_float(self.cost),
            A_ub=matrix[self.less],
            b_ub=right[self.less],
            A_eq=matrix[~self.less],
            b_eq=right[~self.less],
            bounds=(0, None),
            method="highs" if right.shape[0] < _LARGE else "highs-ipm",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if found.status == 2:
            return None
        if found.x is None:
            raise SizeError(f"the linear program could not be solved: {found.message}")
        return np.asarray(found.x)

    def program(self) -> Program:
        """Return it with a variable for what is left in each constraint with <=."""
        free = np.flatnonzero(self.less)
        n, zero, one = self.cost.shape[0], 0 * self.cost[0], 0 * self.cost[0] + 1
        return Program(
            np.r_[self.cost, np.array(filled(zero, free.shape[0]))],
            np.r_[self.rows, free],
            np.r_[self.columns, n + np.arange(free.shape[0])],
            np.r_[self.values, np.array(filled(one, free.shape[0]))],
            self.right,
        )

    def reduced(self) -> tuple["Table", Array]:
        """Return a program with one variable for each class of alike ones, and the class of every variable.

        Classes are those of colour refinement: variables of a class have the same cost, and the same numbers
        in the same classes of constraints. Then some optimum has the same value for all of a class, and one
        constraint of each class is enough (Grohe, Kersting, Mladenov and Selman, ESA 2014).
        """
        of_rows, of_columns = self._classes()
        n_columns = int(of_columns.max()) + 1
        if n_columns == self.cost.shape[0]:
            return self, np.arange(n_columns)
        _, first = np.unique(of_rows, return_index=True)
        kept = np.isin(self.rows, first)
        cost = np.zeros(n_columns, dtype=self.cost.dtype)
        np.add.at(cost, of_columns, self.cost)
        places = of_rows[self.rows[kept]] * n_columns + of_columns[self.columns[kept]]
        distinct, inverse = np.unique(places, return_inverse=True)
        values = np.zeros(distinct.shape[0], dtype=self.values.dtype)
        np.add.at(values, inverse, self.values[kept])
        small = Table(
            distinct // n_columns, distinct % n_columns, values, cost, self.right[first], self.less[first]
        )
        return small, of_columns

    def _classes(self) -> tuple[Array, Array]:
        """Return the class of each constraint and of each variable."""
        numbers = _ids(self.values)
        of_rows = _ranks(_ids(self.right), self.less.astype(np.uint64))
        of_columns = _ranks(_ids(self.cost))
        by_column = np.argsort(self.columns, kind="stable")
        by_row = np.argsort(self.rows, kind="stable")
        while True:
            sums = _sums(self.rows, by_row, _mixed(numbers, of_columns[self.columns]), of_rows.shape[0])
            rows = _ranks(of_rows, sums)
            sums = _sums(self.columns, by_column, _mixed(numbers, rows[self.rows]), of_columns.shape[0])
            columns = _ranks(of_columns, sums)
            if rows.max() == of_rows.max() and columns.max() == of_columns.max():
                return rows, columns
            of_rows, of_columns = rows, columns


def _joined(parts: list[Array]) -> Array:
    return np.concatenate(same_kind(*parts))


def _ids(values: Array) -> Array:
    """Return a number for each distinct value; floats count as equal if they agree to 12 digits."""
    if values.dtype == object:
        kinds = {value: number for number, value in enumerate(dict.fromkeys(values.tolist()))}
        return np.array([kinds[value] for value in values.tolist()], dtype=np.uint64)
    if not is_exact(values):
        mantissa, exponent = np.frexp(values)
        values = np.ldexp(np.round(mantissa, _DIGITS), exponent)
    return np.unique(values, return_inverse=True)[1].astype(np.uint64)


def _ranks(*keys: Array) -> Array:
    """Return a number for each distinct tuple of keys."""
    table = np.stack([key.astype(np.uint64) for key in keys], axis=1)
    mixed = table[:, 0] if table.shape[1] == 1 else _mixed(table[:, 0], table[:, 1])
    return np.unique(mixed, return_inverse=True)[1].astype(np.int64)


def _mixed(first: Array, second: Array) -> Array:
    """Return a hash of pairs (splitmix64)."""
    z = first.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + second.astype(np.uint64)
    z = (z + np.uint64(0x632BE59BD9B4E019)) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))


def _sums(keys: Array, order: Array, hashes: Array, count: int) -> Array:
    """Add up the hashes of each key: the same for the same hashes in any order."""
    totals = np.zeros(count, dtype=np.uint64)
    ordered = keys[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    totals[ordered[starts]] = np.add.reduceat(hashes[order], starts)
    return totals
