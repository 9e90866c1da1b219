"""Many browsers at once: they decide as single ones do, and chance has the laws of the specification."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from quiff import Api, Channel, Cookies, ParameterError, Population, Together, TopicsAPI, Unit
from quiff.browser.browser import DAY, WEEK, Browser, PageLoad
from quiff.browser.decisions import (
    INDEX,
    NOISE,
    PHASE_OUT,
    RANDOM,
    SWITCH,
    BulkDecisions,
    HmacDecisions,
    is_noise,
    splitmix64,
)
from quiff.browser.reports import Reports
from quiff.browser.rules import RULES, BrowserRules
from quiff.browser.simulation import simulate
from quiff.browser.topic_tree import TopicTree
from words import refused

TOPICS = [f"t{number}" for number in range(9)]
CALLER = "ads.tld"


def alike(counts, expected):
    """Whether counts may come from a law: a chi-square test that fails one time in a thousand."""
    return chisquare(counts, np.asarray(expected) / np.sum(expected) * np.sum(counts)).pvalue > 1e-3


def drawn(label, epoch, site, users):
    """Decisions that both kinds of browsers can share: of every label, epoch, site and user another one."""
    text = f"{label}|{epoch}|{site}"
    return np.array([hash_of(f"{text}|{int(user)}") for user in users], dtype=np.uint64)


def hash_of(text):
    value = 14695981039346656037  # FNV-1a, and a last stir
    for byte in text.encode():
        value = (value ^ byte) * 1099511628211 % 2**64
    return (value ^ value >> 29) * 0xBF58476D1CE4E5B9 % 2**64 >> 3


def single_browser(user, rules):
    def decide(label, time, site):
        return int(drawn(label, time // WEEK - 1, site, [user])[0])

    return Browser(TopicTree.flat(TOPICS), {topic: (topic,) for topic in TOPICS}, decide, rules)


def visits(sets):
    """Page loads that give the sets week by week, the topics of each in the order of the taxonomy."""
    return [
        PageLoad(week * WEEK + n * 3600 + 60 * k + 1, TOPICS[code], frozenset({CALLER}))
        for week, codes in enumerate(sets)
        for n, code in enumerate(sorted(codes))
        for k in range(len(codes) - n)
    ]


changing = st.integers(2, 4).flatmap(
    lambda s: st.lists(
        st.lists(st.sets(st.integers(0, 8), min_size=s, max_size=s), min_size=7, max_size=7),
        min_size=1,
        max_size=3,
    )
)


@settings(max_examples=40)
@given(
    changing,
    st.sets(st.sampled_from(RULES)),
    st.sampled_from([0, 5, 30, 100]),
    st.sets(st.sampled_from(TOPICS)),
)
def test_many_browsers_report_as_single_ones_with_the_same_decisions(users, off, percents, blocked):
    codes = np.array([[sorted(week) for week in sets] for sets in users]).swapaxes(0, 1)
    people = Population.from_array(range(len(users)), codes, TOPICS)
    rules = BrowserRules(top_s=codes.shape[2], noise=Fraction(percents, 100), blocked=blocked).without(*off)
    window = rules.epochs_per_call
    n_epochs = 7 - window  # all that are left when a late first call shows one more
    reports = simulate(
        people, rules, epochs=n_epochs, sites=["shop.tld", "blog.tld"], call_day=1, decide=drawn
    )
    assert reports.earlier == (window if rules.switch_delay else window - 1)
    for user, sets in enumerate(users):
        browser, loads = single_browser(user, rules), visits(sets)
        for site in reports.sites:
            for call in range(1, n_epochs + 1):
                now = (reports.earlier + call) * WEEK + DAY
                assert reports.topics_shown(user, site, call) == browser.call(loads, now, site, CALLER)


def test_the_hmac_is_that_of_rfc_2104():
    """H(K xor opad, H(K xor ipad, text)), written out."""
    key = bytes(range(16))
    text = b"top-topic-index-decision|" + (604_800_000).to_bytes(8, "big") + b"shop.tld"
    padded = key.ljust(64, b"\0")
    inner = sha256(bytes(b ^ 0x36 for b in padded) + text).digest()
    digest = sha256(bytes(b ^ 0x5C for b in padded) + inner).digest()
    assert HmacDecisions(key)(INDEX, WEEK, "shop.tld") == int(digest.hex()[:16], 16)
    with refused(ParameterError, 16, 3):
        HmacDecisions(b"abc")


def test_the_bulk_generator_is_splitmix64():
    """Step by step in whole numbers of Python."""
    state, outputs = 2**64 - 5, []
    for _ in range(50):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        outputs.append(z ^ z >> 31)
    assert splitmix64(2**64 - 5, np.arange(50)).tolist() == outputs


def test_bulk_decisions_have_the_law_of_the_hmac():
    """The same statistics of 20 000 users: HMAC with a key of each user's own, and the bulk generator."""
    keys = np.random.default_rng(1).bytes(16 * 20_000)
    hmacs = [HmacDecisions(keys[16 * k : 16 * k + 16]) for k in range(20_000)]
    for label, modulus in ((INDEX, 5), (NOISE, 100), (RANDOM, 349), (SWITCH, 48), (PHASE_OUT, 48)):
        single = np.array([decide(label, WEEK, "shop.tld") for decide in hmacs], dtype=np.uint64)
        bulk = BulkDecisions(1)(label, 1, "shop.tld", np.arange(20_000))
        for decisions in (single, bulk):
            assert alike(
                np.bincount((decisions % np.uint64(modulus)).astype(int), minlength=modulus), [1] * modulus
            )
            assert alike(np.bincount((decisions >> np.uint64(60)).astype(int), minlength=16), [1] * 16)


