"""How stable interests are, and what is revealed of people whose interests change."""

import itertools

import numpy as np
import pytest
from click.testing import CliRunner

from quiff import (
    Attribute,
    Cookies,
    ParameterError,
    Population,
    TopicsAPI,
    changing_interests,
    over_time,
    program,
    stability,
)
from quiff.cli import main
from words import refused


@program
def survey(user, draw, truth=0.75):
    answer = user.smoker
    return answer if draw.flip(truth) else not answer


def weeks_of(rng, rho, users, weeks):
    """Return values of users, kept with probability rho from week to week, else drawn anew."""
    law = np.array([0.5, 0.3, 0.2])
    values = [rng.choice(3, size=users, p=law)]
    for _ in range(weeks - 1):
        values.append(np.where(rng.random(users) < rho, values[-1], rng.choice(3, size=users, p=law)))
    return np.array(values)


@pytest.mark.parametrize("rho", [0, 0.5, 0.9, 1])
def test_the_interval_of_stability_holds_it(rho):
    held = 0
    for seed in range(20):
        values = weeks_of(np.random.default_rng([seed, 7]), rho, 300, 4)
        people = Population.from_array(range(300), np.zeros((4, 300, 1), dtype=int), ["a"])
        people = people.with_attribute("value", Attribute.of_codes("value", "abc", values))
        row = stability(people, "value").rows.row("stability")
        assert row.low <= row.value <= row.high
        held += row.low <= rho <= row.high
    assert held >= 18


def test_one_week_says_nothing_on_stability():
    with refused(ParameterError):
        stability(Population.synthetic(10, seed=1))


def test_interests_that_never_change_are_those_of_over_time():
    people = Population.synthetic(60, seed=1, n_topics=12, top_s=3)
    api = TopicsAPI(n_topics=12, top_s=3)
    result = over_time(people, api, 3, stability=1.0, reference=0)
    for n in (1, 2, 3):
        stale = result[api.spec, "posterior", "reference@1", n]
        assert stale == pytest.approx(float(result[api.spec, "posterior", "topics", n]), abs=1e-9)


def test_stale_references_of_topics_have_the_closed_form():
    rows = [range(5 * n, 5 * n + 5) for n in range(93)] + [[464, 465, 466, 467, 468]]
    people = Population.from_sets({n: set(row) for n, row in enumerate(rows)}, topics=range(469))
    values = {0: 89.16, 1: 80.344, 4: 58.841776, 13: 23.40908914, 26: 6.696089794}
    for lag, leakage in values.items():
        result = changing_interests(people, TopicsAPI(n_topics=469, top_s=5), 1, stability=0.9, reference=lag)
        row = result.rows.where(stage="reference by topic@0.9").row("leakage")
        assert row.value == pytest.approx(leakage, rel=1e-9)


def test_stability_raises_the_risk_by_a_stale_reference_and_lowers_that_by_a_fresh_one_of_a_fair_bit():
    people = Population.from_sets({n: {1} for n in range(40)}).with_attribute("smoker", [True, False] * 20)
    stale, fresh = [], []
    for rho in (0.0, 0.5, 0.9):
        result = changing_interests(people, survey, 6, stability=rho)
        stale.append(result["survey", "posterior", f"reference@{rho:g}", 6])
        fresh.append(result["survey", "posterior", f"paths@{rho:g}", 6])
    assert stale == sorted(stale)
    assert fresh == sorted(fresh, reverse=True)
    assert stale[0] == pytest.approx(1 / 40)
    assert result["survey", "stability_threshold", "now@0.9"] == pytest.approx(1 - 2 * 0.75 * 0.25)


def test_where_stability_is_not_known_both_ends_are_there():
    people = Population.from_sets({n: {1} for n in range(4)}).with_attribute("smoker", [True, False] * 2)
    result = changing_interests(people, survey, 3)
    assert {stage.partition("@")[2] for stage in result.rows.values("stage")} == {"0", "1"}
    assert "not known" in result.sentences[0]
    assert "changing" in result.figures


@pytest.mark.parametrize("api", [Cookies(), TopicsAPI(n_topics=5, top_s=2)])
def test_what_cannot_change_is_refused(api):
    people = Population.synthetic(20, seed=1, n_topics=5, top_s=2)
    if not isinstance(api, Cookies):
        people = Population.from_array(people.users, np.stack([people.sets[0]] * 2), people.topics)
    with refused(ParameterError):
        changing_interests(people, api, 2, stability=0.5)


