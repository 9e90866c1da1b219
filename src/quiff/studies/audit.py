"""The question what leaks, asked of a log of what was observed: bounds, tests of a claim, and changes."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from quiff.apis.base import Api, all_limits
from quiff.audit.bounds import Bounds, bounds, learning_curve, secret_risks
from quiff.audit.claims import (
    ClaimTest,
    change_test,
    channel_of_all_secrets,
    claim_test,
    claimed_channel,
    secrets_behind,
)
from quiff.audit.events import Event, likely_difference, likely_ratio, telling_events
from quiff.audit.intervals import trials_for_width
from quiff.audit.log import Columns, Log, Names, beside, read_pairs
from quiff.audit.rules import rule_of
from quiff.audit.sample import draw_sample
from quiff.core.channel import Channel
from quiff.core.gain import Gain
from quiff.core.labels import as_labels
from quiff.errors import ParameterError, QuiffError
from quiff.populations.population import Population
from quiff.results.figures.charts import Axis, Record, curves, marks
from quiff.results.layout import Chart, Get, Layout, Pivot, Say, entry
from quiff.results.numbers import many, probability, said
from quiff.results.result import PerUser, Result
from quiff.results.rows import Row, Rows, rows_of
from quiff.safe_text import rows_left_out
from quiff.studies.study import Findings, study
from quiff.theory.parameters import check_number, check_whole

_MOST = 10  # secrets of a table
_DRAWN = 25  # secrets of a figure
_SMALL = 1e-4  # of p: nobody reads how small
_MUCH = 0.5  # the share of observations never seen before from which on frequencies say little
_PROBABILITIES = ("prior", "posterior", "plug_in")  # or, of a gain, its mean
_GUESSED = {"prior": "guessed without", "posterior": "guessed with", "plug_in": "plug-in (biased upward)"}
_CLAIMS = {"claim": "as claimed", "change": "alike in all parts"}


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


def _of_parts(result: Result) -> Iterator[str]:
    """Say of all rows, or of each of two systems, what is at least leaked, and between which ends it is."""
    gain, sure, parts = result.words["gain"], result.words["sure"], result.payload["parts"]
    what = "expected gain" if gain else "probability of a right guess"
    does, guess = ("gains", "") if gain else ("guesses right with", " with")
    for part in parts[:1] if parts and parts[0]["name"] == "all" else parts:
        name, rows = part["name"], result.rows.where(stage=part["name"])
        prior, posterior, leakage = rows.where(quantity=["prior", "posterior", "leakage"]).rows
        low, high, value, before, biased = (
            _score(number, result)
            for number in (
                posterior.low or 0,
                posterior.high or 0,
                posterior.value,
                prior.value,
                rows["plug_in"],
            )
        )
        where, at_least = "" if name == "all" else f"{name.capitalize()}: ", leakage.low or 0
        shows = f"no leakage is shown at {sure} confidence" if at_least <= 1 else (
            f"one observation multiplies the {what} by at least {said(at_least)} ({sure} confidence)"
        )  # fmt: skip
        yield (
            f"{where}{shows}: the rule {part['best']} {does} {value}, the best guess without an"
            f" observation{guess} {before}."
        )
        yield (
            f"{where}the {what} is between {low} and {high} ({sure} confidence, {many(part['scored'], 'row')}"
            f" scored); the plug-in estimate, biased upward, is {biased}."
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


def _curve(points: list[Record], result: Result) -> Any:
    score = f"score on other rows, with its {result.words['sure']} interval"
    biased = "plug-in estimate, biased upward"
    records = [{"series": score, "rows": point["rows"], **point["score"]} for point in points]
    records += [{"series": biased, "rows": point["rows"], "value": point["plug_in"]} for point in points]
    return curves(
        records,
        Axis("rows", "rows", "log"),
        Axis("value", "probability of a right guess", "probability"),
        [score, biased],
        points=True,
        rule=("value", float(result.rows["prior"] or 0)),
    )


# Tests of a claim, and of a change


def _tested(result: Result, kind: str) -> list[Record]:
    """Return the test of all secrets together, then that of each; nothing if it was not made."""
    return [test for test in result.payload["tests"] if test["test"] == kind]


def _rejected(tests: list[Record]) -> str:
    """Return of how many secrets a test is rejected, with the verb."""
    off = sum(test["rejected"] for test in tests)
    return f"of {many(len(tests), 'secret')}, {said(off)} {'is' if off == 1 else 'are'}"


def _claim_said(result: Result) -> str:
    made, spec = _tested(result, "claim"), result.words["spec"]
    if not made:
        return ""
    whole, *tests = made
    if not whole["rejected"]:
        return f"The log does not contradict the claim {spec} (p = {said(whole['p'])}, all secrets together)."
    never = whole["impossible"]
    have = f" {many(never, 'row')} {'has' if never == 1 else 'have'} an output that the claim rules out."
    return (
        f"The log contradicts the claim {spec} (p {_p(whole['p'])}): {_rejected(tests)} not shown as claimed."
        f"{have if never else ''}"
    )


def _change_said(result: Result) -> Iterator[str]:
    made, parts = _tested(result, "change"), result.payload["log"]["parts"]
    if not made:
        return
    whole, *tests = made
    of = " and ".join(parts) if len(parts) == 2 else f"{len(parts)} periods"
    if whole["rejected"]:
        off = _rejected(tests)
        yield f"Secrets are not shown alike in {of} (p {_p(whole['p'])}): {off} shown differently."
    else:
        yield f"No difference between {of} is shown in how secrets are shown (p = {said(whole['p'])})."
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


def _least(kind: str, result: Result) -> list[Record]:
    """Return the tests of the secrets that fit least."""
    return sorted(_tested(result, kind)[1:], key=lambda test: test["p"])[:_MOST]


def _tests_table(kind: str) -> Pivot:
    """Return the table of the secrets that fit least in one of the tests."""
    return Pivot(
        lambda result: (
            f"Is each secret shown {_CLAIMS[kind]}? The {said(len(_least(kind, result)))} that fit least"
        ),
        records=lambda result: _least(kind, result),
        columns={
            "secret": "secret",
            "rows": "rows",
            "statistic": "statistic",
            "p": ("p", p_text),
            "p corrected": ("corrected", p_text),
            "distribution": "method",
        },
        notes=(
            lambda result: [
                f"Overall p {_p(test['p'])}. Corrected for the number of secrets by Holm's method."
                for test in _tested(result, kind)[:1]
            ],
        ),
        labels=("secret",),
    )


DEVIATIONS = Pivot(
    "Outputs that deviate most from the claim",
    records="deviations",
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
            "kind": lambda *_: "",
            axis.field: quantity,
        },
        draw=lambda points, _: marks(points[:_DRAWN], axis, [""]),
        interval=quantity,
        without=without,
    )


LAYOUT = Layout(
    _title,
    say={
        "bounds": lambda result: list(_of_parts(result))[:1],
        "intervals": lambda result: list(_of_parts(result))[1:],
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
        "claim": _tests_table("claim"),
        "change": _tests_table("change"),
        "deviations": DEVIATIONS,
    },
    charts={
        "curve": Chart(
            "What more rows would tell; grey: a guess without an observation",
            points=lambda result: result.payload["curve"],
            draw=_curve,
            without="the log's secrets are not guessed one by one",
        ),
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
        The engine that counts, by :func:`quiff.history.engine.connect`; None is DuckDB.

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
        _listed(secret), _listed(observation), person, weights, counts, time, cut, periods
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
            " tested (--api)"
        )
    called, spec, miss = Names(log, names), "log" if api is None else api.spec, 1 - level
    rows: list[Row] = []
    measured: dict[str, Bounds] = {}
    telling: Event | None = None
    risks, curve = [], []
    parts = [("all", log)] if other is None else []
    parts += [(name, log.of_part(k)) for k, name in enumerate(log.parts)]
    for name, part in parts if len(log.secrets) > 1 else ():
        sample = draw_sample(part, rng)
        with nullcontext() if gain is None else rows_left_out("the log's secrets are not those of the gain"):
            measured[name] = bound = bounds(sample, chosen, rng, level=level, gain=gain)
        ratio, apart = telling_events(sample, likely_ratio, likely_difference)
        rows += _part_rows(spec, "secret" if gain is None else "gain", name, bound, ratio, apart, miss)
        if len(measured) == 1:
            first, telling = sample, ratio
            risks = [] if gain is not None else secret_risks(sample, bound.guesses, level)
    if measured and gain is None:
        rows += _rows_of_all(spec, measured, width, level)
        best = next(rule for rule in chosen if rule.name == next(iter(measured.values())).best)
        curve = learning_curve(first, best, rng, level)
    claim = None
    if api is not None:
        C = claimed_channel(log, api, columns.secret, people)
        shows_sets = isinstance(C.outputs[0], frozenset)  # tables write them as lists
        claim = claim_test(draw_sample(log.with_sets() if shows_sets else log, rng), C, rng)
    change = change_test(log, rng) if log.parts else None
    per_user = None
    if risks:
        labels = as_labels([log.secrets[risk.secret] for risk in risks])
        per_user = PerUser(labels, {"secret_risk": np.array([risk.risk.value for risk in risks])})
    whose = "persons" if log.person is not None else "rows"
    return Findings(
        rows,
        notes=(
            f"Each interval holds with a probability of {said(100 * level)} % at least, whatever the system"
            f" is, if {whose} are independent of each other and all come from the same system.",
            "The log tells what an observer learns about these secrets with the prior that they have in the"
            " log.",
        ),
        warnings=(*_warnings(log), *_unseen(measured)),
        words={
            "spec": spec,
            "sure": f"{said(100 * level)} %",
            "gain": gain is not None,
            "claimed": _claimed_epsilon(api, epsilon),
            "telling": None
            if telling is None
            else [len(telling.outputs), called.secret(telling.high), called.secret(telling.low)],
            "at_risk": len(risks),
            "scored_rows": next((many(bound.scored, "scored row") for bound in measured.values()), ""),
            "best": next((bound.best for bound in measured.values()), ""),
        },
        payload={
            "log": {
                "rows": log.n_rows,
                "missing": log.missing,
                "secrets": len(log.secrets),
                "observations": len(log.outputs),
                "parts": list(log.parts),
            },
            "parts": [
                {"name": name, "rows": bound.rows, "scored": bound.scored, "best": bound.best}
                for name, bound in measured.items()
            ],
            "rules": [
                [rule, score.value, score.low, score.high]
                for bound in list(measured.values())[:1]
                for rule, score in bound.scores.items()
            ],
            "risks": [
                [called.secret(entry.secret), entry.rows, entry.risk.value, entry.risk.low, entry.risk.high]
                for entry in sorted(risks, key=lambda entry: (-entry.risk.low, -entry.rows))[:_MOST]
            ],
            "tests": [*_tests("claim", claim, called, miss), *_tests("change", change, called, miss)],
            "deviations": [
                asdict(off) | {"secret": called.secret(off.secret), "output": called.output(off.output)}
                for off in (() if claim is None else claim.deviations)
            ],
            "curve": list(curve),
        },
        per_user=per_user,
        seed=seed,
    )


def _listed(names: str | Iterable[str] | None) -> tuple[str, ...]:
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)


def _warnings(log: Log) -> Iterator[str]:
    """Yield what a reader has to know of the log before any number of it."""
    if log.missing:
        are = "is" if log.missing == 1 else "are"
        yield f"{many(log.missing, 'row')} with a missing value {are} left out."
    if len(log.secrets) == 1:
        yield "The log has one secret only: nothing can be guessed, and only the claim is tested."
    per_secret = np.bincount(log.secret, log.rows, len(log.secrets))
    once = int((per_secret == 1).sum())
    if once and len(log.secrets) > 1:
        yield (
            f"{said(once)} of {many(len(log.secrets), 'secret')} occur{'s' if once == 1 else ''} once:"
            " no rule can know what it never saw, so that what is said here of them is only that they are not"
            " guessed; the truth may be far above the lower bounds."
        )
    same = all(log.secrets[x] == log.outputs[y] for x, y in zip(log.secret, log.output, strict=True))
    if same and len(log.secrets) > 1:
        yield "Secret and observation are the same in every row: these may be copies of one column."


def _unseen(measured: dict[str, Bounds]) -> Iterator[str]:
    """Yield what frequencies cannot tell, where most observations are new."""
    for bound in list(measured.values())[:1]:
        if bound.new < _MUCH:
            return
        nothing = "nothing" if bound.new > 1 - 1e-9 else "little"
        alone = list(bound.scores) == ["frequentist"]
        advice = "take --rule nearest" if alone else "coarser observations or more rows may help"
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


def _tests(kind: str, test: ClaimTest | None, names: Names, miss: float) -> Iterator[dict[str, Any]]:
    """Yield the test of all secrets together, then that of each."""
    if test is None:
        return
    rejected = test.p <= miss
    yield {"test": kind, "secret": None, "p": test.p, "rejected": rejected, "impossible": test.impossible}
    for secret in test.secrets:
        rejected = secret.corrected <= miss
        yield {"test": kind, **asdict(secret), "secret": names.secret(secret.secret), "rejected": rejected}


def _part_rows(
    spec: str, goal: str, part: str, bound: Bounds, telling: Event | None, apart: Event | None, miss: float
) -> Iterator[Row]:
    """Return what a log, or a part of it, tells."""
    numbers: dict[str, Any] = {name: getattr(bound, name) for name in ("prior", "posterior", "leakage")}
    numbers["plug_in"] = bound.plug_in
    if apart is not None:
        numbers["bayes_security"] = min(1.0, 1 - apart.apart()), 0.0, 1 - apart.apart_at_least(miss)
    if telling is not None:
        least = telling.epsilon_at_least(miss)
        numbers["epsilon_at_least"] = least, least, None
    return _sampled(spec, goal, part, numbers)


def _sampled(spec: str, goal: str, part: str, numbers: Mapping[str, Any]) -> Iterator[Row]:
    rows = rows_of(None, numbers, stage=part, goal=goal, prior="population", method="sample")
    return (replace(row, api=spec) for row in rows)


def _rows_of_all(spec: str, measured: dict[str, Bounds], width: float | None, level: float) -> Iterator[Row]:
    """Yield how many rows an interval needs, and by how much two parts differ."""
    name, bound = next(iter(measured.items()))
    if width is not None:
        share, score = bound.scored / bound.rows, bound.scores[bound.best].value
        needed = float(np.ceil(trials_for_width(score, width, 1 - level) / share))
        yield from _sampled(spec, "secret", name, {"rows_needed": needed})
    parts = [part for part in measured if part != "all"]
    if len(parts) == 2:  # each has half of the probability to fail
        before, after = (measured[part].posterior_at(1 - (1 - level) / 2) for part in parts)
        difference = after.value - before.value, after.low - before.high, after.high - before.low
        yield from _sampled(spec, "secret", parts[1], {"posterior_difference": difference})


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
        words={
            "spec": spec,
            "sure": f"{said(100 * level)} %",
            "gain": False,
            "telling": None,
            "most_frequent": most,
        },
        payload={
            "log": {"rows": log.n_rows, "missing": log.missing, "parts": []},
            **{key: [] for key in ("parts", "rules", "risks", "tests", "deviations", "curve")},
        },
        seed=seed,
    )  # fmt: skip
