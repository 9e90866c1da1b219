"""The question what the reports of several epochs give away."""

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import TypeAlias

import numpy as np

from quiff.apis.calls import EpochLaw, TopicGroups, linked_sites
from quiff.apis.topics import TopicsAPI
from quiff.core.counting.subsets import Subsets
from quiff.core.counting.work import MOST_CHANGING, Progress
from quiff.core.numbers import Array, Number
from quiff.epochs.estimate import certain_bracket, hybrid_leakage, sampled_vulnerabilities
from quiff.epochs.exact import exact_vulnerability, stable_leakages
from quiff.epochs.extremes import worst_case
from quiff.epochs.plan import Plan, plan_epochs
from quiff.epochs.risk import user_risk
from quiff.epochs.sequences import Sequences
from quiff.epochs.utility import naming_gain, reconstruction
from quiff.errors import ParameterError, SizeError, counted
from quiff.populations.population import Population
from quiff.results.distribution import Distribution
from quiff.results.epoch_figures import CallFigures, EpochFigures, LinkFigures, RiskSpread, UtilityFigures
from quiff.results.epochs import EpochsResult
from quiff.theory.epochs import epochs_bound
from quiff.theory.parameters import HALF, check_whole

StepProgress: TypeAlias = Callable[[str, float], None]


def leakage_over_epochs(
    population: Population,
    api: TopicsAPI,
    epochs: int,
    *,
    seed: int = 0,
    exact: bool = False,
    utility: bool = False,
    progress: StepProgress | None = None,
) -> EpochsResult:
    """Measure what the reports of 1, ..., E epochs give away about who the user is.

    Up to four epochs are counted exactly, five where sets are stable and users equally likely; more are
    estimated with an interval of 95 %. Beyond the paper, whose appendix on the longitudinal model composes
    the channels of the epochs in parallel, as is done here. Where sets are stable and users equally likely,
    the result also has what one call of the API gives away, and how well two sites link a user. Where some
    users have topics that were filled in at random, it has the same figures without these users.

    Parameters
    ----------
    population
        The users. With sets for several epochs these are taken; with one, sets stay the same. Its weights,
        if it has some, are the prior on users.
    api
        The parameters of the Topics API.
    epochs
        E, the largest number of epochs.
    seed
        The same seed gives the same estimates.
    exact
        Whether to count exactly whatever it takes, and to begin whatever the plan says.
    utility
        Whether to find out what an advertiser learns over up to three epochs, too, where sets are stable.
    progress
        Called with the name of a step and the share of it that is done.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Population, TopicsAPI
    >>> sets = {"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}, "Carol": {"Music", "News"}}
    >>> api = TopicsAPI(n_topics=5, top_s=2, noise=Fraction(1, 20))
    >>> found = leakage_over_epochs(Population.from_sets(sets), api, 2)
    >>> [row.leakage for row in found.epochs]
    [Fraction(39, 20), Fraction(3919, 2000)]
    >>> round(found.risk.mean, 6), round(found.risk.max, 6)  # Bob is alone with his set
    (0.653167, 0.973267)
    >>> float(found.call.leakage), round(float(found.link.leakage), 6)  # one call, and two sites
    (1.96881, 1.902682)

    Raises
    ------
    ParameterError
        If there are not so many epochs, or the sets are not of the size that the API has.
    SizeError
        If it would take too long or too much memory, and `exact` does not say to begin anyway.
    """
    E, seed = check_whole("epochs", epochs, 1), check_whole("seed", seed, 0)
    sequences = Sequences.of(population, api)
    plan = plan_epochs(sequences, E, exact=exact, utility=utility)
    if not exact:
        plan.check()
    watched = _watched(progress)
    learned = _utility(sequences, plan, watched)
    found = _ordered(dict(_figures(sequences, plan, seed, watched)))
    rows = tuple(_row(sequences, api, plan, n, found[n]) for n in range(1, E + 1))
    risks = tuple(
        _spread(sequences, n, watched(f"risk, {counted(n, 'epoch')}")) for n in range(1, plan.risk_epochs + 1)
    )
    call, link = _sites(population, api, sequences, plan)
    people = population.first_epochs(E)
    genuine, left = _genuine(people, api, E, seed, exact, progress)
    return EpochsResult(
        sequences.n_users,
        api.n_topics,
        api.top_s,
        api.noise,
        1 / sequences.prior,
        sequences.stable,
        sequences.weights is not None,
        rows,
        risks,
        call,
        link,
        learned,
        (*population.notes, *_notes(sequences, plan, utility), *left),
        plan.explained(),
        people.filled,
        genuine,
    )


