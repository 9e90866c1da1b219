"""What is known for each number of observations of one person: leakage, each user's risk, utility."""

from fractions import Fraction
from itertools import accumulate
from math import inf, log
from typing import Any

import numpy as np

from quiff.apis.base import Api
from quiff.core.channel import Channel
from quiff.core.kernels import MapKernel
from quiff.core.labels import as_labels
from quiff.core.numbers import Array, Number
from quiff.epochs.composed import Composed
from quiff.epochs.counted import Counted, Known, Watched
from quiff.epochs.plan import plan_epochs
from quiff.epochs.sequences import Sequences, changing
from quiff.epochs.utility import MOST_NAMING
from quiff.errors import SizeError, counted
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability
from quiff.populations.groups import grouped
from quiff.populations.population import Population
from quiff.results.distribution import Distribution
from quiff.studies.own_risk import own_risk
from quiff.theory.parameters import HALF, Real, follow

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


def leakages_over_time(
    seen: Counted | Composed, people: Population, api: Api, E: int, seed: int, watched: Watched
) -> list[dict[str, Any]]:
    """Return what is known of the leakage for each number of observations."""
    found = ordered(dict(seen.leakages(E, seed, watched)))
    bounds = parameters_bounds(api, people, E)
    listed = []
    for n in range(1, E + 1):
        (leakage, low, high, at_least, at_most), method = found[n]
        epsilon, capacity = seen.worst_case(n) or (None, None)
        listed.append(
            {
                "epochs": n,
                "leakage": leakage,
                "vulnerability": leakage * seen.prior,
                "method": method,
                "low": low,
                "high": high,
                "at_least": at_least,
                "at_most": at_most,
                "epsilon": epsilon,
                "max_case_capacity": capacity,
                "bound": bounds[n - 1],
                "limit": seen.limit(n),
                "distinct_profiles": seen.distinct(n),
            }
        )
    return listed


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
) -> dict[str, Any] | None:
    """Return how the risk is spread over users after n observations; None if it is too much work."""
    if isinstance(seen, Counted):
        risk = seen.risk(n, watched(f"risk, {counted(n, 'observation')}"))
        if risk is None:
            return None
        users = np.ones(risk.shape[0], dtype=np.int64) if people.counts is None else people.counts
        return _spread(n, risk, users, people.weights)
    C, groups = seen.channel(n), seen.groups
    work = C.kernel.n_rows * C.kernel.n_columns * (100 if C.exact else 1)  # fractions take longer
    if C.kernel.as_sparse() is None and work > _FEW:
        return None
    if people.weights is None:
        users = groups.counts
        return _spread(n, own_risk(C, np.minimum(users, 1), users)[0], users)
    users = np.ones(people.users.size, dtype=np.int64)
    mine = Channel.from_kernel(people.users, C.outputs, C.kernel.take_rows(groups.which))
    return _spread(n, own_risk(mine, people.weights, users)[0], users, people.weights)


def _spread(n: int, risk: Array, users: Array, weights: Array | None = None) -> dict[str, Any]:
    """Return mean, quantiles, the share above one half, and how many users these are.

    Users count as much as they weigh, so that the mean is the posterior vulnerability.
    """
    spread = Distribution(risk, users if weights is None else weights)
    quantiles = tuple(spread.quantile(percent / 100) for percent in range(101))
    return {
        "epochs": n,
        "mean": float(spread.mean),
        "median": quantiles[50],
        "p95": quantiles[95],
        "p99": quantiles[99],
        "max": quantiles[100],
        "above_half": int(users[spread.above(HALF)].sum()),
        "share_above_half": spread.share_above(HALF),
        "quantiles": quantiles,
    }


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
