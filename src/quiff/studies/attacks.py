"""The question how many users known attacks re-identify, and how far that is from what is possible."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from quiff.apis.topics import TopicsAPI
from quiff.attacks.base import Attack, Sighting
from quiff.attacks.bayes import check_profiles
from quiff.attacks.bound import Bound, attack_bound
from quiff.attacks.catalogue import MOST_LINKED, attacks_on
from quiff.attacks.linking import BayesLink
from quiff.attacks.noise_removal import Denoising, NoiseRemoval, noise_removal
from quiff.browser.reports import Reports
from quiff.browser.simulation import simulate
from quiff.core.numbers import Array
from quiff.errors import ParameterError, SizeError, counted
from quiff.populations.population import Population
from quiff.results.attacks import AttackComparison
from quiff.results.reidentification import AttackPoint, Reidentification, Share
from quiff.studies.epochs import StepProgress
from quiff.theory.parameters import check_whole

_STEP = 5
_DENOISED = 20_000  # users whose noise removal is looked at


def reidentify(
    reports: Reports,
    attack: Attack,
    *,
    call: int | None = None,
    known: Hashable = None,
    query: Hashable = None,
    sample: int | None = 3000,
    seed: int = 0,
    population: Population | None = None,
    api: TopicsAPI | None = None,
) -> Reidentification:
    """Run an attack: for each target, find among the users of one site whose reports another site holds.

    Parameters
    ----------
    reports
        What the sites saw.
    attack
        One of the published attacks, or a Bayes-optimal adversary.
    call
        After how many calls of each site; None is all.
    known, query
        The site whose users are named, and the one that saw the targets; the first two by default.
    sample
        How many targets are drawn, for speed; all users stay candidates. None attacks everybody.
    seed
        Of the draw.
    population
        The users' profiles, if it is to be told how well noise is removed.
    api
        With a population: the parameters, if the bound on all attacks is wanted too.

    Examples
    --------
    >>> from quiff import Population, TopicsAPI
    >>> from quiff.attacks.overlap import BeuginMcDaniel
    >>> people = Population.synthetic(200, seed=1)
    >>> found = reidentify(simulate(people, TopicsAPI(), epochs=20, seed=1), BeuginMcDaniel())
    >>> found.n_targets, found.reports, found.unique.value > 0.9
    (200, 22, True)

    Raises
    ------
    ParameterError
        If a number is out of range, profiles are of others, or there is one site where two are needed.
    LabelError
        If there is no such site.
    """
    call = reports.n_epochs if call is None else check_whole("call", call, 1, reports.n_epochs)
    if reports.sites.size < 2 and query is None and attack.sites == 2:
        raise ParameterError(
            f"the attack {attack.name!r} compares two sites, but the reports are of {reports.sites.size}; "
            "simulate two"
        )
    seed = check_whole("seed", seed, 0)
    named = reports.sites[0] if known is None else known
    other = reports.sites[min(1, reports.sites.size - 1)] if query is None else query
    sightings = [Sighting.of(reports, site, call) for site in (named, other)]
    targets = _targets(reports.n_users, sample, seed)
    if population is not None:
        check_profiles(population, sightings[0])
    removal = None
    if population is not None and isinstance(attack, Denoising):
        removal = _removal(attack, sightings[0], population)
    columns = sightings[0].codes.shape[1]
    bound = None if api is None or population is None else attack_bound(population, api, columns, seed)
    tied = attack.tied(sightings[0], sightings[1], targets)
    return Reidentification(attack, reports.n_users, call, columns, tied, removal, bound)


def _targets(n_users: int, sample: int | None, seed: int) -> Array:
    if sample is None or sample >= n_users:
        return np.arange(n_users)
    size = check_whole("sample", sample, 1)
    return np.sort(np.random.default_rng([seed, 1]).choice(n_users, size, replace=False))


def _removal(attack: Denoising, sighting: Sighting, population: Population) -> NoiseRemoval:
    """Look at the first users only: shares of so many topics are known well enough."""
    some = slice(0, _DENOISED)
    users = range(min(sighting.users.size, _DENOISED))
    fewer = Population.from_array(users, population.sets[:, some], population.topics)
    return noise_removal(attack, replace(sighting, codes=sighting.codes[some]), fewer)


def epochs_to_show(most: int) -> tuple[int, ...]:
    """Return the numbers of epochs to look at: 1, every fifth, and the last.

    Examples
    --------
    >>> epochs_to_show(12)
    (1, 5, 10, 12)
    """
    most = check_whole("epochs", most, 1)
    return tuple(sorted({1, *range(_STEP, most + 1, _STEP), most}))


def attack_comparison(
    population: Population,
    api: TopicsAPI | None = None,
    *,
    epochs: int | Iterable[int] = 30,
    seeds: int = 3,
    sample: int | None = 1000,
    attacks: Sequence[Attack] | None = None,
    earlier: int | None = None,
    seed: int = 0,
    progress: StepProgress | None = None,
) -> AttackComparison:
    """Run attacks on simulated reports of two sites, and put the bound on all of them beside.

    Parameters
    ----------
    population
        The users, with sets that are stable or one for each epoch.
    api
        The parameters of the Topics API; by default its own, with the population's size of sets.
    epochs
        After how many epochs to look, or the last of them: then 1, every fifth, and this one.
    seeds
        How many simulations; intervals are over them.
    sample
        How many targets are drawn in each; None attacks everybody.
    attacks
        The attacks; None is all, but for linking two sites only if sets are stable and users not too many.
    earlier
        How many epochs before its own a first call shows; None is 2, as specified.
    seed
        The seed of the first simulation; the others follow.
    progress
        Called with the name of a step and the share that is done.

    Examples
    --------
    >>> from quiff import Population
    >>> found = attack_comparison(Population.synthetic(100, seed=1), epochs=[1, 5], seeds=2)
    >>> [attack.name for attack in found.attacks]
    ['beugin-mcdaniel', 'carey', 'jha-strict', 'jha-loose', 'bayes-profiles', 'bayes-link']
    >>> found.bounds[5].reports
    7

    Raises
    ------
    ParameterError
        If a number is out of range, or the population cannot be simulated.
    SizeError
        If no attack can be run on so many users after so few epochs.
    """
    api = api or TopicsAPI(max(349, population.topics.size), population.top_s)
    shown = epochs_to_show(epochs) if isinstance(epochs, int) else tuple(sorted({*epochs}))
    if not shown:
        raise ParameterError("epochs is empty; give at least one number of epochs to look at")
    chosen = tuple(attacks_on(population, api) if attacks is None else attacks)
    if not chosen:
        raise ParameterError("attacks is empty; give at least one")
    runs = _Runs(population, api, shown, chosen, sample)
    if attacks is None and not any(isinstance(attack, BayesLink) for attack in chosen):
        runs.notes += (
            f"{BayesLink.name} is left out: it needs stable sets, and is slow beyond {MOST_LINKED} users.",
        )
    tell = progress or (lambda _name, _share: None)
    found: list[dict[tuple[str, int], Reidentification]] = []
    before = 0
    for number in range(check_whole("seeds", seeds, 1)):
        reports = simulate(population, api, epochs=max(shown), seed=seed + number, earlier=earlier)
        before = reports.earlier
        found.append(runs.run(reports, seed + number, tell, number / seeds, 1 / seeds))
    if not any(found):
        raise SizeError(runs.notes[-1])
    bounds = {}
    for place, E in enumerate(shown):
        tell("bound", place / len(shown))
        bounds[E] = attack_bound(population, api, E + before, seed)
    tell("bound", 1.0)
    points, removals = _gathered(found, bounds, chosen)
    targets = next(result.n_targets for run in found for result in run.values())
    return AttackComparison(
        population.n_users, targets, seeds, before, api.n_topics, api.top_s, api.noise, chosen, points,
        removals, tuple(dict.fromkeys((*population.notes, *runs.notes))),
    )  # fmt: skip


@dataclass
class _Runs:
    """The attacks to run on each simulation, and what had to be left out."""

    population: Population
    api: TopicsAPI
    epochs: tuple[int, ...]
    attacks: tuple[Attack, ...]
    sample: int | None
    notes: tuple[str, ...] = ()

    def run(
        self, reports: Reports, seed: int, tell: StepProgress, done: float, part: float
    ) -> dict[tuple[str, int], Reidentification]:
        found = {}
        for place, attack in enumerate(self.attacks):
            for E in self.epochs:
                try:
                    found[attack.name, E] = reidentify(
                        reports, attack, call=E, sample=self.sample, seed=seed, population=self.population
                    )
                except SizeError as error:
                    self.notes += (f"{attack.name} is left out after {counted(E, 'epoch')}: {error}",)
            tell("attacks", done + part * (place + 1) / len(self.attacks))
        return found


def _gathered(
    found: list[dict[tuple[str, int], Reidentification]],
    bounds: dict[int, Bound],
    attacks: tuple[Attack, ...],
) -> tuple[tuple[AttackPoint, ...], tuple[tuple[str, int, NoiseRemoval], ...]]:
    """Return the mean shares over the simulations, and the noise that was removed in all of them."""
    points, removals = [], []
    for attack in attacks:
        for E, bound in bounds.items():
            runs = [run[attack.name, E] for run in found if (attack.name, E) in run]
            if not runs:
                continue
            share = Share.over_seeds(tuple(run.share for run in runs))
            points.append(AttackPoint(attack.name, E, share, bound))
            removed = [run.noise_removal for run in runs if run.noise_removal is not None]
            if removed:
                fields = ("genuine_kept", "genuine_removed", "noise_kept", "noise_removed")
                total = NoiseRemoval(*(sum(getattr(each, name) for each in removed) for name in fields))
                removals.append((attack.name, E, total))
    return tuple(points), tuple(removals)
