"""How it is shown what observations say about whether the user has one value of an attribute."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from quiff.apis.base import Api
from quiff.core.numbers import Number
from quiff.errors import counted
from quiff.populations.population import Population
from quiff.results.figures.exposure import change_figure
from quiff.results.numbers import probability, said
from quiff.results.table import Table
from quiff.results.views.names import stage_names

_COLUMNS = ("before", "after", "leakage", "added", "has it, if named", "has it, if not")
_NOTES = (
    "Before and after an output: the probability to guess right whether the user has it.",
    "Leakage is their ratio, added their difference (Bayes vulnerability of one bit; paper, Sec. 2.3).",
)


@final
@dataclass(frozen=True)
class Inference:
    """What the outputs of a stage say about whether the user has one value of an attribute.

    Attributes
    ----------
    value
        The value, or the topic of the set.
    share
        The probability that a user has it.
    prior, posterior
        The probability to guess right whether the user has it, before and after the output.
    given_named, given_other
        The probability that the user has it if the output names it, and if not; None if there is no such
        output.
    """

    value: Hashable
    share: Number
    prior: Number
    posterior: Number
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

    @property
    def cells(self) -> tuple[Number | None, ...]:
        """The numbers as cells of a table."""
        return (self.prior, self.posterior, self.leakage, self.added, self.given_named, self.given_other)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by plain names, for JSON."""
        names = ("value", "share", "prior", "posterior", "leakage", "added", "given_named", "given_other")
        return {name: getattr(self, name) for name in names}


def goal_of_value(attribute: str, value: Hashable) -> str:
    """Return the goal to guess whether the user has a value, as rows name it.

    Examples
    --------
    >>> goal_of_value("topics", 15), goal_of_value("country", "BR")
    ('topics: 15', 'country: BR')
    """
    return f"{attribute}: {value}"


def inference_views(
    people: Population,
    apis: Mapping[str, Api],
    attribute: str,
    inferred: Mapping[tuple[str, str], Inference],
) -> dict[str, Any]:
    """Return title, sentences, table, figure and facts on one value; `inferred` is by spec and stage."""
    stages: dict[str, list[str]] = {}
    for spec, stage in inferred:
        stages.setdefault(spec, []).append(stage)
    names = stage_names(apis, stages)
    one = next(iter(inferred.values()))
    what, weight = _having(attribute, one.value), "" if people.weights is None else " by weight"
    users, share = counted(people.n_users, "user"), probability(one.share)
    title = f"Does the user have {what}? Of {users} {share}{weight} do"
    rows = tuple((names[key], *row.cells) for key, row in inferred.items())
    last = {spec: inferred[spec, some[-1]] for spec, some in stages.items()}
    sentences = []
    for spec, row in last.items():
        sentences.append(
            f"{names[spec, stages[spec][-1]]}: whether a user has {what} is guessed right with "
            f"{probability(row.posterior)}, against {probability(row.prior)} before."
        )
        if row.given_named is not None:
            sentences[-1] += (
                f" A user of whom it is observed has it with {probability(row.given_named)}, against "
                f"{probability(row.share)} before."
            )
    return {
        "title": title,
        "sentences": tuple(sentences),
        "tables": {"inference": Table(title, ("seen", *_COLUMNS), rows, _NOTES)},
        "figures": {
            "inference": lambda: change_figure(
                [(names[key], float(row.prior), float(row.posterior)) for key, row in inferred.items()],
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
                    spec: {stage: inferred[spec, stage].to_dict() for stage in some}
                    for spec, some in stages.items()
                },
            }
        },
    }


def values_table(
    title: str, attribute: str, values: Sequence[Inference], first: int | None, weighted: bool
) -> Table:
    """Return the values of an attribute about which an output says most."""
    rows = tuple((one.value, one.share, *one.cells) for one in values[:first])
    notes = list(_NOTES)
    if len(rows) < len(values):
        notes.append(f"The first {len(rows)} of {len(values)} values.")
    if weighted:
        notes.append("Users count as much as their weight.")
    return Table(title, (attribute, "users who have it", *_COLUMNS), rows, tuple(notes), (attribute,))


def values_sentence(name: str, attribute: str, values: Sequence[Inference]) -> str:
    """Say about how many values an output says something, and about which most."""
    telling = sum(one.leakage > 1 + 1e-12 for one in values)
    if not telling:
        return (
            f"{name}: one observation does not help to guess which {attribute} a user has, for none of "
            f"{counted(len(values), 'value')}."
        )
    most = values[0]
    return (
        f"{name}: one observation leaks something about {said(telling)} of "
        f"{counted(len(values), 'value')} of {attribute}, most about {_having(attribute, most.value)}: "
        f"whether a user has it is guessed right with {probability(most.posterior)} instead of "
        f"{probability(most.prior)}."
    )


def _having(attribute: str, value: Hashable) -> str:
    return repr(str(value)) if attribute == "topics" else f"{attribute} {str(value)!r}"
