"""The catalogue a third time: each mechanism as a program, written from the published facts alone.

Every path of the program is run; nothing of the API's own class, nor of its closed forms, is used but the
number that both must have. APIs with real-valued noise (Laplace, Gaussian) have no finite program.
"""

from itertools import combinations, combinations_with_replacement, product
from math import comb, exp, inf, log

import pytest

import quiff
from quiff import Population, bayes_capacity, epsilon, shannon_capacity
from quiff.apis.android_topics import AndroidTopics
from quiff.apis.click_measurement import AdAttributionKit, PrivateClickMeasurement
from quiff.apis.cookies import PartitionedCookies
from quiff.apis.event_level import EventLevel
from quiff.apis.noisy_histogram import AggregatableExistence
from quiff.apis.parakeet import Parakeet
from quiff.apis.select_url import SelectURL
from quiff.core.labels import as_labels
from quiff.theory import mechanisms
from quiff.theory.browser_apis import included, monitoring
from quiff.theory.mechanisms import geometric_keys

RATE = 1e-9


def channel(function, secrets):
    """The channel of a program on users who have one secret each."""
    secrets = list(secrets)
    people = Population(as_labels(range(len(secrets)))).with_attribute("secret", secrets)
    return quiff.program(function).channel(people)


def limits_of(api):
    return {limit.quantity: float(limit.value) for limit in api.limits() if not limit.stage}


def check(C, forms, *, shannon=True):
    """A program's channel against closed forms, by quantity."""
    assert float(bayes_capacity(C)) == pytest.approx(forms["bayes_capacity"], rel=RATE)
    assert float(epsilon(C)) == pytest.approx(forms["epsilon"], rel=RATE)
    if shannon and "shannon_capacity_bits" in forms:
        assert shannon_capacity(C).value == pytest.approx(forms["shannon_capacity_bits"], abs=2e-6)


@pytest.mark.parametrize(
    ("api", "data", "windows", "most"),
    [
        (EventLevel("view"), 2, 1, 1),
        (EventLevel("view", epsilon=1), 2, 1, 1),
        (EventLevel(trigger_data=4, windows=2, reports=2), 4, 2, 2),
        (EventLevel(trigger_data=2, windows=3, reports=3, epsilon=2), 2, 3, 3),
    ],
    ids=lambda each: getattr(each, "spec", ""),
)
def test_event_level_reports(api, data, windows, most):
    """With k/(k-1+e^eps) a state drawn from all, the truth and "no report" among them; else the truth."""
    kinds = list(product(range(data), range(windows)))
    states = [s for n in range(most + 1) for s in combinations_with_replacement(kinds, n)]
    k = len(states)
    pick_rate = k / (k - 1 + exp(api.epsilon))

    def reports(user, draw):
        return draw.uniform(states) if draw.flip(pick_rate) else user.secret

    assert k == comb(data * windows + most, most)
    check(channel(reports, states), limits_of(api))


def test_flexible_event_level_reports():
    """Data with (2,1), (1,2), (3,2) windows and reports, at most 3 reports in all: 54 states."""
    each = [(2, 1), (1, 2), (3, 2)]
    parts = [
        [(d, chosen) for n in range(c + 1) for chosen in combinations_with_replacement(range(w), n)]
        for d, (w, c) in enumerate(each)
    ]
    states = [s for s in product(*parts) if sum(len(chosen) for _, chosen in s) <= 3]
    rate = len(states) / (len(states) - 1 + exp(14))

    def reports(user, draw):
        return draw.uniform(states) if draw.flip(rate) else user.secret

    assert len(states) == 54
    check(channel(reports, states), limits_of(EventLevel(flexible="2x1 1x2 3x2")))


def test_whether_a_report_exists():
    """Attributed: a report. Not: a null report with probability 0.05."""

    def exists(user, draw):
        return "report" if user.secret or draw.flip(0.05) else None

    check(channel(exists, ["attributed", None]), limits_of(AggregatableExistence()))


@pytest.mark.parametrize("days", [1, 4, 7])
def test_on_which_days_reports_exist(days):
    """The source's day always, each other day with probability 0.008; 31 days have too many paths."""

    def exist(user, draw):
        return tuple(day == user.secret or draw.flip(0.008) for day in range(days))

    check(channel(exist, ["none", *range(days)]), included(days, 0.008) | {"epsilon": inf})
    whole = limits_of(AggregatableExistence(source_time=True))
    assert included(31, 0.008)["bayes_capacity"] == pytest.approx(whole["bayes_capacity"])


