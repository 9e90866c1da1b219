"""From histories to profiles: the set of each user's top s topics, for one epoch or for several.

Each visit adds one to each topic of its domain. Ties at the cut are broken at random; sets short of s are
filled at random, from the topics seen in the data (as the paper does) or from a whole taxonomy (as the
browser does). What is random follows SHA-256 digests of seed, user, epoch and topic, on each engine alike.
"""

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from quiff.errors import ParameterError, counted
from quiff.files import check_suffix
from quiff.files.targets import resolved
from quiff.history.classifications import Classification
from quiff.history.filling import fillers, keyed_digest
from quiff.history.queries import distinct_entries, scalar
from quiff.history.tables import Steps, Workspace
from quiff.history.visits import epoch_numbers, find_source, met_topics
from quiff.theory.parameters import check_whole


@dataclass(frozen=True)
class Spread:
    """How a count varies over several seeds."""

    counts: tuple[int, ...]

    @property
    def mean(self) -> float:
        """The mean of the counts."""
        return sum(self.counts) / len(self.counts)

    @property
    def deviation(self) -> float:
        """The sample standard deviation of the counts; 0 for a single one."""
        if len(self.counts) < 2:
            return 0.0
        mean = Fraction(sum(self.counts), len(self.counts))
        return sqrt(sum((count - mean) ** 2 for count in self.counts) / (len(self.counts) - 1))


@dataclass(frozen=True)
class Profiled:
    """What became of histories."""

    # The users, and the epochs for each of which a user has a set.
    users: int
    epochs: int
    # How many different sets there are, and topics in them.
    distinct_sets: int
    occurring_topics: int
    # The share of users with a set that has a topic which they did not visit, but which was drawn at random
    # to fill it; with several epochs, the share of such sets among those of all users and epochs.
    filled_users: float
    filled_topics: float  # the share of such topics among the topics of all sets
    sets_without_visits: int  # the number of sets without a single visited topic
    seeded: bool  # whether a seed was given, so that the same profiles can be drawn again
    # The numbers of distinct sets with each of several seeds; the first are the profiles written.
    repeats: Spread


def profile(
    con: Any,
    history: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    top_s: int = 5,
    taxonomy: Sequence[str] | None = None,
    epoch_days: int | None = None,
    seed: int | None = None,
    repeat: int = 1,
    max_user_epochs: int | None = None,
    classification: Classification | None = None,
    force: bool = False,
    steps: Steps | None = None,
) -> Profiled:
    """Write the profiles of the users of a Reduced or Experimental table.

    A user has a set for every epoch, from the day of the first visit of all users on; an epoch without
    visits gives a set of random topics. The profiles hold each user's ranked topics with their counts too.

    Short sets are filled from `taxonomy`, by default the topics seen in the data. `epoch_days` of None takes
    all of the time as one epoch. The distinct sets are counted with `repeat` seeds. More users times epochs
    than `max_user_epochs` are refused before any work; None means 10 million, but 200 000 if in most epochs
    nobody has a visit. A classification is for a table without topics: Treated, or Experimental as published.
    An input is never replaced, whatever `force` is.
    """
    top_s, repeat = check_whole("top_s", top_s, 1), check_whole("repeat", repeat, 1)
    epoch_days = None if epoch_days is None else check_whole("epoch_days", epoch_days, 1)
    check_suffix(out, (".parquet",))
    target = resolved(out)
    source = find_source(con, history, classification=classification, dated=epoch_days is not None)
    base = secrets.token_hex(16) if seed is None else str(seed)
    names = [target.name]
    with Workspace(con, target.parent, names, steps=steps, force=force, inputs=[source.path]) as work:
        met = _counts(con, met_topics(work, source), epoch_days, max_user_epochs)
        counts, n_counts = work.keep("count the topics of each user", met)
        if not n_counts:
            raise ParameterError(
                f"no visit in {os.fspath(history)!r} has a topic; quiff classify gives topics,"
                " or name a classification by --with"
            )
        draw = _Draw(
            work, counts, *_pool(work, counts, taxonomy, top_s), _short(con, work, counts, top_s), top_s
        )
        written, n_rows = work.output(target.name, "write the profiles", _profiles(draw.ranking(base), top_s))
        n_sets = [int(scalar(con, written.select("topics").distinct().count()))]
        for number in range(1, repeat):
            sets = _sets(draw.ranking(f"{base}/{number}"), top_s).select("topics").distinct()
            n_sets.append(work.keep(f"count the sets of seed {number + 1} of {repeat}", sets)[1])
        n_users = int(scalar(con, written.user.nunique()))
        occurring = distinct_entries(con, written.topics)
        filled = int(scalar(con, (written.genuine < top_s).sum()))
        genuine = int(scalar(con, written.genuine.sum()))
        without = int(scalar(con, (written.genuine == 0).sum()))
    return Profiled(
        users=n_users,
        epochs=n_rows // n_users,
        distinct_sets=n_sets[0],
        occurring_topics=occurring,
        filled_users=filled / n_rows,
        filled_topics=(n_rows * top_s - genuine) / (n_rows * top_s),
        sets_without_visits=without,
        seeded=seed is not None,
        repeats=Spread(tuple(n_sets)),
    )


