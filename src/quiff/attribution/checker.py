"""The budget checker: all small worlds are searched for one whose epoch reveals more than its budget.

Two worlds are neighbours if one has no impressions in some epoch and is otherwise the same. With Laplace
noise of scale s on every bucket, histograms h and h' are |h - h'|_1 / s apart in log-likelihood. Where credit
is rounded at random, the laws are mixtures, and the supremum of their log-ratio is found exactly: between the
values of the histograms, the ratio is monotone in each bucket's noisy value, so that it is largest at them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import comb
from typing import Any, NamedTuple, final

import numpy as np

from quiff.attribution.options import MICRO, Config
from quiff.attribution.rules import Rules
from quiff.attribution.worlds import (
    EPOCHS,
    INTERMEDIARY,
    PUBLISHERS,
    SITES,
    Outcomes,
    Path,
    Query,
    Seen,
    World,
    queries,
    shared_limits,
)
from quiff.progress import tell

TOLERANCE = 1e-9
_OPTIONS = 16  # queries in an epoch
_START: tuple[Path, ...] = ((1.0, (*((),) * len(SITES), ((), ())), ()),)


class Pair(NamedTuple):
    """A world and its neighbour: their runs, and the loss so far to each site where neither is random."""

    here: tuple[Path, ...]
    there: tuple[Path, ...]
    losses: tuple[float, ...]


class Node(NamedTuple):
    """Worlds that cannot be told apart any more: impressions, and by removed epoch the number of the pair."""

    seen: tuple[Seen, ...]
    pairs: tuple[int | None, ...]
    epoch: int = 0  # of the last event


@final
@dataclass(frozen=True)
class Violation:
    """A world whose impressions of one epoch reveal more than that epoch's budget."""

    world: World
    removed: int  # the epoch that its neighbour is without
    observer: str  # a site, or all sites
    loss: float
    budget: float
    shared: str  # the setting of shared limits
    config: Config

    def events(self) -> Iterator[list[int | str]]:
        """Yield epoch and words of each event of the world."""
        asked = [event for event in self.world if isinstance(event, Query)]
        several = any(isinstance(event, Seen) and event.publisher for event in self.world)
        for event in self.world:
            when = ""
            if event.when is not None:
                when = f", if {SITES[asked[event.when].site]} saw more than 1/2 in bucket 0"
            if isinstance(event, Seen):
                bucket = "out of range" if event.bucket < 0 else f"bucket {event.bucket}"
                gone = ", not in the neighbour" if event.epoch == self.removed else ""
                place = f" on {PUBLISHERS[event.publisher]}" if several else ""
                yield [event.epoch, f"impression{place}, {bucket}{gone}{when}"]
            else:
                window, credit = "1 day" if event.single else "30 days", ", ".join(["1"] * event.touches)
                options = f"epsilon {event.epsilon:g}, {window}, credit [{credit}]"
                yield [event.epoch, f"query of {SITES[event.site]}: {options}{when}"]


@final
@dataclass(frozen=True)
class Checked:
    """What the checker found: the worlds up to `size`, before and after symmetry, and the smallest violation.

    `pairs` of neighbours were compared. `largest` is the largest loss as a share of the budget;
    `finished` is False if the limit came first.
    """

    rules: Rules
    size: int
    worlds: int
    canonical: int
    pairs: int
    largest: float
    violation: Violation | None
    finished: bool


def check_worlds(
    size: int,
    rules: Rules,
    *,
    limit: int | None = None,
    symmetry: bool = True,
    publishers: int = 1,
) -> Checked:
    """Check all worlds of at most `size` impressions and queries, in order of their number of events.

    Parameters
    ----------
    size
        At most so many impressions, and so many queries.
    rules
        The rules of the model.
    limit
        Go through at most so many worlds.
    symmetry
        Whether worlds that are alike but for names, or for events without effect, are checked once.
    publishers
        On how many sites impressions are; with two, their quotas are as small as a site's budget.

    Examples
    --------
    >>> from quiff.attribution.rules import DRAFT, rules_named
    >>> check_worlds(1, DRAFT).violation is None
    True
    >>> found = check_worlds(2, rules_named("unset-global")).violation
    >>> found.observer, found.loss, found.budget
    ('all sites', 1.5, 1.0)
    """
    search = _Search(size, rules, symmetry, limit or 2**62, publishers)
    levels: dict[str, Level] = {name: {search.start: ((), 0, 1)} for name in search.configs}
    for events in range(1, 2 * size + 1):
        for name in levels:
            part = f"{events} of {2 * size} events, global budget {name}"
            levels[name] = search.extend(levels[name], name, part)
            if search.stopped:
                break
        if search.stopped:
            break
    return Checked(
        rules,
        size,
        len(levels) * raw_worlds(size, publishers),
        search.worlds,
        search.compared,
        search.largest,
        search.violation,
        not search.stopped or search.violation is not None,
    )


