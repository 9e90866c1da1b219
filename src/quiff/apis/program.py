"""An API written as a program: a plain Python function with random choices."""

import dis
import random
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, make_dataclass, replace
from functools import partial
from inspect import (
    Parameter,
    getdoc,
    isasyncgenfunction,
    iscoroutinefunction,
    isfunction,
    isgeneratorfunction,
    signature,
)
from itertools import pairwise
from types import FunctionType
from typing import Any, ClassVar, Self

from quiff.apis.base import Api, Redraws, Unit, fitted, parameter
from quiff.apis.ranges import Between, Range
from quiff.core.channel import Channel
from quiff.core.gain import Gain
from quiff.core.hyper import Hyper, hyper
from quiff.core.labels import Labels, SetLabels, as_labels, same
from quiff.core.prior import Prior
from quiff.errors import LabelError, ParameterError
from quiff.people.attribute import TOPICS
from quiff.people.histories import Histories
from quiff.people.population import Population
from quiff.programs.draws import Sampler
from quiff.programs.engine import channel_of
from quiff.programs.function import NeedsAttribute
from quiff.programs.function import Program as Run
from quiff.programs.inputs import Column, Record, Secrets
from quiff.theory.parameters import check_whole

_MOST_EXACT = 20_000  # numbers of people's channel: measuring more fractions takes minutes
Goals = Callable[[Labels], Mapping[str, Gain]]


@dataclass(frozen=True)
class Program(Api):
    """An API whose channel is that of a function; made by `quiff.program`."""

    read: tuple[str, ...] | None = fitted()
    known: Channel | None = fitted()
    topic_order: Labels | None = fitted()

    function: ClassVar[Callable[..., Any]]
    goals_on: ClassVar[Goals]
    source = "a program"

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]  # known after a run
        """The attributes that the function read, once fitted to people; before, those that its code names."""
        return _named_attributes(self.function) if self.read is None else self.read

    @property
    def _run(self) -> Run:
        return Run(self.function, self.parameters())

    def __call__(self, *run: Any, **parameters: Any) -> Any:
        """Return the API with other parameters; given a secret and draws too, run the function on them."""
        given = self.parameters()
        unknown = [name for name in parameters if name not in given]
        if unknown or len(run) not in (0, 2):
            wrong = f"has no parameter {unknown[0]!r}" if unknown else f"was given {run[0]!r}"
            has = ", ".join(given) or "none"
            raise ParameterError(f"the program {self.name!r} {wrong}; its parameters by name are: {has}")
        return self.function(*run, **given | parameters) if run else type(self)(**given | parameters)

    def fit(self, people: Population | Histories) -> Self:
        """Run the function on these people: which attributes it reads is known only then."""
        if self.read is not None:
            return self
        ready = replace(self, read=())
        labels = as_labels(["anyone"])
        while True:
            try:
                known = ready._observed(labels)
            except NeedsAttribute as need:
                read = (*ready.needs, need.name)
                labels = people.channel(*read).outputs
                topics = people.topics if TOPICS in read and isinstance(people, Population) else None
                ready = replace(self, read=read, topic_order=topics)
            else:
                return replace(ready, known=known) if ready.read else ready

    def observe(self, secrets: Labels) -> Channel:
        """Return the channel from the attributes that the function reads to what it shows."""
        if self.read is None:
            raise ParameterError(
                "which attributes the program reads is not known before it is run; take api.fit(people)"
            )
        if self.known is not None:
            if same(self.known.inputs, secrets):
                return self.known
            try:
                rows = self.known.inputs.positions(secrets)
            except LabelError:
                pass  # other people have others
            else:
                return Channel.from_kernel(secrets, self.known.outputs, self.known.kernel.take_rows(rows))
        try:
            return self._observed(secrets)
        except NeedsAttribute as need:
            raise ParameterError(
                f"here the program also reads {need.name!r}; take the API that is not fitted to other people",
                what="attribute",
                value=need.name,
            ) from None

    def goals(self, secrets: Labels) -> Mapping[str, Gain]:
        """Return what its own goals say."""
        found = type(self).goals_on(secrets)
        if not isinstance(found, Mapping):
            raise ParameterError(
                what="what goals returns", value=found, allowed="gains by name, as {name: gain}"
            )
        return found

    def channel(self, people: object) -> Channel:
        """Return the channel from people, from a mapping of labels to values, or from a list of values."""
        if not isinstance(people, Population | Histories):
            return channel_of(self._run, *Secrets.given(people))
        ready = self.fit(people)
        secret = ready.secret(people)
        return secret @ ready.observe(secret.outputs)

    def sample(self, secret: Any, seed: int, n: int | None = None) -> Any:
        """Run the function once with random draws, or n times.

        Parameters
        ----------
        secret
            What the function is given: a value, or a mapping from attributes to values.
        seed
            The same seed gives the same draws.
        n
            How many observations to draw, as a list; None is one.
        """
        if isinstance(secret, Population | Histories):
            raise ParameterError("sample() takes one secret; for people, take program.channel(people)")
        run, draw = self._run, Sampler(random.Random(check_whole("seed", seed, 0)))  # noqa: S311 - a simulation
        given = Record.of(secret) if isinstance(secret, Mapping) else secret
        return (
            run.run(given, draw)
            if n is None
            else [run.run(given, draw) for _ in range(check_whole("n", n, 0))]
        )

    def hypers(self, prior: Prior, people: object = None) -> tuple[Hyper, ...]:
        """Return what an adversary knows after 0, 1, 2, ... observations of a program that yields.

        Its secrets are the labels of the prior, or what these are in people or in a mapping. See
        `quiff.knowledge` for a table and a figure.

        Raises
        ------
        ParameterError
            If the program returns one observation; take `quiff.hyper`.
        """
        if not isgeneratorfunction(self.function):
            raise ParameterError(
                f"the program {self.name!r} yields nothing; take quiff.hyper(prior, program)",
                what="program",
                value=self.name,
            )
        C = self.channel(prior.labels if people is None else people)
        seen: list[Any] = list(C.outputs)
        starts = ({y: y[:k] for y in seen} for k in range(max(map(len, seen)) + 1))
        return tuple(hyper(prior, C @ Channel.deterministic(start)) for start in starts)

    def _observed(self, labels: Labels) -> Channel:
        """Return the channel from records of the attributes that were read so far."""
        made = Column.of_distinct if len(self.needs) == 1 else Column.of
        columns = {name: made(self._values(name, labels)) for name in self.needs}
        return channel_of(self._run, Secrets(columns, labels.size), labels, most_exact=_MOST_EXACT)

    def _values(self, name: str, labels: Labels) -> list[Any]:
        """Return an attribute of each secret; topics are tuples in the order of the taxonomy."""
        if isinstance(labels, SetLabels):
            names = list(labels.topics)
            return [tuple(map(names.__getitem__, row)) for row in labels.codes.tolist()]
        place = self.needs.index(name)
        values: list[Any] = list(labels) if len(self.needs) == 1 else [label[place] for label in labels]  # type: ignore[index]
        if name != TOPICS or self.topic_order is None:
            return values
        rank = {topic: position for position, topic in enumerate(self.topic_order)}
        return [tuple(sorted(value, key=rank.__getitem__)) for value in values]


