"""What an API is called, how it observes and what is known of it, without the API itself."""

import inspect
import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from types import MappingProxyType
from typing import Any, final

from quiff.apis.base import Api, Limit, Unit, all_limits, in_a_month, parameters_of

_COMMON = "No goal of its own; those on attributes of people, such as a topic of the user, are measured."


@final
@dataclass(frozen=True)
class ApiWords:
    """What an API is called and how it observes, under the names that the API itself has for them."""

    spec: str
    title: str
    name: str
    sees: str
    settings: str
    unit: Unit
    family: str
    status: str
    needs: tuple[str, ...]
    observer_knows_who: bool
    redraws: str
    visit: str
    shown_at_first: int
    month: int | None
    stages: Mapping[str, str]
    source: str = ""
    shelf: str = "alive"
    called: str = ""

    def stage_title(self, stage: str) -> str:
        """Return what a stage is called."""
        return self.stages.get(stage, stage)

    @classmethod
    def of(
        cls, api: Api, stages: Iterable[str] = (), titles: Mapping[str, str] = MappingProxyType({})
    ) -> "ApiWords":
        """Return the words of an API, with the titles of some of its stages."""
        made = ("needs", "month", "stages")
        own = {entry.name: getattr(api, entry.name) for entry in fields(cls) if entry.name not in made}
        listed = {stage: titles.get(stage) or api.stage_title(stage) for stage in stages if stage}
        return cls(**own, needs=tuple(api.needs), month=in_a_month(api), stages=listed)

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> "ApiWords":
        """Return what a record of JSON holds."""
        return cls(**{**record, "unit": Unit(**record["unit"]), "needs": tuple(record["needs"])})


@final
@dataclass(frozen=True)
class ParameterFacts:
    """What is known of a parameter."""

    default: Any
    range: str
    meaning: str
    source: str


@final
@dataclass(frozen=True)
class ApiFacts:
    """What is known of an API: commands and the site show it; limits are those of its defaults, or as given.

    Examples
    --------
    >>> from quiff.apis.registry import api_class
    >>> facts = ApiFacts.of("topics", api_class("topics"))
    >>> facts.parameters["noise"].default, facts.parameters["noise"].range
    (0.05, '0 to 1')
    >>> facts.family, round(facts.limits["epsilon"].value, 3)
    ('interests', 7.191)
    """

    name: str
    title: str
    family: str
    status: str
    shelf: str
    ended: str
    unit: Unit
    needs: tuple[str, ...]
    parameters: Mapping[str, ParameterFacts]
    sees: str
    observer_knows_who: bool
    mechanism: str
    limits: Mapping[str, Limit]
    goals: str
    assumptions: tuple[str, ...]
    open_points: tuple[str, ...]
    remarks: tuple[str, ...]
    source: str

    @classmethod
    def of(cls, name: str, api: type[Api] | Api) -> "ApiFacts":
        """Return what is known of an API; of a class with parameters that have no default, no limits."""
        kind, one = (api, _default(api)) if isinstance(api, type) else (type(api), api)
        limits = () if one is None else tuple(limit for limit in all_limits(one) if not limit.stage)
        made = ("name", "needs", "parameters", "mechanism", "limits", "goals", "remarks")
        return cls(
            name=name,
            needs=tuple(kind.needs if one is None else one.needs),
            parameters={
                each.name: ParameterFacts(
                    None if each.default is MISSING else each.default,
                    str(each.metadata.get("range", "")),
                    each.metadata.get("meaning", ""),
                    getattr(each.metadata.get("range"), "source", ""),
                )
                for each in parameters_of(kind)
            },
            mechanism=mechanism(kind),
            limits={limit.quantity: limit for limit in limits},
            goals=_goals(kind),
            remarks=() if one is None else tuple(one.remarks()),
            **{entry.name: getattr(kind, entry.name) for entry in fields(cls) if entry.name not in made},
        )


def mechanism(api: type[Api]) -> str:
    """Return how an API works: the first two sentences of its docstring's body; empty if it has none.

    >>> from quiff.apis.registry import api_class
    >>> mechanism(api_class("real_time_monitoring")).endswith("A vector is always sent.")
    True
    """
    paragraphs = (inspect.getdoc(api) or "").split("\n\n")
    body = " ".join(paragraphs[1].split()) if len(paragraphs) > 1 else ""
    return " ".join(re.split(r"(?<=\.) (?=[A-Z])", body)[:2])


def _goals(api: type[Api]) -> str:
    """Return what a legitimate receiver learns, as the API itself says it."""
    if api.goals is Api.goals:
        return _COMMON
    words = (inspect.getdoc(api.goals) or "").split("\n\n")[0].removeprefix("Return ")
    return words[:1].upper() + words[1:]


def _default(api: type[Api]) -> Api | None:
    """Return an API with its defaults; None if a parameter has none."""
    try:
        return api()
    except TypeError:
        return None
