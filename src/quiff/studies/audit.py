"""The question what leaks, asked of a log of what was observed: bounds, tests of a claim, and changes."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
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
from quiff.results.figures.charts import Axis, curves, marks
from quiff.results.figures.figure import Figure
from quiff.results.layout import Chart, Layout, Listing, Records
from quiff.results.numbers import probability, said
from quiff.results.result import PerUser, Result
from quiff.results.rows import Row, Rows, rows_of
from quiff.results.table import Table
from quiff.safe_text import rows_left_out
from quiff.studies.study import Findings, study
from quiff.studies.words import many
from quiff.theory.parameters import check_number, check_whole

_MOST = 10  # secrets of a table
_DRAWN = 25  # secrets of a figure
_SMALL = 1e-4  # of p: nobody reads how small
_MUCH = 0.5  # the share of observations never seen before from which on frequencies say little
_QUANTITIES = {
    "prior": "guessed without",
    "posterior": "guessed with",
    "leakage": "leakage",
    "plug_in": "plug-in (biased upward)",
    "bayes_security": "Bayes security",
    "epsilon_at_least": "epsilon, at least",
    "rows_needed": "rows needed",
    "posterior_difference": "difference",
}
_PROBABILITIES = ("prior", "posterior", "plug_in")


def _sure(result: Result) -> str:
    return f"{said(100 * result.words['level'])} %"


def _score(result: Result) -> Callable[..., str]:
    """Return how a score is written: a probability, or the mean of a gain."""
    return said if result.words["gain"] else probability


def _title(result: Result) -> str:
    log = result.payload["log"]
    if "secrets" not in log:
        return f"Secrets behind {many(log['rows'], 'observation')}"
    secrets, observations = many(log["secrets"], "secret"), many(log["observations"], "distinct observation")
    return f"Audit of {many(log['rows'], 'row')}: {secrets}, {observations}"


def _intervals(title: str, columns: Sequence[str], lines: Iterable[Any], text: Any, *notes: str) -> Table:
    """Return a table whose last three columns are an estimate and its ends."""
    styles = dict.fromkeys(columns[-3:], text)
    return Table(title, tuple(columns), tuple(map(tuple, lines)), notes, (columns[0],), styles)


def _points(rows: Rows, name: str, kind: str) -> Records:
    return [
        {"name": getattr(row, name), "kind": kind, "value": row.value, "low": row.low, "high": row.high}
        for row in rows
    ]


# Bounds


def _of_parts(result: Result) -> Iterator[str]:
    """Say of all rows, or of each of two systems, what is at least leaked, and between which ends it is."""
    gain, sure, text = result.words["gain"], _sure(result), _score(result)
    what, does = (
        ("expected gain", "gains") if gain else ("probability of a right guess", "guesses right with")
    )
    parts = result.payload["parts"]
    for part in parts[:1] if parts and parts[0]["name"] == "all" else parts:
        name, rows = part["name"], result.rows.where(stage=part["name"])
        prior, posterior, leakage = rows.where(quantity=["prior", "posterior", "leakage"]).rows
        at_least, low, high = leakage.low or 0, posterior.low or 0, posterior.high or 0
        where = "" if name == "all" else f"{name.capitalize()}: "
        scores = (
            f"the rule {part['best']} {does} {text(posterior.value)}, the best guess without an observation"
            f"{'' if gain else ' with'} {text(prior.value)}."
        )
        if at_least > 1:
            yield (
                f"{where}{'o' if where else 'O'}ne observation multiplies the {what} by at least"
                f" {said(at_least)} ({sure} confidence): {scores}"
            )
        else:
            yield f"{where}{'n' if where else 'N'}o leakage is shown at {sure} confidence: {scores}"
        yield (
            f"{where}{'t' if where else 'T'}he {what} is between {text(low)} and"
            f" {text(high)} ({sure} confidence, {many(part['scored'], 'row')} scored); the plug-in"
            f" estimate, biased upward, is {text(rows['plug_in'])}."
        )


def _epsilon_said(result: Result) -> Iterator[str]:
    least, telling = result.rows["epsilon_at_least"], result.words["telling"]
    if least is None or telling is None:
        return
    value, claimed, sure = float(least), result.words["claimed"], _sure(result)
    outputs, more, less = telling
    times = f"at least {said(np.exp(value))} times as probable for {more} as for {less}"
    what = f"a set of {many(outputs, 'output')} is {times}"
    if claimed is not None and value > claimed:
        yield (
            f"A claim of epsilon {said(claimed)} is refuted: epsilon is at least {said(value)} ({sure}"
            f" confidence), since {what}."
        )
    elif claimed is not None and claimed != float("inf"):
        yield f"Epsilon is at least {said(value)} ({sure} confidence): {said(claimed)} is not refuted."
    elif value > 0:
        yield f"Epsilon is at least {said(value)} ({sure} confidence): {what}."
    else:
        yield f"No epsilon above 0 is shown at {sure} confidence."


def _needed_said(result: Result) -> Iterator[str]:
    needed = result.rows["rows_needed"]
    if needed is not None:
        more = float(needed) - result.payload["parts"][0]["rows"]
        than = f"{said(more)} more than there are" if more > 0 else "which there are"
        yield f"An interval of the score of the asked width needs about {said(needed)} rows, {than}."


def _bounds_table(result: Result) -> Table | None:
    parts = result.payload["parts"]
    if not parts:
        return None
    several, lines = len(result.rows.values("stage")) > 1, []
    for row in result.rows:
        text = _score(result) if row.quantity in _PROBABILITIES else said
        ends = (None if x is None else text(x) for x in (row.value, row.low, row.high))
        lines.append((*((row.stage,) if several else ()), _QUANTITIES[row.quantity], *ends))
    head = ("part", "quantity", "estimate", "at least", "at most")
    return Table(
        f"Bounds at {_sure(result)} confidence, by {many(parts[0]['scored'], 'scored row')}",
        head if several else head[1:],
        tuple(lines),
    )


def _rules_table(result: Result) -> Table | None:
    rules, title = result.payload["rules"], f"Rules, {_sure(result)} intervals corrected for their number"
    columns = ("rule", "score", "low", "high")
    return None if len(rules) < 2 else _intervals(title, columns, rules, _score(result))


def _curve(result: Result, points: Records) -> Figure:
    score = f"score on other rows, with its {_sure(result)} interval"
    biased = "plug-in estimate, biased upward"
    records: list[dict[str, Any]] = []
    for point in points:
        records.append({"series": score} | {key: point[key] for key in ("rows", "value", "low", "high")})
        records.append({"series": biased, "rows": point["rows"], "value": point["plug_in"]})
    chart = curves(
        records,
        Axis("rows", "rows", "log"),
        Axis("value", "probability of a right guess", "probability"),
        [score, biased],
        points=True,
        rule=("value", float(result.rows["prior"] or 0)),
    )
    return Figure.of("What more rows would tell; grey: a guess without an observation", chart)


def _by_part(result: Result, points: Records) -> Figure:
    axis = Axis("value", "probability of a right guess", "probability")
    return Figure.of(f"By part, with {_sure(result)} intervals", marks(points, axis, ["score"]))


# Tests of a claim, and of a change


def _tested(result: Result, kind: str) -> Records:
    """Return the test of all secrets together, then that of each; nothing if it was not made."""
    return [test for test in result.payload["tests"] if test["test"] == kind]


def _rejected(tests: Records) -> tuple[str, str]:
    """Return of how many secrets a test is rejected, and the verb."""
    off = sum(test["rejected"] for test in tests)
    return said(off), "is" if off == 1 else "are"


def _claim_said(result: Result) -> Iterator[str]:
    made, spec = _tested(result, "claim"), result.words["spec"]
    if not made:
        return
    whole, *tests = made
    if not whole["rejected"]:
        yield f"The log does not contradict the claim {spec} (p = {said(whole['p'])}, all secrets together)."
        return
    never, (off, are) = whole["impossible"], _rejected(tests)
    ruled_out = (
        f" {many(never, 'row')} {'has' if never == 1 else 'have'} an output that the claim rules out."
        if never
        else ""
    )
    yield (
        f"The log contradicts the claim {spec} (p {_p(whole['p'])}): of {many(len(tests), 'secret')},"
        f" {off} {are} not shown as claimed.{ruled_out}"
    )


def _change_said(result: Result) -> Iterator[str]:
    made, parts = _tested(result, "change"), result.payload["log"]["parts"]
    if not made:
        return
    whole, *tests = made
    of = " and ".join(parts) if len(parts) == 2 else f"{len(parts)} periods"
    if whole["rejected"]:
        off, are = _rejected(tests)
        yield (
            f"Secrets are not shown alike in {of} (p {_p(whole['p'])}): {off} of"
            f" {many(len(tests), 'secret')} {are} shown differently."
        )
    else:
        yield f"No difference between {of} is shown in how secrets are shown (p = {said(whole['p'])})."
    row = result.rows.row("posterior_difference")
    if row is not None:
        ends = " to ".join(said(100 * float(end)) for end in (row.low, row.high) if end is not None)
        yield (
            f"The probability of a right guess changes by {said(100 * float(row.value))} percentage points"
            f" (interval {ends})."
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


def _tests_table(kind: str, what: str) -> Listing:
    """Return the table of the secrets that fit least in one of the tests."""

    def least(result: Result) -> Records:
        return sorted(_tested(result, kind)[1:], key=lambda test: test["p"])[:_MOST]

    return Listing(
        lambda result: f"Is each secret shown {what}? The {said(len(least(result)))} that fit least",
        least,
        {
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


DEVIATIONS = Listing(
    "Outputs that deviate most from the claim",
    "deviations",
    {
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


def _secrets_table(result: Result) -> Table | None:
    shares, sure, risks = result.rows.where(quantity="secret_share"), _sure(result), result.payload["risks"]
    if len(shares):
        title = f"Secrets behind {result.words['spec']}, most frequent first"
        lines = ((row.goal, row.value, row.low, row.high) for row in shares)
        note = f"{sure} bootstrap intervals; approximate, and too narrow where there are few rows."
        return _intervals(title, ("secret", "share", "low", "high"), lines, probability, note)
    if not risks:
        return None
    title = f"Secrets most at risk, of {said(result.words['scored'])} that were scored"
    best = result.payload["parts"][0]["best"]
    note = f"By the rule {best}; {sure} intervals corrected for the number of secrets."
    return _intervals(title, ("secret", "rows scored", "guessed", "low", "high"), risks, probability, note)


def _secrets_said(result: Result) -> Iterator[str]:
    row = result.rows.row("secret_share")
    if row is not None:
        value, low, high = (probability(x or 0) for x in (row.value, row.low, row.high))
        yield (
            f"Behind the noise of {result.words['spec']}, the most frequent secret is {row.goal}, of {value}"
            f" ({low} to {high}, {_sure(result)} bootstrap interval)."
        )


def _behind_figure(result: Result, points: Records) -> Figure:
    chart = marks(points, Axis("value", "share of rows", "share"), ["share"])
    return Figure.of(f"Secrets behind {result.words['spec']}", chart)


LAYOUT = Layout(
    _title,
    say={
        "bounds": lambda result: list(_of_parts(result))[:1],
        "intervals": lambda result: list(_of_parts(result))[1:],
        "claim": _claim_said,
        "epsilon": _epsilon_said,
        "change": _change_said,
        "needed": _needed_said,
        "secrets": _secrets_said,
    },
    tables={
        "bounds": _bounds_table,
        "rules": _rules_table,
        "secrets": _secrets_table,
        "claim": _tests_table("claim", "as claimed"),
        "change": _tests_table("change", "alike in all parts"),
        "deviations": DEVIATIONS,
    },
    charts={
        "curve": Chart(lambda result: result.payload["curve"], _curve),
        "parts": Chart(
            lambda result: (
                _points(result.rows.where(quantity="posterior"), "stage", "score")
                if result.payload["log"]["parts"]
                else []
            ),
            _by_part,
        ),
        "secrets": Chart(
            lambda result: _points(result.rows.where(quantity="secret_share"), "goal", "share")[:_DRAWN],
            _behind_figure,
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
            "level": level,
            "gain": gain is not None,
            "claimed": _claimed_epsilon(api, epsilon),
            "telling": None
            if telling is None
            else [len(telling.outputs), called.secret(telling.high), called.secret(telling.low)],
            "scored": len(risks),
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
            "curve": [{"rows": at.rows, "plug_in": at.plug_in, **asdict(at.score)} for at in curve],
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
    for entry in test.secrets:
        rejected = entry.corrected <= miss
        yield {"test": kind, **asdict(entry), "secret": names.secret(entry.secret), "rejected": rejected}


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
    return Findings(
        (
            Row(
                spec, None, "all", str(C.inputs[k]) if named else f"secret {rank}", "estimated", 1,
                "secret_share", float(shares[k]), float(low[k]), float(high[k]), "sample",
            )
            for rank, k in enumerate(np.argsort(-shares, kind="stable").tolist(), 1)
        ),
        warnings=() if estimate.converged else ("The estimate has not converged.",),
        words={"spec": spec, "level": level, "gain": False, "telling": None},
        payload={
            "log": {"rows": log.n_rows, "missing": log.missing, "parts": []},
            **{key: [] for key in ("parts", "rules", "risks", "tests", "deviations", "curve")},
        },
        seed=seed,
    )  # fmt: skip
