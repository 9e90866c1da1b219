"""Made-up populations: the documented law, by enumeration; the same again; close to the published one."""

import hashlib
import subprocess
import sys
from itertools import combinations, permutations
from math import isqrt, sqrt

import numpy as np
import pytest

from quiff import ParameterError, Population
from quiff.people import synthetic
from words import refused


def popularity(m):
    """The law of the docstring, written out."""
    d = max(0.3 * m, 105)
    weights = [(1 + t / d) ** -6.5 for t in range(m)]
    return [weight / sum(weights) for weight in weights]


def law_of_sets(m, s):
    """The probability of each set: circle, then topics one by one among those not yet drawn."""
    p, n_circles = popularity(m), isqrt(m)
    chances = dict.fromkeys(combinations(range(m), s), 0.0)
    for circle in range(n_circles):
        inside = sum(p[t] for t in range(m) if t % n_circles == circle)
        weights = [p[t] / 2 + (p[t] / (2 * inside) if t % n_circles == circle else 0) for t in range(m)]
        for order in permutations(range(m), s):
            chance, left = inside, 1.0
            for topic in order:
                chance *= weights[topic] / left
                left -= weights[topic]
            chances[tuple(sorted(order))] += chance
    return chances


@pytest.mark.parametrize(("m", "s"), [(4, 1), (5, 2), (6, 4), (9, 3)])
@pytest.mark.parametrize("rounds", [16, 1, 0], ids=["drawn", "mixed", "race"])
def test_sets_have_the_documented_law(monkeypatch, m, s, rounds):
    monkeypatch.setattr(synthetic, "_ROUNDS", rounds)
    n = 100_000
    sets = Population.synthetic(n, seed=5, n_topics=m, top_s=s).codes
    seen, counts = np.unique(sets, axis=0, return_counts=True)
    found = {tuple(row): count for row, count in zip(seen.tolist(), counts.tolist(), strict=True)}
    law = law_of_sets(m, s)
    assert sum(law.values()) == pytest.approx(1)
    assert set(found) <= set(law)
    for topics, chance in law.items():
        spread = sqrt(n * chance * (1 - chance))
        assert abs(found.get(topics, 0) - n * chance) < 5 * spread + 1


def test_all_topics_in_every_set():
    people = Population.synthetic(50, n_topics=30, top_s=30)
    assert (people.codes == np.arange(30)).all()


def test_labels_are_numbers():
    people = Population.synthetic(3, n_topics=7, top_s=2)
    assert list(people.users) == [0, 1, 2]
    assert list(people.topics) == [1, 2, 3, 4, 5, 6, 7]


def test_it_resembles_the_published_population():
    # 249 997 users: 209 745 distinct sets, 76.46 % of the users with a set of their own, all topics occur,
    # 27 % of the users have the most popular topic and 2.4 % the 50th
    people = Population.synthetic(249_997, seed=3)
    sets, which = people.distinct_sets()
    counts = np.bincount(which)
    assert sets.size == pytest.approx(209_745, rel=0.05)
    assert np.count_nonzero(counts == 1) / 249_997 == pytest.approx(0.7646, abs=0.03)
    assert people.occurring.size >= 345
    shares = np.sort(np.bincount(people.codes.reshape(-1)))[::-1] / 249_997
    assert shares[0] == pytest.approx(0.27, abs=0.07)
    assert shares[49] == pytest.approx(0.024, abs=0.01)


def same_circle(sets, others):
    """How often two topics are of one circle: one from the first sets, one from the others."""
    first, second = sets % 18, others % 18
    return np.mean([(first[:, i] == second[:, j]).mean() for i in range(5) for j in range(i)])


def drawn_one_by_one(n):
    """Sets of 5 out of 349 topics by the documented law, with numpy's own draws without replacement."""
    rng, p = np.random.default_rng(9), np.array(popularity(349))
    circle_of = np.arange(349) % 18
    circles = np.bincount(circle_of, p)
    sets = []
    for circle in rng.choice(18, n, p=circles):
        weights = p / 2 + p / (2 * circles[circle]) * (circle_of == circle)
        sets.append(rng.choice(349, 5, replace=False, p=weights / weights.sum()))
    return np.sort(sets, axis=1)


def test_interests_go_together():
    sets = Population.synthetic(50_000, seed=1).codes
    slow = drawn_one_by_one(5_000)
    assert same_circle(sets, sets) == pytest.approx(same_circle(slow, slow), abs=0.01)
    assert same_circle(sets, sets) > 2 * same_circle(sets[1:], sets[:-1])


def test_the_same_seed_gives_the_same_population_in_another_process():
    code = """
import hashlib
from quiff import Population
print(hashlib.sha256(Population.synthetic(5000, seed=11).sets.astype("int64").tobytes()).hexdigest())
"""
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    here = Population.synthetic(5000, seed=11).sets.astype("int64").tobytes()
    assert other.stdout.strip() == hashlib.sha256(here).hexdigest()
    assert Population.synthetic(5000, seed=11) != Population.synthetic(5000, seed=12)


@pytest.mark.parametrize(
    ("arguments", "numbers"),
    [
        ({"n": 0}, (1, 0)),
        ({"n": 2.5}, (1, 2.5)),
        ({"n": 3, "seed": -1}, (0, -1)),
        ({"n": 3, "n_topics": 0}, (1, 0)),
        ({"n": 3, "n_topics": 4, "top_s": 5}, (1, 4, 5)),
        ({"n": 3, "top_s": 0}, (0,)),
    ],
)
def test_numbers_out_of_range(arguments, numbers):
    with refused(ParameterError, *numbers):
        Population.synthetic(**arguments)


def test_histories_have_the_documented_law():
    """Visits, own topics against others, and sites: with one topic in each set all shares are known."""
    n, m = 20_000, 30
    people = Population.synthetic(n, seed=3, n_topics=m, top_s=1, attributes=["history"])
    told = people.attribute("history")
    visits = [(int(user), *told.values[int(which)]) for user, which in enumerate(told.which[0])]
    total = sum(len(each) - 1 for each in visits)
    assert total / n == pytest.approx(21, rel=0.01)
    p = popularity(m)
    own = sites = expected = 0
    for user, *history in visits:
        topic = int(people.codes[user, 0]) + 1
        own += sum(domain.startswith(f"t{topic}-") for domain in history)
        sites += sum(domain.endswith("-1.example") for domain in history)
        expected += len(history) * (0.75 + 0.25 * p[topic - 1])
    assert own == pytest.approx(expected, rel=0.01)
    assert sites / total == pytest.approx(1 / sum(1 / k for k in range(1, 11)), rel=0.01)


def test_attributes_change_nothing_else_and_not_one_another():
    alone = Population.synthetic(50, seed=4)
    both = Population.synthetic(50, seed=4, attributes=["history", "conversions"])
    assert (both.codes == alone.codes).all()
    for name in ("history", "conversions"):
        assert Population.synthetic(50, seed=4, attributes=name).attribute(name) == both.attribute(name)
    with refused(ParameterError):
        Population.synthetic(50, attributes=["country"])
