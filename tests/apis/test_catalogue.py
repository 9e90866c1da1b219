"""The catalogue of APIs against reference values: closed forms, structured channels, and programs."""

from itertools import combinations, pairwise, product
from math import comb, e, inf, log, log2, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quiff
from conftest import missing
from quiff import Channel, Population, Prior, bayes_capacity, epsilon, posterior_vulnerability
from quiff.apis.android_topics import AndroidTopics
from quiff.apis.click_measurement import AdAttributionKit, PrivateClickMeasurement
from quiff.apis.cookies import Cookies, PartitionedCookies
from quiff.apis.event_level import EventLevel
from quiff.apis.floc import Cohorts, FLoC, city_hash, sim_hash, sim_hashes
from quiff.apis.noisy_histogram import (
    AggregatableExistence,
    AggregatableReports,
    InteroperablePrivateAttribution,
    PrivateAggregation,
    W3CAttribution,
)
from quiff.apis.parakeet import NoisyRanking, Parakeet
from quiff.apis.protected_audience import RealTimeMonitoring, WinSignals
from quiff.apis.registry import api_from, apis
from quiff.apis.select_url import SelectURL
from quiff.core.kernels import DenseKernel, ProductKernel
from quiff.core.kernels.one_hot import OneHotKernel
from quiff.errors import ParameterError, QuiffError
from quiff.people.conversions import Conversion, conversions_of, synthetic_conversions
from quiff.theory import browser_apis as gate
from quiff.theory.browser_apis import status_probability
from words import refused

# (API, Bayes capacity, epsilon, Shannon capacity in bits), to the digits of the catalogue; None: not given.
REFERENCE = [
    (EventLevel(), 2917.90543398, 14, 11.4617279654),
    (EventLevel("view"), 2.99999501084, 14, 1.58492651151),
    (EventLevel(trigger_data=4, windows=2, reports=2), 44.9983536334, 14, 5.49106136037),
    (EventLevel(trigger_data=32, windows=5), 445863.550953, 14, 11.2779780765),
    (EventLevel("view", trigger_data=20, windows=5, reports=4), 953281.174804, 14, 3.8521950749),
    (EventLevel(epsilon=7), 797.797725385, 7, 2.29549314594),
    (EventLevel("view", epsilon=1), 1.7283506543, 1, 0.177861878342),
    (AggregatableExistence(), 1.95, inf, 0.857125011635),
    (AggregatableExistence(source_time=True), 28.3318244827, inf, 4.736306),
    (AggregatableReports(keys=1), 1.993262053, 10, 0.9847960965),
    (AggregatableReports(keys=2), 2.986410606, 20, None),
    (AggregatableReports(keys=100), 99.77617977, 20, None),
    (PrivateAggregation(keys=1024), 968.2044914, 20, None),
    (AggregatableReports(keys=2**20), 22026.46579, 20, None),
    (SelectURL(8), 4096, inf, 12),
    (SelectURL(2), 4096, inf, 12),
    (SelectURL(5), 3125, inf, None),
    (SelectURL(3), 2187, inf, None),
    (SelectURL(8, "page"), 64, inf, 6),
    (SelectURL(3, "page"), 27, inf, None),
    (WinSignals(), 4055.05 * 31.69 * 15.85, 28.34239953, 20.5593),
    (RealTimeMonitoring(), 1.6487212707, 1, 0.1764923522),
    (RealTimeMonitoring(4), 7.38905609893, 4, 2.193616275),
    (W3CAttribution(keys=1), 1.22119921693, 0.5, 0.03803954357),
    (W3CAttribution(keys=2), 1.366582101, 1, None),
    (W3CAttribution(keys=20), 1.648525148, 1, None),
    (W3CAttribution(keys=1024), 1.648721271, 1, None),
    (W3CAttribution(4, 1), 1.63212055883, 2, None),
    (W3CAttribution(4, 2), 2.196573476, 4, None),
    (W3CAttribution(4, 20), 6.464769379, 4, None),
    (W3CAttribution(4, 1024), 7.389056099, 4, None),
    (Parakeet(), 90, 6.792344427, 5.511924934),
    (NoisyRanking(), 2**3.16653, inf, None),
    (InteroperablePrivateAttribution(keys=1), 1.39346934, 1, 0.1277068459),
    (InteroperablePrivateAttribution(), 2.717479772, 2, None),
    (PrivateClickMeasurement(), 17, inf, 4.08746284),
    *(
        (AdAttributionKit(tier), size, inf if tier else 0, None)
        for tier, size in enumerate((1, 27, 576, 576))
    ),
    (AndroidTopics(446), 84.74, 7.424045942, 5.86943951),
    (AndroidTopics(349), 0.19 * 349, None, None),
    (PartitionedCookies(), 1, 0, None),
    (PartitionedCookies(across=False), inf, inf, None),
]


