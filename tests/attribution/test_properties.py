"""What holds for any events: of budgets, histograms, clearing, order and rounding."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiff.attribution.browser import Browser
from quiff.attribution.credit import fairly_allocate_credit
from quiff.attribution.options import DAY, Config
from quiff.attribution.rules import DRAFT, REFERENCE, RULES
from quiff.errors import ParameterError
from words import refused

SERVICE = "https://agg-service.example"
SITES = ("a.example", "b.example", "c.example")
sites = st.sampled_from(SITES)
lists = st.lists(sites, max_size=2).map(tuple)
impressions = st.fixed_dictionaries(
    {"histogram_index": st.integers(0, 4)},
    optional={
        "match_value": st.integers(0, 2),
        "conversion_sites": lists,
        "conversion_callers": lists,
        "lifetime_days": st.integers(1, 40),
        "priority": st.integers(-1, 1),
    },
)
conversions = st.fixed_dictionaries(
    {"histogram_size": st.integers(1, 5), "value": st.integers(1, 9), "max_value": st.integers(9, 20)},
    optional={
        "epsilon": st.floats(0.01, 3),
        "lookback_days": st.integers(1, 40),
        "match_values": st.lists(st.integers(0, 2), max_size=2).map(tuple),
        "impression_sites": lists,
        "impression_callers": lists,
        "credit": st.lists(st.floats(0.1, 9), min_size=1, max_size=4).map(tuple),
    },
)
events = st.lists(
    st.tuples(
        st.integers(0, 5 * DAY),
        sites,
        st.one_of(
            st.tuples(st.just("save"), impressions),
            st.tuples(st.just("measure"), conversions),
            st.tuples(st.just("clear"), st.booleans()),
        ),
    ),
    max_size=30,
)
small = st.builds(
    Config,
    per_site_privacy_budget=st.integers(0, 2_000_000),
    impression_site_quota_per_epoch=st.integers(0, 3_000_000),
    global_privacy_budget_per_epoch=st.integers(0, 3_000_000),
)


def played(browser, happens):
    now = 10**9
    for after, site, (name, options) in happens:
        now += after
        if name == "save":
            browser.save_impression(now, site, **options)
        elif name == "measure":
            report = browser.measure_conversion(now, site, aggregation_service=SERVICE, **options)
            yield options, report
        else:
            browser.clear_browsing_history(now, [site], forget_visits=options)


@given(events, small, st.sampled_from(list(RULES.values())))
def test_budgets_are_never_negative_and_histograms_sum_to_at_most_the_value(happens, config, rules):
    browser = Browser(config, rules, seed=0)
    for options, (histogram, charges) in played(browser, happens):
        assert min(histogram) >= 0
        assert sum(histogram) <= options["value"]
        assert charges or not any(histogram)
        left = [*browser.site_budgets.values(), *browser.quotas.values()]
        left += [each for each in browser.global_budgets.values() if each is not None]
        assert min(left, default=0) >= 0


@given(events, small)
def test_what_is_charged_is_what_the_budgets_lose(happens, config):
    unforgetful = [each for each in happens if each[2][0] != "clear"]
    browser = Browser(config, seed=0)
    charges = [charge for _, report in played(browser, unforgetful) for charge in report.charges]
    for (epoch, site), left in browser.site_budgets.items():
        own = sum(c.of_site for c in charges if (c.epoch, c.site) == (epoch, site))
        assert left == config.per_site_privacy_budget - own
    for epoch, left in browser.global_budgets.items():
        assert left == config.global_privacy_budget_per_epoch - sum(
            c.shared for c in charges if c.epoch == epoch
        )
    for (epoch, site), left in browser.quotas.items():
        shared = sum(c.shared for c in charges if c.epoch == epoch and site in c.impression_sites)
        assert left == config.impression_site_quota_per_epoch - shared


@given(events, events, small)
def test_clearing_everything_forgets(before, after, config):
    """After all is cleared, what was before makes no difference; that epoch stays closed either way."""
    fixed = Config(**{**vars(config), "epoch_start": 0.25, "fairly_allocate_credit_fraction": 0.5})
    start = 2 * 10**9
    used, new = Browser(fixed), Browser(fixed)
    list(played(used, before))
    for browser in (used, new):
        if browser.epoch_start is None:
            browser.epoch(start)
    new.epoch_start = used.epoch_start  # the week's start is not forgotten
    for browser in (used, new):
        browser.clear_browsing_history(start, forget_visits=True)
    shifted = [(start - 10**9, SITES[0], ("save", {"histogram_index": 0})), *after]
    assert [r for _, r in played(used, shifted)] == [r for _, r in played(new, shifted)]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1)), min_size=1, max_size=6))
def test_of_equal_times_the_first_saved_of_the_highest_priority_is_attributed(saved):
    browser = Browser(seed=0)
    for index, priority in saved:
        browser.save_impression(10**9, "a.example", histogram_index=index, priority=priority)
    report = browser.measure_conversion(10**9, "b.example", aggregation_service=SERVICE, histogram_size=5)
    best = max(priority for _, priority in saved)
    first = next(index for index, priority in saved if priority == best)
    assert report.histogram.index(1) == first


def test_what_can_no_longer_be_reached_is_not_kept():
    browser = Browser(seed=0)
    for n in range(20_000):
        now = 10**9 + n * DAY // 20
        if n % 10:
            browser.save_impression(now, f"s{n % 50}.example", histogram_index=0, lifetime_days=1)
        else:
            browser.measure_conversion(
                now, f"s{n % 7}.example", aggregation_service=SERVICE, histogram_size=1, epsilon=0.01
            )
        assert len(browser.impressions) <= 65
    epochs = 30 // 7 + 3
    assert len(browser.global_budgets) <= epochs
    assert len(browser.site_budgets) <= 7 * epochs
    assert len(browser.quotas) <= 50 * epochs


def test_times_do_not_go_back():
    browser = Browser()
    browser.save_impression(5, "a.example", histogram_index=0)
    with refused(ParameterError, 5):
        browser.save_impression(4, "a.example", histogram_index=0)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.integers(1, 50))
def test_rounding_is_unbiased_and_exact_in_sum(credit, value):
    """Over all draws, by their probabilities."""
    mean = [0.0] * len(credit)
    total = 0.0
    for draws in product((True, False), repeat=len(credit) - 1):
        chances, left = [1.0], list(draws)

        def flip(p, chances=chances, left=left):
            drawn = left.pop(0)
            chances.append(p if drawn else 1 - p)
            return drawn

        parts = fairly_allocate_credit(credit, value, flip)
        chance = float(Fraction(1, 2 ** len(left)))  # draws that were not needed
        for each in chances:
            chance *= each
        if chance > 1e-9:  # what is next to impossible comes of rounding errors
            assert sum(parts) == value
            shares = [value * item / sum(credit) for item in credit]
            assert all(abs(part - share) < 1 for part, share in zip(parts, shares, strict=True))
        mean = [m + chance * part for m, part in zip(mean, parts, strict=True)]
        total += chance
    assert total == pytest.approx(1)
    assert mean == pytest.approx([value * item / sum(credit) for item in credit])


def test_huge_and_tiny_credit_is_divided_in_proportion():
    assert fairly_allocate_credit([1e308, 1e308], 4, lambda p: p > 0.5) == [2, 2]
    assert fairly_allocate_credit([5e-324, 5e-324], 4, lambda p: p > 0.5) == [2, 2]


def test_the_rules_agree_without_rounding_and_with_large_shared_budgets():
    wide = Config(epoch_start=0.5, global_privacy_budget_per_epoch=10**9)
    for rules in (DRAFT, REFERENCE):
        browser = Browser(wide, rules, seed=0)
        browser.save_impression(1, "a.example", histogram_index=1)
        asked = {"aggregation_service": SERVICE, "histogram_size": 2}
        assert [browser.measure_conversion(n, "b.example", **asked).histogram for n in (2, 3)] == [
            [0, 1],
            [0, 0],
        ]
