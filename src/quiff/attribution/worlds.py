"""Small worlds for the budget checker: impressions and queries in three epochs, and what comes of them."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from quiff.attribution.browser import Browser
from quiff.attribution.options import DAY, MICRO, Config, Impression
from quiff.attribution.rules import Rules

EPOCHS = 3
SITES = ("a.example", "b.example")
PUBLISHERS = ("publisher.example", "magazine.example")
INTERMEDIARY = "adtech.example"  # through which sites ask where it has the budget
_SERVICE = "https://agg-service.example"
_START, _STEP = 60 * DAY, 60  # seconds of the first event, and from one to the next of its epoch
_UNSET = -1  # of a global budget, in budgets that can be put in order

Path: TypeAlias = tuple[float, Any, tuple[Any, ...]]  # probability, budgets, what was drawn at random


class Seen(NamedTuple):
    """An impression of a world: its epoch, and its bucket; one that is out of range is -1.

    `when` numbers the query on whose noisy result it depends, if there is one; `publisher` its site.
    """

    epoch: int
    bucket: int
    when: int | None = None
    publisher: int = 0


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
    when: int | None = None

    @property
    def epsilon(self) -> float:
        """A conversion of a single epoch is charged half of its epsilon."""
        return self.share * (2 if self.single else 1)


World: TypeAlias = tuple[Seen | Query, ...]


def shared_limits(size: int, rules: Rules, publishers: int = 1) -> dict[str, Config]:
    """Return the settings of what sites share: a site's own budget is 1, and a query takes at most 2 of it.

    With one impression site, a global budget as small as a site's own, and one that is never reached; its
    quota would hide them, and is never reached. With several, their quotas are as small as a site's budget.
    """
    never = 2 * size
    settings = {"equal to a site's": (1, never), "never reached": (never, never)}
    if publishers > 1:
        settings = {"never reached, quotas equal to a site's": (never, 1)}
    return {
        name: Config(
            epoch_start=0.5,
            max_histogram_size=size + 1,
            privacy_budget_epoch_days=rules.epoch_days or 7,
            impression_site_quota_per_epoch=quota * MICRO,
            global_privacy_budget_per_epoch=multiple * MICRO,
        )
        for name, (multiple, quota) in settings.items()
    }


def moment(epoch: int, place: int, days: int) -> int:
    """Return the second of an event: those of an epoch follow each other in its middle."""
    return _START + days * DAY * epoch + _STEP * place


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


def events_of(
    world: World, config: Config, size: int, removed: int | None = None, *, through: str | None = None
) -> dict[str, object]:
    """Return a world as a file of events, with or without the impressions of an epoch.

    Sites may ask through an intermediary.
    """
    events: list[dict[str, Any]] = []
    for place, event in enumerate(world):
        if isinstance(event, Seen):
            options: dict[str, Any] = {"histogramIndex": index_of(event, size)}
            about = {"event": "saveImpression", "site": PUBLISHERS[event.publisher], "options": options}
        else:
            options = {
                "aggregationService": _SERVICE,
                "histogramSize": size,
                "epsilon": event.epsilon,
                "lookbackDays": 1 if event.single else 30,
                "credit": [1] * event.touches,
            }
            about = {"event": "measureConversion", "site": SITES[event.site], "options": options}
            if through is not None:
                about["intermediarySite"] = through
        if event.when is not None:
            about["when"] = {"conversion": event.when, "bucket": 0, "above": 0.5}
        if not (isinstance(event, Seen) and event.epoch == removed):
            second = moment(event.epoch, place, config.privacy_budget_epoch_days)
            events.append({"seconds": second, **about})
    given = {
        "aggregationServices": {_SERVICE: "dap-18-histogram"},
        "epochStart": config.epoch_start,
        "privacyBudgetEpochDays": config.privacy_budget_epoch_days,
        "maxHistogramSize": config.max_histogram_size,
        "perSitePrivacyBudget": config.per_site_privacy_budget,
        "impressionSiteQuotaPerEpoch": config.impression_site_quota_per_epoch,
        "globalPrivacyBudgetPerEpoch": config.global_privacy_budget_per_epoch,
    }
    return {"config": given, "events": events}


class Outcomes:
    """What the model answers to a query, over all roundings: remembered, since few questions are different.

    Budgets that are never reached are forgotten. What is left is, for each site and then for all together,
    the entries of its store; all together have that of the global budget and that of quotas.
    """

    def __init__(self, config: Config, rules: Rules, size: int) -> None:
        self.config, self.rules, self.size = config, rules, size
        self._global = config.global_privacy_budget_per_epoch < 2 * size * MICRO
        self._quotas = config.impression_site_quota_per_epoch < 2 * size * MICRO
        self._remembered = cache(self._asked)
        self._of_first = cache(lambda query: query._replace(site=0))

    def of(
        self, seen: tuple[Seen, ...], budgets: Any, query: Query
    ) -> Iterator[tuple[float, tuple[int, ...], Any]]:
        """Yield probability, histogram and budgets afterwards of each outcome."""
        payer = 0 if self.rules.budget_of == "caller" else query.site
        own, shared = budgets[payer], budgets[-1]
        for probability, histogram, after, remains in self._remembered(
            seen, own, shared, self._of_first(query)
        ):
            sites = tuple(after if site == payer else budgets[site] for site in range(len(SITES)))
            yield probability, histogram, (*sites, remains)

    def _asked(
        self, seen: tuple[Seen, ...], own: Any, shared: Any, query: Query
    ) -> tuple[tuple[float, tuple[int, ...], Any, Any], ...]:
        saved = [self._impression(each, place) for place, each in enumerate(seen)]
        days = self.config.privacy_budget_epoch_days
        now = moment(query.epoch, len(seen), days)
        options = query_options(query, self.size)

        def run(flip: Callable[[float], bool]) -> tuple[tuple[int, ...], Any, Any]:
            browser = Browser(self.config, self.rules, flip=flip)
            browser.epoch_start = _START - days * DAY // 2
            browser.impressions = saved
            browser.site_budgets = {(epoch, SITES[0]): left for epoch, left in own}
            stored, quotas = shared
            browser.global_budgets = {epoch: None if left == _UNSET else left for epoch, left in stored}
            browser.quotas = dict(quotas)
            report = browser.measure_conversion(now, SITES[0], **options)
            after = tuple(sorted((epoch, left) for (epoch, _), left in browser.site_budgets.items()))
            limits = browser.global_budgets if self._global else {}
            remains = tuple(sorted((e, _UNSET if left is None else left) for e, left in limits.items()))
            spent = tuple(sorted(browser.quotas.items())) if self._quotas else ()
            return tuple(report.histogram), after, (remains, spent)

        found: dict[tuple[tuple[int, ...], Any, Any], float] = {}
        for probability, outcome in over_all_flips(run):
            found[outcome] = found.get(outcome, 0.0) + probability
        return tuple((probability, *outcome) for outcome, probability in found.items())

    def _impression(self, seen: Seen, place: int) -> Impression:
        none: frozenset[str] = frozenset()
        when = moment(seen.epoch, place, self.config.privacy_budget_epoch_days)
        return Impression(
            0, PUBLISHERS[seen.publisher], None, none, none, when, 30 * DAY, index_of(seen, self.size), 0
        )


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