def limits_of(api):
    return {limit.quantity: float(limit.value) for limit in api.limits() if not limit.stage}


@pytest.mark.parametrize(
    ("api", "capacity", "eps", "shannon"), REFERENCE, ids=lambda x: getattr(x, "spec", "")
)
def test_closed_forms_have_the_reference_values(api, capacity, eps, shannon):
    found = limits_of(api)
    assert found["bayes_capacity"] == pytest.approx(
        capacity, rel=5e-6 if api.name == "noisy_ranking" else 6e-10
    )
    if eps is not None:
        assert found["epsilon"] == pytest.approx(eps, rel=1e-9)
    if shannon is not None:
        assert found["shannon_capacity_bits"] == pytest.approx(shannon, rel=1e-6)


@pytest.mark.parametrize(
    ("api", "capacity"),
    [(api, capacity) for api, capacity, *_ in REFERENCE if api.space() is not None and capacity < 1e5],
    ids=lambda x: getattr(x, "spec", ""),
)
def test_channels_over_all_secrets_have_them_too(api, capacity):
    """By the structured kernel, whose columns are never written out; Laplace noise is cut into cells."""
    C = api.observe(api.space())
    assert float(bayes_capacity(C)) <= capacity * (1 + 1e-9)
    assert float(bayes_capacity(C)) * C.slack >= capacity * (1 - 1e-9)
    assert epsilon(C) == pytest.approx(limits_of(api)["epsilon"], rel=1e-9)


def test_measured_signals_one_by_one():
    """modelingSignals, recency and joinCount of the catalogue, as randomised responses of their own."""
    for n, capacity, bits in (
        (4096, 4055.05, 11.79925587),
        (32, 31.69, 4.873291951),
        (16, 15.85, 3.886752181),
    ):
        p = 0.99 + 0.01 / n
        forms = quiff.theory.randomised_response(n, ratio=p * (n - 1) / (1 - p))
        assert forms["bayes_capacity"] == pytest.approx(capacity, rel=1e-9)
        assert forms["shannon_capacity_bits"] == pytest.approx(bits, rel=1e-9)


def test_win_signals_are_three_independent_responses():
    api = WinSignals(truth=0.5)
    C = api.observe([(5, 2, 3), (5, 2, 4)])
    row = C.row((5, 2, 3))
    expected = (0.5 + 0.5 / 4096) * (0.5 + 0.5 / 16) * (0.5 / 32)
    assert C[(5, 2, 3), (5, 2, 4)] == pytest.approx(expected)
    assert len(row.labels) == 4096 * 16 * 32


def test_noise_on_very_many_keys():
    """2^128 keys at epsilon 64: the catalogue's 92.33 bits."""
    assert log2(limits_of(AggregatableReports(64, 2**128))["bayes_capacity"]) == pytest.approx(92.3324826)


@pytest.mark.parametrize(("epsilon", "capacity"), [(10, 5.9999999903), (64, 32.9999974569)])
def test_the_value_of_one_bucket(epsilon, capacity):
    """x in 0 .. L behind geometric noise: ((L+1)(1-a) + 2a)/(1+a)."""
    found = quiff.theory.truncated_geometric(65_537, epsilon / 65_536)
    assert found["bayes_capacity"] == pytest.approx(capacity, rel=1e-10)


@pytest.mark.parametrize(("dimension", "bits"), [(16, 33.2287), (128, 131.9488)])
def test_embeddings_of_many_dimensions(dimension, bits):
    assert log2(limits_of(NoisyRanking(dimension=dimension))["bayes_capacity"]) == pytest.approx(
        bits, abs=5e-5
    )


def test_a_ball_by_drawing():
    """The capacity in two dimensions, as the mean over a box of the largest density."""
    rng = np.random.default_rng(0)
    s, side = 0.3, 6.0
    points = rng.uniform(-side / 2, side / 2, (400_000, 2))
    beyond = np.maximum(np.hypot(*points.T) - 1, 0)
    densities = np.exp(-(beyond**2) / (2 * s * s)) / (2 * np.pi * s * s) * side**2
    error = densities.std() / sqrt(densities.size)
    from quiff.theory.mechanisms import gaussian_ball_bits

    assert abs(2 ** gaussian_ball_bits(2, s) - densities.mean()) < 5 * error


