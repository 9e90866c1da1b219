"""Each figure and equation that is called wrong, computed again from what the paper prints.

Nothing here imports quiff; its verdicts are read from the command's JSON.
"""

import json
import os
import subprocess
import sys
from fractions import Fraction
from itertools import combinations, product
from math import comb, log
from pathlib import Path

import pytest

S, R = 5, Fraction(1, 20)  # printed: s = 5, r = 0.05
V1 = 349  # printed, and the lines of the list
V2, IAB = 469, 1558  # the lines of the public lists, counted below where there is a copy
# The figure: three users, two of them with one set, out of five topics (Sec. 3.2 and App. C).
TOPICS = {"Music", "News", "Sports", "Travel", "Ads"}
USERS = [{"Music", "News"}, {"Sports", "Travel"}, {"Music", "News"}]
EXAMPLE_M, EXAMPLE_OCCURRING, EXAMPLE_N, EXAMPLE_S = len(TOPICS), len(set().union(*USERS)), len(USERS), 2


def capacity(m, s=S):
    return R + m * (1 - R) / s


def max_case(m, s=S):
    return 1 + m * (1 - R) / (R * s)


def least_s(m):
    return next(s for s in range(1, m) if capacity(m, s) <= capacity(V1))


def row(prefix, m):
    figures = {"m": m, "capacity": capacity(m), "epsilon": log(max_case(m)), "max-case": max_case(m)}
    return {f"{prefix}-{name}": value for name, value in figures.items()}


RIGHT = {
    **row("theoretical-google-m629-s5", V2),
    **row("theoretical-google-m1679-s5", IAB),
    **dict.fromkeys(("counting-m-v2", "counting-figure-m-v2", "discussion-v2-categories"), V2),
    "discussion-example-m-v2": V2,
    "growth-v2": 100 * (capacity(V2) / capacity(V1) - 1),
    "growth-iab": 100 * (capacity(IAB) / capacity(V1) - 1),
    "discussion-s-needed": least_s(V2),
    "example-cookies-posterior": Fraction(len({1, 2, 3}), EXAMPLE_N),  # three users, three histories
    "example-cookies-leakage": len({1, 2, 3}),
    **{
        f"example-{stage}-m": EXAMPLE_M
        for stage in ("generalization", "bounded-noise", "topics-api", "max-case")
    },
    **{f"example-{stage}-m-occurring": EXAMPLE_OCCURRING for stage in ("bounded-noise", "topics-api")},
    "iba-footnote-m": EXAMPLE_M,
    "iba-footnote-m-occurring": EXAMPLE_OCCURRING,
    "example-generalization-posterior-bound": Fraction(comb(EXAMPLE_M, EXAMPLE_S), EXAMPLE_N),
    "example-generalization-leakage-bound": comb(EXAMPLE_M, EXAMPLE_S),
    "example-bounded-noise-posterior": Fraction(EXAMPLE_OCCURRING, EXAMPLE_S * EXAMPLE_N),
    "example-bounded-noise-posterior-bound": Fraction(EXAMPLE_M, EXAMPLE_S * EXAMPLE_N),
    "example-bounded-noise-leakage": Fraction(EXAMPLE_OCCURRING, EXAMPLE_S),
    "example-bounded-noise-leakage-bound": Fraction(EXAMPLE_M, EXAMPLE_S),
    "example-epsilon": log(max_case(EXAMPLE_M, EXAMPLE_S)),
    "example-max-case-capacity": max_case(EXAMPLE_M, EXAMPLE_S),
}
EQUATIONS = {"eq-cookies-posterior", "eq-cookies-leakage", "eq-counting-binomial", "counting-figure-caption"}


@pytest.fixture(scope="module")
def wrong(tmp_path_factory):
    nowhere = str(tmp_path_factory.mktemp("nowhere"))
    run = subprocess.run(
        [sys.executable, "-c", "from quiff.cli import main; main()", "paper", "--json", "--mirror", nowhere],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {item["id"]: item for item in json.loads(run.stdout)["items"] if item["verdict"] == "wrong"}


def test_these_are_all_that_are_called_wrong(wrong):
    assert set(wrong) == set(RIGHT) | EQUATIONS


@pytest.mark.parametrize("id_", RIGHT)
def test_the_right_figure_is_another_than_the_printed_one(wrong, id_):
    assert wrong[id_]["computed"] == pytest.approx(float(RIGHT[id_]), rel=1e-12)
    printed = wrong[id_]["printed"].replace(" ", "").removesuffix("%")
    decimals = len(printed.partition(".")[2])
    assert abs(RIGHT[id_] - Fraction(printed)) > Fraction(1, 2 * 10**decimals) or decimals == 0 != (
        RIGHT[id_] - Fraction(printed)
    )


@pytest.mark.parametrize(("users", "contexts"), [*product((1, 2, 3, 5, 10, 40), (2, 3, 4, 5))])
def test_the_cookies_equations_hold_only_while_users_are_many(users, contexts):
    histories = [h for size in range(2, contexts + 1) for h in combinations(range(contexts), size)]
    seen = {histories[user % len(histories)] for user in range(users)}  # as many as there can be
    posterior, leakage = Fraction(len(seen), users), len(seen)  # of a deterministic channel
    printed = sum(comb(contexts, h) for h in range(2, contexts + 1))
    assert (posterior, leakage) == (Fraction(min(users, printed), users), min(users, printed))
    assert (Fraction(printed, users) == posterior) == (printed <= users)


@pytest.mark.parametrize("users", [1, 2, 3, 4])
def test_the_counting_sum_is_too_large_by_two_to_the_users(users):
    p, q = (1 - R) / S + R / V1, R / V1
    channel = {True: {True: p, False: 1 - p}, False: {True: q, False: 1 - q}}
    lists = list(product((True, False), repeat=users))

    def probability(bits, shown):
        result = Fraction(1, 2**users)
        for bit, output in zip(bits, shown, strict=True):
            result *= channel[bit][output]
        return result

    right = sum(max(probability(bits, shown) for bits in lists) for shown in lists)
    printed = sum(comb(users, n) * p**n * (1 - q) ** (users - n) for n in range(users + 1))
    mean = sum(comb(users, n) * (p / q) ** n * q**n * (1 - q) ** (users - n) for n in range(users + 1))
    assert right == ((1 + p - q) / 2) ** users
    assert printed == mean == 2**users * right > 1


def test_the_sizes_of_the_taxonomies():
    mirror = os.environ.get("QUIFF_MIRROR")
    if not mirror:
        if os.environ.get("CI") == "true":
            pytest.fail("CI must have QUIFF_MIRROR, a folder with the public data sets")
        pytest.skip("set QUIFF_MIRROR to a folder with the public data sets")
    for name, mark, size, highest in (
        ("topics-taxonomy-v1.md", "|", V1, 349),
        ("topics-taxonomy-v2.md", "|", V2, 629),
        ("iab-audience-taxonomy-1.1.tsv", "\t", IAB, 1679),
    ):
        cells = [line.split(mark) for line in (Path(mirror) / name).read_text("utf-8").splitlines()]
        ids = [int(row[1]) for row in cells if len(row) > 1 and row[1].strip().isdecimal()]
        assert (len(ids), len(set(ids)), max(ids)) == (size, size, highest)
