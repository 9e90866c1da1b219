"""``quiff measure``: tables, JSON, files, and bad input in one line."""

import csv
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from quiff.cli import main
from words import worded

EXAMPLE = "user,t1,t2\nAlice,Music,News\nBob,Sports,Travel\nCarol,News,Music\n"
NUMBERS = "user,t1,t2,weight\n1,10,349,3\n2,12,349,1\n"


def run(*arguments, status=0):
    result = CliRunner().invoke(main, ["measure", *map(str, arguments)])
    assert result.exit_code == status, result.output
    return result


def answer(*arguments):
    return json.loads(run(*arguments, "--json").stdout)


def refused(*arguments):
    result = run(*arguments, status=1)
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr


def misused(*arguments):
    """Return what is told of a value that is wrong whatever the people are."""
    result = run(*arguments, status=2)
    assert result.stdout == ""
    return result.stderr


@pytest.fixture
def example(tmp_path):
    file = tmp_path / "profiles.csv"
    file.write_text(EXAMPLE)
    return file


@pytest.fixture
def numbers(tmp_path):
    file = tmp_path / "numbers.csv"
    file.write_text(NUMBERS)
    return file


def value(found, api, quantity, **others):
    """The one number of some rows of JSON."""
    wanted = {"api": api, "quantity": quantity, "scope": "people", **others}
    (row,) = (row for row in found["rows"] if all(row[key] == is_ for key, is_ in wanted.items()))
    return row["value"]


SPEC = "topics:n_topics=5,top_s=2,noise=1/20"


def test_the_worked_example(example):
    result = run(example, "--api", "topics:n_topics=5,noise=1/20")
    assert result.stderr == ""
    for text in (
        "re-identification by 1.95",
        "2.43",
        "97.7 % (66.7 %",
        "65 %",
        "More: --all (utility, limits",
    ):
        assert text in result.stdout
    assert "3.88" not in result.stdout
    everything = run(example, "--api", "topics:n_topics=5,noise=1/20", "--all").stdout
    assert "3.88" in everything
    assert "48.5" in everything


def test_json(example):
    found = answer(example, "--api", "topics:n_topics=5,noise=1/20")
    assert found["population"]["users"] == 3
    assert value(found, "cookies", "leakage") == 3
    leakages = [value(found, SPEC, "leakage", stage=s) for s in ("generalization", "bounded_noise", "topics")]
    assert leakages == [2, 2, 1.95]
    of = {"stage": "topics", "goal": "topics", "prior": "population"}
    assert value(found, SPEC, "goal_prior", **of) == 2 / 3
    assert value(found, SPEC, "goal_posterior", **of) == 293 / 300
    assert value(found, SPEC, "max_case_capacity", stage="topics", scope="all") == 48.5
    assert found["rows"][0]["unit"] == {
        "who": "a browser", "where": "all sites with the third party", "days": None,
    }  # fmt: skip
    made = found["provenance"]
    assert made["command"] == f"quiff measure {example} --api topics:n_topics=5,noise=1/20 --json"
    assert made["parameters"][SPEC] == {"n_topics": 5, "top_s": 2, "noise": 0.05}
    assert len(made["digest"]) == 64


def test_words_are_counted_against_349_topics_by_default(example):
    for options, size in [
        ((), 349),
        (("--api", "topics:n_topics=occurring"), "occurring"),
        (("--api", "topics:n_topics=google-nl-v2"), "google-nl-v2"),
    ]:
        (parameters,) = (
            p
            for p in answer(example, *options)["provenance"]["parameters"].values()
            if p != {"shows": "user"}
        )
        assert parameters == {"n_topics": size, "top_s": 2, "noise": 0.05}


def test_weights(numbers):
    found = answer(numbers, "--weights", "weight", "--api", "topics:noise=0.0")
    assert value(found, "cookies", "leakage") == pytest.approx(4 / 3)
    spec = "topics:top_s=2,noise=0.0"
    assert value(found, spec, "goal_prior", stage="topics", goal="secret", prior="population") == 0.75


def test_an_epoch_is_chosen(tmp_path):
    file = tmp_path / "epochs.csv"
    file.write_text("user,epoch,t1\nAlice,0,1\nAlice,1,2\nBob,0,1\nBob,1,3\n")
    first, second = answer(file), answer(file, "--epoch", 1)
    assert [found["population"]["distinct_sets"] for found in (first, second)] == [1, 2]
    worded(first["notes"][-1], 2, 0)
    worded(run(file, "--epoch", 1, "--all").stdout, 1)
    worded(refused(file, "--epoch", 2), 0, 1, 2)


