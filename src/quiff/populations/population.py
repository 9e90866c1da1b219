"""A population: some users, and the set of topics that stands for each of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any, final

import numpy as np

from quiff.core.labels import Labels, SetLabels, as_labels, same
from quiff.core.numbers import Array
from quiff.core.prior import Prior
from quiff.errors import ParameterError
from quiff.populations.readers import read_profiles
from quiff.populations.sets import checked_codes, codes_of_sets, codes_of_values
from quiff.populations.synthetic import made_up_sets

__all__ = ["Population"]


@final
@dataclass(frozen=True, eq=False, repr=False)
class Population:
    """Users and their top-s sets, for one epoch (the sets are stable) or for several.

    Parameters
    ----------
    users
        The names of the users.
    topics
        All topics that may be named, at least those that occur.
    sets
        The sets as codes, that is as positions in `topics`: whole numbers (epochs, users, s), or
        (users, s) for one epoch.

    Examples
    --------
    >>> people = Population.from_sets({"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}})
    >>> people
    <Population of 2 users: sets of 2 out of 4 topics>
    >>> people.sets.tolist()
    [[[0, 1], [2, 3]]]
    """

    users: Labels
    topics: Labels
    sets: Array

    def __post_init__(self) -> None:
        users, topics = as_labels(self.users, "user"), as_labels(self.topics, "topic")
        object.__setattr__(self, "sets", checked_codes(self.sets, users, topics))
        object.__setattr__(self, "users", users)
        object.__setattr__(self, "topics", topics)

    @classmethod
    def from_sets(cls, sets: Mapping[Any, Iterable[Any]], topics: object = None) -> "Population":
        """Return the population with the given sets.

        Parameters
        ----------
        sets
            A mapping from user to topics; all sets have the same size.
        topics
            All topics that may be named; None takes those that occur, sorted.

        Examples
        --------
        >>> Population.from_sets({"Alice": {"Music", "News"}, "Bob": {"Sports"}})
        Traceback (most recent call last):
        ...
        quiff.errors.ShapeError: the set of 'Bob' has 1 topics, but that of 'Alice' has 2; all sets must \
have the same size: fill up the short ones or cut the long ones

        Raises
        ------
        LabelError
            If there is no user, or a set has a topic twice or one that is unknown.
        ShapeError
            If the sets have different sizes, or none has a topic.
        """
        codes, named = codes_of_sets(sets, topics)
        return cls(as_labels(sets, "user"), named, codes)

    @classmethod
    def from_array(cls, users: object, sets: object, topics: object = None) -> "Population":
        """Return the population with an array of sets, one row per user: the way that scales.

        Parameters
        ----------
        users
            The names of the users; a range or an array is the cheapest.
        sets
            An array (users, s), or (epochs, users, s), of positions in `topics`.
        topics
            All topics that may be named. None takes the numbers or strings in `sets` as the topics
            themselves.

        Examples
        --------
        >>> import numpy as np
        >>> Population.from_array(range(200_000), np.arange(1_000_000).reshape(200_000, 5) % 349)
        <Population of 200000 users: sets of 5 out of 349 topics>
        >>> list(Population.from_array(["Alice", "Bob"], [[629, 7], [7, 12]]).topics)
        [7, 12, 629]

        Raises
        ------
        LabelError
            If there is no user, or a set has a topic twice or one that is unknown.
        ShapeError
            If the array does not have one row of whole numbers for each user.
        """
        named = as_labels(users, "user")
        if topics is None:
            codes, occurring = codes_of_values(sets, named)
            return cls(named, occurring, codes)
        return cls(named, as_labels(topics, "topic"), sets)  # type: ignore[arg-type]  # checked there

    @classmethod
    def read(cls, path: str | PathLike[str]) -> "Population":
        r"""Return the population of a file of profiles.

        The file is Parquet, or text with commas or tabs, packed or not, whose first line names its columns:
        ``user`` and ``topics``, or ``user`` and ``t1``, ``t2`` and so on, with ``epoch`` where a user has
        several sets; or ``RandID`` and ``sTopics``, as in the paper's published tables. Without a column
        for the users, as in the population of PETS '24, they are numbered from 0. Topics that are all whole
        numbers become numbers. All users are held in memory; for a table that does not fit, see
        `quiff.distinct_profiles`.

        Parameters
        ----------
        path
            The file, or a folder of Parquet files.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder) / "profiles.csv"
        ...     _ = file.write_text("\n".join(["user,t1,t2", "Alice,News,Music", "Bob,Sports,Travel"]))
        ...     Population.read(file)
        <Population of 2 users: sets of 2 out of 4 topics>

        Raises
        ------
        QuiffError
            If the file cannot be read or its columns are not those of profiles; the message names the line.
        LabelError
            If a user is there twice, or lacks a set in some epoch, or has a topic twice.
        ShapeError
            If the sets have different sizes.
        """
        profiles = read_profiles(path)
        return cls(as_labels(profiles.users, "user"), as_labels(profiles.topics, "topic"), profiles.sets)

    @classmethod
    def synthetic(cls, n: int, seed: int = 0, *, n_topics: int = 349, top_s: int = 5) -> "Population":
        """Return a made-up population: some topics are popular, and interests go together.

        The law is that of :func:`quiff.populations.synthetic.topic_weights`. At the default sizes it is
        close to the published population of PETS '24: about three users in four have a set of their own.

        Parameters
        ----------
        n
            How many users; they are numbered from 0.
        seed
            The same seed gives the same population.
        n_topics
            How many topics; they are numbered from 1, the most popular first.
        top_s
            The size s of every set.

        Examples
        --------
        >>> people = Population.synthetic(1000, seed=1)
        >>> people
        <Population of 1000 users: sets of 5 out of 349 topics>
        >>> people == Population.synthetic(1000, seed=1), people == Population.synthetic(1000, seed=2)
        (True, False)

        Raises
        ------
        ParameterError
            If a number is out of range.
        """
        sets = made_up_sets(n, seed, n_topics, top_s)
        return cls(as_labels(range(n), "user"), as_labels(range(1, n_topics + 1), "topic"), sets)

    @property
    def n_epochs(self) -> int:
        """For how many epochs there are sets; 1 means that they are stable."""
        return int(self.sets.shape[0])

    @property
    def n_users(self) -> int:
        """How many users there are; N in formulas."""
        return self.users.size

    @property
    def top_s(self) -> int:
        """The size s of every set."""
        return int(self.sets.shape[2])

    def epoch(self, number: int) -> "Population":
        """Return the population of one epoch, counted from 0."""
        if not isinstance(number, int) or not 0 <= number < self.n_epochs:
            raise ParameterError(
                f"the epoch is {number!r}, but must be a whole number from 0 to {self.n_epochs - 1}"
            )
        return Population(self.users, self.topics, self.sets[number])

    @property
    def codes(self) -> Array:
        """The sets of the only epoch, (users, s).

        Raises
        ------
        ParameterError
            If there are several epochs, and so no one set per user.
        """
        if self.n_epochs > 1:
            raise ParameterError(
                f"a user of this population has {self.n_epochs} sets, one per epoch; "
                "choose an epoch by population.epoch(0)"
            )
        return np.asarray(self.sets[0])

    @cached_property
    def occurring(self) -> Labels:
        """The topics that occur in some set; m' in formulas is how many there are."""
        seen = np.flatnonzero(np.bincount(self.sets.reshape(-1), minlength=self.topics.size))
        if seen.shape[0] == self.topics.size:
            return self.topics
        return as_labels([self.topics[int(code)] for code in seen], "topic")

    def distinct_sets(self) -> tuple[SetLabels, Array]:
        """Return the distinct sets, and for each user the position of theirs.

        Examples
        --------
        >>> people = Population.from_sets({"Alice": {"Music", "News"}, "Carol": {"News", "Music"}})
        >>> sets, which = people.distinct_sets()
        >>> len(sets), which.tolist()
        (1, [0, 0])
        """
        return self._distinct

    @cached_property
    def _distinct(self) -> tuple[SetLabels, Array]:
        return SetLabels.distinct(self.codes, self.topics)

    def set_counts(self) -> Array:
        """Return how many users have each of the distinct sets, in the order of `distinct_sets`.

        Examples
        --------
        >>> Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}, "Carol": {1, 2}}).set_counts().tolist()
        [2, 1]
        """
        sets, which = self.distinct_sets()
        return np.bincount(which, minlength=sets.size)

    def set_prior(self) -> Prior:
        """Return how probable each distinct set is for a user taken at random.

        Examples
        --------
        >>> people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}, "Carol": {1, 2}})
        >>> people.set_prior()[frozenset({1, 2})]
        Fraction(2, 3)
        """
        return Prior.from_count_array(self.distinct_sets()[0], self.set_counts())

    def user_prior(self) -> Prior:
        """Return the uniform prior on the users."""
        return Prior.uniform(self.users)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Population):
            return NotImplemented
        return (
            same(self.users, other.users)
            and same(self.topics, other.topics)
            and np.array_equal(self.sets, other.sets)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        epochs = f" in each of {self.n_epochs} epochs" if self.n_epochs > 1 else ""
        size = f"sets of {self.top_s} out of {self.topics.size} topics"
        return f"<Population of {self.users.size} users: {size}{epochs}>"
