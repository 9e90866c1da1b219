"""The parameters that meet a budget, and the tables, JSON and figure of them."""

from dataclasses import dataclass
from typing import Any

from quiff.errors import counted
from quiff.results.figures.figure import Figure
from quiff.results.numbers import plain, shown
from quiff.results.table import Table
from quiff.results.tabled import Tabled
from quiff.theory.design import Design, Measure
from quiff.theory.parameters import Real

_COLUMNS = ("top", "noise", "bayes_capacity", "max_case_capacity", "epsilon", "utility")
_HEADINGS = ("top s", "noise r", "capacity", "max-case capacity", "epsilon", "utility u")
_WORDS: dict[Measure, str] = {
    "capacity": "a Bayes capacity of at most",
    "epsilon": "an epsilon of at most",
    "max_case": "a max-case capacity of at most",
    "utility": "a utility of at least",
}
_FEWEST_ROWS = 10
_MOST_ROWS = 20
_OPTIMALITY = (
    "If all s-subsets of the topics are equally likely, no mechanism whatever does better:",
    "the least capacity at utility u is max(1, m u/s), and these options have it.",
    "The proof is in docs/theory/optimal-design.md.",
)


@dataclass(frozen=True)
class DesignAnswer(Tabled):
    """For each s < m the noise that meets a target, and the s that meet it at a given noise.

    Attributes
    ----------
    n_topics, measure, target
        The question: m, what is limited, and the limit.
    options
        For each s < m, the noise that meets the target as tightly as can be.
    noise
        The noise at which ``strict`` and ``nearest`` answer.
    strict
        The smallest s that keeps to the target at that noise; None if there is none.
    nearest
        The s that comes closest to it, on either side; None if none comes finitely close.
    missing
        Why ``strict`` is None, and what the nearest possible target would be.

    Examples
    --------
    >>> from quiff.studies.design import meet_budget
    >>> answer = meet_budget(629, "capacity", 66.36)
    >>> answer.strict.top_s, answer.nearest.top_s
    (10, 9)
    """

    n_topics: int
    measure: Measure
    target: Real
    options: tuple[Design, ...]
    noise: Real
    strict: Design | None
    nearest: Design | None
    missing: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        return {
            "n_topics": self.n_topics,
            "measure": self.measure,
            "target": plain(self.target),
            "noise": plain(self.noise),
            "strict": _record(self.strict),
            "nearest": _record(self.nearest),
            "optimality": " ".join(_OPTIMALITY),
            "options": [_record(option) for option in self.options],
        }

    def tables(self) -> list[Table]:
        """Return the answer at the given noise, and the first options."""
        return [self._answer_table(), self._options_table()]

    def figure(self) -> Figure:
        """Draw the frontier of privacy and utility, with the target and the options that meet it."""
        from quiff.results.figures.frontier import frontier_figure

        chosen = tuple(design.top_s for design in (self.strict, self.nearest) if design is not None)
        return frontier_figure(self.n_topics, self.measure, self.target, self.options, chosen)

    def _answer_table(self) -> Table:
        rows = [
            (label, *_cells(design))
            for label, design in (("strictly", self.strict), ("nearest", self.nearest))
            if design is not None
        ]
        title = (
            f"{self._question()}, at noise {shown(self.noise)}: the smallest set that does, and the nearest"
        )
        return Table(title, ("", *_HEADINGS), tuple(rows), (self.missing,) if self.missing else ())

    def _options_table(self) -> Table:
        shown_here = self.options[: self._rows()]
        rest = len(self.options) - len(shown_here)
        more = (f"... and {rest} larger sets; --json lists all.",) if rest else ()
        return Table(
            f"{self._question()}: for each size of the sets, the noise that does",
            _HEADINGS,
            tuple(_cells(option) for option in shown_here),
            (*more, "Utility is the chance that a report is genuine.", *_OPTIMALITY),
        )

    def _rows(self) -> int:
        """Return how many options a terminal shows: one more than the answers need, if that is few."""
        answers = [design.top_s for design in (self.strict, self.nearest) if design is not None]
        return min(max([_FEWEST_ROWS, *(s + 1 for s in answers)]), _MOST_ROWS)

    def _question(self) -> str:
        return f"{counted(self.n_topics, 'topic')}, {_WORDS[self.measure]} {shown(self.target)}"


def _cells(design: Design) -> tuple[Real, ...]:
    return (
        design.top_s,
        design.noise,
        design.bayes_capacity,
        design.max_case_capacity,
        design.epsilon,
        design.utility,
    )


def _record(design: Design | None) -> dict[str, Any] | None:
    return None if design is None else plain(dict(zip(_COLUMNS, _cells(design), strict=True)))
