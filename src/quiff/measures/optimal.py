"""The best mechanisms for a purpose, by linear programs: least loss or greatest utility within a budget."""

import math
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, final

import numpy as np

from quiff.core.channel import Channel
from quiff.core.gain import Gain, Loss
from quiff.core.labels import Labels, aligned
from quiff.core.linear_program import Program, minimise
from quiff.core.metric import Distance, chained, discrete, distances
from quiff.core.numbers import (
    Array,
    Number,
    as_fractions,
    as_number,
    as_numbers,
    filled,
    is_exact,
    same_kind,
    to_float,
    unified,
)
from quiff.core.prior import Prior
from quiff.errors import InfeasibleError, ParameterError, SizeError, typed
from quiff.progress import tell
from quiff.theory.mechanisms import check_ratio
from quiff.theory.parameters import Real, check_number

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


_MOST_ENTRIES = 20_000_000  # of a program: some minutes, some gigabytes
_NOTHING = 1e-11


@final
@dataclass(frozen=True, eq=False)
class Optimal:
    """A best mechanism.

    Attributes
    ----------
    channel
        The mechanism.
    value
        Its expected loss, utility or vulnerability: what was made least or greatest.
    variables, constraints
        The size of the linear program.
    """

    channel: Channel
    value: Number
    variables: int
    constraints: int


