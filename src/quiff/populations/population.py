"""A population: some users, their topic sets and other attributes, and what follows from them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, final

import numpy as np

from quiff.core.channel import Channel
from quiff.core.labels import Labels, SetLabels, as_labels, same
from quiff.core.numbers import Array
from quiff.core.prior import Prior
from quiff.errors import LabelError, ParameterError, counted
from quiff.populations.attribute import HISTORY, TOPICS, Attribute, attribute_of, no_attribute, records
from quiff.populations.filling import Filled, Filling, same_arrays, visited_in_order, visited_of_sets
from quiff.populations.histories import Histories
from quiff.populations.sets import checked_codes, codes_of_sets, codes_of_values
from quiff.populations.synthetic import synthetic_sets
from quiff.populations.weights import (
    checked_counts,
    checked_weights,
    prior_of_weights,
    summed,
    weights_by_user,
)
from quiff.theory.parameters import check_whole

if TYPE_CHECKING:
    import pandas as pd

_none: Any = type(None)  # gives None


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
    weights
        How much each user counts; None if all count the same.
    counts
        For a merged population, whose rows are distinct sets that stand for their users: how many users
        have each. `users` are then the sets themselves, and `weights` the sums over their users.
    notes
        What reading or merging assumed, in sentences.
    filling
        Which topics were visited and which filled in at random; None if that is not known. See `filled` and
        `genuine`.
    others
        The attributes but for the topic sets, by their names; see `with_attribute`.

    Examples
    --------
    >>> people = Population.from_sets({"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}})
    >>> people
    <Population of 2 users: sets of 2 out of 4 topics>
    >>> people.sets.tolist()
    [[[0, 1], [2, 3]]]
    >>> people.n_users, people.top_s, people.n_epochs
    (2, 2, 1)
    """

    users: Labels
    topics: Labels = field(default_factory=_none)
    sets: Array = field(default_factory=_none)
    weights: Array | None = None
    counts: Array | None = None
    notes: tuple[str, ...] = ()
    filling: Filling | None = None
    others: Mapping[str, Attribute] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own = vars(self)
        users = own["users"] = as_labels(self.users, "user")
        if own["sets"] is not None:
            own["topics"] = as_labels(self.topics, "topic")
            own["sets"] = checked_codes(self.sets, users, self.topics)
        elif not users.size:
            raise LabelError("there is no user; give at least one")
        else:
            del own["topics"], own["sets"]
        own["others"] = MappingProxyType(dict(self.others))
        own["weights"] = checked_weights(self.weights, users)
        own["counts"] = checked_counts(self.counts, users, self.n_epochs)
        for name, attribute in self.others.items():
            self.check_unmerged()
            attribute.check_for(name, users.size, self.n_epochs)
        if self.filling is not None:
            self.filling.check(self.sets)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise the one error of people without topic sets."""
            if name in ("topics", "sets"):
                raise ParameterError(
                    "these people have no topic sets; give a file with a column topics, or t1, t2 and so on,"
                    " or in Python take Population.from_sets"
                )
            return object.__getattribute__(self, name)

    @classmethod
    def from_sets(
        cls,
        sets: Mapping[Any, Iterable[Any]],
        topics: object = None,
        *,
        weights: Mapping[Any, Any] | None = None,
        visited: Mapping[Any, Iterable[Any]] | None = None,
    ) -> "Population":
        """Return the population with the given sets.

        Parameters
        ----------
        sets
            A mapping from user to topics; all sets have the same size.
        topics
            All topics that may be named; None takes those that occur, sorted.
        weights
            A mapping from user to how much the user counts; None takes all for the same.
        visited
            A mapping from user to the topics of the set that the user visited; the others were filled in at
            random. None if that is not known.

        Examples
        --------
        >>> Population.from_sets({"Alice": {"Music", "News"}, "Bob": {"Sports"}})
        Traceback (most recent call last):
        ...
        quiff.errors.ShapeError: the set of 'Bob' has 1 topic, but that of 'Alice' has 2; all sets must \
