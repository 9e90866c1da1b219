"""``quiff simulate``: what sites observe of users, and what each rule of the browser does."""

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quiff.cli.options import (
    PATH,
    digits_option,
    drawn_seed_option,
    figure_option,
    flag,
    json_option,
    keep_formulas_option,
    number,
    option,
    several,
)
from quiff.cli.outputs import OutputFile, Writing, guarded
from quiff.cli.people import Asked, asks_for_people
from quiff.cli.progress import shown_progress
from quiff.cli.shown import noted, write_figure
from quiff.cli.terminal import echo

if TYPE_CHECKING:
    from quiff.browser.reports import Reports
    from quiff.results.result import Result

_RULES = (
    "noise", "three-epochs", "each-once", "per-site", "switch-delay", "witness-filter", "noise-after-filter",
)  # fmt: skip
# The options that mean nothing when rules are compared, and with page loads.
_SIMULATED = ("without", "block", "earlier", "call_day", "page_loads", "caller", "cookies")
_OF_BROWSERS = ("without", "block", "coverage", "earlier", "call_day")
_OF_SETS = ("coverage", "call_day", "cookies")
_OF_PEOPLE = ("drift", "users", "specs", "attributes", "histories")


@click.command("simulate", cls=Writing)
@asks_for_people(over_time=True, drawn=True, takes=1.5)
@option("--epochs", "E", "In how many epochs sites call, once in each.", int)
@option("--sites", "K", "How many sites call.", int, 2)
@option("--out", "FILE", "The observations: .parquet or .csv.", OutputFile(".parquet", ".csv"))
@drawn_seed_option
@several("--without", "RULE", f"Switch off: {', '.join(_RULES)}.", click.Choice(_RULES))
@several("--block", "TOPIC", "A topic that everybody blocks.")
@number(
    "--coverage",
    "C",
    "Probability that the caller has observed a top topic.  [default: 1; to compare rules, 1/2]",
)
@option(
    "--earlier", "N", "Epochs before its own that a first call shows.  [default: as many as a call can]", int
)
@option(
    "--call-day",
    "D",
    "Days from the start of an epoch to the call.  [default: after all switch delays]",
    float,
)
@option(
    "--page-loads",
    "FILE",
    "Histories instead of PEOPLE: user, time, site and callers of each page load.",
    PATH,
)
@option("--with classification", "NAME or FILE", "For page loads: the topics of hosts.")
@option("--caller", "NAME", "For page loads: who calls on the sites.")
@flag("--cookies", "Short for --api cookies.")
@flag("--compare-rules", "Print what one call leaks with each rule and without, instead.")
@several("--high", "T", "With --compare-rules and --rates: a topic of high utility.")
@keep_formulas_option
@digits_option
@json_option
@figure_option
def command(
    asked: Asked,
    epochs: int | None,
    out: Path | None,
    keep_formulas: bool,
    compare_rules: bool,
    as_json: bool,
    figure: Path | None,
    high: tuple[str, ...],
    **options: Any,
) -> None:
    """Simulate what sites observe of users.

    For the Topics API browsers do as its specification says; of any other --api, outputs are drawn from its
    channel. PEOPLE is a file with the set of topics of each user, stable or by epoch, or with other
    attributes. The table that is written has the columns user, site, epoch and topic, or output; the first
    call is in epoch 0, and shows earlier ones too. With --page-loads, the topics are those of the
    taxonomy v1 or v2 if --topics says so, else those of hosts. With --compare-rules nothing is written;
    --rates then serves to measure padding.

    Example: quiff simulate profiles.parquet --epochs 10 --sites 2 --seed 1 --out reports.parquet
    """
    from quiff.results.numbers import to_json

    if compare_rules:
        given = {"epochs": epochs, "out": out, "keep_formulas": keep_formulas, "drift": asked.drift}
        _refuse("--compare-rules", **given, **{name: options[name] for name in _SIMULATED})
        found = noted(_compared(asked, options["coverage"], options["seed"], high))
        if figure is not None:
            write_figure(found, figure)
        echo(found.to_json() if as_json else found.to_text())
        return
    _refuse("a simulation", high=high)
    if epochs is None or out is None or figure is not None:
        raise click.UsageError("Give --epochs and --out; a --figure is for --compare-rules only.")
    if [asked.file, asked.rates, options["page_loads"]].count(None) != 2:
        raise click.UsageError("Give one of PEOPLE, --rates and --page-loads.")
    draw = _reports if options["page_loads"] is None else _browsed
    with shown_progress() as shown:
        with shown.steps.step("simulate"):
            reports = draw(asked, epochs, **options)
        with shown.steps.step("write observations"):
            reports.write(out, **guarded(out), keep_formulas=keep_formulas)
    summary = _summary(reports, out)
    lines = (f"{name.replace('_', ' ')}: {_read(value)}" for name, value in summary.items())
    echo(to_json(summary) if as_json else "\n".join(lines))


