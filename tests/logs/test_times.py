"""Times of logs, read as by plain Python on both engines, in UTC; a run that keeps too little fails."""

import math
import random
import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from logs import reference
from quiff.errors import ParameterError, QuiffError
from quiff.logs.queries import fetch_rows
from quiff.logs.read import LogFormat
from quiff.logs.times import KINDS, TimeFormat, with_times
from quiff.logs.treat import treat
from words import refused, worded

BY_HAND = {
    "2006-03-01 07:17:12": datetime(2006, 3, 1, 7, 17, 12),
    "2006-03-01T07:17:12.5": datetime(2006, 3, 1, 7, 17, 12, 500_000),
    "2006-03-01T07:17:12Z": datetime(2006, 3, 1, 7, 17, 12),
    "2006-03-01 07:17:12 UTC": datetime(2006, 3, 1, 7, 17, 12),
    "2006-03-01T01:17:12.123456789+02:00": datetime(2006, 2, 28, 23, 17, 12, 123_456),
    "2006-12-31 23:30:00-0330": datetime(2007, 1, 1, 3),
    "2006-03-01 07:17:12 +02": datetime(2006, 3, 1, 5, 17, 12),
    "1141197432": datetime(2006, 3, 1, 7, 17, 12),
    "1141197432.25": datetime(2006, 3, 1, 7, 17, 12, 250_000),
    "1141197432250": datetime(2006, 3, 1, 7, 17, 12, 250_000),
    "1141197432250.000000": datetime(2006, 3, 1, 7, 17, 12, 250_000),
    "1141197432250.5": datetime(2006, 3, 1, 7, 17, 12, 250_500),
    "2006-03-01 21:17:12+14:00": datetime(2006, 3, 1, 7, 17, 12),
    "100000000": datetime(1973, 3, 3, 9, 46, 40),
    "9999999999999": datetime(2286, 11, 20, 17, 46, 39, 999_000),
    "0001-01-01 00:00:00": datetime(1, 1, 1),
    "9999-12-31 23:59:59.999999": datetime(9999, 12, 31, 23, 59, 59, 999_999),
    "2004-02-29 00:00:00Z": datetime(2004, 2, 29),
}
BAD = [
    "0000-01-01 00:00:00", "0000-12-31 00:00:00Z", "2006-03-01 24:00:00", "2006-03-01T24:00:00Z",
    "2006-13-01 00:00:00", "2006-00-01 00:00:00", "2006-02-30 00:00:00", "2006-02-30T00:00:00+01:00",
    "2100-02-29 00:00:00", "2006-01-01 00:00:60", "2006-12-31 23:59:60Z", "2006-01-01 00:60:00",
    "0001-01-01 00:00:00+00:01", "9999-12-31 23:59:59-00:01", "2006-03-01 07:17:12+15:00",
    "2006-03-01 07:17:12+02:60", "2006-03-01 07:17:12+02:", "2006-03-01 07:17:12+14:59",
    "2006-03-01 07:17:12-1401", "2006-03-01 07:17:12 CET", "2006-03-01", "2006-03-01 07:17",
    "2006-3-1 07:17:12", " 2006-03-01 07:17:12", "2006-03-01 07:17:12\n", "2006-03-01 07:17:12.", "x", None,
    "20060301", "20060301071712", "99999999", "10000000000", "99999999999", "10000000000000", "-1141197432",
    "01141197432", "1141197432.", "1141197432250.", "1e9", "12006-03-01 07:17:12", "٢٠٠٦-03-01 07:17:12",
]  # fmt: skip


def read(con, texts, form=None):
    """The times of texts, in their order, and how they are written."""
    rows = ibis.memtable(pa.table({"k": range(len(texts)), "time": pa.array(texts, pa.string())}))
    found = fetch_rows(con, with_times(rows, ibis.literal(True), form).order_by("k"))
    return [(row["time"] and row["time"].replace(tzinfo=None), KINDS[row["kind"]]) for row in found]


def test_times_by_hand(backend):
    assert [time for time, _ in read(backend, list(BY_HAND))] == list(BY_HAND.values())
    assert read(backend, BAD) == [(None, "")] * len(BAD)


