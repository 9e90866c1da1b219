"""Mechanisms that tell least: by mutual information at a given price of losses, and by a single row."""

import numpy as np

from quiff.core.channel import Channel
from quiff.core.loss import Loss
from quiff.core.numbers import Array, to_float
from quiff.core.prior import Prior
from quiff.errors import ParameterError
from quiff.theory.parameters import Real, check_number, check_probability


def least_information(prior: Prior, loss: Loss, price: float = 1.0, *, tolerance: float = 1e-10) -> Channel:
    """Return the mechanism with the least I(X;Y) + price * expected loss, information in nats.

    No mechanism with the same expected loss tells less: a point of the rate-distortion curve, by the
    algorithm of Blahut and Arimoto. C[x,y] is proportional to q_y e^(-price l(y,x)), and q is the
    distribution of the outputs.

    Parameters
    ----------
    prior, loss
        How probable each secret is, and what an output costs; outputs are the actions of the loss.
    price
        How many nats a loss of 1 is worth; the larger, the smaller the expected loss.
    tolerance
        How far, in nats, the result is from the best at most.

    Examples
    --------
    >>> from quiff import Prior, mechanisms, zero_one_loss
    >>> prior = Prior.uniform(["a", "b"])
    >>> C = mechanisms.least_information(prior, zero_one_loss(prior), price=np.log(3))
    >>> C.row("a").to_numpy().round(6)
    array([0.75, 0.25])
    """
    slope = float(check_number("price", price, 0, 1e6))
    if not tolerance > 0:
        raise ParameterError(what="tolerance", value=tolerance, allowed="a positive number")
    weights, total = prior.weights_for(loss.inputs, "loss")
    pi = to_float(np.array(weights)) / total
    costs = to_float(loss.to_numpy().T)
    likely = np.exp(-slope * (costs - costs.min(axis=1, keepdims=True)))
    q = np.full(costs.shape[1], 1 / costs.shape[1])
    for _ in range(1_000_000):
        ratios = (pi / (likely @ q)) @ likely
        q = q * ratios
        # What is left to gain is no more than this (Blahut 1972).
        if np.log(ratios.max()) - q @ np.log(np.maximum(ratios, 1e-300)) <= tolerance:
            break
    rows = likely * q
    return Channel(rows / rows.sum(axis=1, keepdims=True), inputs=loss.inputs, outputs=loss.actions)


def hiding_row(prior: Prior, C: Channel, probability: Real) -> Prior:
    """Return how one more secret should answer so that the whole is least vulnerable, whatever the others do.

    The others have the channel C and share what is left of the probability. min over r of sum_y max(a_y, p
    r_y), where a_y is the largest joint probability of the others and y: r fills the room below a_y first.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Channel, Prior, mechanisms
    >>> C = Channel.deterministic({"a": 0, "b": 1})
    >>> mechanisms.hiding_row(Prior({"a": Fraction(3, 4), "b": Fraction(1, 4)}), C, Fraction(1, 5)).to_numpy()
    array([Fraction(1, 1), Fraction(0, 1)], dtype=object)
    """
    p = check_probability("probability", probability)
    weights, total = prior.weights_for(C.inputs, "channel")
    best = C.kernel.column_max(weights)
    room = [(1 - p) * value / total for value in best.tolist()]  # a_y
    if p == 0:
        return Prior.from_array(C.outputs, [1] + [0] * (len(room) - 1))
    row, left = [], p - p + 1
    for value in room:
        row.append(min(left, value / p))
        left = left - row[-1]
    return Prior.from_array(C.outputs, _completed(row, left))


def _completed(row: list[Real], left: Real) -> Array:
    """Spread what has no room evenly: wherever it goes it costs the same."""
    return np.array([value + left / len(row) for value in row])