@final
@dataclass(frozen=True, eq=False)
class Problem:
    """Secrets with their probabilities, losses of outputs, and what must hold, before any linear program."""

    inputs: Labels
    outputs: Labels
    pi: Array
    loss: Array
    gains: Array | None = None
    factors: Array | None = None
    linked: Array | None = None
    most: dict[str, Number] = field(default_factory=dict)
    hard: Number | None = None

    @classmethod
    def of(cls, prior: Prior, loss: Array, inputs: Labels, outputs: Labels) -> "Problem":
        weights, total = prior.weights_for(inputs, "loss")
        pi = to_float(np.array(weights)) / total
        if prior.exact:
            pi = as_fractions(np.array(weights)) / total
        if inputs.size * outputs.size > _MOST_ENTRIES:
            raise SizeError(_too_large(inputs.size, outputs.size, inputs.size * outputs.size, 2))
        return cls(inputs, outputs, pi, loss)

    def with_privacy(self, epsilon: float | None, ratio: Real | None, distance: Distance | None) -> "Problem":
        if epsilon is None and ratio is None:
            if distance is not None:
                raise ParameterError("distance is there, but neither epsilon nor ratio, which go with it")
            return self
        e = check_ratio(epsilon, ratio)
        d = distances(discrete if distance is None else distance, self.inputs, self.inputs)
        factors = _factors(e, d)
        linked = None if distance is None else ~chained(distance, self.inputs)
        return replace(self, factors=factors, linked=linked)

    def with_gain(self, gain: Gain | None) -> "Problem":
        if gain is None:
            return self
        order = aligned(self.inputs, gain.inputs, "loss", "gain")
        table = gain.to_numpy()
        return replace(self, gains=table if order is None else table[:, order])

    def bounded(self, capacity: Any, leakage: Any, vulnerability: Any, hard_loss: Any) -> "Problem":
        """Add budgets, and refuse what no channel meets."""
        most: dict[str, Number] = {}
        before = as_number(self._adversary().sum(axis=1).max())
        if leakage is not None and vulnerability is not None:
            raise ParameterError("give leakage or vulnerability, not both: one is the other over its prior")
        if leakage is not None:
            most["vulnerability"] = budget("leakage", leakage) * before
            _check_reach("leakage", leakage, 1)
        if vulnerability is not None:
            most["vulnerability"] = budget("vulnerability", vulnerability)
            _check_reach("vulnerability", vulnerability, before)
        if capacity is not None:
            most["capacity"] = budget("capacity", capacity)
            _check_reach("capacity", capacity, 1)
        hard = None if hard_loss is None else budget("hard_loss", hard_loss)
        if hard is not None:
            alone = np.flatnonzero(~(self.loss <= hard).any(axis=1))
            if alone.size:
                raise InfeasibleError(
                    f"hard_loss is {_shown(hard)}, but every output costs {self.inputs[int(alone[0])]!r} more"
                )
        return replace(self, most=most, hard=hard)

    def _adversary(self) -> Array:
        """Return pi_x g(w,x), one row for each action of the adversary."""
        pi = self.pi
        if self.gains is None:
            diagonal = np.zeros((pi.shape[0], pi.shape[0]), dtype=pi.dtype)
            np.fill_diagonal(diagonal, pi)
            return diagonal
        gains, weights = unified(self.gains, pi)
        return np.asarray(gains * weights)

    def best(self, aim: str) -> Optimal:
        """Solve, and say why if it cannot be."""
        found = self._solved(aim)
        if found is None:
            raise InfeasibleError(self._why())
        matrix, builder = found
        channel = Channel(matrix, inputs=self.inputs, outputs=self.outputs)
        return Optimal(channel, self._value(aim, matrix), builder.variables, builder.constraints)

    def _value(self, aim: str, matrix: Array) -> Number:
        if aim == "capacity":
            return as_number(matrix.max(axis=0).sum())
        rows, pi, loss, adversary = unified(matrix, self.pi, self.loss, self._adversary())
        if aim == "loss":
            return as_number((rows * loss * pi[:, np.newaxis]).sum())
        return as_number((adversary @ rows).max(axis=0).sum())

    def _solved(self, aim: str) -> tuple[Array, Builder] | None:
        """Build the program and solve it."""
        builder, cells = self._built(aim)
        if self.factors is not None and self.linked is None:
            self._add_range(builder, cells)
        elif self.linked is not None:
            self._add_privacy(builder, cells)
        name = f"linear program of {builder.variables} variables and {builder.constraints} constraints"
        tell(name, 0.0)
        found = builder.solve()
        tell(name, 1.0)
        if found is None:
            return None
        numbers = np.r_[found, 0 * found[:1]][cells]  # a cell that may not be is 0
        return self._repaired(numbers), builder

    def _built(self, aim: str) -> tuple[Builder, Array]:
        """Return the program without constraints of privacy, and the variable of each cell (-1 for none)."""
        n, m = self.loss.shape
        builder = Builder()
        allowed = np.ones((n, m), dtype=bool) if self.hard is None else np.asarray(self.loss <= self.hard)
        loss, pi = unified(self.loss, self.pi)
        costs = np.asarray(loss * pi[:, np.newaxis])
        zero = 0 * costs
        cells = np.full((n, m), -1, dtype=np.intp)
        cells[allowed] = builder.add_variables((costs if aim == "loss" else zero)[allowed])
        for x in range(n):  # rows sum to 1
            builder.add(cells[x, allowed[x]][np.newaxis, :], 1, 1, less=False)
        most = self.most
        if aim != "loss" and "loss" in most:
            used = costs[allowed][np.newaxis, :]
            builder.add(cells[allowed][np.newaxis, :], used, most["loss"])
        for name in ("vulnerability", "capacity"):
            if aim == name or name in most:
                self._add_greatest(builder, cells, name, aim, most)
        return builder, cells

    def _add_greatest(
        self, builder: Builder, cells: Array, name: str, aim: str, most: dict[str, Number]
    ) -> None:
        """Add t_y >= sum_x A[w,x] C[x,y] for all w, and what the sum of t_y costs, or is at most."""
        n, m = cells.shape
        table = np.eye(n, dtype=np.int64) if name == "capacity" else self._adversary()
        cost = np.full(m, 1 if aim == name else 0)
        tops = builder.add_variables(cost)
        if aim != name:
            builder.add(tops[np.newaxis, :], 1, most[name])
        for row in table:
            used = np.flatnonzero(row)
            for_each = np.vstack([cells[used], tops[np.newaxis, :]]).T  # one line for each output
            values = np.r_[row[used], -1 + 0 * row[:1]]
            present = for_each >= 0
            builder.add(np.where(present, for_each, 0), np.where(present, values, 0 * values), 0)

    def _add_range(self, builder: Builder, cells: Array) -> None:
        """Add b_y <= C[x,y] <= e^epsilon b_y, which says the same of all pairs with fewer numbers."""
        n, m = cells.shape
        factor = self.factors[0, -1] if n > 1 else 1  # type: ignore[index]
        lows = builder.add_variables(np.zeros(m, dtype=np.int64))
        for x in range(n):
            there = cells[x] >= 0
            both = np.stack([cells[x, there], lows[there]], axis=1)
            builder.add(both, _pair(1, -factor), 0)
            builder.add(both, _pair(-1, 1), 0)
            if not there.all():  # a cell that may not be
                builder.add(lows[~there][:, np.newaxis], 1, 0)

    def _add_privacy(self, builder: Builder, cells: Array) -> None:
        """Add C[x,y] <= e^(epsilon d(x,x')) C[x',y] for the pairs that others do not imply."""
        pairs = np.argwhere(self.linked & (self.factors < math.inf))  # type: ignore[operator]
        n, m = cells.shape
        entries = 2 * pairs.shape[0] * m
        if entries > _MOST_ENTRIES:
            raise SizeError(_too_large(n, m, entries, 3))
        one, other = cells[pairs[:, 0]].reshape(-1), cells[pairs[:, 1]].reshape(-1)
        factors = np.repeat(self.factors[tuple(pairs.T)], m)  # type: ignore[index]
        there = one >= 0
        both = there & (other >= 0)
        values = np.stack(_same(np.ones(one.shape[0], dtype=np.int64), -factors), axis=1)
        builder.add(np.stack([one, other], axis=1)[both], values[both], 0)
        builder.add(one[there & (other < 0)][:, np.newaxis], 1, 0)  # beside a cell that may not be

    def _repaired(self, matrix: Array) -> Array:
        """Take away what is rounding: nothing is negative, rows sum to 1, privacy holds everywhere."""
        if is_exact(matrix):
            return matrix
        rows = np.where(matrix < _NOTHING, 0, matrix)
        if self.factors is not None:
            factors = to_float(self.factors)
            rows = np.stack([(rows / factors[:, [x]]).max(axis=0) for x in range(rows.shape[0])])
        return np.asarray(rows / rows.sum(axis=1, keepdims=True))

    def _why(self) -> str:
        """Say which budget is too small for the others, and what it would have to be."""
        most = self.most
        names = {"loss": "most_loss"}
        for aim, bound in most.items():
            others = {name: value for name, value in most.items() if name != aim}
            found = replace(self, most=others)._solved(aim)
            if found is not None:
                least = self._value(aim, found[0])
                return (
                    f"no channel meets all constraints: with the others, {names.get(aim, aim)} is at least "
                    f"{_shown(least)}, but must be at most {_shown(bound)}"
                )
        if self.factors is not None and self.hard is not None:
            return "no channel meets both hard_loss and the privacy that is asked for; raise one of them"
        return "no channel meets all constraints; leave out one of " + ", ".join(most)


