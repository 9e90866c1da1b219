"""Which settings of an API meet a budget, and which mechanism leaks least for some people: ``quiff design``.

A channel from sets to their members with v_t = max_S C[S,t] has capacity sum_t v_t, and shows a member of the
set S with probability at most min(1, v(S)), v(S) the sum of v over S; `FittedAPI` attains that. So the least
capacity at a utility floor u is a linear program in v:

- average user:    min sum_t v_t  subject to  sum_S P(S) min(1, v(S)) >= u,
- worst-off user:  min sum_t v_t  subject to  v(S) >= u for every S, that is u times the fractional hitting
  number of the sets,

and 1 where that is less. Proofs are in docs/theory/optimal-design.md.
"""

from dataclasses import asdict

import numpy as np

from quiff.apis.base import Api, checked_api, checked_people
from quiff.apis.defaults import default_apis
from quiff.apis.fitted import FittedAPI, covers
from quiff.core.numbers import Array
from quiff.errors import ParameterError
from quiff.populations.population import Population
from quiff.results.result import Result
from quiff.results.rows import Row
from quiff.results.views.design import FittedDesign, budget_views, fitted_views, shown_options
from quiff.studies.provenance import provenance, repeatable
from quiff.theory.design import Measure
from quiff.theory.parameters import Real, check_probability

_SAMPLE = 10_000
_QUANTITIES = ("bayes_capacity", "max_case_capacity", "epsilon", "utility")


@repeatable
def meet_budget(api: Api, measure: Measure, target: Real) -> Result:
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
    >>> answer.facts["strict"]["top"], float(round(answer.facts["options"][4]["noise"], 4))
    (7, 0.2878)
    >>> meet_budget(api_from("topics"), "capacity", 0.5)
    Traceback (most recent call last):
    quiff.errors.ParameterError: capacity must be a number of at least 1, not 0.5; the nearest possible is 1
    """
    api = checked_api(api)
    found, curves = api.designs(measure, target)
    listed = [each for each in (found.strict, found.nearest, *shown_options(found)) if each is not None]
    rows = [
        Row(each.spec(), api.unit, "", "", "", 1, name, value, method="formula", scope="all")
        for each in dict.fromkeys(listed)
        for name, value in each.record().items()
        if name in _QUANTITIES
    ]
    own = api.parameters()
    return Result(
        rows=tuple(rows),
        notes=(found.missing,) if found.missing else (),
        facts={
            "api": api.spec,
            **own,
            "measure": measure,
            "target": target,
            "strict": found.strict and found.strict.record(),
            "nearest": found.nearest and found.nearest.record(),
            "optimality": " ".join(found.notes[1:]),
            "options": [option.record() for option in found.options],
        },
        provenance=provenance(None, [api]),
        **budget_views(found, measure, target, own, curves),
    )


@repeatable
def fit_design(
    people: Population, utility: Real, api: Api | None = None, *, sample: int = _SAMPLE, seed: int = 0
) -> Result:
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
    >>> [(fitted["aim"], round(fitted["capacity"], 6)) for fitted in design.facts["fitted"]]
    [('average user', 1.0), ('worst-off user', 1.0)]
    >>> FittedAPI(design.facts["fitted"][0]["weights"]).channel(people).outputs
    Labels('Music'; 1)

    Raises
    ------
    ParameterError
        If the utility is no probability, or is out of the reach of the API.
    """
    from quiff.studies.covering import fractional_cover, partial_cover

    people = checked_people(people)
    api = default_apis(people)[-1] if api is None else checked_api(api)
    u = float(check_probability("utility", utility))
    if u == 0:
        raise ParameterError("utility must be above 0; an output that is never right needs no mechanism")
    beside = api.at_utility(u)
    sets, _ = people.distinct_sets()
    codes, share = np.asarray(sets.codes), people.set_counts() / people.n_users
    drawn = _sampled(share, sample, seed)
    average, low = partial_cover(codes, len(sets.topics), share, u, drawn)
    worst, hitting = fractional_cover(codes, len(sets.topics))
    fitted = (
        _evaluated("average user", average, max(1.0, low), people),
        _evaluated("worst-off user", worst * u, max(1.0, u * hitting), people),
    )
    rows = [
        *(
            Row(beside.spec(), api.unit, "", "", "", 1, name, value, method="formula", scope="all")
            for name, value in beside.record().items()
            if name in _QUANTITIES
        ),
        *(
            Row(each.api.spec, each.api.unit, "", "", "", 1, name, value)
            for each in fitted
            for name, value in each.numbers().items()
        ),
    ]
    views = fitted_views(people, u, beside, fitted, _prior_gain(people), drawn)
    return Result(
        rows=tuple(rows),
        notes=people.notes,
        facts={
            "users": people.n_users,
            "distinct_sets": len(sets),
            "fitted_on": len(sets) if drawn is None else int(drawn[0].shape[0]),
            "utility": u,
            "topics_api": asdict(beside),
            "fitted": [
                {
                    "aim": each.aim,
                    **each.numbers(),
                    "weights": each.api.weights,
                }
                for each in fitted
            ],
            **views.pop("facts"),
        },
        provenance=provenance(people, [api], seed),
        **views,
    )


def _evaluated(aim: str, weights: Array, low: float, people: Population) -> FittedDesign:
    """Make a mechanism of weights by topic, and evaluate it on everybody."""
    sets, _ = people.distinct_sets()
    total = weights.sum()
    if total < 1:  # something must be shown anyway: more weight costs nothing up to a capacity of 1
        weights = weights + (1 - total) * _most_popular(people, weights.shape[0])
    weights = np.minimum(weights, 1.0)
    api = FittedAPI(dict(zip(sets.topics, weights.tolist(), strict=True)))
    genuine = api.genuine(people)
    share = people.set_counts() / people.n_users
    outputs = np.zeros(weights.shape[0])
    inside = share * np.minimum(1.0, 1.0 / np.maximum(covers(weights, sets.codes), 1e-300))
    np.add.at(outputs, np.asarray(sets.codes), inside[:, np.newaxis])
    top_ten = float(np.sort(outputs * weights)[-10:].sum())
    return FittedDesign(
        aim, api, api.capacity(people), low, float(share @ genuine), float(genuine.min()), top_ten
    )


def _most_popular(people: Population, n_members: int) -> Array:
    """Return weight 1 for the topic that most users have."""
    sets, _ = people.distinct_sets()
    users = np.bincount(
        np.asarray(sets.codes).ravel(), np.repeat(people.set_counts(), sets.codes.shape[1]), n_members
    )
    return np.asarray((np.arange(n_members) == users.argmax()).astype(float))


def _prior_gain(people: Population) -> float:
    """Return the share of users who have the most popular topic: what always naming it earns."""
    sets, _ = people.distinct_sets()
    weights = _most_popular(people, len(sets.topics))
    return float((people.set_counts() / people.n_users) @ covers(weights, sets.codes))


def _sampled(share: Array, most: int, seed: int) -> tuple[Array, Array] | None:
    """Draw users, and return the positions and shares of their sets; None if all sets can be seen."""
    if share.shape[0] <= most:
        return None
    drawn = np.random.default_rng(seed).choice(share.shape[0], most, p=share)
    seen, counts = np.unique(drawn, return_counts=True)
    return seen, counts / most
