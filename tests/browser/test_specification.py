"""One user, three epochs, two sites and three callers, worked out by hand from the public specification.

The taxonomy has eight topics; those in capitals are roots:

    0 ARTS   1 Movies (below ARTS)   2 Comedies (below Movies)
    3 NEWS   4 Weather (below NEWS)  5 TRAVEL   6 Hotels (below TRAVEL)   7 GAMES

Two top topics a week (s = 2). Chance is written down in the table CHANCE, so that nothing is left to it.
"""

from fractions import Fraction

import pytest

from quiff.browser.browser import DAY, Browser, PageLoad, TopTopic
from quiff.browser.decisions import INDEX, NOISE, PHASE_OUT, RANDOM, SWITCH
from quiff.browser.rules import BrowserRules
from quiff.browser.topic_tree import TopicTree

TREE = TopicTree(
    ["ARTS", "Movies", "Comedies", "NEWS", "Weather", "TRAVEL", "Hotels", "GAMES"],
    {"Movies": "ARTS", "Comedies": "Movies", "Weather": "NEWS", "Hotels": "TRAVEL"},
)
HOSTS = {
    "films.tld": ("Movies",),
    "laughs.tld": ("Comedies",),
    "daily.tld": ("NEWS", "Weather"),
    "inns.tld": ("Hotels",),
    "trips.tld": ("TRAVEL",),
}
A, B, X = frozenset({"a.tld"}), frozenset({"b.tld"}), frozenset({"x.tld"})

LOADS = [
    # Week 1, computed on day 7. Movies 3, Comedies 1, NEWS 0, because nobody observes the visit to daily.tld.
    PageLoad(1 * DAY, "films.tld", A),
    PageLoad(2 * DAY, "films.tld", A),
    PageLoad(3 * DAY, "films.tld", A | B),
    PageLoad(4 * DAY, "laughs.tld", B),
    PageLoad(5 * DAY, "daily.tld", frozenset(), X),
    # Week 2, computed on day 14. Hotels 2, Movies 1.
    PageLoad(8 * DAY, "inns.tld", X),
    PageLoad(9 * DAY, "inns.tld", X),
    PageLoad(10 * DAY, "films.tld", X),
    # Week 3, computed on day 21. TRAVEL 1 and nothing else: one place to fill.
    PageLoad(20 * DAY, "trips.tld", B),
]

# label, day of the epoch, site -> the number that the HMAC would give. What is not here is 0.
CHANCE = {
    # shop.tld: the second of week 1, the first of weeks 2 and 3; noise in week 2, since 104 mod 100 < 5.
    (INDEX, 7, "shop.tld"): 11,  # mod 2 = 1
    (INDEX, 14, "shop.tld"): 8,  # mod 2 = 0
    (INDEX, 21, "shop.tld"): 6,  # mod 2 = 0
    (NOISE, 7, "shop.tld"): 5,
    (NOISE, 14, "shop.tld"): 104,
    (NOISE, 21, "shop.tld"): 99,
    (RANDOM, 14, "shop.tld"): 31,  # mod 8 = 7: GAMES
    # blog.tld: the first of week 1, the second of week 2, the second of week 3; never noise.
    (INDEX, 7, "blog.tld"): 2,
    (INDEX, 14, "blog.tld"): 3,
    (INDEX, 21, "blog.tld"): 1,
    (NOISE, 7, "blog.tld"): 50,
    (NOISE, 14, "blog.tld"): 50,
    (NOISE, 21, "blog.tld"): 50,
    # After day 21 shop.tld is switched at once (0 seconds), blog.tld after a day (172800 + 86400 mod 172800).
    (SWITCH, 21, "blog.tld"): 172_800 + 86_400,
    # To fill week 3, topics other than TRAVEL: ARTS Movies Comedies NEWS Weather Hotels GAMES; 9 mod 7 = 2.
    ("padding-decision|1", 21, ""): 9,
}


