"""Rows of several epochs put together by user: what becomes of users who lack one."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from quiff.core.numbers import Array
from quiff.errors import LabelError, ParameterError, counted, setting
from quiff.io.tables import Table
from quiff.people.attribute import Attribute
from quiff.theory.parameters import check_whole

_MISSING = ("error", "drop", "fill")
_CHUNK = 1 << 22  # random numbers drawn at a time
_TAKEN_FOR_VISITED = (
    "The file does not say which topics were visited: those of the sets that it has are taken for visited."
)


@dataclass(frozen=True)
class Rows:
    """The rows of a table of people as arrays; by `by_epoch`, all but users come epoch by epoch."""

    users: Array
    sets: Array | None  # as positions in the topics
    weights: Array | None = None
    genuine: Array | None = None  # how many topics of each set were visited
    visited: Array | None = None  # which
    others: dict[str, Attribute] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def check_missing(missing: str, seed: int) -> None:
    """Raise an error if there is no such way to treat users who lack an epoch."""
    if missing not in _MISSING:
        raise ParameterError(what="missing", value=missing, allowed=f"one of {', '.join(_MISSING)}")
    check_whole("seed", seed, 0)


def chosen_epoch(n_epochs: int, chosen: int) -> str:
    """Return the note on the one epoch that was taken."""
    return f"The file has {n_epochs} epochs; this is epoch {chosen}, counted from 0."


def first_again(keys: Array) -> int | None:
    """Return the first place where something is that was there before."""
    _, firsts = np.unique(keys, return_index=True)
    if len(firsts) == len(keys):
        return None
    again = np.ones(len(keys), dtype=bool)
    again[firsts] = False
    return int(np.argmax(again))


def by_epoch(table: Table, rows: Rows, epochs: Array, missing: str, seed: int) -> Rows:
    """Return rows by epoch and user, users in the order in which they come first."""
    if rows.sets is None and missing == "fill":
        raise ParameterError("missing is 'fill', but there are no topic sets to fill; choose drop or error")
    users, places, firsts = _places(table, rows.users, epochs)
    gaps, notes = places < 0, []
    if gaps.any() and missing == "error":
        epoch, user = np.argwhere(gaps)[0]
        raise LabelError(
            f"{_lacking(gaps)} (that of {table.at(int(firsts[user]))} has none in epoch"
            f" {np.unique(epochs)[epoch]}); leave such users out by {setting('missing', 'drop')}, or give"
            f" them random topics by {setting('missing', 'fill')}",
            where=table.name,
        )
    if gaps.any() and missing == "drop":
        whole = ~gaps.any(axis=0)
        if not whole.any():
            raise LabelError(
                "no user has a set in every epoch, so that all would be dropped; give them random topics"
                f" by {setting('missing', 'fill')}",
                where=table.name,
            )
        notes.append(f"{_lacking(gaps)} and {_were(int(np.count_nonzero(~whole)))} left out.")
        users, places, firsts, gaps = users[whole], places[:, whole], firsts[whole], gaps[:, whole]
    sets, visited = None if rows.sets is None else rows.sets[places], rows.visited
    if sets is not None and rows.sets is not None and gaps.any():
        n = int(np.count_nonzero(gaps))
        sets[gaps] = _random_sets(n, rows.sets, seed)
        notes.append(
            f"{_lacking(gaps)}; {counted(n, 'missing set')} {_were(n)} filled at random from the topics that"
            f" occur (seed {seed})."
        )
        if rows.genuine is None and visited is None:
            visited = np.ones(rows.sets.shape, dtype=bool)
            notes.append(_TAKEN_FOR_VISITED)
    return replace(
        rows,
        users=users,
        sets=sets,
        genuine=None if rows.genuine is None else np.where(gaps, 0, rows.genuine[places]),  # none was visited
        visited=None if visited is None else visited[places] & ~gaps[..., np.newaxis],
        weights=None if rows.weights is None else _one_weight(table, rows.weights, places, firsts),
        others={name: _over_epochs(attribute, places) for name, attribute in rows.others.items()},
        notes=tuple(notes),
    )


def _places(table: Table, users: Array, epochs: Array) -> tuple[Array, Array, Array]:
    """Return the users, the row of each epoch and user, -1 if there is none, and their first rows."""
    named, firsts, which = np.unique(users, return_index=True, return_inverse=True)
    order = np.argsort(firsts, kind="stable")
    numbers, when = np.unique(epochs, return_inverse=True)
    row = first_again(when * len(named) + which)
    if row is not None:
        raise LabelError(
            f"the user of this row has a second set in epoch {epochs[row]}; give one", where=table.at(row)
        )
    places = np.full((len(numbers), len(named)), -1)
    places[when, which] = np.arange(len(users))
    return named[order], places[:, order], firsts[order]


def _lacking(gaps: Array) -> str:
    """Say how many users lack an epoch, given which of the epochs and users."""
    n, (n_epochs, n_users) = int(np.count_nonzero(gaps.any(axis=0))), gaps.shape
    return f"{n} of {n_users} users {'has' if n == 1 else 'have'} no set in some of the {n_epochs} epochs"


def _were(n: int) -> str:
    return "was" if n == 1 else "were"


def _random_sets(n: int, codes: Array, seed: int) -> Array:
    """Draw n sets as a browser does for an epoch without history: uniformly, of the topics that occur."""
    occurring = np.unique(codes)
    rng = np.random.default_rng(seed)
    step = max(_CHUNK // len(occurring), 1)
    drawn = [
        np.argsort(rng.random((min(step, n - start), len(occurring))), axis=1)[:, : codes.shape[1]]
        for start in range(0, n, step)
    ]
    return occurring[np.concatenate(drawn)]


def _one_weight(table: Table, weights: Array, places: Array, firsts: Array) -> Array:
    """Return the weight of each user, which must be the same in all epochs."""
    first = weights[firsts]
    differing = np.argwhere((places >= 0) & (weights[places] != first))
    if differing.size:
        row, user = min((int(places[epoch, user]), user) for epoch, user in differing)
        raise ParameterError(
            f"the weight is {weights[row]}, but {first[user]} in another epoch of the same user; give"
            " each user one weight",
            where=table.at(row),
        )
    return np.asarray(first)


def _over_epochs(attribute: Attribute, places: Array) -> Attribute:
    """Return an attribute by epoch and user: stable if nobody's value changes, else missing in a gap."""
    which, gaps = attribute.which[0][places], places < 0
    first = np.take_along_axis(which, gaps.argmin(axis=0)[np.newaxis], axis=0)
    if ((which == first) | gaps).all():
        return Attribute(attribute.name, attribute.values, first[0])
    if not gaps.any():
        return Attribute(attribute.name, attribute.values, which)
    values: list[Any] = [*attribute.values, None]
    return Attribute.of_codes(attribute.name, values, np.where(gaps, attribute.values.size, which))
