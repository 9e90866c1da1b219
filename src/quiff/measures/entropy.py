"""Entropies, for comparison with vulnerabilities. Logarithms are to base 2: the unit is the bit."""

import math

import numpy as np

from quiff.core.channel import Channel
from quiff.core.kernels.base import entropy_terms
from quiff.core.loss import guessing_loss
from quiff.core.numbers import Array, Number, product, to_float
from quiff.core.prior import Prior
from quiff.errors import typed
from quiff.measures.risk import posterior_risk, risk
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability


@typed
def shannon_entropy(prior: Prior) -> float:
    """Return H(pi) = -sum_x pi_x log2 pi_x.

    Examples
    --------
    >>> from quiff import Prior, shannon_entropy
    >>> shannon_entropy(Prior.uniform(range(8)))
    3.0
    """
    return _entropy(_probabilities(prior))


@typed
def conditional_entropy(prior: Prior, C: Channel) -> float:
    """Return H(X | Y) = H(X) - I(X; Y): what is left unknown of the secret after the output.

    Examples
    --------
    >>> from quiff import Channel, Prior, conditional_entropy
    >>> conditional_entropy(Prior.uniform(range(4)), Channel.deterministic({0: 0, 1: 0, 2: 1, 3: 1}))
    1.0
    """
    return max(0.0, shannon_entropy(prior) - mutual_information(prior, C))  # what is below 0 is rounding


@typed
def mutual_information(prior: Prior, C: Channel) -> float:
    """Return I(X; Y) = H(Y) - sum_x pi_x H(C[x]).

    Examples
    --------
    >>> from quiff import Channel, Prior, mutual_information
    >>> mutual_information(Prior.uniform(range(4)), Channel.identity(range(4)))
    2.0
    """
    weights, total = prior.weights_for(C.inputs, "channel")
    probabilities = to_float(weights) / total
    kernel, outputs = C.kernel.telling(), 0.0
    for head, leaf in kernel.slices():
        here = probabilities if head is None else product(probabilities, head)
        outputs += _entropy(leaf.left_multiply(here[np.newaxis, :])[0])
    told = outputs - float(probabilities @ kernel.row_entropies())
    return min(max(0.0, told), _entropy(probabilities))  # what is beyond is rounding


@typed
def min_entropy(prior: Prior) -> float:
    """Return -log2 max_x pi_x, the logarithm of the Bayes vulnerability.

    Examples
    --------
    >>> from quiff import Prior, min_entropy
    >>> min_entropy(Prior({"Alice": 0.25, "Bob": 0.75})) == -math.log2(0.75)
    True
    """
    return 0.0 - math.log2(vulnerability(prior))


@typed
def min_entropy_leakage(prior: Prior, C: Channel) -> float:
    """Return the min-entropy that the output takes away: log2 of the Bayes leakage.

    Examples
    --------
    >>> from quiff import Channel, Prior, min_entropy_leakage
    >>> min_entropy_leakage(Prior.uniform(range(4)), Channel.identity(range(4)))
    2.0
    """
    return math.log2(posterior_vulnerability(prior, C)) - math.log2(vulnerability(prior))


@typed
def guessing_entropy(prior: Prior) -> Number:
    """Return the expected number of guesses, the most probable secret first: sum_i i p_(i).

    Examples
    --------
    >>> from quiff import Prior, guessing_entropy
    >>> guessing_entropy(Prior.uniform(range(4)))
    Fraction(5, 2)
    """
    return risk(prior, guessing_loss(prior.labels))


@typed
def posterior_guessing_entropy(prior: Prior, C: Channel) -> Number:
    """Return the expected number of guesses after the output: sum_y sum_i i J_(i)y.

    Examples
    --------
    >>> from quiff import Channel, Prior, posterior_guessing_entropy
    >>> posterior_guessing_entropy(Prior.uniform(range(4)), Channel.deterministic({0: 0, 1: 0, 2: 1, 3: 1}))
    Fraction(3, 2)
    """
    return posterior_risk(prior, C, guessing_loss(C.inputs))


def _probabilities(prior: Prior) -> Array:
    weights, total = prior.weights_for(prior.labels, "prior")
    return np.asarray(to_float(weights) / total)


def _entropy(probabilities: Array) -> float:
    return float(entropy_terms(probabilities).sum())
