"""Questions about the W3C Attribution API: what events give, and whether budgets hold."""

from collections.abc import Iterator, Mapping
from typing import Any

from quiff.attribution.adaptive_worlds import check_adaptive_worlds
from quiff.attribution.checker import check_worlds
from quiff.attribution.events import play, read_config, read_events
from quiff.attribution.neighbours import ALL_SITES, pair_losses
from quiff.attribution.options import DAY, MICRO
from quiff.attribution.rules import RuleName, rules_named
from quiff.attribution.worlds import INTERMEDIARY, events_of
from quiff.io import StrPath
from quiff.results.figures.charts import Axis, Record, beside, curves, marks
from quiff.results.layout import Chart, Layout, Pivot
from quiff.results.numbers import many, rounded, said
from quiff.results.result import Result
from quiff.studies.study import Findings, study
from quiff.theory.parameters import check_whole

_SOURCE = "w3c/attribution at 9fab4e8 (14 May 2026), api.bs"
_KINDS = ("impression", "released", "zeros", "clearing", "error", "left out")
_LINES = 7  # of budgets in the figure
_LONGEST = 24  # signs of a histogram in a table
_SAME = 1e-9
_ASSUMED = (
    "The draft's analysis assumes that no event depends on what other sites were told, and says that this"
    " cannot hold in practice (api.bs, lines 3092 to 3097): this is the size of what it leaves out, in one"
    " small world, and no error of its proof."
)


# Events that are played


def _taken(result: Result) -> Iterator[str]:
    events = result.payload["events"]
    kinds = [event["kind"] for event in events]
    conversions = kinds.count("released") + kinds.count("zeros")
    yield (
        f"Under the rules {result.payload['rules']!r}, {many(kinds.count('impression'), 'impression')} and"
        f" {many(conversions, 'conversion')} were taken, and {kinds.count('zeros')} of the conversions gave"
        f" zeros only; {many(kinds.count('error'), 'call')} erred."
    )
    expecting = sum(event["expected"] is not None for event in events)
    if expecting and not result.warnings:
        yield f"As the file expects: {many(expecting, 'outcome')}."


def _learnt(result: Result) -> Iterator[str]:
    """Say what a pair of neighbours tells each site, beside its budget."""
    for line in result.payload["losses"]:
        who = "all sites together learn" if line["observer"] == ALL_SITES else f"{line['observer']} learns"
        above = ", which is too much" if line["loss"] > line["budget"] + _SAME else ""
        yield f"Of a budget of {rounded(line['budget'], 4)}, {who} {rounded(line['loss'], 4)}{above}."


