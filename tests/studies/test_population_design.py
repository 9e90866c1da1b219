"""The mechanism of least capacity for a population, against the program over all channels."""

import json
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import quiff
from quiff.cli import main
from quiff.measures.covering import fractional_cover, partial_cover
from quiff.studies.design import fit_design
from words import refused


@st.composite
def populations(draw):
    m = draw(st.integers(3, 5))
    s = draw(st.integers(1, m - 1))
    sets = draw(st.lists(st.sets(st.integers(1, m), min_size=s, max_size=s), min_size=1, max_size=6))
    return quiff.Population.from_sets(dict(enumerate(sets)), topics=range(1, m + 1))


def least_capacity_of_any_channel(population, floor, everybody):
    """Solve for every entry of a channel from distinct sets to topics; no other outputs are of use."""
    sets, _ = population.distinct_sets()
    share = population.set_counts() / population.n_users
    n, m = len(sets), len(population.topics)
    width = n * m + m  # entries C[S,t] row by row, then the columns' maxima
    below = np.zeros((n * m, width))
    for i, (row, t) in enumerate(product(range(n), range(m))):
        below[i, row * m + t], below[i, n * m + t] = 1, -1
    genuine = np.zeros((n, width))
    for row, codes in enumerate(np.asarray(sets.codes)):
        genuine[row, row * m + codes] = -1
    floors = genuine if everybody else (share @ genuine)[np.newaxis]
    sums = np.zeros((n, width))
    for row in range(n):
        sums[row, row * m : (row + 1) * m] = 1
    found = linprog(
        np.r_[np.zeros(n * m), np.ones(m)],
        np.vstack([below, floors]),
        np.r_[np.zeros(n * m), np.full(len(floors), -floor)],
        sums,
        np.ones(n),
    )
    return found.fun


@settings(max_examples=60)
@given(populations(), st.sampled_from([0.3, 0.7, 0.95, 1.0]))
def test_no_channel_leaks_less_at_the_same_utility(population, floor):
    m, s = len(population.topics), population.top_s
    design = fit_design(population, max(floor, s / m), quiff.TopicsAPI(m, s))
    utility = design.words["utility"]
    average, worst = design.payload["fitted"]
    for fitted, everybody in ((average, False), (worst, True)):
        least = least_capacity_of_any_channel(population, utility, everybody)
        assert fitted["capacity"] == pytest.approx(least, abs=1e-7)
        assert fitted["least_capacity"] == pytest.approx(least, abs=1e-7)
    assert average["utility"] >= utility - 1e-8
    assert worst["worst_utility"] >= utility - 1e-8
    assert worst["capacity"] <= float(design.payload["topics_api"]["bayes_capacity"]) + 1e-8


@settings(max_examples=60)
@given(populations(), st.sampled_from([0.3, 0.7, 1.0]))
def test_the_mechanism_is_the_channel_that_it_says(population, floor):
    share = population.set_counts() / population.n_users
    m, s = len(population.topics), population.top_s
    design = fit_design(population, max(floor, s / m), quiff.TopicsAPI(m, s))
    for fitted in design.payload["fitted"]:
        api = quiff.FittedAPI(fitted["weights"])
        assert design[api.spec, "capacity"] == fitted["capacity"]
        C = api.observe(population.distinct_sets()[0])
        matrix = C.to_numpy()
        assert matrix.sum(axis=1) == pytest.approx(1)
        assert quiff.bayes_capacity(C) == pytest.approx(fitted["capacity"])
        genuine = [
            sum(matrix[row, column] for column, topic in enumerate(C.outputs) if topic in names)
            for row, names in enumerate(C.inputs)
        ]
        assert share @ np.array(genuine) == pytest.approx(fitted["utility"])
        assert min(genuine) == pytest.approx(fitted["worst_utility"])


