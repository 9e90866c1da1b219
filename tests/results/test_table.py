"""A table keeps its values in every format, and says what it leaves out."""

import csv
import io
import json
import math
from fractions import Fraction
from html.parser import HTMLParser

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiff.errors import ParameterError, ShapeError
from quiff.results.table import Table
from quiff.safe_text import csv_cell, csv_text
from words import refused

MIXED = Table(
    "Numbers & <names>",
    ("name", "share", "users", "sure", "epsilon", "anything"),
    (
        ("a|b", Fraction(1, 3), 3, True, math.inf, 1),
        ("c_d <e>", 1, None, False, 0.5, "one"),
        ('"f"', 0.25, 7, None, None, 2.5),
    ),
    ("Shares are of <all> users.",),
)


class Cells(HTMLParser):
    """The texts of an HTML table by the tag they stand in."""

    def __init__(self, page):
        super().__init__()
        self.open, self.texts = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.open.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        opened, _ = self.open.pop()
        assert opened == tag

    def handle_data(self, text):
        self.texts.append((*self.open[-1], text))


def test_html_is_closed_escaped_and_aligned():
    table = Table("A & <b>", ("topic", "users"), (("<i>", 3), ("x", 12)), ("A note < B",))
    found = Cells(table.to_html())
    assert not found.open
    texts = [(tag, text) for tag, _, text in found.texts]
    assert texts == [
        ("caption", "A & <b>"), ("th", "topic"), ("th", "users"),
        ("td", "<i>"), ("td", "3"), ("td", "x"), ("td", "12"), ("p", "A note < B"),
    ]  # fmt: skip
    sides = {text: attributes["style"] for tag, attributes, text in found.texts if tag in ("th", "td")}
    assert sides["users"] == sides["12"] == "text-align: right"
    assert sides["topic"] == sides["x"] == "text-align: left"
    assert all(attributes["scope"] == "col" for tag, attributes, _ in found.texts if tag == "th")


def test_a_notebook_shows_the_head_of_a_long_table():
    table = Table("Squares", ("n",), tuple((n,) for n in range(1000)))
    shown = Cells(table._repr_html_())
    assert len([tag for tag, _, _ in shown.texts if tag == "td"]) == 60
    assert shown.texts[-1][2] == "940 rows before the last are left out"


def test_text_says_how_many_rows_it_leaves_out():
    table = Table("Squares", ("n",), ((1,), (4,), (9,)), ("Below.",))
    assert table.to_text(head=1) == "Squares\nn\n9\n2 rows before the last are left out\nBelow."
    left = "1 row before the last is left out"
    assert table.to_text(head=2) == f"Squares\nn\n1\n9\n{left}\nBelow."
    for head in (None, 3, 4):
        assert table.to_text(head=head) == "Squares\nn\n1\n4\n9\nBelow."


@pytest.mark.parametrize("frame", ["pandas", "polars"])
def test_frames_have_columns_of_one_kind(frame):
    found = getattr(MIXED, f"to_{frame}")()
    assert list(found.columns) == list(MIXED.columns)
    assert found["share"].to_list() == [1 / 3, 1.0, 0.25]
    assert found["anything"].to_list() == ["1", "one", "2.5"]
    assert found["epsilon"].to_list()[:2] == [math.inf, 0.5]
    users = found["users"].to_list()
    assert (users[0], users[2]) == (3, 7)
    assert users[1] is None or math.isnan(users[1])


def test_frames_keep_whole_numbers_whole_and_take_those_that_do_not_fit_as_floats():
    table = Table("Sizes", ("small", "large", "huge"), ((1, 2**70, 10**400), (2, 5, -(10**400))))
    assert table.to_polars().dtypes == [pl.Int64, pl.Float64, pl.Float64]
    assert table.to_polars()["huge"].to_list() == [math.inf, -math.inf]
    assert table.to_pandas().dtypes.map(str).to_list() == ["int64", "float64", "float64"]
    assert table.to_pandas()["large"].to_list() == [2.0**70, 5.0]


