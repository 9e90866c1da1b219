"""Random topics for sets that are short, the same on every engine.

All randomness comes from SHA-256 digests of seed, user and epoch, since the engines' own random functions
differ. Each digest holds sixteen numbers of four hexadecimal digits; those that fit evenly point at topics of
the pool, one draw after the other. That is as good as shuffling the pool for everybody, without looking at
each topic for each user. In the rare case that the draws do not suffice, the whole pool follows, in the order
of digests of seed, user, epoch and topic. Sets of up to eight topics take all draws of one digest, so that a
smaller set is the head of a larger one.
"""

from math import ceil
from typing import Any

from quiff.history.tables import Workspace

_DIGITS = "0123456789abcdef"
_RANGE = 16**4
_PER_DIGEST = 16


def keyed_digest(seed: str, *values: Any) -> Any:
    """Return the SHA-256 digest of a seed and some columns, with bars between them, in hexadecimal.

    >>> import ibis
    >>> import pyarrow as pa
    >>> from hashlib import sha256
    >>> rows = ibis.memtable(pa.table({"user": [7], "topic": ["News"]}))
    >>> digests = rows.select(digest=keyed_digest("1", rows.user, rows.topic)).to_pyarrow()["digest"]
    >>> digests[0].as_py() == sha256(b"1|7|News").hexdigest()
    True
    """
    import ibis

    return (
        ibis.literal("|")
        .join([ibis.literal(seed), *(value.cast("string") for value in values)])
        .hexdigest("sha256")
    )


def fillers(
    work: Workspace, counts: Any, short: Any, pool: Any, pool_size: int, top_s: int, seed: str
) -> Any:
    """Return ``user, epoch, topic, visits, chance``: topics without visits for short sets, in enough supply.

    `counts` are ``user, epoch, topic, visits`` of the topics that were seen; `short` ``user, epoch, topics``
    of the sets to fill, with how many topics they have; `pool` ``position, topic`` of the topics to draw
    from, numbered from 0.
    """
    drawn = _draws(short, pool, pool_size, top_s, seed).anti_join(counts, ["user", "epoch", "topic"])
    drawn = drawn.group_by("user", "epoch", "topic").agg(draw=drawn.draw.min())
    drawn, _ = work.keep("fill short sets", drawn)
    got = drawn.group_by("user", "epoch").agg(drawn=drawn.count())
    joined = short.left_join(got, ["user", "epoch"])
    still = joined.filter(joined.topics + joined.drawn.fill_null(0) < top_s).select("user", "epoch")
    rest = still.cross_join(pool.select("topic"))
    rest = rest.anti_join(counts, ["user", "epoch", "topic"]).anti_join(drawn, ["user", "epoch", "topic"])
    late = keyed_digest(seed, rest.user, rest.epoch, rest.topic)
    first = drawn.select("user", "epoch", "topic", chance="0 " + drawn.draw.cast("string").lpad(6, "0"))
    last = rest.select("user", "epoch", "topic", chance="1 " + late)
    both = first.union(last)
    return both.select("user", "epoch", "topic", visits=_zero(), chance=both.chance)


def _zero() -> Any:
    import ibis

    return ibis.literal(0, "int64")


def _draws(short: Any, pool: Any, pool_size: int, top_s: int, seed: str) -> Any:
    """Return ``user, epoch, topic, draw``: at least twice as many draws from the pool as a set has topics."""
    import ibis

    rows = short.select("user", "epoch", digest=ibis.range(0, ceil(2 * top_s / _PER_DIGEST)).unnest())
    rows = rows.mutate(text=keyed_digest(seed, rows.user, rows.epoch, rows.digest))
    rows = rows.mutate(place=ibis.range(0, _PER_DIGEST).unnest())
    value = sum(
        ibis.literal(_DIGITS).find(rows.text.substr(rows.place * 4 + k, 1)) * 16 ** (3 - k) for k in range(4)
    )
    rows = rows.select("user", "epoch", draw=rows.digest * _PER_DIGEST + rows.place, value=value)
    even = rows.filter(rows.value < _RANGE // pool_size * pool_size)
    even = even.mutate(position=(even.value % pool_size).cast("int64"))
    return even.inner_join(pool, "position").select("user", "epoch", "topic", "draw")
