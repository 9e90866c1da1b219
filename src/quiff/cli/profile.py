"""``quiff profile``: from histories to each user's top topics."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quiff.cli.options import PATH, drawn_seed_option, least, mirror_option, one_of, option
from quiff.cli.outputs import OutputFile, Writing, forced, guarded
from quiff.cli.pipeline import csv_option, domain_options, engine_options, told, working
from quiff.cli.short_forms import of_set_size
from quiff.cli.terminal import echo

if TYPE_CHECKING:
    from quiff.history.profile import Profiled
    from quiff.history.tables import Steps


@click.command("profile", cls=Writing)
@click.argument("history", type=PATH, metavar="HISTORY")
@option("--out", "FILE", "The Parquet file.", OutputFile(".parquet", parents=True), required=True)
@option("--top", "S", "Topics in a set.", least(1), 5)
@one_of(
    "--fill",
    "Fill short sets from the topics seen, as the paper does, or from a taxonomy, as the browser does.",
    "seen", "taxonomy",
    default="seen",
)  # fmt: skip
@option(
    "--taxonomy",
    "NAME or FILE",
    "For --fill taxonomy: v1, v2, or a file with one topic a line.",
    default="v1",
)
@option("--epoch-days", "D", "A set for each epoch of D days.  [default: one set over all days]", least(1))
@option(
    "--max-user-epochs",
    "N",
    "Give up if users times epochs are more.  [default: 10 million; 200,000 if in most epochs nobody has"
    " a visit, as where one date is far from the rest]",
    least(1),
)
@drawn_seed_option
@option("--repeat", "K", "Fill with K seeds, and say how the number of distinct sets varies.", least(1), 1)
@option(
    "--with name",
    "NAME or FILE",
    "The topics of domains, for a HISTORY without them: citizenlab, chrome-1, chrome-5, or a CSV file.",
)
@option(
    "--conversions",
    "FILE",
    "What users did after an advertisement, from the first day in it on: conversions.parquet of quiff treat.",
    PATH,
)
@domain_options
@mirror_option
@csv_option
@engine_options
def command(
    history: Path, out: Path, top: int, fill: str, taxonomy: str, name: str | None, suffixes: Any, rules: str,
    mirror: Path | None, csv_file: Path | None, as_json: bool, epoch_days: int | None, seed: int | None,
    repeat: int, max_user_epochs: int | None, conversions: Path | None, **options: Any,
) -> None:  # fmt: skip
    """Find each user's top topics, and fill short sets at random.

    HISTORY is a Reduced or Experimental table, or the folder that has it; the paper's published Experimental
    CSV too, whose AllTopics are counted as often as they are named. The profiles hold every topic that a user
    met, ranked and counted, so that sets of other sizes can be taken later, and how many topics of each set
    are genuine, that is, visited and not filled in at random. --csv adds the sets to an
    Experimental table, as published.

    Example: quiff profile experimental --out profiles.parquet --seed 1
    """
    from quiff.files import written
    from quiff.history.classifications import read_classification
    from quiff.history.profile import profile
    from quiff.history.published import write_published
    from quiff.history.tables import find_table, read_table
    from quiff.history.taxonomies import taxonomy_topics
    from quiff.history.visits import with_sets

    topics = taxonomy_topics(taxonomy) if fill == "taxonomy" else None
    if csv_file is not None and epoch_days is not None:
        raise click.UsageError("--csv holds one set for each user; leave --epoch-days out.")
    with working(**options) as (con, steps):
        if csv_file is not None:  # told before any work
            read_table(con, find_table(history, ("experimental",)), ("experimental",))
        listed = (
            None if name is None else read_classification(name, mirror=mirror, suffixes=suffixes, rules=rules)
        )
        result = profile(
            con, history, out, **of_set_size(top), taxonomy=topics, epoch_days=epoch_days, seed=seed,
            repeat=repeat, max_user_epochs=max_user_epochs, classification=listed, conversions=conversions,
            force=forced(), steps=steps,
        )  # fmt: skip
        if csv_file is not None:
            sets = with_sets(con, history, written(out))
            write_published(con, sets, "profiled", csv_file, **guarded(csv_file))
    echo(_told(result, steps, as_json))


def _told(result: "Profiled", steps: "Steps", as_json: bool) -> str:
    from quiff.populations.filling import filling_warnings

    figures, counts = asdict(result), result.repeats.counts
    warnings = filling_warnings(result.filled_users, "users" if result.epochs == 1 else "user-epochs")
    figures["repeats"] = {
        "seeds": len(counts),
        "min": min(counts),
        "mean": result.repeats.mean,
        "max": max(counts),
        "deviation": result.repeats.deviation,
        "distinct_sets": counts,
    }
    if as_json:
        return told("Profiles", {**figures, "warnings": list(warnings)}, steps, as_json)
    if len(counts) == 1:
        del figures["repeats"]
    for share in ("filled_users", "filled_topics"):
        figures[share] = f"{100 * figures[share]:.1f} %"
    return "\n\n".join([told("Profiles", figures, steps, as_json), *warnings])
