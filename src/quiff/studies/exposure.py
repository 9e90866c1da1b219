"""The question which outputs of an API expose most, and which values of an attribute they reveal."""

from collections.abc import Iterator
from math import isclose
from typing import Any

import numpy as np

from quiff.apis.base import Api
from quiff.apis.inference import exposing_outputs, inferences, sums_of_members
from quiff.apis.members import masses, members, naming_columns
from quiff.core.numbers import filled
from quiff.errors import SizeError, how_many
from quiff.populations.population import Population
from quiff.results.figures.charts import Axis, bars
from quiff.results.figures.figure import Figure
from quiff.results.layout import Chart, Layout, Listing, Records
from quiff.results.numbers import probability, said
from quiff.results.result import Result
from quiff.results.rows import Row, Rows, rows_of
from quiff.results.small_cells import left_out, or_telling
from quiff.results.table import Table
from quiff.studies.attributes import (
    NOTES,
    NUMBERS,
    change,
    change_figure,
    having,
    inference_rows,
)
from quiff.studies.questions import by_weight, of_users
from quiff.studies.risk import numbers_of
from quiff.studies.study import Findings, study
from quiff.studies.words import goal_of_value, many, users

_MOST = 200_000  # outputs of an API
_KEPT = 1000  # of them, where the table does not list more
_DRAWN = 20  # of them in a figure


def _title(result: Result) -> str:
    (api,) = result.apis.values()
    return f"{api.title}, {users(result)}"


# Outputs


def _outputs_said(result: Result) -> Iterator[str]:
    (api,), outputs, words = result.apis.values(), result.payload["outputs"], result.words
    if not outputs:
        if words["left_out"]:
            yield f"{api.title}: {words['left_out']}"
        return
    most, least = outputs[0], words["least"]
    name = f"{api.title}: {words['among']}"
    again = f"multiplying the probability by {said(_factor(most, result))}"
    if isclose(most["posterior"], least["posterior"]):
        yield (
            f"{name}all outputs expose alike: one re-identifies the user with"
            f" {probability(most['posterior'])}, {again}."
        )
        return
    behind = f"{of_users(result)} {'have what it names' if words['naming'] else 'can show it'}"
    yield (
        f"{name}the output {str(most['output'])!r} exposes most: it re-identifies the user with"
        f" {probability(most['posterior'])}, {again}; {probability(most['share'])} {behind}."
    )
    yield (
        f"The output {str(least['output'])!r} exposes least, with {probability(least['posterior'])};"
        f" {probability(least['share'])} {behind}."
    )


def _factor(output: dict[str, Any], result: Result) -> Any:
    return output["posterior"] / (result.rows["prior"] or 1)


def _outputs_notes(result: Result) -> Iterator[str]:
    if not result.payload["outputs"]:  # then there is no table
        return
    words, first, listed = result.words, result.words["first"], result.words["outputs"]
    yield (
        "The probability of re-identification, max_x P(x | y), is that after the output; without any it is"
        f" {probability(result.rows['prior'] or 0)}, and the factor is their ratio."
    )
    behind = "have the value that it names" if words["naming"] else "can show it"
    yield f"The users behind an output are those who {behind}; the mean own risk is theirs."
    if words["rest"] > 1e-12 and not words["left_out"]:
        yield (
            "Outputs that name nothing that users have make the rest of the vulnerability,"
            f" {probability(words['rest'])}."
        )
    yield words["left_out"]
    if first is not None and first < listed:
        yield f"The first {first} of {listed} outputs."
    yield by_weight(result)


def _of_vulnerability(output: dict[str, Any], result: Result) -> Any:
    return output["contribution"] / (result.rows["posterior"] or 1)


OUTPUTS = Listing(
    lambda result: f"Which outputs expose most: {_title(result)}",
    lambda result: result.payload["outputs"][: result.words["first"]],
    {
        "output": "output",
        "users behind it": ("share", probability),
        "re-identified": "posterior",
        "factor": _factor,
        "share of vulnerability": (_of_vulnerability, probability),
        "mean own risk": ("own_risk", probability),
    },
    notes=(_outputs_notes,),
    labels=("output",),
)


def _exposing(result: Result, points: Records) -> Figure:
    (api,), first = result.apis.values(), points[0]
    title = (
        f"{api.title}: {result.words['among']}{str(first['output'])!r} exposes most: it re-identifies with"
        f" {probability(first['posterior'])}"
    )
    return exposure_figure(points, float(result.rows["prior"] or 0), title)


def exposure_figure(outputs: Records, guess: float, title: str) -> Figure:
    """Draw three bars for each output: re-identification by it, the users behind it, and their own risk."""
    names = ("posterior", "own_risk", "share")
    records = [
        {"name": str(output["output"]), **{name: float(output[name]) for name in names}} for output in outputs
    ]
    axes = (
        Axis("posterior", "re-identified by the output"),
        Axis("own_risk", "mean own risk of the users behind it"),
        Axis("share", "users behind it", "share"),
    )
    return Figure.of(title, bars(records, axes, rule=guess))


