"""Which settings of an API meet a budget, and which mechanism leaks least for some people: ``quiff design``.

A channel from sets to their members with v_t = max_S C[S,t] has capacity sum_t v_t, and shows a member of the
set S with probability at most min(1, v(S)), v(S) the sum of v over S; `FittedAPI` attains that. So the least
capacity at a utility floor u is a linear program in v:

- average user:    min sum_t v_t  subject to  sum_S P(S) min(1, v(S)) >= u,
- worst-off user:  min sum_t v_t  subject to  v(S) >= u for every S, that is u times the fractional hitting
  number of the sets,

and 1 where that is less. Proofs are in docs/theory/optimal-design.md.
"""

from collections.abc import Iterator
from dataclasses import asdict, replace
from operator import itemgetter
from typing import Any, cast

import numpy as np

from quiff.apis.base import Api
from quiff.apis.fitted import FittedAPI, most_popular_share, sampled_sets
from quiff.apis.topics import topics_only
from quiff.errors import ParameterError
from quiff.people.population import Population
from quiff.results.figures.charts import Record
from quiff.results.layout import Chart, Layout, Pivot, Say, text_of
from quiff.results.numbers import many, probability, said, shown
from quiff.results.result import Result
from quiff.results.rows import CLOSED, Row, rows_of
from quiff.results.table import Table
from quiff.studies.study import Findings, registered_api, study
from quiff.studies.theory import limits_chart
from quiff.theory.design import Design, Designs, Measure
from quiff.theory.parameters import Real, check_probability

_SAMPLE = 10_000
_QUANTITIES = ("bayes_capacity", "max_case_capacity", "epsilon", "utility")
_NUMBERS = ("capacity", "least_capacity", "utility", "worst_utility")
_WORDS: dict[Measure, str] = {
    "capacity": "a Bayes capacity of at most",
    "epsilon": "an epsilon of at most",
    "max_case": "a max-case capacity of at most",
    "utility": "a utility of at least",
}
_FEWEST_ROWS = 10
_MOST_ROWS = 20
_QUESTION = "{about}, {what} {aimed}"


def _tables(result: Result) -> dict[str, Table]:
    """Return the settings that do, and those for each size; by a floor of utility the latter come first."""
    question, words = text_of(_QUESTION, result), result.words
    heads = {head: itemgetter(place) for place, head in enumerate(words["headings"], start=1)}
    named = {"strictly": result.payload["strict"], "nearest": result.payload["nearest"]}
    options = [(None, *design.values()) for design in result.payload["options"][: words["listed"]]]
    rest = len(result.payload["options"]) - words["listed"]
    more = [f"... and {rest} larger sets; --json lists all."] if rest else []
    by_utility = words["measure"] == "utility"
    answer = Table.of(
        f"{question}, at noise {words['at_noise']}: the smallest set that does, and the nearest",
        [(name, *design.values()) for name, design in named.items() if design is not None],
        {"": itemgetter(0), **heads},
        notes=(words["missing"],) if words["missing"] else (),
    )
    sizes = Table.of(
        f"{question}: for each size of the sets, the noise that does",
        options[::-1] if by_utility else options,  # what leaks least comes first
        heads,
        notes=(*more, *words["notes"]),
    )
    return {"options": sizes, "answer": answer} if by_utility else {"answer": answer, "options": sizes}


def _sentence(result: Result) -> str:
    """Say which setting does, or by a floor of utility which one leaks least and which most."""
    question, noise = text_of(_QUESTION, result), result.words["at_noise"]
    strict, options = result.payload["strict"], result.payload["options"]
    if result.words["measure"] == "utility":
        most, least = options[0], options[-1]
        return (
            f"{question}: sets of {least['top']} at noise {said(least['noise'])} leak least, with a capacity"
            f" of {said(least['bayes_capacity'])}; sets of {most['top']} at noise {said(most['noise'])} most,"
            f" with {said(most['bayes_capacity'])}. The larger the sets, the less an observation reveals."
        )
    if strict is None:
        return f"With {question} at noise {noise}: none, {result.words['missing']}."
    capacity = said(strict["bayes_capacity"], 4)
    return f"{question}: at noise {noise}, sets of {strict['top']} do, with a capacity of {capacity}."


