"""What a message leaves out of people's data it says to leave out, and --show-rows shows it."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from quiff import Population, QuiffError
from quiff.cli import main
from quiff.logs.classifications import read_classification
from quiff.safe_text import column_names, rows_shown
from words import refused, worded

ONLY = "only its form; --show-rows shows all"


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def people(tmp_path):
    def write(text):
        file = tmp_path / "people.csv"
        file.write_text(text)
        return file

    return write


def test_the_number_of_a_topic_is_shown(people):
    file = people("user,t1,t2\nu,1,2\nv,400,7\n")
    told = run("measure", file, "--api", "topics:n_topics=v1")
    assert told.exit_code == 1
    worded(told.stderr, 3, 400)
    with refused(QuiffError, 400):
        Population.read(people("user,t1,t2\nu,400,400\n"))


def test_another_topic_is_left_out_and_said_to_be(people):
    file = people("user,t1,t2\nu,Zaphod,Zaphod\n")
    told = run("measure", file)
    worded(told.stderr)
    assert f"'aaaaaa' ({ONLY})" in told.stderr
    worded(run("measure", file, "--show-rows").stderr)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("User,Likes\nAlice,News\n", "'User', 'Likes'"),
        ("member,likes\nAlice,17\n", "'member', 'likes'"),
        ("user,likes\nAlice,News\n", "'user', 'likes'"),
        ("time,domain\n2006-03-01,a.com\n", "'time', 'domain'"),
    ],
)
def test_names_of_columns_are_shown(people, text, names):
    with refused(QuiffError, 1) as caught:
        Population.read(people(text))
    assert names in str(caught.value)


@pytest.mark.parametrize(
    ("text", "forms"),
    [("Zaphod,Art\nFord,Law\n", "'aaaaaa', 'aaa'"), ("17,Zaphod\n18,Ford\n", "'99', 'aaaaaa'"),
     ("name,Zaphod\nu,Zaphod\n", "'aaaa', 'aaaaaa'")],
)  # fmt: skip
def test_what_may_be_data_is_not(people, text, forms):
    file = people(text)
    told = run("measure", file).stderr
    worded(told)
    assert forms in told
    assert "'Zaphod'" in run("measure", file, "--show-rows").stderr


def test_quiffs_own_columns_are_shown(tmp_path):
    table = tmp_path / "treated.parquet"
    pq.write_table(pa.table({"user": [1], "time": [2], "domain": ["a.com"], "größe 2": [3]}), table)
    with refused(QuiffError, 2):
        Population.read(table)


def test_the_columns_of_a_classification(people):
    with refused(QuiffError, 1):
        read_classification(people("Domain,Topic\na.com,News\n"))


def test_many_columns_are_cut():
    assert column_names(range(30)).endswith("'19', ...")
    with rows_shown():
        assert column_names(["Zaphod", "17"], below=[]) == "'Zaphod', '17'"


@pytest.mark.parametrize(
    "command", ["measure", "epochs", "popularity", "report", "explore", "treat", "classify", "stats", "audit"]
)
def test_every_command_that_reads_people_can_show_rows(command):
    assert "--show-rows" in run(command, "--help").stdout
