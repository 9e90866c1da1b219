"""Archives from elsewhere: every member is checked before the first one is read.

A zip or tar file can name places outside the folder that it is unpacked into, or hold far more than
its size tells. Nothing here trusts it: names stay inside, links and devices are refused, and what
comes out is counted against limits while it comes.
"""

import hashlib
import io
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from quiff.errors import QuiffError, SizeError
from quiff.files import whole_folder
from quiff.history.members import Bounded, Member, archive_errors, members, too_much

_BLOCK = 1 << 16


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

    >>> import zipfile
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     with zipfile.ZipFile(Path(place) / "a.zip", "w") as archive:
    ...         archive.writestr("top/lists/it.csv", "url")
    ...         archive.writestr("top/README", "hello")
    ...     [(name, stream.read()) for name, stream in read_files(Path(place) / "a.zip", "lists")]
    [('it.csv', b'url')]
    """
    check_archive(path, limits)
    for member in _checked(path, limits):
        name = member.name if folder is None else _relative(member.name, folder)
        if member.kind == "file" and name:
            with archive_errors(path):
                stream = member.open()
            if stream is not None:
                with stream:  # an open one would keep the archive open
                    yield name, io.BufferedReader(Bounded(stream, member.size, path), _BLOCK)


def files_digest(path: Path, folder: str, limits: Limits = _LIMITS) -> str:
    """Return one SHA-256 digest of all files in a folder of an archive, whatever packed them.

    It is the digest of the lines that ``sha256sum`` prints for the files, sorted by the bytes of their
    names.
    """
    digests = {
        name: hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]
        for name, stream in read_files(path, folder, limits)
    }
    lines = (f"{digests[name]}  {name}\n".encode() for name in sorted(digests, key=str.encode))
    return hashlib.sha256(b"".join(lines)).hexdigest()


def unpack(
    path: Path, target: Path, folder: str | None = None, limits: Limits = _LIMITS, *, force: bool = False
) -> Path:
    """Write the files of an archive into the new folder `target`: all of them, or none.

    Owners, rights and times that the archive tells are not taken over. With `force`, a folder is replaced
    that holds nothing but what quiff wrote there.
    """
    with whole_folder(target, force=force, inputs=[path]) as new:
        for name, stream in read_files(path, folder, limits):
            place = new / name
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("xb") as file:
                shutil.copyfileobj(stream, file, _BLOCK)
    return target


def _relative(name: str, folder: str) -> str | None:
    """Return a member's path below top/folder, None if it is elsewhere."""
    _, _, below_top = name.partition("/")
    first, _, rest = below_top.partition("/")
    return rest if first == folder else None


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
