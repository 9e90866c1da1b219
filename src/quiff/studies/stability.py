"""The questions how stable interests are, and what many observations reveal where they change."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from math import sqrt
from typing import Any, cast

import numpy as np

from quiff.apis.base import Api, check_observations
from quiff.core.limits import check_fits
from quiff.core.numbers import Array
from quiff.errors import ParameterError
from quiff.people.groups import Groups, grouped
from quiff.people.population import Population
from quiff.progress import part
from quiff.results.figures.charts import Axis, curves, marks
from quiff.results.layout import Cell, Chart, Layout, Pivot, Say, interval
from quiff.results.numbers import many, probability
from quiff.results.result import Result
from quiff.results.rows import Row, Rows, Scope, rows_of
from quiff.studies.study import Findings, study
from quiff.studies.words import heading
from quiff.theory.parameters import check_probability, check_whole
from quiff.weeks.drifting import Drifting, Success, largest
from quiff.weeks.sequences import Sequences

_DEVIATIONS = 2.17  # of the normal distribution, as where means are estimated from samples

# How stable people's interests are, from those of several weeks.


def _whose(row: Row) -> str:
    return "users without filled-in topics" if row.scope == "genuine" else "all users"


@study(
    Layout(
        "How stable {attribute} of {users} are",
        say={
            "stability": Say(
                "From one week to the next {whom} kept with probability {stability} (95 %: {low} to {high}),"
                " beyond what recurs at random.",
                by=("scope",),
                words=lambda rows, result: {
                    "whom": f"{'a topic' if result.words['attribute'] == 'topics' else 'the value'} is"
                    f"{' (of users without filled-in topics)' if rows.rows[0].scope == 'genuine' else ''}",
                    "low": probability(rows.rows[0].low or 0),
                    "high": probability(rows.rows[0].high or 0),
                },
            )
        },
        tables={
            "stability": Pivot(
                "Stability from week to week",
                records=lambda result: result.rows,
                columns={
                    "of": lambda row, _: _whose(row),
                    "stability": ("value", probability),
                    "low": ("low", probability),
                    "high": ("high", probability),
                },
            )
        },
        charts={
            "stability": Chart(
                "How stable {attribute} of {users} are",
                by=("scope",),
                points={
                    "name": lambda rows, _: _whose(rows.rows[0]),
                    "kind": lambda *_: "estimate",
                    "stability": "stability",
                    **interval("stability"),
                },
                draw=lambda points, _: marks(
                    points, Axis("stability", "kept from one week to the next", "probability"), ["estimate"]
                ),
            )
        },
        heading=heading,
    ),
)
def stability(people: Population, of: str | None = None) -> Findings:
    """Estimate how stable interests are, from people with several weeks.

    With probability rho a value is kept from one week to the next, else it is drawn anew as frequent as it is
    among all; of topic sets each topic by itself. What recurs at random does not count as kept. The interval
    of 95 % is over users, who are independent of each other.

    Parameters
    ----------
    people
        The users and their attributes in several weeks (epochs).
    of
        The attribute whose stability is estimated; by default the topics, else the first attribute.

    Examples
    --------
    >>> from quiff import drift
    >>> people = drift(Population.synthetic(2000, seed=1), 5, 0.1, 1)  # each topic is replaced with 0.1
    >>> [row] = stability(people).rows
    >>> round(row.value, 2), row.low < row.value < row.high
    (0.9, True)

    Raises
    ------
    ParameterError
        If there is one week only, or no such attribute.
    """
    if of is None and not people.attributes:
        raise ParameterError("these people have no attribute whose stability could be estimated")
    name = of or ("topics" if "topics" in people.attributes else people.attributes[0])
    people.attribute(name)  # or says which there are
    if people.n_epochs < 2:
        raise ParameterError(
            "stability is estimated from several weeks, and these people have one; give profiles"
            " with a column epoch"
        )
    groups: dict[Scope, Population] = {"people": people}
    filled = people.filled
    if name == "topics" and filled is not None and filled.filled_sets and filled.genuine_users:
        groups["genuine"] = people.genuine()
    estimates = {scope: _estimated(some, name) for scope, some in groups.items()}
    rows = (
        row
        for scope, ends in estimates.items()
        for row in rows_of(
            None, {"stability": tuple(np.clip(ends, 0, 1).tolist())}, scope=scope, method="sample"
        )
    )
    unlike = any(high < 0 for _, _, high in estimates.values())
    warnings = ("Values recur less often than at random, which the model has no room for.",) if unlike else ()
    return Findings(rows, warnings=warnings, words={"attribute": name})


def _estimated(people: Population, name: str) -> tuple[float, float, float]:
    """Return rho with its interval, from how often values recur and how frequent they are.

    Of u = 1 - rho and c, the share of users who have a value, one of a set of s recurs with probability
    1 - u + u c/s + u^2 c (s-1)/s: kept, or drawn anew in its own place or in that of another one.
    The ends are those of the mean of users, to which two who keep all and two who keep nothing are added.
    """
    counts = np.ones(people.users.size) if people.counts is None else people.counts.astype(np.float64)
    recurs, share = np.zeros((2, people.users.size))
    for again, frequent in _pairs_of_weeks(people, name, counts):
        recurs += again.mean(axis=1)
        share += frequent.mean(axis=1)
    weeks, s = people.n_epochs - 1, people.sets.shape[2] if name == "topics" else 1
    total, often = weeks * counts.sum(), (counts * share).sum()

    def kept(recurring: float, total: float) -> float:
        linear, square = total - often / s, often * (s - 1) / s
        root = sqrt(max(0.0, linear**2 - 4 * square * (total - recurring)))
        return float(1 - 2 * (total - recurring) / (linear + root))

    if total - often <= 0:
        raise ParameterError(
            f"all users have the same {name} in all weeks; whether it is kept is unknown",
            what="attribute",
            value=name,
        )
    rho = kept((counts * recurs).sum(), total)
    centre = kept((counts * recurs).sum() + 2 * weeks, total + 4 * weeks)
    u = 1 - centre
    off = recurs - weeks * centre - share * (u / s + u**2 * (s - 1) / s)
    spread = sqrt((counts * off**2).sum() + 2 * weeks**2 * (u**2 + centre**2))
    half = _DEVIATIONS * spread / (total + 4 * weeks - often / s - 2 * u * often * (s - 1) / s)
    return float(rho), float(min(rho, centre - half)), float(max(rho, centre + half))


def _pairs_of_weeks(people: Population, name: str, counts: Array) -> Iterator[tuple[Array, Array]]:
    """Yield for each week but the last whether each value of each user recurs, and how frequent it is."""
    which = people.sets if name == "topics" else people.attribute(name).which[:, :, np.newaxis]
    if len(which) < people.n_epochs:
        raise ParameterError(
            f"{name} has one value for all weeks; how stable it is cannot be estimated",
            what="attribute",
            value=name,
        )
    for now, later in pairwise(which):
        holders = np.bincount(later.ravel(), np.repeat(counts, later.shape[1]), int(which.max()) + 1)
        recurs = (now[:, :, np.newaxis] == later[:, np.newaxis, :]).any(axis=2)
        yield recurs.astype(np.float64), holders[now] / counts.sum()


# What many observations reveal of people whose interests change.

_NOW, _PATH, _STALE, _FRESH, _BY_TOPIC = "now", "path", "reference", "paths", "reference by topic"


def _titles(rhos: Iterable[float], reference: int) -> dict[str, str]:
    """Return what the stages of a result are called."""
    weeks = many(reference, "week")
    names = {
        _NOW: "this week's secret",
        _PATH: "the secrets of all weeks",
        _STALE: f"the user, by a reference {weeks} old",
        _FRESH: "the user, by secrets of every week",
        _BY_TOPIC: f"the user, by a reference {weeks} old, each topic by itself",
    }
    return {
        f"{key}@{rho:g}": f"{name} (kept: {probability(rho)})" for rho in rhos for key, name in names.items()
    }


def _about(stage: str, quantity: str) -> Cell:
    def cell(rows: Rows, result: Result) -> Any:
        return rows.where(stage=f"{stage}@{result.words['rho']:g}")[quantity]

    return cell, probability


def _says(template: str, stage: str, **where: Any) -> Say:
    """Return a sentence on the most observations of a stage."""

    def chosen(row: Row, result: Result) -> bool:
        return row.stage == f"{stage}@{result.words['rho']:g}"

    def words(rows: Rows, result: Result) -> Mapping[str, str]:
        n = rows.observations
        row = rows.row(where["longest"])
        sure = row is None or row.method in ("exact", "formula")
        most = rows.row("saturation")
        worst = result.rows.where(stage=f"{stage}@1", observations=n)[where["longest"]]
        return {
            "after": many(n, "observation"),
            "about": "" if sure else "about ",
            "most": "" if most is None else probability(most.value if most.high is None else most.high),
            "first": many(int(rows["saturation_observations"] or 0), "observation"),
            "kept": probability(result.words["rho"]),
            "worst": "" if worst is None else probability(worst),
            "reference": many(result.words["reference"], "week"),
        }

    return Say(template, where=chosen, words=words, **where)


def _range(result: Result) -> str:
    if result.words["stability"] is not None:
        return ""
    return (
        "How stable interests are is not known of these people: what follows is for interests that are drawn"
        " anew every week, and for interests that never change. Neither end is safe for every question;"
        " re-identification by the secrets of every week may be larger in between."
    )


CHANGING = Layout(
    "{api}: what several observations reveal about {users} whose interests change",
    say={
        "range": _range,
        "now": _says(
            "{api}: if interests are kept with probability {kept} from week to week, {after} guess this"
            " week's secret with probability {about}{goal_posterior} ({goal_prior} without any); if they"
            " never change, with {worst}. The first week's secret is guessed as well as the last week's.",
            _NOW,
            longest="goal_posterior",
        ),
        "saturation": _says(
            "However many weeks are observed, this week's secret is guessed with probability {most} at most;"
            " {first} already give 99 % of what all of them add.",
            _NOW,
            longest="saturation",
        ),
        "threshold": _says(
            "At a stability of {stability_threshold} or less, earlier weeks would add nothing to a guess of"
            " this week's secret.",
            _NOW,
            longest="stability_threshold",
        ),
        "path": _says(
            "The secrets of all weeks of {after} are guessed together with probability"
            " {about}{goal_posterior} ({goal_prior} without any).",
            _PATH,
            longest="goal_posterior",
        ),
        "reference": _says(
            "An observer who knew everybody's interests {reference} before the first of {after} re-identifies"
            " a user with probability {about}{posterior}; if interests never change, with {worst}.",
            _STALE,
            longest="posterior",
        ),
        "paths": _says(
            "An observer who knows everybody's interests of every week re-identifies a user with probability"
            " {about}{posterior}; if interests never change, with {worst}.",
            _FRESH,
            longest="posterior",
        ),
    },
    tables={
        "changing": Pivot(
            "{api}: interests that are kept with probability {kept} from week to week",
            by=("observations",),
            columns={
                "this week's": _about(_NOW, "goal_posterior"),
                "if never changed": (
                    lambda rows, _: rows.where(stage=f"{_NOW}@1")["goal_posterior"],
                    probability,
                ),
                "all weeks'": _about(_PATH, "goal_posterior"),
                "the user, stale": _about(_STALE, "posterior"),
                "the user, fresh": _about(_FRESH, "posterior"),
            },
            notes=(
                "this week's, all weeks': to guess the secret of this week, or of all weeks.",
                "the user, stale: who it is, by a reference {old}; fresh: by the secrets of"
                " every week, of users drawn from the same model.",
            ),
        ),
        "changing-all": Pivot(
            "All questions, and between what the probabilities lie",
            records=lambda result: result.rows.where(quantity=["goal_posterior", "posterior"]),
            columns={
                "guessed": lambda row, result: result.stage_name(row.api, row.stage),
                "observations": "observations",
                "right": ("value", probability),
                "low": ("low", probability),
                "high": ("high", probability),
                "method": "method",
            },
        ),
    },
    charts={
        "changing": Chart(
            "{api}: probability of a right guess by the number of observations",
            by=("stage", "observations"),
            where=lambda row, _: not row.stage.startswith(_BY_TOPIC),
            points=tuple(
                {"series": "stage", "observations": "observations", "probability": quantity}
                for quantity in ("goal_posterior", "posterior")
            ),
            draw=lambda points, _: curves(
                points,
                Axis("observations", "observations", "count"),
                Axis("probability", "probability of a right guess", "probability"),
                points=True,
                size=(310, 260),
            ),
            without="the API shows nothing anew of a secret that changes",
        )
    },
    heading=heading,
)


@study(CHANGING)
def changing_interests(
    people: Population,
    api: Api | None = None,
    observations: int = 4,
    *,
    stability: float | None = None,
    reference: int = 4,
    seed: int = 0,
) -> Findings:
    """Measure what 1, 2, ..., n observations reveal of people whose interests change.

    From one observation to the next a secret is kept with probability `stability`, else drawn anew as
    frequent as it is among these people (see :mod:`quiff.weeks.drifting`). The questions: this week's
    secret; the secrets of all weeks; who the user is, for an observer who knew everybody's secret some weeks
    before, and for one who knows everybody's of every week, for as many users drawn from the model. Exact
    while it can be computed, then between certain bounds, else sampled. Interests that never change stand
    beside.

    Parameters
    ----------
    people
        The users and their attributes.
    api
        An API that draws new noise for each observation.
    observations
        n, the largest number of observations.
    stability
        The probability that a secret is kept from one observation to the next; without it both ends, 0 and 1.
    reference
        How many weeks before the first observation the observer knew everybody's secret.
    seed
        The same seed gives the same estimates.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import program
    >>> @program
    ... def survey(user, draw, truth=0.7310585786300049):
    ...     answer = user.smoker
    ...     return answer if draw.flip(truth) else not answer
    >>> people = Population.from_sets({n: {1} for n in range(4)}).with_attribute("smoker", [True, False] * 2)
    >>> result = changing_interests(people, survey, 13, stability=0.9)
    >>> round(result["survey", "goal_posterior", "now@0.9", 13], 7)
    0.8229528
    >>> round(result["survey", "saturation", "now@0.9"], 6)
    0.823248

    Raises
    ------
    ParameterError
        If secrets cannot change: they change by week in the data already, or the API does not draw noise anew
        on them.
    """
    n = check_observations(observations)
    lag, seed = check_whole("reference", reference, 0), check_whole("seed", seed, 0)
    rho = None if stability is None else float(check_probability("stability", stability))
    ready = cast("Api", api).fit(people)  # the default is filled in
    groups, shown, slack = _model(people, ready)
    foremost = _foremost(groups)
    law = np.array([float(groups.prior[label]) for label in groups.secrets])
    ends = [0.0, 1.0] if rho is None else list(dict.fromkeys((rho, 1.0)))
    rows: list[Row] = []
    for kept in ends:
        model = Drifting(law[law > 0], shown[law > 0], kept, slack)
        with part(f"interests kept with probability {kept:g}"):
            rows += _secret_rows(ready, model, n, seed)
            if not ready.observer_knows_who:
                rows += _user_rows(ready, model, n, foremost[law > 0], groups, lag, seed)
                rows += _by_topic(people, ready, kept, lag)
    sampled = any(row.method == "monte-carlo" for row in rows)
    return Findings(
        rows,
        notes=(
            "A secret is kept or drawn anew as a whole, from the secrets of these people.",
            *(("What is sampled has an interval of 95 %.",) if sampled else ()),
        ),
        words={
            "rho": ends[0],
            "kept": probability(ends[0]),
            "reference": lag,
            "old": f"{many(lag, 'week')} old",
        },
        stages=_titles(ends, lag),
        seed=seed if sampled else None,
    )


def check_changing(people: Population, api: Api) -> None:
    """Raise an error where no secret of people can change from one observation of an API to the next."""
    if people.n_epochs > 1:
        raise ParameterError(
            "these people have values for several weeks already; take one of them, people.epoch(0)"
        )
    if api.redraws != "noise" or not api.needs:
        raise ParameterError(
            f"of {api.spec!r} no secret changes: an observation is "
            f"{'always the same' if api.redraws == 'nothing' else 'of the user, or of a new secret'}",
            what="api",
            value=api.spec,
        )


def _model(people: Population, api: Api) -> tuple[Groups, Array, float]:
    """Return people by their secret, the probabilities of outputs, and their slack."""
    check_changing(people, api)
    secret = api.secret(people)
    if secret.codes is None:
        raise ParameterError(
            f"the secret of {api.spec!r} is drawn at random; give people whose secrets are known",
            what="api",
            value=api.spec,
        )
    C = api.observe(secret.outputs)
    check_fits(C.inputs.size, C.outputs.size)
    return grouped(people, secret), np.asarray(C.to_numpy(), dtype=np.float64), C.slack


def _foremost(groups: Groups) -> Array:
    """Return the probability of the most probable person of each secret."""
    best = np.array([float(groups.foremost[label]) for label in groups.secrets])
    return best * float(groups.by_secret)


def _followed(model: Drifting, n: int, question: Any, read: Any, seed: int) -> list[Success]:
    """Return answers as far as they can be computed, and estimates beyond."""
    answers = model.track(n, question, read)
    return (
        answers if len(answers) == n else [*answers, *model.sampled(n, question, read, seed)[len(answers) :]]
    )


def _secret_rows(api: Api, model: Drifting, n: int, seed: int) -> Iterator[Row]:
    rho = model.stability
    ways: tuple[tuple[str, Any], ...] = ((_NOW, "now"), (_PATH, "path"))
    best = float(model.law.max())
    for stage, question in ways:
        for week, success in enumerate(_followed(model, n, question, largest, seed), start=1):
            before = best * (rho + (1 - rho) * best) ** (week - 1) if stage == _PATH else best
            about: dict[str, Any] = {"goal": "secret", "prior": "population", "observations": week}
            numbers = {"goal_prior": before, "goal_posterior": success}
            yield from rows_of(api, numbers, stage=f"{stage}@{rho:g}", **about)
    if model.symmetric and model.size == 2:
        threshold = 1 - 2 * float(model.shown.prod(axis=1)[0])
        yield from rows_of(
            api, {"stability_threshold": threshold}, stage=f"{_NOW}@{rho:g}", goal="secret", method="formula"
        )
    limit = (model.track(1)[0], 1) if rho == 0 else model.saturation() if rho < 1 else None
    if limit is not None:
        numbers = {"saturation": limit[0], "saturation_observations": limit[1]}
        yield from rows_of(api, numbers, stage=f"{_NOW}@{rho:g}", goal="secret", prior="population")


def _user_rows(
    api: Api, model: Drifting, n: int, foremost: Array, groups: Groups, lag: int, seed: int
) -> Iterator[Row]:
    """Yield what re-identifies a user: by a stale reference, and by the secrets of every week.

    The chain is reversible: that the secret was x some weeks before the first observation, and y is
    observed, is as probable as that it is x some weeks after the last one, and y is observed backwards.
    """
    rho, ratio = model.stability, foremost / model.law

    def known_before(weeks: int) -> list[Success]:
        kept = rho**weeks

        def read(vectors: Array) -> Array:
            before = kept * vectors + (1 - kept) * vectors.sum(axis=1, keepdims=True) * model.law
            return np.asarray((before * ratio).max(axis=1))

        return _followed(asked, n, "now", read, seed)

    prior = float(groups.best_user)
    asked = replace(model, alike=bool(np.ptp(ratio) <= 1e-12))
    known = {_STALE: known_before(lag)}
    if rho == 1:  # who knows the secrets of every week knows what never changes
        known[_FRESH] = known_before(0)
    elif groups.people.weights is None:
        known[_FRESH] = model.paths_known(groups.n_users, n, seed)
    for stage, successes in known.items():
        for week, success in enumerate(successes, start=1):
            numbers: dict[str, Any] = {"prior": prior, "posterior": success}
            ends = (success.value / prior, success.low / prior, success.high / prior)
            numbers["leakage"] = Success(*ends, method=success.method)
            about: dict[str, Any] = {"goal": "user", "prior": "population", "observations": week}
            yield from rows_of(api, numbers, stage=f"{stage}@{rho:g}", **about)


def _by_topic(people: Population, api: Api, rho: float, lag: int) -> Iterator[Row]:
    """Yield what one observation reveals by a stale reference, if each topic of a set is kept by itself.

    V = (1/N) (1 + (p - q) rho^lag (occurring - s)), whatever the law by which a topic is drawn anew.
    """
    sets = Sequences.recognised(people, api)
    if sets is None or people.weights is not None or api.naming("topics") is None:
        return
    inside, outside, s = float(sets.inside), float(sets.outside), sets.per_row
    leakage = 1 + (inside - outside) * rho**lag * (people.occurring.size - s)
    prior = float(sets.prior)
    about: dict[str, Any] = {"goal": "user", "prior": "population", "method": "formula"}
    numbers = {"prior": prior, "posterior": prior * leakage, "leakage": leakage}
    yield from rows_of(api, numbers, stage=f"{_BY_TOPIC}@{rho:g}", **about)
