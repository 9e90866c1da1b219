"""The question which outputs of an API expose most, and which values of an attribute they reveal."""

from collections.abc import Iterator
from math import isclose
from typing import Any

import numpy as np

from quiff.apis.base import Api
from quiff.apis.naming import naming_columns
from quiff.core.numbers import filled
from quiff.errors import SizeError, how_many
from quiff.measures.inference import exposing_outputs, inferences, sums_of_members
from quiff.people.members import masses, members, single_weights
from quiff.people.population import Population
from quiff.results.figures.charts import Axis, Record, bars
from quiff.results.layout import Chart, Get, Layout, Pivot, entry
from quiff.results.numbers import many, probability, said
from quiff.results.result import Result
from quiff.results.rows import Row, Rows, rows_of
from quiff.results.small_cells import large_cells
from quiff.studies.attributes import NOTES, NUMBERS, change, changes, having, inference_rows
from quiff.studies.study import Findings, study
from quiff.studies.words import goal_of_value

_MOST = 200_000  # outputs of an API
_KEPT = 1000  # of them, where the table does not list more
_DRAWN = 20  # of them in a figure


# Outputs


def _outputs_said(result: Result) -> Iterator[str]:
    outputs, words = result.payload["outputs"], result.words
    if not outputs:
        yield f"{words['api']}: {words['left_out']}" if words["left_out"] else ""
        return
    most, least = outputs[0], words["least_exposing"]
    name = f"{words['api']}: {words['among']}"
    again = f"multiplying the probability by {said(_factor(most, result))}"
    first, last = probability(most["posterior"]), probability(least["posterior"])
    if isclose(most["posterior"], least["posterior"]):
        yield f"{name}all outputs expose alike: one re-identifies the user with {first}, {again}."
        return
    behind = f"{words['of_users']} {'have what it names' if words['naming'] else 'can show it'}"
    yield (
        f"{name}the output {str(most['output'])!r} exposes most: it re-identifies the user with {first},"
        f" {again}; {probability(most['share'])} {behind}."
    )
    yield (
        f"The output {str(least['output'])!r} exposes least, with {last}; {probability(least['share'])}"
        f" {behind}."
    )


def _factor(output: dict[str, Any], result: Result) -> Any:
    return output["posterior"] / (result.rows["prior"] or 1)


def _outputs_notes(result: Result) -> Iterator[str]:
    words, first, listed = result.words, result.words["first"], result.words.get("outputs")
    if not listed:  # then there is no table
        return
    yield (
        "The probability of re-identification, max_x P(x | y), is that after the output; without any it is"
        f" {probability(result.rows['prior'] or 0)}, and the factor is their ratio."
    )
    behind = "have the value that it names" if words["naming"] else "can show it"
    yield f"The users behind an output are those who {behind}; the mean own risk is theirs."
    if words["rest"] > 1e-12 and not words["left_out"]:
        rest = probability(words["rest"])
        yield f"Outputs that name nothing that users have make the rest of the vulnerability, {rest}."
    yield words["left_out"]
    if first is not None and first < listed:
        yield f"The first {first} of {listed} outputs, and the last."
    yield words["by_weight"]


def _outputs(result: Result) -> list[Record]:
    """Return the outputs that expose most, and the one that exposes least, of which a sentence speaks."""
    listed: list[Record] = result.payload["outputs"][: result.words["first"]]
    least = result.words.get("least_exposing")
    return listed if least is None or least in listed else [*listed, least]


OUTPUTS = Pivot(
    "Which outputs expose most: {api}, {users}",
    records=_outputs,
    columns={
        "output": "output",
        "users behind it": ("share", probability),
        "re-identified": "posterior",
        "factor": _factor,
        "share of vulnerability": (
            lambda output, result: output["contribution"] / (result.rows["posterior"] or 1),
            probability,
        ),
        "mean own risk": ("own_risk", probability),
    },
    notes=(_outputs_notes,),
    labels=("output",),
)


