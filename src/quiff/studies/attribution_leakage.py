"""What the W3C Attribution API reveals: by one conversion, by many until budgets are spent, and by zeros."""

from collections.abc import Iterator, Sequence
from math import ceil, exp
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from quiff.apis.noisy_histogram import W3CAttribution
from quiff.apis.program import program
from quiff.attribution.browser import Browser
from quiff.attribution.options import DAY, MICRO, Config
from quiff.core.kernels.one_hot import OneHotKernel
from quiff.core.numbers import Array
from quiff.errors import ParameterError
from quiff.measures.capacity import bayes_capacity
from quiff.measures.differential_privacy import epsilon as epsilon_of
from quiff.mechanisms.noise import laplace
from quiff.results.result import Provenance, Result
from quiff.results.rows import Row
from quiff.results.views.attribution_leakage import leakage_views
from quiff.theory.parameters import check_number, check_whole

_SERVICE = "https://agg-service.example"
_CELLS = 8_192  # of one observation's log-ratio
_START = 60 * DAY
_LISTED = 4_096  # buckets up to which all of them are looked at
_DRAWS = 40_000  # of an estimate; fewer if there are many buckets
_EPSILONS, _BATCHES = (0.1, 1, 4, 10), (100, 1_000, 10_000, 100_000)


class Spent(NamedTuple):
    """Conversions until budgets are spent: by whom, for how many weeks, and how many were released a week."""

    observer: str
    weeks: int
    released: int
    epsilon: float  # of adding or removing the impressions of all these weeks
    low: float  # Bayes capacity, between
    high: float


def attribution_leakage(
    epsilon: float = 1.0,
    *,
    buckets: int = 20,
    others: int = 100,
    rate: float = 0.1,
    sites: int = 10,
    quota: float = 4.0,
    shared: float = 8.0,
    weeks: Sequence[int] = (1, 2, 4, 8, 12),
) -> Result:
    """Measure what the W3C Attribution API reveals about a browser profile, and how well it counts.

    The secret is the bucket of a profile's impressions, the same every week, or none. Every site asks so that
    one conversion of a single epoch spends its whole budget, which reveals most. How many conversions release
    something is found by playing them on the executable model.

    Parameters
    ----------
    epsilon
        A site's budget for an epoch, and the epsilon of a single conversion.
    buckets
        The histogram's size.
    others, rate
        How many others are in a batch, and the probability that one of them adds to a bucket, for each.
    sites
        How many sites collude.
    quota, shared
        The quota of the one impression site, and the global budget, as epsilon.
    weeks
        After how many weeks.

    Examples
    --------
    >>> result = attribution_leakage(1, buckets=1, others=0, weeks=[1])
    >>> round(result["w3c_attribution:keys=1", "bayes_capacity"], 4)
    1.2212

    Raises
    ------
    ParameterError
        If a parameter is out of range.
    """
    e = float(check_number("epsilon", epsilon, 0, 100))
    if e == 0:
        raise ParameterError("epsilon must be above 0")
    most = {name: float(check_number(name, x, 0, 1e6)) for name, x in (("quota", quota), ("shared", shared))}
    times = sorted({check_whole("weeks", each, 1, 520) for each in weeks})
    n_sites = check_whole("sites", sites, 1, 1_000)
    single = W3CAttribution(epsilon=e, keys=buckets)
    batch = W3CAttribution(epsilon=e, keys=buckets, others=others, rate=rate)
    config = _config(e, most["quota"], most["shared"])
    observers = {"one site": 1, f"{n_sites} colluding sites": n_sites}
    released = {name: released_in_a_week(config, e, count) for name, count in observers.items()}
    spent = [_spent(name, released[name], week, e, buckets) for name in observers for week in times]
    zeros = [_of_zeros(e, multiple) for multiple in (1, 2, 4, 8)]
    errors = [
        (x, batch_size, 2 / x / (batch_size * rate / buckets)) for x in _EPSILONS for batch_size in _BATCHES
    ]
    apis = (single, batch) if others else (single,)
    rows = (
        *(row for api in apis for row in _one(api)),
        *(row for each in spent for row in _many(single, each)),
        *(
            _row(single, "bayes_capacity", b, stage=f"global budget {g:g}", goal="spent elsewhere")
            for g, b, _ in zeros
        ),
        *(
            _row(single, "relative_error", error, stage=f"epsilon {x:g}, batch {size}", method="formula")
            for x, size, error in errors
        ),
    )  # fmt: skip
    call = f"quiff.attribution_leakage({epsilon!r}, buckets={buckets!r}, others={others!r}, rate={rate!r})"
    return Result(
        rows=tuple(rows),
        provenance=Provenance(
            call, parameters={api.spec: api.parameters() for api in apis}, sources=(single.source,)
        ),
        **leakage_views(e, rows, apis, spent, zeros, errors, rate, buckets, most["shared"]),
    )


