"""Each user's own risk after one observation, stage by stage."""

from quiff.apis.base import Api, stages_of
from quiff.core.channel import Channel
from quiff.core.compose import parallel
from quiff.core.numbers import product
from quiff.measures.distribution import Distribution
from quiff.measures.own_risk import own_risk
from quiff.populations.members import single_weights
from quiff.populations.population import Population


def stage_risks(
    people: Population, api: Api, known: Channel | None = None
) -> dict[str, tuple[Distribution, Distribution]]:
    """Return how own risks and worst posteriors are distributed over users after each stage of an API.

    `known` is what the adversary already knows, as a channel on users.

    Examples
    --------
    >>> from quiff import worked_example
    >>> own, worst = stage_risks(*worked_example())["topics"]
    >>> own.mean, worst.quantile(1)
    (Fraction(13, 20), 0.9603960396039604)
    """
    channels = stages_of(api, people)
    weights, holders = single_weights(people, channels.values())
    mass = product(weights, holders)
    risks = {}
    for stage, C in channels.items():
        own, worst = own_risk(C if known is None else parallel(known, C), weights, holders)
        risks[stage] = Distribution(own, mass), Distribution(worst, mass)
    return risks