@pytest.mark.parametrize("kind", ["hmac", "bulk"])
def test_decisions_are_independent_between_labels_sites_epochs_and_users(kind):
    n = 20_000
    if kind == "bulk":
        bulk = BulkDecisions(3)
        draw = lambda label, epoch, site: bulk(label, epoch, site, np.arange(n + 1))  # noqa: E731
    else:
        keys = [HmacDecisions(k.to_bytes(16, "big")) for k in range(n + 1)]
        draw = lambda label, epoch, site: np.array(  # noqa: E731
            [decide(label, epoch, site) for decide in keys], dtype=np.uint64
        )
    here = draw(INDEX, 0, "shop.tld")
    first = (here[:n] % np.uint64(5)).astype(int)
    for other in (
        draw(NOISE, 0, "shop.tld")[:n],
        draw(INDEX, 1, "shop.tld")[:n],
        draw(INDEX, 0, "blog.tld")[:n],
        here[1:],
    ):
        pairs = 5 * first + (other % np.uint64(5)).astype(int)
        assert alike(np.bincount(pairs, minlength=25), [1] * 25)


def people(n=40_000, s=3):
    """Everybody has the same set, so that a report shows all there is to chance."""
    return Population.from_array(range(n), np.tile(np.arange(s), (n, 1)), topics=range(8))


def counts_of(codes, size=8):
    return np.bincount(np.asarray(codes).reshape(-1) + 1, minlength=size + 1)


def test_a_report_has_the_law_of_the_channel():
    found = simulate(people(), TopicsAPI(8, 3, 0.2), epochs=1, sites=1, earlier=0, seed=5)
    law = [0] + [0.8 / 3 + 0.2 / 8] * 3 + [0.2 / 8] * 5
    counts = counts_of(found.by_epoch)
    assert counts[0] == 0
    assert alike(counts[1:], law[1:])


@pytest.mark.parametrize("noise", [0.05, Fraction(1, 3), 0.125, 0, 1])
def test_noise_comes_with_its_probability(noise):
    n = 60_000
    noisy = is_noise(BulkDecisions(2)(NOISE, 0, "shop.tld", np.arange(n)), noise)
    assert is_noise(12_345, noise) == is_noise(np.array([12_345], dtype=np.uint64), noise)[0]
    if noise in (0, 1):
        assert noisy.all() == noisy.any() == bool(noise)
    else:
        assert alike([noisy.sum(), n - noisy.sum()], [float(noise), 1 - float(noise)])


@pytest.mark.parametrize(("after", "law"), [
    (True, {-1: 0.7, "in": 0.3 * (0.8 + 0.2 * 3 / 8), "out": 0.3 * 0.2 * 5 / 8}),
    (False, {-1: 0.7 * 0.8, "in": 0.3 * 0.8 + 0.2 * 3 / 8, "out": 0.2 * 5 / 8}),
])  # fmt: skip
def test_the_witness_filter_lets_the_share_of_its_coverage_pass(after, law):
    rules = BrowserRules(top_s=3, noise=0.2, noise_after_filter=after)
    found = simulate(people(), rules, epochs=1, earlier=0, sites=1, coverage=0.3, seed=1)
    counts = counts_of(found.by_epoch)
    assert alike([counts[0], counts[1:4].sum(), counts[4:].sum()], list(law.values()))
    off = simulate(people(100), rules.without("witness_filter"), epochs=1, earlier=0, coverage=0.3, seed=1)
    assert (off.by_epoch >= 0).all()


