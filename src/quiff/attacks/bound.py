"""The most that any attack can achieve that matches each target alone: V after as many reports."""

from dataclasses import dataclass
from typing import Literal, final

from quiff.apis.base import Api
from quiff.apis.topics import TopicsAPI
from quiff.errors import ParameterError
from quiff.people.population import Population
from quiff.weeks.estimate import hybrid_leakage, sampled_vulnerabilities
from quiff.weeks.exact import exact_vulnerability, exact_work
from quiff.weeks.sequences import Sequences

_EXACT, _QUICK = 3, 40 * 10**9  # reports that are counted; more would take longer than the attacks


@final
@dataclass(frozen=True)
class Bound:
    """A posterior Bayes vulnerability, exact or estimated."""

    reports: int  # of how many epochs the adversary has a report
    value: float  # the probability that the best adversary re-identifies a user
    # The ends of a 95 % interval; the value itself where it is exact.
    low: float
    high: float
    method: Literal["exact", "hybrid", "monte-carlo"]  # hybrid: partly sampled


def attack_bound(population: Population, api: Api, reports: int, seed: int = 0) -> Bound:
    """Return the posterior Bayes vulnerability of so many reports, all users being equally probable.

    An adversary who knows everybody's profile and makes the best use of a target's reports succeeds with
    this probability (paper, Sec. 4.1, and its longitudinal model). Whoever sees reports instead of profiles
    on the other side knows no more, so that no attack on one target at a time can exceed it but by sampling
    error.

    After E calls a site has reports of E + 2 epochs, if the first one shows three.

    >>> people = Population.from_sets({"Alice": {"Art", "Music"}, "Bob": {"News", "Music"}})
    >>> found = attack_bound(people, TopicsAPI(n_topics=4, top_s=2, noise=0.2), 1)
    >>> round(found.value, 6), found.method
    (0.7, 'exact')
    """
    if not isinstance(api, TopicsAPI):
        raise ParameterError(
            f"this bound is for topics, not for {api.title}; use attack(people, api)",
            what="api",
            value=api.spec,
            allowed="an API on topics",
        )
    sequences = Sequences.of(population.replaced(weights=None), api)
    if reports <= _EXACT and exact_work(sequences, reports)[0] <= _QUICK:
        value = float(exact_vulnerability(sequences, reports))
        return Bound(reports, value, value, value, "exact")
    if sequences.stable:
        found = hybrid_leakage(sequences, reports, seed)
        prior = float(sequences.prior)
        low, high = (min(prior * end, 1.0) for end in (found.low, found.high))
        return Bound(reports, min(prior * found.value, 1.0), low, high, "hybrid")
    estimate = sampled_vulnerabilities(sequences, reports, seed)[-1]
    return Bound(reports, estimate.value, estimate.low, estimate.high, "monte-carlo")
