"""The topics of a taxonomy by its name, for sets that are filled as the browser fills them."""

import os
from pathlib import Path

from quiff.errors import ParameterError
from quiff.history.fetch import fetch
from quiff.history.sources.taxonomies import read_taxonomy

__all__ = ["taxonomy_topics"]

_V1 = 349


def taxonomy_topics(
    name: str | os.PathLike[str], mirror: str | os.PathLike[str] | None = None
) -> tuple[str, ...]:
    """Return the topics of taxonomy v1 or v2, or those in a file, one a line.

    Raises
    ------
    ParameterError
        If there is no such taxonomy or file, or the file has no topic.

    Examples
    --------
    >>> taxonomy_topics("v1")[-1]
    '349'
    """
    name = os.fspath(name)
    if name == "v1":  # its numbers have no gaps
        return tuple(str(number) for number in range(1, _V1 + 1))
    if name == "v2":
        return tuple(str(topic.id) for topic in read_taxonomy(fetch("topics-v2", mirror)))
    try:
        lines = Path(name).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ParameterError(
            f"cannot read the taxonomy {name!r}; give v1, v2, or a file with one topic a line"
        ) from error
    topics = tuple(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if not topics:
        raise ParameterError(f"the taxonomy {name!r} has no topic; give one a line")
    return topics
