"""A population: some users, and the set of topics that stands for each of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, final

import numpy as np

from quiff.core.labels import as_labels
from quiff.populations.filling import Filling, visited_in_order, visited_of_sets
from quiff.populations.frames import read_frame
from quiff.populations.readers import read_profiles
from quiff.populations.sets import codes_of_sets, codes_of_values
from quiff.populations.synthetic import made_up_sets
from quiff.populations.user_sets import UserSets
from quiff.populations.weights import weights_by_user

if TYPE_CHECKING:
    import pandas as pd


@final
@dataclass(frozen=True, eq=False, repr=False)
class Population(UserSets):
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

    Examples
    --------
    >>> people = Population.from_sets({"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}})
    >>> people
    <Population of 2 users: sets of 2 out of 4 topics>
    >>> people.sets.tolist()
    [[[0, 1], [2, 3]]]
    """

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
        sets = made_up_sets(n, seed, n_topics, top_s)
        return cls(as_labels(range(n), "user"), as_labels(range(1, n_topics + 1), "topic"), sets)
