"""Random channels, structures and compositions, in floats, against the definitions in exact fractions."""

import math
import random
from fractions import Fraction

import pytest

import quiff
import textbook
from fuzzing import cases
from quiff import Channel, Gain, Prior

CASES = 300


def row(rng, width):
    """A distribution in fractions, with some zeros and some tiny numbers.

    Products of the tiny ones are beyond floats, which only lazy products can be measured with.
    """
    parts = [rng.choice([0, 1, 1, 2, 10, Fraction(1, 10**12), Fraction(1, 10 ** rng.randint(20, rng.tiny))])
             for _ in range(width)]  # fmt: skip
    if not any(parts):
        parts[rng.randrange(width)] = 1
    return [Fraction(part) / sum(map(Fraction, parts)) for part in parts]


def dense(rng, n):
    width = rng.randint(1, 4)
    rows = [row(rng, width) for _ in range(n)]
    if n > 1 and rng.random() < 0.3:
        rows[-1] = rows[0]
    return rows, [[float(v) for v in one] for one in rows]


def leaf(rng, n):
    """A channel in fractions as nested lists, and quiff's own in floats, of any structure."""
    kind = rng.choice(["dense", "dense", "map", "membership", "sparse", "constant"])
    names = list(range(n))
    if kind == "dense":
        exact, floats = dense(rng, n)
        return exact, Channel(floats, inputs=names)
    width = rng.randint(2, 5)
    if kind == "map":
        codes = [rng.randrange(width) for _ in names]
        exact = [[Fraction(int(y == code)) for y in range(width)] for code in codes]
        return exact, Channel.deterministic_from_codes(names, codes, range(width))
    if kind == "membership":
        s = rng.randint(1, width - 1)
        p = Fraction(rng.randint(0, 20), 20 * s)
        q = (1 - s * p) / (width - s)
        sets = {x: rng.sample(range(width), s) for x in names}
        exact = [[p if y in sets[x] else q for y in range(width)] for x in names]
        return exact, Channel.membership(sets, range(width), float(p), float(q))
    if kind == "constant":
        one = row(rng, width)
        return [one] * n, Channel.constant([float(v) for v in one], names)
    rows = [row(rng, width) for _ in names]
    entries = {x: {y: float(v) for y, v in enumerate(rows[x]) if v} for x in names}
    return rows, Channel.sparse(entries, range(width))


def composed(rng, n):
    hows = ["parallel", "repeat"] if rng.tiny > 60 else ["parallel", "repeat", "choice", "cascade"]
    exact, C = leaf(rng, n)
    for _ in range(rng.randint(0, 2)):
        how = rng.choice(hows)
        width = len(exact[0])
        if how == "cascade":
            more, D = leaf(rng, width)
            D = Channel(D.to_numpy(), inputs=list(C.outputs)) if rng.random() < 0.5 else _renamed(D, C)
            exact = [
                [sum(a * more[y][z] for y, a in enumerate(one)) for z in range(len(more[0]))] for one in exact
            ]
            C = C @ D
            continue
        if how == "repeat":
            if width > 6:
                continue
            times = rng.randint(1, 2)
            start = exact
            for _ in range(times - 1):
                exact = [[a * b for a in one for b in two] for one, two in zip(exact, start, strict=True)]
            C = quiff.repeat(C, times)
            continue
        more, D = leaf(rng, n)
        if how == "parallel":
            exact = [[a * b for a in one for b in two] for one, two in zip(exact, more, strict=True)]
            C = quiff.parallel(C, D)
        else:
            r = Fraction(rng.randint(0, 4), 4)
            exact = [
                [(1 - r) * a for a in one] + [r * b for b in two]
                for one, two in zip(exact, more, strict=True)
            ]
            C = quiff.external_choice(C, D, float(r))
    return exact, C


def _renamed(D, C):
    """The same channel on the outputs of another."""
    return Channel.deterministic(dict(zip(C.outputs, D.inputs, strict=True)), outputs=list(D.inputs)) @ D


def drawn(rng):
    rng.tiny = rng.choice([40, 180])
    n = rng.randint(1, 5)
    exact, C = composed(rng, n)
    pi = row(rng, n)
    prior = Prior({x: float(v) for x, v in enumerate(pi)})
    kind = rng.choice(["bayes", "gain", "tries"])
    gain, g = None, [[Fraction(int(w == x)) for x in range(n)] for w in range(n)]
    if kind == "gain":
        g = [[Fraction(rng.randint(0, 8), 4) for _ in range(n)] for _ in range(rng.randint(1, 4))]
        gain = Gain([[float(v) for v in one] for one in g], inputs=range(n))
    if kind == "tries":
        gain = quiff.tries_gain(range(n), rng.randint(1, n))
        g = textbook.gain_of(gain, range(n)).values()
        g = [[Fraction(int(one[x])) for x in range(n)] for one in g]
    return exact, C, pi, prior, g, gain


def as_tables(exact, pi, g):
    rows = {x: dict(enumerate(one)) for x, one in enumerate(exact)}
    return rows, dict(enumerate(pi)), {w: dict(enumerate(one)) for w, one in enumerate(g)}


def logs(ratio):
    return math.inf if ratio == math.inf else math.log(ratio.numerator) - math.log(ratio.denominator)


def test_measures_are_those_of_fractions():
    for seed in cases(CASES):
        exact, C, pi, prior, g, gain = drawn(random.Random(seed))
        rows, table, gains = as_tables(exact, pi, g)
        at = f"seed {seed}"

        def near(value, expected, at=at, rel=1e-9, least=1e-300):
            assert value == pytest.approx(float(expected), rel=rel, abs=least), at

        before, after = (
            textbook.vulnerability(table, gains),
            textbook.posterior_vulnerability(table, rows, gains),
        )
        near(quiff.vulnerability(prior, gain), before)
        near(quiff.posterior_vulnerability(prior, C, gain), after)
        near(
            quiff.max_case_vulnerability(prior, C, gain), textbook.max_case_vulnerability(table, rows, gains)
        )
        near(quiff.bayes_capacity(C), textbook.bayes_capacity(rows))
        worst = textbook.max_case_capacity(rows)
        near(
            quiff.epsilon(C),
            logs(worst) if worst == math.inf else logs(Fraction(worst)),
            rel=1e-7,
            least=1e-9,
        )
        near(quiff.metric_epsilon(C, lambda x, y: 2), quiff.epsilon(C) / 2, rel=1e-7, least=1e-9)
        near(quiff.posterior_guessing_entropy(prior, C), textbook.posterior_guessing_entropy(table, rows))
        told = information(table, rows)
        assert quiff.mutual_information(prior, C) == pytest.approx(told, abs=1e-9), at
        assert quiff.posterior_vulnerability(prior, C, gain) >= quiff.vulnerability(prior, gain), at
        assert quiff.max_case_vulnerability(prior, C, gain) >= quiff.vulnerability(prior, gain), at
        assert quiff.bayes_capacity(C) >= 1, at
        if before:
            assert quiff.leakage(prior, C, gain) >= 1, at


def information(pi, C):
    """I(X; Y), in fractions up to the logarithms."""
    total = 0.0
    for y in textbook.outputs_of(C):
        happens = sum(pi[x] * C[x][y] for x in pi)
        total += sum(float(pi[x] * C[x][y]) * logs(C[x][y] / happens) for x in pi if pi[x] * C[x][y])
    return total / math.log(2)
