"""The topics of a taxonomy by its name, for sets that are filled as the browser fills them."""

import os
from pathlib import Path

from quiff.errors import ParameterError
from quiff.theory.taxonomies import TAXONOMY_NUMBERS


def taxonomy_topics(name: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the topics of taxonomy v1 or v2, which are numbers, or those in a file, one a line.

    >>> taxonomy_topics("v1")[-1], taxonomy_topics("v2")[-1]
    ('349', '629')
    """
    name = os.fspath(name)
    if name in TAXONOMY_NUMBERS:
        return tuple(str(number) for number in sorted(TAXONOMY_NUMBERS[name]))
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
