"""over_time for APIs that quiff does not know: against plain loops over all sequences of outputs."""

import json
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import log, prod
from operator import mul

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import quiff
from quiff import Api, Channel, Cookies, ParameterError, Population, TopicsAPI, over_time, theory
from quiff.apis.base import Unit
from quiff.apis.together import Together
from quiff.cli import main
from quiff.weeks import composed as composing
from quiff.weeks.composed import Composed
from quiff.weeks.over_time import parameters_bounds
from quiff.weeks.sequences import Sequences
from read import leakages
from words import refused, worded

COUNTRIES = ["AT", "BR", "AT", "AU", "BR", "AT"]
USERS = ["Ann", "Bob", "Cem", "Dan", "Eve", "Fay"]
PEOPLE = Population.from_sets({user: {1} for user in USERS}).with_attribute("country", COUNTRIES)
F, TRUTH = Fraction, Fraction(3, 4)
TABLE = {
    "AT": (F(1, 2), F(1, 3), F(1, 6)),
    "BR": (F(1, 10), F(7, 10), F(1, 5)),
    "AU": (F(1, 4), F(1, 4), F(1, 2)),
}
SHARES = {  # in AT, AU and BR
    "AT": (F(2, 3), F(1, 3), F(0)),
    "AU": (F(1, 4), F(1, 4), F(1, 2)),
    "BR": (F(0), F(1, 2), F(1, 2)),
}


@dataclass(frozen=True)
class Response(Api):
    """k-ary randomised response, held as a channel of membership."""

    truth: Fraction = TRUTH
    needs = ("country",)

    def observe(self, secrets):
        wrong = (1 - self.truth) / 2
        places = {name: k for k, name in enumerate(("AT", "AU", "BR"))}
        codes = np.array([[places[secret]] for secret in secrets])
        return Channel.membership_from_codes(secrets, codes, list(places), inside=self.truth, outside=wrong)


@dataclass(frozen=True)
class Cohort(Api):
    """A table of probabilities without any structure; its cohorts are 1, 2 and 3, as topics may be."""

    needs = ("country",)

    def observe(self, secrets):
        return Channel([TABLE[secret] for secret in secrets], inputs=secrets, outputs=[1, 2, 3])


@dataclass(frozen=True)
class Click(Cohort):
    """The same about a click, whose country is another one each time: the user has a share in each."""

    redraws = "secret"
    unit = Unit("a click")

    def secret(self, people):
        rows = [SHARES[country] for country in COUNTRIES]
        return Channel(rows, inputs=people.users, outputs=["AT", "AU", "BR"])


@dataclass(frozen=True)
class Drawn(Click):
    """A country that is drawn once for each user, and stays."""

    redraws = "noise"


@dataclass(frozen=True)
class Known(Cohort):
    """The same where the click already says who it is."""

    observer_knows_who = True


def response_row(country, truth=TRUTH):
    return [truth if country == other else (1 - truth) / 2 for other in ("AT", "AU", "BR")]


def by_loops(rows, n):
    """P[y1, ..., yn | user] of independent observations, by all sequences; a user has a row for each."""
    width = range(len(rows[0][0]))
    return [[prod(user[e][y] for e, y in enumerate(ys)) for ys in product(width, repeat=n)] for user in rows]


def posterior(matrix, weights):
    columns = zip(*matrix, strict=True)
    best = (max(w * p for w, p in zip(weights, column, strict=True)) for column in columns)
    return sum(best) / sum(weights)


def risks(matrix, weights):
    own = [F(0)] * len(matrix)
    for column in zip(*matrix, strict=True):
        joint = [w * p for w, p in zip(weights, column, strict=True)]
        tied = [x for x, value in enumerate(joint) if value == max(joint)]
        for x in tied:
            own[x] += column[x] / len(tied)
    return own


