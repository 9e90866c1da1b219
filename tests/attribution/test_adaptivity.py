"""Sites that act on what they learn: closed forms, enumeration, quadrature and a catalogue agree."""

from fractions import Fraction
from itertools import pairwise, product
from math import asinh, comb, exp, expm1, inf, log, sinh

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from quiff import attribution_leakage, bayes_capacity, epsilon
from quiff.attribution.adaptive import adaptive_site, bucket_capacity, second_site
from quiff.attribution.adaptive_worlds import check_adaptive_worlds
from quiff.attribution.events import events_from, play, read_events
from quiff.attribution.neighbours import pair_losses
from quiff.attribution.options import Config
from quiff.attribution.rules import DRAFT, RULES, VARIATIONS, rules_named
from quiff.attribution.spending import budgets_of, conversions_to_deny
from quiff.errors import ParameterError, SizeError
from quiff.measures.capacity import repeated_capacity
from quiff.theory.adaptivity import SecondSite
from words import refused

MOVED = (0, 1, 2, 5, 10, 100)

# Values computed twice outside of quiff (closed form; quadrature), to all their digits.
CARRIED = {
    1: (".109025619", ".2091152878", ".4078444952", ".4913721776", ".5"),
    4: ("1.160229485", "1.801678807", "1.999420153", "1.999999974", "2"),
    10: ("4.04360701", "4.986747904", "4.999999996", "5", "5"),
}
CAPACITY = {
    (1, 1): "1.221199 1.240252 1.237008 1.236001 1.238689 1.240491",
    (1, 2): "1.221199 1.268366 1.291195 1.318535 1.325743 1.326387",
    (1, 10): "1.221199 1.441623 1.506716 1.546553 1.552293 1.552731",
    (1, 50): "1.221199 1.830355 1.877014 1.890727 1.891953 1.892038",
    (4, 1): "1.632121 1.705619 1.695717 1.713614 1.714932 1.714941",
    (4, 2): "1.632121 1.801181 1.819088 1.821884 1.821891 1.821891",
    (4, 10): "1.632121 1.981000 1.984388 1.984709 1.984709 1.984709",
    (10, 1): "1.917915 1.952496 1.964685 1.967429 1.967431 1.967431",
    (10, 2): "1.917915 1.989799 1.990167 1.990170 1.990170 1.990170",
}
BITS = {
    1: (".03803954", ".0482656", ".0713173", ".07178422"),
    4: (".35738496", ".502749", ".536051", ".53605406"),
    10: (".82369053", ".925277", ".935682", ".93568218"),
}


def printed(value, text):
    """Whether a number is what is printed, to all its digits."""
    digits = len(text.partition(".")[2])
    return abs(value - float(text)) <= 0.5000001 * 10**-digits


@pytest.mark.parametrize("eps", CARRIED)
def test_the_worst_case_has_the_catalogues_values(eps):
    for k, text in zip(MOVED[1:], CARRIED[eps], strict=True):
        assert printed(SecondSite(eps / 2, moved=k).carried, text), (k, text)
    losses = [SecondSite(0.5, sites=n, moved=10).loss for n in (1, 2, 10, 50)]
    for loss, text in zip(losses, (".9913722", "1.4827444", "5.4137218", "25.0686089"), strict=True):
        assert printed(loss, text)


@pytest.mark.parametrize(("eps", "sites"), CAPACITY)
def test_the_average_has_the_catalogues_values(eps, sites):
    for k, text in zip(MOVED, CAPACITY[eps, sites].split(), strict=True):
        assert printed(SecondSite(eps / 2, sites, k).capacity(), text), (k, text)


def test_enough_sites_tell_the_bit():
    for eps, sites in ((4, 50), (10, 10), (10, 50)):
        assert SecondSite(eps / 2, sites, 1).capacity() > 1.999996


@pytest.mark.parametrize("eps", BITS)
def test_information_has_the_catalogues_values(eps):
    for k, text in zip((0, 1, 10, 10**5), BITS[eps], strict=True):
        assert printed(SecondSite(eps / 2, moved=k).bits(), text), (k, text)


