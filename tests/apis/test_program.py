"""A program is an API like any other."""

import asyncio
import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner

import quiff
from quiff import Channel, ParameterError, Population, QuiffError, TopicsAPI, Unit, measure
from quiff.cli import main
from quiff.core.gain import bayes_gain
from quiff.core.labels import SetLabels
from quiff.programs.sealed import may_seal
from quiff.testing import check_api
from words import refused

TOPICS = tuple(range(1, 9))
PEOPLE = Population.synthetic(60, seed=1, n_topics=8, top_s=2).with_attribute(
    "country", [("AU", "BR", "FR")[k % 3] for k in range(60)]
)


@quiff.program(title="a topic", unit=Unit("a user", "one site", 7), ranges={"noise": (0, 1)})
def topic(user, draw, noise=Fraction(1, 20)):
    """One topic of the set, or any."""
    shown = draw.uniform(user.topics)
    if draw.flip(noise):
        shown = draw.uniform(TOPICS)
    return shown


@quiff.program(goals=lambda secrets: {"the secret": bayes_gain(secrets)})
def by_country(user, draw):
    return draw.uniform(user.topics) if user.country == "BR" else user.country


@quiff.program
def nothing(user, draw):
    return draw.flip()


@quiff.program
def two_weeks(user, draw):
    for _ in range(2):
        yield topic(user, draw)


@pytest.mark.parametrize(
    "api", [topic, topic(noise=0.1), by_country, nothing, two_weeks], ids=lambda api: api.spec
)
def test_programs_pass_the_common_suite(api):
    assert len(check_api(api, PEOPLE)) == 22


@pytest.mark.parametrize("noise", [Fraction(1, 20), 0.05, Fraction(0), Fraction(1)])
def test_a_topic_is_that_of_the_topics_api(noise):
    C, D = topic(noise=noise).channel(PEOPLE), TopicsAPI(8, 2, noise).channel(PEOPLE)
    columns = D.outputs.positions(list(C.outputs))
    one, two = C.to_numpy(), D.to_numpy()[:, columns]
    assert (one == two).all() if isinstance(noise, Fraction) else one == pytest.approx(two, abs=1e-15)
    assert quiff.leakage(PEOPLE.user_prior(), C) == pytest.approx(quiff.leakage(PEOPLE.user_prior(), D))


def test_measure_gives_the_numbers_of_the_topics_api():
    built, mine = TopicsAPI(8, 2, Fraction(1, 20)), topic
    found = measure(PEOPLE, built, mine)
    for quantity in ("posterior", "leakage", "bayes_capacity"):
        assert found[built.spec, quantity] == found["topic", quantity]


def test_it_is_described_by_its_function():
    assert (topic.name, topic.title, topic.spec, str(topic.unit)) == (
        "topic", "a topic", "topic", "a user, one site, 7 days",
    )  # fmt: skip
    assert topic(noise=0.5).spec == "topic:noise=0.5"
    assert topic.function.__name__ == "topic"
    assert topic.__doc__ == "One topic of the set, or any."
    assert topic.needs == ("topics",)
    assert by_country.fit(PEOPLE).needs == ("country", "topics")
    assert nothing.fit(PEOPLE).needs == ()


def test_what_it_does_not_read_it_does_not_need():
    @quiff.program
    def program(user, draw):
        return user.topics if draw.flip(0) else user.country

    assert program.fit(PEOPLE).needs == ("country",)
    assert set(program.channel(PEOPLE).outputs) == {"AU", "BR", "FR"}


def test_topics_are_a_tuple_in_the_order_of_the_taxonomy_also_beside_other_attributes():
    people = Population.from_sets({"Ann": {"b", "a"}, "Bob": {"c", "a"}}, ["c", "b", "a"])
    people = people.with_attribute("country", ["AU", "BR"])

    @quiff.program
    def alone(user, draw):
        return user.topics

    @quiff.program
    def beside(user, draw):
        return user.topics, user.country

    assert alone.channel(people)["Ann", ("b", "a")] == 1
    assert beside.channel(people)["Bob", (("c", "a"), "BR")] == 1


def test_a_parameter_called_taxonomy_keeps_its_value_when_fitted():
    @quiff.program
    def shown(user, draw, taxonomy=TOPICS):
        return draw.uniform(taxonomy) if draw.flip(Fraction(1, 4)) else draw.uniform(user.topics)

    fitted = shown(taxonomy=(1, 2, 99)).fit(PEOPLE)
    assert fitted.parameters() == {"taxonomy": (1, 2, 99)}
    assert fitted.spec == shown(taxonomy=(1, 2, 99)).spec
    assert fitted.channel(PEOPLE)[PEOPLE.users[0], 99] == Fraction(1, 12)


def test_without_people_secrets_are_values_or_records():
    @quiff.program
    def response(secret, draw, k=4):
        return secret if draw.flip() else draw.uniform(range(k))

    assert response.channel(range(4))[2, 2] == Fraction(5, 8)
    assert response.channel({"Ann": 0, "Bob": 0})["Bob", 1] == Fraction(1, 8)
    assert response(k=2).channel([0, 1]).outputs.size == 2
    assert topic.channel({"Ann": {"topics": (1, 2)}})["Ann", 1] == Fraction(19, 40) + Fraction(1, 160)