have the same size: fill up the short ones or cut the long ones

        Raises
        ------
        LabelError
            If there is no user, or a set has a topic twice or one that is unknown.
        ShapeError
            If the sets have different sizes, or none has a topic.
        """
        codes, named = codes_of_sets(sets, topics)
        users, listed = as_labels(sets, "user"), weights_by_user(weights, sets)
        filling = None if visited is None else Filling.of(visited_of_sets(visited, sets, codes, named))
        return cls(users, named, codes, listed, filling=filling)  # type: ignore[arg-type]  # checked there

    @classmethod
    def from_array(
        cls,
        users: object,
        sets: object,
        topics: object = None,
        *,
        weights: object = None,
        visited: object = None,
    ) -> "Population":
        """Return the population with an array of sets, one row per user: vectorised, for large inputs.

        Parameters
        ----------
        users
            The names of the users; a range or an array is the cheapest.
        sets
            An array (users, s), or (epochs, users, s), of positions in `topics`.
        topics
            All topics that may be named. None takes the numbers or strings in `sets` as the topics
            themselves.
        weights
            How much each user counts, in the order of `users`; None takes all for the same.
        visited
            An array of truth values in the shape of `sets`: whether the user visited the topic, or it was
            filled in at random. None if that is not known.

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
            sets, topics = codes_of_values(sets, named)
        filling = None if visited is None else Filling.of(visited_in_order(np.asarray(sets), visited))
        return cls(named, as_labels(topics, "topic"), sets, weights, filling=filling)  # type: ignore[arg-type]  # checked there

    @classmethod
    def read(
        cls,
        path: str | PathLike[str],
        *,
        top: int | None = None,
        weights: str | None = None,
        merged: bool | None = None,
        missing: str = "error",
        seed: int = 0,
        attributes: Iterable[str] = (),
    ) -> "Population":
        r"""Return the population of a file of profiles.

        The file is Parquet, or text with commas or tabs, packed or not, whose first line names its columns:
        ``user`` and ``topics``, or ``user`` and ``t1``, ``t2`` and so on, with ``epoch`` where a user has
        several sets; or ``RandID`` and ``sTopics``, as in the paper's published tables. Without a column
        for the users, as in the population of PETS '24, they are numbered from 0. Topics that are all whole
        numbers become numbers. How many topics of a set were visited, and were not filled in at random, is
        told by the ranked topic counts that ``quiff profile`` stores, or by a column ``genuine``.

        Parameters
        ----------
        path
            The file, or a folder of Parquet files.
        top
            Another size of the sets than stored: the heads of the ranked topic counts that
            ``quiff profile`` stores. They are the sets that it draws with this ``--top`` and the same seed
            (beyond sets of 8, save for a rare short set).
        weights
            The column that says how much each user counts: numbers that are not negative.
        merged
            True reduces the file to distinct sets with counts while it is read, so that only these need to
            fit into memory; False never does so; None does if the users would take more memory than
            `quiff.reading_limit` allows.
        missing
            With epochs, what to do with users who lack one: ``error``; ``drop`` leaves them out; ``fill``
            gives them what a browser reports for a week without history, random topics, here from
            those that occur.
        seed
            For ``fill``: the same seed gives the same topics.
        attributes
            The columns to read as attributes, such as ``["country"]``; with some, the file needs no topics.
            In text, a column of whole numbers only becomes numbers; what is empty is None.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder) / "profiles.csv"
        ...     _ = file.write_text("\n".join(["user,t1,t2", "Alice,News,Music", "Bob,Music,News"]))
        ...     for merged in (False, True):
        ...         print(Population.read(file, merged=merged))
        <Population of 2 users: sets of 2 out of 2 topics>
        <Population of 2 users merged into 1 distinct set: sets of 2 out of 2 topics>

        Raises
        ------
        QuiffError
            If the file cannot be read or is wrong; the message names the line and says what to do.
        """
        from quiff.populations.readers import read_profiles  # and the engines that it needs

        fields = read_profiles(
            path, top=top, weights=weights, merged=merged, missing=missing, seed=seed, attributes=attributes
        )
        return cls(**fields)

    @classmethod
    def from_pandas(
        cls,
        frame: "pd.DataFrame",
        user: str = "user",
        topics: str | Sequence[str] | None = None,
        attributes: str | Iterable[str] | None = None,
        weights: str | None = None,
        epoch: str | None = None,
        *,
        missing: str = "error",
        seed: int = 0,
    ) -> "Population":
        """Return the population of a pandas frame, one row a user (or with epochs, a user and epoch).

        Parameters
        ----------
        frame
            The frame.
        user
            The column of users; if there is none, the frame's index names them.
        topics
            The column of topic sets (lists, sets or text), or the columns with one topic each. None takes
            ``topics``, or ``t1``, ``t2`` and so on, if there are such, else people have no topic sets.
        attributes
            The columns to take as attributes; None takes all that are nothing else. What is missing in one
            (None, nan, empty text) is the value None.
        weights
            The column that says how much each user counts.
        epoch
            The column that tells several rows of a user apart; None takes ``epoch`` if there is one.
        missing, seed
            As in `read`, for users who lack an epoch.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"user": ["Alice", "Bob"], "country": ["AT", None], "age": [30, 40]})
        >>> people = Population.from_pandas(frame)
        >>> people
        <Population of 2 users: country, age>
        >>> list(people.attribute("country").values)
        ['AT', None]

        Raises
        ------
        QuiffError
            If a column is missing or wrong; the message names the row and says what to do.
        """
        from quiff.populations.frames import read_frame

        fields = read_frame(frame, user, topics, attributes, weights, epoch, missing=missing, seed=seed)
        return cls(**fields)

    @classmethod
    def synthetic(cls, n: int, seed: int = 0, *, n_topics: int = 349, top_s: int = 5) -> "Population":
        """Return a synthetic population: some topics are popular, and interests go together.

        The law is that of :func:`quiff.populations.synthetic.topic_weights`. At the default sizes it is
        close to the published population of PETS '24: about three users in four have a unique topic set.

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
        sets = synthetic_sets(n, seed, n_topics, top_s)
        return cls(as_labels(range(n), "user"), as_labels(range(1, n_topics + 1), "topic"), sets)

    def replaced(self, **changes: Any) -> Self:
        """Return these people with other fields; unlike `dataclasses.replace`, also without topic sets."""
        given: dict[str, Any] = {one.name: vars(self).get(one.name) for one in fields(self)}
        return type(self)(**given | changes)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the attributes: ``topics`` if there are topic sets, and the others."""
        return (*([TOPICS] if "sets" in vars(self) else []), *self.others)

    @property
    def n_epochs(self) -> int:
        """For how many epochs there are sets or other attributes; 1 means that all are stable."""
        if "sets" in vars(self):
            return int(self.sets.shape[0])
        return max((attribute.n_epochs for attribute in self.others.values()), default=1)

    @property
    def n_users(self) -> int:
        """How many users there are; N in formulas."""
        return self.users.size if self.counts is None else int(self.counts.sum())

    @property
    def merged(self) -> bool:
        """Whether the rows are distinct sets that stand for all their users."""
        return self.counts is not None

    def attribute(self, name: str) -> Attribute:
        """Return an attribute by its name.

        Examples
        --------
        >>> people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}})
        >>> people.attribute("topics")
        <Attribute 'topics': 2 values of 2 users>
        >>> people.attribute("history")
        Traceback (most recent call last):
        ...
        quiff.errors.ParameterError: these people have no attribute 'history', but 'topics'; attach browsing \
histories by people.with_histories(...), on the command line by --histories

        Raises
        ------
        ParameterError
            If there is none; the message says what there is, and how to get it.
        """
        if name == TOPICS:
            return self._topic_attribute
        if name not in self.others:
            self.check_unmerged()
            raise ParameterError(no_attribute(name, self.attributes))
        return self.others[name]

    @cached_property
    def _topic_attribute(self) -> Attribute:
        n_epochs, n_rows, top_s = self.sets.shape
        sets, which = SetLabels.distinct(self.sets.reshape(-1, top_s), self.topics)
        return Attribute(TOPICS, sets, which.reshape(n_epochs, n_rows))

    def with_attribute(self, name: str, values: object) -> Self:
        """Return these people with one more attribute.

        Parameters
        ----------
        name
            Its name, such as ``country``; an attribute that has it already is replaced.
        values
            The value of each user: a mapping from user to value, a list or array in the order of the users,
            an `Attribute`, or a deterministic channel from the users.

        Examples
        --------
        >>> people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}})
        >>> people.with_attribute("country", {"Alice": "AT", "Bob": "BR"}).channel("country")
        Channel from 2 inputs to 2 outputs
               AT  BR
        Alice  1   0
        Bob    0   1

        Raises
        ------
        ParameterError
            If the name is that of the topic sets, or users are merged.
        QuiffError
            If there is not one value for each user.
        """
        if not isinstance(name, str) or not name or name == TOPICS:
            raise ParameterError(f"the name of an attribute is {name!r}; give another text than {TOPICS!r}")
        self.check_unmerged()
        made = attribute_of(name, values, self.users)
        return self.replaced(others={**self.others, name: made})

    def with_histories(self, histories: Histories) -> Self:
        """Return these people with the attribute ``history``: whose browsing histories are the same.

        Parameters
        ----------
        histories
            Histories of at least these users, in memory or by :func:`quiff.read_histories`.

        Examples
        --------
        >>> people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}, "Carol": {1, 2}})
        >>> visits = {"Carol": ["a.tld"], "Bob": ["b.tld"], "Alice": ["a.tld"]}
        >>> people.with_histories(Histories.from_visits(visits, {})).attribute("history").which.tolist()
        [[0, 1, 0]]

        Raises
        ------
        LabelError
            If a user has no history.
        ParameterError
            If users are merged, so that their histories cannot be found.
        """
        self.check_unmerged()
        if not isinstance(histories, Histories):
            raise ParameterError(
                f"histories are {histories!r}; give quiff.Histories, or the table of quiff experiment by"
                " quiff.read_histories(path)"
            )
        which = np.asarray(histories.which)[histories.rows_of(self.users)]
        return self.with_attribute(HISTORY, Attribute(HISTORY, histories.distinct, which))

    def channel(self, *names: str) -> Channel:
        """Return the channel from users to their values of some attributes.

        Parameters
        ----------
        *names
            Without any, it is the identity on users; one gives its values, several give records (tuples) of
            values, those that occur.

        Examples
        --------
        >>> people = Population.from_sets({"Alice": {1}, "Bob": {2}}).with_attribute("age", [30, 30])
        >>> list(people.channel("age", "topics").outputs)
        [(30, frozenset({1})), (30, frozenset({2}))]

        Raises
        ------
        ParameterError
            If there is no such attribute, it changes from epoch to epoch, or `names` is empty and users are
            merged.
        """
        if not names:
            self.check_unmerged()
            return Channel.identity(self.users)
        return records([self.attribute(name) for name in names]).channel(self.users)

    def check_unmerged(self) -> None:
        """Raise the one error that says that single users are not known, if they were merged."""
        if self.counts is not None:
            raise ParameterError(
                f"the {counted(self.n_users, 'user')} were merged into"
                f" {counted(self.users.size, 'distinct set')} with their counts, so that single users, their"
                " weights and their histories are not known; leave weights and histories out, or in Python"
                " read the file with merged=False"
            )

    def epoch(self, number: int) -> Self:
        """Return the population of one epoch, counted from 0."""
        number = check_whole("the epoch", number, 0, self.n_epochs - 1)
        return self._in_epochs(slice(number, number + 1))

    def first_epochs(self, epochs: int) -> Self:
        """Return the population of the first epochs; of stable sets, itself."""
        return self if epochs >= self.n_epochs else self._in_epochs(slice(epochs))

    def _in_epochs(self, part: slice) -> Self:
        others = {name: attribute.in_epochs(part) for name, attribute in self.others.items()}
        sets = self.sets[part] if TOPICS in self.attributes else None
        return self.replaced(sets=sets, filling=self.filling and self.filling.at(part), others=others)

    def user_prior(self) -> Prior:
        """Return the prior on the users: uniform, or proportional to their weights.

        Raises
        ------
        ParameterError
            If the users were merged, so that none can be named.
        """
        self.check_unmerged()
        if self.weights is None:
            return Prior.uniform(self.users)
        return prior_of_weights(self.users, self.weights)

    @property
    def top_s(self) -> int:
        """The size s of every set."""
        return int(self.sets.shape[2])

    @cached_property
    def filled(self) -> Filled | None:
        """How many topics were filled in at random; None if that is not known.

        Examples
        --------
        >>> sets = {"Alice": {1, 2}, "Bob": {1, 3}}
        >>> Population.from_sets(sets, visited={"Alice": {1}, "Bob": {1, 3}}).filled.filled_users
        0.5
        >>> Population.from_sets(sets).filled is None
        True
        """
        return None if self.filling is None else self.filling.counted(self.sets, self.topics.size)

    def genuine(self) -> Self:
        """Return the users all of whose topics were visited, in every epoch: none was filled in at random.

        Examples
        --------
        >>> sets = {"Alice": {1, 2}, "Bob": {1, 3}}
        >>> Population.from_sets(sets, visited={"Alice": {1}, "Bob": {1, 3}}).genuine()
        <Population of 1 user: sets of 2 out of 3 topics>

        Raises
        ------
        ParameterError
            If it is not known which topics were visited, no user has visited topics only, or the population
            is merged and weighted: then only the sum of the weights of a set is known.
        """
        filling, filled = self.filling, self.filled
        if filling is None or filled is None:
            raise ParameterError(
                "it is not known which topics were visited and which were filled in at random; "
                "quiff profile records it"
            )
        if not filled.filled_sets:
            return self
        if not filled.genuine_users:
            raise ParameterError(
                "every user has topics that were filled in at random, so that none is left without them"
            )
        whole = filling.wholly_visited(self.top_s)
        left = counted(self.n_users - filled.genuine_users, "user")
        notes = (*self.notes, f"Left out: {left} with topics filled in at random.")
        if filling.rows is None or filling.users is None:
            users = as_labels([self.users[int(row)] for row in np.flatnonzero(whole)], "user")
            weights = None if self.weights is None else self.weights[whole]
            sets, filling = self.sets[:, whole], filling.at((slice(None), whole))
            others = {name: attribute.among(whole) for name, attribute in self.others.items()}
            return self.replaced(
                users=users, sets=sets, weights=weights, notes=notes, filling=filling, others=others
            )
        if self.weights is not None:
            self.check_unmerged()
        counts = summed(np.where(whole, filling.users, 0), filling.rows, self.users.size)
        kept = np.flatnonzero(counts)
        named = SetLabels.distinct(self.codes[kept], self.topics)[0]  # in the same order
        n = kept.shape[0]
        sure = Filling(np.full(n, self.top_s), np.ones((1, n, self.top_s), bool), np.arange(n), counts[kept])
        return self.replaced(users=named, sets=named.codes, counts=counts[kept], notes=notes, filling=sure)

    @property
    def codes(self) -> Array:
        """The sets of the only epoch, (users, s).

        Raises
        ------
        ParameterError
            If there are several epochs, and so no one set per user.
        """
        if self.n_epochs > 1:
            self.attribute(TOPICS).check_stable()
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
        topics = self.attribute(TOPICS)
        topics.check_stable()
        return topics.values, topics.which[0]  # type: ignore[return-value]  # they are sets

    def set_counts(self) -> Array:
        """Return how many users have each of the distinct sets, in the order of `distinct_sets`.

        Examples
        --------
        >>> Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}, "Carol": {1, 2}}).set_counts().tolist()
        [2, 1]
        """
        if self.counts is not None:
            return self.counts
        sets, which = self.distinct_sets()
        return np.bincount(which, minlength=sets.size)

    def set_prior(self) -> Prior:
        """Return how probable each distinct set is for a user taken at random, by weight if there are any.

        Examples
        --------
        >>> sets = {"Alice": {1, 2}, "Bob": {2, 3}, "Carol": {1, 2}}
        >>> Population.from_sets(sets).set_prior()[frozenset({1, 2})]
        Fraction(2, 3)
        >>> weighted = Population.from_sets(sets, weights={"Alice": 1, "Bob": 4, "Carol": 1})
        >>> weighted.set_prior()[frozenset({1, 2})]
        Fraction(1, 3)
        """
        sets, which = self.distinct_sets()
        if self.weights is None:
            return Prior.from_count_array(sets, self.set_counts())
        return prior_of_weights(sets, summed(self.weights, which, sets.size))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Population):
            return NotImplemented
        return (
            same(self.users, other.users)
            and self.attributes == other.attributes
            and (
                TOPICS not in self.attributes
                or (same(self.topics, other.topics) and np.array_equal(self.sets, other.sets))
            )
            and self.others == other.others
            and same_arrays(self.weights, other.weights)
            and same_arrays(self.counts, other.counts)
            and self.filling == other.filling
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        epochs = f" in each of {self.n_epochs} epochs" if self.n_epochs > 1 else ""
        kinds = list(self.attributes)
        if TOPICS in kinds:
            kinds[0] = f"sets of {self.sets.shape[2]} out of {counted(self.topics.size, 'topic')}"
        size = ", ".join(kinds) or "without attributes"
        merged = f" merged into {counted(self.users.size, 'distinct set')}" if self.merged else ""
        weighted = ", weighted" if self.weights is not None else ""
        users = counted(self.n_users, "user")
        return f"<Population of {users}{merged}: {size}{epochs}{weighted}>"
