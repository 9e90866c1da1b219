"""One browser as the public draft specification describes it: page loads, epochs, calls.

The specification is https://github.com/patcg-individual-drafts/topics at commit d5555b3 (7 November
2025). Times are whole seconds. Nothing is stored: what a browser knows follows from its page loads, and its
randomness from its key.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import final

from quiff.browser.decisions import INDEX, NOISE, PHASE_OUT, RANDOM, SWITCH, Decide, HmacDecisions, is_noise
from quiff.browser.rules import BrowserRules
from quiff.browser.topic_tree import TopicTree
from quiff.errors import ParameterError, counted

DAY = 24 * 60 * 60
WEEK = 7 * DAY
_OBSERVED = 3 * WEEK  # how long a caller's observation counts
_KEPT = 4 * WEEK  # after which everything is deleted
_DELAY = 2 * DAY  # of a site's switch to a new epoch, at most
_TIE, _PADDING = "tie-decision", "padding-decision"  # the specification leaves open how these are drawn


@final
@dataclass(frozen=True)
class PageLoad:
    """A page that was loaded, and who called the API there; it counts only if there are `callers`."""

    time: int  # in seconds
    site: str  # the registrable domain of the page
    callers: frozenset[str] = frozenset()  # those who called with observation on
    onlookers: frozenset[str] = frozenset()  # those who called with observation off
    host: str = ""  # what is classified; by default the site


@final
@dataclass(frozen=True)
class TopTopic:
    """A top topic of an epoch, None where it is blocked or there is none, and who observed it."""

    topic: Hashable | None = None
    callers: frozenset[str] = frozenset()


@final
@dataclass(frozen=True)
class Epoch:
    """The top topics of a week, computed at its end."""

    time: int
    top: tuple[TopTopic, ...]


@final
@dataclass(frozen=True, eq=False)
class Browser:
    """A browser: its taxonomy, classifier, randomness, rules, and when it computed topics first.

    Examples
    --------
    >>> tree = TopicTree.flat(["Art", "Music", "News"])
    >>> rules = BrowserRules(top_s=1, noise=0)
    >>> browser = Browser(tree, {"news.tld": ["News"]}, HmacDecisions(bytes(16)), rules)
    >>> loads = [PageLoad(3 * DAY, "news.tld", callers=frozenset({"ads.tld"}))]
    >>> [browser.call(loads, 10 * DAY, "shop.tld", caller) for caller in ("ads.tld", "other.tld")]
    [('News',), ()]
    """

    tree: TopicTree
    classification: Mapping[str, Sequence[Hashable]]  # the topics of each host that has any
    decide: Decide = field(default_factory=HmacDecisions)  # a whole number for a label, epoch's time and site
    rules: BrowserRules = field(default_factory=BrowserRules)
    start: int = 0  # when it computes top topics for the first time; then it does so every seven days

    def __post_init__(self) -> None:
        if self.rules.top_s > self.tree.topics.size:
            size = counted(self.tree.topics.size, "topic")
            raise ParameterError(
                f"top_s is {self.rules.top_s}, but the taxonomy has only {size}",
                what="top_s",
                value=self.rules.top_s,
                allowed=f"at most {size}",
            )
        topics = {topic for listed in self.classification.values() for topic in listed}
        for topic in (*topics, *self.rules.blocked):
            self.tree.topics.position(topic, "topic of the taxonomy")

    def epoch(self, loads: Iterable[PageLoad], time: int) -> Epoch:
        """Return the top topics computed at a time from the page loads before it.

        Topics are counted over seven days; callers are those of the topic or of one below it, over 21.
        """
        counts: Counter[Hashable] = Counter()
        callers: dict[Hashable, set[str]] = {}
        for load in loads:
            if not load.callers or not time - _OBSERVED <= load.time <= time:
                continue
            for topic in self.classification.get(load.host or load.site, ()):
                counts[topic] += load.time > time - WEEK
                callers.setdefault(topic, set()).update(load.callers)
        top = self._ranked(+counts, time)
        if self.rules.padding and len(top) < self.rules.top_s:
            top += self._padding(top, time)
        listed = [self._with_callers(topic, callers) for topic in top]
        return Epoch(time, (*listed, *[TopTopic()] * (self.rules.top_s - len(listed))))

    def epochs(self, loads: Sequence[PageLoad], now: int) -> tuple[Epoch, ...]:
        """Return the epochs that are kept at a time: one more than a call shows, none older than 28 days."""
        computed = (now - self.start) // WEEK + 1
        kept = range(max(computed - self.rules.epochs_per_call - 1, 0), computed)
        times = [self.start + number * WEEK for number in kept]
        return tuple(self.epoch(loads, time) for time in times if time > now - _KEPT)

    def shown(self, epochs: Sequence[Epoch], now: int, site: str) -> tuple[Epoch, ...]:
        """Return those of the kept epochs that a site sees at a time, after its delay.

        A new epoch is shown after a delay below two days, and an old one up to two days less than 28 days;
        both depend on user, site and epoch.
        """
        if not epochs:
            return ()
        newest, delay, offset = epochs[-1].time, 0, 0
        if self.rules.switch_delay:
            delay = self.decide(SWITCH, newest, site) % _DELAY
            offset = self.decide(PHASE_OUT, newest, site) % _DELAY
        late = self.rules.switch_delay and now <= newest + delay
        end = len(epochs) - late
        window = epochs[max(end - self.rules.epochs_per_call, 0) : end]
        return tuple(epoch for epoch in window if epoch.time >= now - _KEPT + offset)

    def report(self, epoch: Epoch, site: str, caller: str) -> Hashable | None:
        """Return the topic of one epoch that a caller gets on a site, or None.

        One of the s top topics, if the caller is among its callers; then noise.
        """
        where = site if self.rules.per_site else ""
        chosen = epoch.top[self.decide(INDEX, epoch.time, where) % self.rules.top_s]
        noisy = is_noise(self.decide(NOISE, epoch.time, where), self.rules.noise)
        got = chosen.topic is not None and (caller in chosen.callers or not self.rules.witness_filter)
        if noisy and (got or not self.rules.noise_after_filter):
            return self.tree.topics[self.decide(RANDOM, epoch.time, where) % self.tree.topics.size]
        return chosen.topic if got else None

    def call(self, loads: Sequence[PageLoad], now: int, site: str, caller: str) -> tuple[Hashable, ...]:
        """Return what a caller gets on a site at a time: topics in the order of the taxonomy, each once."""
        epochs = self.shown(self.epochs(loads, now), now, site)
        topics = [self.report(epoch, site, caller) for epoch in epochs]
        got = [topic for topic in topics if topic is not None]
        return tuple(sorted(set(got), key=self.tree.topics.position)) if self.rules.each_once else tuple(got)

    def _ranked(self, counts: Counter[Hashable], time: int) -> list[Hashable]:
        """Return up to s topics by utility, then count, then at random."""
        first = self.tree.high_utility if self.rules.utility_buckets else frozenset()

        def place(topic: Hashable) -> tuple[bool, int, int]:
            return topic not in first, -counts[topic], self.decide(f"{_TIE}|{topic}", time, "")

        return sorted(counts, key=place)[: self.rules.top_s]

    def _padding(self, top: Sequence[Hashable], time: int) -> list[Hashable]:
        """Return random other topics that bring the number to s."""
        others = [topic for topic in self.tree.topics if topic not in top]
        return [
            others.pop(self.decide(f"{_PADDING}|{place}", time, "") % len(others))
            for place in range(len(top), self.rules.top_s)
        ]

    def _with_callers(self, topic: Hashable, callers: Mapping[Hashable, set[str]]) -> TopTopic:
        """Return a topic with all who observed it or one below it; what is blocked is cleared."""
        if topic in self.rules.blocked:
            return TopTopic()
        family = self.tree.with_descendants(topic) - self.rules.blocked
        return TopTopic(topic, frozenset().union(*(callers.get(member, set()) for member in family)))
