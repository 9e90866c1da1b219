"""The question what leaks, asked of a log of what was observed: bounds, tests of a claim, and changes."""

from collections.abc import Hashable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from quiff.apis.base import Api, all_limits
from quiff.auditing.bounds import LogPart, difference, learning_curve, of_part, secret_risks
from quiff.auditing.claims import (
    ClaimTest,
    change_test,
    channel_of_all_secrets,
    claim_test,
    claimed_channel,
    secrets_behind,
)
from quiff.auditing.log import Columns, Log, Names, beside, read_pairs
from quiff.auditing.rules import rule_of
from quiff.auditing.sample import draw_sample
from quiff.core.channel import Channel
from quiff.core.gain import Gain
from quiff.core.labels import as_labels
from quiff.errors import ParameterError, QuiffError
from quiff.people.population import Population
from quiff.results.figures.charts import Axis, Record, curves, marks
from quiff.results.layout import Chart, Get, Layout, Pivot, Say, Words, entry, interval, label
from quiff.results.numbers import many, probability, said
from quiff.results.result import PerUser, Result
from quiff.results.rows import Row, Rows, rows_of
from quiff.safe_text import rows_left_out
from quiff.studies.study import Findings, names_of, study
from quiff.theory.parameters import check_number, check_whole

_MOST = 10  # secrets of a table
_DRAWN = 25  # secrets of a figure
_SMALL = 1e-4  # of p: nobody reads how small
_MUCH = 0.5  # the share of observations never seen before from which on frequencies say little
_PROBABILITIES = ("prior", "posterior", "plug_in")  # or, of a gain, its mean
_GUESSED = {"prior": "guessed without", "posterior": "guessed with", "plug_in": "plug-in (biased upward)"}


class _Source(NamedTuple):
    """What the rows of a log are of: what it is claimed to be from, or the log itself."""

    spec: str
    unit: None = None


def _score(value: Any, result: Result) -> str | None:
    """Return how a score is written: a probability, or the mean of a gain."""
    return None if value is None else (said if result.words["gain"] else probability)(value)


def _title(result: Result) -> str:
    log = result.payload["log"]
    if "secrets" not in log:
        return f"Secrets behind {many(log['rows'], 'observation')}"
    secrets, observations = many(log["secrets"], "secret"), many(log["observations"], "distinct observation")
    return f"Audit of {many(log['rows'], 'row')}: {secrets}, {observations}"


# Bounds


def _part_words(rows: Rows, result: Result) -> Words | None:
    """Return what is at least leaked, and between which ends it is, of all rows or of a part of them."""
    gain, sure = result.words["gain"], result.words["sure"]
    prior, posterior, leakage = rows.where(quantity=["prior", "posterior", "leakage"]).rows
    part = next(part for part in result.payload["parts"] if part["name"] == prior.stage)
    what = "expected gain" if gain else "probability of a right guess"
    at_least = leakage.low or 0
    shows = f"no leakage is shown at {sure} confidence" if at_least <= 1 else (
        f"one observation multiplies the {what} by at least {said(at_least)} ({sure} confidence)"
    )  # fmt: skip
    return {
        "part": "" if prior.stage == "all" else f"{prior.stage.capitalize()}: ",
        "shows": shows,
        "rule": f"{part['best']} {'gains' if gain else 'guesses right with'}",
        "value": _score(posterior.value, result),
        "guess": f"{'' if gain else 'with '}{_score(prior.value, result)}",
        "between": f"{what} is between {_score(posterior.low, result)} and {_score(posterior.high, result)}",
        "scored": many(part["scored"], "row"),
        "biased": _score(rows["plug_in"], result),
    }


SHOWS = Say(
    "{part}{shows}: the rule {rule} {value}, the best guess without an observation {guess}.",
    by=("stage",),
    where=lambda row, result: row.stage in result.words["spoken"],
    words=_part_words,
)
BETWEEN = replace(
    SHOWS,
    template="{part}the {between} ({sure} confidence, {scored} scored); the plug-in estimate, biased upward,"
    " is {biased}.",
)


