"""``quiff simulate``: browsers' reports by the specification, and what each of its rules does."""

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quiff.cli.options import (
    api_option,
    attribute_option,
    drawn_seed_option,
    figure_option,
    histories_option,
    json_option,
    keep_formulas_option,
    population_topics_option,
    read_number,
    short_noise_option,
)
from quiff.cli.outputs import OutputFile, Writing, guarded
from quiff.cli.pipeline import recorded
from quiff.cli.terminal import echo
from quiff.cli.visitors import asked_of, read_rates, visitor_options, visitors, visitors_api

if TYPE_CHECKING:
    from quiff.apis.base import Api
    from quiff.browser.reports import Reports
    from quiff.cli.people import Asked
    from quiff.populations.population import Population

_RULES = (
    "noise", "three-epochs", "each-once", "per-site", "switch-delay", "witness-filter", "noise-after-filter",
)  # fmt: skip
# The options that mean nothing when rules are compared, and with page loads.
_SIMULATED = ("without", "block", "earlier", "call_day", "drift", "page_loads", "caller", "cookies")
_OF_BROWSERS = ("without", "block", "coverage", "earlier", "call_day")
_OF_SETS = ("coverage", "call_day", "drift", "users", "cookies", "specs", "attributes", "histories")


@click.command("simulate", cls=Writing)
@click.argument("profiles", type=click.Path(path_type=Path), metavar="[PROFILES]", required=False)
@api_option
@click.option(
    "--epochs",
    "--observations",
    "epochs",
    type=int,
    metavar="E",
    help="In how many epochs sites call; how often they observe each user.",
)
@click.option("--sites", type=int, default=2, show_default=True, metavar="K", help="How many sites call.")
@click.option(
    "--out", type=OutputFile(".parquet", ".csv"), metavar="FILE", help="The reports: .parquet or .csv."
)
@population_topics_option
@click.option(
    "--top", type=int, metavar="S", help="Topics in a user's set.  [default: as stored; with rates, 5]"
)
@short_noise_option
@attribute_option
@histories_option
@drawn_seed_option
@click.option(
    "--without",
    type=click.Choice(_RULES),
    multiple=True,
    metavar="RULE",
    help=f"Switch off: {', '.join(_RULES)}.",
)
@click.option("--block", multiple=True, metavar="TOPIC", help="A topic that everybody blocks.")
@click.option(
    "--coverage",
    callback=read_number,
    metavar="C",
    help="Probability that the caller has observed a top topic.  [default: 1; to compare rules, 1/2]",
)
@click.option(
    "--earlier",
    type=int,
    metavar="N",
    help="Epochs before its own that a first call shows.  [default: as many as a call can]",
)
@click.option(
    "--call-day",
    type=float,
    metavar="D",
    help="Days from the start of an epoch to the call.  [default: after all switch delays]",
)
@visitor_options
@click.option(
    "--page-loads",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Histories instead of PROFILES: user, time, site and callers of each page load.",
)
@click.option("--with", "classification", metavar="NAME or FILE", help="For page loads: the topics of hosts.")
@click.option("--caller", metavar="NAME", help="For page loads: who calls on the sites.")
@click.option("--cookies", is_flag=True, help="Short for --api cookies.")
@click.option(
    "--compare-rules", is_flag=True, help="Print what one call leaks with each rule and without, instead."
)
@click.option(
    "--high", multiple=True, metavar="T", help="With --compare-rules and --rates: a topic of high utility."
)
@keep_formulas_option
@json_option
@figure_option
def command(
    profiles: Path | None,
    epochs: int | None,
    out: Path | None,
    keep_formulas: bool,
    compare_rules: bool,
    as_json: bool,
    figure: Path | None,
    **options: Any,
) -> None:
    """Simulate what sites observe of users.

    For the Topics API browsers do as its specification says; of any other --api, outputs are drawn from its
    channel. PROFILES is a file with the set of topics of each user, stable or by epoch, or with other
    attributes. The table that is written has the columns user, site, epoch and topic, or output; the first
    call is in epoch 0, and shows earlier ones too. With --page-loads, the topics are those of the
    taxonomy v1 or v2 if --topics says so, else those of hosts. With --compare-rules nothing is written;
    --rates then serves to measure padding.

    Example: quiff simulate profiles.parquet --epochs 10 --sites 2 --seed 1 --out reports.parquet
    """
    from quiff.results.numbers import to_json

    if compare_rules:
        given = {"epochs": epochs, "out": out, "keep_formulas": keep_formulas}
        _refuse("--compare-rules", **given, **{name: options[name] for name in _SIMULATED})
        found = _compared(profiles, **options)
        if figure is not None:
            found.figure().write(figure, **guarded(figure))
        echo(to_json(found.to_dict()) if as_json else found.tables["rules"].to_text())
        return
    _refuse("a simulation", high=options.pop("high"))
    if epochs is None or out is None or figure is not None:
        raise click.UsageError("Give --epochs and --out; a --figure is for --compare-rules only.")
    sources = [source for source in (profiles, options["rates"], options["page_loads"]) if source is not None]
    if len(sources) != 1:
        raise click.UsageError("Give one of PROFILES, --rates and --page-loads.")
    with recorded() as steps:
        with steps.step("simulate"):
            if options["page_loads"] is not None:
                _refuse("--page-loads", **{name: options[name] for name in _OF_SETS})
                reports = _browsed(epochs, **options)
            else:
                reports = _reports(profiles, epochs, **options)
        with steps.step("write reports"):
            reports.write(out, **guarded(out), keep_formulas=keep_formulas)
    summary = _summary(reports, out)
    echo(
        to_json(summary) if as_json else "\n".join(f"{k.replace('_', ' ')}: {v}" for k, v in summary.items())
    )


