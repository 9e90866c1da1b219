"""``quiff profile``: from histories to each user's top topics."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from quiff.cli.pipeline import connected, engine_options, recorded, told

__all__ = ["command"]


@click.command("profile")
@click.argument("history", type=click.Path(path_type=Path), metavar="HISTORY")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="FILE", help="The Parquet file."
)
@click.option(
    "--top", type=click.IntRange(min=1), default=5, show_default=True, metavar="S", help="Topics in a set."
)
@click.option(
    "--fill",
    type=click.Choice(["seen", "taxonomy"]),
    default="seen",
    show_default=True,
    help="Fill short sets from the topics seen, as the paper does, or from a taxonomy, as the browser does.",
)
@click.option(
    "--taxonomy",
    default="v1",
    show_default=True,
    metavar="NAME or FILE",
    help="For --fill taxonomy: v1, v2, or a file with one topic a line.",
)
@click.option(
    "--epoch-days", type=click.IntRange(min=1), metavar="D", help="Epochs of D days.  [default: one]"
)
@click.option("--seed", type=int, metavar="K", help="Repeatable chance.  [default: the system's randomness]")
@click.option(
    "--repeat",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="K",
    help="Count the distinct sets with K seeds.",
)
@click.option("--mirror", type=click.Path(path_type=Path), metavar="DIR", help="Copies of the public lists.")
@engine_options
def command(
    history: Path, out: Path, top: int, fill: str, taxonomy: str, mirror: Path | None, as_json: bool,
    epoch_days: int | None, seed: int | None, repeat: int, **options: Any,
) -> None:  # fmt: skip
    """Find each user's top topics, and fill short sets by chance.

    HISTORY is a Reduced or Experimental table, or the folder that has it. The profiles hold every topic that
    a user met, ranked and counted, so that sets of other sizes can be taken later.

    Example: quiff profile experimental --out profiles.parquet --seed 1
    """
    from quiff.history.profile import profile
    from quiff.history.taxonomy import taxonomy_topics

    topics = taxonomy_topics(taxonomy, mirror) if fill == "taxonomy" else None
    with connected(**options) as con, recorded() as steps:
        result = profile(
            con, history, out, top_s=top, taxonomy=topics, epoch_days=epoch_days, seed=seed, repeat=repeat,
            steps=steps,
        )  # fmt: skip
    figures = asdict(result)
    spread = result.repeats
    if repeat == 1 and not as_json:
        del figures["repeats"]
        click.echo(told("Profiles", figures, steps, as_json))
        return
    figures["repeats"] = {
        "seeds": len(spread.counts),
        "min": min(spread.counts),
        "mean": spread.mean,
        "max": max(spread.counts),
        "deviation": spread.deviation,
        "distinct_sets": spread.counts,
    }
    click.echo(told("Profiles", figures, steps, as_json))