def _epsilon_said(result: Result) -> str:
    least, telling = result.rows["epsilon_at_least"], result.words["telling"]
    if least is None or telling is None:
        return ""
    value, claimed, sure = float(least), result.words["claimed"], result.words["sure"]
    outputs, more, less = telling
    times = f"at least {said(np.exp(value))} times as probable for {more} as for {less}"
    what = f"a set of {many(outputs, 'output')} is {times}"
    if claimed is not None and value > claimed:
        return (
            f"A claim of epsilon {said(claimed)} is refuted: epsilon is at least {said(value)} ({sure}"
            f" confidence), since {what}."
        )
    if claimed is not None and claimed != float("inf"):
        return f"Epsilon is at least {said(value)} ({sure} confidence): {said(claimed)} is not refuted."
    if value > 0:
        return f"Epsilon is at least {said(value)} ({sure} confidence): {what}."
    return f"No epsilon above 0 is shown at {sure} confidence."


def _more(rows: Rows, result: Result) -> dict[str, str] | None:
    if rows["rows_needed"] is None:
        return None
    more = float(rows["rows_needed"] or 0) - result.payload["parts"][0]["rows"]
    return {"than": f"{said(more)} more than there are" if more > 0 else "which there are"}


def _number(name: str) -> Get:
    def cell(rows: Rows, result: Result) -> str | None:
        row = rows.rows[0]
        value = getattr(row, name)
        return (
            _score(value, result)
            if row.quantity in _PROBABILITIES
            else None
            if value is None
            else said(value)
        )

    return cell


def _part(rows: Rows, result: Result) -> str | None:
    return rows.rows[0].stage if len(result.rows.values("stage")) > 1 else None


BOUNDS = Pivot(
    "Bounds at {sure} confidence, by {scored_rows}",
    records=lambda result: result.rows.by("stage", "quantity").values() if result.payload["parts"] else (),
    columns={
        "part": _part,
        "quantity": lambda rows, _: _GUESSED.get(rows.rows[0].quantity, entry(rows, "title", _)),
        "estimate": _number("value"),
        "at least": _number("low"),
        "at most": _number("high"),
    },
)
RULES = Pivot(
    "Rules, {sure} intervals corrected for their number",
    records=lambda result: result.payload["rules"] if len(result.payload["rules"]) > 1 else (),
    columns={"rule": 0, "score": 1, "low": 2, "high": 3},
    labels=("rule",),
)


_BIASED = "plug-in estimate, biased upward"


def _scored(result: Result) -> str:
    return f"score on other rows, with its {result.words['sure']} interval"


def _score_end(name: str) -> Get:
    return lambda point, _: point["score"][name]


CURVE = Chart(
    "What more rows would tell; grey: a guess without an observation",
    records="curve",
    points=(
        {
            "series": lambda _, result: _scored(result),
            "rows": "rows",
            **{name: _score_end(name) for name in ("value", "low", "high")},
        },
        {"series": label(_BIASED), "rows": "rows", "value": "plug_in"},
    ),
    draw=lambda points, result: curves(
        points,
        Axis("rows", "rows", "log"),
        Axis("value", "probability of a right guess", "probability"),
        [_scored(result), _BIASED],
        points=True,
        rule=("value", float(result.rows["prior"] or 0)),
    ),
    without="the log's secrets are not guessed one by one",
)


# Tests of a claim, and of a change


def _rejected(test: Record, result: Result) -> str:
    """Return of how many secrets a test is rejected, with the verb."""
    off = sum(secret["corrected"] <= 1 - result.words["level"] for secret in test["secrets"])
    return f"of {many(len(test['secrets']), 'secret')}, {said(off)} {'is' if off == 1 else 'are'}"


def _claim_said(result: Result) -> str:
    test, spec = result.payload["claim"], result.words["spec"]
    if test is None:
        return ""
    if test["p"] > 1 - result.words["level"]:
        return f"The log does not contradict the claim {spec} (p = {said(test['p'])}, all secrets together)."
    never = test["impossible"]
    have = f" {many(never, 'row')} {'has' if never == 1 else 'have'} an output that the claim rules out."
    return (
        f"The log contradicts the claim {spec} (p {_p(test['p'])}): {_rejected(test, result)} not shown as"
        f" claimed.{have if never else ''}"
    )


