"""The sets of several epochs, arranged by epoch and user; and users who lack an epoch."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from quiff.core.numbers import Array
from quiff.errors import LabelError, ParameterError, QuiffError

__all__ = ["MISSING", "Arranged", "arranged", "check_missing", "epochs_of"]

MISSING = ("error", "drop", "fill")
"""What can be done with users who lack a set in some epoch."""

_CHUNK = 1 << 22  # random numbers drawn at a time
At = Callable[[int], str]


@dataclass(frozen=True)
class Arranged:
    """Users in the order in which they come first, their sets (epochs, users, s), and their first rows."""

    users: Array
    codes: Array
    firsts: Array
    notes: tuple[str, ...]


def check_missing(missing: str) -> None:
    """Raise an error if there is no such way to treat users who lack an epoch."""
    if missing not in MISSING:
        raise ParameterError(f"missing is {missing!r}, but must be one of {', '.join(MISSING)}")


def epochs_of(table: Any, at: At, before: int = 0) -> Array:
    """Return the numbers of the epochs of a piece.

    Raises
    ------
    QuiffError
        If one is no whole number.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = table["epoch"].combine_chunks().cast(pa.string())
    good = pc.fill_null(pc.match_substring_regex(texts, "^[0-9]{1,18}$"), False)
    row = pc.index(good, False).as_py()
    if row >= 0:
        raise QuiffError(
            f"{at(before + row)} the epoch is {texts[row].as_py()!r}, but must be a whole number"
        )
    return np.asarray(texts.cast(pa.int64()).to_numpy())


def arranged(
    path: str, users: Array, epochs: Array, codes: Array, at: At, missing: str, seed: int
) -> Arranged:
    """Arrange sets as (epochs, users, s).

    Parameters
    ----------
    path
        The file, for messages.
    users, epochs, codes
        User, epoch and set of each row.
    at
        Says where a row stands.
    missing
        What to do with users who lack a set in some epoch: ``error``; ``drop`` them; or ``fill`` the gap as
        the browser does for an epoch without history, with topics by chance: uniformly, without
        replacement, from those that occur.
    seed
        For ``fill``: the same seed gives the same topics.

    Raises
    ------
    LabelError
        If a user has two sets in an epoch, or lacks one and `missing` is ``error``.
    """
    named, firsts, which = np.unique(users, return_index=True, return_inverse=True)
    order = np.argsort(firsts, kind="stable")
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    numbers, when = np.unique(epochs, return_inverse=True)
    rows = np.full((len(numbers), len(named)), -1)
    rows[when, place[which]] = np.arange(len(users))
    if np.count_nonzero(rows >= 0) < len(users):
        _tell_twice(when * len(named) + which, users, epochs, at)
    named, firsts = named[order], firsts[order]
    gaps = rows < 0
    if not gaps.any():
        return Arranged(named, codes[rows], firsts, ())
    lacking = gaps.any(axis=0)
    share = f"{np.count_nonzero(lacking)} of {len(named)} users"
    if missing == "error":
        epoch, user = np.argwhere(gaps)[0]
        raise LabelError(
            f"{path!r}: {share} have no set in some of the {len(numbers)} epochs (the user"
            f" {_plain(named[user])!r} has none in epoch {numbers[epoch]}); leave such users out by"
            " missing='drop', or give them topics by chance by missing='fill' (--missing drop or fill)"
        )
    if missing == "drop":
        if lacking.all():
            raise LabelError(f"{path!r}: no user has a set in every epoch; read with missing='fill'")
        note = f"{share} were left out, since they have no set in some of the {len(numbers)} epochs."
        return Arranged(named[~lacking], codes[rows[:, ~lacking]], firsts[~lacking], (note,))
    sets = codes[rows]
    sets[gaps] = _by_chance(int(np.count_nonzero(gaps)), codes, seed)
    note = (
        f"{share} have no set in some of the {len(numbers)} epochs; their {np.count_nonzero(gaps)} missing"
        f" sets were filled by chance from the topics that occur (seed {seed})."
    )
    return Arranged(named, sets, firsts, (note,))


def _tell_twice(pairs: Array, users: Array, epochs: Array, at: At) -> None:
    """Raise an error that tells the first row whose user and epoch, as one number, were there before."""
    again = np.ones(len(pairs), dtype=bool)
    again[np.unique(pairs, return_index=True)[1]] = False
    row = int(np.argmax(again))
    raise LabelError(
        f"{at(row)} the user {_plain(users[row])!r} has a second set in epoch {epochs[row]}; give one"
    )


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


def _plain(user: Any) -> Any:
    return user.item() if isinstance(user, np.generic) else user
