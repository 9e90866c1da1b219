"""Logs as counts: how often each observation was made of each secret, by one definition for every engine."""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, final

import numpy as np

from quiff.core.limits import PROCESS, check_need, memory_allowed
from quiff.core.numbers import Array
from quiff.errors import ParameterError, QuiffError, counted, engine_line
from quiff.io import scratch

_NUMBER = r"^\s*([-+]?[0-9]+(\.[0-9]*)?\s*)?$"  # or nothing
_PER_PAIR = 350  # bytes for a distinct row, measured
_KEY = "{}_{}"  # the columns of counts: what they are, and their number


@final
@dataclass(frozen=True)
class Columns:
    """Which columns of a log say what.

    Attributes
    ----------
    secret, observation
        One or several each; several make a record. No secret: only observations were logged.
    person
        Whose row it is: rows of one person are not independent.
    weights
        How much a row counts, where the log is no plain sample.
    counts
        How many rows a row stands for.
    time
        When; with `cut`, in two parts before and from then on, else in `periods` parts of equally many rows.
    """

    secret: tuple[str, ...] = ("secret",)
    observation: tuple[str, ...] = ("observation",)
    person: str | None = None
    weights: str | None = None
    counts: str | None = None
    time: str | None = None
    cut: Any = None
    periods: int = 4

    @property
    def names(self) -> list[str]:
        """All columns, each once."""
        single = (self.person, self.weights, self.counts, self.time)
        return list(dict.fromkeys([*self.secret, *self.observation, *filter(None, single)]))

    def check(self) -> None:
        """Raise an error if a column is secret and observation in one, or one is not named that is needed."""
        if "" in (*self.secret, *self.observation, self.person, self.weights, self.counts, self.time):
            raise ParameterError(
                "the name of a column is empty; name one, or leave the option out", what="column", value=""
            )
        if not self.observation:
            raise ParameterError("observation names no column; give at least one")
        if self.cut is not None and self.time is None:
            raise ParameterError("cut is a time, but no column of times is named; give time (--time) too")
        both = next((name for name in self.secret if name in self.observation), None)
        if both is not None:
            raise ParameterError(
                f"the column {both!r} is both secret and observation, which would leak everything; name two",
                what="column",
                value=both,
            )


@final
@dataclass(frozen=True, eq=False)
class Log:
    """Entries of a log: a secret, an observation (by their places), and how many rows have them.

    Attributes
    ----------
    secrets, outputs
        What occurs, in the order of the places.
    secret, output, rows
        The entries: places and numbers of rows, arrays of the same length.
    person, weights, part
        Of each entry, where the log has them: whose it is, its weight, the part of time or the system.
    parts
        What the parts are called.
    missing
        How many rows were left out, since a value is missing.
    """

    secrets: tuple[Hashable, ...]
    outputs: tuple[Hashable, ...]
    secret: Array
    output: Array
    rows: Array
    person: Array | None = None
    weights: Array | None = None
    part: Array | None = None
    parts: tuple[str, ...] = ()
    missing: int = 0

    @classmethod
    def of(cls, secrets: Sequence[Hashable], outputs: Sequence[Hashable]) -> "Log":
        """Return the log of pairs that are given one by one.

        Examples
        --------
        >>> log = Log.of(["a", "a", "b"], [1, 1, 2])
        >>> log.n_rows, log.rows.tolist()
        (3, [2, 1])
        """
        places: tuple[dict[Hashable, int], ...] = ({}, {})
        codes = [
            np.array([place.setdefault(value, len(place)) for value in values], dtype=np.int64)
            for place, values in zip(places, (secrets, outputs), strict=True)
        ]
        return cls.of_codes(tuple(places[0]), tuple(places[1]), *codes)

    @classmethod
    def of_codes(
        cls, secrets: Sequence[Hashable], outputs: Sequence[Hashable], secret: Array, output: Array
    ) -> "Log":
        """Return the log of pairs that are given by their places among secrets and outputs."""
        cell, rows = np.unique(secret * np.int64(len(outputs)) + output, return_counts=True)
        return cls(tuple(secrets), tuple(outputs), *divmod(cell, len(outputs)), rows)

    @property
    def n_rows(self) -> int:
        """How many rows were counted."""
        return int(self.rows.sum())

    def with_sets(self) -> "Log":
        """Return the log with sets in place of sequences as outputs.

        Examples
        --------
        >>> Log.of("aa", [(1, 2), (2, 1)]).with_sets().rows.tolist()
        [2]
        """
        place: dict[Hashable, int] = {}
        sets = [frozenset(output) if isinstance(output, tuple) else output for output in self.outputs]
        output = np.array([place.setdefault(value, len(place)) for value in sets])[self.output]
        keys = [
            self.secret,
            output,
            *(one for one in (self.person, self.weights, self.part) if one is not None),
        ]
        first, which = np.unique(np.stack(keys, axis=1), axis=0, return_index=True, return_inverse=True)[1:]
        rows = np.bincount(which.reshape(-1), self.rows).astype(self.rows.dtype)
        person, weights, part = (
            None if one is None else one[first] for one in (self.person, self.weights, self.part)
        )
        return Log(
            self.secrets, tuple(place), self.secret[first], output[first], rows, person, weights, part,
            self.parts, self.missing,
        )  # fmt: skip

    def divided(self, *, whole: bool) -> Iterator[tuple[str, "Log"]]:
        """Yield the whole log, if it is asked for, and its parts, by name."""
        if whole:
            yield "all", self
        for place, name in enumerate(self.parts):
            yield name, self.of_part(place)

    def warnings(self) -> Iterator[str]:
        """Yield what a reader has to know before any number of it."""
        if self.missing:
            rows = "1 row" if self.missing == 1 else f"{self.missing:,} rows"
            yield f"{rows} with a missing value {'is' if self.missing == 1 else 'are'} left out."
        if len(self.secrets) == 1:
            yield "The log has one secret only: nothing can be guessed, and only the claim is tested."
            return
        once = int((np.bincount(self.secret, self.rows, len(self.secrets)) == 1).sum())
        if once:
            yield (
                f"{once:,} of {len(self.secrets):,} secrets occur{'s' if once == 1 else ''} once: no"
                " rule can know what it never saw, so that what is said here of them is only that they are"
                " not guessed; the truth may be far above the lower bounds."
            )
        if all(self.secrets[x] == self.outputs[y] for x, y in zip(self.secret, self.output, strict=True)):
            yield "Secret and observation are the same in every row: these may be copies of one column."

    def of_part(self, part: int) -> "Log":
        """Return the entries of one part."""
        kept = np.asarray(self.part) == part
        person, weights = (None if one is None else one[kept] for one in (self.person, self.weights))
        secret, output, rows = self.secret[kept], self.output[kept], self.rows[kept]
        return Log(self.secrets, self.outputs, secret, output, rows, person, weights)


