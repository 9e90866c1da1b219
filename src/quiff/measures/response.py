"""Mechanisms that answer at random: randomised response, RAPPOR, by scores, by distances, by information."""

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from quiff.core.channel import Channel
from quiff.core.composite_labels import ProductLabels, SubsetLabels
from quiff.core.gain import Loss
from quiff.core.kernels import ProductKernel, SparseKernel
from quiff.core.labels import Labels, as_labels
from quiff.core.limits import check_fits, check_memory
from quiff.core.metric import Distance, distances
from quiff.core.numbers import Array, filled, to_float
from quiff.core.prior import Prior
from quiff.core.sparse import SparseRows
from quiff.core.validate import sets_as_entries
from quiff.errors import LabelError, ParameterError, counted
from quiff.measures.capacity import ascent
from quiff.theory.mechanisms import check_ratio, rappor_bits
from quiff.theory.parameters import Real, check_number, check_probability, check_whole

_PER_ANSWER = 2  # numbers


def randomised_response(
    labels: object, epsilon: float | None = None, *, ratio: Real | None = None, truth: Real | None = None
) -> Channel:
    """Return k-ary randomised response: the truth with p, each other label with q, p = e^epsilon q.

    Parameters
    ----------
    labels
        The secrets, which are the answers too; 100 000 of them take no matrix.
    epsilon, ratio, truth
        One of them: epsilon; e^epsilon, which may be exact; or the probability of the truth.

    Examples
    --------
    >>> from fractions import Fraction
    >>> randomised_response(["red", "green", "blue"], ratio=2)
    Channel from 3 inputs to 3 outputs
           red  green  blue
    red    1/2  1/4    1/4
    green  1/4  1/2    1/4
    blue   1/4  1/4    1/2
    """
    named = as_labels(labels)
    k = named.size
    check_memory(f"{counted(k, 'answer')} of randomised response need", _PER_ANSWER * k)
    if truth is not None and epsilon is None and ratio is None:
        p = check_number("truth", truth, 0, 1)
        if k == 1 and p != 1:
            raise ParameterError(
                what="truth", value=truth, allowed="1, since a single answer is always given"
            )
        q = (1 - p) / max(k - 1, 1)
    elif truth is not None:
        raise ParameterError("give one of epsilon, ratio and truth, not several")
    else:
        e = check_ratio(epsilon, ratio)
        q = 1 / (k - 1 + e)
        p = e * q
    return Channel.membership_from_codes(named, np.arange(k).reshape(-1, 1), named, inside=p, outside=q)


def warner(epsilon: float | None = None, *, ratio: Real | None = None, truth: Real | None = None) -> Channel:
    """Return Warner's randomised response to a question of yes or no: randomised response on two labels.

    Examples
    --------
    >>> from fractions import Fraction
    >>> warner(truth=Fraction(3, 4))
    Channel from 2 inputs to 2 outputs
         yes  no
    yes  3/4  1/4
    no   1/4  3/4
    """
    return randomised_response(["yes", "no"], epsilon, ratio=ratio, truth=truth)


def subset_selection(
    labels: object, size: int | None = None, epsilon: float | None = None, *, ratio: Real | None = None
) -> Channel:
    """Return subset selection: a random subset of `size` labels, more probably one with the truth.

    A subset with the truth has e^epsilon times the probability of one without it. By default the size is the
    best one for estimating shares, about k/(e^epsilon + 1) (Ye and Barg 2018).

    Examples
    --------
    >>> C = subset_selection(["a", "b", "c"], 2, ratio=2)
    >>> C["a", frozenset("ab")], C["a", frozenset("bc")]
    (Fraction(2, 5), Fraction(1, 5))
    """
    named, e = as_labels(labels), check_ratio(epsilon, ratio)
    k = named.size
    d = max(1, round(k / (float(e) + 1))) if size is None else check_whole("size", size, 1, k)
    subsets = SubsetLabels(named, d)
    check_fits(subsets.size, d)
    outside = 1 / (e * comb(k - 1, d - 1) + comb(k - 1, d))  # a row has so many subsets with, and without
    chosen = np.array(list(combinations(range(k), d)), dtype=np.intp).reshape(-1)
    entries = SparseRows.from_entries(
        chosen,
        np.repeat(np.arange(subsets.size), d),
        np.array(filled(e * outside, chosen.size)),
        (k, subsets.size),
    )
    return Channel.from_kernel(named, subsets, SparseKernel(filled(outside, subsets.size), entries))


