"""How each user's own risk is shown: its distribution, who is most exposed, and who shares a secret."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from quiff.apis.base import Api
from quiff.core.numbers import Number, as_number
from quiff.errors import ParameterError, counted
from quiff.populations.groups import Groups
from quiff.populations.population import Population
from quiff.results.distribution import Distribution, of_users
from quiff.results.figures.risk import risk_figure
from quiff.results.numbers import probability, shown
from quiff.results.result import Result
from quiff.results.table import Table
from quiff.results.views.names import api_names, stage_names

Risks: TypeAlias = Mapping[str, tuple[Distribution, Distribution]]
"""Own risks and worst posteriors of users, by stage."""

OWN, WORST = "own_risk", "worst_posterior"
"""The numbers of each user."""

_GROUPS = (0, 1, 2, 10, 100, 1000)  # where the groups of users by the number of others like them begin


def risk_views(
    people: Population,
    apis: Mapping[str, Api],
    risks: Mapping[str, Risks],
    sharing: Mapping[str, Groups],
    threshold: Number,
) -> dict[str, Any]:
    """Return title, sentences, tables, figures and facts of users' own risks; all by the specs of APIs."""
    names = stage_names(apis, {spec: list(stages) for spec, stages in risks.items()})
    own = {key: risks[key[0]][key[1]][0] for key in names}
    worst = {key: risks[key[0]][key[1]][1] for key in names}
    users, weighted = counted(people.n_users, "user"), people.weights is not None
    notes = [
        "R_x = sum_y C[x,y] [x is a best guess for y]/(number of best guesses for y).",
        "The adversary knows every user's secret and guesses a most probable user, ties broken at random.",
        "The mean is the posterior vulnerability (Bayes; paper, Sec. 2.3).",
    ]
    notes += ["Users count as much as their weight."] if weighted else []
    title = f"Probability of each user to be re-identified: {users}"
    tables = {
        "risk": _spread(title, names, own, threshold, tuple(notes)),
        "worst-posterior": _spread(
            f"Largest posterior of each user over all outputs: {users}",
            names,
            worst,
            threshold,
            ("max_y P(x | y): what the most telling output says about the user.",),
        ),
        "histogram": _histogram(names, own),
    }
    if sharing:
        tables["sharing"] = _sharing(users, api_names(apis), sharing)
    last = {spec: (spec, stage) for spec, stage in names}.values()  # of each API the last stage
    return {
        "title": title,
        "sentences": tuple(
            f"{name}: users are re-identified with {probability(own[key].mean)} on average, with "
            f"{probability(own[key].quantile(0.5))} in the median and {probability(own[key].quantile(1))} at "
            f"most; {probability(own[key].share_above(threshold))} {of_users(weighted)} are above "
            f"{probability(threshold)}."
            for key, name in names.items()
            if key in last
        ),
        "tables": tables,
        "figures": {
            "risk": lambda: risk_figure(
                {name: own[key].at_least() for key, name in names.items()}, people.n_users
            )
        },
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
    Bob   0.973333         0.960396
    """
    per_user = result.per_user
    if per_user is None:
        raise ParameterError("this result has no numbers of users; take that of user_risk()")
    fitting = [
        key for key in per_user.values
        if key[2] == OWN and spec in (None, key[0]) and stage in (None, key[1])
    ]  # fmt: skip
    if not fitting:
        keys = ", ".join(f"{key[0]!r} {key[1]!r}" for key in per_user.values if key[2] == OWN)
        raise ParameterError(f"there are no risks of {spec!r}, stage {stage!r}; there are {keys}")
    own = per_user.values[fitting[-1]]
    worst = per_user.values[*fitting[-1][:2], WORST]
    order = np.argsort(-own.astype(np.float64), kind="stable")[:first]
    rows = tuple((per_user.users[int(x)], as_number(own[x]), as_number(worst[x])) for x in order)
    return Table("The most exposed users", ("user", "own risk", "worst posterior"), rows, labels=("user",))


def _spread(
    title: str,
    names: Mapping[tuple[str, str], str],
    values: Mapping[tuple[str, str], Distribution],
    threshold: Number,
    notes: tuple[str, ...],
) -> Table:
    """Return mean and quantiles over users, a row for each stage."""
    columns = ("seen", "mean", "median", "95 %", "99 %", "max")
    rows = tuple(
        (
            name,
            values[key].mean,
            *(values[key].quantile(share) for share in (0.5, 0.95, 0.99, 1.0)),
            values[key].share_above(threshold),
        )
        for key, name in names.items()
    )
    return Table(title, (*columns, f"above {shown(threshold)}"), rows, notes)


def _histogram(names: Mapping[tuple[str, str], str], own: Mapping[tuple[str, str], Distribution]) -> Table:
    """Return the shares of users by powers of ten of their own risk."""
    rows = tuple((name, *bar) for key, name in names.items() for bar in own[key].histogram() if bar[2] > 0)
    return Table("Users by their own risk", ("seen", "from", "below", "share of users"), rows)


def _sharing(users: str, names: Mapping[str, str], sharing: Mapping[str, Groups]) -> Table:
    rows, notes = [], []
    for spec, groups in sharing.items():
        facts = _sharing_facts(groups)
        rows += [
            (names[spec], _others(g["others_from"], g["others_to"]), g["users"], g["share"])
            for g in facts["groups"]
        ]
        notes.append(
            f"{names[spec]}: {counted(facts['distinct_secrets'], 'different secret')}; every secret has "
            f"{facts['k_anonymity']} or more users (k-anonymity)."
        )
    columns = ("API", "others with the same secret", "users", "share of users")
    return Table(f"Who shares a secret: {users}", columns, tuple(rows), tuple(notes))


def _sharing_facts(groups: Groups) -> dict[str, Any]:
    """Return users by how many others have the same secret."""
    counts, users = groups.counts, groups.n_users
    found = []
    for low, after in zip(_GROUPS, [*_GROUPS[1:], None], strict=True):
        inside = counts > low if after is None else (counts > low) & (counts <= after)
        some = int(counts[inside].sum())
        if some:
            to = None if after is None else after - 1
            found.append({"others_from": low, "others_to": to, "users": some, "share": some / users})
    return {
        "users": users,
        "distinct_secrets": int(np.count_nonzero(counts)),
        "k_anonymity": groups.anonymity,
        "unique_users": float(groups.unique_users),
        "groups": found,
    }


def _others(low: int, high: int | None) -> str:
    if high is None:
        return f"{low} and more"
    return str(low) if low == high else f"{low} to {high}"
