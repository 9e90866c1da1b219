"""Which rows of a log stay, and why the others go; Unix times, whose unit is that of most in a file.

A run that would keep too few rows is refused, and shows where to look without repeating what rows hold.
"""

from collections import defaultdict
from dataclasses import dataclass
from decimal import ROUND_DOWN, Context, Decimal
from itertools import islice
from typing import Any

import ibis

from quiff.errors import QuiffError
from quiff.io.text import Reject
from quiff.logs.queries import fetch_rows
from quiff.logs.read import Log
from quiff.logs.times import KINDS, TimeFormat, with_times
from quiff.safe_text import form, visible

_REASONS = ("", "malformed", "header", "no-url", "no-user", "bad-time")  # why a row goes, by its number
_CODE = {name: ibis.literal(number, "int8") for number, name in enumerate(_REASONS)}  # a byte a row
_STAYS = 0
_UNIX = 10  # codes from here on stay, for now: two for each file, for seconds and for milliseconds
_UNITS = ("seconds", "milliseconds")
_MOST_FILES_IN_A_BYTE = 50


@dataclass(frozen=True)
class Verdict:
    """What became of the rows of a log."""

    bad_lines: tuple[Reject, ...]  # the first malformed lines
    dropped: dict[str, int]  # how many rows go, by reason
    units: dict[str, str]  # the unit of Unix times, by the name of the file
    # The codes of rows with Unix times that stay, and of those that go.
    codes: tuple[tuple[int, ...], tuple[int, ...]]

    def stay(self, rows: Any) -> Any:
        """Return the condition on rows of :func:`judged` or :func:`looked_at` that they stay."""
        stays = rows.reason == _STAYS
        return stays | rows.reason.isin(self.codes[0]) if self.codes[0] else stays

    def go_for(self, rows: Any, reason: str) -> Any:
        """Return the condition on such rows that they go for a reason."""
        goes = rows.reason == _REASONS.index(reason)
        wrong = reason == "bad-time" and self.codes[1]
        return goes | rows.reason.isin(self.codes[1]) if wrong else goes


def looked_at(log: Log, form: TimeFormat | None) -> Any:
    """Return user, url, the text of the time and the time of each row, and the code of what becomes of it."""
    rows = log.table
    reasons = [
        (rows.malformed, "malformed"),
        (log.is_header, "header"),
        (rows.url.isnull() | (rows.url == ""), "no-url"),
        (rows.user.isnull() | (rows.user == ""), "no-user"),
    ]
    codes = [(wrong, _CODE[name]) for wrong, name in reasons]
    looked = rows.select(
        "user", "url", "time", "file", text=rows.time, reason=ibis.cases(*codes, else_=_CODE[""])
    )
    # Only times of rows that have stayed so far are read: that is the costly part.
    timed = with_times(looked, looked.reason == _STAYS, form)
    unit = timed.kind - KINDS.index(_UNITS[0])
    code = ibis.cases(
        (timed.reason != _STAYS, timed.reason.cast("int32")),
        (timed.time.isnull(), _CODE["bad-time"].cast("int32")),
        (unit >= 0, _UNIX + len(_UNITS) * timed.file + unit),
        else_=ibis.literal(_STAYS, "int32"),
    )
    size = "int8" if len(log.files) <= _MOST_FILES_IN_A_BYTE else "int32"
    return timed.select("user", "url", "text", "time", reason=code.cast(size))


def judged(log: Log, form: TimeFormat | None) -> Any:
    """Return time, user, what counts of the URL, and the code of each row; what goes leaves its code only."""
    rows, nothing = looked_at(log, form), ibis.null("string")
    stays = rows.time.notnull()
    user, url = stays.ifelse(rows.user, nothing), stays.ifelse(shortened(rows.url), nothing)
    return rows.select("time", "reason", user=user, url=url)


