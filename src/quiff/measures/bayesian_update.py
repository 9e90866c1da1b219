"""The distribution of secrets behind observed outputs: the iterative Bayesian update, with intervals."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from quiff.core.channel import Channel
from quiff.core.kernels import DenseKernel, Kernel
from quiff.core.kernels.base import BLOCK
from quiff.core.labels import as_labels, by_label, own_names, same
from quiff.core.limits import check_fits
from quiff.core.numbers import Array, to_float
from quiff.core.prior import Prior
from quiff.errors import LabelError, ParameterError, typed
from quiff.theory.parameters import check_whole


@final
@dataclass(frozen=True, eq=False)
class Estimate:
    """The most likely distribution of secrets, an interval for each, and how it was reached.

    Attributes
    ----------
    prior
        The estimate.
    low, high
        The ends of a bootstrap interval for each secret, in the order of the channel's inputs; None without.
    rounds
        How many updates it took.
    converged
        Whether the last update changed less than the tolerance.
    """

    prior: Prior
    low: Array | None
    high: Array | None
    rounds: int
    converged: bool

    def interval(self, secret: Hashable) -> tuple[float, float]:
        """Return the interval of one secret's probability."""
        if self.low is None or self.high is None:
            raise ParameterError("this estimate has no intervals; ask for them by bootstrap=200")
        place = self.prior.labels.position(secret)
        return float(self.low[place]), float(self.high[place])


@typed
def iterative_bayesian_update(
    C: Channel,
    outputs: Mapping[Any, float] | Prior | Iterable[Hashable],
    *,
    start: Prior | None = None,
    tolerance: float = 1e-9,
    max_rounds: int = 10_000,
    bootstrap: int = 0,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Estimate how secrets are distributed, from outputs of many people whose secrets pass the same channel.

    Each round takes the mean posterior, pi_x <- pi_x sum_y q_y C[x,y] / (pi C)_y with q the observed
    shares; it never lowers the likelihood of what was observed (Agrawal and Aggarwal 2001; ElSalamouny and
    Palamidessi 2020).

    Parameters
    ----------
    C
        The channel; any kernel.
    outputs
        What was observed: how often each output was, by name (a mapping, a pandas Series of counts, or a
        prior on outputs, which are shares), or the outputs one by one.
    start
        Where to begin; by default uniform. A secret of probability 0 keeps it.
    tolerance, max_rounds
        Stop when no probability changes by more, or after so many rounds.
    bootstrap
        How many times to draw as many outputs again for intervals; 0 for none.
    level, seed
        The share of estimates that an interval holds, and the random seed.

    Examples
    --------
    >>> from quiff import iterative_bayesian_update, mechanisms
    >>> C = mechanisms.warner(truth=0.75)
    >>> found = iterative_bayesian_update(C, {"yes": 400, "no": 600}, bootstrap=200)
    >>> round(found.prior["yes"], 3)
    0.3
    >>> [round(end, 2) for end in found.interval("yes")]
    [0.24, 0.37]
    """
    _check(tolerance, max_rounds, bootstrap, level)
    kernel, shares = _observed(C, outputs)
    begin = Prior.uniform(C.inputs) if start is None else start
    weights, total = begin.weights_for(C.inputs, "channel")
    pi = to_float(np.array(weights)) / total
    if bootstrap:
        if isinstance(outputs, Prior):
            raise ParameterError(
                "a prior says shares, not of how many outputs: intervals need counts; give these, or leave"
                " bootstrap out"
            )
        check_fits(bootstrap + 1, 2 * (shares.shape[1] + pi.shape[0]))
        n = round(float(shares.sum()))
        again = np.random.default_rng(seed).multinomial(n, shares[0] / shares.sum(), size=bootstrap)
        shares = np.vstack([shares, again])
    shares = shares / shares.sum(axis=1, keepdims=True)
    result, rounds, converged = _updated(kernel, pi, shares, tolerance, max_rounds)
    low = high = None
    if bootstrap:
        low, high = np.quantile(result[1:], [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Estimate(Prior.from_array(C.inputs, result[0] / result[0].sum()), low, high, rounds, converged)


def _updated(
    kernel: Kernel, pi: Array, shares: Array, tolerance: float, max_rounds: int
) -> tuple[Array, int, bool]:
    """Update one distribution for each row of shares, all at once, until none changes."""
    result = np.tile(pi, (shares.shape[0], 1))
    for rounds in range(1, max_rounds + 1):
        expected = to_float(kernel.left_multiply(result))
        if ((expected <= 0) & (shares > 0)).any():
            raise LabelError("some output was observed that no secret of the start can have")
        ratios = np.divide(shares, expected, out=np.zeros_like(shares), where=expected > 0)
        after = result * kernel.right_multiply(ratios.T).T
        changed = float(np.abs(after - result).max())
        result = after
        if changed <= tolerance:
            return result, rounds, True
    return result, max_rounds, False


def _observed(C: Channel, outputs: Mapping[Any, float] | Prior | Iterable[Hashable]) -> tuple[Kernel, Array]:
    """Return a kernel of the outputs that were observed, or of all where these are many, and their counts."""
    names = own_names(outputs)
    if names is not None and (not hasattr(outputs, "index") or not same(names, as_labels(range(names.size)))):
        numbered = by_label(outputs, names, "outputs", "counts")
        counts = {C.outputs.position(y, "output"): float(n) for y, n in zip(names, numbered, strict=True)}
    else:
        counts = dict(Counter(C.outputs.position(y, "output") for y in outputs))
    numbers = np.array(list(counts.values()), dtype=np.float64)
    if not (np.isfinite(numbers).all() and (numbers >= 0).all() and numbers.any()):
        raise ParameterError("outputs says how often each was observed: some number above 0, none below")
    if len(counts) * C.inputs.size <= BLOCK:
        places = np.array(list(counts), dtype=np.int64 if C.outputs.size < 2**63 else object)
        rows, columns = np.repeat(np.arange(C.inputs.size), len(counts)), np.tile(places, C.inputs.size)
        observed = to_float(C.kernel.cells(rows, columns)).reshape(C.inputs.size, -1)
        return DenseKernel(observed), numbers[np.newaxis, :]
    check_fits(1, C.outputs.size)
    everything = np.zeros((1, C.outputs.size))
    everything[0, list(counts)] = numbers
    return C.kernel, everything


def _check(tolerance: float, max_rounds: int, bootstrap: int, level: float) -> None:
    if not tolerance > 0:
        raise ParameterError(what="tolerance", value=tolerance, allowed="a positive number")
    check_whole("max_rounds", max_rounds, 1)
    check_whole("bootstrap", bootstrap, 0)
    if not 0 < level < 1:
        raise ParameterError(what="level", value=level, allowed="a number between 0 and 1")
