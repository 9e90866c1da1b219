"""What an API is called and how it observes, kept beside numbers without the API itself."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, final

from quiff.apis.base import Api, Unit, in_a_month


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
