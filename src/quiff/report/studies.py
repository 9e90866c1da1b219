"""The studies that the report and the page are made of: one list, in the order in which they are read."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from typing import Any, final

from quiff.apis.base import Api, parameters_of
from quiff.apis.ranges import Share
from quiff.apis.registry import default_apis
from quiff.errors import QuiffError
from quiff.people.population import Population
from quiff.progress import tell
from quiff.report.page import Block, Section
from quiff.results.layout import Pivot
from quiff.results.result import Result
from quiff.studies.attack import attack
from quiff.studies.compare import compare
from quiff.studies.design import meet_budget
from quiff.studies.exposure import exposure
from quiff.studies.measure import measure
from quiff.studies.over_time import over_time
from quiff.studies.popularity import popularity
from quiff.studies.risk import most_exposed, user_risk
from quiff.studies.stability import changing_interests
from quiff.studies.theory import closed_forms
from quiff.studies.words import goal_title
from quiff.theory.parameters import check_probability

RECORDS = ("history", "conversions")
"""Attributes that are records, which nobody wants to guess as a whole."""

_YARDSTICK = "identifiers"  # a family of APIs of which time and risk are known at once
_FEW = 2  # APIs that need no table of their own to be compared
_ATTACKED = (1, 5, 10, 15, 20, 30)  # observations after which attacks are tried
_EARLIER = 2  # epochs before its own that a first call shows, as specified
_VARIED = (0.0, 0.1, 0.25, 0.5)  # of a probability, for other settings of an API
_MOST_SIMULATED = 10**8  # users times simulations
_USE = ("use", "utility", "trade-off")
LEARNT = Pivot(
    "What a receiver guesses right",
    by=("api", "goal"),
    columns={
        "guessed": lambda rows, _: goal_title(rows.rows[0].goal),
        "without": "goal_prior",
        "with one observation": "goal_posterior",
    },
    where=lambda row, _: row.prior == "population" and row.goal not in ("", "user", "secret", *RECORDS),
    last=True,
)


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
    stability
        With what probability interests are kept from one observation to the next; None if it is not known.
    """

    people: Population
    apis: tuple[Api, ...] = ()
    observations: int = 4
    attacks: bool = False
    seed: int = 0
    least: int = 1
    stability: float | None = None
    _over_time: dict[str, Result] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.stability is not None:
            check_probability("stability", self.stability)
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
        """What one observation reveals, and what it is good for."""
        return measure(self.first, *self.apis)

    @cached_property
    def risk(self) -> Result:
        """How exposed each user is by one observation."""
        return user_risk(self.first, *self.apis, least=self.least)

    def over_time(self, api: Api) -> Result:
        """Return what several observations reveal; without rows if only one is studied."""
        people, n = self.people, self.observations + api.shown_at_first - 1
        if self.observations == 1:
            return Result("")
        if api.spec not in self._over_time:
            n = n if people.n_epochs == 1 else min(n, people.n_epochs)
            self._over_time[api.spec] = self.named(
                over_time(people, api, n, seed=self.seed, least=self.least)
            )
        return self._over_time[api.spec]

    @cached_property
    def studied(self) -> tuple[Api, ...]:
        """The APIs in question; identifiers stand beside them as the yardstick, if there are others."""
        return tuple(api for api in self.apis if api.family != _YARDSTICK) or self.apis

    def name(self, api: Api) -> str:
        """Return what an API is called among those that are measured."""
        return self.measured.api_name(api.spec)

    def named(self, result: Result) -> Result:
        """Return a result of one API in which it is called as among all."""
        apis = {
            spec: replace(words, title=self.measured.api_name(spec)) if spec in self.measured.apis else words
            for spec, words in result.apis.items()
        }
        titles = "; ".join(words.title for words in apis.values())
        return replace(result, apis=apis, words={**result.words, "api": titles})

    def blocks(self, study: Callable[[Api], Result], *say: str) -> Iterator[Block]:
        """Yield what a study says of each API, under its name if there are several, or why it cannot."""
        for api in self.studied:
            title = self.name(api) if len(self.studied) > 1 else ""
            try:
                yield Block.of(self.named(study(api)), title, say=say)
            except QuiffError as error:
                yield Block(title, (f"Not measured: {str(error).rstrip('.')}.",))

    def beside(self, title: str, study: Callable[[Api], Result], *views: str) -> Iterator[Block]:
        """Yield what a study says of each API, or some of its views, folded; nothing if it cannot be."""
        for api in self.studied:
            with suppress(QuiffError):
                result = self.named(study(api))
                block = Block.of(
                    result.showing(*views) if views else result, f"{title}: {self.name(api)}", folded=True
                )
                if block.lead or block.tables or block.figures:
                    yield block


@final
@dataclass(frozen=True)
class Study:
    """A part of the report and of the page: its name in links, its title, what it says, and when."""

    key: str
    title: str
    blocks: Callable[[Question], Iterator[Block]]
    applies: Callable[[Question], bool] = lambda _: True


