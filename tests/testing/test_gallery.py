"""The gallery's channels and facts have the values that plain derivations give, without quiff."""

import math
from fractions import Fraction
from itertools import combinations, product

import pytest

import quiff
from quiff.testing.facts import facts
from quiff.testing.gallery import gallery

F = Fraction
HALF = F(1, 2)
EXAMPLES, FACTS = list(gallery()), list(facts())


def deterministic(secrets, function):
    """A row for each secret: 1 at its output."""
    shown = [function(x) for x in secrets]
    outputs = sorted(set(shown), key=str)
    return [[F(y == mine) for y in outputs] for mine in shown]


def response(k, p):
    return [[p if x == y else (1 - p) / (k - 1) for y in range(k)] for x in range(k)]


def cryptographers(bias, payers):
    rows = []
    for payer in payers:
        row = dict.fromkeys(product((0, 1), repeat=3), F(0))
        for coins in product((0, 1), repeat=3):
            weight = math.prod(bias if coin else 1 - bias for coin in coins)
            said = tuple(int((coins[i] != coins[i - 1]) == (payer == i)) for i in range(3))
            row[said] += weight
        rows.append(list(row.values()))
    return rows


def geometric(values, outputs, a):
    """P[x + Z = y], Z two-sided geometric, summed far beyond both ends exactly by the geometric series."""
    rows = []
    for x in values:
        inner = [(1 - a) / (1 + a) * a ** abs(x - y) for y in outputs[1:-1]]
        low = a ** (x - outputs[0]) / (1 + a)
        high = a ** (outputs[-1] - x) / (1 + a)
        rows.append([low, *inner, high])
        assert sum(rows[-1]) == 1
    return rows


def crowds(honest, spies, forward):
    """Follow the message: the first jump leaves the initiator, later ones any honest user alike."""
    n = honest + spies
    rows = []
    for initiator in range(honest):
        row, at = [F(0)] * (honest + 1), [F(x == initiator) for x in range(honest)]
        for _ in range(300):
            for x in range(honest):
                row[x] += at[x] * F(spies, n)
            kept = sum(at) * F(1, n)  # to each honest user
            row[honest] += kept * honest * (1 - forward)
            at = [kept * forward] * honest
            if sum(at) < F(1, 10**12):
                break
            at = [value.limit_denominator(10**15) for value in at]
        row[honest] += 1 - sum(row)
        rows.append([value.limit_denominator(10**6) for value in row])
    return rows


def passwords(shown):
    return deterministic(["".join(w) for w in product("abc", repeat=4)], shown)


def timing(word):
    right = next((i for i, letter in enumerate(word) if letter != "a"), 4)
    return (right == 4, min(right + 1, 4))


def topics():
    pairs = combinations(range(5), 2)
    return [[F(19, 20) * F(y in pair, 2) + F(1, 100) for y in range(5)] for pair in pairs]


def rappor():
    words = list(product((0, 1), repeat=3))
    return [
        [math.prod(F(3, 4) if bit == (i == x) else F(1, 4) for i, bit in enumerate(w)) for w in words]
        for x in range(3)
    ]


def answers(n, p):
    """A bit, shown n times, each time right with p."""
    words = list(product((0, 1), repeat=n))
    return [[math.prod(p if y == x else 1 - p for y in word) for word in words] for x in (0, 1)]


def subsets():
    pairs = list(combinations(range(4), 2))
    weights = [[F(3 if x in pair else 1) for pair in pairs] for x in range(4)]
    return [[w / sum(row) for w in row] for row in weights]


BYTES = range(256)
BY_HAND = {
    "identity": deterministic(range(4), str),
    "constant": [[HALF, HALF]] * 3,
    "binary symmetric": response(2, F(4, 5)),
    "binary erasure": [[F(2, 3), F(1, 3), 0], [0, F(1, 3), F(2, 3)]],
    "Z": [[1, 0], [F(1, 3), F(2, 3)]],
    "noisy typewriter": [[HALF if (y - x) % 6 in (0, 1) else 0 for y in range(6)] for x in range(6)],
    "response among four": response(4, F(3, 5)),
    "Topics API, all pairs of five": topics(),
    "monty hall": [[HALF, HALF], [0, 1], [1, 0]],
    "password timing": passwords(timing),
    "password in constant time": passwords(lambda word: word == "aaaa"),
    "Warner": response(2, F(3, 4)),
    "randomised response": response(4, HALF),
    "dining cryptographers": cryptographers(HALF, range(3)),
    "dining cryptographers and an outsider": cryptographers(HALF, range(4)),
    "dining cryptographers, biased coins": cryptographers(F(1, 4), range(3)),
    "square and multiply": deterministic(BYTES, lambda x: f"{x:08b}".replace("1", "SM").replace("0", "S")),
    "truncated geometric": geometric(range(5), range(5), HALF),
    "geometric": geometric(range(5), range(-4, 9), HALF),
    "subset selection": subsets(),
    "RAPPOR of three bits": rappor(),
    "binary symmetric, three times": answers(3, F(4, 5)),
    "sum of two dice": deterministic(product(range(1, 7), repeat=2), sum),
    "election of three voters": deterministic(product((0, 1), repeat=3), sum),
    "all or nothing": deterministic(BYTES, lambda x: x if x % 8 == 0 else 1),
    "two bits of eight": deterministic(BYTES, lambda x: x & 3),
    "erasure of three": [[F(3, 4) * (x == y) for y in range(3)] + [F(1, 4)] for x in range(3)],
    "crowds": crowds(4, 1, F(3, 4)),
}  # fmt: skip


