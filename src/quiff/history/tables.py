"""The tables that the stages hand on: their columns, where they lie, and how they are written.

All tables are Parquet, one file from DuckDB and a folder of files from Spark. A run writes into a hidden
folder beside its outputs; only when all is done do they get their names, so that nobody ever sees half a
table.
"""

import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any, Self

from quiff.errors import ParameterError, engine_line
from quiff.files import StrPath, staged
from quiff.history.engine import cancel, on_cluster
from quiff.history.published import is_published, read_published
from quiff.history.queries import fetch_rows, progress_of, row_order, store, write_parquet
from quiff.history.scan import PARQUET_OF, duckdb_name, parquet_files, scan_parquet
from quiff.safe_text import shapes


@dataclass
class Step:
    """One step of a run; whoever runs it sets `rows` as soon as they are known."""

    name: str  # what is done
    rows: int | None = None  # the rows of its result; None if it has none
    seconds: float = 0.0  # the time that it took
    # Tells, while the step is at work, which share of it is done, from 0 to 1; None if that is not known.
    share: Callable[[], float | None] | None = field(default=None, repr=False, compare=False)


@dataclass
class Steps:
    """Collects the steps of a run in order, and tells a watcher of each start and end.

    >>> steps = Steps()
    >>> with steps.step("read the log") as step:
    ...     step.rows = 3
    >>> [(step.name, step.rows) for step in steps.done]
    [('read the log', 3)]
    """

    # Called with a step when it starts (``done`` is False) and when it ends (True).
    watch: Callable[[Step, bool], None] | None = None
    done: list[Step] = field(default_factory=list)

    @contextmanager
    def step(self, name: str, share: Callable[[], float | None] | None = None) -> Iterator[Step]:
        """Time what happens inside, and add it to the list if it succeeds."""
        step = Step(name, share=share)
        start = perf_counter()
        if self.watch:
            self.watch(step, False)
        try:
            yield step
        finally:
            step.seconds = perf_counter() - start
            if self.watch:
                self.watch(step, True)
        self.done.append(step)


COLUMNS = {
    "treated": {"user": "int64", "time": "timestamp", "domain": "string"},
    "reduced": {"user": "int64", "time": "timestamp", "domain": "string", "topics": "array<string>"},
    "experimental": {
        "user": "int64",
        "history": "array<struct<time: timestamp, domain: string, topics: array<string>>>",
        "all_topics": "array<string>",
    },
    "profiles": {
        "user": "int64",
        "epoch": "int64",
        "topics": "array<string>",
        "genuine": "int64",
        "ranking": "array<struct<rank: int64, topic: string, visits: int64>>",
    },
}
STAGES = tuple(COLUMNS)
_KNOWN = frozenset(name for columns in COLUMNS.values() for name in columns)
_DERIVED = {"profiles": {"genuine"}}  # what tables of version 0.1 lack, and other columns tell
_WRITTEN_BY = {
    "treated": "quiff treat",
    "reduced": "quiff classify",
    "experimental": "quiff experiment",
    "profiles": "quiff profile",
}


def find_table(path: str | os.PathLike[str], stages: tuple[str, ...]) -> Path:
    """Return the table that a path names: the table itself, or the only one of some stages in a folder.

    >>> find_table("/no/such/folder", ("treated",))
    Traceback (most recent call last):
    quiff.errors.ParameterError: there is no table '/no/such/folder'; quiff treat writes one
    """
    path = Path(path)
    makers = " or ".join(_WRITTEN_BY[stage] for stage in stages)
    if not path.exists():
        raise ParameterError(f"there is no table {str(path)!r}; {makers} writes one")
    if path.is_file() or _is_table_folder(path):
        return path
    found = [path / f"{stage}.parquet" for stage in stages if (path / f"{stage}.parquet").exists()]
    if not found:
        raise ParameterError(f"the folder {str(path)!r} has no table {_names(stages)}; {makers} writes one")
    if len(found) > 1:
        raise ParameterError(
            f"the folder {str(path)!r} has {' and '.join(table.name for table in found)}; name one of them"
        )
    return found[0]


def _names(stages: tuple[str, ...]) -> str:
    return " or ".join(f"{stage}.parquet" for stage in stages)


def _is_table_folder(path: Path) -> bool:
    """Say if a folder is one table in parts, as Spark writes it."""
    return path.is_dir() and any(path.glob("part-*.parquet"))


def read_table(con: Any, path: Path, stages: tuple[str, ...]) -> tuple[Any, str]:
    """Return a table and its stage, which its columns tell; a CSV file is one in a published form."""
    table = read_published(con, path) if is_published(path) else scan_parquet(con, path)
    stage = stage_of(table.columns)
    if stage not in stages:
        wanted = "; ".join(f"{name}: {', '.join(COLUMNS[name])}" for name in stages)
        raise ParameterError(
            f"{str(path)!r} has the columns {shapes(table.columns, _KNOWN)}, but this needs a table {wanted}"
        )
    if stage == "profiles" and "genuine" not in table.columns:
        table = table.mutate(genuine=_genuine(table))
    return table.select(*COLUMNS[stage]).cast(COLUMNS[stage]), stage


