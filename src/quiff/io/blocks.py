"""The bytes of files, packed or not, of a log block by block: each once, whole, and as it was at first.

Files are told by their first bytes, not by their names. A gzip file is checked to its end; a pipe is copied
into a scratch file first, since it can be read only once.
"""

import bz2
import csv
import gzip
import io
import lzma
import os
import shutil
import stat
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from quiff.errors import ParameterError, QuiffError, cannot_read, engine_line, first_line

BLOCK = 1 << 19  # how many bytes are read at a time
LONGEST = 1 << 24  # the bytes of a line of a table
SMALL = 1 << 28  # the bytes of a file that is read at once
_PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}  # the first bytes
DAMAGES = (OSError, EOFError, zlib.error, lzma.LZMAError)
"""What is raised where the bytes of a file cannot be read, or not be unpacked."""

_OTHERS = {
    b"PK\x03\x04": "a zip archive; unpack it, for example by unzip",
    b"PAR1": "a Parquet file; give it a name that ends in .parquet",
    b"BZh": "packed by bzip2; unpack it by bunzip2",
    b"\xfd7zXZ": "packed by xz; unpack it by unxz",
    b"\xff\xfe\x00\x00": "in UTF-32; convert it by iconv -f UTF-32 -t UTF-8",
    b"\xff\xfe": "in UTF-16; convert it by iconv -f UTF-16 -t UTF-8",
    b"\xfe\xff": "in UTF-16; convert it by iconv -f UTF-16 -t UTF-8",
}


@dataclass(frozen=True)
class Source:
    """A file of a log."""

    name: str  # the file as the user names it
    path: Path  # where its bytes are: the same, but for a pipe
    packed: str  # "gzip" or "zstd"; empty if it is not packed
    # What the system says of it: device, number, size and time of the last change.
    state: tuple[int, int, int, int]

    @classmethod
    def of(cls, path: Path, name: str | None = None) -> "Source":
        """Return a file that is not packed."""
        try:
            return cls(name or str(path), path, packed="", state=_state(path))
        except OSError as error:
            raise cannot_read(path, error) from error

    def check(self) -> None:
        """Check that the file is as it was."""
        try:
            same = _state(self.path) == self.state
        except OSError:
            same = False
        if not same:
            raise ParameterError(
                f"{self.name!r} changed while it was read; run again when it is complete",
                what="the input",
                value=self.name,
            )


def check_files(paths: Sequence[str | os.PathLike[str]]) -> tuple[Path, ...]:
    """Return paths that exist and are different files, under whatever names."""
    files = tuple(Path(path) for path in paths)
    known: dict[tuple[int, int], Path] = {}
    for file in files:
        if not file.exists():
            raise ParameterError(
                f"there is no file {str(file)!r}; name the files of a log", what="the input", value=str(file)
            )
        found = file.stat()  # links to a file have its numbers
        one = known.setdefault((found.st_dev, found.st_ino), file)
        if one is not file:
            raise ParameterError(f"{str(file)!r} is named twice, also as {str(one)!r}; name each file once")
    return files


def find_sources(files: Sequence[Path], scratch: Path) -> tuple[Source, ...]:
    """Look at the kind of each file; pipes are copied into the folder `scratch`."""
    return tuple(find_source(file, scratch / f"pipe-{number}") for number, file in enumerate(files))


def find_source(file: Path, copy: Path | None = None) -> Source:
    """Look at the kind of a file; if it is a pipe, it becomes the file `copy`."""
    name, path = str(file), file
    try:
        mode = file.stat().st_mode
        if copy is not None and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
            path = copy
            with file.open("rb") as stream:
                copied(stream, path)
        elif not stat.S_ISREG(mode):
            kind = "folder" if stat.S_ISDIR(mode) else "device or a pipe"
            raise cannot_read(name, f"it is a {kind}; name a file")
        state = _state(path)
        with path.open("rb") as stream:
            first = stream.read(8)
    except OSError as error:
        raise cannot_read(name, error) from error
    if file.suffix in (".xlsx", ".xls", ".ods"):
        raise cannot_read(name, "it is a workbook; save the sheet as CSV")
    for mark, kind in _OTHERS.items():
        if first.startswith(mark):
            raise cannot_read(name, f"it is {kind}")
    packed = next((kind for mark, kind in _PACKED.items() if first.startswith(mark)), "")
    for suffix, kind in ((".gz", "gzip"), (".zst", "zstd")):
        if file.suffix == suffix and packed != kind:
            raise cannot_read(name, f"its name ends in {suffix}, but it is not packed by {kind}")
    return Source(name, path, packed, state)


@contextmanager
def long_fields() -> Iterator[None]:
    """Let Python's reader of CSV take fields of any length."""
    before = csv.field_size_limit(1 << 30)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def copied(stream: IO[bytes], path: Path) -> None:
    """Write the bytes of a stream to a new file that only its owner can read."""
    with private_file(path) as written:
        shutil.copyfileobj(stream, written, BLOCK)


