"""How it is shown which outputs of an API expose most, and which values of an attribute they give away."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any, final

from quiff.apis.base import Api
from quiff.core.numbers import Number
from quiff.errors import counted
from quiff.populations.population import Population
from quiff.results.distribution import of_users
from quiff.results.figures.exposure import change_figure, exposure_figure
from quiff.results.numbers import probability, said
from quiff.results.table import Table
from quiff.results.views.attributes import Inference, values_sentence, values_table

_MOST = 1000  # outputs and values in JSON
_DRAWN = 20  # of them in a figure


@final
@dataclass(frozen=True)
class ExposingOutput:
    """What one output says about who the user is.

    Attributes
    ----------
    output
        The output.
    share
        The share of users behind it: who have the value that it names, or can show it.
    posterior
        The probability of re-identification by it, max_x P(x | y).
    contribution
        What it adds to the posterior vulnerability, max_x pi_x C[x,y].
    own_risk
        The mean own risk of the users behind it, over all their outputs.
    """

    output: Hashable
    share: Number
    posterior: Number
    contribution: Number
    own_risk: Number


@final
@dataclass(frozen=True)
class Outputs:
    """The outputs, the one that exposes most first; the guess without any, and the vulnerability by all.

    `naming` says that they name values of an attribute: then those that name none that occurs are left out.
    """

    listed: tuple[ExposingOutput, ...]
    guess: Number
    vulnerability: Number
    naming: bool

    @property
    def rest(self) -> Number:
        """What the other outputs add to the vulnerability."""
        return self.vulnerability - sum(each.contribution for each in self.listed)


def exposure_views(
    people: Population,
    api: Api,
    attribute: str | None,
    outputs: Outputs | None,
    values: Sequence[Inference],
    first: int | None,
) -> dict[str, Any]:
    """Return title, sentences, tables, figures and facts."""
    users, weighted = counted(people.n_users, "user"), people.weights is not None
    sentences, tables, figures = [], {}, {}
    facts: dict[str, Any] = {"api": api.spec, "users": people.n_users}
    if outputs is not None:
        sentences += _sentences(api.title, outputs, of_users(weighted))
        tables["outputs"] = _table(
            f"Which outputs expose most: {api.title}, {users}", outputs, first, weighted
        )
        figures["outputs"] = lambda: exposure_figure(
            [
                (str(each.output), float(each.posterior), float(each.own_risk), float(each.share))
                for each in outputs.listed[:_DRAWN]
            ],
            float(outputs.guess),
            people.n_users,
        )
        facts |= {
            "guess": outputs.guess,
            "vulnerability": outputs.vulnerability,
            "outputs": list(outputs.listed[:_MOST]),
        }
    if attribute is not None and values:
        title = f"Which values of {attribute} an output gives away: {api.title}, {users}"
        sentences.append(values_sentence(api.title, attribute, values))
        tables["values"] = values_table(title, attribute, values, first, weighted)
        figures["values"] = lambda: change_figure(
            [
                (str(one.value), float(one.share), float(one.given_named or 0))
                for one in values
                if one.given_named is not None
            ][:_DRAWN]
            or [(str(one.value), float(one.prior), float(one.posterior)) for one in values[:_DRAWN]],
            ("before", "after"),
            "probability",
            title,
        )
        facts |= {"attribute": attribute, "values": [one.to_dict() for one in values[:_MOST]]}
    return {
        "title": f"What exposes most: {api.title}, {users}",
        "sentences": tuple(sentences),
        "tables": tables,
        "figures": figures,
        "facts": {"exposure": facts},
    }


def _table(title: str, outputs: Outputs, first: int | None, weighted: bool) -> Table:
    rows = tuple(
        (
            each.output,
            each.share,
            each.posterior,
            each.posterior / outputs.guess,
            each.contribution / outputs.vulnerability,
            each.own_risk,
        )
        for each in outputs.listed[:first]
    )
    behind = "have the value that it names" if outputs.naming else "can show it"
    notes = [
        f"The probability of re-identification, max_x P(x | y), is that after the output; without any it is "
        f"{probability(outputs.guess)}, and the factor is their ratio.",
        f"The users behind an output are those who {behind}; the mean own risk is theirs.",
    ]
    if outputs.rest > 1e-12 * outputs.vulnerability:
        rest = probability(outputs.rest / outputs.vulnerability)
        notes.append(f"Outputs that name nothing that users have make the rest of the vulnerability, {rest}.")
    if weighted:
        notes.append("Users count as much as their weight.")
    if len(rows) < len(outputs.listed):
        notes.append(f"The first {len(rows)} of {len(outputs.listed)} outputs.")
    columns = (
        "output",
        "users behind it",
        "re-identified",
        "factor",
        "share of vulnerability",
        "mean own risk",
    )
    return Table(title, columns, rows, tuple(notes), ("output",))


def _sentences(name: str, outputs: Outputs, whose: str) -> list[str]:
    most, least = outputs.listed[0], outputs.listed[-1]
    factor = said(most.posterior / outputs.guess)
    if isclose(most.posterior, least.posterior):
        return [
            f"{name}: all outputs expose alike: one re-identifies the user with "
            f"{probability(most.posterior)}, {factor} times as probably as a guess."
        ]
    behind = "have what it names" if outputs.naming else "can show it"
    return [
        f"{name}: the output {str(most.output)!r} exposes most: it re-identifies the user with "
        f"{probability(most.posterior)}, {factor} times as probably as a guess; {probability(most.share)} "
        f"{whose} {behind}.",
        f"The output {str(least.output)!r} exposes least, with {probability(least.posterior)}; "
        f"{probability(least.share)} {whose} {behind}.",
    ]