@pytest.mark.parametrize(("keys", "eps", "value"), [(1, 2.0, 4), (2, 1.0, 3), (3, 3.0, 2), (2, 10.0, 6)])
def test_noisy_histograms(keys, eps, value):
    """Two-sided geometric noise on each key; what is below 0 or above the value tells no more than they."""
    a = exp(-eps / value)
    law = {z: (1 - a) / (1 + a) * a ** abs(z) for z in range(-value + 1, value)}
    law |= {-value: a**value / (1 + a), value: a**value / (1 + a)}  # and beyond

    def histogram(user, draw):
        sums = [value * (user.secret == key) + draw.weighted(law) for key in range(keys)]
        return tuple(min(max(total, 0), value) for total in sums)

    C = channel(histogram, ["none", *range(keys)])
    check(C, geometric_keys(keys, eps, value), shannon=keys == 1)


@pytest.mark.parametrize(
    ("urls", "budget", "bits"), [(8, "day", 12), (3, "page", 6), (5, "page", 6), (2, "page", 6)]
)
def test_the_choices_of_select_url(urls, budget, bits):
    """Each call costs log2 n bits; one that the budget does not allow gives the first URL."""
    calls = int(bits / (log(urls) / log(2)) + 1e-9)

    def chosen(user, draw):
        left, answers, state = float(bits), [], user.secret
        for _ in range(calls + 1):
            allowed = log(urls) / log(2) <= left + 1e-9
            left -= log(urls) / log(2) if allowed else 0
            answers.append(state % urls if allowed else 0)
            state //= urls
        return tuple(answers)

    C = channel(chosen, range(urls**calls * 2))
    check(C, limits_of(SelectURL(urls, budget)))


@pytest.mark.parametrize("size", [16, 32])
def test_a_signal_of_a_won_auction(size):
    """The truth with 0.99, else uniform over the range, truth included."""

    def signal(user, draw):
        return user.secret if draw.flip(0.99) else draw.uniform(range(size))

    p = 0.99 + 0.01 / size
    forms = mechanisms.randomised_response(size, ratio=p * (size - 1) / (1 - p))
    check(channel(signal, range(size)), forms)
    assert forms["bayes_capacity"] == pytest.approx({16: 15.85, 32: 31.69}[size])


@pytest.mark.parametrize(("buckets", "eps"), [(1, 1.0), (3, 1.0), (6, 4.0)])
def test_real_time_monitoring(buckets, eps):
    """One of the bits is set, or none; each is flipped with 1/(1 + e^(eps/2)); 1,028 have too many paths."""
    flip = 1 / (1 + exp(eps / 2))

    def vector(user, draw):
        return tuple((user.secret == bucket) != draw.flip(flip) for bucket in range(buckets))

    check(channel(vector, ["none", *range(buckets)]), monitoring(buckets, eps), shannon=False)


def test_a_noisy_centroid():
    """The nearest of K centroids with probability p, each other with (1-p)/(K-1)."""

    def centroid(user, draw):
        return user.secret if draw.flip(0.9) else draw.uniform([c for c in range(100) if c != user.secret])

    check(channel(centroid, range(100)), limits_of(Parakeet()))


def test_a_click_that_converted():
    """Four bits of trigger data by the best priority within 7 days, or nothing; no noise."""

    def postback(user, draw):
        kept = [(priority, datum) for day, datum, priority in user.secret if day <= 7]
        return max(kept)[1] if kept else None

    events = [((1, d, 0),) for d in range(16)] + [((1, 3, 0), (2, 5, 63)), ((9, 3, 0),), ()]
    check(channel(postback, events), limits_of(PrivateClickMeasurement()))


@pytest.mark.parametrize("tier", range(4))
def test_postbacks_by_tier(tier):
    """Postback 1: nothing, a coarse value (3), a fine one (64); the two others coarse, but not in tier 0."""

    def postbacks(user, draw):
        fine, second, third = user.secret
        if tier == 0:
            return None
        return (fine // 22 if tier == 1 else fine, second, third)

    C = channel(postbacks, product(range(64), range(3), range(3)))
    check(C, limits_of(AdAttributionKit(tier)))


@pytest.mark.parametrize(("topics", "top"), [(5, 2), (6, 1), (7, 3)])
def test_topics_of_android(topics, top):
    """One random topic outside of the top ones for a device and week, shown in 5 % of cases."""

    def topic(user, draw):
        others = [t for t in range(topics) if t not in user.secret]
        sixth = draw.uniform(others)
        return sixth if draw.flip(0.05) else draw.uniform(user.secret)

    check(channel(topic, combinations(range(topics), top)), limits_of(AndroidTopics(topics, top)))


@pytest.mark.parametrize("across", [True, False])
def test_identifiers_of_one_site(across):
    """On another site the identifier is drawn anew, and says nothing of who it is."""

    def identifier(user, draw):
        return draw.uniform(range(6)) if across else user.secret

    C = channel(identifier, range(6))
    forms = limits_of(PartitionedCookies(across))
    assert float(bayes_capacity(C)) == (forms["bayes_capacity"] if across else 6)  # N of N users
    assert float(epsilon(C)) == forms["epsilon"] == (0 if across else inf)
