"""Privacy after many observations, by privacy-loss distributions; needs the extra `dp` (dp-accounting)."""

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from quiff.core.channel import Channel
from quiff.core.numbers import Array, to_float
from quiff.errors import ParameterError, SizeError, needed, typed
from quiff.measures.hockey_stick import Pairs, _factor, _rows_of

_MOST_PAIRS = 2_000  # whose losses are composed, some milliseconds each
_SIGNIFICANT = 12  # digits to which two pairs' losses are compared


@typed
def composed_delta(
    C: Channel, epsilon: float, n: int = 1, *, pairs: Pairs | None = None, step: float = 1e-4
) -> float:
    """Return delta after n observations of the same secret, at most: that of ``repeat(C, n)``.

    Needs dp-accounting, which comes with the extra `dp`: ``pip install 'quiff[dp]'``.
    Privacy losses are rounded up to multiples of a step and convolved (Koskela, Jalko and Honkela 2020), so
    that the result is never too small.

    Parameters
    ----------
    C
        The channel; a lazy product such as ``parallel(C, D)`` is composed of its factors.
    epsilon
        0 or more.
    n
        How many observations.
    pairs
        Which secrets are neighbours; by default all are.
    step
        To which multiples losses are rounded.

    Examples
    --------
    >>> from quiff import composed_delta, delta, mechanisms, repeat
    >>> C = mechanisms.warner(epsilon=1)
    >>> round(composed_delta(C, 2, n=3), 4), round(delta(repeat(C, 3), 2), 4)
    (0.247, 0.247)
    """
    at = float(np.log(_factor(epsilon)))
    losses = _losses(C, n, pairs, step)
    return max(1.0 if loss is None else float(loss.get_delta_for_epsilon(at)) for loss in losses)


@typed
def composed_epsilon(
    C: Channel, delta: float, n: int = 1, *, pairs: Pairs | None = None, step: float = 1e-4
) -> float:
    """Return the epsilon after n observations that holds but for a probability delta, at most.

    Parameters are as for `composed_delta`, and so is what it needs.

    Examples
    --------
    >>> from quiff import composed_epsilon, mechanisms
    >>> C = mechanisms.warner(epsilon=0.1)
    >>> round(composed_epsilon(C, 1e-6, n=100), 2), round(0.1 * 100, 2)
    (4.78, 10.0)
    """
    if not hasattr(delta, "__float__") or not 0 <= delta <= 1:
        raise ParameterError(what="delta", value=delta, allowed="a number between 0 and 1")
    losses = _losses(C, n, pairs, step)
    apart = 0.0 if delta == 1 else math.inf
    return max(apart if loss is None else float(loss.get_epsilon_for_delta(delta)) for loss in losses)


def _losses(C: Channel, n: int, pairs: Pairs | None, step: float) -> Iterator[Any]:
    """Yield the privacy loss after n observations of each kind of pair; None if it is infinite."""
    pld = needed("dp_accounting.pld.privacy_loss_distribution", "dp", "composition")
    if not isinstance(n, int | np.integer) or n < 1:
        raise ParameterError(what="n", value=n, allowed="a whole number of at least 1")
    if not 0 < step <= 1:
        raise ParameterError(what="step", value=step, allowed="a number between 0 and 1")
    for parts in _distinct_pairs(C, pairs):
        if any(not (one * other).any() for one, other, _ in parts):  # no output in common
            yield None
            continue
        whole = None
        for one, other, times in parts:
            loss = pld.from_two_probability_mass_functions(
                _logs(other),
                _logs(one),
                value_discretization_interval=step,
                symmetric=False,
            )
            loss = loss.self_compose(int(n) * times)
            whole = loss if whole is None else whole.compose(loss)
        yield whole


def _logs(row: Array) -> dict[int, float]:
    return {y: float(np.log(row[y])) for y in np.flatnonzero(row).tolist()}


def _distinct_pairs(C: Channel, pairs: Pairs | None) -> list[list[tuple[Array, Array, int]]]:
    """Return the two rows of each pair in every factor, with how often it is there; pairs alike only once."""
    if pairs is None:
        first, _ = C.kernel.distinct_rows()
        if first.shape[0] * (first.shape[0] - 1) // 2 > 100 * _MOST_PAIRS:
            raise SizeError(
                f"{first.shape[0]} different rows make too many pairs to compose; name neighbours by pairs="
            )
        places = list(combinations(first.tolist(), 2)) or [(int(first[0]), int(first[0]))]
    else:
        left, right = _rows_of(C, pairs)
        places = list(zip(left.tolist(), right.tolist(), strict=True))[: left.shape[0] // 2]
    rows = sorted({x for pair in places for x in pair})
    where = {x: place for place, x in enumerate(rows)}
    leaves = [
        (to_float(leaf.take_rows(np.array(rows)).to_dense()), times)
        for leaf, times in C.kernel.leaves().items()
    ]
    found: dict[Any, list[tuple[Array, Array, int]]] = {}
    for x, other in places:
        parts = [(table[where[x]], table[where[other]], times) for table, times in leaves]
        found.setdefault(_kind(parts), parts)
    if len(found) > _MOST_PAIRS:
        raise SizeError(
            f"{len(found)} pairs of secrets differ, more than the {_MOST_PAIRS} that are composed; "
            "name the neighbours by pairs="
        )
    return list(found.values())


def _kind(parts: list[tuple[Array, Array, int]]) -> Any:
    """Return what pairs share whose outputs have the same probabilities, in any order and direction."""
    both = []
    for swap in (False, True):
        kind = []
        for one, other, times in parts:
            table = np.stack((other, one) if swap else (one, other), axis=1)
            with np.errstate(divide="ignore"):
                digits = np.where(table > 0, _SIGNIFICANT - 1 - np.floor(np.log10(table)), 0)
            rounded = np.rint(table * 10.0**digits)
            kind.append((tuple(sorted(zip(*rounded.T.tolist(), *digits.T.tolist(), strict=True))), times))
        both.append(tuple(kind))
    return min(both)
