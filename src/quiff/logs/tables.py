"""The tables that the stages hand on: their columns, where they lie, and how they are written.

All tables are Parquet, one file from DuckDB and a folder of files from Spark. A run writes into a hidden
folder beside its outputs; only when all is done do they get their names, so that nobody ever sees half a
table.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from quiff.errors import ParameterError, cannot_write, engine_line
from quiff.io import Staged, StrPath, as_path, staged, written
from quiff.io.text import duckdb_name
from quiff.logs.engine import cancel, on_cluster
from quiff.logs.published import is_published, read_published, write_published
from quiff.logs.queries import fetch_rows, progress_of, row_order, store, write_parquet
from quiff.logs.scan import PARQUET_OF, parquet_files, scan_parquet
from quiff.safe_text import column_names


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
    """Collects the steps of a run in order, and tells a watcher of each start and end."""

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
_DERIVED = {"profiles": {"genuine"}}  # what tables of version 0.1 lack, and other columns tell
_WRITTEN_BY = {
    "treated": "quiff treat",
    "reduced": "quiff classify",
    "experimental": "quiff experiment",
    "profiles": "quiff profile",
}


def find_table(path: StrPath, stages: tuple[str, ...]) -> Path:
    """Return the table that a path names: the table itself, or the only one of some stages in a folder."""
    path = as_path(path)
    makers = " or ".join(_WRITTEN_BY[stage] for stage in stages)
    if not path.exists():
        raise ParameterError(
            f"there is no table {str(path)!r}; {makers} writes one", what="the input", value=str(path)
        )
    if path.is_file() or any(path.glob("part-*.parquet")):  # one table in parts, as Spark writes it
        return path
    names = [f"{stage}.parquet" for stage in stages]
    tables = [path / name for name in names if (path / name).exists()]
    if not tables:
        raise ParameterError(
            f"the folder {str(path)!r} has no table {' or '.join(names)}; {makers} writes one"
        )
    if len(tables) > 1:
        raise ParameterError(
            f"the folder {str(path)!r} has {' and '.join(table.name for table in tables)}; name one of them"
        )
    return tables[0]


def publish(
    con: Any, out: StrPath, stage: str, csv: StrPath | None, force: bool, inputs: Iterable[StrPath]
) -> None:
    """Write the table of a stage in the form of the paper's published CSV files too, if a file is named."""
    if csv is not None:
        table, _ = read_table(con, written(Path(out) / f"{stage}.parquet"), (stage,))
        write_published(con, table, stage, csv, force=force, inputs=inputs)


def read_table(con: Any, path: Path, stages: tuple[str, ...]) -> tuple[Any, str]:
    """Return a table and its stage, which its columns tell; a CSV file is one in a published form."""
    table = read_published(con, path) if is_published(path) else scan_parquet(con, path)
    stage = stage_of(table.columns)
    if stage is not None and stage not in stages:
        raise ParameterError(f"{str(path)!r} is {a_table_of(stage)}")
    if stage not in stages:
        wanted = "; ".join(f"{name}: {', '.join(COLUMNS[name])}" for name in stages)
        raise ParameterError(
            f"{str(path)!r} has the columns {column_names(table.columns)}, but this needs a table {wanted}"
        )
    if stage == "profiles" and "genuine" not in table.columns:  # the rankings tell how many were visited
        size = table.topics.length()
        visited = table.ranking.filter(lambda entry: (entry["rank"] <= size) & (entry["visits"] > 0))
        table = table.mutate(genuine=visited.length())
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


_NEXT = {
    "treated": "quiff classify",
    "reduced": "quiff experiment",
    "experimental": "quiff profile",
    "profiles": "quiff measure",
}


def a_table_of(stage: str) -> str:
    """Return what a table of a stage is called, and which command takes it.

    >>> a_table_of("treated")
    'a Treated table; go on with quiff classify'
    """
    name = (
        "a table of profiles" if stage == "profiles" else f"a{'n' * (stage[0] == 'e')} {stage.title()} table"
    )
    return f"{name}; go on with {_NEXT[stage]}"


def stage_of(columns: Any) -> str | None:
    """Return the stage whose columns a table has; None if there is none."""
    names = set(columns)
    fitting = [stage for stage in STAGES if names >= set(COLUMNS[stage]) - _DERIVED.get(stage, set())]
    return max(fitting, key=lambda stage: len(COLUMNS[stage]), default=None)


@dataclass
class Workspace:
    """The tables of one run: scratch ones that go at its end, and outputs that appear together at success.

    Each table is recorded as a step, with its rows and time.
    """

    con: Any
    stage: Staged
    steps: Steps
    kept: list[str] = field(default_factory=list)

    def scratch(self, name: str) -> Path:
        """Make a folder for files that go when the run ends."""
        folder = self.stage.scratch / name
        folder.mkdir()
        return folder

    def step(self, name: str) -> AbstractContextManager[Step]:
        """Record what this run does, and for who watches it, how far the engine is."""
        return self.steps.step(name, progress_of(self.con) if self.steps.watch else None)

    def keep(self, step: str, expression: Any) -> tuple[Any, int]:
        """Compute a table once, for several uses in this run; return it and the number of its rows."""
        name = f"quiff_{secrets.token_hex(8)}"
        with self.step(step) as timed:
            if self.con.name == "duckdb":
                self.kept.append(name)
                table, timed.rows = store(self.con, name, expression)
            else:
                table, timed.rows = self._write(self.stage.scratch / name, expression)
        return table, timed.rows

    def output(
        self, name: str, step: str, expression: Any, numbers: Mapping[str, Any] | None = None
    ) -> tuple[Any, int]:
        """Write one of the outputs, which gets its name when the run has succeeded; return it and its rows.

        Rows are in the order of :func:`quiff.logs.queries.row_order`. ``numbers`` are those of
        :func:`quiff.logs.queries.write_parquet`.
        """
        with self.step(step) as timed:
            order = row_order(expression.columns)
            table, timed.rows = self._write(self.stage.new / name, expression, numbers, order)
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
            raise cannot_write(self.stage.folder / place.name, reason) from error


@contextmanager
def workspace(
    con: Any,
    folder: StrPath,
    outputs: Sequence[str] = (),
    *,
    steps: Steps | None = None,
    force: bool = False,
    inputs: Iterable[StrPath] = (),
) -> Iterator[Workspace]:
    """Give a workspace, once it is seen that the outputs can be written.

    They replace others if `force` is given, inputs never. On a cluster, whose accounts write too, the
    system's habits decide who can read them; elsewhere that is the owner alone.
    """
    with staged(folder, force=force, inputs=inputs, private=not on_cluster(con)) as stage:
        for name in outputs:
            stage.add(name)
        work = Workspace(con, stage, steps or Steps())
        try:
            yield work
        except KeyboardInterrupt:
            cancel(con)  # else Spark goes on to write; DuckDB's scratch goes with the process
            work.kept.clear()
            raise
        finally:
            for name in work.kept:
                con.raw_sql(f"DROP TABLE IF EXISTS {name}")


def table_digest(path: StrPath) -> str:
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
