"""What a study of attacks asks of an API: observations to attack, adversaries, and a bound on all of them."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import Any, Literal, final

import numpy as np

from quiff.apis.base import Api, check_observations
from quiff.apis.topics import TopicsAPI
from quiff.attacks.base import Attack, Sighting
from quiff.attacks.bayes import check_profiles
from quiff.attacks.bound import Bound, attack_bound
from quiff.attacks.catalogue import MOST_LINKED, attack_named, attacks_on
from quiff.attacks.linking import BayesLink
from quiff.attacks.noise_removal import Denoising, NoiseRemoval, noise_removal
from quiff.browser.reports import Reports
from quiff.browser.simulation import simulate
from quiff.core.channel import Channel
from quiff.core.kernels import Kernel
from quiff.core.kernels.base import BLOCK
from quiff.core.limits import check_work
from quiff.core.numbers import Array, Number, tied
from quiff.errors import ParameterError, SizeError, counted
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability
from quiff.people.groups import Groups
from quiff.people.population import Population
from quiff.progress import advance, part, tell
from quiff.theory.parameters import check_whole
from quiff.theory.popularity import binomial_interval
from quiff.weeks.composed import Composed, factors_of, likelihoods
from quiff.weeks.estimate import Estimate
from quiff.weeks.sequences import changing

_STEP = 5  # observations from one look to the next
_DENOISED = 20_000  # users whose noise removal is looked at
_LINKED, _LINKS = 10_000, 1000  # users beyond whom only so many targets are linked


@final
@dataclass(frozen=True, eq=False)
class Outcome:
    """What an attack achieves: for each target how many users are left, 0 if the right one is not."""

    counts: Literal["unique", "ties"]
    tied: Array
    removal: NoiseRemoval | None = None

    @cached_property
    def unique(self) -> Estimate:
        """The share of targets for whom nobody but the right user is left."""
        return share_of(self.tied == 1)

    @cached_property
    def right(self) -> Estimate:
        """The share of targets who are re-identified when ties are broken at random: 1 / number of ties."""
        return share_of(np.where(self.tied > 0, 1 / np.maximum(self.tied, 1), 0.0))

    @cached_property
    def share(self) -> Estimate:
        """The one of the two that the attack's paper counts."""
        return self.unique if self.counts == "unique" else self.right


def share_of(gains: Array) -> Estimate:
    """Return the mean of gains between 0 and 1: by Clopper and Pearson's interval if all are 0 or 1.

    >>> share_of(np.array([1, 1, 0, 1])).value
    0.75
    """
    if ((gains == 0) | (gains == 1)).all():
        return Estimate(float(gains.mean()), *binomial_interval(int(gains.sum()), gains.shape[0]))
    return Estimate.of_mean(gains)


def mean_share(shares: Sequence[Estimate]) -> Estimate:
    """Return the mean over simulations with Student's 95 % interval; of a single one, its own.

    Where all simulations agree to the last digit, their own intervals are averaged.

    >>> shares = (Estimate(0.4, 0.3, 0.5), Estimate(0.5, 0.4, 0.6), Estimate(0.6, 0.5, 0.7))
    >>> round(mean_share(shares).low, 4)
    0.2516
    """
    from scipy.special import stdtrit

    values = np.array([share.value for share in shares])
    spread = float(values.std(ddof=1)) if len(shares) > 1 else 0.0
    mean = float(values.mean())
    if spread == 0:
        low, high = (float(np.mean([getattr(share, end) for share in shares])) for end in ("low", "high"))
        return Estimate(mean, low, high)
    half = float(stdtrit(len(shares) - 1, 0.975)) * spread / sqrt(len(shares))
    return Estimate(mean, max(mean - half, 0.0), min(mean + half, 1.0))


def chosen_targets(n_users: int, sample: int | None, seed: int) -> Array:
    """Return whom to attack, by number: everybody, or so many drawn at random."""
    if sample is None or sample >= n_users:
        return np.arange(n_users)
    size = check_whole("sample", sample, 1)
    return np.sort(np.random.default_rng([seed, 1]).choice(n_users, size, replace=False))


