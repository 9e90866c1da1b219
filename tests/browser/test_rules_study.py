"""What each rule does for privacy: the study, its estimates, and the command."""

import json
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import textbook
from quiff import Cookies, ParameterError, Population, TopicsAPI, bayes_capacity, repeat
from quiff.browser.rates import VisitRates, profiles_from_rates
from quiff.browser.reports import Reports
from quiff.browser.rule_effects import estimate_call_leakage
from quiff.browser.rules import RULES, BrowserRules
from quiff.browser.simulation import simulate
from quiff.cli import main
from quiff.results.numbers import to_json
from quiff.studies.browser_rules import browser_rules
from quiff.weeks.calls import EpochLaw, TopicGroups
from words import refused, worded

NOTHING = "nothing"


def call_leakage(people, m, r):
    """The leakage of a call of three epochs, by counting."""
    s = people.top_s
    return TopicGroups.of(people, TopicsAPI(m, s, r)).leakage(EpochLaw.of(m, s, r))


def views_with_holes(codes, m, r, epochs):
    """P[view | user] where -1 is an empty place, by enumeration of all sequences of reports."""
    views = {}
    for user, own in enumerate(codes.tolist()):
        row = dict.fromkeys([*range(m), NOTHING], Fraction(0))
        for place in own:
            if place < 0:
                row[NOTHING] += Fraction(1, len(own))
                continue
            row[place] += Fraction(1, len(own)) * (1 - r)
            for topic in range(m):
                row[topic] += Fraction(1, len(own)) * r / m
        into = views.setdefault(user, {})
        for sequence in product(row, repeat=epochs):
            view = frozenset(sequence) - {NOTHING}
            into[view] = into.get(view, 0) + prod(row[report] for report in sequence)
    return views


@pytest.mark.parametrize("epochs", [1, 2, 3])
def test_the_interval_of_an_estimate_covers_the_truth(epochs):
    codes = np.array([[0, 1, 2], [0, 1, -1], [1, 3, -1], [3, -1, -1], [0, 1, 2], [-1, -1, -1]])
    truth = float(textbook.bayes_capacity(views_with_holes(codes, 5, Fraction(1, 10), epochs)))
    found = [estimate_call_leakage(codes, 5, 0.1, epochs, samples=400, seed=seed) for seed in range(60)]
    covered = sum(estimate.low <= truth <= estimate.high for estimate in found)
    assert covered >= 51  # of 60 at 95 %; fewer happen once in 10 000
    assert abs(np.mean([estimate.value for estimate in found]) - truth) < 0.02 * truth


def test_an_estimate_of_full_sets_is_what_is_counted():
    people = Population.synthetic(2000, seed=1, n_topics=40, top_s=4)
    exact = call_leakage(people, 40, 0.05)
    found = estimate_call_leakage(people.codes.astype(int), 40, 0.05, samples=4000, seed=1)
    assert found.low < exact < found.high


PEOPLE = Population.from_sets(
    {"Alice": {1, 2}, "Bob": {3, 4}, "Carol": {1, 4}, "Dan": {1, 2}, "Eve": {2, 3}}, topics=range(1, 6)
)
API = TopicsAPI(5, 2, Fraction(1, 20))
FOUND = browser_rules(PEOPLE, API, samples=500)


def effects_of(result):
    """Return the leakage with each rule and without it, by rule and adversary."""
    effects = {}
    for rule, adversary, _ in result.words["rules"]:
        rows = result.rows.where(goal="user" if adversary == "call" else adversary)
        effects[rule, adversary] = {
            state: rows.where(stage=stage).row("leakage")
            for state, stage in (("with", rule), ("without", f"-{rule}"))
        }
    return effects


EFFECTS = effects_of(FOUND)


def dense_call(r, epochs=3, codes=PEOPLE.codes):
    """The leakage of a call, by enumeration."""
    return textbook.bayes_capacity(views_with_holes(codes.astype(int), 5, r, epochs))