def test_the_published_prior(example):
    text = run(example, "--api", "topics:n_topics=5", "--prior", "as-published", "--all").stdout
    assert "as-published" in text


def test_explained(example):
    text = run(example, "--api", "topics:n_topics=5", "--explain").stdout
    worded(text)
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    "form",
    [
        "markdown",
        "latex",
        "csv",
        "text",
    ],
)
def test_formats(example, form):
    worded(run(example, "--api", "topics:n_topics=5,noise=1/20", "--format", form).stdout)


def test_files(example, tmp_path):
    run(
        example,
        "--api",
        "topics:n_topics=5",
        "--csv",
        tmp_path / "tables",
        "--figure",
        tmp_path / "stages.svg",
    )
    assert "<svg" in (tmp_path / "stages.svg").read_text()
    names = {path.stem for path in (tmp_path / "tables").glob("*.csv")}
    assert {"privacy", "utility", "limits", "people", "risk"} <= names
    with (tmp_path / "tables" / "privacy.csv").open() as file:
        rows = {row["observed"]: row for row in csv.DictReader(file)}
    assert float(rows["one topic"]["leakage"]) == pytest.approx(1.95)


def test_any_apis_are_measured_beside_each_other(example):
    apis = ["--api", SPEC, "--api", "topics:n_topics=5,top_s=2,noise=1/2", "--api", f"cookies+{SPEC}"]
    found = answer(example, *apis, "--no-yardstick")
    leakages = {
        row["api"]: row["value"]
        for row in found["rows"]
        if row["quantity"] == "leakage" and row["goal"] == "user"
    }
    assert leakages == {SPEC: 1.95, "topics:n_topics=5,top_s=2,noise=1/2": 1.5, f"cookies+{SPEC}": 3}
    assert {row["api"] for row in answer(example, *apis)["rows"]} == {"cookies", *leakages}
    worded(misused(example, "--api", "topic"))
    worded(misused(example, "--api", "topics:noize=1"))
    worded(misused(example, "--api", "topics:noise=2"), 0, 1, 2)
    sized = answer(example, "--api", "topics", "--no-yardstick")
    assert {row["api"] for row in sized["rows"]} == {"topics:top_s=2"}
    worded(refused(example, "--api", "topics:top_s=3"))


OWN = """
from dataclasses import dataclass
from quiff import Api, Channel

@dataclass(frozen=True)
class Answer(Api):
    "Warner's randomised response on a column."
    truth: float = 0.75
    needs = ("member",)

    def observe(self, secrets):
        p, answers = self.truth, ("no", "yes")
        rows = {x: {y: p if x == y else 1 - p for y in answers} for x in secrets}
        return Channel.sparse(rows, answers)
"""


def test_an_api_of_ones_own_on_a_column_of_ones_own(tmp_path):
    file, code = tmp_path / "people.csv", tmp_path / "own.py"
    file.write_text("user,member\nAnn,yes\nBob,no\nCy,no\nDi,no\n")
    code.write_text(OWN)
    found = answer(file, "--api", f"{code}:Answer", "--api", f"{code}:Answer:truth=1")
    assert value(found, "answer", "bayes_capacity") == 1.5
    assert value(found, "answer", "epsilon") == pytest.approx(1.0986122886681098)
    assert value(found, "answer", "goal_posterior", goal="member", prior="population") == 0.75
    assert value(found, "answer:truth=1", "goal_posterior", goal="member", prior="population") == 1
    worded(misused(file, "--api", f"{code}:Question"))
    (tmp_path / "bad.py").write_text("1/0")
    worded(misused(file, "--api", f"{tmp_path / 'bad.py'}:A"))
    worded(misused(file, "--api", f"{tmp_path / 'none.py'}:A"))


