"""The compiled loops of the adversary who links two sites; see :class:`quiff.attacks.linking.BayesLink`.

A set is lambda = p/q times as probable for each report in it. Floats cannot hold lambda^fits for many
reports, so that probabilities are relative to the set that fits best: `falls` has lambda^0, lambda^-1, ...
"""

from typing import Any

import numpy as np

from quiff.core.compiled import compiled
from quiff.core.numbers import Array

_CLOSE = 1e-9


@compiled
def count_fits(row: Array, sets: Any, fits: Array, touched: Array) -> int:
    """Count for each set how many reports of a row lie in it, and return how many sets have any.

    The row is in ascending order, and what is negative does not count. `fits`, zeros before, gets the counts,
    and `touched` the sets with any.
    """
    n_touched, place = 0, 0
    while place < row.shape[0]:
        topic, end = row[place], place + 1
        while end < row.shape[0] and row[end] == topic:
            end += 1
        if topic >= 0:
            for one in sets.holders[sets.starts[topic] : sets.starts[topic + 1]]:
                if fits[one] == 0:
                    touched[n_touched] = one
                    n_touched += 1
                fits[one] += end - place
        place = end
    return n_touched


@compiled
def fitting_sets(
    row: Array, sets: Any, mark: int, marks: Array, tally: Array, fits: Array, touched: Array
) -> Any:
    """Find all sets that fit at most `cut` reports of a row less than the best one does, and maybe others.

    Topics are taken with the shortest list of sets first. A set that is not met by then has only topics that
    are left, and so fits no more reports than these make up; when that is too few, the search ends.

    How many sets were met is returned, and the fits of the best one; `touched` and `fits` get the rest.
    """
    topics, n_topics, left = np.empty(row.shape[0], dtype=np.int64), 0, 0
    codes, starts = sets.codes, sets.starts
    for topic in row:
        if topic >= 0:
            left += 1
            tally[topic] += 1
            if tally[topic] == 1:
                place, length = n_topics, starts[topic + 1] - starts[topic]
                while place > 0 and starts[topics[place - 1] + 1] - starts[topics[place - 1]] > length:
                    topics[place] = topics[place - 1]
                    place -= 1
                topics[place] = topic
                n_topics += 1
    n_touched, most = 0, 0
    for topic in topics[:n_topics]:
        if left < most - sets.cut:
            break
        left -= tally[topic]
        for one in sets.holders[starts[topic] : starts[topic + 1]]:
            if marks[one] == mark:
                continue
            marks[one] = mark
            fit = 0
            for j in range(codes.shape[1]):
                fit += tally[codes[one, j]]
            touched[n_touched], fits[n_touched] = one, fit
            n_touched += 1
            most = max(most, fit)
    for topic in topics[:n_topics]:
        tally[topic] = 0
    return n_touched, most


@compiled
def wider(array: Array, least: int) -> Array:
    """Return the numbers of an array in one that is twice as long, or longer if that is too short."""
    more = np.empty(max(least, 2 * array.shape[0]), dtype=array.dtype)
    more[: array.shape[0]] = array
    return more


@compiled
def spread_over_sets(rows: Array, sets: Any, totals: Array, mosts: Array) -> Any:
    """Return which sets may be those of each row: lengths of lists, sets, and how many reports fit.

    Sets that fit in more than `cut` reports less than the best one are left out. `mosts` is filled with how
    many reports fit the best set, and `totals` with the sum over sets of their users times
    lambda^(fits - most); sets that are not met count as if they fitted none.
    """
    counts, falls = sets.users, sets.falls
    n_sets, n_users = counts.shape[0], counts.sum()
    fits, touched = np.empty(n_sets, dtype=np.int16), np.empty(n_sets, dtype=np.int32)
    marks, tally = np.full(n_sets, -1, dtype=np.int32), np.zeros(sets.starts.shape[0] - 1, dtype=np.int32)
    lengths = np.zeros(rows.shape[0], dtype=np.int64)
    kept, levels = np.empty(1024, dtype=np.int32), np.empty(1024, dtype=np.int16)
    size = 0
    for x in range(rows.shape[0]):
        n_touched, most = fitting_sets(rows[x], sets, x, marks, tally, fits, touched)
        rest, total = n_users, 0.0
        for k in range(n_touched):
            total += counts[touched[k]] * falls[most - fits[k]]
            rest -= counts[touched[k]]
        totals[x], mosts[x] = total + rest * falls[most], most
        if size + n_touched > kept.shape[0]:
            kept, levels = wider(kept, size + n_touched), wider(levels, size + n_touched)
        for k in range(n_touched):
            if fits[k] >= most - sets.cut:
                kept[size], levels[size] = touched[k], fits[k]
                size += 1
                lengths[x] += 1
    return lengths, kept[:size].copy(), levels[:size].copy()


