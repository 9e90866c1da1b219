"""A run that would keep too few rows is refused, and shows where to look without repeating what rows hold."""

from decimal import ROUND_DOWN, Context, Decimal
from itertools import islice
from typing import Any

from quiff.errors import QuiffError
from quiff.history.hosts import shortened
from quiff.history.judged import Verdict
from quiff.history.line_records import records
from quiff.history.queries import fetch_rows
from quiff.history.read import Log
from quiff.safe_text import shape, visible

_SHOWN = 3
_ROUNDED_DOWN = Context(prec=2, rounding=ROUND_DOWN)  # a share rounded up would be refused again
_MOST_SEARCHED = 1_000_000
_WITHOUT_URL = ("malformed", "header", "no-url")
_ADVICE = {
    "bad-time": "say how times are written by --time-format, such as --time-format '%d/%m/%Y %H:%M:%S'; see"
    " quiff treat --help for what is read without it",
    "no-user": "name the column of users by --user",
    "no-url": "name the column of URLs by --url",
}
_Cells = tuple[str | None, ...]


def check_kept(
    con: Any, log: Log, rows: Any, domains: Any, found: Verdict, dropped: dict[str, int], *,
    least: float, show_rows: bool,
) -> None:  # fmt: skip
    """Check that some row is kept, and of the rows that have a URL no less than a share.

    `rows` are from :func:`quiff.history.judged.looked_at`; `domains` are ``url, domain, reason`` of the URLs
    of rows that have a user and a time. With `show_rows` the error shows three rows in full, else only the
    form of their times.
    """
    kept = log.rows - sum(dropped.values())
    with_url = log.rows - sum(dropped.get(reason, 0) for reason in _WITHOUT_URL)
    if kept and kept / with_url >= least:
        return
    if not log.rows:
        raise QuiffError("the log has no rows; nothing is written")
    counts = {reason: n for reason, n in dropped.items() if reason not in _WITHOUT_URL} or dropped
    main = max(counts, key=lambda reason: counts[reason])
    reasons = ", ".join(f"{n:,} {reason}" for reason, n in dropped.items())
    total = f"{with_url:,} rows that have a URL" if with_url else f"{log.rows:,} rows"
    advice = [_ADVICE.get(main, "see that --url names the column of URLs")]
    if kept:
        share = _ROUNDED_DOWN.divide(Decimal(kept), Decimal(with_url))
        advice.append(f"keep to less by --min-kept {share:f}")
    if not show_rows:
        advice.append("show these rows in full by --show-rows")
    lines = [
        f"only {kept:,} of {total} would be kept, so that nothing is written; left out: {reasons}",
        *_examples(con, log, rows, domains, found, main, show_rows),
        f"  To do: {'; or '.join(advice)}.",
    ]
    raise QuiffError("\n".join(lines))


def _examples(
    con: Any, log: Log, rows: Any, domains: Any, found: Verdict, reason: str, show_rows: bool
) -> list[str]:
    """Return a line on each of some rows that go for a reason."""
    if reason in ("malformed", "header"):
        return [f"  {line}" for line in found.bad_lines[:_SHOWN]]
    if reason in ("no-url", "no-user", "bad-time"):
        chosen = rows.filter(found.go_for(rows, reason))
    else:
        useless = domains.filter(domains.reason == reason).select(short=domains.url).limit(_SHOWN)
        staying = rows.filter(found.stay(rows))
        staying = staying.mutate(short=shortened(staying.url))
        chosen = staying.semi_join(useless, "short")
    cells = [
        tuple(row[name] or None for name in ("user", "text", "url"))
        for row in fetch_rows(con, chosen.select("user", "text", "url").limit(_SHOWN))
    ]
    shown = []
    for place, (user, time, url) in sorted(zip(_places(log, cells), cells, strict=True), key=str):
        looks = f"{place}time looks like {shape(time)} ({reason})"
        if show_rows:
            values = (("user", user), ("time", time), ("URL", url))
            looks += ": " + ", ".join(f"{name} {visible(repr(value))}" for name, value in values)
        shown.append(f"  {looks}")
    return shown


def _places(log: Log, cells: list[_Cells]) -> list[str]:
    """Return where rows stand in a log in text, as far as one finds them soon; else nothing."""
    places = [""] * len(cells)
    if log.text is None:
        return places
    fields = "" if log.text.delimiter is None else f"{len(log.text.names)} fields, "
    for source in log.text.sources:
        for number, record in islice(records(log.text, source), _MOST_SEARCHED):
            for k, row in enumerate(cells):
                if not places[k] and record == row:
                    where = f"{source.name}:{number}" if len(log.text.sources) > 1 else f"line {number}"
                    places[k] = f"{where}: {fields}"
                    break
            if all(places):
                return places
    return places
