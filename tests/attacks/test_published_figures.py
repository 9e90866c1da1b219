"""The figures that the papers print, on the public data that they rest on."""

import numpy as np
import pytest

from quiff import (
    BeuginMcDaniel,
    Carey,
    JhaLoose,
    JhaStrict,
    Population,
    TopicsAPI,
    VisitRates,
    enlarge,
    profiles_from_rates,
    reidentify,
    simulate,
    visit_rates,
)
from quiff.attacks.bound import attack_bound

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def people(mirror):
    """The 249 997 made-up users of PETS '24."""
    return Population.read(mirror / "topics-users-250000.csv.tar.gz", merged=False)


@pytest.fixture(scope="module")
def reports(people):
    return simulate(people, TopicsAPI(), epochs=30, seed=1)


@pytest.mark.parametrize(("epochs", "published"), [(1, 0.004), (15, 0.57), (30, 0.75)])
def test_beugin_and_mcdaniel(people, reports, epochs, published):
    # Without a list of rare topics: see below for what it changes. An interval of 3 000 targets is wide, and
    # with other seeds it now and then leaves out the published figure.
    found = reidentify(reports, BeuginMcDaniel(), call=epochs, population=people)
    assert found.words["targets"] == 3000
    assert found.row("unique").low <= published <= found.row("unique").high


def test_beugin_and_mcdaniel_on_everybody(people, reports):
    # The full run tells what the sample cannot. Their list of rare topics rests on classified sites that are
    # not at hand. Without one, .49 %, 56.2 % and 74.6 % are near the printed .4 %, 57 % and 75 %, but not
    # equal. A list of the rarest topics of these users closes the gap; 180 is the size, of 60, 120 and 180,
    # with which all three figures round to the printed ones.
    holders = np.bincount(people.codes.reshape(-1), minlength=people.topics.size)
    rarest = frozenset(people.topics[int(code)] for code in np.argsort(holders)[:180])
    shares = {
        len(rare): [
            reidentify(reports, BeuginMcDaniel(rare_topics=rare), call=epochs, sample=None)["unique"]
            for epochs in (1, 15, 30)
        ]
        for rare in (frozenset(), rarest)
    }
    assert shares[0] == pytest.approx([0.0049, 0.562, 0.746], abs=0.003)
    once, fifteen, thirty = shares[180]
    assert (round(once, 3), round(fifteen, 2), round(thirty, 2)) == (0.004, 0.57, 0.75)


def test_beugin_and_mcdaniel_stay_below_the_bound(people, reports):
    for epochs in (1, 15):
        found = reidentify(reports, BeuginMcDaniel(), call=epochs)
        assert found.row("right").low <= attack_bound(people, TopicsAPI(), epochs + 2).high


def test_carey_names_less_than_three_percent(people):
    # One report a week and site. The published users' interests change, and sets here do not, which helps
    # the attack: it stays below three percent for 15 weeks, and reaches four or five after 30.
    reports = simulate(people, TopicsAPI(), epochs=30, seed=2, earlier=0)
    shares = {epochs: reidentify(reports, Carey(), call=epochs).row("right") for epochs in (5, 15, 30)}
    assert shares[15].value < 0.03
    assert shares[5].high < shares[15].value < shares[30].value < 0.06


def independent_users(rates, n, seed):
    """Users as the authors make them in one of their ways: as many topics as a real user has, drawn by how
    many users visit each, and visited at the mean rate of those who do."""
    rng, table = np.random.default_rng(seed), rates.rates
    visitors = (table > 0).sum(axis=0)
    mean = table.sum(axis=0) / np.maximum(visitors, 1)
    made = np.zeros((n, table.shape[1]))
    for row in made:
        size = rng.choice((table > 0).sum(axis=1))
        topics = rng.choice(table.shape[1], size, replace=False, p=visitors / visitors.sum())
        row[topics] = mean[topics]
    return VisitRates.of(made)


@pytest.fixture(scope="module")
def rates(mirror):
    return visit_rates(mirror / "topics-visit-rates-268.csv")


def jha(rates, epochs, seed):
    people = profiles_from_rates(rates, epochs=40, seed=seed)
    reports = simulate(people, TopicsAPI(), epochs=40, seed=seed, earlier=0)
    return [reidentify(reports, attack, call=epochs).row("unique") for attack in (JhaStrict(), JhaLoose())]


@pytest.mark.parametrize(("epochs", "published"), [(30, 0.25), (40, 0.28)])
def test_jha_loose_on_users_with_independent_topics(rates, epochs, published):
    # Which users the published figures are of was not found out: of the ways tried, this one meets them, and
    # so do, about, the 268 real users alone. The strict attack's published 15 to 17 % fit crossed ones.
    strict, loose = jha(independent_users(rates, 1000, seed=1), epochs, seed=1)
    assert loose.low <= published <= loose.high
    assert strict.high < loose.low


def test_jha_loose_depends_on_how_users_are_made(rates):
    # Pairs of users crossed over are more different than real ones, users drawn twice hardly differ.
    _, crossed = jha(enlarge(rates, 1000, "cross", seed=1), 30, seed=1)
    _, drawn = jha(enlarge(rates, 1000, "draw", seed=1), 30, seed=1)
    assert drawn.high < 0.25 < crossed.low
