"""A synthetic log, block by block: only the users of one block are in memory."""

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import cached_property
from itertools import groupby
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from quiff.core.numbers import Array
from quiff.errors import ParameterError
from quiff.io import StrPath, whole_folder
from quiff.logs.synth.law import (
    MEAN_ROWS,
    N_DOMAINS,
    OUTLIER_CLICKS,
    click_chances,
    clicked_domains,
    outlier_rows,
    rows_per_user,
)
from quiff.logs.synth.lines import FIRST_DAY, HEADER, Pieces, lines
from quiff.logs.synth.names import Classification, Names, classification, write_classification
from quiff.people.conversions import Conversion, synthetic_conversions
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
    # What each user did in the 30 days after an advertisement, which all see as the log begins.
    conversions: dict[str, tuple[Conversion, ...]]


_MOST = {"users": 10**8, "rows": 10**10}  # some hundred gigabytes


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
        check_whole(name, size, 1, _MOST[name])
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
        counts = self._counts(rng, first, done)
        n_users, n_rows = counts.shape[0], int(counts.sum())
        users = np.repeat(np.arange(n_users), counts)
        chances = click_chances(rng, n_users)
        if first == 0:
            chances[self._outlier % n_users] = OUTLIER_CLICKS
        clicks = np.flatnonzero(rng.random(n_rows) < np.repeat(chances, counts))
        domains = clicked_domains(rng, users[clicks], n_users)
        text, odd, ids = lines(rng, pieces, counts, clicks, domains, first)
        events = synthetic_conversions(n_users, self._rng(4, first))
        conversions = dict(zip(map(str, ids.tolist()), events, strict=True))
        without = n_rows - clicks.shape[0]
        return Block(n_users, n_rows, without, np.delete(domains, odd), text, conversions)

    def _counts(self, rng: np.random.Generator, first: int, done: int) -> Array:
        """Return the rows of each user of a block, without those beyond what was asked for."""
        counts = rows_per_user(rng, _USERS if self.users is None else min(_USERS, self.users - first))
        if first == 0:
            rows = outlier_rows(self.expected_rows / MEAN_ROWS)
            counts[self._outlier] = max(counts[self._outlier], rows)
        if self.rows is None:
            return counts
        kept = np.diff(np.minimum(np.cumsum(counts), self.rows - done), prepend=0)
        return np.asarray(kept[kept > 0])

    def _rng(self, *stream: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, *stream])


_BLOCKS = 16  # in a file: about 3.6 million rows, and ten files for a log of AOL's size
_LEVEL = 1  # of compression: fast, and small enough
_EVENTS = pa.schema(
    {
        "user": pa.string(),
        "time": pa.timestamp("us"),
        "site": pa.string(),
        "kind": pa.string(),
        "value": pa.float64(),
    }
)


@dataclass(frozen=True)
class Written:
    """What was written."""

    users: int
    rows: int
    rows_without_url: int
    domains: int  # how many synthetic domains were clicked on, odd lines aside
    files: tuple[Path, ...]  # the files of the log, in order
    classification: Path  # the file with the topics of domains
    conversions: Path  # the file with what users did after an advertisement


def write_log(
    log: SyntheticLog, out: StrPath, *, force: bool = False, progress: Callable[[int], object] | None = None
) -> Written:
    """Write a synthetic log to files ``log-01.txt.gz`` and so on of a folder, with ``classification.csv``.

    What users did in the 30 days after an advertisement, which all of them see as the log begins, is in
    ``conversions.parquet``: user, time, site, kind and value, by the law of
    :func:`quiff.people.conversions.synthetic_conversions`.

    The same log gives the same bytes wherever the same versions of numpy, zlib and Arrow are at work. The
    folder appears whole or not at all. The memory needed does not grow with the log. `progress` is called
    with the number of rows after each block.
    """
    counts = np.zeros(3, dtype=np.int64)
    clicked = np.zeros(N_DOMAINS, dtype=bool)
    names: list[str] = []
    with (
        whole_folder(out, force=force) as folder,
        pq.ParquetWriter(folder / "conversions.parquet", _EVENTS) as told,
    ):
        for number, blocks in groupby(enumerate(log.blocks()), lambda entry: entry[0] // _BLOCKS + 1):
            names.append(f"log-{number:02}.txt.gz")
            with _open(folder / names[-1]) as file:
                file.write(HEADER)
                for _, block in blocks:
                    file.write(block.text)
                    counts += (block.n_users, block.n_rows, block.n_without_url)
                    clicked[block.domains] = True
                    told.write_table(_events(block.conversions))
                    if progress is not None:
                        progress(int(counts[1]))
        write_classification(folder / "classification.csv", log.classification.domains)
    users, rows, without = counts.tolist()
    files, n_domains = tuple(Path(out, name) for name in names), int(np.count_nonzero(clicked))
    listed, events = (Path(out, name) for name in ("classification.csv", "conversions.parquet"))
    return Written(users, rows, without, n_domains, files, listed, events)


def _events(conversions: dict[str, tuple[Conversion, ...]]) -> pa.Table:
    """Return conversions as a table, one row each."""
    start = datetime.combine(FIRST_DAY, time())
    rows = [
        (user, start + timedelta(days=event.days), event.site, event.kind, event.value)
        for user, events in conversions.items()
        for event in events
    ]
    columns = zip(*rows, strict=True) if rows else [()] * len(_EVENTS)
    return pa.table(
        [pa.array(column, kind) for column, kind in zip(columns, _EVENTS.types, strict=True)], _EVENTS
    )


@contextmanager
def _open(path: Path) -> Iterator[gzip.GzipFile]:
    """Open a new gzip file that holds neither name nor time, so that the same log gives the same bytes."""
    with (
        path.open("xb") as raw,
        gzip.GzipFile(filename="", mode="wb", compresslevel=_LEVEL, fileobj=raw, mtime=0) as file,
    ):
        yield file
