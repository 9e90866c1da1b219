"""Many browsers at once: from a population's top sets to what sites get of everybody."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from quiff.apis.base import Api, checked_api, checked_people
from quiff.apis.taxonomy import place_in_taxonomy
from quiff.apis.topics import TopicsAPI
from quiff.browser.browser import DAY
from quiff.browser.decisions import INDEX, NOISE, RANDOM, SWITCH, WITNESS, BulkDecide, BulkDecisions, is_noise
from quiff.browser.reports import Reports
from quiff.browser.rules import BrowserRules
from quiff.core.channel import Channel
from quiff.core.labels import Labels, as_labels
from quiff.core.numbers import Array
from quiff.errors import ParameterError, counted
from quiff.people.population import Population
from quiff.theory.parameters import MOST_OBSERVATIONS, Real, check_number, check_probability, check_whole
from quiff.weeks.sequences import changing

_DELAY = 2 * DAY
_NOTHING = -1
_LISTED = 10_000  # outputs that are all named, whether they are drawn or not


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
    """Draw what some sites observe of everybody, once in each of some epochs.

    Topics come from browsers by the rules of their specification, or other rules that are given as the API.
    The sets of the population are the browsers' top sets; one caller is on all sites, and what it gets
    depends on user, site and epoch alone. Padding and utility buckets are at work when visits become sets
    (see `profiles_from_rates`), not here.

    Of every other API the outputs are drawn from its channel: for each site and epoch anew, but where nothing
    is drawn anew once for each site, or once for all if a site is not what one observation is about.

    Parameters
    ----------
    population
        The users, with attributes that are stable or one value per epoch.
    api
        The API; or rules of a browser.
    epochs
        E, in how many epochs the sites call; how often they observe each user.
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
        The probability that the caller has observed a given top topic of a user in time for the epoch, drawn
        for each user, epoch and topic. Only the witness filter heeds it.
    call_day
        How many days after the start of an epoch the sites call; None is after all switch delays are over.
    decide
        The browsers' randomness; by default `BulkDecisions` with the seed.

    Examples
    --------
    >>> people = Population.from_sets({"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}})
    >>> reports = simulate(people, TopicsAPI(n_topics=5, top_s=2, noise=0), epochs=4, seed=1)
    >>> reports
    <Reports of 2 users on 2 sites: 4 epochs, and 2 before the first call>
    >>> reports.topics_shown("Alice", 0, 1), reports.topics_shown("Bob", 1, 1)
    (('Music', 'News'), ('Sports', 'Travel'))
    """
    checked_people(population).check_unmerged()
    named = as_labels(range(check_whole("sites", sites, 1)) if isinstance(sites, int) else sites, "site")
    epochs = check_whole("epochs", epochs, 1, MOST_OBSERVATIONS)
    if not isinstance(api, BrowserRules | TopicsAPI):
        api = checked_api(api)
        given = {"earlier": earlier, "n_topics": n_topics, "call_day": call_day, "decide": decide}
        useless = next((name for name, value in given.items() if value is not None), None)
        if useless is not None or coverage != 1:
            raise ParameterError(f"{useless or 'coverage'} is for browsers that show topics, not {api.title}")
        return _drawn(population, api, named, epochs, seed)
    rules, size = _rules(population, api, n_topics)
    day = None if call_day is None else float(check_number("call_day", call_day, 0, 7))
    late = rules.switch_delay and day is not None and day * DAY < _DELAY
    most = rules.epochs_per_call - (not late)
    before = most if earlier is None else check_whole("earlier", earlier, 0, most)
    needed = epochs + before if population.n_epochs == 1 else _enough(population, epochs + before)
    codes, taxonomy = place_in_taxonomy(population.sets[:needed], population.topics, size)
    blocked = np.isin(np.arange(size), taxonomy.positions(rules.blocked, "topic")) if rules.blocked else None
    browsers = _Browsers(
        codes, rules, size, blocked, check_probability("coverage", coverage),
        decide or BulkDecisions(seed), np.arange(population.n_users, dtype=np.uint64),
    )  # fmt: skip
    by_epoch = np.stack([browsers.reports(str(site), epochs + before) for site in named])
    delayed = None
    if late and day is not None:
        delayed = np.stack([browsers.late(str(site), before, epochs, day * DAY) for site in named])
    return Reports(
        population.users, named, taxonomy, by_epoch, before, rules.epochs_per_call, rules.each_once, delayed
    )


def browser_of(
    population: Population, api: Api, without: Iterable[str] = (), blocked: Iterable[str] = ()
) -> dict[str, Any] | None:
    """Return the browser that serves an API as arguments of `simulate`, some rules off; None if none does."""
    if not isinstance(api, TopicsAPI):
        return None
    ready = api.fit(population)
    rules = BrowserRules.of(population.topics, ready.top_s, ready.noise, without, blocked)
    return {"api": rules, "n_topics": ready.n_topics}


def _rules(
    population: Population, api: TopicsAPI | BrowserRules, n_topics: int | None
) -> tuple[BrowserRules, int]:
    if isinstance(api, TopicsAPI):
        rules, size = BrowserRules(top_s=api.top_s, noise=api.noise), n_topics or api.n_topics
    else:
        rules, size = api, n_topics or population.topics.size
    if rules.top_s != population.top_s:
        raise ParameterError(
            f"top_s is {rules.top_s}, but the sets have {counted(population.top_s, 'topic')}; "
            f"take top_s={population.top_s}, or sets of {rules.top_s}",
            what="top_s",
            value=rules.top_s,
            allowed=f"{population.top_s}",
        )
    return rules, size


def _enough(population: Population, needed: int) -> int:
    """Return how many epochs are needed, if there are sets for as many."""
    if population.n_epochs < needed:
        raise ParameterError(
            what="the number of epochs of the sets",
            value=population.n_epochs,
            allowed=f"at least {needed}, those before the first call included",
        )
    return needed


def _drawn(people: Population, api: Api, sites: Labels, epochs: int, seed: int | None) -> Reports:
    """Draw from the channel of an API, each user's row of it."""
    rng = np.random.default_rng(None if seed is None else check_whole("seed", seed, 0))
    ready, users = api.fit(people), np.arange(people.users.size)
    if changing(people, ready):
        weeks, secret = [ready.channel(people.epoch(k)) for k in range(_enough(people, epochs))], None
    else:
        secret = ready.secret(people)
        weeks = [ready.observe(secret.outputs)] * epochs
    rows = users if secret is None else secret.kernel.sample(users, rng)
    fixed = ready.redraws == "nothing"
    apart = not fixed or api.unit.where == "one site"
    shown: list[list[Array]] = []
    for _ in range(sites.size if apart else 1):
        seen: list[Array] = []
        for k, C in enumerate(weeks):
            if secret is not None and ready.redraws == "secret":
                rows = secret.kernel.sample(users, rng)
            again = k > 0 and fixed and C is weeks[k - 1]
            seen.append(seen[-1] if again else C.kernel.sample(rows, rng))
        shown.append(seen)
    outputs, codes = _named(weeks, np.array(shown * (1 if apart else sites.size)))
    return Reports(people.users, sites, outputs, codes.transpose(0, 2, 1), per_call=1, shows="output")


def _named(weeks: list[Channel], codes: Array) -> tuple[Labels, Array]:
    """Return labels of outputs and their codes: all of one channel if these are few, else what was drawn."""
    if all(C.outputs is weeks[0].outputs for C in weeks) and weeks[0].outputs.size <= _LISTED:
        return weeks[0].outputs, codes
    place: dict[Hashable, int] = {}
    for k, C in enumerate(weeks):
        drawn, which = np.unique(codes[:, k], return_inverse=True)
        numbers = [place.setdefault(C.outputs[int(code)], len(place)) for code in drawn]
        codes[:, k] = np.array(numbers)[which].reshape(codes[:, k].shape)
    return as_labels(list(place), "output"), codes.astype(np.int64)


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
