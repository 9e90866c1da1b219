"""What 1, 2, ... observations of one person reveal: leakage, each user's risk, and what a receiver learns."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from math import comb, inf, log
from typing import Literal, TypeAlias, final

import numpy as np

from quiff.apis.base import Api
from quiff.core.channel import Channel
from quiff.core.counting.multisets import MOST_MULTISETS
from quiff.core.counting.subsets import Subsets
from quiff.core.counting.work import MOST_COUNTED, counting_memory, counting_work, words_for
from quiff.core.labels import as_labels
from quiff.core.limits import memory_allowed
from quiff.core.numbers import Number
from quiff.errors import SizeError, counted, setting
from quiff.measures.distribution import Distribution
from quiff.measures.own_risk import own_risk
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability
from quiff.people.groups import grouped
from quiff.people.population import Population
from quiff.progress import part
from quiff.theory.parameters import Real, follow
from quiff.weeks.composed import Composed
from quiff.weeks.estimate import SAMPLES, Estimate, certain_bracket, hybrid_leakage, sampled_vulnerabilities
from quiff.weeks.exact import exact_vulnerability, exact_work, worst_case
from quiff.weeks.risk import MOST_RISK, user_risk
from quiff.weeks.sequences import Sequences, changing
from quiff.weeks.utility import MOST_NAMING, names_an_output, naming_gain, reconstruction

Method: TypeAlias = Literal["exact", "discretised", "monte-carlo", "hybrid"]

_WORK = 150 * 10**9  # numbers that are looked at for an exact figure of a few observations: some minutes
_SHORT = 10**9  # the same for one of more observations: some seconds
_TABLES = 40 * 10**9  # the same for each user's risk, and for what a receiver learns
_MEMORY = 2**30
_FEW = 20_000_000  # numbers of a channel that are looked at one by one for each user's risk
_HOW = {
    "exact": "exact",
    "discretised": "exact but for outputs that are cut into cells: the leakage lies in the interval",
    "hybrid": "exact where all observations but one fit, sampled elsewhere",
    "monte-carlo": "sampled, with an interval of 95 %",
}


@final
@dataclass(frozen=True)
class LeakageAfter:
    """What is known of the leakage of n observations: the number, its interval, and certain bounds."""

    n: int
    leakage: Number
    low: Number
    high: Number
    at_least: Number
    at_most: Number
    method: Method
    why: str = ""  # why it is not exact
    bound: Real = inf  # from the parameters alone
    limit: Number = inf  # if the secrets themselves were observed
    epsilon: Number | None = None  # None where it takes too long
    max_case_capacity: Number | None = None

    @classmethod
    def exactly(cls, n: int, leakage: Number) -> "LeakageAfter":
        """Return a leakage that is known."""
        return cls(n, leakage, leakage, leakage, leakage, leakage, "exact")

    @classmethod
    def estimated(
        cls, n: int, estimate: Estimate, least: float, most: float, method: Method
    ) -> "LeakageAfter":
        """Return a leakage that is estimated, and between what it lies for certain."""
        return cls(n, estimate.value, estimate.low, estimate.high, least, most, method)

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The number, its interval and its bounds."""
        return self.leakage, self.low, self.high, self.at_least, self.at_most


