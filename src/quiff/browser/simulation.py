"""Many browsers at once: from a population's top sets to what sites get of everybody."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from quiff.apis.base import Api
from quiff.apis.cookies import Cookies
from quiff.apis.taxonomy import place_in_taxonomy
from quiff.apis.topics import TopicsAPI
from quiff.browser.browser import DAY
from quiff.browser.decisions import (
    INDEX,
    NOISE,
    RANDOM,
    SWITCH,
    WITNESS,
    BulkDecide,
    BulkDecisions,
    is_noise,
)
from quiff.browser.reports import Reports
from quiff.browser.rules import BrowserRules
from quiff.core.labels import Labels, as_labels
from quiff.core.numbers import Array
from quiff.errors import ParameterError, counted
from quiff.populations.population import Population
from quiff.theory.parameters import Real, check_number, check_probability, check_whole

_DELAY = 2 * DAY
_NOTHING = -1


def simulate(
    population: Population,
    api: Api | BrowserRules,
    *,
    epochs: int,
    sites: int | Iterable[Hashable] = 2,
    seed: int | None = None,
    earlier: int | None = None,
    n_topics: int | None = None,
    coverage: Real = 1,
    call_day: float | None = None,
    decide: BulkDecide | None = None,
) -> Reports:
    """Let everybody's browser report to some sites, once in each epoch.

    The sets of the population are the browsers' top sets. One caller is on all sites; what it gets depends
    on user, site and epoch alone. With `Cookies` everybody's report is their identifier. Padding and utility
    buckets are at work when visits become sets (see `profiles_from_rates`), not here.

    Parameters
    ----------
    population
        The users, with sets that are stable or one set per epoch.
    api
        `TopicsAPI`, by the rules of the specification, or `Cookies`; or rules of a browser.
    epochs
        E, in how many epochs the sites call.
    sites
        How many sites, or their names.
    seed
        The same seed gives the same reports; None takes the operating system's randomness.
    earlier
        How many epochs before that of the first call the first call shows; by default as many as a call can.
        Sets that are not stable start with those of these epochs.
    n_topics
        m, the size of the taxonomy; by default that of the API, or with rules the population's.
    coverage
        The chance that the caller has observed a given top topic of a user in time for the epoch, drawn for
        each user, epoch and topic. Only the witness filter heeds it.
    call_day
        How many days after the start of an epoch the sites call; None is after all switch delays are over.
    decide
        The browsers' chance; by default `BulkDecisions` with the seed.

    Examples
    --------
    >>> people = Population.from_sets({"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}})
    >>> api = TopicsAPI(n_topics=5, top_s=2, noise=0)
    >>> reports = simulate(people, api, epochs=4, seed=1)
    >>> reports
    <Reports of 2 users on 2 sites: 4 epochs, and 2 before the first call>
    >>> reports.topics_shown("Alice", 0, 1), reports.topics_shown("Bob", 1, 1)
    (('Music', 'News'), ('Sports', 'Travel'))

    Raises
    ------
    ParameterError
        If a number is out of range, the API has no browser, users are merged, or there are too few epochs of
        sets.
    """
    population.check_unmerged()
    named = as_labels(range(check_whole("sites", sites, 1)) if isinstance(sites, int) else sites, "site")
    epochs = check_whole("epochs", epochs, 1)
    if isinstance(api, Cookies):
        return _cookies(population, named, epochs)
    rules, size = _rules(population, api, n_topics)
    day = None if call_day is None else float(check_number("call_day", call_day, 0, 7))
    late = rules.switch_delay and day is not None and day * DAY < _DELAY
    most = rules.epochs_per_call - (not late)
    before = most if earlier is None else check_whole("earlier", earlier, 0, most)
    codes, taxonomy = place_in_taxonomy(_sets(population, epochs + before), population.topics, size)
    browsers = _Browsers(
        codes, rules, size, _blocked(rules, taxonomy), check_probability("coverage", coverage),
        decide or BulkDecisions(seed), np.arange(population.n_users, dtype=np.uint64),
    )  # fmt: skip
    by_epoch = np.stack([browsers.reports(str(site), epochs + before) for site in named])
    delayed = None
    if late and day is not None:
        delayed = np.stack([browsers.late(str(site), before, epochs, day * DAY) for site in named])
    return Reports(
        population.users, named, taxonomy, by_epoch, before, rules.epochs_per_call, rules.each_once, delayed
    )


def _rules(population: Population, api: Api | BrowserRules, n_topics: int | None) -> tuple[BrowserRules, int]:
    if isinstance(api, TopicsAPI):
        rules, size = BrowserRules(top_s=api.top_s, noise=api.noise), n_topics or api.n_topics
    elif isinstance(api, BrowserRules):
        rules, size = api, n_topics or population.topics.size
    else:
        raise ParameterError(
            f"no browser is known that reports as {api!r}; use TopicsAPI, Cookies or BrowserRules"
        )
    if rules.top_s != population.top_s:
        raise ParameterError(
            f"top_s is {rules.top_s}, but the sets have {counted(population.top_s, 'topic')}; "
            f"take top_s={population.top_s}, or sets of {rules.top_s}"
        )
    return rules, size


def _sets(population: Population, needed: int) -> Array:
    if population.n_epochs == 1:
        return population.sets
    if population.n_epochs < needed:
        raise ParameterError(
            f"there are sets for {population.n_epochs} epochs, but {needed} are needed, those before the "
            f"first call included; simulate fewer epochs, or give sets for {needed}"
        )
    return np.asarray(population.sets[:needed])


def _blocked(rules: BrowserRules, taxonomy: Labels) -> Array | None:
    if not rules.blocked:
        return None
    blocked = np.zeros(taxonomy.size, dtype=bool)
    blocked[taxonomy.positions(rules.blocked, "topic")] = True
    return blocked


def _cookies(population: Population, sites: Labels, epochs: int) -> Reports:
    ids = np.arange(population.n_users, dtype=np.int32)[:, None]
    shape = (sites.size, population.n_users, epochs)
    names = as_labels(range(population.n_users))
    return Reports(population.users, sites, names, np.broadcast_to(ids, shape), per_call=1)


@dataclass(frozen=True, eq=False)
class _Browsers:
    """Everybody's sets, (1 or epochs, users, s), and all that reports depend on."""

    codes: Array
    rules: BrowserRules
    n_topics: int
    blocked: Array | None
    coverage: Real
    decide: BulkDecide
    users: Array

    def reports(self, site: str, n_epochs: int) -> Array:
        """Return what a site gets of everybody, (users, epochs)."""
        where = site if self.rules.per_site else ""
        columns = [self._report(where, epoch) for epoch in range(n_epochs)]
        return np.stack(columns, axis=1)

    def late(self, site: str, before: int, n_epochs: int, second: float) -> Array:
        """Tell which calls, so many seconds into their epoch, come before the switch to it."""
        delays = [self._draw(SWITCH, before + epoch, site, _DELAY) for epoch in range(n_epochs)]
        return np.stack(delays, axis=1) >= second

    def _report(self, site: str, epoch: int) -> Array:
        index = self._draw(INDEX, epoch, site, self.rules.top_s)
        sets = self.codes[epoch % self.codes.shape[0]]
        topic = sets[self.users.astype(np.intp), index].astype(np.int32)
        noisy = is_noise(self.decide(NOISE, epoch, site, self.users), self.rules.noise)
        got = self._got(topic, index, epoch)
        if got is not None and self.rules.noise_after_filter:
            noisy &= got
        if got is not None:
            topic[~got] = _NOTHING
        hit = np.flatnonzero(noisy)
        topic[hit] = self.decide(RANDOM, epoch, site, self.users[hit]) % np.uint64(self.n_topics)
        return np.asarray(topic, dtype=np.int16 if self.n_topics <= np.iinfo(np.int16).max else np.int32)

    def _got(self, topic: Array, index: Array, epoch: int) -> Array | None:
        """Tell whose topic passes the filter and is not blocked; None is everybody's."""
        got = None if self.blocked is None else ~self.blocked[topic]
        if not self.rules.witness_filter or self.coverage == 1:
            return got
        witnessed = np.empty(topic.shape, dtype=bool)
        limit = int(self.coverage * 2**32)
        for place in range(self.rules.top_s):  # the same for all sites, since it is one caller
            here = np.flatnonzero(index == place)
            witnessed[here] = self._draw(f"{WITNESS}|{place}", epoch, "", 2**32, self.users[here]) < limit
        return witnessed if got is None else got & witnessed

    def _draw(self, label: str, epoch: int, site: str, size: int, users: Any = None) -> Array:
        decisions = self.decide(label, epoch, site, self.users if users is None else users)
        return np.asarray(decisions % np.uint64(size)).astype(np.int64)