def test_both_releases_tell_no_more_than_two_conversions():
    for eps, text in ((1, "1.241836675"), (4, "1.729329434"), (10, "1.976417186")):
        d = eps / 2
        assert printed(2 - exp(-d) * (1 + d / 2), text)
        low, high = repeated_capacity(d, 2, 1)
        assert low - 1e-9 <= float(text) <= high + 1e-9


@pytest.mark.parametrize(
    ("sites", "stake", "ratios", "capacities"),
    [
        (1, 0, "5/4 3/2 65/34 683/342", "10/9 7/6 23/18 127/96"),
        (1, 1, "5/2 3 65/17 683/171", "4/3 4/3 4/3 4/3"),
        (2, 1, "25/8 9/2 4225/578 466489/58482", "38/27 13/9 319/216 3413/2304"),
    ],
)
def test_geometric_noise_has_the_catalogues_fractions(sites, stake, ratios, capacities):
    for k, ratio, capacity in zip((1, 2, 5, 10), ratios.split(), capacities.split(), strict=True):
        C = second_site(ratio=2, sites=sites, moved=k, stake=stake)
        none, one = C.to_numpy()
        assert max(one / none) == Fraction(ratio)
        assert bayes_capacity(C) == bucket_capacity(C, 1) == Fraction(capacity)
        a = Fraction(1, 2)
        assert max(one / none) == (1 / a) ** stake * ((1 + a ** (k + 1)) / (a + a**k)) ** sites
        assert epsilon(C) == pytest.approx(SecondSite(log(2), sites, k, stake).bound)


def test_two_buckets_have_the_catalogues_fractions():
    C = second_site(ratio=2, moved=1)
    none, one = C.to_numpy()
    assert bucket_capacity(C, 2) == Fraction(43, 27)
    assert max(one / none) * max(none / one) == Fraction(25, 4)  # bucket i against j


def plain_geometric(a, sites, moved, stake):
    """Return both laws of what the other site sees, release by release, with tails folded into the ends."""
    unit, top = (1 - a) / (1 + a), stake + sites * moved
    laws = []
    for x in (0, 1):
        q = a ** (1 - x) / (1 + a)  # P[x + Z >= 1]
        law = [Fraction(0)] * (top + 1)
        for acts in product((0, 1), repeat=sites):
            p = Fraction(1)
            for act in acts:
                p *= q if act else 1 - q
            centre = stake * x + moved * sum(acts)
            for y in range(top + 1):
                if 0 < y < top:
                    law[y] += p * unit * a ** abs(y - centre)
                else:  # P[Z <= -t], and P[Z >= t], for t >= 0
                    away = centre if y == 0 else top - centre
                    law[y] += p * a**away / (1 + a) if top else p
        laws.append(law)
    return laws


@given(
    st.fractions(Fraction(1, 9), Fraction(8, 9), max_denominator=9),
    st.integers(1, 3), st.integers(1, 4), st.integers(0, 1), st.integers(1, 3),
)  # fmt: skip
def test_enumeration_is_what_plain_sums_give(a, sites, moved, stake, buckets):
    none, one = plain_geometric(a, sites, moved, stake)
    C = second_site(ratio=1 / a, sites=sites, moved=moved, stake=stake)
    assert [list(row) for row in C.to_numpy()] == [none, one]
    best = Fraction(0)
    for outputs in product(range(len(none)), repeat=buckets):
        p = Fraction(1)
        for y in outputs:
            p *= none[y]
        best += max([p, *(p * one[y] / none[y] for y in outputs)])
    assert bucket_capacity(C, buckets) == best


def density(y, x, d, sites, moved, stake, threshold):
    above = threshold - x
    q = exp(-d * above) / 2 if above > 0 else 1 - exp(d * above) / 2
    return sum(
        comb(sites, j) * q**j * (1 - q) ** (sites - j) * d / 2 * exp(-d * abs(y - stake * x - moved * j))
        for j in range(sites + 1)
    )