def test_every_rule_without_visits_is_in_the_table():
    assert {rule for rule, _ in EFFECTS} == set(RULES) - {"padding", "utility_buckets"}


def test_the_figures_are_those_of_enumerated_calls():
    specified = dense_call(Fraction(1, 20))
    assert FOUND["leakage"] == specified
    for (rule, adversary), effect in EFFECTS.items():
        goal = "user" if adversary == "call" else "link"
        assert FOUND[API.spec, "leakage", rule, goal] == effect["with"].value
        assert FOUND[API.spec, "leakage", f"-{rule}", goal] == effect["without"].value
        if adversary == "call" and rule not in ("witness_filter", "noise_after_filter", "blocking"):
            assert effect["with"].value == specified
    assert EFFECTS["noise", "call"]["without"].value == dense_call(Fraction(0))
    assert EFFECTS["three_epochs", "call"]["without"].value == dense_call(Fraction(1, 20), epochs=1)
    assert EFFECTS["three_epochs", "call"]["without"].value == bayes_capacity(API.channel(PEOPLE))
    assert EFFECTS["each_once", "call"]["without"].value == bayes_capacity(repeat(API.channel(PEOPLE), 3))
    assert EFFECTS["witness_filter", "call"]["without"].value == specified
    assert EFFECTS["witness_filter", "call"]["with"].value < specified
    assert EFFECTS["switch_delay", "call"]["without"].value == specified


def test_blocking_is_estimated_around_the_enumerated_figure():
    popular = 0 if (PEOPLE.codes == 0).sum() >= (PEOPLE.codes == 1).sum() else 1
    codes = np.where(PEOPLE.codes.astype(int) == popular, -1, PEOPLE.codes.astype(int))
    truth = float(dense_call(Fraction(1, 20), codes=codes))
    found = EFFECTS["blocking", "call"]["with"]
    assert found.method == "monte-carlo"
    assert found.low < truth < found.high
    assert FOUND.row("leakage", "blocking").method == "monte-carlo"


def test_who_sees_the_same_topic_on_both_sites_links_more():
    apart, alike = (
        EFFECTS["per_site", "link"]["with"].value,
        EFFECTS["per_site", "link"]["without"].value,
    )
    assert 1 < apart < alike == 5
    assert EFFECTS["noise", "link"]["without"].value > apart


def test_a_simulated_adversary_reaches_the_exact_figure():
    """Bayes' guess by hand on simulated calls: its success is V, for the browser as specified."""
    people = Population.from_array(
        range(6), [[0, 1], [1, 2], [2, 3], [3, 4], [0, 4], [0, 2]], topics=range(5)
    )
    truth = float(call_leakage(people, 5, 0.2)) / 6
    views = views_with_holes(people.codes.astype(int), 5, Fraction(1, 5), 3)
    n, right = 3000, 0.0
    reports = simulate(people, BrowserRules(top_s=2, noise=0.2), epochs=1, sites=n, seed=1)
    for site in range(n):
        for user, codes in enumerate(reports.view(site, 1).tolist()):
            view = frozenset(code for code in codes if code >= 0)
            likely = [views[x][view] for x in range(6)]
            best = [x for x in range(6) if likely[x] == max(likely)]
            right += (user in best) / len(best)
    error = 4 * np.sqrt(truth * (1 - truth) / (6 * n))
    assert abs(right / (6 * n) - truth) < error


def test_padding_and_buckets_are_measured_on_visits():
    rates = VisitRates.of(np.random.default_rng(1).exponential(0.5, (300, 12)) ** 2)
    people = profiles_from_rates(rates, top_s=3, seed=0)
    found = browser_rules(
        people, TopicsAPI(12, 3, 0.05), rates=rates, high_utility=[1, 2], samples=800, seed=0
    )
    effects = {rule: effect for (rule, _), effect in effects_of(found).items()}
    # The same seed gives the same visits, and so the population itself.
    assert effects["padding"]["with"].value == found.rows["leakage"]
    assert effects["padding"]["without"].method == "monte-carlo"
    first = profiles_from_rates(rates, top_s=3, seed=0, high_utility=[1, 2])
    assert effects["utility_buckets"]["with"].value == call_leakage(first, 12, 0.05)