# Values of an attribute


def _values(result: Result) -> list[Rows]:
    """Return the rows of each value, the one about which an output says most first."""
    return [rows for (goal,), rows in result.rows.by("goal").items() if goal != "user"]


def _value(rows: Rows, result: Result) -> str:
    return str(rows.rows[0].goal.removeprefix(goal_of_value(result.words["attribute"], "")))


def _values_said(result: Result) -> Iterator[str]:
    api, attribute, values = result.words["api"], result.words["attribute"], _values(result)
    if not values:
        return
    most, listed = values[0], many(len(values), "value")
    telling = sum((rows["leakage"] or 0) > 1 + 1e-12 for rows in values)
    if telling:
        yield (
            f"{api}: one observation leaks something about {said(telling)} of {listed} of {attribute},"
            f" most about {having(attribute, _value(most, result))}: whether a user has it is guessed right"
            f" with {probability(most['goal_posterior'] or 0)} instead of"
            f" {probability(most['goal_prior'] or 0)}."
        )
    else:
        yield (
            f"{api}: one observation does not help to guess which {attribute} a user has, for none of"
            f" {listed}."
        )


def _first_values(result: Result) -> str:
    values, first = _values(result), result.words["first"]
    return f"The first {first} of {len(values)} values." if first and first < len(values) else ""


VALUES = Pivot(
    "Which values of {attribute} an output gives away: {api}, {users}",
    records=lambda result: _values(result)[: result.words["first"]],
    columns={"{attribute}": _value, "users who have it": "value_share", **NUMBERS},
    notes=(*NOTES, _first_values, "{by_weight}"),
    labels=("{attribute}",),
)


def _drawn_values(result: Result) -> list[Rows]:
    """Return the first values that an output names, or, if none does, that are guessed."""
    values = _values(result)
    return ([rows for rows in values if rows["named_posterior"] is not None] or values)[:_DRAWN]


def _probability_of(named: str, guessed: str) -> Get:
    """Return the probability of a value that an output names, or to guess right if none does."""
    return lambda rows, _: rows[guessed if rows["named_posterior"] is None else named] or 0


_BEFORE = _probability_of("value_share", "goal_prior")
_AFTER = _probability_of("named_posterior", "goal_posterior")


def _title(result: Result) -> str:
    rows = _drawn_values(result)[0]
    by = "an output" if rows["named_posterior"] is None else "an output that names it"
    before, after = (probability(entry(rows, get, result)) for get in (_BEFORE, _AFTER))
    return (
        f"{result.words['api']}: {by} raises the probability of {_value(rows, result)!r} from {before} to"
        f" {after}"
    )


LAYOUT = Layout(
    "What exposes most: {api}, {users}",
    say={"outputs": _outputs_said, "values": _values_said},
    tables={"outputs": OUTPUTS, "values": VALUES},
    charts={
        "outputs": Chart(
            "{api}: {among}{first_output} exposes most: it re-identifies with {first_posterior}",
            records=lambda result: result.payload["outputs"][:_DRAWN],
            points={
                "name": lambda output, _: str(output["output"]),
                **{name: name for name in ("posterior", "own_risk", "share")},
            },
            draw=lambda points, result: bars(
                points,
                (
                    Axis("posterior", "re-identified by the output"),
                    Axis("own_risk", "mean own risk of the users behind it"),
                    Axis("share", "users behind it", "share"),
                ),
                rule=float(result.rows["prior"] or 0),
            ),
            without="the observer knows who it is, or too few users are behind each output",
        ),
        "values": Chart(
            _title,
            records=_drawn_values,
            points=change(_value, _BEFORE, _AFTER),
            draw=lambda points, _: changes(points, "probability"),
            without="too few users have each value",
        ),
    },
)


