"""How the leakage over 1 to E epochs will be found, what that takes, and whether it should be begun."""

from dataclasses import dataclass
from math import comb
from typing import Literal, TypeAlias, final

import numpy as np

from quiff.core.counting.multisets import MOST_MULTISETS, multiset_work
from quiff.core.counting.work import (
    MOST_CHANGING,
    MOST_STABLE,
    cores,
    counting_memory,
    counting_work,
)
from quiff.core.limits import memory_allowed
from quiff.epochs.estimate import SAMPLES
from quiff.epochs.risk import MOST_RISK
from quiff.epochs.sequences import Sequences
from quiff.epochs.utility import MOST_NAMING
from quiff.errors import SizeError, counted

Method: TypeAlias = Literal["exact", "hybrid", "monte-carlo"]

_SECONDS = 120.0  # an exact step that takes longer is estimated instead
_MEMORY = 2**30
_TOTAL_SECONDS = 600.0
_COUNTED = 1.5e-9  # seconds for each number that is looked at, on one core
_ENUMERATED = 6e-9  # seconds for each number of all multisets of outputs, which no more than these take:
_SHORT = 1.0
_FRACTIONS = 50  # so many times longer
_SAMPLED = 4e-9
_DRAWN = 1e-7  # seconds for an output that is drawn
_RISKED = 6e-9
_NAMED = 3e-9


@final
@dataclass(frozen=True)
class Step:
    """How the leakage of one number of epochs is found, and about what that takes."""

    epochs: int
    method: Method
    seconds: float
    memory: int
    why: str


@final
@dataclass(frozen=True)
class Plan:
    """The steps for 1, ..., E epochs, and what it takes to find risks and what a receiver learns."""

    steps: tuple[Step, ...]
    risk_seconds: tuple[float, ...] = ()  # for each user's own risk
    utility: tuple[Step, ...] = ()  # if it is asked for

    @property
    def seconds(self) -> float:
        """About how long all steps take."""
        return sum(step.seconds for step in self._all) + sum(self.risk_seconds)

    @property
    def risk_epochs(self) -> int:
        """The largest number of epochs for which each user's own risk is found."""
        return len(self.risk_seconds)

    @property
    def memory(self) -> int:
        """About how many bytes the largest step needs."""
        return max(step.memory for step in self._all)

    @property
    def _all(self) -> tuple[Step, ...]:
        return (*self.steps, *self.utility)

    def explained(self) -> tuple[str, ...]:
        """Return the choices in sentences."""
        sentences = []
        for why in dict.fromkeys(step.why for step in self.steps):
            numbers = [step.epochs for step in self.steps if step.why == why]
            first = f"{numbers[0]} to " if len(numbers) > 1 else ""
            sentences.append(f"{first}{counted(numbers[-1], 'observation')}: {why}.")
        if 0 < self.risk_epochs < min(len(self.steps), MOST_RISK):
            most = counted(self.risk_epochs, "observation")
            sentences.append(f"Each user's own risk is found for up to {most}.")
        if self.utility:
            most = counted(len(self.utility), "observation")
            sentences.append(f"What a receiver learns is found for up to {most}.")
        return tuple(sentences)

    def check(self) -> None:
        """Raise a SizeError if the plan is too large to be begun without being asked to."""
        if self.seconds > _TOTAL_SECONDS or self.memory > _allowed():
            raise SizeError(
                f"{counted(len(self.steps), 'observation')} of these people would take "
                f"{_limits(_TOTAL_SECONDS)}; ask for fewer, or use exact=True (--exact) to do it anyway"
            )


def plan_epochs(sequences: Sequences, epochs: int, *, exact: bool = False, utility: bool = False) -> Plan:
    """Choose a method for each of 1, ..., E epochs: exact where that can be afforded, or `exact` says so."""
    sequences.over(epochs)  # raises if there are not so many
    steps = tuple(_step(sequences, E, exact) for E in range(1, epochs + 1))
    risks = [_risk_seconds(sequences, E) for E in range(1, min(epochs, MOST_RISK) + 1)]
    asked = min(epochs, MOST_NAMING) if utility and sequences.stable else 0
    learned = [_utility_step(sequences, E) for E in range(1, asked + 1)]
    return Plan(
        steps,
        tuple(seconds for seconds in risks if exact or seconds <= _SECONDS),
        tuple(step for step in learned if exact or _affordable(step)),
    )


