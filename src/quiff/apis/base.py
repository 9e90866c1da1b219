"""What every API answers, and the first steps that APIs share."""

import re
from abc import ABC, abstractmethod

import numpy as np

from quiff.core.channel import Channel
from quiff.populations.histories import Histories
from quiff.populations.population import Population


class Api(ABC):
    """An API under study: its parameters, and the channels that it makes of a population.

    A new API is a frozen dataclass with its parameters and one method, `set_channel`. An API whose report
    depends on more than the user's set of topics also overrides `channel`.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from quiff.populations.population import Population
    >>> @dataclass(frozen=True)
    ... class WholeSet(Api):
    ...     def set_channel(self, population):
    ...         return Channel.identity(population.distinct_sets()[0])
    >>> people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}, "Carol": {1, 2}})
    >>> WholeSet().channel(people)
    Channel from 3 inputs to 2 outputs
           {1, 2}  {2, 3}
    Alice  1       0
    Bob    0       1
    Carol  1       0
    """

    @property
    def name(self) -> str:
        """The name of the API in results: that of its class, in lower case with underscores."""
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", type(self).__name__)
        return words.lower()

    @abstractmethod
    def set_channel(self, population: Population) -> Channel:
        """Return the channel from the distinct sets of a population to reports: what an analyst sees."""

    def channel(self, population: Population) -> Channel:
        """Return the channel from users to reports: what an adversary sees who wants to know the user."""
        return set_of_user(population) @ self.set_channel(population)

    def stages(self, population: Population) -> dict[str, Channel]:
        """Return the channels from users to what is left of them after each step, by name, in order."""
        return {"generalization": set_of_user(population), self.name: self.channel(population)}


def browsing(source: Population | Histories) -> Channel:
    """Return C_BH, the channel from users to their browsing histories (paper, Sec. 3.1).

    It is the identity as long as no two users share a history. A population holds no histories: there,
    everybody is taken to have one of their own, which is named after the user.

    Examples
    --------
    >>> visits = {"Alice": ["news.tld"], "Bob": ["news.tld"], "Carol": ["art.tld", "news.tld"]}
    >>> browsing(Histories.from_visits(visits, {}))
    Channel from 3 inputs to 2 outputs
           ('news.tld',)  ('art.tld', 'news.tld')
    Alice  1              0
    Bob    1              0
    Carol  0              1
    """
    if isinstance(source, Population):
        return Channel.identity(source.users)
    return Channel.deterministic_from_codes(source.users, np.asarray(source.which), source.distinct)


def set_of_user(population: Population) -> Channel:
    """Return the channel that gives each user of a population their set of topics.

    Examples
    --------
    >>> set_of_user(Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}}))
    Channel from 2 inputs to 2 outputs
           {1, 2}  {2, 3}
    Alice  1       0
    Bob    0       1
    """
    sets, which = population.distinct_sets()
    return Channel.deterministic_from_codes(population.users, which, sets)