@study(LAYOUT)
def exposure(
    people: Population, api: Api, *, attribute: str | None = None, first: int | None = 20, least: int = 1
) -> Findings:
    """Measure, for each output of an API, how far it exposes users, and which values it reveals.

    With C the channel from users to outputs and prior pi (uniform, or the users' weights), an output y lets
    the adversary re-identify the user with probability

        max_x P(x | y) = max_x pi_x C[x,y] / sum_x pi_x C[x,y],

    and adds max_x pi_x C[x,y] to the posterior Bayes vulnerability (paper, eq. posterior-vulnerability).
    Beside it stands the mean own risk (see `quiff.user_risk`) of the users behind it: those who have the
    value that the output names, if the API says that it names one, else those who can show it. For each
    value of the attribute stands how well one guesses whether the user has it, as in `attribute_inference`.

    Parameters
    ----------
    people
        The users and their attributes.
    api
        What is observed.
    attribute
        Whose values are looked at; by default the first of the people's attributes.
    first
        How many outputs and values the tables list, those that expose most; None is all.
    least
        How many users at least are behind an output, or have a value, that is listed.

    Examples
    --------
    >>> from quiff import worked_example
    >>> people, api = worked_example()
    >>> result = exposure(people, api)
    >>> [(row[0], row[2]) for row in result.tables["outputs"].rows][1:3]
    [('Travel', Fraction(97, 101)), ('Music', Fraction(97, 196))]

    Raises
    ------
    ParameterError
        If an attribute is missing or has several epochs, or people are merged and have weights.
    SizeError
        If there are more than 200,000 outputs.
    """
    ready = api.fit(people)
    C, stage = ready.channel(people), ready.name
    if C.outputs.size > _MOST:
        size = f"{C.outputs.size:,}" if C.outputs.size < 10**15 else how_many(C.outputs.size)
        raise SizeError(
            f"{api.spec!r} has {size} outputs, more than the {_MOST:,} of which those"
            " are listed that expose most; take parameters with fewer",
            what="outputs",
            value=size,
            allowed=f"at most {_MOST}",
        )
    name = attribute or next(iter(people.attributes), None)
    rows: list[Row] = []
    listed, named = None, {}
    if name is not None:
        listed = labels, codes = members(people, name)
        named = naming_columns(ready, name, labels, stage, C)
        holders = filled(np.int64(1), people.users.size) if people.counts is None else people.counts
        inferred = list(inferences(C.kernel, *listed, masses(people), named))
        having_it = sums_of_members(codes, holders, labels.size)
        large, *_ = large_cells(inferred, [int(having_it[place]) for place, _ in inferred], least)
        for place, numbers in sorted(large, key=lambda pair: -pair[1]["leakage"]):
            rows += inference_rows(api, stage, goal_of_value(name, labels[place]), numbers)
    words: dict[str, Any] = {"attribute": name, "left_out": ""}
    outputs: list[dict[str, Any]] = []
    if not ready.observer_knows_who:
        weighing = single_weights(people, [C])
        every, behind, numbers = exposing_outputs(C, *weighing, listed, named)
        outputs, few, telling = large_cells(every, behind, least)
        outputs.sort(key=lambda output: (-output["posterior"], -output["own_risk"]))
        few_users = f"{many(few, 'output')} with fewer than {least} users behind{telling} are not listed."
        among = f"of the outputs with {least} users or more behind them, " if few else ""
        words |= {
            "naming": bool(named),
            "outputs": len(outputs),
            "least_exposing": outputs[-1] if outputs else None,
            "first_output": repr(str(outputs[0]["output"])) if outputs else "",
            "first_posterior": probability(outputs[0]["posterior"]) if outputs else "",
            "rest": 1 - sum(output["contribution"] for output in outputs) / numbers["posterior"],
            "left_out": few_users if few else "",
            "among": "of the outputs that are listed, " if telling else among,
        }
        rows += rows_of(api, numbers, stage=stage, goal="user", prior="population")
    most = None if first is None else max(first, _KEPT)
    return Findings(rows, words=words, payload={"outputs": outputs[:most]})