def expect_figures(found, api, rows, weights, most):
    """Every figure is that of the loops."""
    before = F(max(weights), sum(weights))
    for n in range(1, most + 1):
        matrix = by_loops([user * n if len(user) == 1 else user[:n] for user in rows], n)
        after = posterior(matrix, weights)
        assert found[api.spec, "posterior", n] == after
        assert found[api.spec, "leakage", n] == after / before
        assert found.row(api.spec, "leakage", n).method == "exact"
        largest = max(
            (a / b for column in zip(*matrix, strict=True) for a in column for b in column if b), default=1
        )
        assert found[api.spec, "max_case_capacity", n] == largest
        assert found[api.spec, "epsilon", n] == pytest.approx(log(largest))
        own = risks(matrix, weights)
        assert found[api.spec, "risk_max", n] == pytest.approx(float(max(own)))
        assert found[api.spec, "risk_mean", n] == pytest.approx(
            float(sum(map(mul, weights, own)) / sum(weights))
        )


@pytest.mark.parametrize("weights", [None, [1, 2, 3, 1, 2, 5]])
@pytest.mark.parametrize(("api", "row"), [(Response(), response_row), (Cohort(), TABLE.get)])
def test_it_is_what_loops_over_all_sequences_say(api, row, weights):
    people = PEOPLE if weights is None else PEOPLE.replaced(weights=np.array(weights))
    assert (Sequences.recognised(people, api) is None) == isinstance(api, Cohort)
    found = over_time(people, api, 3, utility=True)
    expect_figures(found, api, [[row(country)] for country in COUNTRIES], weights or [1] * 6, 3)
    for n in (1, 2, 3):
        matrix = by_loops([[row(country)] * n for country in COUNTRIES], n)
        w = weights or [1] * 6
        right = sum(
            max(sum(w[x] * p for x, p in enumerate(column) if COUNTRIES[x] == guess) for guess in COUNTRIES)
            for column in zip(*matrix, strict=True)
        ) / F(sum(w))
        assert found[api.spec, "goal_posterior", "secret", n] == right
    assert found.figure().to_svg().startswith("<svg")
    assert "re-identification" in str(found)
    assert found.sentences[0].startswith(f"{api.title}: 3 observations multiply the probability")


@pytest.mark.parametrize(("api", "row"), [(Response(), response_row), (Cohort(), TABLE.get)])
def test_an_attribute_that_changes_is_composed_epoch_by_epoch(api, row):
    later = ["BR", "BR", "AT", "AU", "AU", "AT"]
    labels = ["AT", "AU", "BR"]
    codes = np.array([[labels.index(one) for one in week] for week in (COUNTRIES, later)])
    moved = quiff.people.attribute.Attribute("country", labels, codes)
    people = Population.from_sets({user: {1} for user in USERS}).replaced(sets=None, topics=None)
    people = people.replaced(others={"country": moved})
    found = over_time(people, api, 2)
    rows = [[row(one), row(two)] for one, two in zip(COUNTRIES, later, strict=True)]
    expect_figures(found, api, rows, [1] * 6, 2)
    assert found.words["profiles"] == len(set(zip(COUNTRIES, later, strict=True)))
    with refused(ParameterError, 2, 3):
        over_time(people, api, 3)


def mixed(country):
    shares = zip(SHARES[country], ("AT", "AU", "BR"), strict=True)
    return [sum(row) for row in zip(*([share * p for p in TABLE[c]] for share, c in shares), strict=True)]


def test_a_secret_that_is_drawn_anew_composes_on_users_and_one_that_is_drawn_once_does_not():
    anew = over_time(PEOPLE, Click(), 2, utility=True)
    expect_figures(anew, Click(), [[mixed(country)] for country in COUNTRIES], [1] * 6, 2)
    assert any("new secret" in note for note in anew.notes)
    once = over_time(PEOPLE, Drawn(), 2)
    matrix = [
        [
            sum(share * TABLE[c][a] * TABLE[c][b]
                for share, c in zip(SHARES[country], ("AT", "AU", "BR"), strict=True))
            for a, b in product(range(3), repeat=2)
        ]
        for country in COUNTRIES
    ]  # fmt: skip
    assert once["drawn", "posterior", 2] == posterior(matrix, [1] * 6)
    assert once["drawn", "posterior", 2] != anew["click", "posterior", 2]


