"""A synthetic log, block by block: only the users of one block are in memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quiff.core.numbers import Array
from quiff.errors import ParameterError
from quiff.history.synth.classification import Classification, classification
from quiff.history.synth.law import (
    MEAN_ROWS,
    OUTLIER_CLICKS,
    click_chances,
    clicked_domains,
    outlier_rows,
    rows_per_user,
)
from quiff.history.synth.lines import Pieces, lines
from quiff.history.synth.names import Names
from quiff.theory.parameters import check_whole

_USERS = 4_096  # in a block


@dataclass(frozen=True)
class Block:
    """Some users' lines of a log."""

    # How many users and lines there are, and how many lines without a URL.
    n_users: int
    n_rows: int
    n_without_url: int
    # The popularity ranks of the domains that were clicked on, one for each click, odd lines aside.
    domains: Array
    text: memoryview  # the lines in UTF-8


@dataclass(frozen=True)
class SyntheticLog:
    """A synthetic search log of so many users, or of so many rows.

    >>> log = SyntheticLog(rows=100_000, seed=1)
    >>> sum(block.n_rows for block in log.blocks())
    100000
    """

    # How many; give exactly one of the two. With `rows` the last user may be cut short.
    users: int | None = None
    rows: int | None = None
    seed: int = 0  # the same seed gives the same lines; another one gives other names, users and visits

    def __post_init__(self) -> None:
        if (self.users is None) == (self.rows is None):
            raise ParameterError(
                f"users is {self.users} and rows is {self.rows}; give exactly one of the two"
            )
        name, size = ("users", self.users) if self.rows is None else ("rows", self.rows)
        check_whole(name, size, 1)
        check_whole("seed", self.seed, 0)

    @property
    def expected_rows(self) -> float:
        """How many rows the log will have, about; exactly, if that is what was asked for."""
        return (self.users or 0) * MEAN_ROWS if self.rows is None else self.rows

    @property
    def _outlier(self) -> int:
        """Which user has more rows than anybody."""
        return min(_USERS, int(self.expected_rows / MEAN_ROWS)) // 2

    @cached_property
    def names(self) -> Names:
        """The names of the domains."""
        return Names.make(self._rng(0))

    @cached_property
    def classification(self) -> Classification:
        """The classification of some of the domains."""
        return classification(self._rng(1), self.names)

    def blocks(self) -> Iterator[Block]:
        """Yield the log, some thousand users at a time."""
        pieces = Pieces.make(self._rng(2), self.names)
        users = rows = 0
        while rows < self.rows if self.users is None else users < self.users:  # type: ignore[operator]
            block = self._block(pieces, users, rows)
            yield block
            users, rows = users + block.n_users, rows + block.n_rows

    def _block(self, pieces: Pieces, first: int, done: int) -> Block:
        """Return the block that begins with the user number `first`, after `done` rows."""
        rng = self._rng(3, first)
        counts = self._cut(self._counts(rng, first), done)
        n_users, n_rows = counts.shape[0], int(counts.sum())
        users = np.repeat(np.arange(n_users), counts)
        chances = click_chances(rng, n_users)
        if first == 0:
            chances[self._outlier % n_users] = OUTLIER_CLICKS
        clicks = np.flatnonzero(rng.random(n_rows) < np.repeat(chances, counts))
        domains = clicked_domains(rng, users[clicks], n_users)
        text, odd = lines(rng, pieces, counts, clicks, domains, first)
        return Block(n_users, n_rows, n_rows - clicks.shape[0], np.delete(domains, odd), text)

    def _counts(self, rng: np.random.Generator, first: int) -> Array:
        """Return the rows of each user of a block; the outlier is in the first one."""
        size = _USERS if self.users is None else min(_USERS, self.users - first)
        counts = rows_per_user(rng, size)
        if first == 0:
            rows = outlier_rows(self.expected_rows / MEAN_ROWS)
            counts[self._outlier] = max(counts[self._outlier], rows)
        return counts

    def _cut(self, counts: Array, done: int) -> Array:
        """Return the rows of each user, without those beyond what was asked for."""
        if self.rows is None:
            return counts
        ends = np.minimum(np.cumsum(counts), self.rows - done)
        kept = np.diff(ends, prepend=0)
        return np.asarray(kept[kept > 0])

    def _rng(self, *stream: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, *stream])
