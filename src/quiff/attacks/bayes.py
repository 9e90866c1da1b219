"""The Bayes-optimal adversary who knows everybody's profile and sees what one site observes."""

from dataclasses import dataclass
from typing import ClassVar, Literal, Self, final

import numpy as np

from quiff.apis.topics import TopicsAPI
from quiff.attacks.base import Attack, Paper, Sighting
from quiff.attacks.ranking import ItemSets, Queries, ranked_best
from quiff.core.labels import Labels, same
from quiff.core.numbers import Array
from quiff.errors import ParameterError, counted
from quiff.people.population import Population


def codes_in_taxonomy(population: Population, topics: Labels) -> Array:
    """Return the sets of a population as positions in a taxonomy, (epochs, users, s).

    >>> from quiff.core.labels import as_labels
    >>> people = Population.from_sets({"Alice": {"Music", "News"}})
    >>> codes_in_taxonomy(people, as_labels(["Art", "Music", "News"])).tolist()
    [[[1, 2]]]
    """
    place = np.zeros(population.topics.size, dtype=np.int32)
    used = population.topics.positions(population.occurring, "topic")
    place[used] = topics.positions(population.occurring, "topic")
    return np.asarray(place[population.sets])


def check_profiles(population: Population, sighting: Sighting) -> None:
    """Raise a ParameterError unless a population has the profiles of the users that a site saw.

    >>> from quiff.browser.reports import Reports
    >>> seen = Sighting.of(Reports(["Alice"], [0], ["Art"], [[[0]]]), 0, 1)
    >>> check_profiles(Population.from_sets({"Bob": {"Art"}}), seen)
    Traceback (most recent call last):
    quiff.errors.ParameterError: the reports are of 1 user, but the profiles are of others, or merged; give \
the profiles of the same users in the same order
    """
    if sighting.shows != "topic":
        raise ParameterError(
            "these are outputs of another API, not topics of the profiles; use attack(people, api)"
        )
    if population.merged or not same(population.users, sighting.users):
        raise ParameterError(
            f"the reports are of {counted(sighting.users.size, 'user')}, but the profiles are of others, or "
            "merged; give the profiles of the same users in the same order"
        )
    if 1 < population.n_epochs < sighting.codes.shape[1]:
        raise ParameterError(
            f"there are profiles for {population.n_epochs} epochs, but reports of {sighting.codes.shape[1]}; "
            "give profiles for each, or stable ones",
            what="profiles",
            value=population.n_epochs,
        )


def given_profiles(attack: type[Attack], population: Population | None) -> Population:
    """Return the profiles that an attack needs."""
    if population is None:
        raise ParameterError(
            f"the attack {attack.name!r} needs the profiles of the users, and there are none"
        )
    return population


@final
@dataclass(frozen=True, eq=False)
class BayesProfiles(Attack):
    """Guess the user whose profile makes the observations most probable.

    The observations of E epochs have probability p^k q^(E-k) for a user whose sets have k of them, so the
    best guess has the most. Those who are equally probable share the guess. If all users are equally probable
    to be the target, the probability to succeed is exactly the posterior Bayes vulnerability of E
    observations (paper, Sec. 4.1), which no other attack on what one site sees of a target can exceed.

    Parameters
    ----------
    population
        The users with their sets, stable or one for each epoch. The sets of the first epochs are those that
        a first call shows.

    Examples
    --------
    >>> from quiff.browser.reports import Reports
    >>> people = Population.from_sets({"Alice": {"Art", "Music"}, "Bob": {"News", "Music"}})
    >>> reports = Reports(people.users, [0], people.topics, [[[0, 1, 0], [1, 1, 1]]])
    >>> seen = Sighting.of(reports, 0, 3)
    >>> BayesProfiles(people).tied(seen, seen, np.array([0, 1])).tolist()
    [1, 2]
    """

    population: Population

    name: ClassVar[str] = "bayes-profiles"
    paper: ClassVar[Paper] = Paper(
        "M. S. Alvim, N. Fernandes, A. McIver and G. H. Nunes",
        "The Privacy-Utility Trade-off in the Topics API",
        "CCS 2024",
        "10.1145/3658644.3670368",
    )
    counts: ClassVar[Literal["unique", "ties"]] = "ties"
    sites: ClassVar[Literal[1, 2]] = 1

    @classmethod
    def against(cls, api: TopicsAPI, population: Population | None) -> Self:  # noqa: ARG003 - not needed
        return cls(given_profiles(cls, population))

    def tied(self, known: Sighting, query: Sighting, targets: Array) -> Array:  # noqa: ARG002 - one site
        """Return how many users fit each target's observations best, the right one among them; else 0."""
        columns, m = query.codes.shape[1], query.topics.size
        check_profiles(self.population, query)
        sets = codes_in_taxonomy(self.population, query.topics)
        if sets.shape[0] == 1:
            candidates, rows = ItemSets.from_rows(sets[0], m), query.codes[targets]
        else:
            shift = m * np.arange(columns, dtype=np.int32)
            by_user = (sets[:columns] + shift[:, None, None]).transpose(1, 0, 2).reshape(sets.shape[1], -1)
            candidates = ItemSets.from_rows(by_user, m * columns)
            rows = np.where(query.codes[targets] < 0, -1, query.codes[targets] + shift)
        return ranked_best(candidates, Queries.counted(rows), targets)
