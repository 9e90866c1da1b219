"""Which two secrets an observation tells apart best: Bayes security and epsilon, bounded without a model.

Two secrets and a set of outputs are chosen by the first part of the rows; the second part, which had no say
in the choice, tells how probable that set is for each of the two.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from quiff.auditing.intervals import at_least, at_most
from quiff.auditing.rules import features
from quiff.auditing.sample import Sample
from quiff.core.numbers import Array
from quiff.errors import QuiffError

_SECRETS = 12  # of the most frequent, all pairs are tried
_OUTPUTS = 32  # beside them, the pairs that one output tells apart best
_FEW = 10  # rows of an output, on average, below which its frequency says little
_NUMBERS = 2**24  # of a dense block
_Z = 1.96  # of the approximate ends by which events are chosen
_Z_MANY = 4.0  # of half-spaces: among so many, some have a large ratio by chance


@final
@dataclass(frozen=True, eq=False)
class Event:
    """A set of outputs, and how many rows of two secrets fall into it in the part that did not choose it.

    `high` and `low` are the places of the secrets for which it is more and less probable.
    """

    high: int
    low: int
    outputs: Array
    high_hits: int
    high_rows: int
    low_hits: int
    low_rows: int

    def epsilon_at_least(self, miss: float) -> float:
        """Return the logarithm of the ratio of the probabilities, at least: Clopper and Pearson's ends."""
        least = at_least(self.high_hits, self.high_rows, miss / 2)
        most = at_most(self.low_hits, self.low_rows, miss / 2)
        return max(0.0, math.log(least / most)) if least > 0 else 0.0

    def apart(self) -> float:
        """Return the difference of the shares: an estimate of the total variation, at most."""
        return self.high_hits / self.high_rows - self.low_hits / self.low_rows

    def apart_at_least(self, miss: float) -> float:
        """Return the difference of the probabilities, at least."""
        least = at_least(self.high_hits, self.high_rows, miss / 2)
        return max(0.0, least - at_most(self.low_hits, self.low_rows, miss / 2))


def likely_ratio(a: Array, n: Any, b: Array, m: Any, z: float) -> Array:
    """Return the logarithm of a/n over b/m, at least, approximately."""
    least, most = _wilson(a, n, -z), _wilson(b, m, z)
    return np.asarray(np.log(np.maximum(least, 1e-300)) - np.log(most))


def likely_difference(a: Array, n: Any, b: Array, m: Any, z: float) -> Array:  # noqa: ARG001 - as above
    """Return the difference of a/n and b/m."""
    return np.asarray(a / n - b / m)


def _wilson(k: Array, n: Any, z: float) -> Array:
    """Return an end of Wilson's interval: the centre, and z standard errors from there."""
    share = k / n
    middle, width = share + z * z / (2 * n), z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return np.asarray((middle + width) / (1 + z * z / n))


def telling_events(
    sample: Sample, *scores: Callable[[Array, Any, Array, Any, float], Array]
) -> list[Event | None]:
    """Choose two secrets and a set of outputs for each score, by the first part of the rows.

    The pairs that are tried are those of the most frequent secrets, and those that one output alone tells
    apart best. The sets are those of outputs whose ratio is above some number (Neyman and Pearson). Where
    most outputs are too rare for that, but are numbers, records or sets, ratios are those of normal
    distributions with independent coordinates of the same variance: the sets are half-spaces. Where fewer
    than two secrets have rows in both parts, there is none.
    """
    train, test = sample.matrix("train"), sample.matrix("test")
    rows, scored = sample.per_secret("train"), sample.per_secret("test")
    usable = np.flatnonzero((rows > 0) & (scored > 0))
    points, means = _points_and_means(sample, train, rows)
    best: list[tuple[float, int, int, Array] | None] = [None] * len(scores)
    for x, others in _pairs(train, rows, usable).items():
        a = _row(train, x)
        # Outputs without a row of the first secret only cost, unless their place says something of them.
        some = np.flatnonzero(a) if points is None else np.arange(a.size)
        b = np.array([_row(train, other)[some] for other in others])
        m = rows[others][:, np.newaxis]
        if points is None:
            ratio = ((a[some] + 0.5) / (rows[x] + 1)) / ((b + 0.5) / (m + 1))
        else:
            ratio = (means[x] - means[others]) @ points.T
        order = np.argsort(-ratio, axis=1, kind="stable")
        hits = [np.cumsum(np.take_along_axis(each, order, 1), axis=1) for each in (a[some] + 0 * b, b)]
        for k, score in enumerate(scores):
            values, found = score(hits[0], rows[x], hits[1], m, _Z if points is None else _Z_MANY), best[k]
            row, place = divmod(int(np.argmax(values)), some.size)
            if found is None or values[row, place] > found[0]:
                best[k] = float(values[row, place]), x, others[row], some[order[row, : place + 1]]
    return [None if found is None else _scored(test, scored, *found[1:]) for found in best]