def by_python(text):
    """The same rules with Python's own calendar."""
    if re.fullmatch("[1-9][0-9]{8,9}([.][0-9]{1,9})?", text):
        whole, _, rest = text.partition(".")
        return datetime(1970, 1, 1) + timedelta(seconds=int(whole), microseconds=int(rest[:6].ljust(6, "0")))
    if re.fullmatch("[1-9][0-9]{11,12}([.][0-9]{1,9})?", text):
        whole, _, rest = text.partition(".")
        return datetime(1970, 1, 1) + timedelta(
            milliseconds=int(whole), microseconds=int(rest[:3].ljust(3, "0"))
        )
    form = r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)([.]\d{1,9})?( ?(Z|UTC|[+-]\d\d(:?\d\d)?))?"
    found = re.fullmatch(form, text, re.ASCII)
    if not found:
        return None
    day, clock, rest, _, zone, _ = found.groups()
    sign, digits = (zone or "Z")[0], re.sub("[^0-9]", "", zone or "")
    minutes = int(digits[:2] or 0) * 60 + int(digits[2:] or 0)
    if minutes > 14 * 60 or int(digits[2:] or 0) > 59:
        return None
    try:
        local = datetime.strptime(f"{day} {clock}", "%Y-%m-%d %H:%M:%S")
        local += timedelta(microseconds=int((rest or ".0")[1:7].ljust(6, "0")))
        return local - timedelta(minutes=-minutes if sign == "-" else minutes)
    except (ValueError, OverflowError):
        return None


def random_text(draw):
    """A text that is a time, or nearly one."""
    if draw.random() < 0.3:
        digits = draw.choice([8, 9, 10, 10, 11, 12, 13, 13, 14])
        return str(draw.randrange(10**digits)) + draw.choice(["", "", ".5", ".123456789", "."])
    year = draw.choice([0, 1, 1582, 1900, 1969, 1970, 2000, 2006, 2026, 9999])
    day = f"{year:04}-{draw.randint(0, 13):02}-{draw.choice([0, 1, 15, 28, 29, 30, 31, 32]):02}"
    clock = (
        f"{draw.choice([0, 7, 23, 24]):02}:{draw.choice([0, 59, 60]):02}:{draw.choice([0, 59, 60, 61]):02}"
    )
    rest = draw.choice(["", "", ".5", ".000001", ".1234567", "."])
    zone = draw.choice(
        ["", "", "Z", " UTC", "+02:00", "-0930", "+14", "-14:59", "+02:", "+15:00", " +0000", "z", "+2"]
    )
    return day + draw.choice("  TT_") + clock + rest + zone


def test_random_times_are_read_as_by_python(backend):
    draw = random.Random(5)
    texts = [random_text(draw) for _ in range(5000)]
    expected = [by_python(text) for text in texts]
    assert sum(time is not None for time in expected) > 500
    found = [time for time, _ in read(backend, texts)]
    assert [(text, time) for text, time in zip(texts, found, strict=True)] == list(
        zip(texts, expected, strict=True)
    )


FORMATS = {
    "[%d/%b/%Y:%H:%M:%S %z]": "apache",
    "%m/%d/%Y %I:%M:%S %p": "american",
    "%a, %d %B %Y %T": "mail",
    "%y%m%d%H%M": "short",
    "%Y-%m-%dT%H:%M:%S.%f": "decimals",
    "%F": "day",
    "%d.%m.%Y (100 %%) %H|%M\\%S": "odd signs",
}


@pytest.mark.parametrize("form", FORMATS)
def test_formats_are_read_as_by_strptime(backend, form):
    draw, texts = random.Random(form), []
    for _ in range(300):
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=draw.randrange(3 * 10**9))
        text = moment.strftime(form.replace("%F", "%Y-%m-%d").replace("%T", "%H:%M:%S"))
        texts.append(text)
        texts.append(re.sub("[0-9]", lambda _: draw.choice("0123456789"), text, count=draw.randint(1, 3)))
    texts += ["", "x", texts[0] + " ", texts[0].upper(), None]
    found = [time for time, _ in read(backend, texts, TimeFormat(form))]
    assert list(zip(texts, found, strict=True)) == [(text, by_strptime(text, form)) for text in texts]


def by_strptime(text, form):
    if text is None or text.strip() != text:
        return None
    try:
        found = datetime.strptime(text, form.replace("%F", "%Y-%m-%d").replace("%T", "%H:%M:%S"))
    except ValueError:
        return None
    if found.tzinfo is not None:
        if abs(found.utcoffset()) > timedelta(hours=14):
            return None
        return found.astimezone(UTC).replace(tzinfo=None)
    return found


@pytest.mark.parametrize(
    "form",
    ["%d/%m", "%Y-%m-%d %Q", "%Y-%m-%d %Y", "%Y-%m-%d %", "%Y-%m-%d %I:%M", "%Y-%m-%d %H %p"],
)
def test_wrong_formats_are_told(form):
    with refused(ParameterError):
        TimeFormat(form)


