"""The Bayes-optimal adversary on any API: her success against posteriors that are enumerated by hand."""

from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
import pytest
from click.testing import CliRunner

from quiff import (
    Api,
    BayesProfiles,
    Carey,
    Channel,
    Cookies,
    ParameterError,
    Population,
    TopicsAPI,
    attack,
    reidentify,
    simulate,
)
from quiff.cli import main
from quiff.core.labels import SetLabels
from quiff.weeks import composed
from words import refused, worded

COUNTRIES = "AABBBCABCC"
PEOPLE = Population.from_sets({f"user {k}": {k % 4, 9} for k in range(10)}).with_attribute(
    "country", list(COUNTRIES)
)


@dataclass(frozen=True)
class RandomizedCountry(Api):
    """The true country with some probability, else another; its labels are those of a user's attribute."""

    truth: float = 0.6
    needs = ("country",)

    def observe(self, secrets):
        wrong = (1 - self.truth) / (len(secrets) - 1)
        rows = {x: {y: self.truth if x == y else wrong for y in secrets} for x in secrets}
        return Channel.sparse(rows, outputs=secrets)


@dataclass(frozen=True)
class OfClicks(RandomizedCountry):
    observer_knows_who = True


@dataclass(frozen=True)
class Kept(RandomizedCountry):
    redraws = "nothing"


@dataclass(frozen=True)
class Numbered(Api):
    """Cohorts 0 to 3 whose labels are those of topics; a user's is that of the smaller topic."""

    needs = ("topics",)

    def observe(self, secrets):
        return Channel.deterministic({secret: min(secret) for secret in secrets}, [0, 1, 2, 3])


def best_guess(weights, n, truth=0.6, goal="user"):
    """sum_y max_u pi_u P(y | u), or over countries, with every sequence of answers written out."""
    total = sum(weights)

    def joint(y, k):
        answers = prod(truth if answer == COUNTRIES[k] else (1 - truth) / 2 for answer in y)
        return weights[k] / total * answers

    found = 0
    for y in product("ABC", repeat=n):
        each = [joint(y, k) for k in range(10)]
        if goal == "secret":
            each = [sum(p for p, c in zip(each, COUNTRIES, strict=True) if c == country) for country in "ABC"]
        found += max(each)
    return found


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_adversary_achieves_the_vulnerability_and_no_more(n, weighted):
    weights = [1, 2, 5, 1, 1, 3, 2, 1, 3, 1] if weighted else [1] * 10
    people = PEOPLE.replaced(weights=np.array(weights)) if weighted else PEOPLE
    found = attack(people, RandomizedCountry(), observations=[n], seeds=400, sample=None)
    expected = best_guess(weights, n)
    bound, rate = found.row("posterior"), found.row("bayes")
    assert (bound.value, bound.method) == (pytest.approx(expected, rel=1e-12), "exact")
    assert abs(rate.value - expected) < 5 * (rate.high - rate.low)
    assert rate.high - rate.low < 0.03
    assert (rate.goal, rate.observations, rate.method) == ("user", n, "monte-carlo")


def test_where_the_observer_knows_who_the_secret_is_guessed():
    found = attack(PEOPLE, OfClicks(), observations=[2], seeds=400)
    expected = best_guess([1] * 10, 2, goal="secret")
    assert found["goal_posterior"] == pytest.approx(expected, rel=1e-12)
    assert found["bayes"] == pytest.approx(expected, abs=0.03)
    assert {row.goal for row in found.rows} == {"secret"}


def test_many_observations_are_bounded_by_draws(monkeypatch):
    monkeypatch.setattr(composed, "_BILLIONS", 1e-8)
    for api, goal in ((RandomizedCountry(), "user"), (OfClicks(), "secret")):
        found = attack(PEOPLE, api, observations=[4], seeds=2)
        bound = found.rows.rows[-1]
        assert bound.method == "monte-carlo"
        assert bound.low <= best_guess([1] * 10, 4, goal=goal) <= bound.high


def test_very_many_observations_do_not_vanish():
    found = attack(PEOPLE, RandomizedCountry(), observations=[2000], seeds=1, sample=None)
    assert found["bayes"] == pytest.approx(3 / 10)  # the country is certain, nothing else is known


def test_what_is_drawn_once_says_no_more_the_second_time():
    once = best_guess([1] * 10, 1)
    found = attack(PEOPLE, Kept(), observations=[1, 4], seeds=1)
    assert [row.value for row in found.rows if row.quantity == "posterior"] == pytest.approx([once, once])