def _refuse(mode: str, **options: Any) -> None:
    """Tell that an option was given which would be ignored."""
    for name, value in options.items():
        if value is not None and value is not False and value != ():  # 0 is a value
            raise click.UsageError(f"--{name.replace('_', '-')} does not go with {mode}.")


def _compared(
    profiles: Path | None,
    coverage: float | Fraction | None,
    seed: int | None,
    **rest: Any,
) -> Any:
    from quiff.populations.population import Population
    from quiff.studies.browser_rules import browser_rules

    rates = read_rates(rest["rates"], rest["users"], rest["how"], seed)
    if profiles is None:
        raise click.UsageError("Give PROFILES to compare rules on.")
    population = Population.read(profiles, top=rest["top"], merged=False)
    api = _api(population, _asked(profiles, **rest), **rest)
    share = Fraction(1, 2) if coverage is None else coverage
    named = {str(topic): topic for topic in (() if rates is None else rates.topics)}
    high = [_known(named, topic) for topic in rest["high"]]
    return browser_rules(population, api, coverage=share, rates=rates, high_utility=high, seed=seed or 0)


def _known(named: dict[str, Any], topic: str) -> Any:
    """Return a topic of the rates by its name."""
    from quiff.errors import ParameterError

    if topic not in named:
        raise ParameterError(f"--high {topic!r} is no topic of the visit rates; --rates must have it")
    return named[topic]


def _population(asked: "Asked | None", epochs: int, **options: Any) -> "Population":
    """Return the users, with as many epochs of sets as are needed."""
    from quiff.theory.parameters import check_whole

    earlier = options["earlier"]
    window = 1 if "three-epochs" in options["without"] else 3
    needed = check_whole("epochs", epochs, 1) + (window if earlier is None else earlier)
    source = {name: options[name] for name in ("rates", "users", "how", "drift", "top", "seed")}
    return visitors(asked, needed, **source)


def _asked(profiles: Path | None, **options: Any) -> "Asked | None":
    specs = ("cookies",) if options["cookies"] else options["specs"]
    names = ("taxonomy", "top", "noise", "attributes", "histories")
    return asked_of(profiles, specs=specs, **{name: options[name] for name in names})


def _api(population: "Population", asked: "Asked | None", **options: Any) -> "Api":
    return visitors_api(population, asked, options["taxonomy"], options["noise"])


def _reports(profiles: Path | None, epochs: int, **options: Any) -> "Reports":
    """Return what sites observe of the users of profiles or visit rates."""
    from quiff.browser.simulation import browser_of, simulate

    asked = _asked(profiles, **options)
    population = _population(asked, epochs, **options)
    api = _api(population, asked, **options)
    common: dict[str, Any] = {"epochs": epochs, "sites": options["sites"], "seed": options["seed"]}
    browser = browser_of(population, api, options["without"], options["block"])
    if browser is None:
        _refuse(f"--api {api.spec}", **{name: options[name] for name in _OF_BROWSERS})
        return simulate(population, api, **common)
    share = options["coverage"]
    return simulate(
        population,
        **browser,
        **common,
        earlier=options["earlier"],
        coverage=1 if share is None else share,
        call_day=options["call_day"],
    )


def _browsed(
    epochs: int,
    page_loads: Path,
    classification: str | None,
    caller: str | None,
    taxonomy: str | None,
    **rest: Any,
) -> "Reports":
    """Return the reports of each user's own browser."""
    from quiff.browser.page_loads import classified_hosts, read_page_loads, simulate_page_loads
    from quiff.browser.topic_tree import TopicTree, topic_tree
    from quiff.history.classifications import read_classification

    if classification is None or caller is None:
        raise click.UsageError("Page loads need --with, the topics of hosts, and --caller.")
    from quiff.browser.rules import BrowserRules

    hosts = classified_hosts(read_classification(classification))
    listed = dict.fromkeys(topic for topics in hosts.values() for topic in topics)
    size, noise = rest["top"] or 5, 0.05 if rest["noise"] is None else rest["noise"]
    tree = topic_tree(taxonomy) if taxonomy in ("v1", "v2") else TopicTree.flat(listed)
    return simulate_page_loads(
        read_page_loads(page_loads),
        tree,
        hosts,
        sites=[str(number) for number in range(rest["sites"])],
        caller=caller,
        epochs=epochs,
        rules=BrowserRules.of(tree.topics, size, noise, rest["without"], rest["block"]),
        seed=rest["seed"],
        earlier=rest["earlier"],
    )


def _summary(reports: "Reports", out: Path) -> dict[str, Any]:
    returned = int((reports.by_epoch >= 0).sum())
    return {
        "users": reports.n_users,
        "sites": reports.sites.size,
        "epochs": reports.n_epochs,
        "earlier": reports.earlier,
        f"{reports.shows}s": reports.topics.size,
        "rows": int(reports.by_epoch.size),
        "empty": int(reports.by_epoch.size) - returned,
        "out": str(out),
    }