def test_nothing_accumulates_about_a_secret_that_is_new_each_time():
    @dataclass(frozen=True)
    class Fresh(Cohort):
        redraws = "secret"

    found = over_time(PEOPLE, Fresh(), 3, utility=True)
    learned = [found["fresh", "goal_posterior", "secret", n] for n in (1, 2, 3)]
    assert len(set(learned)) == 1
    assert found["fresh", "posterior", 3] > found["fresh", "posterior", 1]


def test_an_identifier_says_everything_at_once():
    found = over_time(PEOPLE, Cookies(), 4)
    assert [found["cookies", "leakage", n] for n in (1, 2, 3, 4)] == [6] * 4
    assert found["cookies", "risk_median", 3] == 1
    assert leakages(found)[3]["epsilon"] == float("inf")
    assert any("nothing new" in note for note in found.notes)


def test_where_the_observer_knows_who_there_is_only_the_secret():
    found = over_time(PEOPLE, Known(), 2)
    assert {row.goal for row in found.rows} == {"secret"}
    assert any("nobody to re-identify" in note for note in found.notes)
    assert found.figures == {}


def test_what_one_observer_sees_of_two_apis():
    both = Together(Response(), Cohort())
    found = over_time(PEOPLE, both, 2)
    pairs = [[[a * b for a in response_row(country) for b in TABLE[country]]] for country in COUNTRIES]
    expect_figures(found, both, pairs, [1] * 6, 2)


@pytest.mark.parametrize("weights", [[1] * 6, [1, 2, 3, 1, 2, 5]])
@pytest.mark.parametrize(("api", "row"), [(Response(), response_row), (Cohort(), TABLE.get)])
def test_an_adversary_who_knows_something_already_compares_with_what_that_says(api, row, weights):
    ages = ["old", "young", "young", "old", "old", "young"]
    people = PEOPLE.with_attribute("age", ages).replaced(weights=np.array(weights))
    found = over_time(people, api, 2, known=["age"])

    def given(matrix):
        both = (posterior([p for p, age in zip(matrix, ages, strict=True) if age == one],
                          [w for w, age in zip(weights, ages, strict=True) if age == one])
                * sum(w for w, age in zip(weights, ages, strict=True) if age == one)
                for one in ("old", "young"))  # fmt: skip
        return sum(both) / F(sum(weights))

    before = given([[F(1)]] * 6)
    for n in (1, 2):
        matrix = by_loops([[row(country)] * n for country in COUNTRIES], n)
        assert found[api.spec, "prior", n] == before
        assert found[api.spec, "posterior", n] == given(matrix)
        assert found[api.spec, "leakage", n] == given(matrix) / before
        assert found[api.spec, "risk_mean", n] > 0
    assert found[api.spec, "epsilon", 2] == over_time(people, api, 2)[api.spec, "epsilon", 2]
    assert any("already knows of the user: age" in note for note in found.notes)


def test_what_is_known_for_sure_needs_no_further_work(monkeypatch):
    both = Together(Response(), Cookies())
    monkeypatch.setattr(composing, "_BILLIONS", 1e-5)
    found = over_time(PEOPLE, both, 9)
    assert [row["leakage"] for row in leakages(found)] == [6] * 9
    assert {row["method"] for row in leakages(found)} == {"exact"}


def test_equal_epochs_are_stable_ones_and_merged_people_are_the_same_people():
    people = Population.synthetic(40, seed=2, n_topics=8, top_s=2)
    api = TopicsAPI(9, 2, F(1, 5))
    stable = over_time(people, api, 3)
    again = Population.from_array(people.users, np.stack([people.codes] * 3), topics=people.topics)
    sets, counts = people.distinct_sets()[0], people.set_counts()
    merged = people.replaced(users=sets, sets=sets.codes, counts=counts)
    for other in (over_time(again, api, 3), over_time(merged, api, 3)):
        for quantity in ("posterior", "leakage", "epsilon", "risk_median", "risk_max"):
            for n in (1, 2, 3):
                assert other[api.spec, quantity, n] == pytest.approx(stable[api.spec, quantity, n], rel=1e-12)


