"""What every API answers: what it needs of people, what an observer sees, and what that is good for."""

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from fractions import Fraction
from math import inf, log2
from types import MappingProxyType
from typing import Any, Literal, Self, final, get_args

from quiff.apis.declared import check_class
from quiff.apis.ranges import Range, Share
from quiff.core.channel import Channel
from quiff.core.compose import repeat
from quiff.core.gain import Gain
from quiff.core.labels import Labels
from quiff.errors import ParameterError, SizeError, typed
from quiff.people.histories import Histories
from quiff.people.population import Population
from quiff.theory.parameters import MOST_OBSERVATIONS, Real, at_most_one, check_whole
from quiff.theory.popularity import Naming

Redraws = Literal["noise", "secret", "nothing"]

MONTH = 28
"""The days of a month."""

SANDBOX_ENDED = "retired: Chrome's update on plans for Privacy Sandbox technologies, 17 October 2025"
"""Since when most APIs of Chrome and Android are history."""

_PER_DAY = {"day": 1, "hour": 24, "minute": 1440}
_TIME = re.compile(r"(\d+(?:\.\d+)?) (day|hour|minute)s?")


@final
@dataclass(frozen=True)
class Unit:
    """Whom one observation is about, on which site, and for how many days; None days: one event.

    >>> str(Unit("a user", "one site", 7)), str(Unit("a browser", "", 1 / 24)), str(Unit("a click"))
    ('a user, one site, 7 days', 'a browser, 1 hour', 'a click')
    """

    who: str
    where: str = ""
    days: float | None = None

    def __str__(self) -> str:
        return ", ".join(part for part in (self.who, self.where, self._time()) if part)

    @classmethod
    def of(cls, text: str) -> "Unit":
        """Return the unit that a text describes, as `str` writes it.

        >>> Unit.of("a browser, one site, 12 hours"), Unit.of("a click")
        (Unit(who='a browser', where='one site', days=0.5), Unit(who='a click', where='', days=None))
        """
        parts = text.split(", ")
        time = _TIME.fullmatch(parts[-1])
        who, where, *left = (*(parts[:-1] if time else parts), "", "")
        if not who or any(left[:-1]):
            raise ParameterError(
                what="a unit", value=text, allowed="who, where and how long, as 'a user, one site, 7 days'"
            )
        return cls(who, where, float(time[1]) / _PER_DAY[time[2]] if time else None)

    def _time(self) -> str:
        """Return how long, in days or the largest unit below that is whole."""
        if self.days is None:
            return ""
        name, per_day = next(
            (pair for pair in _PER_DAY.items() if self.days * pair[1] >= 1 - 1e-9), ("day", 1)
        )
        number = self.days * per_day
        return f"{number:g} {name}{'' if f'{number:g}' == '1' else 's'}"


@final
@dataclass(frozen=True)
class Limit:
    """A closed form: the most that one observation can reveal, over all secrets and all priors.

    Attributes
    ----------
    quantity
        What is limited, by its name in the registry of quantities, such as ``bayes_capacity``.
    value, formula, source
        The number, how it is computed, and where that stands.
    assumes
        What it rests on beside the parameters.
    stage
        The stage it speaks of; empty for the last one, what is observed.
    bound
        ``equal`` if the capacity over all secrets is this number, ``at most`` if it only bounds it.
    """

    quantity: str
    value: Real
    formula: str
    source: str = ""
    assumes: str = ""
    stage: str = ""
    bound: Literal["equal", "at most"] = "equal"


def parameter(default: Any, allowed: Range, meaning: str) -> Any:
    """Declare a parameter of an API: its default, the values it may have, and what it means.

    A parameter may also be declared as any other field of a dataclass; then nothing is known of its range.

    >>> from quiff.apis.ranges import Share
    >>> @dataclass(frozen=True)
    ... class Coin(Api):
    ...     bias: float = parameter(0.5, Share(), "probability of heads")
    ...     def observe(self, secrets):
    ...         return Channel.constant([self.bias, 1 - self.bias], secrets, ["heads", "tails"])
    >>> Coin(-1)
    Traceback (most recent call last):
    quiff.errors.ParameterError: bias must be a number between 0 and 1, not -1
    """
    return field(default=default, metadata={"range": allowed, "meaning": meaning})


def fitted() -> Any:
    """Declare a field that `Api.fit` sets: a public fact about people, and no parameter."""
    return field(default=None, repr=False, compare=False, kw_only=True, metadata={"fitted": True})