def matched(
    attack: Attack,
    sightings: Sequence[Sighting],
    targets: Array,
    population: Population | None = None,
) -> Outcome:
    """Run an attack on what two sites saw; with the profiles, also say how well it removes noise."""
    removal = None
    if population is not None:
        check_profiles(population, sightings[0])
        if isinstance(attack, Denoising):
            removal = _removal(attack, sightings[0], population)
    return Outcome(attack.counts, attack.tied(sightings[0], sightings[1], targets), removal)


def _removal(attack: Denoising, sighting: Sighting, population: Population) -> NoiseRemoval:
    """Look at the first users only: shares of so many topics are known well enough."""
    users = range(min(sighting.users.size, _DENOISED))
    fewer = Population.from_array(users, population.sets[:, :_DENOISED], population.topics)
    few = replace(sighting, codes=sighting.codes[:_DENOISED])
    return noise_removal(attack, few, fewer)


class Campaign(ABC):
    """Attacks on some people who use one API, after growing numbers of observations."""

    attacks: tuple[Any, ...]  # each has a name, what it counts, and the paper that it is from
    goal: Literal["user", "secret"] = "user"  # what is guessed: the secret, if the observer knows who it is
    earlier: int = 0  # how many observations there are at the first look beside the first one
    notes: tuple[str, ...] = ()  # what was left out, in sentences

    @abstractmethod
    def run(self, seed: int) -> dict[tuple[str, int], Outcome]:
        """Draw observations, and return what each attack achieves after each number of them."""

    @abstractmethod
    def bound(self, n: int, seed: int) -> Bound:
        """Return the posterior vulnerability after a number of observations, which no attack exceeds."""


@final
@dataclass(frozen=True, eq=False)
class Simulated:
    """What the attacks of a campaign achieve in several simulations, and the bound.

    Attributes
    ----------
    shares
        By attack and number of observations: the mean over simulations.
    bounds
        By number of observations.
    removals
        By attack and number of observations: the noise that was removed, over all simulations.
    targets
        How many there were in each.
    """

    shares: dict[tuple[str, int], Estimate]
    bounds: dict[int, Bound]
    removals: dict[tuple[str, int], NoiseRemoval]
    targets: int


def simulated(plan: Campaign, counts: Sequence[int], seeds: int, seed: int) -> Simulated:
    """Run a campaign with several seeds, and look at it after some numbers of observations.

    Raises
    ------
    SizeError
        If no attack can be run.
    """
    runs = []
    for number in range(seeds):
        with part(f"attacks, simulation {number + 1} of {seeds}"):
            runs.append(plan.run(seed + number))
    if not any(runs):
        raise SizeError(plan.notes[-1])
    bounds: dict[int, Bound] = {}
    for place, n in enumerate(counts):
        tell("bound", place / len(counts))
        bounds[n] = plan.bound(n, seed)
    tell("bound", 1.0)
    shares, removals = {}, {}
    for key in ((attack.name, n) for attack in plan.attacks for n in counts):
        outcomes = [run[key] for run in runs if key in run]
        if outcomes:
            shares[key] = mean_share([outcome.share for outcome in outcomes])
        removed = [outcome.removal for outcome in outcomes if outcome.removal is not None]
        if removed:
            removals[key] = sum(removed[1:], removed[0])
    targets = next(int(outcome.tied.shape[0]) for run in runs for outcome in run.values())
    return Simulated(shares, bounds, removals, targets)


def looks(most: int) -> tuple[int, ...]:
    """Return after how many observations to look: 1, every fifth, and the last.

    Examples
    --------
    >>> looks(12)
    (1, 5, 10, 12)
    """
    most = check_observations(most)
    return tuple(sorted({1, *range(_STEP, most + 1, _STEP), most}))


