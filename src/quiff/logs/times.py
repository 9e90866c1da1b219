"""How times are written in logs: one definition in expressions that both engines run, and all of it in UTC.

Accepted are ``2026-03-02 08:10:00`` (with a blank or a ``T``, up to nine decimals, of which six count), the
same with a zone (``Z``, ``UTC``, ``+02:00``, ``+0200`` or ``+02``, up to 14 hours), and Unix times of the
years 1973 to 2286: seconds (9 or 10 digits) or milliseconds (12 or 13 digits), with decimals or not. A time
without a zone is in UTC. What no calendar has is no time: 30 February, the year 0, 24:00:00, a second 60.
"""

import re
from dataclasses import dataclass
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.compute as pc

from quiff.errors import ParameterError

KINDS = ("", "text", "zone", "seconds", "milliseconds")
"""How a time is written, by its number: not to be read, without or with a zone, or as a Unix time."""

_KIND = {name: ibis.literal(number, "int8") for number, name in enumerate(KINDS)}

# Every pattern keeps to what RE2 (DuckDB) and java.util.regex (Spark) read alike.
_YEAR = "(?:000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})"
_DAY = f"{_YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_CLOCK = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
_OFFSET = "([+-])(0[0-9]|1[0-4])(?::?([0-5][0-9]))?"
_PLAIN = rf"^{_DAY}[ T]{_CLOCK}(?:[.][0-9]{{1,6}})?\z"
_ZONED = rf"^{_DAY}[ T]{_CLOCK}(?:[.][0-9]{{1,9}})?(?: ?(?:Z|UTC|{_OFFSET}))?\z"
_SECONDS = r"^[1-9][0-9]{8,9}(?:[.][0-9]{1,9})?\z"
_MILLISECONDS = r"^[1-9][0-9]{11,12}(?:[.][0-9]{1,9})?\z"
_DECIMALS = r"[.]([0-9]{1,6})"
_OFFSET_AT_END = rf"{_OFFSET}\z"
_MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"
_LAST_YEAR = 9999
_MOST_MINUTES = 14 * 60  # of an offset


