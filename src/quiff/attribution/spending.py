"""Conversions of many sites until budgets are spent, and what it tells one site that others spent them."""

from typing import Any

from quiff.apis.program import program
from quiff.attribution.browser import Browser
from quiff.attribution.options import DAY, MICRO, Config
from quiff.measures.capacity import bayes_capacity
from quiff.measures.differential_privacy import epsilon as epsilon_of
from quiff.mechanisms.noise import laplace

_SERVICE = "https://agg-service.example"
_START = 60 * DAY


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
    return sum(
        _asked(browser, _START + 1 + n, f"site{n}.example", min(2 * budget, 4294.0))[0] for n in range(sites)
    )


def _asked(browser: Browser, now: int, site: str, epsilon: float) -> list[int]:
    return browser.measure_conversion(
        now, site, aggregation_service=_SERVICE, histogram_size=1, lookback_days=1, epsilon=epsilon
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
