"""``quiff theory``: tables, JSON, figures and errors."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from quiff.cli import main
from words import worded

PROMISED = [
    "bayes_capacity",
    "leakage",
    "epsilon",
    "max_case_capacity",
    "bounded_noise_capacity",
    "generalization_capacity",
    "iba_lower",
    "genuine_probability",
    "cookies_leakage",
    "epochs_bound",
    "side_information_bound",
]
PARAMETERS = {
    "n_topics": 349,
    "top_s": 5,
    "noise": 0.05,
    "occurring": 349,
    "distinct_sets": 1_000_000,
    "n_users": 1_000_000,
    "epochs": 3,
    "contexts": 100,
    "prior_success": 0.01,
    "prior_gain": 5 / 349,
    "share": 0.5,
}


def run(*arguments):
    return CliRunner().invoke(main, ["theory", *arguments])


def answer(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return numbers(json.loads(result.stdout))


def numbers(found):
    """Return the closed forms of the last stage by their names, as JSON has them in rows."""
    return {row["quantity"]: row["value"] for row in found["rows"] if not row["stage"]}


def test_the_command_alone_answers():
    result = run()
    assert result.exit_code == 0
    assert result.stderr == ""
    for figure in ("66.4", "7.19", "1,327", "66.4 %", "1 in 15,070"):
        assert figure in result.stdout
    for figure in ("69.8", "95.1 %", "1 in 180", "25.5 %"):
        assert figure in run("--all").stdout


def test_json_has_the_parameters_and_every_promised_key():
    whole = json.loads(run("--json").stdout)
    found, words = numbers(whole), whole["study"]["words"]
    assert words["forms"]["topics"] == PARAMETERS
    assert set(PROMISED) <= set(found)
    assert all(isinstance(found[key], int | float) for key in PROMISED)
    assert set(words["about"]) == {row["quantity"] for row in whole["rows"]}
    assert whole["provenance"]["parameters"]["topics"]["n_topics"] == 349
    assert set(words["about"]["epsilon"]) == {"unit", "formula", "meaning", "source", "assumes"}


@pytest.mark.parametrize(
    ("topics", "capacity", "epsilon", "max_case"),
    [("v1", 66.36, 7.191, 1327.2), ("v2", 89.16, 7.486, 1783.2), ("629", 119.56, 7.780, 2391.2),
     ("google-nl-v2", 207.34, 8.330, 4146.8), ("iab-1.1", 296.07, 8.686, 5921.4)],
)  # fmt: skip
def test_the_papers_limits(topics, capacity, epsilon, max_case):
    found = answer("--api", f"topics:n_topics={topics}")
    assert found["bayes_capacity"] == pytest.approx(capacity, abs=0.005)
    assert found["epsilon"] == pytest.approx(epsilon, abs=0.0005)
    assert found["max_case_capacity"] == pytest.approx(max_case, abs=0.05)


def test_numbers_are_at_full_precision():
    assert answer("--api", "topics:noise=1/3,n_topics=7,top_s=3")["bayes_capacity"] == 17 / 9


def test_what_is_infinite_is_the_string_inf():
    found = answer("--api", "topics:noise=0")
    assert found["epsilon"] == found["max_case_capacity"] == "inf"
    assert found["bayes_capacity"] == 69.8


def test_a_fraction_is_exact_however_long_the_result():
    found = answer("--api", "topics:noise=1/20", "--epochs", "1000")
    assert found["epochs_max_case_bound"] == "inf"  # 1327.2 to the power of 1000
    assert found["epochs_bound"] == 1_000_000


def test_all_options_reach_the_formulas():
    result = run(
        "--json",
        "--api", "topics:n_topics=5,top_s=2,noise=1/20", "--occurring", "4", "--distinct-sets", "2",
        "--n-users", "3", "--epochs", "2", "--contexts", "5", "--prior-success", "1/4",
        "--prior-gain", "2/3", "--share", "1/4",
    )  # fmt: skip
    whole = json.loads(result.stdout)
    found, (counting,) = numbers(whole), whole["payload"]["counting"].values()
    assert found["leakage"] == 1.95
    assert found["generalization_leakage"] == 2
    assert found["cookies_leakage"] == 3
    assert found["epochs_epsilon_bound"] == pytest.approx(2 * 3.8816, abs=1e-4)
    assert found["side_information_bound"] == 0.60625
    assert found["iba_upper"] == pytest.approx(59 / 60)
    assert counting[0]["n_users"] == 2
    assert counting[0]["prior_count_right"] == pytest.approx((3 / 4) ** 2)


def test_explain_tells_formula_source_and_assumptions():
    output = run("--explain").stdout
    worded(output, 66.4)
    assert "66.36 (factor)" in run("--explain", "--digits", 6).stdout
    assert "\n  formula: r + m(1-r)/s\n" in output
    assert (
        output.count("  source:  ")
        == output.count("  assumes: ")
        == len({row["quantity"] for row in json.loads(run("--json").stdout)["rows"]})
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["--api", "topics:n_topics=0"],
        ["--api", "topics:n_topics=v3"],
        ["--api", "topics:n_topics=occurring"],
        ["--api", "topics:top_s=350"],
        ["--api", "topics:noise=1.2"],
        ["--api", "topics:noise=nan"],
        ["--api", "topics:noise=6/5"],
        ["--contexts", "1"],
    ],
)
def test_a_bad_value_is_told_at_its_option(arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    worded(result.stderr)
    assert f"{arguments[0]}" in result.stderr
    worded(result.stderr)
    assert result.stdout == ""


def test_a_file_that_cannot_be_written_is_told_in_one_line():
    result = run("--figure", "no/such/folder/limits.svg")
    assert result.exit_code == 1
    worded(result.stderr)
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [["--api", "topics:noise=much"], ["--api", "topics:noise=1/0"], ["--api", "topics:top_s=2.5"], ["extra"]],
)
def test_wrong_usage_exits_with_2(arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""


def test_the_figure_is_written_beside_the_result(tmp_path):
    file = tmp_path / "theory.svg"
    result = run("--api", "topics:n_topics=v2", "--figure", str(file), "--json")
    assert result.exit_code == 0
    ((_, parameters),) = json.loads(result.stdout)["study"]["words"]["forms"].items()
    assert parameters["n_topics"] == 469
    assert "Closed forms: 469 topics, sets of 5, noise 0.05" in file.read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["theory.svg"]


def test_no_plotting_library_is_loaded_without_a_figure():
    code = """
