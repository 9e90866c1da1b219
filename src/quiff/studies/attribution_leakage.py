"""What the W3C Attribution API reveals: by one conversion, many, zeros, and by sites that act on results."""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise, product
from math import log
from typing import Any

from quiff.apis.noisy_histogram import W3CAttribution
from quiff.attribution.adaptive import adaptive_site
from quiff.attribution.spending import (
    after_weeks,
    budgets_of,
    conversions_to_deny,
    exponential,
    told_by_zeros,
)
from quiff.core.kernels.one_hot import OneHotKernel
from quiff.core.numbers import Number
from quiff.errors import ParameterError
from quiff.measures.capacity import bayes_capacity, shannon_estimate
from quiff.results.figures.charts import Axis, Record, beside, curves
from quiff.results.layout import Chart, Layout, Pivot
from quiff.results.numbers import many, probability, rounded, said
from quiff.results.result import Result
from quiff.results.rows import CLOSED, Between, Row, rows_of
from quiff.studies.study import Findings, study
from quiff.theory.adaptivity import NoiseName
from quiff.theory.parameters import check_number, check_whole

_LISTED = 4_096  # buckets up to which all of them are looked at
_EPSILONS, _BATCHES = (0.1, 1, 4, 10), (100, 1_000, 10_000, 100_000)
_ONE, _ELSEWHERE = "one conversion", "spent elsewhere"
_PEOPLE = 8e9


def _adaptive_sentences(result: Result) -> Iterator[str]:
    """Say the model first, then the worst case, then the average."""
    lines: list[Record] = result.payload["adaptive"]
    if not lines:
        return
    yield (
        "A model of quiff's, for the draft names cross-site adaptivity and gives no size: some sites each ask"
        f" with epsilon {result.words['written']}, and move conversions of other people to one more site if"
        " their noisy result is above a threshold. What other people convert is known to that site; where it"
        " is not, these are upper bounds."
    )
    for _, group in groupby(lines, lambda line: line["sites"]):
        reached = list(group)
        last, capacities = reached[-1], [line["capacity"] for line in reached]
        sites, charged = last["sites"], rounded(last["charged"], 4)
        limit = last["charged"] + sites * result.words["epsilon"] / 2
        yield (
            f"Worst case: if {many(sites, 'site')} act{'s' if sites == 1 else ''}, moving"
            f" {many(last['moved'], 'conversion')} each, what the other site sees loses"
            f" {rounded(last['loss'], 4)} where its own queries are charged {charged}; the more are moved,"
            f" the nearer to {rounded(limit, 4)}."
        )
        falls = any(after < before for before, after in pairwise(capacities))
        yield (
            f"Average: it multiplies a right guess by {rounded(min(capacities), 4)} to"
            f" {rounded(max(capacities), 4)}, depending on how many conversions are moved"
            f"{'; more moved conversions do not always tell more' if falls else ''}."
        )


def _sentences(result: Result) -> Iterator[str]:
    if result.payload["adaptive"]:
        return
    e, shared = result.words["epsilon"], result.words["shared"]
    alone, *among = (result.rows.where(api=spec, stage=_ONE)["bayes_capacity"] for spec in result.apis)
    yield (
        f"One conversion with epsilon {rounded(e, 4)}, alone in its batch, multiplies the probability of a"
        f" right guess by at most {said(alone or 1)}; e^epsilon is {said(exponential(e))}."
    )
    if among and among[0] is not None:
        yield f"Among the others of its batch, by at most {said(among[0])}; epsilon is the same."
    last = result.payload["weeks"][-1]
    yield (
        f"After {many(last['weeks'], 'week')}, of {last['observer']} {last['released']} a week get something,"
        f" which multiplies the probability by {said(last['capacity'])} (at most {said(last['most'])})."
    )
    enough = log(_PEOPLE)
    yield (
        f"A global budget of {rounded(shared, 4)} bounds an epoch's odds by e^{rounded(shared, 4)}:"
        f" {'less' if shared < enough else 'more'} than singles out one of 8 billion people, for which"
        f" {rounded(enough, 3)} is enough."
    )
    budget, capacity, _ = result.payload["zeros"][0]
    denied = [conversions for _, conversions in result.payload["denial"] if conversions is not None]
    if denied:
        yield (
            f"{many(min(denied), 'conversion')} on as many other sites make"
            f"{'s' if min(denied) == 1 else ''} a site's report zero."
        )
    yield (
        f"Zeros tell of others: with a global budget of {rounded(budget, 4)}, a site that knows of its"
        f" impression learns by a factor of {said(capacity)} whether others spent it, which its own budget"
        " does not count."
    )


