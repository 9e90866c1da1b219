"""What a mechanism is to be best at, and what it must keep to, as a linear program."""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, final

import numpy as np

from quiff.core.channel import Channel
from quiff.core.gain import Gain
from quiff.core.labels import Labels, aligned
from quiff.core.metric import Distance, chained, discrete, distances
from quiff.core.numbers import Array, Number, as_fractions, as_number, as_numbers, is_exact, to_float, unified
from quiff.core.prior import Prior
from quiff.errors import InfeasibleError, ParameterError, SizeError
from quiff.mechanisms.linear import Builder
from quiff.progress import tell
from quiff.theory.mechanisms import check_ratio
from quiff.theory.parameters import Real, check_number

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