@given(
    st.floats(0.2, 3), st.integers(1, 3), st.integers(0, 4), st.integers(0, 1), st.floats(-0.5, 1.5)
)  # fmt: skip
def test_the_average_is_what_quadrature_gives(d, sites, moved, stake, threshold):
    about = (d, sites, moved, stake, threshold)
    ends = sorted({stake * x + moved * j for x in (0, 1) for j in range(sites + 1)})
    ends = [ends[0] - 40 / d, *ends, ends[-1] + 40 / d]
    apart = sum(
        quad(lambda y: abs(density(y, 1, *about) - density(y, 0, *about)), low, high, limit=200)[0]
        for low, high in pairwise(ends)
    )
    assert SecondSite(d, sites, moved, stake).capacity(threshold=threshold) == pytest.approx(
        1 + apart / 2, abs=1e-7
    )


def test_buckets_are_what_draws_give():
    d, sites, moved, buckets, draws = 0.5, 3, 4, 5, 200_000
    rng = np.random.default_rng(1)
    acting = rng.laplace(0, 1 / d, (draws, buckets, sites)) > 0.5
    seen = moved * acting.sum(axis=2) + rng.laplace(0, 1 / d, (draws, buckets))
    grid = np.vectorize(density)
    ratio = grid(seen[:4000], 1, d, sites, moved, 1, 0.5) / grid(seen[:4000], 0, d, sites, moved, 1, 0.5)
    best = np.maximum(1, ratio.max(axis=1))
    capacity = SecondSite(d, sites, moved).capacity(buckets)
    assert abs(best.mean() - capacity) < 4 * best.std() / len(best) ** 0.5


def test_more_moved_conversions_do_not_always_tell_more():
    capacities = [SecondSite(0.5, moved=k).capacity() for k in (0, 1, 2, 5, 10)]
    assert capacities[1] > capacities[2] > capacities[3] < capacities[4]
    losses = [SecondSite(0.5, moved=k).loss for k in (0, 1, 2, 5, 10, 10**6)]
    assert losses == sorted(losses)
    assert losses[-1] == 1.0


@given(
    st.floats(0.1, 4), st.integers(1, 5), st.lists(st.tuples(st.floats(-3, 4), st.integers(0, 5)), max_size=6)
)
def test_no_policy_carries_more(d, moved, steps):
    """A policy moves 0 to k conversions, by where the release lies; steps are its places and numbers."""
    places = sorted({place for place, _ in steps})
    numbers = [0, *(min(moved, number) for _, number in steps)][: len(places) + 1]

    def weight(sign, x):  # E[e^(sign d moved)], in the tails of what the other site sees
        ends = [-inf, *places, inf]
        masses = [above(low - x, d) - above(high - x, d) for low, high in pairwise(ends)]
        return sum(p * exp(sign * d * number) for p, number in zip(masses, numbers, strict=True))

    carried = max(abs(log(weight(sign, 1) / weight(sign, 0))) for sign in (1, -1))
    assert carried <= SecondSite(d, moved=moved).carried + 1e-9
    K = d * moved
    assert SecondSite(d, moved=moved).carried == pytest.approx(K - 2 * asinh(exp(-d / 2) * sinh(K / 2)))


def above(distance, d):
    if distance in (inf, -inf):
        return float(distance < 0)
    return exp(-d * distance) / 2 if distance > 0 else 1 - exp(d * distance) / 2


@pytest.mark.parametrize(("k", "releases"), [(1, 7), (2, 5), (3, 4)])
def test_of_all_policies_on_geometric_noise_a_threshold_carries_most(k, releases):
    """Every map from releases, their tails folded, to 0..k: no one exceeds the bound for any release."""
    a = Fraction(1, 2)
    first = 1 - releases // 2
    best = Fraction(1)
    laws = []
    for x in (0, 1):
        law = [(1 - a) / (1 + a) * a ** abs(r - x) for r in range(first, first + releases)]
        law[0], law[-1] = a ** (x - first) / (1 + a), a ** (first + releases - 1 - x) / (1 + a)
        laws.append(law)
    for policy in product(range(k + 1), repeat=releases):
        for base in (1 / a, a):
            weights = [sum(p * base**n for p, n in zip(law, policy, strict=True)) for law in laws]
            best = max(best, weights[0] / weights[1], weights[1] / weights[0])
    assert best == (1 + a ** (k + 1)) / (a + a**k)


