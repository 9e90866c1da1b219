"""How each user's own risk is shown: its distribution, who is most exposed, and who shares a secret."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from quiff.apis.base import Api
from quiff.core.numbers import Number, as_number
from quiff.errors import ParameterError
from quiff.populations.groups import Groups
from quiff.populations.population import Population
from quiff.results.distribution import ROUNDING, Distribution, of_users
from quiff.results.figures.charts import Axis, curves
from quiff.results.figures.figure import Figure
from quiff.results.numbers import probability, said
from quiff.results.result import Result
from quiff.results.table import Table
from quiff.results.views.names import api_names, capitalised, many, stage_names

Risks: TypeAlias = Mapping[str, tuple[Distribution, Distribution]]
"""Own risks and worst posteriors of users, by stage."""

OWN, WORST = "own_risk", "worst_posterior"
"""The numbers of each user."""

_GROUPS = (0, 1, 2, 10, 100, 1000)  # where the groups of users by the number of others like them begin
_QUANTILES = {"median": 0.5, "95 %": 0.95, "99 %": 0.99, "max": 1.0}
_FORMULA = (
    "R_x = sum_y C[x,y] [x is a best guess for y]/(number of best guesses for y).",
    "The adversary knows every user's secret and guesses a most probable user, ties broken at random.",
    "The mean is the posterior vulnerability (Bayes; paper, Sec. 2.3).",
)


def risk_views(
    people: Population,
    apis: Mapping[str, Api],
    risks: Mapping[str, Risks],
    sharing: Mapping[str, Groups],
    threshold: Number,
    least: int,
) -> dict[str, Any]:
    """Return title, sentences, tables, figures and facts of users' own risks; all by the specs of APIs."""
    names = stage_names(apis, [(spec, stage) for spec, stages in risks.items() for stage in stages])
    own = {name: risks[spec][stage][0] for (spec, stage), name in names.items()}
    worst = {name: risks[spec][stage][1] for (spec, stage), name in names.items()}
    last = {spec: name for (spec, _), name in names.items()}
    weighted = people.weights is not None
    by_weight = ("Users count as much as their weight.",) if weighted else ()
    users = many(people.n_users, "user")
    title = f"Probability of each user to be re-identified: {users}"
    largest = f"Largest posterior of each user over all outputs: {users}"
    telling = ("max_y P(x | y): what the most telling output says about the user.",)
    tables = {
        "risk": _spread(title, own, threshold, (*_FORMULA, *by_weight)),
        "worst-posterior": _spread(largest, worst, threshold, telling),
        "histogram": Table(
            "Users by their own risk",
            ("observed", "from", "below", "share of users"),
            tuple(
                (name, *bar)
                for name, risk in own.items()
                for bar in _merged(risk.histogram(), least / people.n_users)
            ),
            styles=dict.fromkeys(("from", "below", "share of users"), probability),
        ),
        "sharing": _sharing(users, api_names(apis), sharing, least),
    }
    return {
        "title": title,
        "sentences": tuple(
            f"{capitalised(api_names(apis)[spec])}: the average user is re-identified with probability"
            f" {probability(own[name].mean)}, the median user with {probability(own[name].quantile(0.5))},"
            f" and the user most at risk with {probability(own[name].quantile(1))};"
            f" {probability(own[name].share_above(threshold))} {of_users(weighted)} with more than"
            f" {probability(threshold)}."
            for spec, name in last.items()
        ),
        "tables": {name: table for name, table in tables.items() if table.rows},
        "figures": {"risk": lambda: _figure({name: own[name] for name in last.values()})},
        "facts": {
            "risk": {
                spec: {
                    stage: {**mine.to_dict(threshold), "worst_posterior": most.to_dict(threshold)}
                    for stage, (mine, most) in stages.items()
                }
                for spec, stages in risks.items()
            },
            "sharing": {spec: _sharing_facts(groups) for spec, groups in sharing.items()},
        },
    }


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
    keys = [key for key in per_user.values if key[2] == OWN]
    fitting = [key for key in keys if spec in (None, key[0]) and stage in (None, key[1])]
    if not fitting:
        known = ", ".join(f"{key[0]!r} {key[1]!r}" for key in keys)
        raise ParameterError(f"there are no risks of {spec!r}, stage {stage!r}; there are {known}")
    own, worst = per_user.values[fitting[-1]], per_user.values[*fitting[-1][:2], WORST]
    order = np.argsort(-own.astype(np.float64), kind="stable")[:first]
    return Table(
        "The most exposed users",
        ("user", "own risk", "worst posterior"),
        tuple((per_user.users[int(x)], as_number(own[x]), as_number(worst[x])) for x in order),
        labels=("user",),
        styles={"own risk": probability, "worst posterior": probability},
    )


