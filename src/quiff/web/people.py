"""A population studied step by step: what is measured, in which order, and how far it has come."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, final

from quiff.apis.cookies import Cookies
from quiff.apis.taxonomy import topics_for
from quiff.apis.topics import TopicsAPI
from quiff.errors import ParameterError
from quiff.populations.population import Population
from quiff.report.over_time import study_attacks, study_epochs
from quiff.report.page import Section
from quiff.report.sections import left_out, people_section, privacy_section, risk_section, topics_section
from quiff.studies.exposure import exposure
from quiff.studies.old_measure.study import measure
from quiff.studies.risk import user_risk
from quiff.theory.taxonomies import taxonomy_size
from quiff.web.queries import PopulationQuery

Tell: TypeAlias = Callable[[str, float], None]

_EPOCHS = 4
_ATTACK_EPOCHS = (1, 5, 10)
_ATTACKED = 20_000  # users; beyond them the attacks take minutes


@final
@dataclass(frozen=True)
class Profiles:
    """The profiles of the command line: a name to show, and the users."""

    name: str
    population: Population


@final
@dataclass(frozen=True)
class People:
    """Whom to study, and under which API."""

    population: Population
    api: TopicsAPI
    attacks: bool

    @classmethod
    def of(cls, query: PopulationQuery, profiles: Profiles | None) -> "People":
        """Make up a population, or take the one of the command line.

        Raises
        ------
        ParameterError
            If there is no file, or the taxonomy does not fit its topics.
        """
        if not query.from_file:
            m = taxonomy_size(query.taxonomy or "v1")
            population = Population.synthetic(query.people, query.seed, n_topics=m, top_s=query.top_s)
            return cls(population, TopicsAPI(m, query.top_s, query.noise), query.attacks)
        if profiles is None:
            raise ParameterError(
                "source is 'file', but quiff explore was started without one; give it a file of profiles"
            )
        population = profiles.population
        m = topics_for(population, query.taxonomy)
        return cls(population, TopicsAPI(m, population.top_s, query.noise), query.attacks)


def study(people: People, tell: Tell) -> Iterator[Section]:
    """Measure a population step by step, each as one section.

    Parameters
    ----------
    people
        Whom, and under which API.
    tell
        Called with the name of a step and the share of it that is done; what it raises ends the study.

    Examples
    --------
    >>> people = People(Population.synthetic(200, seed=1), TopicsAPI(), attacks=False)
    >>> [section.key for section in study(people, lambda step, share: None)]
    ['people', 'privacy', 'risk', 'topics', 'epochs']
    """
    first = people.population.epoch(0) if people.population.n_epochs > 1 else people.population
    tell("privacy and utility", 0.0)
    found = measure(first, people.api)
    tell("each user's risk", 0.0)
    risk = user_risk(first, *(() if first.merged else (Cookies(),)), people.api)
    yield people_section(found, risk)
    yield privacy_section(found)
    yield risk_section(risk)
    tell("topics", 0.0)
    yield topics_section(exposure(first, people.api, attribute="topics", first=None))
    yield study_epochs(people.population, people.api, _EPOCHS, progress=tell)
    if people.attacks:
        yield _attacks(people, tell)


def _attacks(people: People, tell: Tell) -> Section:
    users = people.population.n_users
    if users > _ATTACKED:
        said = f"Attacks are run here for up to {_ATTACKED} users, not {users}; see quiff attack compare."
        return left_out("attacks", said)
    return study_attacks(people.population, people.api, _ATTACK_EPOCHS, seeds=2, progress=tell)
