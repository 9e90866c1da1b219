"""The compiled loops behind the utility of an advertiser who names a topic of the user's set."""

import numpy as np

from quiff.core.compiled import compiled
from quiff.core.numbers import Array


@compiled
def count_together(codes: Array, weights: Array, pairs: Array, triples: Array) -> None:
    """Count the users whose set has two topics together, or three; the same topic again is no other."""
    s = codes.shape[1]
    for x in range(codes.shape[0]):
        for i in range(s):
            for j in range(s):
                a, b = codes[x, i], codes[x, j]
                pairs[a, b] += weights[x]
                if triples.shape[0]:
                    for k in range(s):
                        triples[a, b, codes[x, k]] += weights[x]


@compiled
def best_topics(
    first: int, users: Array, codes: Array, weights: Array, pairs: Array, triples: Array, powers: Array
) -> Array:
    """Return for all b, c >= `first` the best joint score of a topic after the reports first, b and c.

    The score of t is the sum over the users who have it of prod_e (q + d 1[y_e in the set]):
    q^3 f(t) + q^2 d (f(t,a) + f(t,b) + f(t,c)) + q d^2 (f(t,a,b) + f(t,a,c) + f(t,b,c)) + d^3 f(t,a,b,c),
    with f the number of users who have all of some topics; `powers` has q^3, q^2 d, q d^2 and d^3.
    """
    m, s = pairs.shape[0], codes.shape[1]
    best = np.zeros((m, m), dtype=powers.dtype)
    fours, scores = np.zeros((m, m), dtype=powers.dtype), np.zeros(m, dtype=powers.dtype)
    near = np.zeros(m, dtype=powers.dtype)
    a = first
    # The users of the first topic by a second one, so that each pair sees only its own.
    sizes = np.zeros(m + 1, dtype=np.int64)
    for x in users:
        for i in range(s):
            sizes[codes[x, i] + 1] += 1
    starts = np.cumsum(sizes)
    order, filled = np.zeros(starts[m], dtype=np.int64), starts.copy()
    for x in users:
        for i in range(s):
            order[filled[codes[x, i]]] = x
            filled[codes[x, i]] += 1
    for b in range(a, m):
        mine = order[starts[b] : starts[b + 1]]
        for x in mine:
            for i in range(s):
                for j in range(s):
                    fours[codes[x, i], codes[x, j]] += powers[3] * weights[x]
        for t in range(m):
            near[t] = powers[0] * pairs[t, t] + powers[1] * (pairs[a, t] + pairs[b, t])
            near[t] += powers[2] * triples[a, b, t]
        for c in range(b, m):
            one, two, three, four = pairs[c], triples[a, c], triples[b, c], fours[c]
            for t in range(m):
                scores[t] = near[t] + powers[1] * one[t] + powers[2] * (two[t] + three[t]) + four[t]
            best[b, c] = scores.max()
        for x in mine:
            for i in range(s):
                for j in range(s):
                    fours[codes[x, i], codes[x, j]] = 0
    return best