def _change_said(result: Result) -> Iterator[str]:
    test, parts = result.payload["change"], result.payload["log"]["parts"]
    if test is None:
        return
    of = " and ".join(parts) if len(parts) == 2 else f"{len(parts)} periods"
    if test["p"] <= 1 - result.words["level"]:
        off = _rejected(test, result)
        yield f"Secrets are not shown alike in {of} (p {_p(test['p'])}): {off} shown differently."
    else:
        yield f"No difference between {of} is shown in how secrets are shown (p = {said(test['p'])})."
    row = result.rows.row("posterior_difference")
    if row is not None:
        value, low, high = (said(100 * float(end or 0)) for end in (row.value, row.low, row.high))
        yield (
            f"The probability of a right guess changes by {value} percentage points (interval {low} to"
            f" {high})."
        )


def _p(p: float) -> str:
    return p_text(p) if p < _SMALL else f"= {p_text(p)}"


def p_text(p: float, digits: int | None = None) -> str:
    """Return p to be read.

    Examples
    --------
    >>> p_text(0.0312), p_text(3e-9)
    ('0.0312', '< 0.0001')
    """
    return "< 0.0001" if p < _SMALL else said(p, digits)


def _tests_table(kind: str, shown: str) -> Pivot:
    """Return the table of the secrets that fit least in one of the tests."""

    def fit_least(result: Result) -> list[Any]:
        test = result.payload[kind]
        return sorted(test["secrets"], key=lambda secret: secret["p"])[:_MOST] if test else []

    return Pivot(
        lambda result: f"Is each secret shown {shown}? The {len(fit_least(result))} that fit least",
        records=fit_least,
        columns={
            "secret": "secret",
            "rows": "rows",
            "statistic": "statistic",
            "p": ("p", p_text),
            "p corrected": ("corrected", p_text),
            "distribution": "method",
        },
        notes=(
            lambda result: (
                f"Overall p {_p(result.payload[kind]['p'])}. Corrected for the number of secrets by Holm's"
                " method."
            ),
        ),
        labels=("secret",),
    )


DEVIATIONS = Pivot(
    "Outputs that deviate most from the claim",
    records=lambda result: (result.payload["claim"] or {}).get("deviations", ()),
    columns={
        "secret": "secret",
        "output": "output",
        "seen": "seen",
        "expected": "expected",
        "p": ("p", p_text),
    },
    notes=("Exact binomial p of each output by itself, not corrected.",),
    labels=("secret", "output"),
)


# Secrets: those most at risk, and those behind the noise


BEHIND = Pivot(
    "Secrets behind {spec}, most frequent first",
    records=lambda result: result.rows.where(quantity="secret_share").by("goal").values(),
    columns={"secret": "goal", "share": "value", "low": "low", "high": "high"},
    notes=("{sure} bootstrap intervals; approximate, and too narrow where there are few rows.",),
    labels=("secret",),
)
AT_RISK = Pivot(
    "Secrets most at risk, of {at_risk} that were scored",
    records="risks",
    columns={
        "secret": 0,
        "rows scored": 1,
        "guessed": (2, probability),
        "low": (3, probability),
        "high": (4, probability),
    },
    notes=("By the rule {best}; {sure} intervals corrected for the number of secrets.",),
    labels=("secret",),
)


def _marks(title: str, axis: Axis, quantity: str, name: str, without: str) -> Chart:
    """Return the figure of a quantity and its intervals, by a column of rows."""
    return Chart(
        title,
        by=("stage", "goal", "quantity"),
        where=lambda row, _: row.quantity == quantity and (name != "stage" or row.stage != "all"),
        points={
            "name": lambda rows, _: getattr(rows.rows[0], name),
            "kind": label(""),
            axis.field: quantity,
            **interval(quantity),
        },
        draw=lambda points, _: marks(points[:_DRAWN], axis, [""]),
        without=without,
    )


