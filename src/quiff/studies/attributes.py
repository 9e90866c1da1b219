"""The question how much an observation says about one value of an attribute, such as having a topic."""

from collections.abc import Hashable, Iterator, Mapping

import numpy as np

from quiff.apis.base import Api, stages_of
from quiff.apis.inference import inference
from quiff.apis.members import masses, members, naming_columns
from quiff.core.numbers import Number
from quiff.core.sparse import SparseRows
from quiff.populations.population import Population
from quiff.results.figures.charts import Axis, marks
from quiff.results.figures.figure import Figure
from quiff.results.layout import Chart, Layout, Pivot, Records, Say
from quiff.results.numbers import probability
from quiff.results.result import Result
from quiff.results.rows import Row, Rows, rows_of
from quiff.studies.study import Findings, study
from quiff.studies.words import goal_of_value, users, value_words, weighted


def having(attribute: str, value: str) -> str:
    """Return a value of an attribute as the user has it, in words."""
    return repr(value) if attribute == "topics" else f"{attribute} {value!r}"


def _what(result: Result) -> str:
    return having(result.words["attribute"], result.words["value"])


def _title(result: Result) -> str:
    share = probability(result.rows["value_share"] or 0)
    by_weight = " by weight" if weighted(result) else ""
    return f"Does the user have {_what(result)}? Of {users(result)} {share}{by_weight} do"


def _named(rows: Rows, result: Result) -> dict[str, str]:
    named, share = rows["named_posterior"], rows["value_share"]
    text = "" if named is None else (
        f" A user of whom it is observed has it with {probability(named)}, against"
        f" {probability(share or 0)} before."
    )  # fmt: skip
    return {"name": result.api_name(rows.rows[0].api), "what": _what(result), "named": text}


NUMBERS = {
    "before": "goal_prior",
    "after": "goal_posterior",
    "leakage": "leakage",
    "added": "added",
    "has it, if named": "named_posterior",
    "has it, if not": "unnamed_posterior",
}
NOTES = (
    "Before and after an output: the probability to guess right whether the user has it.",
    "Leakage is their ratio, added their difference (Bayes vulnerability of one bit; paper, Sec. 2.3).",
)


def change(name: str, before: Number, after: Number) -> Records:
    """Return the two points of a line from what is known before an output to what is known after."""
    return [
        {"name": name, "kind": kind, "value": float(value)}
        for kind, value in (("before", before), ("after", after))
    ]


def change_figure(points: Records, across: str, title: str) -> Figure:
    """Draw for each name a line from what is known before an output to what is known after.

    Examples
    --------
    >>> change_figure(change("News", 0.2, 0.9), "probability", "Who has a topic").title
    'Who has a topic'
    """
    kinds = tuple(dict.fromkeys(point["kind"] for point in points))
    return Figure.of(title, marks(points, Axis("value", across, "probability"), kinds, joined=True))


LAYOUT = Layout(
    _title,
    say={
        "inference": Say(
            "{name}: whether a user has {what} is guessed right with {goal_posterior}, against {goal_prior}"
            " before.{named}",
            by=("api",),
            last=True,
            words=_named,
        )
    },
    tables={"inference": Pivot(_title, by=("api", "stage"), columns=NUMBERS, notes=NOTES)},
    charts={
        "inference": Chart(
            lambda result: [
                point
                for key, rows in result.rows.by("api", "stage").items()
                for point in change(
                    result.stage_name(*key), rows["goal_prior"] or 0, rows["goal_posterior"] or 0
                )
            ],
            lambda result, points: change_figure(
                points,
                "probability to guess right whether the user has it",
                f"Does the user have {_what(result)}?",
            ),
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
    return Findings(rows, words={"attribute": attribute, "value": str(values[code])})


def inference_rows(api: Api, stage: str, goal: str, numbers: Mapping[str, Number]) -> Iterator[Row]:
    """Return how well it is guessed whether the user has a value, without and with an output."""
    return rows_of(api, numbers, stage=stage, goal=goal, prior="population")
