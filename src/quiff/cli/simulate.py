"""``quiff simulate`` and ``rules``: what sites observe of users, and what each rule of the browser does."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from quiff.apis.registry import DEFAULT
from quiff.browser.page_loads import classified_hosts, read_page_loads, simulate_page_loads
from quiff.browser.reports import Reports
from quiff.browser.rules import BrowserRules
from quiff.browser.simulation import browser_of, simulate
from quiff.browser.topic_tree import TopicTree, topic_tree
from quiff.cli.outputs import guarded
from quiff.cli.people import RatedPeople, Spec, Visitors, taxonomy_name
from quiff.cli.shown import Listed
from quiff.commands import NewFile, command
from quiff.errors import ParameterError
from quiff.logs.classifications import read_classification
from quiff.people.population import Population
from quiff.results.result import Result
from quiff.studies.browser_rules import browser_rules
from quiff.theory.parameters import HALF, MOST_OBSERVATIONS, Real, check_whole

if TYPE_CHECKING:
    from quiff.logs.tables import Steps

# The options that mean nothing of other APIs, and with page loads.
_OF_BROWSERS = ("without", "block", "coverage", "earlier", "call_day")
_OF_PEOPLE = ("coverage", "call_day", "drift", "users", "attribute", "histories")


@command("simulate", group="people", memory=1.5)
def simulate_people(
    people: Visitors | None = None,
    api: Spec = (),
    *,
    epochs: int,
    sites: int = 2,
    out: Annotated[Path, NewFile(".parquet", ".csv")],
    seed: int | None = None,
    without: Iterable[
        Literal["noise", "three-epochs", "each-once", "per-site", "switch-delay", "witness-filter",
                "noise-after-filter"]
    ] = (),
    block: Iterable[str] = (),
    coverage: Real | None = None,
    earlier: int | None = None,
    call_day: float | None = None,
    page_loads: Path | None = None,
    classification: str | None = None,
    caller: str | None = None,
    keep_formulas: bool = False,
    steps: "Steps",
) -> Listed:  # fmt: skip
    """Simulate what sites observe of users.

    For the Topics API browsers do as its specification says; of any other --api, outputs are drawn from its
    channel. The table that is written has the columns user, site, epoch and topic, or output; the first call
    is in epoch 0, and shows earlier ones too. With --page-loads, the topics are those of the taxonomy v1 or
    v2 if --api topics:n_topics=v1 says so, else those of hosts.

    Parameters
    ----------
    api
        [default: topics, if PEOPLE have any, else cookies]
    epochs
        In how many epochs sites call, once in each.
    sites
        How many sites call.
    out
        The observations: .parquet or .csv.
    seed
        The random seed: the same seed, the same draws.  [default: the system's randomness]
    without
        Switch off a rule of the browser.
    block
        A topic that everybody blocks.
    coverage
        Probability that the caller has observed a top topic.  [default: 1]
    earlier
        Epochs before its own that a first call shows.  [default: as many as a call can]
    call_day
        Days from the start of an epoch to the call.  [default: after all switch delays]
    page_loads
        Histories instead of PEOPLE: user, time, site and callers of each page load.
    classification
        For page loads: the topics of hosts, as for quiff classify.
    caller
        For page loads: who calls on the sites.
    keep_formulas
        In CSV, keep text as it is. Else an apostrophe comes before text that a spreadsheet would run.

    Examples
    --------
    $ quiff simulate profiles.parquet --epochs 10 --sites 2 --seed 1 --out reports.parquet
    """
    typed = click.get_current_context().params
    asked = Visitors(typed={"api": api}) if people is None else people
    if [asked.people, asked.rates, page_loads].count(None) != 2:
        raise click.UsageError("Give one of PEOPLE, --rates and --page-loads.")
    rules = {"without": tuple(without), "block": tuple(block)}
    with steps.step("simulate"):
        if page_loads is None:
            drawn = {"sites": sites, "seed": seed, "earlier": earlier, "coverage": coverage}
            reports = _reports(asked, epochs, rules, typed, **drawn, call_day=call_day)
        else:
            _refuse("--page-loads", typed, _OF_PEOPLE)
            if classification is None or caller is None:
                raise click.UsageError("Page loads need --classification, the topics of hosts, and --caller.")
            read = {"sites": [str(number) for number in range(sites)], "seed": seed, "earlier": earlier}
            reports = _browsed(asked, page_loads, classification, rules, **read, caller=caller, epochs=epochs)
    with steps.step("write observations"):
        reports.write(out, **guarded(out), keep_formulas=keep_formulas)
    summary = _summary(reports, out)
    return Listed(summary, "\n".join(f"{name}: {_read(value)}" for name, value in summary.items()))


@command("rules", group="people", memory=1.5)
def compare_rules(
    people: RatedPeople,
    api: Spec = (),
    *,
    coverage: Real = HALF,
    high_utility: Iterable[str] = (),
    seed: int = 0,
) -> Result:
    """Measure what each rule of the browser does.

    What one call of the Topics API leaks with each rule of its specification, and without it. With --rates,
    what padding does is measured too. The figure shows the leakages.

    Parameters
    ----------
    api
        [default: topics]
    coverage
        Probability that the caller has observed a top topic.  [default: 1/2]
    high_utility
        With --rates: a topic of high utility.
    seed
        The random seed: the same seed, the same draws.

    Examples
    --------
    $ quiff rules profiles.parquet --seed 1
    """
    rates, file = people.visit_rates(seed), people.people
    named = {str(topic): topic for topic in (() if rates is None else rates.topics)}
    lost = next((topic for topic in high_utility if topic not in named), None)
    if lost is not None:
        raise ParameterError(f"--high-utility {lost!r} is no topic of the visit rates; --rates must have it")
    population = Population.read(file or Path(), top=people.size, merged=False)
    return browser_rules(
        population,
        people.apis(population)[-1],
        coverage=coverage,
        rates=rates,
        high_utility=[named[topic] for topic in high_utility],
        seed=seed,
    )


def _refuse(mode: str, typed: Mapping[str, Any], names: Iterable[str]) -> None:
    """Tell that an option was given which would be ignored."""
    for name in names:
        if typed[name] is not None and typed[name] != ():  # 0 is a value
            raise click.UsageError(f"--{name.replace('_', '-')} does not go with {mode}.")


def _reports(
    asked: Visitors, epochs: int, rules: Mapping[str, Any], typed: Mapping[str, Any], **drawn: Any
) -> Reports:
    """Return what sites observe of the users of profiles or visit rates."""
    earlier, coverage, call_day = (drawn.pop(name) for name in ("earlier", "coverage", "call_day"))
    window = 1 if "three-epochs" in rules["without"] else 3
    check_whole("epochs", epochs, 1, MOST_OBSERVATIONS)
    people = asked.visitors(epochs + (window if earlier is None else earlier), drawn["seed"])
    api = asked.apis(people)[-1]
    browser = browser_of(people, api, rules["without"], rules["block"])
    if browser is None:
        _refuse(f"--api {api.spec}", typed, _OF_BROWSERS)
        return simulate(people, api, epochs=epochs, **drawn)
    share = 1 if coverage is None else coverage
    return simulate(
        people, **browser, epochs=epochs, **drawn, earlier=earlier, coverage=share, call_day=call_day
    )


def _browsed(
    asked: Visitors, page_loads: Path, classification: str, rules: Mapping[str, Any], **options: Any
) -> Reports:
    """Return the observations of each user's own browser."""
    hosts = classified_hosts(read_classification(classification))
    listed = dict.fromkeys(topic for topics in hosts.values() for topic in topics)
    api = asked.named[-1] if asked.named else DEFAULT
    if not isinstance(api, type(DEFAULT)):
        raise click.UsageError(f"--api {api.spec} does not go with --page-loads.")
    name = taxonomy_name(api)
    tree = topic_tree(name) if name in ("v1", "v2") else TopicTree.flat(listed)
    own = BrowserRules.of(tree.topics, asked.size or 5, api.noise, rules["without"], rules["block"])
    return simulate_page_loads(read_page_loads(page_loads), tree, hosts, rules=own, **options)


def _read(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _summary(reports: Reports, out: Path) -> dict[str, object]:
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
