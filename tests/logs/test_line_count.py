"""The count of records in well-written text: against Python's own reader of CSV, however the bytes come."""

import csv
import io
import random
import tracemalloc

import pytest

from quiff.logs.line_count import LineCount

FIELDS = 4
CELLS = ["", "a", "a b", "x" * 40, "é", "1,2", 'say ""', '"', ",", ",,", '","', "y" * 63, "z" * 64]


def drawn_log(dice, ends, ragged):
    """Return a log in quotes, blank lines among its records, and the lines that have too few fields."""
    lines, short = [], []
    for number in range(1, dice.randrange(2, 400)):
        if dice.random() < 0.1:
            lines.append("")
            continue
        n_fields = FIELDS
        if ragged and dice.random() < 0.05:
            n_fields = dice.randrange(2, FIELDS)
            short.append((number, n_fields))
        cells = [dice.choice(CELLS) for _ in range(n_fields)]
        written = io.StringIO()
        style = dice.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
        csv.writer(written, quoting=style, lineterminator="").writerow(cells)
        lines.append(written.getvalue())
    return "".join(line + ends for line in lines).encode(), short


@pytest.mark.parametrize("ragged", [False, True])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_quoted_records_and_their_fields_are_counted(ends, ragged):
    for seed in range(30):
        dice = random.Random(seed)
        content, short = drawn_log(dice, ends, ragged)
        rows = [row for row in csv.reader(io.StringIO(content.decode(), newline="")) if row]
        count, place, size = LineCount(b",", True, FIELDS), 0, dice.choice([1, 7, 64, 1000, 10**6])
        while place < len(content):
            count.add(content[place : place + size])
            place += size
        count.end()
        assert count.records == len(rows), f"seed {seed}"
        assert (count.odd, count.quotes) == (False, b'"' in content), f"seed {seed}"
        assert (count.ragged, count.examples) == (len(short), short[:5]), f"seed {seed}"
        assert count.ends == ends, f"seed {seed}"


@pytest.mark.parametrize("place", range(120, 140))
@pytest.mark.parametrize("wrong", ['a"b"', '"a"b', '"a', 'a"', 'a""b', '"a\nb"'])
def test_odd_quotes_are_noticed_wherever_they_stand(place, wrong):
    good = b'"1","2"\n'
    padding = b'"' + b"p" * (place - 5) + b'",'
    text = good + padding + wrong.encode() + b"\n" + good
    assert LineCount(b",", True, 2).add(text).end().odd
    assert not LineCount(b",", True, 2).add(good + padding + b'"a"\n' + good).end().odd


def test_a_block_in_quotes_takes_little_memory_to_count():
    block = b'"1","a","2006-03-01 07:17:12","http://a.com"\n' * 10_000
    count = LineCount(b",", True, FIELDS).add(block)
    tracemalloc.start()
    count.add(block)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2.5 * len(block)
