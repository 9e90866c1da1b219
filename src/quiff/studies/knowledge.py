"""The question how an adversary's knowledge grows with each observation of a program that yields."""

from quiff.apis.program import Program
from quiff.core.hyper import Hyper
from quiff.core.numbers import as_number
from quiff.core.prior import Prior
from quiff.errors import ParameterError
from quiff.measures.entropy import shannon_entropy
from quiff.results.result import Provenance, Result
from quiff.results.rows import Row
from quiff.results.views.knowledge import Known, knowledge_views


def knowledge(prior: Prior, program: Program, people: object = None) -> Result:
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
               0           1    0.125        1          3
               1           2     0.25        2          2
               2           4      0.5        4          1
               3           8        1        8          0

    Raises
    ------
    ParameterError
        If the program returns one observation; take `quiff.hyper`.
    """
    if not isinstance(prior, Prior) or not isinstance(program, Program):
        raise ParameterError("knowledge() takes a quiff.Prior and a program: knowledge(prior, program)")
    steps = [_known(hyper) for hyper in program.hypers(prior, people)]
    before = steps[0].guessed
    return Result(
        rows=tuple(
            Row(program.spec, program.unit, program.name, "secret", "given", number, quantity, value)
            for number, step in enumerate(steps)
            for quantity, value in (
                ("goal_posterior", step.guessed),
                ("leakage", step.guessed / before),
                ("bits_left", step.bits),
            )
        ),
        provenance=Provenance(
            f"quiff.knowledge(prior, {program!r})", parameters={program.spec: program.parameters()}
        ),
        **knowledge_views(program.title, steps),
    )


def _known(hyper: Hyper) -> Known:
    """Return the posteriors of a hyper, and V_1 = sum of p max_x and H(X | Y) = sum of p H over them."""
    posteriors = tuple(hyper.items())
    best = [(p, as_number(posterior.to_numpy().max())) for p, posterior in posteriors]
    guessed = sum(p * most for p, most in best)
    bits = sum(float(p) * shannon_entropy(posterior) for p, posterior in posteriors)
    return Known(posteriors, best, guessed, bits)