def _frontier(points: list[Record], result: Result) -> Any:
    api = topics_only(cast("Api", registered_api(points[0]["spec"], result)), "a search for settings")
    _, lines = api.designs(result.words["measure"], result.words["target"])
    return limits_chart(lines())


@study(
    Layout(
        _QUESTION,
        say={"answer": _sentence},
        tables={"answer": _tables},
        charts={
            "frontier": Chart(
                "Privacy against utility: {about} (grey: {grey} {aimed})",
                records=lambda result: [s for s in result.apis if registered_api(s, result) is not None],
                points={"spec": lambda spec, _: spec},
                draw=_frontier,
                without="the API is none of the registry",
            )
        },
    )
)
def meet_budget(api: Api, measure: Measure, target: Real) -> Findings:
    """Find the settings of an API that keep to a target.

    Parameters
    ----------
    api
        The API, whose taxonomy stays. At its noise, the smallest sets that keep to the target are found, and
        the nearest.
    measure, target
        A budget for ``"capacity"``, ``"epsilon"`` or ``"max_case"``, or a floor for ``"utility"``.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range, or nothing meets the target; the message names the
        nearest target that can be met.

    Examples
    --------
    >>> from quiff import api_from
    >>> answer = meet_budget(api_from("topics"), "capacity", 50)
    >>> answer.payload["strict"]["top"], float(round(answer.payload["options"][4]["noise"], 4))
    (7, 0.2878)
    >>> meet_budget(api_from("topics"), "capacity", 0.5)
    Traceback (most recent call last):
    quiff.errors.ParameterError: capacity must be a number of at least 1, not 0.5; the nearest possible is 1
    """
    designs, _ = topics_only(api, "a search for settings").designs(measure, target)
    listed = _listed(designs)
    answers = [design for design in (designs.strict, designs.nearest) if design is not None]
    return Findings(
        (
            row
            for design in dict.fromkeys((*answers, *designs.options[:listed]))
            for row in _closed_rows(design, api)
        ),
        notes=(designs.missing,) if designs.missing else (),
        words={
            "about": designs.about,
            "what": _WORDS[measure],
            "grey": _WORDS[measure].split(" of ")[0],
            "aimed": shown(target),
            "at_noise": shown(api.parameters()["noise"]),
            "headings": list(designs.headings),
            "missing": designs.missing or "",
            "notes": list(designs.notes),
            "listed": listed,
        },
        payload={
            "strict": designs.strict and designs.strict.record(),
            "nearest": designs.nearest and designs.nearest.record(),
            "options": [design.record() for design in designs.options],
        },
    )


def _closed_rows(design: Design, api: Api) -> Iterator[Row]:
    numbers = {name: value for name, value in design.record().items() if name in _QUANTITIES}
    return (replace(row, api=design.spec()) for row in rows_of(api, numbers, **CLOSED))


def _listed(designs: Designs) -> int:
    """Return how many options a terminal shows: one more than the answers need, if that is few."""
    answers = [design for design in (designs.strict, designs.nearest) if design is not None]
    places = [designs.options.index(design) + 2 for design in answers if design in designs.options]
    sizes = [int(design.record()["top"]) + 1 for design in answers]
    return min(max([_FEWEST_ROWS, *places, *sizes]), _MOST_ROWS, len(designs.options))


def _mechanisms(result: Result) -> list[tuple[Any, ...]]:
    """Return each mechanism by name, with capacities and utilities, the one that leaks least first."""
    beside = result.payload["topics_api"]
    capacity, utility = beside["bayes_capacity"], beside["utility"]
    topics = (f"Topics API, noise {said(beside['noise'])}", capacity, None, utility, utility)
    fitted = [
        (f"fitted to the {entry['aim']}", *(entry[name] for name in _NUMBERS))
        for entry in result.payload["fitted"]
    ]
    return sorted([*fitted, topics], key=lambda line: line[1])


def _least(result: Result) -> str:
    (name, capacity, *_), beside = _mechanisms(result)[0], result.payload["topics_api"]
    return (
        f"At a utility of {probability(result.words['utility'])} the mechanism {name} leaks least, with a"
        f" capacity of {said(capacity)}; the Topics API has {said(beside['bayes_capacity'])}."
    )


