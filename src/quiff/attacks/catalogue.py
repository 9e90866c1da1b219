"""All attacks by name, with the parameters that a population and an API give them."""

from quiff.apis.topics import TopicsAPI
from quiff.attacks.base import Attack
from quiff.attacks.bayes import BayesProfiles
from quiff.attacks.hamming import Carey
from quiff.attacks.jha import JhaLoose, JhaStrict
from quiff.attacks.linking import BayesLink
from quiff.attacks.overlap import BeuginMcDaniel
from quiff.errors import ParameterError
from quiff.people.population import Population

MOST_LINKED = 20_000
"""Up to so many users the adversary who links two sites is quick enough to be run without being asked for."""

_ALL: tuple[type[Attack], ...] = (
    BeuginMcDaniel,
    Carey,
    JhaStrict,
    JhaLoose,
    BayesProfiles,
    BayesLink,
)

ATTACKS = {attack.name: attack for attack in _ALL}
"""The attacks by name, in the order in which they are shown."""


def check_attack(name: str) -> None:
    """Raise a ParameterError if there is no attack of this name.

    >>> check_attack("guess")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    quiff.errors.ParameterError: an attack must be one of beugin-mcdaniel, carey, ..., not 'guess'
    """
    if name not in ATTACKS:
        raise ParameterError(what="an attack", value=name, allowed=f"one of {', '.join(ATTACKS)}")


def attack_named(name: str, api: TopicsAPI, population: Population | None = None) -> Attack:
    """Return an attack with the parameters that its paper gives it.

    The Bayes-optimal adversaries need the population with its profiles.

    >>> attack_named("carey", TopicsAPI(noise=0.1))
    Carey(top_s=5, noise=0.1)
    >>> attack_named("bayes-link", TopicsAPI())
    Traceback (most recent call last):
    quiff.errors.ParameterError: the attack 'bayes-link' needs the profiles of the users, and there are none
    """
    check_attack(name)
    return ATTACKS[name].against(api, population)


def attacks_on(population: Population, api: TopicsAPI) -> list[Attack]:
    """Return the attacks that are quick to run on a population.

    >>> len(attacks_on(Population.synthetic(10), TopicsAPI())) == len(ATTACKS)
    True
    """
    linked = population.n_epochs == 1 and population.n_users <= MOST_LINKED
    names = (name for name in ATTACKS if linked or name != BayesLink.name)
    return [attack_named(name, api, population) for name in names]
