"""A population studied step by step: what is measured, in which order, and how far it has come."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, final

from quiff.apis.taxonomy import topics_for
from quiff.apis.topics import TopicsAPI
from quiff.errors import ParameterError, SizeError
from quiff.populations.population import Population
from quiff.report.page import Section
from quiff.report.sections import people_section, privacy_section, risk_section, topics_section
from quiff.results.numbers import shown
from quiff.results.table import Table
from quiff.studies.attacks import attack_comparison
from quiff.studies.attributes import attribute_table
from quiff.studies.epochs import leakage_over_epochs
from quiff.studies.exposure import topic_exposure
from quiff.studies.measure.study import measure
from quiff.studies.risk import user_risk
from quiff.theory.taxonomies import taxonomy_size
from quiff.web.queries import PopulationQuery

__all__ = ["People", "Profiles", "section_to_dict", "study", "table_to_dict"]

Tell: TypeAlias = Callable[[str, float], None]

_EPOCHS = 4
_ATTACKED = 20_000  # users; beyond them the attacks take minutes
_ATTACK_EPOCHS = (1, 5, 10)
_ROWS = 12  # of a table on the page; the file has them all


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
    risk = user_risk(first, people.api)
    yield people_section(found, risk)
    yield privacy_section(found)
    yield risk_section(risk)
    tell("topics", 0.0)
    yield topics_section(topic_exposure(first, people.api), attribute_table(first, people.api))
    yield _epochs(people, tell)
    if people.attacks:
        yield _attacks(people, tell)


def _epochs(people: People, tell: Tell) -> Section:
    key, title = "epochs", "What several epochs give away"
    n_epochs = people.population.n_epochs
    try:
        found = leakage_over_epochs(
            people.population, people.api, _EPOCHS if n_epochs == 1 else min(_EPOCHS, n_epochs), progress=tell
        )
    except SizeError as error:
        return Section(key, title, (str(error),))
    last = found.epochs[-1]
    said = (
        f"After {last.epochs} epochs an adversary names a user {shown(last.leakage)} times as often as by a "
        f"guess; the profiles themselves would allow {shown(last.limit)} times.",
        f"At {found.risk.epochs} epochs the average user is named with probability {shown(found.risk.mean)}, "
        f"and {found.risk.above_half} users with more than one half.",
    )
    return Section(key, title, said, (found.figure(),), tuple(found.tables()))


def _attacks(people: People, tell: Tell) -> Section:
    key, title, users = "attacks", "What published attacks achieve", people.population.n_users
    if users > _ATTACKED:
        said = f"Attacks are run here for up to {_ATTACKED} users, not {users}; see quiff attack compare."
        return Section(key, title, (said,))
    n_epochs = people.population.n_epochs
    shown_epochs = [E for E in _ATTACK_EPOCHS if n_epochs == 1 or n_epochs >= E]
    found = attack_comparison(
        people.population, people.api, epochs=shown_epochs, seeds=2, sample=300, progress=tell
    )
    return Section(key, title, tuple(found.sentences()), (found.figure(),), tuple(found.tables()))


def section_to_dict(section: Section) -> dict[str, Any]:
    """Return a section for the page: sentences, tables as text, and figures as specifications.

    Examples
    --------
    >>> section_to_dict(Section("people", "The people", ("Two of them.",)))
    {'key': 'people', 'title': 'The people', 'reading': ['Two of them.'], 'figures': [], 'tables': []}
    """
    return {
        "key": section.key,
        "title": section.title,
        "reading": list(section.reading),
        "figures": [{"title": figure.title, "spec": figure.spec} for figure in section.figures],
        "tables": [table_to_dict(table) for table in section.tables],
    }


def table_to_dict(table: Table, rows: int | None = _ROWS) -> dict[str, Any]:
    """Return a table for the page, its cells as text, with at most so many rows; None is all.

    Examples
    --------
    >>> table_to_dict(Table("Halves", ("name", "half"), (("one", 0.5),)))["rows"]
    [['one', '0.5']]
    """
    cut = table if rows is None else table.head(rows)
    return {
        "title": cut.title,
        "columns": list(cut.columns),
        "numeric": table.numeric(),
        "rows": [[shown(cell) for cell in row] for row in cut.rows],
        "notes": list(cut.notes),
    }
