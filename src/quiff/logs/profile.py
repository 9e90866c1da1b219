"""From histories to profiles: the set of each user's top s topics, for one epoch or for several.

Each visit adds one to each topic of its domain. Ties at the cut are broken at random; sets short of s are
filled at random, from the topics seen in the data (as the paper does) or from a whole taxonomy (as the
browser does).

All randomness comes from SHA-256 digests of seed, user, epoch and topic, since the engines' own random
functions differ. For filling, each digest of seed, user and epoch holds sixteen numbers of four hexadecimal
digits; those that fit evenly point at topics of the pool, one draw after the other. That is as good as
shuffling the pool for everybody, without looking at each topic for each user. In the rare case that the draws
do not suffice, the whole pool follows, in the order of digests of seed, user, epoch and topic. Sets of up to
eight topics take all draws of one digest, so that a smaller set is the head of a larger one.
"""

import os
import secrets
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil
from typing import Annotated, Any, TypeAlias

import ibis
import pyarrow as pa

from quiff.commands import NewFile, command
from quiff.errors import ParameterError, counted
from quiff.io import StrPath, check_suffix, written
from quiff.io.targets import resolved
from quiff.logs.classifications import Classification
from quiff.logs.conversions import in_words, read_conversions
from quiff.logs.published import write_published
from quiff.logs.queries import distinct_entries, scalar
from quiff.logs.tables import Steps, Workspace, find_table, read_table, workspace
from quiff.logs.taxonomies import taxonomy_topics
from quiff.logs.visits import epochs_of, find_visits, with_sets, with_topics
from quiff.people.filling import filling_warnings
from quiff.theory.parameters import check_whole

Taxonomy: TypeAlias = StrPath | Sequence[str]
"""The name of a taxonomy or its file, or its topics."""

_DIGITS = "0123456789abcdef"
_RANGE = 16**4
_PER_DIGEST = 16


@dataclass(frozen=True)
class Spread:
    """How a count varies over several seeds."""

    counts: tuple[int, ...]

    @property
    def mean(self) -> float:
        """The mean of the counts."""
        return statistics.fmean(self.counts)

    @property
    def deviation(self) -> float:
        """The sample standard deviation of the counts; 0 for a single one."""
        return float(statistics.stdev(self.counts)) if len(self.counts) > 1 else 0.0


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
    coverage: tuple[str, ...] = ()  # that the log covers only a part of the last epoch, in a sentence

    @property
    def notes(self) -> tuple[str, ...]:
        """What else is to be known: which epochs are covered in part, and what filling does to figures."""
        filled = filling_warnings(self.filled_users, "users" if self.epochs == 1 else "user-epochs")
        return (*self.coverage, *filled)

    def brief(self) -> dict[str, Any]:
        """Return the counts, as a command prints them."""
        shares = {name: f"{100 * getattr(self, name):.1f} %" for name in ("filled_users", "filled_topics")}
        counts = {**self.to_dict(), **shares}
        return counts if len(self.repeats.counts) > 1 else counts | {"repeats": ()}

    def to_dict(self) -> dict[str, Any]:
        """Return the counts, as they are written as JSON."""
        counts = self.repeats.counts
        spread = {"mean": self.repeats.mean, "deviation": self.repeats.deviation, "distinct_sets": counts}
        repeats = {"seeds": len(counts), "min": min(counts), "max": max(counts), **spread}
        return {**asdict(self), "repeats": repeats, "warnings": list(self.notes)}


