"""Many epochs on 249 997 published made-up users (PETS '24): figures found by a separate prototype."""

import numpy as np
import pytest

import quiff
from quiff import Population, TopicsAPI
from quiff.core.counting.membership import MembershipProduct
from quiff.weeks.calls import EpochLaw, TopicGroups, linked_sites
from quiff.weeks.estimate import hybrid_leakage
from quiff.weeks.exact import exact_vulnerability
from quiff.weeks.risk import user_risk
from quiff.weeks.sequences import Sequences
from quiff.weeks.utility import naming_gain


@pytest.fixture(scope="module")
def people(mirror):
    return Population.read(mirror / "topics-users-250000.csv.tar.gz")


@pytest.fixture(scope="module")
def sequences(people):
    return Sequences.of(people, TopicsAPI())


def test_up_to_three_epochs_with_exact_and_with_float_numbers(people, sequences):
    found = [exact_vulnerability(sequences, E) for E in (1, 2, 3)]
    assert [f"{V * people.n_users:.2f}" for V in found] == ["66.36", "1831.03", "12454.69"]
    assert [f"{V:.3g}" for V in found] == ["0.000265", "0.00732", "0.0498"]
    C = TopicsAPI().channel(people)
    assert f"{quiff.bayes_capacity(quiff.repeat(C, 3)):.2f}" == "12454.69"


@pytest.mark.full
def test_four_epochs_by_subsets_and_by_bits_alone(people, sequences):
    codes, ones = sequences.profiles(4).codes, np.ones(sequences.profiles(4).size, dtype=np.int64)
    apart = tuple(sets.copy() for sets in codes)
    by_bits = MembershipProduct(apart, (349,) * 4, sequences.inside, sequences.outside)
    assert f"{by_bits.column_max_sum(ones):.2f}" == "32380.74"
    V = exact_vulnerability(sequences, 4)
    assert (f"{V * people.n_users:.2f}", f"{V:.4f}") == ("32380.74", "0.1295")


@pytest.mark.full
def test_the_interval_of_five_epochs_holds_what_the_prototype_counted(sequences):
    found = hybrid_leakage(sequences, 5)
    assert found.low <= 56_010.87 <= found.high
    assert found.value == pytest.approx(56_010.87, rel=0.002)


@pytest.mark.full
def test_ten_epochs_are_estimated_close_to_what_the_prototype_found(sequences):
    found = hybrid_leakage(sequences, 10, samples=2000)
    assert found.low <= 148_555 + 275
    assert found.high >= 148_555 - 275


@pytest.mark.full
def test_the_risk_is_very_uneven(sequences):
    risk = user_risk(sequences, 3)
    assert f"{risk.mean():.4f}" == "0.0498"
    assert f"{np.median(risk):.4f}" == "0.0105"
    assert [f"{np.quantile(risk, share):.3f}" for share in (0.95, 0.99, 1)] == ["0.245", "0.407", "0.877"]
    assert np.count_nonzero(risk > 0.5) == 905


def test_a_real_call_and_two_linked_sites(people):
    groups, law = TopicGroups.of(people, TopicsAPI()), EpochLaw.of(349, 5, 0.05)
    assert f"{groups.leakage(law):.2f}" == "12454.14"
    in_order = [groups.leakage(law, E, in_order=True) for E in (1, 2, 3)]
    assert [f"{leakage:.2f}" for leakage in in_order] == ["66.36", "1831.03", "12454.69"]
    assert f"{linked_sites(people, TopicsAPI()):.2f}" == "34.30"


@pytest.mark.full
def test_what_an_advertiser_learns(sequences):
    found = [naming_gain(sequences, E) for E in range(4)]
    assert [f"{V:.4f}" for V in found[:1]] == ["0.2713"]
    assert [f"{V:.5f}" for V in found[1:]] == ["0.95406", "0.99134", "0.99596"]


@pytest.mark.full
def test_three_epochs_of_changing_sets_at_full_size(people):
    """Everybody's sets are somebody else's in each epoch: nothing is known but the bounds."""
    rng = np.random.default_rng(7)
    sets = np.stack([people.codes[rng.permutation(people.n_users)] for _ in range(3)])
    moved = Population.from_array(range(people.n_users), sets, topics=people.topics)
    C = [TopicsAPI().channel(moved.epoch(e)) for e in range(3)]
    leakage = quiff.bayes_capacity(quiff.parallel(quiff.parallel(C[0], C[1]), C[2]))
    assert leakage == pytest.approx(exact_vulnerability(Sequences.of(moved, TopicsAPI()), 3) * people.n_users)
    assert 12454.69 < leakage < quiff.closed_forms(n_users=people.n_users)["epochs_bound"]