def test_an_identifier_re_identifies_everybody_and_a_cohort_its_only_member():
    assert attack(PEOPLE, Cookies(), observations=[2], seeds=1)["bayes"] == 1
    found = attack(PEOPLE, Numbered(), observations=[1], seeds=1, sample=None)
    assert found["bayes"] == pytest.approx(4 / 10)  # four cohorts, whatever their labels
    assert found["posterior"] == pytest.approx(4 / 10)


def test_an_api_on_browsing_histories_is_attacked():
    @dataclass(frozen=True)
    class Cohort(Api):
        needs = ("history",)
        redraws = "nothing"

        def observe(self, secrets):
            return Channel.deterministic({secret: len(secret) for secret in secrets}, range(9))

    histories = [("a.tld",) * (k % 5) for k in range(10)]
    people = Population.from_sets({k: {k} for k in range(10)}).with_attribute("history", histories)
    found = attack(people, Cohort(), observations=[1, 7], seeds=1, sample=None)
    assert [found["bayes", n] for n in (1, 7)] == pytest.approx([5 / 10] * 2)


def test_outputs_are_never_taken_for_topics_of_the_same_label():
    seen = simulate(PEOPLE, Numbered(), epochs=2, seed=1)
    with refused(ParameterError):
        reidentify(seen, BayesProfiles(PEOPLE))
    with refused(ParameterError):
        reidentify(seen, Carey(2, 0.1), population=PEOPLE)
    assert reidentify(seen, Carey(2, 0.1)).words["targets"] == 10


def test_merged_people_are_attacked_as_single_ones():
    people = Population.from_sets({k: {k % 3, 5} for k in range(9)} | {9: {0, 5}})
    sets, which = SetLabels.distinct(people.codes, people.topics)
    merged = Population(sets, people.topics, sets.codes[np.newaxis], counts=np.bincount(which))
    one, other = (
        attack(each, Numbered(), observations=[1], seeds=3, sample=None) for each in (people, merged)
    )
    assert one["posterior"] == other["posterior"] == pytest.approx(3 / 10)
    assert other["bayes"] == pytest.approx(3 / 10, abs=0.15)


def test_attributes_that_change_are_seen_epoch_by_epoch():
    sets = [[[0, 9], [1, 9], [0, 9]], [[0, 9], [0, 9], [1, 9]]]
    people = Population.from_array(["Ann", "Bob", "Eve"], sets, list(range(10)))
    found = attack(people, Numbered(), observations=[1, 2], seeds=1, sample=None)
    assert [found["posterior", n] for n in (1, 2)] == pytest.approx([2 / 3, 1])
    assert [found["bayes", n] for n in (1, 2)] == pytest.approx([2 / 3, 1])
    with refused(ParameterError, 2, 3):
        attack(people, Numbered(), observations=[3], seeds=1)


def test_the_published_attacks_are_for_topics():
    with refused(ParameterError):
        attack(PEOPLE, Cookies(), observations=[1], seeds=1, attacks=["carey"])
    assert attack(PEOPLE, TopicsAPI(10, 2), observations=[1], seeds=1, attacks=["carey"])["carey"] >= 0


def test_the_command_takes_an_api_of_ones_own(tmp_path):
    (tmp_path / "people.csv").write_text(
        "user,t1,country\n" + "\n".join(f"u{k},{k % 4 + 1},{c}" for k, c in enumerate(COUNTRIES))
    )
    (tmp_path / "mine.py").write_text(
        "from dataclasses import dataclass\n"
        "from quiff import Api, Channel\n"
        "@dataclass(frozen=True)\n"
        "class Shown(Api):\n"
        "    needs = ('country',)\n"
        "    def observe(self, secrets):\n"
        "        return Channel.identity(secrets)\n"
    )
    options = ["--api", f"{tmp_path / 'mine.py'}:Shown", "--observations", "2"]
    done = CliRunner().invoke(main, ["attack", "compare", str(tmp_path / "people.csv"), *options])
    assert done.exit_code == 0, done.output
    worded(done.output)
    wrong = CliRunner().invoke(
        main, ["attack", "compare", str(tmp_path / "people.csv"), *options, "--api", "topics:noise=1"]
    )
    assert wrong.exit_code == 2
    worded(wrong.stderr)
