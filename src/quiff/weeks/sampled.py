"""Vulnerabilities of channels with outputs without end, estimated from drawn ones."""

from math import exp

import numpy as np

from quiff.core.channel import Channel
from quiff.core.factor import BestInputs, LeftFactor
from quiff.core.gain import Gain
from quiff.core.kernels import DenseKernel
from quiff.core.kernels.base import BLOCK
from quiff.core.numbers import Array
from quiff.core.prior import Prior
from quiff.weeks.estimate import Estimate

DRAWS = 2_000
_FAR = 700.0  # the logarithm of more than a float can hold


def sampled_vulnerability(
    prior: Prior, channel: Channel, gain: Gain | None = None, *, seed: int = 0, draws: int = DRAWS
) -> Estimate:
    """Estimate V_g[pi > C] = E[max_w sum_x P(x|y) g(w,x)], for secrets and outputs y drawn at random.

    It needs no look at the columns: of each drawn output only the likelihoods under the secrets.

    Examples
    --------
    >>> from quiff import posterior_vulnerability
    >>> C = Channel([[0.75, 0.25], [0.25, 0.75]])
    >>> found = sampled_vulnerability(Prior.uniform([0, 1]), C)
    >>> found.low <= posterior_vulnerability(Prior.uniform([0, 1]), C) <= found.high
    True
    """
    weights, total = prior.weights_for(channel.inputs, "channel")
    mass = np.asarray(weights, dtype=np.float64) / float(total)
    mass = np.array(np.broadcast_to(mass, (channel.inputs.size,)))
    factor: LeftFactor = BestInputs(mass, 1) if gain is None else gain.times(channel.inputs, mass)
    kernel, classes = channel.kernel.merged()
    folded = None if classes is None else factor.folded(classes, kernel.n_rows)
    if classes is None or folded is None:
        kernel = channel.kernel
    else:
        factor, mass = folded, np.asarray(np.bincount(classes, mass, kernel.n_rows), dtype=np.float64)
    rng = np.random.default_rng(seed)
    rows = rng.choice(kernel.n_rows, size=draws, p=mass / mass.sum())
    step = max(1, BLOCK // kernel.n_rows)
    values: list[Array] = []
    for start in range(0, draws, step):
        likelihoods = kernel.drawn_likelihoods(rows[start : start + step], rng)
        values.append(factor.best(DenseKernel(likelihoods / (mass @ likelihoods))))
    # No output gives more than the largest gain, nor more than e^epsilon times what is expected without it.
    ratio = kernel.log_ratio()
    most = 1.0 if gain is None else float(gain.largest)
    if ratio is not None and ratio < _FAR:
        most = min(most, exp(ratio) * float(factor.without_channel()))
    return Estimate.of_mean(np.minimum(np.concatenate(values) / most, 1.0)).times(most)
