"""Archives from elsewhere: every member is checked before the first one is read.

A zip or tar file can name places outside the folder that it is unpacked into, or hold far more than
its size tells. Nothing here trusts it: names stay inside, links and devices are refused, and what
comes out is counted against limits while it comes.
"""

import bz2
import gzip
import hashlib
import io
import lzma
import re
import shutil
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
from quiff.io import whole_folder

_BROKEN = (
    OSError, EOFError, ValueError, LookupError, RuntimeError,
    zlib.error, lzma.LZMAError, struct.error, zipfile.BadZipFile, tarfile.TarError,
)  # fmt: skip
_DEVICES = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3]) *", re.IGNORECASE)
_BLOCK = 1 << 16
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
    """Tell whether a part of a path names an entry of its folder, on every system."""
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
        self._inner, self._budget, self._left, self._path = inner, budget, budget, path

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


@dataclass(frozen=True)
class Limits:
    """How much an archive may hold."""

    members: int = 10_000  # the number of members
    size: int = 16 << 30  # the number of bytes in all
    ratio: int = 200  # the number of bytes in all for each byte of the archive
    free: int = 1 << 20  # a number of bytes that no ratio forbids: a short text may be packed very small

    def allowance(self, path: Path) -> int:
        """Return how many bytes may come out of this archive."""
        return min(self.size, max(self.free, self.ratio * path.stat().st_size))


_LIMITS = Limits()


def check_archive(path: Path, limits: Limits = _LIMITS) -> None:
    """Raise an error unless every member of the zip or tar file is harmless.

    A tar file is unpacked for this, byte by byte within the limits, and nothing is kept.
    """
    for _ in _checked(path, limits):
        pass


def read_files(
    path: Path, folder: str | None = None, limits: Limits = _LIMITS
) -> Iterator[tuple[str, IO[bytes]]]:
    """Check an archive, then yield name and stream of each file; a stream lives until the next one.

    It is a zip file, or a tar file that may be packed by gzip, bzip2 or xz. With `folder`, only the files in
    this folder of the archive's top folder are taken, with names relative to it.
    """
    check_archive(path, limits)
    for member in _checked(path, limits):
        name = member.name
        if folder is not None:  # below the archive's top folder
            _, first, rest = [*name.split("/", 2), "", ""][:3]
            name = rest if first == folder else ""
        if member.kind == "file" and name:
            with archive_errors(path):
                stream = member.open()
            if stream is not None:
                with stream:  # an open one would keep the archive open
                    yield name, io.BufferedReader(Bounded(stream, member.size, path), _BLOCK)


def files_digest(path: Path, folder: str) -> str:
    """Return one SHA-256 digest of all files in a folder of an archive, whatever packed them.

    It is the digest of the lines that ``sha256sum`` prints for the files, sorted by the bytes of their
    names.
    """
    digests = {
        name: hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]
        for name, stream in read_files(path, folder)
    }
    lines = (f"{digests[name]}  {name}\n".encode() for name in sorted(digests, key=str.encode))
    return hashlib.sha256(b"".join(lines)).hexdigest()


def unpack(path: Path, target: Path, folder: str | None = None, *, force: bool = False) -> Path:
    """Write the files of an archive into the new folder `target`: all of them, or none.

    Owners, rights and times that the archive tells are not taken over. With `force`, a folder is replaced
    that holds nothing but what quiff wrote there.
    """
    with whole_folder(target, force=force, inputs=[path]) as new:
        for name, stream in read_files(path, folder):
            place = new / name
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("xb") as file:
                shutil.copyfileobj(stream, file, _BLOCK)
    return target


def _checked(path: Path, limits: Limits) -> Iterator[Member]:
    """Yield each member once it has passed all checks that can be made before the next one is seen."""
    with archive_errors(path):
        allowance = limits.allowance(path)
        names: set[str] = set()
        total = 0
        for count, member in enumerate(members(path, allowance), start=1):
            total += member.size
            if count > limits.members:
                raise SizeError(f"the archive {str(path)!r} has more than {limits.members} members")
            if total > allowance:
                raise too_much(path, allowance)
            if member.kind not in ("file", "folder"):
                raise QuiffError(
                    f"the archive {str(path)!r} has the member {member.name!r}, which is {member.kind};"
                    " only files and folders are taken"
                )
            if member.kind == "file":
                if not member.name or member.name in names:
                    raise QuiffError(f"the archive {str(path)!r} has a file {member.name!r} too many")
                names.add(member.name)
            yield member
