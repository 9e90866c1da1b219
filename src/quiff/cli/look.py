"""``quiff look``: what a table holds, how it is understood, and which commands can use it."""

from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path

from quiff.cli.shown import Listed
from quiff.commands import command
from quiff.core.limits import PROCESS, memory_allowed
from quiff.errors import QuiffError
from quiff.io.tables import Table, open_table, quoted
from quiff.people.form import form_of
from quiff.people.reading import Profiles
from quiff.results import table as results
from quiff.safe_text import rows_are_shown, shape, visible

_FIRST = 3  # rows of which cells are shown
_OF_PEOPLE = "quiff measure, epochs, report, compare, popularity and simulate"
_OTHERS = {
    "quiff attack run": ("user", "site", "epoch", "topic"),
    "quiff audit": ("secret", "observation"),
    "quiff treat": ("user", "time", "url"),
    "quiff stats": ("user", "time", "domain"),
    "quiff measure --histories": ("user", "history"),
    "quiff classify --with": ("domain", "topics"),
}


@dataclass(frozen=True)
class _Column:
    name: str
    kind: str
    distinct: int
    missing: int
    first: tuple[str, ...]


@command("look", group="people")
def look(
    file: Path, *, columns: str | None = None, memory_limit: str | None = None, show_rows: bool = False
) -> Listed:
    """Say what a table holds and which commands can use it.

    FILE is a table, a line a row: CSV, TSV, JSON lines or Parquet, packed by gzip or zstd or not, or a folder
    of such files. Of cells only the form is shown: digits as 9, letters as a.

    Parameters
    ----------
    columns
        Which columns say what of people, where their names do not: user=NAME,topics=NAME.
    memory_limit
        Take no more memory than this, such as 2GB: what does not fit is kept on disk.
    show_rows
        Show cells in full.

    Examples
    --------
    $ quiff look profiles.parquet
    """
    allowed = memory_allowed()
    with open_table(file, memory=None if allowed == inf else allowed - PROCESS) as table:
        rows = table.load(table.names)
        listed = [_described(table, name) for name in dict.fromkeys(table.names)]
        uses = [use for use, names in _OTHERS.items() if {*names} <= {*table.names}]
        try:
            understood = _people(table, columns)
            uses.insert(0, _OF_PEOPLE)
        except QuiffError as error:
            understood = f"no people: {error}"
    shown = results.Table(
        f"{visible(file.name)}: {rows:,} rows",
        ("column", "kind", "distinct", "missing", "first cells"),
        tuple(
            (column.name, column.kind, column.distinct, column.missing, ", ".join(column.first))
            for column in listed
        ),
        labels=("column", "kind", "first cells"),
    )
    commands = "; ".join(uses) or "no command"
    data = {
        "rows": rows,
        "columns": [asdict(column) for column in listed],
        "understood": understood,
        "commands": uses,
    }
    return Listed(data, f"{shown.to_text()}\n\nUnderstood as {understood}\nFor {commands}.")


def _described(table: Table, name: str) -> _Column:
    column = quoted(name)
    text = f"nullif(CAST({column} AS VARCHAR), '')"
    counts = f"SELECT count(DISTINCT {text}), count(*) - count({text}) FROM source"  # noqa: S608 - quoted
    ((distinct, missing),) = table.con.execute(counts).fetchall()
    cells = table.con.execute(f"SELECT {text} FROM source LIMIT {_FIRST}").fetchall()  # noqa: S608
    first = tuple(
        visible(str(cell)) if rows_are_shown() else shape(cell).partition(" (only")[0] for (cell,) in cells
    )
    kind = table.column(name).kind.lower()
    return _Column(name, "text" if kind == "varchar" else kind, distinct, missing, first)


def _people(table: Table, columns: str | None) -> str:
    """Return in one line who the people of a table are."""
    profiles = Profiles.of(table, form_of(table, columns=columns))
    users = profiles.n_rows
    if profiles.form.user is not None:
        ((users,),) = table.con.execute('SELECT count(DISTINCT "user") FROM people').fetchall()
    return profiles.understood(users, len(profiles.names))
