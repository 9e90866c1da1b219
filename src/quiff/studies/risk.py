"""The question how exposed each user is, beyond the average one."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from quiff.apis.base import Api, checked_people, stages_of
from quiff.core.channel import Channel
from quiff.core.compose import parallel
from quiff.core.kernels import MapKernel
from quiff.core.numbers import Array, Number, filled, product, to_float
from quiff.errors import ParameterError, SizeError
from quiff.populations.groups import Groups, grouped
from quiff.populations.population import Population
from quiff.results.distribution import Distribution
from quiff.results.result import PerUser, Result
from quiff.results.rows import Row
from quiff.results.views.risk import OWN, WORST, Risks, risk_views
from quiff.studies.checked import assumed, checked_apis, given, left_out, names_of
from quiff.studies.own_risk import own_risk
from quiff.studies.provenance import provenance, repeatable
from quiff.theory.parameters import HALF, Real, check_probability

_FRACTIONS = 8  # bytes; a number that takes more is a fraction


@repeatable
def user_risk(
    people: Population,
    *apis: Api,
    known: str | Iterable[str] = (),
    threshold: Real = HALF,
    least: int = 1,
) -> Result:
    """Measure each user's own risk after each stage of some APIs.

    The adversary sees the output y, and guesses one of the users who are then most probable; ties are broken
    at random. The own risk of user x is the probability of a right guess,

        R_x = sum_y C[x,y] [x is among the best guesses for y] / (number of best guesses for y),

    so that its mean over users is the posterior Bayes vulnerability (paper, eq. posterior-vulnerability).
    The worst posterior of x is max_y P(x | y) over the outputs y that x can have. The one is a probability if
    x is the user, the other if y is the output: either may be the larger. Users are equally probable, or as
    probable as their weights say. Beside the risks stands how many users share a secret (k-anonymity).

    Of people merged to distinct sets, users with the same set are taken to be treated alike.

    Parameters
    ----------
    people
        The users and their attributes.
    apis
        What to measure; by default third-party cookies and the Topics API.
    known
        The attributes that the adversary already knows of the user: best guesses have the same values.
    threshold
        Which risk is too much: the result says how many users are above.
    least
        How many users at least a group in a table has; smaller ones are merged with the next.

    Examples
    --------
    >>> from quiff import worked_example
    >>> people, api = worked_example()
    >>> risk = user_risk(people, api)
    >>> risk[api.spec, "risk_mean"]
    Fraction(13, 20)
    >>> [risk.per_user.of(user)[api.spec, "topics", "own_risk"] for user in ("Alice", "Bob")]
    [Fraction(293, 600), Fraction(73, 75)]

    Raises
    ------
    ParameterError
        If the threshold is no probability, an attribute has several epochs, or people are merged and single
        users are needed.
    """
    people = checked_people(people)
    chosen, notes = _reidentifying(checked_apis(people, apis))
    threshold = check_probability("threshold", threshold)
    beside = names_of(known)
    side = people.channel(*beside) if beside else None
    risks = {api.spec: _risks(people, api, side) for api in chosen}
    sharing = {
        api.spec: groups for api in chosen if (groups := shared_secrets(people, api, side)) is not None
    }
    rows = [row for api in chosen for row in _rows(api, risks[api.spec], sharing.get(api.spec), threshold)]
    values = {
        (spec, stage, name): distribution.values
        for spec, stages in risks.items()
        for stage, pair in stages.items()
        for name, distribution in zip((OWN, WORST), pair, strict=True)
    }
    return Result(
        rows=tuple(rows),
        notes=(*people.notes, *notes, *given(beside), *left_out(people, apis)),
        warnings=assumed(people, chosen),
        per_user=PerUser(people.users, values),
        provenance=provenance(people, chosen),
        **risk_views(people, {api.spec: api for api in chosen}, risks, sharing, threshold, least),
    )


def shared_secrets(people: Population, api: Api, known: Channel | None = None) -> Groups | None:
    """Return users by their secret, and what is known; None if it is random, or just who the user is."""
    if not api.needs:
        return None
    try:
        secret = api.fit(people).secret(people)
    except SizeError:
        return None
    if not isinstance(secret.kernel, MapKernel):
        return None
    groups = grouped(people, secret)
    return groups if known is None else groups.knowing(known)[0]


def numbers_of(people: Population, channels: dict[str, Channel]) -> tuple[Array, Array]:
    """Return what a single user of each row weighs, and how many users each row stands for.

    The weights are fractions, or whole numbers, only where the probabilities of the channels are fractions.

    Raises
    ------
    ParameterError
        If people are merged and have weights: only their sums are known.
    """
    holders = filled(np.int64(1), people.users.size) if people.counts is None else people.counts
    weights = people.weights
    if weights is None:
        weights = filled(np.int64(1), people.users.size)
    else:
        people.check_unmerged()
    kernels = [C.kernel for C in channels.values()]
    exact = all(k.exact for k in kernels) and any(k.number_size > _FRACTIONS for k in kernels)
    return weights if exact else to_float(weights), holders


def _reidentifying(apis: tuple[Api, ...]) -> tuple[tuple[Api, ...], list[str]]:
    """Return the APIs by which users can be re-identified, and notes on the others."""
    notes, left = [], []
    for api in apis:
        if api.observer_knows_who:
            notes.append(f"{api.spec}: the observer already knows who the user is; nobody is re-identified.")
        else:
            left.append(api)
    if not left:
        raise ParameterError(f"{notes[0]} Give another API, or see attribute_inference()")
    return tuple(left), notes


def _risks(people: Population, api: Api, known: Channel | None) -> Risks:
    """Return how own risks and worst posteriors are distributed after each stage."""
    channels = stages_of(api, people)
    weights, holders = numbers_of(people, channels)
    mass = product(weights, holders)
    found = {}
    for stage, C in channels.items():
        own, worst = own_risk(C if known is None else parallel(known, C), weights, holders)
        found[stage] = Distribution(own, mass), Distribution(worst, mass)
    return found


def _rows(api: Api, risks: Risks, sharing: Groups | None, threshold: Number) -> Iterator[Row]:
    def row(stage: str, goal: str, quantity: str, value: Any) -> Row:
        return Row(api.spec, api.unit, stage, goal, "population", 1, quantity, value)

    for stage, (own, worst) in risks.items():
        yield row(stage, "user", "risk_mean", own.mean)
        for quantity, share in (("median", 0.5), ("95", 0.95), ("99", 0.99), ("max", 1.0)):
            yield row(stage, "user", f"risk_{quantity}", own.quantile(share))
        yield row(stage, "user", "users_above", own.share_above(threshold))
        yield row(stage, "user", "worst_posterior", worst.quantile(1))
    if sharing is not None:
        last = list(risks)[-1]
        yield row(last, "secret", "unique_users", sharing.unique_users)
        yield row(last, "secret", "k_anonymity", sharing.anonymity)
