"""The compiled loops that match users; tests compare each with its definition in plain Python."""

from typing import Any

import numpy as np

from quiff.core.compiled import compiled
from quiff.core.counting.loops import count_bits
from quiff.core.numbers import Array

_ZERO, _ONE, _ALL = np.uint64(0), np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)
_BLOCK = 128  # words: what is worked on stays in the fastest memory


@compiled
def mark_users(starts: Array, items: Array, bits: Array) -> None:
    """Set the bit of each user in the rows of the user's items."""
    for user in range(starts.shape[0] - 1):
        word, bit = user >> 6, _ONE << np.uint64(user & 63)
        for k in range(starts[user], starts[user + 1]):
            bits[items[k], word] |= bit


@compiled
def keep_missing(missing: Array, having: Array, weight: int) -> np.uint64:
    """Look at one more item: who has it stays in the row, who lacks it moves up by its weight, or out.

    Returns the bits of all that are left.
    """
    width, left = having.shape[0], _ZERO
    for b in range(missing.shape[0] - 1, -1, -1):
        row = missing[b]
        if b >= weight:
            below = missing[b - weight]
            for i in range(width):
                row[i] = (row[i] & having[i]) | (below[i] & ~having[i])
                left |= row[i]
        else:
            for i in range(width):
                row[i] &= having[i]
                left |= row[i]
    return left


@compiled
def by_length(items: Array, lengths: Array, order: Array) -> None:
    """Write the order of a few items by the lengths of their lists, the shortest first."""
    for k in range(items.shape[0]):
        place = k
        while place > 0 and lengths[items[order[place - 1]]] > lengths[items[k]]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = k


@compiled
def rank_by_bits(bits: Array, n_users: int, lengths: Array, queries: Any, own: Array, tied: Array) -> None:
    """Do what :func:`rank_by_lists` does, for 64 users at a time.

    Row b of `missing` tells who lacks items of weight b, among the items looked at so far, the rarest first.
    Who lacks more than the own user does is out; mostly all are after an item or two.

    `bits` tells for each item who has it, (items, words), and `lengths` how many do; weights are small.
    """
    n_words = bits.shape[1]
    order = np.empty(bits.shape[0], dtype=np.int64)
    rows = np.empty((8, min(n_words, _BLOCK)), dtype=np.uint64)
    for query in range(own.shape[0]):
        first, last = queries.starts[query], queries.starts[query + 1]
        items, weights = queries.items[first:last], queries.weights[first:last]
        by_length(items, lengths, order)
        most, total = np.int64(0), np.int64(0)  # what may be missing
        for k in range(items.shape[0]):
            total += weights[k]
            if not (bits[items[k], own[query] >> 6] >> np.uint64(own[query] & 63)) & _ONE:
                most += weights[k]
        if most >= rows.shape[0]:
            rows = np.empty((2 * most, rows.shape[1]), dtype=np.uint64)
        missing = rows[: most + 1]
        equal, better = np.int64(0), False
        for start in range(0, n_words, _BLOCK):
            width = min(_BLOCK, n_words - start)
            for i in range(width):
                missing[0, i] = _ALL
                for b in range(1, most + 1):
                    missing[b, i] = _ZERO
            left = _ALL
            for k in order[: items.shape[0]]:
                left = keep_missing(missing, bits[items[k], start : start + width], weights[k])
                if left == _ZERO:
                    break
            if left == _ZERO:
                continue
            above = _ZERO
            for b in range(most):
                for i in range(width):
                    above |= missing[b, i]
            better = above != _ZERO
            if better:
                break
            for i in range(width):
                if missing[most, i] != _ZERO:
                    equal += count_bits(missing[most, i])
        tied[query] = 0 if better else n_users if most == total else equal


@compiled
def rank_by_lists(
    set_starts: Array, set_items: Array, holder_starts: Array, holders: Array, lengths: Array,
    queries: Any, own: Array, tied: Array,
) -> None:  # fmt: skip
    """Tell for each query how many users have the best score, if their own user is one of them, else 0.

    The score of a user is the sum of the weights of the query's items that are in the user's set; weights
    are whole numbers and positive. Whoever reaches the score of the own user must have one of the items that
    remain when items of a smaller sum are left out; the longest lists are. The first user who is better ends
    the search.
    """
    n_users = set_starts.shape[0] - 1
    weight = np.zeros(holder_starts.shape[0] - 1, dtype=np.int64)
    looked_at = np.zeros(n_users, dtype=np.int32)  # by which query, from 1
    order = np.empty(lengths.shape[0], dtype=np.int64)
    for query in range(own.shape[0]):
        first, last = queries.starts[query], queries.starts[query + 1]
        items = queries.items[first:last]
        by_length(items, lengths, order)
        for k in range(first, last):
            weight[queries.items[k]] = queries.weights[k]
        score = np.int64(0)
        for k in range(set_starts[own[query]], set_starts[own[query] + 1]):
            score += weight[set_items[k]]
        spared, equal, better = np.int64(0), 0, False
        for place in range(items.shape[0] - 1, -1, -1):
            item = items[order[place]]
            if spared + weight[item] < score:
                spared += weight[item]
                continue
            for k in range(holder_starts[item], holder_starts[item + 1]):
                user = holders[k]
                if looked_at[user] == query + 1:
                    continue
                looked_at[user] = query + 1
                total = np.int64(0)
                for j in range(set_starts[user], set_starts[user + 1]):
                    total += weight[set_items[j]]
                if total > score:
                    better = True
                    break
                if total == score:
                    equal += 1
            if better:
                break
        tied[query] = 0 if better else n_users if score == 0 else equal
        for item in items:
            weight[item] = 0


@compiled
def match_loosely(
    known: Array, known_kept: Array, bits: Array, query: Array, query_kept: Array, own: Array,
    n_topics: int, least: float, matched: Array,
) -> None:  # fmt: skip
    """Tell whose own user is the only one that fits: kept topics on each side within all of the other's.

    `bits` tells who may be named (row 0) and, in row 1 + t, who showed topic t to the first site; `least` in
    how many epochs both must show the same topic. `matched` is set to 1 or 0 for each target.
    """
    seen = np.zeros(n_topics, dtype=np.bool_)
    for target in range(own.shape[0]):
        for topic in query[target]:
            if topic >= 0:
                seen[topic] = True
        mine, others = False, False
        for word in range(bits.shape[1]):
            left = bits[0, word]
            for topic in query_kept[target]:
                if topic >= 0:
                    left &= bits[1 + topic, word]
            while left != _ZERO and not others:
                lowest = left & (~left + _ONE)
                left ^= lowest
                user = word * 64 + count_bits(lowest - _ONE)
                same = 0
                for column in range(known.shape[1]):
                    same += known[user, column] >= 0 and known[user, column] == query[target, column]
                fits = same >= least
                for topic in known_kept[user]:
                    fits = fits and (topic < 0 or seen[topic])
                mine = mine or (fits and user == own[target])
                others = others or (fits and user != own[target])
        matched[target] = mine and not others
        for topic in query[target]:
            if topic >= 0:
                seen[topic] = False


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