def _factors(e: Any, d: Array) -> Array:
    """Return e^(epsilon d(x,x')): exact where the ratio is and distances are whole, else floats."""
    if (
        isinstance(e, Fraction)
        and is_exact(d)
        and all(Fraction(v).denominator == 1 for v in d.reshape(-1).tolist())
    ):
        powers = [[e ** int(v) for v in row] for row in d.tolist()]
        return as_numbers(powers, error=ParameterError)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(d == 0, 1.0, np.exp(math.log(e) * to_float(d))) if e > 1 else np.ones(d.shape)


def _pair(one: Any, other: Any) -> Array:
    return np.stack(_same(np.asarray([one]), np.asarray([other])), axis=1)


def _same(one: Array, other: Array) -> tuple[Array, ...]:
    first, second = unified(one, other)
    if object in (first.dtype, second.dtype):
        return as_fractions(first), as_fractions(second)
    return first, second


def budget(name: str, value: Any) -> Number:
    """Return what is at most allowed, a number of at least 0."""
    return check_number(name, value, 0, 1e300)


def _check_reach(name: str, value: Any, least: Number) -> None:
    if value < least - (0 if isinstance(value, Fraction | int) else 1e-12):
        raise InfeasibleError(
            f"{name} is to be {_shown(value)} at most, but a channel that tells nothing has {_shown(least)}"
        )


def _shown(value: Any) -> str:
    return f"{float(value):.6g}"


def _too_large(n: int, m: int, entries: int, power: int) -> str:
    fits = int(min(n, m) * (_MOST_ENTRIES / entries) ** (1 / power))
    return (
        f"a linear program of {n} secrets and {m} outputs has {entries:.3g} numbers, more than the "
        f"{_MOST_ENTRIES:.3g} that are tried; about {fits} secrets and outputs would fit: merge some, or use "
        "a distance along which only neighbours count"
    )


