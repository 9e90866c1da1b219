"""How events played on the Attribution API are shown, and what the budget checker found."""

from collections.abc import Iterator, Sequence
from typing import Any

from quiff.attribution.browser import Browser
from quiff.attribution.checker import Checked, Violation
from quiff.attribution.events import Step
from quiff.attribution.options import DAY, MICRO, Config
from quiff.attribution.worlds import SITES, Seen, events_of
from quiff.errors import counted
from quiff.results.figures.charts import Axis, Record, beside, curves, marks
from quiff.results.figures.figure import Figure
from quiff.results.numbers import rounded, said
from quiff.results.table import Table

_KINDS = ("impression", "released", "zeros", "clearing", "error")
_LINES = 7  # of budgets in the figure
_LONGEST = 24  # signs of a histogram in a table


def played_views(steps: Sequence[Step], browser: Browser) -> dict[str, Any]:
    """Return title, sentences, tables, figures and facts of events that were played."""
    rules = browser.rules.name
    differing = [
        f"Event {place}: {came} where the file expects {step.event.expected}."
        for place, step in enumerate(steps)
        if _expects(step) and (came := _outcome(step)) != step.event.expected
    ]
    return {
        "title": f"{counted(len(steps), 'event')} under the rules {rules!r}",
        "sentences": tuple(_sentences(steps, rules, len(differing))),
        "warnings": tuple(differing),
        "tables": {"events": _events(steps), "budgets": _budgets(browser)},
        "figures": {"timeline": lambda: _timeline(steps, browser.config)} if steps else {},
        "facts": {
            "rules": rules,
            "results": [
                {"event": place} | ({"error": step.error} if step.report is None else {"histogram": came})
                for place, step in enumerate(steps)
                if (came := _outcome(step)) is not None
            ],
            "charges": [{"event": place, **charge._asdict()} for place, charge in _charges(steps)],
            "budgets": {
                "epoch_start": browser.epoch_start,
                "sites": [
                    {"epoch": epoch, "site": site, "left": left}
                    for (epoch, site), left in sorted(browser.site_budgets.items())
                ],
                "quotas": [
                    {"epoch": epoch, "site": site, "left": left}
                    for (epoch, site), left in sorted(browser.quotas.items())
                ],
                "global": [
                    {"epoch": epoch, "left": left} for epoch, left in sorted(browser.global_budgets.items())
                ],
            },
        },
    }


def _outcome(step: Step) -> Any:
    return step.error if step.report is None else step.report.histogram


def _expects(step: Step) -> bool:
    return step.event.name == "saveImpression" or step.event.expected is not None


def _charges(steps: Sequence[Step]) -> Iterator[tuple[int, Any]]:
    for place, step in enumerate(steps):
        for charge in step.report.charges if step.report else ():
            yield place, charge


def _kind(step: Step) -> str:
    if step.error:
        return "error"
    if step.report:
        return "released" if any(step.report.histogram) else "zeros"
    return "impression" if step.event.name == "saveImpression" else "clearing"


def _sentences(steps: Sequence[Step], rules: str, differing: int) -> Iterator[str]:
    kinds = [_kind(step) for step in steps]
    asked = kinds.count("released") + kinds.count("zeros")
    yield (
        f"Under the rules {rules!r}, {counted(kinds.count('impression'), 'impression')} and"
        f" {counted(asked, 'conversion')} were taken, and {kinds.count('zeros')} of the conversions gave"
        f" zeros only; {counted(kinds.count('error'), 'call')} erred."
    )
    expecting = sum(step.event.expected is not None for step in steps)
    if expecting and not differing:
        yield f"As the file expects: {counted(expecting, 'outcome')}."


def _events(steps: Sequence[Step]) -> Table:
    rows = []
    for place, step in enumerate(steps):
        came = _outcome(step)
        text = "" if came is None else str(came)
        charged = sum(charge.of_site for charge in step.report.charges) / MICRO if step.report else None
        rows.append(
            (
                place,
                _moment(step.event.seconds),
                step.event.name,
                step.event.fields.get("site", ""),
                text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}...",
                charged,
            )
        )
    columns = ("event", "time", "what", "site", "outcome", "charged")
    note = "Charged: to the site's budgets of all epochs, as epsilon."
    return Table("What came of each event", columns, tuple(rows), (note,), labels=("event",))


def _moment(seconds: int) -> str:
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    return f"{days} d {hour:02}:{minute:02}:{second:02}"


def _budgets(browser: Browser) -> Table:
    config = browser.config
    rows: list[tuple[Any, ...]] = [
        (name, epoch, site, left / MICRO, whole / MICRO)
        for name, store, whole in (
            ("site", browser.site_budgets, config.per_site_privacy_budget),
            ("quota", browser.quotas, config.impression_site_quota_per_epoch),
        )
        for (epoch, site), left in sorted(store.items())
    ]
    whole = config.global_privacy_budget_per_epoch / MICRO
    rows += [
        ("global", epoch, "", "unset" if left is None else left / MICRO, whole)
        for epoch, left in sorted(browser.global_budgets.items())
    ]
    columns = ("budget", "epoch", "site", "left", "of")
    return Table("What is left, as epsilon", columns, tuple(rows), labels=("epoch",))


