"""What every study has in common: people and APIs are checked, and what a result rests on is noted, once.

A study is a function that returns `Findings`; `@study` makes of it one that returns a `Result`, which is read
by the layout that stands beside it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass, replace
from fractions import Fraction
from functools import wraps
from inspect import BoundArguments, Parameter, signature
from typing import Any, ParamSpec, final

from quiff import commands
from quiff.apis.base import Api, Unit, checked_api, checked_people
from quiff.apis.described import ApiWords
from quiff.apis.registry import apis, default_apis
from quiff.commands import Group
from quiff.core.prior import Prior
from quiff.errors import ParameterError, QuiffError, SizeError
from quiff.people.digest import digest
from quiff.people.population import Population
from quiff.results.layout import LAYOUTS, Layout
from quiff.results.result import PerUser, Provenance, Result
from quiff.results.rows import Row, Rows
from quiff.results.saved import READERS
from quiff.studies.words import population_words, shared_words

READERS.update(api=ApiWords.of_record, unit=lambda record: Unit(**record))
_Arguments = ParamSpec("_Arguments")


@final
@dataclass(frozen=True)
class Findings:
    """What a study found: rows, and what goes with them.

    Attributes
    ----------
    rows
        Every number.
    notes, warnings
        Those of this study; those of people and APIs are added.
    words
        What its layout puts into words and is no number of a row, beside the study's own settings, ``users``
        and what else `shared_words` has.
    payload, per_user
        As in `Result`.
    seed
        The random seed, if something was drawn.
    people, apis
        Whom and what it was about, where the arguments do not say it.
    population
        Who was measured in counts, where there are no people.
    sources
        Documents that it rests on beside those of the APIs.
    stages
        What stages are called that the APIs have no names for.
    parts
        Other results beside it.
    """

    rows: Iterable[Row]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    words: Mapping[str, Any] = field(default_factory=dict)
    payload: Any = None
    per_user: PerUser | None = None
    seed: int | None = None
    people: Population | None = None
    apis: tuple[Api, ...] | None = None
    population: Mapping[str, Any] | None = None
    sources: tuple[str, ...] = ()
    stages: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, Result] = field(default_factory=dict)


def study(
    layout: Layout,
    *,
    default: bool = True,
    genuine: str = "",
    command: str | None = None,
    group: Group = "people",
    memory: float = 2.0,
) -> Callable[[Callable[_Arguments, Findings]], Callable[_Arguments, Result]]:
    """Make a study of a function that returns findings, and register its layout.

    The argument ``people`` is checked; so are ``api`` and ``apis``, and filled in if they are missing.

    Parameters
    ----------
    layout
        How its rows are read.
    default
        Whether a missing API is the default one of these people.
    genuine
        The table that is shown of the users without filled-in topics, too, where there are some.
    command, group, memory
        Its command, if it has one, as for `quiff.commands.command`.
    """
    registered = commands.command(command or "", group=group, memory=memory)

    def made(function: Callable[_Arguments, Findings]) -> Callable[_Arguments, Result]:
        module, name, form = function.__module__.rpartition(".")[2], function.__name__, signature(function)
        key = f"{module}:{name}"
        LAYOUTS[key] = layout

        @wraps(function)
        def run(*args: _Arguments.args, **options: _Arguments.kwargs) -> Result:
            bound = form.bind(*args, **options)
            call = f"quiff.{name}({', '.join(_call(form.parameters, bound))})"
            _check(bound, form.parameters, default)
            findings = function(*bound.args, **bound.kwargs)
            result = _result(key, findings, bound, call)
            return _with_genuine(result, run, bound, genuine) if genuine else result

        return registered(run) if command else run

    return made


def _call(form: Mapping[str, Parameter], bound: BoundArguments) -> Iterator[str]:
    """Yield the arguments as a call writes them; people and what else Python cannot write, by name."""
    for name, value in bound.arguments.items():
        parameter = form[name]
        if parameter.kind is Parameter.VAR_POSITIONAL:
            yield from ("people" if isinstance(entry, Population) else repr(entry) for entry in value)
        elif parameter.kind is Parameter.VAR_KEYWORD:
            yield from (f"{key}={entry!r}" for key, entry in value.items())
        elif repr(value) != repr(parameter.default):  # frames do not compare
            text = repr(value)
            text = name if "<" in text or "\n" in text else text
            first = parameter.default is Parameter.empty and parameter.kind is not Parameter.KEYWORD_ONLY
            yield text if first else f"{name}={text}"


def _check(bound: BoundArguments, form: Mapping[str, Parameter], default: bool) -> None:
    """Check people and APIs among the arguments, and fill in those that are measured by default."""
    arguments = bound.arguments
    people = arguments.get("people")
    checked = "people" in form and form["people"].annotation is not object  # who may be something else
    if checked and (people is not None or form["people"].default is Parameter.empty):
        arguments["people"] = people = checked_people(people)
    if "apis" in form and default and isinstance(people, Population):
        arguments["apis"] = distinct_apis(arguments.get("apis", ())) or default_apis(people)
    elif "api" in form and (default or arguments.get("api") is not None):
        api = arguments.get("api")
        if api is None and isinstance(people, Population) and form["api"].default is None:
            api = default_apis(people)[-1]
        arguments["api"] = checked_api(api)


def distinct_apis(apis: Iterable[Any]) -> tuple[Api, ...]:
    """Return the APIs, each of which is there once.

    Raises
    ------
    ParameterError
        If one is no API, or there twice.
    """
    checked = tuple(map(checked_api, apis))
    specs = [api.spec for api in checked]
    twice = next((spec for spec in specs if specs.count(spec) > 1), None)
    if twice is not None:
        raise ParameterError(
            f"the API {twice!r} is there twice; name each once", what="api", value=twice, allowed="each once"
        )
    return checked


def _result(key: str, findings: Findings, bound: BoundArguments, call: str) -> Result:
    """Return the result with notes and warnings of people and APIs, names, and what it rests on."""
    arguments = bound.arguments
    people = findings.people if findings.people is not None else arguments.get("people")
    people = people if isinstance(people, Population) else None
    apis = findings.apis
    if apis is None:
        alone = arguments.get("api")
        apis = arguments.get("apis", ()) if alone is None else (alone,)
    rows = Rows(findings.rows)
    stages = rows.by("api", "stage")
    population = findings.population if people is None else population_words(people)
    given = {name: parameter.default for name, parameter in bound.signature.parameters.items()} | arguments
    settings = {name: value for name, value in given.items() if _is_plain(value)}
    return Result(
        key,
        rows,
        {
            api.spec: ApiWords.of(api, [stage for spec, stage in stages if spec == api.spec], findings.stages)
            for api in apis
        },
        population,
        {**settings, **shared_words(population, apis), **findings.words},
        (*(() if people is None else people.notes), *findings.notes),
        findings.warnings,
        Provenance(
            call,
            "" if people is None else digest(people),
            findings.seed,
            {api.spec: api.parameters() for api in apis},
            tuple(dict.fromkeys((*findings.sources, *(api.source for api in apis if api.source)))),
            understood="" if people is None else people.understood,
        ),
        as_records(findings.payload),
        findings.per_user,
        findings.parts,
    )


def _is_plain(value: Any) -> bool:
    """Whether an argument is a setting, which layouts may put into words."""
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float | Fraction)


def as_records(payload: Any) -> Any:
    """Return a payload with mappings in place of dataclasses, as it comes back from JSON."""
    if is_dataclass(payload) and not isinstance(payload, type):
        return {entry.name: as_records(getattr(payload, entry.name)) for entry in fields(payload)}
    if isinstance(payload, Mapping):
        return {key: as_records(entry) for key, entry in payload.items()}
    if isinstance(payload, list | tuple):
        return type(payload)([as_records(entry) for entry in payload])
    return payload


def _with_genuine(result: Result, run: Callable[..., Result], bound: BoundArguments, table: str) -> Result:
    """Return the result with the same of the users without filled-in topics, where there are some."""
    people, filled = bound.arguments["people"], bound.arguments["people"].filled
    apis = bound.arguments.get("apis", (bound.arguments.get("api"),))
    on_topics = tuple(api for api in apis if "topics" in api.needs)
    if filled is None or not filled.filled_sets or not filled.genuine_users or not on_topics:
        return result
    arguments = bound.arguments | ({"apis": on_topics} if "apis" in bound.arguments else {})
    try:
        asked = BoundArguments(bound.signature, arguments | {"people": people.genuine()})
        other = run(*asked.args, **asked.kwargs)
    except (ParameterError, SizeError) as error:  # nobody of them has a weight, or they change the plan
        note = f"The users without filled topics are not measured: {error}"
        return replace(result, notes=(*result.notes, note))
    rows = Rows(replace(row, scope="genuine") for row in other.rows if row.scope == "people")
    words = {**other.words, "among": f" of the {other.words['users']} without filled topics"}
    part = replace(
        other, rows=rows, words=words, notes=(), warnings=(), parts={}, per_user=None, only=(table,)
    )
    return replace(result, parts={**result.parts, "genuine": part})


def registered_api(spec: str, result: Result) -> Api | None:
    """Return an API of a result, as the registry has it; None if it has not.

    A spec may name a file, and one of a saved result is never run.
    """
    name = spec.partition(":")[0]
    if name not in apis() or result.provenance is None:
        return None
    with suppress(TypeError, KeyError, QuiffError):  # a saved result may hold anything
        return apis()[name](**result.provenance.parameters[spec])
    return None


def names_of(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return names, of which one may be given alone."""
    names = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else None
    if names is None or not all(isinstance(name, str) for name in names):
        raise ParameterError(what="an attribute", value=given, allowed="a name, or several")
    return names


