"""The compiled loops that leave out noise; tests compare each with its definition in plain Python."""

import numpy as np

from quiff.core.compiled import compiled
from quiff.core.numbers import Array


@compiled
def keep_genuine(codes: Array, earlier: int, per_call: int, enough: int, rare: Array, kept: Array) -> None:
    """Write the topics that Beugin and McDaniel take for genuine, each once; -1 follows.

    See :class:`quiff.attacks.overlap.BeuginMcDaniel` for the rule. Topics are taken in the order in which
    they are first seen.
    """
    n_users, columns = codes.shape
    n_calls = columns - earlier
    topics = np.empty(columns, dtype=codes.dtype)
    first, last = np.empty(columns, dtype=np.int64), np.empty(columns, dtype=np.int64)
    sure = np.empty(columns, dtype=np.bool_)
    for user in range(n_users):
        n_topics, n_genuine, place = 0, 0, 0
        for column in range(columns):
            topic, k = codes[user, column], 0
            if topic < 0:
                continue
            while k < n_topics and topics[k] != topic:
                k += 1
            if k == n_topics:
                topics[k], first[k], sure[k] = topic, column, False
                n_topics += 1
            elif column - last[k] != per_call:
                sure[k] = True
            last[k] = column
        for k in range(n_topics):
            if last[k] > first[k] and not sure[k]:  # always shown by successive calls, but how many of them?
                last_call = min(last[k] - earlier + per_call - 1, n_calls - 1)
                sure[k] = last_call - max(first[k] - earlier, 0) >= per_call
            n_genuine += sure[k]
        for k in range(n_topics):
            if sure[k] or (n_genuine < enough and not rare[topics[k]]):
                kept[user, place] = topics[k]
                place += 1
        kept[user, place:] = -1


@compiled
def keep_repeated(codes: Array, times: int, kept: Array) -> None:
    """Write the topics that are there at least so many times, each once, in ascending order; -1 follows."""
    n_users, columns = codes.shape
    for user in range(n_users):
        ordered = np.sort(codes[user])
        place, start = 0, 0
        for column in range(1, columns + 1):
            if column == columns or ordered[column] != ordered[start]:
                if ordered[start] >= 0 and column - start >= times:
                    kept[user, place] = ordered[start]
                    place += 1
                start = column
        kept[user, place:] = -1
