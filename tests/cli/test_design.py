"""``quiff design``: the parameters that meet a budget."""

import json
from math import exp, inf

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from quiff.cli import main
from words import worded

KEYS = ["top", "noise", "bayes_capacity", "max_case_capacity", "epsilon", "utility"]


def run(*arguments):
    return CliRunner().invoke(main, ["design", *arguments])


def answer(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["payload"]


@pytest.mark.parametrize(("topics", "strict", "nearest"), [("629", 10, 9), ("v2", 7, 7), ("v1", 5, 5)])
@pytest.mark.parametrize("budget", [("--capacity", "66.36"), ("--max-case", "1327.2")])
def test_the_papers_question(topics, strict, nearest, budget):
    found = answer("--api", f"topics:n_topics={topics}", *budget)
    assert (found["strict"]["top"], found["nearest"]["top"]) == (strict, nearest)


def test_json_has_every_promised_key():
    whole = json.loads(run("--capacity", "10", "--json").stdout)
    found, words = whole["payload"], whole["study"]["words"]
    assert len(found["options"]) == 348
    assert all(list(option) == KEYS for option in found["options"])
    assert words["measure"] == "capacity"
    assert words["target"] == 10
    assert "max(1, m u/s)" in " ".join(words["notes"])


@pytest.mark.parametrize(
    ("option", "target"), [("--capacity", 20.0), ("--epsilon", 3.0), ("--max-case", 50.0), ("--utility", 0.8)]
)
def test_the_options_meet_the_budget_when_recomputed(option, target):
    m = 469
    for found in answer("--api", "topics:n_topics=v2", option, str(target))["options"]:
        s, r = found["top"], found["noise"]
        inside, outside = (1 - r) / s + r / m, r / m
        ratio = inside / outside if outside else inf
        slack = 1 + 1e-9
        assert {
            "--capacity": m * inside <= target * slack,
            "--epsilon": ratio <= exp(target) * slack,
            "--max-case": ratio <= target * slack,
            "--utility": s * inside * slack >= target,
        }[option]
        assert found["bayes_capacity"] == pytest.approx(m * inside)
        assert found["utility"] == pytest.approx(s * inside)
        assert found["max_case_capacity"] == ("inf" if ratio == inf else pytest.approx(ratio))


def test_the_text_answers_both_questions_and_states_that_nothing_does_better():
    output = run("--api", "topics:n_topics=629", "--capacity", "66.36", "--all").stdout
    for text in (
        "629 topics, a Bayes capacity of at most 66.36",
        "strictly     10     0.05      59.8",
        "nearest       9     0.05      66.4",
        "no mechanism whatever does",
        "max(1, m u/s)",
        "docs/theory/optimal-design.md",
    ):
        assert text in output


@pytest.mark.parametrize(
    "arguments",
    [[], ["--capacity", "10", "--utility", "0.9"], ["--api", "topics:n_topics=v2"], ["--capacity", "ten"]],
)
def test_anything_but_one_budget_is_wrong_usage(arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""


@pytest.mark.parametrize("more", [[], ["--people", "nobody.csv"]])
def test_a_second_api_is_refused_and_not_ignored(more):
    result = run("--api", "topics", "--api", "floc", "--utility", "0.9", *more)
    assert result.exit_code == 2
    worded(result.stderr, 2)
    assert result.stdout == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--capacity", "0.5"],
        ["--epsilon", "-1"],
        ["--max-case", "0"],
        ["--utility", "1.01"],
        ["--capacity", "2", "--api", "topics:n_topics=1"],
        ["--capacity", "2", "--api", "topics:n_topics=occurring"],
        ["--capacity", "2", "--api", "topics:noise=2"],
    ],
)
def test_an_impossible_budget_or_bad_value_is_told_at_its_option(arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    worded(result.stderr)
    assert f"{arguments[-2]}" in result.stderr
    assert result.stdout == ""


def test_the_frontier_is_drawn(tmp_path):
    file = tmp_path / "frontier.png"
    result = run("--api", "topics:n_topics=v2", "--utility", "9/10", "--figure", str(file))
    assert result.exit_code == 0
    assert file.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


texts = st.one_of(
    st.integers(-5, 400).map(str),
    st.floats().map(str),
    st.fractions(-1, 100, max_denominator=30).map(str),
    st.sampled_from(["", "x", "1e400", "9" * 15 + "/1", "1/" + "9" * 15]),
)


@given(
    st.sampled_from(["--capacity", "--epsilon", "--max-case", "--utility"]),
    texts,
    st.integers(-1, 30).map(str),
    texts | st.just("0.05"),
)
def test_whatever_is_typed_there_is_an_answer_or_a_clean_error(option, target, topics, noise):
    result = run(f"{option}={target}", f"--api=topics:n_topics={topics},noise={noise}", "--json")
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.exit_code in (0, 1, 2)
    if result.exit_code == 0:
        assert len(json.loads(result.stdout)["payload"]["options"]) == int(topics) - 1
    else:
        assert result.stdout == ""


def test_profiles_of_several_epochs_are_refused_without_a_word_of_python(tmp_path):
    file = tmp_path / "profiles.csv"
    file.write_text("user,epoch,t1\na,0,1\na,1,2\nb,0,2\nb,1,1\n")
    result = run("--people", str(file), "--utility", "0.5", "--api", "topics:n_topics=2")
    assert result.exit_code == 1
    worded(result.stderr, 2)
    assert f"{file}" in result.stderr
