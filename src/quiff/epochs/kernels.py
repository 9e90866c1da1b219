"""The compiled loops of samples and of goals."""

import numpy as np

from quiff.core.compiled import compiled
from quiff.core.numbers import Array


@compiled
def best_shares(
    ends: Array, members: Array, which: Array, observed: Array, n_profiles: int, best: Array, total: Array,
    first: tuple[float, float], ratio: float,
) -> tuple[Array, Array]:  # fmt: skip
    """Return for each sequence of outputs, after each epoch, the best profile's share, and its fit.

    The share is max_x best[x] P(y|x) / sum_x total[x] P(y|x). P(y|x) is proportional to ratio^-k, k being
    the number of epochs in which the set of x has the output. ``members[t, ends[t, y-1]:ends[t, y]]`` are
    the profiles with output y in table t, and epoch e has the table ``which[e]``. Where all profiles weigh
    the same, `best` and `total` are empty; `first` has the sum of `total` and the largest of `best`.
    """
    n, n_epochs = observed.shape
    shares, fits = np.zeros((n, n_epochs), dtype=np.float64), np.zeros((n, n_epochs), dtype=np.int64)
    fit = np.zeros(n_profiles, dtype=np.uint16)
    mass, top = np.zeros(n_epochs + 1, dtype=np.float64), np.zeros(n_epochs + 1, dtype=np.float64)
    weighted = best.shape[0] > 0
    for i in range(n):
        for k in range(n_epochs + 1):
            mass[k], top[k] = 0.0, 0.0
        for x in range(n_profiles):
            fit[x] = 0
        mass[0], top[0] = first
        most = 0
        for epoch in range(n_epochs):
            table, y = which[epoch], observed[i, epoch]
            for place in range(ends[table, y - 1] if y else 0, ends[table, y]):
                x = members[table, place]
                k = fit[x] + 0  # of the machine's width, unlike the cell
                fit[x] = k + 1
                weight = total[x] if weighted else 1.0
                mass[k] -= weight
                mass[k + 1] += weight
                top[k + 1] = max(top[k + 1], best[x] if weighted else 1.0)
                if k >= most:
                    most = k + 1
            largest, likely, scale = 0.0, 0.0, 1.0
            for k in range(most, -1, -1):
                largest = max(largest, top[k] * scale)
                likely += mass[k] * scale
                scale *= ratio
            shares[i, epoch], fits[i, epoch] = largest / likely, most
    return shares, fits


@compiled
def best_topics(
    first: int, users: Array, codes: Array, weights: Array, pairs: Array, triples: Array, powers: Array
) -> Array:
    """Return for all b, c >= `first` the best joint score of a topic after the outputs first, b and c.

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