def program(
    function: Callable[..., Any] | None = None,
    *,
    title: str | None = None,
    unit: Unit | str | None = None,
    redraws: Redraws = "noise",
    goals: Goals | None = None,
    ranges: Mapping[str, tuple[Any, Any]] | None = None,
) -> Any:
    """Make an API of a function ``(secret, draw, parameter=default, ...)``, with its exact channel.

    The adversary sees the returned value; of a generator, the tuple of what it yields. The function is run
    along every path of its choices, so it must be repeatable: all randomness comes from `draw`
    (`flip`, `uniform`, `sample`, `permutation`, `weighted`, `distribution`, `geometric`, `fold`). Of people
    it sees attributes, such as ``user.topics`` (a tuple in the order of the taxonomy); the API needs those
    that were read. Probabilities that are fractions make the channel exact; of people with more than 20,000
    entries floats are taken. Its docstring says what it does, and under Parameters what its parameters mean.

    Values that the function does not look at are not enumerated. Where it might tell such a value from a real
    one, quiff notices and runs every path instead; only an identity test (``is``) in another module, on few
    of many options, may escape it. Likewise only some paths are run again to see whether the
    function is repeatable: a private generator or a clock that seldom matters may escape.

    Parameters
    ----------
    function
        The function; left out, a decorator is returned.
    title, unit, redraws
        As in `quiff.Api`: the name for people, whom an observation is about, what is drawn anew over time.
    goals
        A function from secrets (labels) to gains by name.
    ranges
        The least and the greatest value of parameters, by name.

    Returns
    -------
    Program
        The API with the defaults. Called with parameters by name it is another; ``.function`` is the
        function, ``.channel(people, a mapping or a list)`` its channel, ``.sample(secret, seed)`` a run, and
        of one that yields ``.hypers(prior)`` how knowledge grows.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Population, leakage
    >>> @program(ranges={"noise": (0, 1)})
    ... def two_topics(user, draw, noise=Fraction(1, 20)):
    ...     topics = draw.sample(user.topics, 2)
    ...     return frozenset(draw.uniform(range(1, 6)) if draw.flip(noise) else t for t in topics)
    >>> people = Population.from_sets({"Ann": {1, 2}, "Bob": {3, 4}, "Eve": {1, 2}})
    >>> leakage(people.user_prior(), two_topics.channel(people))
    Fraction(3919, 2000)
    >>> two_topics.fit(people).needs, two_topics(noise=0.5).spec
    (('topics',), 'two_topics:noise=0.5')
    >>> two_topics.sample({"topics": (1, 2)}, seed=1)
    frozenset({1, 2})

    Raises
    ------
    ParameterError
        If the function does not have this form.
    """
    if function is None:
        return partial(program, title=title, unit=unit, redraws=redraws, goals=goals, ranges=ranges)
    if not isfunction(function):
        raise ParameterError(
            what="a program", value=function, allowed="a function, written with def or lambda"
        )
    if iscoroutinefunction(function) or isasyncgenfunction(function):
        raise ParameterError(
            f"the program {function.__name__!r} is async; write it as a plain function",
            what="program",
            value=function.__name__,
            allowed="a plain function",
        )
    if not callable(goals or dict):
        raise ParameterError(what="goals", value=goals, allowed="a function from secrets to gains by name")
    made = list(_parameters(function, dict(ranges or {})))
    words = function.__name__.replace("_", " ").strip()
    described = {
        "function": staticmethod(function),
        "name": function.__name__,
        "title": title or words,
        "redraws": redraws,
        "__doc__": function.__doc__,
    }
    described |= {} if unit is None else {"unit": unit}
    described |= {"goals": Api.goals} if goals is None else {"goals_on": staticmethod(goals)}
    kind = make_dataclass(function.__name__, made, bases=(Program,), namespace=described, frozen=True)
    kind.__module__ = function.__module__  # from Python 3.12 on it would be this one
    return kind()