OVER_WEEKS = Pivot(
    "Bayes capacity after some weeks",
    records="weeks",
    columns={
        "observer": "observer",
        "weeks": "weeks",
        "a week": "released",
        "epsilon": ("epsilon", said),
        "capacity": "capacity",
        "at most": "most",
        "guessed": ("guessed", probability),
    },
    notes=(
        "A week: conversions that release something. At most: by budgets. Guessed: the right one of {buckets}"
        " buckets and none, at a uniform prior.",
    ),
)


def _one_conversion(result: Result) -> Iterator[tuple[Any, ...]]:
    """Yield what one conversion reveals: alone in its batch, and among others where there are some."""
    batches = (
        []
        if result.payload["adaptive"]
        else [result.rows.where(api=spec, stage=_ONE) for spec in result.apis]
    )
    for name in ("bayes_capacity", "max_case_capacity", "epsilon", "shannon_capacity_bits"):
        line = [rows[name] for rows in batches]
        if line != [None] * len(line):
            yield name.replace("_", " "), *line, None
    if batches:
        yield "e^epsilon", *(exponential(result.words["epsilon"]) for _ in batches), None


ONE_CONVERSION = Pivot(
    "One conversion",
    records=_one_conversion,
    columns={"quantity": 0, "alone in its batch": 1, "among others": 2},
)


DENIAL = Pivot(
    "How many conversions elsewhere make a site's report zero",
    records="denial",
    columns={"of sites that convert for": 0, "conversions": 1},
    notes=(
        "Each on another site, of a single epoch, and as large as that site's budget allows; what the zero"
        " tells is in the table before.",
    ),
)
SPENT_ELSEWHERE = Pivot(
    "What zeros tell of other sites",
    records="zeros",
    columns={"global budget": 0, "capacity": 1, "epsilon": 2},
    notes=(
        "The secret: on how many other sites a browser converted before. Each took twice its own budget.",
    ),
)


def _close(value: Number, digits: int | None) -> str:
    """Return a number with four digits unless others are asked for: here they are near each other."""
    return rounded(value, digits or 4)


ADAPTIVE = Pivot(
    "What one more site sees of {size}, if others act on what they learn",
    records="adaptive",
    columns={
        "sites that act": "sites",
        "moved": "moved",
        "charged": "charged",
        "worst case": ("loss", _close),
        "at most": ("bound", _close),
        "capacity": ("capacity", _close),
        "bits": "bits",
    },
    notes=(
        "charged: to that site, as epsilon. worst case: log-ratio of a bucket against nothing, at the best"
        " threshold; of a bucket against another, twice. at most: for any release with the same epsilon.",
        "capacity: what a right guess is multiplied by on average, with the threshold half a conversion.",
    ),
    labels=("sites that act", "moved"),
)


def _percent(share: Any, digits: int | None) -> str:
    return f"{said(100 * share, digits)} %"


UTILITY = Pivot(
    "How well a campaign is counted",
    records="errors",
    columns={
        "": lambda line, _: f"epsilon {line[0]:g}",
        **{f"batch of {size:,}": (place, _percent) for place, size in enumerate(_BATCHES, start=1)},
    },
    notes=(
        "Mean error as a share of a bucket's count, where {attributed} of the batch is attributed, evenly to"
        " {buckets} buckets: 2/epsilon divided by that count.",
    ),
)


def _drawn(points: list[Record], result: Result) -> Any:
    left = curves(
        points,
        Axis("weeks", "weeks", "count"),
        Axis("capacity", "Bayes capacity (log scale)", "log", 1.0, result.words["buckets"] + 1.0),
        points=True,
        size=(330, 280),
    )
    errors = [
        {"series": f"batch of {size:,}", "epsilon": x, "error": error}
        for x, *line in result.payload["errors"]
        for size, error in zip(_BATCHES, line, strict=True)
    ]
    right = curves(
        errors,
        Axis("epsilon", "epsilon (log scale)", "log"),
        Axis("error", "relative error of a count (log scale)", "log"),
        size=(330, 280),
    )
    return beside(left, right)