@compiled
def linked_score(
    known: Any, x: int, sets: Any, fits: Array, touched: Array, most: int, weight: float, tally: Array
) -> float:
    """Return P(b | a) for one row a, up to a factor: sum over sets of P(set | a) lambda^(fits of b - most).

    With A(S) = lambda^(fits of a - its most) and B(S) likewise, which are A_0 and B_0 for a set that fits no
    report, sum_S users(S) A B = sum_S users(S) (A - A_0)(B - B_0) + A_0 sum_S users(S) (B - B_0) +
    B_0 sum_S users(S) A: only sets that fit some reports of both are looked at.

    The row's total is the sum over sets of users times A, `weight` that of users times B - B_0, `falls` the
    powers of 1/lambda. `tally` is zeros, one for each topic, before and after.
    """
    row, row_most, codes, falls = known.rows[x], known.mosts[x], sets.codes, sets.falls
    row_none, none = falls[row_most], falls[most]
    for topic in row:
        if topic >= 0:
            tally[topic] += 1
    both = 0.0
    for one in touched:
        own = 0
        for j in range(codes.shape[1]):
            own += tally[codes[one, j]]
        if own:
            both += sets.users[one] * (falls[row_most - own] - row_none) * (falls[most - fits[one]] - none)
    for topic in row:
        if topic >= 0:
            tally[topic] = 0
    return float(none + (row_none * weight + both) / known.totals[x])


@compiled
def rank_linked(queries: Array, own: Array, known: Any, sets: Any, lost: float, tied: Array) -> None:
    """Tell for each query how many users have the best score, if their own is one of them, else 0.

    First only those sets are looked at that fit the query well: they give a lower bound of every score. Who
    may still reach the score of the own user is then looked at exactly.

    `lost` is the largest share of a row's posterior that is not among the cells of what is known.
    """
    counts, falls, totals, mosts = sets.users, sets.falls, known.totals, known.mosts
    fits, touched = np.zeros(counts.shape[0], dtype=np.int32), np.empty(counts.shape[0], dtype=np.int32)
    tally = np.zeros(sets.starts.shape[0] - 1, dtype=np.int32)
    row_none = falls[mosts]  # of a set that fits no report of a row
    for query in range(queries.shape[0]):
        n_touched = count_fits(queries[query], sets, fits, touched)
        some, weight, most = touched[:n_touched], 0.0, 0
        for one in some:
            most = max(most, fits[one])
        for one in some:
            weight += counts[one] * (falls[most - fits[one]] - falls[most])
        score = linked_score(known, own[query], sets, fits, some, most, weight, tally)
        least = 1
        while least < most and 2 * falls[most - least] <= score:
            least += 1
        slack = falls[max(most - least + 1, 0)] + lost
        well = 0.0
        for one in some:
            if fits[one] >= least:
                well += counts[one] * falls[most - fits[one]]
        bound = well * row_none / totals  # as if no report of the other site were in these sets
        for one in some:
            if fits[one] >= least:
                for k in range(known.starts[one], known.starts[one + 1]):
                    x = known.behind[k]
                    more = (falls[mosts[x] - known.levels[k]] - row_none[x]) / totals[x]
                    bound[x] += counts[one] * falls[most - fits[one]] * more
        better = bound.max() > score * (1 + _CLOSE)
        equal = 0
        for x in range(totals.shape[0]):
            if better:
                break
            if bound[x] + slack < score * (1 - _CLOSE):
                continue
            other = linked_score(known, x, sets, fits, some, most, weight, tally)
            better = other > score * (1 + _CLOSE)
            if other >= score * (1 - _CLOSE):
                equal += known.times[x]
        tied[query] = 0 if better else equal
        for one in some:
            fits[one] = 0