def test_a_caller_observed_the_same_topics_whatever_the_site():
    rules = BrowserRules(top_s=1, noise=0)
    found = simulate(people(1000, 1), rules, epochs=20, coverage=0.5, seed=1).by_epoch
    assert np.array_equal(found[0], found[1])
    assert 0.48 < (found >= 0).mean() < 0.52


def test_the_switch_delay_is_uniform_below_two_days():
    n = 40_000
    found = simulate(people(n), BrowserRules(top_s=3), epochs=1, sites=1, call_day=0.5, seed=4)
    late = int(found.late.sum())
    assert alike([late, n - late], [1.5, 0.5])  # a call after half a day is early for three in four
    assert simulate(people(9), BrowserRules(top_s=3), epochs=1, call_day=2).late is None
    assert simulate(people(9), BrowserRules(top_s=3, switch_delay=False), epochs=1, call_day=0).late is None


def test_sites_choose_independently_unless_the_rule_is_off():
    rules = BrowserRules(top_s=3, noise=0)
    own = simulate(people(), rules, epochs=1, earlier=0, seed=1).by_epoch[:, :, 0]
    assert alike(np.bincount(3 * own[0] + own[1], minlength=9), [1] * 9)
    same = simulate(people(), rules.without("per_site"), epochs=1, earlier=0, seed=1).by_epoch
    assert np.array_equal(same[0], same[1])


def test_a_report_depends_on_user_site_and_epoch_alone():
    rules = BrowserRules(top_s=3)
    found = simulate(people(500), rules, epochs=9, sites=["a", "b", "c"], seed=7)
    fewer = simulate(people(300), rules, epochs=4, sites=["c", "a"], seed=7)
    assert np.array_equal(fewer.by_epoch[0], found.by_epoch[2, :300, :6])
    assert np.array_equal(fewer.by_epoch[1], found.by_epoch[0, :300, :6])
    assert found == simulate(people(500), rules, epochs=9, sites=["a", "b", "c"], seed=7)
    assert found != simulate(people(500), rules, epochs=9, sites=["a", "b", "c"], seed=8)


def test_padding_and_ties_of_a_single_browser_are_uniform():
    tree = TopicTree.flat(range(6))
    hosts = {"one.tld": (0,), "two.tld": (1,)}
    loads = [PageLoad(WEEK - 1, host, frozenset({CALLER})) for host in hosts]
    keys = [HmacDecisions(k.to_bytes(16, "big")) for k in range(4000)]
    tops = [Browser(tree, hosts, key, BrowserRules(top_s=4)).epoch(loads, WEEK).top for key in keys]
    first = Counter(top[0].topic for top in tops)
    assert alike([first[0], first[1]], [1, 1])
    assert all({top[0].topic, top[1].topic} == {0, 1} for top in tops)
    filled = Counter((top[2].topic, top[3].topic) for top in tops)
    assert len(filled) == 12  # ordered pairs of four
    assert alike(list(filled.values()), [1] * 12)


def test_the_published_population_reports_genuine_topics_with_their_chance(mirror):
    """A report is in the user's set with probability (1-r) + rs/m, .95072 at the defaults."""
    population = Population.read(mirror / "topics-users-250000.csv.tar.gz")
    found = simulate(population, TopicsAPI(), epochs=2, seed=1)
    assert found.by_epoch.shape == (2, 249_997, 4)
    genuine = (found.by_epoch[:, :, :, None] == population.codes[None, :, None, :]).any(axis=3)
    n, p = genuine.size, 0.95 + 0.05 * 5 / 349
    assert alike([genuine.sum(), n - genuine.sum()], [p, 1 - p])


def test_unnamed_topics_are_reported_too():
    few = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}})
    found = simulate(few, TopicsAPI(6, 2, 1), epochs=200, seed=1)
    assert found.topics.size == 6
    assert set(np.unique(found.by_epoch)) == set(range(6))


def test_cookies_report_the_same_name_everywhere():
    found = simulate(people(50), Cookies(), epochs=3)
    assert (found.by_epoch == np.arange(50)[:, None]).all()
    assert found.view(1, 2)[:, 0].tolist() == list(range(50))


@pytest.mark.parametrize(
    ("change", "numbers"),
    [
        ({"epochs": 0}, (1, 10000, 0)),
        ({"sites": 0}, (1, 0)),
        ({"earlier": 3}, (0, 2, 3)),
        ({"coverage": 2}, (0, 1, 2)),
        ({"api": TopicsAPI(8, 4, 0.1)}, (4, 3)),
        ({"n_topics": 2}, (2, 3)),
        ({"call_day": -1.0}, (0, 7, -1.0)),
        ({"seed": -1}, (0, -1)),
        ({"api": "cookies"}, ()),
    ],
)
def test_what_is_wrong_is_told(change, numbers):
    options = {"population": people(5), "api": BrowserRules(top_s=3), "epochs": 2} | change
    with refused(ParameterError, *numbers):
        simulate(**options)


