"""Small worlds for the budget checker: impressions and queries in three epochs, and what comes of them."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from quiff.attribution.browser import Browser
from quiff.attribution.options import DAY, MICRO, Config, Impression
from quiff.attribution.rules import Rules

EPOCHS = 3
SITES = ("a.example", "b.example")
_PUBLISHER, _SERVICE = "publisher.example", "https://agg-service.example"
_START, _STEP = 60 * DAY, 60  # seconds of the first event, and from one to the next of its epoch
_WEEK = 7 * DAY
_UNSET = -1  # of a global budget, in budgets that can be put in order

Path: TypeAlias = tuple[float, Any, tuple[Any, ...]]  # probability, budgets, what was drawn at random


class Seen(NamedTuple):
    """An impression of a world: its epoch, and its bucket; one that is out of range is -1."""

    epoch: int
    bucket: int


class Query(NamedTuple):
    """A conversion of a world, whose value is 1: asked in an epoch, by a site.

    Its lookback is a day, so that it is one of a single epoch, or 30; its credit is [1] or [1, 1]; it asks
    for an epsilon that takes `share` of a site's budget.
    """

    epoch: int
    site: int
    single: bool
    touches: int
    share: float

    @property
    def epsilon(self) -> float:
        """A conversion of a single epoch is charged half of its epsilon."""
        return self.share * (2 if self.single else 1)


World: TypeAlias = tuple[Seen | Query, ...]


def global_budgets(size: int) -> dict[str, Config]:
    """Return the two settings: a global budget as small as a site's own, and one that is never reached.

    A site's budget is 1, and a query takes at most 2 of what is shared. Quotas are never reached: they have
    no privacy unit of their own, and there is one impression site, whose quota would hide the global budget.
    """
    return {
        name: Config(
            epoch_start=0.5,
            max_histogram_size=size + 1,
            impression_site_quota_per_epoch=2 * size * MICRO,
            global_privacy_budget_per_epoch=multiple * MICRO,
        )
        for name, multiple in (("equal to a site's", 1), ("never reached", 2 * size))
    }


def moments(world: World) -> Iterator[int]:
    """Yield the second of each event: those of an epoch follow each other in the middle of a week."""
    for place, event in enumerate(world):
        yield _START + _WEEK * event.epoch + _STEP * place


def query_options(query: Query, size: int) -> dict[str, Any]:
    """Return the options of a query as the model takes them."""
    return {
        "aggregation_service": _SERVICE,
        "histogram_size": size,
        "epsilon": query.epsilon,
        "lookback_days": 1 if query.single else 30,
        "credit": (1,) * query.touches,
    }


def index_of(seen: Seen, size: int) -> int:
    """Return the histogram index of an impression."""
    return size if seen.bucket < 0 else seen.bucket


def events_of(world: World, config: Config, size: int, removed: int | None = None) -> dict[str, object]:
    """Return a world as the content of a file of events, with or without the impressions of an epoch."""
    events: list[dict[str, Any]] = []
    for event, second in zip(world, moments(world), strict=True):
        if isinstance(event, Seen):
            options: dict[str, Any] = {"histogramIndex": index_of(event, size)}
            about = {"event": "saveImpression", "site": _PUBLISHER, "options": options}
        else:
            options = {
                "aggregationService": _SERVICE,
                "histogramSize": size,
                "epsilon": event.epsilon,
                "lookbackDays": 1 if event.single else 30,
                "credit": [1] * event.touches,
            }
            about = {"event": "measureConversion", "site": SITES[event.site], "options": options}
        if not (isinstance(event, Seen) and event.epoch == removed):
            events.append({"seconds": second, **about})
    given = {
        "aggregationServices": {_SERVICE: "dap-18-histogram"},
        "epochStart": config.epoch_start,
        "maxHistogramSize": config.max_histogram_size,
        "perSitePrivacyBudget": config.per_site_privacy_budget,
        "impressionSiteQuotaPerEpoch": config.impression_site_quota_per_epoch,
        "globalPrivacyBudgetPerEpoch": config.global_privacy_budget_per_epoch,
    }
    return {"config": given, "events": events}


class Outcomes:
    """What the model answers to a query, over all roundings: remembered, since few questions are different.

    Budgets that are never reached are forgotten. What is left is, for each site and then for all together,
    the entries of its store.
    """

    def __init__(self, config: Config, rules: Rules, size: int) -> None:
        self.config, self.rules, self.size = config, rules, size
        self._shared = config.global_privacy_budget_per_epoch < 2 * size * MICRO
        self._remembered = cache(self._asked)
        self._of_first = cache(lambda query: query._replace(site=0))

    def of(
        self, seen: tuple[Seen, ...], budgets: Any, query: Query
    ) -> Iterator[tuple[float, tuple[int, ...], Any]]:
        """Yield probability, histogram and budgets afterwards of each outcome."""
        own, shared = budgets[query.site], budgets[-1]
        for probability, histogram, after, remains in self._remembered(
            seen, own, shared, self._of_first(query)
        ):
            sites = tuple(after if site == query.site else budgets[site] for site in range(len(SITES)))
            yield probability, histogram, (*sites, remains)

    def _asked(
        self, seen: tuple[Seen, ...], own: Any, shared: Any, query: Query
    ) -> tuple[tuple[float, tuple[int, ...], Any, Any], ...]:
        saved = [self._impression(each, place) for place, each in enumerate(seen)]
        now = _START + _WEEK * query.epoch + _STEP * len(seen)
        options = query_options(query, self.size)

        def run(flip: Callable[[float], bool]) -> tuple[tuple[int, ...], Any, Any]:
            browser = Browser(self.config, self.rules, flip=flip)
            browser.epoch_start = _START - _WEEK // 2
            browser.impressions = saved
            browser.site_budgets = {(epoch, SITES[0]): left for epoch, left in own}
            browser.global_budgets = {epoch: None if left == _UNSET else left for epoch, left in shared}
            report = browser.measure_conversion(now, SITES[0], **options)
            after = tuple(sorted((epoch, left) for (epoch, _), left in browser.site_budgets.items()))
            stored = browser.global_budgets if self._shared else {}
            remains = tuple(sorted((e, _UNSET if left is None else left) for e, left in stored.items()))
            return tuple(report.histogram), after, remains

        found: dict[tuple[tuple[int, ...], Any, Any], float] = {}
        for probability, outcome in over_all_flips(run):
            found[outcome] = found.get(outcome, 0.0) + probability
        return tuple((probability, *outcome) for outcome, probability in found.items())

    def _impression(self, seen: Seen, place: int) -> Impression:
        none: frozenset[str] = frozenset()
        when = _START + _WEEK * seen.epoch + _STEP * place
        return Impression(0, _PUBLISHER, None, none, none, when, 30 * DAY, index_of(seen, self.size), 0)


def over_all_flips(run: Callable[[Callable[[float], bool]], Any]) -> Iterator[tuple[float, Any]]:
    """Yield what comes of a run for each way in which its flips may fall, with the probability of that.

    Examples
    --------
    >>> list(over_all_flips(lambda flip: flip(0.25) and flip(0.5)))
    [(0.125, True), (0.125, False), (0.75, False)]
    """
    waiting: list[list[bool]] = [[]]
    while waiting:
        fallen = waiting.pop()
        taken: list[bool] = []
        probability = 1.0

        def flip(p: float, fallen: list[bool] = fallen, taken: list[bool] = taken) -> bool:
            nonlocal probability
            if len(taken) < len(fallen):
                falls = fallen[len(taken)]
            else:
                falls = p > 0
                if 0 < p < 1:
                    waiting.append([*taken, False])
            taken.append(falls)
            probability *= p if falls else 1 - p
            return falls

        outcome = run(flip)
        yield probability, outcome


def queries(epoch: int, sites: Sequence[int]) -> Iterator[Query]:
    """Yield the queries that may be asked in an epoch."""
    for site in sites:
        for single in (False, True):
            for touches in (1, 2):
                for share in (1.0, 0.5):
                    yield Query(epoch, site, single, touches, share)
