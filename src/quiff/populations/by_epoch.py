"""The sets of several epochs, arranged by epoch and user; and users who lack an epoch."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from quiff.core.numbers import Array
from quiff.errors import LabelError, ParameterError, QuiffError, counted
from quiff.populations.user_columns import At
from quiff.safe_text import shape

MISSING = ("error", "drop", "fill")
"""What can be done with users who lack a set in some epoch."""

_CHUNK = 1 << 22  # random numbers drawn at a time


@dataclass(frozen=True)
class Arranged:
    """Users in the order in which they come first, their sets (epochs, users, s), and their first rows.

    `rows` has the row of each epoch and user in the file, and -1 for a set that was filled in.
    """

    users: Array
    codes: Array
    firsts: Array
    rows: Array
    notes: tuple[str, ...]


def check_missing(missing: str) -> None:
    """Raise an error if there is no such way to treat users who lack an epoch."""
    if missing not in MISSING:
        raise ParameterError(f"missing is {missing!r}, but must be one of {', '.join(MISSING)}")


def epochs_of(table: Any, at: At, before: int = 0) -> Array:
    """Return the numbers of the epochs of a piece."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = table["epoch"].combine_chunks().cast(pa.string())
    good = pc.fill_null(pc.match_substring_regex(texts, "^[0-9]{1,18}$"), False)
    row = pc.index(good, False).as_py()
    if row >= 0:
        raise QuiffError(
            f"{at(before + row)} the epoch is {shape(texts[row].as_py())}, but must be a whole number"
        )
    return np.asarray(texts.cast(pa.int64()).to_numpy())


def arranged(
    path: str, users: Array, epochs: Array, codes: Array, at: At, missing: str, seed: int
) -> Arranged:
    """Arrange sets, given user, epoch and set of each row, as (epochs, users, s).

    Users who lack a set in some epoch are an ``error``, or left out by ``drop``, or get what a browser has
    for an epoch without history by ``fill``: topics drawn uniformly, without replacement, of those there are.
    """
    named, firsts, which = np.unique(users, return_index=True, return_inverse=True)
    order = np.argsort(firsts, kind="stable")
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    numbers, when = np.unique(epochs, return_inverse=True)
    rows = np.full((len(numbers), len(named)), -1)
    rows[when, place[which]] = np.arange(len(users))
    if np.count_nonzero(rows >= 0) < len(users):
        _tell_twice(when * len(named) + which, epochs, at)
    named, firsts = named[order], firsts[order]
    if (rows >= 0).all():
        return Arranged(named, codes[rows], firsts, rows, ())
    if missing == "error":
        epoch, user = np.argwhere(rows < 0)[0]
        raise LabelError(
            f"{path!r}: {_lacking(rows)} (that of {at(int(firsts[user]))[:-1]} has none in epoch"
            f" {numbers[epoch]}); leave such users out by missing='drop', or give them random topics by"
            " missing='fill' (--missing drop or fill)"
        )
    return (
        _dropped(path, named, rows, codes, firsts)
        if missing == "drop"
        else _filled(named, rows, codes, firsts, seed)
    )


def _lacking(rows: Array) -> str:
    """Say how many users lack an epoch; `rows` has the row of each epoch and user, or -1."""
    n_epochs, n_users = rows.shape
    n = int(np.count_nonzero((rows < 0).any(axis=0)))
    return f"{n} of {n_users} users {'has' if n == 1 else 'have'} no set in some of the {n_epochs} epochs"


def _dropped(path: str, users: Array, rows: Array, codes: Array, firsts: Array) -> Arranged:
    whole = (rows >= 0).all(axis=0)
    if not whole.any():
        raise LabelError(
            f"{path!r}: no user has a set in every epoch, so that all would be dropped; give them random"
            " topics by missing='fill' (--missing fill)"
        )
    note = f"{_lacking(rows)} and {'was' if np.count_nonzero(~whole) == 1 else 'were'} left out."
    return Arranged(users[whole], codes[rows[:, whole]], firsts[whole], rows[:, whole], (note,))


def _filled(users: Array, rows: Array, codes: Array, firsts: Array, seed: int) -> Arranged:
    sets, gaps = codes[rows], rows < 0
    n = int(np.count_nonzero(gaps))
    sets[gaps] = _by_chance(n, codes, seed)
    note = (
        f"{_lacking(rows)}; {counted(n, 'missing set')} {'was' if n == 1 else 'were'} filled at random from"
        f" the topics that occur (seed {seed})."
    )
    return Arranged(users, sets, firsts, rows, (note,))


def _tell_twice(pairs: Array, epochs: Array, at: At) -> None:
    """Raise an error that tells the first row whose user and epoch, as one number, were there before."""
    again = np.ones(len(pairs), dtype=bool)
    again[np.unique(pairs, return_index=True)[1]] = False
    row = int(np.argmax(again))
    raise LabelError(f"{at(row)} the user of this row has a second set in epoch {epochs[row]}; give one")


def _by_chance(n: int, codes: Array, seed: int) -> Array:
    """Draw n sets, each uniformly without replacement from the topics that occur."""
    occurring = np.unique(codes)
    rng = np.random.default_rng(seed)
    step = max(_CHUNK // len(occurring), 1)
    drawn = [
        np.argsort(rng.random((min(step, n - start), len(occurring))), axis=1)[:, : codes.shape[1]]
        for start in range(0, n, step)
    ]
    return occurring[np.concatenate(drawn)]