def write_log(path, times, first=0):
    """Write a log whose k-th row, counted from the first, is of the user k on sk.com."""
    lines = [f"{k}\tq\t{time}\t1\thttp://s{k}.com" for k, time in enumerate(times, first)]
    path.write_text("\n".join([reference.HEADER, *lines, ""]))
    return path


def times_of(folder):
    table = folder / "treated.parquet"
    rows = [
        row
        for part in sorted(table.glob("part-*")) or [table]
        for row in pq.ParquetFile(part).read().to_pylist()
    ]
    return {int(row["domain"][1:-4]): row["time"].replace(tzinfo=None) for row in rows}


def test_the_unit_of_unix_times_is_that_of_the_file(backend, tmp_path):
    seconds = write_log(tmp_path / "one.txt", ["1141197432", "1141197433.5", "1141197434000", "x"])
    thousandths = write_log(tmp_path / "two.txt", ["1141197432", "1141197433500", "1141197434000"], first=4)
    texts = write_log(tmp_path / "three.txt", ["2006-03-01 07:17:12Z"], first=7)
    result = treat(backend, [seconds, texts, thousandths], tmp_path / "out")
    assert times_of(tmp_path / "out") == {
        k: datetime(2006, 3, 1, 7, 17) + timedelta(seconds=second)
        for k, second in {0: 12.0, 1: 13.5, 5: 13.5, 6: 14.0, 7: 12.0}.items()
    }
    assert (result.rows, result.dropped) == (5, {"bad-time": 3})
    assert result.unix_times == {str(seconds): "seconds", str(thousandths): "milliseconds"}


MOMENT = datetime(2006, 3, 1, 7, 17, 12, 5)


IN_PARQUET = [
    (pa.array([MOMENT], pa.timestamp("us")), MOMENT),
    (pa.array([MOMENT.replace(tzinfo=UTC)], pa.timestamp("us", "UTC")), MOMENT),
    (pa.array([MOMENT.replace(tzinfo=UTC)], pa.timestamp("us", "America/New_York")), MOMENT),
    (pa.array([MOMENT.replace(microsecond=0)], pa.timestamp("ms")), MOMENT.replace(microsecond=0)),
    (pa.array([date(2006, 3, 1)]), datetime(2006, 3, 1)),
    (pa.array([1141197432]), MOMENT.replace(microsecond=0)),
    (pa.array([1141197432000]), MOMENT.replace(microsecond=0)),
    (pa.array([1141197432.25]), MOMENT.replace(microsecond=250_000)),
    (pa.array(["2006-03-01T08:17:12+01:00"]), MOMENT.replace(microsecond=0)),
]
ODD_IN_PARQUET = [
    (pa.array([1141197432.25, 1141197432.25, 1141197432.25, math.nan, math.inf, 1e300]), "seconds"),
    (pa.array([1141197432250.0] * 3 + [-math.inf, -1e300, None]), "milliseconds"),
    (pa.array([Decimal("1141197432250.00")] * 3 + [Decimal(1)] * 3, pa.decimal128(38, 2)), "milliseconds"),
]
FORM = LogFormat("who", "when", "where")


def write_columns(folder, columns):
    """Write each column as the times of a log of its own; the k-th row of all visits sk.com."""
    logs, rows = [], 0
    for number, column in enumerate(columns):
        places = range(rows, rows := rows + len(column))
        named = {"who": [str(k) for k in places], "where": [f"http://s{k}.com" for k in places]}
        logs.append(folder / f"{number}.parquet")
        pq.write_table(pa.table({**named, "when": column}), logs[-1])
    return logs


@pytest.mark.parametrize(("column", "expected"), IN_PARQUET)
def test_times_in_parquet(duckdb, tmp_path, monkeypatch, column, expected):
    monkeypatch.setenv("TZ", "America/New_York")
    treat(duckdb, write_columns(tmp_path, [column]), tmp_path / "out", form=FORM)
    assert times_of(tmp_path / "out") == {0: expected}


@pytest.mark.parametrize(("column", "unit"), ODD_IN_PARQUET)
def test_odd_numbers_in_parquet_are_bad_times(duckdb, tmp_path, column, unit):
    (log,) = write_columns(tmp_path, [column])
    result = treat(duckdb, [log], tmp_path / "out", form=FORM)
    assert result.dropped == {"bad-time": 3}
    assert result.unix_times == {str(log): unit}
    assert times_of(tmp_path / "out") == dict.fromkeys(range(3), MOMENT.replace(microsecond=250_000))


