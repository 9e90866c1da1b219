"""The engine on 249 997 published made-up users (PETS '24): figures found by a separate prototype."""

import csv
import io
import tarfile

import numpy as np
import pytest

import quiff
from quiff import Channel, Prior, membership_gain_from_codes
from quiff.core.labels import SetLabels, as_labels

M, S, R = 349, 5, 0.05
P, Q = (1 - R) / S + R / M, R / M


@pytest.fixture(scope="module")
def codes(mirror):
    """The users' five topics, as positions among the 349."""
    with tarfile.open(mirror / "topics-users-250000.csv.tar.gz") as archive:
        (member,) = (member for member in archive if member.isfile())
        text = io.TextIOWrapper(archive.extractfile(member), encoding="utf-8")
        _header, *rows = (row[1:] for row in csv.reader(text, delimiter="\t"))
    return np.array(rows, dtype=np.int64) - 1


@pytest.fixture(scope="module")
def channel(codes):
    return Channel.membership_from_codes(range(len(codes)), codes, range(M), P, Q)


def test_the_population(codes):
    sets, which = SetLabels.distinct(codes, as_labels(range(M)))
    assert (len(codes), sets.size, len(np.unique(codes))) == (249_997, 209_745, 349)
    alone = np.bincount(which)[which] == 1
    assert f"{alone.mean():.4f}" == "0.7646"
    to_sets = Channel.deterministic_from_codes(range(len(codes)), which, sets)
    assert (
        f"{float(quiff.posterior_vulnerability(Prior.uniform(range(len(codes))), to_sets)):.4f}" == "0.8390"
    )


def test_one_epoch(codes, channel):
    users = Prior.uniform(range(len(codes)))
    naming = membership_gain_from_codes(range(len(codes)), codes, range(M))
    assert f"{quiff.bayes_capacity(channel):.2f}" == "66.36"
    assert f"{quiff.leakage(users, channel):.2f}" == "66.36"
    assert f"{float(quiff.vulnerability(users, naming)):.4f}" == "0.2713"
    assert f"{quiff.posterior_vulnerability(users, channel, naming):.5f}" == "0.95406"


@pytest.mark.full
def test_two_epochs_exactly(channel):
    assert f"{quiff.bayes_capacity(quiff.repeat(channel, 2)):.2f}" == "1831.03"
