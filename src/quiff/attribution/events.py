"""Files of events and configurations in the format of the group's own end-to-end tests, and their play."""

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import inf, isfinite
from typing import Any, NamedTuple, final

from quiff.attribution.browser import Browser, Report
from quiff.attribution.options import CallError, Config
from quiff.attribution.rules import DRAFT, Rules
from quiff.errors import ParameterError, counted, first_line
from quiff.io import StrPath, as_path
from quiff.io.blocks import small_file
from quiff.theory.adaptivity import laplace_above

_LAST_SECOND = 8_640_000_000_000  # of the wall clock of browsers
_UNSIGNED, _LONG = (0, 2**32 - 1), (-(2**31), 2**31 - 1)
_COMMENT = "$comment"


def _whole(low: int, high: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise ValueError(f"must be a whole number from {low} to {high}")
        return value

    return read


def _number(value: Any) -> float:
    small = isinstance(value, float) or (isinstance(value, int) and abs(value) < 2**1023)
    if isinstance(value, bool) or not small or not isfinite(value):
        raise ValueError("must be a finite number")
    return float(value)


def _share(value: Any) -> float:
    if not 0 <= _number(value) < 1:
        raise ValueError("must be a number from 0 to below 1")
    return float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be text")
    return value


def _yes_or_no(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _list(read: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    def read_all(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise ValueError("must be a list")
        return tuple(map(read, value))

    return read_all


def _anything(value: Any) -> Any:
    return value


def _services(value: Any) -> tuple[str, ...]:
    if not isinstance(value, dict):
        raise ValueError("must be an object of services by their addresses")
    return tuple(value)


_u32, _sites = _whole(*_UNSIGNED), _list(_text)
_IMPRESSION: dict[str, Callable[[Any], Any]] = {
    "histogramIndex": _u32,
    "matchValue": _u32,
    "conversionSites": _sites,
    "conversionCallers": _sites,
    "lifetimeDays": _u32,
    "priority": _whole(*_LONG),
}
_CONVERSION: dict[str, Callable[[Any], Any]] = {
    "aggregationService": _text,
    "histogramSize": _u32,
    "epsilon": _number,
    "lookbackDays": _u32,
    "matchValues": _list(_u32),
    "impressionSites": _sites,
    "impressionCallers": _sites,
    "credit": _list(_number),
    "value": _u32,
    "maxValue": _u32,
}
_SECONDS = {"event": _text, "seconds": _whole(1, _LAST_SECOND)}
_CONDITION: dict[str, Callable[[Any], Any]] = {"conversion": _u32, "bucket": _u32, "above": _number}
_EVENTS: dict[
    str, tuple[dict[str, Callable[[Any], Any]], set[str]]
] = {  # fields, and those that may be missing
    "saveImpression": (
        {
            "site": _text,
            "intermediarySite": _text,
            "options": _anything,
            "expectedError": _anything,
            "when": _anything,
        },
        {"intermediarySite", "expectedError", "when"},
    ),
    "measureConversion": (
        {
            "site": _text,
            "intermediarySite": _text,
            "options": _anything,
            "expected": _anything,
            "when": _anything,
        },
        {"intermediarySite", "expected", "when"},
    ),
    "clearImpressionsForSite": ({"site": _text}, set()),
    "clearBrowsingHistoryForAttribution": ({"sites": _sites, "forgetVisits": _yes_or_no}, set()),
    "enableAPI": ({}, set()),
    "disableAPI": ({}, set()),
}
_LIMITED = {
    "max_histogram_size": (1, 65_536),
    "max_lookback_days": (1, 3_650),
    "max_credit_size": (1, 10_000),
    "privacy_budget_epoch_days": (1, 3_650),
}
_KINDS: dict[str, Callable[[Any], Any]] = {
    "aggregation_services": _services,
    "epoch_start": _share,
    "fairly_allocate_credit_fraction": _share,
} | {name: _whole(*limits) for name, limits in _LIMITED.items()}


class Condition(NamedTuple):
    """On what an event depends: that a bucket of an earlier conversion's noisy result is above a number.

    Conversions are numbered from 0, in the order of the file. It is the one field that the group's files do
    not have, ``when``: a site that acts on what it learnt.
    """

    conversion: int
    bucket: int
    above: float


@final
@dataclass(frozen=True)
class Event:
    """One event of a file: its name, when it happens, its fields, and its options as Python names them."""

    name: str
    seconds: int
    fields: Mapping[str, Any]
    options: Mapping[str, Any]
    when: Condition | None = None

    @property
    def expected(self) -> Any:
        """What the file expects: a histogram, the name of an error, or None where it does not say."""
        expected = self.fields.get("expected", self.fields.get("expectedError"))
        return expected.get("name") if isinstance(expected, dict) else expected


class Step(NamedTuple):
    """What came of an event: a report, the name of an error, or neither; its condition may not have held."""

    event: Event
    report: Report | None
    error: str | None
    happened: bool = True

    @property
    def outcome(self) -> str | list[int] | None:
        """The histogram, or the name of the error."""
        return self.error if self.report is None else self.report.histogram

    @property
    def kind(self) -> str:
        """An impression, a clearing, an error, or a conversion: one that released something, or zeros."""
        if not self.happened:
            return "left out"
        if self.error:
            return "error"
        if self.report:
            return "released" if any(self.report.histogram) else "zeros"
        return "impression" if self.event.name == "saveImpression" else "clearing"


def read_events(path: StrPath) -> tuple[tuple[Event, ...], Config | None]:
    """Read a file of events, and its own configuration if it has one.

    Raises
    ------
    ParameterError
        If it is no such file; the message says where and why, in one line.
    """
    return events_from(_read(path), str(path))


def events_from(data: Any, name: str = "events") -> tuple[tuple[Event, ...], Config | None]:
    """Take events, and a configuration if there is one, from the content of a file.

    Examples
    --------
    >>> events, config = events_from({"events": [{"seconds": 1, "event": "disableAPI"}]})
    >>> events[0].name, config
    ('disableAPI', None)
    """
    known = _fields(data, {"events": _list(_anything), "config": _anything}, {"config"}, repr(name))
    events = []
    last = 0
    for place, each in enumerate(known["events"]):
        where = f"{name!r}, event {place}"
        event = _event(each, where)
        if event.seconds <= last:
            raise ParameterError(
                f"seconds {event.seconds} is not after {last}; times must increase", where=where
            )
        last = event.seconds
        events.append(event)
    config = config_from(known["config"], f"{name}, config") if "config" in known else None
    return tuple(events), config


def read_config(path: StrPath) -> Config:
    """Read a file with a configuration; what it does not say is as in the group's own."""
    return config_from(_read(path), str(path))


def config_from(data: Any, name: str = "config") -> Config:
    """Take a configuration from the content of a file.

    Examples
    --------
    >>> config_from({"perSitePrivacyBudget": 2000000}).per_site_privacy_budget
    2000000
    """
    kinds = {_camel(each.name): _KINDS.get(each.name, _whole(0, 2**53)) for each in fields(Config)}
    read = _fields(data, kinds, set(kinds), repr(name))
    return replace(Config(), **{_snake(key): value for key, value in read.items()})


def play(
    events: tuple[Event, ...],
    config: Config | None = None,
    rules: Rules = DRAFT,
    *,
    seed: int | None = None,
) -> tuple[list[Step], Browser]:
    """Play events on a new browser; return what came of each, and the browser as it is after them.

    Whether a noisy result is above a number is drawn, with the Laplace noise that the draft expects.
    """
    browser, rng = Browser(config, rules, seed=seed), random.Random(seed)  # noqa: S311 - a model
    return list(steps(browser, events, lambda _, p: rng.random() < p)), browser


def steps(
    browser: Browser, events: tuple[Event, ...], holds: Callable[[Condition, float], bool]
) -> Iterator[Step]:
    """Yield what comes of each event; `holds` says whether a condition of some probability holds."""
    reports: list[tuple[Sequence[int], float]] = []
    for place, event in enumerate(events):
        if event.when is not None and not holds(event.when, _probability(event.when, reports, place)):
            if event.name == "measureConversion":
                reports.append((zeros(event, browser), scale_of(event)))
            yield Step(event, None, None, happened=False)
            continue
        try:
            report = _happens(browser, event)
            if report is not None:
                reports.append((report.histogram, scale_of(event)))
            yield Step(event, report, None)
        except CallError as error:
            if event.name == "measureConversion":
                reports.append(((), inf))
            yield Step(event, None, error.name)
        except ParameterError as error:
            raise ParameterError(str(error), where=f"event {place}") from error


def zeros(event: Event, browser: Browser) -> tuple[int, ...]:
    """Return the histogram of a conversion that did not happen; one that may not be asked for has none."""
    size = int(event.options["histogram_size"])
    return (0,) * (size if size <= browser.config.max_histogram_size else 0)


def scale_of(event: Event) -> float:
    """Return the scale of the noise of a conversion, 2 maxValue/epsilon."""
    epsilon = event.options.get("epsilon", 1.0)
    return float(2 * event.options.get("max_value", 1) / epsilon) if epsilon > 0 else inf


def _probability(when: Condition, reports: Sequence[tuple[Sequence[int], float]], place: int) -> float:
    """Return the probability that the noisy result of an earlier conversion is above a number."""
    if when.conversion >= len(reports) or when.bucket >= len(reports[when.conversion][0]):
        raise ParameterError(
            f"it depends on bucket {when.bucket} of conversion {when.conversion}, which is not before it",
            what="when",
            value=when,
            where=f"event {place}",
        )
    histogram, scale = reports[when.conversion]
    return laplace_above(when.above - histogram[when.bucket], 1 / scale)


def _happens(browser: Browser, event: Event) -> Report | None:
    now, known = event.seconds, event.fields
    match event.name:
        case "saveImpression":
            browser.save_impression(now, known["site"], known.get("intermediarySite"), **event.options)
        case "measureConversion":
            return browser.measure_conversion(
                now, known["site"], known.get("intermediarySite"), **event.options
            )
        case "clearImpressionsForSite":
            browser.clear_impressions_for_site(now, known["site"])
        case "clearBrowsingHistoryForAttribution":
            browser.clear_browsing_history(now, known["sites"], forget_visits=known["forgetVisits"])
        case _:
            browser.enabled = event.name == "enableAPI"
    return None


def _event(data: Any, where: str) -> Event:
    name = data.get("event") if isinstance(data, dict) else None
    if not isinstance(name, str) or name not in _EVENTS:
        raise ParameterError(
            f"there is no event {_quoted(name)}; there are {', '.join(_EVENTS)}", where=where
        )
    kinds, missing = _EVENTS[name]
    known = _fields(data, kinds | _SECONDS, missing, where)
    options: dict[str, Any] = {}
    if "options" in known:
        first = name == "saveImpression"
        kinds = _IMPRESSION if first else _CONVERSION
        needed = {"histogramIndex"} if first else {"aggregationService", "histogramSize"}
        read = _fields(known["options"], kinds, set(kinds) - needed, f"{where}, options")
        options = {_snake(key): value for key, value in read.items()}
    when = None
    if "when" in known:
        when = Condition(**_fields(known["when"], _CONDITION, set(), f"{where}, when"))
    return Event(name, known["seconds"], known, options, when)


def _fields(
    data: Any, kinds: Mapping[str, Callable[[Any], Any]], missing: set[str], where: str
) -> dict[str, Any]:
    """Return the fields of an object, each read by its kind; comments go."""
    if not isinstance(data, dict):
        raise ParameterError(f"must be an object, not {_quoted(data)}", where=where)
    for key in data:
        if key not in kinds and key != _COMMENT:
            raise ParameterError(f"unknown field {_quoted(key)}; there are {', '.join(kinds)}", where=where)
    for key in kinds:
        if key not in data and key not in missing:
            raise ParameterError(f"the field {key!r} is missing", where=where)
    found = {}
    for key, value in data.items():
        if key != _COMMENT:
            try:
                found[key] = kinds[key](value)
            except ValueError as error:
                raise ParameterError(f"{key} {error}, not {_quoted(value)}", where=where) from None
    return found


def _quoted(value: Any) -> str:
    """Return a value as a message quotes it, cut where it is long."""
    if isinstance(value, list | dict):
        return f"{'a list' if isinstance(value, list) else 'an object'} with {counted(len(value), 'element')}"
    if isinstance(value, int) and abs(value) >= 10**40:
        return "a huge number"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _read(path: StrPath) -> Any:
    name, content = repr(str(path)), small_file(as_path(path))
    try:
        return json.loads(content.decode("utf-8-sig"))
    except RecursionError:
        raise ParameterError(f"{name} is nested too deeply for a file of events") from None
    except ValueError as error:  # of JSON, of UTF-8, or a number of thousands of digits
        raise ParameterError(f"{name} is not JSON: {first_line(error).partition('; use sys')[0]}") from None


def _snake(name: str) -> str:
    return re.sub("([A-Z])", r"_\1", name).lower()


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))
