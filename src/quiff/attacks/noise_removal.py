"""How well an attack tells noise from genuine topics, with precision and recall named rightly."""

from dataclasses import dataclass
from typing import Protocol, final, runtime_checkable

import numpy as np

from quiff.attacks.base import Sighting
from quiff.attacks.bayes import codes_in_taxonomy
from quiff.attacks.ranking import ItemSets
from quiff.core.numbers import Array
from quiff.people.population import Population


@runtime_checkable
class Denoising(Protocol):
    """An attack that leaves out topics as noise."""

    def kept(self, sighting: Sighting) -> ItemSets:
        """Return each user's topics that are not left out as noise."""


@final
@dataclass(frozen=True)
class NoiseRemoval:
    """The topics that a site has seen of its users, each counted once a user: what they are, what was kept.

    A topic is genuine if one of its reports is of an epoch whose set has it, else it is noise. A random topic
    that happens to lie in the set is genuine by this rule.

    >>> found = NoiseRemoval(genuine_kept=90, genuine_removed=10, noise_kept=2, noise_removed=8)
    >>> round(found.precision, 3), found.recall, round(found.kept_precision, 3), found.kept_recall
    (0.444, 0.8, 0.978, 0.9)
    """

    # How many topics are what, and were kept or removed.
    genuine_kept: int
    genuine_removed: int
    noise_kept: int
    noise_removed: int

    def __add__(self, other: "NoiseRemoval") -> "NoiseRemoval":
        names = vars(self)
        return NoiseRemoval(**{name: getattr(self, name) + getattr(other, name) for name in names})

    def shares(self) -> dict[str, float | None]:
        """Return precision and recall of what is removed and of what is kept, by name."""
        names = ("precision", "recall", "kept_precision", "kept_recall")
        return {name: getattr(self, name) for name in names}

    @property
    def precision(self) -> float | None:
        """Of the topics removed as noise, the share that was noise; None if none was removed."""
        return _share(self.noise_removed, self.genuine_removed)

    @property
    def recall(self) -> float | None:
        """Of the noise, the share that was removed; None if there was none."""
        return _share(self.noise_removed, self.noise_kept)

    @property
    def kept_precision(self) -> float | None:
        """Of the topics kept, the share that was genuine; None if none was kept."""
        return _share(self.genuine_kept, self.noise_kept)

    @property
    def kept_recall(self) -> float | None:
        """Of the genuine topics, the share that was kept; None if there was none."""
        return _share(self.genuine_kept, self.genuine_removed)


def noise_removal(attack: Denoising, sighting: Sighting, population: Population) -> NoiseRemoval:
    """Compare what an attack keeps of a site's topics with the sets that they come from.

    >>> from quiff.attacks.jha import JhaStrict
    >>> from quiff.browser.reports import Reports
    >>> people = Population.from_sets({"Alice": {"Art", "Music"}}, ["Art", "Music", "News"])
    >>> reports = Reports(people.users, [0], people.topics, [[[0, 1, 0, 2]]])
    >>> noise_removal(JhaStrict(), Sighting.of(reports, 0, 4), people)
    NoiseRemoval(genuine_kept=1, genuine_removed=1, noise_kept=0, noise_removed=1)
    """
    users, columns = sighting.codes.shape
    sets, m = codes_in_taxonomy(population, sighting.topics), sighting.topics.size
    seen, genuine = np.zeros((2, users, m), dtype=bool)
    for column in range(columns):
        topics = sighting.codes[:, column]
        there = np.flatnonzero(topics >= 0)
        hit = (sets[column % sets.shape[0]][there] == topics[there, None]).any(axis=1)
        seen[there, topics[there]] = True
        genuine[there[hit], topics[there[hit]]] = True
    kept = _table(attack.kept(sighting), m)
    noise = seen & ~genuine
    return NoiseRemoval(
        int((genuine & kept).sum()),
        int((genuine & ~kept).sum()),
        int((noise & kept).sum()),
        int((noise & ~kept).sum()),
    )


def _table(sets: ItemSets, n_topics: int) -> Array:
    table = np.zeros((sets.size, n_topics), dtype=bool)
    table[np.repeat(np.arange(sets.size), np.diff(sets.starts)), sets.items] = True
    return table


def _share(part: int, rest: int) -> float | None:
    return part / (part + rest) if part + rest else None
