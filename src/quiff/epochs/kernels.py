"""The compiled loops of risks, in tables as of :mod:`quiff.core.counting.layout`, of samples and of goals."""

import numpy as np

from quiff.core.compiled import compiled
from quiff.core.counting.loops import room_for_rows, user_rows
from quiff.core.numbers import Array


@compiled
def count_ties(
    table: Array, tied: Array, start: int, last: int, rest: int, users: Array, codes: Array,
    lengths: Array, radix: int, ranks: Array, counts: Array,
) -> None:  # fmt: skip
    """Count, for each partial tuple, the users who fit it with the best rank; the table has the ranks."""
    rows = room_for_rows(lengths)
    for x in users:
        for i in range(user_rows(codes, lengths, radix, last, rest, x, rows)):
            row = start + rows[i]
            for j in range(lengths[last]):
                code = codes[last, x, j]
                if table[row, code] == ranks[x]:
                    tied[row, code] += counts[x]


@compiled
def share_hits(
    kept: Array, sliced: Array, kept_tied: Array, sliced_tied: Array, kept_hits: Array, sliced_hits: Array,
    starts: Array, occurring: Array, spare: Array, radix: int, first: int, level: int, level_tied: int,
    base: int, base_tied: int,
) -> tuple[float, float]:  # fmt: skip
    """Give each user who is best for a tuple their probability to be the one who is guessed.

    Every tuple y that begins with one output gives 1/|M(y)|, M(y) being the users with the best rank, to
    the cells of all sets of factors on which some of them fit it. What goes to the cell of the first output
    alone, and to those who fit nowhere, is returned. There are two factors or more.
    """
    last = occurring.shape[0] - 1
    outputs = occurring + (spare > 0)
    rows, digits = np.zeros(1 << last, dtype=np.int64), np.zeros(last, dtype=np.int64)
    alone, nobody = 0.0, 0.0
    prefixes = 1
    for factor in range(1, last):
        prefixes *= outputs[factor]
    won = np.zeros(outputs[last])  # what each output of the last factor gives, and to which rank
    rank_won = np.zeros(outputs[last], dtype=np.int64)
    for prefix in range(prefixes):
        left, share = prefix, 1 if first < occurring[0] else spare[0]
        best, ties = base, base_tied
        if level_tied and level >= best:
            ties = level_tied if level > best else ties + level_tied
            best = level
        for factor in range(1, last):
            left, y = divmod(left, outputs[factor])
            digits[factor] = y
            share *= 1 if y < occurring[factor] else spare[factor]
            for rest in range(1 << factor):
                rows[rest | 1 << factor] = rows[rest] * radix + y
                place = starts[factor, rest] + rows[rest]
                n = sliced_tied[place, y] if rest & 1 else kept_tied[place, y]
                rank = sliced[place, y] if rest & 1 else kept[place, y]
                if n and rank >= best:
                    ties = n if rank > best else ties + n
                    best = rank
        sure = 0.0  # what goes to the cells of the prefix
        for y in range(outputs[last]):
            top, n_top = best, ties
            for rest in range(1 << last):
                place = starts[last, rest] + rows[rest]
                n = sliced_tied[place, y] if rest & 1 else kept_tied[place, y]
                rank = sliced[place, y] if rest & 1 else kept[place, y]
                if n and rank >= top:
                    n_top = n if rank > top else n_top + n
                    top = rank
            won[y] = share * (1 if y < occurring[last] else spare[last]) / n_top
            rank_won[y] = top
            if top == best:
                sure += won[y]
        for rest in range(1 << last):
            place = starts[last, rest] + rows[rest]
            table, tied = (sliced, sliced_tied) if rest & 1 else (kept, kept_tied)
            hits = sliced_hits if rest & 1 else kept_hits
            for y in range(occurring[last]):
                if tied[place, y] and table[place, y] == rank_won[y]:
                    hits[place, y] += won[y]
        for factor in range(1, last):
            y = digits[factor]
            for rest in range(1 << factor):
                place = starts[factor, rest] + rows[rest]
                table, tied = (sliced, sliced_tied) if rest & 1 else (kept, kept_tied)
                hits = sliced_hits if rest & 1 else kept_hits
                if tied[place, y] and table[place, y] == best:
                    hits[place, y] += sure
        if level_tied and level == best:
            alone += sure
        if base == best:
            nobody += sure
    return alone, nobody


@compiled
def add_risk(
    table: Array, hits: Array, start: int, last: int, rest: int, users: Array, codes: Array,
    lengths: Array, radix: int, ranks: Array, power: float, risk: Array,
) -> None:  # fmt: skip
    """Add to each user's risk what the cells of their partial tuples hold, times p^k q^(E-k)."""
    rows = room_for_rows(lengths)
    for x in users:
        total = 0.0
        for i in range(user_rows(codes, lengths, radix, last, rest, x, rows)):
            row = start + rows[i]
            for j in range(lengths[last]):
                code = codes[last, x, j]
                if table[row, code] == ranks[x]:
                    total += hits[row, code]
        risk[x] += power * total


@compiled
def best_shares(
    ends: Array,
    members: Array,
    which: Array,
    observed: Array,
    n_profiles: int,
    best: Array,
    total: Array,
    ratio: float,
) -> tuple[Array, Array]:
    """Return for each sequence of outputs, after each epoch, the best profile's share, and its fit.

    The share is max_x best[x] P(y|x) / sum_x total[x] P(y|x). P(y|x) is proportional to ratio^-k, k being
    the number of epochs in which the set of x has the output. ``members[t, ends[t, y-1]:ends[t, y]]`` are
    the profiles with output y in table t, and epoch e has the table ``which[e]``. Where all profiles weigh
    the same, `best` and `total` are empty.
    """
    n, n_epochs = observed.shape
    shares, fits = np.zeros((n, n_epochs)), np.zeros((n, n_epochs), dtype=np.int64)
    fit = np.zeros(n_profiles, dtype=np.uint16)
    mass, top = np.zeros(n_epochs + 1), np.zeros(n_epochs + 1)
    weighted = best.shape[0] > 0
    for i in range(n):
        mass[:], top[:], fit[:] = 0, 0, 0
        mass[0] = total.sum() if weighted else n_profiles
        top[0] = best.max() if weighted else 1.0
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