def test_hypers_of_programs():
    from quiff.testing.classics import monty_hall

    doors = quiff.Prior.uniform([0, 1, 2])
    host = quiff.program(monty_hall)
    shown = quiff.hyper(doors, host)
    assert sorted(shown.outer.to_numpy()) == [Fraction(1, 2)] * 2
    assert {max(posterior.to_numpy()) for _, posterior in shown.items()} == {Fraction(2, 3)}


def test_knowledge_grows_with_each_observation_of_a_program_that_yields():
    from quiff.testing.classics import square_and_multiply

    exponents = quiff.Prior.uniform(range(8))
    hypers = quiff.program(square_and_multiply)(bits=3).hypers(exponents)
    assert [len(each) for each in hypers] == [1, 1, 2, 3, 5, 7, 8]  # by hand: how many beginnings there are
    for each in hypers:
        guessed = sum(p * max(posterior.to_numpy()) for p, posterior in each.items())
        assert guessed == Fraction(len(each), 8)
    with refused(ParameterError):
        topic.hypers(exponents)


def test_samples_follow_the_channel():
    secret = {"topics": (1, 2)}
    drawn = Counter(topic.sample(secret, seed=3, n=10_000))
    C = topic.channel({"Ann": secret})
    for output in TOPICS:
        assert drawn[output] / 10_000 == pytest.approx(float(C["Ann", output]), abs=0.025)
    assert topic.sample(secret, seed=3) == topic.sample(secret, seed=3)


def test_few_runs_for_many_people():
    calls = []

    @quiff.program
    def program(user, draw):
        calls.append(1)
        shown = draw.uniform(user.topics)
        return draw.uniform(TOPICS) if draw.flip(0.05) else shown

    people = Population.synthetic(3_000, seed=2, n_topics=8, top_s=3)
    C = program.channel(people)
    assert len(calls) <= 50
    assert isinstance(program.fit(people).secret(people).outputs, SetLabels)
    assert np.allclose(C.to_numpy(), TopicsAPI(8, 3).channel(people).to_numpy(), atol=1e-15)


def test_an_identity_test_in_a_program_that_another_one_runs_is_found():
    first = TOPICS[0]

    @quiff.program
    def inner(user, draw):
        return draw.uniform(user.topics) is first

    @quiff.program
    def outer(user, draw):
        return inner(user, draw)

    assert not may_seal(inner.function)
    assert not may_seal(outer.function)
    assert may_seal(topic.function)
    assert may_seal(two_weeks.function)
    assert outer.channel({"Ann": {"topics": TOPICS}})["Ann", True] == Fraction(1, 8)


def test_wrong_programs_and_parameters_are_told():
    async def waits(secret, draw):
        await asyncio.sleep(0)

    for wrong in (3, waits, lambda secret: 1, lambda secret, draw, k: 1, lambda secret, draw, **more: 1):
        with pytest.raises(ParameterError):
            quiff.program(wrong)
    with refused(ParameterError):
        quiff.program(lambda secret, draw: 1, ranges={"r": (0, 1)})
    with refused(ParameterError, what="noise", value=2):
        topic(noise=2)
    with refused(ParameterError):
        topic(noize=2)
    with refused(ParameterError):
        topic.observe(PEOPLE.channel("topics").outputs)
    with refused(ParameterError):
        by_country.channel(Population.synthetic(5, n_topics=8, top_s=2))
    with refused(QuiffError):
        topic.channel(7)


FILE = """
import quiff

@quiff.program
def cohort(user, draw, bits=2):
    return sum(map(hash, user.topics)) % 2**bits

@quiff.program(ranges={"noise": (0, 1)})
def noisy(user, draw, noise=0.25):
    return draw.uniform(range(5)) if draw.flip(noise) else user.country
"""


def test_a_file_of_programs_on_the_command_line(tmp_path):
    (tmp_path / "mine.py").write_text(FILE)
    (tmp_path / "people.csv").write_text("user,t1,t2,country\nAnn,1,2,AU\nBob,3,2,BR\nEve,1,4,AU\n")
    run = CliRunner().invoke(
        main,
        ["measure", str(tmp_path / "people.csv"), "--api", f"{tmp_path}/mine.py:noisy:noise=1/2",
         "--api", f"{tmp_path}/mine.py:cohort", "--json"],
    )  # fmt: skip
    assert run.exit_code == 0, run.output
    rows = {
        (row["api"], row["quantity"]): row["value"]
        for row in json.loads(run.stdout)["rows"]
        if row["goal"] == "user"
    }
    assert rows["noisy:noise=1/2", "leakage"] == pytest.approx(1.5)
    assert rows["cohort", "leakage"] == pytest.approx(2)
    shown = CliRunner().invoke(main, ["apis", f"{tmp_path}/mine.py:noisy"])
    assert "noise" in shown.output
    assert "0 to 1" in shown.output


def test_a_program_is_a_channel_of_its_own():
    C = quiff.program(lambda secret, draw: secret % 2).channel(range(4))
    assert isinstance(C, Channel)
    assert quiff.bayes_capacity(C) == 2
