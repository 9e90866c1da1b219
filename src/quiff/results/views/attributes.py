"""How it is shown what observations say about whether the user has one value of an attribute."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from quiff.apis.base import Api
from quiff.core.numbers import Number
from quiff.populations.population import Population
from quiff.results.figures.charts import Axis, marks
from quiff.results.figures.figure import Figure
from quiff.results.numbers import probability, said
from quiff.results.table import Table
from quiff.results.views.names import api_names, many, stage_names

_NUMBERS = {
    "before": "prior",
    "after": "posterior",
    "leakage": "leakage",
    "added": "added",
    "has it, if named": "given_named",
    "has it, if not": "given_other",
}
_STYLES = dict.fromkeys(("before", "after", "users who have it", *list(_NUMBERS)[4:]), probability)
_NOTES = (
    "Before and after an output: the probability to guess right whether the user has it.",
    "Leakage is their ratio, added their difference (Bayes vulnerability of one bit; paper, Sec. 2.3).",
)


@final
@dataclass(frozen=True)
class Inference:
    """What the outputs of a stage say about whether the user has one value of an attribute."""

    value: Hashable  # the value, or the topic of the set
    share: Number  # the probability that a user has it
    # The probability to guess right whether the user has it, before and after the output.
    prior: Number
    posterior: Number
    # The probability that the user has it if the output names it, and if not; None if there is no such
    # output.
    given_named: Number | None
    given_other: Number | None

    @property
    def leakage(self) -> Number:
        """By how much the output multiplies the probability of a right guess."""
        return self.posterior / self.prior

    @property
    def added(self) -> Number:
        """What the output adds to the probability of a right guess."""
        return self.posterior - self.prior

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by plain names, for JSON."""
        return {name: getattr(self, name) for name in ("value", "share", *_NUMBERS.values())}


def inference_views(
    people: Population,
    apis: Mapping[str, Api],
    attribute: str,
    inferred: Mapping[tuple[str, str], Inference],
) -> dict[str, Any]:
    """Return title, sentences, table, figure and facts on one value; `inferred` is by spec and stage."""
    names, titles = stage_names(apis, inferred), api_names(apis)
    one = next(iter(inferred.values()))
    what, weight = _having(attribute, one.value), "" if people.weights is None else " by weight"
    title = (
        f"Does the user have {what}? Of {many(people.n_users, 'user')} {probability(one.share)}{weight} do"
    )
    stages: dict[str, dict[str, Inference]] = {}
    for (spec, stage), row in inferred.items():
        stages.setdefault(spec, {})[stage] = row
    records = [{"observed": names[key], **row.to_dict()} for key, row in inferred.items()]
    return {
        "title": title,
        "sentences": tuple(
            _sentence(titles[spec], what, list(some.values())[-1]) for spec, some in stages.items()
        ),
        "tables": {
            "inference": Table.of(
                title, records, {"observed": "observed", **_NUMBERS}, notes=_NOTES, styles=_STYLES
            )
        },
        "figures": {
            "inference": lambda: change_figure(
                [(names[key], row.prior, row.posterior) for key, row in inferred.items()],
                ("before", "after"),
                "probability to guess right whether the user has it",
                f"Does the user have {what}?",
            )
        },
        "facts": {
            "inference": {
                "attribute": attribute,
                "value": one.value,
                "share": one.share,
                "stages": {
                    spec: {stage: row.to_dict() for stage, row in some.items()}
                    for spec, some in stages.items()
                },
            }
        },
    }


def _sentence(name: str, what: str, row: Inference) -> str:
    text = (
        f"{name}: whether a user has {what} is guessed right with {probability(row.posterior)}, against "
        f"{probability(row.prior)} before."
    )
    if row.given_named is None:
        return text
    return (
        f"{text} A user of whom it is observed has it with {probability(row.given_named)}, against "
        f"{probability(row.share)} before."
    )


def values_table(
    title: str, attribute: str, values: Sequence[Inference], first: int | None, notes: tuple[str, ...]
) -> Table:
    """Return the values of an attribute about which an output says most."""
    columns = {attribute: "value", "users who have it": "share", **_NUMBERS}
    cut = (f"The first {first} of {len(values)} values.",) if first and first < len(values) else ()
    return Table.of(
        title, values[:first], columns, notes=(*_NOTES, *cut, *notes), labels=(attribute,), styles=_STYLES
    )


def values_sentence(name: str, attribute: str, values: Sequence[Inference]) -> str:
    """Say about how many values an output says something, and about which most."""
    telling, most = sum(one.leakage > 1 + 1e-12 for one in values), values[0]
    if not telling:
        return (
            f"{name}: one observation does not help to guess which {attribute} a user has, for none of "
            f"{many(len(values), 'value')}."
        )
    return (
        f"{name}: one observation leaks something about {said(telling)} of "
        f"{many(len(values), 'value')} of {attribute}, most about {_having(attribute, most.value)}: "
        f"whether a user has it is guessed right with {probability(most.posterior)} instead of "
        f"{probability(most.prior)}."
    )


def _having(attribute: str, value: Hashable) -> str:
    return repr(str(value)) if attribute == "topics" else f"{attribute} {str(value)!r}"


def change_figure(
    rows: Sequence[tuple[str, Number, Number]], kinds: tuple[str, str], across: str, title: str
) -> Figure:
    """Draw for each name a line from what is known before an output to what is known after.

    Examples
    --------
    >>> change_figure([("News", 0.2, 0.9)], ("before", "after"), "probability", "Who has a topic").title
    'Who has a topic'
    """
    records = [
        {"name": name, "kind": kind, "value": float(value)}
        for name, *pair in rows
        for kind, value in zip(kinds, pair, strict=True)
    ]
    return Figure.of(title, marks(records, Axis("value", across, "probability"), kinds, joined=True))