class Api(ABC):
    """An API under study. A subclass is a frozen dataclass of its parameters with one method, `observe`.

    Attributes
    ----------
    title, family, status, source, sees
        For people: its name, what it is for, whether it is live, a draft, archived or retired, the document
        with its version, and what one observation is, such as "a topic".
    ended, shelf
        Since when it is no longer pursued, and who says so, as "retired: ..."; an API that ended has this
        status unless it names another, and stands on the shelf of history, every other one is alive.
    unit
        Whom one observation is about, where, and for how long; in a class it may be text, as "a user, one
        site, 7 days".
    visit, shown_at_first
        What brings observations, such as a page view, and how many of them the first one brings; every later
        one, a unit apart, adds one.
    observer_knows_who
        Whether the observer already holds the identity, such as a click's. Then nobody is re-identified, and
        only what is learnt about the secret is measured.
    redraws
        What is drawn anew from one observation to the next: the ``noise``, the ``secret``, or ``nothing``.
    needs
        The attributes of people that the secret consists of; none: the secret is who the user is.
    assumptions
        What its channel takes for granted, in sentences that stand beside results.
    open_points
        What its source leaves open, in sentences.
    stage_titles
        For people: what an observer of each stage sees, such as "whole topic set".

    Examples
    --------
    >>> from quiff import Population
    >>> @dataclass(frozen=True)
    ... class RandomizedCountry(Api):
    ...     truth: Fraction = Fraction(1, 2)
    ...     needs = ("country",)
    ...     def observe(self, secrets):
    ...         wrong = (1 - self.truth) / (len(secrets) - 1)
    ...         rows = {x: {y: self.truth if x == y else wrong for y in secrets} for x in secrets}
    ...         return Channel.sparse(rows, outputs=secrets)
    >>> people = Population.from_sets({"Ann": {1}, "Bob": {2}}).with_attribute("country", ["BR", "AU"])
    >>> api = RandomizedCountry(Fraction(3, 4))
    >>> api.spec, api.channel(people)["Ann", "BR"]
    ('randomized_country:truth=3/4', Fraction(3, 4))
    """

    title: str = ""
    family: str = ""
    status: str = ""
    ended: str = ""
    shelf: Literal["alive", "history"] = "alive"
    source: str = ""
    sees: str = "an output"
    unit: Unit = Unit("a user")
    visit: str = "observation"
    shown_at_first: int = 1
    observer_knows_who: bool = False
    redraws: Redraws = "noise"
    needs: tuple[str, ...] = ()
    name: str = ""
    assumptions: tuple[str, ...] = ()
    open_points: tuple[str, ...] = ()
    stage_titles: Mapping[str, str] = MappingProxyType({})

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", cls.__name__).lower()
        if "name" not in vars(cls):
            cls.name = words.removesuffix("_api") or words
        if "title" not in vars(cls):
            cls.title = words.replace("_", " ")
        if cls.ended:
            cls.shelf, cls.status = "history", vars(cls).get("status", cls.ended.partition(":")[0])
        if isinstance(vars(cls).get("unit"), str):
            cls.unit = Unit.of(vars(cls)["unit"])
        check_class(cls, needs=(tuple, list), unit=(Unit,), redraws=get_args(Redraws))

    def __post_init__(self) -> None:
        """Check every parameter that was declared with a range, in order."""
        for each in fields(self):  # type: ignore[arg-type]  # subclasses are dataclasses
            allowed: Range | None = each.metadata.get("range")
            value = getattr(self, each.name)
            if allowed is not None and not (value is None and each.default is None):
                try:
                    value = allowed.beside(self.parameters()).check(each.name, value)
                except ParameterError as error:
                    error.args = (self._sourced(str(error)),)
                    raise
                object.__setattr__(self, each.name, value)

    def _sourced(self, message: str) -> str:
        """Return a message with the API's source, unless it names one already."""
        return message if not self.source or message.endswith(")") else f"{message} ({self.source})"

    @property
    def spec(self) -> str:
        """The API as the command line names it: its name, and the parameters that are not the defaults."""
        changed = [f"{each.name}={value}" for each, value in self._changed()]
        return f"{self.name}:{','.join(changed)}" if changed else self.name

    @property
    def called(self) -> str:
        """The title, and what sets the API apart from one with the defaults: ``Topics API, noise 50 %``."""
        return ", ".join([self.title, *(self.setting(each.name, value) for each, value in self._changed())])

    def setting(self, name: str, value: Any) -> str:
        """Return a parameter and its value for people: ``noise 5 %``."""
        ranges = {each.name: each.metadata.get("range") for each in parameters_of(type(self))}
        text = f"{100 * float(value):.3g} %" if isinstance(ranges.get(name), Share) else str(value)
        return f"{name.replace('_', ' ')} {text}"

    def _changed(self) -> Iterator[tuple[Any, Any]]:
        """Yield the parameters that are not the defaults, with their values."""
        given = self.parameters()
        for each in parameters_of(type(self)):
            if each.name in given and (each.default is MISSING or given[each.name] != each.default):
                yield each, given[each.name]

    @property
    def settings(self) -> str:
        """The parameters for people, in a few words: those that are not the defaults."""
        return self.spec.partition(":")[2].replace(",", ", ")

    def parameters(self) -> dict[str, Any]:
        """Return the parameters by name, in the order in which they are declared."""
        return {each.name: getattr(self, each.name) for each in parameters_of(type(self))}

    def fit(self, people: Population | Histories) -> Self:  # noqa: ARG002 - most APIs need nothing
        """Return the API with what is public about these people settled, such as the taxonomy.

        Once fitted, the rows of `observe` depend on the secret alone, and never on who else is there. To fit
        again changes nothing. What the settled facts themselves reveal is not measured.
        """
        return self

    def space(self) -> Labels | None:
        """Return all secrets that there can be, or None if they are too many to list."""
        return None

    @typed
    def secret(self, people: Population | Histories) -> Channel:
        """Return the channel from users to secrets; it may be random, as where ties are broken at random."""
        return people.channel(*self.needs)

    @abstractmethod
    def observe(self, secrets: Labels) -> Channel:
        """Return the channel from secrets to what is observed."""

    def stages(self, secrets: Labels) -> dict[str, Channel]:
        """Return the channels from secrets to what each stage leaves of them; the last one is `observe`."""
        return {self.name: self.observe(secrets)}

    def stage_title(self, stage: str) -> str:
        """Return what an observer of a stage sees, for people."""
        return self.stage_titles.get(stage) or (self.title if stage == self.name else stage.replace("_", " "))

    def goals(self, secrets: Labels) -> Mapping[str, Gain]:  # noqa: ARG002 - for subclasses
        """Return what a legitimate receiver wants to learn, as gains on secrets by name."""
        return {}

    def outputs_naming(self, attribute: str, value: Hashable, stage: str) -> tuple[Hashable, ...]:  # noqa: ARG002
        """Return the outputs of a stage that name a value of an attribute, or a member of it; mostly none.

        Only the API knows: that an output and a value have the same label says nothing.
        """
        return ()

    def naming(self, attribute: str) -> Naming | None:  # noqa: ARG002 - for subclasses
        """Return with which probabilities an output names a value that a user has, and one that not.

        None if that is not known from the parameters, or not the same for all values and users.
        """
        return None

    def limits(self) -> tuple[Limit, ...]:
        """Return the closed forms that are known of the parameters alone."""
        return ()

    def remarks(self) -> tuple[str, ...]:
        """Return what else is to be said of these parameters, in sentences."""
        return ()

    def warnings(self, people: Population) -> tuple[str, ...]:  # noqa: ARG002 - for subclasses
        """Return what is taken for granted of these people and may be wrong, with what it changes."""
        return ()

    def over_time(self, secrets: Labels, n: int) -> Channel:
        """Return the channel from secrets to n observations of a person whose secret stays the same."""
        C = self.observe(secrets)
        return C if n == 1 or self.redraws == "nothing" else repeat(C, n)

    @typed
    def channel(self, people: Population | Histories) -> Channel:
        """Return the channel from users to what is observed: C_secret C_observe."""
        api, secret = self.fit(people), self.secret(people)
        return secret @ api.observe(secret.outputs)