@given(st.floats(0.2, 3), st.integers(1, 6), st.floats(-1, 2))
def test_the_best_threshold_is_the_best(d, moved, threshold):
    site = SecondSite(d, 2, moved)
    assert 0.5 <= site.threshold <= 1
    assert site.loss_at(site.threshold) == pytest.approx(site.loss)
    assert site.loss_at(threshold) <= site.loss + 1e-9
    assert site.loss <= site.bound + 1e-12 <= (2 + 1) * d + 1e-9


# Files of events, and what a pair of them tells


def conversion(second, site, *, epsilon=1.0, days=30, when=None, **more):
    options = {"aggregationService": "https://agg-service.example", "histogramSize": 2, "epsilon": epsilon}
    event = {"seconds": second, "event": "measureConversion", "site": site, **more}
    event["options"] = {**options, "lookbackDays": days}
    return event if when is None else {**event, "when": when}


def impression(second, bucket=0, site="news.example"):
    return {"seconds": second, "event": "saveImpression", "site": site, "options": {"histogramIndex": bucket}}


WEEK = 7 * 86_400
START = 60 * 86_400
ACTS = {"conversion": 0, "bucket": 0, "above": 0.5}
ADAPTIVE = [
    impression(START),
    conversion(START + 1, "a.example", epsilon=2, days=1),
    conversion(START + 2, "b.example", epsilon=2, days=1),
    impression(START + WEEK, site="blog.example"),
    conversion(START + WEEK + 1, "b.example", epsilon=2, days=1, when=ACTS),
]


def losses(events, neighbour, rules=DRAFT, **config):
    pair = [events_from({"events": file})[0] for file in (events, neighbour)]
    limits = Config(epoch_start=0.5, **config)
    return {loss.observer: loss.loss for loss in pair_losses(*pair, limits, rules)}


def test_a_site_learns_more_than_its_budget_from_one_that_acts():
    q1, q0 = 1 - exp(-0.5) / 2, exp(-0.5) / 2  # releases above one half, with the impression and without
    found = losses(ADAPTIVE, ADAPTIVE[1:])
    assert found["a.example"] == pytest.approx(1)
    assert found["b.example"] == pytest.approx(1 + log((1 + q1 * expm1(1)) / (1 + q0 * expm1(1))))
    assert found["all sites"] == pytest.approx(2)
    calm = [{name: value for name, value in event.items() if name != "when"} for event in ADAPTIVE]
    assert losses(calm, calm[1:])["b.example"] == pytest.approx(1)


def test_the_search_finds_that_world_and_none_smaller():
    assert check_adaptive_worlds(4, DRAFT).violation is None
    found = check_adaptive_worlds(5, DRAFT).violation
    q1, q0 = 1 - exp(-0.5) / 2, exp(-0.5) / 2
    assert found.loss == pytest.approx(1 + log((1 + q1 * expm1(1)) / (1 + q0 * expm1(1))))
    assert (found.observer, found.budget, len(found.world)) == ("b.example", 1, 5)


def test_two_roundings_are_seen_in_a_pair():
    first, second = (conversion(START + n, "a.example", epsilon=2, days=1) for n in (2, 3))
    for event in (first, second):
        event["options"]["credit"] = [1, 1]
    events = [impression(START), impression(START + 1, bucket=4), first, second]
    neighbour = [first, second]
    # The first query spends the budget if its rounding is charged; the second may still release something.
    assert losses(events, neighbour, rules_named("two-roundings"))["a.example"] > 1 + 1e-6
    assert losses(events, neighbour)["a.example"] <= 1 + 1e-9


def test_files_that_are_no_neighbours_are_refused():
    with refused(ParameterError, what="the neighbour"):
        losses(ADAPTIVE, ADAPTIVE[1:3])
    for when in ({"conversion": 1, "bucket": 0, "above": 0.5}, {"conversion": 0, "bucket": 2, "above": 0}):
        events, _ = events_from({"events": [*ADAPTIVE[:2], conversion(START + 9, "b.example", when=when)]})
        with refused(ParameterError, what="when"):
            play(events, seed=1)


