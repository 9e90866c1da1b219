"""The question how an adversary's knowledge grows with each observation of a program that yields."""

from collections.abc import Iterator
from textwrap import shorten
from typing import Any

from quiff.apis.program import Program
from quiff.core.numbers import as_number
from quiff.core.prior import Prior
from quiff.errors import ParameterError
from quiff.measures.vulnerability import shannon_entropy
from quiff.results.figures.charts import Axis, Record, curves
from quiff.results.layout import Chart, Layout, Pivot, Say
from quiff.results.numbers import many, probability
from quiff.results.result import Result
from quiff.results.rows import Row, Rows, rows_of
from quiff.studies.study import Findings, study

_LISTED = 4  # secrets of a posterior that are written out
_WIDTH = 26  # characters of a secret
_MOST = 50  # posteriors of a step that are listed


def _words(rows: Rows, result: Result) -> dict[str, str]:
    guessed = result.rows.where(quantity="goal_posterior").rows
    n, after = rows.observations, guessed[-1].value
    first = next(row.observations for row in guessed if row.value == after)
    last = "" if first in (0, n) else f" The last {many(n - first, 'observation')} add nothing to that."
    return {"after": many(n, "observation"), "guess": probability(guessed[0].value), "last": last}


_TITLE = "What an adversary knows of the secret: {api}"


def _posteriors(result: Result) -> Iterator[tuple[Any, ...]]:
    for number, step in enumerate(result.payload["steps"]):
        yield from ((number, *posterior) for posterior in step["hyper"])


def _widest(result: Result) -> str:
    widest = max(step["posteriors"] for step in result.payload["steps"])
    return f"Of each step, the {_MOST} most probable posteriors." if widest > _MOST else ""


HYPERS = Pivot(
    "The hypers, posterior by posterior: {api}",
    records=_posteriors,
    columns={"observations": 0, "probability": 1, "what is then known of the secret": 2},
    notes=(_widest,),
)


def _drawn(points: list[Record], result: Result) -> Any:
    """Return how well the secret is guessed on average, and by posteriors: circles by their weight."""
    circles = [
        {"observations": number, "guessed": most, "area": share}
        for number, step in enumerate(result.payload["steps"])
        for most, share in step["guesses"]
    ]
    up = Axis("guessed", "probability to guess the secret", "share")
    return curves(points, Axis("observations", "observations", "count"), up, points=True, dots=circles)


LAYOUT = Layout(
    _TITLE,
    say={
        "knowledge": Say(
            "{api}: {after} multiply the probability to guess the secret by {leakage}, from {guess} to"
            " {goal_posterior}.{last}",
            longest="leakage",
            words=_words,
        )
    },
    tables={
        "knowledge": Pivot(
            _TITLE,
            by=("observations",),
            columns={
                "posteriors": lambda rows, result: result.payload["steps"][rows.observations]["posteriors"],
                "guessed": "goal_posterior",
                "leakage": "leakage",
                "bits left": "bits_left",
            },
        ),
        "hypers": HYPERS,
    },
    charts={
        "knowledge": Chart(
            "{api}: what is known of the secret",
            by=("observations",),
            points={"series": "api", "observations": "observations", "guessed": "goal_posterior"},
            draw=_drawn,
        )
    },
)


@study(LAYOUT)
def knowledge(prior: Prior, program: Program, people: object = None) -> Findings:
    """Return what an adversary knows of the secret after 0, 1, 2, ... observations of a program that yields.

    With k observations y this is the hyper-distribution [pi > C_k], C_k[x,y] = P(the first k yields are y):
    a posterior for each y, as probable as y is. A run that yields less stays as it is.

    Parameters
    ----------
    prior
        How probable each secret is.
    program
        A generator function, made an API by `quiff.program`.
    people
        What the labels of the prior stand for: people, or a mapping to values; None is the labels themselves.

    Examples
    --------
    >>> import quiff
    >>> @quiff.program
    ... def bits(secret, draw):
    ...     for place in range(3):
    ...         yield secret >> place & 1
    >>> print(knowledge(Prior.uniform(range(8)), bits).tables["knowledge"].to_text())
    What an adversary knows of the secret: bits
    observations  posteriors  guessed  leakage  bits left
               0           1   12.5 %        1          3
               1           2     25 %        2          2
               2           4     50 %        4          1
               3           8    100 %        8          0

    Raises
    ------
    ParameterError
        If the program returns one observation; take `quiff.hyper`.
    """
    if not isinstance(prior, Prior) or not isinstance(program, Program):
        raise ParameterError("knowledge() takes a quiff.Prior and a program: knowledge(prior, program)")
    rows: list[Row] = []
    steps = []
    for number, hyper in enumerate(program.hypers(prior, people)):
        posteriors = sorted(hyper.items(), key=lambda item: -item[0])
        best = [(p, as_number(posterior.to_numpy().max())) for p, posterior in hyper.items()]
        guessed = sum(p * most for p, most in best)  # V_1 = sum of p max_x
        bits = sum(float(p) * shannon_entropy(posterior) for p, posterior in hyper.items())
        before = rows[0].value if rows else guessed
        numbers = {"goal_posterior": guessed, "leakage": guessed / before, "bits_left": bits}
        about = {"stage": program.name, "goal": "secret", "prior": "given", "observations": number}
        rows += rows_of(program, numbers, **about)
        guesses: dict[float, float] = {}
        for p, most in best:
            guesses[float(most)] = guesses.get(float(most), 0.0) + float(p)
        steps.append(
            {
                "posteriors": len(posteriors),
                "guesses": [list(pair) for pair in guesses.items()],
                "hyper": [[p, _inner(posterior)] for p, posterior in posteriors[:_MOST]],
            }
        )
    return Findings(rows, payload={"steps": steps}, apis=(program,))


def _inner(posterior: Prior) -> str:
    """Return the most probable secrets of a posterior with probabilities, and how many more there are."""
    ranked = sorted(((p, str(x)) for x, p in posterior.items() if p), key=lambda item: -item[0])
    listed = [f"{shorten(x, _WIDTH, placeholder='...')}: {probability(p)}" for p, x in ranked[:_LISTED]]
    return ", ".join([*listed, f"{len(ranked) - _LISTED} more"] if ranked[_LISTED:] else listed)
