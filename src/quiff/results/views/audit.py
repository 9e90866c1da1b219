"""How it is shown what a log tells: the bound first, then the test of a claim, then tables."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from quiff.audit.bounds import CurvePoint
from quiff.audit.claims import ClaimTest
from quiff.audit.log import Log
from quiff.measures.bayesian_update import Estimate
from quiff.results.figures.charts import Axis, curves, marks
from quiff.results.figures.figure import Figure
from quiff.results.numbers import probability, said
from quiff.results.rows import Row, Rows
from quiff.results.table import Style, Table
from quiff.results.views.names import many

_MOST = 10  # secrets of a table
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


class Names:
    """What secrets and outputs are called: themselves if they are asked for, else numbers by frequency."""

    def __init__(self, log: Log, shown: bool) -> None:
        self._shown, self._log = shown, log
        rows = np.bincount(log.secret, log.rows, len(log.secrets))
        self._rank = np.argsort(np.argsort(-rows, kind="stable"))
        often = np.bincount(log.output, log.rows, len(log.outputs))
        ranks = np.argsort(np.argsort(-often, kind="stable")).tolist()
        self._output = dict(zip(log.outputs, ranks, strict=True))

    def secret(self, place: int) -> str:
        """Return what a secret is called, by its place."""
        return str(self._log.secrets[place]) if self._shown else f"secret {self._rank[place] + 1}"

    def output(self, label: Hashable) -> str:
        """Return what an output is called."""
        if self._shown:
            return str(label)
        return f"output {self._output[label] + 1}" if label in self._output else "one never seen"


def audited_views(
    log: Log,
    names: Names,
    spec: str,
    found: Sequence[Any],
    curve: Sequence[CurvePoint],
    claim: ClaimTest | None,
    change: ClaimTest | None,
    claimed: float | None,
    level: float,
    warnings: tuple[str, ...],
    rows: tuple[Row, ...],
) -> dict[str, Any]:
    """Return title, sentences, tables, figures and facts of an audit."""
    sure, gain = f"{said(100 * level)} %", any(row.goal == "gain" for row in rows)
    tables: dict[str, Table] = {}
    if found:
        tables["bounds"] = _bounds_table(found, rows, sure)
        if len(found[0].bounds.scores) > 1:
            tables["rules"] = _rules_table(found[0], sure, said if gain else probability)
        if found[0].risks:
            tables["secrets"] = _risk_table(found[0], names, sure)
    tests = []
    for kind, test in (("claim", claim), ("change", change)):
        if test is not None:
            tables[kind] = _test_table(kind, test, names)
            tests += _tests(kind, test, names, 1 - level)
    if claim is not None and claim.deviations:
        tables["deviations"] = _deviations_table(claim, names)
    sentences = [
        *_bound_sentences(found, sure, gain),
        *_claim_sentences(claim, spec, 1 - level),
        *_epsilon_sentences(found, rows, claimed, sure, names),
        *_change_sentences(change, rows, log, 1 - level),
        *_needed_sentences(rows, found),
    ]
    figures = {}
    if curve:
        figures["curve"] = lambda: _curve_figure(curve, found[0].bounds.prior.value, sure)
    if len(log.parts) > 1 and found:
        figures["parts"] = lambda: _parts_figure(rows, sure)
    return {
        "title": f"Audit of {many(log.n_rows, 'row')}: {many(len(log.secrets), 'secret')},"
        f" {many(len(log.outputs), 'distinct observation')}",
        "sentences": tuple(sentences),
        "tables": tables,
        "figures": figures,
        "warnings": (*warnings, *_unseen(found)),
        "notes": _notes(log, level),
        "facts": {
            "log": {
                "rows": log.n_rows,
                "missing": log.missing,
                "secrets": len(log.secrets),
                "observations": len(log.outputs),
            },
            "tests": tests,
            "curve": [
                {"rows": p.rows, "score": p.score.value, "low": p.score.low, "high": p.score.high,
                 "plug_in": p.plug_in}
                for p in curve
            ],
        },
    }  # fmt: skip


def _unseen(found: Sequence[Any]) -> list[str]:
    """Say what frequencies cannot tell, where most observations are new."""
    if not found or found[0].bounds.new < _MUCH:
        return []
    share = found[0].bounds.new
    rules = list(found[0].bounds.scores)
    nothing = "nothing" if share > 1 - 1e-9 else "little"
    advice = (
        "take --rule nearest" if rules == ["frequentist"] else "coarser observations or more rows may help"
    )
    return [
        f"{probability(share)} of the observations that were scored do not occur in the part that rules were"
        f" fitted to: their frequencies say {nothing}, and a low bound does not mean a low leakage; {advice}."
    ]


def _notes(log: Log, level: float) -> tuple[str, ...]:
    whose = "persons" if log.person is not None else "rows"
    return (
        f"Each interval holds with a probability of {said(100 * level)} % at least, whatever the system is,"
        f" if {whose} are independent of each other and all come from the same system.",
        "The log tells what an observer learns about these secrets with the prior that they have in the log.",
    )


def _bound_sentences(found: Sequence[Any], sure: str, gain: bool) -> list[str]:
    sentences = []
    what, does = (
        ("expected gain", "gains") if gain else ("probability of a right guess", "guesses right with")
    )
    text = said if gain else probability
    for each in found[:1] if found and found[0].name == "all" else found:
        at, where = each.bounds, "" if each.name == "all" else f"{each.name.capitalize()}: "
        scores = (
            f"the rule {at.best} {does} {text(at.posterior.value)}, the best guess without an observation"
            f"{'' if gain else ' with'} {text(at.prior.value)}."
        )
        if at.leakage.low > 1:
            sentences.append(
                f"{where}{'o' if where else 'O'}ne observation multiplies the {what} by at least"
                f" {said(at.leakage.low)} ({sure} confidence): {scores}"
            )
        else:
            sentences.append(
                f"{where}{'n' if where else 'N'}o leakage is shown at {sure} confidence: {scores}"
            )
        sentences.append(
            f"{where}{'t' if where else 'T'}he {what} is between {text(at.posterior.low)} and"
            f" {text(at.posterior.high)} ({sure} confidence, {many(at.scored, 'row')} scored); the plug-in"
            f" estimate, biased upward, is {text(at.plug_in)}."
        )
    return sentences


def _claim_sentences(claim: ClaimTest | None, spec: str, miss: float) -> list[str]:
    if claim is None:
        return []
    off = sum(test.corrected <= miss for test in claim.secrets)
    if claim.p > miss:
        return [f"The log does not contradict the claim {spec} (p = {said(claim.p)}, all secrets together)."]
    never = (
        f" {many(claim.impossible, 'row')} {'has' if claim.impossible == 1 else 'have'} an output that the"
        " claim rules out."
        if claim.impossible
        else ""
    )
    return [
        f"The log contradicts the claim {spec} (p {_p(claim.p)}): of {many(len(claim.secrets), 'secret')},"
        f" {said(off)} {'is' if off == 1 else 'are'} not shown as claimed.{never}"
    ]


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


def _epsilon_sentences(
    found: Sequence[Any], rows: Sequence[Row], claimed: float | None, sure: str, names: Names
) -> list[str]:
    least = Rows(tuple(rows)).row("epsilon_at_least")
    if least is None or not found or found[0].telling is None:
        return []
    value, event = float(least.value), found[0].telling
    ratio = f"at least {said(np.exp(value))} times as probable for {names.secret(event.high)} as for"
    what = f"a set of {many(len(event.outputs), 'output')} is {ratio} {names.secret(event.low)}"
    if claimed is not None and value > claimed:
        return [
            f"A claim of epsilon {said(claimed)} is refuted: epsilon is at least {said(value)} ({sure}"
            f" confidence), since {what}."
        ]
    if claimed is not None and claimed != float("inf"):
        return [f"Epsilon is at least {said(value)} ({sure} confidence): {said(claimed)} is not refuted."]
    if value > 0:
        return [f"Epsilon is at least {said(value)} ({sure} confidence): {what}."]
    return [f"No epsilon above 0 is shown at {sure} confidence."]


def _change_sentences(change: ClaimTest | None, rows: Sequence[Row], log: Log, miss: float) -> list[str]:
    if change is None:
        return []
    of = " and ".join(log.parts) if len(log.parts) == 2 else f"{len(log.parts)} periods"
    if change.p > miss:
        sentences = [f"No difference between {of} is shown in how secrets are shown (p = {said(change.p)})."]
    else:
        off = sum(test.corrected <= miss for test in change.secrets)
        sentences = [
            f"Secrets are not shown alike in {of} (p {_p(change.p)}): {said(off)} of"
            f" {many(len(change.secrets), 'secret')} {'is' if off == 1 else 'are'} shown differently."
        ]
    row = Rows(tuple(rows)).row("posterior_difference")
    if row is not None and row.low is not None and row.high is not None:
        ends = " to ".join(f"{said(100 * float(end))}" for end in (row.low, row.high))
        sentences.append(
            f"The probability of a right guess changes by {said(100 * float(row.value))} percentage points"
            f" (interval {ends})."
        )
    return sentences


def _needed_sentences(rows: Sequence[Row], found: Sequence[Any]) -> list[str]:
    row = Rows(tuple(rows)).row("rows_needed")
    if row is None:
        return []
    more = float(row.value) - found[0].bounds.rows
    than = f"{said(more)} more than there are" if more > 0 else "which there are"
    return [f"An interval of the score of the asked width needs about {said(row.value)} rows, {than}."]


def _bounds_table(found: Sequence[Any], rows: Sequence[Row], sure: str) -> Table:
    several = len({row.stage for row in rows}) > 1
    cells = []
    for row in rows:
        text = probability if row.quantity in _PROBABILITIES and row.goal != "gain" else said
        value, low, high = (None if x is None else text(x) for x in (row.value, row.low, row.high))
        cells.append((*((row.stage,) if several else ()), _QUANTITIES[row.quantity], value, low, high))
    head = ("part", "quantity", "estimate", "at least", "at most")
    return Table(
        f"Bounds at {sure} confidence, by {many(found[0].bounds.scored, 'scored row')}",
        head if several else head[1:],
        tuple(cells),
    )


def _rules_table(each: Any, sure: str, text: Style) -> Table:
    return Table(
        f"Rules, {sure} intervals corrected for their number",
        ("rule", "score", "low", "high"),
        tuple((name, s.value, s.low, s.high) for name, s in each.bounds.scores.items()),
        styles=dict.fromkeys(("score", "low", "high"), text),
    )


def _risk_table(each: Any, names: Names, sure: str) -> Table:
    first = sorted(each.risks, key=lambda one: (-one.risk.low, -one.rows))[:_MOST]
    return Table(
        f"Secrets most at risk, of {said(len(each.risks))} that were scored",
        ("secret", "rows scored", "guessed", "low", "high"),
        tuple((names.secret(r.secret), r.rows, r.risk.value, r.risk.low, r.risk.high) for r in first),
        (f"By the rule {each.bounds.best}; {sure} intervals corrected for the number of secrets.",),
        ("secret",),
        dict.fromkeys(("guessed", "low", "high"), probability),
    )


def _test_table(kind: str, test: ClaimTest, names: Names) -> Table:
    what = "as claimed" if kind == "claim" else "alike in all parts"
    worst = sorted(test.secrets, key=lambda each: each.p)[:_MOST]
    return Table(
        f"Is each secret shown {what}? The {said(len(worst))} that fit least",
        ("secret", "rows", "statistic", "p", "p corrected", "distribution"),
        tuple((names.secret(t.secret), t.rows, t.statistic, t.p, t.corrected, t.method) for t in worst),
        (f"Overall p {_p(test.p)}. Corrected for the number of secrets by Holm's method.",),
        ("secret",),
        dict.fromkeys(("p", "p corrected"), p_text),
    )


def _deviations_table(claim: ClaimTest, names: Names) -> Table:
    return Table(
        "Outputs that deviate most from the claim",
        ("secret", "output", "seen", "expected", "p"),
        tuple(
            (names.secret(d.secret), names.output(d.output), d.seen, d.expected, d.p)
            for d in claim.deviations
        ),
        ("Exact binomial p of each output by itself, not corrected.",),
        ("secret", "output"),
        {"p": p_text},
    )


def _tests(kind: str, test: ClaimTest, names: Names, miss: float) -> list[dict[str, Any]]:
    whole = {"test": kind, "secret": None, "p": test.p, "rejected": test.p <= miss}
    each = (
        {"test": kind, "secret": names.secret(t.secret), "rows": t.rows, "statistic": t.statistic, "p": t.p,
         "corrected": t.corrected, "rejected": t.corrected <= miss, "method": t.method}
        for t in test.secrets
    )  # fmt: skip
    return [whole, *each]


def _curve_figure(curve: Sequence[CurvePoint], prior: float, sure: str) -> Figure:
    score, biased = f"score on other rows, with its {sure} interval", "plug-in estimate, biased upward"
    records: list[dict[str, Any]] = []
    for p in curve:
        records.append(
            {
                "series": score,
                "rows": p.rows,
                "value": p.score.value,
                "low": p.score.low,
                "high": p.score.high,
            }
        )
        records.append({"series": biased, "rows": p.rows, "value": p.plug_in})
    chart = curves(
        records,
        Axis("rows", "rows", "log"),
        Axis("value", "probability of a right guess", "probability"),
        [score, biased],
        points=True,
        rule=("value", prior),
    )
    return Figure.of("What more rows would tell; grey: a guess without an observation", chart)


def _parts_figure(rows: Sequence[Row], sure: str) -> Figure:
    shown = [row for row in rows if row.quantity == "posterior"]
    records = [
        {"name": r.stage, "kind": "score", "value": r.value, "low": r.low, "high": r.high} for r in shown
    ]
    axis = Axis("value", "probability of a right guess", "probability")
    return Figure.of(f"By part, with {sure} intervals", marks(records, axis, ["score"]))


def behind_views(log: Log, spec: str, rows: tuple[Row, ...], found: Estimate, level: float) -> dict[str, Any]:
    """Return title, sentence, table and figure of a distribution behind the noise."""
    sure, first = f"{said(100 * level)} %", rows[0]
    low, high = (probability(end) for end in (first.low or 0, first.high or 0))
    table = Table(
        f"Secrets behind {spec}, most frequent first",
        ("secret", "share", "low", "high"),
        tuple((row.goal, row.value, row.low, row.high) for row in rows),
        (f"{sure} bootstrap intervals; approximate, and too narrow where there are few rows.",),
        ("secret",),
        dict.fromkeys(("share", "low", "high"), probability),
    )
    records = [
        {"name": r.goal, "kind": "share", "value": r.value, "low": r.low, "high": r.high} for r in rows[:25]
    ]
    return {
        "title": f"Secrets behind {many(log.n_rows, 'observation')}",
        "sentences": (
            f"Behind the noise of {spec}, the most frequent secret is {first.goal}, of"
            f" {probability(first.value)} ({low} to {high}, {sure} bootstrap interval).",
        ),
        "warnings": () if found.converged else ("The estimate has not converged.",),
        "tables": {"secrets": table},
        "figures": {
            "secrets": lambda: Figure.of(
                f"Secrets behind {spec}", marks(records, Axis("value", "share of rows", "share"), ["share"])
            )
        },
        "facts": {"log": {"rows": log.n_rows, "missing": log.missing}, "tests": []},
    }
