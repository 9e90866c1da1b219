"""What one call gives away with each rule of the browser and without it."""

from collections.abc import Hashable, Iterable
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np

from quiff.apis.base import Api
from quiff.apis.calls import EpochLaw, TopicGroups, linked_sites
from quiff.apis.topics import TopicsAPI
from quiff.browser.call_estimate import estimate_call_leakage
from quiff.browser.rates import VisitRates, profiles_from_rates, top_codes
from quiff.core.numbers import Array, Number
from quiff.errors import ParameterError, counted
from quiff.populations.population import Population
from quiff.theory.parameters import Real, check_probability


@final
@dataclass(frozen=True)
class RuleLeakage:
    """A leakage: exact, or estimated with the ends of its 95 % interval; then these are not None."""

    leakage: Number
    low: float | None = None
    high: float | None = None

    @property
    def method(self) -> str:
        """How it was computed: ``exact`` or ``simulation``."""
        return "exact" if self.low is None else "simulation"

    def to_dict(self) -> dict[str, Any]:
        """Return it by the names of JSON.

        >>> RuleLeakage(66.36).to_dict()
        {'leakage': 66.36, 'low': None, 'high': None, 'method': 'exact'}
        """
        return {**asdict(self), "method": self.method}


@final
@dataclass(frozen=True)
class RuleEffect:
    """One rule, as in `quiff.browser.rules.RULES`, against one adversary, ``call`` or ``link``."""

    rule: str
    adversary: str
    setting: str  # what is compared, in words
    # The leakage with the rule, and without it.
    on: RuleLeakage
    off: RuleLeakage


@final
@dataclass(frozen=True)
class Effects:
    """The rules, the leakage of one call as specified to a caller who observes all topics, and notes."""

    specified: Number
    rules: tuple[RuleEffect, ...]
    notes: tuple[str, ...]


def rule_effects(
    population: Population,
    api: Api,
    coverage: Real,
    rates: VisitRates | None,
    high_utility: Iterable[Hashable],
    samples: int,
    seed: int,
) -> Effects:
    """Measure what one call leaks with each rule of the browser and without it; see `browser_rules`."""
    if not isinstance(api, TopicsAPI):
        raise ParameterError(f"browser_rules() does not support {api.title}; use quiff.TopicsAPI()")
    population.check_unmerged()
    people, api = population.replaced(weights=None), api.fit(population)
    study = _Study(people, api, check_probability("coverage", coverage), samples, seed)
    specified = study.call(study.law())
    effects = (
        *study.of_call(specified),
        *study.of_filter(specified),
        study.of_blocking(specified),
        *study.of_link(),
    )
    notes = (
        ["Weights of users are not used: all are equally probable."] if population.weights is not None else []
    )
    if rates is None:
        notes.append("Padding and utility buckets work on visits: give visit rates to measure them.")
    else:
        effects = (*effects, *_of_visits(rates, api, tuple(high_utility), samples, seed))
        notes.append(
            f"Padding and utility buckets are measured on {counted(rates.n_users, 'user')} with random visits"
            " in one week, whose sets are then taken as stable; without the witness filter."
        )
    return Effects(specified.leakage, effects, tuple(notes))


@dataclass(frozen=True, eq=False)
class _Study:
    population: Population
    api: TopicsAPI
    coverage: Real
    samples: int
    seed: int

    def law(self, noise: Real | None = None, coverage: Real = 1, after: bool = True) -> EpochLaw:
        r = self.api.noise if noise is None else noise
        return EpochLaw.of(self.api.n_topics, self.api.top_s, r, coverage, after)

    def call(self, law: EpochLaw, per_call: int = 3, each_once: bool = True) -> RuleLeakage:
        return RuleLeakage(self.groups.leakage(law, per_call, in_order=not each_once))

    @cached_property
    def groups(self) -> TopicGroups:
        return TopicGroups.of(self.population, self.api)

    def of_call(self, specified: RuleLeakage) -> tuple[RuleEffect, ...]:
        """Return the rules of what a call shows."""
        law, r = self.law(), self.api.noise
        return (
            RuleEffect("noise", "call", f"noise {r} or none", specified, self.call(self.law(noise=0))),
            RuleEffect("three_epochs", "call", "three epochs or one", specified, self.call(law, per_call=1)),
            RuleEffect(
                "each_once",
                "call",
                "sorted, each once, or by epoch",
                specified,
                self.call(law, each_once=False),
            ),
            # A late call shows three other epochs of the same stable set, by the same law.
            RuleEffect("switch_delay", "call", "a delay or none, for stable sets", specified, specified),
        )

    def of_filter(self, specified: RuleLeakage) -> tuple[RuleEffect, ...]:
        """Return the rules of the witness filter, for a caller who has observed a share of the topics."""
        c = self.coverage
        after = self.call(self.law(coverage=c))
        before = self.call(self.law(coverage=c, after=False))
        share = f"a caller who observed {float(c):.3g} of the topics"
        return (
            RuleEffect("witness_filter", "call", share, after, specified),
            RuleEffect("noise_after_filter", "call", f"{share}, noise after or before", after, before),
        )

    def of_blocking(self, specified: RuleLeakage) -> RuleEffect:
        """Return what it does that everybody blocks the topic that most have."""
        codes = self.population.codes.astype(np.int64)
        popular = int(np.bincount(codes.reshape(-1)).argmax())
        name = self.population.topics[popular]
        blocked = _estimate(np.where(codes == popular, -1, codes), self.api, self.samples, self.seed)
        return RuleEffect("blocking", "call", f"all block {name!r} or nothing", blocked, specified)

    def of_link(self) -> tuple[RuleEffect, ...]:
        """Return the rules that keep two sites from finding out which of their users are the same."""
        apart = self._linked(linked_sites(self.population, self.api))
        # Without a choice of its own, the second site gets what the first one gets: all that can be reported.
        alike = self._linked(self.api.n_topics if self.api.noise else self.population.occurring.size)
        silent = self._linked(linked_sites(self.population, replace(self.api, noise=0)))
        return (
            RuleEffect("per_site", "link", "a choice for each site or one for all", apart, alike),
            RuleEffect("noise", "link", f"noise {self.api.noise} or none", apart, silent),
        )

    def _linked(self, factor: Number) -> RuleLeakage:
        return RuleLeakage(min(factor, self.population.n_users))  # never more than to know who is who


def _estimate(codes: Array, api: TopicsAPI, samples: int, seed: int) -> RuleLeakage:
    found = estimate_call_leakage(codes, api.n_topics, api.noise, samples=samples, seed=seed)
    return RuleLeakage(found.value, found.low, found.high)


def _of_visits(
    rates: VisitRates, api: TopicsAPI, high: tuple[Hashable, ...], samples: int, seed: int
) -> tuple[RuleEffect, ...]:
    """Return the rules that make a set of visits: padding, and utility buckets if there are any."""

    def call(first: tuple[Hashable, ...]) -> RuleLeakage:
        people = profiles_from_rates(rates, 1, api.top_s, seed, high_utility=first)
        study = _Study(people, api, 1, samples, seed)
        return study.call(study.law())

    plain = call(())
    empty = _estimate(top_codes(rates, 1, api.top_s, seed, padding=False)[0], api, samples, seed)
    effects = [RuleEffect("padding", "call", "short sets filled at random or left short", plain, empty)]
    if high:
        effects.append(
            RuleEffect("utility_buckets", "call", "topics of high utility first or not", call(high), plain)
        )
    return tuple(effects)
