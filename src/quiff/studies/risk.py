"""The question how exposed each user is, beyond the average one."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from quiff.apis.base import Api
from quiff.apis.naming import shared_secrets
from quiff.core.numbers import Number, as_number
from quiff.errors import ParameterError
from quiff.measures.distribution import QUANTILES, Distribution, merged
from quiff.people.groups import Groups
from quiff.people.population import Population
from quiff.results.figures.charts import Axis, Point, curves
from quiff.results.layout import Cell, Chart, Layout, Pivot, Say, Words
from quiff.results.numbers import many, probability, said
from quiff.results.result import PerUser, Result
from quiff.results.rows import Row, rows_of
from quiff.results.table import Table
from quiff.studies.over_time import risk_numbers
from quiff.studies.questions import RISK_COLUMNS, UNEQUAL
from quiff.studies.study import Findings, assumed, known_note, left_out, names_of, study
from quiff.theory.parameters import HALF, Real, check_probability
from quiff.weeks.risk import stage_risks

_OWN, _WORST = "own_risk", "worst_posterior"  # the numbers of each user
_HALF = 0.5 - 1e-9
_HEADS = ("mean", "median", "95 %", "99 %", "max", "above {percent}")
_FORMULA = (
    "R_x = sum_y C[x,y] [x is a best guess for y]/(number of best guesses for y).",
    "The adversary knows every user's secret and guesses a most probable user, ties broken at random.",
    "The mean is the posterior vulnerability (Bayes; paper, Sec. 2.3).",
)


OWN = Pivot(
    "Probability of each user to be re-identified: {users}",
    by=("api", "stage"),
    columns=RISK_COLUMNS,
    notes=(*_FORMULA, "{by_weight}"),
)


def _stage(entry: Any, result: Result) -> str:
    return result.stage_name(entry["api"], entry["stage"])


def _worst_cell(name: str) -> Cell:
    return (lambda entry, _: entry["worst_posterior"][name]), probability


WORST = Pivot(
    "Largest posterior of each user over all outputs: {users}",
    records="stages",
    columns={
        "observed": _stage,
        **{head: _worst_cell(name) for head, name in zip(_HEADS, ("mean", *QUANTILES, "above"), strict=True)},
    },
    notes=("max_y P(x | y): what the most telling output says about the user.",),
)


def _bars(result: Result) -> Iterator[tuple[Any, ...]]:
    least = result.words["least"] / (result.population or {})["users"]
    for entry in result.payload["stages"]:
        yield from ((_stage(entry, result), *bar) for bar in merged(entry["histogram"], least))


HISTOGRAM = Pivot(
    "Users by their own risk",
    records=_bars,
    columns={
        "observed": 0,
        "from": (1, probability),
        "below": (2, probability),
        "share of users": (3, probability),
    },
)


def _shared(result: Result) -> Iterator[tuple[Any, ...]]:
    """Yield users by how many others have the same secret."""
    for spec, groups in result.payload["sharing"].items():
        everybody = sum(size for _, _, size in groups["users"])
        for low, high, size in merged(groups["users"], result.words["least"]):
            others = (
                f"{said(low)} and more" if high is None else str(low) if low == high else f"{low} to {high}"
            )
            yield result.api_name(spec), others, size, size / everybody


SHARING = Pivot(
    "Who shares a secret: {users}",
    records=_shared,
    columns={"API": 0, "others with the same secret": 1, "users": 2, "share of users": (3, probability)},
    notes=(
        lambda result: [
            f"{result.api_name(spec)}: {many(groups['secrets'], 'different secret')}; every secret has"
            f" {said(groups['least'])} or more users (k-anonymity)."
            for spec, groups in result.payload["sharing"].items()
        ],
    ),
)


def _curve_points(result: Result) -> Iterator[Point]:
    """Yield the share of users whose own risk is at least a given one, after the last stage of each API."""
    curves_of = _last_curves(result)
    least = min([0.1, *(points[0][0] for points in curves_of.values())])
    for name, points in curves_of.items():
        for risk, share in ((least, points[0][1]), *points, (points[-1][0], 0.0)):
            yield Point(name, risk, share)


def _last_curves(result: Result) -> dict[str, list[tuple[float, float]]]:
    """Return points (risk, share of users) after the last stage of each API, without a risk of 0."""
    last = {entry["api"]: (_stage(entry, result), entry["curve"]) for entry in result.payload["stages"]}
    curves_of = {name: [point for point in curve if point[0] > 0] for name, curve in last.values()}
    return {name: points for name, points in curves_of.items() if points}


def _curve_words(point: Point, result: Result) -> Words:
    points = _last_curves(result)[point.series]
    half = max([risk for risk, share in points if share >= _HALF], default=0)
    return {"series": point.series, "half": probability(half), "most": probability(points[-1][0])}


LAYOUT = Layout(
    "Probability of each user to be re-identified: {users}",
    say={"risk": Say(f"{{api}}: {UNEQUAL}", by=("api",), last=True)},
    tables={"risk": OWN, "worst-posterior": WORST, "histogram": HISTOGRAM, "sharing": SHARING},
    charts={
        "risk": Chart(
            "{series}: half of the users are re-identified with {half} or more, the most exposed with {most}",
            points=_curve_points,
            words=_curve_words,
            draw=lambda points, _: curves(
                points,
                Axis("x", "probability of re-identification (log scale)", "odds", points[0]["x"], 1),
                Axis("y", "users with at least this probability", "share"),
                legend="observed",
                step="step-before",
            ),
        )
    },
)


@study(LAYOUT)
def user_risk(
    people: Population,
    *apis: Api,
    known: str | Iterable[str] = (),
    threshold: Real = HALF,
    least: int = 1,
) -> Findings:
    """Measure each user's own risk after each stage of some APIs.

    The adversary sees the output y, and guesses one of the users who are then most probable; ties are broken
    at random. The own risk of user x is the probability of a right guess,

        R_x = sum_y C[x,y] [x is among the best guesses for y] / (number of best guesses for y),

    so that its mean over users is the posterior Bayes vulnerability (paper, eq. posterior-vulnerability).
    The worst posterior of x is max_y P(x | y) over the outputs y that x can have. The one is a probability if
    x is the user, the other if y is the output: either may be the larger. Users are equally probable, or as
    probable as their weights say. Beside the risks stands how many users share a secret (k-anonymity).

    Of people merged to distinct sets, users with the same set are taken to be treated alike.

    Parameters
    ----------
    people
        The users and their attributes.
    apis
        What to measure; by default third-party cookies and the Topics API.
    known
        The attributes that the adversary already knows of the user: best guesses have the same values.
    threshold
        Which risk is too much: the result says how many users are above.
    least
        How many users at least a group in a table has; smaller ones are merged with the next.

    Examples
    --------
    >>> from quiff import worked_example
    >>> people, api = worked_example()
    >>> risk = user_risk(people, api)
    >>> risk[api.spec, "risk_mean"]
    Fraction(13, 20)
    >>> [risk.per_user.of(user)[api.spec, "topics", "own_risk"] for user in ("Alice", "Bob")]
    [Fraction(293, 600), Fraction(73, 75)]

    Raises
    ------
    ParameterError
        If the threshold is no probability, an attribute has several epochs, or people are merged and single
        users are needed.
    """
    chosen, notes = _reidentifying(apis)
    threshold = check_probability("threshold", threshold)
    beside = names_of(known)
    side = people.channel(*beside) if beside else None
    risks = {api.spec: stage_risks(people, api, side) for api in chosen}
    sharing = {
        api.spec: groups for api in chosen if (groups := shared_secrets(people, api, side)) is not None
    }
    single = None if people.weights is None else np.ones(people.users.size)
    by_stage = [(spec, stage, *pair) for spec, stages in risks.items() for stage, pair in stages.items()]
    values = {
        (spec, stage, name): distribution.values
        for spec, stage, *pair in by_stage
        for name, distribution in zip((_OWN, _WORST), pair, strict=True)
    }
    return Findings(
        (row for api in chosen for row in _rows(api, risks[api.spec], sharing.get(api.spec), threshold)),
        notes=(*notes, *known_note(beside), *left_out(people, apis)),
        warnings=assumed(people, chosen),
        words={"threshold": threshold, "percent": probability(threshold)},
        payload={
            "stages": [
                {
                    "api": spec,
                    "stage": stage,
                    "worst_posterior": worst.spread(threshold),
                    "histogram": own.histogram(),
                    "curve": own.grouped(least, single).at_least(),
                }
                for spec, stage, own, worst in by_stage
            ],
            "sharing": {
                spec: {
                    "secrets": int(np.count_nonzero(groups.counts)),
                    "least": groups.anonymity,
                    "users": groups.by_others(),
                }
                for spec, groups in sharing.items()
            },
        },
        per_user=PerUser(people.users, values),
        apis=chosen,
    )


def most_exposed(result: Result, spec: str | None = None, stage: str | None = None, first: int = 10) -> Table:
    """Return the users with the largest own risk, by default after the last stage of the last API.

    Examples
    --------
    >>> from quiff import user_risk, worked_example
    >>> print(most_exposed(user_risk(*worked_example()), first=1).to_text())
    The most exposed users
    user  own risk  worst posterior
    Bob     97.3 %             96 %
    """
    per_user = result.per_user
    if per_user is None:
        raise ParameterError("this result has no numbers of users; take that of user_risk()")
    keys = [key for key in per_user.values if key[2] == _OWN]
    fitting = [key for key in keys if spec in (None, key[0]) and stage in (None, key[1])]
    if not fitting:
        listed = ", ".join(f"{key[0]!r} {key[1]!r}" for key in keys)
        raise ParameterError(
            f"there are no risks of {spec!r}, stage {stage!r}; there are {listed}",
            what="api",
            value=spec,
            allowed=listed,
        )
    own, worst = per_user.values[fitting[-1]], per_user.values[*fitting[-1][:2], _WORST]
    order = np.argsort(-own.astype(np.float64), kind="stable")[:first]
    return Table(
        "The most exposed users",
        ("user", "own risk", "worst posterior"),
        tuple((per_user.users[int(x)], as_number(own[x]), as_number(worst[x])) for x in order),
        labels=("user",),
        styles={"own risk": probability, "worst posterior": probability},
    )


def _reidentifying(apis: tuple[Api, ...]) -> tuple[tuple[Api, ...], list[str]]:
    """Return the APIs by which users can be re-identified, and notes on the others."""
    notes, left = [], []
    for api in apis:
        if api.observer_knows_who:
            notes.append(f"{api.spec}: the observer already knows who the user is; nobody is re-identified.")
        else:
            left.append(api)
    if not left:
        raise ParameterError(f"{notes[0]} Give another API, or see attribute_inference()")
    return tuple(left), notes


def _rows(
    api: Api,
    risks: Mapping[str, tuple[Distribution, Distribution]],
    sharing: Groups | None,
    threshold: Number,
) -> Iterator[Row]:
    about = {"prior": "population"}
    for stage, (own, worst) in risks.items():
        numbers = risk_numbers(own, threshold) | {"worst_posterior": worst.quantile(1)}
        yield from rows_of(api, numbers, stage=stage, goal="user", **about)
    if sharing is not None:
        groups = {"unique_users": sharing.unique_users, "k_anonymity": sharing.anonymity}
        yield from rows_of(api, groups, stage=list(risks)[-1], goal="secret", **about)
