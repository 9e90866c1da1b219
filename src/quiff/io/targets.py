"""What an output may replace: nothing that quiff did not write, and never an input.

What is there already is replaced only where that is asked for (``force=True``, ``--force``), and only a
regular file, or a folder that holds nothing but what quiff wrote into it: a marker in the folder lists that.
A device, a pipe, an input, a part of one, or a folder that one lies in is never replaced. A symbolic link is
no place for an output: neither it nor what it points to is written.
"""

import json
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from quiff.errors import ParameterError, cannot_write, setting
from quiff.io import scratch

StrPath = str | os.PathLike[str]  # what names a file
MARKER = ".quiff-wrote"
"""The file in a folder that lists what quiff wrote there. Spark and DuckDB read no file of such a name."""

_KINDS = {
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}
_LONGEST_NAME, _LONGEST_PATH = 255, 4095  # bytes


def as_path(path: object) -> Path:
    """Return what names a file; anything else is told in one line.

    >>> as_path("profiles.csv").suffix
    '.csv'
    """
    if not isinstance(path, str | os.PathLike):
        given = f"{repr(path).partition(chr(10))[0]:.40} ({type(path).__name__})"
        raise ParameterError(f"the name of a file was expected, such as 'profiles.parquet', not {given}")
    check_name(path)
    return Path(path)


def check_name(path: StrPath) -> None:
    """Raise an error for what no file is called: a part of more than 255 bytes, a null, half a character."""
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError:
        raise ParameterError(f"{str(path)[:40]!r} is no name of a file: it has half a character") from None
    if b"\0" in name or max(map(len, name.split(b"/"))) > _LONGEST_NAME or len(name) > _LONGEST_PATH:
        raise ParameterError(
            f"{os.fsdecode(name)[:40]!r}... is no name of a file: it is too long, or has a null in it"
        )


def check_suffix(path: StrPath, suffixes: Sequence[str]) -> None:
    """Raise an error unless a file's name ends in one of some suffixes."""
    if as_path(path).suffix.lower() not in suffixes:
        *others, last = suffixes
        ends = f"{', '.join(others)} or {last}" if others else last
        raise ParameterError(
            what="the name of the output", value=os.fspath(path), allowed=f"one that ends in {ends}"
        )


def check_target(
    path: StrPath,
    *,
    force: bool = False,
    inputs: Iterable[StrPath] = (),
    folder: bool = False,
    parents: bool = True,
) -> None:
    """Raise an error if an output must not be written, before any work is done.

    A `folder` may be there already if it is empty. The rest is as in :func:`quiff.io.whole_file`.
    """
    shown = os.fspath(path)
    target = resolved(path)
    for source in inputs:
        _check_input(shown, target, source)
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        check_link(path)
        check_place(shown, target.parent, parents)
        return
    except OSError as error:
        raise cannot_write(shown, error) from error
    if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
        check_link(path)
    if stat.S_ISDIR(mode):
        _check_folder(Path(path), target, force, folder)
    elif not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "no file")
        raise cannot_write(shown, f"it is {kind}; name a file")
    elif folder:
        raise cannot_write(shown, "it is a file; name a new or empty folder")
    elif not force:
        raise cannot_write(shown, f"the file is there already; {_replacing()}")
    check_place(shown, target.parent, parents)


def check_link(path: StrPath) -> None:
    """Raise an error if a path is a symbolic link, whatever it points to."""
    if Path(path).is_symlink():
        to = os.fspath(Path(path).readlink())
        raise cannot_write(path, f"it is a link to {to!r}; name that, or another")


def resolved(path: StrPath) -> Path:
    """Return what a path names after all links."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError) as error:  # links in a circle
        raise cannot_write(path, error) from error


def check_place(shown: str, folder: Path, parents: bool) -> None:
    """Raise an error if nothing can be made in a folder, or `parents` is not given and it is missing."""
    place = next(place for place in (folder, *folder.parents) if place.exists())
    if not place.is_dir():
        raise ParameterError(f"cannot write to {str(place)!r}: it is no folder; name a folder")
    if place != folder and not parents:
        raise cannot_write(shown, f"there is no folder {str(folder)!r}; make it first")
    if not os.access(place, os.W_OK | os.X_OK):
        raise cannot_write(shown, f"nothing may be written in the folder {str(place)!r}")


def _check_folder(shown: Path, target: Path, force: bool, folder: bool) -> None:
    """Raise an error if a folder must not be replaced."""
    scratch.sweep(target)
    names = (entry.name for entry in target.iterdir())
    held = min(names, key=lambda name: (name == MARKER, name), default=None)
    if folder and held is None:
        return
    if not folder and not (target / MARKER).is_file():
        raise cannot_write(shown, "it is a folder; name a file")
    if not force:
        raise cannot_write(shown, f"the folder holds {held!r} already; {_replacing()}")
    check_written(shown, target)


def check_written(shown: Path, folder: Path) -> None:
    """Raise an error, naming the first strange entry, unless quiff wrote all that is in a folder."""
    try:
        wrote = set(json.loads((folder / MARKER).read_text(encoding="utf-8"))["wrote"])
    except (OSError, ValueError, LookupError, TypeError):
        raise cannot_write(
            shown,
            f"the folder has no list {MARKER} of what quiff wrote there, and is left alone; name another",
        ) from None
    links = {name for name in entries(folder) if Path(folder, name).is_symlink()}
    strange = sorted((set(entries(folder)) - wrote) | links)
    if strange:
        raise cannot_write(
            shown,
            f"the folder also holds {strange[0]!r}, which quiff did not write, and is left alone; name"
            " another",
        )


def _check_input(shown: str, target: Path, source: StrPath) -> None:
    """Raise an error if a target is an input, holds one, or is part of one."""
    try:
        path = Path(source).resolve()
        if not path.exists():
            return
        above = {_identity(place) for place in (*path.parents, *Path(source).absolute().parents)}
        there = _identity(target) if target.exists() else None
        if target == path or there == _identity(path):
            raise cannot_write(shown, f"it is the input {os.fspath(source)!r}; name another")
        if there in above:
            raise cannot_write(shown, f"the input {os.fspath(source)!r} lies in it; name another")
        if path.is_dir() and _is_part(target, there, path):
            raise cannot_write(shown, f"it belongs to the input {os.fspath(source)!r}; name another")
    except OSError as error:
        raise cannot_write(shown, error) from error


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


def _is_part(target: Path, there: tuple[int, int] | None, folder: Path) -> bool:
    """Say if a target is a file of a folder that is read, by whatever name, or would be one of its parts."""
    inside = any(place.exists() and place.samefile(folder) for place in target.parents)
    if there is None:
        return inside and any(folder.glob("part-*"))
    if inside or not target.is_file() or target.stat().st_nlink < 2:
        return inside
    files = (Path(place, name) for place, _, names in os.walk(folder) for name in names)
    return any(there == _identity(file) for file in files if file.exists())


def entries(folder: Path) -> Iterator[str]:
    """Yield all that is in a folder and below but its marker, by names relative to it."""
    for place, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = Path(place, name).relative_to(folder).as_posix()
            if path != MARKER:
                yield path


def _replacing() -> str:
    return f"use {setting('force', True)} to replace it, or name another"