def parameters_of(api: type[Api]) -> list[Any]:
    """Return the fields of an API that are parameters: those that `Api.fit` does not set."""
    if not hasattr(api, "__dataclass_fields__"):
        return []
    return [each for each in fields(api) if each.init and not each.metadata.get("fitted")]  # type: ignore[arg-type]


def all_limits(api: Api, prior_success: Real | None = None) -> tuple[Limit, ...]:
    """Return the closed forms of an API, and what follows from its Bayes capacity.

    The capacity in bits is its logarithm; and whatever an adversary with side information tries, who succeeds
    with probability P before, succeeds with at most min(1, P capacity) after one observation.

    >>> from quiff import TopicsAPI
    >>> {limit.quantity: round(float(limit.value), 3) for limit in all_limits(TopicsAPI(), 0.01)
    ...  if not limit.stage}
    {'bayes_capacity': 66.36, 'epsilon': 7.191, 'max_case_capacity': 1327.2, 'shannon_capacity_bits': 5.541, \
'min_capacity_bits': 6.052, 'side_information_bound': 0.664}
    """
    known = api.limits()
    derived = []
    for limit in known:
        if limit.quantity != "bayes_capacity":
            continue
        top, bottom = (limit.value, 1) if isinstance(limit.value, float) else limit.value.as_integer_ratio()
        bits = inf if limit.value == inf else log2(top) - log2(bottom)  # no float holds C(m,s) for large m
        formula = f"log2({limit.formula})"
        derived.append(replace(limit, quantity="min_capacity_bits", value=bits, formula=formula))
        if prior_success is not None and not limit.stage:
            most = Fraction(1) if limit.value == inf and prior_success > 0 else prior_success * limit.value
            derived.append(
                Limit(
                    "side_information_bound",
                    at_most_one(most),
                    f"min(1, P ({limit.formula}))",
                    "paper, Sec. 2, capacity under arbitrary correlations (Dalenius)",
                    "given the secret, the observation is independent of what the adversary already knows "
                    "and wants to know (a Markov chain)",
                    bound="at most",
                )
            )
    return (*known, *derived)