LAYOUT = Layout(
    _title,
    say={
        "bounds": SHOWS,
        "intervals": BETWEEN,
        "claim": _claim_said,
        "epsilon": _epsilon_said,
        "change": _change_said,
        "needed": Say(
            "An interval of the score of the asked width needs about {rows_needed} rows, {than}.", words=_more
        ),
        "secrets": Say(
            "Behind the noise of {spec}, the most frequent secret is {most_frequent} (bootstrap interval)."
        ),
    },
    tables={
        "bounds": BOUNDS,
        "rules": lambda result: replace(
            RULES,
            styles=dict.fromkeys(("score", "low", "high"), said if result.words["gain"] else probability),
        )(result),
        "secrets": lambda result: (AT_RISK if result.payload["risks"] else BEHIND)(result),
        "claim": _tests_table("claim", "as claimed"),
        "change": _tests_table("change", "alike in all parts"),
        "deviations": DEVIATIONS,
    },
    charts={
        "curve": CURVE,
        "parts": _marks(
            "By part, with {sure} intervals",
            Axis("value", "probability of a right guess", "probability"),
            "posterior",
            "stage",
            "the log has no parts",
        ),
        "secrets": _marks(
            "Secrets behind {spec}",
            Axis("value", "share of rows", "share"),
            "secret_share",
            "goal",
            "secrets were logged, and are not estimated",
        ),
    },
)