def test_too_few_epochs_of_sets_are_an_error():
    sets = np.tile(np.arange(3), (4, 5, 1))
    changing = Population.from_array(range(5), sets, topics=range(8))
    assert simulate(changing, BrowserRules(top_s=3), epochs=2).n_epochs == 2
    with refused(ParameterError, 4, 5):
        simulate(changing, BrowserRules(top_s=3), epochs=3)
    assert isinstance(simulate(changing, BrowserRules(top_s=3), epochs=4, earlier=0), Reports)


@dataclass(frozen=True)
class Numbered(Api):
    """The larger of two topics with probability 3/4, else 0: outputs whose labels are those of topics."""

    needs = ("topics",)

    def observe(self, secrets):
        return Channel.sparse({x: {max(x): 0.75, 0: 0.25} for x in secrets}, outputs=range(9))


@dataclass(frozen=True)
class Kept(Numbered):
    redraws = "nothing"
    unit = Unit("a user", "one site")


@dataclass(frozen=True)
class Followed(Kept):
    unit = Unit("a user", "all sites")


NUMBERED = Population.from_sets({k: {1 + k % 4, 5 + k % 3} for k in range(3000)}, topics=range(9))


def test_any_api_is_drawn_from_its_channel():
    found = simulate(NUMBERED, Numbered(), epochs=4, sites=2, seed=1)
    assert (found.n_epochs, found.earlier, found.shows) == (4, 0, "output")
    own = 5 + np.arange(3000) % 3
    right = found.by_epoch == own[None, :, None]
    assert ((found.by_epoch == 0) | right).all()
    assert abs(right.mean() - 0.75) < 5 * np.sqrt(0.75 * 0.25 / right.size)
    again = (right[:, :, 0] & right[:, :, 1]).mean()  # epochs are independent, and so are sites
    assert abs(again - 0.75**2) < 0.03
    assert abs((right[0] & right[1]).mean() - 0.75**2) < 0.02
    assert found == simulate(NUMBERED, Numbered(), epochs=4, sites=2, seed=1)


def test_what_is_not_drawn_anew_stays_on_a_site_or_on_all():
    for api, alike in ((Kept(), False), (Followed(), True)):
        found = simulate(NUMBERED, api, epochs=3, sites=2, seed=1).by_epoch
        assert (found == found[:, :, :1]).all()
        assert (found[0] == found[1]).all() == alike


def test_attributes_that_change_are_observed_epoch_by_epoch():
    people = Population.from_array(["Ann", "Bob"], [[[1, 5], [2, 6]], [[1, 7], [2, 5]]], topics=range(9))
    found = simulate(people, Numbered(), epochs=2, sites=300, seed=1)
    shown = [{found.topics[int(code)] for code in found.by_epoch[:, 0, k]} for k in (0, 1)]
    assert shown == [{0, 5}, {0, 7}]
    with refused(ParameterError, 2, 3):
        simulate(people, Numbered(), epochs=3)


def test_outputs_are_written_and_read_under_their_own_name(tmp_path):
    found = simulate(NUMBERED, Numbered(), epochs=2, seed=1)
    for name in ("seen.parquet", "seen.csv"):
        file = found.write(tmp_path / name)
        read = Reports.read(file, topics=found.topics)
        assert (read.shows, read.per_call) == ("output", 1)
        assert (read.by_epoch == found.by_epoch).all()
    assert (tmp_path / "seen.csv").read_text().splitlines()[0] == '"user","site","epoch","output"'


def test_options_of_browsers_are_refused_elsewhere():
    for option in ({"earlier": 1}, {"coverage": 0.5}, {"call_day": 1}):
        with pytest.raises(ParameterError, match=f"{next(iter(option))} is for browsers that show topics"):
            simulate(NUMBERED, Numbered(), epochs=1, **option)


def test_many_outputs_are_named_where_they_are_drawn():
    both = Together(Cookies(), TopicsAPI(9, 2))
    found = simulate(NUMBERED, both, epochs=2, seed=1)
    assert found.topics.size <= 2 * 2 * 3000
    identifier, topic = found.topics[int(found.by_epoch[0, 7, 1])]
    assert identifier == 7
    assert topic in range(9)
