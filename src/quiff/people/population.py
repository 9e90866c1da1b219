"""A population: some users, their topic sets and other attributes, and what follows from them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, final

import numpy as np

from quiff.core.channel import Channel
from quiff.core.labels import Labels, as_labels, by_label, same
from quiff.core.numbers import Array
from quiff.core.prior import Prior
from quiff.errors import LabelError, ParameterError, counted, needed
from quiff.io import StrPath
from quiff.people.attribute import HISTORY, TOPICS, Attribute, attribute_of, no_attribute, records
from quiff.people.filling import Filling, same_arrays, visited_in_order, visited_of_sets
from quiff.people.histories import Histories
from quiff.people.invented import INVENTED_TOPICS
from quiff.people.sets import checked_codes, codes_of_sets, codes_of_values
from quiff.people.synthetic import synthetic_attributes, synthetic_sets
from quiff.people.topic_sets import TopicSets
from quiff.people.weights import (
    checked_counts,
    checked_weights,
    prior_of_weights,
    weights_by_user,
)
from quiff.theory.parameters import check_whole

if TYPE_CHECKING:
    import pandas as pd

_none: Any = type(None)  # gives None
_ALONE = (
    "There is only one person, who is known before anything is observed: 100 % before and after says nothing"
    " about an API; give more people."
)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Population(TopicSets):
    """Users and their top-s sets, for one epoch (the sets are stable) or for several, and other attributes.

    Examples
    --------
    >>> people = Population.from_sets({"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}})
    >>> people
    <Population of 2 users: sets of 2 out of 4 topics>
    >>> people.sets.tolist(), people.n_users, people.top_s, people.n_epochs
    ([[[0, 1], [2, 3]]], 2, 2, 1)
    """

    users: Labels
    topics: Labels = field(default_factory=_none)  # all that may be named, at least those that occur
    sets: Array = field(default_factory=_none)  # positions in `topics`: (epochs, users, s), or (users, s)
    weights: Array | None = None  # how much each user counts; None if all count the same
    # For a merged population, whose rows are distinct sets that stand for their users: how many users have
    # each. `users` are then the sets themselves (with several epochs, numbers of sequences of sets), and
    # `weights` the sums over their users.
    counts: Array | None = None
    notes: tuple[str, ...] = ()  # what reading or merging assumed, in sentences
    filling: Filling | None = None  # which topics were visited, and which filled in at random, if known
    others: Mapping[str, Attribute] = field(default_factory=dict)  # the attributes but for the topic sets
    generated: bool = False  # whether they were generated here; see `is_synthetic`
    understood: str = ""  # how the table was understood that they were read from, in one line

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

    @classmethod
    def from_sets(
        cls,
        sets: Mapping[Any, Iterable[Any]],
        topics: object = None,
        *,
        weights: Mapping[Any, Any] | None = None,
        visited: Mapping[Any, Iterable[Any]] | None = None,
    ) -> "Population":
        """Return the population with the given sets, a mapping from user to topics; all have the same size.

        Without `topics`, all that may be named, they are those that occur, sorted. `weights` say how much
        each user counts. `visited` are the topics of each user's set that the user visited; the others were
        filled in at random.
        """
        codes, named = codes_of_sets(sets, topics)
        users, listed = as_labels(sets, "user"), weights_by_user(weights, sets)
        filling = None if visited is None else Filling.of(visited_of_sets(visited, sets, codes, named))
        return cls(users, named, codes, listed, filling=filling)

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

        `sets` is an array (users, s), or (epochs, users, s), of positions in `topics`; without these, of the
        topics themselves, numbers or strings. Weights are in the order of the users, for which a range or an
        array is the cheapest; `visited` says in the shape of `sets` whether the user visited the topic, or it
        was filled in at random.

        Examples
        --------
        >>> import numpy as np
        >>> Population.from_array(range(200_000), np.arange(1_000_000).reshape(200_000, 5) % 349)
        <Population of 200000 users: sets of 5 out of 349 topics>
        >>> list(Population.from_array(["Alice", "Bob"], [[629, 7], [7, 12]]).topics)
        [7, 12, 629]
        """
        named = as_labels(users, "user")
        sets = by_label(sets, named, "users", "sets")
        if topics is None:
            sets, topics = codes_of_values(sets, named)
        visited = by_label(visited, named, "users", "visited")
        filling = None if visited is None else Filling.of(visited_in_order(np.asarray(sets), visited))
        return cls(named, as_labels(topics, "topic"), sets, weights, filling=filling)  # type: ignore[arg-type]  # checked there

    @classmethod
    def read(
        cls,
        path: StrPath,
        *,
        top: int | None = None,
        weights: str | None = None,
        merged: bool | None = None,
        missing: str = "error",
        seed: int = 0,
        attributes: Iterable[str] = (),
        columns: str | Mapping[str, str | Sequence[str]] | None = None,
    ) -> "Population":
        r"""Return the population of a file of profiles, or of an Arrow or polars frame.

        The file is Parquet, or text with commas or tabs, packed or not, whose first line names its columns:
        ``user`` and ``topics``, or ``user`` and ``t1``, ``t2`` and so on, with ``epoch`` where a user has
        several sets; or ``RandID`` and ``sTopics``, as in the paper's published tables. Without a column
        for the users, as in the population of PETS '24, they are numbered from 0. Topics that are all whole
        numbers become numbers. How many topics of a set were visited, and were not filled in at random, is
        told by the ranked topic counts that ``quiff profile`` stores, or by a column ``genuine``. Files
        ``*.tfrecord`` are read as Google released synthetic Topics data.

        Parameters
        ----------
        path
            The file, or a folder of Parquet or TFRecord files.
        top
            Another size of the sets than stored: the heads of the ranked topic counts, which are the sets
            that ``quiff profile`` draws with this ``--top`` and the same seed (beyond sets of 8, save for a
            rare one).
        weights
            The column that says how much each user counts: numbers that are not negative.
        merged
            True reduces the file to distinct sets with counts while it is read, so that only these need to
            fit into memory; False never does so; None does if the users would take more memory than
            `quiff.reading_limit` allows.
        missing
            With epochs, what to do with users who lack one, or in TFRecord files have a topic twice in one:
            ``error``; ``drop`` leaves them out; ``fill`` gives them what a browser shows for a week without
            history: random topics, here of those that occur.
        seed
            For ``fill``: the same seed gives the same topics.
        attributes
            The columns to read as attributes, such as ``["country"]``; with some, the file needs no topics.
            In text, a column of whole numbers only becomes numbers; what is empty is None.
        columns
            Which columns say what, where their names do not: ``"user=member,topics=likes"``, or a mapping of
            the roles user, topics, epoch and weights to names.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder) / "profiles.csv"
        ...     _ = file.write_text("\n".join(["user,t1,t2", "Alice,News,Music", "Bob,Music,News"]))
        ...     Population.read(file, merged=True)
        <Population of 2 users merged into 1 distinct set: sets of 2 out of 2 topics>
        """
        from quiff.people.reading import read_profiles  # and the engines that it needs

        return read_profiles(
            path,
            top=top,
            weights=weights,
            merged=merged,
            missing=missing,
            seed=seed,
            attributes=attributes,
            columns=columns,
        )

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

        `user` is the column of users; without a column ``user`` the frame's index names them. `topics` is a
        column of topic sets (lists, sets or text), or the columns with one topic each; None takes ``topics``,
        or ``t1``, ``t2`` and so on, if there are such, else people have no topic sets. `attributes` are the
        columns to take as attributes; None takes all that are nothing else, and what is missing in one (None,
        nan, empty text) is the value None. `epoch` tells several rows of a user apart; None takes ``epoch``
        if there is one. The rest is as in `read`.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"user": ["Alice", "Bob"], "country": ["AT", None], "age": [30, 40]})
        >>> people = Population.from_pandas(frame)
        >>> people, list(people.attribute("country").values)
        (<Population of 2 users: country, age>, ['AT', None])
        """
        needed("pandas", "pandas", "a frame")
        from quiff.people.frames import read_frame

        return read_frame(frame, user, topics, attributes, weights, epoch, missing=missing, seed=seed)

    @classmethod
    def synthetic(
        cls, n: int, seed: int = 0, *, n_topics: int = 349, top_s: int = 5, attributes: Iterable[str] = ()
    ) -> "Population":
        """Return `n` synthetic users: some of the topics are popular, and interests go together.

        The law is that of :func:`quiff.people.synthetic.topic_weights`. At the default sizes it is
        close to the published population of PETS '24: about three users in four have a unique topic set.
        Users are numbered from 0, topics from 1, the most popular first. `attributes` may ask for a browsing
        history, ``history``, and for what was done after an advertisement, ``conversions``; their laws are
        those of :func:`quiff.people.synthetic.synthetic_histories` and
        :func:`quiff.people.conversions.synthetic_conversions`.

        Examples
        --------
        >>> Population.synthetic(1000, seed=1)
        <Population of 1000 users: sets of 5 out of 349 topics>
        >>> Population.synthetic(1000, seed=1, attributes=("history", "conversions"))
        <Population of 1000 users: sets of 5 out of 349 topics, history, conversions>
        """
        sets = synthetic_sets(n, seed, n_topics, top_s)
        others = synthetic_attributes(attributes, sets, n_topics, seed)
        users, topics = as_labels(range(n), "user"), as_labels(range(1, n_topics + 1), "topic")
        return cls(users, topics, sets, others=others, generated=True)

    @property
    def is_synthetic(self) -> bool:
        """Whether nobody real is described: they were generated, or come from a log that was.

        The topics of synthetic logs are invented, and stay so on the way from the log to these people.

        Examples
        --------
        >>> Population.synthetic(10).is_synthetic
        True
        >>> Population.from_sets({"a": {"Chess clubs"}}).is_synthetic
        True
        >>> Population.from_sets({"a": {"Chess clubs", "/Games"}}).is_synthetic
        False
        """
        topics = vars(self).get("topics")
        return self.generated or (topics is not None and set(topics) <= {*INVENTED_TOPICS})

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
    def warnings(self) -> tuple[str, ...]:
        """What makes figures on these people mislead, in sentences.

        Examples
        --------
        >>> Population.from_sets({"Alice": {1, 2}}).warnings[0][:24]
        'There is only one person'
        """
        alone = (_ALONE,) if self.n_users == 1 else ()
        return (*alone, *(() if self.filled is None else self.filled.warnings()))

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
        """
        if name == TOPICS:
            return self._topic_attribute
        if name not in self.others:
            self.check_unmerged()
            raise ParameterError(no_attribute(name, self.attributes))
        return self.others[name]

    def with_attribute(self, name: str, values: object) -> Self:
        """Return these people with one more attribute; one that has the name already is replaced.

        `values` are the value of each user: a mapping from user to value, a pandas Series whose index names
        the users, a deterministic channel from the users, an `Attribute`, or a list or array in the order of
        the users.

        Examples
        --------
        >>> people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}})
        >>> people.with_attribute("country", {"Alice": "AT", "Bob": "BR"}).channel("country")
        Channel from 2 inputs to 2 outputs
               AT  BR
        Alice  1   0
        Bob    0   1
        """
        if not isinstance(name, str) or not name or name == TOPICS:
            raise ParameterError(
                what="the name of an attribute", value=name, allowed=f"another text than {TOPICS!r}"
            )
        self.check_unmerged()
        made = attribute_of(name, values, self.users)
        return self.replaced(others={**self.others, name: made})

    def with_histories(self, histories: Histories) -> Self:
        """Return these people with the attribute ``history``: whose browsing histories are the same.

        The histories, in memory or by :func:`quiff.read_histories`, are those of at least these users.
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

        Without any, it is the identity on users; several give records (tuples) of values, those that occur.

        Examples
        --------
        >>> people = Population.from_sets({"Alice": {1}, "Bob": {2}}).with_attribute("age", [30, 30])
        >>> list(people.channel("age", "topics").outputs)
        [(30, frozenset({1})), (30, frozenset({2}))]
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
        others = {name: attribute.at(part) for name, attribute in self.others.items()}
        sets = self.sets[part] if TOPICS in self.attributes else None
        return self.replaced(sets=sets, filling=self.filling and self.filling.at(part), others=others)

    def user_prior(self) -> Prior:
        """Return the prior on the users: uniform, or proportional to their weights."""
        self.check_unmerged()
        if self.weights is None:
            return Prior.uniform(self.users)
        return prior_of_weights(self.users, self.weights)

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
        kind = "distinct set" if self.n_epochs == 1 else "distinct sequence"
        merged = f" merged into {counted(self.users.size, kind)}" if self.merged else ""
        weighted = ", weighted" if self.weights is not None else ""
        users = counted(self.n_users, "user")
        return f"<Population of {users}{merged}: {size}{epochs}{weighted}>"