def test_the_command(tmp_path):
    rows = ["user,epoch,t1,t2"]
    rows += [
        f"u{n},{epoch},{n % 5},{5 + (n + epoch * (n % 3 == 0)) % 3}" for n in range(30) for epoch in (0, 1)
    ]
    weekly = tmp_path / "weekly.csv"
    weekly.write_text("\n".join(rows) + "\n")
    answer = CliRunner().invoke(main, ["stability", str(weekly)])
    assert answer.exit_code == 0, answer.output
    assert "is kept with probability" in answer.output
    single = tmp_path / "single.csv"
    single.write_text("user,t1,t2\n" + "".join(f"u{n},{n % 5},{5 + n % 3}\n" for n in range(30)))
    spec = "topics:n_topics=8,top_s=2"
    answer = CliRunner().invoke(
        main, ["epochs", str(single), "--api", spec, "--observations", "2", "--stability", "0.9", "--all"]
    )
    assert answer.exit_code == 0, answer.output
    assert "if interests are kept with probability 90 %" in " ".join(answer.output.split())
    assert CliRunner().invoke(main, ["epochs", str(single), "--stability", "9"]).exit_code == 1


def test_the_report_says_what_is_assumed_and_what_follows_if_interests_change(tmp_path):
    people = tmp_path / "people.csv"
    people.write_text("user,t1,t2\n" + "".join(f"u{n},{n % 5},{5 + n % 3}\n" for n in range(30)))
    pages = {}
    for name, options in {"assumed": [], "given": ["--stability", "0.8"]}.items():
        out = tmp_path / f"{name}.html"
        arguments = ["report", str(people), "--api", "topics:n_topics=8,top_s=2", "--out", str(out), *options]
        answer = CliRunner().invoke(main, arguments)
        assert answer.exit_code == 0, answer.output
        pages[name] = " ".join(out.read_text().split())
    assert "Not: that interests stay the same" in pages["assumed"]
    assert "If interests change" in pages["given"]
    assert "kept with probability 80 %" in pages["given"]
    assert "If interests change" not in pages["assumed"]
    wrong = CliRunner().invoke(main, [*arguments[:-1], "9", "--force"])
    assert wrong.exit_code == 2  # told at its option
    assert "stability must be" in wrong.stderr


@pytest.mark.parametrize("weights", [[8, 2, 5, 5], [2, 8, 5, 5], [5, 5, 5, 5]])
def test_a_stale_reference_with_weights_is_that_of_plain_enumeration(weights):
    """Secrets that are equally probable may have most probable people who are not."""
    people = Population.from_sets({n: {1} for n in range(4)}, weights=dict(enumerate(weights)))
    people = people.with_attribute("smoker", [True, True, False, False])
    result = changing_interests(people, survey, 3, stability=0.9, reference=1)
    best = {True: max(weights[:2]) / 20, False: max(weights[2:]) / 20}
    mass = {True: sum(weights[:2]) / 20, False: sum(weights[2:]) / 20}
    for n in (1, 2, 3):
        total = 0.0
        for y in itertools.product([True, False], repeat=n):
            likely = dict.fromkeys(best, 0.0)
            for path in itertools.product([True, False], repeat=n + 1):
                p = 1.0
                for before, after, shown in zip(path, path[1:], y, strict=False):
                    p *= (0.9 * (before == after) + 0.1 * mass[after]) * (0.75 if after == shown else 0.25)
                likely[path[0]] += p
            total += max(best[x] * likely[x] for x in best)
        assert float(result["survey", "posterior", "reference@0.9", n]) == pytest.approx(total, abs=1e-12)


def test_one_secret_tells_nothing():
    people = Population.from_sets({n: {1} for n in range(4)}).with_attribute("smoker", [True] * 4)
    result = changing_interests(people, survey, 70, stability=0.9)
    assert result["survey", "goal_posterior", "now@0.9", 70] == 1
    assert result["survey", "posterior", "paths@0.9", 70] == pytest.approx(1 / 4)


def test_topics_that_are_kept_one_by_one_are_told():
    rng, topics, rho = np.random.default_rng(5), 60, 0.5
    law = 1 / np.arange(1, topics + 1)
    law /= law.sum()
    weeks = [np.array([rng.choice(topics, size=5, replace=False, p=law) for _ in range(1500)])]
    for _ in range(2):
        later = weeks[-1].copy()
        for person in later:
            for place in np.flatnonzero(rng.random(5) >= rho):
                others = np.delete(person, place)
                drawn = rng.choice(topics, p=law)
                while drawn in others:
                    drawn = rng.choice(topics, p=law)
                person[place] = drawn
        weeks.append(later)
    people = Population.from_array(range(1500), np.sort(np.array(weeks), axis=2), range(topics))
    assert stability(people).rows.row("stability").value == pytest.approx(rho, abs=0.04)


def test_what_is_the_same_in_all_weeks_is_refused():
    people = Population.from_array(range(6), np.array([[[0], [1]] * 3] * 2), ["a", "b"])
    with refused(ParameterError):
        stability(people.with_attribute("country", ["BR", "AU"] * 3), "country")


def test_stability_does_not_go_with_what_is_known():
    people = Population.from_sets({n: {1} for n in range(4)}).with_attribute("smoker", [True, False] * 2)
    with refused(ParameterError):
        over_time(people, survey, 2, stability=0.5, known="smoker")
