"""A data set as a local file: from a mirror, from the cache, or from its source; always checked.

Nothing is fetched unless a user asks for it by name. Of a record of several files that has a DOI, the digests
are those that the record itself tells; they are kept beside the files, in ``digests.json``, so that cache and
mirror can be checked later without a network.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from quiff.errors import LabelError, ParameterError, QuiffError, cannot_read, first_line
from quiff.io import StrPath, whole_file
from quiff.logs.archives import files_digest, safe_name
from quiff.logs.download import USUAL_LIMIT, TimeLimit, cache_folder, download, network_errors
from quiff.logs.registry import Dataset, dataset

_DIGESTS = "digests.json"
_LIMIT = 50 * 10**9  # Zenodo takes no larger record
_ARCHIVE_LIMIT = 64 << 20  # an archive that is made anew has no size of which one can be sure


def fetch(name: str, mirror: StrPath | None = None, *, time_limit: float = USUAL_LIMIT) -> Path:
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
    if entry.by_hand:
        raise QuiffError(
            f"the data set {name!r} is there only for people who sign in: download it from {entry.url}, read"
            " its licence there, unpack it, and give its folder wherever a file of people goes"
        )
    if slash and not entry.is_record:
        raise LabelError(
            f"the data set {name!r} is one file; ask for it by {name!r} alone",
            what="the data set",
            value=name,
        )
    folder = _mirror_with(entry, mirror)
    if entry.is_record:
        return _fetch_record(entry, member, folder, time)
    path, limit = (folder or cache_folder()) / entry.file, _ARCHIVE_LIMIT if entry.folder else entry.size or 0
    network = time if folder is None else None
    return _provided(path, partial(_check, entry), entry.url, network, limit=limit, size=entry.size)


def local_copy(name: str, mirror: StrPath | None = None) -> Path | None:
    """Return the checked copy in the mirror or, unless one is given, in the cache; nothing is fetched.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     print(local_copy("psl", folder))
    None
    """
    entry = dataset(name)
    if entry.by_hand:
        return None
    folders = (
        [Path(mirror)] if mirror else [Path(os.environ.get("QUIFF_MIRROR") or cache_folder()), cache_folder()]
    )
    for folder in folders:
        path = folder / entry.file
        if path.exists():
            _check(entry, str(path), path)
            return path
    return None


def _mirror_with(entry: Dataset, mirror: StrPath | None) -> Path | None:
    """Return the mirror that has a copy; one that is asked for must have it."""
    named = mirror or os.environ.get("QUIFF_MIRROR")
    if not named:
        return None
    folder = Path(named)
    if not folder.is_dir():
        raise ParameterError(what="the mirror", value=str(folder), allowed="a folder")
    if (folder / entry.file).exists():
        return folder
    if mirror:
        raise ParameterError(
            f"the mirror {str(folder)!r} has no {entry.file!r}, the copy of {entry.name!r};"
            f" its source is {entry.url}"
        )
    return None


def _provided(
    path: Path, check: Callable[[str, Path], None], url: str, time: TimeLimit | None, **sizes: Any
) -> Path:
    """Return a file that passes a check; if there is time for the network, it is fetched if it does not."""
    try:
        check(str(path), path)
    except QuiffError:  # it is not there, or damaged
        if time is None:
            raise
        download(url, path, partial(check, url), time, **sizes)
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


def _fetch_record(entry: Dataset, member: str, mirror: Path | None, time: TimeLimit) -> Path:
    """Return the checked folder of a record, or the checked file `member` of it if that is not empty.

    `mirror` is a folder that has a copy of the record's folder, or None for the cache and the network.
    """
    folder = (mirror or cache_folder()) / entry.file
    digests = _known_digests(folder / _DIGESTS)
    if digests is None:
        if mirror is not None:
            raise QuiffError(
                f"{str(folder)!r} has no {_DIGESTS}, so that nothing in it can be checked; copy the whole"
                f" folder {entry.file!r} from the cache of a machine that fetched {entry.name!r}"
            )
        digests = _ask(entry, folder / _DIGESTS, time)
    if member and member not in digests:
        raise LabelError(f"the record {entry.url} has no file {member!r}, but {', '.join(digests)}")
    for name in [member] if member else digests:
        check, url = partial(_check_digest, digests[name]), f"{entry.url}/{name}"
        _provided(folder / name, check, url, time if mirror is None else None, limit=_LIMIT)
    return folder / member if member else folder


def _check_digest(expected: str, source: str, path: Path) -> None:
    algorithm = expected.partition(":")[0]
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, partial(hashlib.new, algorithm, usedforsecurity=False))
    except OSError as error:
        raise QuiffError(f"cannot read {source}: {first_line(error)}") from error
    found = f"{algorithm}:{digest.hexdigest()}"
    if found != expected:
        raise QuiffError(f"{source} has the digest {found} instead of {expected}")


def _known_digests(path: Path) -> dict[str, str] | None:
    try:
        digests = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise cannot_read(path, str(error)) from error
    return _valid(digests, str(path))


def _ask(entry: Dataset, path: Path, time: TimeLimit) -> dict[str, str]:
    """Ask the record for its files and their digests, and keep the answer."""
    import pooch

    record = pooch.create(path=path.parent, base_url=entry.url)
    with network_errors(entry.url):
        time.run(record.load_registry_from_doi, entry.url)
    digests = _valid(record.registry, entry.url)
    with whole_file(path, force=True, public=True) as scratch:
        scratch.write_text(json.dumps(digests, indent=2), encoding="utf-8")
    return digests


def _valid(digests: object, source: str) -> dict[str, str]:
    """Return the digests if each is one of a plain file name."""
    if not isinstance(digests, dict) or not digests:
        raise QuiffError(f"{source} does not list files with digests")
    for name, digest in digests.items():
        if not re.fullmatch(r"md5:[0-9a-f]{32}|sha256:[0-9a-f]{64}", str(digest)):
            raise QuiffError(f"{source} lists {name!r:.200} with the unknown digest {digest!r:.200}")
        if safe_name(name) != name or "/" in name or name == _DIGESTS:
            raise QuiffError(f"{source} lists {name!r:.200}, which is no plain file name")
    return digests
