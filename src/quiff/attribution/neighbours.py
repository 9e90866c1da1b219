"""Two files of events that are neighbours: what each site learns of the difference, beside its budget.

With Laplace noise of scale 2 maxValue/epsilon on every bucket, what a site sees is a mixture of such laws:
over the ways in which credit may be rounded, and over what other sites did upon their noisy results. The
privacy loss is the supremum of the log-ratio of the two mixtures. Who sees the result on which an event
depends knows whether it happened: for that observer it is the larger loss of both cases, an upper bound.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, product
from math import prod
from typing import Any, NamedTuple, TypeAlias, final

from quiff.attribution.browser import Browser
from quiff.attribution.checker import Law, supremum
from quiff.attribution.events import Condition, Event, steps, zeros
from quiff.attribution.options import MICRO, Config
from quiff.attribution.rules import Rules
from quiff.attribution.worlds import over_all_flips
from quiff.errors import ParameterError, SizeError

ALL_SITES = "all sites"
_MOST_VERTICES = 10**6  # places at which the supremum may be
_MOST_RUNS = 2**14  # ways in which credit is rounded and conditions hold

Released: TypeAlias = tuple[tuple[float, tuple[int, ...]], ...]  # epsilon for a value of 1, histogram


class Asked(NamedTuple):
    """A conversion of a file: who asks, and what must be the same in the neighbour."""

    site: str
    epsilon: float
    buckets: int


@final
@dataclass(frozen=True)
class PairLoss:
    """What a site, or all together, learn of the difference of two neighbours, and the budget of an epoch."""

    observer: str
    loss: float
    budget: float


def pair_losses(
    events: tuple[Event, ...], neighbour: tuple[Event, ...], config: Config, rules: Rules
) -> list[PairLoss]:
    """Return the privacy loss to each site that converts, and to all of them together.

    Raises
    ------
    ParameterError
        If the files are no neighbours: they may differ in impressions only.
    SizeError
        If there are too many histograms to compare.
    """
    asked = [conversion(event) for event in events if event.name == "measureConversion"]
    if asked != [conversion(event) for event in neighbour if event.name == "measureConversion"]:
        raise ParameterError(
            "the files are no neighbours: conversions differ in site, epsilon, maxValue or histogramSize",
            what="the neighbour",
        )
    here, there = (list(islice(_outcomes(file, config, rules), _MOST_RUNS)) for file in (events, neighbour))
    if max(len(here), len(there)) == _MOST_RUNS:
        raise SizeError(
            f"credit may be rounded in {_MOST_RUNS:,} ways or more; take fewer conversions, or credit [1]"
        )
    triggers = {event.when.conversion for event in (*events, *neighbour) if event.when is not None}
    losses = []
    for observer in (*dict.fromkeys(each.site for each in asked), ALL_SITES):
        places = [place for place, each in enumerate(asked) if observer in (each.site, ALL_SITES)]
        knows = observer == ALL_SITES or any(asked[place].site == observer for place in triggers)
        limit = (
            config.global_privacy_budget_per_epoch
            if observer == ALL_SITES
            else config.per_site_privacy_budget
        )
        ours, theirs = (_laws(outcomes, asked, places, knows) for outcomes in (here, there))
        loss = max(
            _supremum(law, other)
            for (acts, law), (others, other) in product(ours.items(), theirs.items())
            if not any((when, not held) in others for when, held in acts)
        )
        losses.append(PairLoss(observer, loss, limit / MICRO))
    return losses


def conversion(event: Event) -> Asked:
    """Return what neighbours have in common of a conversion."""
    options = event.options
    epsilon = options.get("epsilon", 1.0) / max(1, options.get("max_value", 1))
    return Asked(event.fields["site"], epsilon, options["histogram_size"])


@final
class Outcome(NamedTuple):
    """What came of a file: which conditions held, how probable that was, and the histograms before noise."""

    acts: frozenset[tuple[Condition, bool]]
    chance: float
    histograms: tuple[tuple[int, ...], ...]


def _outcomes(events: tuple[Event, ...], config: Config, rules: Rules) -> Iterator[tuple[float, Outcome]]:
    """Yield what comes of the conversions for each way in which credit is rounded and conditions hold."""

    def run(flip: Callable[[float], bool]) -> Outcome:
        held: dict[Condition, bool] = {}
        chances = []

        def holds(when: Condition, p: float) -> bool:
            if when not in held:  # it is one result, however many events depend on it
                held[when] = flip(p)
                chances.append(p if held[when] else 1 - p)
            return held[when]

        browser = Browser(config, rules, flip=flip)
        histograms = []
        for step in steps(browser, events, holds):
            if step.event.name == "measureConversion":
                report = step.report
                histograms.append(zeros(step.event, browser) if report is None else tuple(report.histogram))
        return Outcome(frozenset(held.items()), prod(chances), tuple(histograms))

    return over_all_flips(run)


def _laws(
    outcomes: list[tuple[float, Outcome]], asked: list[Asked], places: list[int], knows: bool
) -> dict[frozenset[tuple[Condition, bool]], Law]:
    """Return the law of what an observer sees before noise; one for each case of what it knows."""
    laws: dict[frozenset[tuple[Condition, bool]], dict[Any, float]] = {}
    for probability, outcome in outcomes:
        released = tuple((asked[place].epsilon, outcome.histograms[place]) for place in places)
        law = laws.setdefault(outcome.acts if knows else frozenset(), defaultdict(float))
        law[released] += probability / outcome.chance if knows else probability
    return {acts: tuple(sorted(law.items())) for acts, law in laws.items()}


def _supremum(here: Law, there: Law) -> float:
    columns = zip(*([x for _, h in released for x in h] for released, _ in (*here, *there)), strict=True)
    if prod(len(set(column)) for column in columns) > _MOST_VERTICES:
        raise SizeError("there are too many histograms to compare; take fewer conversions, or fewer buckets")
    return supremum(here, there)
