"""``quiff attribution``: the W3C Attribution API, played and put to the test."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quiff.cli.options import PATH, digits_option, drawn_seed_option, json_option, least, one_of, option
from quiff.cli.outputs import OutputFile, Writing, guarded
from quiff.cli.progress import shown_progress
from quiff.cli.shown import noted, shows_result
from quiff.cli.terminal import echo

if TYPE_CHECKING:
    from quiff.results.result import Result


_rules_option = one_of(
    "--rules",
    "The draft as it is meant, as it is written, or its reference code; or the draft but for one rule.",
    "draft", "draft-literal", "reference",
    "attributed-epoch", "single-by-match", "two-roundings", "unset-global",
    default="draft",
)  # fmt: skip


@click.group("attribution")
def command() -> None:
    """Play events on the W3C Attribution API; test its budgets.

    The model follows the draft at w3c/attribution 9fab4e8 (14 May 2026).

    Example: quiff attribution check --size 2
    """


@command.command("run", cls=Writing)
@click.argument("events", metavar="EVENTS.json", type=PATH)
@option(
    "--config",
    "CONFIG.json",
    "Limits, budgets, and if you like the epoch's start and the rounding draw."
    "  [default: as the group's own, both drawn]",
    PATH,
)
@_rules_option
@drawn_seed_option
@shows_result
def run_command(events: Path, config: Path | None, rules: str, seed: int | None) -> "Result":
    """Play a file of events: histograms, charges, what is left.

    Both files are in the format of the group's own end-to-end tests. Times are in seconds and increase; what
    a file expects is compared with what comes. --json has under `payload` the `events` with
    their `outcome`, `charges` by the number of the event, from 0, and `budgets`, in microepsilons. The figure
    is a timeline.

    Example: quiff attribution run violation.json --rules reference --all
    """
    from quiff.studies.attribution import play_events

    return play_events(events, config, rules=rules, seed=seed)


@command.command("reveal", cls=Writing)
@option("--epsilon", "E", "A site's budget, and what one conversion asks for.", float, 1.0)
@option("--buckets", "M", "Histogram size.", least(1), 20)
@option("--others", "K", "Other people in the batch.", int, 100)
@option("--rate", "R", "Probability that one of them adds to a bucket, for each.", float, 0.1)
@option("--sites", "S", "Sites that collude.", int, 10)
@option("--quota", "Q", "The impression site's quota, as epsilon.", float, 4.0)
@option("--global shared", "G", "The global budget, as epsilon.", float, 8.0)
@option("--weeks", "W", "After how many weeks. May be repeated.", int, (1, 2, 4, 8, 12), multiple=True)
@shows_result
def reveal_command(**parameters: Any) -> "Result":
    """Say what conversions reveal, and how well they count.

    One conversion, alone in its batch and among others; then one site, and several that collude, week by week
    until budgets are spent; what zeros tell of other sites; and the error of counts. The secret is which
    bucket a profile's impressions belong to, the same every week, or none.

    Example: quiff attribution reveal --epsilon 10 --quota 1000 --global 1000 --sites 100
    """
    from quiff.studies.attribution_leakage import attribution_leakage

    return attribution_leakage(**parameters)


@command.command("check", cls=Writing)
@option("--size", "N", "At most so many impressions, and so many queries.", least(1), 2)
@_rules_option
@option("--limit", "N", "Go through at most so many worlds.", least(1))
@option(
    "--out",
    "FILE.json",
    "Write the violation as a file of events, and its neighbour beside it as FILE-neighbour.json.",
    OutputFile(".json"),
)
@digits_option
@json_option
def check_command(size: int, rules: str, limit: int | None, out: Path | None, as_json: bool) -> None:
    """Search small worlds for one that reveals more than a budget.

    Worlds have 3 epochs and 2 conversion sites. Neighbours differ in the impressions of one epoch. The exact
    loss to a site is compared with its budget, and that to all sites with the global one. The rule
    attributed-epoch charges only the epoch of the attributed impression, single-by-match decides by the
    matched impressions whether a conversion is one of a single epoch, two-roundings charges for one rounding
    and releases another, unset-global decrements a global budget that is not set.

    Example: quiff attribution check --size 2 --rules two-roundings --out violation.json
    """
    from quiff.files import check_target, write_text
    from quiff.progress import watching
    from quiff.results.numbers import to_json
    from quiff.studies.attribution import check_budgets

    paths = {} if out is None else {"world": out, "neighbour": out.with_stem(f"{out.stem}-neighbour")}
    for path in paths.values():  # told before any work
        check_target(path, **guarded(path))
    with shown_progress() as shown, watching(shown.tell):
        result = noted(check_budgets(size, rules=rules, limit=limit))
    violation = result.payload["violation"]
    for part, path in paths.items() if violation is not None else ():
        write_text(path, to_json(violation[part]), **guarded(path))
    if as_json:
        echo(result.to_json())
        return
    echo(result.to_text())
    if violation is not None and out is None:
        echo("\nThe world as a file of events, for quiff attribution run:\n" + to_json(violation["world"]))