def _points_and_means(sample: Sample, train: Any, rows: Array) -> tuple[Array | None, Array]:
    """Return each output as a point, scaled, and the mean of each secret; no points where counts suffice."""
    outputs, seen = sample.log.outputs, np.asarray(train.sum(axis=0)).ravel() > 0
    if isinstance(outputs[0], int) or rows.sum() >= _FEW * seen.sum():
        return None, np.zeros(0)
    try:
        points = features(outputs, seen)
    except QuiffError:  # no points, or too large ones
        return None, np.zeros(0)
    share = train.sum(axis=0) / rows.sum()
    spread = np.sqrt(np.maximum(share @ points**2 - (share @ points) ** 2, 0))
    points = points / np.where(spread > 0, spread, 1)
    return points, np.asarray(train @ points) / np.maximum(rows, 1)[:, np.newaxis]


def _scored(test: Any, rows: Array, x: int, other: int, outputs: Array) -> Event:
    hits = [int(_row(test, each)[outputs].sum()) for each in (x, other)]
    return Event(x, other, outputs, hits[0], int(rows[x]), hits[1], int(rows[other]))


def _row(matrix: Any, x: int) -> Array:
    own = slice(matrix.indptr[x], matrix.indptr[x + 1])
    found = np.zeros(matrix.shape[1], dtype=np.int64)
    found[matrix.indices[own]] = matrix.data[own]
    return found


def _pairs(train: Any, rows: Array, usable: Array) -> dict[int, list[int]]:
    """Return secrets, and those that each is compared with."""
    most = max(2, min(_SECRETS, math.isqrt(_NUMBERS // max(train.shape[1], 1))))
    frequent = sorted(usable[np.argsort(-rows[usable], kind="stable")][:most].tolist())
    tried = {x: [y for y in frequent if y != x] for x in frequent if len(frequent) > 1}
    for x, y in _by_one_output(train, rows, usable):
        if y not in tried.setdefault(x, []):
            tried[x].append(y)
    return tried


def _by_one_output(train: Any, rows: Array, usable: Array) -> Iterator[tuple[int, int]]:
    """Yield for outputs with large ratios the secrets for which they are most and least probable."""
    if usable.size < 2:
        return
    cells = train.tocoo()
    kept = np.isin(cells.row, usable)
    x, y, k = cells.row[kept], cells.col[kept], cells.data[kept]
    least, most = np.full(train.shape[1], 0.0), np.full(train.shape[1], np.inf)
    np.maximum.at(least, y, _wilson(k, rows[x], -_Z))
    np.minimum.at(most, y, _wilson(k, rows[x], _Z))
    frequent = usable[np.argmax(rows[usable])]
    none = float(_wilson(np.array(0.0), rows[frequent], _Z))  # where the most frequent secret has no row
    ratio = np.log(np.maximum(least, 1e-300)) - np.log(np.minimum(most, none))
    columns = train.T.tocsr()
    for output in np.argsort(-ratio, kind="stable")[:_OUTPUTS]:
        column = _row(columns, output)[usable]
        high = usable[np.argmax(_wilson(column, rows[usable], -_Z))]
        low = usable[np.argmin(_wilson(column, rows[usable], _Z))]
        if high != low:
            yield int(high), int(low)
