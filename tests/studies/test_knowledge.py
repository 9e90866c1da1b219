"""How knowledge grows with each observation of a program, against what is worked out by hand."""

from fractions import Fraction
from math import log2

import pytest
from hypothesis import given, settings

import quiff
from naive_programs import naive_row
from quiff import ParameterError, Population, Prior, knowledge
from quiff.testing.strategies import priors_for
from words import refused


@quiff.program
def three_looks(secret, draw, truth=Fraction(3, 4)):
    """Show the secret's last bit, told truly with some probability, until it is told twice as a one."""
    ones = 0
    for _ in range(3):
        seen = secret % 2 if draw.flip(truth) else 1 - secret % 2
        yield seen
        ones += seen
        if ones == 2:
            return


def by_hand(prior, program, k):
    """V_1 and H(X | Y) of the first k observations, from the plain enumeration."""
    joint = {}
    for x, p in prior.items():
        for seen, q in naive_row(program.function, x).items():
            mine = joint.setdefault(seen[:k], {})
            mine[x] = mine.get(x, 0) + p * q
    guessed = sum(max(row.values()) for row in joint.values())
    terms = (
        float(p) * log2(float(sum(row.values())) / float(p))
        for row in joint.values()
        for p in row.values()
        if p
    )  # H(X | Y) = sum_x,y p(x,y) log p(y)/p(x,y)
    return guessed, sum(terms)


@settings(max_examples=25, deadline=None)
@given(priors_for(range(4), exact=True))
def test_each_step_is_the_hyper_of_the_first_observations(prior):
    result = knowledge(prior, three_looks)
    for k in range(4):
        guessed, bits = by_hand(prior, three_looks, k)
        assert result["three_looks", "goal_posterior", k] == guessed
        assert result["three_looks", "leakage", k] == guessed / max(prior.to_numpy())
        assert result["three_looks", "bits_left", k] == pytest.approx(bits, abs=1e-12)


def test_tables_and_figure():
    result = knowledge(Prior.uniform(range(40)), three_looks)
    table = result.tables["knowledge"]
    assert [row[:2] for row in table.rows] == [(0, 1), (1, 2), (2, 3), (3, 4)]  # ones and zeros, as counts
    assert sum(row[1] for row in result.tables["hypers"].rows) == 4  # each step's posteriors sum to 1
    assert max(map(len, str(result).splitlines())) <= 80
    assert "probability to guess the secret" in result.figure().to_svg()


def test_secrets_may_be_people():
    people = Population.from_sets({"Ann": {"a", "b"}, "Bob": {"c", "d"}, "Eve": {"a", "c"}})

    @quiff.program
    def twice(user, draw):
        yield draw.uniform(user.topics)
        yield draw.uniform(user.topics)

    result = knowledge(people.user_prior(), twice, people)
    # After one: a max(1/2, 1/2)/3, b 1/6, c 1/6, d 1/6; after two, 4 pairs each, (a, a) and (c, c) twice.
    assert result["twice", "goal_posterior", 1] == Fraction(4, 6)
    assert result["twice", "goal_posterior", 2] == Fraction(10, 12)


def test_what_it_takes():
    for wrong in ((range(3), three_looks), (Prior.uniform(range(3)), three_looks.function)):
        with refused(ParameterError):
            knowledge(*wrong)
