"""A data set as a local file: from a mirror, from the cache, or from its source; always checked.

Nothing is fetched unless a user asks for it by name.
"""

import hashlib
import os
from functools import partial
from pathlib import Path

from quiff.errors import LabelError, ParameterError, QuiffError, first_line
from quiff.history.archives import files_digest
from quiff.history.download import cache_folder, download
from quiff.history.records import fetch_record
from quiff.history.registry import Dataset, dataset
from quiff.history.time_limit import USUAL_LIMIT, TimeLimit

_ARCHIVE_LIMIT = 64 << 20  # an archive that is made anew has no size of which one can be sure


def fetch(
    name: str, mirror: str | os.PathLike[str] | None = None, *, time_limit: float = USUAL_LIMIT
) -> Path:
    """Return the checked local file of a data set.

    It is looked for in the folder `mirror` and nowhere else, if that is given. Otherwise in the folder that
    the variable QUIFF_MIRROR names, then in the cache (QUIFF_CACHE, or the operating system's), and then it
    is fetched from its source into the cache. The name of a record of several files stands for their folder;
    a slash and the name of a file after it asks for this one only. After `time_limit` seconds a transfer is
    given up, however slowly something still comes.

    >>> fetch("aol")
    Traceback (most recent call last):
    quiff.errors.LabelError: there is no data set 'aol'; `quiff data list` shows those that there are
    """
    time = TimeLimit(time_limit)
    name, slash, member = name.partition("/")
    entry = dataset(name)
    if slash and not entry.is_record:
        raise LabelError(f"the data set {name!r} is one file; ask for it by {name!r} alone")
    folder = _mirror_with(entry, mirror)
    if entry.is_record:
        return fetch_record(entry, member, folder, time)
    if folder is not None:
        path = folder / entry.file
        _check(entry, str(path), path)
        return path
    return _cached(entry, time)


def _mirror_with(entry: Dataset, mirror: str | os.PathLike[str] | None) -> Path | None:
    """Return the mirror that has a copy; one that is asked for must have it."""
    named = mirror or os.environ.get("QUIFF_MIRROR")
    if not named:
        return None
    folder = Path(named)
    if not folder.is_dir():
        raise ParameterError(f"the mirror {str(folder)!r} is no folder")
    if (folder / entry.file).exists():
        return folder
    if mirror:
        raise ParameterError(
            f"the mirror {str(folder)!r} has no {entry.file!r}, the copy of {entry.name!r};"
            f" its source is {entry.url}"
        )
    return None


def _cached(entry: Dataset, time: TimeLimit) -> Path:
    path = cache_folder() / entry.file
    try:
        _check(entry, str(path), path)
    except QuiffError:  # it is not there, or damaged
        check = partial(_check, entry, entry.url)
        limit = _ARCHIVE_LIMIT if entry.folder else entry.size or 0
        return download(entry.url, path, check, time, limit=limit, size=entry.size)
    return path


def _check(entry: Dataset, source: str, path: Path) -> None:
    """Raise an error that names the source, unless the file is the one of the registry."""
    try:
        if entry.folder is not None:
            digest = files_digest(path, entry.folder)
        else:
            size = path.stat().st_size
            if size != entry.size:
                raise QuiffError(f"it has {size} bytes instead of {entry.size}")
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != entry.sha256:
            raise QuiffError(f"its SHA-256 digest is {digest} instead of {entry.sha256}")
    except (OSError, QuiffError) as error:
        raise QuiffError(f"{source} is not the pinned copy of {entry.name!r}: {first_line(error)}") from error
