"""All APIs by name, what the text of ``--api`` stands for, and what is measured where none is named."""

import difflib
import re
import sys
from collections.abc import Callable, Hashable
from dataclasses import MISSING
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any
from warnings import warn

from quiff.apis.base import Api, parameters_of
from quiff.apis.cookies import Cookies
from quiff.apis.ranges import value_of
from quiff.apis.taxonomy import topics_for
from quiff.apis.topics import TopicsAPI
from quiff.errors import ParameterError, QuiffError, described
from quiff.people.population import Population
from quiff.theory.parameters import Real

# Where each API stands; a module is loaded when its API is asked for.
_APIS = MappingProxyType(
    {
        "cookies": "quiff.apis.cookies:Cookies",
        "topics": "quiff.apis.topics:TopicsAPI",
        "fitted": "quiff.apis.fitted:FittedAPI",
        "android_topics": "quiff.apis.android_topics:AndroidTopics",
        "floc": "quiff.apis.floc:FLoC",
        "parakeet": "quiff.apis.parakeet:Parakeet",
        "noisy_ranking": "quiff.apis.parakeet:NoisyRanking",
        "partitioned_cookies": "quiff.apis.cookies:PartitionedCookies",
        "event_level": "quiff.apis.event_level:EventLevel",
        "aggregatable": "quiff.apis.noisy_histogram:AggregatableReports",
        "aggregatable_existence": "quiff.apis.noisy_histogram:AggregatableExistence",
        "private_aggregation": "quiff.apis.noisy_histogram:PrivateAggregation",
        "ipa": "quiff.apis.noisy_histogram:InteroperablePrivateAttribution",
        "w3c_attribution": "quiff.apis.noisy_histogram:W3CAttribution",
        "private_click_measurement": "quiff.apis.click_measurement:PrivateClickMeasurement",
        "ad_attribution_kit": "quiff.apis.click_measurement:AdAttributionKit",
        "select_url": "quiff.apis.select_url:SelectURL",
        "win_signals": "quiff.apis.protected_audience:WinSignals",
        "real_time_monitoring": "quiff.apis.protected_audience:RealTimeMonitoring",
        "k_anonymity_status": "quiff.apis.protected_audience:KAnonymityStatus",
    }
)
WITHOUT_CHANNEL = MappingProxyType(
    {
        "MaCAW": "it is PARAKEET's request and then a two-party computation, of which no source states a"
        " parameter or a distribution (WICG/privacy-preserving-ads at 238b224); see parakeet"
    }
)
"""Proposals that are known and not measured, and why."""

_GROUP = "quiff.apis"  # the entry points by which installed packages add APIs
OWN_MODULE = "quiff_api_"
"""What the name of a module from a file of one's own begins with."""

_FILE = re.compile(r"(?P<file>.+?\.py):(?P<rest>.+)")
_AND = re.compile(r"\+(?=[A-Za-z_.~/\\])")  # but not the sign in 1e+5


@cache
def apis() -> dict[str, type[Api]]:
    """Return every known API by name: quiff's own, and those that installed packages add.

    >>> list(apis())[:2]
    ['cookies', 'topics']
    """
    known = {name: _loaded(place) for name, place in _APIS.items()}
    for point in entry_points(group=_GROUP):
        if point.name in known:
            continue
        try:
            made = point.load()
            if not (isinstance(made, type) and issubclass(made, Api)):
                raise TypeError(f"{point.value} is no class of APIs")
        except (Exception, SystemExit) as error:  # of somebody else's package
            package = point.dist.name if point.dist else point.value
            warn(
                f"the API {point.name!r} of the package {package!r} is left out, for it cannot be loaded:"
                f" {described(error)}; mend or uninstall the package",
                stacklevel=2,
            )
        else:
            known[point.name] = made
    return known