@typed
def least_loss(
    prior: Prior,
    loss: Loss,
    *,
    epsilon: float | None = None,
    ratio: Real | None = None,
    distance: Distance | None = None,
    capacity: Real | None = None,
    leakage: Real | None = None,
    vulnerability: Real | None = None,
    gain: Gain | None = None,
    hard_loss: Real | None = None,
) -> Optimal:
    """Return the mechanism with the least expected loss that keeps to a budget of privacy.

    Its outputs are the actions of the loss; more outputs would not help. Several budgets may be given.

    Parameters
    ----------
    prior, loss
        How probable each secret is, and what an output costs: min sum_x pi_x C[x,y] l(y,x).
    epsilon, ratio, distance
        C[x,y] <= e^(epsilon d(x,x')) C[x',y]; or the ratio e^epsilon, which may be exact. Without a distance
        all pairs of secrets are at 1: local differential privacy.
    capacity
        The greatest Bayes capacity.
    leakage, vulnerability, gain
        The greatest leakage, or posterior vulnerability, under the prior: of the adversary's gain, or of
        guesses.
    hard_loss
        The greatest loss that may ever happen.

    Examples
    --------
    >>> from quiff import Loss, Prior, euclidean, least_loss
    >>> days = range(5)
    >>> loss = Loss.from_metric(euclidean, days)
    >>> round(least_loss(Prior.uniform(days), loss, epsilon=1, distance=euclidean).value, 4)
    0.5835

    Raises
    ------
    InfeasibleError
        If no channel meets all constraints; it says what would be met.
    SizeError
        If the program is too large; it says what would fit.
    """
    problem = Problem.of(prior, loss.to_numpy().T, loss.inputs, loss.actions)
    problem = problem.with_privacy(epsilon, ratio, distance).with_gain(gain)
    problem = problem.bounded(capacity, leakage, vulnerability, hard_loss)
    return problem.best("loss")


@typed
def greatest_utility(
    prior: Prior,
    goal: Gain,
    *,
    epsilon: float | None = None,
    ratio: Real | None = None,
    distance: Distance | None = None,
    capacity: Real | None = None,
    leakage: Real | None = None,
    vulnerability: Real | None = None,
    gain: Gain | None = None,
) -> Optimal:
    """Return the mechanism by which a receiver reaches a goal best, under a budget of privacy.

    An output is the action that it recommends: max sum_x pi_x C[x,w] g(w,x). No other mechanism within the
    budget has a greater posterior vulnerability for the goal. Budgets are those of `least_loss`; `gain` is
    the adversary's.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Prior, bayes_gain, greatest_utility
    >>> colours = ["red", "green", "blue"]
    >>> greatest_utility(Prior.uniform(colours), bayes_gain(colours), ratio=2).value
    Fraction(1, 2)
    """
    table = goal.to_numpy().T
    problem = Problem.of(prior, -table, goal.inputs, goal.actions).with_privacy(epsilon, ratio, distance)
    problem = problem.with_gain(gain).bounded(capacity, leakage, vulnerability, None)
    found = problem.best("loss")
    return replace(found, value=-found.value)


@typed
def least_vulnerability(
    prior: Prior,
    loss: Loss,
    most_loss: Real,
    *,
    gain: Gain | None = None,
    epsilon: float | None = None,
    ratio: Real | None = None,
    distance: Distance | None = None,
    capacity: Real | None = None,
    hard_loss: Real | None = None,
) -> Optimal:
    """Return the mechanism that leaves an adversary least, with an expected loss of at most `most_loss`.

    The adversary's gain is that of a guess by default: then no mechanism has a larger Bayes risk at this
    loss.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Loss, Prior, least_vulnerability, zero_one_loss
    >>> prior = Prior.uniform(["a", "b", "c"])
    >>> least_vulnerability(prior, zero_one_loss(prior), Fraction(1, 4)).value
    Fraction(3, 4)
    """
    problem = Problem.of(prior, loss.to_numpy().T, loss.inputs, loss.actions).with_gain(gain)
    problem = problem.with_privacy(epsilon, ratio, distance).bounded(capacity, None, None, hard_loss)
    problem = replace(problem, most={**problem.most, "loss": budget("most_loss", most_loss)})
    return problem.best("vulnerability")
