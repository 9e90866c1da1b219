"""Twenty-one logs made to mislead: each is read right, or refused with its line; nothing vanishes."""

import gzip
from collections import Counter

import pytest

from quiff.errors import QuiffError
from quiff.logs.read import LogFormat
from quiff.logs.treat import treat

HEAD = "AnonID,Query,QueryTime,ClickURL\n"
GOOD = "1,q,2006-03-01 07:17:12,http://a.com\n"
QUOTED = '2,"two\nlines, ""q""",2006-03-01 07:17:12,http://a.com\n'

TIMED = "2006-03-01 07:17:12,http://a.com\n"
TORN = "line 4: a quote .* does not close"
MALFORMED = {"malformed": 1}

# What stands below two good rows, and how many rows are kept and dropped by reason.
READ = {
    "a value over two lines": (QUOTED, 3, {}),
    "blank lines in a value": (QUOTED.replace("\n", "\n\n\n", 1), 3, {}),
    "text after a quote": ('2,"q"uote,' + TIMED, 2, MALFORMED),
    "a quote inside a plain field": ('2,q "x,' + TIMED, 3, {}),
    "an open quote in the last line": ('2,"q,' + TIMED, 2, MALFORMED),
    "too many columns": ("2,q,x," + TIMED, 2, MALFORMED),
    "empty fields at the end": ("2,q," + TIMED.replace("\n", ",,,\n"), 3, {}),
    "missing columns": ("2," + TIMED, 2, MALFORMED),
    "only delimiters": (",,,\n", 2, {"no-url": 1}),
    "the header again": (HEAD, 2, {"header": 1}),
    "no UTF-8 in a column that nobody reads": ("2,\xff," + TIMED, 2, MALFORMED),
    "a line longer than a mebibyte": (f"2,{'x' * 2**20}," + TIMED, 2, MALFORMED),
    "a byte order mark inside": ("\xef\xbb\xbf2,q," + TIMED, 3, {}),
    "a separator of records": ("2,q\x1e\x1f\x1d," + TIMED, 3, {}),
    "no end of the last line": (GOOD.rstrip("\n"), 3, {}),
    "a value like an option of the reader": ("2,' quote=';--," + TIMED, 3, {}),
    "a time that is none": ("2,q,then,http://a.com\n", 2, {"bad-time": 1}),
}
REFUSED = {
    "a quote that swallows all below": (f'2,"q,{TIMED}{GOOD}{GOOD}', TORN),
    "two quotes that swallow what is between": (f'2,"q,x,y\n{GOOD}2,"q,x,y\n', TORN),
    "NUL": ("2,\0," + TIMED, "line 4: it has a NUL byte"),
    "line ends that change": (GOOD.replace("\n", "\r\n"), "line 4: line ends are mixed"),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("case", [*READ, *REFUSED])
def test_it_is_read_right_or_refused_with_its_line(backend, tmp_path, case, packed):
    tail, *expected = {**READ, **REFUSED}[case]
    content = (HEAD + GOOD + GOOD + tail).encode("latin-1")
    log = tmp_path / "log.csv"
    log.write_bytes(gzip.compress(content) if packed else content)
    form, out = LogFormat(), tmp_path / "out"
    if case in REFUSED:
        with pytest.raises(QuiffError, match=expected[0]) as caught:
            treat(backend, [log], out, form=form, min_kept=0)
        assert "\n" not in str(caught.value)
        assert not list(out.glob("*"))
        return
    result = treat(backend, [log], out, form=form, min_kept=0)
    assert (result.rows, Counter(result.dropped)) == (expected[0], Counter(expected[1]))
    assert result.rows_read == result.rows + sum(result.dropped.values())
    assert len(result.bad_lines) == result.dropped.get("malformed", 0)
    assert all(bad.line == 4 for bad in result.bad_lines)