def _parameters(function: FunctionType, ranges: dict[str, Any]) -> Iterable[tuple[str, Any, Any]]:
    """Yield the parameters of a function behind the secret and the draws, as fields of a dataclass."""
    given = list(signature(function).parameters.values())
    placed = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    if len(given) < 2 or any(each.kind not in placed for each in given[:2]):
        raise ParameterError(
            f"the program {function.__name__!r} needs two arguments: the secret, and draw",
            what="program",
            value=function.__name__,
            allowed="the secret, and draw",
        )
    meanings = _meanings(function)
    for each in given[2:]:
        named = each.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
        if not named or each.default is Parameter.empty:
            raise ParameterError(
                f"the parameter {each.name!r} of a program needs a name and a default value",
                what="parameter",
                value=each.name,
            )
        if hasattr(Program, each.name) or each.name in Program.__dataclass_fields__:
            raise ParameterError(
                f"every API has its own {each.name!r}; give the parameter another name",
                what="parameter",
                value=each.name,
            )
        if type(each.default).__hash__ is None:
            raise ParameterError(
                f"the default of {each.name!r} can be changed; take a tuple or a frozenset",
                what="parameter",
                value=each.name,
                allowed="a tuple or a frozenset",
            )
        if each.name in ranges:
            allowed = _range(each.name, ranges.pop(each.name))
            yield each.name, Any, parameter(each.default, allowed, meanings.get(each.name, each.name))
        else:
            yield (
                each.name,
                Any,
                field(default=each.default, metadata={"meaning": meanings.get(each.name, "")}),
            )
    if ranges:
        raise ParameterError(
            f"ranges names {next(iter(ranges))!r}, which is no parameter of the program",
            what="ranges",
            value=next(iter(ranges)),
        )


def _meanings(function: FunctionType) -> dict[str, str]:
    """Return what the docstring of a function says under Parameters, by name, up to the first full stop."""
    _, _, section = (getdoc(function) or "").partition("Parameters\n----------\n")
    entries = re.split(r"^(?=\S)", section.partition("\n\n")[0], flags=re.MULTILINE)
    texts = (entry.partition("\n") for entry in entries if entry)
    return {name.partition(" ")[0]: " ".join(text.split()).rstrip(".") for name, _, text in texts}


def _range(name: str, ends: object) -> Range:
    """Return the range of a program's parameter, which may be its two ends."""
    if isinstance(ends, Range):
        return ends
    if not isinstance(ends, tuple | list) or len(ends) != 2:
        raise ParameterError(
            f"the range of {name!r} is (least, greatest)",
            what="the range",
            where=None,
            allowed="(least, greatest)",
        )
    return Between(*ends)


def _named_attributes(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the attributes of the secret that the code of a function names, in their order."""
    steps = list(dis.get_instructions(function))
    secret = next(iter(signature(function).parameters))
    return tuple(
        dict.fromkeys(
            str(after.argval)
            for before, after in pairwise(steps)
            if before.opname.startswith(("LOAD_FAST", "LOAD_DEREF"))
            and before.argrepr.split(", ")[-1] == secret
            and after.opname in ("LOAD_ATTR", "LOAD_METHOD")
        )
    )
