"""What every attack is: a description with its paper, and one method that is run on what two sites saw."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, Self, final

from quiff.apis.topics import TopicsAPI
from quiff.browser.reports import Reports
from quiff.core.counting.work import cores, in_slices
from quiff.core.labels import Labels
from quiff.core.numbers import Array
from quiff.people.population import Population
from quiff.progress import part


@final
@dataclass(frozen=True)
class Paper:
    """Where an attack is from.

    >>> print(Paper("A. Author", "On Attacks", "PoPETs 2024", "10.1000/182"))
    A. Author: On Attacks. PoPETs 2024, doi 10.1000/182
    """

    authors: str
    title: str
    venue: str
    doi: str | None = None

    def __str__(self) -> str:
        doi = "" if self.doi is None else f", doi {self.doi}"
        return f"{self.authors}: {self.title}. {self.venue}{doi}"


@final
@dataclass(frozen=True, eq=False)
class Sighting:
    """All that one site has seen of its users up to a call.

    >>> reports = Reports(["Alice"], ["news.tld"], ["Art", "Music"], [[[1, 0, 1, 0]]], earlier=2)
    >>> Sighting.of(reports, "news.tld", 1).codes.tolist()
    [[1, 0, 1]]
    """

    users: Labels
    topics: Labels
    codes: Array  # the topics by epoch as positions in `topics`, -1 for nothing, (users, earlier + calls)
    earlier: int  # how many epochs before that of the first call the first call showed
    per_call: int  # how many epochs a call shows
    shows: str = "topic"  # or the output of another API, whose label may be that of a topic

    @classmethod
    def of(cls, reports: Reports, site: object, call: int) -> "Sighting":
        """Return what a site has seen up to its `call`-th call, counted from 1."""
        codes = reports.seen(site, call)
        return cls(reports.users, reports.topics, codes, reports.earlier, reports.per_call, reports.shows)


class Attack(ABC):
    """A way to find, among all users of one site, the one whom another site has observed.

    An attack looks at each target alone. It gets the topics by epoch; a browser that shows a call's topics
    sorted and each one once tells a little less.

    Its success is ``unique`` if it counts when only the right user is left, ``ties`` if a guess among those
    who are equally probable counts by its probability.
    """

    name: ClassVar[str]  # on the command line
    paper: ClassVar[Paper]  # where it is from
    counts: ClassVar[Literal["unique", "ties"]]
    sites: ClassVar[Literal[1, 2]] = 2  # 1 if it knows the profiles

    @classmethod
    def against(cls, api: TopicsAPI, population: Population | None) -> Self:  # noqa: ARG003 - for those below
        """Return the attack with the parameters that its paper gives it; by default it needs none.

        Attackers know the parameters of the API; without a population those who need profiles raise an error.
        """
        return cls()

    @abstractmethod
    def tied(self, known: Sighting, query: Sighting, targets: Array) -> Array:
        """Return how many users are left for each target, the right one among them; 0 if they are not.

        `known` is what the site saw whose users are re-identified, `query` what the other one saw of the
        targets, which are numbers of users.
        """


def parts(n: int, most: int) -> list[slice]:
    """Return slices that cover n users: about one for each core, but none with more than so many users.

    >>> parts(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 6, None)]
    """
    size = max(min(most, -(-n // cores())), 1)
    return [slice(start, start + size) for start in range(0, n, size)]


def work_through(work: Callable[[slice], None], n: int, most: int) -> None:
    """Do some work, which leaves its results in place, on all parts of n users."""
    with part(None):  # of one attack it is not told how far it is
        for _ in in_slices(work, parts(n, most)):
            pass
