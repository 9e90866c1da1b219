"""Records of several files that have a DOI: the digests are those that the record itself tells.

They are kept beside the files, in ``digests.json``, so that cache and mirror can be checked later
without a network.
"""

import hashlib
import json
import re
from functools import partial
from pathlib import Path

from quiff.errors import LabelError, QuiffError, first_line
from quiff.files import whole_file
from quiff.history.download import cache_folder, download, network_errors
from quiff.history.members import safe_name
from quiff.history.registry import Dataset
from quiff.history.time_limit import TimeLimit

_DIGESTS = "digests.json"
_LIMIT = 50 * 10**9  # Zenodo takes no larger record


def fetch_record(entry: Dataset, member: str, mirror: Path | None, time: TimeLimit) -> Path:
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
        _provide(entry, folder / name, digests[name], time if mirror is None else None)
    return folder / member if member else folder


def _provide(entry: Dataset, path: Path, digest: str, time: TimeLimit | None) -> None:
    """Check a file and, if there is time for the network, fetch it if it is not the right one."""
    try:
        _check(digest, str(path), path)
    except QuiffError:
        if time is None:
            raise
        url = f"{entry.url}/{path.name}"
        download(url, path, partial(_check, digest, url), time, limit=_LIMIT)


def _check(expected: str, source: str, path: Path) -> None:
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
        raise QuiffError(f"cannot read {str(path)!r}: {error}") from error
    return _valid(digests, str(path))


def _ask(entry: Dataset, path: Path, time: TimeLimit) -> dict[str, str]:
    """Ask the record for its files and their digests, and keep the answer."""
    import pooch

    record = pooch.create(path=path.parent, base_url=entry.url)
    with network_errors(entry.url):
        time.run(record.load_registry_from_doi, entry.url)
    digests = _valid(record.registry, entry.url)
    with whole_file(path, force=True, parents=True, private=False) as scratch:
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
