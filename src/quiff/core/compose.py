"""Channels made of channels. The cascade is the operator ``C @ D`` of :class:`Channel`."""

from typing import Any

import numpy as np

from quiff.core.channel import Channel
from quiff.core.composite_labels import ProductLabels, TaggedLabels
from quiff.core.kernels import DenseKernel, Kernel, ProductKernel
from quiff.core.labels import Labels, as_labels, same
from quiff.core.limits import check_fits
from quiff.core.numbers import Array, as_numbers, unified
from quiff.core.validate import check_probability
from quiff.errors import typed
from quiff.theory.parameters import check_whole

_PER_REPETITION = 4  # numbers that a lazy product holds for each of its factors


@typed
def internal_choice(C: Channel, D: Channel, r: Any) -> Channel:
    """Return the channel that secretly runs D with probability r, and C otherwise.

    Its outputs are the union of both channels' outputs: (1-r) C[x,y] + r D[x,y], where an output that a
    channel does not have counts 0 (paper, Sec. 2.3, internal fixed-probability choice).

    Examples
    --------
    >>> C = Channel.identity(["Alice", "Bob"])
    >>> D = Channel.constant([0.5, 0.5], inputs=["Alice", "Bob"], outputs=["Bob", "nobody"])
    >>> internal_choice(C, D, 0.5)
    Channel from 2 inputs to 3 outputs
           Alice  Bob   nobody
    Alice  0.5    0.25  0.25
    Bob    0      0.75  0.25
    """
    if same(C.outputs, D.outputs):
        return _mixture(C, D, r, C.outputs, None)
    check_fits(1, C.outputs.size + D.outputs.size)
    outputs = as_labels([*C.outputs, *(y for y in D.outputs if y not in C.outputs)], "output")
    return _mixture(C, D, r, outputs, outputs.positions(D.outputs))


@typed
def external_choice(C: Channel, D: Channel, r: Any) -> Channel:
    """Return the channel that openly runs D with probability r, and C otherwise.

    Its outputs are (0, y) for the outputs of C and (1, y) for those of D (paper, Appendix A).

    Examples
    --------
    >>> C = Channel.identity(["a", "b"])
    >>> external_choice(C, C, 0.25).outputs
    Labels((0, 'a'), (0, 'b'), (1, 'a'), (1, 'b'); 4)
    """
    check_fits(1, C.outputs.size + D.outputs.size)
    outputs = TaggedLabels((C.outputs, D.outputs))
    return _mixture(C, D, r, outputs, C.outputs.size + np.arange(D.outputs.size))


def _mixture(C: Channel, D: Channel, r: Any, outputs: Labels, places: Array | None) -> Channel:
    """Return (1-r) C + r D, with C's outputs first and D's moved to the given places."""
    check_probability(r, "the probability of a choice")
    (weight,) = as_numbers([r])
    first, second = C.kernel, D.kernel_for(C.inputs, "first channel", "second channel")
    width = outputs.size
    if width > C.outputs.size:
        first = first.place_columns(np.arange(C.outputs.size), width)
    if places is not None:
        second = second.place_columns(places, width)
    mixed = _mixed(first, second, weight)
    return Channel.from_kernel(C.inputs, outputs, mixed, max(C.slack, D.slack))


def _mixed(first: Kernel, second: Kernel, r: Any) -> Kernel:
    left, right = first.as_sparse(), second.as_sparse()
    if left is not None and right is not None:
        return left.mixed(right, r)
    check_fits(first.n_rows, first.n_columns)
    a, b, weight = unified(first.to_dense(), second.to_dense(), np.asarray([r]))
    return DenseKernel(np.asarray(a * (1 - weight[0]) + b * weight[0]))


@typed
def parallel(C: Channel, D: Channel) -> Channel:
    """Return the channel that runs both on the same input and shows the pair of outputs; lazy.

    (C || D)[x, (y, z)] = C[x,y] D[x,z] (paper, Appendix C). Bayes measures of up to four membership channels
    with the same two probabilities are counted, without a look at every tuple of outputs.

    Examples
    --------
    >>> C = Channel([[0.75, 0.25], [0.25, 0.75]], inputs=["Alice", "Bob"])
    >>> parallel(C, C)["Alice", (0, 1)]
    0.1875
    """
    kernel = ProductKernel([C.kernel, D.kernel_for(C.inputs, "first channel", "second channel")])
    outputs = ProductLabels((C.outputs, D.outputs))
    return Channel.from_kernel(C.inputs, outputs, kernel, C.slack * D.slack)


@typed
def repeat(C: Channel, n: int) -> Channel:
    """Return the channel that runs C on the same input n times and shows all outputs, in order; lazy.

    Bayes measures of a membership channel are counted up to n = 4, without a look at every tuple of outputs;
    of a channel with few outputs by how often each is seen, up to n = 512.
    Max-case capacity and epsilon follow from those of C, whatever C is.

    Examples
    --------
    >>> C = Channel([[0.75, 0.25], [0.25, 0.75]], inputs=["Alice", "Bob"])
    >>> repeat(C, 3)["Bob", (1, 1, 1)]
    0.421875
    """
    n = check_whole("the number of repetitions", n, 1)
    check_fits(n, _PER_REPETITION)
    outputs, kernel = ProductLabels((C.outputs,) * n), ProductKernel([C.kernel] * n)
    return Channel.from_kernel(C.inputs, outputs, kernel, C.slack**n)


@typed
def kronecker(C: Channel, D: Channel) -> Channel:
    """Return the channel from pairs of inputs to pairs of outputs, each channel on its own part.

    (C (x) D)[(x, x'), (y, y')] = C[x,y] D[x',y'] (paper, Sec. 4.2.1): the parallel composition of C on the
    first part and D on the second.

    Examples
    --------
    >>> C = Channel([[0.75, 0.25], [0.25, 0.75]], inputs=["Alice", "Bob"])
    >>> kronecker(C, C)[("Alice", "Bob"), (0, 0)]
    0.1875
    """
    check_fits(1, C.inputs.size * D.inputs.size)
    first, second = np.divmod(np.arange(C.inputs.size * D.inputs.size), D.inputs.size)
    kernel = ProductKernel([C.kernel.take_rows(first), D.kernel.take_rows(second)])
    inputs, outputs = ProductLabels((C.inputs, D.inputs)), ProductLabels((C.outputs, D.outputs))
    return Channel.from_kernel(inputs, outputs, kernel, C.slack * D.slack)
