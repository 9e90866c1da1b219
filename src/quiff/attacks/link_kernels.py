"""The compiled loops of the adversary who links two sites; see :class:`quiff.attacks.linking.BayesLink`.

A set is lambda = p/q times as probable for each report in it. Floats cannot hold lambda^fits for many
reports, so that probabilities are relative to the set that fits best: `falls` has lambda^0, lambda^-1, ...
"""

from typing import Any

import numpy as np

from quiff.core.compiled import compiled
from quiff.core.numbers import TIE, Array


@compiled
def count_fits(row: Array, sets: Any, fits: Array, touched: Array) -> Any:
    """Count for each set how many reports of a row lie in it; return how many sets have any, and the most.

    The row is in ascending order, and what is negative does not count. `fits`, zeros before, gets the counts,
    and `touched` the sets with any.
    """
    n_touched, place, most = 0, 0, np.int64(0)
    while place < row.shape[0]:
        topic, end = row[place], place + 1
        while end < row.shape[0] and row[end] == topic:
            end += 1
        if topic >= 0:
            for k in range(sets.starts[topic], sets.starts[topic + 1]):
                one = sets.holders[k]
                if fits[one] == 0:
                    touched[n_touched] = one
                    n_touched += 1
                fits[one] += end - place
                most = max(most, fits[one])
        place = end
    return n_touched, most


@compiled
def weigh_fits(row: Array, sets: Any, fits: Array, touched: Array) -> Any:
    """Do what :func:`count_fits` does, and return also the sum over sets of users times A - A_0.

    A = lambda^(fits - most) is A_0 for a set that fits no report.
    """
    n_touched, most = count_fits(row, sets, fits, touched)
    weight = 0.0
    for k in range(n_touched):
        one = touched[k]
        weight += sets.users[one] * (sets.falls[most - fits[one]] - sets.falls[most])
    return n_touched, most, weight


@compiled
def forget(fits: Array, touched: Array, n_touched: int) -> None:
    """Set what was counted to zero again."""
    for k in range(n_touched):
        fits[touched[k]] = 0


@compiled
def weigh_rows(rows: Array, sets: Any, mosts: Array, totals: Array) -> None:
    """Write how many reports of each row lie in the set that fits best, and the sum of users times A."""
    fits = np.zeros(sets.users.shape[0], dtype=np.int16)
    touched = np.zeros(fits.shape[0], dtype=np.int32)
    for x in range(rows.shape[0]):
        n_touched, mosts[x], weight = weigh_fits(rows[x], sets, fits, touched)
        totals[x] = weight + sets.n_users * sets.falls[mosts[x]]
        forget(fits, touched, n_touched)


@compiled
def linked_score(
    row: Array, sets: Any, fits: Array, some: Array, n_some: int, most: int, weight: float,
    own: Array, touched: Array,
) -> float:  # fmt: skip
    """Return P(b | a) for one row a, up to a factor: sum over sets of P(set | a) lambda^(fits of b - most).

    With A(S) = lambda^(fits of a - its most) and B(S) likewise, which are A_0 and B_0 for a set that fits no
    report, sum_S users(S) A B = sum_S users(S) (A - A_0)(B - B_0) + A_0 sum_S users(S) (B - B_0) +
    B_0 sum_S users(S) A: only sets that fit some reports of both are looked at.

    `fits` are those of b, and `weight` is the sum over its `n_some` sets of users times B - B_0. `own` is
    zeros, one for each set, before and after.
    """
    counts, falls = sets.users, sets.falls
    n_touched, own_most, own_weight = weigh_fits(row, sets, own, touched)
    own_none, none, both = falls[own_most], falls[most], 0.0
    for k in range(n_some):
        one = some[k]
        if own[one]:
            both += counts[one] * (falls[own_most - own[one]] - own_none) * (falls[most - fits[one]] - none)
    forget(own, touched, n_touched)
    return float(none + (own_none * weight + both) / (own_weight + own_none * sets.n_users))


@compiled
def rank_linked(queries: Array, own: Array, known: Any, sets: Any, tied: Array) -> None:
    """Tell for each query how many users have the best score, if their own is one of them, else 0.

    First only those sets are looked at that fit the query well: they give an upper bound of every score. Who
    may reach the score of the own user is then looked at exactly, the one with the highest bound first.
    """
    counts, falls, n_rows = sets.users, sets.falls, known.rows.shape[0]
    fits, others = np.zeros(counts.shape[0], dtype=np.int16), np.zeros(counts.shape[0], dtype=np.int16)
    some, scratch = np.zeros(counts.shape[0], dtype=np.int32), np.zeros(counts.shape[0], dtype=np.int32)
    levels, near = np.zeros(n_rows, dtype=np.int16), np.zeros(n_rows, dtype=np.int32)
    bound = np.zeros(n_rows, dtype=np.float64)
    for query in range(queries.shape[0]):
        mine = own[query]
        n_some, most, weight = weigh_fits(queries[query], sets, fits, some)
        if weight == 0:  # these reports are equally probable for all
            tied[query] = known.n_users
            forget(fits, some, n_some)
            continue
        score = linked_score(known.rows[mine], sets, fits, some, n_some, most, weight, others, scratch)
        least, well = 1, 0.0
        while least < most and 2 * falls[most - least] <= score:
            least += 1
        for k in range(n_some):
            if fits[some[k]] >= least:
                well += counts[some[k]] * falls[most - fits[some[k]]]
        for x in range(n_rows):  # as if no report of a row were in these sets
            bound[x] = falls[max(most - least + 1, 0)] + well * falls[known.mosts[x]] / known.totals[x]
        for k in range(n_some):
            one = some[k]
            if fits[one] < least:
                continue
            n_near = 0
            for j in range(sets.codes.shape[1]):
                topic = sets.codes[one, j]
                for i in range(known.starts[topic], known.starts[topic + 1]):
                    x = known.holders[i]
                    if levels[x] == 0:
                        near[n_near] = x
                        n_near += 1
                    levels[x] += known.reports[i]
            for i in range(n_near):
                x = near[i]
                worse = known.mosts[x] - levels[x]
                share = counts[one] * falls[worse] / known.totals[x] if worse >= 0 else 1.0
                bound[x] += min(share, 1.0) * falls[most - fits[one]]
                levels[x] = 0
        bound[mine], first = 0.0, 0
        for x in range(n_rows):
            if bound[x] > bound[first]:
                first = x
        equal, better = known.times[mine], False
        for step in range(n_rows + 1):
            x = step - 1 if step else first
            if bound[x] < score * (1 - TIE):
                continue
            other = linked_score(known.rows[x], sets, fits, some, n_some, most, weight, others, scratch)
            better = other * (1 - TIE) > score
            if better:
                break
            if other >= score * (1 - TIE):
                equal += known.times[x]
            bound[x] = 0.0
        tied[query] = 0 if better else equal
        forget(fits, some, n_some)
