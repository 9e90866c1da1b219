"""With weights there is one mean risk: that over users who count as much as they weigh, the vulnerability."""

from fractions import Fraction
from itertools import product

import pytest

import quiff
from quiff import Api, Channel, Population, TopicsAPI
from quiff.apis.base import Unit

SETS = {"a": {0, 1}, "b": {1, 2}, "c": {2, 3}, "d": {0, 1}, "e": {0, 3}}
WEIGHTS = {"a": 7, "b": 1, "c": 2, "d": 1, "e": 4}
PEOPLE = Population.from_sets(SETS, weights=WEIGHTS)
API = TopicsAPI(5, 2, Fraction(1, 5))


class Country(Api):
    """Who is from where, with some lies; it is composed, and not counted."""

    needs = ("country",)
    unit = Unit("a user", "one site", 7)

    def observe(self, secrets):
        wrong = Fraction(1, 4) / (len(secrets) - 1)
        rows = {x: {y: Fraction(3, 4) if x == y else wrong for y in secrets} for x in secrets}
        return Channel.sparse(rows, outputs=secrets)


def by_hand(channel, n):
    """Each user's own risk after n observations, by the definition, ties broken at random."""
    outputs = list(channel.outputs)
    risks = dict.fromkeys(WEIGHTS, Fraction(0))
    for seen in product(outputs, repeat=n):
        likely = {}
        for user, weight in WEIGHTS.items():
            value = Fraction(1)
            for output in seen:
                value *= channel[user, output]
            likely[user] = (value * weight, value)
        best = max(both for both, _ in likely.values())
        guessed = [user for user, (both, _) in likely.items() if both == best]
        for user in guessed:
            risks[user] += likely[user][1] / len(guessed)
    return risks


@pytest.mark.parametrize("api", [API, Country()], ids=["counted", "composed"])
def test_measure_and_epochs_have_the_same_mean(api):
    people = PEOPLE.with_attribute("country", ["BR", "AU", "BR", "NZ", "NZ"])
    over, once = quiff.over_time(people, api, 2), quiff.user_risk(people, api)
    total = sum(WEIGHTS.values())
    for n in (1, 2):
        risks = by_hand(api.channel(people), n)
        mean = sum(risks[user] * weight for user, weight in WEIGHTS.items()) / total
        above = sum(weight for user, weight in WEIGHTS.items() if risks[user] > Fraction(1, 2)) / total
        assert over[api.spec, "risk_mean", n] == pytest.approx(float(mean))
        assert float(over[api.spec, "posterior", n]) == pytest.approx(float(mean))
        assert over[api.spec, "users_above", n] == pytest.approx(above)
        by_risk = sorted(WEIGHTS, key=lambda user: risks[user])
        reached, median = 0, None
        for user in by_risk:
            reached += WEIGHTS[user]
            if median is None and 2 * reached >= total:
                median = risks[user]
        assert over[api.spec, "risk_median", n] == pytest.approx(float(median))
    for quantity in ("risk_mean", "risk_median", "risk_95", "risk_99", "risk_max", "users_above"):
        assert float(once[api.spec, quantity]) == pytest.approx(float(over[api.spec, quantity, 1]))


def test_it_says_whose_mean_it_is():
    over = quiff.over_time(PEOPLE, API, 1)
    assert "of the users by weight with more than 50 %" in " ".join(over.sentences)
    assert over.tables["risk"].notes == ("Users count as much as they weigh.",)
    assert "who count as much as they weigh" in " ".join(over.explained().split())
    plain = quiff.over_time(Population.from_sets(SETS), API, 1)
    assert "by weight" not in " ".join(plain.sentences)