def beside(first: Log, second: Log, names: tuple[str, str]) -> Log:
    """Return two logs as one with two parts.

    Examples
    --------
    >>> both = beside(Log.of("ab", [1, 2]), Log.of("bc", [2, 3]), ("old", "new"))
    >>> both.secrets, both.part.tolist(), both.of_part(1).n_rows
    (('a', 'b', 'c'), [0, 0, 1, 1], 2)
    """

    def merged(
        mine: tuple[Hashable, ...], theirs: tuple[Hashable, ...]
    ) -> tuple[tuple[Hashable, ...], Array]:
        place = {value: k for k, value in enumerate(mine)}
        codes = [place.setdefault(value, len(place)) for value in theirs]
        return tuple(place), np.array(codes, dtype=np.int64)

    def both(mine: Array | None, theirs: Array | None) -> Array | None:
        return None if mine is None or theirs is None else np.concatenate([mine, theirs])

    secrets, secret = merged(first.secrets, second.secrets)
    outputs, output = merged(first.outputs, second.outputs)
    apart = None if first.person is None or second.person is None else second.person + first.person.max() + 1
    return Log(
        secrets,
        outputs,
        np.concatenate([first.secret, secret[second.secret]]),
        np.concatenate([first.output, output[second.output]]),
        np.concatenate([first.rows, second.rows]),
        both(first.person, apart),
        both(first.weights, second.weights),
        np.repeat([0, 1], [first.rows.size, second.rows.size]),
        names,
        first.missing + second.missing,
    )


def read_pairs(pairs: Any, columns: Columns, *, con: Any = None) -> Log:
    """Count the pairs of a log: a CSV or Parquet file, a pandas frame or an Arrow table.

    Parameters
    ----------
    pairs
        The log.
    columns
        Which columns say what.
    con
        The engine that counts, by :func:`quiff.logs.engine.connect`; None is DuckDB.

    Raises
    ------
    QuiffError
        If there is no such column, or no row with all values.
    """
    from quiff.logs.engine import connect

    columns.check()
    sets = _set_columns(pairs, columns.names)
    with _opened(connect() if con is None else con, pairs, columns) as (engine, table, is_text):
        return _log(engine, table, columns, is_text, sets)


