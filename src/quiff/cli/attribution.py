"""``quiff attribution check``: the search for a violation, which is written as a file of events."""

from pathlib import Path
from typing import Annotated

from quiff.attribution.rules import RuleName
from quiff.cli.outputs import guarded
from quiff.cli.progress import shown_progress
from quiff.cli.shown import noted
from quiff.cli.terminal import echo
from quiff.commands import NewFile, command
from quiff.io import check_target, write_text
from quiff.results.numbers import to_json
from quiff.studies.attribution import check_budgets


@command("attribution check", group="parameters")
def check(
    *,
    size: int = 2,
    rules: RuleName = "draft",
    impression_sites: int = 1,
    limit: int | None = None,
    adaptive: int | None = None,
    out: Annotated[Path | None, NewFile(".json")] = None,
    digits: int = 3,
    json_: bool = False,
) -> None:
    """Search small worlds for one that reveals more than a budget.

    Worlds have 3 epochs and 2 conversion sites. Neighbours differ in the impressions of one epoch. The exact
    loss to a site is compared with its budget, and that to all sites with the global one. attributed-epoch
    charges only the epoch of the attributed impression, single-by-match decides by the matched impressions
    whether a conversion is one of a single epoch, two-roundings charges for one rounding and releases
    another, unset-global decrements a global budget that is not set. Proposals: site-left-out leaves out the
    impressions of a site whose quota is spent, by-intermediary gives budgets to intermediaries, and epochs
    of 1 or 28 days.

    Parameters
    ----------
    size
        At most so many impressions, and so many queries.
    rules
        The draft as it is meant, as it is written, or its reference code; or the draft but for one rule.
    impression_sites
        On how many sites impressions are saved; with 2, their quotas are as small as a site's budget.
    limit
        Go through at most so many worlds.
    adaptive
        Search worlds of at most so many events instead, one of which depends on an earlier noisy result.
    out
        Write the violation as a file of events, and its neighbour beside it as FILE-neighbour.json.
    digits
        Significant digits of computed numbers.
    json_
        Print JSON, at full precision.

    Examples
    --------
    $ quiff attribution check --size 2 --rules two-roundings --out violation.json
    """
    paths = {} if out is None else {"world": out, "neighbour": out.with_stem(f"{out.stem}-neighbour")}
    for path in paths.values():  # told before any work
        check_target(path, **guarded(path))
    with shown_progress():
        result = noted(
            check_budgets(
                size, rules=rules, impression_sites=impression_sites, limit=limit, adaptive=adaptive
            )
        )
    violation = result.payload["violation"]
    for part, path in paths.items() if violation is not None else ():
        write_text(path, to_json(violation[part]), **guarded(path))
    if json_:
        echo(result.to_json())
        return
    echo(result.to_text())
    if violation is not None and out is None:
        echo("\nThe world as a file of events, for quiff attribution run:\n" + to_json(violation["world"]))