@final
@dataclass(frozen=True, eq=False)
class OverTime:
    """Observations of people over time; each figure is found by the first estimator that can be afforded.

    Where an API shows the outputs of a set with one probability and all others with another, tuples of
    outputs are counted; of any other the channels are composed.
    """

    people: Population
    api: Api
    model: Sequences | Composed
    exact: bool = False  # whether to compute exactly whatever it takes

    @classmethod
    def of(
        cls, people: Population, api: Api, *, exact: bool = False, known: tuple[str, ...] = ()
    ) -> "OverTime":
        """Return what is observed over time, by an adversary who already knows some attributes."""
        if known:
            return cls(people, api, Composed.of(people, api, exact=exact).knowing(known), exact)
        sets = Sequences.recognised(people, api)
        return cls(people, api, sets or Composed.of(people, api, exact=exact), exact)

    @property
    def prior(self) -> Number:
        """The probability to re-identify the user before any observation."""
        return self.model.prior

    def distinct(self, n: int) -> int:
        """Return how many different secrets, or sequences of secrets, there are."""
        return self.model.distinct(n)

    def slack(self, n: int) -> float:
        """Return by how much outputs that were cut into cells may be off."""
        return self.model.channel(n).slack if isinstance(self.model, Composed) else 1.0

    def leakages(self, most: int, seed: int) -> list[LeakageAfter]:
        """Return what is known of the leakage of 1, ..., n observations, with bounds and the worst case."""
        bounds = parameters_bounds(self.api, self.people, most)
        found = []
        for after in self.estimates(most, seed):
            model, n = self.model, after.n
            worst = worst_case(model, n) if isinstance(model, Sequences) else model.worst_case(n)
            epsilon, capacity = worst or (None, None)
            row = replace(after, bound=bounds[n - 1], limit=model.limit(n))
            found.append(replace(row, epsilon=epsilon, max_case_capacity=capacity))
        return found

    def estimates(self, most: int, seed: int) -> list[LeakageAfter]:
        """Try the estimators in their order; one that means too much work is not tried for more observations.

        Raises
        ------
        SizeError
            If no estimator can be afforded.
        """
        if isinstance(self.model, Sequences):
            estimators = _estimators_of_sets(self.model, most, seed, self.exact)
        else:
            estimators = _estimators_of_channels(self.model, most, seed)
        found: list[LeakageAfter] = []
        why = ""
        while len(found) < most:
            n = len(found) + 1
            name, estimate = estimators[0]
            try:
                with part(f"{name}, {counted(n, 'observation')}"):
                    found.append(replace(estimate(n), why=why))
            except SizeError as error:
                if len(estimators) == 1:
                    raise
                why = why or str(error)
                del estimators[0]
        return ordered(found)

    def explained(self, leakages: list[LeakageAfter], risks: int, learned: int) -> tuple[str, ...]:
        """Say how the figures were found."""
        sentences = []
        for how in dict.fromkeys((after.method, after.why) for after in leakages):
            numbers = [after.n for after in leakages if (after.method, after.why) == how]
            method, why = how
            first = f"{numbers[0]} to " if len(numbers) > 1 else ""
            reason = f", for {why}" if why else ""
            sentences.append(f"{first}{counted(numbers[-1], 'observation')}: {_HOW[method]}{reason}.")
        if 0 < risks < min(len(leakages), MOST_RISK):
            sentences.append(f"Each user's own risk is found for up to {counted(risks, 'observation')}.")
        if learned:
            sentences.append(f"What a receiver learns is found for up to {counted(learned, 'observation')}.")
        return tuple(sentences)

    def risk(self, n: int) -> Distribution | None:
        """Return how the risk is spread over users after n observations; None if it is too much work.

        Users count as much as they weigh, so that the mean is the posterior vulnerability.
        """
        people = self.people
        if isinstance(self.model, Sequences):
            _, rows, s, m = self.model.sizes(n)
            if n > MOST_RISK or not (self.exact or rows * s**n + (m + 1) ** n * 2**n <= _TABLES):
                return None
            with part(f"risk, {counted(n, 'observation')}"):
                risk = user_risk(self.model, n)
            users = np.ones(risk.shape[0], dtype=np.int64) if people.counts is None else people.counts
            return Distribution(risk, users if people.weights is None else people.weights)
        C, groups = self.model.channel(n), self.model.groups
        work = C.kernel.n_rows * C.kernel.n_columns * (100 if C.exact else 1)  # fractions take longer
        if C.kernel.as_sparse() is None and work > _FEW:
            return None
        if people.weights is None:
            users = groups.counts
            return Distribution(own_risk(C, np.minimum(users, 1), users)[0], users)
        users = np.ones(people.users.size, dtype=np.int64)
        mine = Channel.from_kernel(people.users, C.outputs, C.kernel.take_rows(groups.which))
        return Distribution(own_risk(mine, people.weights, users)[0], people.weights)

    def goals(self, people: Population, most: int) -> tuple[dict[str, list[Number]], tuple[str, ...]]:
        """Return what a receiver learns of people by 0, 1, ... observations, goal by goal, and notes.

        The most observations come first: if their numbers do not fit a machine word, it is told at once.
        """
        api, sets = self.api, self.model if isinstance(self.model, Sequences) else None
        if not api.needs:
            return {}, ()
        if changing(people, api):
            return {}, (
                "What a receiver learns is known for stable attributes only: there is no one secret.",
            )
        secret, n_most = api.secret(people), min(most, MOST_NAMING)
        while sets is not None and n_most and not (self.exact or _learns(sets, n_most)):
            n_most -= 1
        which = secret.codes
        if not n_most or which is None:
            return {}, ("What a receiver learns is not measured, for it takes too long or too much memory.",)
        law = grouped(people, secret).prior
        learned: dict[str, list[Number]] = {}
        notes: list[str] = []
        for goal, gain in {**api.goals(secret.outputs), "secret": None}.items():
            counts = sets is not None and (gain is None or names_an_output(sets, gain, which))
            backwards: list[Number] = []
            try:
                for n in range(n_most, -1, -1):
                    if sets is not None and counts:
                        with part(f"{goal}, {counted(n, 'observation')}"):
                            backwards.append((reconstruction if gain is None else naming_gain)(sets, n))
                    elif n == 0:
                        backwards.append(vulnerability(law, gain))
                    else:
                        C = api.over_time(secret.outputs, 1 if api.redraws == "secret" else n)
                        backwards.append(posterior_vulnerability(law, C, gain))
            except SizeError as error:
                if counts:
                    raise
                notes.append(f"What a receiver learns of {goal!r} is not measured: {error}")
            else:  # more observations never tell less: what falls is rounding
                learned[goal] = list(accumulate(reversed(backwards), max))
        return learned, tuple(notes)


