"""The result of a study: rows and what they rest on; a layout reads sentences, tables and figures."""

import os
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from quiff import __version__
from quiff.errors import ParameterError
from quiff.results.columns import filled
from quiff.results.figures.figure import Figure
from quiff.results.html_page import html_text
from quiff.results.layout import Layout, layout_of, text_of
from quiff.results.numbers import capitalised, to_json
from quiff.results.quantities import QUANTITIES
from quiff.results.rows import Row, Rows
from quiff.results.table import Table

if TYPE_CHECKING:
    import pandas as pd

    from quiff.core.numbers import Number

_FIRST_ROWS = 25  # of the main table, where others wait


@final
@dataclass(frozen=True)
class Provenance:
    """What a result rests on, and how to get it again.

    Attributes
    ----------
    command
        The command, or the call in Python, that repeats it.
    digest
        The SHA-256 of the people's data; empty if there were none.
    seed
        The random seed; None if nothing was drawn.
    parameters
        The parameters of each API, by its spec.
    sources
        The documents that the APIs are described by.
    version
        That of quiff.
    understood
        How the table of people was understood, in one line; empty if there was none.
    """

    command: str
    digest: str = ""
    seed: int | None = None
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    version: str = __version__
    understood: str = ""


@final
@dataclass(frozen=True)
class PerUser:
    """Numbers of each user, by name, in the order of the users."""

    users: Any
    values: Mapping[Any, Any]

    def of(self, user: Hashable) -> dict[Any, Any]:
        """Return the numbers of one user."""
        from quiff.core.numbers import as_number

        place = self.users.position(user, "user")
        return {name: as_number(numbers[place]) for name, numbers in self.values.items()}