def test_what_is_too_much_work_is_sampled_and_the_interval_covers_it(monkeypatch):
    exact = {n: float(over_time(PEOPLE, Cohort(), 3)["cohort", "posterior", n]) for n in (1, 2, 3)}
    monkeypatch.setattr(composing, "_BILLIONS", 1e-9)
    found = over_time(PEOPLE, Cohort(), 3, seed=1)
    assert found.row("cohort", "leakage", 3).method == "monte-carlo"
    assert found.words["plan"][1].endswith(
        "sampled, with an interval of 95 %, for to compute it exactly takes too long."
    )
    composed = Composed.of(PEOPLE, Cohort())
    for n in (2, 3):
        runs = [composed.sampled(composed.channel(n), [seed, n], samples=300)[-1] for seed in range(100)]
        assert sum(run.low <= exact[n] <= run.high for run in runs) >= 88  # fewer than 1 in 1 000 times
        assert np.mean([run.value for run in runs]) == pytest.approx(exact[n], rel=0.02)
    whatever = over_time(PEOPLE, Cohort(), 3, exact=True)
    assert whatever.row("cohort", "leakage", 3).method == "exact"


def test_many_observations_of_any_channel_do_not_vanish(monkeypatch):
    monkeypatch.setattr(composing, "_BILLIONS", 1e-9)
    found = over_time(PEOPLE, Cohort(), 400)
    assert leakages(found)[399]["leakage"] == pytest.approx(3, rel=1e-3)


@given(st.integers(1, 8), st.integers(1, 4), st.integers(0, 10), st.integers(1, 6), st.integers(1, 40))
def test_the_bound_of_the_parameters_is_that_of_the_theory(more, s, tenths, n, users):
    m, api = s + more, TopicsAPI(s + more, s, F(tenths, 10))
    people = Population.from_array(range(users), [list(range(s))] * users, topics=range(m))
    expected = theory.epochs_bound(m, s, api.noise, users, n)
    assert parameters_bounds(api.fit(people), people, n)[-1] == expected


def test_outputs_that_are_called_as_topics_are_mixed_up_with_nothing():
    people = Population.from_sets({1: {1, 2}, 2: {2, 3}, 3: {1, 3}})
    people = people.with_attribute("country", ["AT", "BR", "AU"])
    rows = [[TABLE[country]] for country in ("AT", "BR", "AU")]
    expect_figures(over_time(people, Cohort(), 2), Cohort(), rows, [1] * 3, 2)


def test_the_command_takes_ones_own_api_and_a_column(tmp_path):
    table = tmp_path / "people.csv"
    rows = "".join(f"{user},1,{country}\n" for user, country in zip(USERS, COUNTRIES, strict=True))
    table.write_text(f"user,t1,country\n{rows}")
    own = tmp_path / "own.py"
    own.write_text("""
from dataclasses import dataclass
from quiff import Api, Channel

@dataclass(frozen=True)
class Mine(Api):
    truth: float = 0.75
    needs = ("country",)

    def observe(self, secrets):
        wrong = (1 - self.truth) / 2
        table = [[self.truth if x == y else wrong for y in ("AT", "AU", "BR")] for x in secrets]
        return Channel(table, inputs=secrets, outputs=["AT", "AU", "BR"])
""")
    command = ["epochs", str(table), "--api", f"{own}:Mine:truth=0.5", "--attribute", "country"]
    done = CliRunner().invoke(main, [*command, "--observations", "2", "--json"])
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    matrix = by_loops([[response_row(country, F(1, 2))] * 2 for country in COUNTRIES], 2)
    assert leakages(data)[1]["vulnerability"] == pytest.approx(float(posterior(matrix, [1] * 6)))
    assert data["provenance"]["parameters"]["mine:truth=0.5"]["truth"] == 0.5
    assert {row["api"] for row in data["rows"]} == {"mine:truth=0.5"}
    nothing = json.loads(CliRunner().invoke(main, [*command, "--known", "country", "--json"]).stdout)
    assert [row["leakage"] for row in leakages(nothing)] == pytest.approx([1, 1, 1])
    figure = tmp_path / "weeks.svg"
    text = CliRunner().invoke(main, [*command, "--figure", str(figure)])
    assert text.exit_code == 0, text.output
    worded(text.stdout)
    assert figure.read_text().startswith("<svg")