def rappor(
    labels: object,
    f: Real,
    *,
    p: Real = 0,
    q: Real = 1,
    bits: Mapping[Any, Iterable[int]] | None = None,
) -> Channel:
    """Return one-time RAPPOR: a tuple of bits, each of which is noisy; lazy, a product of one channel a bit.

    A bit that is set for the secret is 1 with f(p+q)/2 + (1-f) q, another with f(p+q)/2 + (1-f) p.

    Parameters
    ----------
    labels
        The secrets.
    f, p, q
        The noise of the permanent response, and the probabilities of a 1 in the instantaneous response to a
        bit that is 0 and 1. By default there is no instantaneous response.
    bits
        The bits, from 0, that are set for each secret: those of a Bloom filter. By default each has its own.

    Examples
    --------
    >>> from fractions import Fraction
    >>> rappor(["a", "b"], Fraction(1, 2))["a", (1, 0)]
    Fraction(9, 16)
    """
    named = as_labels(labels)
    on, off = rappor_bits(f, p, q)
    width = named.size
    rows = np.arange(width).reshape(-1, 1)
    starts = np.arange(width + 1)
    if bits is not None:
        missing = [x for x in named if x not in bits]
        if missing:
            raise LabelError(f"bits has no entry for {missing[0]!r}; give the bits of every secret")
        width = 1 + max((bit for x in named for bit in bits[x]), default=0)
        starts, rows = sets_as_entries({x: bits[x] for x in named}, as_labels(range(width)), "bit")
    check_fits(named.size, width)
    owners = np.repeat(np.arange(named.size), np.diff(starts))
    is_set = np.zeros((width, named.size), dtype=bool)
    is_set[rows.reshape(-1), owners] = True
    pair = as_labels([0, 1])
    bit = Channel([[1 - off, off], [1 - on, on]], inputs=[False, True], outputs=pair)
    factors = [bit.kernel.take_rows(row.astype(np.intp)) for row in is_set]
    return Channel.from_kernel(named, ProductLabels((pair,) * width), ProductKernel(factors))


def exponential(
    inputs: object,
    score: Callable[[Any, Any], float],
    epsilon: float = 1.0,
    *,
    outputs: object = None,
    sensitivity: float = 1.0,
) -> Channel:
    """Return the exponential mechanism: C[x,y] proportional to e^(epsilon u(x,y) / 2 sensitivity).

    If scores of neighbours differ by at most the sensitivity, neighbours are at most epsilon apart
    (McSherry and Talwar 2007). With u(x,y) = -d(x,y) for a metric d it has metric privacy, epsilon for a
    distance of 1.

    Parameters
    ----------
    inputs, outputs
        The secrets, and the outputs; by default the same.
    score
        u, a function of an input and an output.
    epsilon, sensitivity
        The privacy, and by how much the score of an output differs at most between neighbours.

    Examples
    --------
    >>> import math
    >>> C = exponential(range(3), lambda x, y: -abs(x - y), epsilon=2 * math.log(2))
    >>> C.row(1).to_numpy().round(3).tolist()
    [0.25, 0.5, 0.25]
    """
    named = as_labels(inputs, "input")
    visible = named if outputs is None else as_labels(outputs, "output")
    strength = float(check_number("epsilon", epsilon, 0, 1e6)) / 2
    scale = float(check_number("sensitivity", sensitivity, 0, 1e300))
    if scale == 0:
        raise ParameterError(what="sensitivity", value=0, allowed="positive")
    scores = _scores(score, named, visible) * (strength / scale)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return Channel(weights / weights.sum(axis=1, keepdims=True), inputs=named, outputs=visible)