def _drawn_adaptive(points: list[Record], _: Result) -> Any:
    across = Axis("moved", "conversions moved by each", "count")
    panels = (
        curves(points, across, Axis(name, title), points=True, size=(330, 260))
        for name, title in (("loss", "worst-case loss (log-ratio)"), ("capacity", "Bayes capacity"))
    )
    return beside(*panels)


LAYOUT = Layout(
    "What W3C Attribution reveals, with a budget of {written}",
    say={"adaptive": _adaptive_sentences, "leakage": _sentences},
    tables={
        "adaptive": ADAPTIVE,
        "over weeks": OVER_WEEKS,
        "one conversion": ONE_CONVERSION,
        "spent elsewhere": SPENT_ELSEWHERE,
        "denial": DENIAL,
        "utility": UTILITY,
    },
    charts={
        "leakage": Chart(
            "What is revealed, and how well it counts",
            records="weeks",
            points={"series": "observer", "weeks": "weeks", "capacity": "capacity"},
            draw=_drawn,
        ),
        "adaptive": Chart(
            "What one more site sees, if others act on what they learn: at worst, and on average",
            records="adaptive",
            points={
                "series": lambda line, _: many(line["sites"], "site"),
                "moved": "moved",
                "loss": "loss",
                "capacity": "capacity",
            },
            draw=_drawn_adaptive,
        ),
    },
)


