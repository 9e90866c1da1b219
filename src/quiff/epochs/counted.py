"""What is seen over time where it can be counted: leakage, risk and utility, by the methods of a plan."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, final

from quiff.core.counting.subsets import Subsets
from quiff.core.counting.work import Progress
from quiff.core.gain import Gain
from quiff.core.numbers import Array, Number
from quiff.epochs.estimate import certain_bracket, hybrid_leakage, sampled_vulnerabilities
from quiff.epochs.exact import exact_vulnerability, worst_case
from quiff.epochs.plan import Plan
from quiff.epochs.risk import user_risk
from quiff.epochs.sequences import Sequences
from quiff.epochs.utility import names_an_output, naming_gain, reconstruction
from quiff.errors import counted

Watched: TypeAlias = Callable[[str], Progress | None]
"""How to tell the progress of a part, by its name."""

Method: TypeAlias = Literal["exact", "discretised", "monte-carlo", "hybrid"]
Known: TypeAlias = tuple[tuple[Number, Number, Number, Number, Number], Method]
"""A leakage, its interval, between what it lies for certain, and how it was found."""


@final
@dataclass(frozen=True, eq=False)
class Counted:
    """Users' sets over time, and how their figures are found."""

    sequences: Sequences
    plan: Plan

    @property
    def prior(self) -> Number:
        """The probability to re-identify the user before any observation."""
        return self.sequences.prior

    @property
    def most_learned(self) -> int:
        """Of how many observations it is found what a receiver learns."""
        return len(self.plan.utility)

    def check(self) -> None:
        """Raise a SizeError if it is too much to be begun without being asked to."""
        self.plan.check()

    def explained(self, methods: list[str]) -> tuple[str, ...]:  # noqa: ARG002 - as of what is composed
        """Say how the figures are found."""
        return self.plan.explained()

    def limit(self, n: int) -> Number:
        """Return the leakage if sets were observed as they are."""
        return self.sequences.limit(n)

    def distinct(self, n: int) -> int:
        """Return how many different sequences of sets there are."""
        return self.sequences.distinct(n)

    def worst_case(self, n: int) -> tuple[float, Number]:
        """Return epsilon and the max-case capacity of n observations."""
        return worst_case(self.sequences, n)

    def risk(self, n: int, progress: Progress | None) -> Array | None:
        """Return the own risk of each row of users; None if that takes too long."""
        return None if n > self.plan.risk_epochs else user_risk(self.sequences, n, progress)

    def names_an_output(self, gain: Gain, which: Array) -> bool:
        """Tell whether a gain on the users' secrets is that of naming an output of the set."""
        return names_an_output(self.sequences, gain, which)

    def learned(self, whole: bool, n: int, progress: Progress | None) -> Number:
        """Return the probability to guess the whole set, or else to name an output of it."""
        return (reconstruction if whole else naming_gain)(self.sequences, n, progress)

    def leakages(self, most: int, seed: int, watched: Watched) -> Iterator[tuple[int, Known]]:  # noqa: ARG002
        """Yield what is known of the leakage of each number of observations by itself."""
        sequences = self.sequences
        by_method: dict[str, list[int]] = {}
        for step in self.plan.steps:
            by_method.setdefault(step.method, []).append(step.epochs)
        for n in by_method.get("exact", ()):
            told = watched(f"exact, {counted(n, 'observation')}")
            leakage = exact_vulnerability(sequences, n, told) / sequences.prior
            value = min(leakage, float(sequences.limit(n))) if isinstance(leakage, float) else leakage
            yield n, ((value,) * 5, "exact")
        if hybrid := by_method.get("hybrid"):
            codes = sequences.profiles(1).codes[0]
            subsets = Subsets.of(codes, sequences.width, sequences.per_row + 1)
            for n in hybrid:
                told = watched(f"hybrid, {counted(n, 'observation')}")
                found = hybrid_leakage(sequences, n, seed, subsets=subsets, progress=told)
                low, high = certain_bracket(sequences, n, subsets)
                sure = low, min(high, float(sequences.limit(n)))
                yield n, ((found.value, found.low, found.high, *sure), "hybrid")
        if sampled := by_method.get("monte-carlo"):
            told = watched(f"monte-carlo, {counted(max(sampled), 'observation')}")
            estimates = sampled_vulnerabilities(sequences, max(sampled), seed, progress=told)
            for n in sampled:
                v = estimates[n - 1].times(1 / float(sequences.prior))
                yield n, ((v.value, v.low, v.high, 1.0, float(sequences.limit(n))), "monte-carlo")
