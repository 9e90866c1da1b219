"""``quiff.audit`` and ``quiff audit``: the answer first, claims, and what cannot be concluded."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import quiff
from quiff import Population, TopicsAPI, mechanisms
from quiff.cli import main
from quiff.errors import ParameterError, QuiffError
from words import refused, worded

VALUES = ["AT", "BR", "DE", "FR"]
PROGRAM = """
import quiff
@quiff.program
def response(country, draw, truth=0.5):
    return country if draw.flip(truth) else draw.uniform(["AT", "BR", "DE", "FR"])
"""


def frame_of(truth, n=4000, seed=0):
    rng = np.random.default_rng(seed)
    secret = rng.choice(VALUES, size=n, p=[0.4, 0.3, 0.2, 0.1])
    shown = np.where(rng.random(n) < truth, secret, rng.choice(VALUES, size=n))
    return pd.DataFrame({"country": secret, "shown": shown, "day": np.arange(n), "user": np.arange(n) % 1500})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audit")
    frame_of(0.5).to_csv(folder / "pairs.csv", index=False)
    frame_of(0.9, seed=1).to_csv(folder / "after.csv", index=False)
    (folder / "claimed.py").write_text(PROGRAM)
    return folder


COLUMNS = {"secret": "country", "observation": "shown"}


def run(folder, *words):
    given = ["audit", str(folder / "pairs.csv"), "--secret", "country", "--observation", "shown", *words]
    return CliRunner().invoke(main, list(map(str, given)))


def test_the_answer_comes_first_in_eighty_columns(folder):
    done = run(folder, "--api", f"{folder}/claimed.py:response", "--width", 0.02)
    assert done.exit_code == 0, done.output
    worded(done.stdout)
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert not any(name in done.stdout for name in VALUES)  # nobody is named
    assert "AT" in run(folder, "--names").stdout


def test_json_has_rows_tests_and_sentences(folder):
    done = run(folder, "--api", f"{folder}/claimed.py:response:truth=0.7", "--json")
    found = json.loads(done.stdout)
    assert {"rows", "payload", "sentences"} <= set(found)
    claim = found["payload"]["claim"]
    assert claim["p"] < 0.05
    assert len(claim["secrets"]) == 4
    worded("\n".join(found["sentences"]), 0.7)
    assert not any(f'"{name}"' in done.stdout for name in VALUES)


def test_an_epsilon_that_is_refuted_is_said_in_one_sentence(folder):
    found = quiff.audit(folder / "pairs.csv", epsilon=0.5, **COLUMNS)
    least = found["epsilon_at_least", "log"]
    assert 0.5 < least <= np.log(5)  # (1/2 + 1/8) / (1/8)
    worded("\n".join(found.sentences), 0.5)
    kept = quiff.audit(folder / "pairs.csv", epsilon=2, **COLUMNS)
    worded("\n".join(kept.sentences), 2)


def test_figure_and_report_page(folder, tmp_path):
    figure, page = tmp_path / "curve.svg", tmp_path / "audit.html"
    done = run(folder, "--figure", figure, "--report", page)
    assert done.exit_code == 0, done.output
    assert figure.read_text().startswith("<svg")
    html = page.read_text()
    assert "One observation multiplies" in html
    assert "<script" not in html


def test_a_claim_on_topic_sets():
    people = Population.synthetic(30, seed=1, n_topics=10, top_s=3)
    api = TopicsAPI(n_topics=10, top_s=3, noise=0.1)
    C, rng = api.channel(people), np.random.default_rng(0)
    user = rng.integers(30, size=6000)
    sets = [sorted(people.attribute("topics").values[k]) for k in people.attribute("topics").which[0]]
    topic = [C.outputs[int(y)] for y in C.kernel.sample(user, rng)]
    log = pd.DataFrame({"topics": [sets[x] for x in user], "observation": topic})
    assert quiff.audit(log, api, secret=["topics"]).payload["claim"]["p"] > 0.05
    wrong = TopicsAPI(n_topics=10, top_s=3, noise=0.5)
    assert quiff.audit(log, wrong, secret=["topics"]).payload["claim"]["p"] < 0.05


def test_persons_count_once(folder):
    found = quiff.audit(folder / "pairs.csv", person="user", **COLUMNS)
    alone = quiff.audit(folder / "pairs.csv", **COLUMNS)
    width = [r.high - r.low for r in (each.row("posterior") for each in (found, alone))]
    assert width[0] > width[1]


@pytest.mark.full
def test_an_audit_on_spark_is_that_on_duckdb(folder, duckdb, spark):
    """Everything: text, Parquet, sets, persons, weights, counts, times, two logs, claims, no secret."""
    frame = frame_of(0.5).assign(
        bag=lambda f: [[v, "all"] for v in f.shown], weight=1 + frame_of(0.5).day % 3
    )
    frame.to_parquet(folder / "pairs.parquet")

    @quiff.program
    def response(country, draw, truth=0.5):
        return country if draw.flip(truth) else draw.uniform(VALUES)

    questions = [
        (folder / "pairs.csv", response, COLUMNS | {"time": "day", "cut": 2000}),
        (folder / "pairs.parquet", None, {"secret": ["country", "user"], "observation": "bag", "time": "day",
                                          "person": "user", "weights": "weight", "periods": 3}),
        (folder / "pairs.parquet", None, COLUMNS | {"counts": "weight", "other": folder / "after.csv"}),
        (folder / "pairs.parquet", response, COLUMNS | {"secret": None, "secrets": VALUES}),
    ]  # fmt: skip
    frame_of(0.9, seed=1).assign(weight=1).to_csv(folder / "after.csv", index=False)
    for pairs, api, options in questions:
        one, two = (quiff.audit(pairs, api, con=con, **options) for con in (duckdb, spark))
        assert one.to_json() == two.to_json()
        assert str(one) == str(two)


def test_two_systems_before_and_after_and_drift(folder):
    done = run(folder, "--other", folder / "after.csv")
    worded(done.stdout)
    found = quiff.audit(folder / "pairs.csv", other=folder / "after.csv", **COLUMNS)
    row = found.row("posterior_difference")
    assert row.low < 0.925 - 0.625 < row.high
    both = pd.concat([frame_of(0.5), frame_of(0.9, seed=1).assign(day=lambda f: f.day + 4000)])
    cut = quiff.audit(both, time="day", cut=4000, **COLUMNS)
    assert cut.row("posterior_difference").low > 0
    drift = quiff.audit(both, time="day", periods=4, **COLUMNS)
    assert drift.payload["change"]["p"] < 0.05
    assert drift["posterior", "period 1"] < drift["posterior", "period 4"]
    assert "<svg" in drift.figure("parts").to_svg()
    same = quiff.audit(frame_of(0.5), time="day", **COLUMNS)
    assert same.payload["change"]["p"] > 0.05


def test_the_distribution_behind_the_noise():
    C = mechanisms.warner(truth=0.75)
    truth = np.array([0.3, 0.7])
    rng = np.random.default_rng(0)
    drawn = C.kernel.sample(rng.choice(2, size=4000, p=truth[::-1] if C.inputs[0] == "no" else truth), rng)
    log = pd.DataFrame({"observation": [C.outputs[int(y)] for y in drawn]})

    @quiff.program
    def warner(answer, draw, truth=0.75):
        return answer if draw.flip(truth) else ("no" if answer == "yes" else "yes")

    found = quiff.audit(log, warner, secret=None, secrets=["yes", "no"])
    row = found.row("secret_share", "yes")
    assert row.low < 0.3 < row.high
    few = quiff.audit(log.head(400), warner, secret=None, secrets=["yes", "no"]).row("secret_share", "yes")
    assert few.high - few.low > row.high - row.low
    with refused(ParameterError):
        quiff.audit(log, secret=None)


def test_what_secrets_can_be_is_said_on_the_command_line(folder):
    words = [
        "audit",
        f"{folder}/pairs.csv",
        "--observation",
        "shown",
        "--api",
        f"{folder}/claimed.py:response",
    ]
    some = [word for value in VALUES for word in ("--secrets", value)]
    done = CliRunner().invoke(main, [*words, "--behind", *some])
    assert done.exit_code == 0, done.output
    worded(done.stdout)
    assert CliRunner().invoke(main, [*words, *some]).exit_code == 2
    unsaid = CliRunner().invoke(main, [*words, "--behind"])
    worded(unsaid.output)


def test_a_gain_from_a_file(folder, tmp_path):
    file = tmp_path / "gain.csv"
    file.write_text("action,AT,BR,DE,FR\nnorth,0,0,1,1\nsouth,0,1,0,0\n")
    done = run(folder, "--gain", file)
    assert done.exit_code == 0, done.output
    worded(done.stdout)


def test_people_behind_the_noise_are_not_named(tmp_path):
    people = tmp_path / "people.csv"
    people.write_text("user,country\nann,AT\nbob,BR\n")
    log = tmp_path / "seen.csv"
    log.write_text("observation\n" + "AT\n" * 30 + "BR\n" * 20)
    (tmp_path / "own.py").write_text(
        "import quiff\n@quiff.program\ndef own(user, draw):\n"
        "    return user.country if draw.flip(0.9) else draw.uniform(['AT', 'BR'])\n"
    )
    words = ["audit", log, "--behind", "--api", f"{tmp_path}/own.py:own", "--people", people]
    done = CliRunner().invoke(main, list(map(str, words)))
    assert done.exit_code == 0, done.output
    worded(" ".join(done.stdout.split()), 1)
    named = CliRunner().invoke(main, [*map(str, words), "--names"]).stdout
    worded(" ".join(named.split()))


def log_of(secrets, observations):
    return pd.DataFrame({"secret": secrets, "observation": observations})


def test_one_secret_only():
    with refused(QuiffError):
        quiff.audit(log_of(["a"] * 10, range(10)))


def test_secrets_seen_once():
    found = quiff.audit(log_of(range(100), [k % 2 for k in range(100)]))
    worded("\n".join(found.warnings), 100)


def test_no_overlap_between_parts():
    found = quiff.audit(log_of([k % 2 for k in range(1000)], range(1000)))
    assert any("frequencies say nothing" in line and "--rules nearest" in line for line in found.warnings)
    assert found.row("posterior").high == 1


def test_missing_values_and_copies():
    found = quiff.audit(log_of(["a", "b", None] * 50, ["a", "b", "b"] * 50))
    worded("\n".join(found.warnings), 50)
    worded("\n".join(found.warnings))


def test_a_million_distinct_outputs():
    rng = np.random.default_rng(0)
    found = quiff.audit(log_of(rng.integers(4, size=1_000_000), rng.permutation(1_000_000)))
    assert found.row("leakage").low == 1
    worded("\n".join(found.warnings))


def test_two_rows():
    with refused(QuiffError):
        quiff.audit(log_of(["a", "b"], [1, 2]), seed=3)


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        ({"level": 1.5}, (0.5, 1)),
        ({"rules": []}, ()),
        ({"rules": "perceptrons"}, ()),
        ({"width": 2}, (0, 1)),
        ({"time": "day", "other": "x.csv"}, ()),
        ({"epsilon": -1}, ()),
    ],
)
def test_parameters_out_of_range(folder, options, numbers):
    with refused(ParameterError, *numbers):
        quiff.audit(folder / "pairs.csv", **COLUMNS, **options)