def test_the_result_shows_as_table_json_and_figure():
    found = browser_rules(PEOPLE, API, samples=100)
    assert found.population["users"] == bayes_capacity(Cookies().channel(PEOPLE)) == 5
    assert "three epochs or one" in found.tables["rules"].to_markdown()
    worded(found.tables["rules"].to_text())
    data = json.loads(to_json(found.to_dict()))
    assert data["rows"][0]["method"] == "exact"
    assert data["study"]["words"]["rules"][0][0] == "noise"
    assert "<table>" in found._repr_html_()
    assert "noise after filter (call)" in found.figure().to_svg()


def test_what_cannot_be_compared_is_refused():
    with refused(ParameterError, 5, 2):
        browser_rules(PEOPLE, TopicsAPI())
    with refused(ParameterError):
        browser_rules(PEOPLE, Cookies())
    changing = Population.from_array(range(2), [[[0, 1], [1, 2]]] * 2, topics=range(5))
    with refused(ParameterError):
        browser_rules(changing, API)


@pytest.fixture
def run():
    def invoke(*arguments, command="simulate"):
        return CliRunner().invoke(main, [command, *map(str, arguments)])

    return invoke


@pytest.fixture
def profiles(tmp_path):
    file = tmp_path / "profiles.csv"
    lines = [f"u{k},{k % 7 + 1},{k % 5 + 8},{k % 3 + 13}" for k in range(40)]
    file.write_text("\n".join(["user,t1,t2,t3", *lines]))
    return file


