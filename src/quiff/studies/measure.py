"""The question what one observation of some APIs reveals about people, and what it is good for."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import inf, log, log2
from typing import Any

from quiff.apis.base import Api, all_limits
from quiff.core.channel import Channel
from quiff.core.compose import parallel
from quiff.core.gain import Gain
from quiff.core.labels import same
from quiff.core.numbers import Number
from quiff.core.prior import Prior
from quiff.errors import ParameterError, SizeError
from quiff.measures.capacity import bayes_capacity, max_case_capacity
from quiff.measures.privacy import epsilon
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability
from quiff.people.groups import grouped
from quiff.people.members import attribute_gain, users_behind
from quiff.people.population import Population
from quiff.results.layout import Layout, Say, last_stages
from quiff.results.numbers import probability, said
from quiff.results.result import Result
from quiff.results.rows import CLOSED, Between, Row, Rows, rows_of
from quiff.results.table import Table
from quiff.studies import questions
from quiff.studies.study import Findings, assumed, checked_priors, left_out, names_of, study
from quiff.studies.words import described
from quiff.weeks.estimate import Estimate
from quiff.weeks.sampled import sampled_vulnerability

_PEOPLE = {
    "users": ("users (N)", said),
    "set_size": ("topics of a set", said),
    "distinct_sets": ("distinct topic sets", said),
    "occurring_topics": ("topics that occur (m')", said),
    "anonymity": ("users of the rarest set (k-anonymity)", said),
    "unique_users": ("share of users with a unique topic set", probability),
    "filled_users": ("share of users with topics filled in at random", probability),
    "filled_topics": ("share of topics that were filled in", probability),
}


def _heading(result: Result) -> str:
    apis = [described(result.apis[spec]) for spec in result.words["spoken"]]
    return (", " if len(apis) == 1 else "; ").join([result.words["people"], *apis])


def _of_apis(spoken: bool) -> Say:
    """Return what says of each API that the answer is about, or of each other one, what it reveals."""
    return replace(
        questions.REVEALS,
        where=lambda row, result: row.observations == 1 and (row.api in result.words["spoken"]) is spoken,
    )


def _use(result: Result, first: bool) -> Iterator[str]:
    """Say what a receiver learns: of each API that the answer is about its first goal, or all else."""
    for spec in result.apis:
        end = spec in result.words["spoken"]
        sentences = questions.learnt(result.rows.where(api=spec), result)
        yield from sentences[:end] if first else sentences[end:]


def _unique(result: Result) -> str:
    counts = result.population or {}
    if "unique_users" not in counts:
        return ""
    whom = "1 user has" if counts["users"] == 1 else f"the {result.words['users']} have"
    return f"{probability(counts['unique_users'])} of {whom} a unique topic set."


def people_table(result: Result) -> Table:
    """Return who was measured, in counts."""
    counts = result.population or {}
    listed = [(counts[key], *words) for key, words in _PEOPLE.items() if counts.get(key) is not None]
    return Table(
        "People",
        ("what", "value"),
        tuple((text, value) for value, text, _ in listed),
        result.notes,
        styles={"value": [style for *_, style in listed]},
    )


LAYOUT = Layout(
    "What one observation reveals about {users}",
    say={
        "revealed": _of_apis(True),
        "use": lambda result: _use(result, first=True),
        "remarks": lambda result: result.words["remarks"],
    },
    further={
        "others": _of_apis(False),
        "use": lambda result: _use(result, first=False),
        "sets": _unique,
        "filling": questions.filled_said,
    },
    tables={
        "privacy": questions.REVEALED,
        "utility": questions.USE,
        "limits": questions.LIMITS,
        "people": people_table,
    },
    charts={"stages": questions.STAGES, "trade-off": questions.TRADE_OFF},
    heading=_heading,
)


@study(LAYOUT, genuine="privacy")
def measure(
    people: Population,
    *apis: Api,
    goals: str | Iterable[str] | None = None,
    known: str | Iterable[str] = (),
    priors: Mapping[str, Prior] | None = None,
) -> Findings:
    """Measure what one observation of each API reveals about people, and what a receiver learns.

    For every stage of every API: the probability to re-identify the user before and after (posterior), their
    ratio (leakage), the capacities of the channel on the secrets that occur, and the probability to reach
    each goal. Beside them stand the closed forms of the API, which speak of all secrets that there can be.

    Parameters
    ----------
    people
        The users and their attributes. Their weights, if they have some, are the prior on users.
    apis
        What to measure; by default third-party cookies and the Topics API.
    goals
        The attributes that a receiver wants to learn of the user, for every API (of topics: one of them); by
        default all. The goals of an API itself are always measured.
    known
        The attributes that the adversary already knows of the user: then before and after are both given
        these.
    priors
        Further priors on secrets by name, beside that of the people and the uniform one, for goals.

    Examples
    --------
    The worked example of the paper's figure of the Topics channels, with its five topics:

    >>> from quiff import worked_example
    >>> people, api = worked_example()
    >>> result = measure(people, api)
    >>> result[api.spec, "posterior"], result[api.spec, "leakage"]
    (Fraction(13, 20), Fraction(39, 20))
    >>> result[api.spec, "goal_prior", "topics"], result[api.spec, "goal_posterior", "topics"]
    (Fraction(2, 3), Fraction(293, 300))

    Raises
    ------
    ParameterError
        If people or APIs are something else, an attribute is missing, or people are merged and an API needs
        every single one.
    """
    beside, others = names_of(known), checked_priors(priors)
    wanted = (
        [name for name in people.attributes if name not in beside] if goals is None else list(names_of(goals))
    )
    for name in (*wanted, *beside):
        people.attribute(name)  # a name that is not there is told at once
    ready = {api: api.fit(people) for api in apis}
    rows = Rows(
        row
        for api, settled in ready.items()
        for row in api_rows(people, api, wanted, beside, others, settled)
    )
    unused = next((name for name in others if not len(rows.where(prior=name))), None)
    if unused is not None:
        raise ParameterError(
            f"no API has the secrets of the prior {unused!r}, or something is known",
            what="priors",
            value=unused,
        )
    drawn = rows.where(method="monte-carlo").by("api", "goal")
    sampled = (
        f"{api.title}: what is learnt of {goal!r} is sampled, with an interval of 95 %."
        for api in apis
        for spec, goal in drawn
        if api.spec == spec
    )
    taken = dict.fromkeys(words for api in apis for words in api.assumptions)
    return Findings(
        rows,
        notes=(*taken, *left_out(people, apis), *sampled),
        warnings=(*people.warnings, *assumed(people, apis)),
        words={
            "known": list(beside),
            "spoken": _spoken_of(rows, apis),
            "remarks": [
                f"{api.title}: {words}" for api, settled in ready.items() for words in settled.remarks()
            ],
        },
    )


def _spoken_of(rows: Rows, apis: tuple[Api, ...]) -> list[str]:
    """Return the APIs that the answer is about: not those which single out everybody, if there are others."""
    last, specs = last_stages(rows), [api.spec for api in apis]
    return [spec for spec in specs if last.where(api=spec)["posterior"] != 1] or specs


def prior_of(people: Population) -> Prior:
    """Return the prior on the rows of people: on users, or on the distinct sets that they were merged to."""
    return people.set_prior() if people.merged else people.user_prior()


def api_rows(
    people: Population,
    api: Api,
    goals: list[str],
    known: tuple[str, ...],
    priors: Mapping[str, Prior],
    ready: Api | None = None,
) -> Iterator[Row]:
    """Yield the rows of one API: those of these people, stage by stage, and its closed forms.

    It is named as it was given, and measured as it was fitted: `ready`, if that is done already.
    """
    ready = api.fit(people) if ready is None else ready
    last = api.name
    for row in _measured(people, ready, goals, known, priors):
        last = row.stage
        yield replace(row, api=api.spec, unit=api.unit)
    for limit in all_limits(ready):
        yield from rows_of(api, {limit.quantity: limit.value}, stage=limit.stage or last, **CLOSED)


def _measured(
    people: Population, ready: Api, goals: list[str], known: tuple[str, ...], priors: Mapping[str, Prior]
) -> Iterator[Row]:
    """Yield the rows of these people, stage by stage, without the name of the API."""
    side = people.channel(*known) if known else None
    try:
        secret = ready.secret(people)
    except SizeError:  # too many random secrets to list: what is observed of users is still known
        yield from _user_rows(people, ready, ready.name, ready.channel(people), side)
        yield from _channel_rows(ready.name, ready.channel(people))
        return
    own = ready.goals(secret.outputs)
    groups = grouped(people, secret) if secret.codes is not None and side is None else None
    on_secrets: dict[str, Gain | None] = {**({"secret": None} if ready.needs else {}), **own}
    law = prior_of(people) @ secret if groups is None else groups.prior
    laws = {"population": law, "uniform": Prior.uniform(secret.outputs)}
    laws |= {name: prior for name, prior in priors.items() if same(prior.labels, secret.outputs)}
    prior_gains = {
        (goal, name): vulnerability(prior, gain)
        for goal, gain in on_secrets.items()
        for name, prior in laws.items()
        if side is None
    }

    def of_stage(stage: str, C: Channel) -> Iterator[Row]:
        if groups is None:
            yield from _user_rows(people, ready, stage, secret @ C, side)
        elif not ready.observer_knows_who:
            yield from _reidentified(stage, groups.best_user, groups.reidentified_by(C))
        yield from _channel_rows(stage, C)
        for (goal, name), before in prior_gains.items():
            yield from _goal_rows(stage, goal, name, before, _after(laws[name], C, on_secrets[goal]))
        for goal in goals:
            if goal not in on_secrets or side is not None:
                yield from _pulled_back(people, stage, goal, secret @ C, side)

    for stage, C in ready.stages(secret.outputs).items():
        yield from bracketed(of_stage(stage, C), C.slack)


def _pulled_back(
    people: Population, stage: str, goal: str, C: Channel, side: Channel | None
) -> Iterator[Row]:
    """Yield how well an attribute is learnt from a channel on users, given what is known of them."""
    gain, prior = attribute_gain(people, goal), prior_of(people)
    before = vulnerability(prior, gain) if side is None else posterior_vulnerability(prior, side, gain)
    after = _after(prior, C if side is None else parallel(side, C), gain)
    yield from _goal_rows(stage, goal, "population", before, after)
    if goal != "topics" and side is None:
        behind = users_behind(people, goal)
        uniform = Prior.uniform(behind.inputs)
        try:
            after = posterior_vulnerability(uniform, behind @ C)
        except SizeError:  # the same, as a gain on the users behind the values
            after = sampled_vulnerability(uniform @ behind, C, gain)
        yield from _goal_rows(stage, goal, "uniform", vulnerability(uniform), after)


def _after(prior: Prior, C: Channel, gain: Gain | None) -> Number | Estimate:
    """Return a posterior vulnerability; where outputs are too many to look at, estimated from drawn ones."""
    try:
        return posterior_vulnerability(prior, C, gain)
    except SizeError:
        return sampled_vulnerability(prior, C, gain)


def _user_rows(people: Population, api: Api, stage: str, C: Channel, side: Channel | None) -> Iterator[Row]:
    """Yield the probability of re-identification from a channel on users, given what is known of them."""
    if not api.observer_knows_who:
        prior = people.user_prior()
        before = vulnerability(prior) if side is None else posterior_vulnerability(prior, side)
        after = posterior_vulnerability(prior, C if side is None else parallel(side, C))
        yield from _reidentified(stage, before, after)


def _reidentified(stage: str, before: Number, after: Number) -> Iterator[Row]:
    numbers = {"prior": before, "posterior": after, "leakage": after / before}
    return rows_of(None, numbers, stage=stage, goal="user", prior="population")


def bracketed(rows: Iterable[Row], slack: float) -> Iterator[Row]:
    """Give the numbers of a channel whose outputs were cut into cells the interval of the true ones."""
    for row in rows:
        if slack == 1 or row.quantity in ("prior", "goal_prior"):
            yield row
            continue
        value = float(row.value if row.high is None else row.high)
        wider = {
            "min_capacity_bits": value + log2(slack),
            "epsilon": value + 2 * log(slack),
            "max_case_capacity": value * slack**2,
        }
        high = wider.get(row.quantity, value * slack)
        if row.quantity in ("posterior", "goal_posterior"):
            high = min(high, 1.0)
        if row.method == "monte-carlo":
            yield replace(row, high=high)
        else:
            yield replace(row, low=row.value, high=high, method="discretised")


def _goal_rows(stage: str, goal: str, prior: str, before: Number, after: Number | Estimate) -> Iterator[Row]:
    numbers: dict[str, Any] = {"goal_prior": before, "goal_posterior": after}
    if isinstance(after, Estimate):
        # An observation does no harm: what is below the prior one is sampling error.
        value, low, high = (max(end, float(before)) for end in (after.value, after.low, after.high))
        numbers["goal_posterior"] = Between(value, low, high, "monte-carlo")
    return rows_of(None, numbers, stage=stage, goal=goal, prior=prior)


def _channel_rows(stage: str, C: Channel) -> Iterator[Row]:
    """Yield the capacities of a channel on the secrets that occur."""
    capacity = bayes_capacity(C)
    numbers = {
        "bayes_capacity": capacity,
        "min_capacity_bits": inf if capacity == inf else log2(capacity),
        "epsilon": epsilon(C),
        "max_case_capacity": max_case_capacity(C),
    }
    return rows_of(None, numbers, stage=stage)