# Values of an attribute


def _values(result: Result) -> list[Rows]:
    """Return the rows of each value, the one about which an output says most first."""
    return [rows for (goal,), rows in result.rows.by("goal").items() if goal != "user"]


def _value(rows: Rows, result: Result) -> str:
    return str(rows.rows[0].goal.removeprefix(goal_of_value(result.words["attribute"], "")))


def _values_said(result: Result) -> Iterator[str]:
    (api,), attribute, values = result.apis.values(), result.words["attribute"], _values(result)
    if not values:
        return
    most, listed = values[0], many(len(values), "value")
    telling = sum((rows["leakage"] or 0) > 1 + 1e-12 for rows in values)
    if telling:
        yield (
            f"{api.title}: one observation leaks something about {said(telling)} of {listed} of {attribute},"
            f" most about {having(attribute, _value(most, result))}: whether a user has it is guessed right"
            f" with {probability(most['goal_posterior'] or 0)} instead of"
            f" {probability(most['goal_prior'] or 0)}."
        )
    else:
        yield (
            f"{api.title}: one observation does not help to guess which {attribute} a user has, for none of"
            f" {listed}."
        )


def _values_table(result: Result) -> Table:
    values, attribute, first = _values(result), result.words["attribute"], result.words["first"]
    cut = f"The first {first} of {len(values)} values." if first and first < len(values) else ""
    return Table.of(
        f"Which values of {attribute} an output gives away: {_title(result)}",
        values[:first],
        {attribute: lambda rows: _value(rows, result), "users who have it": "value_share", **NUMBERS},
        notes=tuple(filter(None, (*NOTES, cut, by_weight(result)))),
        labels=(attribute,),
    )


def _value_points(result: Result) -> Records:
    """Return how probable values are before and after an output names them, or guessed if none does."""
    values = _values(result)
    named = [rows for rows in values if rows["named_posterior"] is not None]
    ends = ("value_share", "named_posterior") if named else ("goal_prior", "goal_posterior")
    return [
        point
        for rows in (named or values)[:_DRAWN]
        for point in change(_value(rows, result), *(rows[end] or 0 for end in ends))
    ]


def _given_away(result: Result, points: Records) -> Figure:
    (api,), (before, after) = result.apis.values(), points[:2]
    named = result.rows["named_posterior"] is not None
    title = (
        f"{api.title}: {'an output that names it' if named else 'an output'} raises the probability of"
        f" {before['name']!r} from {probability(before['value'])} to {probability(after['value'])}"
    )
    return change_figure(points, "probability", title)


LAYOUT = Layout(
    lambda result: f"What exposes most: {_title(result)}",
    say={"outputs": _outputs_said, "values": _values_said},
    tables={"outputs": OUTPUTS, "values": _values_table},
    charts={
        "outputs": Chart(lambda result: result.payload["outputs"][:_DRAWN], _exposing),
        "values": Chart(_value_points, _given_away),
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
            " are listed that expose most; take parameters with fewer"
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
        out = left_out([int(having_it[place]) for place, _ in inferred], least)
        inferred = [pair for pair, gone in zip(inferred, out, strict=True) if not gone]
        for place, numbers in sorted(inferred, key=lambda pair: -pair[1]["leakage"]):
            rows += inference_rows(api, stage, goal_of_value(name, labels[place]), numbers)
    words: dict[str, Any] = {"attribute": name, "first": first, "left_out": ""}
    outputs: list[dict[str, Any]] = []
    if not ready.observer_knows_who:
        weighing = numbers_of(people, {stage: C})
        every, behind, numbers = exposing_outputs(C, *weighing, listed, named)
        out = left_out(behind, least)
        telling, few = or_telling(behind, out, least), sum(out)
        outputs = [output for output, gone in zip(every, out, strict=True) if not gone]
        outputs.sort(key=lambda output: (-output["posterior"], -output["own_risk"]))
        few_users = f"{many(few, 'output')} with fewer than {least} users behind{telling} are not listed."
        among = f"of the outputs with {least} users or more behind them, " if few else ""
        words |= {
            "naming": bool(named),
            "outputs": len(outputs),
            "least": outputs[-1] if outputs else None,
            "rest": 1 - sum(output["contribution"] for output in outputs) / numbers["posterior"],
            "left_out": few_users if few else "",
            "among": "of the outputs that are listed, " if telling else among,
        }
        rows += rows_of(api, numbers, stage=stage, goal="user", prior="population")
    kept = outputs if first is None else outputs[: max(first, _KEPT)]
    return Findings(rows, words=words, payload={"outputs": kept})
