"""``quiff classify``: from the Treated table to the Reduced one."""

from pathlib import Path
from typing import Any

import click

from quiff.cli.options import PATH, mirror_option, one_of, option
from quiff.cli.outputs import OutputFolder, Writing, forced
from quiff.cli.pipeline import csv_option, domain_options, engine_options, told, working, write_csv
from quiff.cli.terminal import echo

_OUTPUTS = {"reduced.parquet": False, "matches.parquet": False}


@click.command("classify", cls=Writing)
@click.argument("treated", type=PATH, metavar="TREATED")
@option(
    "--with name",
    "NAME or FILE",
    "citizenlab, chrome-1, chrome-5, or a CSV file with the columns domain and topics.",
    required=True,
)
@option("--out", "DIR", "Where tables go.", OutputFolder(_OUTPUTS), required=True)
@one_of(
    "--matching",
    "How domains under a listed one get topics. as-published repeats a mistake, to compare figures: a"
    " listed domain may occur anywhere in the name, any character stands for its dots, and all such domains"
    " get the topics of the listed domain that is the last to appear in TREATED (by row in the published CSV,"
    " else by time of its first visit).",
    "correct", "as-published",
    default="correct",
)  # fmt: skip
@domain_options
@mirror_option
@csv_option
@engine_options
def command(
    treated: Path, name: str, out: Path, matching: str, mirror: Path | None, suffixes: Any, rules: str,
    csv_file: Path | None, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Keep the visits to domains whose topics are known.

    A classification lists them. A domain that is listed has the topics of its entry; a domain of three or
    more labels that is not has those of the longest listed domain that it is under.

    Example: quiff classify treated --with log/classification.csv --out reduced
    """
    from quiff.history.classifications import read_classification
    from quiff.history.classify import classify

    with working(**options) as (con, steps):
        classification = read_classification(name, mirror=mirror, suffixes=suffixes, rules=rules)
        force = forced()
        result = classify(con, treated, classification, out, matching=matching, force=force, steps=steps)
        write_csv(con, out, "reduced", csv_file)
    echo(told(f"Reduced by {name}", result, steps, as_json))
    if not as_json:
        for note in result.notes:
            echo(note)
