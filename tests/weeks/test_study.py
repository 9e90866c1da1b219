"""over_time and `quiff epochs` on Topics: the plan, the result, the command, the paper's example."""

import json
import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from click.testing import CliRunner

import quiff
from quiff import ParameterError, Population, SizeError, TopicsAPI, over_time
from quiff.cli import main
from quiff.core.counting.work import in_slices
from quiff.progress import part, watching
from quiff.results import numbers
from quiff.results.numbers import probability
from quiff.studies.risk import user_risk
from quiff.weeks import over_time as weeks
from quiff.weeks.over_time import LeakageAfter, OverTime, ordered
from quiff.weeks.risk import user_risk as risk_over_epochs
from quiff.weeks.sequences import Sequences
from read import leakages, learned, occasion, risks
from weeks import loops
from words import refused, worded

TOPICS = ["Music", "News", "Sports", "Travel", "Ads"]
SETS = {"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}, "Carol": {"Music", "News"}}
API = TopicsAPI(n_topics=5, top_s=2, noise=Fraction(1, 20))
P, Q = Fraction(97, 200), Fraction(1, 100)


def said(figure):
    return numbers.said(figure["leakage"])


class TestThePapersTwoEpochs:
    """The longitudinal model's example: two epochs of the three users' channel."""

    people = Population.from_sets(SETS, TOPICS)

    def test_privacy(self):
        """Pairs inside a set: 8 of p^2; one topic of each set: 8 of p q; with Ads: 8 of p q, and q^2."""
        by_hand = 8 * P**2 + 16 * P * Q + Q**2
        found = over_time(self.people, API, 2)
        assert leakages(found)[1]["leakage"] == by_hand == Fraction(3919, 2000)
        assert leakages(found)[1]["vulnerability"] == by_hand / 3
        assert quiff.bayes_capacity(quiff.repeat(API.channel(self.people), 2)) == by_hand
        assert leakages(found)[1]["max_case_capacity"] == (P / Q) ** 2

    def test_utility_on_one_set(self):
        """Alice's and Carol's set is twice as likely; only two reports for Bob turn the guess."""
        C = quiff.repeat(API.fit(self.people).observe(self.people.distinct_sets()[0]), 2)
        assert C.outputs.size == 25
        both, mixed, one_ads, ads = 4 * P**2, 8 * P * Q, 4 * P * Q, Q**2
        by_hand = (2 * (both + mixed + one_ads + ads) + both + one_ads) / 3
        assert quiff.posterior_vulnerability(self.people.set_prior(), C) == by_hand

    def test_utility_on_pairs_of_sets(self):
        """If the two epochs' sets are independent, as the figure draws it, chances multiply."""
        one = API.fit(self.people).observe(self.people.distinct_sets()[0])
        prior = self.people.set_prior()
        pairs = quiff.Prior({(a, b): prior[a] * prior[b] for a in prior for b in prior})
        both = quiff.kronecker(one, one)
        alone = quiff.posterior_vulnerability(prior, one)
        assert alone == Fraction(293, 300)
        assert quiff.posterior_vulnerability(pairs, both) == alone**2


def test_the_result_shows_as_table_json_and_figure():
    found = over_time(Population.synthetic(300, n_topics=40), TopicsAPI(50), 7, seed=2)
    assert [row["method"] for row in leakages(found)] == ["exact"] * 5 + ["hybrid"] * 2
    after = leakages(found)
    assert [row["leakage"] for row in after] == sorted(row["leakage"] for row in after)
    for row in after:
        inside = ("at_least", "low", "leakage", "high", "at_most", "bound")
        assert all(row[one] <= row[other] for one, other in pairwise(inside))
        assert row["high"] <= row["limit"] == found.words["profiles"]
        assert row["vulnerability"] == pytest.approx(row["leakage"] / 300)
        spec, n = "topics:n_topics=50", row["observations"]
        assert found[spec, "leakage", n] == row["leakage"]
        assert found[spec, "posterior", n] == row["vulnerability"]
        assert found.row(spec, "leakage", n).method == row["method"]
        assert [found[spec, f"leakage_{name}", n] for name in ("at_least", "at_most", "limit", "bound")] == [
            row[name] for name in ("at_least", "at_most", "limit", "bound")
        ]
    assert found.row("topics:n_topics=50", "leakage", 7).low == leakages(found)[6]["low"]
    assert leakages(found)[0]["low"] == leakages(found)[0]["high"]
    risk = risks(found)[-1]
    assert risk["observations"] == 3
    assert risk["mean"] == pytest.approx(float(after[2]["vulnerability"]))
    assert risk["median"] <= risk["p95"] <= risk["p99"] <= risk["max"] <= 1
    assert "hybrid" in found.tables["over_time"].to_markdown()
    assert list(found.tables) == ["over_time", "limits", "risk", "occasions"]
    assert found._repr_html_().count("<table>") == 4
    svg = found.figure().to_svg()
    assert "at most, by the parameters alone" in svg
    assert "probability of re-identification, at most" in found.figure("risk").to_svg()
    again = over_time(Population.synthetic(300, n_topics=40), TopicsAPI(50), 7, seed=2)
    assert again.rows == found.rows
    assert found.provenance.seed == 2
    assert found.provenance.command.endswith(", observations=7, seed=2)")


class TestCallsSitesAndAdvertisers:
    """What the loops over all reports say, in the result of the study."""

    pairs = ("01", "02", "34", "34", "45", "15", "23", "01", "05")
    sets = tuple(frozenset(map(int, pair)) for pair in pairs)
    people = Population.from_sets(dict(enumerate(sets)), range(7))
    api = TopicsAPI(7, 2, Fraction(1, 10))
    chances = loops.probabilities(7, 2, Fraction(1, 10))

    @pytest.mark.parametrize("E", [1, 4])
    def test_one_call_and_two_sites(self, E):
        found = over_time(self.people, self.api, E)
        assert occasion(found, "page view")["leakage"] == loops.call_leakage(self.sets, 7, *self.chances)
        assert occasion(found, "page view")["vulnerability"] == occasion(found, "page view")["leakage"] / 9
        three = loops.vulnerability([[own] * 3 for own in self.sets], [1] * 9, 7, *self.chances)
        in_order = occasion(found, "page view in order")["leakage"]
        assert in_order == three * 9 > occasion(found, "page view")["leakage"]
        assert occasion(found, "two sites")["leakage"] == loops.linked(self.sets, 7, *self.chances)
        assert occasion(found, "two sites")["vulnerability"] == occasion(found, "two sites")["leakage"] / 9
        assert learned(found, "topics") == learned(found, "secret") == []
        assert found.notes == ()

    def test_what_an_advertiser_learns_if_asked_for(self):
        found = over_time(self.people, self.api, 4, utility=True)
        naming, reconstruction = learned(found, "topics"), learned(found, "secret")
        assert len(naming) == len(reconstruction) == 4
        for n in range(4):
            assert naming[n] == loops.naming(self.sets, [1] * 9, 7, *self.chances, n)
            assert reconstruction[n] == loops.guessing_sets(self.sets, [1] * 9, 7, *self.chances, n)
            if n:
                assert found[self.api.spec, "goal_posterior", "topics", n] == naming[n]
                assert found[self.api.spec, "goal_posterior", "secret", n] == reconstruction[n]
        assert list(found.tables)[3:] == ["occasions", "utility"]
        assert any("up to 3 observations" in sentence for sentence in found.words["plan"])

    def test_the_sentences_follow_from_the_numbers(self):
        found = over_time(self.people, self.api, 4, utility=True)
        leaks, call, risk, one_topic, whole = found.sentences
        limit, in_order, link = found.further
        every = leakages(found)
        four = "4 observations (2 weekly page views)"
        assert f"{four} multiply the probability of re-identification by {said(every[3])}" in leaks
        assert f"from 11.1 % to {probability(every[3]['vulnerability'])}" in leaks
        assert f"one observation by {said(every[0])}." in leaks
        different = len(set(self.sets))
        share = probability(every[3]["leakage"] / different)
        assert f"only {different} different profiles; {four} reach {share} of that" in limit
        assert f"the median user with {probability(risks(found)[-1]['median'])}" in risk
        for words, name, most in ((call, "page view", ""), (link, "two sites", "at most ")):
            known = occasion(found, name)
            right = f"{most}{probability(known['vulnerability'])} (leakage {most}{said(known)})"
            assert f"probability {right}" in words
        assert in_order.startswith("In order")
        naming, reconstruction = learned(found, "topics"), learned(found, "secret")
        assert f"probability {probability(naming[3])} after 3 observations" in one_topic
        assert f"probability {probability(reconstruction[3])} after 3" in whole
        only = over_time(self.people, self.api, 1).sentences
        assert len(only) == 3
        assert "one observation by" not in only[0]
        many = over_time(self.people, self.api, 21)
        last = leakages(many)[20]
        assert f"by about {said(last)} (95 %: {numbers.said(last['low'])} to" in many.sentences[0]

    def test_without_noise_nobody_reports_what_nobody_has(self):
        found = over_time(self.people, TopicsAPI(7, 2, 0.0), 2)
        silent = (Fraction(1, 2), Fraction(0))
        assert occasion(found, "two sites")["leakage"] == pytest.approx(
            float(loops.linked(self.sets, 7, *silent))
        )

    def test_where_it_is_not_known_a_note_says_so(self):
        changing = Population.from_array(range(2), [[[0], [1]], [[1], [0]]], topics=range(2))
        found = over_time(changing, TopicsAPI(2, 1), 2, utility=True)
        assert (occasion(found, "page view"), occasion(found, "two sites"), learned(found, "topics")) == (
            None,
            None,
            [],
        )
        assert ["stable" in note for note in found.notes] == [True, True]
        assert found.notes[0] in found.tables["over_time"].notes
        assert list(found.tables) == ["over_time", "limits", "risk"]
        first = over_time(changing, TopicsAPI(2, 1), 1)
        assert occasion(first, "page view") is None
        assert "stable" in first.notes[0]
        weighted = Population.from_sets(SETS, TOPICS, weights={"Alice": 1, "Bob": 2, "Carol": 3})
        found = over_time(weighted, API, 2, utility=True)
        assert occasion(found, "page view") is None
        worded(found.notes[0])
        sets = [frozenset(own) for own in SETS.values()]
        numbered = [frozenset(TOPICS.index(topic) for topic in own) for own in sets]
        assert learned(found, "topics")[2] == loops.naming(numbered, [1, 2, 3], 5, P, Q, 2)
        assert occasion(found.to_dict(), "page view") is None

    def test_what_takes_too_much_is_left_out_unless_exact(self, monkeypatch):
        monkeypatch.setattr(weeks, "_MEMORY", 100)
        with quiff.dense_limit(2e-7):
            found = over_time(self.people, self.api, 1, utility=True, exact=True)
            assert occasion(found, "page view") is not None
            assert len(learned(found, "topics")) == 2
            found = over_time(self.people, self.api, 1, utility=True)
        assert [note.split(" not")[0] for note in found.notes] == [
            "One page view and two sites are",
            "What a receiver learns is",
            found.words["plan"][0],
        ]
        assert found.words["plan"][0].startswith("1 observation: sampled")
        assert occasion(found, "page view") is None
        assert learned(found, "topics") == learned(found, "secret") == []

    def test_numbers_too_large_to_be_exact_are_told_before_the_work(self):
        told = []
        noise = Fraction(123_456_789, 10**10)
        with watching(lambda *step: told.append(step)), refused(SizeError):
            over_time(self.people, TopicsAPI(349, 2, noise), 3, utility=True)
        assert told == []


def test_changing_sets_are_sampled_beyond_four_epochs():
    rng = np.random.default_rng(1)
    sets = np.stack([rng.permuted(np.tile(np.arange(100), (50, 1)), axis=1)[:, :3] for _ in range(6)])
    people = Population.from_array(range(50), sets, topics=range(100))
    found = over_time(people, TopicsAPI(100, 3, 0.05), 6)
    figures = leakages(found)
    assert [row["method"] for row in figures] == ["exact"] * 4 + ["monte-carlo"] * 2
    for row in figures[4:]:
        assert figures[3]["leakage"] <= row["low"] <= row["leakage"] <= row["high"] <= 50
    assert any("stable" in note for note in found.notes)
    with refused(ParameterError, 6, 7):
        over_time(people, TopicsAPI(100, 3), 7)


def test_of_few_topics_changing_sets_are_counted_beyond_four_epochs():
    sets = np.array([[[0, 1], [1, 2], [0, 3]], [[0, 1], [0, 1], [2, 3]], [[1, 3], [0, 2], [0, 1]]] * 2)
    people = Population.from_array(range(3), sets, topics=range(4))
    api = TopicsAPI(4, 2, Fraction(1, 10))
    found = over_time(people, api, 6)
    users = [[frozenset(sets[epoch, user].tolist()) for epoch in range(6)] for user in range(3)]
    assert found.row(api.spec, "posterior", 6).method == "exact"
    expected = loops.vulnerability(users, [1] * 3, 4, *loops.probabilities(4, 2, Fraction(1, 10)))
    assert found[api.spec, "posterior", 6] == expected


def test_weights_are_the_prior():
    people = Population.from_sets(SETS, TOPICS, weights={"Alice": 1, "Bob": 2, "Carol": 3})
    found = over_time(people, API, 5)
    figures = leakages(found)
    assert [row["method"] for row in figures] == ["exact"] * 5  # the fifth, for they are few
    one = figures[0]
    assert one["vulnerability"] == quiff.posterior_vulnerability(people.user_prior(), API.channel(people))
    assert one["leakage"] == one["vulnerability"] * 2
    assert type(one["leakage"].numerator) is int  # numbers of numpy would overflow
    assert one["limit"] == Fraction(5, 3)
    assert 1 / found[API.spec, "prior", 1] == 2
    assert figures[4]["high"] <= float(one["limit"])


def test_what_is_too_much_to_count_is_estimated_and_the_notes_say_why():
    codes = np.arange(5 * 1091).reshape(-1, 5) % 1091
    many = Population.from_array(range(1091), codes, topics=range(1091))
    found = OverTime.of(many, TopicsAPI(1091).fit(many))
    leakages = found.estimates(5, 0)
    assert [after.method for after in leakages] == ["exact"] * 3 + ["hybrid"] * 2
    exact, estimated = found.explained(leakages, 3, 0)
    assert exact == "1 to 3 observations: exact."
    assert estimated.startswith("4 to 5 observations: exact where all observations but one fit, sampled")
    assert estimated.endswith("means to look at 188 billion numbers, more than 150 billion.")


def test_progress_is_told_and_an_interrupt_is_clean():
    told = []
    with watching(lambda *step: told.append(step)):
        over_time(Population.synthetic(100), TopicsAPI(), 3)
    assert ("exact, 3 observations", 1.0) in told
    assert ("risk, 3 observations", 1.0) in told

    def impatient(name, share):
        raise KeyboardInterrupt

    with watching(impatient), pytest.raises(KeyboardInterrupt):
        over_time(Population.synthetic(100), TopicsAPI(), 3)


def test_slices_that_have_not_begun_never_do_after_an_interrupt():
    begun = []

    def stop(name, share):
        raise KeyboardInterrupt

    def work(number):
        begun.append(number)
        return number

    with watching(stop), part("slices"), pytest.raises(KeyboardInterrupt):
        list(in_slices(work, range(3000)))
    assert len(begun) < 3000


@pytest.fixture
def profiles(tmp_path):
    file = tmp_path / "profiles.csv"
    file.write_text("user,t1,t2\n" + "".join(f"u{i},{i % 7 + 1},{i % 7 + 2 + i % 2}\n" for i in range(50)))
    return str(file)


def test_the_command_prints_json_and_writes_a_figure(profiles, tmp_path):
    figure = tmp_path / "epochs.svg"
    arguments = [
        "epochs",
        profiles,
        "--observations",
        "2",
        "--api",
        "topics:n_topics=20",
        "--json",
        "--figure",
        str(figure),
    ]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    after = leakages(data)
    assert [row["observations"] for row in after] == [1, 2]
    assert all(None not in row.values() for row in (*after, *risks(data)))
    assert after[1]["epsilon"] == pytest.approx(2 * math.log(1 + 20 * 0.95 / (0.05 * 2)))
    assert figure.read_text().startswith("<svg")


def test_a_seed_is_no_negative_number():
    people = Population.from_sets({"Alice": {0, 1}, "Bob": {2, 3}})
    with refused(ParameterError, what="seed", value=-1):
        over_time(people, TopicsAPI(5, 2, 0.05), 8, seed=-1)


def test_the_command_prints_tables_and_tells_errors_in_a_line(profiles):
    result = CliRunner().invoke(main, ["epochs", profiles, "--api", "topics:noise=1/20"])
    assert result.exit_code == 0, result.output
    assert result.stdout.count("  exact\n") == 3
    assert "The users' own risk" not in result.stdout
    worded(CliRunner().invoke(main, ["epochs", profiles, "--all"]).stdout)
    wrong = CliRunner().invoke(main, ["epochs", profiles, "--observations", "0"])
    assert wrong.exit_code == 2
    worded(wrong.stderr, 1, 0)
    wrong = CliRunner().invoke(main, ["epochs", profiles, "--missing", "fill", "--seed", "-1"])
    worded(wrong.stderr, -1, 0)


def test_the_command_prints_calls_sites_and_what_an_advertiser_learns(profiles):
    arguments = ["epochs", profiles, "--observations", "2", "--api", "topics:n_topics=20,noise=1/10"]
    data = json.loads(CliRunner().invoke(main, [*arguments, "--json"]).stdout)
    assert learned(data, "topics") == learned(data, "secret") == []
    sets = [frozenset({i % 7 + 1, i % 7 + 2 + i % 2}) for i in range(50)]
    p, q = loops.probabilities(20, 2, Fraction(1, 10))
    assert occasion(data, "two sites")["leakage"] == pytest.approx(float(loops.linked(sets, 20, p, q)))
    (call,) = (text for text in data["sentences"] if text.startswith("One page view"))
    worded(call)
    result = CliRunner().invoke(main, [*arguments, "--utility", "--json"])
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert len(learned(data, "topics")) == len(learned(data, "secret")) == 3
    assert learned(data, "topics")[1] == pytest.approx(float(loops.naming(sets, [1] * 50, 20, p, q, 1)))
    text = CliRunner().invoke(main, [*arguments, "--utility", "--all"]).stdout
    worded(text)


def test_the_command_estimates_past_a_limit_unless_exact(profiles, monkeypatch):
    monkeypatch.setattr(weeks, "_WORK", 0)
    estimated, forced = (
        json.loads(CliRunner().invoke(main, ["epochs", profiles, "--json", *exact]).stdout)
        for exact in ((), ("--exact",))
    )
    assert [row["method"] for row in leakages(estimated)] == ["hybrid"] * 3
    assert [row["method"] for row in leakages(forced)] == ["exact"] * 3
    for one, other in zip(leakages(estimated), leakages(forced), strict=True):
        assert one["at_least"] <= other["leakage"] <= one["at_most"]


def test_hundreds_of_observations_are_refused_before_the_work():
    steps = []
    with watching(lambda *step: steps.append(step)), pytest.raises(SizeError) as error:
        over_time(Population.synthetic(3000, seed=1), TopicsAPI(), 500)
    assert (error.value.what, error.value.value, steps) == ("observations", 500, [])


def test_very_many_epochs_are_refused_before_they_are_begun(profiles):
    refused = CliRunner().invoke(main, ["epochs", profiles, "--observations", "10000"])
    assert refused.exit_code == 1
    worded(refused.stderr, 10000, 150)


def test_more_epochs_than_the_file_has_are_told_with_what_it_has(tmp_path):
    file = tmp_path / "profiles.csv"
    file.write_text("user,epoch,t1\na,0,1\na,1,2\nb,0,2\nb,1,3\n")
    refused = CliRunner().invoke(main, ["epochs", str(file), "--observations", "3"])
    assert refused.exit_code == 1
    worded(refused.stderr, 2, 3)


def test_users_without_an_epoch_are_an_error_unless_told(tmp_path):
    file = tmp_path / "profiles.csv"
    rows = [("a", 0, 1), ("a", 1, 2), ("b", 0, 2), ("b", 1, 3), ("c", 0, 3)]
    file.write_text("user,epoch,t1\n" + "".join(f"{u},{e},{t}\n" for u, e, t in rows))
    run = CliRunner().invoke
    refused = run(main, ["epochs", str(file), "--observations", "2"])
    assert refused.exit_code == 1
    worded(refused.stderr, 1, 3, 2)
    notes = {
        "drop": "1 of 3 users has no set in some of the 2 epochs and was left out.",
        "fill": "1 missing set was filled at random",
    }
    for how, users in (("drop", 2), ("fill", 3)):
        arguments = ["epochs", str(file), "--observations", "2", "--missing", how]
        result = run(main, [*arguments, "--json"])
        assert result.exit_code == 0, result.output
        data = json.loads(result.stdout)
        assert data["population"]["users"] == users
        assert any("stable" in note for note in data["notes"])
        assert notes[how] in data["notes"][0]
        assert notes[how] in " ".join(run(main, arguments).stdout.split())
    dropped = json.loads(
        run(main, ["epochs", str(file), "--observations", "2", "--missing", "drop", "--json"]).stdout
    )
    p, q = loops.probabilities(349, 1, Fraction(1, 20))
    users = [[frozenset({1}), frozenset({2})], [frozenset({2}), frozenset({3})]]
    exact = loops.vulnerability(users, [1, 1], 349, p, q)
    assert leakages(dropped)[1]["vulnerability"] == pytest.approx(float(exact))


def test_the_sentence_on_two_sites_says_what_it_supposes():
    (link,) = (s for s in over_time(Population.from_sets(SETS), API, 1).further if "sites" in s)
    worded(link)  # it is exact only if every topic is reported at the first site


def test_one_epoch_has_the_quantiles_of_each_users_risk():
    people, api = Population.synthetic(300, seed=1, n_topics=60), TopicsAPI(60)
    own = user_risk(people, api)
    (risk,) = risks(over_time(people, api, 1))
    for name, quantity in (("median", "median"), ("p95", "95"), ("p99", "99"), ("max", "max")):
        assert risk[name] == pytest.approx(own[api.spec, f"risk_{quantity}"], rel=1e-12)
    assert risk["mean"] == pytest.approx(own[api.spec, "risk_mean"])
    assert risk["users_above"] == own[api.spec, "users_above"]


@pytest.mark.parametrize("noise", [0.05, 0.3])
def test_what_is_certain_of_few_epochs_is_certain_of_more_and_the_other_way_round(noise):
    people = Population.synthetic(400, seed=1, n_topics=60)
    rows = leakages(over_time(people, TopicsAPI(60, noise=noise), 14))
    for one, more in pairwise(rows):
        assert one["at_least"] <= more["at_least"]
        assert one["at_most"] <= more["at_most"]
    for row in rows:
        assert row["at_least"] <= row["low"] <= row["leakage"] <= row["high"] <= row["at_most"]


def test_rounding_lets_no_exact_leakage_fall():
    before, after = 1.5, math.nextafter(1.5, 0)
    numbers = [before, after, Fraction(7, 4), 2.0]
    found = ordered([LeakageAfter.exactly(n, number) for n, number in enumerate(numbers, start=1)])
    assert [row.numbers for row in found] == [(1.5,) * 5, (1.5,) * 5, (Fraction(7, 4),) * 5, (2.0,) * 5]
    assert type(found[2].leakage) is Fraction


def test_one_profile_is_told_in_the_singular():
    sentences = over_time(Population.from_sets({"Alice": {1}}), TopicsAPI(2, 1), 1).further
    assert any("with only 1 different profile;" in sentence for sentence in sentences)


def test_a_risk_of_one_half_is_not_above_one_half():
    """Pairs of users with the same set, who are re-identified half of the time: 1/2 up to rounding."""
    for pairs in range(1, 8):
        for top_s in (1, 2, 3):
            sets = [range(top_s * i, top_s * (i + 1)) for i in range(pairs) for _ in range(2)]
            people = Population.from_array(range(2 * pairs), [list(own) for own in sets], topics=range(30))
            for r in (0.0, 0.1, 0.3):
                found = over_time(people, TopicsAPI(30, top_s, r), 3)
                spread = risks(found)
                assert all(risk["max"] == pytest.approx(0.5) or risk["max"] < 0.5 for risk in spread)
                assert [risk["users_above"] for risk in spread] == [0, 0, 0]


@pytest.mark.parametrize("E", [1, 2, 3])
def test_users_who_weigh_nothing_are_one_of_all_where_nobody_else_fits(E):
    """The definition, as a plain loop over all tuples of reports."""
    rng = np.random.default_rng(E)
    for _ in range(30):
        N, m, s = int(rng.integers(2, 6)), 4, int(rng.integers(1, 3))
        sets = [[frozenset(rng.permutation(m)[:s].tolist()) for _ in range(E)] for _ in range(N)]
        weights = [0, *rng.integers(0, 3, N - 1).tolist()]
        if not any(weights):
            weights[-1] = 1
        people = loops.population(sets, weights, m, same=False)
        found = risk_over_epochs(Sequences.of(people, TopicsAPI(m, s, 0)), E)
        p, q = loops.probabilities(m, s, Fraction(0))
        assert found.tolist() == pytest.approx([float(x) for x in loops.risks(sets, weights, m, p, q)])
    three = Population.from_array(range(3), [[[0], [1], [1]]], topics=range(2), weights=[0, 1, 1])
    assert risk_over_epochs(Sequences.of(three, TopicsAPI(2, 1, 0)), 1)[0] == pytest.approx(1 / 3)
