"""Which topics of the sets were visited, and which were filled in at random.

A browser, and ``quiff profile`` like it, fills a set with random topics if its user visited fewer than s.
Such topics tell users apart, but say nothing about what they did.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self, final

import numpy as np

from quiff.core.distinct import distinct_codes
from quiff.core.labels import Labels
from quiff.core.numbers import Array
from quiff.errors import LabelError, ShapeError
from quiff.people.sets import members
from quiff.people.weights import summed

_MUCH = 1 / 2  # of the sets: beyond it, filling dominates


@final
@dataclass(frozen=True, eq=False)
class Filling:
    """How many topics of each set were visited and, where it is known, which.

    One distinct set of a merged population can stand for users who visited different topics of it.
    """

    genuine: Array  # the number of visited topics of each set: (epochs, users), or (users,) for one epoch
    visited: Array | None = None  # (epochs, users, s), in ascending order of the topics' codes, if known
    rows: Array | None = None  # if merged: the position of the distinct set to which an entry belongs
    users: Array | None = None  # if merged: for how many users an entry stands

    @classmethod
    def of(cls, visited: object, rows: Array | None = None, users: Array | None = None) -> "Filling":
        """Return the filling from which topics of each set were visited."""
        array = np.asarray(visited)
        if array.dtype != np.bool_ or array.ndim not in (2, 3):
            raise ShapeError("visited must say True or False for each topic of each set")
        array = array[np.newaxis] if array.ndim == 2 else array
        return cls(array.sum(axis=2), array, rows, users)

    def __post_init__(self) -> None:
        genuine = np.array(self.genuine, dtype=np.int64)
        object.__setattr__(self, "genuine", genuine[np.newaxis] if genuine.ndim == 1 else genuine)
        for array in (self.genuine, self.visited, self.rows, self.users):
            if array is not None:
                array.flags.writeable = False

    def check(self, sets: Array) -> None:
        """Raise an error unless this fits sets (epochs, users, s)."""
        epochs, n_rows, top_s = sets.shape
        wanted = (epochs, n_rows if self.rows is None else self.rows.shape[0])
        fits = self.genuine.shape == wanted and (
            self.visited is None or self.visited.shape == (*wanted, top_s)
        )
        if not fits:
            shown = self.genuine if self.visited is None else self.visited
            raise ShapeError(
                f"the visited topics have shape {shown.shape}, but there are {n_rows} sets of {top_s}"
                f" topics in each of {epochs} epochs"
            )
        if self.genuine.size and not 0 <= self.genuine.min() <= self.genuine.max() <= top_s:
            raise ShapeError(f"a set has from 0 to {top_s} visited topics, not {self.genuine.max()}")

    def at(self, place: Any) -> Self:
        """Return the filling of some epochs, or by a pair of them and some users; not for merged ones."""
        visited = None if self.visited is None else self.visited[place]
        return replace(self, genuine=self.genuine[place], visited=visited)

    def wholly_visited(self, top_s: int) -> Array:
        """Tell for each row whether all topics were visited, in every epoch."""
        return np.asarray((self.genuine == top_s).all(axis=0))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Filling):
            return NotImplemented
        return all(map(same_arrays, vars(self).values(), vars(other).values()))

    __hash__ = None  # type: ignore[assignment]

    def counted(self, sets: Array, n_topics: int) -> "Filled":
        """Count users and topics; `sets` are those of the population, of which there are `n_topics`."""
        n_epochs, _, top_s = sets.shape
        users = self.users if self.users is not None else np.ones(self.genuine.shape[1], dtype=np.int64)
        distinct = unique = None
        if self.visited is not None:
            codes = sets if self.rows is None else sets[:, self.rows]
            shown = np.where(self.visited, codes.astype(np.int64) + 1, 0)  # 0 stands for what was filled in
            ordered = np.sort(shown.reshape(-1, top_s), axis=1).reshape(shown.shape)
            profiles = ordered.transpose(1, 0, 2).reshape(shown.shape[1], -1)
            kinds, kind = distinct_codes(profiles, n_topics + 1)
            holders = summed(users, kind, kinds.shape[0])
            distinct, unique = int(kinds.shape[0]), int(np.count_nonzero(holders == 1))
        return Filled(
            users=int(users.sum()),
            epochs=n_epochs,
            top_s=top_s,
            filled_sets=int((users * (self.genuine < top_s)).sum()),
            filled_topics=int((users * (top_s - self.genuine)).sum()),
            sets_without_visits=int((users * (self.genuine == 0)).sum()),
            genuine_users=int(users[self.wholly_visited(top_s)].sum()),
            distinct_visited=distinct,
            unique_visited=unique,
        )


@final
@dataclass(frozen=True)
class Filled:
    """How much of a population was filled in at random."""

    users: int
    epochs: int  # for each of which they have a set
    top_s: int
    filled_sets: int  # with topics that their users did not visit
    filled_topics: int
    sets_without_visits: int  # without a single visited topic
    genuine_users: int  # all of whose topics, in all epochs, were visited
    # If each set is cut to its visited topics, over all epochs together: how many different ones there are,
    # and how many users have one that nobody else has; None if it is not known which topics were visited.
    distinct_visited: int | None
    unique_visited: int | None

    @property
    def sets(self) -> int:
        """How many sets there are: one for each user and epoch."""
        return self.users * self.epochs

    @property
    def filled_users(self) -> float:
        """The share of users, or with several epochs of their sets, with a topic that was filled in."""
        return self.filled_sets / self.sets

    @property
    def filled_share(self) -> float:
        """The share of topics that were filled in."""
        return self.filled_topics / (self.sets * self.top_s)

    @property
    def without_visits(self) -> float:
        """The share of sets without a single visited topic."""
        return self.sets_without_visits / self.sets

    @property
    def unique_share(self) -> float | None:
        """The share of users whose visited topics nobody else has; None if these are not known."""
        return None if self.unique_visited is None else self.unique_visited / self.users

    @property
    def whom(self) -> str:
        """Of what `filled_users` is the share, in words."""
        return "users" if self.epochs == 1 else "user-epochs"

    def sentence(self) -> str:
        """Say how much was filled in."""
        if not self.filled_sets:
            return "All topics were visited; none was filled in at random."
        text = (
            f"Topics were filled in at random for {100 * self.filled_users:.1f} % of {self.whom}"
            f" ({100 * self.filled_share:.1f} % of all topics)"
        )
        if self.epochs == 1 and not self.sets_without_visits:
            return f"{text}."
        return f"{text}; {100 * self.without_visits:.1f} % of {self.whom} have no visited topic at all."

    def warnings(self) -> tuple[str, ...]:
        """Return a warning if filling dominates."""
        return filling_warnings(self.filled_users, self.whom)


def same_arrays(one: Array | None, other: Array | None) -> bool:
    """Tell whether two arrays are equal, or neither is there."""
    return one is other or (one is not None and other is not None and np.array_equal(one, other))


def filling_warnings(share: float, whom: str) -> tuple[str, ...]:
    """Return a warning if topics were filled in for more than half of the users or user-epochs."""
    if share <= _MUCH:
        return ()
    return (
        f"Filling dominates: topics were filled in at random for {100 * share:.1f} % of {whom}, so that "
        "figures with filling show the random draw more than what people did; read the genuine ones.",
    )


def visited_in_order(codes: Array, visited: object) -> Array:
    """Return which topics were visited, in ascending order of the codes beside which they were given."""
    array = np.asarray(visited)
    if array.shape != codes.shape or array.dtype != np.bool_:
        raise ShapeError(
            f"visited has shape {array.shape} and type {array.dtype}, but must say True or False for each "
            f"topic of the sets, which have shape {codes.shape}"
        )
    return np.take_along_axis(array, np.argsort(codes, axis=-1, kind="stable"), axis=-1)


def visited_of_sets(
    visited: Mapping[Any, Iterable[Any]], users: Iterable[Any], codes: Array, topics: Labels
) -> Array:
    """Return which topics of sets were visited, from a mapping of users to visited topics."""
    found = np.zeros(codes.shape, dtype=np.bool_)
    for row, user in enumerate(users):
        if user not in visited:
            raise LabelError(f"visited does not have the user {user!r}; give the visited topics of each user")
        own = [topics[int(code)] for code in codes[row]]
        for topic in members(user, visited[user]):
            if topic not in own:
                raise LabelError(
                    f"the visited topic {topic!r} of {user!r} is not in the user's set; leave it out"
                )
            found[row, own.index(topic)] = True
    return found
