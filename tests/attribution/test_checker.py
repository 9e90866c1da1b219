"""The budget checker finds the slips that people found by hand, and none in the draft as it is meant."""

from functools import cache
from itertools import product
from math import log

import numpy as np
import pytest

from quiff.attribution.browser import Browser
from quiff.attribution.checker import Node, _law, _loss, _Search, check_worlds, raw_worlds, supremum
from quiff.attribution.events import events_from, play
from quiff.attribution.rules import DRAFT, DRAFT_LITERAL, REFERENCE, VARIATIONS, rules_named
from quiff.attribution.worlds import Query, Seen, events_of, over_all_flips, shared_limits
from quiff.progress import watching


@cache
def checked(size, rules, symmetry=True):
    return check_worlds(size, rules, symmetry=symmetry)


@pytest.mark.parametrize(
    ("name", "loss", "events", "observer"),
    [
        ("attributed-epoch", 1.5, 4, "a.example"),
        ("single-by-match", 1.5, 4, "a.example"),
        ("two-roundings", 1 + log(3 / 4 + np.e / 4), 4, "a.example"),
        ("unset-global", 1.5, 3, "all sites"),
    ],
)
def test_each_slip_is_found_and_the_corrected_rule_passes_at_the_same_size(name, loss, events, observer):
    found = checked(2, rules_named(name)).violation
    assert found.loss == pytest.approx(loss)
    assert (len(found.world), found.observer) == (events, observer)
    passed = checked(2, DRAFT)
    assert passed.violation is None
    assert passed.finished
    assert passed.largest == pytest.approx(1)  # budgets can be used up, and are


@pytest.mark.parametrize("rules", [DRAFT_LITERAL, REFERENCE])
def test_the_slips_of_text_and_code_are_found(rules):
    assert check_worlds(2, rules).violation is not None


@pytest.mark.parametrize("name", ["draft", *VARIATIONS])
def test_symmetry_does_not_change_the_verdict(name):
    reduced, whole = (checked(2, rules_named(name), symmetry) for symmetry in (True, False))
    assert reduced.largest == pytest.approx(whole.largest)
    assert (reduced.violation is None) == (whole.violation is None)
    if whole.violation is not None:
        assert reduced.violation.loss == pytest.approx(whole.violation.loss)
        assert len(reduced.violation.world) == len(whole.violation.world)
    assert reduced.canonical < whole.canonical <= whole.worlds


@pytest.mark.full
@pytest.mark.parametrize("name", ["attributed-epoch", "single-by-match", "two-roundings", "unset-global"])
def test_symmetry_does_not_change_the_verdict_at_size_3(name):
    reduced, whole = (check_worlds(3, rules_named(name), symmetry=symmetry) for symmetry in (True, False))
    assert reduced.violation.loss == pytest.approx(whole.violation.loss)
    assert len(reduced.violation.world) == len(whole.violation.world)


@pytest.mark.full
def test_the_draft_passes_at_size_3():
    found = check_worlds(3, DRAFT)
    assert found.violation is None
    assert found.finished


def test_the_worlds_are_counted_as_they_are_written_down():
    events = [*(("i", b) for b in (-1, 0)), *(("q", option) for option in range(16))]
    worlds = {
        (tuple(world), epochs)
        for length in (1, 2)
        for world in product(events, repeat=length)
        for epochs in product(range(3), repeat=length)
        if sum(kind == "i" for kind, _ in world) <= 1 >= sum(kind == "q" for kind, _ in world)
        if list(epochs) == sorted(epochs)
    }
    assert raw_worlds(1) == len(worlds)


def test_the_example_of_issue_75():
    """Three impressions, three queries, each in an epoch of its own or after: L1 distance 5, of scale 2."""
    seen = tuple(Seen(epoch, epoch) for epoch in range(3))
    world = (*seen, *(Query(2, 0, single=False, touches=1, share=1.0) for _ in range(3)))
    config = shared_limits(3, DRAFT)["never reached"]
    rules = rules_named("attributed-epoch")
    outputs = []
    for removed in (None, 2):
        events, own = events_from(events_of(world, config, 3, removed))
        steps, _ = play(events, own, rules)
        outputs.append([step.report.histogram for step in steps if step.report])
    assert outputs[0] == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert outputs[1] == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    distance = np.abs(np.subtract(*outputs)).sum()
    assert distance == 5
    search = _Search(3, rules, symmetry=True, limit=2**62)
    node = search.start  # the same by the checker's own steps
    for event in world:
        if isinstance(event, Query):
            pairs = search._asked(node, event, "never reached")
            node = Node(node.seen, tuple(pair and search._number(pair) for pair in pairs))
        else:
            node = search._saved(node, event)
    assert _loss(pairs[2], 0) == distance / 2


def density(law, points):
    """The density at some points, up to a factor, written out."""
    total = np.zeros(len(points))
    for seen, p in law:
        values = np.array([x for _, histogram in seen for x in histogram])
        rates = np.array([epsilon / 2 for epsilon, histogram in seen for _ in histogram])
        total += p * np.exp(-(np.abs(points - values) * rates).sum(axis=1))
    return total


def test_the_supremum_is_that_of_a_fine_grid():
    rng = np.random.default_rng(0)
    points = np.array(list(product(np.linspace(-1, 3, 17), repeat=3)))

    def law():
        draws = rng.integers(0, 3, (3, 3)).tolist()
        weights = rng.dirichlet(np.ones(3)).tolist()
        return tuple((((1.0, (x, y)), (2.0, (z,))), p) for (x, y, z), p in zip(draws, weights, strict=True))

    for _ in range(50):
        here, there = law(), law()
        ratios = np.log(density(here, points) / density(there, points))
        assert supremum(here, there) == pytest.approx(np.abs(ratios).max())


def test_a_limit_ends_the_search_and_is_told():
    found = check_worlds(3, DRAFT, limit=500)
    assert (found.violation, found.finished) == (None, False)
    assert found.canonical <= 500 + 16


def test_progress_is_told():
    told = []
    with watching(lambda part, share: told.append((part, share))):
        check_worlds(2, DRAFT)
    assert {part.split(" of ")[0] for part, _ in told} == {"1", "2", "3", "4"}
    assert all(0 <= share < 1 for _, share in told)


def test_laws_are_those_of_the_runs():
    """All roundings of one query with two touches, by the model itself."""
    config = shared_limits(2, DRAFT)["never reached"]

    def run(flip):
        browser = Browser(config, flip=flip)
        browser.save_impression(1, "p.example", histogram_index=0)
        browser.save_impression(2, "p.example", histogram_index=1)
        asked = {"aggregation_service": "https://agg-service.example", "histogram_size": 2, "credit": (1, 1)}
        return tuple(browser.measure_conversion(3, "a.example", **asked).histogram)

    assert sorted(over_all_flips(run)) == [(0.5, (0, 1)), (0.5, (1, 0))]
    paths = tuple((p, (), ((0, 1.0, h),)) for p, h in over_all_flips(run))
    assert _law(paths, 0) == ((((1.0, (0, 1)),), 0.5), (((1.0, (1, 0)),), 0.5))
    assert _law(paths, 1) == (((), 1.0),)