def campaign(
    people: Population,
    api: Api,
    shown: tuple[int, ...],
    sample: int | None,
    attacks: Sequence[Attack | str] | None = None,
    earlier: int | None = None,
) -> Campaign:
    """Return the published attacks on what browsers show if there are some, else the Bayes-optimal adversary.

    >>> from quiff import Cookies
    >>> people = Population.synthetic(10)
    >>> [attack.name for api in (TopicsAPI(), Cookies()) for attack in campaign(people, api, (1,), 5).attacks]
    ['beugin-mcdaniel', 'carey', 'jha-strict', 'jha-loose', 'bayes-profiles', 'bayes-link', 'bayes']
    """
    if isinstance(api, TopicsAPI):
        return _Published(people, api.fit(people), shown, sample, attacks, earlier)
    if attacks is not None:
        raise ParameterError(f"{api.title}: no attack on it is published; leave out attacks")
    return _Sampled(people, api, shown, sample)


class _Published(Campaign):
    """The published attacks, on simulated browsers that show topics to two sites."""

    def __init__(
        self,
        people: Population,
        api: TopicsAPI,
        shown: tuple[int, ...],
        sample: int | None,
        attacks: Sequence[Attack | str] | None,
        earlier: int | None,
    ) -> None:
        self.people, self.api, self.shown, self.sample = people, api, shown, sample
        self.asked = earlier
        self.attacks = tuple(
            attacks_on(people, api)
            if attacks is None
            else (attack_named(each, api, people) if isinstance(each, str) else each for each in attacks)
        )
        if not self.attacks:
            raise ParameterError("attacks is empty; give at least one")
        if attacks is None and not any(isinstance(attack, BayesLink) for attack in self.attacks):
            self.notes += (
                f"{BayesLink.name} is left out: it needs stable sets, and is slow beyond {MOST_LINKED}"
                " users.",
            )

    def run(self, seed: int) -> dict[tuple[str, int], Outcome]:
        reports = simulate(self.people, self.api, epochs=max(self.shown), seed=seed, earlier=self.asked)
        self.earlier = reports.earlier
        outcomes = {}
        for place, attack in enumerate(self.attacks):
            for n in self.shown:
                try:
                    outcomes[attack.name, n] = self._outcome(reports, attack, n, seed)
                except SizeError as error:
                    self.notes += (f"{attack.name} is left out after {counted(n, 'epoch')}: {error}",)
            advance((place + 1) / len(self.attacks))
        return outcomes

    def _outcome(self, reports: Reports, attack: Attack, call: int, seed: int) -> Outcome:
        sightings = [Sighting.of(reports, site, call) for site in reports.sites]
        sample = self.sample
        if isinstance(attack, BayesLink) and reports.n_users > _LINKED:
            sample = min(sample or _LINKS, _LINKS)
        targets = chosen_targets(reports.n_users, sample, seed)
        return matched(attack, sightings, targets, self.people)

    def bound(self, n: int, seed: int) -> Bound:
        return attack_bound(self.people, self.api, n + self.earlier, seed)


@final
class BayesOptimal:
    """The adversary who guesses what is most probable given the observations (maximum a posteriori)."""

    name = "bayes"
    counts: Literal["unique", "ties"] = "ties"
    paper = "the adversary of the posterior Bayes vulnerability"


