"""leakage_over_epochs and `quiff epochs`: the plan, the result, the command, the paper's example."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner

import quiff
from quiff import ParameterError, Population, SizeError, TopicsAPI, leakage_over_epochs
from quiff.cli import main
from quiff.core.counting.slices import in_slices
from quiff.epochs.plan import Plan, Step, plan_epochs
from quiff.epochs.sequences import Sequences

TOPICS = ["Music", "News", "Sports", "Travel", "Ads"]
SETS = {"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}, "Carol": {"Music", "News"}}
API = TopicsAPI(n_topics=5, top_s=2, noise=Fraction(1, 20))
P, Q = Fraction(97, 200), Fraction(1, 100)


class TestThePapersTwoEpochs:
    """The longitudinal model's example: two epochs of the three users' channel."""

    people = Population.from_sets(SETS, TOPICS)

    def test_privacy(self):
        """Pairs inside a set: 8 of p^2; one topic of each set: 8 of p q; with Ads: 8 of p q, and q^2."""
        by_hand = 8 * P**2 + 16 * P * Q + Q**2
        found = leakage_over_epochs(self.people, API, 2)
        assert found.epochs[1].leakage == by_hand == Fraction(3919, 2000)
        assert found.epochs[1].vulnerability == by_hand / 3
        assert quiff.bayes_capacity(quiff.repeat(API.channel(self.people), 2)) == by_hand
        assert found.epochs[1].max_case_capacity == (P / Q) ** 2

    def test_utility_on_one_set(self):
        """Alice's and Carol's set is twice as likely; only two reports for Bob turn the guess."""
        C = quiff.repeat(API.set_channel(self.people), 2)
        assert C.outputs.size == 25
        both, mixed, one_ads, ads = 4 * P**2, 8 * P * Q, 4 * P * Q, Q**2
        by_hand = (2 * (both + mixed + one_ads + ads) + both + one_ads) / 3
        assert quiff.posterior_vulnerability(self.people.set_prior(), C) == by_hand

    def test_utility_on_pairs_of_sets(self):
        """If the two epochs' sets are independent, as the figure draws it, chances multiply."""
        one = API.set_channel(self.people)
        prior = self.people.set_prior()
        pairs = quiff.Prior({(a, b): prior[a] * prior[b] for a in prior for b in prior})
        both = quiff.kronecker(one, one)
        alone = quiff.posterior_vulnerability(prior, one)
        assert alone == Fraction(293, 300)
        assert quiff.posterior_vulnerability(pairs, both) == alone**2


def test_the_result_shows_as_table_json_and_figure():
    found = leakage_over_epochs(Population.synthetic(300, n_topics=40), TopicsAPI(50), 7, seed=2)
    assert [row.method for row in found.epochs] == ["exact"] * 5 + ["hybrid"] * 2
    leakages = [float(row.leakage) for row in found.epochs]
    assert leakages == sorted(leakages)
    for row in found.epochs:
        assert row.at_least <= row.low <= row.leakage <= row.high <= row.at_most <= row.bound
        assert row.high <= row.limit == found.distinct_profiles
        assert row.vulnerability == pytest.approx(row.leakage / 300)
    assert found.epochs[0].low == found.epochs[0].high
    assert found.risk.epochs == 3
    assert found.risk.mean == pytest.approx(float(found.epochs[2].vulnerability))
    data = found.to_dict()
    assert {"mean", "median", "p95", "p99", "max"} <= set(data["risk"])
    assert "hybrid" in found.table().to_markdown()
    assert found._repr_html_().count("<table>") == 2
    svg = found.figure().to_svg()
    assert "chance to be named" in svg
    assert "cookies" in svg
    assert leakage_over_epochs(Population.synthetic(300, n_topics=40), TopicsAPI(50), 7, seed=2) == found


def test_changing_sets_are_sampled_beyond_four_epochs():
    rng = np.random.default_rng(1)
    sets = np.stack([rng.permuted(np.tile(np.arange(10), (50, 1)), axis=1)[:, :3] for _ in range(6)])
    people = Population.from_array(range(50), sets, topics=range(10))
    found = leakage_over_epochs(people, TopicsAPI(10, 3, 0.05), 6)
    assert [row.method for row in found.epochs] == ["exact"] * 4 + ["monte-carlo"] * 2
    for row in found.epochs[4:]:
        assert found.epochs[3].leakage <= row.low <= row.leakage <= row.high <= 50
    assert "the sets of each epoch" in found.table().title
    with pytest.raises(ParameterError, match="between 1 and 6, not 7"):
        leakage_over_epochs(people, TopicsAPI(10, 3), 7)


