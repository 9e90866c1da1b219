"""How designs are shown: the settings that meet a target, and the mechanisms that are fitted to people."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

from quiff.apis.fitted import FittedAPI
from quiff.core.numbers import Array
from quiff.populations.population import Population
from quiff.results.figures.figure import Figure
from quiff.results.numbers import probability, said, shown
from quiff.results.table import Table
from quiff.results.views.names import many, people_words
from quiff.results.views.theory import limits_chart
from quiff.theory.curves import Curves
from quiff.theory.design import Design, Designs, Measure
from quiff.theory.parameters import Real

_WORDS: dict[Measure, str] = {
    "capacity": "a Bayes capacity of at most",
    "epsilon": "an epsilon of at most",
    "max_case": "a max-case capacity of at most",
    "utility": "a utility of at least",
}
_FEWEST_ROWS = 10
_MOST_ROWS = 20


def shown_options(found: Designs) -> tuple[Design, ...]:
    """Return the options that a terminal shows: one more than the answers need, if that is few."""
    sizes = [found.options.index(each) + 2 for each in _answers(found) if each in found.options]
    asked = [int(each.record()["top"]) + 1 for each in _answers(found)]
    return found.options[: min(max([_FEWEST_ROWS, *sizes, *asked]), _MOST_ROWS)]


def _answers(found: Designs) -> list[Design]:
    return [each for each in (found.strict, found.nearest) if each is not None]


def budget_views(
    found: Designs, measure: Measure, target: Real, own: Mapping[str, Any], curves: Callable[[], Curves]
) -> dict[str, Any]:
    """Return title, sentences, tables and figure of the settings that meet a target."""
    question = f"{found.about}, {_WORDS[measure]} {shown(target)}"
    noise = shown(own["noise"])
    answers = [
        (label, *each.record().values())
        for label, each in (("strictly", found.strict), ("nearest", found.nearest))
        if each is not None
    ]
    listed = shown_options(found)
    listed = listed[::-1] if measure == "utility" else listed  # what leaks least comes first
    rest = len(found.options) - len(listed)
    more = (f"... and {rest} larger sets; --json lists all.",) if rest else ()
    tables = {
        "answer": Table(
            f"{question}, at noise {noise}: the smallest set that does, and the nearest",
            ("", *found.headings),
            tuple(answers),
            (found.missing,) if found.missing else (),
        ),
        "options": Table(
            f"{question}: for each size of the sets, the noise that does",
            found.headings,
            tuple(tuple(option.record().values()) for option in listed),
            (*more, *found.notes),
        ),
    }
    strict = None if found.strict is None else found.strict.record()
    if measure == "utility":
        tables = dict(reversed(tables.items()))
        sentence = f"{question}: {_least(found.options)}"
    elif strict is None:
        sentence = f"With {question} at noise {noise}: none, {found.missing}."
    else:
        sentence = (
            f"{question}: at noise {noise}, sets of {strict['top']} do, with a capacity of"
            f" {said(strict['bayes_capacity'], 4)}."
        )
    title = (
        f"Privacy against utility: {found.about} (grey: {_WORDS[measure].split(' of ')[0]} {shown(target)})"
    )
    return {
        "title": question,
        "sentences": (sentence,),
        "tables": tables,
        "figures": {"frontier": lambda: Figure.of(title, limits_chart(curves()))},
    }


def _least(options: tuple[Design, ...]) -> str:
    """Say which setting leaks least, and which most."""
    most, least = options[0].record(), options[-1].record()
    return (
        f"sets of {least['top']} at noise {said(least['noise'])} leak least, with a capacity of"
        f" {said(least['bayes_capacity'])}; sets of {most['top']} at noise {said(most['noise'])} most, with"
        f" {said(most['bayes_capacity'])}. The larger the sets, the less an observation reveals."
    )


@final
@dataclass(frozen=True, eq=False)
class FittedDesign:
    """A mechanism made for some people, evaluated on all of them."""

    aim: str  # whose utility is kept up: the average user's or the worst-off user's
    api: FittedAPI  # the mechanism
    # Its Bayes capacity, and a proven lower bound on that of any mechanism that keeps to the floor.
    capacity: float
    least_capacity: float
    # The probability that what is shown is in the set, for the average and for the worst-off user.
    utility: float
    worst_utility: float
    top_ten: float  # the share of outputs that are genuine and name one of its ten most frequent topics

    def numbers(self) -> dict[str, float]:
        """Return the numbers by the names of JSON."""
        return {
            name: getattr(self, name) for name in ("capacity", "least_capacity", "utility", "worst_utility")
        }


def fitted_views(
    people: Population,
    floor: float,
    beside: Design,
    fitted: tuple[FittedDesign, ...],
    prior_gain: float,
    drawn: tuple[Array, Array] | None,
) -> dict[str, Any]:
    """Return title, sentences and table of the mechanisms that are fitted to people."""
    record, sets = beside.record(), people.distinct_sets()[0].size
    utility = float(record["utility"])
    topics = (f"Topics API, noise {said(record['noise'])}", float(record["bayes_capacity"]), None)
    mechanisms: list[tuple[Any, ...]] = [
        (f"fitted to the {each.aim}", *each.numbers().values()) for each in fitted
    ]
    rows = tuple(sorted([*mechanisms, (*topics, utility, utility)], key=lambda row: row[1]))
    share = max(each.top_ten for each in fitted)
    caveat = (
        "This utility rewards always naming popular topics: naming the most popular one without any"
        f" observation is right for {probability(prior_gain)} of users, and up to {probability(share)} of the"
        " outputs of these"
        " mechanisms name one of ten topics. They fit these people only."
    )
    sampled = "" if drawn is None else f" (the average user's on {drawn[0].shape[0]})"
    title = f"Mechanisms with a utility of {shown(floor)}, the one that leaks least first"
    notes = (
        f"Fitted on {many(sets, 'distinct set')}{sampled}, evaluated on {many(people.n_users, 'user')}.",
        "'at least' is a proven lower bound for any mechanism that keeps up this utility.",
    )
    columns = ("mechanism", "capacity", "at least", "utility", "worst-off user's utility")
    return {
        "title": title,
        "sentences": (
            f"At a utility of {probability(floor)} the mechanism {rows[0][0]} leaks least, with a capacity of"
            f" {said(rows[0][1])}; the Topics API has {said(record['bayes_capacity'])}.",
            caveat,
        ),
        "heading": people_words(people),
        "tables": {
            "mechanisms": Table(title, columns, rows, notes, styles=dict.fromkeys(columns[3:], probability))
        },
        "facts": {"caveat": caveat},
    }