def _refuse(mode: str, **options: Any) -> None:
    """Tell that an option was given which would be ignored."""
    for name, value in options.items():
        if value is not None and value is not False and value != ():  # 0 is a value
            raise click.UsageError(f"--{_SPELT.get(name, name.replace('_', '-'))} does not go with {mode}.")


_SPELT = {"specs": "api", "attributes": "attribute"}


def _compared(
    asked: Asked, coverage: float | Fraction | None, seed: int | None, high: tuple[str, ...]
) -> "Result":
    from quiff.errors import ParameterError
    from quiff.populations.population import Population
    from quiff.studies.browser_rules import browser_rules

    rates = asked.visit_rates(seed)
    if asked.file is None:
        raise click.UsageError("Give PEOPLE to compare rules on.")
    named = {str(topic): topic for topic in (() if rates is None else rates.topics)}
    lost = next((topic for topic in high if topic not in named), None)
    if lost is not None:
        raise ParameterError(f"--high {lost!r} is no topic of the visit rates; --rates must have it")
    people = Population.read(asked.file, top=asked.top, merged=False)
    return browser_rules(
        people,
        asked.api(people),
        coverage=Fraction(1, 2) if coverage is None else coverage,
        rates=rates,
        high_utility=[named[topic] for topic in high],
        seed=seed or 0,
    )


def _reports(asked: Asked, epochs: int, **options: Any) -> "Reports":
    """Return what sites observe of the users of profiles or visit rates."""
    from dataclasses import replace

    from quiff.browser.simulation import browser_of, simulate
    from quiff.theory.parameters import MOST_OBSERVATIONS, check_whole

    asked = replace(asked, specs=("cookies",)) if options["cookies"] else asked
    earlier, share, seed = options["earlier"], options["coverage"], options["seed"]
    window = 1 if "three-epochs" in options["without"] else 3
    check_whole("epochs", epochs, 1, MOST_OBSERVATIONS)
    people = asked.visitors(epochs + (window if earlier is None else earlier), seed)
    api = asked.api(people)
    common: dict[str, Any] = {"epochs": epochs, "sites": options["sites"], "seed": seed}
    browser = browser_of(people, api, options["without"], options["block"])
    if browser is None:
        _refuse(f"--api {api.spec}", **{name: options[name] for name in _OF_BROWSERS})
        return simulate(people, api, **common)
    coverage = 1 if share is None else share
    return simulate(
        people, **browser, **common, earlier=earlier, coverage=coverage, call_day=options["call_day"]
    )


def _browsed(
    asked: Asked, epochs: int, page_loads: Path, classification: str | None, caller: str | None, **rest: Any
) -> "Reports":
    """Return the observations of each user's own browser."""
    from quiff.browser.page_loads import classified_hosts, read_page_loads, simulate_page_loads
    from quiff.browser.rules import BrowserRules
    from quiff.browser.topic_tree import TopicTree, topic_tree
    from quiff.history.classifications import read_classification

    _refuse("--page-loads", **{name: rest[name] for name in _OF_SETS})
    _refuse("--page-loads", **{name: getattr(asked, name) for name in _OF_PEOPLE})
    if classification is None or caller is None:
        raise click.UsageError("Page loads need --with, the topics of hosts, and --caller.")
    hosts = classified_hosts(read_classification(classification))
    listed = dict.fromkeys(topic for topics in hosts.values() for topic in topics)
    tree = topic_tree(asked.taxonomy) if asked.taxonomy in ("v1", "v2") else TopicTree.flat(listed)
    noise = 0.05 if asked.noise is None else asked.noise
    return simulate_page_loads(
        read_page_loads(page_loads),
        tree,
        hosts,
        sites=[str(number) for number in range(rest["sites"])],
        caller=caller,
        epochs=epochs,
        rules=BrowserRules.of(tree.topics, asked.top or 5, noise, rest["without"], rest["block"]),
        seed=rest["seed"],
        earlier=rest["earlier"],
    )


def _read(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _summary(reports: "Reports", out: Path) -> dict[str, Any]:
    size = int(reports.by_epoch.size)
    return {
        "users": reports.n_users,
        "sites": reports.sites.size,
        "epochs": reports.n_epochs,
        "earlier": reports.earlier,
        f"{reports.shows}s": reports.topics.size,
        "rows": size,
        "empty": size - int((reports.by_epoch >= 0).sum()),
        "out": str(out),
    }