def test_weights_are_the_prior():
    people = Population.from_sets(SETS, TOPICS, weights={"Alice": 1, "Bob": 2, "Carol": 3})
    found = leakage_over_epochs(people, API, 5)
    assert [row.method for row in found.epochs] == ["exact"] * 4 + ["monte-carlo"]
    one = found.epochs[0]
    assert one.vulnerability == quiff.posterior_vulnerability(people.user_prior(), API.channel(people))
    assert one.leakage == one.vulnerability * 2
    assert one.limit == Fraction(5, 3)
    assert found.cookies == 2
    assert found.epochs[4].high <= float(one.limit)


def test_a_plan_that_is_too_large_asks_for_force():
    plan = Plan((Step(1, "exact", 4000.0, 2**34, "counted exactly"),))
    with pytest.raises(SizeError, match=r"67 min and 16 GiB; .*--force"):
        plan.check()
    codes = np.arange(5 * 1091).reshape(-1, 5) % 1091
    many = Sequences.of(Population.from_array(range(1091), codes, topics=range(1091)), TopicsAPI(1091))
    free = plan_epochs(many, 5)
    assert free.steps[4].method == "hybrid"
    assert "to count them takes about" in free.steps[4].why
    assert free.risk_epochs == 3
    assert plan_epochs(many, 5, force=True).steps[4].method == "exact"
    assert free.explained()[-1].startswith("All of it takes about")


def test_progress_is_told_and_an_interrupt_is_clean():
    told = []
    leakage_over_epochs(Population.synthetic(100), TopicsAPI(), 3, progress=lambda *step: told.append(step))
    assert ("exact, 3 epochs", 1.0) in told
    assert ("risk, 3 epochs", 1.0) in told

    def impatient(name, share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        leakage_over_epochs(Population.synthetic(100), TopicsAPI(), 3, progress=impatient)


def test_slices_that_have_not_begun_never_do_after_an_interrupt():
    begun = []

    def stop(share):
        raise KeyboardInterrupt

    def work(number):
        begun.append(number)
        return number

    with pytest.raises(KeyboardInterrupt):
        list(in_slices(work, range(3000), stop))
    assert len(begun) < 3000


@pytest.fixture
def profiles(tmp_path):
    file = tmp_path / "profiles.csv"
    file.write_text("user,t1,t2\n" + "".join(f"u{i},{i % 7 + 1},{i % 7 + 2 + i % 2}\n" for i in range(50)))
    return str(file)


def test_the_command_prints_json_and_writes_a_figure(profiles, tmp_path):
    figure = tmp_path / "epochs.svg"
    arguments = ["epochs", profiles, "--epochs", "2", "--topics", "20", "--json", "--figure", str(figure)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    keys = {"epochs", "leakage", "vulnerability", "method", "low", "high", "epsilon", "max_case_capacity"}
    assert all(keys <= set(row) for row in data["epochs"])
    assert [row["epochs"] for row in data["epochs"]] == [1, 2]
    assert set(data["risk"]) >= {"mean", "median", "p95", "p99", "max"}
    assert data["epochs"][1]["epsilon"] == pytest.approx(2 * math.log(1 + 20 * 0.95 / (0.05 * 2)))
    assert figure.read_text().startswith("<svg")


def test_the_command_prints_tables_and_tells_errors_in_a_line(profiles):
    result = CliRunner().invoke(main, ["epochs", profiles, "--noise", "1/20"])
    assert result.exit_code == 0, result.output
    assert "counted exactly" in result.stdout
    assert "The users' own risk" in result.stdout
    wrong = CliRunner().invoke(main, ["epochs", profiles, "--epochs", "0"])
    assert wrong.exit_code == 1
    assert wrong.stderr == "Error: epochs must be a whole number of at least 1, not 0\n"


def test_users_without_an_epoch_are_an_error_unless_told(tmp_path):
    file = tmp_path / "profiles.csv"
    rows = [("a", 0, 1), ("a", 1, 2), ("b", 0, 2), ("b", 1, 3), ("c", 0, 3)]
    file.write_text("user,epoch,t1\n" + "".join(f"{u},{e},{t}\n" for u, e, t in rows))
    run = CliRunner().invoke
    assert run(main, ["epochs", str(file), "--epochs", "2"]).exit_code == 1
    for how, users in (("drop", 2), ("fill", 3)):
        result = run(main, ["epochs", str(file), "--epochs", "2", "--missing", how, "--json"])
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["users"] == users