def _moment(event: Record, _: Result) -> str:
    minutes, second = divmod(event["seconds"], 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    return f"{days} d {hour:02}:{minute:02}:{second:02}"


def _charged(event: Record, result: Result) -> float | None:
    charges = [charge["of_site"] for charge in result.payload["charges"] if charge["event"] == event["place"]]
    return sum(charges) / MICRO if event["kind"] in ("released", "zeros") else None


def _outcome(event: Record, _: Result) -> str:
    outcome = "" if event["outcome"] is None else str(event["outcome"])
    return outcome if len(outcome) <= _LONGEST else f"{outcome[: _LONGEST - 3]}..."


EVENTS_TABLE = Pivot(
    "What came of each event",
    records=lambda result: [event | {"place": n} for n, event in enumerate(result.payload["events"])],
    columns={
        "event": "place",
        "time": _moment,
        "what": "what",
        "site": "site",
        "outcome": _outcome,
        "charged": _charged,
    },
    notes=("Charged: to the site's budgets of all epochs, as epsilon.",),
    labels=("event",),
)


def _left_of(budget: Record, _: Result) -> float | str:
    return "unset" if budget["left"] is None else budget["left"] / MICRO


BUDGETS_TABLE = Pivot(
    "What is left, as epsilon",
    records=lambda result: [
        {"name": name, "of": result.payload["budgets"]["of"][kind] / MICRO, "site": "", **budget}
        for name, kind in (("site", "sites"), ("quota", "quotas"), ("global", "global"))
        for budget in result.payload["budgets"][kind]
    ],
    columns={"budget": "name", "epoch": "epoch", "site": "site", "left": _left_of, "of": "of"},
    labels=("epoch",),
)


def _timeline(points: list[Record], result: Result) -> Any:
    """Return the events by site, and below them what is left of each budget that was charged."""
    days = [point["day"] for point in points]
    first, last, of = min(days), max(days), result.payload["budgets"]["of"]
    day = Axis("day", "days", least=first, most=max(last, first + 1 / DAY))
    kinds = {point["kind"] for point in points}
    panels = [marks(points, day, [kind for kind in _KINDS if kind in kinds])]
    left: dict[str, float] = {}
    records: list[Record] = []
    for charge in result.payload["charges"]:
        for series, budget, taken in (
            (f"{charge['site']}, epoch {charge['epoch']}", of["sites"], charge["of_site"]),
            (f"all sites, epoch {charge['epoch']}", of["global"], charge["shared"]),
        ):
            if series not in left:
                left[series] = 1.0
                records.append({"series": series, "day": first, "left": 1.0})
            left[series] = max(0.0, left[series] - taken / budget)
            records.append({"series": series, "day": days[charge["event"]], "left": left[series]})
    records += [{"series": series, "day": last, "left": value} for series, value in left.items()]
    if records:
        names = list(left)[:_LINES]
        drawn = [record for record in records if record["series"] in names]
        share = Axis("left", "share of the budget that is left", "share")
        panels.append(curves(drawn, day, share, names, step="step-after"))
    return beside(*panels, below=True)


EVENTS = Layout(
    lambda result: (
        f"{many(len(result.payload['events']), 'event')} under the rules {result.payload['rules']!r}"
    ),
    say={"losses": _learnt, "events": _taken},
    tables={"events": EVENTS_TABLE, "budgets": BUDGETS_TABLE},
    charts={
        "timeline": Chart(
            "Events, and what is left of the budgets",
            records="events",
            points={
                "name": lambda event, _: event["site"] or "browser",
                "kind": "kind",
                "day": lambda event, _: event["seconds"] / DAY,
            },
            draw=_timeline,
            without="the file has no events",
        )
    },
)


@study(EVENTS, command="attribution run", group="parameters")
def play_events(
    events: StrPath,
    config: StrPath | None = None,
    *,
    neighbour: StrPath | None = None,
    rules: RuleName = "draft",
    seed: int | None = None,
) -> Findings:
    """Play a file of events: histograms, charges, what is left.

    They happen on a browser with the W3C Attribution API. Both files are in the format of the group's own
    end-to-end tests. Times are in seconds and increase; what a file expects is compared with what comes. The
    payload has the events with their outcome, charges by the number of the event, from 0, and budgets, in
    microepsilons. The figure is a timeline.

    An event may depend on an earlier result by a field ``when``, such as ``{"conversion": 0, "bucket": 0,
    "above": 0.5}``: a site acts on what it learnt. That is drawn with the noise that the draft expects.

    Parameters
    ----------
    events
        The file.
    config
        Limits, budgets, and if you like the epoch's start and the rounding draw.  [default: as the group's
        own, both drawn]
    neighbour
        Another file, which differs in impressions only: say what each site learns of the difference.
    rules
        The draft as it is meant, as it is written, or its reference code; or the draft but for one rule.
    seed
        The random seed of what the configuration does not fix.  [default: the system's randomness]

    Examples
    --------
    $ quiff attribution run violation.json --neighbour violation-neighbour.json --rules two-roundings

    Raises
    ------
    ParameterError
        If a file cannot be read; the message says where and why.
    """
    chosen = rules_named(rules)
    happened, own = read_events(events)
    other = None if config is None else read_config(config)
    steps, browser = play(happened, own or other, chosen, seed=seed)
    limits = browser.config
    beside = () if neighbour is None else read_events(neighbour)[0]
    losses = [] if neighbour is None else pair_losses(happened, beside, limits, chosen)
    return Findings(
        (),
        warnings=tuple(
            f"Event {place}: {step.outcome} where the file expects {step.event.expected}."
            for place, step in enumerate(steps)
            if step.event.name == "saveImpression" or step.event.expected is not None
            if step.outcome != step.event.expected
        ),
        payload={
            "rules": browser.rules.name,
            "losses": losses,
            "events": [
                {
                    "seconds": step.event.seconds,
                    "what": step.event.name,
                    "site": step.event.fields.get("site", ""),
                    "kind": step.kind,
                    "outcome": step.outcome,
                    "expected": step.event.expected,
                }
                for step in steps
            ],
            "charges": [
                {"event": place, **charge._asdict()}
                for place, step in enumerate(steps)
                for charge in (step.report.charges if step.report else ())
            ],
            "budgets": {
                "epoch_start": browser.epoch_start,
                "of": {
                    "sites": limits.per_site_privacy_budget,
                    "quotas": limits.impression_site_quota_per_epoch,
                    "global": limits.global_privacy_budget_per_epoch,
                },
                "global": [{"epoch": e, "left": left} for e, left in sorted(browser.global_budgets.items())],
                "sites": _left(browser.site_budgets),
                "quotas": _left(browser.quotas),
            },
        },
        seed=seed,
        sources=(_SOURCE,),
    )


def _left(store: Mapping[tuple[int, str], int]) -> list[dict[str, int | str]]:
    return [{"epoch": epoch, "site": site, "left": left} for (epoch, site), left in sorted(store.items())]


# Budgets that are checked


def _verdict(result: Result) -> str:
    search, violation = result.payload, result.payload["violation"]
    rules, size = search["rules"], search["size"]
    if violation is not None:
        observer = violation["observer"]
        who = "all sites together learn" if observer == "all sites" else f"{observer} learns"
        return (
            f"Violated under the rules {rules!r}: {who} {rounded(violation['loss'], 4)} of one epoch whose"
            f" budget is {rounded(violation['budget'], 4)}, by {many(len(violation['events']), 'event')}."
            " No world with fewer events violates a budget."
        )
    if search["finished"] and search["adaptive"] is not None:
        return (
            f"None up to this size under the rules {rules!r}: no world of at most {search['adaptive']}"
            " events, of which one depends on an earlier result, reveals more than a site's budget."
        )
    if search["finished"]:
        return (
            f"None up to this size under the rules {rules!r}: no world of at most {size} impressions"
            f" and {size} queries, in 3 epochs and on 2 conversion sites, reveals more than a budget."
        )
    return (
        f"Not finished under the rules {rules!r}: the limit came after"
        f" {said(search['worlds_after_symmetry'])} worlds, of which none reveals more than a budget."
    )


_COUNTS = {
    "impressions, and queries, at most": "size",
    "worlds": "worlds",
    "worlds gone through, after symmetry": "worlds_after_symmetry",
    "pairs of neighbours compared": "pairs",
    "largest loss, as a share of the budget": "largest_share",
}
SEARCH = Pivot(
    "The search",
    records=lambda result: [
        (what, result.payload[key])
        for what, key in ({"events, at most": "adaptive"} | _COUNTS).items()
        if key != ("adaptive" if result.payload["adaptive"] is None else "size")
    ],
    columns={"what": 0, "number": 1},
)
VIOLATION = Pivot(
    "The smallest violation",
    records=lambda result: [
        (place, *event) for place, event in enumerate((result.payload["violation"] or {}).get("events", ()))
    ],
    columns={"event": 0, "epoch": 1, "what": 2},
    notes=("A site's budget is 1; the global budget is {global_budget}.",),
    labels=("event", "epoch"),
)
BUDGETS = Layout(
    lambda result: f"Budgets under the rules {result.payload['rules']!r}",
    say={"verdict": _verdict},
    tables={"search": SEARCH, "violation": VIOLATION},
)


@study(BUDGETS)
def check_budgets(
    size: int = 2,
    *,
    rules: RuleName = "draft",
    impression_sites: int = 1,
    limit: int | None = None,
    adaptive: int | None = None,
) -> Findings:
    """Check the budgets of the W3C Attribution API on all worlds of at most `size` impressions and queries.

    For every world and each of its neighbours, which is without the impressions of one epoch, the exact
    privacy loss to each conversion site is compared with that site's budget, and the loss to all of them with
    the global budget. The first world that violates one is a smallest.

    Parameters
    ----------
    size
        At most so many impressions, and so many queries, in 3 epochs and on 2 conversion sites.
    rules
        ``draft``, ``draft-literal``, ``reference``, ``repaired``, or the draft but for one rule:
        ``attributed-epoch``, ``single-by-match``, ``two-roundings``, ``unset-global``; or what is proposed:
        ``site-left-out``, ``by-intermediary``, ``epochs-1-day``, ``epochs-28-days``.
    impression_sites
        On how many sites impressions are saved; with 2, their quotas are as small as a site's budget.
    limit
        Go through at most so many worlds.
    adaptive
        Search worlds of at most so many events instead, one of which depends on an earlier noisy result.

    Examples
    --------
    >>> from quiff import check_budgets
    >>> check_budgets(1).payload["violation"] is None
    True
    """
    chosen, most = rules_named(rules), None if limit is None else check_whole("limit", limit, 1)
    if adaptive is None:
        publishers = check_whole("impression_sites", impression_sites, 1, 2)
        checked = check_worlds(check_whole("size", size, 1, 6), chosen, limit=most, publishers=publishers)
    else:
        checked = check_adaptive_worlds(check_whole("adaptive", adaptive, 2, 8), chosen, limit=most)
    violation = checked.violation
    through = INTERMEDIARY if chosen.budget_of == "caller" else None

    def file(removed: int | None) -> Any:
        if violation is None:
            return None
        return events_of(violation.world, violation.config, checked.size, removed, through=through)

    return Findings(
        (),
        notes=(
            "Two worlds are neighbours if one has no impressions in one epoch and is otherwise the same.",
            "The aggregation service adds Laplace noise to a batch of this one browser.",
            *(() if adaptive is None else (_ASSUMED,)),
            f"Rules {chosen.name!r}: {chosen.source}, {chosen.date}"
            f"{'; inferred from public descriptions' if chosen.inferred else ''}.",
        ),
        words={"global_budget": "" if violation is None else violation.shared},
        payload={
            "rules": checked.rules.name,
            "size": checked.size,
            "adaptive": adaptive,
            "worlds": checked.worlds,
            "worlds_after_symmetry": checked.canonical,
            "pairs": checked.pairs,
            "largest_share": checked.largest,
            "finished": checked.finished,
            "violation": None if violation is None else {
                "observer": violation.observer,
                "loss": violation.loss,
                "budget": violation.budget,
                "global_budget": violation.shared,
                "removed_epoch": violation.removed,
                "events": list(violation.events()),
                "world": file(None),
                "neighbour": file(violation.removed),
            },
        },
        sources=(_SOURCE,),
    )  # fmt: skip