def archive_bytes(path: Path) -> IO[bytes]:
    """Open an archive for its bytes, unpacked and checked by what they are packed by."""
    with path.open("rb") as stream:
        first = stream.read(6)
    if first.startswith(b"BZh"):
        return cast("IO[bytes]", bz2.open(path))
    if first.startswith(b"\xfd7zXZ"):
        return cast("IO[bytes]", lzma.open(path))
    return cast("IO[bytes]", gzip.open(path)) if first.startswith(b"\x1f\x8b") else path.open("rb")


def unreadable(path: Path, error: BaseException, what: str = "") -> QuiffError:
    """Return the error that a file cannot be read; one that gzip packed says how far it can."""
    with suppress(QuiffError):
        source = find_source(path)
        if source.packed:
            return damage(source, error)
    return QuiffError(f"cannot read {str(path)!r}{what}: {engine_line(error)}")


def private_file(path: Path) -> IO[bytes]:
    """Open a new file that only its owner can read."""
    path.touch(mode=0o600, exist_ok=False)
    return path.open("wb")


def _state(path: Path) -> tuple[int, int, int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def opened(source: Source) -> IO[bytes]:
    """Open a file for its bytes, unpacked."""
    try:
        if source.packed == "zstd":
            import pyarrow as pa  # only here: `quiff domain` starts without it

            return cast("IO[bytes]", pa.input_stream(str(source.path), compression="zstd"))
        return cast("IO[bytes]", gzip.open(source.path) if source.packed else source.path.open("rb"))
    except OSError as error:
        raise cannot_read(source.name, error) from error


def opened_lines(source: Source) -> BinaryIO:
    """Open a file for its lines, unpacked; one that is longer than any should be is an error, not memory."""
    return bounded_lines(opened(source), source.name)


def bounded_lines(stream: IO[bytes], name: str) -> BinaryIO:
    """Return a stream of the same bytes that raises an error where a line has more than 16 MiB."""
    return cast("BinaryIO", io.BufferedReader(_BoundedLines(stream, name), BLOCK))


class _BoundedLines(io.RawIOBase):
    """The bytes of a stream, as long as its lines are no longer than `LONGEST`."""

    def __init__(self, inner: IO[bytes], name: str) -> None:
        self._inner, self._name, self._lines, self._length = inner, name, 1, 0

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any, /) -> int:
        data = self._inner.read(len(room))
        first, last = data.find(b"\n"), data.rfind(b"\n")
        if self._length + (len(data) if first < 0 else first) > LONGEST:
            raise ParameterError(
                f"it is longer than {LONGEST >> 20} MiB; is it a table?",
                where=f"{self._name!r}, line {self._lines}",
            )
        self._length = self._length + len(data) if last < 0 else len(data) - last - 1
        self._lines += data.count(b"\n")
        room[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._inner.close()
        super().close()


def small_file(path: Path, what: str = "") -> bytes:
    """Return the bytes of a file that is read at once: a regular one of at most 256 MiB."""
    name = f"{what}{str(path)!r}"
    try:
        with path.open("rb") as stream:
            found = os.fstat(stream.fileno())
            if not stat.S_ISREG(found.st_mode) and not stat.S_ISFIFO(found.st_mode):
                kind = "folder" if stat.S_ISDIR(found.st_mode) else "device"
                raise ParameterError(f"cannot read {name}: it is a {kind}; name a file")
            content = stream.read(SMALL + 1)
    except OSError as error:
        raise ParameterError(f"cannot read {name}: {first_line(error)}") from error
    if len(content) > SMALL:
        raise ParameterError(f"{name} is larger than {SMALL >> 20} MiB; split it")
    return content


def blocks(source: Source, size: int = BLOCK) -> Iterator[bytes]:
    """Yield the bytes of a file, unpacked; only the last block may be short."""
    read = 0
    with opened(source) as stream, ThreadPoolExecutor(1) as ahead:  # unpacks one while another is used
        reading = ahead.submit(stream.read, size)
        while True:
            try:
                block = reading.result()
            except DAMAGES as error:
                raise damage(source, error) from error
            if not block:
                break
            reading = ahead.submit(stream.read, size)
            read += len(block)
            yield block
    source.check()
    if not source.packed and read != source.state[2]:
        raise ParameterError(f"{source.name!r} has {source.state[2]} bytes, but {read} could be read")


def damage(source: Source, error: BaseException) -> ParameterError:
    """Return the error that a file cannot be read to its end, which says how far it can."""
    read = lines = 0
    with suppress(ParameterError, *DAMAGES), opened(source) as stream:
        while piece := cast("gzip.GzipFile", stream).read1(BLOCK):
            read, lines = read + len(piece), lines + piece.count(b"\n")
    return ParameterError(
        f"cannot read {source.name!r} to its end: {first_line(error)};"
        f" its first {read} bytes ({lines} lines) are readable, but it is damaged or cut short"
    )