def test_an_empty_table_makes_an_empty_frame():
    table = Table("Nothing", ("a", "b"), ())
    assert table.to_polars().shape == table.to_pandas().shape == (0, 2)
    assert isinstance(table.to_pandas(), pd.DataFrame)


def test_every_suffix_has_its_format(tmp_path):
    written = {
        name: MIXED.write(tmp_path / f"table.{name}").read_text(encoding="utf-8")
        for name in ("csv", "json", "md", "tex", "html", "TXT")
    }
    assert list(csv.reader(io.StringIO(written["csv"])))[1] == [
        "a|b", "0.3333333333333333", "3", "True", "inf", "1",
    ]  # fmt: skip
    assert json.loads(written["json"])[0]["share"] == 1 / 3
    assert json.loads(written["json"])[0]["epsilon"] == "inf"
    assert r"a\|b" in written["md"]
    assert r"c\_d" in written["tex"]
    assert "&lt;names&gt;" in written["html"]
    assert written["TXT"] == MIXED.to_text() + "\n"


@pytest.mark.parametrize("name", ["table", "table.pdf", ".csv"])
def test_an_unknown_suffix_is_an_error_and_writes_nothing(tmp_path, name):
    with refused(ParameterError):
        MIXED.write(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_two_columns_of_one_name_are_an_error():
    with refused(ShapeError):
        Table("Twice", ("a", "a"), ())


def test_a_prompt_shows_the_text():
    table = Table("Squares", ("n", "square"), ((1, 1), (2, 4)))
    assert repr(table) == str(table) == "Squares\nn  square\n1       1\n2       4"


LABELS = (0.123456789, True, None, ("a", 1), 2**63 + 1, 2**63 + 3, "x", 7)
AS_TEXT = ["0.123456789", "True", "None", "('a', 1)", "9223372036854775809", "9223372036854775811", "x", "7"]
NAMED = Table("Users", ("user", "risk"), tuple((label, 0.5) for label in LABELS), labels=("user",))


def test_labels_are_shown_as_they_are_called():
    assert [line[:19].strip() for line in NAMED.to_text().splitlines()[2:]] == AS_TEXT
    assert [row[0] for row in csv.reader(io.StringIO(NAMED.to_csv()))][1:] == AS_TEXT
    assert [line.split(" | ")[0][2:] for line in NAMED.to_markdown().splitlines()[4:]] == AS_TEXT
    assert [text for tag, _, text in Cells(NAMED.to_html()).texts if tag == "td"][::2] == AS_TEXT
    assert [
        line.split(" & ")[0] for line in NAMED.to_latex().splitlines() if line.endswith(r" & 0.5 \\")
    ] == AS_TEXT
    assert [str(record["user"]) for record in json.loads(NAMED.to_json())] == AS_TEXT
    assert NAMED.to_pandas()["user"].to_list() == NAMED.to_polars()["user"].to_list() == AS_TEXT
    assert NAMED.head(2).to_csv() == f"user,risk\n{AS_TEXT[0]},0.5\n{AS_TEXT[-1]},0.5\n"
    assert [row[0] for row in NAMED.rows] == list(LABELS)


def test_large_labels_stay_distinct_and_small_ones_numbers():
    large = Table("Users", ("user",), ((2**63 + 1,), (2**63 + 3,)), labels=("user",))
    assert large.to_pandas()["user"].nunique() == large.to_polars()["user"].n_unique() == 2
    small = Table("Users", ("user",), ((7,), (8,)), labels=("user",))
    assert small.to_pandas()["user"].to_list() == [7, 8]
    assert small.to_polars().dtypes == [pl.Int64]


HOSTILE = [
    "=1+1",
    "+1",
    "-1.5",
    "-x",
    "@a",
    "\t=1",
    "\r=1",
    "'=1",
    "''@b",
    "'quoted'",
    "plain",
    "a|b`<i>\n*x*",
    "-inf",
]
WRITTEN = Table(
    "<T>|`", ("label", "number"), tuple((label, -1.5) for label in HOSTILE), ("a|<b>`",), ("label",)
)


def test_no_cell_of_csv_is_a_formula_and_each_can_be_told_from_all_others():
    rows = list(csv.reader(io.StringIO(WRITTEN.to_csv(), newline="")))[1:]
    assert [row[0] for row in rows] == [
        "'=1+1", "+1", "-1.5", "'-x", "'@a", "'\t=1", "'\r=1", "''=1", "'''@b", "'quoted'", "plain",
        "a|b`<i>\n*x*", "-inf",
    ]  # fmt: skip
    assert {row[1] for row in rows} == {"-1.5"}
    assert [csv_text(row[0]) for row in rows] == HOSTILE
    kept = csv.reader(io.StringIO(WRITTEN.to_csv(keep_formulas=True), newline=""))
    assert [row[0] for row in kept][1:] == HOSTILE


@given(st.text(st.sampled_from("'=+-@\t\r1a."), max_size=6))
def test_a_cell_of_csv_comes_back_and_no_spreadsheet_runs_it(text):
    cell = csv_cell(text)
    assert csv_text(cell) == text
    if cell[:1] in tuple("=+-@\t\r"):
        float(cell)  # it is a number


def test_markdown_cells_keep_to_their_row():
    lines = WRITTEN.to_markdown().splitlines()
    assert lines[0] == r"**&lt;T&gt;\|\`**"
    assert len(lines) == 4 + len(HOSTILE) + 2
    assert r"| a\|b\`&lt;i&gt;\\n\*x\* | -1.5 |" in lines
    assert lines[-1] == r"a\|&lt;b&gt;\`"


def test_latex_rows_begin_with_nothing_that_belongs_to_the_row_before():
    table = Table("T", ("label",), (("a",), ("[1ex]",), ("*",), ("\\input{x}\x1b%",)))
    lines = table.to_latex().splitlines()
    assert [line for line in lines if line.endswith(r"\\")][1:] == [
        r"a \\", r"{[}1ex] \\", r"{*} \\", r"\textbackslash{}input\{x\}\textbackslash{}x1b\% \\",
    ]  # fmt: skip


def test_text_has_one_line_for_each_row():
    assert len(WRITTEN.to_text().splitlines()) == 1 + 1 + len(HOSTILE) + 1


def test_numbers_are_read_with_three_digits_and_labels_are_not_numbers():
    row = (1234, 1 / 5893, 66.36, 5893, -6440.7, float("inf"), None, True)
    names = ("topic", "share", "factor", "users", "change", "limit", "none", "sure")
    table = Table("A", names, (row,), labels=("topic",))
    assert list(table.texts()) == [["1234", "0.00017", "66.4", "5,893", "-6,441", "no limit", "", "yes"]]
    exact = Table("A", names, (row,), labels=("topic",), digits=6)
    assert next(exact.texts())[1:5] == ["0.000169693", "66.36", "5,893", "-6,440.7"]


words = st.text("ab c", max_size=60)


@given(st.lists(st.tuples(words, words, st.floats(0, 1e9), words), max_size=4), words, words)
def test_text_keeps_to_80_columns_and_loses_no_word(rows, title, note):
    names = ("what is observed of a user", "what it says", "worst-off user's utility", "and why")
    table = Table(title, names, tuple(rows), (note,))
    text = table.to_text()
    assert all(len(line) <= 80 for line in text.splitlines())
    letters = "".join([title, *names, *(cell for row in table.texts() for cell in row), note])
    assert sorted("".join(text.split())) == sorted("".join(letters.split()))


def test_a_table_that_is_too_wide_for_its_words_becomes_lists():
    columns = tuple(f"column number {n}" for n in range(12))
    table = Table("Wide", columns, (("first", *range(10**8, 10**8 + 11)),))
    lines = table.to_text().splitlines()
    assert lines[:3] == ["Wide", "first", "  column number 1: 100,000,000"]
    assert len(lines) == 1 + 12
