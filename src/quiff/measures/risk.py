"""Uncertainty: what an adversary, or a user of the output, has to expect to lose."""

import math

import numpy as np

from quiff.core.channel import Channel
from quiff.core.factor import BestInputs, LeftFactor, Lowered
from quiff.core.gain import Gain
from quiff.core.kernels import SparseKernel
from quiff.core.kernels.base import scale_rows
from quiff.core.labels import Labels, aligned
from quiff.core.limits import check_fits
from quiff.core.loss import Loss
from quiff.core.numbers import (
    Array,
    Number,
    as_fractions,
    as_number,
    filled,
    matmul,
    same_kind,
    tied,
    unified,
)
from quiff.core.prior import Prior
from quiff.core.sparse import SparseRows
from quiff.errors import typed


@typed
def risk(prior: Prior, loss: Loss | None = None) -> Number:
    """Return the prior risk, the least expected loss of any action: min_w sum_x pi_x l(w,x).

    Parameters
    ----------
    prior
        What the adversary knows.
    loss
        What an answer costs; None is 1 for a wrong guess of the secret: the Bayes risk.

    Examples
    --------
    >>> from quiff import Prior, risk
    >>> risk(Prior.from_counts({"Alice": 2, "Bob": 1}))
    Fraction(1, 3)
    """
    weights, total = prior.weights_for(prior.labels, "prior")
    return _not_negative(-as_number(_factor(prior.labels, weights, loss).without_channel(), total))


@typed
def posterior_risk(prior: Prior, channel: Channel, loss: Loss | None = None) -> Number:
    """Return the expected loss of the best answer to each output: sum_y min_w sum_x pi_x C[x,y] l(w,x).

    Examples
    --------
    >>> from quiff import Channel, Prior, posterior_risk
    >>> C = Channel([[0.75, 0.25], [0.25, 0.75]], inputs=["Alice", "Bob"])
    >>> posterior_risk(Prior.uniform(["Bob", "Alice"]), C)
    0.25
    """
    weights, total = prior.weights_for(channel.inputs, "channel")
    after = -as_number(_factor(channel.inputs, weights, loss).best_sum(channel.kernel), total)
    # An observation does no harm: what is above the prior risk is rounding.
    return min(_not_negative(after), float(risk(prior, loss))) if isinstance(after, float) else after


@typed
def risk_leakage(prior: Prior, channel: Channel, loss: Loss | None = None, additive: bool = False) -> Number:
    """Return by how much the output lowers the risk: prior over posterior risk, or their difference.

    The ratio is infinite if the output takes the whole risk away, and 1 if there is none to begin with.

    Examples
    --------
    >>> from quiff import Channel, Prior, risk_leakage
    >>> risk_leakage(Prior.uniform([0, 1]), Channel([[0.75, 0.25], [0.25, 0.75]]))
    2.0
    """
    before, after = risk(prior, loss), posterior_risk(prior, channel, loss)
    if additive:
        return before - after
    if after == 0:
        return type(after)(1) if before == 0 else math.inf
    return before / after


@typed
def expected_loss(prior: Prior, channel: Channel, loss: Loss) -> Number:
    """Return the expected loss of taking the output at its word: sum_xy pi_x C[x,y] l(y,x).

    The outputs of the channel are the actions of the loss. An answer that thinks about what the output means
    loses no more: see `posterior_risk`.

    Examples
    --------
    >>> from quiff import Channel, Loss, Prior, euclidean, expected_loss
    >>> C = Channel([[0.5, 0.5, 0], [0.25, 0.5, 0.25], [0, 0.5, 0.5]])
    >>> expected_loss(Prior.uniform(range(3)), C, Loss.from_metric(euclidean, range(3)))
    0.5
    """
    aligned(channel.inputs, loss.inputs, "channel", "loss")
    rows = loss.actions.positions(channel.outputs, "action of the loss")
    columns = loss.inputs.positions(channel.inputs)
    weights, total = prior.weights_for(channel.inputs, "channel")
    losses = loss.to_numpy()[np.ix_(rows, columns)]
    parts, start = [], 0
    for block in channel.kernel.blocks():
        joint, costs = same_kind(scale_rows(*unified(block, weights)), losses[start : start + block.shape[1]])
        parts.append((joint * costs.T).sum())
        start += block.shape[1]
    return as_number(sum(parts), total)


@typed
def strategy(prior: Prior, channel: Channel, aim: Gain | Loss | None = None) -> Channel:
    """Return what the best adversary answers to each output: a channel from outputs to actions.

    Where several actions are as good, each has the same probability; so have all after an output that never
    happens.

    Parameters
    ----------
    prior, channel
        What the adversary knows and sees.
    aim
        A gain or a loss; None is to guess the secret.

    Examples
    --------
    >>> from quiff import Channel, Prior, strategy
    >>> C = Channel([[1, 0], [1, 0], [0, 1]], inputs=["Alice", "Bob", "Carol"], outputs=["0", "1"])
    >>> strategy(Prior.uniform(["Alice", "Bob", "Carol"]), C)
    Channel from 2 inputs to 3 outputs
       Alice  Bob  Carol
    0  1/2    1/2  0
    1  0      0    1
    """
    weights, _ = prior.weights_for(channel.inputs, "channel")
    actions, left = _left(channel.inputs, aim)
    best, start = [], 0
    for block in channel.kernel.blocks():
        joint = scale_rows(*unified(block, weights))
        values = joint if left is None else matmul(left, joint)
        ties = tied(values.min(axis=0), values) if isinstance(aim, Loss) else tied(values, values.max(axis=0))
        output, action = np.nonzero(ties.T)
        best.append(np.stack([output + start, action]))
        start += block.shape[1]
    rows, columns = np.concatenate(best, axis=1)
    shares = as_fractions(np.ones(1, dtype=np.int64)) / np.bincount(rows).astype(object)
    values = (shares if channel.exact and prior.exact else shares.astype(np.float64))[rows]
    entries = SparseRows.from_entries(rows, columns, values, (channel.outputs.size, actions.size))
    return Channel.from_kernel(
        channel.outputs, actions, SparseKernel(filled(np.int64(0), actions.size), entries)
    )


def _left(labels: Labels, aim: Gain | Loss | None) -> tuple[Labels, Array | None]:
    """Return the actions, and their matrix with the inputs in the order of the labels; None for Bayes."""
    if aim is None:
        return labels, None
    order = aligned(labels, aim.inputs, "channel", "gain" if isinstance(aim, Gain) else "loss")
    check_fits(aim.actions.size, labels.size)
    matrix = aim.to_numpy()
    return aim.actions, matrix if order is None else matrix[:, order]


def _factor(labels: Labels, weights: Array, loss: Loss | None) -> LeftFactor:
    return Lowered(BestInputs(weights, 1), weights, 1) if loss is None else loss.times(labels, weights)


def _not_negative(value: Number) -> Number:
    return max(value, 0.0) if isinstance(value, float) else value
