"""Conversions beside a log: what users did after an advertisement, when, and on which site.

The table is Parquet with ``user, time, site, kind, value``, as ``quiff synth`` writes it. ``quiff treat``
puts the users' pseudonyms in, and ``quiff profile`` adds what a user did to the profile, as one text.
"""

from pathlib import Path
from typing import Any

import ibis

from quiff.errors import ParameterError
from quiff.io import StrPath
from quiff.logs.queries import scalar
from quiff.logs.scan import scan_parquet
from quiff.safe_text import column_names

EVENTS = {"user": "string", "time": "timestamp", "site": "string", "kind": "string", "value": "float64"}
_DAY = 86_400
_NO_WORD = r"[@=\s]+"  # what must not be in a word of the text


def read_conversions(con: Any, path: StrPath) -> Any:
    """Return a table of conversions: ``user, time, site, kind, value``, users as text."""
    if not Path(path).exists():
        raise ParameterError(
            f"there is no table of conversions {str(path)!r}; quiff synth writes one",
            what="the input",
            value=str(path),
        )
    table = scan_parquet(con, Path(path))
    if not {*EVENTS} <= {*table.columns}:
        raise ParameterError(
            f"{str(path)!r} has the columns {column_names(table.columns)}, but conversions need"
            f" {', '.join(EVENTS)}"
        )
    events = table.select(*EVENTS).cast(EVENTS)
    return events.filter(events.user.notnull() & events.time.notnull() & events.kind.notnull())


def in_words(con: Any, events: Any) -> Any:
    """Return ``user, conversions``: what a user did as one text, KIND@DAYS=VALUE@SITE with spaces between.

    Days, to two decimals, are counted from midnight of the day of the first conversion of all.
    """
    seconds = events.time.epoch_seconds().cast("int64")
    first = scalar(con, seconds.min())
    start = 0 if first is None else int(first) // _DAY * _DAY
    value = events.value.fill_null(0.0)
    site = events.site.fill_null("").re_replace(_NO_WORD, "_")
    word = ibis.literal("").join(
        [
            events.kind.re_replace(_NO_WORD, "_") + "@" + _decimal((seconds - start) * 100 // _DAY),
            ibis.ifelse(value > 0, "=" + _decimal((value * 100).round().cast("int64")), ""),
            ibis.ifelse(site == "", "", "@" + site),
        ]
    )
    words = events.select("user", word=word)
    return words.group_by("user").agg(conversions=words.word.collect().sort().join(" "))


def _decimal(hundredths: Any) -> Any:
    """Write so many hundredths as a decimal number, the same on every engine."""
    cents = (hundredths % 100).cast("string").lpad(2, "0")
    return (hundredths // 100).cast("int64").cast("string") + "." + cents