def sections(question: Question) -> Iterator[Section]:
    """Yield the sections of a question one by one.

    Examples
    --------
    >>> from quiff import api_from
    >>> question = Question(Population.synthetic(200, seed=1), (api_from("topics"),), observations=2)
    >>> [section.key for section in sections(question)]
    ['reveals', 'time', 'risk', 'use']

    Raises
    ------
    QuiffError
        If the APIs cannot be measured on these people.
    """
    for study in STUDIES:
        if study.applies(question):
            tell(study.title, 0.0)
            warnings = question.measured.warnings  # what is wrong with people or APIs is an error
            blocks = tuple(study.blocks(question))
            yield Section(study.key, study.title, blocks, warnings if study is STUDIES[0] else ())


def _reveals(question: Question) -> Iterator[Block]:
    """Yield what one observation reveals, the closed forms of each API, and what has equal capacity."""
    measured = question.measured
    yield Block.of(measured.without(*_USE), say=("revealed", "others"))
    yield from question.beside("Closed forms", closed_forms, "limits", "counting")

    def equal(api: Api) -> Result:
        most = measured.rows.where(api=api.spec).last["bayes_capacity@all"]
        if most is None or not isfinite(most):
            raise QuiffError("no capacity is known")
        return meet_budget(api, "capacity", most)

    yield from question.beside("Settings of equal capacity", equal)


def _time(question: Question) -> Iterator[Block]:
    yield from question.blocks(lambda api: question.over_time(api).without("risk"), "grows")
    if question.stability is not None:

        def changing(api: Api) -> Result:
            n = question.observations + api.shown_at_first - 1
            return changing_interests(
                question.first, api, n, stability=question.stability, seed=question.seed
            )

        for api in question.studied:
            title = f"If interests change: {question.name(api)}"
            try:
                yield Block.of(question.named(changing(api)), title, folded=True)
            except QuiffError as error:
                yield Block(title, (f"Not measured: {str(error).rstrip('.')}.",))


def _risk(question: Question) -> Iterator[Block]:
    """Yield how unequal the risk is by the first visit, by one observation, and which outputs expose most."""
    if question.observations > 1:
        for block in question.blocks(lambda api: question.over_time(api).showing("risk"), "risk"):
            if block.tables:
                yield block
    people, least = question.first, question.least
    if all(api.observer_knows_who for api in question.apis):
        yield Block(lead=("The observer already knows who the person is: nobody is re-identified.",))
        return
    once = "By one observation, stage by stage" if question.observations > 1 else ""
    yield Block.of(question.risk, once, folded=bool(once))
    yield from question.beside("What outputs expose", lambda api: exposure(people, api, least=least))
    if least == 1 and question.risk.per_user is not None:
        yield Block("The users most at risk", tables=(most_exposed(question.risk),), folded=True)


def _use(question: Question) -> Iterator[Block]:
    """Yield what a receiver learns, what can be counted, and what other settings of an API would change."""
    people, learnt = question.first, LEARNT(question.measured)
    result = question.measured.showing(*_USE)
    if result.sentences:
        yield Block.of(result, first=(learnt,) if learnt.rows else ())
    else:
        yield Block(lead=("No goal of a receiver is known of these APIs on these people.",))
    options: dict[str, Any] = {
        "seed": question.seed,
        "simulations": max(50, min(1000, _MOST_SIMULATED // people.n_users)),
        "least": question.least,
    }
    yield from question.beside("Popularity of topics", lambda api: popularity(people, api, **options))

    def settings(api: Api) -> Result:
        return measure(people, api, *_settings(api)).showing("trade-off", "privacy")

    yield from question.beside("Other settings", settings)


def _settings(api: Api) -> tuple[Api, ...]:
    """Return an API with other values of its first parameter that is a probability, such as its noise."""
    own = api.parameters()
    for each in parameters_of(type(api)):
        if isinstance(each.metadata.get("range"), Share):
            return tuple(type(api)(**own | {each.name: x}) for x in _VARIED if x != own[each.name])
    raise QuiffError("no parameter is a probability")


def _compare(question: Question) -> Iterator[Block]:
    yield Block.of(compare(question.first, *question.apis, seed=question.seed))


def _attacks(question: Question) -> Iterator[Block]:
    people, after = question.people, list(_ATTACKED)
    earlier = None
    if people.n_epochs > 1:  # the first call shows some epochs before its own, as far as there are
        earlier = min(_EARLIER, people.n_epochs - 1)
        last = min(after[-1], people.n_epochs - earlier)
        after = [*(number for number in after if number < last), last]
    options: dict[str, Any] = {"seeds": 4, "sample": 300, "earlier": earlier, "seed": question.seed}
    yield from question.blocks(lambda api: attack(people, api, observations=after, **options))


STUDIES = (
    Study("reveals", "What one observation reveals", _reveals),
    Study("time", "What time adds", _time, lambda question: question.observations > 1),
    Study("risk", "Who is most at risk", _risk),
    Study("use", "What it is good for", _use),
    Study("compare", "The APIs side by side", _compare, lambda question: len(question.apis) > _FEW),
    Study("attacks", "What known attacks achieve", _attacks, lambda question: question.attacks),
)
"""The studies in the order in which they are read."""