import sys
from quiff.cli import main
main(["theory", "--json"], standalone_mode=False)
print(sorted({"altair", "vl_convert", "pandas", "scipy"} & set(sys.modules)), file=sys.stderr)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stderr == "[]\n"


texts = st.one_of(
    st.integers(-5, 400).map(str),
    st.floats().map(str),
    st.fractions(-1, 2, max_denominator=30).map(str),
    st.sampled_from(["v1", "v2", "occurring", "", "-", "1e400", "9" * 20, "1/" + "9" * 15, "0x10", "½"]),
)
names = st.sampled_from(
    ["--occurring", "--distinct-sets", "--n-users", "--epochs", "--contexts",
     "--prior-success", "--prior-gain", "--share"]
)  # fmt: skip


@given(st.dictionaries(names, texts, max_size=4))
def test_whatever_is_typed_there_is_an_answer_or_a_clean_error(options):
    result = run(*(f"{name}={text}" for name, text in options.items()), "--json")
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.exit_code in (0, 1, 2)
    if result.exit_code == 0:
        assert set(PROMISED) <= set(numbers(json.loads(result.stdout)))
    else:
        assert result.stdout == ""
        assert result.stderr.count("\n") == 1 or result.exit_code == 2


def test_a_whole_number_has_one_form():
    printed = run("--epochs", 4, "--all").stdout
    assert "1e+06" not in printed
    assert any(line.split()[:3] == ["epochs", "bound", "1,000,000"] for line in printed.splitlines())


def test_any_api_has_the_promised_keys():
    keys = ["population", "rows", "sentences", "notes", "warnings", "provenance", "payload", "study"]
    whole = json.loads(run("--api", "cookies", "--json").stdout)
    assert list(whole) == keys
    found = numbers(whole)
    assert (found["bayes_capacity"], found["shannon_capacity_bits"]) == ("inf", "inf")
    assert "shannon_capacity_bits" not in answer("--api", "noisy_ranking")
    both = json.loads(run("--api", "cookies", "--api", "topics:noise=0.1", "--json").stdout)
    assert list(both["study"]["apis"]) == ["cookies", "topics:noise=0.1"]
    worded(run("--api", "cookies").stdout)