def raw_worlds(size: int, publishers: int = 1) -> int:
    """Return how many worlds there are for one setting of the shared limits, as they are written down.

    With i impressions and q queries: which events are which, nondecreasing epochs, buckets, sites, options.
    """
    kinds = (size + 1) * publishers
    return sum(
        comb(i + q, i) * comb(i + q + EPOCHS - 1, EPOCHS - 1) * kinds**i * _OPTIONS**q
        for i in range(size + 1)
        for q in range(size + 1)
        if i + q
    )


Level = dict[
    Node, tuple[World, int, int]
]  # by node one of its worlds, its queries, how many worlds there are


class _Search:
    """The search, level by level of the number of events, so that the first violation is a smallest one."""

    start = Node((), (None,) * EPOCHS)

    def __init__(self, size: int, rules: Rules, symmetry: bool, limit: int, publishers: int = 1) -> None:
        self.size, self.symmetry, self.limit, self.publishers = size, symmetry, limit, publishers
        self.rules = rules
        self.configs = shared_limits(size, rules, publishers)
        self.answers = {name: Outcomes(config, rules, size) for name, config in self.configs.items()}
        self.worlds = 0
        self.largest = 0.0
        self.violation: Violation | None = None
        self.pairs: list[Pair] = []
        self._numbers: dict[Pair, int] = {}
        self.compared = 0
        self._passed: dict[str, set[Pair]] = {name: set() for name in self.configs}  # judged already
        self._known: dict[str, set[tuple[Any, ...]]] = {name: set() for name in self.configs}

    @property
    def stopped(self) -> bool:
        """Whether a violation was found, or the limit reached."""
        return self.violation is not None or self.worlds >= self.limit

    def extend(self, level: Level, name: str, part: str) -> Level:
        """Return the next level, and note what is found in it."""
        found: Level = {}
        known = self._known[name]
        for done, (node, (world, asked, count)) in enumerate(level.items()):
            if done % 256 == 0:
                tell(part, done / len(level))
            for event in self._events(node, asked):
                self.worlds += count
                if isinstance(event, Seen):
                    after, now_asked = self._saved(node, event), asked
                else:
                    pairs, now_asked = self._asked(node, event, name), asked + 1
                    self._judge(pairs, (*world, event), name)
                    if self.stopped:
                        return found
                    if now_asked == self.size:  # no more can come of it
                        continue
                    numbers = tuple(None if pair is None else self._number(pair) for pair in pairs)
                    after = Node(node.seen, numbers, 0 if self.symmetry else event.epoch)
                if self.stopped:
                    return found
                if after in found:
                    first, _, times = found[after]
                    found[after] = (first, now_asked, times + count)
                elif after not in known:  # with fewer events
                    found[after] = ((*world, event), now_asked, count)
        known.update(found)
        return found

    def _events(self, node: Node, asked: int) -> Iterator[Seen | Query]:
        """Yield the events that may come next."""
        last = max((each.epoch for each in node.seen), default=-1)
        if self.symmetry:
            # Buckets and epochs are numbered as they come; the first site to ask is the first. A query is
            # asked in the epoch of the last impression: later, it would see the same, or nothing.
            buckets = range(-1, min(max((each.bucket for each in node.seen), default=-1) + 2, self.size))
            epochs = range(max(last, 0), min(last + 2, EPOCHS))
            sites, now = range(2 if asked else 1), [last] if node.seen else []
            publishers = min(max((each.publisher for each in node.seen), default=-1) + 2, self.publishers)
        else:
            buckets, epochs, sites = range(-1, self.size), range(node.epoch, EPOCHS), range(2)
            now, publishers = list(epochs), self.publishers
        if len(node.seen) < self.size:
            for epoch, bucket, publisher in product(epochs, buckets, range(publishers)):
                yield Seen(epoch, bucket, publisher=publisher)
        for epoch in now:
            yield from queries(epoch, sites)

    def _number(self, pair: Pair) -> int:
        if pair not in self._numbers:
            self._numbers[pair] = len(self.pairs)
            self.pairs.append(pair)
        return self._numbers[pair]

    def _saved(self, node: Node, seen: Seen) -> Node:
        """Add an impression; until the first of an epoch, world and neighbour were the same."""
        pairs = list(node.pairs)
        if pairs[seen.epoch] is None:
            paths = next((self.pairs[pair].here for pair in pairs if pair is not None), _START)
            pairs[seen.epoch] = self._number(Pair(paths, paths, (0.0,) * len(SITES)))
        return Node((*node.seen, seen), tuple(pairs), 0 if self.symmetry else seen.epoch)

    def _asked(self, node: Node, query: Query, name: str) -> list[Pair | None]:
        """Add a query to each pair."""
        answers = self.answers[name]
        pairs: list[Pair | None] = [None] * EPOCHS
        for removed, number in enumerate(node.pairs):
            if number is not None:
                here, there, losses = self.pairs[number]
                left = tuple(each for each in node.seen if each.epoch != removed)
                ours, theirs = _runs(here, node.seen, query, answers), _runs(there, left, query, answers)
                pairs[removed] = _paired(ours, theirs, query, losses)
                self.compared += 1
        return pairs

    def _judge(self, pairs: list[Pair | None], world: World, name: str) -> None:
        """Compare the losses of each site, and of all together, with the budgets."""
        config = self.configs[name]
        site, shared = config.per_site_privacy_budget / MICRO, config.global_privacy_budget_per_epoch / MICRO
        alone: tuple[tuple[int | None, str, float], ...] = ((0, SITES[0], site), (1, SITES[1], site))
        if self.rules.budget_of == "caller":  # which sees what all sites ask through it
            alone = ((None, INTERMEDIARY, site),)
        budgets = (*alone, (None, "all sites", shared))
        passed = self._passed[name]
        for removed, pair in enumerate(pairs):
            if pair is None or pair in passed:
                continue
            passed.add(pair)
            for who, observer, budget in budgets:
                loss = _loss(pair, who)
                self.largest = max(self.largest, loss / budget)
                if loss > budget + TOLERANCE:
                    self.violation = Violation(world, removed, observer, loss, budget, name, config)
                    return


