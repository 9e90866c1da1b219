"""What is known for each number of observations of one person: leakage, each user's risk, utility."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import inf, log
from typing import final

import numpy as np

from quiff.apis.base import Api
from quiff.core.channel import Channel
from quiff.core.kernels import MapKernel
from quiff.core.labels import as_labels
from quiff.core.numbers import Number
from quiff.epochs.composed import Composed
from quiff.epochs.counted import Counted, Known, Method, Watched
from quiff.epochs.plan import plan_epochs
from quiff.epochs.sequences import Sequences, changing
from quiff.epochs.utility import MOST_NAMING
from quiff.errors import SizeError, counted
from quiff.measures.distribution import Distribution
from quiff.measures.own_risk import own_risk
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability
from quiff.populations.groups import grouped
from quiff.populations.population import Population
from quiff.theory.parameters import Real, follow

_FEW = 20_000_000  # numbers of a channel that are looked at one by one for each user's risk


def seen_of(
    people: Population, api: Api, n: int, exact: bool, utility: bool, known: tuple[str, ...]
) -> Counted | Composed:
    """Return what is seen over time: counted where the channel has the structure for it, else composed."""
    if known:
        return Composed.of(people, api, exact=exact).knowing(known)
    sets = Sequences.recognised(people, api)
    if sets is None:
        return Composed.of(people, api, exact=exact)
    return Counted(sets, plan_epochs(sets, n, exact=exact, utility=utility))


@final
@dataclass(frozen=True)
class LeakageAfter:
    """What is known of the leakage of n observations: the number, its interval, and certain bounds."""

    n: int
    leakage: Number
    low: Number
    high: Number
    at_least: Number
    at_most: Number
    method: Method
    bound: Real  # from the parameters alone
    limit: Number  # if the secrets themselves were observed
    epsilon: Number | None  # None where it takes too long
    max_case_capacity: Number | None


def leakages_over_time(
    seen: Counted | Composed, people: Population, api: Api, E: int, seed: int, watched: Watched
) -> Iterator[LeakageAfter]:
    """Yield what is known of the leakage for each number of observations."""
    known = ordered(dict(seen.leakages(E, seed, watched)))
    bounds = parameters_bounds(api, people, E)
    for n in range(1, E + 1):
        numbers, method = known[n]
        epsilon, capacity = seen.worst_case(n) or (None, None)
        yield LeakageAfter(n, *numbers, method, bounds[n - 1], seen.limit(n), epsilon, capacity)


def month_posterior(people: Population, api: Api, n: int, seed: int) -> tuple[Number, Number, Number, Method]:
    """Return the probability of re-identification by n observations, its interval and how it was computed.

    Raises
    ------
    SizeError
        If it would take too long.
    """
    seen = seen_of(people, api, n, False, False, ())
    seen.check()
    (leakage, low, high, _, _), method = ordered(dict(seen.leakages(n, seed, lambda _: None)))[n]
    return leakage * seen.prior, low * seen.prior, high * seen.prior, method


def ordered(found: dict[int, Known]) -> dict[int, Known]:
    """Let what is certain of one number of observations bound the others, and cut the intervals to it.

    Leakage never falls with more observations: who has n + 1 can leave the last one out and guess as by n, so
    that the best guess is right no less often. So for n <= E, L_n <= L_E: a lower bound on L_n is one on L_E,
    and an upper bound on L_E is one on L_n.
    """
    rising = sorted(found)
    least = dict(zip(rising, accumulate((found[n][0][3] for n in rising), max), strict=True))
    falling = rising[::-1]
    most = dict(zip(falling, accumulate((found[n][0][4] for n in falling), min), strict=True))
    cut = dict(found)
    for n, (row, method) in found.items():
        if isinstance(row[0], float) and len(set(row)) == 1:  # exact up to rounding
            cut[n] = ((float(least[n]),) * 5, method)
        elif len(set(row)) > 1:  # else it is a fraction
            leakage, low, high = row[:3]
            at_most = float(most[n])
            at_least = min(float(least[n]), at_most)  # more only by rounding
            low, high = (min(max(end, at_least), at_most) for end in (low, high))
            cut[n] = ((min(max(leakage, low), high), low, high, at_least, at_most), method)
    return cut


def parameters_bounds(api: Api, people: Population, most: int) -> list[Real]:
    """Return the most that 1, 2, ... observations can leak by closed forms: min(N, secrets, capacity^n).

    Independent observations leak at most the product of their capacities. No leakage exceeds the number of
    users, nor, where secrets are stable, the capacity of a stage that is a map: the number of secrets.

    Examples
    --------
    >>> from quiff import Population, api_from
    >>> people = Population.synthetic(1000, seed=1)
    >>> [round(bound, 2) for bound in parameters_bounds(api_from("topics").fit(people), people, 2)]
    [66.36, 1000.0]
    """
    limits = {limit.stage: limit.value for limit in api.limits() if limit.quantity == "bayes_capacity"}
    capacity = limits.pop("", inf)
    bound: Real = Fraction(people.n_users)
    if limits and not changing(people, api):
        secrets = api.secret(people).outputs
        few = as_labels([secrets[place] for place in range(min(2, secrets.size))])
        maps = [name for name, C in api.stages(few).items() if isinstance(C.kernel, MapKernel)]
        bound = min([bound, *(limits[name] for name in maps if name in limits)])

    def after(n: int) -> Real:
        times = 1 if api.redraws == "nothing" else n
        if capacity == inf or times * log(capacity) > log(bound) + 1:  # spares a power that may not fit
            return bound if capacity == inf else follow(bound, capacity)
        return follow(min(bound, capacity**times), capacity)

    return [after(n) for n in range(1, most + 1)]


def risk_over_time(
    seen: Counted | Composed, people: Population, n: int, watched: Watched
) -> Distribution | None:
    """Return how the risk is spread over users after n observations; None if it is too much work.

    Users count as much as they weigh, so that the mean is the posterior vulnerability.
    """
    if isinstance(seen, Counted):
        risk = seen.risk(n, watched(f"risk, {counted(n, 'observation')}"))
        if risk is None:
            return None
        users = np.ones(risk.shape[0], dtype=np.int64) if people.counts is None else people.counts
        return Distribution(risk, users if people.weights is None else people.weights)
    C, groups = seen.channel(n), seen.groups
    work = C.kernel.n_rows * C.kernel.n_columns * (100 if C.exact else 1)  # fractions take longer
    if C.kernel.as_sparse() is None and work > _FEW:
        return None
    if people.weights is None:
        users = groups.counts
        return Distribution(own_risk(C, np.minimum(users, 1), users)[0], users)
    users = np.ones(people.users.size, dtype=np.int64)
    mine = Channel.from_kernel(people.users, C.outputs, C.kernel.take_rows(groups.which))
    return Distribution(own_risk(mine, people.weights, users)[0], people.weights)


def goals_over_time(
    seen: Counted | Composed, people: Population, api: Api, E: int, watched: Watched
) -> tuple[dict[str, list[Number]], tuple[str, ...]]:
    """Return what a receiver learns by 0, 1, ... observations, goal by goal, and notes.

    The most observations come first: if their numbers do not fit a machine word, it is told at once.
    """
    if not api.needs:
        return {}, ()
    if changing(people, api):
        return {}, ("What a receiver learns is known for stable attributes only: there is no one secret.",)
    most = seen.most_learned if isinstance(seen, Counted) else min(E, MOST_NAMING)
    secret = api.secret(people)
    if not most or not isinstance(secret.kernel, MapKernel):
        return {}, ("What a receiver learns is not measured, for it takes too long or too much memory.",)
    law, which = grouped(people, secret).prior, np.asarray(secret.kernel.codes)
    found: dict[str, list[Number]] = {}
    notes: list[str] = []
    for goal, gain in {**api.goals(secret.outputs), "secret": None}.items():
        fast = isinstance(seen, Counted) and (gain is None or seen.names_an_output(gain, which))
        backwards: list[Number] = []
        try:
            for n in range(most, -1, -1):
                if isinstance(seen, Counted) and fast:
                    told = watched(f"{goal}, {counted(n, 'observation')}")
                    backwards.append(seen.learned(gain is None, n, told))
                elif n == 0:
                    backwards.append(vulnerability(law, gain))
                else:
                    C = api.over_time(secret.outputs, 1 if api.redraws == "secret" else n)
                    backwards.append(posterior_vulnerability(law, C, gain))
        except SizeError as error:
            if fast:
                raise
            notes.append(f"What a receiver learns of {goal!r} is not measured: {error}")
        else:  # more observations never tell less: what falls is rounding
            found[goal] = list(accumulate(reversed(backwards), max))
    return found, tuple(notes)
