"""Inputs that parsers may take too long for, run in a process of their own that is ended if it hangs."""

import json
import re
import sys
import traceback
from contextlib import suppress
from pathlib import Path

LONG = 100_000
STARTS = ["", "[", "['a'", "('a', 'b'", "a", "a:"]
UNITS = [" ", "\t", "'a', ", "a, ", "a ", "//", "/a", ".a", '""', "''", "(a"]


def attack(text, methods):
    """Match a pattern with long repetitions of its own signs, after some beginnings, before a wrong end."""
    pattern = re.compile(text)
    units = dict.fromkeys([*UNITS, *re.sub(r"[A-Za-z0-9\\]", "", text), "a", "0", "w"])
    for method in methods:
        found = getattr(pattern, method)
        for start in STARTS:
            for unit in units:
                for end in ("", "\x00!"):
                    found(start + unit * (LONG // len(unit)) + end)


def _told(parse, *inputs):
    """Parse each input; what is wrong with it may be said by a QuiffError only."""
    from quiff import QuiffError

    told = []
    for given in inputs:
        try:
            parse(given)
        except QuiffError as error:
            told.append(str(error))
    assert all(len(text) < 2000 for text in told), "a message repeats its input"


def cells_of_topics(folder):
    from quiff.people.literals import parse_topics

    _told(parse_topics, *_cells())


def _cells():
    yield " " * 1500
    for start in ("", "[", "['a'", "'", '"', "(", "a", "['a', "):
        for unit in (" ", "'", '"', ",", "a ", "a,", "'a', ", "\n", "[", "]", "\\"):
            yield start + unit * (LONG // len(unit))
            yield start + unit * (LONG // len(unit)) + "!"


def cells_of_histories(folder):
    from quiff.people.literals import parse_history

    visit = "('a.com', '2006-03-01 07:17:12')"
    starts = ("[", "[('a', 'b'", f"[{visit}", "[('a', Timestamp('b'")
    units = (" ", "'", "(", ")", ",", f", {visit}", "Timestamp(")
    _told(parse_history, *(s + u * (LONG // len(u)) + "]" for s in starts for u in units))


def profiles(folder):
    """Cells of topics in a column, which DuckDB reads: each in a table of its own, some in files."""
    import duckdb
    import pyarrow as pa

    from quiff import Population
    from quiff.io.tables import open_table
    from quiff.people.form import Form
    from quiff.people.reading import Profiles

    con, file = duckdb.connect(), folder / "profiles.csv"
    for number, cell in enumerate(_cells()):
        with open_table(pa.table({"topics": [cell]}), con=con) as table:
            _told(lambda table: Profiles.of(table, Form(None, ("topics",))), table)
        if number % 11 == 0:
            quoted = '"' + cell.replace('"', '""') + '"'
            file.write_text(f"user,topics\nAlice,{quoted}\n")
            _told(Population.read, file)
    file.write_text("user,t1,t" + "9" * 5000 + "\nAlice,1,2\n")
    _told(Population.read, file)
    file.write_text("user," + ",".join(f"t{i}" for i in range(1, 1001)) + "\nAlice" + ",1" * 1000 + "\n")
    _told(Population.read, file)


def published_tables(folder):
    """Cells of topics and of histories, which DuckDB reads."""
    from quiff.logs.engine import connect
    from quiff.logs.published import read_published

    con, file = connect(), folder / "Reduced.csv"
    cells = [" " * LONG, "'a'" + " " * LONG + "!", "a, " * 1000, "'a', " * 1000, '"' * 2001]
    for cell in cells:
        quoted = '"' + cell.replace('"', '""') + '"'
        file.write_text(f",RandID,QueryTime,Domain,topics\n0,7,2006-03-01 07:17:12,a.com,{quoted}\n")
        _told(lambda path: con.to_pyarrow(read_published(con, path)), file)
        file.write_text(f",RandID,BrowsingHistory\n0,7,{quoted}\n")
        _told(lambda path: con.to_pyarrow(read_published(con, path)), file)


def suffix_lists(folder):
    from quiff.logs.suffixes import Suffixes

    labels = ["a.", "香.", "xn--j6w193g."]
    texts = [label * n + "com" for label in labels for n in (9, 60, LONG)]
    texts += [
        "*." * LONG,
        "!" * LONG,
        "." * LONG,
        " " * LONG + "com",
        "a" * LONG,
        "com\n" * LONG,
        "//" * LONG,
    ]
    _told(lambda text: Suffixes.parse(text).endings, *texts)


def taxonomies(folder):
    from quiff.logs.taxonomies import read_taxonomy, read_utility_buckets

    file = folder / "taxonomy.md"
    for name in ("/a" * (LONG // 2), "/" * LONG, " " * LONG + "/a", "|" * LONG, "/" + "a" * LONG):
        file.write_text(f"| ID | Topic |\n|---|---|\n| 7 | {name} |\n")
        _told(read_taxonomy, file)
        _told(read_utility_buckets, file)


def override_lists(folder):
    from quiff.logs.classifications import chrome_table

    file = folder / "override.tsv"
    for row in ("a " * LONG, " " * LONG, "a\t" + "1," * LONG, "a\t" + "1" * LONG, "\t" * LONG):
        file.write_text(f"domain\ttopics\n{row}\n")
        _told(chrome_table, file)


def classifications(folder):
    from quiff.logs.classifications import read_classification

    file = folder / "classification.csv"
    for cell in ("'a', " * 10_000, " " * LONG, '""' * LONG, "a " * 10_000 + "!"):
        file.write_text(f'domain,topics\na.com,"{cell}"\n')
        _told(read_classification, file)


def urls(folder):
    from quiff.logs.domains import find_domains

    signs = (".", "-", ":", "@", "/", " ", "[", "\u3002", "w", "a.", "www.", "1.", "1:", "xn--", "com.", "%")
    given = [start + sign * (LONG // len(sign)) for start in ("", "http://", "http://a") for sign in signs]
    found = find_domains([*given, *(f"{url}a.com" for url in given)])
    assert len(found) == 2 * len(given)


def text_tables(folder):
    from quiff.io.tables import open_table

    rows = (
        '"' * LONG,
        "," * LONG,
        '"a"' * LONG,
        '"' + " " * LONG,
        '"\n' * LONG,
        "\n" * LONG,
        '"a" ' * LONG,
        "a,\n" * LONG,
    )

    def parse(content):
        (folder / "p.csv").write_bytes(content)
        with open_table(folder / "p.csv") as table:
            table.load(table.names[:1])
            table.at(10**9)

    for row in rows:
        content = f"user,note\n{row}".encode()
        _told(parse, content, content.partition(b"\n")[2])


def tables_of_reports(folder):
    import pyarrow as pa
    import pyarrow.parquet as pq

    from quiff.browser.report_files import read_reports

    rows = pa.table({"user": ["a"], "site": [0], "epoch": [0], "topic": [1]})
    for about in (b"[" * LONG, b"[1]", b"\xff", b'{"per_call": "x"}', b'{"topics": 1}', b'{"shown_once": 5}'):
        file = folder / "reports.parquet"
        pq.write_table(rows.replace_schema_metadata({b"quiff": about}), file)
        _told(read_reports, file)


def lists_of_digests(folder):
    from quiff.logs.fetch import _known_digests

    file = folder / "digests.json"
    for text in ("[" * LONG, "{" * LONG, '{"a": "md5:' + "a" * LONG + '"}', "1" * LONG, "\x00"):
        file.write_text(text)
        try:
            _told(_known_digests, file)
        except ValueError as error:  # of Python, for a number of too many digits
            raise AssertionError(str(error)) from error


def page_loads(folder):
    from quiff.browser.page_loads import read_page_loads

    file = folder / "loads.csv"
    for cell in (" " * LONG, "a " * LONG, "9" * 5000, "٣" * 5000):
        file.write_text(f"user,time,page,callers\nAlice,{cell},news.example,{cell}\n")
        _told(read_page_loads, file)


def numbers_and_sizes(folder):
    import click

    from quiff.apis.ranges import _DECIMAL_COMMA, _FRACTION, _PERCENT
    from quiff.cli.kinds import Number
    from quiff.core.limits import _SIZE
    from quiff.web.offers import _NUMBER, _WORDS
    from quiff.web.queries import _WHOLE

    for text in ("1" * LONG, "1." * LONG, " " * LONG, "1/" * LONG, "e" * LONG, "1" + " " * LONG + "x"):
        for pattern in (_SIZE, _WHOLE, _NUMBER, _WORDS, _FRACTION, _PERCENT, _DECIMAL_COMMA):
            assert pattern.fullmatch(text) is None
        with suppress(click.BadParameter):
            Number(whole=False).convert(text, None, None)


PARSERS = [
    cells_of_topics, cells_of_histories, profiles, published_tables, suffix_lists, taxonomies, override_lists,
    classifications, urls, text_tables, tables_of_reports, lists_of_digests, page_loads, numbers_and_sizes,
]  # fmt: skip


def parse(name, folder):
    """Run one of the parsers above, which may write to the folder."""
    globals()[name](Path(folder))


def main():
    """Run each task, a line of JSON, and answer with a line: nothing, or what went wrong."""
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        told = None
        try:
            {"attack": attack, "parse": parse}[name](*arguments)
        except Exception:
            told = traceback.format_exc()
        print(json.dumps(told), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
