"""Reports of one topic: C[x,t] = genuine P[t in the set of x] + anything.

With genuine = 1/s and anything = 0 this is a uniform choice from the set; with (1-r)/s and r/m it is the
Topics API. The set may be fixed, or as random as ties and filling up make it.
"""

from collections.abc import Hashable, Mapping
from typing import Any

from quiff.apis.taxonomy import place_in_taxonomy
from quiff.core.channel import Channel
from quiff.core.labels import Labels
from quiff.core.numbers import Array
from quiff.populations.sets import in_order
from quiff.populations.top_set import TopSet


def report_from_sets(
    inputs: Labels, codes: Array, topics: Labels, n_topics: int, genuine: Any, anything: Any
) -> Channel:
    """Return the report on fixed sets, given as codes into `topics`, over a taxonomy of m topics."""
    placed, taxonomy = place_in_taxonomy(codes, topics, n_topics)
    return Channel.membership_from_codes(
        inputs, placed, outputs=taxonomy, inside=genuine + anything, outside=anything
    )


def report_from_random_sets(
    tops: Mapping[Hashable, TopSet], topics: Labels, n_topics: int, genuine: Any, anything: Any
) -> Channel:
    """Return the report on random sets, exactly: by the chance of each topic, without a list of the sets."""
    chances = {x: top.inclusion() for x, top in tops.items()}
    possible = in_order({topic for row in chances.values() for topic in row})
    _, taxonomy = place_in_taxonomy(topics.positions(possible), topics, n_topics)
    entries = {
        x: {topic: genuine * chance + anything for topic, chance in row.items()}  # genuine P[t in set] + ...
        for x, row in chances.items()
    }
    return Channel.sparse(entries, outputs=taxonomy, rest=anything)