def api_from(spec: str) -> Api:
    """Return the API that a text stands for, as ``--api`` takes it.

    It is ``NAME``, ``NAME:parameter=value,...``, or ``FILE.py:NAME`` for one's own, whose file is run;
    several with ``+`` between them are seen by one observer.

    Examples
    --------
    >>> api_from("topics:noise=1/10,top_s=3")
    TopicsAPI(n_topics=349, top_s=3, noise=Fraction(1, 10))
    >>> api_from("topics:noize=0.1")
    Traceback (most recent call last):
    quiff.errors.ParameterError: the API 'topics' has no parameter 'noize'; did you mean 'noise'?
    >>> api_from("topic")
    Traceback (most recent call last):
    quiff.errors.ParameterError: there is no API 'topic'; did you mean 'topics'? (see quiff apis)

    Raises
    ------
    ParameterError
        If there is no such API or parameter, or a value is out of range.
    QuiffError
        If a file cannot be run, or has no such API.
    """
    if not isinstance(spec, str):
        raise ParameterError(
            f"a text such as 'topics:noise=0.1' was expected, not {type(spec).__name__}",
            what="an API",
            value=spec,
        )
    parts = _parts(spec)
    if len(parts) == 1:
        return _one(spec)
    from quiff.apis.together import Together

    return Together(*map(_one, parts))


def _parts(spec: str) -> list[str]:
    """Split a text at each + between two APIs, but not in the name of a file that is there."""
    file = _FILE.match(spec)
    cut = _AND.search(spec, file.end("file") if file and Path(file["file"]).is_file() else 0)
    return [spec] if cut is None else [spec[: cut.start()], *_parts(spec[cut.end() :])]


def _one(spec: str) -> Api:
    file = _FILE.match(spec)
    name, _, given = (file["rest"] if file else spec).partition(":")
    made = _from_file(Path(file["file"]), name) if file else api_class(name)
    assigned = [_assignment(part, spec) for part in _assignments(given, spec)] if given else []
    values = dict(assigned)
    if len(values) < len(assigned):
        twice = next(name for k, (name, _) in enumerate(assigned) if name in dict(assigned[:k]))
        raise ParameterError(
            f"{spec!r} has the parameter {twice!r} twice; give it once", what=twice, value=spec
        )
    if isinstance(made, Api):
        if not values:
            return made
        values, made = made.parameters() | _checked(type(made), values), type(made)
    checked = _checked(made, values)
    missing = [each.name for each in parameters_of(made) if _required(each) and each.name not in checked]
    if missing:
        raise ParameterError(
            f"the API {made.name!r} needs {missing[0]}, as in {made.name}:{missing[0]}=...",
            what="parameter",
            value=missing[0],
        )
    try:
        return made(**checked)
    except QuiffError:
        raise
    except Exception as error:  # of one's own class
        raise ParameterError(
            f"{spec!r} cannot be made: {described(error)}", what="api", value=spec
        ) from error


def _required(each: Any) -> bool:
    return each.default is MISSING and each.default_factory is MISSING


def api_class(name: str) -> type[Api]:
    """Return the class of an API by its name; one that is not known is an error."""
    try:
        return apis()[name]
    except KeyError:
        for proposal, why in WITHOUT_CHANNEL.items():
            if name.lower() == proposal.lower():
                raise ParameterError(
                    f"{proposal} is no channel of its own: {why}", what="api", value=proposal
                ) from None
        own = "; name the API in the file too, as in FILE.py:NAME" if name.endswith(".py") else ""
        meant = own or _meant(name, apis(), "; did you mean {!r}?")
        raise ParameterError(
            f"there is no API {name!r}{meant} (see quiff apis)", what="an API", value=name
        ) from None


def _assignments(given: str, spec: str) -> list[str]:
    """Split ``parameter=value,...`` at its commas; one inside a number is an error."""
    parts = given.split(",")
    for before, part in pairwise(parts):
        if part.isdecimal() and before[-1:].isdecimal():
            raise ParameterError(
                f"{before},{part} in {spec!r} is not understood; did you mean {before.strip()}.{part}?",
                what="api",
                value=spec,
            )
    return parts


