"""Linear programs, written constraint by constraint: in floats by HiGHS, in fractions with a proof."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, final

import numpy as np

from quiff.core.numbers import Array, Number, as_fractions, is_exact, same_kind, summed, to_float
from quiff.errors import ParameterError, SizeError

EXACT_CELLS = 700_000
"""How many numbers the table of a program that is proven in fractions may hold: some seconds."""

_NEAR = 1e-9  # what HiGHS may leave of 0
_LARGE = 25_000  # constraints, from where on an interior-point method is faster than the simplex method
_DIGITS = 12  # to which floats count as equal when symmetries are looked for

Term = tuple[Array, Any]
"""Variables by their numbers, one or a row of them for each constraint, and what each is multiplied by."""
Column = dict[int, Fraction]  # row -> entry, zeros left out


@final
@dataclass(frozen=True, eq=False)
class Optimum:
    """The least value, variables x that reach it, and a dual variable y for each constraint.

    y A <= c, y <= 0 where a constraint holds with <=, and y.b is the value too.
    """

    value: Number
    x: Array
    dual: Array


@final
@dataclass(eq=False)
class Program:
    """Variables, all at least 0, their costs, and constraints that hold with = or with <=.

    Examples
    --------
    >>> program = Program()
    >>> x = program.variables(2, cost=[2, 3])
    >>> rows = program.add((x[np.newaxis], 1), right=4)
    >>> found = program.solve()
    >>> found.value, found.x.tolist(), found.dual[rows].tolist()
    (Fraction(8, 1), [Fraction(4, 1), Fraction(0, 1)], [Fraction(2, 1)])
    """

    tolerance: float = 1e-10  # what floats may miss constraints by
    n_variables: int = 0
    n_constraints: int = 0
    cost: list[Array] = field(default_factory=list)
    most: list[Array] = field(default_factory=list)
    rows: list[Array] = field(default_factory=list)
    columns: list[Array] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)
    right: list[Array] = field(default_factory=list)
    less: list[Array] = field(default_factory=list)

    def variables(self, shape: int | tuple[int, ...], cost: Any = 0, most: float = np.inf) -> Array:
        """Return the numbers of new variables with these costs, in their shape."""
        costs = np.broadcast_to(np.asarray(cost), shape).reshape(-1)
        self.cost.append(costs)
        self.most.append(np.full(costs.shape, most))
        self.n_variables += costs.size
        return np.arange(self.n_variables - costs.size, self.n_variables).reshape(shape)

    def add(self, *terms: Term, right: Any = 0, at_most: bool = False) -> Array:
        """Add constraints, a sum of terms each, and return their numbers.

        A variable may come up more than once: what it is multiplied by adds up.
        """
        count = terms[0][0].shape[0]
        numbers = np.arange(self.n_constraints, self.n_constraints + count)
        for columns, factors in terms:
            table = columns if columns.ndim == 2 else columns[:, np.newaxis]
            values = np.asarray(factors)
            values = np.broadcast_to(values if values.ndim in (0, 2) else values[:, np.newaxis], table.shape)
            present = values != 0
            self.rows.append(np.broadcast_to(numbers[:, np.newaxis], table.shape)[present])
            self.columns.append(table[present])
            self.values.append(values[present])
        self.right.append(np.broadcast_to(np.asarray(right), count))
        self.less.append(np.full(count, at_most))
        self.n_constraints += count
        return numbers

    def solve(self, *, alike: bool = False) -> Optimum | None:
        """Return the optimum, or None if the constraints cannot be met.

        In fractions if all numbers are exact, unless that would take too long. If asked to, variables that
        are `alike` are made one first: then there are no dual variables.
        """
        if not alike:
            return self.table().solution()
        small, classes = self.table().reduced()
        result = small.solution()
        return None if result is None else replace(result, x=result.x[classes], dual=result.dual[:0])

    def optimum(self) -> Optimum:
        """Return the optimum of a program that has one."""
        result = self.solve()
        if result is None:
            raise SizeError("the linear program could not be solved; give fewer inputs or outputs")
        return result

    def solve_whole(self, whole: Array, seconds: float) -> tuple[Array | None, float]:
        """Return the best point found with whole numbers for some variables, and the least value at least."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        table = self.table()
        integrality = np.zeros(self.n_variables, dtype=np.int8)
        integrality[whole.reshape(-1)] = 1
        result = milp(
            to_float(table.cost),
            integrality=integrality,
            bounds=Bounds(0, table.most),
            constraints=LinearConstraint(
                table.matrix(), np.where(table.less, -np.inf, to_float(table.right)), to_float(table.right)
            ),
            options={"time_limit": seconds, "mip_rel_gap": 1e-10},
        )
        return result.x, -np.inf if result.mip_dual_bound is None else result.mip_dual_bound

    def table(self) -> "Table":
        """Return all of it as arrays of one kind of numbers."""
        names = ("cost", "values", "right")
        cost, values, right = same_kind(*(np.concatenate(same_kind(*getattr(self, name))) for name in names))
        rows, columns, less, most = map(np.concatenate, (self.rows, self.columns, self.less, self.most))
        return Table(rows, columns, values, cost, right, less, most, self.tolerance)