_FITTED = "Mechanisms with a utility of {written}, the one that leaks least first"


@study(
    Layout(
        _FITTED,
        say={
            "least": _least,
            "caveat": Say(
                "This utility rewards always naming popular topics: naming the most popular one without any"
                " observation is right for {guess} of users, and up to {top_ten} of the outputs of these"
                " mechanisms name one of ten topics. They fit these people only."
            ),
        },
        tables={
            "mechanisms": Pivot(
                _FITTED,
                records=_mechanisms,
                columns={
                    "mechanism": 0,
                    "capacity": 1,
                    "at least": 2,
                    "utility": (3, probability),
                    "worst-off user's utility": (4, probability),
                },
                notes=(
                    "Fitted on {sets}, evaluated on {users}.",
                    "'at least' is a proven lower bound for any mechanism that keeps up this utility.",
                ),
            )
        },
        heading="{people}",
    )
)
def fit_design(
    people: Population, utility: Real, api: Api | None = None, *, sample: int = _SAMPLE, seed: int = 0
) -> Findings:
    """Find the mechanisms of least capacity for some people at a utility floor.

    Parameters
    ----------
    people
        Whom the mechanism is for, with topic sets. All users count the same; weights are not used.
    utility
        The floor u: the probability that what is shown is in the set, for the average user and for everybody.
    api
        What it is compared with at the same utility; by default the Topics API.
    sample
        For the average user, how many sets to fit on at most; where there are more, the sets of that many
        users drawn at random. The answer is always evaluated on everybody, with a proven lower bound.
    seed
        Of the sample.

    Examples
    --------
    >>> people = Population.from_sets({"Alice": {"Music", "News"}, "Bob": {"Music", "Travel"}})
    >>> design = fit_design(people, 0.9)
    >>> [(fitted["aim"], round(fitted["capacity"], 6)) for fitted in design.payload["fitted"]]
    [('average user', 1.0), ('worst-off user', 1.0)]
    >>> FittedAPI(design.payload["fitted"][0]["weights"]).channel(people).outputs
    Labels('Music'; 1)

    Raises
    ------
    ParameterError
        If the utility is no probability, or is out of the reach of the API.
    """
    from quiff.measures.covering import fractional_cover, partial_cover  # which load scipy

    api = cast("Api", api)  # filled in by @study
    u = float(check_probability("utility", utility))
    if u == 0:
        raise ParameterError(what="utility", value=utility, allowed="above 0")
    beside: Design = topics_only(api, "a search for mechanisms").at_utility(u)
    sets, _ = people.distinct_sets()
    codes, share = np.asarray(sets.codes), people.set_counts() / people.n_users
    drawn = sampled_sets(share, sample, seed)
    average, low = partial_cover(codes, len(sets.topics), share, u, drawn)
    worst, hitting = fractional_cover(codes, len(sets.topics))
    fitted = {
        "average user": (FittedAPI.of_weights(average, people), max(1.0, low)),
        "worst-off user": (FittedAPI.of_weights(worst * u, people), max(1.0, u * hitting)),
    }
    numbers = {aim: mechanism.evaluated(low, people) for aim, (mechanism, low) in fitted.items()}
    return Findings(
        (
            *_closed_rows(beside, api),
            *(
                row
                for aim, (mechanism, _) in fitted.items()
                for row in rows_of(mechanism, {name: getattr(numbers[aim], name) for name in _NUMBERS})
            ),
        ),
        words={
            "drawn": None if drawn is None else int(drawn[0].shape[0]),
            "utility": u,
            "written": shown(u),
            "sets": many(len(share), "distinct set")
            + ("" if drawn is None else f" (the average user's on {drawn[0].shape[0]})"),
            "prior_gain": most_popular_share(people),
            "guess": probability(most_popular_share(people)),
            "top_ten": probability(max(number.top_ten for number in numbers.values())),
        },
        payload={
            "topics_api": beside.record(),
            "fitted": [
                {"aim": aim, **asdict(numbers[aim]), "weights": dict(mechanism.weights)}
                for aim, (mechanism, _) in fitted.items()
            ],
        },
        seed=seed,
    )
