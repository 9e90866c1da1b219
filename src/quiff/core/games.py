"""One gain made of another and a channel: what an adversary may expect to gain after seeing the output."""

import numpy as np

from quiff.core.channel import Channel
from quiff.core.composite_labels import ProductLabels
from quiff.core.gain import Gain
from quiff.core.kernels import DenseKernel
from quiff.core.labels import aligned
from quiff.core.limits import check_fits
from quiff.core.numbers import Array, Number, as_fractions, as_number, is_exact, quotient, same_kind
from quiff.core.prior import Prior
from quiff.errors import GainError, typed


@typed
def gain_from_posterior(gain: Gain, C: Channel) -> Gain:
    """Return the gain whose prior vulnerability is the posterior one of another: V_h(pi) = V_g[pi > C].

    An action is a plan, a tuple with an action for each output: h(plan, x) = sum_y C[x,y] g(plan_y, x).

    Examples
    --------
    >>> from quiff import Channel, Prior, bayes_gain, posterior_vulnerability, vulnerability
    >>> C, prior = Channel([[0.75, 0.25], [0.25, 0.75]]), Prior({0: 0.25, 1: 0.75})
    >>> h = gain_from_posterior(bayes_gain(range(2)), C)
    >>> vulnerability(prior, h), posterior_vulnerability(prior, C)
    (0.75, 0.75)
    """
    order = aligned(C.inputs, gain.inputs, "channel", "gain")
    plans = ProductLabels((gain.actions,) * C.outputs.size)
    check_fits(plans.size, C.inputs.size)
    gains, matrix = same_kind(gain.to_numpy(), C.kernel.to_dense())
    gains = gains[:, order]
    table: Array = 0 * gains[:1]
    for column in matrix.T:
        table = (table[:, np.newaxis] + gains * column).reshape(-1, C.inputs.size)
    return Gain(table, plans, C.inputs)


@typed
def gain_as_bayes(prior: Prior, gain: Gain) -> tuple[Prior, Channel, Number]:
    """Return rho, R and a such that V_g[pi > C] = a V[rho > R C] for every C: any gain is a guess of w.

    rho is a prior on actions and R a channel from actions to secrets: R[w,x] is proportional to
    g(w,x) pi_x, and a is the sum of these. An action that gains nothing gets the first row that there is.

    Raises
    ------
    GainError
        If no action gains anything.

    Examples
    --------
    >>> from quiff import Channel, Gain, Prior, gain_as_bayes, posterior_vulnerability
    >>> prior, gain = Prior.uniform(["a", "b"]), Gain([[3, 0], [1, 1]], inputs=["a", "b"])
    >>> rho, R, a = gain_as_bayes(prior, gain)
    >>> C = Channel.identity(["a", "b"])
    >>> posterior_vulnerability(prior, C, gain) == a * posterior_vulnerability(rho, R @ C)
    True
    """
    weights, total = prior.weights_for(gain.inputs, "gain")
    numbers, matrix = same_kind(np.array(weights), gain.to_numpy())
    joint = matrix * numbers
    sums = joint.sum(axis=1)
    gained = sums.sum()
    if not gained > 0:
        raise GainError("no action gains anything under this prior")
    joint[:, 0] = np.where(sums > 0, joint[:, 0], sums * 0 + 1)
    over = np.where(sums > 0, sums, sums * 0 + 1)
    joint = as_fractions(joint) if is_exact(joint) else joint
    R = Channel.from_kernel(gain.actions, gain.inputs, DenseKernel(np.asarray(joint / over[:, np.newaxis])))
    return (
        Prior.from_array(gain.actions, quotient(sums, np.asarray(gained))),
        R,
        as_number(gained, total),
    )