def _loss(pair: Pair, observer: int | None) -> float:
    """Return the supremum of the log-ratio over what a site sees, or over what all see."""
    here, there, losses = pair
    certain = sum(losses) if observer is None else losses[observer]
    return certain + supremum(_law(here, observer), _law(there, observer))


Law = tuple[
    tuple[tuple[tuple[float, tuple[int, ...]], ...], float], ...
]  # (epsilon, histogram) of queries, p


def _law(paths: tuple[Path, ...], observer: int | None) -> Law:
    """Return the law of what an observer sees before noise."""
    law: dict[Any, float] = {}
    for probability, _, drawn in paths:
        seen = tuple((epsilon, h) for site, epsilon, h in drawn if observer in (None, site))
        law[seen] = law.get(seen, 0.0) + probability
    return tuple(sorted(law.items()))


@lru_cache(maxsize=1 << 16)
def supremum(here: Law, there: Law) -> float:
    """Return the largest |log-ratio| of two mixtures of Laplace laws, of scale 2/epsilon in every bucket.

    Examples
    --------
    >>> one, none = (((1.0, (1,)),), 1.0), (((1.0, (0,)),), 1.0)
    >>> supremum((one,), (none,)), supremum((one,), (one,))
    (0.5, 0.0)
    """
    if here == there:
        return 0.0
    rows = [[x for _, h in seen for x in h] for seen, _ in (*here, *there)]
    rates = [epsilon / 2 for epsilon, h in here[0][0] for _ in h]
    values = np.array(rows, dtype=float)
    weights = np.array([p for _, p in (*here, *there)])[None, :]
    for column, rate in zip(values.T, rates, strict=True):
        points = np.unique(column)
        if points.size > 1:  # at each vertex so far, go on to each value of this bucket
            densities = np.exp(-rate * np.abs(points[:, None] - column[None, :]))
            weights = (weights[:, None, :] * densities[None, :, :]).reshape(-1, column.size)
    split = len(here)
    ratios = np.log(weights[:, :split].sum(axis=1)) - np.log(weights[:, split:].sum(axis=1))
    return float(np.abs(ratios).max())


def _runs(
    paths: tuple[Path, ...], seen: tuple[Seen, ...], query: Query, answers: Outcomes
) -> list[tuple[float, tuple[int, ...], Any, tuple[Any, ...]]]:
    return [
        (probability * chance, histogram, budgets, drawn)
        for probability, before, drawn in paths
        for chance, histogram, budgets in answers.of(seen, before, query)
    ]


def _paired(here: list[Any], there: list[Any], query: Query, losses: tuple[float, ...]) -> Pair:
    """Add a query's outcomes: to the loss if each world has one histogram for it, else to what was drawn."""
    ours, theirs = {run[1] for run in here}, {run[1] for run in there}
    certain = len(ours) == len(theirs) == 1
    if certain:
        distance = sum(abs(x - y) for x, y in zip(*ours, *theirs, strict=True))
        losses = tuple(
            loss + distance * query.epsilon / 2 if site == query.site else loss
            for site, loss in enumerate(losses)
        )
    return Pair(_merged(here, query, certain), _merged(there, query, certain), losses)


def _merged(runs: list[Any], query: Query, certain: bool) -> tuple[Path, ...]:
    paths: dict[tuple[Any, tuple[Any, ...]], float] = {}
    for probability, histogram, budgets, drawn in runs:
        key = (budgets, drawn if certain else (*drawn, (query.site, query.epsilon, histogram)))
        paths[key] = paths.get(key, 0.0) + probability
    return tuple(sorted(((p, *key) for key, p in paths.items()), key=lambda path: path[1:]))
