"""The definitions as in a textbook: loops over nested lists, no numpy, nothing of quiff's own computation."""

import math
from itertools import combinations


def rows_of(C):
    """Every entry by its labels, as nested dictionaries."""
    matrix = C.to_numpy().tolist()
    return {x: dict(zip(C.outputs, row, strict=True)) for x, row in zip(C.inputs, matrix, strict=True)}


def prior_of(prior):
    return dict(prior.items())


def gain_of(gain, labels):
    """Return g(w, x) as a dictionary of dictionaries; None is Bayes."""
    if gain is None:
        return {w: {x: int(x == w) for x in labels} for w in labels}
    matrix = gain.to_numpy().tolist()
    return {i: dict(zip(gain.inputs, row, strict=True)) for i, row in enumerate(matrix)}


def vulnerability(pi, g):
    return max(sum(pi[x] * row[x] for x in pi) for row in g.values())


def outputs_of(C):
    return list(next(iter(C.values())))


def posterior_vulnerability(pi, C, g):
    return sum(max(sum(pi[x] * C[x][y] * row[x] for x in pi) for row in g.values()) for y in outputs_of(C))


def max_case_vulnerability(pi, C, g):
    worst = 0
    for y in outputs_of(C):
        happens = sum(pi[x] * C[x][y] for x in pi)
        if happens > 0:
            worst = max(worst, max(sum(pi[x] * C[x][y] * row[x] for x in pi) for row in g.values()) / happens)
    return worst


def bayes_capacity(C):
    return sum(max(row[y] for row in C.values()) for y in outputs_of(C))


def max_case_capacity(C):
    largest = 1
    for y in outputs_of(C):
        column = [row[y] for row in C.values()]
        if max(column) > 0:
            if min(column) == 0:
                return math.inf
            largest = max(largest, max(column) / min(column))
    return largest


def shannon_entropy(values):
    return -sum(v * math.log2(v) for v in values if v > 0)


def mutual_information(pi, C):
    total = 0.0
    for y in outputs_of(C):
        happens = sum(pi[x] * C[x][y] for x in pi)
        for x in pi:
            joint = pi[x] * C[x][y]
            if joint > 0:
                total += joint * math.log2(joint / (pi[x] * happens))
    return total


def guessing_entropy(values):
    return sum(rank * value for rank, value in enumerate(sorted(values, reverse=True), start=1))


def posterior_guessing_entropy(pi, C):
    return sum(guessing_entropy([pi[x] * C[x][y] for x in pi]) for y in outputs_of(C))


def metric_epsilon(C, distance):
    largest = 0.0
    for x, x2 in combinations(C, 2):
        for a, b in ((x, x2), (x2, x)):
            for y in outputs_of(C):
                if C[a][y] > 0 and C[b][y] == 0:
                    ratio = math.inf
                elif C[a][y] > 0:
                    ratio = math.log(C[a][y] / C[b][y])
                else:
                    continue
                if ratio > 0:
                    d = distance(a, b)
                    largest = max(largest, 0.0 if math.isinf(d) else (ratio / d if d > 0 else math.inf))
    return largest


def cascade(C, D):
    """Return C D by the definition of matrix multiplication."""
    ends = outputs_of(D)
    return {x: {z: sum(row[y] * D[y][z] for y in row) for z in ends} for x, row in C.items()}