class _Sampled(Campaign):
    """The Bayes-optimal adversary on draws from the channel of any API."""

    def __init__(self, people: Population, api: Api, shown: tuple[int, ...], sample: int | None) -> None:
        self.attacks, self.people, self.shown, self.sample = (BayesOptimal(),), people, shown, sample
        if changing(people, api) and max(shown) > people.n_epochs:
            raise ParameterError(
                f"there are {counted(people.n_epochs, 'epoch')} of attributes, but {max(shown)} observations"
                " are asked for; take fewer, or attributes that do not change",
                what="observations",
                value=max(shown),
                allowed=f"at most {people.n_epochs}",
            )
        self.seen = Composed.of(people, api)
        if api.observer_knows_who:
            self.goal = "secret"
        if people.weights is not None:
            self.notes = ("Targets are drawn as often as their weights say.",)

    def run(self, seed: int) -> dict[tuple[str, int], Outcome]:
        outcomes = {}
        for place, n in enumerate(self.shown):
            rng = np.random.default_rng([seed, n])
            ties = self._tied(self.seen.channel(n).kernel, self._targets(seed, rng), rng)
            outcomes["bayes", n] = Outcome("ties", ties)
            advance((place + 1) / len(self.shown))
        return outcomes

    def _targets(self, seed: int, rng: np.random.Generator) -> Array:
        """Return the rows of the targets: drawn once each, or by weight or count where these differ."""
        rows = self.people.counts if self.people.weights is None else self.people.weights
        if rows is None:
            return chosen_targets(self.people.n_users, self.sample, seed)
        size = self.people.n_users if self.sample is None else check_whole("sample", self.sample, 1)
        shares = np.asarray(rows, dtype=float)
        return rng.choice(shares.shape[0], min(size, self.people.n_users), p=shares / shares.sum())

    def _tied(self, kernel: Kernel, rows: Array, rng: np.random.Generator) -> Array:
        """Draw what is seen of each target, and return among how many a best guess leaves them."""
        groups, factors = self.seen.groups, factors_of(kernel)
        check_work(rows.shape[0] * kernel.n_rows * len(factors))
        secret = groups.which[rows]
        drawn = [factor.sample(secret, rng) for factor in factors]
        prior = groups.prior if self.goal == "secret" else groups.foremost
        scores = np.asarray(prior.weights_for(groups.secrets, "secret")[0], dtype=float)
        heaviest, alike = _most_probable(groups)
        if self.goal == "secret":
            heaviest, alike = np.ones_like(heaviest), np.ones_like(alike)
        ties, step = np.zeros(rows.shape[0]), max(1, BLOCK // kernel.n_rows)
        for start in range(0, rows.shape[0], step):
            part = slice(start, start + step)
            joint = np.repeat(scores[:, np.newaxis], secret[part].shape[0], axis=1)
            for factor, outputs in zip(factors, drawn, strict=True):
                joint *= likelihoods(factor, outputs[part])
                joint /= joint.max(axis=0)  # of many observations the probabilities would vanish
            best = tied(joint, joint.max(axis=0))
            mine = best[secret[part], np.arange(best.shape[1])] & heaviest[rows[part]]
            ties[part] = np.where(mine, alike @ best, 0)
        return ties

    def bound(self, n: int, seed: int) -> Bound:
        groups = _Secrets(self.seen.groups) if self.goal == "secret" else self.seen.groups
        seen = replace(self.seen, groups=groups)  # type: ignore[arg-type]  # it has what is asked of it here
        try:
            value = float(seen.leakage(n) * seen.prior)
        except SizeError:
            estimate = seen.sampled(seen.channel(n), [seed, n])[-1]
            return Bound(n, estimate.value, estimate.low, estimate.high, "monte-carlo")
        return Bound(n, value, value, value, "exact")


class _Secrets:
    """Groups of people as if each were one person: then to re-identify is to guess the secret."""

    def __init__(self, groups: Groups) -> None:
        self.secrets, self.foremost, self.by_secret = groups.secrets, groups.prior, 1
        self.best_user = vulnerability(groups.prior)

    def reidentified_by(self, C: Channel) -> Number:
        return posterior_vulnerability(self.foremost, C)


def _most_probable(groups: Groups) -> tuple[Array, Array]:
    """Return who is the most probable of their secret, or as probable, and how many are, by secret."""
    weights = groups.people.weights
    if weights is None:
        return np.ones(groups.which.shape[0], dtype=bool), groups.counts
    given = np.asarray(weights, dtype=float)
    most = np.zeros(groups.secrets.size)
    np.maximum.at(most, groups.which, given)
    heaviest = tied(given, most[groups.which])
    return heaviest, np.bincount(groups.which, heaviest, groups.secrets.size)
