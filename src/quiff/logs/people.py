"""People reduced by an engine to distinct topic sets, or sequences of them, with counts.

One definition for DuckDB and Spark. Users never reach this process: only the topics, and then a row for each
distinct set, in which its topics are packed into whole numbers.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from math import ceil, inf
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from quiff.core.distinct import smallest_index_type
from quiff.core.labels import as_labels
from quiff.core.limits import bytes_of, memory_allowed
from quiff.core.numbers import Array
from quiff.errors import LabelError, ParameterError, QuiffError, ShapeError, SizeError, counted, setting
from quiff.io import StrPath, as_path, scratch
from quiff.logs.queries import fetch_arrow, fetch_rows, joins_as_written, kept
from quiff.logs.scan import scan_parquet
from quiff.people.columns import GENUINE, RANKING, ColumnReader, Form, ordered_topics
from quiff.people.files import ProfileFile, open_profiles
from quiff.people.joined_topics import check_topics, joined, joined_topic
from quiff.people.merged import merged_fields
from quiff.people.pairs import PairCounts, TooManySetsError
from quiff.people.population import Population
from quiff.people.readers import chosen_epoch
from quiff.people.tfrecords import tfrecord_files
from quiff.safe_text import topic_shape
from quiff.theory.parameters import check_whole

_WORD = 2**63
_LACKS, _TWICE = -1, -2  # in the place of a set: of users who lack an epoch, or have two sets in one
_MOST_EPOCHS = 520  # ten years of weeks
_PER_USER = 12  # bytes that DuckDB holds for a user, and cannot put on disk: measured
_GROUPS = 1000  # of users by the rarity of their topics, to a factor of e


def reduce_people(
    con: Any,
    path: StrPath,
    *,
    top: int | None = None,
    epoch: int | None = None,
    missing: str = "error",
    most: float | None = None,
) -> Population:
    """Return people merged by their topic sets, which an engine finds and counts.

    Parameters
    ----------
    con
        The engine, by `connect`.
    path
        Profiles as `Population.read` takes them: Parquet, a file or a folder of files; or text, for DuckDB,
        which is written as Parquet into a temporary folder first.
    top
        Another size of the sets than stored: the heads of the ranked topic counts.
    epoch
        The epoch to take, from 0; None takes all, so that people are merged by their sequences of sets.
    missing
        What to do with users who lack an epoch: ``error``, or ``drop`` to leave them out.
    most
        How many bytes the distinct sets may take; more is a SizeError that has the counts of topics.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import pyarrow.parquet as pq
    >>> from quiff.logs.engine import connect
    >>> sets = pa.table({"user": ["Alice", "Bob"], "t1": ["News", "Music"], "t2": ["Music", "News"]})
    >>> with TemporaryDirectory() as folder:
    ...     pq.write_table(sets, f"{folder}/profiles.parquet")
    ...     reduce_people(connect(), f"{folder}/profiles.parquet")
    <Population of 2 users merged into 1 distinct set: sets of 2 out of 2 topics>
    """
    path = as_path(path)
    if tfrecord_files(path):
        raise ParameterError(
            "TFRecord files are read in this process; leave the engine out (--engine)", where=repr(str(path))
        )
    _check_missing(missing)
    file = open_profiles(path, top=None if top is None else check_whole("top", top, 1))
    _check_rows(con, file, file.rows_at_least())
    with _table_of(con, file) as table:
        return _Reduction.of(con, file, table, epoch, missing).population(most)


def _check_rows(con: Any, file: ProfileFile, rows: int) -> None:
    """Refuse more users than DuckDB can tell apart in its part of a memory limit, before it begins."""
    if con.name != "duckdb" or file.form.user is None or memory_allowed() == inf:
        return
    has = bytes_of(con.con.execute("SELECT current_setting('memory_limit')").fetchone()[0])
    if rows * _PER_USER > has:
        enough = ceil(memory_allowed() * rows * _PER_USER / has / 10**9)
        raise SizeError(
            f"to tell the users of {rows:,} rows apart takes DuckDB about {rows * _PER_USER / 2**30:.2g}"
            f" GiB, but its part of the memory limit is {has / 2**30:.2g} GiB; allow more (--memory-limit"
            f" {enough}GB), or measure a part of these people",
            where=repr(str(file.path)),
        )


def _check_missing(missing: str) -> None:
    if missing not in ("error", "drop"):
        raise ParameterError(what="missing", value=missing, allowed="error or drop, where an engine reads")


@contextmanager
def _table_of(con: Any, file: ProfileFile) -> Iterator[Any]:
    """Yield the profiles as a table of the engine; text becomes Parquet piece by piece, for so long."""
    if file.delimiter is None:
        yield scan_parquet(con, file.path)
        return
    if con.name != "duckdb":
        raise ParameterError(
            f"{str(file.path)!r} is text, but Spark reduces Parquet; use --engine duckdb, or write the file"
            " as Parquet"
        )
    folder, reader = scratch.make_temporary("people"), ColumnReader(file.form, file.at)
    try:
        rows = 0
        for number, piece in enumerate(file.pieces()):
            rows += piece.num_rows
            _check_rows(con, file, rows if number else max(rows, file.rows_at_least(piece)))
            reader.take(piece)
            # For their checks: a wrong cell is told with its line, as where the users fit into memory.
            reader.users(), reader.epochs(), reader.codes(), reader.genuine()
            if not file.form.numbered:
                place = piece.column_names.index(file.form.topics[0])
                piece = piece.set_column(place, file.form.topics[0], reader.lists())
            pq.write_table(piece, folder / f"{number:06}.parquet")
        reader.topics()
        if not any(folder.iterdir()):
            raise QuiffError("there is no profile; give at least one user", where=repr(str(file.path)))
        yield scan_parquet(con, folder)
    finally:
        scratch.drop(folder)


@dataclass(frozen=True, eq=False)
class _Reduction:
    """A table of profiles, and what is known of its columns."""

    con: Any
    path: Path
    form: Form
    every: Any  # the table, and that of the epochs to take
    table: Any
    epochs: tuple[int, ...]  # those to take, by their numbers in the file; none if it has no such column
    notes: tuple[str, ...]
    size: int  # of the sets
    flagged: bool  # whether ranked topic counts tell which topics were visited
    missing: str

    @classmethod
    def of(cls, con: Any, file: ProfileFile, every: Any, epoch: int | None, missing: str) -> "_Reduction":
        path, form, table = file.path, file.form, every
        epochs: tuple[int, ...] = ()
        notes: tuple[str, ...] = ()
        if form.epoch:
            every = table = table.mutate(epoch=table.epoch.cast("int64"))
            found = fetch_rows(con, table.select("epoch").distinct().limit(_MOST_EPOCHS + 1))
            if len(found) > _MOST_EPOCHS or any(row["epoch"] is None for row in found):
                raise ParameterError(
                    f"epochs must be whole numbers, at most {_MOST_EPOCHS} different ones",
                    where=repr(str(path)),
                )
            epochs = tuple(sorted(row["epoch"] for row in found))
            if epoch is not None and len(epochs) > 1:
                notes = (chosen_epoch(len(epochs), epoch),)
            if epoch is not None and epochs:
                epochs = (epochs[check_whole("the epoch", epoch, 0, len(epochs) - 1)],)
                table = table.filter(table.epoch == epochs[0])
        size = _size(con, path, form, every)
        flagged = _flagged(con, form, every, size)
        return cls(con, path, form, every, table, epochs, notes, size, flagged, missing)

    def population(self, most: float | None) -> Population:
        """Return the topics of all epochs and the users of each set, as the engine finds them."""
        listed = ibis.array(list(self._topics(self.every))).unnest().name("topic").as_table()
        names = [row["topic"] for row in fetch_rows(self.con, listed.distinct())]
        if any(name in (None, "") for name in names):
            raise ShapeError("a topic is empty; all sets must have the same size", where=repr(str(self.path)))
        check_topics(names, f"{str(self.path)!r}")
        if self.form.numbered and self.size == 1 and (several := joined_topic(names)) is not None:
            raise QuiffError(joined(several), where=repr(str(self.path)))
        topics, place = ordered_topics(names)
        packed = _Packed(len(topics), self.size, self.flagged)
        known = ibis.memtable(pa.table({"topic": names, "code": pa.array(place.tolist(), pa.int64())}))
        with joins_as_written(self.con), kept(self.con, self._counted(packed, known)) as (table, n_sets):
            needed = n_sets * self._row_bytes
            if most is not None and needed > most:
                pairs = None if len(self.epochs) > 1 else self._pairs(table, n_sets, topics, packed)
                raise TooManySetsError(self._too_many(n_sets, needed, most), pairs)
            rows = fetch_arrow(self.con, table)
        return self._checked(topics, packed, {name: np.asarray(rows[name]) for name in rows.column_names})

    def _topics(self, table: Any) -> Iterator[Any]:
        """Yield the topic at each place of the set."""
        for place in range(self.size):
            if self.flagged or self.form.ranked:
                topic = table[RANKING][place]["topic"]
            else:
                names = self.form.topics
                topic = table[names[place]] if self.form.numbered else table[names[0]][place]
            yield topic.cast("int64") if topic.type().is_integer() else topic.cast("string").strip()

    def _counted(self, packed: "_Packed", known: Any) -> Any:
        """Return the distinct sets, or sequences of them, as whole numbers, with the numbers of users."""
        columns = {f"n{place}": topic for place, topic in enumerate(self._topics(self.table))}
        if self.flagged:
            visits = (self.table[RANKING][place]["visits"] for place in range(self.size))
            columns |= {f"v{place}": (each > 0).cast("int64") for place, each in enumerate(visits)}
        extra = {GENUINE: self.table[GENUINE].cast("int64")} if self._tells_number else {}
        extra |= {"epoch": self.table.epoch} if len(self.epochs) > 1 else {}
        extra |= {"user": self.table[self.form.user]} if self.form.user is not None else {}
        rows = self.table.select(**columns, **extra)
        for place in range(self.size):
            one = known.select(**{f"x{place}": known.topic, f"c{place}": known.code})
            rows = rows.inner_join(one, rows[f"n{place}"] == one[f"x{place}"])
        codes = [rows[f"c{place}"] for place in range(self.size)]
        if self.flagged:  # both in one number
            codes = [2 * code + rows[f"v{place}"] for place, code in enumerate(codes)]
        rows = rows.select(*extra, codes=ibis.array(codes).sort())
        words = dict(packed.words(rows.codes)) | ({GENUINE: rows[GENUINE]} if self._tells_number else {})
        rows = rows.select(*(name for name in extra if name != GENUINE), **words)
        if self.form.user is not None:
            rows = self._by_user(rows, list(words))
        keys = [name for name in rows.columns if name != "user"]
        return rows.group_by(keys).agg(users=rows.count())

    @property
    def _row_bytes(self) -> int:
        """About what a distinct set, or sequence of them, takes in arrays: measured as in files.py."""
        return 100 + 32 * self.size * max(len(self.epochs), 1)

    def _too_many(self, n_sets: int, needed: float, most: float) -> str:
        return (
            f"{str(self.path)!r}: the {counted(n_sets, 'distinct set')} take about {needed / 2**30:.2g} GiB,"
            f" but {max(most, 0) / 2**30:.2g} GiB are allowed; allow more (--memory-limit), or measure a part"
            " of these people"
        )

    def _pairs(self, table: Any, n_sets: int, topics: list[Any], packed: "_Packed") -> PairCounts:
        """Count the users of each two topics, from the sets and their counts where the engine keeps them."""
        table = table.filter(table.w0 >= 0)
        codes = [packed.digit(table, place) // (2 if self.flagged else 1) for place in range(self.size)]
        listed = table.select("users", codes=ibis.array(codes), one=ibis.array(codes).unnest())
        both = listed.select("users", "one", other=listed.codes.unnest())
        found = fetch_arrow(self.con, both.group_by("one", "other").agg(users=both.users.sum()))
        (seen,) = fetch_rows(
            self.con, table.aggregate(users=table.users.sum(), unique=(table.users == 1).sum())
        )
        together = np.zeros((len(topics), len(topics)), dtype=np.int64)
        together[np.asarray(found["one"]), np.asarray(found["other"])] = np.asarray(found["users"])
        counts = together.diagonal()
        occurring = np.flatnonzero(counts)
        holders = ibis.array(counts.tolist())
        each = (1 / holders[code.cast("int32")] for code in codes)
        sums = table.select("users", rarity=reduce(lambda a, b: a + b, each))
        groups = sums.group_by(group=(sums.rarity.ln() * _GROUPS).floor().cast("int64")).agg(
            users=sums.users.sum(), least=sums.rarity.min(), most=sums.rarity.max()
        )
        listed = fetch_arrow(self.con, groups.order_by("group"))
        return PairCounts(
            int(seen["users"]), n_sets, int(seen["unique"]), self.size,
            as_labels([topics[place] for place in occurring], "topic"),
            together[np.ix_(occurring, occurring)],
            np.stack([np.asarray(listed[name], dtype=np.float64) for name in ("users", "least", "most")]),
        )  # fmt: skip

    @property
    def _tells_number(self) -> bool:
        return self.form.genuine and not self.flagged

    def _by_user(self, rows: Any, words: list[str]) -> Any:
        """Return a row for each user, with the words of each epoch, or signs for what is wrong."""
        if len(self.epochs) > 1:
            when = [rows.epoch == epoch for epoch in self.epochs]
            own = {f"{name}_{e}": rows[name].max(where=at) for e, at in enumerate(when) for name in words}
            times = {f"times_{e}": at.sum() for e, at in enumerate(when)}
        else:
            own, times = {name: rows[name].max() for name in words}, {"times_0": rows.count()}
        users = rows.group_by("user").agg(**own, **times)
        seen = [users[name] for name in times]
        often, seldom = (
            reduce(lambda a, b: a | b, each) for each in zip(*((n > 1, n < 1) for n in seen), strict=True)
        )
        often = often | users.user.isnull()
        return users.select(
            **{name: ibis.cases((often, _TWICE), (seldom, _LACKS), else_=users[name]) for name in own}
        )

    def _checked(self, topics: list[Any], packed: "_Packed", rows: dict[str, Array]) -> Population:
        """Return the population of what the engine counted, or an error that says what is wrong."""
        if not rows["users"].size:
            raise QuiffError("there is no profile; give at least one user", where=repr(str(self.path)))
        suffixes = [f"_{e}" for e in range(len(self.epochs))] if len(self.epochs) > 1 else [""]
        first, users = rows[f"w0{suffixes[0]}"], rows.pop("users")
        if (first == _TWICE).any():
            raise LabelError(
                f"{counted(int(users[first == _TWICE].sum()), 'user')} without a name, or there a second"
                " time; give each user one set, or tell them apart by a column epoch",
                where=repr(str(self.path)),
            )
        lacking, notes = int(users[first == _LACKS].sum()), [*self.notes]
        if lacking:
            told = f"{lacking} of {int(users.sum())} users lack some of the {len(self.epochs)} epochs"
            if self.missing == "error" or lacking == users.sum():
                raise LabelError(
                    f"{told}; leave such users out by {setting('missing', 'drop')}",
                    where=repr(str(self.path)),
                )
            notes.append(f"{told} and are left out.")
            rows, users = {name: column[first >= 0] for name, column in rows.items()}, users[first >= 0]
        digits = np.stack(
            [packed.digits([rows.pop(f"w{w}{end}") for w in range(packed.n_words)]) for end in suffixes]
        )
        codes = digits // 2 if self.flagged else digits
        again = codes[..., 1:] == codes[..., :-1]
        if again.any():
            topic = topics[codes[..., 1:][again][0]]
            raise LabelError(
                f"a set has the topic {topic_shape(topic)} twice; name each once", where=repr(str(self.path))
            )
        genuine = np.stack([rows[GENUINE + end] for end in suffixes]) if self._tells_number else None
        if genuine is not None and genuine.dtype.kind not in "iu":
            raise QuiffError(
                f"the number of visited topics, {GENUINE}, must be a whole number", where=repr(str(self.path))
            )
        fields = merged_fields(
            topics, codes, users, visited=digits % 2 == 1 if self.flagged else None, genuine=genuine
        )
        return Population(**fields | {"notes": (*fields["notes"], *notes)})


def _size(con: Any, path: Path, form: Form, table: Any) -> int:
    """Return the size of the sets, all of which must have it."""
    if form.numbered:
        return len(form.topics)
    lists = table[form.topics[0]]
    if not lists.type().is_array():
        raise ParameterError(
            "the topics are text, but engines reduce lists; leave the engine out, so that the file is read"
            " in this process",
            where=repr(str(path)),
        )
    (found,) = fetch_rows(
        con, table.aggregate(least=lists.length().min(), most=lists.length().max(), none=lists.isnull().sum())
    )
    if form.ranked and form.top is not None:
        if found["none"] or (found["least"] or 0) < form.top:
            raise ParameterError(
                f"a ranking has too few topics for sets of {form.top}; run quiff profile again with --top"
                f" {form.top}, which fills short sets",
                where=repr(str(path)),
            )
        return form.top
    if found["most"] is None:
        raise QuiffError("there is no profile; give at least one user", where=repr(str(path)))
    if found["none"] or not found["least"] or found["least"] < found["most"]:
        raise ShapeError(
            f"the sets have from {(0 if found['none'] else found['least'])} to {found['most']} topics; all"
            " sets must have the same size, at least 1: fill up the short ones or cut the long",
            where=repr(str(path)),
        )
    if form.top not in (None, found["most"]):
        raise ParameterError(
            f"the sets have {counted(found['most'], 'topic')}, and there are no ranked topic counts to take"
            f" sets of {form.top} from; run quiff profile again with --top {form.top}",
            where=repr(str(path)),
        )
    return int(found["most"])


def _flagged(con: Any, form: Form, table: Any, size: int) -> bool:
    """Say whether ranked topic counts tell which topics of all sets were visited."""
    if not form.counted or not table[RANKING].type().is_array():
        return False
    kind = table[RANKING].type().value_type
    if not kind.is_struct() or not {"topic", "visits"} <= set(kind.names):
        return False
    if form.ranked:
        return True
    if form.numbered:
        return False
    heads = ibis.array([table[RANKING][place]["topic"] for place in range(size)]).sort()
    other = (table[RANKING].length() < size) | (heads != table[form.topics[0]].sort())
    (found,) = fetch_rows(con, table.aggregate(other=other.fill_null(True).sum()))
    return not found["other"]


@dataclass(frozen=True)
class _Packed:
    """How the numbers of a set's topics, ascending, are packed into as few words of 63 bits as hold them."""

    topics: int
    size: int
    flagged: bool  # whether each has one bit more

    @property
    def radix(self) -> int:
        return self.topics * (2 if self.flagged else 1)

    @property
    def per_word(self) -> int:
        fit = 1
        while self.radix ** (fit + 1) < _WORD and fit < self.size:
            fit += 1
        return fit

    @property
    def n_words(self) -> int:
        return -(-self.size // self.per_word)

    def words(self, codes: Any) -> Iterator[tuple[str, Any]]:
        """Yield the words of a column of lists."""
        for word in range(self.n_words):
            places = range(word * self.per_word, min((word + 1) * self.per_word, self.size))
            parts = (codes[place] * self.radix**power for power, place in enumerate(places))
            yield f"w{word}", reduce(lambda a, b: a + b, parts)

    def digit(self, table: Any, place: int) -> Any:
        """Return one of the numbers again, from the words in the columns of a table."""
        word, power = divmod(place, self.per_word)
        high, low = (table[f"w{word}"] % self.radix**some for some in (power + 1, power))
        # Engines divide as floats do, whose 53 bits hold the quotient, but not the word.
        return ((high - low) / self.radix**power).round().cast("int64")

    def digits(self, words: list[Array]) -> Array:
        """Return the numbers again, (rows, size)."""
        found = np.empty((words[0].shape[0], self.size), dtype=smallest_index_type(self.radix))
        for place in range(self.size):
            word, power = divmod(place, self.per_word)
            found[:, place] = words[word] // self.radix**power % self.radix
        return found
