"""New names for users: random numbers, and no way back by way of them (App. D.1).

Each user has a place: the rank of the user's random number among all numbers, a random permutation. Engines
sort and write by place, so that the order of a table tells nothing of names, nor of the order of the log. The
numbers stay in this process's memory and are put in when the rows are written, so that DuckDB, which may put
on disk what it knows, never holds a name and a number together. Whoever has both its scratch file, where a
killed run has left one, and a whole table could tell who is who by rank.
"""

import random
from dataclasses import dataclass
from typing import Any

CONTROL = r"[\x00-\x1f\x7f]"
"""The pattern of characters that are no part of a user's name."""

_BITS = 53  # such a number is the same in JSON, JavaScript and spreadsheets


@dataclass(frozen=True)
class Pseudonyms:
    """The users of a log and their numbers, apart from each other."""

    places: Any  # a PyArrow table: user, place, in random order
    numbers: Any  # a PyArrow array in increasing order: the number that belongs to each place
    nameless: tuple[str, ...]  # the users that have no place, since they have no name


def draw_pseudonyms(users: Any, seed: int | None = None) -> Pseudonyms:
    r"""Draw a random number for each user.

    Control characters are no part of a name: users whose names differ in nothing else are one and the same,
    and a user whose name is nothing else has none. Names come once each; a seed is for tests, and None draws
    from the operating system.

    >>> import pyarrow as pa
    >>> drawn = draw_pseudonyms(pa.array(["8", "7", "\x197", "\x19"]))
    >>> place = dict(zip(*drawn.places.to_pydict().values()))
    >>> sorted(place), place["7"] == place["\x197"] != place["8"], len(drawn.numbers), drawn.nameless
    (['\x197', '7', '8'], True, 2, ('\x19',))
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    names = pc.replace_substring_regex(users, CONTROL, "")
    named = pc.not_equal(names, "")
    # In order of names: the order of an engine's answer is not fixed, and what a seed gives must be.
    distinct = names.filter(named).unique().sort()
    numbers = draw_numbers(len(distinct), seed)
    order = np.argsort(numbers)
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order))
    places = pa.array(ranks).take(pc.index_in(names.filter(named), distinct))
    return Pseudonyms(
        pa.table({"user": users.filter(named), "place": places}).sort_by("place"),
        pa.array(numbers[order]),
        tuple(users.filter(pc.invert(named)).to_pylist()),
    )


def draw_numbers(size: int, seed: int | None = None) -> Any:
    """Return distinct random integers below 2^53 in the order in which they were drawn.

    They come from the operating system's randomness, unless a seed is given.

    >>> len(set(draw_numbers(1000).tolist()))
    1000
    >>> draw_numbers(2, seed=1).tolist() == draw_numbers(2, seed=1).tolist()
    True
    """
    import numpy as np

    source = random.SystemRandom() if seed is None else random.Random(seed)  # noqa: S311 - seeds are for tests
    numbers = np.empty(0, np.int64)
    while numbers.size < size:
        drawn = np.frombuffer(source.randbytes(8 * (size - numbers.size)), "<u8") >> (64 - _BITS)
        numbers = np.concatenate([numbers, drawn.astype(np.int64)])
        _, firsts = np.unique(numbers, return_index=True)
        numbers = numbers[np.sort(firsts)]
    return numbers