def test_times_in_parquet_in_one_log_of_many_files(backend, tmp_path, monkeypatch):
    """All columns of the two tests above, each in a file of its own, in one run."""
    monkeypatch.setenv("TZ", "America/New_York")
    logs = write_columns(tmp_path, [column for column, _ in (*IN_PARQUET, *ODD_IN_PARQUET)])
    result = treat(backend, logs, tmp_path / "out", form=FORM)
    assert result.dropped == {"bad-time": 9}
    units = ["seconds", "milliseconds", "seconds", *(unit for _, unit in ODD_IN_PARQUET)]
    assert result.unix_times == dict(zip(map(str, [*logs[5:8], *logs[9:]]), units, strict=True))
    odd = [9 + 6 * number + k for number in range(3) for k in range(3)]
    assert times_of(tmp_path / "out") == {
        **{k: expected for k, (_, expected) in enumerate(IN_PARQUET)},
        **dict.fromkeys(odd, MOMENT.replace(microsecond=250_000)),
    }


def test_a_format_of_ones_own(backend, tmp_path):
    log = write_log(tmp_path / "log.txt", ["01/Mar/2006:09:17:12 +0200", "2006-03-01 07:17:12"])
    result = treat(backend, [log], tmp_path / "out", time_format="%d/%b/%Y:%H:%M:%S %z")
    assert times_of(tmp_path / "out") == {0: datetime(2006, 3, 1, 7, 17, 12)}
    assert result.dropped == {"bad-time": 1}


def test_a_run_that_keeps_too_little_fails_and_shows_the_form_of_rows(backend, tmp_path):
    log = write_log(tmp_path / "log.txt", ["Mar 1 2006", "2006-03-01 07:17:12", "1 June", "2 June", "3 June"])
    with pytest.raises(QuiffError) as caught:
        treat(backend, [log], tmp_path / "out")
    first, *rows, last = str(caught.value).split("\n")
    worded(first, 1, 5, 4)
    assert len(rows) == 3
    assert all(
        re.fullmatch(r"  line [2456]: 5 fields, time looks like '[9a ]+' \(bad-time\)", row) for row in rows
    )
    assert "--time-format" in last
    assert "--show-rows" in last
    assert "June" not in str(caught.value)
    assert not (tmp_path / "out" / "treated.parquet").exists()
    with refused(QuiffError, 4, 2, 1):
        treat(backend, [log], tmp_path / "out", show_rows=True)


def test_the_least_share_can_be_given(duckdb, tmp_path):
    log = write_log(tmp_path / "log.txt", ["2006-03-01 07:17:12", "1 June", "2 June", "3 June", "4 June"])
    assert treat(duckdb, [log], tmp_path / "out", min_kept=0.2).rows == 1
    with refused(ParameterError, 2):
        treat(duckdb, [log], tmp_path / "out", min_kept=2)


@pytest.mark.parametrize(("kept", "rows"), [(1, 3), (2, 3), (7, 100), (29, 100), (197, 1000)])
def test_the_share_that_is_advised_is_enough(duckdb, tmp_path, kept, rows):
    log = write_log(tmp_path / "log.txt", ["2006-03-01 07:17:12"] * kept + ["x"] * (rows - kept))
    with pytest.raises(QuiffError) as caught:
        treat(duckdb, [log], tmp_path / "out", min_kept=1)
    share = re.search(r"--min-kept (\S+);", str(caught.value))[1]
    assert treat(duckdb, [log], tmp_path / "out", min_kept=float(share)).rows == kept


def test_a_run_that_keeps_half_is_kept(duckdb, tmp_path):
    log = write_log(tmp_path / "log.txt", ["2006-03-01 07:17:12", "x"])
    assert treat(duckdb, [log], tmp_path / "out").rows == 1


@pytest.mark.parametrize(("times", "numbers"), [([], ()), (["x"], (0, 1))])
def test_a_run_that_keeps_nothing_fails(backend, tmp_path, times, numbers):
    with refused(QuiffError, *numbers):
        treat(backend, [write_log(tmp_path / "log.txt", times)], tmp_path / "out", min_kept=0)


def test_urls_without_a_domain_are_told(duckdb, tmp_path):
    swapped = tmp_path / "swapped.txt"
    swapped.write_text(f"{reference.HEADER}\n1\tq\t2006-03-01 07:17:12\t1\tintranet\n2\tq\tx\t1\t\n")
    with refused(QuiffError, 1, 2):
        treat(duckdb, [swapped], tmp_path / "out")
