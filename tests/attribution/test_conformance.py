"""The group's own end-to-end files, under every rule set; and where the rule sets part."""

import pytest

from quiff.attribution.browser import Browser
from quiff.attribution.events import config_from, events_from, play, read_config, read_events
from quiff.attribution.options import Config
from quiff.attribution.rules import DRAFT, DRAFT_LITERAL, REFERENCE, RULES

SERVICE = {"aggregation_service": "https://agg-service.example"}
OTHERS = ("CONFIG.json", "e2e.schema.json")


@pytest.fixture
def folder(mirror):
    return mirror / "w3c-attribution"


@pytest.mark.parametrize("rules", RULES.values(), ids=lambda rules: rules.name)
def test_the_groups_own_files(folder, rules):
    config = read_config(folder / "CONFIG.json")
    files = [path for path in sorted(folder.glob("*.json")) if path.name not in OTHERS]
    assert len(files) == 26
    for path in files:
        events, own = read_events(path)
        steps, _ = play(events, own or config, rules)
        for place, step in enumerate(steps):
            came = step.error or (step.report.histogram if step.report else None)
            assert came == step.event.expected, f"{path.name}, event {place}"


def test_the_configuration_is_the_groups_own_but_for_what_it_fixes(folder):
    fixed = {"epochStart": 0.5, "fairlyAllocateCreditFraction": 0.5}
    assert read_config(folder / "CONFIG.json") == config_from(fixed)


def browser(rules=DRAFT, **config):
    return Browser(Config(epoch_start=0.5, **config), rules, seed=1)


def measured(browser, now, site="shop.example", **options):
    return browser.measure_conversion(now, site, **SERVICE, **{"histogram_size": 1} | options).histogram


@pytest.mark.parametrize(
    ("rules", "released"), [(DRAFT, [1, 1, 0, 0]), (DRAFT_LITERAL, [1, 1, 1, 1]), (REFERENCE, [1, 1, 1, 1])]
)
def test_an_unset_global_budget_refuses_nothing(rules, released):
    it = browser(rules, global_privacy_budget_per_epoch=2_000_000)
    it.save_impression(1, "news.example", histogram_index=0)
    assert [measured(it, 2 + n, f"shop{n}.example")[0] for n in range(4)] == released


@pytest.mark.parametrize("rules", [DRAFT_LITERAL, REFERENCE])
def test_the_first_charge_of_an_unset_global_budget_may_still_be_too_large(rules):
    it = browser(rules, per_site_privacy_budget=9_000_000, global_privacy_budget_per_epoch=2_000_000)
    it.save_impression(1, "news.example", histogram_index=0)
    assert measured(it, 2, epsilon=3) == [0]


@pytest.mark.parametrize(
    ("rules", "released"), [(DRAFT, [1, 1, 0]), (DRAFT_LITERAL, [1, 1, 1]), (REFERENCE, [1, 1, 0])]
)
def test_quotas_written_elsewhere_are_never_spent(rules, released):
    it = browser(rules, impression_site_quota_per_epoch=2_000_000)
    it.save_impression(1, "news.example", histogram_index=0)
    assert [measured(it, 2 + n, f"shop{n}.example")[0] for n in range(3)] == released


@pytest.mark.parametrize(("rules", "share"), [(DRAFT, 0), (DRAFT_LITERAL, 1 / 4), (REFERENCE, 1 / 4)])
def test_with_two_roundings_releases_go_on_in_a_quarter_of_calls(rules, share):
    it = browser(rules, global_privacy_budget_per_epoch=10**12, impression_site_quota_per_epoch=10**12)
    it.save_impression(1, "news.example", histogram_index=0)
    it.save_impression(2, "news.example", histogram_index=1)  # beyond the histogram's size
    asked = {"lookback_days": 1, "credit": (1, 1), "epsilon": 2}
    now = 3
    while (0, "shop.example") not in it.site_budgets or it.site_budgets[0, "shop.example"]:
        measured(it, now, **asked)
        now += 1
    calls = 4_000
    released = sum(measured(it, now + n, **asked)[0] for n in range(calls))
    assert released / calls == pytest.approx(share, abs=4 * (3 / 16 / calls) ** 0.5)
    assert it.site_budgets[0, "shop.example"] == 0


def test_charges_are_those_of_the_catalogue():
    it = browser()
    it.save_impression(1, "news.example", histogram_index=0)
    asked = {**SERVICE, "histogram_size": 1, "value": 4, "max_value": 8}
    single = it.measure_conversion(2, "shop.example", **asked, lookback_days=1).charges
    several = it.measure_conversion(3, "shop.example", **asked).charges
    assert [charge.of_site for charge in single + several] == [250_000, 500_000]
    assert [charge.shared for charge in single + several] == [500_000, 500_000]


def test_events_may_bring_their_own_configuration():
    events, config = events_from({"config": {"maxHistogramSize": 9}, "events": []})
    assert (events, config.max_histogram_size) == ((), 9)