def _affordable(step: Step) -> bool:
    return step.seconds <= _SECONDS and step.memory <= _allowed()


def _allowed() -> float:
    """Return how many bytes a step may take, unless it is asked to do so whatever it takes."""
    return min(_MEMORY, memory_allowed())


def _step(sequences: Sequences, E: int, exact: bool) -> Step:
    stable, weighted = sequences.stable, sequences.weights is not None
    most = MOST_STABLE if stable and not weighted else MOST_CHANGING
    reason = f"counting more than {most} observations of so many sets takes too long"
    if not stable:
        reason = f"more than {most} observations of sets that change are not counted"
    elif most < E <= MOST_MULTISETS:
        seconds = _enumerated_seconds(sequences, E)
        if seconds <= (_SECONDS if exact else _SHORT):
            return Step(E, "exact", seconds, 2**28, "counted exactly")
    if most >= E:
        sizes = sequences.sizes(E)
        work = counting_work(sizes, stable=stable, weighted=weighted)
        memory = counting_memory(sizes, threads=cores(), stable=stable, weighted=weighted)
        seconds = _COUNTED * work / cores()
        counted = Step(E, "exact", seconds, memory, "counted exactly")
        if exact or _affordable(counted):
            return counted
        reason = f"to count them takes {_limits(_SECONDS)}"
    lists = _lists(sequences, E)
    seconds = SAMPLES * (_SAMPLED * lists / cores() + _DRAWN * E)
    memory = 60 * lists + 8 * E * SAMPLES * 4
    if stable and not weighted and (exact or _subsets_memory(sequences) <= _allowed()):
        why = "exact where all observations but one fit, sampled elsewhere"
        return Step(E, "hybrid", seconds, memory, f"{why}, for {reason}")
    why = "sampled, with an interval of 95 %"
    return Step(E, "monte-carlo", seconds, memory, f"{why}, for {reason}")


def _enumerated_seconds(sequences: Sequences, E: int) -> float:
    """Return about how long it takes to look at every multiset of E outputs that occur."""
    slow = _FRACTIONS if sequences.weights is not None and sequences.exact else 1
    return slow * _ENUMERATED * multiset_work(sequences.distinct(1), sequences.sizes(1).occurring, E)


def _risk_seconds(sequences: Sequences, E: int) -> float:
    """Return about how long each user's own risk takes: a look at all tuples, in 2^E tables."""
    _, rows, s, m = sequences.sizes(E)
    return float(_RISKED * (rows * s**E + (m + 1) ** E * 2**E) / cores())


def _utility_step(sequences: Sequences, E: int) -> Step:
    """Return what it takes to name a topic, a look at each topic after all tuples, and to guess the set."""
    sizes = sequences.sizes(E)
    _, rows, s, occurring = sizes
    m = occurring + 1
    together, shared = rows * s ** min(E + 1, 3), m ** (E + 1)
    work = 5 * together + (shared / 6 / cores() if E == MOST_NAMING else 5 * shared)
    seconds = _NAMED * work + _COUNTED * counting_work(sizes, weighted=True) / cores()
    memory = 8 * m ** min(E + 1, 3) + counting_memory(sizes, threads=cores(), weighted=True)
    return Step(E, "exact", seconds, memory, "counted exactly")


def _lists(sequences: Sequences, E: int) -> int:
    """Return about how many users have an output that is observed, over all epochs."""
    total = 0.0
    for sets in sequences.sets[:E]:
        counts = np.bincount(sets.reshape(-1)).astype(float)
        total += float((counts**2).sum() / counts.sum())
    return int(total * (E if sequences.stable else 1))


def _subsets_memory(sequences: Sequences) -> int:
    """Return about how many bytes the subsets of all sets take."""
    rows, s = sequences.sets[0].shape
    return int(40 * rows * max(comb(s, j) * j for j in range(1, s + 1)))


def _limits(seconds: float) -> str:
    """Say what is too much; how long it takes just so, is not known well enough to be announced."""
    return f"more than {seconds / 60:.0f} minutes, or more than {_MEMORY / 2**30:.0f} GiB"