@study(LAYOUT, command="attribution reveal", group="parameters")
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
    adaptive: bool = False,
    moved: Sequence[int] = (0, 1, 2, 5, 10),
    stake: bool = True,
    noise: NoiseName = "laplace",
) -> Findings:
    """Measure what conversions reveal, and how well they count.

    They go through the W3C Attribution API. One conversion, alone in its batch and among others; then one
    site, and several that collude, week by week until budgets are spent; what zeros tell of other sites; and
    the error of counts. The secret is the bucket of a profile's impressions, the same every week, or none.
    Every site asks so that one conversion of a single epoch spends its whole budget, which reveals most. How
    many conversions release something is found by playing them on the executable model.

    With `adaptive`, sites act on what they learn instead, and what one more site sees of it is measured. It
    is a model of ours of an assumption that the draft names (api.bs at 9fab4e8, line 3092), and says nothing
    about whether attribution measures anything causal.

    Parameters
    ----------
    epsilon
        A site's budget for an epoch, and what one conversion asks for.
    buckets
        The histogram's size.
    others
        Other people in the batch.
    rate
        The probability that one of them adds to a bucket, for each.
    sites
        How many sites collude.
    quota
        The quota of the one impression site, as epsilon.
    shared
        The global budget, as epsilon.
    weeks
        After how many weeks.
    adaptive
        Measure what one more site sees if `sites` sites act on their noisy results.
    moved
        How many conversions of other people each of them moves, for `adaptive`.
    stake
        Whether that site also asks for itself, for `adaptive`.
    noise
        That of the aggregation service, for `adaptive`.

    Examples
    --------
    $ quiff attribution reveal --epsilon 10 --quota 1000 --shared 1000 --sites 100
    $ quiff attribution reveal --adaptive --buckets 1 --sites 10

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
        raise ParameterError(what="epsilon", value=epsilon, allowed="above 0")
    most, whole = (float(check_number(*pair, 0, 1e6)) for pair in (("quota", quota), ("shared", shared)))
    times = sorted({check_whole("weeks", number, 1, 520) for number in weeks})
    n_sites = check_whole("sites", sites, 1, 1_000)
    single = W3CAttribution(epsilon=e, keys=buckets)
    if adaptive:
        counts = sorted({check_whole("moved", number, 0, 10_000) for number in moved})
        return _of_adaptive(single, n_sites, counts, stake, noise)
    batch = W3CAttribution(epsilon=e, keys=buckets, others=others, rate=rate)
    apis = (single, batch) if others else (single,)
    rows = [row for api in apis for row in _of_one(api)]
    limits = budgets_of(e, most, whole)
    spent = list(after_weeks(limits, e, buckets, n_sites, times))
    for after in spent:
        capacity = Between(after.capacity, after.capacity, after.high, "discretised")
        numbers = {"epsilon": after.epsilon, "bayes_capacity": capacity}
        about = {"stage": f"{after.observer}, {after.weeks} weeks", **CLOSED}
        rows += rows_of(single, numbers, observations=max(1, after.released * after.weeks), **about)
    zeros = [told_by_zeros(e, multiple) for multiple in (1, 2, 4, 8)]
    for budget, capacity_of_zeros, epsilon_of_zeros in zeros:
        numbers = {"bayes_capacity": capacity_of_zeros, "epsilon": epsilon_of_zeros}
        rows += rows_of(single, numbers, stage=f"global budget {budget:g}", goal=_ELSEWHERE, scope="all")
    denial = [
        (whose, conversions_to_deny(limits, e, same_publisher=same))
        for whose, same in (("the same impression site", True), ("impression sites of their own", False))
    ]
    errors = [[x, *(2 / x / (size * rate / buckets) for size in _BATCHES)] for x in _EPSILONS]
    for x, *line in errors:
        for size, error in zip(_BATCHES, line, strict=True):
            rows += rows_of(single, {"relative_error": error}, stage=f"epsilon {x:g}, batch {size}", **CLOSED)
    return Findings(
        rows,
        notes=(
            "The secret is the bucket of a profile's impressions, the same every week, or none.",
            "Every conversion is one of a single epoch and spends its site's whole budget.",
            "The aggregation service adds Laplace noise; over weeks, batches hold this profile alone.",
        ),
        words={
            "epsilon": e,
            "written": rounded(e, 4),
            "attributed": probability(rate),
            "shared": whole,
        },
        payload={"adaptive": [], "weeks": spent, "zeros": zeros, "denial": denial, "errors": errors},
        apis=apis,
    )


def _of_adaptive(
    api: W3CAttribution, sites: int, moved: Sequence[int], stake: bool, noise: NoiseName
) -> Findings:
    e, lines = float(api.epsilon), []
    rows: list[Row] = []
    for n, k in product(sorted({1, sites}), moved):
        line = adaptive_site(e, api.keys, n, k, stake=stake, noise=noise)
        lines.append(line)
        numbers = {"epsilon": line.loss, "bayes_capacity": line.capacity, "shannon_capacity_bits": line.bits}
        stage = f"{many(n, 'site')}, {many(k, 'conversion')} moved"
        rows += rows_of(api, numbers, stage=stage, **CLOSED)
    return Findings(
        rows,
        notes=(
            "Other readings: noise of scale maxValue/epsilon doubles epsilon here; a site that acts on the"
            " same browser moves one conversion; the global budget, charged epsilon by each, caps their"
            " number.",
            "Together with the acting sites the other site learns no more than the sum of all charges.",
        ),
        words={
            "epsilon": e,
            "written": rounded(e, 4),
            "size": "a bit" if api.keys == 1 else many(api.keys, "bucket"),
        },
        payload={"adaptive": lines, "weeks": [], "zeros": [], "denial": [], "errors": []},
        apis=(api,),
        sources=("w3c/attribution at 9fab4e8 (14 May 2026), api.bs, lines 3090 to 3097",),
    )


def _of_one(api: W3CAttribution) -> Iterator[Row]:
    """Yield closed forms; what is only bounded by them, numerically with the error of the cells."""
    for limit in api.limits():
        if limit.bound == "equal":
            yield from rows_of(api, {limit.quantity: limit.value}, stage=_ONE, **CLOSED)
    if api.keys > _LISTED:
        return
    C = api.observe([None, *range(api.keys)])
    if api.others:
        low = float(bayes_capacity(C))
        capacity = {"bayes_capacity": Between(low, low, low * C.slack, "discretised")}
        yield from rows_of(api, capacity, stage=_ONE, scope="all")
    if (api.others or api.keys > 1) and isinstance(C.kernel, OneHotKernel):
        bits, error = shannon_estimate(C.kernel)
        estimate = {"shannon_capacity_bits": Between(bits, bits - error, bits + error, "monte-carlo")}
        yield from rows_of(api, estimate, stage=_ONE, scope="all")