def _spread(
    title: str, values: Mapping[str, Distribution], threshold: Number, notes: tuple[str, ...]
) -> Table:
    """Return mean and quantiles over users, a row for each stage."""
    columns = ("mean", *_QUANTILES, f"above {probability(threshold)}")
    return Table(
        title,
        ("observed", *columns),
        tuple(
            (name, each.mean, *map(each.quantile, _QUANTILES.values()), each.share_above(threshold))
            for name, each in values.items()
        ),
        notes,
        styles=dict.fromkeys(columns, probability),
    )


def _merged(groups: Sequence[tuple[Any, Any, Any]], least: float) -> list[tuple[Any, Any, Any]]:
    """Return groups (from, to, size) that are no smaller than some size: a smaller one goes with the next.

    >>> _merged([(0, 1, 0.25), (1, 2, 0.01), (2, 3, 0.74), (3, None, 0)], 0.05)
    [(0, 1, 0.25), (1, 3, 0.75)]
    """
    found: list[tuple[Any, Any, Any]] = []
    for low, high, size in groups:
        if size > 0 and found and found[-1][2] < least * (1 - ROUNDING):
            found[-1] = (found[-1][0], high, found[-1][2] + size)
        elif size > 0:
            found.append((low, high, size))
    if len(found) > 1 and found[-1][2] < least * (1 - ROUNDING):
        (low, _, size), (_, high, more) = found[-2:]
        found[-2:] = [(low, high, size + more)]
    return found


def _sharing(users: str, names: Mapping[str, str], sharing: Mapping[str, Groups], least: int) -> Table:
    facts = {names[spec]: _sharing_facts(groups) for spec, groups in sharing.items()}
    listed = [
        (name, low, high, some, found["users"])
        for name, found in facts.items()
        for low, high, some in _merged([tuple(each.values())[:3] for each in found["groups"]], least)
    ]
    return Table(
        f"Who shares a secret: {users}",
        ("API", "others with the same secret", "users", "share of users"),
        tuple((name, _others(low, high), some, some / whole) for name, low, high, some, whole in listed),
        tuple(
            f"{name}: {many(found['distinct_secrets'], 'different secret')}; every secret has "
            f"{said(found['k_anonymity'])} or more users (k-anonymity)."
            for name, found in facts.items()
        ),
        styles={"share of users": probability},
    )


def _sharing_facts(groups: Groups) -> dict[str, Any]:
    """Return users by how many others have the same secret."""
    counts, found = groups.counts, []
    for low, after in pairwise([*_GROUPS, None]):
        low = 0 if low is None else low
        some = int(counts[(counts > low) & (after is None or counts <= after)].sum())
        if some:
            to = None if after is None else after - 1
            found.append({"others_from": low, "others_to": to, "users": some, "share": some / groups.n_users})
    return {
        "users": groups.n_users,
        "distinct_secrets": int(np.count_nonzero(counts)),
        "k_anonymity": groups.anonymity,
        "unique_users": float(groups.unique_users),
        "groups": found,
    }


def _others(low: int, high: int | None) -> str:
    if high is None:
        return f"{said(low)} and more"
    return str(low) if low == high else f"{low} to {high}"


def _figure(own: Mapping[str, Distribution]) -> Figure:
    """Draw the share of users whose own risk is at least a given one; who has none is what a line lacks."""
    steps = {name: [point for point in risk.at_least() if point[0] > 0] for name, risk in own.items()}
    least = min([0.1, *(points[0][0] for points in steps.values() if points)])
    records = [
        {"series": name, "risk": risk, "share": share}
        for name, points in steps.items()
        if points
        for risk, share in ((least, points[0][1]), *points, (points[-1][0], 0.0))
    ]
    across = Axis("risk", "probability of re-identification (log scale)", "odds", least, 1)
    up = Axis("share", "users with at least this probability", "share")
    name, last = list(own.items())[-1]
    half, most = (probability(last.quantile(place)) for place in (0.5, 1))
    title = f"{capitalised(name)}: half of the users are re-identified with {half} or more, one with {most}"
    return Figure.of(title, curves(records, across, up, list(own), legend="observed", step="step-before"))
