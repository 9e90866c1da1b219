"""Generalization: from browsing histories to sets of top topics, by chance where the rule says so."""

from collections.abc import Hashable, Mapping
from fractions import Fraction

from quiff.core.channel import Channel
from quiff.core.labels import Labels, SetLabels
from quiff.errors import SizeError
from quiff.populations.sets import codes_of_sets
from quiff.populations.top_set import TopSet

# The most entries that a channel to random sets may have.
_MOST = 1_000_000


def generalize(tops: Mapping[Hashable, TopSet], topics: Labels) -> Channel:
    """Return the channel that gives each history each of its possible sets, all as probable.

    Examples
    --------
    >>> from quiff.core.labels import as_labels
    >>> from quiff.populations.top_set import top_set
    >>> counts = {"x": {"Art": 2, "News": 1, "Pets": 1}, "y": {"Art": 1, "News": 1}}
    >>> tops = {history: top_set(count, 2) for history, count in counts.items()}
    >>> generalize(tops, as_labels(["Art", "News", "Pets"]))
    Channel from 2 inputs to 2 outputs
       {Art, News}  {Art, Pets}
    x  1/2          1/2
    y  1            0

    Raises
    ------
    SizeError
        If there are more than a million possible sets, counted for each history.
    """
    n_sets = sum(top.n_sets for top in tops.values())
    if n_sets > _MOST:
        raise SizeError(
            f"ties and filling up leave {n_sets} possible sets, more than {_MOST}; "
            "fill up from fewer topics, or ask for the channel to reports, which needs no list of the sets"
        )
    possible = {history: list(top.sets()) for history, top in tops.items()}
    distinct = dict.fromkeys(chosen for sets in possible.values() for chosen in sets)
    codes, _ = codes_of_sets({chosen: chosen for chosen in distinct}, topics)
    labels, _ = SetLabels.distinct(codes, topics)
    if n_sets == len(possible):
        return Channel.deterministic({history: sets[0] for history, sets in possible.items()}, labels)
    rows = {history: dict.fromkeys(sets, Fraction(1, len(sets))) for history, sets in possible.items()}
    return Channel.sparse(rows, outputs=labels, rest=Fraction(0))
