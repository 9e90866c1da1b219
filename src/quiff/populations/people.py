"""Users and their attributes: topic sets, as whole numbers, and others; what follows from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from quiff.core.channel import Channel
from quiff.core.labels import Labels, SetLabels, as_labels, same
from quiff.core.numbers import Array
from quiff.core.prior import Prior
from quiff.errors import LabelError, ParameterError, ShapeError, counted
from quiff.populations.attribute import HISTORY, TOPICS, Attribute, attribute_of, no_attribute, records
from quiff.populations.filling import Filling, same_arrays
from quiff.populations.histories import Histories
from quiff.populations.sets import checked_codes
from quiff.populations.weights import checked_counts, checked_weights, prior_of_weights
from quiff.theory.parameters import check_whole


class _OfTopics:
    """A field that only people with topic sets have; else looking at it is an error."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, people: "People | None", owner: type) -> Any:
        value = None if people is None else vars(people)[self._name]
        if value is None and people is not None:
            raise ParameterError(
                "these people have no topic sets; give a file with a column topics, or t1, t2 and so on,"
                " or in Python take Population.from_sets"
            )
        return value

    def __set__(self, people: "People", value: Any) -> None:
        vars(people)[self._name] = value


def _of_topics() -> Any:
    return _OfTopics()


@dataclass(frozen=True, eq=False, repr=False)
class People:
    """What a population holds, checked once; the constructors are in `quiff.Population`.

    Examples
    --------
    >>> from quiff import Population
    >>> people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}, "Carol": {1, 2}})
    >>> people.n_users, people.top_s, people.n_epochs
    (3, 2, 1)
    """

    users: Labels
    topics: Labels = _of_topics()  # noqa: RUF009 - a descriptor
    sets: Array = _of_topics()  # noqa: RUF009
    weights: Array | None = None
    counts: Array | None = None
    notes: tuple[str, ...] = ()
    filling: Filling | None = None
    others: Mapping[str, Attribute] = field(default_factory=dict)

    def __post_init__(self) -> None:
        users = as_labels(self.users, "user")
        object.__setattr__(self, "users", users)
        if vars(self)["sets"] is not None:
            topics = as_labels(self.topics, "topic")
            object.__setattr__(self, "sets", checked_codes(self.sets, users, topics))
            object.__setattr__(self, "topics", topics)
        elif not users.size:
            raise LabelError("there is no user; give at least one")
        object.__setattr__(self, "others", MappingProxyType(dict(self.others)))
        object.__setattr__(self, "weights", checked_weights(self.weights, users))
        object.__setattr__(self, "counts", checked_counts(self.counts, users, self.n_epochs))
        self._check_others()
        if self.filling is not None:
            self.filling.check(self.sets)

    def _check_others(self) -> None:
        for name, attribute in self.others.items():
            self.check_unmerged()
            if attribute.n_users != self.users.size:
                raise ShapeError(
                    f"the attribute {name!r} has {counted(attribute.n_users, 'value')}, but there are"
                    f" {counted(self.users.size, 'user')}; give one for each"
                )
            if attribute.n_epochs not in (1, self.n_epochs):
                raise ShapeError(
                    f"the attribute {name!r} has {attribute.n_epochs} epochs, but others {self.n_epochs};"
                    " give values for as many, or for one if they do not change"
                )

    def replaced(self, **changes: Any) -> Self:
        """Return these people with other fields; unlike `dataclasses.replace`, also without topic sets."""
        return type(self)(**{one.name: vars(self)[one.name] for one in fields(self)} | changes)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the attributes: ``topics`` if there are topic sets, and the others."""
        return (*([TOPICS] if vars(self)["sets"] is not None else []), *self.others)

    @property
    def n_epochs(self) -> int:
        """For how many epochs there are sets or other attributes; 1 means that all are stable."""
        if vars(self)["sets"] is not None:
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
        >>> from quiff import Population
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
        >>> from quiff import Population
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
        >>> from quiff import Histories, Population
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
        >>> from quiff import Population
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
        chosen = [self.attribute(name) for name in names]
        if len(chosen) == 1:
            return chosen[0].channel(self.users)
        for attribute in chosen:
            attribute.check_stable()
        return records(chosen).channel(self.users)

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
        filling = None if self.filling is None else self.filling.epoch(number)
        sets = None if vars(self)["sets"] is None else self.sets[number]
        others = {name: attribute.epoch(number) for name, attribute in self.others.items()}
        return self.replaced(sets=sets, filling=filling, others=others)

    def first_epochs(self, epochs: int) -> Self:
        """Return the population of the first epochs; of stable sets, itself."""
        if epochs >= self.n_epochs:
            return self
        filling = None if self.filling is None else self.filling.first(epochs)
        sets = None if vars(self)["sets"] is None else self.sets[:epochs]
        others = {name: attribute.first_epochs(epochs) for name, attribute in self.others.items()}
        return self.replaced(sets=sets, filling=filling, others=others)

    def user_prior(self) -> Prior:
        """Return the prior on the users: uniform, or proportional to their weights.

        Raises
        ------
        ParameterError
            If the users were merged, so that none can be named.
        """
        self.check_unmerged()
        return (
            Prior.uniform(self.users) if self.weights is None else prior_of_weights(self.users, self.weights)
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, People):
            return NotImplemented
        return (
            same(self.users, other.users)
            and self.attributes == other.attributes
            and (TOPICS not in self.attributes or self._same_sets(other))
            and self.others == other.others
            and same_arrays(self.weights, other.weights)
            and same_arrays(self.counts, other.counts)
            and (
                self.filling is other.filling
                or (self.filling is not None and self.filling.same(other.filling))
            )
        )

    __hash__ = None  # type: ignore[assignment]

    def _same_sets(self, other: "People") -> bool:
        return same(self.topics, other.topics) and np.array_equal(self.sets, other.sets)

    def __repr__(self) -> str:
        epochs = f" in each of {self.n_epochs} epochs" if self.n_epochs > 1 else ""
        kinds = list(self.attributes)
        if TOPICS in kinds:
            kinds[0] = f"sets of {self.sets.shape[2]} out of {counted(self.topics.size, 'topic')}"
        size = ", ".join(kinds) or "without attributes"
        merged = f" merged into {counted(self.users.size, 'distinct set')}" if self.merged else ""
        weighted = ", weighted" if self.weights is not None else ""
        users = counted(self.n_users, "user")
        return f"<{type(self).__name__} of {users}{merged}: {size}{epochs}{weighted}>"
