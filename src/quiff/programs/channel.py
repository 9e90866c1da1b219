"""The channel of a function on plain secrets."""

import random
from collections.abc import Callable
from typing import Any

from quiff.core.channel import Channel
from quiff.core.labels import Labels
from quiff.programs.draws import Sampler
from quiff.programs.engine import Program, enumerated
from quiff.programs.inputs import Record, Secrets


def program_channel(
    function: Callable[..., Any], secrets: object, *, sealing: bool = True, **parameters: Any
) -> Channel:
    """Return the exact channel of a function ``(secret, draw, **parameters)`` with random choices.

    The function is run along every path of its choices, C[x, y] = sum of the probabilities of the paths on
    which secret x leads to the output y. Equal secrets are enumerated once.

    Parameters
    ----------
    function
        Returns what is observed; if it is a generator, the tuple of what it yields is.
    secrets
        A mapping from label to value (or to a record, a mapping of attributes), or a list of values.
    sealing
        False runs every path by plain replay; the channel is the same.
    **parameters
        What the function is given beside the secret and the draws.

    Examples
    --------
    >>> from fractions import Fraction
    >>> def randomised_response(secret, draw, truth=Fraction(1, 2)):
    ...     return secret if draw.flip(truth) else draw.uniform(["yes", "no"])
    >>> program_channel(randomised_response, ["no", "yes"])
    Channel from 2 inputs to 2 outputs
         no   yes
    no   3/4  1/4
    yes  1/4  3/4

    Raises
    ------
    QuiffError
        If the function fails or is not repeatable; the message names the line.
    SizeError
        If it has too many paths.
    """
    distinct, labels, which = Secrets.given(secrets)
    outputs, kernel = enumerated(Program(function, parameters), distinct, sealing).channel_parts()
    return Channel.from_kernel(labels, outputs, kernel.take_rows(which))


def observe_records(
    function: Callable[..., Any], parameters: dict[str, Any], secrets: Secrets, labels: Labels
) -> Channel:
    """Return the channel of a function on records that are all distinct."""
    outputs, kernel = enumerated(Program(function, parameters), secrets).channel_parts()
    return Channel.from_kernel(labels, outputs, kernel)


def sampled(function: Callable[..., Any], parameters: dict[str, Any], secret: Any, rng: random.Random) -> Any:
    """Run a function once with random draws; a mapping is a record of attributes."""
    record = Record(secret.__getitem__) if isinstance(secret, dict) else secret
    return Program(function, parameters).run(record, Sampler(rng))