def read_visits(con: Any, path: Path, stages: tuple[str, ...]) -> tuple[Any, str]:
    """Return a table and its stage as :func:`read_table` does, if it has any rows."""
    table, stage = read_table(con, path, stages)
    if not fetch_rows(con, table.select("user").limit(1)):
        raise ParameterError(
            f"{str(path)!r} has no rows, so there is nothing to do; see what {_WRITTEN_BY[stage]} left out"
        )
    return table, stage


def unfolded(table: Any) -> Any:
    """Return ``user, time, domain, topics`` of each visit in the histories of an Experimental table."""
    visits = table.select("user", visit=table.history.unnest())
    return visits.select("user", **{name: visits.visit[name] for name in ("time", "domain", "topics")})


def _genuine(profiles: Any) -> Any:
    """Return how many topics of each set were visited, as the rankings tell."""
    size = profiles.topics.length()
    return profiles.ranking.filter(lambda entry: (entry["rank"] <= size) & (entry["visits"] > 0)).length()


def stage_of(columns: Any) -> str | None:
    """Return the stage whose columns a table has; None if there is none.

    >>> stage_of(["user", "time", "domain", "topics"]), stage_of(["a"])
    ('reduced', None)
    """
    names = set(columns)
    fitting = [stage for stage in STAGES if names >= set(COLUMNS[stage]) - _DERIVED.get(stage, set())]
    return max(fitting, key=lambda stage: len(COLUMNS[stage]), default=None)


class Workspace:
    """The tables of one run: scratch ones that go at its end, and outputs that appear together at success.

    On a cluster, whose accounts write too, the system's habits decide who can read them; elsewhere that is
    the owner alone.

    That the outputs can be written is seen before any work; they replace others if `force` is given, inputs
    never. Each table is recorded as a step, with its rows and time.
    """

    def __init__(
        self,
        con: Any,
        folder: StrPath,
        outputs: Sequence[str] = (),
        *,
        steps: Steps | None = None,
        force: bool = False,
        inputs: Iterable[StrPath] = (),
    ) -> None:
        self.con = con
        self.folder = Path(folder)
        self._steps = steps or Steps()
        self._outputs = outputs
        self._stage = staged(folder, force=force, inputs=inputs, private=not on_cluster(con))
        self._hidden = self._new = Path()
        self._kept: list[str] = []

    def __enter__(self) -> Self:
        stage = self._stage.__enter__()
        try:
            for name in self._outputs:
                stage.add(name)
        except BaseException as error:
            self._stage.__exit__(type(error), error, error.__traceback__)
            raise
        self._hidden, self._new = stage.scratch, stage.new
        return self

    def scratch(self, name: str) -> Path:
        """Make a folder for files that go when the run ends."""
        folder = self._hidden / name
        folder.mkdir()
        return folder

    def step(self, name: str) -> AbstractContextManager[Step]:
        """Record what this run does, and for who watches it, how far the engine is."""
        return self._steps.step(name, progress_of(self.con) if self._steps.watch else None)

    def keep(self, step: str, expression: Any) -> tuple[Any, int]:
        """Compute a table once, for several uses in this run; return it and the number of its rows."""
        name = f"quiff_{secrets.token_hex(8)}"
        with self.step(step) as timed:
            if self.con.name == "duckdb":
                self._kept.append(name)
                table, timed.rows = store(self.con, name, expression)
            else:
                table, timed.rows = self._write(self._hidden / name, expression)
        return table, timed.rows

    def output(
        self, name: str, step: str, expression: Any, numbers: Mapping[str, Any] | None = None
    ) -> tuple[Any, int]:
        """Write one of the outputs, which gets its name when the run has succeeded; return it and its rows.

        Rows are in the order of :func:`quiff.history.queries.row_order`. ``numbers`` are those of
        :func:`quiff.history.queries.write_parquet`.
        """
        with self.step(step) as timed:
            order = row_order(expression.columns)
            table, timed.rows = self._write(self._new / name, expression, numbers, order)
        return table, timed.rows

    def _write(
        self,
        place: Path,
        expression: Any,
        numbers: Mapping[str, Any] | None = None,
        order: tuple[str, ...] = (),
    ) -> tuple[Any, int]:
        try:
            return write_parquet(self.con, expression, place, numbers, order)
        except OSError as error:
            reason = engine_line(error)  # DuckDB's own errors come so, too, from a stream
            raise ParameterError(f"cannot write {str(self.folder / place.name)!r}: {reason}") from error

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is not None and issubclass(kind, KeyboardInterrupt):
                cancel(self.con)  # else Spark goes on to write; DuckDB's scratch goes with the process
            elif self.con.name == "duckdb":
                for name in self._kept:
                    self.con.raw_sql(f"DROP TABLE IF EXISTS {name}")
        finally:
            self._stage.__exit__(kind, error, trace)


def table_digest(path: str | os.PathLike[str]) -> str:
    """Return a digest of a Parquet table's rows in any order, the same whichever engine wrote them.

    It is the number of rows, and the sum of the first 60 bits of each row's SHA-256, modulo 2^64.
    """
    import duckdb

    query = f"""
        SELECT count(*), coalesce(sum(('0x' || substr(sha256(CAST(t AS VARCHAR)), 1, 15))::BIGINT), 0)
        FROM {PARQUET_OF} AS t
    """  # noqa: S608 - our own text
    files = [duckdb_name(file) for file in parquet_files(Path(path))]
    with duckdb.connect() as con:
        rows, total = con.execute(query, [files]).fetchall()[0]
    return f"{rows}-{total % 2**64:016x}"