@study(LAYOUT, default=False)
def audit(
    pairs: Any,
    api: Api | None = None,
    *,
    secret: str | Iterable[str] | None = ("secret",),
    observation: str | Iterable[str] = "observation",
    person: str | None = None,
    weights: str | None = None,
    counts: str | None = None,
    epsilon: float | None = None,
    people: Population | None = None,
    secrets: Iterable[Hashable] | None = None,
    gain: Gain | None = None,
    rules: Any = ("frequentist",),
    other: Any = None,
    time: str | None = None,
    cut: Any = None,
    periods: int = 4,
    width: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    names: bool = False,
    con: Any = None,
) -> Findings:
    """Ask a log of pairs (secret, observation) what the system leaks, and whether it is what is claimed.

    Rules that guess the secret are fitted to one half of the rows, and scored on the other: their score
    bounds the vulnerability from below, and a plug-in estimate, which is biased upward, from above. All
    bounds hold at the stated confidence whatever the system is, if rows (or persons) are independent.

    Parameters
    ----------
    pairs
        The log: a CSV or Parquet file, a pandas frame, or an Arrow table.
    api
        What the system is claimed to be, an API or a program: the log is tested against it.
    secret, observation
        The columns, one or several each. No secret (None): only observations were logged, and the
        distribution of secrets behind `api` is estimated.
    person
        The column that says whose row it is; of each person one row counts.
    weights, counts
        The column of weights, if the log is no plain sample; of how many rows a row stands for.
    epsilon
        An epsilon that is claimed; by default that of `api`, if it has one.
    people
        Whom `api` is fitted to, where that matters; by default the secrets of the log, once each.
    secrets
        Where no secret was logged: those that there can be; by default all of `api`.
    gain
        What guesses are after; None is the secret itself.
    rules
        What guesses: ``frequentist``, ``nearest``, ``nearest-scaled``, names of scikit-learn's classifiers,
        or classifiers. Several share the probability to fail between them.
    other
        A second log with the same columns, to be set beside: another system, or the same after a change.
    time, cut, periods
        A column of times: compare before and from `cut` on; or, without it, so many periods.
    width
        How narrow the interval of the score should be: how many rows would that need?
    level
        The confidence.
    seed
        The random seed of splits and simulations.
    names
        Whether secrets and outputs are named as they are; else they are numbered, the most frequent first.
    con
        The engine that counts, by :func:`quiff.logs.engine.connect`; None is DuckDB.

    Examples
    --------
    >>> import pandas as pd
    >>> from quiff import audit, mechanisms
    >>> C = mechanisms.warner(truth=0.75)
    >>> secret = ["yes", "no"] * 2000
    >>> log = pd.DataFrame({"secret": secret, "observation": C.sample(secret, seed=1)})
    >>> row = audit(log).row("posterior")
    >>> row.low < 0.75 < row.high
    True

    Raises
    ------
    QuiffError
        If the log says nothing that could be concluded from.
    ParameterError
        If a parameter is out of range, or columns are not there.
    """
    if not 0.5 <= level < 1:
        raise ParameterError(what="level", value=level, allowed="a number from 0.5 to below 1")
    seed, periods = check_whole("seed", seed, 0), check_whole("periods", periods, 2)
    columns = Columns(
        names_of(secret or ()), names_of(observation), person, weights, counts, time, cut, periods
    )  # fmt: skip
    if other is not None and time is not None:
        raise ParameterError("other and time both divide rows into parts; give one of them")
    log = read_pairs(pairs, columns, con=con)
    rng = np.random.default_rng(seed)
    if not columns.secret:
        C = channel_of_all_secrets(api, secrets, people)
        return _behind(log, C, api, level, rng, seed, names or people is None)
    if other is not None:
        log = beside(log, read_pairs(other, columns, con=con), ("first", "second"))
    listed = [rules] if isinstance(rules, str) or hasattr(rules, "fit") else list(rules)
    chosen = [rule_of(rule) for rule in listed]
    if not chosen:
        raise ParameterError("rules is empty; give at least one")
    if len(log.secrets) == 1 and api is None:
        raise QuiffError(
            "the log has one secret only: nothing can be guessed, and nothing is concluded; a claim could be"
            " tested (--api)",
            what="secrets",
            value=1,
            allowed="at least two",
        )
    spec = "log" if api is None else api.spec
    about = {"prior": "population", "method": "sample", "goal": "secret" if gain is None else "gain"}
    parts: list[LogPart] = []
    for name, part in log.divided(whole=other is None) if len(log.secrets) > 1 else ():
        with nullcontext() if gain is None else rows_left_out("the log's secrets are not those of the gain"):
            parts.append(of_part(name, part, chosen, rng, level=level, gain=gain))
    rows = [row for part in parts for row in rows_of(_Source(spec), part.numbers(), stage=part.name, **about)]
    risks, curve = [], []
    if parts and gain is None:
        first = parts[0]
        risks = secret_risks(first.sample, first.bounds.guesses, level)
        if width is not None:
            needed = {"rows_needed": first.bounds.rows_needed(width, level)}
            rows += rows_of(_Source(spec), needed, stage=first.name, **about)
        if len(log.parts) == 2:
            changed = {"posterior_difference": difference(parts[-2].bounds, parts[-1].bounds, level)}
            rows += rows_of(_Source(spec), changed, stage=parts[-1].name, **about)
        best = next(rule for rule in chosen if rule.name == first.bounds.best)
        curve = learning_curve(first.sample, best, rng, level)
    claim = None
    if api is not None:
        C = claimed_channel(log, api, columns.secret, people)
        shows_sets = isinstance(C.outputs[0], frozenset)  # tables write them as lists
        claim = claim_test(draw_sample(log.with_sets() if shows_sets else log, rng), C, rng)
    change = change_test(log, rng) if log.parts else None
    called, whose = Names(log, names), "persons" if log.person is not None else "rows"
    telling = parts[0].ratio if parts else None
    return Findings(
        rows,
        notes=(
            f"Each interval holds with a probability of {said(100 * level)} % at least, whatever the system"
            f" is, if {whose} are independent of each other and all come from the same system.",
            "The log tells what an observer learns about these secrets with the prior that they have in the"
            " log.",
        ),
        warnings=(*log.warnings(), *_unseen(parts)),
        words={
            **_words(spec, level),
            "gain": gain is not None,
            "spoken": [part.name for part in (parts[:1] if other is None else parts)],
            "claimed": _claimed_epsilon(api, epsilon),
            "telling": telling
            and [len(telling.outputs), called.secret(telling.high), called.secret(telling.low)],
            "at_risk": len(risks),
            "scored_rows": many(parts[0].bounds.scored, "scored row") if parts else "",
            "best": parts[0].bounds.best if parts else "",
        },
        payload=_payload(log)
        | {
            "parts": [
                {"name": part.name, **{key: getattr(part.bounds, key) for key in ("rows", "scored", "best")}}
                for part in parts
            ],
            "rules": [
                [rule, score.value, score.low, score.high]
                for part in parts[:1]
                for rule, score in part.bounds.scores.items()
            ],
            "risks": [
                [called.secret(risk.secret), risk.rows, risk.risk.value, risk.risk.low, risk.risk.high]
                for risk in sorted(risks, key=lambda risk: (-risk.risk.low, -risk.rows))[:_MOST]
            ],
            "claim": claim and _named(claim, called),
            "change": change and _named(change, called),
            "curve": curve,
        },
        per_user=PerUser(
            as_labels([log.secrets[risk.secret] for risk in risks]),
            {"secret_risk": np.array([risk.risk.value for risk in risks])},
        )
        if risks
        else None,
        seed=seed,
    )