def in_a_month(api: Api) -> int | None:
    """Return how many observations a month brings, that is, as many visits as 28 days have of its units.

    The first visit brings `shown_at_first`, every later one adds one. None if one observation is about a
    single event, or about more than a month.

    >>> from quiff import api_from
    >>> {name: in_a_month(api_from(name)) for name in ("topics", "floc", "select_url", "event_level")}
    {'topics': 6, 'floc': 4, 'select_url': 28, 'event_level': None}
    """
    visits = 0 if api.unit.days is None else int(MONTH / api.unit.days + 1e-9)
    return visits + api.shown_at_first - 1 if visits else None


def check_observations(n: object) -> int:
    """Return a number of observations, at least 1."""
    return check_whole("observations", n, 1, MOST_OBSERVATIONS)


def stages_of(api: Api, people: Population | Histories) -> dict[str, Channel]:
    """Return the channels from users to what each stage leaves of them, by name, in order.

    Where there are too many random secrets to list, it is only the last one.

    >>> from quiff import Population, TopicsAPI
    >>> people = Population.from_sets({"Ann": {1, 2}, "Bob": {2, 3}})
    >>> list(stages_of(TopicsAPI(n_topics=3, top_s=2), people))
    ['generalization', 'bounded_noise', 'topics']
    """
    ready = api.fit(people)
    try:
        secret = ready.secret(people)
    except SizeError:
        return {ready.name: ready.channel(people)}
    return {name: secret @ C for name, C in ready.stages(secret.outputs).items()}


def checked_api(api: object) -> Api:
    """Return an API as it is.

    Raises
    ------
    ParameterError
        If it is something else; the message says what was expected.
    """
    if isinstance(api, Api):
        return api
    if isinstance(api, type) and issubclass(api, Api):
        raise ParameterError(
            f"{api.__name__} is a class of APIs; give one of them, as {api.__name__}()",
            what="api",
            value=api,
            allowed="an API, not its class",
        )
    if isinstance(api, list | tuple):
        raise ParameterError("give the APIs one by one, as measure(people, a, b), not as a list")
    raise ParameterError(
        f"an API was expected, such as quiff.TopicsAPI(), not {type(api).__name__}",
        what="an API",
        value=api,
        allowed="such as quiff.TopicsAPI()",
    )


def checked_people(people: object) -> Population:
    """Return people as they are.

    Raises
    ------
    ParameterError
        If they are something else; the message says how to make people of it.

    Examples
    --------
    >>> checked_people("profiles.parquet")
    Traceback (most recent call last):
    quiff.errors.ParameterError: people were expected, not a path; take Population.read('profiles.parquet')
    """
    if isinstance(people, Population):
        return people
    if isinstance(people, str | os.PathLike):
        raise ParameterError(
            f"people were expected, not a path; take Population.read({os.fspath(people)!r})",
            what="people",
            value=people,
            allowed="a quiff.Population",
        )
    if isinstance(people, Api) or (isinstance(people, type) and issubclass(people, Api)):
        raise ParameterError("people come first, then the APIs, as in measure(people, api)")
    kind = type(people).__name__
    if kind in ("DataFrame", "LazyFrame", "Table"):
        raise ParameterError(f"people were expected, not a {kind}; take Population.from_pandas(frame)")
    if isinstance(people, dict):
        raise ParameterError("people were expected, not a dict; take Population.from_sets(sets)")
    raise ParameterError(
        f"people were expected, a quiff.Population, not {kind}",
        what="people",
        value=people,
        allowed="a quiff.Population",
    )
