"""How many epochs the visits of a table span, before anything is made for each user and epoch."""

from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from quiff.errors import ParameterError, counted
from quiff.history.queries import fetch_rows

_MOST = 10_000_000
_MOST_IF_SPARSE = 200_000  # where most epochs have no visit at all, a date is wrong
_DAY = 86_400


def epoch_numbers(con: Any, visits: Any, epoch_days: int, most: int | None = None) -> Any:
    """Return the number of the epoch of each visit, from 0 on at midnight of the first day of all.

    More than `most` user-epochs are refused; None means 10 million, but 200 000 if in most epochs nobody has
    a visit.
    """
    seconds = visits.time.epoch_seconds().cast("int64")
    bounds = visits.agg(first=seconds.min(), last=seconds.max(), users=visits.user.nunique())
    (found,) = fetch_rows(con, bounds)
    length = epoch_days * _DAY
    start = 0 if found["first"] is None else int(found["first"]) // _DAY * _DAY
    epochs = 0 if found["last"] is None else (int(found["last"]) - start) // length + 1
    number = ((seconds - start) // length).cast("int64")
    sets = found["users"] * epochs
    if sets <= (_MOST_IF_SPARSE if most is None else most):
        return number
    dated = visits.select(epoch=number)
    counts = fetch_rows(con, dated.group_by("epoch").agg(visits=dated.count()).order_by("epoch"))
    if most is None:
        most = _MOST if 2 * len(counts) >= epochs else _MOST_IF_SPARSE
    if sets > most:
        raise ParameterError(
            f"{counted(found['users'], 'user')} in {counted(epochs, 'epoch')} of {counted(epoch_days, 'day')}"
            f" would need {sets:,} sets, more than {most:,}: the visits are from"
            f" {_date(start)} to {_date(int(found['last']))}"
            f"{_outlier(counts, start, length)}; leave such visits out of the log,"
            " choose longer epochs by --epoch-days, or allow for more by --max-user-epochs"
        )
    return number


def _outlier(counts: list[dict[str, Any]], start: int, length: int) -> str:
    """Say which visits lie beyond the longest time without any, from their number by epoch."""
    places = [row["epoch"] for row in counts]
    gaps = [later - earlier for earlier, later in pairwise(places)]
    if not gaps or max(gaps) == 1:
        return ""
    cut = gaps.index(max(gaps)) + 1
    before, after = (sum(row["visits"] for row in part) for part in (counts[:cut], counts[cut:]))
    empty = counted(max(gaps) - 1, "epoch")
    if before < after:
        edge, few, word = places[cut - 1] + 1, before, "before"
    else:
        edge, few, word = places[cut], after, "from"
    day = _date(start + edge * length)
    return f", of which only {counted(few, 'visit')} {word} {day}, beyond {empty} without any"


def _date(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()