def _assignment(part: str, spec: str) -> tuple[str, Any]:
    name, equals, text = (piece.strip() for piece in part.partition("="))
    if not equals or not name or not text:
        raise ParameterError(
            f"{part!r} in {spec!r} is not understood; write parameter=value", what=spec, value=part
        )
    return name, value_of(text)


def _checked(api: type[Api], values: dict[str, Any]) -> dict[str, Any]:
    """Return the values; one that names no parameter is an error."""
    known = [each.name for each in parameters_of(api)]
    for name in values:
        if name not in known:
            meant = _meant(name, known, "; did you mean {!r}?")
            has = f"; its parameters are {', '.join(known)}" if known and not meant else meant
            raise ParameterError(
                f"the API {api.name!r} has no parameter {name!r}{has}", what=api.name, value=name
            )
    return values


def _meant(name: str, known: Any, words: str) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return words.format(close[0]) if close else ""


def _loaded(place: str) -> type[Api]:
    module, _, name = place.partition(":")
    api: type[Api] = getattr(import_module(module), name)
    return api


def _from_file(path: Path, name: str) -> type[Api] | Api:
    """Run a user's Python file and return the API of that name: a class of APIs, or one of them."""
    module = _module(path.resolve())
    found = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, Api) or (isinstance(value, type) and issubclass(value, Api) and value is not Api)
    }
    named = {value.name: value for value in found.values() if isinstance(value, type)} | found
    if name not in named:
        has = f"; it has {', '.join(found)}" if found else ", and no other API either"
        raise QuiffError(f"{str(path)!r} has no API {name!r}{has}", what="api", value=name)
    return named[name]


@cache
def _module(path: Path) -> ModuleType:
    spec = spec_from_file_location(f"{OWN_MODULE}{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise QuiffError(f"there is no Python file {str(path)!r}", what="file", value=str(path))
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[spec.name]
        raise QuiffError(
            f"{str(path)!r} cannot be run: {described(error)}", what="file", value=str(path)
        ) from error
    return module


DEFAULT = TopicsAPI()
"""The API whose closed forms are shown where none is named."""


def default_apis(people: Population, topics: Api | None = None) -> tuple[Api, ...]:
    """Return cookies, by histories where these are known, and the Topics API with sets of the people's size.

    People without topic sets have cookies only, people who were merged to distinct sets Topics only; `topics`
    is taken instead of the latter's defaults.

    >>> [api.spec for api in default_apis(Population.from_sets({"Ann": {1, 2}, "Bob": {2, 3}}))]
    ['cookies', 'topics:top_s=2']
    """
    if topics is None and "topics" in people.attributes:
        topics = default_topics(people)
    shown = () if people.merged else (Cookies("history" if "history" in people.attributes else "user"),)
    return shown if topics is None else (*shown, topics)


def all_apis(people: Population | None = None) -> tuple[Api, ...]:
    """Return every API of the registry with its defaults; sets of topics are as large as the people's.

    One that has no defaults, as it is made for some people, is left out.

    >>> [api.spec for api in all_apis()[:2]]
    ['cookies', 'topics']
    """
    size = {} if people is None or "topics" not in people.attributes else {"top_s": people.top_s}
    made = []
    for kind in apis().values():
        own = parameters_of(kind)
        if not any(map(_required, own)):
            made.append(kind(**{each.name: size[each.name] for each in own if each.name in size}))
    return tuple(made)


def default_topics(
    people: Population,
    taxonomy: str | None = None,
    noise: Real = 0.05,
    *,
    at: Callable[[Hashable], str] | None = None,
) -> TopicsAPI:
    """Return the Topics API for the sets of some people: their size s, and a taxonomy that has their topics.

    Parameters
    ----------
    people
        The users and their sets.
    taxonomy
        The size of the taxonomy or its name, as in `TopicsAPI`; None is that of version 1.
    noise
        r.
    at
        Says in which set a topic stands, for a message; None counts the users.
    """
    return TopicsAPI(topics_for(people, taxonomy, at=at), people.top_s, noise)