@final
@dataclass(frozen=True, repr=False)
class Result:
    """What a study computed. The answer comes first: sentences, then the main table, then the rest.

    Attributes
    ----------
    study
        The name of the study, by which its layout is known.
    rows
        Every number with what it is of; ``result[spec, quantity]`` gives one.
    apis
        What the APIs are called, by their specs: each has a ``title`` and titles of its stages.
    population
        Who was measured, in counts; None without people.
    words
        What else the layout puts into words.
    notes
        What was assumed, and what is not there and why.
    warnings
        What makes the numbers doubtful.
    provenance
        What the result rests on.
    payload
        What is no number of a row, such as a fitted mechanism.
    per_user
        Numbers of each user, if the study has some; they are not written to JSON.
    parts
        Other results beside this one, by name.
    only
        Which of its sentences, tables and figures are shown, by their keys; None shows all.
    aside
        Whether what it says is no part of the answer, but among what else the numbers say.

    Examples
    --------
    >>> from quiff import measure, worked_example
    >>> people, api = worked_example()
    >>> result = measure(people, api)
    >>> result[api.spec, "leakage"]
    Fraction(39, 20)
    """

    study: str
    rows: Rows = field(default_factory=Rows)
    apis: Mapping[str, Any] = field(default_factory=dict)
    population: Mapping[str, Any] | None = None
    words: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    provenance: Provenance | None = None
    payload: Any = None
    per_user: PerUser | None = None
    parts: Mapping[str, "Result"] = field(default_factory=dict)
    only: tuple[str, ...] | None = None
    aside: bool = False

    def __getitem__(self, keys: tuple[Hashable, ...]) -> "Number":
        """Return one number, by an API's spec and a quantity; further keys choose stage, goal, prior, scope.

        Without them it is that of the last stage, these people, the population's own prior and one
        observation; a capacity is that over all secrets, where it is known. Of an API with parameters the
        name alone will do where no other one has it.

        Raises
        ------
        LabelError
            If there is no such number; the message names the possible keys.
        """
        return self.row(*(keys if isinstance(keys, tuple) else (keys,))).value

    def row(self, *keys: Hashable) -> Row:
        """Return the row that some keys choose; see ``result[...]``."""
        return self.every_row.find(*keys)

    @property
    def every_row(self) -> Rows:
        """The rows, and those of the results beside it."""
        return Rows((*self.rows, *(row for part in self.parts.values() for row in part.every_row)))

    @property
    def layout(self) -> Layout:
        """How the rows are read."""
        return layout_of(self.study)

    @property
    def title(self) -> str:
        """What was asked."""
        return text_of(self.layout.title, self)

    @property
    def heading(self) -> str:
        """Who was measured, and which APIs, in a line."""
        return text_of(self.layout.heading, self)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the numbers say: the few that answer."""
        return tuple(self._say("say"))

    @property
    def further(self) -> tuple[str, ...]:
        """What else they say, for whoever wants all of it."""
        return tuple(self._say("further"))

    def _say(self, which: str) -> Iterator[str]:
        layout = self.layout
        own = layout.say if which == "say" else layout.further
        if self.aside:
            own = {} if which == "say" else {**layout.say, **layout.further}
        for key, sentences in own.items():
            answer = sentences(self) if self._shows(key) else ()
            yield from map(capitalised, filter(None, (answer,) if isinstance(answer, str) else answer or ()))
        for part in self.parts.values():
            yield from part._say(which)

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by short names, the main one first; one without rows is left out."""
        tables: dict[str, Table] = {}
        for key, table in self.layout.tables.items():
            read = table(self) if self._shows(key) else None
            tables |= read if isinstance(read, Mapping) else {} if read is None else {key: read}
        for name, part in self.parts.items():
            tables |= {_under(name, key): table for key, table in part.tables.items()}
        return {name: table for name, table in tables.items() if table.rows}

    @property
    def figures(self) -> dict[str, Callable[[], Figure]]:
        """The figures by short names, the main one first, drawn when they are called."""
        figures: dict[str, Callable[[], Figure]] = {}
        for key, chart in self.layout.charts.items():
            draw = chart.of(self) if self._shows(key) else None
            figures |= {} if draw is None else {key: draw}
        for name, part in self.parts.items():
            figures |= {_under(name, key): draw for key, draw in part.figures.items()}
        return figures

    def _shows(self, key: str) -> bool:
        return self.only is None or key in self.only

    def showing(self, *keys: str) -> "Result":
        """Return the result with only those of its sentences, tables and figures that have these keys."""
        return replace(self, only=keys)

    def without(self, *keys: str) -> "Result":
        """Return the result without those of its sentences, tables and figures that have these keys."""
        layout = self.layout
        every = {**layout.say, **layout.further, **layout.tables, **layout.charts}
        return replace(self, only=tuple(key for key in every if key not in keys and self._shows(key)))

    def joined(self, name: str, other: "Result") -> "Result":
        """Return this result with another of the same people beside it, its tables under a name."""
        return replace(self, parts={**self.parts, name: other}, per_user=other.per_user or self.per_user)

    def api_name(self, spec: str) -> str:
        """Return what an API is called here: its title, with its settings where two have the same title."""
        api, others = self.apis[spec], [other for key, other in self.apis.items() if key != spec]
        alike = api.title in [other.title for other in others]
        clear = api.called not in ("", *(other.called for other in others))
        return str(api.called if alike and clear else spec if alike else api.title)

    def stage_name(self, spec: str, stage: str) -> str:
        """Return what a stage is called here: its title, with that of the API where two share it."""
        title = self.apis[spec].stage_title(stage)
        return f"{title} ({self.api_name(spec)})" if self._stage_titles.count(title) > 1 else title

    @property
    def _stage_titles(self) -> list[str]:
        return [self.apis[spec].stage_title(stage) for spec, stage in self.rows.by("api", "stage")]

    def figure(self, name: str | None = None) -> Figure:
        """Draw a figure; the main one if none is named.

        Raises
        ------
        ParameterError
            If there is no such figure.
        """
        figures = self.figures
        if not figures:
            charts = list(self.layout.charts.values())
            why = charts[0].without if charts else "its tables are all that is shown"
            raise ParameterError(f"this result has no figure: {why}")
        chosen = next(iter(figures)) if name is None else name
        if chosen not in figures:
            raise ParameterError(
                f"there is no figure {chosen!r}; there are {', '.join(figures)}",
                what="figure",
                value=chosen,
                allowed=", ".join(figures),
            )
        return figures[chosen]()

    def to_dict(self) -> dict[str, object]:
        """Return the result for JSON; what only `from_json` needs stands behind what people look for."""
        return {
            "population": self.population,
            "rows": self.every_row.to_records(),
            "sentences": [*self.sentences, *self.further],
            "notes": list(self._of_all("notes")),
            "warnings": list(self._of_all("warnings")),
            "provenance": self.provenance,
            "payload": self.payload,
            "study": self._described(),
        }

    def _of_all(self, name: str) -> dict[str, None]:
        texts = dict.fromkeys(getattr(self, name))
        for part in self.parts.values():
            texts |= part._of_all(name)
        return texts

    def _described(self) -> dict[str, object]:
        """Return by which layout the rows are read, with the words that it needs."""
        parts = {
            name: part._described() | {"population": part.population, "payload": part.payload}
            for name, part in self.parts.items()
        }
        return {
            "name": self.study,
            "rows": len(self.rows),
            "apis": {spec: asdict(api) for spec, api in self.apis.items()},
            "words": self.words,
            "only": self.only,
            "aside": self.aside,
            "parts": parts,
        }

    def to_json(self) -> str:
        """Return the result as JSON text, numbers at full precision."""
        return to_json(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> "Result":
        """Return the result that `to_json` wrote; numbers of each user are not in it.

        Raises
        ------
        ParameterError
            If the text is no such result.
        """
        from quiff.results.saved import result_of

        return result_of(text)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the result to a JSON file, which `load` reads, and return the path."""
        from quiff.io import write_text

        return write_text(path, self.to_json() + "\n", force=force)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Result":
        """Read a result that `save` or ``--json`` wrote, of at most 256 MiB; nothing in it is run."""
        from quiff.io.blocks import small_file

        try:
            return cls.from_json(small_file(Path(path)).decode())
        except UnicodeDecodeError as error:
            raise ParameterError(
                f"{str(path)!r} cannot be read: {error}", what="the input", value=str(path)
            ) from None

    def to_pandas(self) -> "pd.DataFrame":
        """Return the rows as a pandas frame; fractions become floats, a unit its words."""
        return self.every_row.to_pandas()

    def explained(self) -> str:
        """Return for each quantity of the rows what it is, a paragraph each; of closed forms, the formula."""
        about = self.layout.about(self)  # its study has registered its quantities by then
        names = self.every_row.values("quantity")
        return "\n\n".join(self._explained(name, about.get(name, {})) for name in names)

    def _explained(self, name: str, about: Mapping[str, str]) -> str:
        quantity = QUANTITIES[name]
        rows = self.every_row.where(quantity=name)
        values = [row.value for row in (rows.where(stage="") or rows)]
        first = f"{name.replace('_', ' ')}{f' = {quantity.text(values[0])}' if len(values) == 1 else ''}"
        lines = [f"{first} ({quantity.unit})"]
        for key in ("meaning", "formula", "source", "assumes"):
            text = about.get(key, getattr(quantity, key, ""))
            if text:
                lines.append(filled(f"  {key + ':':8} {text}", " " * 11))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<{self.title}: {len(self.rows)} rows, {len(self.tables)} tables>"

    def to_text(self, *, everything: bool = True) -> str:
        """Return the answer: who was measured, what the numbers say, and the main table, in 80 columns.

        With `everything`, all sentences and tables; else long tables are cut.
        """
        lines = (*self._of_all("warnings"), *self.sentences, *(self.further if everything else ()))
        tables = list(self.tables.values())
        if not everything:
            tables = [table.head(_FIRST_ROWS, "; --all shows them") for table in tables[:1]]
        parts = (filled(self.heading), "\n".join(map(filled, lines)), *(table.to_text() for table in tables))
        return "\n\n".join(filter(None, parts))

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        lines = filter(None, (self.heading, *self.warnings, *self.sentences, *self.further))
        paragraphs = "".join(f"<p>{html_text(line)}</p>" for line in lines)
        return paragraphs + "".join(table._repr_html_() for table in self.tables.values())


def _under(name: str, key: str) -> str:
    return f"{name}-{key}" if name and key not in ("", name) else name or key