def _timeline(steps: Sequence[Step], config: Config) -> Figure:
    """Draw the events by site, and below them what is left of each budget that was charged."""
    days = [step.event.seconds / DAY for step in steps]
    first, last = min(days), max(days)
    day = Axis("day", "days", least=first, most=max(last, first + 1 / DAY))
    points: list[Record] = [
        {"name": step.event.fields.get("site", "browser"), "kind": _kind(step), "day": when}
        for step, when in zip(steps, days, strict=True)
    ]
    panels = [marks(points, day, [kind for kind in _KINDS if any(p["kind"] == kind for p in points)])]
    left: dict[str, float] = {}
    records: list[Record] = []
    for place, charge in _charges(steps):
        for series, whole, taken in (
            (f"{charge.site}, epoch {charge.epoch}", config.per_site_privacy_budget, charge.of_site),
            (f"all sites, epoch {charge.epoch}", config.global_privacy_budget_per_epoch, charge.shared),
        ):
            if series not in left:
                left[series] = 1.0
                records.append({"series": series, "day": first, "left": 1.0})
            left[series] = max(0.0, left[series] - taken / whole)
            records.append({"series": series, "day": days[place], "left": left[series]})
    records += [{"series": series, "day": last, "left": value} for series, value in left.items()]
    if records:
        names = list(left)[:_LINES]
        shown = [record for record in records if record["series"] in names]
        share = Axis("left", "share of the budget that is left", "share")
        panels.append(curves(shown, day, share, names, step="step-after"))
    return Figure.of("Events, and what is left of the budgets", beside(*panels, below=True))


def checked_views(found: Checked) -> dict[str, Any]:
    """Return title, sentences, tables and facts of what the budget checker found."""
    counts = (
        ("impressions, and queries, at most", found.size),
        ("worlds", found.worlds),
        ("worlds gone through, after symmetry", found.canonical),
        ("pairs of neighbours compared", found.pairs),
        ("largest loss, as a share of the budget", found.largest),
    )
    tables = {"search": Table("The search", ("what", "number"), counts)}
    facts: dict[str, Any] = {
        "rules": found.rules.name,
        "size": found.size,
        "worlds": found.worlds,
        "worlds_after_symmetry": found.canonical,
        "pairs": found.pairs,
        "largest_share": found.largest,
        "finished": found.finished,
        "violation": None,
    }
    if found.violation is not None:
        it = found.violation
        tables["violation"] = _pair(it)
        facts["violation"] = {
            "observer": it.observer,
            "loss": it.loss,
            "budget": it.budget,
            "removed_epoch": it.removed,
            "world": events_of(it.world, it.config, found.size),
            "neighbour": events_of(it.world, it.config, found.size, it.removed),
        }
    return {
        "title": f"Budgets under the rules {found.rules.name!r}",
        "sentences": tuple(_verdict(found)),
        "tables": tables,
        "facts": facts,
        "notes": (
            "Two worlds are neighbours if one has no impressions in one epoch and is otherwise the same.",
            "The aggregation service adds Laplace noise to a batch of this one browser.",
        ),
    }


def _verdict(found: Checked) -> Iterator[str]:
    rules, it = found.rules.name, found.violation
    if it is not None:
        who = "all sites together learn" if it.observer == "all sites" else f"{it.observer} learns"
        yield (
            f"Violated under the rules {rules!r}: {who} {rounded(it.loss, 4)} of one epoch whose budget is"
            f" {rounded(it.budget, 4)}, by {counted(len(it.world), 'event')}. No world with fewer events"
            " violates a budget."
        )
    elif found.finished:
        yield (
            f"None up to this size under the rules {rules!r}: no world of at most {found.size} impressions"
            f" and {found.size} queries, in 3 epochs and on 2 conversion sites, reveals more than a budget."
        )
    else:
        yield (
            f"Not finished under the rules {rules!r}: the limit came after {said(found.canonical)} worlds, of"
            " which none reveals more than a budget."
        )


def _pair(it: Violation) -> Table:
    rows = []
    for place, event in enumerate(it.world):
        if isinstance(event, Seen):
            bucket = "out of range" if event.bucket < 0 else f"bucket {event.bucket}"
            gone = ", not in the neighbour" if event.epoch == it.removed else ""
            rows.append((place, event.epoch, f"impression, {bucket}{gone}"))
        else:
            window = "1 day" if event.single else "30 days"
            credit = ", ".join(["1"] * event.touches)
            asked = f"epsilon {event.epsilon:g}, {window}, credit [{credit}]"
            rows.append((place, event.epoch, f"query of {SITES[event.site]}: {asked}"))
    note = f"A site's budget is 1; the global budget is {it.shared}."
    return Table(
        "The smallest violation", ("event", "epoch", "what"), tuple(rows), (note,), ("event", "epoch")
    )