@settings(max_examples=40)
@given(populations(), st.integers(1, 20), st.sampled_from([0.3, 0.7, 0.95]))
def test_a_sample_keeps_to_the_level_on_all_sets_and_its_bound_is_one(population, seed, level):
    codes = np.asarray(population.distinct_sets()[0].codes)
    share = population.set_counts() / population.n_users
    drawn, counts = np.unique(np.random.default_rng(seed).choice(len(share), 3, p=share), return_counts=True)
    weights, bound = partial_cover(codes, len(population.topics), share, level, (drawn, counts / 3))
    exact, optimum = partial_cover(codes, len(population.topics), share, level)
    assert exact.sum() == pytest.approx(optimum)
    assert share @ np.minimum(1, weights[codes].sum(axis=1)) >= level - 1e-8
    assert bound <= optimum + 1e-8 <= weights.sum() + 2e-8


def test_the_hitting_number_of_the_pets_population(mirror):
    population = quiff.Population.read(mirror / "topics-users-250000.csv.tar.gz")
    _, hitting = fractional_cover(np.asarray(population.distinct_sets()[0].codes), 349)
    assert hitting == pytest.approx(59.86, abs=0.005)
    design = fit_design(population, 0.95).payload
    average, worst = design["fitted"]
    assert worst["capacity"] == pytest.approx(0.95 * hitting)
    assert average["least_capacity"] <= average["capacity"] < 12.5
    assert average["utility"] == pytest.approx(0.95, abs=1e-6)
    assert float(design["topics_api"]["bayes_capacity"]) == pytest.approx(0.95 * 349 / 5)


def test_the_command(tmp_path):
    file = tmp_path / "profiles.csv"
    file.write_text("user,t1,t2\nAlice,News,Music\nBob,Music,Travel\n")
    run = CliRunner()
    result = run.invoke(
        main, ["design", "--people", str(file), "--api", "topics:n_topics=5", "--utility", "0.9", "--json"]
    )
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    assert [fitted["capacity"] for fitted in answer["payload"]["fitted"]] == [1, 1]
    assert "rewards always naming popular topics" in answer["sentences"][1]
    wrong = run.invoke(main, ["design", "--people", str(file), "--capacity", "3"])
    assert wrong.exit_code == 2
    assert "--utility" in wrong.stderr


def test_what_the_command_writes_is_an_api(tmp_path):
    file, out = tmp_path / "profiles.csv", tmp_path / "fitted.json"
    file.write_text("user,t1,t2\n" + "\n".join(f"u{k},{k % 4 + 1},{k % 5 + 5}" for k in range(20)))
    arguments = [
        "design",
        "--people",
        str(file),
        "--api",
        "topics:n_topics=9",
        "--utility",
        "0.7",
        "--out",
        str(out),
    ]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    made = json.loads(out.read_text())
    people = quiff.Population.read(file)
    for fitted, aim in zip(made["payload"]["fitted"], ("", ",aim=worst-off user"), strict=True):
        api = quiff.api_from(f"fitted:weights={out}{aim}")
        assert api.spec == f"fitted:weights={out}{aim}"
        found = quiff.measure(people, api)
        assert found[api.spec, "bayes_capacity", "people"] == pytest.approx(fitted["capacity"])
        by_hand = quiff.FittedAPI({int(topic): weight for topic, weight in fitted["weights"].items()})
        assert by_hand.weights == api.weights
    table = tmp_path / "weights.csv"
    table.write_text("topic,weight\n" + "\n".join(f"{t},{w}" for t, w in by_hand.weights.items()))
    assert quiff.FittedAPI(table).weights == by_hand.weights
    assert by_hand.spec != quiff.FittedAPI({1: 1.0}).spec
    assert by_hand.spec == quiff.FittedAPI(dict(by_hand.weights)).spec


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"fitted": [{"aim": "nobody"}]}', '{"fitted": 3}'])
def test_a_file_without_weights_is_told_in_one_line(tmp_path, text):
    (tmp_path / "fitted.json").write_text(text)
    with refused(quiff.QuiffError):
        quiff.FittedAPI(tmp_path / "fitted.json")
    with refused(quiff.QuiffError):
        quiff.FittedAPI(tmp_path / "none.json")