@contextmanager
def _opened(con: Any, pairs: Any, columns: Columns) -> Iterator[tuple[Any, Any, bool]]:
    """Hand a log to an engine; text goes by way of Parquet, after the one reader of text tables."""
    from quiff.io.tables import open_table
    from quiff.io.text import literal
    from quiff.logs.scan import scan_parquet

    if not isinstance(pairs, str | Path):
        yield con, _of_frame(pairs, columns.names), False
        return
    folder = scratch.make_temporary("audit")
    try:
        with open_table(pairs) as table:
            for name in columns.names:
                table.column(name)
            is_text = table.is_text
            if is_text:
                table.load(columns.names)
                target = literal(str(folder / "pairs.parquet"))
                table.con.execute(f"COPY source TO {target} (FORMAT parquet)")
        yield con, scan_parquet(con, folder / "pairs.parquet" if is_text else Path(pairs)), is_text
    finally:
        scratch.drop(folder)


def _of_frame(pairs: Any, names: list[str]) -> Any:
    import ibis
    import pyarrow as pa

    listed = list(getattr(pairs, "column_names", getattr(pairs, "columns", ())))
    if not listed:
        raise ParameterError(
            f"a file or a frame of pairs was expected, not {type(pairs).__name__}", what="pairs"
        )
    lost = next((name for name in names if listed.count(name) != 1), None)
    if lost is not None:
        times, has = "twice" if lost in listed else "not", ", ".join(map(repr, listed[:20]))
        raise ParameterError(
            f"the column {lost!r} is {times} in the frame; it has {has}",
            what="column",
            value=lost,
            allowed=has,
        )
    try:
        if isinstance(pairs, pa.Table):
            return ibis.memtable(pairs.select(names))
        from quiff.people.frames import arrow_column

        return ibis.memtable(pa.table({name: arrow_column(pairs[name]) for name in names}))
    except (pa.ArrowException, TypeError) as error:
        raise QuiffError(f"a column of the frame cannot be read: {engine_line(error)}") from error


def _set_columns(pairs: Any, names: list[str]) -> frozenset[str]:
    """Return the columns of a frame whose values are sets; lists and tuples are sequences."""
    if isinstance(pairs, str | Path) or not hasattr(pairs, "dtypes"):
        return frozenset()
    found = set()
    for name in names:
        if name not in pairs.columns or pairs[name].dtype != object:
            continue
        kinds = {isinstance(value, set | frozenset) for value in pairs[name] if np.iterable(value)}
        if len(kinds) > 1:
            raise ParameterError(
                f"the column {name!r} has sets and sequences; make all of them one or the other",
                what="column",
                value=name,
                allowed="all sets, or all sequences",
            )
        found.update([name] if True in kinds else [])
    return frozenset(found)


def count_pairs(table: Any, columns: Columns, is_text: bool, sets: frozenset[str] = frozenset()) -> Any:
    """Return the counts of a table of pairs, as an expression: the one definition for every engine.

    A list is a sequence, whose order is kept; in the columns `sets` it is a set. Rows with a missing value,
    an empty text or nan, are left out.
    """
    import ibis

    if columns.time is not None:  # a row without a time has no rank
        table = table.filter(_present(table[columns.time], is_text))
    roles = {"secret": columns.secret, "output": columns.observation}
    keys = {
        _KEY.format(role, k): table[name].unique().sort() if name in sets else table[name]
        for role, names in roles.items()
        for k, name in enumerate(names)
    }
    if columns.person is not None:
        keys["person"] = table[columns.person]
    if columns.weights is not None:
        keys["weight"] = table[columns.weights].cast("float64")
    if columns.time is not None:
        when = table[columns.time]
        if columns.cut is not None:
            keys["part"] = (when >= _moment(columns.cut, when.type())).cast("int64")
        else:
            share = when.percent_rank()  # rows of the same time stay together, on every engine
            keys["part"] = ibis.least((share * columns.periods).floor(), columns.periods - 1).cast("int64")
    number = ibis.literal(1, "int64") if columns.counts is None else table[columns.counts].cast("int64")
    whole = table.select(**keys, rows=number)
    present = [_present(whole[name], is_text) for name in whole.columns]
    kept = whole.filter(present)
    return kept.group_by(list(keys)).agg(rows=kept.rows.sum().cast("int64")).order_by(list(keys))


def _moment(cut: Any, kind: Any) -> Any:
    import ibis

    try:
        return ibis.literal(float(cut) if kind.is_numeric() else cut).cast(kind)
    except ValueError:
        raise ParameterError(what="cut", value=cut, allowed="a number, as the times of the log are") from None


def _present(column: Any, is_text: bool) -> Any:
    kind = column.type()
    if kind.is_floating():
        return column.notnull() & ~column.isnan()
    return column.notnull() & (column != "") if kind.is_string() and is_text else column.notnull()


