"""What one call reveals with each rule of the browser and without it.

Where that cannot be counted, it is estimated from drawn calls, with an interval: some places of a user's top
set may be empty, since the topic is blocked or there was none. The browser then returns nothing for the epoch
if it picks such a place, and how often it does so tells users apart, too.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from quiff.apis.base import Api
from quiff.apis.topics import TopicsAPI
from quiff.browser.rates import VisitRates, profiles_from_rates, top_codes
from quiff.core.distinct import distinct_codes
from quiff.core.numbers import Array, Number
from quiff.errors import ParameterError, counted
from quiff.people.population import Population
from quiff.theory.parameters import Real, check_probability, check_whole
from quiff.weeks.calls import EpochLaw, TopicGroups, linked_sites, view_probability
from quiff.weeks.estimate import Estimate


@final
@dataclass(frozen=True)
class RuleLeakage:
    """A leakage: exact, or estimated with the ends of its 95 % interval; then these are not None."""

    leakage: Number
    low: float | None = None
    high: float | None = None


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
        raise ParameterError(
            f"no rules of a browser are modelled for {api.title}; take the Topics API",
            what="api",
            value=api.spec,
            allowed="the Topics API",
        )
    population.check_unmerged()
    people, api = population.replaced(weights=None), api.fit(population)
    c, r, groups = check_probability("coverage", coverage), api.noise, TopicGroups.of(people, api)
    specified, observed = _call(groups, api), _call(groups, api, coverage=c)
    share = f"a caller who observed {float(c):.3g} of the topics"
    by_epoch, single = _call(groups, api, each_once=False), _call(groups, api, per_call=1)
    before = _call(groups, api, coverage=c, after=False)
    effects = [
        RuleEffect("noise", "call", f"noise {r} or none", specified, _call(groups, api, noise=0)),
        RuleEffect("three_epochs", "call", "three epochs or one", specified, single),
        RuleEffect("each_once", "call", "sorted, each once, or by epoch", specified, by_epoch),
        # A late call shows three other epochs of the same stable set, by the same law.
        RuleEffect("switch_delay", "call", "a delay or none, for stable sets", specified, specified),
        RuleEffect("witness_filter", "call", share, observed, specified),
        RuleEffect("noise_after_filter", "call", f"{share}, noise after or before", observed, before),
        _of_blocking(people, api, specified, samples, seed),
        *_of_link(people, api),
    ]
    notes = (
        ["Weights of users are not used: all are equally probable."] if population.weights is not None else []
    )
    if rates is None:
        notes.append("Padding and utility buckets work on visits: give visit rates to measure them.")
    else:
        effects += _of_visits(rates, api, tuple(high_utility), samples, seed)
        notes.append(
            f"Padding and utility buckets are measured on {counted(rates.n_users, 'user')} with random visits"
            " in one week, whose sets are then taken as stable; without the witness filter."
        )
    return Effects(specified.leakage, tuple(effects), tuple(notes))


def _call(
    groups: TopicGroups, api: TopicsAPI, *, noise: Real | None = None, coverage: Real = 1, after: bool = True,
    per_call: int = 3, each_once: bool = True,
) -> RuleLeakage:  # fmt: skip
    law = EpochLaw.of(api.n_topics, api.top_s, api.noise if noise is None else noise, coverage, after)
    return RuleLeakage(groups.leakage(law, per_call, in_order=not each_once))


def _of_blocking(
    people: Population, api: TopicsAPI, specified: RuleLeakage, samples: int, seed: int
) -> RuleEffect:
    """Return what it does that everybody blocks the topic that most have."""
    codes = people.codes.astype(np.int64)
    popular = int(np.bincount(codes.reshape(-1)).argmax())
    blocked = _estimate(np.where(codes == popular, -1, codes), api, samples, seed)
    setting = f"all block {people.topics[popular]!r} or nothing"
    return RuleEffect("blocking", "call", setting, blocked, specified)


def _of_link(people: Population, api: TopicsAPI) -> list[RuleEffect]:
    """Return the rules that keep two sites from finding out which of their users are the same."""

    def linked(factor: Number) -> RuleLeakage:
        return RuleLeakage(min(factor, people.n_users))  # never more than to know who is who

    apart, silent = (linked(linked_sites(people, one)) for one in (api, replace(api, noise=0)))
    # Without a choice of its own, the second site gets what the first one gets: all that can be reported.
    alike = linked(api.n_topics if api.noise else people.occurring.size)
    return [
        RuleEffect("per_site", "link", "a choice for each site or one for all", apart, alike),
        RuleEffect("noise", "link", f"noise {api.noise} or none", apart, silent),
    ]


def _estimate(codes: Array, api: TopicsAPI, samples: int, seed: int) -> RuleLeakage:
    found = estimate_call_leakage(codes, api.n_topics, api.noise, samples=samples, seed=seed)
    return RuleLeakage(found.value, found.low, found.high)


def _of_visits(
    rates: VisitRates, api: TopicsAPI, high: tuple[Hashable, ...], samples: int, seed: int
) -> list[RuleEffect]:
    """Return the rules that make a set of visits: padding, and utility buckets if there are any."""

    def call(first: tuple[Hashable, ...]) -> RuleLeakage:
        people = profiles_from_rates(rates, 1, api.top_s, seed, high_utility=first)
        return _call(TopicGroups.of(people, api), api)

    plain = call(())
    empty = _estimate(top_codes(rates, 1, api.top_s, seed, padding=False)[0], api, samples, seed)
    effects = [RuleEffect("padding", "call", "short sets filled at random or left short", plain, empty)]
    if high:
        setting = "topics of high utility first or not"
        effects.append(RuleEffect("utility_buckets", "call", setting, call(high), plain))
    return effects


def estimate_call_leakage(
    codes: Array, n_topics: int, noise: Real, per_call: int = 3, samples: int = 2000, seed: int | None = None
) -> Estimate:
    """Return an estimate of N V, the leakage of one call about who the user is.

    V is the mean, over users and what a call shows of them, of the largest posterior probability
    max_x P[A | x] / sum_x P[A | x]. Users and calls are drawn; the posteriors are exact.

    `codes` are stable top sets (users, s) of numbers below m, -1 for an empty place, which gets no noise:
    that comes after the filter. A call shows up to 3 epochs.

    >>> found = estimate_call_leakage(np.array([[0, 1], [2, 3]]), 5, 0.05, per_call=1, seed=1)
    >>> abs(found.value - 1.95) < 0.05  # the exact leakage
    True
    """
    rng = np.random.default_rng(None if seed is None else check_whole("seed", seed, 0))
    samples = check_whole("samples", samples, 2)
    n_users, top_s = codes.shape
    # distinct sets with counts; -1 is moved to m, which is no topic
    rows = np.sort(np.where(codes < 0, n_topics, codes).astype(np.int64), axis=1)
    first, which = distinct_codes(rows, n_topics + 1)
    rows, counts = rows[first], np.bincount(which)
    posterior = _Posterior(rows, counts, n_topics, _probabilities(n_topics, top_s, noise, per_call))
    views = _views(rng, codes, n_topics, noise, per_call, samples)
    shares = np.array([posterior.largest(view) for view in views])
    found = Estimate.of_mean(shares).times(n_users)
    return Estimate(max(found.value, 1.0), max(found.low, 1.0), max(found.high, 1.0))  # no leakage is less


class _Posterior:
    """The sets by topic, so that a view costs only a look at those who have one of its topics."""

    def __init__(self, rows: Array, counts: Array, n_topics: int, probabilities: Array) -> None:
        self.counts, self.probabilities = counts, probabilities
        self.full = (rows < n_topics).sum(axis=1)
        order = np.argsort(rows.reshape(-1), kind="stable")
        ends = np.cumsum(np.bincount(rows.reshape(-1), minlength=n_topics + 1))
        self.owners = np.split(order // rows.shape[1], ends[:-1])[:n_topics]
        self.users_by_full = np.bincount(self.full, weights=counts, minlength=probabilities.shape[2])
        self.inside = np.zeros(rows.shape[0], dtype=np.int8)

    def largest(self, view: list[int]) -> float:
        """Return max_x P[A | x] / sum_x P[A | x]."""
        strangers = self.probabilities[len(view), 0]  # by the number of full places
        total, best = self.users_by_full @ strangers, strangers[self.users_by_full > 0].max()
        if not view:
            return float(best / total)
        having = np.concatenate([self.owners[topic] for topic in view])
        for topic in view:
            self.inside[self.owners[topic]] += 1
        inside, full = self.inside[having], self.full[having]
        self.inside[having] = 0
        if not having.shape[0]:
            return float(best / total)
        given = self.probabilities[len(view), inside, full]
        # who has j topics of the view is there j times
        total += (self.counts[having] * (given - strangers[full]) / inside).sum()
        return float(max(best, given.max()) / total)


def _probabilities(n_topics: int, top_s: int, noise: Real, per_call: int) -> Array:
    """Return P[A | x] by the size of A, how many of A are in the set, and how many places are full."""
    table = np.zeros((per_call + 1, per_call + 1, top_s + 1))
    for full in range(top_s + 1):
        anything = full / top_s * float(noise) / n_topics
        inside = (1 - float(noise)) / top_s + anything
        for size in range(per_call + 1):
            for own in range(min(size, full) + 1):
                topics: list[Real] = [*[inside] * own, *[anything] * (size - own)]
                table[size, own, full] = view_probability(topics, 1 - full / top_s, per_call)
    return table


def _views(
    rng: np.random.Generator, codes: Array, n_topics: int, noise: Real, per_call: int, samples: int
) -> list[list[int]]:
    """Draw users and what a call shows of each."""
    shape = (samples, per_call)
    users = rng.integers(codes.shape[0], size=samples)
    picked = codes[users[:, None], rng.integers(codes.shape[1], size=shape)]
    noisy = rng.random(shape) < float(noise)
    shown = np.where((picked >= 0) & noisy, rng.integers(n_topics, size=shape), picked)
    return [sorted(set(row) - {-1}) for row in shown.tolist()]