def times(given: Array, R: Array) -> Term:
    """Return the term of each entry, row by row, of a given matrix times a matrix R of variables."""
    return np.tile(R.T, (given.shape[0], 1)), np.repeat(given, R.shape[1], axis=0)


@final
@dataclass(frozen=True, eq=False)
class Table:
    """min c.x with A x <= b, or = b where `less` is not set, and 0 <= x <= most; A by its entries."""

    rows: Array
    columns: Array
    values: Array
    cost: Array
    right: Array
    less: Array
    most: Array
    tolerance: float

    def matrix(self) -> Any:
        """Return A in floats."""
        from scipy.sparse import csr_array

        shape = (self.right.shape[0], self.cost.shape[0])
        return csr_array((to_float(self.values), (self.rows, self.columns)), shape=shape)

    def solution(self) -> Optimum | None:
        """Return the optimum, or None if there is none."""
        exact = all(map(is_exact, (self.cost, self.values, self.right)))
        m, n = self.right.shape[0], self.cost.shape[0] + int(self.less.sum())
        if not exact or (m + 2) * (n + m + 1) > EXACT_CELLS:
            return self.by_highs()
        try:
            near = self.by_highs()
        except OverflowError:
            raise SizeError(
                "a linear program has numbers that are too large for floats; divide them all by one number"
            ) from None
        return None if near is None else self.proven(near) or near

    def by_highs(self) -> Optimum | None:
        """Solve it in floats; entries up to 1 save most of the time."""
        from scipy.optimize import linprog
        from scipy.sparse import diags_array

        scale = np.zeros(self.right.shape[0])
        np.maximum.at(scale, self.rows, np.abs(to_float(self.values)))
        scale[scale == 0] = 1
        matrix, right = diags_array(1 / scale).tocsr() @ self.matrix(), to_float(self.right) / scale
        result = linprog(  # type: ignore[call-overload]  # the stubs know no sparse matrices
            to_float(self.cost),
            A_ub=matrix[self.less],
            b_ub=right[self.less],
            A_eq=matrix[~self.less],
            b_eq=right[~self.less],
            bounds=np.stack([np.zeros_like(self.most), self.most], axis=1),
            method="highs" if right.shape[0] < _LARGE else "highs-ipm",
            options=dict.fromkeys(
                ("primal_feasibility_tolerance", "dual_feasibility_tolerance"), self.tolerance
            ),
        )
        if result.status == 2:
            return None
        if result.status == 3:
            raise ParameterError("the linear program has no least value")
        if result.x is None:
            raise SizeError(f"the linear program could not be solved: {result.message}")
        dual = np.zeros(right.shape[0])
        dual[self.less], dual[~self.less] = result.ineqlin.marginals, result.eqlin.marginals
        return Optimum(float(result.fun), np.asarray(result.x), dual / scale)

    def proven(self, near: Optimum) -> Optimum | None:
        """Solve it in fractions for the variables that are not 0 in floats; None if that proves nothing.

        x >= 0 with A x = b, and y with y A <= c that has y.b = c.x, prove each other optimal: what HiGHS
        found only says where to look. Of dual variables that these variables leave free, those of HiGHS are
        rounded. What is left of a constraint with <= is a variable too.
        """
        cost, right, values = (
            as_fractions(np.array(part)).tolist() for part in (self.cost, self.right, self.values)
        )
        columns: list[Column] = [{} for _ in cost]
        for row, place, value in zip(self.rows.tolist(), self.columns.tolist(), values, strict=True):
            columns[place][row] = columns[place].get(row, 0) + value
        slack = np.flatnonzero(self.less)
        columns += [{row: Fraction(1)} for row in slack.tolist()]
        cost += [Fraction(0)] * slack.shape[0]
        matrix = self.matrix()
        amount = np.r_[near.x, (to_float(self.right) - matrix @ near.x)[slack]]
        spared = np.r_[to_float(self.cost) - near.dual @ matrix, -near.dual[slack]]
        used = amount > _NEAR
        tried = np.flatnonzero(used | (spared <= _NEAR)).tolist()
        tried.sort(key=lambda place: (not used[place], len(columns[place])))
        crowd = [0] * len(right)
        for place in tried:
            for row in columns[place]:
                crowd[row] += 1
        basis = Basis()
        chosen = [place for place in tried if basis.add(columns[place], crowd)]
        parts = basis.solve({row: value for row, value in enumerate(right) if value})
        if parts is None or min(parts, default=0) < 0:
            return None
        free = [Fraction(float(value)).limit_denominator(10**6) for value in near.dual]
        dual = basis.solve_left([cost[place] for place in chosen], free)
        for column, c in zip(columns, cost, strict=True):
            if sum(dual[row] * value for row, value in column.items()) > c:
                return None
        x = np.full(len(cost), Fraction(0), dtype=object)
        x[chosen] = parts
        least = sum((cost[place] * part for place, part in zip(chosen, parts, strict=True)), Fraction(0))
        return Optimum(least, x[: self.cost.shape[0]], np.array(dual, dtype=object))

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
        used = np.isin(self.rows, first)
        cost = summed(self.cost, of_columns, n_columns)
        places = of_rows[self.rows[used]] * n_columns + of_columns[self.columns[used]]
        distinct, inverse = np.unique(places, return_inverse=True)
        values = summed(self.values[used], inverse, distinct.shape[0])
        most = np.full(n_columns, np.inf)
        most[of_columns] = self.most
        rows, columns = np.divmod(distinct, n_columns)
        small = replace(
            self, rows=rows, columns=columns, values=values, cost=cost,
            right=self.right[first], less=self.less[first], most=most,
        )  # fmt: skip
        return small, of_columns

    def _classes(self) -> tuple[Array, Array]:
        """Return the class of each constraint and of each variable."""
        draw = np.random.default_rng(0).integers

        def numbers(kinds: Array) -> Array:
            """Return a random number for each kind; sums of products of them tell multisets apart."""
            return draw(2**63, size=int(kinds.max(initial=0)) + 1, dtype=np.uint64)[kinds]

        values = numbers(_ids(self.values))
        of_rows = _ranks(numbers(_ids(self.right)) + self.less)
        of_columns = _ranks(numbers(_ids(self.cost)) + numbers(_ids(self.most)))
        while True:
            entries = values * numbers(of_columns)[self.columns]
            rows = _ranks(numbers(of_rows) + summed(entries, self.rows, of_rows.shape[0]))
            entries = values * numbers(rows)[self.rows]
            columns = _ranks(numbers(of_columns) + summed(entries, self.columns, of_columns.shape[0]))
            if rows.max() == of_rows.max() and columns.max() == of_columns.max():
                return rows, columns
            of_rows, of_columns = rows, columns


def _ids(values: Array) -> Array:
    """Return a number for each distinct value; floats count as equal if they agree to 12 digits."""
    if not is_exact(values):
        mantissa, exponent = np.frexp(values)
        values = np.ldexp(np.round(mantissa, _DIGITS), exponent)
    return _ranks(values)


def _ranks(values: Array) -> Array:
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


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
