"""Which two secrets an observation tells apart best: Bayes security and epsilon, bounded without a model.

Two secrets and a set of outputs are chosen by the first part of the rows; the second part, which had no say
in the choice, tells how probable that set is for each of the two.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from quiff.audit.intervals import at_least, at_most
from quiff.audit.sample import Sample
from quiff.core.numbers import Array

_SECRETS = 12  # of the most frequent, all pairs are tried
_OUTPUTS = 32  # beside them, the pairs that one output tells apart best
_NUMBERS = 2**24  # of a dense block
_Z = 1.96  # of the approximate ends by which events are chosen


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


def likely_ratio(a: Array, n: Any, b: Array, m: Any) -> Array:
    """Return the logarithm of a/n over b/m, at least, approximately."""
    least, most = _wilson(a, n, -_Z), _wilson(b, m, _Z)
    return np.asarray(np.log(np.maximum(least, 1e-300)) - np.log(most))


def likely_difference(a: Array, n: Any, b: Array, m: Any) -> Array:
    """Return the difference of a/n and b/m."""
    return np.asarray(a / n - b / m)


def _wilson(k: Array, n: Any, z: float) -> Array:
    """Return an end of Wilson's interval: the centre, and z standard errors from there."""
    share = k / n
    middle, width = share + z * z / (2 * n), z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return np.asarray((middle + width) / (1 + z * z / n))


def telling_events(sample: Sample, *scores: Callable[[Array, Any, Array, Any], Array]) -> list[Event | None]:
    """Choose two secrets and a set of outputs for each score, by the first part of the rows.

    The pairs that are tried are those of the most frequent secrets, and those that one output alone tells
    apart best. The sets are those of outputs whose ratio is above some number (Neyman and Pearson). Where
    fewer than two secrets have rows in both parts, there is none.
    """
    train, test = sample.matrix("train"), sample.matrix("test")
    rows, scored = sample.per_secret("train"), sample.per_secret("test")
    usable = np.flatnonzero((rows > 0) & (scored > 0))
    best: list[tuple[float, int, int, Array] | None] = [None] * len(scores)
    lines: dict[int, Array] = {}
    for x, other in _pairs(train, rows, usable):
        for each in (x, other):
            if each not in lines:
                lines[each] = _row(train, each)
        a, b = lines[x], lines[other]
        some = np.flatnonzero(a)  # outputs without a row of the first secret only cost
        ratio = ((a[some] + 0.5) / (rows[x] + 1)) / ((b[some] + 0.5) / (rows[other] + 1))
        order = some[np.argsort(-ratio, kind="stable")]
        sums = np.cumsum(a[order]), rows[x], np.cumsum(b[order]), rows[other]
        for k, score in enumerate(scores):
            values, found = score(*sums), best[k]
            place = int(np.argmax(values))
            if found is None or values[place] > found[0]:
                best[k] = float(values[place]), x, other, order[: place + 1]
    return [None if found is None else _scored(test, scored, *found[1:]) for found in best]


def _scored(test: Any, rows: Array, x: int, other: int, outputs: Array) -> Event:
    hits = [int(_row(test, each)[outputs].sum()) for each in (x, other)]
    return Event(x, other, outputs, hits[0], int(rows[x]), hits[1], int(rows[other]))


def _row(matrix: Any, x: int) -> Array:
    return np.asarray(matrix[[x]].toarray()).ravel()


def _pairs(train: Any, rows: Array, usable: Array) -> Iterator[tuple[int, int]]:
    """Yield pairs of secrets in both orders."""
    most = max(2, min(_SECRETS, math.isqrt(_NUMBERS // max(train.shape[1], 1))))
    frequent = usable[np.argsort(-rows[usable], kind="stable")][:most]
    tried = {(int(x), int(y)) for x in frequent for y in frequent if x != y}
    yield from sorted(tried)
    yield from (pair for pair in _by_one_output(train, rows, usable) if pair not in tried)


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
    for output in np.argsort(-ratio, kind="stable")[:_OUTPUTS]:
        column = np.asarray(train[:, [output]].toarray()).ravel()[usable]
        high = usable[np.argmax(_wilson(column, rows[usable], -_Z))]
        low = usable[np.argmin(_wilson(column, rows[usable], _Z))]
        if high != low:
            yield int(high), int(low)