_Estimators: TypeAlias = list[tuple[str, Callable[[int], LeakageAfter]]]


def _allowed() -> float:
    """Return how many bytes a figure may take, unless it is asked for whatever it takes."""
    return min(_MEMORY, memory_allowed())


def _estimators_of_sets(sets: Sequences, most: int, seed: int, exact: bool) -> _Estimators:
    sets.over(most)  # raises if there are not so many
    weighted = sets.weights is not None
    # Each n-th estimate adds n observations of each sample to counters of as many bits as n has.
    drawn = SAMPLES * most**2 // 2 * most.bit_length() * (1 + words_for(sets.distinct(1)))
    if most > MOST_MULTISETS and drawn > _WORK and not exact:
        raise SizeError(
            f"{counted(most, 'observation')} of these people mean to look at {drawn / 1e9:,.0f} billion"
            f" numbers, more than {_WORK / 1e9:,.0f} billion; ask for fewer, or use"
            f" {setting('exact', True)} to do it anyway",
            what="observations",
            value=most,
        )
    subsets: list[Subsets] = []
    samples: list[Estimate] = []

    def count(n: int) -> LeakageAfter:
        work, _ = exact_work(sets, n)
        few = n <= MOST_COUNTED
        limit = (inf if few else _WORK) if exact else _WORK if few else _SHORT
        if work > limit:
            raise SizeError(
                f"counting them means to look at {work / 1e9:,.0f} billion numbers, more than"
                f" {limit / 1e9:,.0f} billion"
            )
        if counting_memory(sets.sizes(n), weighted=weighted) > _allowed() and not exact:
            raise SizeError(f"counting them takes more than {_allowed() / 2**30:.2g} GiB of memory")
        leakage = exact_vulnerability(sets, n) / sets.prior
        return LeakageAfter.exactly(
            n, min(leakage, float(sets.limit(n))) if isinstance(leakage, float) else leakage
        )

    def bracket(n: int) -> LeakageAfter:
        rows, s = sets.sets[0].shape
        lists = 40 * rows * max(comb(s, j) * j for j in range(1, s + 1))
        if not sets.stable or weighted or (lists > _allowed() and not exact):
            raise SizeError("the best fits are counted for stable sets and equally probable users only")
        subsets[:] = subsets or [Subsets.of(sets.profiles(1).codes[0], sets.width, sets.per_row + 1)]
        estimate = hybrid_leakage(sets, n, seed, subsets=subsets[0])
        low, high = certain_bracket(sets, n, subsets[0])
        return LeakageAfter.estimated(n, estimate, low, min(high, float(sets.limit(n))), "hybrid")

    def sample(n: int) -> LeakageAfter:
        samples[:] = samples or sampled_vulnerabilities(sets, most, seed)
        estimate = samples[n - 1].times(1 / float(sets.prior))
        return LeakageAfter.estimated(n, estimate, 1.0, float(sets.limit(n)), "monte-carlo")

    return [("exact", count), ("hybrid", bracket), ("monte-carlo", sample)]