def _words(spec: str, level: float) -> Words:
    return {"spec": spec, "sure": f"{said(100 * level)} %", "gain": False, "telling": None, "spoken": []}


def _payload(log: Log) -> dict[str, object]:
    counts = {"rows": log.n_rows, "missing": log.missing, "parts": list(log.parts)}
    if log.secrets:
        counts |= {"secrets": len(log.secrets), "observations": len(log.outputs)}
    nothing: dict[str, object] = {key: [] for key in ("parts", "rules", "risks", "curve")}
    return {"log": counts, "claim": None, "change": None, **nothing}


def _named(test: ClaimTest, called: Names) -> ClaimTest:
    """Return a test with secrets and outputs as they are called."""
    return replace(
        test,
        secrets=tuple(replace(entry, secret=called.secret(int(entry.secret))) for entry in test.secrets),
        deviations=tuple(
            replace(entry, secret=called.secret(int(entry.secret)), output=called.output(entry.output))
            for entry in test.deviations
        ),
    )


def _unseen(parts: list[LogPart]) -> Iterator[str]:
    """Yield what frequencies cannot tell, where most observations are new."""
    for bound in [part.bounds for part in parts[:1] if part.bounds.new >= _MUCH]:
        nothing = "nothing" if bound.new > 1 - 1e-9 else "little"
        alone = list(bound.scores) == ["frequentist"]
        advice = "take --rules nearest" if alone else "coarser observations or more rows may help"
        yield (
            f"{probability(bound.new)} of the observations that were scored do not occur in the part that"
            f" rules were fitted to: their frequencies say {nothing}, and a low bound does not mean a low"
            f" leakage; {advice}."
        )


def _claimed_epsilon(api: Api | None, epsilon: float | None) -> float | None:
    if epsilon is not None:
        return float(check_number("epsilon", epsilon, 0, float("inf")))
    limits = () if api is None else all_limits(api)
    epsilons = (float(limit.value) for limit in limits if limit.quantity == "epsilon" and not limit.stage)
    return next(epsilons, None)


def _behind(
    log: Log, C: Channel, api: Api | None, level: float, rng: np.random.Generator, seed: int, named: bool
) -> Findings:
    """Estimate the distribution of secrets from observations alone; those of people are only numbered."""
    spec = "log" if api is None else api.spec
    estimate = secrets_behind(log, C, spec, level, rng)
    shares, low, high = (np.asarray(x) for x in (estimate.prior.to_numpy(), estimate.low, estimate.high))
    ranked = np.argsort(-shares, kind="stable").tolist()
    names = {k: str(C.inputs[k]) if named else f"secret {rank}" for rank, k in enumerate(ranked, 1)}
    first = ranked[0]
    value, least, largest = (probability(ends[first]) for ends in (shares, low, high))
    most = f"{names[first]}, of {value}: {least} to {largest} with {said(100 * level)} % confidence"
    return Findings(
        (
            Row(
                spec, None, "all", name, "estimated", 1,
                "secret_share", float(shares[k]), float(low[k]), float(high[k]), "sample",
            )
            for k, name in names.items()
        ),
        warnings=() if estimate.converged else ("The estimate has not converged.",),
        words={**_words(spec, level), "most_frequent": most},
        payload=_payload(log),
        seed=seed,
    )  # fmt: skip
