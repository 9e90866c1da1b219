"""The question how much an observation says about one value of an attribute, such as having a topic."""

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import numpy as np

from quiff.apis.base import Api, stages_of
from quiff.apis.naming import naming_columns
from quiff.core.numbers import Number
from quiff.core.sparse import SparseRows
from quiff.measures.inference import inference
from quiff.people.members import masses, members
from quiff.people.population import Population
from quiff.results.figures.charts import Axis, Record, marks
from quiff.results.layout import Cell, Chart, Fields, Get, Layout, Pivot, Say, label
from quiff.results.numbers import probability
from quiff.results.result import Result
from quiff.results.rows import Row, Rows, rows_of
from quiff.studies.study import Findings, study
from quiff.studies.words import goal_of_value, value_words


def having(attribute: str, value: str) -> str:
    """Return a value of an attribute as the user has it, in words."""
    return repr(value) if attribute == "topics" else f"{attribute} {value!r}"


def _named(rows: Rows, _: Result) -> dict[str, str]:
    if rows["named_posterior"] is None:
        return {"named": ""}
    named, share = (probability(rows[name] or 0) for name in ("named_posterior", "value_share"))
    return {"named": f" A user of whom it is observed has it with {named}, against {share} before."}


NUMBERS: Mapping[str, Cell] = {
    "before": "goal_prior",
    "after": "goal_posterior",
    "leakage": "leakage",
    "added": "added",
    "has it, if named": "named_posterior",
    "has it, if not": "unnamed_posterior",
}
NOTES: tuple[str, ...] = (
    "Before and after an output: the probability to guess right whether the user has it.",
    "Leakage is their ratio, added their difference (Bayes vulnerability of one bit; paper, Sec. 2.3).",
)
_TITLE = "Does the user have {what}? Of {users} {share}{by} do"


def change(name: Get, before: Get, after: Get) -> tuple[Fields, Fields]:
    """Return the two points of a line from what is known before an output to what is known after."""
    start, end = ({"name": name, "kind": label(kind)} for kind in ("before", "after"))
    return {**start, "value": before}, {**end, "value": after}


def changes(points: list[Record], across: str) -> Any:
    """Return for each name a line from what is known before an output to what is known after."""
    return marks(points, Axis("value", across, "probability"), ("before", "after"), joined=True)


LAYOUT = Layout(
    _TITLE,
    say={
        "inference": Say(
            "{api}: whether a user has {what} is guessed right with {goal_posterior}, against {goal_prior}"
            " before.{named}",
            by=("api",),
            last=True,
            words=_named,
        )
    },
    tables={"inference": Pivot(_TITLE, by=("api", "stage"), columns=NUMBERS, notes=NOTES)},
    charts={
        "inference": Chart(
            "Does the user have {what}?",
            by=("api", "stage"),
            points=change("stage", "goal_prior", "goal_posterior"),
            draw=lambda points, _: changes(points, "probability to guess right whether the user has it"),
        )
    },
)


@study(LAYOUT)
def attribute_inference(
    people: Population, *apis: Api, attribute: str = "topics", value: Hashable
) -> Findings:
    """Measure how much each stage of some APIs says about whether the user has one value of an attribute.

    The secret is a bit b: whether the topic is in the user's set, or the attribute has the value. With
    P(b, y) the joint probability of the bit and the output y, the probability to guess the bit is max_b P(b)
    before and sum_y max_b P(b, y) after: the Bayes vulnerabilities of a secret that is correlated with the
    channel's input (paper, Sec. 2.3, unknown correlations). Their ratio is `quiff.dalenius_leakage`.

    Parameters
    ----------
    people
        The users and their attributes.
    apis
        What to measure; by default third-party cookies and the Topics API.
    attribute, value
        What is to be learnt: one of the topics, or a value of another attribute.

    Examples
    --------
    >>> from quiff import worked_example
    >>> people, api = worked_example()
    >>> people = people.with_attribute("country", ["AT", "BR", "AT"])
    >>> result = attribute_inference(people, api, value="Music")
    >>> [result[api.spec, "goal_posterior", stage] for stage in ("bounded_noise", "topics")]
    [Fraction(1, 1), Fraction(293, 300)]
    >>> attribute_inference(people, api, attribute="country", value="BR")[api.spec, "leakage"]
    Fraction(293, 200)

    Raises
    ------
    LabelError
        If no user has such a value.
    ParameterError
        If there is no such attribute, or it has several epochs.
    """
    values, codes = members(people, attribute)
    code = values.position(value, value_words(attribute))
    side = SparseRows.rectangular(
        (~(codes == code).any(axis=1)).astype(np.intp)[:, np.newaxis], np.int64(1), 2
    )
    mass = masses(people)
    rows: list[Row] = []
    for api in apis:
        ready = api.fit(people)
        for stage, C in stages_of(ready, people).items():
            with_it, without = C.kernel.left_multiply(side.scale_rows(mass))
            named = naming_columns(ready, attribute, values[code : code + 1], stage, C).get(0)
            numbers = inference(with_it, with_it + without, named, mass.sum())
            rows += inference_rows(api, stage, goal_of_value(attribute, values[code]), numbers)
    share = next((row.value for row in rows if row.quantity == "value_share"), 0)
    return Findings(
        rows,
        words={
            "value": str(values[code]),
            "what": having(attribute, str(values[code])),
            "share": probability(share),
            "by": "" if people.weights is None else " by weight",
        },
    )


def inference_rows(api: Api, stage: str, goal: str, numbers: Mapping[str, Number]) -> Iterator[Row]:
    """Return how well it is guessed whether the user has a value, without and with an output."""
    return rows_of(api, numbers, stage=stage, goal=goal, prior="population")
