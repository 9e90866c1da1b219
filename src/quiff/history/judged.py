"""Which rows of a log stay, and why the others go; Unix times, whose unit is that of most in a file."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from quiff.history.hosts import shortened
from quiff.history.line_records import too_many
from quiff.history.lines import BadLine
from quiff.history.queries import fetch_rows
from quiff.history.read import Log
from quiff.history.times import KINDS, TimeFormat, with_times

_REASONS = ("", "malformed", "header", "no-url", "no-user", "bad-time")  # why a line goes, by its number
_STAYS = 0
_UNIX = 10  # codes from here on stay, for now: two for each file, for seconds and for milliseconds
_UNITS = ("seconds", "milliseconds")
_MOST_FILES_IN_A_BYTE = 50


@dataclass(frozen=True)
class Verdict:
    """What became of the lines of a log."""

    bad_lines: tuple[BadLine, ...]  # the first malformed lines
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
    import ibis

    rows = log.table
    reasons = [
        (rows.malformed, "malformed"),
        (log.is_header, "header"),
        (rows.url.isnull() | (rows.url == ""), "no-url"),
        (rows.user.isnull() | (rows.user == ""), "no-user"),
    ]
    codes = [(wrong, _code(name)) for wrong, name in reasons]
    looked = rows.select(
        "user", "url", "time", "file", text=rows.time, reason=ibis.cases(*codes, else_=_code(""))
    )
    # Only times of rows that have stayed so far are read: that is the costly part.
    timed = with_times(looked, looked.reason == _STAYS, form)
    unit = timed.kind - KINDS.index(_UNITS[0])
    code = ibis.cases(
        (timed.reason != _STAYS, timed.reason.cast("int32")),
        (timed.time.isnull(), _code("bad-time").cast("int32")),
        (unit >= 0, _UNIX + len(_UNITS) * timed.file + unit),
        else_=ibis.literal(_STAYS, "int32"),
    )
    size = "int8" if len(log.parts) <= _MOST_FILES_IN_A_BYTE else "int32"
    return timed.select("user", "url", "text", "time", reason=code.cast(size))


def judged(log: Log, form: TimeFormat | None) -> Any:
    """Return time, user, what counts of the URL, and the code of each row; what goes leaves its code only."""
    import ibis

    rows, nothing = looked_at(log, form), ibis.null("string")
    stays = rows.time.notnull()
    return rows.select(
        "time",
        "reason",
        user=stays.ifelse(rows.user, nothing),
        url=stays.ifelse(shortened(rows.url), nothing),
    )


def verdict(con: Any, rows: Any, log: Log, most: int) -> Verdict:
    """Count the rows of :func:`judged`, which have been read, and settle the units of Unix times."""
    gone = rows.filter(rows.reason != _STAYS)
    counts = count_by_reason(con, gone, gone.count())
    dropped = {_REASONS[code]: n for code, n in counts.items() if code < _UNIX}
    again = dropped.pop("header", 0) - log.headers
    if again > 0:  # the files' own first lines are no rows; others like them are
        dropped["header"] = again
    by_file: dict[int, dict[int, int]] = defaultdict(dict)
    for code, n in counts.items():
        if code >= _UNIX:
            by_file[(code - _UNIX) // len(_UNITS)][code] = n
    kept = tuple(max(sorted(codes), key=lambda code: codes[code]) for codes in by_file.values())
    lost = tuple(code for codes in by_file.values() for code in codes if code not in kept)
    if lost:
        dropped["bad-time"] = dropped.get("bad-time", 0) + sum(counts[code] for code in lost)
    units = {
        log.parts[(code - _UNIX) // len(_UNITS)].file: _UNITS[(code - _UNIX) % len(_UNITS)] for code in kept
    }
    malformed = dropped.get("malformed", 0)
    examples = log.bad_lines() if malformed else ()
    if malformed > most:
        raise too_many(most, examples)
    return Verdict(examples, dropped, units, (kept, lost))


def count_by_reason(con: Any, rows: Any, count: Any) -> dict[Any, int]:
    """Return a count of rows by their column ``reason``."""
    counts = fetch_rows(con, rows.group_by("reason").agg(rows=count).order_by("reason"))
    return {row["reason"]: int(row["rows"]) for row in counts}


def _code(reason: str) -> Any:
    """Return the number of a reason: a byte a row is less than a word."""
    import ibis

    return ibis.literal(_REASONS.index(reason), "int8")