def _genuine(
    people: Population, api: TopicsAPI, E: int, seed: int, exact: bool, progress: StepProgress | None
) -> tuple[EpochsResult | None, tuple[str, ...]]:
    """Return the figures of the users without filled topics if these are some of the users, and notes."""
    filled = people.filled
    if filled is None or not filled.filled_sets or not filled.genuine_users:
        return None, ()
    named = None if progress is None else lambda name, share: progress(f"whole sets: {name}", share)
    try:
        return leakage_over_epochs(people.genuine(), api, E, seed=seed, exact=exact, progress=named), ()
    except (ParameterError, SizeError) as error:  # nobody of them has a weight, or they change the plan
        return None, (f"The users without filled topics are not measured: {error}",)


_Found: TypeAlias = tuple[Number, Number, Number, Number, Number]


def _watched(progress: StepProgress | None) -> Callable[[str], Progress | None]:
    """Return how to tell the progress of a step by its name."""
    if progress is None:
        return lambda _name: None
    return lambda name: lambda share: progress(name, share)


def _figures(
    sequences: Sequences, plan: Plan, seed: int, watched: Callable[[str], Progress | None]
) -> Iterator[tuple[int, _Found]]:
    """Yield leakage, low, high and what is certain for each number of epochs by itself."""
    by_method: dict[str, list[int]] = {}
    for step in plan.steps:
        by_method.setdefault(step.method, []).append(step.epochs)
    for E, leakage in _exact(sequences, by_method.get("exact", []), watched):
        limit = sequences.limit(E)
        yield E, (min(leakage, float(limit)) if isinstance(leakage, float) else leakage,) * 5
    if hybrid := by_method.get("hybrid"):
        codes = sequences.profiles(1).codes[0]
        subsets = Subsets.of(codes, sequences.width, sequences.per_row + 1)
        for E in hybrid:
            found = hybrid_leakage(
                sequences, E, seed, subsets=subsets, progress=watched(f"hybrid, {counted(E, 'epoch')}")
            )
            low, high = certain_bracket(sequences, E, subsets)
            yield E, (found.value, found.low, found.high, low, min(high, float(sequences.limit(E))))
    if sampled := by_method.get("monte-carlo"):
        estimates = sampled_vulnerabilities(
            sequences, max(sampled), seed, progress=watched(f"monte-carlo, {counted(max(sampled), 'epoch')}")
        )
        prior = float(sequences.prior)
        for E in sampled:
            v = estimates[E - 1].times(1 / prior)
            yield E, (v.value, v.low, v.high, 1.0, float(sequences.limit(E)))


def _exact(
    sequences: Sequences, epochs: list[int], watched: Callable[[str], Progress | None]
) -> Iterator[tuple[int, Number]]:
    plain = sequences.stable and sequences.weights is None
    for E in epochs:
        if not plain or E < MOST_CHANGING:
            yield (
                E,
                exact_vulnerability(sequences, E, watched(f"exact, {counted(E, 'epoch')}")) / sequences.prior,
            )
    if plain and epochs and max(epochs) >= MOST_CHANGING:
        most = max(epochs)
        leakages = stable_leakages(sequences, most, watched(f"exact, {counted(most, 'epoch')}"))
        yield from ((E, leakages[E - 1]) for E in epochs if E >= MOST_CHANGING)