@dataclass(frozen=True)
class _Draw:
    """What is needed to draw topics, with any seed."""

    work: Workspace
    counts: Any
    pool: Any
    pool_size: int
    short: Any
    top_s: int

    def ranking(self, seed: str) -> Any:
        """Return ``user, epoch, topic, visits, rank``, ranks from 1, ties in random order."""
        import ibis

        counts = self.counts
        seen = counts.mutate(chance=keyed_digest(seed, counts.user, counts.epoch, counts.topic))
        filled = fillers(self.work, counts, self.short, self.pool, self.pool_size, self.top_s, seed)
        rows = seen.union(filled)
        order = [rows.visits.desc(), rows.chance, rows.topic]
        place = ibis.row_number().over(group_by=[rows.user, rows.epoch], order_by=order)
        return rows.select("user", "epoch", "topic", "visits", rank=place + 1)


def _counts(con: Any, visits: Any, epoch_days: int | None, most: int | None) -> Any:
    """Return ``user, epoch, topic, visits``, epochs counted from 0."""
    import ibis

    if epoch_days is None:
        dated = visits.select("user", "topics", epoch=ibis.literal(0, "int64"))
    else:
        number = epoch_numbers(con, visits, epoch_days, most)
        dated = visits.select("user", "topics", epoch=number)
    single = dated.select("user", "epoch", topic=dated.topics.unnest())
    return single.group_by("user", "epoch", "topic").agg(visits=single.count())


def _pool(work: Workspace, counts: Any, taxonomy: Sequence[str] | None, top_s: int) -> tuple[Any, int]:
    """Return the topics to fill from in their order, ``position, topic``, and how many they are."""
    import ibis
    import pyarrow as pa

    topics = counts.select("topic").distinct()
    if taxonomy is not None:
        listed = ibis.memtable(pa.table({"topic": pa.array(sorted(set(taxonomy)), pa.string())}))
        strange = topics.anti_join(listed, "topic")
        foreign = scalar(work.con, strange.topic.min())
        if foreign is not None:
            raise ParameterError(
                f"the topic {foreign!r} is not in the taxonomy; name the right one by --taxonomy"
            )
        topics = listed
    position = ibis.row_number().over(order_by=topics.topic)
    pool, size = work.keep("list the topics to fill from", topics.select("topic", position=position))
    if size < top_s:
        raise ParameterError(
            f"the pool has only {counted(size, 'topic')}, too few for sets of {top_s};"
            " choose a smaller --top, or fill from a whole taxonomy by --fill taxonomy"
        )
    return pool, size


def _short(con: Any, work: Workspace, counts: Any, top_s: int) -> Any:
    """Return ``user, epoch, topics`` for all users and epochs with fewer topics than a set has."""
    import ibis
    import pyarrow as pa

    n_epochs = int(scalar(con, counts.epoch.max())) + 1
    epochs = ibis.memtable(pa.table({"epoch": pa.array(range(n_epochs), pa.int64())}))
    everyone = counts.select("user").distinct().cross_join(epochs)
    sizes = counts.group_by("user", "epoch").agg(topics=counts.count())
    joined = everyone.left_join(sizes, ["user", "epoch"])
    rows = joined.select("user", "epoch", topics=joined.topics.fill_null(0))
    return work.keep("find short sets", rows.filter(rows.topics < top_s))[0]


def _sets(ranking: Any, top_s: int) -> Any:
    top = ranking.filter(ranking["rank"] <= top_s)
    return top.group_by("user", "epoch").agg(topics=top.topic.collect().sort())


def _profiles(ranking: Any, top_s: int) -> Any:
    import ibis

    entry = ibis.struct({"rank": ranking["rank"], "topic": ranking.topic, "visits": ranking.visits})
    chosen = ranking["rank"] <= top_s
    return ranking.group_by("user", "epoch").agg(
        topics=ranking.topic.collect(where=chosen).sort(),
        genuine=ranking.topic.count(where=chosen & (ranking.visits > 0)),
        ranking=entry.collect(where=chosen | (ranking.visits > 0)).sort(),
    )
