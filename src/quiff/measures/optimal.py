"""The best mechanisms for a purpose, by linear programs: least loss or greatest utility within a budget."""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, final

import numpy as np

from quiff.core.channel import Channel
from quiff.core.gain import Gain, Loss, bayes_gain
from quiff.core.labels import Labels, aligned
from quiff.core.linear_program import Program
from quiff.core.metric import Distance, chained, discrete, distances
from quiff.core.numbers import (
    Array,
    Number,
    as_fractions,
    as_number,
    as_numbers,
    is_exact,
    to_float,
    unified,
)
from quiff.core.prior import Prior
from quiff.errors import InfeasibleError, ParameterError, SizeError, typed
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
    gains: Array
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
        return cls(inputs, outputs, pi, loss, np.zeros((1, inputs.size), dtype=np.int64))

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
        gain = bayes_gain(self.inputs) if gain is None else gain
        order = aligned(self.inputs, gain.inputs, "loss", "gain")
        return replace(self, gains=gain.to_numpy()[:, order])

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
        gains, weights = unified(self.gains, self.pi)
        return np.asarray(gains * weights)

    def best(self, aim: str) -> Optimal:
        """Solve, and say why if it cannot be."""
        solved = self._solved(aim)
        if solved is None:
            raise InfeasibleError(self._why())
        matrix, program = solved
        channel = Channel(matrix, inputs=self.inputs, outputs=self.outputs)
        return Optimal(channel, self._value(aim, matrix), program.n_variables, program.n_constraints)

    def _value(self, aim: str, matrix: Array) -> Number:
        if aim == "capacity":
            return as_number(matrix.max(axis=0).sum())
        rows, pi, loss, adversary = unified(matrix, self.pi, self.loss, self._adversary())
        if aim == "loss":
            return as_number((rows * loss * pi[:, np.newaxis]).sum())
        return as_number((adversary @ rows).max(axis=0).sum())

    def _solved(self, aim: str) -> tuple[Array, Program] | None:
        """Build the program and solve it."""
        program, cells = self._built(aim)
        if self.linked is not None:
            self._add_privacy(program, cells)
        elif self.factors is not None:
            self._add_range(program, cells)
        name = f"linear program of {program.n_variables} variables and {program.n_constraints} constraints"
        tell(name, 0.0)
        best = program.solve(alike=True)
        tell(name, 1.0)
        if best is None:
            return None
        numbers = np.r_[best.x, 0 * best.x[:1]][cells]  # a cell that may not be is 0
        return self._repaired(numbers), program

    def _built(self, aim: str) -> tuple[Program, Array]:
        """Return the program without constraints of privacy, and the variable of each cell (-1 for none)."""
        program, most = Program(), self.most
        allowed = np.ones(self.loss.shape, dtype=bool) if self.hard is None else self.loss <= self.hard
        loss, pi = unified(self.loss, self.pi)
        costs = np.asarray(loss * pi[:, np.newaxis])
        cells = np.full(costs.shape, -1, dtype=np.intp)
        cells[allowed] = program.variables(int(allowed.sum()), costs[allowed] if aim == "loss" else 0)
        program.add((np.where(allowed, cells, 0), allowed.astype(np.int64)), right=1)
        if aim != "loss" and "loss" in most:
            program.add(
                (cells[allowed][np.newaxis], costs[allowed][np.newaxis]), right=most["loss"], at_most=True
            )
        for name in ("vulnerability", "capacity"):
            if aim == name or name in most:
                self._add_greatest(program, cells, name, aim)
        return program, cells

    def _add_greatest(self, program: Program, cells: Array, name: str, aim: str) -> None:
        """Add t_y >= sum_x A[w,x] C[x,y] for all w, and what the sum of t_y costs, or is at most."""
        n, m = cells.shape
        tops = program.variables(m, cost=int(aim == name))
        if aim != name:
            program.add((tops[np.newaxis], 1), right=self.most[name], at_most=True)
        for row in np.eye(n, dtype=np.int64) if name == "capacity" else self._adversary():
            used = np.flatnonzero(row)
            gained = cells[used].T  # one line for each output
            present = gained >= 0
            gains = np.where(present, row[used], 0 * row[used])
            program.add((np.where(present, gained, 0), gains), (tops, -1), at_most=True)

    def _add_range(self, program: Program, cells: Array) -> None:
        """Add b_y <= C[x,y] <= e^epsilon b_y, which says the same of all pairs with fewer numbers."""
        n, m = cells.shape
        factor = self.factors[0, -1] if n > 1 else 1  # type: ignore[index]
        lows, present = np.tile(program.variables(m), (n, 1)), cells >= 0
        program.add((cells[present], 1), (lows[present], -factor), at_most=True)
        program.add((cells[present], -1), (lows[present], 1), at_most=True)
        program.add((lows[~present], 1), at_most=True)  # a cell that may not be

    def _add_privacy(self, program: Program, cells: Array) -> None:
        """Add C[x,y] <= e^(epsilon d(x,x')) C[x',y] for the pairs that others do not imply."""
        pairs = np.argwhere(self.linked & (self.factors < math.inf))  # type: ignore[operator]
        n, m = cells.shape
        entries = 2 * pairs.shape[0] * m
        if entries > _MOST_ENTRIES:
            raise SizeError(_too_large(n, m, entries, 3))
        left, right = cells[pairs[:, 0]].reshape(-1), cells[pairs[:, 1]].reshape(-1)
        factors = np.repeat(self.factors[tuple(pairs.T)], m)  # type: ignore[index]
        present = left >= 0
        both = present & (right >= 0)
        program.add((left[both], 1), (right[both], -factors[both]), at_most=True)
        program.add((left[present & (right < 0)], 1), at_most=True)  # beside a cell that may not be

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
            rest = {name: value for name, value in most.items() if name != aim}
            result = replace(self, most=rest)._solved(aim)
            if result is not None:
                least = self._value(aim, result[0])
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
    result = problem.best("loss")
    return replace(result, value=-result.value)


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