def decide(label, time, site):
    return CHANCE.get((label, time // DAY, site), 0)


def browser(**changes):
    return Browser(TREE, HOSTS, decide, BrowserRules(top_s=2, **changes))


def test_the_top_topics_and_their_callers():
    here = browser()
    # Movies was observed by a and b, and Comedies, below it, by b. For Comedies, only b counts.
    assert here.epoch(LOADS, 7 * DAY).top == (TopTopic("Movies", A | B), TopTopic("Comedies", B))
    # Three weeks back from day 14 the loads of week 1 count for callers, too: Movies has a, b and x.
    assert here.epoch(LOADS, 14 * DAY).top == (TopTopic("Hotels", X), TopTopic("Movies", A | B | X))
    # Hotels is below TRAVEL, so that x of week 2 is among the callers of TRAVEL. Comedies fills the second
    # place; b observed it on day 4, and day 21 - 21 days is before that.
    assert here.epoch(LOADS, 21 * DAY).top == (TopTopic("TRAVEL", B | X), TopTopic("Comedies", B))
    # On day 28, day 4 is more than 21 days ago. Nothing was loaded and all chance is 0: ARTS fills up, then
    # Movies, the first of what is left. Both have x, who was there on day 10.
    assert here.epoch(LOADS, 28 * DAY).top == (TopTopic("ARTS", X), TopTopic("Movies", X))


@pytest.mark.parametrize(
    ("site", "caller", "topics"),
    [
        # shop.tld would show Comedies (b), Hotels (x) replaced by GAMES, and TRAVEL (b, x).
        ("shop.tld", "a.tld", ()),  # a observed none of the three; and without a topic there is no noise
        ("shop.tld", "b.tld", ("Comedies", "TRAVEL")),  # Hotels was not for b, so that b gets no noise
        ("shop.tld", "x.tld", ("TRAVEL", "GAMES")),  # noise for Hotels; in the order of the taxonomy
        # blog.tld would show Movies (a, b), Movies (a, b, x) and Comedies (b).
        ("blog.tld", "a.tld", ("Movies",)),  # twice Movies is shown once
        ("blog.tld", "b.tld", ("Movies", "Comedies")),
        ("blog.tld", "x.tld", ("Movies",)),
    ],
)
def test_what_each_caller_gets_on_each_site(site, caller, topics):
    assert browser().call(LOADS, 24 * DAY, site, caller) == topics


def test_a_site_is_switched_to_a_new_epoch_after_its_delay():
    # On the morning of day 21 shop.tld sees weeks 1 to 3; blog.tld still sees those of the start, 1 and 2.
    # The epoch of day 0 has only topics by chance, ARTS and Movies, which nobody observed.
    here, early = browser(), 21 * DAY + DAY // 2
    assert here.call(LOADS, early, "shop.tld", "b.tld") == ("Comedies", "TRAVEL")
    assert here.call(LOADS, early, "blog.tld", "b.tld") == ("Movies",)
    assert here.call(LOADS, 22 * DAY, "blog.tld", "b.tld") == ("Movies",)  # the delay is not over at its end
    assert here.call(LOADS, 22 * DAY + 1, "blog.tld", "b.tld") == ("Movies", "Comedies")
    assert browser(switch_delay=False).call(LOADS, early, "blog.tld", "b.tld") == ("Movies", "Comedies")


def test_an_epoch_is_phased_out_26_to_28_days_after_it_was_computed():
    # Page loads until day 21; four epochs are kept, those of days 7 to 28, and a call shows 14, 21, 28.
    here = Browser(TREE, HOSTS, lambda *message: PHASES.get(message, decide(*message)), BrowserRules(top_s=2))
    kept = here.epochs(LOADS, 28 * DAY)
    assert [epoch.time // DAY for epoch in kept] == [7, 14, 21, 28]
    assert [epoch.time // DAY for epoch in here.epochs(LOADS, 35 * DAY)] == [14, 21, 28, 35]
    shown = here.shown(
        kept, 40 * DAY, "shop.tld"
    )  # the browser was off since day 28: it has computed nothing
    assert [epoch.time // DAY for epoch in shown] == [14, 21, 28]
    shown = here.shown(kept, 41 * DAY, "shop.tld")  # 41 - 28 + 1.5 days is past day 14
    assert [epoch.time // DAY for epoch in shown] == [21, 28]


PHASES = {(PHASE_OUT, 28 * DAY, "shop.tld"): 129_600}  # a day and a half


@pytest.mark.parametrize(
    ("rule", "site", "caller", "topics"),
    [
        ({"witness_filter": False}, "shop.tld", "a.tld", ("Comedies", "TRAVEL", "GAMES")),
        ({"noise_after_filter": False}, "shop.tld", "a.tld", ("GAMES",)),
        ({"noise_after_filter": False}, "shop.tld", "b.tld", ("Comedies", "TRAVEL", "GAMES")),
        ({"noise": 0}, "shop.tld", "x.tld", ("TRAVEL", "Hotels")),  # TRAVEL is before Hotels in the taxonomy
        (
            {"noise": Fraction(6, 100)},
            "shop.tld",
            "b.tld",
            ("ARTS", "TRAVEL"),
        ),  # 5 < 6: week 1 is noise 0 = ARTS
        ({"epochs_per_call": 1}, "shop.tld", "b.tld", ("TRAVEL",)),
        ({"each_once": False}, "blog.tld", "a.tld", ("Movies", "Movies")),
        ({"each_once": False}, "shop.tld", "x.tld", ("GAMES", "TRAVEL")),
        # One choice for all sites: the chance of the site "" is 0, the first of each week and noise 0 = ARTS.
        ({"per_site": False}, "shop.tld", "b.tld", ("ARTS",)),
        ({"per_site": False}, "blog.tld", "b.tld", ("ARTS",)),
        ({"padding": False}, "blog.tld", "b.tld", ("Movies",)),  # the second place of week 3 stays empty
        ({"blocked": {"TRAVEL"}}, "shop.tld", "b.tld", ("Comedies",)),
        # Who observed only what is blocked below a topic did not observe it.
        ({"blocked": {"Hotels"}}, "shop.tld", "x.tld", ()),
    ],
)
def test_each_rule_can_be_switched_off(rule, site, caller, topics):
    assert browser(**rule).call(LOADS, 24 * DAY, site, caller) == topics


def test_topics_of_high_utility_rank_first():
    tree = TopicTree(TREE.topics, TREE.parents, frozenset({"Comedies"}))
    here = Browser(tree, HOSTS, decide, BrowserRules(top_s=2))
    assert [top.topic for top in here.epoch(LOADS, 7 * DAY).top] == ["Comedies", "Movies"]
    here = Browser(tree, HOSTS, decide, BrowserRules(top_s=2).without("utility_buckets"))
    assert [top.topic for top in here.epoch(LOADS, 7 * DAY).top] == ["Movies", "Comedies"]


def test_page_loads_are_deleted_after_28_days():
    here = browser()
    assert here.call(LOADS, 70 * DAY, "shop.tld", "b.tld") == ()
    assert len(here.epochs(LOADS, 70 * DAY)) == 4
