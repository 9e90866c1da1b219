"""Synthetic logs as files: gzip-compressed lines in AOL's format, and a classification."""

import gzip
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

from quiff.core.numbers import Array
from quiff.files import whole_folder
from quiff.history.synth.classification import write_classification
from quiff.history.synth.law import N_DOMAINS
from quiff.history.synth.lines import HEADER
from quiff.history.synth.log import Block, SyntheticLog

_BLOCKS = 16  # in a file: about 3.6 million rows, and ten files for a log of AOL's size
_LEVEL = 1  # of compression: fast, and small enough


@dataclass(frozen=True)
class Written:
    """What was written."""

    # How many there are in the log.
    users: int
    rows: int
    rows_without_url: int
    domains: int  # how many synthetic domains were clicked on, odd lines aside
    files: tuple[Path, ...]  # the files of the log, in order
    classification: Path  # the file with the topics of domains


def write_log(
    log: SyntheticLog,
    out: str | os.PathLike[str],
    *,
    force: bool = False,
    progress: Callable[[int], object] | None = None,
) -> Written:
    """Write a synthetic log to files ``log-01.txt.gz`` and so on of a folder, with ``classification.csv``.

    The same log gives the same bytes wherever the same versions of numpy and zlib are at work. The folder
    appears whole or not at all. The memory needed does not grow with the log. `progress` is called with the
    number of rows after each block.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     written = write_log(SyntheticLog(users=10, seed=1), Path(folder) / "log")
    >>> written.users, [path.name for path in written.files]
    (10, ['log-01.txt.gz'])
    """
    counts = np.zeros(3, dtype=np.int64)
    clicked = np.zeros(N_DOMAINS, dtype=bool)
    with whole_folder(out, force=force) as folder:
        n_files = 0
        for n_files, blocks in _by_file(log):
            with _open(folder / _name(n_files)) as file:
                file.write(HEADER)
                for block in blocks:
                    file.write(block.text)
                    counts += (block.n_users, block.n_rows, block.n_without_url)
                    clicked[block.domains] = True
                    if progress is not None:
                        progress(int(counts[1]))
        write_classification(folder / "classification.csv", log.classification.domains)
    return _written(Path(out), counts, clicked, n_files)


def _by_file(log: SyntheticLog) -> Iterator[tuple[int, Iterator[Block]]]:
    """Yield the number of each file, from 1, and its blocks."""
    numbered = enumerate(log.blocks())
    for number, blocks in groupby(numbered, lambda entry: entry[0] // _BLOCKS + 1):
        yield number, (block for _, block in blocks)


@contextmanager
def _open(path: Path) -> Iterator[gzip.GzipFile]:
    """Open a new gzip file that holds neither name nor time, so that the same log gives the same bytes."""
    with (
        path.open("xb") as raw,
        gzip.GzipFile(filename="", mode="wb", compresslevel=_LEVEL, fileobj=raw, mtime=0) as file,
    ):
        yield file


def _name(number: int) -> str:
    return f"log-{number:02}.txt.gz"


def _written(out: Path, counts: Array, clicked: Array, n_files: int) -> Written:
    users, rows, without = counts.tolist()
    files = tuple(out / _name(number) for number in range(1, n_files + 1))
    return Written(users, rows, without, int(np.count_nonzero(clicked)), files, out / "classification.csv")