def _estimators_of_channels(channels: Composed, most: int, seed: int) -> _Estimators:
    samples: list[Estimate] = []
    before: list[Number] = []

    def compute(n: int) -> LeakageAfter:
        # What has reached its limit stays there: more observations never leak less.
        reached = before and before[-1] == channels.limit(n)
        before.append(before[-1] if reached else channels.leakage(n))
        return widened(LeakageAfter.exactly(n, before[-1]))

    def sample(n: int) -> LeakageAfter:
        """Estimate it; of independent draws of one channel, all from the same samples."""
        C = channels.channel(most)
        if C.kernel.root()[1] == most:
            samples[:] = samples or channels.sampled(C, [seed])
            estimate = samples[n - 1]
        else:
            estimate = channels.sampled(channels.channel(n), [seed, n])[-1]
        v = estimate.times(1 / float(channels.prior))
        return widened(LeakageAfter.estimated(n, v, 1.0, float(channels.limit(n)), "monte-carlo"))

    def widened(after: LeakageAfter) -> LeakageAfter:
        """Widen what is known by the slack of outputs that were cut into cells."""
        slack = channels.channel(after.n).slack
        if slack == 1:
            return after
        limit = float(channels.limit(after.n))
        high, at_most = (min(float(end) * slack, limit) for end in (after.high, after.at_most))
        leakage, low, at_least = float(after.leakage), float(after.low), float(after.at_least)
        method: Method = "discretised" if after.method == "exact" else after.method
        return LeakageAfter(after.n, leakage, low, high, at_least, at_most, method)

    return [("exact", compute)] if channels.exact else [("exact", compute), ("monte-carlo", sample)]


def ordered(leakages: list[LeakageAfter]) -> list[LeakageAfter]:
    """Let what is certain of one number of observations bound the others, and cut the intervals to it.

    Leakage never falls with more observations: who has n + 1 can leave the last one out and guess as by n, so
    that the best guess is right no less often. So for n <= E, L_n <= L_E: a lower bound on L_n is one on L_E,
    and an upper bound on L_E is one on L_n.
    """
    least = list(accumulate((after.at_least for after in leakages), max))
    most = list(accumulate((after.at_most for after in reversed(leakages)), min))[::-1]
    cut = []
    for after, lower, upper in zip(leakages, least, most, strict=True):
        if len(set(after.numbers)) > 1:
            at_most = float(upper)
            at_least = min(float(lower), at_most)  # more only by rounding
            low, high = (min(max(end, at_least), at_most) for end in (after.low, after.high))
            value = min(max(after.leakage, low), high)
            after = replace(after, leakage=value, low=low, high=high, at_least=at_least, at_most=at_most)
        elif isinstance(after.leakage, float):  # exact up to rounding; else it is a fraction
            after = replace(LeakageAfter.exactly(after.n, float(lower)), method=after.method)
        cut.append(after)
    return cut


def parameters_bounds(api: Api, people: Population, most: int) -> list[Real]:
    """Return the most that 1, 2, ... observations can leak by closed forms: min(N, secrets, capacity^n).

    Independent observations leak at most the product of their capacities. No leakage exceeds the number of
    users, nor, where secrets are stable, the capacity of a stage that is a map: the number of secrets.

    Examples
    --------
    >>> from quiff import Population, api_from
    >>> people = Population.synthetic(1000, seed=1)
    >>> [round(bound, 2) for bound in parameters_bounds(api_from("topics").fit(people), people, 2)]
    [66.36, 1000.0]
    """
    limits = {limit.stage: limit.value for limit in api.limits() if limit.quantity == "bayes_capacity"}
    capacity = limits.pop("", inf)
    bound: Real = Fraction(people.n_users)
    if limits and not changing(people, api):
        secrets = api.secret(people).outputs
        few = as_labels([secrets[place] for place in range(min(2, secrets.size))])
        maps = [name for name, C in api.stages(few).items() if C.codes is not None]
        bound = min([bound, *(limits[name] for name in maps if name in limits)])

    def after(n: int) -> Real:
        times = 1 if api.redraws == "nothing" else n
        if capacity == inf or times * log(capacity) > log(bound) + 1:  # spares a power that may not fit
            return bound if capacity == inf else follow(bound, capacity)
        return follow(min(bound, capacity**times), capacity)

    return [after(n) for n in range(1, most + 1)]


def _learns(sets: Sequences, n: int) -> bool:
    """Tell whether it can be afforded to name a topic after all n-tuples, and to guess the set."""
    sizes = sets.sizes(n)
    _, rows, s, occurring = sizes
    m, dimensions = occurring + 1, min(n + 1, 3)
    work = 5 * rows * s**dimensions + m ** (n + 1) // 6 + counting_work(sizes, weighted=True)
    memory = 8 * m**dimensions + counting_memory(sizes, weighted=True)
    return bool(work <= _TABLES and memory <= _allowed())
