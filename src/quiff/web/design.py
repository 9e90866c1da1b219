"""One design or two from closed forms: every number, what it means, and the difference."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite
from typing import Any, final

from quiff.apis.topics import TopicsAPI
from quiff.papers.limits import GOOGLE_ROWS, WORST_CASE_ROWS
from quiff.results.numbers import plain, shown
from quiff.results.result import Result
from quiff.results.table import Table
from quiff.studies.closed_forms import closed_forms
from quiff.theory.forms import FORMS, Form
from quiff.theory.parameters import Real
from quiff.theory.taxonomies import TAXONOMY_SIZES
from quiff.web.queries import DesignQuery, Setting

_NAMES = ("first design", "second design")


@final
@dataclass(frozen=True)
class DesignAnswer:
    """The closed forms of one design, and of a second one beside it."""

    first: Result
    second: Result | None

    @property
    def designs(self) -> tuple[Result, ...]:
        """The designs that there are."""
        return (self.first,) if self.second is None else (self.first, self.second)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as ``quiff theory --json`` has them, and all of them as text, by section."""
        return {
            "first": plain(dict(self.first.facts)),
            "second": None if self.second is None else plain(dict(self.second.facts)),
            "sections": [
                {
                    "title": title,
                    "rows": [self._row(form) for form in FORMS.values() if form.section == title],
                }
                for title in dict.fromkeys(form.section for form in FORMS.values())
            ],
        }

    def table(self) -> Table:
        """Return every number of both designs with its difference, meaning, formula and source."""
        two = self.second is not None
        columns = ("quantity", *_NAMES[: 1 + two], *(("difference",) if two else ()))
        rows = tuple(
            (q.name, *self._cells(q), q.unit, q.meaning, q.formula, q.source) for q in FORMS.values()
        )
        about = ("unit", "meaning", "formula", "source")
        return Table(self._title(), (*columns, *about), rows)

    def counting_table(self) -> Table:
        """Return the counting probabilities of the designs, one below the other."""
        columns = ("design", "users N", "who has it, all right", "raw count right", "best guess right",
                   "guess without reports")  # fmt: skip
        rows = tuple(
            (name, *point.values())
            for name, design in zip(_NAMES, self.designs, strict=False)
            for point in design.facts["counting"]
        )
        note = "Each user reports once, and has the topic with probability 1/2. Source: paper, Sec. 4.2.1."
        return Table("Counting the users who have a topic", columns, rows, (note,))

    def _cells(self, quantity: Form) -> tuple[Any, ...]:
        value = self.first.facts[quantity.quantity]
        if self.second is None:
            return (value,)
        other = self.second.facts[quantity.quantity]
        return value, other, said_difference(value, other)

    def _row(self, quantity: Form) -> dict[str, Any]:
        texts = [shown(plain(cell)) for cell in self._cells(quantity)]
        names = ("first", "second", "difference")
        return {
            "key": quantity.quantity,
            "name": quantity.name,
            **quantity.about(),
            **dict(zip(names, texts, strict=False)),
        }

    def _title(self) -> str:
        said = [
            f"{x['n_topics']} topics, sets of {x['top_s']}, noise {shown(x['noise'])}"
            for x in (design.facts for design in self.designs)
        ]
        return f"Closed forms: {' | '.join(said)}"


def answer_design(query: DesignQuery) -> DesignAnswer:
    """Evaluate the closed forms of one design or two.

    Examples
    --------
    >>> from quiff.web.queries import read_design
    >>> answer = answer_design(read_design([("topics2", "v2")]))
    >>> answer.to_dict()["sections"][1]["rows"][-1]["difference"]
    '+22.8 (+34.4 %)'
    """
    return _answer(query, _forms)


def quick_design(query: DesignQuery) -> DesignAnswer:
    """Evaluate the same, but for the chances to count all N users, which take longer than a slider waits.

    Examples
    --------
    >>> from quiff.web.queries import read_design
    >>> [point["n_users"] for point in quick_design(read_design([])).first.facts["counting"]]
    [2, 3, 4, 5, 10, 30]
    """
    return _answer(query, _quick_forms)


def _answer(query: DesignQuery, forms: Callable[[Setting, int, int], Result]) -> DesignAnswer:
    first = forms(query.first, query.n_users, query.epochs)
    second = None if query.second is None else forms(query.second, query.n_users, query.epochs)
    return DesignAnswer(first, second)


@lru_cache(maxsize=64)  # while one design is moved, the other stays
def _forms(setting: Setting, n_users: int, epochs: int) -> Result:
    api = TopicsAPI(setting.n_topics, setting.top_s, setting.noise)
    return closed_forms(api, n_users=n_users, epochs=epochs)


@lru_cache(maxsize=64)
def _quick_forms(setting: Setting, n_users: int, epochs: int) -> Result:
    found = _forms(setting, n_users, epochs)
    return replace(found, facts={**found.facts, "counting": found.facts["counting"][:6]})


def said_difference(first: Real | bool, second: Real | bool) -> str:
    """Return how the second number differs from the first, in its unit and in percent.

    Examples
    --------
    >>> said_difference(66.36, 89.16), said_difference(0.95, 0.95), said_difference(1327.2, float("inf"))
    ('+22.8 (+34.4 %)', 'the same', 'from finite to infinite')
    """
    if first == second:
        return "the same"
    if isinstance(first, bool) or isinstance(second, bool):
        return f"from {shown(first)} to {shown(second)}"
    if not (isfinite(first) and isfinite(second)):
        return "from infinite to finite" if isfinite(second) else "from finite to infinite"
    change = float(second - first)
    share = f" ({100 * change / float(first):+.3g} %)" if first else ""
    return f"{change:+.6g}{share}"


def presets() -> list[dict[str, Any]]:
    """Return designs to begin with: the Topics API's own, and the what-ifs of the paper.

    The taxonomies are those of the paper's table of theoretical limits, with the sizes that they really have.
    The others are its settings for a taxonomy of 629 topics that keep the capacity of version 1.

    Examples
    --------
    >>> [preset["name"] for preset in presets()][:2]
    ['Google Topics API v1', 'Google Topics API v2']
    """
    named = {size: name for name, size in TAXONOMY_SIZES.items()}
    found = [{"name": name, "topics": named[size], "top": 5, "noise": 0.05} for name, _, size in GOOGLE_ROWS]
    found += [
        {
            "name": f"Paper's what-if: {m} topics, sets of {s}, noise {r}",
            "topics": m,
            "top": s,
            "noise": float(r),
        }
        for m, r, s, _ in WORST_CASE_ROWS
        if m not in map(str, named)
    ]
    return found