def verdict(con: Any, rows: Any, log: Log, most: int) -> Verdict:
    """Count the rows of :func:`judged`, which have been read, and settle the units of Unix times."""
    gone = rows.filter(rows.reason != _STAYS)
    counts = count_by_reason(con, gone, gone.count())
    malformed = log.rejected + counts.pop(_REASONS.index("malformed"), 0)
    dropped = {"malformed": malformed} if malformed else {}
    dropped |= {_REASONS[code]: n for code, n in counts.items() if code < _UNIX}
    by_file: dict[int, dict[int, int]] = defaultdict(dict)
    for code, n in counts.items():
        if code >= _UNIX:
            by_file[(code - _UNIX) // len(_UNITS)][code] = n
    majority = tuple(max(sorted(codes), key=lambda code: codes[code]) for codes in by_file.values())
    lost = tuple(code for codes in by_file.values() for code in codes if code not in majority)
    if lost:
        dropped["bad-time"] = dropped.get("bad-time", 0) + sum(counts[code] for code in lost)
    units = {
        log.files[(code - _UNIX) // len(_UNITS)]: _UNITS[(code - _UNIX) % len(_UNITS)] for code in majority
    }
    return Verdict(log.check_bad(malformed, most), dropped, units, (majority, lost))


def count_by_reason(con: Any, rows: Any, count: Any) -> dict[Any, int]:
    """Return a count of rows by their column ``reason``."""
    counts = fetch_rows(con, rows.group_by("reason").agg(rows=count).order_by("reason"))
    return {row["reason"]: int(row["rows"]) for row in counts}


def shortened(url: Any) -> Any:
    """Return what of a URL tells its host, so that there are fewer different ones; most logs have no more.

    Only what follows the third slash is taken off, and only if a small letter begins the host: it cannot be
    lost by cleaning then, and the same host is found.
    """
    place = split_part(url, "/", 3)
    long = (url.like("http://%/%") | url.like("https://%/%")) & (place >= "a")
    return long.ifelse("http://" + place, url)


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def split_part(text: str, delimiter: str, place: int) -> str:  # type: ignore[empty-body]
    """Return one part of a text between delimiters; both engines have a function of this name."""


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
    con: Any, log: Log, rows: Any, domains: Any, fate: Verdict, dropped: dict[str, int], *,
    least: float, show_rows: bool,
) -> None:  # fmt: skip
    """Check that some row is kept, and of the rows that have a URL no less than a share.

    `rows` are from :func:`quiff.logs.judged.looked_at`; `domains` are ``url, domain, reason`` of the URLs
    of rows that have a user and a time. With `show_rows` the error shows three rows in full, else only the
    form of their times.
    """
    n_kept = log.rows - sum(dropped.values())
    with_url = log.rows - sum(dropped.get(reason, 0) for reason in _WITHOUT_URL)
    if n_kept and n_kept / with_url >= least:
        return
    if not log.rows:
        raise QuiffError("the log has no rows; nothing is written")
    counts = {reason: n for reason, n in dropped.items() if reason not in _WITHOUT_URL} or dropped
    main = max(counts, key=lambda reason: counts[reason])
    reasons = ", ".join(f"{n:,} {reason}" for reason, n in dropped.items())
    total = f"{with_url:,} rows that have a URL" if with_url else f"{log.rows:,} rows"
    advice = [_ADVICE.get(main, "see that --url names the column of URLs")]
    if n_kept:
        share = _ROUNDED_DOWN.divide(Decimal(n_kept), Decimal(with_url))
        advice.append(f"keep to less by --min-kept {share:f}")
    if not show_rows:
        advice.append("show these rows in full by --show-rows")
    lines = [
        f"only {n_kept:,} of {total} would be kept, so that nothing is written; left out: {reasons}",
        *_examples(con, log, rows, domains, fate, main, show_rows),
        f"  To do: {'; or '.join(advice)}.",
    ]
    raise QuiffError("\n".join(lines))


def _examples(
    con: Any, log: Log, rows: Any, domains: Any, fate: Verdict, reason: str, show_rows: bool
) -> list[str]:
    """Return a line on each of some rows that go for a reason."""
    if reason in ("malformed", "header"):
        return [f"  {line}" for line in fate.bad_lines[:_SHOWN]]
    if reason in ("no-url", "no-user", "bad-time"):
        chosen = rows.filter(fate.go_for(rows, reason))
    else:
        useless = domains.filter(domains.reason == reason).select(short=domains.url).limit(_SHOWN)
        staying = rows.filter(fate.stay(rows))
        staying = staying.mutate(short=shortened(staying.url))
        chosen = staying.semi_join(useless, "short")
    cells = [
        tuple(row[name] or None for name in ("user", "text", "url"))
        for row in fetch_rows(con, chosen.select("user", "text", "url").limit(_SHOWN))
    ]
    lines = []
    for place, (user, time, url) in sorted(zip(_places(log, cells), cells, strict=True), key=str):
        looks = f"{place}time looks like {form(time)} ({reason})"
        if show_rows:
            values = (("user", user), ("time", time), ("URL", url))
            looks += ": " + ", ".join(f"{name} {visible(repr(value))}" for name, value in values)
        lines.append(f"  {looks}")
    return lines


def _places(log: Log, cells: list[_Cells]) -> list[str]:
    """Return where rows stand in a log, as far as one finds them soon; else nothing."""
    places = [""] * len(cells)
    fields = "" if log.fields is None else f"{log.fields} fields, "
    unit = "row" if log.text is None else "line"
    for source, number, row in islice(log.numbered(), _MOST_SEARCHED):
        where = f"{source.name}:{number}" if len(log.files) > 1 else f"{unit} {number}"
        for place in range(len(cells)):
            if not places[place] and cells[place] == row:
                places[place] = f"{where}: {fields}"
                break
        if all(places):
            break
    return places