def checked_priors(given: object) -> dict[str, Prior]:
    """Return priors by their names, which are not those that every measurement has."""
    priors = {} if given is None else given
    if not isinstance(priors, Mapping) or not all(isinstance(prior, Prior) for prior in priors.values()):
        raise ParameterError("priors are expected by name, as priors={'published': Prior(...)}")
    taken = next((name for name in priors if name in ("population", "uniform")), None)
    if taken is not None:
        raise ParameterError(
            f"the prior {taken!r} is measured anyway; give yours another name", what="priors", value=taken
        )
    return dict(priors)


def known_note(known: tuple[str, ...]) -> tuple[str, ...]:
    """Return a note on what the adversary already knows, if anything."""
    if not known:
        return ()
    return (f"The adversary already knows of the user: {', '.join(known)}. All else is given that.",)


def left_out(people: Population, apis: tuple[Api, ...]) -> tuple[str, ...]:
    """Return a note on what is measured by default of other people, but not of these."""
    if not people.merged or apis != default_apis(people):
        return ()
    return ("Third-party cookies are not measured: single users are not known, only distinct sets.",)


def assumed(people: Population, apis: Iterable[Api]) -> tuple[str, ...]:
    """Return warnings of what APIs take for granted of these people, with what it changes."""
    there = (api for api in apis if set(api.needs) <= set(people.attributes))
    return tuple(words for api in there for words in api.warnings(people))