def test_names_are_told_once_and_all_are_derived():
    assert [example.name for example in EXAMPLES] == list(BY_HAND)
    assert [fact.name for fact in FACTS] == list(KNOWN)
    assert len(EXAMPLES) + len(FACTS) >= 25


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_known_capacities(example):
    rows = BY_HAND[example.name]
    assert all(sum(row) == 1 for row in rows)
    columns = list(zip(*rows, strict=True))
    capacity = sum(map(max, columns))
    ratios = [max(c) / min(c) if min(c) else math.inf for c in columns if any(c)]
    assert quiff.bayes_capacity(example.channel) == example.bayes_capacity == capacity
    assert quiff.max_case_capacity(example.channel) == example.max_case_capacity == max(ratios)
    if example.channel.outputs.size == len(columns):
        assert sorted(map(sorted, example.channel.to_numpy().tolist())) == sorted(map(sorted, rows))


def h(p):
    return -p * math.log2(p) - (1 - p) * math.log2(1 - p)


def die_by_sum():
    """The best guess of the first die for each sum, over a guess without it."""
    pairs = list(product(range(1, 7), repeat=2))
    best = sum(max(sum((a, s - a) == pair for pair in pairs) for a in range(1, 7)) for s in range(2, 13))
    return F(best, 36) / F(1, 6)


def least_error_on_floors():
    """Interpret geometric noise best, by plain search: for each output, the answer that loses least."""
    rows, floors = geometric(range(6), range(6), F(1, 3)), range(6)
    costs = [[sum(F(1, 6) * rows[x][y] * abs(x - w) for x in floors) for w in floors] for y in floors]
    return sum(map(min, costs))


def grid_search(rows):
    """The capacity of a channel with two inputs, by trying many priors."""

    def told(p):
        outputs = [p * a + (1 - p) * b for a, b in zip(*rows, strict=True)]
        entropy = sum(-q * math.log2(q) for q in outputs if q)
        noise = sum(w * -v * math.log2(v) for w, row in zip((p, 1 - p), rows, strict=True) for v in row if v)
        return entropy - noise

    return max(told(k / 10_000) for k in range(1, 10_000))


KNOWN = {
    "switching doors": F(sum(prize != 0 for prize in range(3)), 3),  # the other shut door has it
    "three tries at a PIN": F(3, 10**4),
    "the gain of the tiger": 2 * max(HALF * F(7, 8), HALF * F(1, 8), HALF * HALF),
    "parity of a die": F(sum(x % 2 for x in range(1, 7)), 6),
    "guesses at a byte": F(sum(range(1, 257)), 256),
    "a channel without Bayes leakage that is not constant": (
        max(F(9, 10) * F(4, 5), F(1, 10) * F(1, 5)) + max(F(9, 10) * F(1, 5), F(1, 10) * F(4, 5))
    ) / F(9, 10),
    "the sum of two dice tells one of them": die_by_sum(),
    "two bits, one each": len({(a, b) for a in (0, 1) for b in (0, 1)}),
    "bits of all or nothing": 32 / 256 * 8 + 224 / 256 * math.log2(256 / 224),
    "bits of two of eight": math.log2(4),
    "capacity of the binary symmetric channel": 1 - h(0.2),
    "capacity of the erasure channel": grid_search([[2 / 3, 1 / 3, 0], [0, 1 / 3, 2 / 3]]),
    "capacity of the Z channel": grid_search([[1, 0], [0.5, 0.5]]),
    "capacity of the noisy typewriter": math.log2(6) - 1,  # uniform outputs, one bit of noise
    "delta of Warner's response": F(3, 4) - 2 * F(1, 4),
    "Bayes security of Warner's response": (1 - F(3, 4)) / HALF,  # error after over error before
    "ten answers of Warner's": sum(map(max, zip(*answers(10, F(3, 4)), strict=True))),
    "the least error on six floors": least_error_on_floors(),
    "magnitude of two points": 2 * (1 - math.exp(-1)) / (1 - math.exp(-2)),  # the inverse of a 2 x 2 matrix
}  # fmt: skip


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.name)
def test_known_facts(fact):
    derived = KNOWN[fact.name]
    close = 1e-7 if "capacity of" in fact.name else 1e-12
    assert float(fact.value) == pytest.approx(float(derived), rel=close)
    assert float(fact.measured()) == pytest.approx(float(fact.value), rel=1e-9)
    if isinstance(fact.value, Fraction) and isinstance(derived, Fraction):
        assert fact.value == derived