def tight_constraints(labels: object, distance: Distance, epsilon: float = 1.0) -> Channel:
    """Return the mechanism that meets every constraint of metric privacy for its own output with equality.

    C[x,y] = e^(-epsilon d(x,y)) v_y with sum_y C[x,y] = 1. Where it exists it has the largest probability
    of the truth under the uniform prior, and its Bayes capacity is sum_y v_y, the magnitude of the metric
    space (Chatzikokolakis, ElSalamouny and Palamidessi 2014; Leinster 2013).

    Examples
    --------
    >>> C = tight_constraints(range(3), lambda x, y: abs(x - y))
    >>> C.row(0).to_numpy().round(3).tolist()
    [0.731, 0.17, 0.099]

    Raises
    ------
    ParameterError
        If it does not exist, since some v_y would be negative.
    """
    named = as_labels(labels)
    similar = _similarities(named, distance, epsilon)
    try:
        v = np.linalg.solve(similar, np.ones(named.size))
    except np.linalg.LinAlgError:
        v = np.full(named.size, -1.0)
    if not np.isfinite(v).all() or v.min() < -1e-12:
        worst = named[int(np.argmin(v))]
        raise ParameterError(
            f"no mechanism meets all constraints with equality: the output {worst!r} would need a negative "
            "probability; raise epsilon, or use exponential() or least_loss()"
        )
    matrix = similar * np.clip(v, 0, None)
    return Channel(matrix / matrix.sum(axis=1, keepdims=True), inputs=named, outputs=named)


def exact_distance(labels: object, distance: Distance, epsilon: float = 1.0) -> Channel:
    """Return a channel whose rows are exactly epsilon d(x,x') apart: max_y |ln C[x,y]/C[x',y]|.

    C[x,y] = e^(-1 - epsilon d(x,y)) / n for the n labels, and what is left of a row goes to the output None.

    Examples
    --------
    >>> from quiff import metric_epsilon
    >>> towns = {"Oslo": 0, "Bergen": 2, "Narvik": 7}
    >>> C = exact_distance(towns, lambda x, y: abs(towns[x] - towns[y]))
    >>> round(metric_epsilon(C, lambda x, y: abs(towns[x] - towns[y])), 9)
    1.0
    """
    named = as_labels(labels)
    matrix = _similarities(named, distance, epsilon) * (np.exp(-1) / named.size)
    rest = 1 - matrix.sum(axis=1, keepdims=True)
    return Channel(np.hstack([matrix, rest]), inputs=named, outputs=[*named, None])


def _similarities(labels: Labels, distance: Distance, epsilon: float) -> Array:
    """Return e^(-epsilon d(x,y))."""
    apart = to_float(distances(distance, labels, labels))
    if np.diagonal(apart).any():
        raise ParameterError("a distance must be 0 between a label and itself")
    return np.asarray(np.exp(-float(check_number("epsilon", epsilon, 0, 1e6)) * apart))


def _scores(score: Callable[[Any, Any], float], inputs: Labels, outputs: Labels) -> Array:
    """Return the score of every pair of an input and an output; none may be NaN."""
    check_fits(inputs.size, outputs.size)
    table = np.array([[float(score(x, y)) for y in outputs] for x in inputs])
    if np.isnan(table).any():
        row, column = np.argwhere(np.isnan(table))[0]
        raise ParameterError(
            f"the score of {inputs[int(row)]!r} and {outputs[int(column)]!r} is not a number"
        )
    return table


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

    def slopes(q: Array) -> tuple[float, float, Array]:
        mixed = likely @ q
        gained = np.log2(np.maximum((pi / mixed) @ likely, 1e-300))
        value = float(pi @ np.log2(mixed))
        return value, value + float(gained.max()), gained

    start = np.full(costs.shape[1], 1 / costs.shape[1])
    q, _ = ascent(start, slopes, tolerance / np.log(2), 1_000_000)
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
    # What has no room is spread evenly: wherever it goes it costs the same.
    return Prior.from_array(C.outputs, np.array([value + left / len(row) for value in row]))
