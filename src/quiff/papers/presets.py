"""Settings to begin with: the Topics API's own taxonomies, and the what-ifs of the paper."""

from fractions import Fraction

from quiff.apis.topics import TopicsAPI
from quiff.papers.limits import GOOGLE_ROWS, WORST_CASE_ROWS
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
    named = {str(size) for size in TAXONOMY_SIZES.values()}
    made = {name: TopicsAPI(size) for name, _, size in GOOGLE_ROWS}
    made |= {
        f"Paper's what-if: {m} topics, sets of {s}, noise {r}": TopicsAPI(int(m), s, float(Fraction(r)))
        for m, r, s, _ in WORST_CASE_ROWS
        if m not in named
    }
    return {
        name: f"{api.name}:{','.join(f'{key}={value}' for key, value in api.parameters().items())}"
        for name, api in made.items()
    }
