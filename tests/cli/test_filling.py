"""Commands and the page say how much was filled in at random, and what the figures are without it."""

import json
from collections import Counter
from datetime import datetime, timedelta
from itertools import product

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from quiff import Population, TopicsAPI
from quiff.cli import main
from quiff.report.studies import Question, sections
from quiff.results.numbers import probability
from words import worded

START = datetime(2006, 3, 1, 5)
TOPICS = "ABCDEFGHIJKLM"
TOP, NOISE, M = 3, 0.05, 349


def run(*arguments, status=0):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == status, result.output
    return result.stdout if status == 0 else result.stderr


def visits(n_users, few):
    """Visits of users of whom `few` in five meet one or two topics only; some weeks pass without a visit."""
    for user in range(n_users):
        met = 1 + user % 2 if user % 5 < few else 3 + user % 4
        for k in range(met):
            yield user, START + timedelta(days=user % 3 + 5 * k), TOPICS[(user * 7 + k * (1 + user % 4)) % 13]


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Writes the table of visits, and its profiles; returns both."""
    folder = tmp_path_factory.mktemp("filling")

    def write(name, few, *options):
        rows = list(visits(60, few))
        columns = [pa.array([row[0] for row in rows], pa.int64()), pa.array([row[1] for row in rows])]
        columns += [["a.com"] * len(rows), [[row[2]] for row in rows]]
        table = pa.table(columns, names=["user", "time", "domain", "topics"])
        (folder / name).mkdir()
        pq.write_table(table, folder / name / "reduced.parquet")
        profiles = folder / name / "profiles.parquet"
        said = run("profile", folder / name, "--out", profiles, "--top", TOP, "--seed", 1, "--json", *options)
        return rows, profiles, json.loads(said)

    return write


@pytest.fixture(scope="module")
def some(log):
    """Two users in five have filled topics."""
    return log("some", 2)


@pytest.fixture(scope="module")
def most(log):
    """Four users in five have filled topics."""
    return log("most", 4)


@pytest.fixture(scope="module")
def weekly(log):
    return log("weekly", 1, "--epoch-days", 7)


def by_hand(rows, profiles):
    """The sets of all users, their visited topics, and the sets of users without filled topics."""
    met = Counter((user, topic) for user, _, topic in rows)
    sets = {row["user"]: frozenset(row["topics"]) for row in pq.read_table(profiles).to_pylist()}
    visited = {user: frozenset(t for t in topics if met[user, t]) for user, topics in sets.items()}
    whole = {user: topics for user, topics in sets.items() if visited[user] == topics}
    return sets, visited, whole


def unique(sets):
    alone = Counter(sets.values())
    return sum(n for n in alone.values() if n == 1) / len(sets)


def leakage(sets, epochs=1):
    """N V(pi, C) for equally likely users: the sum over all outputs of the largest entry of the column."""
    total = 0.0
    for shown in product([*TOPICS, "another"], repeat=epochs):
        times = (M - len(TOPICS)) ** shown.count("another")  # all topics outside of all sets are alike
        best = 0.0
        for topics in set(sets.values()):
            chance = 1.0
            for topic in shown:
                chance *= (1 - NOISE) * (topic in topics) / TOP + NOISE / M
            best = max(best, chance)
        total += times * best
    return total


def leakages(found, scope):
    """Return the rows of re-identification by topics, by the number of observations."""
    rows = (row for row in found["rows"] if row["scope"] == scope and row["goal"] == "user")
    return [row for row in rows if row["quantity"] == "leakage" and row["stage"] == "topics"]


@pytest.mark.parametrize("which", ["some", "most"])
def test_measure_has_both_figures_as_counted_by_hand(request, which):
    rows, profiles, profiled = request.getfixturevalue(which)
    sets, visited, whole = by_hand(rows, profiles)
    short = [TOP - len(topics) for topics in visited.values()]
    found = json.loads(run("measure", profiles, "--api", f"topics:n_topics={M}", "--json"))
    people = found["population"]
    assert people["users"] == len(sets) == 60
    assert people["filled_users"] == profiled["filled_users"] == pytest.approx(sum(map(bool, short)) / 60)
    assert people["filled_topics"] == profiled["filled_topics"] == pytest.approx(sum(short) / 180)
    assert people["users_without_visits"] == profiled["sets_without_visits"] == 0
    assert people["unique_users"] == pytest.approx(unique(sets))
    assert people["unique_users_visited"] == pytest.approx(unique(visited))
    assert people["unique_users_visited"] != people["unique_users"]
    (one,) = leakages(found, "people")
    assert one["value"] == pytest.approx(leakage(sets))
    genuine = found["study"]["parts"]["genuine"]["population"]
    assert (genuine["users"], genuine["distinct_sets"]) == (len(whole), len(set(whole.values())))
    assert genuine["unique_users"] == pytest.approx(unique(whole))
    numbers = {
        (row["quantity"], row["stage"]): row["value"] for row in found["rows"] if row["scope"] == "genuine"
    }
    assert numbers["leakage", "topics"] == pytest.approx(leakage(whole))
    assert numbers["posterior", "topics"] == pytest.approx(leakage(whole) / len(whole))
    assert numbers["posterior", "generalization"] == pytest.approx(len(set(whole.values())) / len(whole))
    share = 100 * people["filled_users"]
    message = "\n".join(found["sentences"])
    worded(message)
    assert f"{share:.1f}" in message
    *filling, few = found["warnings"]
    worded(few, 13, 349)
    assert [said for said in filling if "Filling dominates" in said] == filling
    assert bool(filling) == (which == "most") == bool(profiled["warnings"])


def test_genuine_leaves_users_with_filled_topics_out(some):
    rows, profiles, _ = some
    _, _, whole = by_hand(rows, profiles)
    found = json.loads(run("measure", profiles, "--api", f"topics:n_topics={M}", "--genuine", "--json"))
    assert found["population"]["users"] == len(whole)
    (one,) = leakages(found, "people")
    assert one["value"] == pytest.approx(leakage(whole))
    assert found["population"]["filled_users"] == 0
    assert found["population"]["unique_users"] == pytest.approx(unique(whole))
    worded("\n".join(found["notes"]))
    assert f"{60 - len(whole)}" in "\n".join(found["notes"])


def test_text_shows_it_and_names_the_option(some, most):
    said = run("measure", some[1], "--api", f"topics:n_topics={M}")
    worded(said)
    worded(run("measure", some[1], "--api", f"topics:n_topics={M}", "--all"))
    assert "Filling dominates" not in said
    assert run("measure", most[1], "--api", f"topics:n_topics={M}").count("Filling dominates") == 1
    assert "--genuine" not in run("measure", some[1], "--api", f"topics:n_topics={M}", "--genuine")


def test_profiles_that_do_not_say_have_null(some, tmp_path):
    table = pq.read_table(some[1]).drop(["genuine", "ranking"])
    pq.write_table(table, tmp_path / "p.parquet")
    found = json.loads(run("measure", tmp_path / "p.parquet", "--json"))
    for name in ("filled_users", "filled_topics", "users_without_visits", "unique_users_visited"):
        assert found["population"][name] is None
    assert not [row for row in found["rows"] if row["scope"] == "genuine"]
    assert ["topics occur; 349 are assumed" in said for said in found["warnings"]] == [True]
    epochs = json.loads(run("epochs", tmp_path / "p.parquet", "--observations", 1, "--json"))
    assert epochs["population"]["filled"] is None
    said = run("measure", tmp_path / "p.parquet", "--genuine", status=1)
    worded(said)
    assert said.count("\n") == 1


def test_epochs_of_stable_sets_have_both_figures_as_counted_by_hand(some):
    rows, profiles, _ = some
    sets, visited, whole = by_hand(rows, profiles)
    found = json.loads(
        run("epochs", profiles, "--observations", 2, "--api", f"topics:n_topics={M}", "--json")
    )
    filled = found["population"]["filled"]
    genuine = found["study"]["parts"]["genuine"]["population"]
    assert filled["genuine_users"] == genuine["users"] == len(whole)
    assert filled["distinct_visited"] == len(set(visited.values()))
    every, alone = leakages(found, "people"), leakages(found, "genuine")
    for E in (1, 2):
        assert every[E - 1]["value"] == pytest.approx(leakage(sets, E))
        assert alone[E - 1]["value"] == pytest.approx(leakage(whole, E))
    said = run("epochs", profiles, "--observations", 2, "--api", f"topics:n_topics={M}", "--all")
    worded(said)


def test_weeks_are_not_counted_without_the_share_of_those_without_visits(weekly):
    rows, profiles, profiled = weekly
    midnight = START.replace(hour=0)
    met = {(user, (time - midnight).days // 7) for user, time, _ in rows}
    per_week = Counter((user, (time - midnight).days // 7, topic) for user, time, topic in rows)
    kinds = Counter((user, week) for user, week, _ in per_week)
    for E in (2, profiled["epochs"]):
        sets = [(user, week) for user in range(60) for week in range(E)]
        without = sum(pair not in met for pair in sets) / len(sets)
        filled = sum(kinds[pair] < TOP for pair in sets) / len(sets)
        found = json.loads(run("epochs", profiles, "--observations", E, "--json"))
        assert found["population"]["users_without_visits"] == pytest.approx(without)
        assert found["population"]["filled_users"] == pytest.approx(filled)
        assert found["population"]["filled_users"] > 1 / 2
        assert "user-epochs" in found["warnings"][0]
        said = run("epochs", profiles, "--observations", E)
        whole = f"{100 * without:.1f} % of user-epochs have no visited topic at all"
        assert whole in " ".join(said.split())
        assert said.count("Filling dominates") == 1
    assert profiled["sets_without_visits"] == round(without * len(sets))
    assert leakages(found, "genuine") == []
    worded(run("epochs", profiles, "--observations", E, "--all"))


@pytest.mark.parametrize("which", ["some", "most", "weekly"])
def test_the_report_says_it_on_its_page_and_in_its_headlines(request, tmp_path, which):
    _, profiles, _ = request.getfixturevalue(which)
    told = run(
        "report", profiles, "--out", tmp_path / "r.html", "--api", f"topics:n_topics={M}", "--observations", 2
    )
    said = " ".join(told.split())
    page = (tmp_path / "r.html").read_text().replace("\N{NO-BREAK SPACE}", " ")
    filled = Population.read(profiles).epoch(0).filled
    worded(said)
    assert f"{probability(filled.filled_users)}" in said
    alone = f"On visited topics alone {probability(filled.unique_share)} of the users have a unique topic set"
    assert alone in page
    beside = "without filled topics" if filled.genuine_users else "No user has a set of visited topics only"
    assert beside in page
    assert ("Filling dominates" in page) == (which != "some")


def test_the_page_of_people_says_it_too(some):
    question = Question(Population.read(some[1]), (TopicsAPI(M, TOP, NOISE),))
    section = next(sections(question))
    worded("\n".join((*section.warnings, *section.blocks[0].lead, *section.blocks[0].further)), 40.0)
    assert any("without filled topics" in table.title for table in section.tables)
