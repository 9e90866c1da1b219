"""How many epochs the visits of a table span, before anything is made for each user and epoch."""

from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from quiff.errors import ParameterError, counted
from quiff.history.queries import fetch_rows

__all__ = ["DEFAULT_MAX_USER_EPOCHS", "epoch_numbers"]

DEFAULT_MAX_USER_EPOCHS = 20_000_000
"""Above so many sets, a run would take minutes and gigabytes."""

_DAY = 86_400


def epoch_numbers(con: Any, visits: Any, epoch_days: int, most: int) -> Any:
    """Return the number of the epoch of each visit, from 0 on at midnight of the first day of all.

    Parameters
    ----------
    con
        The engine.
    visits
        An Ibis table with the columns ``user`` and ``time``.
    epoch_days
        The length of an epoch.
    most
        The maximum tolerated number of user-epochs.

    Raises
    ------
    ParameterError
        If users times epochs are more; the error names the date that is far from the rest, if there is one.
    """
    seconds = visits.time.epoch_seconds().cast("int64")
    bounds = visits.agg(first=seconds.min(), last=seconds.max(), users=visits.user.nunique())
    (found,) = fetch_rows(con, bounds)
    length = epoch_days * _DAY
    start = 0 if found["first"] is None else int(found["first"]) // _DAY * _DAY
    epochs = 0 if found["last"] is None else (int(found["last"]) - start) // length + 1
    number = ((seconds - start) // length).cast("int64")
    if found["users"] * epochs > most:
        raise ParameterError(
            f"{counted(found['users'], 'user')} in {counted(epochs, 'epoch')} of {counted(epoch_days, 'day')}"
            f" would need {found['users'] * epochs:,} sets, more than {most:,}: the visits are from"
            f" {_date(start)} to {_date(int(found['last']))}"
            f"{_outlier(con, visits.select(epoch=number), start, length)}; leave such visits out of the log,"
            " choose longer epochs by --epoch-days, or allow for more by --max-user-epochs"
        )
    return number


def _outlier(con: Any, visits: Any, start: int, length: int) -> str:
    """Say which visits lie beyond the longest time without any."""
    counts = fetch_rows(con, visits.group_by("epoch").agg(visits=visits.count()).order_by("epoch"))
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
