"""``quiff classify``: from the Treated table to the Reduced one."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from quiff.cli.options import mirror_option
from quiff.cli.outputs import OutputFolder, Writing, forced
from quiff.cli.pipeline import (
    connected,
    csv_option,
    engine_options,
    recorded,
    rules_option,
    suffixes_option,
    told,
    write_csv,
)
from quiff.cli.terminal import echo


@click.command("classify", cls=Writing)
@click.argument("treated", type=click.Path(path_type=Path), metavar="TREATED")
@click.option(
    "--with",
    "name",
    required=True,
    metavar="NAME or FILE",
    help="citizenlab, chrome-1, chrome-5, or a CSV file with the columns domain and topics.",
)
@click.option(
    "--out",
    required=True,
    type=OutputFolder({"reduced.parquet": False, "matches.parquet": False}),
    metavar="DIR",
    help="Where tables go.",
)
@click.option(
    "--matching",
    type=click.Choice(["correct", "as-published"]),
    default="correct",
    show_default=True,
    help="How domains under a listed one get topics. as-published repeats a mistake, to compare figures: a"
    " listed domain may occur anywhere in the name, any sign stands for its dots, and all such domains get"
    " the topics of the listed domain that is the last to appear in TREATED (by row in the published CSV,"
    " else by time of its first visit).",
)
@suffixes_option
@rules_option
@mirror_option
@csv_option
@engine_options
def command(
    treated: Path,
    name: str,
    out: Path,
    matching: str,
    mirror: Path | None,
    suffixes: Any,
    rules: str,
    csv_file: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Keep the visits to domains whose topics are known.

    A classification lists them. A domain that is listed has the topics of its entry; a domain of three or
    more labels that is not has those of the longest listed domain that it is under.

    Example: quiff classify treated --with log/classification.csv --out reduced
    """
    from quiff.history.classifications import read_classification
    from quiff.history.classify import classify

    with connected(**options) as con, recorded() as steps:
        classification = read_classification(name, mirror=mirror, suffixes=suffixes, rules=rules)
        force = forced()
        result = classify(con, treated, classification, out, matching=matching, force=force, steps=steps)
        write_csv(con, out, "reduced", csv_file)
    echo(told(f"Reduced by {name}", asdict(result), steps, as_json))
    if not as_json:
        for note in result.notes:
            echo(note)
