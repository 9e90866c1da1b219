"""The compiled loop of the Monte Carlo estimates: how sure the adversary can be after some reports."""

import numpy as np

from quiff.core.compiled import compiled
from quiff.core.numbers import Array


@compiled
def best_shares(
    ends: Array,
    members: Array,
    which: Array,
    reports: Array,
    n_profiles: int,
    best: Array,
    total: Array,
    ratio: float,
) -> tuple[Array, Array]:
    """Return for each sequence of reports, after each epoch, the best profile's share, and its fit.

    The share is max_x best[x] P(y|x) / sum_x total[x] P(y|x). P(y|x) is proportional to ratio^-k, k being
    the number of epochs in which the set of x has the report. ``members[t, ends[t, y-1]:ends[t, y]]`` are
    the profiles with topic y in table t, and epoch e has the table ``which[e]``. Where all profiles weigh
    the same, `best` and `total` are empty.
    """
    n, n_epochs = reports.shape
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
            table, y = which[epoch], reports[i, epoch]
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