def _row(api: W3CAttribution, quantity: str, value: Any, **more: Any) -> Row:
    given: dict[str, Any] = {"stage": "one conversion", "goal": "", "prior": "", "observations": 1}
    return Row(api.spec, api.unit, quantity=quantity, value=value, scope="all", **given | more)


def _one(api: W3CAttribution) -> Iterator[Row]:
    """Yield closed forms; what is only bounded by them, numerically with the error of the cells."""
    for limit in api.limits():
        if limit.bound == "equal":
            yield _row(api, limit.quantity, limit.value, method="formula")
    C = api.observe([None, *range(min(api.keys, _LISTED))])
    if api.others and api.keys <= _LISTED:
        low = float(bayes_capacity(C))
        yield _row(api, "bayes_capacity", low, low=low, high=low * C.slack, method="discretised")
    if (api.others or api.keys > 1) and api.keys <= _LISTED and isinstance(C.kernel, OneHotKernel):
        bits, error = shannon_estimate(C.kernel)
        yield _row(
            api, "shannon_capacity_bits", bits, low=bits - error, high=bits + error, method="monte-carlo"
        )


def shannon_estimate(kernel: OneHotKernel, seed: int = 0) -> tuple[float, float]:
    """Return an estimate of the Shannon capacity of which cell is marked, or none, and its error at 95 %.

    By symmetry some prior (1-q, q/m, ..., q/m) is best. Relative to no mark, outputs have the density
    g = 1 - q + (q/m) sum_i rho_i, and I(q) = (1-q) E_none[-log2 g] + q E_bucket[log2 rho - log2 g].
    """
    rng, m = np.random.default_rng(seed), kernel.n_cells
    n = min(_DRAWS, _DRAWS * 100 // m)
    ratios = kernel.marked / kernel.base
    none = ratios[_drawn(rng, kernel.base, (n, m))].sum(axis=1)
    own = ratios[_drawn(rng, kernel.marked, (n,))]
    marked = own + ratios[_drawn(rng, kernel.base, (n, m - 1))].sum(axis=1)

    def information(q: float) -> Array:
        def density(total: Array) -> Array:
            return np.log2(1 - q + q / m * total)

        return (q - 1) * density(none) + q * (np.log2(own) - density(marked))

    best = minimize_scalar(lambda q: -information(q).mean(), bounds=(0, 1), method="bounded").x
    terms = information(float(best))
    return float(terms.mean()), float(1.96 * terms.std() / np.sqrt(n))


def _drawn(rng: np.random.Generator, law: Array, shape: tuple[int, ...]) -> Array:
    return np.searchsorted(np.cumsum(law)[:-1], rng.random(shape), side="right")


def _many(api: W3CAttribution, each: Spent) -> Iterator[Row]:
    about = {
        "stage": f"{each.observer}, {each.weeks} weeks",
        "observations": max(1, each.weeks * each.released),
    }
    yield _row(api, "epsilon", each.epsilon, method="formula", **about)
    yield _row(api, "bayes_capacity", each.low, low=each.low, high=each.high, method="discretised", **about)


def _config(site: float, quota: float, shared: float) -> Config:
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
    >>> released_in_a_week(_config(10, 1000, 1000), 10, 60)
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


def _spent(observer: str, released: int, weeks: int, budget: float, buckets: int) -> Spent:
    n = released * weeks
    low, high = repeated_capacity(budget, n, buckets) if n else (1.0, 1.0)
    return Spent(observer, weeks, released, n * budget, low, high)


def repeated_capacity(t: float, n: int, buckets: int) -> tuple[float, float]:
    """Return bounds of the Bayes capacity of n noisy histograms of one secret: a bucket or none.

    t is the value divided by the scale of the noise. Of each bucket the sum of log-ratios matters. One ratio
    is -t with 1/2 and t with e^-t/2 where nothing was added, the other way round where the value was;
    between, noisy values are cut into cells, so that the first bound is that of a post-processing. In a cell
    the sum is within n t/cells of the middle, by which the second exceeds it at most.

    B = P_none[all sums <= 0] + m P_bucket[its sum is above 0 and the largest], ties broken at random.

    Examples
    --------
    >>> low, high = repeated_capacity(0.5, 1, 1)  # 2 - e^(-1/4)
    >>> round(low, 4), round(high / low, 4)
    (1.2212, 1.0001)
    """
    cells = min(_CELLS, max(64, (1 << 20) // n))
    base, marked = (_law(t, n, cells, added) for added in (False, True))
    above = np.arange(base.size) > n * cells  # whose sum of ratios is above 0
    below = np.cumsum(base)
    before = below - base
    # P[no other bucket has more, ties broken at random] = (F^m - F_before^m) / (m (F - F_before))
    step = np.where(base > 1e-300, base, 1.0)
    wins = np.where(base > 1e-300, (below**buckets - np.maximum(before, 0) ** buckets) / (buckets * step), 0)
    wins = np.where(base > 1e-12, wins, below ** (buckets - 1))
    none = float(below[n * cells] ** buckets)
    low = none + buckets * float((marked * wins)[above].sum())
    most = min(buckets + 1.0, exp(min(n * t, 700.0)))
    return min(low, most), min(low * exp(2 * n * t / cells), most)


def _law(t: float, n: int, cells: int, added: bool) -> Array:
    """Return the law of the sum of n log-ratios, in steps of t/cells from -n t."""
    edges = np.linspace(0, t, cells + 1)
    one = np.zeros(2 * cells + 1)
    ends = (exp(-t) / 2, 0.5) if added else (0.5, exp(-t) / 2)
    distance = t - edges if added else edges
    one[0], one[-1] = ends
    one[1::2] = np.abs(np.diff(np.exp(-distance))) / 2
    size = 1 << ceil(np.log2(2 * cells * n + 1))
    law = np.fft.irfft(np.fft.rfft(one, size) ** n, size)[: 2 * cells * n + 1]
    return np.maximum(law, 0.0)


def _of_zeros(budget: float, multiple: int) -> tuple[float, float, float]:
    """Return a global budget, and what a site learns from zeros of conversions elsewhere: capacity, epsilon.

    The site knows that the browser has its impression. The secret is on how many other sites, up to twice as
    many as the global budget allows, the browser converted before.
    """
    most = list(range(2 * multiple + 1))
    before_noise = spent_elsewhere(budget=budget, multiple=multiple).channel({n: n for n in most})
    noisy = before_noise @ laplace(
        before_noise.outputs, 1 / budget
    )  # scale 2 maxValue/epsilon, epsilon 2 budget
    return multiple * 2 * budget, float(bayes_capacity(noisy)), float(epsilon_of(noisy))


@program
def spent_elsewhere(elsewhere: Any, draw: Any, budget: float = 1.0, multiple: int = 1) -> int:
    """Return what a site's conversion releases after conversions on some number of other sites."""
    shared = multiple * 2 * budget
    browser = Browser(_config(budget, shared, shared), flip=draw.flip)
    browser.save_impression(_START, "publisher.example", histogram_index=0)
    for n in range(elsewhere):
        _asked(browser, _START + 1 + n, f"other{n}.example", 2 * budget)
    return _asked(browser, _START + DAY // 2, "site.example", 2 * budget)[0]
