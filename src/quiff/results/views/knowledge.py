"""How the growth of an adversary's knowledge is shown: step by step, and each step's posteriors."""

from collections.abc import Sequence
from textwrap import shorten
from typing import Any, NamedTuple

from quiff.core.numbers import Number
from quiff.core.prior import Prior
from quiff.errors import counted
from quiff.results.figures.knowledge import knowledge_figure
from quiff.results.numbers import probability, said
from quiff.results.table import Table

_LISTED = 4  # secrets of a posterior that are written out
_WIDTH = 52  # characters of what is known, so that a table fits a terminal
_MOST = 50  # posteriors of a step that are listed


class Known(NamedTuple):
    """What is known after some observations: posteriors and how probable each is, and what follows.

    `best` has the probability of each posterior and that of its best guess, `guessed` their mean.
    """

    posteriors: Sequence[tuple[Number, Prior]]
    best: Sequence[tuple[Number, Number]]
    guessed: Number
    bits: float


def knowledge_views(title: str, steps: Sequence[Known]) -> dict[str, Any]:
    """Return title, sentences, tables and figures of knowledge that grows; the first step is the prior."""
    before, after, n = steps[0].guessed, steps[-1].guessed, len(steps) - 1
    first = next((k for k, step in enumerate(steps) if step.guessed == after), n)
    last = "" if first in (0, n) else f" The last {counted(n - first, 'observation')} add nothing to that."
    widest = max(len(step.posteriors) for step in steps)
    name = f"What an adversary knows of the secret: {title}"
    return {
        "title": name,
        "sentences": (
            f"{title}: {counted(n, 'observation')} multiply the probability to guess the secret by "
            f"{said(after / before)}, from {probability(before)} to {probability(after)}.{last}",
        ),
        "tables": {
            "knowledge": Table(
                name,
                ("observations", "posteriors", "guessed", "leakage", "bits left"),
                tuple(
                    (k, len(step.posteriors), step.guessed, step.guessed / before, step.bits)
                    for k, step in enumerate(steps)
                ),
            ),
            "hypers": Table(
                f"The hypers, posterior by posterior: {title}",
                ("observations", "probability", "what is then known of the secret"),
                tuple(
                    (k, p, _inner(inner))
                    for k, step in enumerate(steps)
                    for p, inner in sorted(step.posteriors, key=lambda one: -one[0])[:_MOST]
                ),
                (f"Of each step, the {_MOST} most probable posteriors.",) if widest > _MOST else (),
            ),
        },
        "figures": {"knowledge": lambda: knowledge_figure(title, [(s.guessed, s.best) for s in steps])},
    }


def _inner(posterior: Prior) -> str:
    """Return a posterior in words, the most probable secrets first."""
    ranked = sorted(((p, str(x)) for x, p in posterior.items() if p), key=lambda item: -item[0])
    listed: list[str] = []
    for p, x in ranked[:_LISTED]:
        one = f"{shorten(x, _WIDTH // 2, placeholder='...')}: {probability(p)}"
        if listed and len(", ".join([*listed, one])) > _WIDTH - len(", 9999 more"):
            break
        listed.append(one)
    left = len(ranked) - len(listed)
    return ", ".join([*listed, f"{left} more"] if left else listed)