def with_times(rows: Any, wanted: Any, form: "TimeFormat | None" = None) -> Any:
    """Return a table with its texts in ``time`` as times in UTC, and add ``kind``, how each was written.

    Times of rows that are not `wanted` are not read, and null. If a form is given, no other way is accepted.

    >>> texts = ["2026-03-02T08:10:00+02:00", "1772439000", "1772439000000", "2026-02-30 08:10:00"]
    >>> rows = ibis.memtable(pa.table({"time": texts}))
    >>> [str(row["time"]) for row in with_times(rows, True).to_pyarrow().to_pylist()]
    ['2026-03-02 06:10:00', '2026-03-02 08:10:00', '2026-03-02 08:10:00', 'None']
    """
    text = rows.time if form is None else form.rewritten(rows.time)
    ways = [(_PLAIN, "text"), (_ZONED, "zone")]
    if form is None:
        ways += [(_SECONDS, "seconds"), (_MILLISECONDS, "milliseconds")]
    known = rows.mutate(time=text, wanted=wanted)
    kinds = [(known.wanted & known.time.re_search(pattern), _KIND[name]) for pattern, name in ways]
    known = known.mutate(kind=ibis.cases(*kinds, else_=_KIND[""]))
    text, kind = known.time, known.kind
    whole, rest = text.re_extract("^([0-9]+)", 1).try_cast("int64"), _decimals(text).try_cast("int64")
    read = known.mutate(
        time=ibis.cases(
            (kind == _KIND["text"], text.try_cast("timestamp")),
            (kind == _KIND["zone"], _zoned(text)),
            (kind == _KIND["seconds"], _from_unix(whole, rest)),
            (kind == _KIND["milliseconds"], _from_unix(whole // 1000, whole % 1000 * 1000 + rest // 1000)),
            else_=ibis.null("timestamp"),
        )
    )
    kind = read.time.notnull().ifelse(read.kind, _KIND[""])
    return read.mutate(kind=kind).drop("wanted")


def as_text(column: Any) -> Any:
    """Return a column of any type as texts of times: of Parquet, times with or without a zone, days, numbers.

    Times with a zone are written in UTC; a number that no time can be, such as NaN or 1e300, is null.
    """
    kind = column.type()
    if kind.is_date():
        return column.cast("string") + " 00:00:00"
    if kind.is_timestamp():
        return column.cast("timestamp").strftime("%Y-%m-%d %H:%M:%S.%f")
    if kind.is_floating():
        return column.try_cast("decimal(20, 6)").cast("string")
    return column.cast("string")


def arrow_text(column: Any) -> Any:
    """Return an Arrow array as `as_text` does a column, but for numbers that are not whole."""
    if pa.types.is_timestamp(column.type):
        return pc.strftime(column.cast(pa.timestamp("us"), safe=False), "%Y-%m-%d %H:%M:%S")
    texts = column.cast(pa.string())
    return pc.binary_join_element_wise(texts, "00:00:00", " ") if pa.types.is_date(column.type) else texts


def _zoned(text: Any) -> Any:
    """Read a time that matches `_ZONED`; null if it is beyond years 1 to 9999 of UTC or 14 hours."""
    local = (text.substr(0, 19) + "." + _decimals(text)).try_cast("timestamp")
    hours, minutes = (text.re_extract(_OFFSET_AT_END, group) for group in (2, 3))
    offset = _number(hours) * 60 + _number(minutes)
    behind = text.re_extract(_OFFSET_AT_END, 1) == "-"
    time = local - behind.ifelse(-offset, offset).as_interval("m")
    year = time.year()
    right = (year >= 1) & (year <= _LAST_YEAR) & (offset <= _MOST_MINUTES)
    return right.ifelse(time, ibis.null("timestamp"))


def _decimals(text: Any) -> Any:
    """Return six decimals of a text's seconds, zeros where it has none."""
    return text.re_extract(_DECIMALS, 1).fill_null("").rpad(6, "0")


def _from_unix(seconds: Any, microseconds: Any) -> Any:
    return ibis.timestamp("1970-01-01") + seconds.as_interval("s") + microseconds.as_interval("us")


def _number(text: Any) -> Any:
    """Read a number, 0 for an empty text."""
    return text.try_cast("int32").fill_null(0)


_MONTH_NAMES = "[Jj][Aa][Nn]|[Ff][Ee][Bb]|[Mm][Aa][Rr]|[Aa][Pp][Rr]|[Mm][Aa][Yy]|[Jj][Uu][Nn]|[Jj][Uu][Ll]"
_MONTH_NAMES += "|[Aa][Uu][Gg]|[Ss][Ee][Pp]|[Oo][Cc][Tt]|[Nn][Oo][Vv]|[Dd][Ee][Cc]"
_CODES = {
    "Y": ("year", "[0-9]{4}"),
    "y": ("year", "[0-9]{2}"),
    "m": ("month", "[0-9]{1,2}"),
    "b": ("month", _MONTH_NAMES),
    "B": ("month", f"(?:{_MONTH_NAMES})[A-Za-z]{{0,6}}"),
    "d": ("day", "[0-9]{1,2}"),
    "H": ("hour", "[0-9]{1,2}"),
    "I": ("hour", "0?[1-9]|1[0-2]"),
    "p": ("half", "[AaPp][Mm]"),
    "M": ("minute", "[0-9]{1,2}"),
    "S": ("second", "[0-9]{1,2}"),
    "f": ("decimals", "[0-9]{1,9}"),
    "z": ("zone", "Z|[+-][0-9]{2}(?::?[0-9]{2})?"),
}
_IGNORED = {"a": "[A-Za-z]{3}", "A": "[A-Za-z]{6,9}", "%": "%"}
_SHORT = {"F": "%Y-%m-%d", "T": "%H:%M:%S"}
_DEFAULTS = {"hour": "0", "minute": "0", "second": "0", "decimals": "0", "half": "", "zone": ""}


@dataclass(frozen=True)
class TimeFormat:
    """A way in which times are written, in the codes of ``strptime``.

    The codes are ``%Y %y %m %b %B %d %H %I %p %M %S %f %z``, ``%a`` and ``%A`` (any word, as a day of the
    week), ``%F`` for ``%Y-%m-%d``, ``%T`` for ``%H:%M:%S``, and ``%%``. Names are English; two digits
    of a year stand for 1969 to 2068. A year, a month and a day are needed; what is missing of the rest is 0.

    >>> rows = ibis.memtable(pa.table({"time": ["[02/Mar/2026:08:10:00 +0200]"]}))
    >>> read = with_times(rows, True, TimeFormat("[%d/%b/%Y:%H:%M:%S %z]"))
    >>> read.time.to_pyarrow()[0].as_py().isoformat()
    '2026-03-02T06:10:00'
    >>> TimeFormat("%d/%m at %H")
    Traceback (most recent call last):
    quiff.errors.ParameterError: the time format '%d/%m at %H' has no year; it needs year, month and day
    """

    text: str  # the format

    def __post_init__(self) -> None:
        self._pattern()  # tells what is wrong

    def _pattern(self) -> tuple[str, tuple[str, ...]]:
        """Return the pattern of the format, and which field each of its groups is."""
        pattern = ""
        fields: list[str] = []
        expanded = re.sub("%([FT])", lambda found: _SHORT[found[1]], self.text)
        for code, sign in re.findall("%(.?)|([^%]+)", expanded, re.DOTALL):
            if sign:
                pattern += re.escape(sign)
            elif code in _IGNORED:
                pattern += _IGNORED[code]
            elif code in _CODES:
                field, form = _CODES[code]
                if field in fields:
                    raise ParameterError(
                        f"the time format {self.text!r} has the {field} twice",
                        what="the time format",
                        value=self.text,
                    )
                fields.append(field)
                pattern += f"({form})"
            else:
                known = " ".join(f"%{name}" for name in (*_CODES, *_IGNORED, *_SHORT))
                raise ParameterError(
                    f"the time format {self.text!r} has the code '%{code}'; the codes are {known}"
                )
        for field in ("year", "month", "day"):
            if field not in fields:
                raise ParameterError(
                    f"the time format {self.text!r} has no {field}; it needs year, month and day"
                )
        if ("half" in fields) != ("%I" in expanded):
            raise ParameterError(
                f"the time format {self.text!r} needs %I and %p together, or %H",
                what="the time format",
                value=self.text,
            )
        return rf"^{pattern}\z", tuple(fields)

    def rewritten(self, text: Any) -> Any:
        """Return texts of this format in the form that :func:`with_times` reads; others become empty."""
        pattern, fields = self._pattern()
        part = {field: ibis.literal(text) for field, text in _DEFAULTS.items()}
        part |= {field: text.re_extract(pattern, group) for group, field in enumerate(fields, 1)}
        year, hour = part["year"], part["hour"].lpad(2, "0")
        if "%y" in self.text:
            year = (year >= "69").ifelse("19", "20") + year
        if "half" in fields:
            afternoon = part["half"].lower() == "pm"
            hour = (_number(hour) % 12 + afternoon.ifelse(12, 0)).cast("string").lpad(2, "0")
        month = part["month"].lpad(2, "0")
        if "%b" in self.text or "%B" in self.text:
            place = ibis.literal(_MONTHS).find(part["month"].lower().substr(0, 3))
            month = (place // 3 + 1).cast("int32").cast("string").lpad(2, "0")
        day = year + "-" + month + "-" + part["day"].lpad(2, "0")
        clock = hour + ":" + part["minute"].lpad(2, "0") + ":" + part["second"].lpad(2, "0")
        whole = day + " " + clock + "." + part["decimals"] + part["zone"]
        return text.re_search(pattern).ifelse(whole, "")
