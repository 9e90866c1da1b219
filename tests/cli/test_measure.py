"""``quiff measure``: tables, JSON, files, and bad input in one line."""

import csv
import json

import pytest
from click.testing import CliRunner

from quiff.cli import main

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


def test_the_worked_example(example):
    result = run(example, "--topics", 5, "--noise", "1/20")
    assert result.stderr == ""
    for text in ("1.95", "2.425", "3.88156", "48.5", "0.976667", "0.65", "taken to tell all users apart"):
        assert text in result.stdout
    assert "lets an adversary name a user 1.95 times as often as a guess" in result.stdout


def test_json(example):
    found = answer(example, "--topics", 5, "--noise", "1/20")
    assert found["users"] == 3
    assert found["privacy"] == {"cookies": 3, "generalization": 2, "bounded_noise": 2, "topics_api": 1.95}
    assert found["utility"]["iba_prior"] == 2 / 3
    assert found["utility"]["topics_api_iba"] == 293 / 300
    assert found["limits"]["n_topics"] == 5
    assert found["limits"]["max_case_capacity"] == 48.5


def test_words_are_counted_against_349_topics_by_default(example):
    assert answer(example)["setting"] == {"n_topics": 349, "top_s": 2, "noise": 0.05}
    assert answer(example, "--topics", "occurring")["setting"]["n_topics"] == 4
    assert answer(example, "--topics", "google-nl-v2")["setting"]["n_topics"] == 1091


def test_weights(numbers):
    found = answer(numbers, "--weights", "weight", "--topics", "v1", "--noise", "0")
    assert found["weighted"] is True
    assert found["privacy"]["cookies"] == pytest.approx(4 / 3)
    assert found["utility"]["bayes_prior"] == 0.75


def test_an_epoch_is_chosen(tmp_path):
    file = tmp_path / "epochs.csv"
    file.write_text("user,epoch,t1\nAlice,0,1\nAlice,1,2\nBob,0,1\nBob,1,3\n")
    first, second = answer(file), answer(file, "--epoch", 1)
    assert (first["distinct_sets"], second["distinct_sets"]) == (1, 2)
    assert first["notes"][-1] == "The file has 2 epochs; this is epoch 0, counted from 0."
    assert "this is epoch 1" in run(file, "--epoch", 1).stdout
    assert "the epoch must be a whole number between 0 and 1, not 2" in refused(file, "--epoch", 2)


def test_the_published_prior(example):
    text = run(example, "--topics", 5, "--prior", "as-published").stdout
    assert "Utility with the misaligned prior on sets, and with the right one" in text


def test_explained(example):
    text = run(example, "--topics", 5, "--explain").stdout
    assert "topics api leakage = 1.95 (factor)" in text
    assert "assumes: all users are equally likely beforehand; " in text


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("markdown", "**Privacy: the chance to name the user**"),
        ("latex", r"\caption{Privacy: the chance to name the user}"),
        ("csv", "topics_api,C_T,"),
        ("text", "Limits of one report"),
    ],
)
def test_formats(example, form, text):
    assert text in run(example, "--format", form).stdout


def test_files(example, tmp_path):
    run(example, "--topics", 5, "--csv", tmp_path / "tables", "--figure", tmp_path / "stages.svg")
    assert "<svg" in (tmp_path / "stages.svg").read_text()
    names = {path.stem for path in (tmp_path / "tables").glob("*.csv")}
    assert names == {
        "counts", "privacy", "utility-bayes", "utility-iba", "limits",
        "risk", "risk-worst-posterior", "risk-shared-sets", "risk-histogram",
    }  # fmt: skip
    with (tmp_path / "tables" / "privacy.csv").open() as file:
        rows = {row["step"]: row for row in csv.DictReader(file)}
    assert float(rows["topics_api"]["leakage"]) == pytest.approx(1.95)


def test_a_folder_that_cannot_be_made(example):
    assert f"cannot write '{example}/tables'" in refused(example, "--csv", example / "tables")


def test_bad_input_is_told_in_one_line(tmp_path, example, numbers):
    assert "there is no file" in refused(tmp_path / "missing.csv")
    assert "topics must be a number or one of v1, v2, google-nl-v2, iab-1.1, not 'v3'" in refused(
        numbers, "--topics", "v3"
    )
    error = refused(example, "--topics", "v1")
    assert f"Error: {str(example)!r}, line 2: the set has the topic 'aaaaa', which is not in" in error
    assert "give a number of topics, 'occurring', or another of" in error
    numbers.write_text("user,t1,t2\n1,10,11\n\n2,10,350\n")
    assert "line 4: the set has the topic '999', which is not in the taxonomy v1" in refused(numbers)
    numbers.write_text('user,epoch,topics\n1,0,"1,2"\n1,1,"7,350"\n')
    assert "line 3: the set has the topic '999'" in refused(numbers, "--epoch", 1)
    assert "4 topics occur, but the taxonomy '3' has only 3" in refused(example, "--topics", 3)
    assert "noise must be a number between 0 and 1, not 1.5" in refused(example, "--noise", 1.5)
    assert "quiff experiment writes one" in refused(example, "--histories", tmp_path / "none")


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


def test_each_users_risk_and_topics(example):
    found = answer(example, "--topics", 5, "--topic", "Music", "--exposure", "--threshold", "0.6")
    assert found["risk"]["topics_api"]["mean"] == pytest.approx(0.65)
    assert found["risk"]["topics_api"]["threshold"] == 0.6
    assert found["topic Music"]["topic"] == "Music"
    assert found["exposure"]["topics"]
    assert "'Chess'" in refused(example, "--topics", 5, "--topic", "Chess")


def test_settings_are_compared(example, tmp_path):
    figure = tmp_path / "beside.svg"
    found = answer(example, "--topics", 5, "--compare", "noise=1/2", "--figure", figure)
    leakages = {row["name"]: row["leakage"] for row in found["comparison"]["settings"]}
    assert leakages == {"as measured": pytest.approx(1.95), "noise=1/2": pytest.approx(1.5)}
    assert "noise=1/2" in figure.read_text()
    assert "quiff profile" in refused(example, "--topics", 5, "--compare", "top=1")


def test_a_topic_may_have_any_name(tmp_path):
    file = tmp_path / "profiles.csv"
    file.write_text("user,t1\nAlice,../News/Local\nBob,Music\n")
    run(file, "--topic", "../News/Local", "--csv", tmp_path / "tables")
    assert (tmp_path / "tables" / "topic ..%2FNews%2FLocal.csv").exists()