def test_pick_rates_and_the_largest_epsilon():
    assert gate.pick_rate(2925, 14) == pytest.approx(0.0024263221679834087, rel=1e-12)
    assert gate.pick_rate(3, 14) == pytest.approx(2.494582008677539e-6, rel=1e-12)
    assert gate.largest_epsilon(3648, 11.5) == pytest.approx(12.23399332803218, rel=1e-12)
    assert gate.largest_epsilon(5545, 6.5) == pytest.approx(9.028709123768687, rel=1e-12)


@pytest.mark.parametrize(("bits", "low", "high"), [(11.5, 3007, 667_903), (6.5, 91, 2_205_087)])
def test_the_gate_is_not_monotone(bits, low, high):
    """It rejects exactly the numbers of states between two ends: the capacity falls with many states."""
    passes = [
        gate.gate_bits(k, 14) <= bits for k in (2, low - 1, low, (low + high) // 2, high, high + 1, 10**9)
    ]
    assert passes == [True, True, False, False, False, True, True]


def test_states_are_listed_as_they_are_counted():
    for m, w, c in product(range(4), range(1, 3), range(4)):
        space = EventLevel(trigger_data=m, windows=w, reports=c).space()
        kinds = list(product(range(m), range(w)))
        by_hand = {tuple(sorted(chosen)) for n in range(c + 1) for chosen in product(kinds, repeat=n)}
        assert set(space) == by_hand
        assert [space.position(state) for state in space] == list(range(len(by_hand)))


def test_flexible_states_by_listing_them():
    api = EventLevel(flexible="2x1 1x2 3x2")
    assert api.states == 54 == len(set(api.space()))
    assert bayes_capacity(api.observe(api.space())) == pytest.approx(limits_of(api)["bayes_capacity"])


def test_states_of_data_with_different_windows_are_numbered_without_a_list():
    space = EventLevel(flexible="5x4 3x9 2x7", reports=9).space()
    assert space.size == gate.flexible_states([(5, 4), (3, 9), (2, 7)], 9) > 20_000
    for place in (0, 1, 12_345, space.size - 1):
        assert space.position(space[place]) == place
    assert not any(
        wrong in space for wrong in (((2, 2),), ((1, 0), (0, 0)), ((0, 0),) * 5, ((3, 0),), "x", 7)
    )


def test_a_response_that_is_always_true_is_a_map():
    api = Parakeet(truth=1)
    C = api.observe(api.space())
    assert limits_of(api) | {"shannon_capacity_bits": 0} == {
        "bayes_capacity": 100, "epsilon": inf, "max_case_capacity": inf, "shannon_capacity_bits": 0,
    }  # fmt: skip
    assert (bayes_capacity(C), epsilon(C)) == (100, inf)
    assert Parakeet(truth=0.001).limits() == ()  # where a lie is more probable nothing is known


def test_the_null_report_of_one_day_by_an_explicit_channel():
    """The 31 days with 3 of them, written out: no report, or the true day and others at random."""
    q, days = 0.008, 3
    rows = []
    for true in (None, *range(days)):
        row = {}
        for bits in product((0, 1), repeat=days):
            chances = [1.0 * bit if day == true else (q if bit else 1 - q) for day, bit in enumerate(bits)]
            row[bits] = np.prod(chances)
        rows.append(list(row.values()))
    from quiff.theory.browser_apis import included

    assert bayes_capacity(Channel(rows)) == pytest.approx(included(days, q)["bayes_capacity"], rel=1e-12)


@pytest.mark.parametrize(
    ("users", "probability"), [(42, 0.004957497), (49, 0.324752002), (50, 0.5), (58, 0.995042503)]
)
def test_the_first_step_of_k_anonymity(users, probability):
    assert status_probability(users - 50, 0.75, 25) == pytest.approx(probability, abs=5e-10)


def test_k_anonymity_by_drawing():
    rng = np.random.default_rng(1)
    draws = rng.laplace(0, 1 / 0.3, (2, 400_000))
    draws = draws[:, (np.abs(draws) <= 4).all(axis=0)]
    share = (draws[0] - draws[1] >= 2.5).mean()
    assert abs(share - status_probability(-2.5, 0.3, 4)) < 5 * sqrt(share / draws.shape[1])


def test_floc_has_the_published_hash_and_cohort(mirror):
    domains = (
        "nikkei.com hatenablog.com nikkansports.com yahoo.co.jp sponichi.co.jp cnn.co.jp "
        "floc.glitch.me ohtsu.org"
    )
    assert sim_hash(domains.split()) == 779363756518407
    api = api_from(f"floc:table={mirror / 'floc-cohorts-1.0.6.bin'}")
    assert api.cohorts == FLoC().with_table(mirror / "floc-cohorts-1.0.6.bin").cohorts
    assert api.observe([domains]).row(domains)[21454] == 1
    assert limits_of(api)["bayes_capacity"] == 33_081
    assert limits_of(api)["shannon_capacity_bits"] == pytest.approx(15.01371523)
    assert (api.cohorts.size, int(api.cohorts.blocked.sum())) == (33_872, 792)
    shares = api.cohorts.widths / 2**50
    assert -(shares * np.log2(shares)).sum() == pytest.approx(14.81585693)
    assert shares[api.cohorts.blocked].sum() == pytest.approx(0.018184661865)
    names = [f"example{i}.com" for i in range(10)]
    histories = [chosen for n in range(7, 11) for chosen in combinations(names, n)]
    cohorts, counts = np.unique(api.cohorts.of(sim_hashes(histories)), return_counts=True)
    assert (len(histories), len(cohorts), counts.max()) == (176, 23, 59)


def test_a_table_of_cohorts_must_be_one(tmp_path):
    (tmp_path / "table.bin").write_bytes(bytes([49, 49 | 64]))
    api = api_from(f"floc:table={tmp_path / 'table.bin'}")
    assert (api.cohorts.size, api.limits()[0].value) == (2, 2)
    (tmp_path / "short.bin").write_bytes(b"no table")
    with refused(QuiffError):
        api_from(f"floc:table={tmp_path / 'short.bin'}")
    with refused(QuiffError):
        api_from(f"floc:table={tmp_path / 'none.bin'}")
    with refused(ParameterError, 3):
        FLoC(table=3)


def test_names_without_a_trusted_test_vector_are_told():
    visits = ["a-very-long-name.example", *(f"d{i}.tld" for i in range(8))]
    people = Population.from_sets({"Ann": {1}, "Bob": {2}}).with_attribute(
        "history", [" ".join(visits), " ".join(visits[1:])]
    )
    told = "1 of the 9 domains have names of more than 16 bytes, for whose hash there is no published test"
    assert any(told in sentence for sentence in quiff.measure(people, FLoC(k=1)).sentences)


@pytest.mark.full
def test_many_histories_have_a_cohort():
    """100,000 histories of 21 visits each."""
    people = Population.synthetic(100_000, seed=1, attributes=["history"])
    assert FLoC().channel(people).outputs.size > 10


def test_cityhash_against_another_implementation():
    """Release 1.0.2, whose CityHash64 is that of 1.0.3, in C++; all lengths up to 64 bytes."""
    try:
        from clickhouse_cityhash import cityhash
    except ImportError:
        missing("clickhouse-cityhash is not installed")
    rng = np.random.default_rng(0)
    for text in (rng.bytes(n) for n in range(65) for _ in range(20)):
        assert city_hash(text) == cityhash.CityHash64(text)


def test_cohorts_have_at_least_k_users_unless_they_were_never_split():
    rng = np.random.default_rng(3)
    hashes = rng.integers(0, 2**50, 3000)
    cohorts = Cohorts.split(hashes, np.ones(3000, dtype=int), k=100)
    sizes = np.bincount(cohorts.of(hashes), minlength=cohorts.size)
    assert sizes.min() >= 100
    assert sizes.sum() == 3000


@given(
    st.integers(1, 4),
    st.lists(st.integers(-1, 3), min_size=1, max_size=6),
    st.lists(st.floats(0.05, 1), min_size=2, max_size=4),
    st.randoms(use_true_random=False),
)
def test_noisy_cells_equal_the_product_that_is_written_out(n_cells, places, base, random):
    """Every answer of the kernel against the plain product of its cells."""
    places = np.array([min(place, n_cells - 1) for place in places])
    base = np.array(base) / sum(base)
    marked = np.array([random.choice([0.0, random.random()]) for _ in base]) + 1e-3 * (
        np.arange(base.size) == 0
    )
    marked /= marked.sum()
    kernel = OneHotKernel(base, marked, places, n_cells)
    laws = DenseKernel(np.stack([base, marked]))
    plain = ProductKernel([laws.take_rows((places == i).astype(int)) for i in range(n_cells)])
    dense = plain.to_dense()
    weights = np.array([random.random() for _ in places])
    assert kernel.column_max_sum(weights) == pytest.approx((weights[:, None] * dense).max(axis=0).sum())
    assert np.allclose(kernel.row_entropies(), plain.row_entropies())
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = (dense.max(axis=0) / dense.min(axis=0))[dense.max(axis=0) > 0]
    assert kernel.log_ratio() == pytest.approx(log(ratios.max()), abs=1e-9)
    cells = np.arange(dense.size) % dense.shape[1]
    rows = np.arange(dense.size) // dense.shape[1]
    assert np.allclose(kernel.cells(rows, cells).reshape(dense.shape), dense)


@given(st.integers(1, 3), st.floats(0.3, 3), st.lists(st.floats(0.1, 1), min_size=2, max_size=4))
def test_a_noisy_histogram_by_an_explicit_matrix(keys, eps, weights):
    """Geometric noise on a few keys with a small contribution, cut far out, against the same kernel's law."""
    value, far = 3, 400
    a = e ** (-eps / value)
    noise = {z: (1 - a) / (1 + a) * a ** abs(z) for z in range(-far, far + 1)}
    cells = [
        [sum(noise.get(z - mark * value, 0) for z in zs) for zs in _clipped(value, far)] for mark in (0, 1)
    ]
    secrets = [None, *range(keys)][: len(weights)]
    weights = weights[: len(secrets)]
    rows = [
        [
            np.prod([cells[int(key == x)][y] for key, y in enumerate(ys)])
            for ys in product(range(value + 1), repeat=keys)
        ]
        for x in secrets
    ]
    shares = np.array(weights[: len(secrets)])
    prior = Prior.from_array(quiff.core.labels.as_labels(secrets), shares / shares.sum())
    explicit = float((np.array([[float(prior[x])] for x in secrets]) * rows).max(axis=0).sum())
    base = np.array(cells[0])
    kernel = OneHotKernel(base, base[::-1], np.array([-1 if x is None else x for x in secrets]), keys)
    C = Channel.from_kernel(
        quiff.core.labels.as_labels(secrets), quiff.core.labels.as_labels(range((value + 1) ** keys)), kernel
    )
    assert float(posterior_vulnerability(prior, C)) == pytest.approx(explicit, rel=1e-6)


def _clipped(value, far):
    return [range(-far, 1), *([z] for z in range(1, value)), range(value, far + value + 1)]


def test_tiers_form_a_chain_where_the_coarse_value_is_a_function_of_the_fine_one():
    tiers = [AdAttributionKit(tier) for tier in range(4)]
    assert [len(set(map(tier._sent, tier.space()))) for tier in tiers] == [1, 27, 576, 576]
    for coarse, fine in pairwise(tiers):
        # What the coarser tier sends is a function of what the finer one sends.
        pairs = {(fine._sent(values), coarse._sent(values)) for values in fine.space()}
        assert len(pairs) == len({sent for sent, _ in pairs})


def test_tiers_form_no_chain_where_it_is_set_on_its_own():
    one, two = (AdAttributionKit(tier, "own") for tier in (1, 2))
    same_fine = [(0, 0, 0, 0), (0, 1, 0, 0)]
    assert bayes_capacity(one.observe(same_fine)) == 2  # the witness: tier 1 tells apart what tier 2 does not
    assert bayes_capacity(two.observe(same_fine)) == 1
    both = [*same_fine, (30, 1, 0, 0)]
    C, D = one.observe(both), two.observe(both)
    assert not quiff.refines(C, D)
    assert not quiff.refines(D, C)
    for first, second in ((C, D), (D, C)):
        witness = quiff.counterexample(first, second)
        gained = [posterior_vulnerability(witness.prior, each, witness.gain) for each in (first, second)]
        assert gained[0] > gained[1] + 0.3


def test_tiers_of_some_installs_refine_each_other_by_linear_programs():
    installs = [(fine, fine * 3 // 64, later, 0) for fine in (0, 21, 22, 63) for later in range(2)]
    channels = [AdAttributionKit(tier).observe(installs) for tier in range(4)]
    assert all(quiff.refines(coarse, fine) for coarse, fine in pairwise(channels))
    assert [quiff.refines(fine, coarse) for coarse, fine in pairwise(channels)] == [False, False, True]


def test_partitioned_cookies_are_refined_by_third_party_ones():
    people = Population.from_sets({"Ann": {1}, "Bob": {2}, "Cem": {1}})
    one, other = (api.channel(people) for api in (PartitionedCookies(), Cookies()))
    assert quiff.refines(one, other)
    assert not quiff.refines(other, one)


@pytest.mark.parametrize(
    ("spec", "range_", "source"),
    [
        ("event_level:trigger_data=33", "between 0 and 32", "chromium-params.md"),
        ("event_level:windows=6", "between 1 and 5", "chromium-params.md"),
        ("event_level:reports=21", "between 0 and 20", "chromium-params.md"),
        ("event_level:epsilon=15", "between 0 and 14", "chromium-params.md"),
        ("aggregatable:epsilon=65", "above 0 and at most 64", "aggregation-service"),
        ("private_aggregation:epsilon=0", "above 0", "aggregation-service"),
        ("select_url:urls=9", "between 1 and 8", "select-url.md"),
        ("w3c_attribution:epsilon=5000", "above 0 and at most 4294", "api.bs"),
        ("ad_attribution_kit:tier=4", "between 0 and 3", "Apple"),
    ],
)
def test_out_of_range_says_the_specified_range_and_its_source(spec, range_, source):
    with pytest.raises(ParameterError) as error:
        api_from(spec)
    assert range_ in str(error.value)
    assert source in str(error.value)


def test_too_many_states():
    with refused(ParameterError, 1):
        EventLevel(trigger_data=32, windows=5, reports=20)


def test_every_api_says_what_it_is():
    for name, api in apis().items():
        if name in ("topics", "cookies", "fitted"):
            continue
        assert all((api.title, api.status, api.source, api.sees, api.__doc__)), name


def test_conversions_as_text_and_as_events():
    events = (Conversion(1.0, "basket"), Conversion(3.5, "purchase", 20.0))
    assert conversions_of("purchase@3.5=20 basket@1") == events == conversions_of(list(reversed(events)))
    assert conversions_of(None) == ()
    for wrong in ("purchase", "@3", "purchase@-1", "purchase@x", 7):
        with pytest.raises(QuiffError):
            conversions_of(wrong)


def test_synthetic_conversions_follow_their_law():
    people = synthetic_conversions(50_000, np.random.default_rng(0))
    events = [event for each in people for event in each]
    assert len(events) / 50_000 == pytest.approx(0.7, abs=0.02)
    share = sum(event.kind == "purchase" for event in events) / len(events)
    assert share == pytest.approx(0.2, abs=0.01)
    assert max(event.days for event in events) <= 30
    assert all(list(each) == sorted(each) for each in people)


def test_the_states_of_people():
    people = Population.from_sets({"Ann": {1}, "Bob": {2}, "Cem": {3}}).with_attribute(
        "conversions", ["buy@1 sign@8 buy@9 buy@20", None, "sign@40"]
    )
    secret = EventLevel().secret(people)
    assert list(secret.outputs) == [((0, 0), (0, 2), (1, 2)), ()]
    with refused(ParameterError, 4):
        EventLevel(windows=4).secret(people)
    assert comb(24 + 3, 3) == EventLevel().states


def test_many_vectors_of_monitoring_are_a_count_of_each_bit():
    """Two vectors of three bits, written out, tell as much as the counts of each bit."""
    flip = 1 / (1 + e**0.5)
    secrets = [None, 0, 2]
    one = [
        [np.prod([1 - flip if bit == (x == i) else flip for i, bit in enumerate(bits)]) for x in secrets]
        for bits in product((0, 1), repeat=3)
    ]
    C = Channel(np.array(one).T)
    base = np.array([(1 - flip) ** 2, 2 * flip * (1 - flip), flip**2])
    counts = OneHotKernel(base, base[::-1], np.array([-1, 0, 2]), 3)
    assert counts.column_max_sum(np.ones(3)) == pytest.approx(float(bayes_capacity(quiff.repeat(C, 2))))
    api = RealTimeMonitoring()
    assert bayes_capacity(api.over_time(api.space(), 3)) > bayes_capacity(api.observe(api.space()))
