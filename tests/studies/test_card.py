"""The card of a surface: from tables, marginals, people and APIs, in words, JSON and on a page."""

import csv
import json
from collections import Counter

import numpy as np
import pytest
from click.testing import CliRunner

import quiff
from quiff import Population, card
from quiff.cli import main
from quiff.errors import ParameterError, QuiffError
from quiff.results.result import Result
from words import refused, worded


@pytest.fixture(scope="module")
def devices(tmp_path_factory):
    rng = np.random.default_rng(3)
    rows = list(
        zip((rng.zipf(1.6, 3000) % 400).tolist(), rng.choice(["a", "b", "c"], 3000).tolist(), strict=True)
    )
    path = tmp_path_factory.mktemp("card") / "devices.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("fonts", "browser"), *rows])
    return path, rows


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


def test_a_table_is_counted_as_plain_python_counts_it(devices):
    path, rows = devices
    result = card(path, columns=["fonts"], exposed=["browser"])
    fonts, both = Counter(font for font, _ in rows), Counter(rows)
    own = result.rows.where(stage="these people")
    assert own["leakage"] == len(fonts)
    assert own["unique_users"] == sum(n == 1 for n in fonts.values()) / 3000
    assert own["small_crowds"] == sum(n for n in fonts.values() if n < 5) / 3000
    beside = result.rows.where(stage="with browser")
    assert beside["leakage"] == len(both)
    assert beside["unique_users"] == sum(n == 1 for n in both.values()) / 3000
    assert result.payload["exposed"][0]["adds"] == len(both) / 3


def test_frames_counts_mappings_and_people_say_the_same(devices):
    path, rows = devices
    import pandas as pd

    sizes = Counter(font for font, _ in rows)
    frame = pd.DataFrame({"fonts": list(sizes), "n": list(sizes.values())})
    people = Population.from_sets({n: {1} for n in range(3000)}).with_attribute("fonts", [f for f, _ in rows])
    cards = [
        card(path, columns=["fonts"]),
        card(frame, counts="n"),
        card(sizes),
        card(people, columns=["fonts"]),
    ]
    numbers = [[(row.quantity, row.stage, row.value) for row in made.rows] for made in cards]
    assert numbers[0] == numbers[1] == numbers[2] == numbers[3]


def test_marginals_give_bounds_that_hold_the_truth(devices, tmp_path):
    path, rows = devices
    columns = {"fonts": [f for f, _ in rows], "browser": [b for _, b in rows]}
    pairs = {"fonts+browser": [f"{f}|{b}" for f, b in rows]}
    for name, known in (("alone", columns), ("pairs", columns | pairs)):
        file = tmp_path / f"{name}.csv"
        with file.open("w", newline="") as out:
            writer = csv.writer(out)
            writer.writerow(("column", "value", "count"))
            for column, values in known.items():
                writer.writerows((column, value, n) for value, n in Counter(values).items())
        row = card(file, marginals=True).rows
        whole = card(path).rows.where(stage="these people")
        (bits,) = row.where(quantity="entropy_bits")
        (factor,) = row.where(quantity="leakage")
        assert factor.low <= whole["leakage"] <= factor.high
        assert bits.low - 1e-9 <= whole["entropy_bits"] <= bits.high + 1e-9
        if name == "pairs":
            assert bits.high == pytest.approx(whole["entropy_bits"])


def test_an_api_has_its_capacity():
    result = card(api=quiff.TopicsAPI(), sizes=[10**3, 10**6])
    assert result["bayes_capacity"] == pytest.approx(66.36)
    assert result["posterior", "1,000,000 people"] == pytest.approx(66.36e-6)


def test_it_says_so_in_words(devices, tmp_path, monkeypatch):
    path, _ = devices
    monkeypatch.chdir(path.parent)
    plain = run("card", "devices.csv", "--columns", "fonts", "--exposed", "browser", "--fake", "0.1", "--all")
    worded(plain.output)
    issue = run("card", "devices.csv", "--format", "issue").output
    assert issue.startswith("**Of 3,000 people")
    assert "quiff card devices.csv --format issue" in issue
    assert json.loads(issue.split("```json\n")[1].split("\n```")[0])["crowds"]
    page = tmp_path / "card.html"
    assert run("card", "devices.csv", "--report", page).exit_code == 0
    html = page.read_text()
    assert "<script" not in html
    assert "Of 3,000 people" in html
    assert "hides that" in html


def test_it_comes_back_from_json(devices):
    path, _ = devices
    result = card(path)
    again = Result.from_json(result.to_json())
    assert again.sentences == result.sentences
    assert str(again) == str(result)


def test_what_cannot_be_a_card_is_refused(devices, tmp_path):
    path, _ = devices
    with refused(ParameterError, what="table"):
        card()
    with refused(ParameterError, what="a column", value="font"):
        card(path, columns=["font"])
    with refused(ParameterError, what="api"):
        card(api=quiff.program(lambda secret, draw: secret))
    (tmp_path / "none.csv").write_text("fonts\n")
    with refused(QuiffError):
        card(tmp_path / "none.csv")
    less = tmp_path / "less.csv"
    for cell in ("0", "-3", "some", ""):
        less.write_text(f"fonts,n\na,2\nb,{cell}\n")
        with refused(ParameterError, where=f"'{less}', line 3"):
            card(less, counts="n")
    with refused(ParameterError, what="api"):
        card(path, api=quiff.TopicsAPI())
    with refused(ParameterError, what="table"):
        card(quiff.drift(Population.synthetic(20, seed=1), 2, 0.1, 1))
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("column,value,count\na,1,3\na+b,1,3\n")
    with refused(ParameterError, what="a pair of columns"):
        card(pairs, marginals=True)
