"""Jha and others: profiles made of the topics that are seen again, equal or contained in each other."""

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from quiff.attacks.base import Attack, Paper, Sighting, work_through
from quiff.attacks.ranking import ItemSets
from quiff.core.distinct import distinct_codes
from quiff.core.numbers import Array
from quiff.theory.parameters import Real, check_probability, check_whole

_SLICE = 1000


@dataclass(frozen=True)
class _Jha(Attack):
    """What both attacks share: a site keeps the topics that it has seen at least `times` times."""

    times: int = 2

    counts: ClassVar[Literal["unique", "ties"]] = "unique"

    def __post_init__(self) -> None:
        object.__setattr__(self, "times", check_whole("times", self.times, 1))

    def kept(self, sighting: Sighting) -> ItemSets:
        """Return each user's topics that are not left out as noise."""
        return ItemSets.from_rows(_repeated(sighting.codes, self.times), sighting.topics.size)

    def _profiles(self, known: Sighting, query: Sighting) -> tuple[Array, Array]:
        """Return two tables (sites, users): the number of each set of kept topics, and who has it alone."""
        rows = [_repeated(sighting.codes, self.times) for sighting in (known, query)]
        width = max(row.shape[1] for row in rows)
        padded = [np.pad(row, ((0, 0), (0, width - row.shape[1])), constant_values=-1) for row in rows]
        _, kind = distinct_codes(np.concatenate(padded).astype(np.int64) + 1, known.topics.size + 1)
        kinds = kind.reshape(2, -1)
        return kinds, np.stack([np.bincount(each)[each] == 1 for each in kinds])


@final
@dataclass(frozen=True)
class JhaStrict(_Jha):
    """Two users are one if both sites keep the same topics of them, and of nobody else.

    A site keeps the topics that it has seen at least `times` times. The published setting: a topic for each
    epoch and site, and interests that vary from epoch to epoch.

    Parameters
    ----------
    times
        f, how often a topic must be seen to be kept.

    Examples
    --------
    >>> from quiff.browser.reports import Reports
    >>> by_epoch = [[[0, 1, 0], [3, 3, 2]], [[1, 0, 0], [3, 2, 2]]]
    >>> reports = Reports(["Alice", "Bob"], range(2), ["Art", "Music", "News", "Sports"], by_epoch)
    >>> known, query = (Sighting.of(reports, site, 3) for site in (0, 1))
    >>> JhaStrict().tied(known, query, np.array([0, 1])).tolist()
    [1, 0]
    """

    name: ClassVar[str] = "jha-strict"
    paper: ClassVar[Paper] = Paper(
        "N. Jha, M. Trevisan, E. Leonardi and M. Mellia",
        "On the Robustness of Topics API to a Re-Identification Attack",
        "PoPETs 2023",
    )

    def tied(self, known: Sighting, query: Sighting, targets: Array) -> Array:
        kinds, alone = self._profiles(known, query)
        right = alone[0] & alone[1] & (kinds[0] == kinds[1])
        return np.asarray(right[targets], dtype=np.int64)


@final
@dataclass(frozen=True)
class JhaLoose(_Jha):
    """Two users are one if the topics that one site keeps are among all that the other saw, both ways.

    Only users whose kept topics are nobody else's on their site take part, and the match must be the only
    one. A site keeps the topics that it has seen at least `times` times.

    Parameters
    ----------
    times
        f, how often a topic must be seen to be kept.
    coincidence
        In which share of the epochs both must have shown the same topic. The authors' program asks for half
        of what one expects of stable interests, 1/(2s).

    Examples
    --------
    >>> from quiff.browser.reports import Reports
    >>> by_epoch = [[[0, 1, 0], [3, 3, 2]], [[1, 0, 0], [3, 2, 2]]]
    >>> reports = Reports(["Alice", "Bob"], range(2), ["Art", "Music", "News", "Sports"], by_epoch)
    >>> known, query = (Sighting.of(reports, site, 3) for site in (0, 1))
    >>> JhaLoose().tied(known, query, np.array([0, 1])).tolist()
    [1, 1]
    """

    coincidence: Real = 0

    name: ClassVar[str] = "jha-loose"
    paper: ClassVar[Paper] = Paper(
        "N. Jha and others",
        "Re-Identification Attacks against the Topics API",
        "ACM 2024",
        "10.1145/3675400",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "coincidence", check_probability("coincidence", self.coincidence))

    def tied(self, known: Sighting, query: Sighting, targets: Array) -> Array:
        _, alone = self._profiles(known, query)
        kept = [_repeated(sighting.codes, self.times) for sighting in (known, query)]
        everything = ItemSets.from_rows(_repeated(known.codes, 1), known.topics.size)
        least = float(self.coincidence) * known.codes.shape[1]
        matched = np.zeros(targets.shape[0], dtype=np.int64)
        everything.holders  # noqa: B018 - made here, once for all threads

        def match(part: slice) -> None:
            for place in range(*part.indices(targets.shape[0])):
                target = targets[place]
                if not alone[1][target]:
                    continue
                topics, shown = kept[1][target], query.codes[target]
                topics, fitting = topics[topics >= 0], np.zeros(known.topics.size + 1, dtype=bool)
                fitting[shown] = fitting[-1] = True  # where nothing is kept, -1 fits
                scores = everything.scores(topics, np.ones(topics.shape[0], dtype=np.int64))
                users = np.flatnonzero((scores == topics.shape[0]) & alone[0])
                users = users[fitting[kept[0][users]].all(axis=1)]
                codes = known.codes[users]
                users = users[((codes == shown) & (codes >= 0)).sum(axis=1) >= least]
                matched[place] = users.tolist() == [target]

        work_through(match, targets.shape[0], _SLICE)
        return matched


def _repeated(codes: Array, times: int) -> Array:
    """Return the topics that are there at least so many times, as rows with -1 at their ends."""
    ordered = np.sort(codes, axis=1)
    first = np.ones(ordered.shape, dtype=bool)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    lag = min(times - 1, codes.shape[1])
    last = np.pad(ordered[:, lag:], ((0, 0), (0, lag)), constant_values=-1)
    there = first & (ordered == last) & (ordered >= 0)
    kept = np.full((codes.shape[0], max(int(there.sum(axis=1).max()), 1)), -1, dtype=codes.dtype)
    kept[np.nonzero(there)[0], (np.cumsum(there, axis=1) - 1)[there]] = ordered[there]
    return kept
