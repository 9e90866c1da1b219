"""The public data sets: what they are, where they are, whose they are, and how to know the right copy.

quiff holds none of the data, only ``registry.toml``; a data set is fetched when a user asks for it.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from quiff.errors import LabelError


@dataclass(frozen=True)
class Dataset:
    """A public data set at a fixed version."""

    name: str  # the name by which users ask for it
    title: str  # what it is
    url: str  # its source at a fixed version: an address, or ``doi:`` and the DOI of a record of files
    licence: str  # the terms under which its owners publish it
    citation: str  # how to cite it
    file: str  # the name of its file (of its folder, for a record) in the cache and in a mirror
    # The number of bytes; None for a record. Where `folder` is given, that of one copy of the archive.
    size: int | None = None
    # The digest of the file, in hexadecimal; None for a record, whose own digests hold. Where `folder` is
    # given, the digest of that folder's files (see `quiff.logs.archives`).
    sha256: str | None = None
    # The folder of the archive that is the data set. An archive that a server makes anew for each reader
    # keeps its members, but not its bytes.
    folder: str | None = None
    synthetic: bool = False  # whether nobody real is described
    by_hand: bool = False  # whether only a person can download it, after signing in

    @property
    def is_record(self) -> bool:
        """Whether it is a record of several files that has a DOI."""
        return self.url.startswith("doi:")

    @property
    def is_archive(self) -> bool:
        """Whether its file is an archive of files."""
        return self.file.endswith((".zip", ".tar.gz"))


_FILE = Path(__file__).with_name("registry.toml")
DATASETS = MappingProxyType(
    {name: Dataset(name, **entry) for name, entry in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()}
)


def dataset(name: str) -> Dataset:
    """Return the data set of that name."""
    try:
        return DATASETS[name]
    except KeyError:
        raise LabelError(
            f"there is no data set {name!r}; `quiff data list` shows those that there are",
            what="the data set",
            value=name,
        ) from None


def is_of_synthetic_people(path: Path) -> bool:
    """Tell whether a file or its folder has the name of a public data set of synthetic people.

    >>> is_of_synthetic_people(Path("topics-users-250000.csv.tar.gz")), is_of_synthetic_people(Path("a.csv"))
    (True, False)
    """
    names = {path.name, *([path.parent.name] if path.suffix == ".tfrecord" else ())}
    return any(entry.synthetic and entry.file in names for entry in DATASETS.values())