@command("profile", group="log")
def profile(
    con: Any,
    history: StrPath,
    out: Annotated[StrPath, NewFile(".parquet", parents=True)],
    *,
    top: int = 5,
    taxonomy: Taxonomy | None = None,
    epoch_days: int | None = None,
    seed: int | None = None,
    repeat: int = 1,
    max_user_epochs: int | None = None,
    classification: Classification | None = None,
    conversions: StrPath | None = None,
    csv: Annotated[StrPath, NewFile(".csv")] | None = None,
    force: bool = False,
    steps: Steps | None = None,
) -> Profiled:
    """Find each user's top topics, and fill short sets at random.

    HISTORY is a Reduced or Experimental table, or the folder that has it; the paper's published Experimental
    CSV too, whose AllTopics are counted as often as they are named. A user has a set for every epoch, from
    the day of the first visit of all users on; an epoch without visits gives a set of random topics. The
    profiles hold every topic that a user met, ranked and counted, so that sets of other sizes can be taken
    later, and how many topics of each set are genuine, that is, visited and not filled in at random. An input
    is never replaced.

    Parameters
    ----------
    con
        The engine, of `quiff.logs.engine.connect`.
    history
        The table.
    out
        The Parquet file.
    top
        Topics in a set.
    taxonomy
        Fill short sets from a taxonomy, as the browser does: v1, v2, or a file with one topic a line.
        [default: from the topics seen in the data, as the paper does]
    epoch_days
        A set for each epoch of so many days.  [default: one set over all days]
    seed
        The random seed: the same seed, the same profiles.  [default: the system's randomness]
    repeat
        Fill with so many seeds, and say how the number of distinct sets varies.
    max_user_epochs
        Give up if users times epochs are more.  [default: 10 million; 200,000 if in most epochs nobody has a
        visit, as where one date is far from the rest]
    classification
        The topics of domains, for a HISTORY without them: Treated, or Experimental as published.
    conversions
        What users did after an advertisement, from the first day in it on: conversions.parquet of quiff
        treat.
    csv
        Also write an Experimental table with the sets, as published.
    force
        Whether outputs that are there are replaced.
    steps
        Is told of each step.

    Examples
    --------
    $ quiff profile experimental --out profiles.parquet --seed 1
    """
    top_s = check_whole("top", top, 1)
    repeat = check_whole("repeat", repeat, 1)
    if max_user_epochs is not None:
        check_whole("max_user_epochs", max_user_epochs, 1)
    if csv is not None:  # told before any work
        if epoch_days is not None:
            raise ParameterError("epoch_days must be left out beside csv, which holds one set for each user")
        read_table(con, find_table(history, ("experimental",)), ("experimental",))
    names = taxonomy_topics(taxonomy) if isinstance(taxonomy, str | os.PathLike) else taxonomy
    epoch_days = None if epoch_days is None else check_whole("epoch_days", epoch_days, 1)
    check_suffix(out, (".parquet",))
    target = resolved(out)
    classified = classification is not None
    path, visits = find_visits(con, history, classified=classified, dated=epoch_days is not None)
    base = secrets.token_hex(16) if seed is None else str(seed)
    outputs = [target.name]
    events = None if conversions is None else in_words(con, read_conversions(con, conversions))
    inputs = [path] if conversions is None else [path, conversions]
    with workspace(con, target.parent, outputs, steps=steps, force=force, inputs=inputs) as work:
        visits = visits if classification is None else with_topics(work, visits, classification)
        number, coverage = ibis.literal(0, "int64"), tuple[str, ...]()
        if epoch_days is not None:
            epochs = epochs_of(con, visits, epoch_days, max_user_epochs)
            number, coverage = epochs.number, epochs.coverage(epoch_days)
        dated = visits.select("user", "topics", epoch=number)
        single = dated.select("user", "epoch", topic=dated.topics.unnest())
        met = single.group_by("user", "epoch", "topic").agg(visits=single.count())
        counts, n_counts = work.keep("count the topics of each user", met)
        if not n_counts:
            raise ParameterError(
                f"no visit in {os.fspath(history)!r} has a topic; quiff classify gives topics,"
                " or name a classification (--classification)"
            )
        pool, size = _pool(work, counts, names, top_s)
        short = _short(con, work, counts, top_s)

        def ranking(seed: str) -> Any:
            return _ranking(counts, fillers(work, counts, short, pool, size, top_s, seed), seed)

        profiles = _profiles(ranking(base), top_s)
        if events is not None:
            profiles = profiles.left_join(events.mutate(user=events.user.try_cast("int64")), "user").drop(
                "user_right"
            )
        rows, n_rows = work.output(target.name, "write the profiles", profiles)
        n_sets = [int(scalar(con, rows.select("topics").distinct().count()))]
        for number in range(1, repeat):
            ranked = ranking(f"{base}/{number}")
            first = ranked.filter(ranked["rank"] <= top_s)
            sets = first.group_by("user", "epoch").agg(topics=first.topic.collect().sort())
            title = f"count the sets of seed {number + 1} of {repeat}"
            n_sets.append(work.keep(title, sets.select("topics").distinct())[1])
        n_users = int(scalar(con, rows.user.nunique()))
        occurring = distinct_entries(con, rows.topics)
        filled = int(scalar(con, (rows.genuine < top_s).sum()))
        genuine = int(scalar(con, rows.genuine.sum()))
        without = int(scalar(con, (rows.genuine == 0).sum()))
    if csv is not None:
        sets = with_sets(con, history, written(target))
        write_published(con, sets, "profiled", csv, force=force, inputs=inputs)
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
        coverage=coverage,
    )


def _ranking(counts: Any, filled: Any, seed: str) -> Any:
    """Return ``user, epoch, topic, visits, rank``, ranks from 1, ties in random order."""
    rows = counts.mutate(chance=keyed_digest(seed, counts.user, counts.epoch, counts.topic)).union(filled)
    order = [rows.visits.desc(), rows.chance, rows.topic]
    place = ibis.row_number().over(group_by=[rows.user, rows.epoch], order_by=order)
    return rows.select("user", "epoch", "topic", "visits", rank=place + 1)


def _pool(work: Workspace, counts: Any, taxonomy: Sequence[str] | None, top_s: int) -> tuple[Any, int]:
    """Return the topics to fill from in their order, ``position, topic``, and how many they are."""
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
    n_epochs = int(scalar(con, counts.epoch.max())) + 1
    epochs = ibis.memtable(pa.table({"epoch": pa.array(range(n_epochs), pa.int64())}))
    everyone = counts.select("user").distinct().cross_join(epochs)
    sizes = counts.group_by("user", "epoch").agg(topics=counts.count())
    joined = everyone.left_join(sizes, ["user", "epoch"])
    rows = joined.select("user", "epoch", topics=joined.topics.fill_null(0))
    return work.keep("find short sets", rows.filter(rows.topics < top_s))[0]


def _profiles(ranking: Any, top_s: int) -> Any:
    entry = ibis.struct({"rank": ranking["rank"], "topic": ranking.topic, "visits": ranking.visits})
    chosen = ranking["rank"] <= top_s
    return ranking.group_by("user", "epoch").agg(
        topics=ranking.topic.collect(where=chosen).sort(),
        genuine=ranking.topic.count(where=chosen & (ranking.visits > 0)),
        ranking=entry.collect(where=chosen | (ranking.visits > 0)).sort(),
    )


def keyed_digest(seed: str, *values: Any) -> Any:
    """Return the SHA-256 digest of a seed and some columns, with bars between them, in hexadecimal."""
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
    return both.select("user", "epoch", "topic", visits=ibis.literal(0, "int64"), chance=both.chance)


def _draws(short: Any, pool: Any, pool_size: int, top_s: int, seed: str) -> Any:
    """Return ``user, epoch, topic, draw``: at least twice as many draws from the pool as a set has topics."""
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
