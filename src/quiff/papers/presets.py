"""Settings to begin with: the Topics API's own taxonomies, and the what-ifs of the paper."""

import re

from quiff.apis.topics import TopicsAPI
from quiff.papers.tables import TABLES
from quiff.theory.taxonomies import TAXONOMY_SIZES


def presets() -> dict[str, str]:
    """Return settings by name, as ``--api`` takes them, with every parameter.

    The taxonomies are those of the paper's table of theoretical limits, with the sizes that they really have.
    The others are its settings for a taxonomy of 629 topics that keep the capacity of version 1.

    Examples
    --------
    >>> list(presets().items())[1]
    ('Google Topics API v2', 'topics:n_topics=469,top_s=5,noise=0.05')
    """
    names = TABLES["theoretical-google"]["rows"].values()
    made = {name: TopicsAPI(size) for name, size in zip(names, TAXONOMY_SIZES.values(), strict=True)}
    for row in TABLES["theoretical-worst-case"]["rows"].values():
        m, r, s = re.findall(r"[\d.]+", row)
        if int(m) not in TAXONOMY_SIZES.values():
            title = f"Paper's what-if: {m} topics, sets of {s}, noise {r}"
            made[title] = TopicsAPI(int(m), int(s), float(r))
    return {
        name: f"{api.name}:{','.join(f'{key}={value}' for key, value in api.parameters().items())}"
        for name, api in made.items()
    }