def test_what_the_adversary_knows(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("user,t1,country\nAnn,1,BR\nBob,2,AU\nCy,3,BR\n")
    found = answer(file, "--known", "country", "--api", "topics:top_s=1,noise=0")
    assert value(found, "topics:top_s=1,noise=0", "prior", stage="topics") == pytest.approx(2 / 3)
    assert value(found, "topics:top_s=1,noise=0", "posterior", stage="topics") == 1
    worded(refused(file, "--known", "city"))


def test_a_folder_that_cannot_be_made(example):
    message = refused(example, "--csv", example / "tables")
    worded(message)
    assert f"{example}" in message


def test_bad_input_is_told_in_one_line(tmp_path, example, numbers):
    worded(refused(tmp_path / "missing.csv"))
    worded(misused(numbers, "--api", "topics:n_topics=v3"))
    error = refused(example, "--api", "topics:n_topics=v1")
    left_out = "only its form; --show-rows shows all"
    worded(error, 2)
    assert f"{str(example)!r}" in error
    assert f"{left_out}" in error
    numbers.write_text("user,t1,t2\n1,10,11\n\n2,10,350\n")
    worded(refused(numbers), 4, 350)
    numbers.write_text('user,epoch,topics\n1,0,"1,2"\n1,1,"7,350"\n')
    worded(refused(numbers, "--epoch", 1), 3, 350)
    worded(refused(example, "--api", "topics:n_topics=3"), 4, 3)
    worded(misused(example, "--api", "topics:noise=1.5"), 0, 1, 1.5)
    worded(refused(example, "--histories", tmp_path / "none"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "is empty"),
        (b"name,colour\nAlice,red\n", "profiles need user and topics"),
        (b"user,t1\nAlice,1\nAlice,2\n", "line 3"),
        (b"user,topics\nAlice,\"1, 2\"\nBob,1\n", "line 3"),
        (b"user,t1\nAl\xffice,1\n", "line 2"),
    ],
)  # fmt: skip
def test_bad_files(tmp_path, text, message):
    file = tmp_path / "bad.csv"
    file.write_bytes(text)
    error = refused(file)
    assert str(file) in error
    assert message in error


def test_each_users_risk_exposing_outputs_and_single_values(example):
    asked = [
        "--api",
        "topics:n_topics=5,noise=1/20",
        "--about",
        "topics=Music",
        "--exposure",
        "--threshold",
        "0.6",
    ]
    found = answer(example, *asked)
    assert value(found, SPEC, "risk_mean", stage="topics") == pytest.approx(0.65)
    # Bob is alone with his set: right after either of his topics, and one time in three after the fifth.
    assert value(found, SPEC, "risk_max", stage="topics") == pytest.approx(0.97 + 0.01 / 3)
    (above,) = (r for r in found["rows"] if r["quantity"] == "users_above" and r["stage"] == "topics")
    assert above["value"] == pytest.approx(1 / 3)
    text = run(example, *asked, "--all").stdout
    assert "Music" in text
    assert "'Chess'" in refused(example, "--api", "topics:n_topics=5", "--about", "topics=Chess")
    worded(misused(example, "--about", "Chess"))


def test_a_value_may_have_any_name(tmp_path):
    file = tmp_path / "profiles.csv"
    file.write_text("user,t1\nAlice,../News/Local\nBob,Music\n")
    run(file, "--about", "topics=../News/Local", "--csv", tmp_path / "tables")
    assert any("..%2FNews%2FLocal" in path.name for path in (tmp_path / "tables").iterdir())


def test_an_engine_reduces_people_and_the_digits_stay(tmp_path):
    file = tmp_path / "people.parquet"
    topics = [[1, 2], [3, 2], [1, 2], [2, 1], [5, 4]]
    pq.write_table(pa.table({"user": range(5), "topics": topics, "w": range(5)}), file)
    plain, reduced = (
        answer(file, "--api", "topics", "--no-yardstick", *more) for more in ((), ("--engine", "duckdb"))
    )
    assert plain["rows"] == reduced["rows"]
    assert plain["population"] == reduced["population"]
    worded(reduced["notes"][0], 3)
    told = refused(file, "--engine", "duckdb", "--weights", "w")
    worded(told)
    worded(refused(file, "--master", "spark://127.0.0.1:1"))
    epochs = CliRunner().invoke(
        main, ["epochs", str(file), "--observations", "2", "--engine", "duckdb", "--json"]
    )
    others = CliRunner().invoke(main, ["epochs", str(file), "--observations", "2", "--json"])
    found = [json.loads(each.stdout)["rows"] for each in (epochs, others)]
    assert found[0] == found[1]