def _ordered(found: dict[int, _Found]) -> dict[int, _Found]:
    """Let what is certain of one number of epochs bound the others, and cut the intervals to it.

    Leakage never falls with more epochs: who has the reports of E + 1 epochs can leave the last one out and
    guess as by E, so that the best guess is right no less often. So for n <= E, L_n <= L_E: a lower bound on
    L_n is one on L_E, and an upper bound on L_E is one on L_n.
    """
    least = dict(zip(sorted(found), accumulate((found[E][3] for E in sorted(found)), max), strict=True))
    falling = sorted(found, reverse=True)
    most = dict(zip(falling, accumulate((found[E][4] for E in falling), min), strict=True))
    cut = dict(found)
    for E, row in found.items():
        if isinstance(row[0], float) and len(set(row)) == 1:  # exact up to rounding
            cut[E] = (float(least[E]),) * 5
        elif len(set(row)) > 1:  # else it is a fraction
            leakage, low, high = row[:3]
            at_most = float(most[E])
            at_least = min(float(least[E]), at_most)  # more only by rounding
            low, high = (min(max(end, at_least), at_most) for end in (low, high))
            cut[E] = min(max(leakage, low), high), low, high, at_least, at_most
    return cut


def _row(sequences: Sequences, api: TopicsAPI, plan: Plan, E: int, found: _Found) -> EpochFigures:
    leakage, low, high, at_least, at_most = found
    worst, capacity = worst_case(sequences, E)
    bound = epochs_bound(
        api.n_topics, api.top_s, api.noise, sequences.n_users, E, stable_sets=sequences.stable
    )
    return EpochFigures(
        E,
        leakage,
        leakage * sequences.prior,
        plan.steps[E - 1].method,
        low,
        high,
        at_least,
        at_most,
        worst,
        capacity,
        bound,
        sequences.limit(E),
        sequences.profiles(E).size,
    )


def _spread(sequences: Sequences, E: int, progress: Progress | None) -> RiskSpread:
    risk: Array = user_risk(sequences, E, progress)
    users = np.ones(risk.shape[0], dtype=np.int64) if sequences.counts is None else sequences.counts
    spread = Distribution(risk, users)
    quantiles = tuple(spread.quantile(percent / 100) for percent in range(101))
    return RiskSpread(
        E,
        float(spread.mean),
        quantiles[50],
        quantiles[95],
        quantiles[99],
        quantiles[100],
        int(users[spread.above(HALF)].sum()),
        quantiles,
    )


def _sites(
    population: Population, api: TopicsAPI, sequences: Sequences, plan: Plan
) -> tuple[CallFigures | None, LinkFigures | None]:
    """Return what one call gives away and how well two sites link a user, if the plan has it."""
    if plan.call is None:
        return None, None
    groups, link = TopicGroups.of(population, api), linked_sites(population, api)
    prior = sequences.prior
    law = EpochLaw(sequences.inside, sequences.outside, nothing=0)
    leakage = groups.leakage(law)
    call = CallFigures(plan.call.epochs, leakage, leakage * prior, groups.leakage(law, in_order=True))
    return call, LinkFigures(link, link * prior)


def _utility(
    sequences: Sequences, plan: Plan, watched: Callable[[str], Progress | None]
) -> tuple[UtilityFigures, ...]:
    """Return what an advertiser learns of 0, 1, ... epochs.

    The most epochs come first: if their numbers do not fit a machine word, it is told at once.
    """
    if not plan.utility:
        return ()
    rows = [
        (
            E,
            naming_gain(sequences, E, watched(f"naming a topic, {counted(E, 'epoch')}")),
            reconstruction(sequences, E, watched(f"guessing the set, {counted(E, 'epoch')}")),
        )
        for E in range(len(plan.utility), -1, -1)
    ]
    # More reports never tell less: what falls is rounding.
    grown = accumulate(reversed(rows), lambda old, new: (new[0], max(old[1], new[1]), max(old[2], new[2])))
    return tuple(UtilityFigures(*row) for row in grown)


def _notes(sequences: Sequences, plan: Plan, utility: bool) -> Iterator[str]:
    """Yield why something is not in the result."""
    if not sequences.stable or sequences.weights is not None:
        yield "One call and two sites are known for stable sets and equally likely users only."
    elif plan.call is None:
        yield "One call and two sites are not measured, for it takes too long or too much memory."
    if utility and not sequences.stable:
        yield "What an advertiser learns is known for stable sets only: here there is no one set to learn."
    elif utility and not plan.utility:
        yield "What an advertiser learns is not measured, for it takes too long or too much memory."
