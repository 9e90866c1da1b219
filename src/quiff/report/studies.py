"""The studies that the report and the page are made of: one list, in the order in which they are read."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from math import isfinite
from typing import final

from quiff.apis.base import Api, parameters_of
from quiff.apis.ranges import Share
from quiff.apis.registry import default_apis
from quiff.errors import QuiffError, SizeError
from quiff.populations.population import Population
from quiff.progress import tell
from quiff.report.page import Section
from quiff.results.result import Result
from quiff.studies.attack import attack
from quiff.studies.compare import compare
from quiff.studies.design import meet_budget
from quiff.studies.exposure import exposure
from quiff.studies.measure import measure
from quiff.studies.over_time import over_time
from quiff.studies.popularity import popularity
from quiff.studies.risk import user_risk
from quiff.studies.theory import closed_forms

_YARDSTICK = "identifiers"  # a family of APIs of which time and risk are known at once
_FEW = 2  # APIs that need no table of their own to be compared
_ATTACKED = (1, 5, 10, 15, 20, 30)  # observations after which attacks are tried
_EARLIER = 2  # epochs before its own that a first call shows, as specified
_VARIED = (0.0, 0.1, 0.25, 0.5)  # of a probability, for other settings of an API
_MOST_SIMULATED = 10**8  # users times simulations


@final
@dataclass(frozen=True)
class Question:
    """Whom and what to study.

    Attributes
    ----------
    people
        The users; where attributes change, with all epochs.
    apis
        What is measured; by default third-party cookies and the Topics API.
    observations
        Up to how many observations of a person are studied, or visits where the first one brings several; 1
        leaves out what time adds.
    attacks
        Whether the published attacks are run.
    seed
        The random seed of simulations.
    least
        How many people at least a cell is about; smaller ones are merged, or left out.
    """

    people: Population
    apis: tuple[Api, ...] = ()
    observations: int = 4
    attacks: bool = False
    seed: int = 0
    least: int = 1

    def __post_init__(self) -> None:
        if not self.apis:
            object.__setattr__(self, "apis", default_apis(self.first))

    @cached_property
    def first(self) -> Population:
        """The people in their first epoch."""
        epochs = self.people.n_epochs
        if epochs == 1:
            return self.people
        note = f"There are {epochs} epochs; one observation is studied in the first of them."
        first = self.people.epoch(0)
        return first.replaced(notes=(*first.notes, note))

    @cached_property
    def measured(self) -> Result:
        """What one observation reveals, and what it is good for: computed once for both."""
        return measure(self.first, *self.apis)

    @cached_property
    def studied(self) -> tuple[Api, ...]:
        """The APIs in question; identifiers stand beside them as the yardstick, if there are others."""
        return tuple(api for api in self.apis if api.family != _YARDSTICK) or self.apis


@final
@dataclass(frozen=True)
class Study:
    """A part of the report and of the page: its name in links, its title, how it is done, and when.

    In a report it may be folded below another one, or below the answer.
    """

    key: str
    title: str
    run: Callable[[Question], Result]
    applies: Callable[[Question], bool] = lambda _: True
    below: str | None = None

    def section(self, question: Question) -> tuple[Section, Result]:
        """Return the section and the result behind it; what cannot be studied says why."""
        tell(self.title, 0.0)
        try:
            result = self.run(question)
        except QuiffError as error:
            why = f"Not measured: {str(error).rstrip('.')}."
            result = Result("", words={"title": self.title, "sentences": [why]})
        return Section.of(self.key, self.title, result), result


def sections(question: Question) -> Iterator[tuple[Section, Result]]:
    """Yield the sections of a question one by one, each with its result.

    Examples
    --------
    >>> from quiff import api_from
    >>> question = Question(Population.synthetic(200, seed=1), (api_from("topics"),), observations=2)
    >>> [section.key for section, _ in sections(question)]
    ['reveals', 'time', 'risk', 'use']

    Raises
    ------
    QuiffError
        If the APIs cannot be measured on these people.
    """
    tell(STUDIES[0].title, 0.0)
    _ = question.measured  # what is wrong with people or APIs is an error, and not a section
    for study in STUDIES:
        if study.applies(question):
            yield study.section(question)


def _reveals(question: Question) -> Result:
    """Return what one observation reveals, with the closed forms of each API and what has equal capacity."""
    measured = question.measured
    result = measured.without("use", "utility", "trade-off")
    for api in question.studied:
        result = _beside(result, f"limits {api.spec}", partial(closed_forms, api), ("limits", "counting"))
        most = measured.rows.where(api=api.spec).last["bayes_capacity@all"]
        if most is not None and isfinite(most):
            result = _beside(
                result, f"equal capacity {api.spec}", partial(meet_budget, api, "capacity", most)
            )
    return result


def _beside(result: Result, name: str, study: Callable[[], Result], keep: tuple[str, ...] = ()) -> Result:
    """Return a result with tables and figures of another beside it; as it is if that cannot be studied."""
    try:
        other = study()
    except QuiffError:
        return result
    layout = other.layout
    views = keep or (*layout.tables, *layout.charts)
    return result.joined(name, other.showing(*views))


def _use(question: Question) -> Result:
    result = question.measured.showing("use", "utility", "trade-off")
    if not result.sentences:
        nothing = "No goal of a receiver is known of these APIs on these people."
        result = Result("", words={"title": "What it is good for", "sentences": [nothing]})
    simulations = max(50, min(1000, _MOST_SIMULATED // question.first.n_users))
    for api in question.studied:
        try:
            counted = popularity(
                question.first, api, seed=question.seed, simulations=simulations, least=question.least
            )
        except QuiffError:  # not every API lets anything be counted
            continue
        result = result.joined(f"popularity {api.spec}", counted)
    for api in question.studied:
        others = _settings(api)
        if others:
            study = partial(measure, question.first, api, *others)
            result = _beside(result, f"settings {api.spec}", study, ("trade-off", "privacy"))
    return result


def _settings(api: Api) -> tuple[Api, ...]:
    """Return an API with other values of its first parameter that is a probability, such as its noise."""
    own = api.parameters()
    for each in parameters_of(type(api)):
        if isinstance(each.metadata.get("range"), Share):
            return tuple(type(api)(**own | {each.name: x}) for x in _VARIED if x != own[each.name])
    return ()


def _time(question: Question) -> Result:
    people, most = question.people, question.observations
    last = None if people.n_epochs == 1 else people.n_epochs

    def studied(api: Api) -> Result:
        n = most + api.shown_at_first - 1
        n = n if last is None else min(n, last)
        return over_time(people, api, n, seed=question.seed, least=question.least)

    return _each(question, studied)


def _risk(question: Question) -> Result:
    result = user_risk(question.first, *question.apis, least=question.least)
    for api in question.studied:
        with suppress(SizeError):  # too many outputs to list any
            result = result.joined(
                f"exposure {api.spec}", exposure(question.first, api, least=question.least)
            )
    return result


def _compare(question: Question) -> Result:
    return compare(question.first, *question.apis, seed=question.seed)


def _attacks(question: Question) -> Result:
    people, after = question.people, list(_ATTACKED)
    earlier = None
    if people.n_epochs > 1:  # the first call shows some epochs before its own, as far as there are
        earlier = min(_EARLIER, people.n_epochs - 1)
        last = min(after[-1], people.n_epochs - earlier)
        after = [*(number for number in after if number < last), last]
    return _each(
        question,
        lambda api: attack(
            people,
            api,
            observations=after,
            seeds=4,
            sample=300,
            earlier=earlier,
            seed=question.seed,
        ),
    )


def _each(question: Question, study: Callable[[Api], Result]) -> Result:
    """Return a study of each API, joined."""
    results = {api.spec: study(api) for api in question.studied}
    first, *others = results.values()
    return reduce(
        lambda joined, pair: joined.joined(*pair), zip(list(results)[1:], others, strict=True), first
    )


STUDIES = (
    Study("reveals", "What one observation reveals", _reveals),
    Study("time", "What time adds", _time, lambda question: question.observations > 1),
    Study("risk", "Who is most at risk", _risk),
    Study("use", "What it is good for", _use),
    Study("compare", "The APIs side by side", _compare, lambda question: len(question.apis) > _FEW, ""),
    Study("attacks", "What known attacks achieve", _attacks, lambda question: question.attacks, "time"),
)
"""The studies in the order in which they are read."""