def test_what_would_take_too_long_or_too_much_is_refused():
    credit = [conversion(START + 2 + n, "a.example") for n in range(16)]
    for event in credit:
        event["options"]["credit"] = [1, 1]
    events = [impression(START), impression(START + 1, bucket=1), *credit]
    with refused(SizeError):
        losses(events, credit, per_site_privacy_budget=10**9, global_privacy_budget_per_epoch=10**9,
               impression_site_quota_per_epoch=10**9)  # fmt: skip
    huge = conversion(START + 9, "b.example", when=ACTS)
    huge["options"]["histogramSize"] = 2**32 - 1  # a RangeError, whether the condition holds or not
    assert losses([*ADAPTIVE[:3], huge], [*ADAPTIVE[1:3], huge])["b.example"] == pytest.approx(1)


def test_an_event_that_depends_on_a_result_happens_by_its_noise(tmp_path):
    events, _ = events_from({"events": ADAPTIVE})
    happened = [play(events, Config(epoch_start=0.5), seed=seed)[0][-1].happened for seed in range(400)]
    assert abs(sum(happened) / 400 - (1 - exp(-0.5) / 2)) < 0.08
    file = tmp_path / "events.json"
    file.write_text('{"events": [{"seconds": 1, "event": "enableAPI", "when": {}}]}')
    with refused(ParameterError):
        read_events(file)


# Rule sets


def test_every_rule_set_is_pinned():
    for rules in (RULES | VARIATIONS).values():
        assert rules.source
        assert rules.date.startswith("202")


def test_a_site_whose_quota_is_spent_is_left_out_alone():
    events = [
        impression(START, site="used.example"),
        impression(START + 1, bucket=1, site="fresh.example"),
        {**conversion(START + 2, "a.example", epsilon=1, days=1)},
        conversion(START + 3, "b.example", epsilon=1, days=1),
    ]
    events[2]["options"]["impressionSites"] = ["used.example"]
    config = Config(epoch_start=0.5, impression_site_quota_per_epoch=1_000_000)
    released = {}
    for name in ("draft", "site-left-out"):
        steps, _ = play(events_from({"events": events})[0], config, rules_named(name))
        released[name] = [step.outcome for step in steps[2:]]
    assert released == {"draft": [[1, 0], [0, 0]], "site-left-out": [[1, 0], [0, 1]]}


def test_an_intermediary_has_one_budget_for_all_sites():
    asked = [
        conversion(START + 1 + n, f"shop{n}.example", epsilon=2, days=1, intermediarySite="adtech.example")
        for n in range(2)
    ]
    events, _ = events_from({"events": [impression(START), *asked]})
    outcomes = {
        name: [step.outcome for step in play(events, Config(epoch_start=0.5), rules_named(name))[0][1:]]
        for name in ("draft", "by-intermediary")
    }
    assert outcomes == {"draft": [[1, 0], [1, 0]], "by-intermediary": [[1, 0], [0, 0]]}


def test_epochs_of_another_length_start_at_other_times():
    events, _ = events_from({"events": [impression(START), conversion(START + 1, "a.example")]})
    epochs = {
        name: play(events, Config(epoch_start=0.0), rules_named(name))[1].epoch(START + 28 * 86_400)
        for name in ("draft", "epochs-1-day", "epochs-28-days")
    }
    assert epochs == {"draft": 4, "epochs-1-day": 28, "epochs-28-days": 1}


@given(st.sampled_from([0.5, 1, 2]), st.integers(1, 6), st.integers(0, 4))
def test_so_many_conversions_deny_a_report(budget, quotas, more):
    quota, shared = 2 * budget * quotas, 2 * budget * (quotas + more)
    limits = budgets_of(budget, quota, shared)
    assert conversions_to_deny(limits, budget, same_publisher=True) == quotas
    assert conversions_to_deny(limits, budget, same_publisher=False) == quotas + more


@pytest.mark.parametrize("noise", ["laplace", "geometric"])
def test_the_study_says_both_halves(noise):
    result = attribution_leakage(1, buckets=1, sites=2, adaptive=True, noise=noise)
    assert [entry["moved"] for entry in result.to_dict()["payload"]["adaptive"]] == [0, 1, 2, 5, 10] * 2
    rows = result.rows.where(stage="1 site, 10 conversions moved")
    site = adaptive_site(1, 1, 1, 10, noise=noise)
    assert rows["epsilon"] == site.loss
    assert rows["bayes_capacity"] == site.capacity
    text = " ".join(result.sentences)
    assert "model of quiff's" in text
    assert "Worst case" in text
    assert "Average" in text
