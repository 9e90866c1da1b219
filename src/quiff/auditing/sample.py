"""What is drawn of a log before anything is estimated: rows by their weights, persons once, and two parts."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from quiff.auditing.log import Log
from quiff.core.numbers import Array


@final
@dataclass(frozen=True, eq=False)
class Sample:
    """Cells (a secret and an output that occur together), and how many rows of each kind they have.

    Attributes
    ----------
    log
        What it was drawn from.
    secret, output
        The cells.
    once
        Independent rows: all, or one of each person.
    train, test
        Those that a rule is fitted to, and independent ones by which it is scored.
    """

    log: Log
    secret: Array
    output: Array
    once: Array
    train: Array
    test: Array

    def matrix(self, kind: str) -> Any:
        """Return the counts of a kind as a sparse matrix of secrets and outputs."""
        from scipy.sparse import csr_array

        shape = (len(self.log.secrets), len(self.log.outputs))
        found = csr_array((getattr(self, kind), (self.secret, self.output)), shape=shape)
        found.eliminate_zeros()
        return found

    def per_secret(self, kind: str) -> Array:
        """Return how many rows of a kind each secret has."""
        size = len(self.log.secrets)
        return np.bincount(self.secret, getattr(self, kind), size).astype(np.int64)

    def thinned(self, share: float, rng: np.random.Generator) -> "Sample":
        """Return a part of the rows, drawn at random."""
        kinds = (rng.binomial(count, share) for count in (self.once, self.train, self.test))
        return Sample(self.log, self.secret, self.output, *kinds)


def draw_sample(log: Log, rng: np.random.Generator, *, by_part: bool = False) -> Sample:
    """Draw the rows to work on: each row goes to one of two parts, with equal probability.

    A row of weight w is kept with probability w over the largest weight: what is kept is a plain sample of
    the weighted rows. Of a person one row, drawn at random, counts as independent; whole persons go to one
    part or the other, and rules are fitted to all rows of the first. With `by_part`, an output of one part of
    the log is not that of another: its place is part * outputs + output.

    Examples
    --------
    >>> log = Log.of(["a", "b"] * 50, [1, 2] * 50)
    >>> sample = draw_sample(log, np.random.default_rng(0))
    >>> int((sample.train + sample.test).sum())
    100
    """
    rows = log.rows
    if log.weights is not None:
        rows = rng.binomial(rows, log.weights / log.weights.max())
    if log.person is None:
        once, first = rows, rng.binomial(rows, 0.5)
        second = rows - first
    else:
        once = _one_each(log.person, rows, rng)
        chosen = (rng.random(int(log.person.max()) + 1) < 0.5)[log.person]
        first, second = np.where(chosen, rows, 0), np.where(chosen, 0, once)
    width, output = np.int64(len(log.outputs)), log.output
    if by_part and log.part is not None:
        width, output = width * len(log.parts), log.part * width + output
    cell, place = np.unique(log.secret * width + output, return_inverse=True)
    counts = [np.bincount(place, kind, cell.size).astype(np.int64) for kind in (once, first, second)]
    return Sample(log, *divmod(cell, width), *counts)


def _one_each(person: Array, rows: Array, rng: np.random.Generator) -> Array:
    """Draw one row of each person: 1 at its entry, and 0 elsewhere."""
    some = np.flatnonzero(rows > 0)
    key = -rng.exponential(size=some.size) / rows[some]  # the largest is an entry's by the share of its rows
    last = np.lexsort((key, person[some]))
    ends = np.append(person[some][last][1:] != person[some][last][:-1], True)
    once = np.zeros_like(rows)
    once[some[last[ends]]] = 1
    return once
