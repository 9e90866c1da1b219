"""What a zip or tar file says that it holds, member by member, in order.

Nothing here is trusted yet; `quiff.history.archives` decides what is taken.
"""

import bz2
import gzip
import io
import lzma
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

from quiff.errors import QuiffError, SizeError, first_line

_BROKEN = (
    OSError, EOFError, ValueError, LookupError, RuntimeError,
    zlib.error, lzma.LZMAError, struct.error, zipfile.BadZipFile, tarfile.TarError,
)  # fmt: skip
_DEVICES = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3]) *", re.IGNORECASE)
_LEAVES = re.compile(r"[.]{2}[. ]*|[A-Za-z]:")  # Windows reads ".. " as "..", and "C:" as a drive
_OPENERS: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open, b"\xfd7": lzma.open}


@dataclass(frozen=True)
class Member:
    """One entry of an archive."""

    name: str  # its path, which stays inside the folder
    size: int  # the number of bytes that it declares
    kind: str  # "file", "folder", or what it is instead
    open: Callable[[], IO[bytes] | None]  # opens its content, while it is the current entry


def safe_name(name: str) -> str:
    r"""Return a member's path with plain slashes, if it stays inside the folder; else raise an error.

    On every system: no drive, stream or device of Windows, and no end in a dot or a blank.

    >>> safe_name("./lists\\global.csv")
    'lists/global.csv'
    >>> safe_name("lists/../../.bashrc")
    Traceback (most recent call last):
    quiff.errors.QuiffError: the archive has the member 'lists/../../.bashrc', which would leave its folder
    """
    path = name.replace("\\", "/")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or any(map(_LEAVES.fullmatch, parts)):
        raise QuiffError(f"the archive has the member {name!r}, which would leave its folder")
    if not all(map(_is_plain, parts)):
        raise QuiffError(f"the archive has the member {name!r}, which is no plain name on every system")
    if not name.isprintable():
        raise QuiffError(f"the archive has the member {name!r}, a name with unprintable characters")
    return "/".join(parts)


def _is_plain(part: str) -> bool:
    """Tell whether a part of a path names an entry of its folder, on every system.

    Windows leaves out dots and blanks at the end, takes what follows a colon for a stream, and keeps names
    for devices, with any ending.
    """
    return ":" not in part and part[-1] not in ". " and not _DEVICES.fullmatch(part.partition(".")[0])


def members(path: Path, allowance: int) -> Iterator[Member]:
    """Yield the entries of an archive, out of which no more than `allowance` bytes may come."""
    with path.open("rb") as file:
        start = file.read(2)
    if start == b"PK":
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                name = safe_name(info.orig_filename)
                yield Member(name, info.file_size, _zip_kind(info), partial(archive.open, info))
    else:
        with (
            _OPENERS.get(start, open)(path, "rb") as unpacked,
            tarfile.open(fileobj=Bounded(unpacked, allowance, path), mode="r|") as tar,
        ):
            for entry in tar:
                name = safe_name(entry.name)
                yield Member(name, entry.size, _tar_kind(entry), partial(tar.extractfile, entry))


def _zip_kind(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & 1:
        return "encrypted"
    form = stat.S_IFMT(info.external_attr >> 16)
    if form not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "a link" if form == stat.S_IFLNK else "a device"
    return "folder" if info.is_dir() else "file"


def _tar_kind(entry: tarfile.TarInfo) -> str:
    if entry.islnk() or entry.issym():
        return "a link"
    if entry.issparse() or entry.size < 0:
        return "a file of a false size"
    if entry.isdir():
        return "folder"
    return "file" if entry.isreg() else "a device"


def too_much(path: Path, allowance: int) -> SizeError:
    """Return the error that an archive holds more than it may."""
    return SizeError(f"the archive {str(path)!r} holds more than the {allowance} bytes that are allowed")


class Bounded(io.RawIOBase):
    """A stream that ends in an error where it gives more than it may, or where it is broken."""

    def __init__(self, inner: IO[bytes], budget: int, path: Path) -> None:
        self._inner = inner
        self._budget = budget
        self._left = budget
        self._path = path

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._inner.close()
        super().close()

    def readinto(self, buffer: Any, /) -> int:
        with archive_errors(self._path):
            data = self._inner.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise too_much(self._path, self._budget)
        buffer[: len(data)] = data
        return len(data)


@contextmanager
def archive_errors(path: Path) -> Iterator[None]:
    """Tell what goes wrong in an archive as one error of ours."""
    try:
        yield
    except QuiffError:
        raise
    except _BROKEN as error:
        raise QuiffError(f"cannot read the archive {str(path)!r}: {first_line(error)}") from error
