"""The classification that belongs to a synthetic log."""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quiff.core.numbers import Array
from quiff.history.synth.law import N_DOMAINS, N_THEMES
from quiff.history.synth.names import CLASSIFIED_SUFFIXES, N_NAMES, Names
from quiff.history.synth.words import made_up_words

# Three in ten of the popular domains are classified: about 5 000, as in the paper, with one visit in six.
_POPULAR, _SHARE = 17_000, 0.3
_NEVER_VISITED = 2_000
_WITHOUT_TOPICS = 100
_MOST_TOPICS = (1, 1, 1, 1, 1, 1, 1, 1, 2, 3)


@dataclass(frozen=True)
class Classification:
    """The topics, one for each theme, and the topics of each classified domain."""

    topics: tuple[str, ...]
    domains: dict[str, tuple[str, ...]]


def classification(rng: np.random.Generator, names: Names) -> Classification:
    """Return a classification: each domain has the topic of its theme, and one in five has others too.

    There are also domains without topics, domains that nobody visits, and a few public suffixes.

    >>> rng = np.random.default_rng(1)
    >>> made_up = classification(rng, Names.make(rng))
    >>> len(made_up.topics), set(made_up.domains["gov.uk"]) <= set(made_up.topics)
    (150, True)
    """
    topics = tuple(word.upper() for word in made_up_words(rng, N_THEMES, 2))
    visited = np.flatnonzero(rng.random(_POPULAR) < _SHARE)
    never = N_DOMAINS + rng.choice(N_NAMES - N_DOMAINS, _NEVER_VISITED, replace=False)
    ranks = np.concatenate([visited, never])
    classified = [*names.domains(ranks).to_pylist(), *CLASSIFIED_SUFFIXES]
    themes = np.concatenate([ranks % N_THEMES, rng.integers(N_THEMES, size=len(CLASSIFIED_SUFFIXES))])
    domains = dict(zip(classified, _topics_of(rng, themes, topics), strict=True))
    for position in rng.choice(visited.shape[0], _WITHOUT_TOPICS, replace=False):
        domains[classified[position]] = ()
    return Classification(topics, dict(sorted(domains.items())))


def _topics_of(rng: np.random.Generator, themes: Array, topics: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return for each theme its topic and up to two others, sorted."""
    most = rng.choice(_MOST_TOPICS, themes.shape[0])
    others = rng.integers(N_THEMES, size=(themes.shape[0], max(_MOST_TOPICS) - 1))
    chosen = np.column_stack([themes, others]).tolist()
    rows = zip(chosen, most.tolist(), strict=True)
    return [tuple(sorted({topics[theme] for theme in row[:n]})) for row, n in rows]


def write_classification(path: Path, domains: dict[str, tuple[str, ...]]) -> None:
    """Write a classification in the form of the paper's published files: an index, domain and topics."""
    with path.open("x", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["", "domain", "topics"])
        for index, (domain, topics) in enumerate(domains.items()):
            writer.writerow([index, domain, ", ".join(f"'{topic}'" for topic in topics)])
