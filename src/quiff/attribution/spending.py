"""Conversions of many sites until budgets are spent, and what it tells one site that others spent them."""

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from math import exp, inf
from typing import Any, final

from quiff.apis.program import program
from quiff.attribution.browser import Browser
from quiff.attribution.options import DAY, MAXIMUM_EPSILON, MICRO, Config
from quiff.measures.capacity import bayes_capacity, repeated_capacity
from quiff.measures.noise import laplace
from quiff.measures.privacy import epsilon as epsilon_of

_SERVICE = "https://agg-service.example"
_START = 60 * DAY
_MOST_OTHERS = 1_000
_LARGEST = 700.0  # whose exponential is a float


def budgets_of(site: float, quota: float, shared: float) -> Config:
    """Return the limits of a browser with a site's budget, a quota and a global budget, as epsilon."""
    return Config(
        epoch_start=0.5,
        per_site_privacy_budget=round(site * MICRO),
        impression_site_quota_per_epoch=round(quota * MICRO),
        global_privacy_budget_per_epoch=round(shared * MICRO),
    )


def released_in_a_week(config: Config, budget: float, sites: int) -> int:
    """Return how many of some sites get something when each asks for all its budget, by playing it.

    A conversion of a single epoch is charged half of its epsilon to the site, all of it to quota and global
    budget.

    Examples
    --------
    >>> released_in_a_week(budgets_of(10, 1000, 1000), 10, 60)
    50
    """
    browser = Browser(config)
    browser.save_impression(_START, "publisher.example", histogram_index=0)
    return sum(_asked(browser, _START + 1 + n, f"site{n}.example", 2 * budget)[0] for n in range(sites))


def conversions_to_deny(config: Config, budget: float, *, same_publisher: bool) -> int | None:
    """Return how many conversions on other sites make the report of one site zero, by playing them.

    Each other site spends its budget in one conversion of a single epoch, which takes twice as much of what
    is shared: for the impression that is denied, whose site's quota it spends, or each for an impression of
    its own, which leaves only the global budget to spend. None if a thousand do not suffice.

    Examples
    --------
    >>> limits = budgets_of(1, 4, 8)
    >>> [conversions_to_deny(limits, 1, same_publisher=same) for same in (True, False)]
    [2, 4]
    """
    browser, denied = Browser(config), "publisher.example"
    browser.save_impression(_START, denied, histogram_index=0)
    for n in range(_MOST_OTHERS):
        now, theirs = _START + 1 + n, denied if same_publisher else f"publisher{n}.example"
        if _asked(deepcopy(browser), now, "denied.example", 2 * budget, denied) == [0]:
            return n
        browser.save_impression(now, theirs, histogram_index=0)
        _asked(browser, now, f"other{n}.example", 2 * budget, theirs)
    return None


@final
@dataclass(frozen=True)
class AfterWeeks:
    """What an observer has after some weeks in which so many conversions release something each week.

    The Bayes capacity lies between `capacity` and `high`; `most` is what budgets allow, and `guessed` the
    probability to guess the bucket, or none, at a uniform prior.
    """

    observer: str
    weeks: int
    released: int
    epsilon: float
    capacity: float
    high: float
    most: float
    guessed: float


def after_weeks(
    config: Config, budget: float, buckets: int, sites: int, weeks: Iterable[int]
) -> Iterator[AfterWeeks]:
    """Yield what one site, and so many that collude, have after some weeks.

    Examples
    --------
    >>> after = list(after_weeks(budgets_of(1, 4, 8), 1, 1, 10, [1]))
    >>> [(entry.observer, entry.released, round(entry.capacity, 3)) for entry in after]
    [('one site', 1, 1.393), ('10 colluding sites', 2, 1.448)]
    """
    for observer, count in (("one site", 1), (f"{sites} colluding sites", sites)):
        released = released_in_a_week(config, budget, count)
        for number in weeks:
            n = released * number
            low, high = repeated_capacity(budget, n, buckets) if n else (1.0, 1.0)
            most = min(exponential(n * budget), buckets + 1.0)
            guessed = low / (buckets + 1)
            yield AfterWeeks(observer, number, released, n * budget, low, high, most, guessed)


def exponential(x: float) -> float:
    """Return e^x, infinite if no float can hold it."""
    return exp(x) if x < _LARGEST else inf


def _asked(browser: Browser, now: int, site: str, epsilon: float, publisher: str = "") -> list[int]:
    return browser.measure_conversion(
        now,
        site,
        aggregation_service=_SERVICE,
        histogram_size=1,
        lookback_days=1,
        epsilon=min(epsilon, MAXIMUM_EPSILON),
        impression_sites=(publisher,) if publisher else (),
    ).histogram


def told_by_zeros(budget: float, multiple: int) -> tuple[float, float, float]:
    """Return a global budget, and what a site learns from zeros of conversions elsewhere: capacity, epsilon.

    The site knows that the browser has its impression. The secret is on how many other sites, up to twice as
    many as the global budget allows, the browser converted before.
    """
    most = list(range(2 * multiple + 1))
    C = spent_elsewhere(budget=budget, multiple=multiple).channel({n: n for n in most})
    noisy = C @ laplace(C.outputs, 1 / budget)  # scale 2 maxValue/epsilon, epsilon 2 budget
    return multiple * 2 * budget, float(bayes_capacity(noisy)), float(epsilon_of(noisy))


@program
def spent_elsewhere(elsewhere: Any, draw: Any, budget: float = 1.0, multiple: int = 1) -> int:
    """Return what a site's conversion releases after conversions on some number of other sites."""
    shared = multiple * 2 * budget
    browser = Browser(budgets_of(budget, shared, shared), flip=draw.flip)
    browser.save_impression(_START, "publisher.example", histogram_index=0)
    for n in range(elsewhere):
        _asked(browser, _START + 1 + n, f"other{n}.example", 2 * budget)
    return _asked(browser, _START + DAY // 2, "site.example", 2 * budget)[0]
