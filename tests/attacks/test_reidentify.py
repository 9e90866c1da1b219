"""Running attacks: targets, intervals, noise removal, comparison and the commands."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from quiff import (
    BayesLink,
    BayesProfiles,
    BeuginMcDaniel,
    Carey,
    Cookies,
    JhaStrict,
    LabelError,
    ParameterError,
    Population,
    SizeError,
    TopicsAPI,
    attack,
    drift,
    reidentify,
    simulate,
)
from quiff.attacks.base import Sighting
from quiff.attacks.campaign import mean_share, share_of
from quiff.attacks.catalogue import ATTACKS
from quiff.attacks.noise_removal import NoiseRemoval, noise_removal
from quiff.browser.reports import Reports
from quiff.cli import main
from quiff.theory.popularity import binomial_interval
from quiff.weeks.estimate import Estimate
from read import records
from words import refused, worded

PEOPLE = Population.synthetic(300, seed=1)
REPORTS = simulate(PEOPLE, TopicsAPI(), epochs=12, seed=1)


def tied(found):
    """How many users are left for each target."""
    return found.per_user.values["tied"]


def reidentified(found):
    """Return the rows of attacks, as records, by their name and the number of observations."""
    rows = [row for row in records(found) if row["quantity"] in ATTACKS]
    assert len({(row["quantity"], row["observations"]) for row in rows}) == len(rows)
    return {(row["quantity"], row["observations"]): row for row in rows}


def bounds(found):
    """Return the most to expect of any attack, by the number of observations."""
    return {row["observations"]: row["value"] for row in records(found) if row["quantity"] == "posterior"}


def test_a_sample_of_targets_is_part_of_all_of_them():
    everybody = reidentify(REPORTS, BeuginMcDaniel(), sample=None)
    some = reidentify(REPORTS, BeuginMcDaniel(), sample=40, seed=7)
    assert everybody.words["targets"] == 300
    assert some.words["targets"] == 40
    assert some.row("unique").low <= everybody["unique"] <= some.row("unique").high
    assert some.per_user.of(some.per_user.users[3])["tied"] == tied(everybody)[some.per_user.users[3]]
    again = reidentify(REPORTS, BeuginMcDaniel(), sample=40, seed=7)
    assert tied(again).tolist() == tied(some).tolist()


def test_fewer_calls_are_the_reports_of_fewer_calls():
    short = simulate(PEOPLE, TopicsAPI(), epochs=4, seed=1)
    full, cut = reidentify(REPORTS, Carey(), call=4), reidentify(short, Carey())
    assert tied(full).tolist() == tied(cut).tolist()
    assert (full.rows.observations, full.words["reports"]) == (4, 6)


def test_unique_counts_who_is_alone_and_ties_share():
    found = reidentify(REPORTS, BayesProfiles(PEOPLE), call=1)
    assert found["unique"] == np.mean(tied(found) == 1)
    assert found["right"] == pytest.approx(np.mean([1 / k if k else 0 for k in tied(found)]))
    assert found["bayes-profiles"] == found["right"]
    strict = reidentify(REPORTS, JhaStrict(), call=1)
    assert strict["jha-strict"] == strict["unique"]


def test_intervals_of_yes_and_no_are_clopper_and_pearsons():
    share = share_of(np.array([True] * 3 + [False] * 7))
    assert (share.low, share.high) == binomial_interval(3, 10)


def test_intervals_of_gains_cover_the_mean_at_the_stated_rate():
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(500):
        share = share_of(rng.choice([0, 0.25, 0.5, 1], size=100))
        covered += share.low <= 0.4375 <= share.high
    assert 0.92 <= covered / 500 <= 0.98


def test_intervals_over_seeds_are_students():
    # mean 0.5, standard deviation 0.1 and 4.30265 for two degrees of freedom, from a printed table
    shares = tuple(Estimate(value, 0, 1) for value in (0.4, 0.5, 0.6))
    assert mean_share(shares).high == pytest.approx(0.5 + 4.30265 * 0.1 / 3**0.5, rel=1e-5)
    same = mean_share((Estimate(0, 0, 0.1), Estimate(0, 0, 0.3)))
    assert (same.value, same.low, same.high) == (0, 0, 0.2)


def test_noise_removal_by_hand():
    # Alice has Art and Music, and Bob News and Sports. Art is seen three times of her, once by chance;
    # Travel and News once. Of him News twice, Sports once and Travel twice.
    topics = ["Art", "Music", "News", "Sports", "Travel"]
    people = Population.from_sets({"Alice": {"Art", "Music"}, "Bob": {"News", "Sports"}}, topics)
    codes = [[[0, 0, 0, 4, 2], [2, 2, 3, 4, 4]]]
    seen = Sighting.of(Reports(people.users, [0], people.topics, codes), 0, 5)
    # Kept are Art of her, News and Travel of him; removed are Travel and News of her, and Sports of him.
    found = noise_removal(JhaStrict(2), seen, people)
    assert found == NoiseRemoval(genuine_kept=2, genuine_removed=1, noise_kept=1, noise_removed=2)
    assert found.precision == found.recall == pytest.approx(2 / 3)


def test_sets_that_change_are_judged_epoch_by_epoch():
    people = Population.from_array(["Alice"], [[[0, 1]], [[1, 2]]], ["Art", "Music", "News"])
    seen = Sighting.of(Reports(people.users, [0], people.topics, [[[0, 0]]]), 0, 2)
    assert noise_removal(JhaStrict(2), seen, people).genuine_kept == 1  # genuine in the first epoch
    later = Sighting.of(Reports(people.users, [0], people.topics, [[[2, 0]]]), 0, 2)
    assert noise_removal(JhaStrict(1), later, people) == NoiseRemoval(0, 0, 2, 0)


def test_a_seed_is_no_negative_number():
    reports = simulate(PEOPLE, TopicsAPI(), epochs=1, seed=1)
    with refused(ParameterError, what="seed", value=-1):
        reidentify(reports, Carey(), sample=3, seed=-1)


def test_two_sites_are_needed_where_sites_are_compared():
    one = simulate(PEOPLE, TopicsAPI(), epochs=2, sites=1, seed=1)
    with refused(ParameterError, 1):
        reidentify(one, Carey())
    assert reidentify(one, BayesProfiles(PEOPLE)).words["targets"] == 300
    with refused(LabelError):
        reidentify(REPORTS, Carey(), known="news.tld")


def test_profiles_of_others_are_refused():
    with refused(ParameterError):
        reidentify(REPORTS, BayesProfiles(Population.synthetic(299, seed=1)))
    with refused(ParameterError):
        reidentify(REPORTS, Carey(), population=Population.synthetic(299, seed=1))
    changing = drift(PEOPLE, 3, 0.2, seed=1)
    with refused(ParameterError, 3, 14):
        reidentify(REPORTS, BayesProfiles(changing))
    with refused(ParameterError):
        BayesLink(changing)


def test_cookies_re_identify_everybody():
    reports = simulate(PEOPLE, Cookies(), epochs=1)
    for known in (BeuginMcDaniel(top_s=1), Carey(top_s=1), JhaStrict(times=1)):
        assert (tied(reidentify(reports, known)) == 1).all()


def test_pure_noise_leaves_everybody():
    reports = simulate(PEOPLE, TopicsAPI(noise=1), epochs=2, seed=1)
    assert (tied(reidentify(reports, Carey(noise=1))) == 300).all()
    assert (tied(reidentify(reports, BayesLink(PEOPLE, 1))) == 300).all()


def test_linking_refuses_what_is_too_much_work(monkeypatch):
    monkeypatch.setenv("QUIFF_WORK_LIMIT", "1e-5")
    with refused(SizeError):
        reidentify(REPORTS, BayesLink(PEOPLE), call=1)
    found = attack(PEOPLE, observations=[1], seeds=1, attacks=[Carey(), BayesLink(PEOPLE)])
    assert reidentified(found).keys() == {("carey", 1)}
    worded(found.notes[0])
    with refused(SizeError, 1):
        attack(PEOPLE, observations=[1], seeds=1, attacks=[BayesLink(PEOPLE)])


def test_a_comparison_needs_epochs_to_look_at():
    with refused(ParameterError):
        attack(PEOPLE, observations=[])


def test_the_table_says_what_the_attacker_supposes():
    notes = reidentify(REPORTS, Carey(top_s=5, noise=0.1)).tables["attack"].notes
    worded(notes)
    known = reidentify(REPORTS, BayesProfiles(PEOPLE)).tables["attack"].notes
    assert not any("supposes" in note for note in known)


def test_a_comparison_has_every_attack_at_every_number_of_epochs():
    found = attack(PEOPLE, TopicsAPI(), observations=6, seeds=2, sample=100)
    rows = reidentified(found.to_dict())
    assert rows.keys() == {(name, E) for name in ATTACKS for E in (1, 5, 6)}
    assert found.words["reports"] == 8
    for E, reports in ((1, 3), (5, 7)):
        fewer = attack(PEOPLE, TopicsAPI(), observations=[E], seeds=2, sample=100, attacks=[Carey()])
        assert fewer.words["reports"] == reports
    for (name, E), row in rows.items():
        assert row["low"] <= row["value"] <= row["high"]
        assert found["topics", name, E] == row["value"]
        assert found["topics", "posterior", E] > 0
    assert len(found.tables["attacks"].rows) == 3 * (len(ATTACKS) + 1)
    assert all(name in found.sentences[0] for name in ATTACKS)
    assert found.figure().to_svg().startswith("<svg")
    assert "Users re-identified" in found._repr_html_()


def test_changing_sets_are_compared_without_linking():
    found = attack(drift(PEOPLE, 4, 0.3, seed=1), observations=2, seeds=1, sample=50)
    assert "bayes-link" not in {row.quantity for row in found.rows}
    assert found.row("topics", "posterior", 2).method == "monte-carlo"
    assert any("bayes-link is left out" in note for note in found.notes)


@pytest.fixture
def profiles(tmp_path):
    lines = (f"{user}\t" + "\t".join(map(str, PEOPLE.codes[user] + 1)) for user in range(100))
    file = tmp_path / "profiles.tsv"
    file.write_text("\n".join(["user\tt1\tt2\tt3\tt4\tt5", *lines]) + "\n")
    return str(file)


def run(*arguments):
    return CliRunner().invoke(main, ["attack", *arguments])


def test_list_cites_the_papers():
    shown = run("list").output
    assert "10.1145/3589294" in shown
    listed = json.loads(run("list", "--json").output)
    assert [entry["name"] for entry in listed][:2] == ["beugin-mcdaniel", "carey"]
    assert listed[0]["paper"]["doi"] == "10.56553/popets-2024-0004"


def test_run_tells_rate_bound_and_noise_removal(profiles, tmp_path):
    figure = tmp_path / "groups.svg"
    done = run(
        "run", "beugin-mcdaniel", profiles, "--epochs", "3", "--seed", "1", "--json", "--figure", str(figure)
    )
    found = json.loads(done.stdout)
    row = reidentified(found)["beugin-mcdaniel", 3]
    assert found["study"]["words"]["reports"] == 5
    assert row["low"] <= row["value"] <= row["high"]
    assert 0 < bounds(found)[3] <= 1
    assert set(found["payload"]["noise_removal"]) >= {"precision", "recall"}
    assert figure.read_text().startswith("<svg")
    worded(run("run", "carey", profiles, "--epochs", "2").output)


def test_run_on_a_file_of_reports(profiles, tmp_path):
    file = str(tmp_path / "reports.parquet")
    made = CliRunner().invoke(main, ["simulate", profiles, "--epochs", "4", "--seed", "1", "--out", file])
    assert made.exit_code == 0, made.output
    found = json.loads(run("run", "jha-loose", "--reports", file, "--json").output)
    row = reidentified(found)["jha-loose", 4]
    assert bounds(found) == {}
    with_profiles = json.loads(run("run", "jha-loose", profiles, "--reports", file, "--json").output)
    assert reidentified(with_profiles)["jha-loose", 4]["value"] == row["value"]
    assert bounds(with_profiles) == {}  # the file may be made by other rules
    assert set(with_profiles["payload"]["noise_removal"]) >= {"precision", "recall"}


@pytest.mark.parametrize("name", ["bayes-link", "bayes-profiles", "beugin-mcdaniel", "carey"])
def test_reports_in_text_tell_the_same_though_some_topics_are_never_reported(name, profiles, tmp_path):
    found = []
    for suffix in ("parquet", "csv"):
        file = str(tmp_path / f"reports.{suffix}")
        options = ["--epochs", "1", "--earlier", "0", "--seed", "1", "--out", file]
        assert CliRunner().invoke(main, ["simulate", profiles, *options]).exit_code == 0
        found.append(json.loads(run("run", name, profiles, "--reports", file, "--json").stdout))
    reported = {
        line.rsplit(",", 1)[1].strip('"') for line in (tmp_path / "reports.csv").read_text().splitlines()[1:]
    }
    assert not {str(topic + 1) for topic in np.unique(PEOPLE.codes)} <= reported
    for each in found:
        assert "reports." in each["provenance"].pop("command")  # each names its own file
    assert found[0] == found[1]


def test_compare_writes_table_and_figure(profiles, tmp_path):
    figure = tmp_path / "attacks.png"
    options = ["--observations", "5", "--seeds", "2", "--targets", "50"]
    done = run("compare", profiles, *options, "--figure", str(figure), "--all")
    assert done.exit_code == 0, done.output
    worded(done.output)
    assert figure.read_bytes()[1:4] == b"PNG"
    found = json.loads(run("compare", profiles, *options, "--attacks", "carey", "--json").output)
    assert list(reidentified(found)) == [("carey", 1), ("carey", 5)]


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["run", "guess", "none.csv"], 1),
        (["run", "carey"], 2),
        (["run", "bayes-link", "--reports", "none.parquet"], 1),
        (["run", "carey", "--reports", "x.csv", "--earlier", "0"], 2),
        (["run", "carey", "--reports", "none.csv"], 1),
        (["compare", "none.csv"], 1),
    ],
)
def test_mistakes_are_told_in_one_line(arguments, status):
    done = run(*arguments)
    assert done.exit_code == status
    worded(done.output)
    assert "Traceback" not in done.output


def test_compare_on_drifting_interests_and_on_visit_rates(profiles, tmp_path):
    options = ("--observations", "2", "--seeds", "2", "--attacks", "carey", "--json")
    drifting = json.loads(run("compare", profiles, "--drift", "0.3", *options).output)
    assert reidentified(drifting).keys() == {("carey", 1), ("carey", 2)}
    rates = tmp_path / "rates.csv"
    rates.write_text("\n".join(",".join(str(1 + (i * j) % 3) for j in range(8)) for i in range(6)))
    visiting = run("compare", "--rates", str(rates), "--users", "12", "--api", "topics:n_topics=8", *options)
    assert visiting.exit_code == 0, visiting.output
    assert run("compare", *options).exit_code == 2
    assert run("compare", profiles, "--users", "3", *options).exit_code == 2


def test_no_attack_is_nothing_to_compare():
    with refused(ParameterError):
        attack(Population.synthetic(20, seed=1), observations=[1], seeds=1, attacks=[])
