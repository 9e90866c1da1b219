"""The columns of a channel that reports topics: those with a name, and the rest of the taxonomy."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import final

import numpy as np

from quiff.core.labels import Labels, as_labels
from quiff.core.numbers import Array
from quiff.errors import ParameterError

__all__ = ["TaxonomyLabels", "Unnamed", "place_in_taxonomy"]


@final
@dataclass(frozen=True, order=True)
class Unnamed:
    """A topic of which only the place in the taxonomy is known."""

    place: int

    def __str__(self) -> str:
        return f"unnamed {self.place}"


@final
class TaxonomyLabels(Labels):
    """Some topics by name, and as many unnamed ones as bring their number to `size`.

    Examples
    --------
    >>> TaxonomyLabels(as_labels(["Music", "News"]), 4)
    Labels('Music', 'News', Unnamed(place=2), Unnamed(place=3); 4)
    """

    def __init__(self, known: Labels, size: int) -> None:
        self.known = known
        self._size = size

    @property
    def size(self) -> int:
        return self._size

    def _label(self, position: int) -> Hashable:
        return self.known[position] if position < self.known.size else Unnamed(position)

    def _find(self, label: Hashable) -> int | None:
        if isinstance(label, Unnamed) and self.known.size <= label.place < self._size:
            return label.place
        return self.known._find_any(label)


def place_in_taxonomy(codes: Array, topics: Labels, n_topics: int) -> tuple[Array, Labels]:
    """Return sets of topics as codes into a taxonomy of m topics, and the m topics.

    The taxonomy is made of the given topics and of unnamed ones. If there are more topics than m, only
    those that occur keep their names.

    Parameters
    ----------
    codes
        An array of positions in `topics`.
    topics
        The topics that may be named.
    n_topics
        The size m of the taxonomy.

    Examples
    --------
    >>> codes, taxonomy = place_in_taxonomy(np.array([[0, 2]]), as_labels(["Art", "Music", "News"]), 2)
    >>> codes.tolist(), list(taxonomy)
    ([[0, 1]], ['Art', 'News'])

    Raises
    ------
    ParameterError
        If more than m topics occur.
    """
    if n_topics == topics.size:
        return codes, topics
    if n_topics > topics.size:
        return codes, TaxonomyLabels(topics, n_topics)
    occurring = np.flatnonzero(np.bincount(codes.reshape(-1), minlength=topics.size))
    if occurring.shape[0] > n_topics:
        raise ParameterError(
            f"n_topics is {n_topics}, but {occurring.shape[0]} topics occur in the sets; "
            f"n_topics must be at least {occurring.shape[0]}"
        )
    place = np.zeros(topics.size, dtype=np.intp)
    place[occurring] = np.arange(occurring.shape[0])
    named = as_labels([topics[int(code)] for code in occurring], "topic")
    return place[codes], TaxonomyLabels(named, n_topics)
