"""``quiff stats``: what a table of any stage holds."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quiff.cli.options import figure_option
from quiff.cli.pipeline import connected, engine_options, log_form, log_options

if TYPE_CHECKING:
    from quiff.history.stats import Statistics
    from quiff.results.figures.figure import Figure
    from quiff.results.table import Table

__all__ = ["command", "sizes_figure", "statistics_tables"]

_QUANTILES = {"q25": "25%", "q50": "50%", "q75": "75%", "q95": "95%", "q99": "99%", "deviation": "sd"}


@click.command("stats")
@click.argument("tables", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="TABLE")
@log_options
@figure_option
@engine_options
def command(tables: tuple[Path, ...], figure: Path | None, as_json: bool, **options: Any) -> None:
    """Print the figures of the paper's dataset tables for a table of any stage.

    TABLE is a Treated, Reduced, Experimental or profiles table, a folder that has one, or the files of a
    log. The figure shows how many users have how many records.

    Example: quiff stats treated
    """
    from quiff.history.stats import describe
    from quiff.results.numbers import to_json

    form = log_form(*(options.pop(name) for name in ("user", "time", "url", "delimiter", "quoted")))
    with connected(**options) as con:
        found = describe(con, tables, form)
    if figure is not None:
        sizes_figure(found).write(figure)
    if as_json:
        click.echo(to_json(asdict(found)))
    else:
        click.echo("\n\n".join(table.to_text() for table in statistics_tables(found)))


def statistics_tables(found: "Statistics") -> list["Table"]:
    """Return the figures as tables for people."""
    from quiff.results.table import Table

    counts = (
        ("rows", found.rows),
        ("malformed lines", found.malformed),
        ("users", found.users),
        ("URLs", found.urls),
        ("domains", found.domains),
        *((f"domains of {labels} labels", n) for labels, n in (found.domains_by_labels or {}).items()),
        ("topics", found.topics),
        ("distinct sets", found.distinct_sets),
        ("first", found.first),
        ("last", found.last),
    )
    rows = tuple((name, value) for name, value in counts if value is not None)
    tables = [Table(f"Table of the stage {found.stage}", ("what", "value"), rows)]
    if found.sizes is not None:
        sizes = asdict(found.sizes)
        names = tuple(_QUANTILES.get(name, name) for name in sizes)
        tables.append(Table("Records of a user", names, (tuple(sizes.values()),)))
        first = found.users_per_count[:10]
        more = len(found.users_per_count) - len(first)
        notes = (f"{more} more counts up to {found.sizes.max}; --json has them all",) if more else ()
        tables.append(Table("Users per count of records", ("records", "users"), first, notes))
    if found.most_visited:
        tables.append(Table("Most visited domains", ("domain", "records"), found.most_visited))
    return tables


def sizes_figure(found: "Statistics") -> "Figure":
    """Draw the share of users that have at least so many records, on logarithmic axes.

    Raises
    ------
    ParameterError
        If the table has no records by user.
    """
    import altair as alt

    from quiff.errors import ParameterError
    from quiff.results.figures.figure import Figure
    from quiff.results.figures.style import PALETTE, log_axis

    if found.sizes is None:
        raise ParameterError(f"a table of the stage {found.stage} has no records to draw")
    points, left = [], found.users
    for records, users in found.users_per_count:
        points.append({"records": records, "share": left / found.users})
        left -= users
    x = alt.X("records:Q", title="records of a user (log scale)", **log_axis(1, found.sizes.max))
    least = points[-1]["share"]
    y = alt.Y("share:Q", title="share of users with at least so many (log scale)", **log_axis(least, 1))
    chart = alt.Chart(alt.InlineData(values=points)).mark_line(interpolate="step-before", color=PALETTE[0])
    title = f"Records of {found.users} users ({found.stage})"
    return Figure.of(title, chart.encode(x, y).properties(width=480, height=300))
