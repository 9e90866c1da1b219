"""The question what is known of APIs from their parameters alone: closed forms, behind ``quiff theory``."""

from typing import Any

from quiff.apis.base import Api, Limit, all_limits, checked_api
from quiff.apis.defaults import DEFAULT
from quiff.errors import ParameterError
from quiff.results.result import Result
from quiff.results.rows import Row
from quiff.results.views.theory import forms_views
from quiff.studies.provenance import provenance, repeatable
from quiff.theory.forms import ClosedForms
from quiff.theory.parameters import Real, check_probability

_ALWAYS = ("bayes_capacity", "epsilon", "max_case_capacity", "shannon_capacity_bits")


@repeatable
def closed_forms(*apis: Api, prior_success: Real = 0.01, **scenario: Any) -> Result:
    """Evaluate the closed forms of some APIs; no people are needed.

    Of every API these are the limits of one observation, and the bound on adversaries with side information.
    The Topics API knows more: cookies beside it, its stages, many epochs, utility and counting.

    Parameters
    ----------
    apis
        The APIs; by default the Topics API.
    prior_success
        The probability P with which an adversary succeeds before an observation, at whatever goal.
    **scenario
        For the Topics API: users, epochs, sites and more (see `quiff.theory.forms.Scenario.of`).

    Examples
    --------
    >>> forms = closed_forms()
    >>> round(forms["topics", "bayes_capacity"], 2), round(forms["topics", "epsilon"], 3)
    (66.36, 7.191)
    >>> from quiff import worked_example
    >>> closed_forms(worked_example()[1], occurring=4, n_users=3)["topics_posterior"]
    Fraction(13, 20)

    Raises
    ------
    ParameterError
        If a parameter lies outside its range, or an API has no use for it.
    """
    chosen = tuple(map(checked_api, apis)) or (DEFAULT,)
    specs = [api.spec for api in chosen]
    if len(set(specs)) < len(specs):
        raise ParameterError(f"the API {specs[0]!r} is there twice; name each once")
    P = check_probability("prior_success", prior_success)
    found = [(api, all_limits(api, P), _known(api, P, scenario)) for api in chosen]
    facts = [_facts(api, limits, forms) for api, limits, forms in found]
    return Result(
        rows=tuple(row for api, limits, forms in found for row in _rows(api, limits, forms)),
        facts=facts[0] if len(facts) == 1 else {"apis": facts},
        provenance=provenance(None, chosen),
        **forms_views(found),
    )


def _known(api: Api, P: Real, scenario: dict[str, Any]) -> ClosedForms | None:
    own = type(api).closed_forms is not Api.closed_forms
    return api.closed_forms(**({"prior_success": P} if own else {}), **scenario)


def _rows(api: Api, limits: tuple[Limit, ...], forms: ClosedForms | None) -> list[Row]:
    blank = (api.spec, api.unit)
    if forms is not None:
        return [
            Row(*blank, "", "", "", 1, quantity, value, method="formula", scope="all")
            for quantity, value in forms.values.items()
        ]
    return [
        Row(*blank, limit.stage, "", "", 1, limit.quantity, limit.value, method="formula", scope="all")
        for limit in limits
    ]


def _facts(api: Api, limits: tuple[Limit, ...], forms: ClosedForms | None) -> dict[str, Any]:
    """Return the closed forms of one API by the names of JSON."""
    last = {limit.quantity: limit for limit in limits if not limit.stage}
    always = {name: last[name].value if name in last else None for name in _ALWAYS}
    facts = {"api": api.spec, "parameters": api.parameters(), **always}
    if forms is None:
        from quiff.results.quantities import QUANTITIES

        about = {
            name: {
                "unit": QUANTITIES[name].unit,
                "formula": limit.formula,
                "meaning": QUANTITIES[name].meaning,
                "source": limit.source,
                "assumes": limit.assumes or "nothing",
            }
            for name, limit in last.items()
        }
        return {**facts, **{name: limit.value for name, limit in last.items()}, "about": about}
    from quiff.theory.forms import FORMS

    return {
        **facts,
        **forms.parameters,
        **forms.values,
        "counting": list(forms.counting()),
        "about": {name: FORMS[name].about() for name in forms.values},
    }
