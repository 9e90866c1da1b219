"""How it is shown which outputs of an API expose most, and which values of an attribute they give away."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any, final

from quiff.apis.base import Api
from quiff.core.numbers import Number
from quiff.populations.population import Population
from quiff.results.distribution import of_users
from quiff.results.figures.charts import Axis, bars
from quiff.results.figures.figure import Figure
from quiff.results.numbers import probability, said
from quiff.results.table import Table
from quiff.results.views.attributes import Inference, change_figure, values_sentence, values_table
from quiff.results.views.names import many

_MOST = 1000  # outputs and values in JSON
_DRAWN = 20  # of them in a figure


@final
@dataclass(frozen=True)
class ExposingOutput:
    """What one output says about who the user is."""

    output: Hashable  # the output
    share: Number  # the share of users behind it: who have the value that it names, or can show it
    posterior: Number  # the probability of re-identification by it, max_x P(x | y)
    contribution: Number  # what it adds to the posterior vulnerability, max_x pi_x C[x,y]
    own_risk: Number  # the mean own risk of the users behind it, over all their outputs


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
    worst: Number  # the largest probability of re-identification by an output, also by one that is not listed
    left_out: str = ""  # how many are not listed, for few users are behind them
    among: str = ""  # and of which ones the first is the one that exposes most


def exposure_views(
    people: Population,
    api: Api,
    attribute: str | None,
    outputs: Outputs | None,
    values: Sequence[Inference],
    first: int | None,
) -> dict[str, Any]:
    """Return title, sentences, tables, figures and facts."""
    about = f"{api.title}, {many(people.n_users, 'user')}"
    weighted = people.weights is not None
    by_weight = ("Users count as much as their weight.",) if weighted else ()
    sentences, tables, figures = [], {}, {}
    facts: dict[str, Any] = {"api": api.spec, "users": people.n_users}
    if outputs is not None and not outputs.listed:
        sentences.append(f"{api.title}: {outputs.left_out}")
    elif outputs is not None:
        sentences += _sentences(api.title, outputs, of_users(weighted))
        tables["outputs"] = _table(f"Which outputs expose most: {about}", outputs, first, by_weight)
        first_of = outputs.listed[0]
        most = (
            f"{outputs.among}{str(first_of.output)!r} exposes most: it re-identifies with "
            f"{probability(first_of.posterior)}"
        )
        figures["outputs"] = lambda: exposure_figure(outputs, f"{api.title}: {most}")
        facts |= {"guess": outputs.guess, "vulnerability": outputs.vulnerability}
        facts |= {"outputs": list(outputs.listed[:_MOST])}
    if attribute is not None and values:
        title = f"Which values of {attribute} an output gives away: {about}"
        named = [
            (str(one.value), one.share, one.given_named) for one in values if one.given_named is not None
        ]
        guessed = [(str(one.value), one.prior, one.posterior) for one in values]
        sentences.append(values_sentence(api.title, attribute, values))
        tables["values"] = values_table(title, attribute, values, first, by_weight)
        shown = (named or guessed)[:_DRAWN]
        value, before, after = shown[0]
        says = "an output that names it" if named else "an output"
        change = (
            f"{api.title}: {says} raises the probability of {value!r} from {probability(before)} to "
            f"{probability(after)}"
        )
        figures["values"] = lambda: change_figure(shown, ("before", "after"), "probability", change)
        facts |= {"attribute": attribute, "values": [one.to_dict() for one in values[:_MOST]]}
    return {
        "title": f"What exposes most: {about}",
        "sentences": tuple(sentences),
        "tables": tables,
        "figures": figures,
        "facts": {"exposure": facts},
    }


def _table(title: str, outputs: Outputs, first: int | None, by_weight: tuple[str, ...]) -> Table:
    behind = "have the value that it names" if outputs.naming else "can show it"
    rest = 1 - sum(each.contribution for each in outputs.listed) / outputs.vulnerability
    rest = 0 if outputs.left_out else rest  # of those that are left out too
    notes = [
        f"The probability of re-identification, max_x P(x | y), is that after the output; without any it is "
        f"{probability(outputs.guess)}, and the factor is their ratio.",
        f"The users behind an output are those who {behind}; the mean own risk is theirs.",
    ]
    if rest > 1e-12:
        notes.append(
            f"Outputs that name nothing that users have make the rest of the vulnerability,"
            f" {probability(rest)}."
        )
    if outputs.left_out:
        notes.append(outputs.left_out)
    if first is not None and first < len(outputs.listed):
        notes.append(f"The first {first} of {len(outputs.listed)} outputs.")
    return Table.of(
        title,
        outputs.listed[:first],
        {
            "output": "output",
            "users behind it": "share",
            "re-identified": "posterior",
            "factor": lambda each: each.posterior / outputs.guess,
            "share of vulnerability": lambda each: each.contribution / outputs.vulnerability,
            "mean own risk": "own_risk",
        },
        notes=(*notes, *by_weight),
        labels=("output",),
        styles=dict.fromkeys(("users behind it", "share of vulnerability", "mean own risk"), probability),
    )


def _sentences(name: str, outputs: Outputs, whose: str) -> list[str]:
    most, least = outputs.listed[0], outputs.listed[-1]
    again = f"multiplying the probability by {said(most.posterior / outputs.guess)}"
    if isclose(most.posterior, least.posterior):
        return [
            f"{name}: {outputs.among}all outputs expose alike: one re-identifies the user with "
            f"{probability(most.posterior)}, {again}."
        ]
    behind = "have what it names" if outputs.naming else "can show it"
    return [
        f"{name}: {outputs.among}the output {str(most.output)!r} exposes most: it re-identifies the user "
        "with "
        f"{probability(most.posterior)}, {again}; {probability(most.share)} {whose} {behind}.",
        f"The output {str(least.output)!r} exposes least, with {probability(least.posterior)}; "
        f"{probability(least.share)} {whose} {behind}.",
    ]


def exposure_figure(outputs: Outputs, title: str) -> Figure:
    """Draw three bars for each output: re-identification by it, the users behind it, and their own risk."""
    names = ("posterior", "own_risk", "share")
    records = [
        {"name": str(each.output), **{name: float(getattr(each, name)) for name in names}}
        for each in outputs.listed[:_DRAWN]
    ]
    axes = (
        Axis("posterior", "re-identified by the output"),
        Axis("own_risk", "mean own risk of the users behind it"),
        Axis("share", "users behind it", "share"),
    )
    return Figure.of(title, bars(records, axes, rule=float(outputs.guess)))
