"""Users and their sets over several epochs, where an API shows any output of a set as often as another."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import final

import numpy as np

from quiff.apis.base import Api
from quiff.core.counting.membership import membership
from quiff.core.counting.work import Sizes, n_occurring
from quiff.core.distinct import distinct_codes
from quiff.core.numbers import Array, Number, as_number, as_numbers, is_exact
from quiff.core.sparse import fold_max
from quiff.errors import ParameterError
from quiff.people.population import Population
from quiff.theory.parameters import MOST_OBSERVATIONS, Real, check_whole


@final
@dataclass(frozen=True, eq=False)
class Profiles:
    """The distinct sequences of sets over some epochs."""

    codes: tuple[Array, ...]  # for each epoch the sets, (profiles, s); one array again where they are stable
    # The largest weight of a user with each profile, and that of all together; None if all weigh the same.
    best: Array | None
    total: Array | None

    @property
    def size(self) -> int:
        """D, how many there are."""
        return int(self.codes[0].shape[0])


@final
@dataclass(frozen=True, eq=False)
class Sequences:
    """The sets of users over the epochs, and the probabilities p and q of an output inside and outside."""

    # For each epoch the users' sets as positions of outputs, ascending, (users, s). One epoch means that sets
    # are stable: there may be any number of epochs.
    sets: tuple[Array, ...]
    width: int  # m, how many outputs there are
    # p and q; for the Topics API (1-r)/s + r/m and r/m.
    inside: Real
    outside: Real
    weights: Array | None = None  # how likely each user is, up to a factor; None if all are equally likely
    counts: Array | None = None  # how many users each row stands for, if they were merged

    @classmethod
    def of(cls, people: Population, api: Api) -> "Sequences":
        """Return the sequences of people, as an API whose channel is one of membership shows them."""
        found = cls.recognised(people, api)
        if found is None:
            raise ParameterError(
                f"{api.spec!r} does not show each output of a set with one probability and all others with "
                "another; take over_time(), which measures any API",
                what="api",
                value=api.spec,
            )
        return found

    @classmethod
    def recognised(cls, people: Population, api: Api) -> "Sequences | None":
        """Return the sequences if they are of this kind, the same p >= q in every epoch; else None.

        Each user has one secret; C[secret, y] is p for as many outputs y of each secret, and q for all
        others; and several observations are drawn independently.
        """
        ready = api.fit(people)
        if ready.redraws == "nothing":
            return None
        epochs = range(people.n_epochs) if changing(people, ready) else range(1)
        found = [_membership(people if people.n_epochs == 1 else people.epoch(e), ready) for e in epochs]
        shown = [one for one in found if one is not None]
        if len(shown) < len(found) or len({one[1:] for one in shown}) > 1:
            return None
        if people.weights is not None:
            people.check_unmerged()
        _, width, inside, outside = shown[0]
        weights = None if people.weights is None else as_numbers(people.weights)
        return cls(tuple(one[0] for one in shown), width, inside, outside, weights, people.counts)

    @property
    def stable(self) -> bool:
        """Whether each user keeps one set."""
        return len(self.sets) == 1

    @property
    def n_users(self) -> int:
        """N, how many users there are."""
        return int(self.sets[0].shape[0] if self.counts is None else self.counts.sum())

    @property
    def per_row(self) -> int:
        """The size s of a set."""
        return int(self.sets[0].shape[1])

    @property
    def exact(self) -> bool:
        """Whether all numbers are exact."""
        return not isinstance(self.inside, float) and (self.weights is None or is_exact(self.weights))

    @cached_property
    def prior(self) -> Number:
        """The probability to re-identify the user before any observation."""
        if self.weights is None:
            return Fraction(1, self.n_users) if self.exact else 1 / self.n_users
        largest, total = self.weights.max(), self.weights.sum()
        return as_number(largest) / as_number(total)

    def limit(self, epochs: int) -> Number:
        """Return the leakage if sets were observed as they are: no number of observations leaks more.

        For users who are equally likely it is D, the number of distinct profiles.
        """
        if self.weights is None:
            return self.distinct(epochs)
        best = self.profiles(epochs).best
        assert best is not None  # noqa: S101 - as there are weights
        return as_number(best.sum()) / as_number(self.weights.max())

    def distinct(self, epochs: int) -> int:
        """Return D, how many different sequences there are over the first epochs."""
        first, _ = self.kinds(1 if self.stable else self._checked(epochs))
        return int(first.shape[0])

    def over(self, epochs: int) -> tuple[Array, ...]:
        """Return the users' sets in each of the first epochs."""
        E = self._checked(epochs)
        return self.sets * E if self.stable else self.sets[:E]

    def sizes(self, epochs: int) -> Sizes:
        """Return what counting over the first epochs depends on."""
        E = self._checked(epochs)
        return Sizes(E, int(self.sets[0].shape[0]), self.per_row, max(self._occurring[:E]))

    @cached_property
    def _occurring(self) -> list[int]:
        """How many outputs are in some set of each epoch."""
        return [n_occurring(sets) for sets in self.sets]

    def profiles(self, epochs: int) -> Profiles:
        """Return the distinct sequences over the first epochs."""
        E = self._checked(epochs)
        first, kind = self.kinds(1 if self.stable else E)
        chosen = tuple(sets[first] for sets in self.sets[:E])
        codes = chosen * E if self.stable else chosen
        if self.weights is None:
            return Profiles(codes, None, None)
        total = np.bincount(kind, weights=self.weights.astype(np.float64), minlength=first.shape[0])
        return Profiles(codes, fold_max(self.weights, kind, first.shape[0]), total)

    def kinds(self, epochs: int) -> tuple[Array, Array]:
        """Return one user of each profile over the first epochs, and the number of every user's profile."""
        if epochs not in self._kinds:
            ids = np.stack([ids for ids, _ in self._ids[:epochs]], axis=1)
            found = distinct_codes(ids, max(count for _, count in self._ids[:epochs]))
            self._kinds[epochs] = _narrowed(found[0], ids.shape[0]), _narrowed(found[1], ids.shape[0])
        return self._kinds[epochs]

    @cached_property
    def _kinds(self) -> dict[int, tuple[Array, Array]]:
        """What `kinds` has answered."""
        return {}

    def set_numbers(self, epochs: int) -> Array:
        """Return the number of every profile's set in each of the first epochs, (epochs, profiles)."""
        first, _ = self.kinds(epochs)
        return np.stack([ids[first] for ids, _ in self._ids[:epochs]])

    def _checked(self, epochs: int) -> int:
        E = check_whole("epochs", epochs, 1, MOST_OBSERVATIONS)
        if not self.stable and len(self.sets) < E:
            n = len(self.sets)
            raise ParameterError(
                f"there are sets for {n} epochs, but epochs is {E}; ask for {n} at most",
                what="epochs",
                value=E,
                allowed=f"at most {n}",
            )
        return E

    @cached_property
    def _ids(self) -> list[tuple[Array, int]]:
        """The number of every user's set in each epoch, and how many different ones there are."""
        found = (distinct_codes(sets, self.width) for sets in self.sets)
        return [(_narrowed(kind, kind.shape[0]), first.shape[0]) for first, kind in found]


def _narrowed(numbers: Array, size: int) -> Array:
    """Return numbers below `size` in four bytes each where that is enough: there is one for every user."""
    return numbers.astype(np.int32 if size < 2**31 else np.int64)


def changing(people: Population, api: Api) -> bool:
    """Tell whether an attribute that an API works on changes from epoch to epoch."""
    return people.n_epochs > 1 and any(people.attribute(name).changes for name in api.needs)


def _membership(people: Population, api: Api) -> tuple[Array, int, Real, Real] | None:
    """Return users' sets, m, p and q of one epoch, None if it is no such channel or not drawn anew."""
    secret = api.secret(people)
    which = secret.codes
    if which is None:
        return None
    kernel, times = api.over_time(secret.outputs, 2).kernel.root()
    found = None if kernel.codes is not None or times != 2 else membership(kernel)
    if found is None or found[1] < found[2]:
        return None
    codes, *numbers = found
    inside, outside = (one if isinstance(one, float) else Fraction(one) for one in numbers)
    return np.sort(codes, axis=1)[which], kernel.n_columns, inside, outside