def _log(con: Any, table: Any, columns: Columns, is_text: bool, sets: frozenset[str]) -> Log:
    from quiff.logs.queries import fetch_arrow, scalar
    from quiff.people.reading import attribute_column

    total = table.count()
    if columns.counts is not None:
        number = table[columns.counts].cast("float64")
        if int(scalar(con, ((number < 0) | (number != number.floor())).sum()) or 0):
            raise ParameterError(
                "counts must be whole numbers, and not negative", where=f"the column {columns.counts!r}"
            )
        total = number.sum()
    total = int(scalar(con, total) or 0)
    if is_text and columns.time is not None:  # as numbers, where all are: as text, 10 comes before 9
        when = table[columns.time]
        if not int(scalar(con, (~when.re_search(_NUMBER)).sum()) or 0):
            table = table.mutate(**{columns.time: when.nullif("").cast("float64")})
    pairs = count_pairs(table, columns, is_text, sets)
    if memory_allowed() < inf:
        distinct = int(scalar(con, pairs.count()))
        what = f"to audit {distinct:,} distinct rows takes about"
        check_need(what, PROCESS + distinct * _PER_PAIR)
    found = fetch_arrow(con, pairs)
    rows = np.asarray(found["rows"])
    if not rows.size or not rows.sum():
        raise QuiffError(
            f"no row has all of the values of {', '.join(columns.names)}"
            f" ({counted(total, 'row')} in all); nothing can be concluded"
        )
    secrets, secret = _places(found, "secret", columns.secret, is_text, sets)
    outputs, output = _places(found, "output", columns.observation, is_text, sets)
    person = None if columns.person is None else attribute_column(found["person"], False)[1]
    weights = None if columns.weights is None else np.asarray(found["weight"], dtype=np.float64)
    if weights is not None and not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise ParameterError(
            "weights must be numbers from 0 on, not all 0", where=f"the column {columns.weights!r}"
        )
    part = None if columns.time is None else np.asarray(found["part"])
    if part is not None and columns.cut is not None and len(np.unique(part)) < 2:
        where = "from then on" if part[0] else "before"
        raise ParameterError(
            f"all rows are {where}, if cut is {columns.cut!r}: there is nothing to compare",
            what="cut",
            value=columns.cut,
        )
    names = (
        ("before", "after")
        if columns.cut is not None
        else tuple(f"period {k + 1}" for k in range(columns.periods))
    )
    return Log(
        secrets, outputs, secret, output, rows, person, weights, part, names if columns.time else (),
        total - int(rows.sum()),
    )  # fmt: skip


def _places(
    found: Any, role: str, names: tuple[str, ...], is_text: bool, sets: frozenset[str]
) -> tuple[tuple[Hashable, ...], Array]:
    """Return the values of a column, or the records of several, and each entry's place among them."""
    from quiff.people.reading import attribute_column

    if not names:
        return (None,), np.zeros(found.num_rows, dtype=np.int64)
    parts = []
    for k, name in enumerate(names):
        values, codes = attribute_column(found[_KEY.format(role, k)], is_text)
        values = [frozenset(value or ()) for value in values] if name in sets else values
        kept, places = np.unique(codes, return_inverse=True)  # the reader lists a missing value too
        parts.append((tuple(values[k] for k in kept), places.astype(np.int64)))
    if len(parts) == 1:
        return parts[0]
    codes, which = np.unique(np.stack([code for _, code in parts], axis=1), axis=0, return_inverse=True)
    records = tuple(tuple(values[c] for (values, _), c in zip(parts, row, strict=True)) for row in codes)
    return records, which.reshape(-1)


@final
class Names:
    """What secrets and outputs are called: themselves if they are asked for, else numbers by frequency."""

    def __init__(self, log: Log, shown: bool) -> None:
        self._shown, self._log = shown, log
        rows = np.bincount(log.secret, log.rows, len(log.secrets))
        self._rank = np.argsort(np.argsort(-rows, kind="stable"))
        often = np.bincount(log.output, log.rows, len(log.outputs))
        ranks = np.argsort(np.argsort(-often, kind="stable")).tolist()
        self._output = dict(zip(log.outputs, ranks, strict=True))

    def secret(self, place: int) -> str:
        """Return what a secret is called, by its place."""
        return str(self._log.secrets[place]) if self._shown else f"secret {self._rank[place] + 1}"

    def output(self, label: Hashable) -> str:
        """Return what an output is called."""
        if self._shown:
            return str(label)
        return f"output {self._output[label] + 1}" if label in self._output else "one never seen"