def test_the_command_writes_reports(run, profiles, tmp_path):
    out = tmp_path / "reports.parquet"
    result = run(profiles, "--epochs", 4, "--sites", 3, "--out", out, "--seed", 1, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["rows"] == 40 * 3 * 6
    people = Population.read(profiles)
    assert Reports.read(out) == simulate(people, TopicsAPI(349, 3, 0.05), epochs=4, sites=3, seed=1)


def test_the_command_switches_rules_off_and_blocks_topics(run, profiles, tmp_path):
    out = tmp_path / "reports.csv"
    result = run(
        profiles, "--epochs", 2, "--out", out, "--without", "noise", "--without", "three-epochs",
        "--block", "13", "--api", "topics:n_topics=occurring", "--coverage", "1", "--seed", 1,
        "--drift", "0.1", "--call-day", "1",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    found = Reports.read(out, per_call=1)
    assert 13 not in found.topics
    assert (found.by_epoch == -1).any()
    assert "epochs: 2" in result.output


def test_the_command_takes_cookies_and_rates(run, profiles, tmp_path):
    out = tmp_path / "reports.parquet"
    assert run(profiles, "--epochs", 2, "--out", out, "--api", "cookies").exit_code == 0
    assert (Reports.read(out).by_epoch[0] == np.arange(40)[:, None]).all()
    rates = tmp_path / "rates.csv"
    rates.write_text("\n".join(",".join(str((k * j) % 5) for j in range(20)) for k in range(1, 6)))
    result = run(
        "--rates", rates, "--users", 30, "--how", "cross", "--epochs", 2, "--out", out, "--json", "--force"
    )
    assert json.loads(result.output)["users"] == 30


def test_the_command_takes_page_loads(run, tmp_path):
    loads, topics, out = tmp_path / "loads.csv", tmp_path / "topics.csv", tmp_path / "reports.csv"
    rows = [f"u{u},{day * 86400},s{(u + day) % 9}.tld,ads.tld" for u in range(4) for day in range(40)]
    loads.write_text("\n".join(["user,time,site,callers", *rows]))
    topics.write_text("\n".join(["domain,topics", *(f"s{k}.tld,'t{k}'" for k in range(9))]))
    result = run(
        "--page-loads", loads, "--classification", topics, "--caller", "ads.tld", "--epochs", 2, "--out", out,
        "--api", "topics:noise=0", "--seed", 1, "--json",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["users"] == 4
    assert json.loads(result.output)["empty"] == 0  # one caller saw everything


def test_the_command_compares_rules(run, profiles, tmp_path):
    figure = tmp_path / "rules.svg"
    result = run(profiles, "--json", "--figure", figure, "--seed", 1, command="rules")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["population"]["users"] == 40
    assert figure.read_text().startswith("<svg")
    worded(run(profiles, "--coverage", "1/4", command="rules").output)


@pytest.mark.parametrize(
    ("command", "arguments", "status"),
    [
        ("simulate", ["--epochs", 2, "--out", "x.csv"], 2),
        ("simulate", ["{profiles}", "--out", "x.csv"], 2),
        ("simulate", ["{profiles}", "--epochs", 2, "--out", "x.txt"], 2),
        (
            "simulate",
            ["{profiles}", "--epochs", 0, "--out", "x.csv"],
            2,
        ),
        ("simulate", ["none.csv", "--epochs", 1, "--out", "x.csv"], 1),
        ("simulate", ["--page-loads", "{profiles}", "--epochs", 1, "--out", "x.csv"], 2),
        ("simulate", ["{profiles}", "--epochs", 1, "--out", "x.csv", "--block", "zzz"], 1),
        ("rules", [], 2),
        ("rules", ["{profiles}", "--seed", -1], 2),
        ("simulate", ["{profiles}", "--epochs", -5, "--drift", 0, "--out", "x.csv"], 2),
        (
            "simulate",
            ["{profiles}", "--epochs", 1, "--users", 9, "--out", "x.csv"],
            2,
        ),
        ("simulate", ["--rates", "{rates}", "--api", "topics:top_s=0", "--epochs", 1, "--out", "x.csv"], 2),
        ("rules", ["{profiles}", "--block", "13"], 2),
        (
            "simulate",
            ["--page-loads", "{profiles}", "--epochs", 1, "--out", "x.csv", "--call-day", "0"],
            2,
        ),
    ],
)
def test_what_is_wrong_is_told_in_one_line(run, profiles, tmp_path, command, arguments, status):
    rates = tmp_path / "rates.csv"
    rates.write_text("0.5,0.2,1\n0,0,3\n")
    words = (str(argument).format(profiles=profiles, rates=rates) for argument in arguments)
    result = run(*words, command=command)
    assert result.exit_code == status
    worded(result.output)
    assert "Traceback" not in result.output


@given(
    st.integers(1, 3).flatmap(
        lambda s: st.lists(st.sets(st.integers(0, 4), min_size=s, max_size=s), min_size=1, max_size=5)
    ),
    st.integers(0, 4),
)
def test_one_choice_for_both_sites_links_as_the_enumerated_joint_law(sets, quarters):
    """Draw the user, the place, whether it is noise, and the topic of noise: once, for both sites."""
    s, r, m = len(sets[0]), Fraction(quarters, 4), 5
    joint = dict.fromkeys(product(range(m), repeat=2), Fraction(0))
    for own, noisy, noise in product(sets, (True, False), range(m)):
        for chosen in own:
            reported = noise if noisy else chosen
            joint[reported, reported] += Fraction(1, len(sets) * s * m) * (r if noisy else 1 - r)
    assert sum(joint.values()) == 1
    first = [sum(joint[a, b] for b in range(m)) for a in range(m)]
    linked = sum(max(joint[a, b] / first[a] for a in range(m) if first[a]) for b in range(m))
    people = Population.from_sets(dict(enumerate(sets)), topics=range(m))
    found = browser_rules(people, TopicsAPI(m, s, r), samples=2)
    assert found["-per_site"] == min(linked, len(sets))  # never more than to know who is who
