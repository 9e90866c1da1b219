"""What an observation does to what the adversary knows: a distribution on posterior distributions."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np

from quiff.core.channel import Channel
from quiff.core.display import html_table, text_table
from quiff.core.kernels import DenseKernel, Kernel
from quiff.core.kernels.base import scale_rows
from quiff.core.labels import Labels, as_labels
from quiff.core.numbers import Array, Number, as_fractions, as_number, is_exact, product, quotient, unified
from quiff.core.prior import Prior
from quiff.errors import ParameterError, ProbabilityError, counted, typed

# Float posteriors that differ by no more than this anywhere are one.
TOLERANCE = 1e-12


@final
@dataclass(frozen=True, eq=False)
class Hyper:
    """The hyper-distribution [pi > C].

    Attributes
    ----------
    outer
        How probable each posterior is. Its labels are tuples of the outputs that lead to it.
    inners
        The posteriors: a channel from the labels of `outer` to the secrets.
    """

    outer: Prior
    inners: Channel

    def items(self) -> Iterator[tuple[Number, Prior]]:
        """Yield each posterior with its probability."""
        return ((self.outer[label], self.inners.row(label)) for label in self.outer)

    def __len__(self) -> int:
        return len(self.outer)

    @property
    def _table(self) -> tuple[str, Labels, list[str], Callable[[int, int], Number]]:
        secrets = self.inners.outputs
        title = f"Hyper of {counted(len(self), 'posterior')} on {counted(secrets.size, 'secret')}"
        columns = ["probability", *map(str, secrets)]
        rows = self.inners.to_numpy()

        def cell(row: int, column: int) -> Number:
            return as_number(rows[row, column - 1]) if column else self.outer[self.outer.labels[row]]

        return title, self.outer.labels, columns, cell

    def __repr__(self) -> str:
        return text_table(*self._table)

    def _repr_html_(self) -> str:
        return html_table(*self._table)


class HasChannel(Protocol):
    """What has a channel from secrets, such as a program."""

    def channel(self, secrets: Any, /) -> Channel:
        """Return the channel from some secrets."""


@typed
def hyper(prior: Prior, C: Channel | HasChannel) -> Hyper:
    """Return the hyper-distribution of a prior and a channel, in its reduced form.

    Outputs that never happen are left out, and outputs with the same posterior are merged; float posteriors
    are the same if they differ by at most 1e-12. Instead of a channel, a program may be given, which then
    runs on the labels of the prior.

    Examples
    --------
    >>> C = Channel([[1, 0, 0], [0, 1, 0], [1, 0, 0]], inputs=["a", "b", "c"], outputs=["x", "y", "z"])
    >>> for probability, posterior in hyper(Prior.uniform("abc"[i] for i in range(3)), C).items():
    ...     print(probability, dict(posterior.items()))
    2/3 {'a': Fraction(1, 2), 'b': Fraction(0, 1), 'c': Fraction(1, 2)}
    1/3 {'a': Fraction(0, 1), 'b': Fraction(1, 1), 'c': Fraction(0, 1)}
    """
    if not isinstance(C, Channel):
        if not hasattr(C, "channel"):
            raise ParameterError(
                what="what hyper() takes", value=C, allowed="a channel or a program (quiff.program)"
            )
        C = C.channel(prior.labels)
    weights, total = prior.weights_for(C.inputs, "channel")
    matrix, weights = unified(C.kernel.to_dense(), weights)
    joint = scale_rows(matrix, weights).T
    joint = (as_fractions(joint) if is_exact(joint) else joint) / total
    happens = np.flatnonzero(joint.sum(axis=1) > 0)
    joint = joint[happens]
    groups = equal_rows(joint / joint.sum(axis=1)[:, np.newaxis])
    merged = np.stack([joint[rows].sum(axis=0) for rows in groups])
    outer = merged.sum(axis=1)
    names: list[Hashable] = [tuple(C.outputs[int(happens[i])] for i in rows) for rows in groups]
    labels = as_labels(names)
    inners = Channel.from_kernel(labels, C.inputs, DenseKernel(merged / outer[:, np.newaxis]))
    return Hyper(Prior.from_array(labels, outer), inners)


def equal_rows(posteriors: Array) -> list[list[int]]:
    """Group the rows that are the same, in order of first appearance.

    Float rows are sorted by one number made of all their entries; only neighbours in that order can be equal.
    """
    if is_exact(posteriors):
        exactly: dict[tuple[object, ...], list[int]] = {}
        for position, row in enumerate(posteriors):
            exactly.setdefault(tuple(row), []).append(position)
        return list(exactly.values())
    marks = posteriors @ np.cos(np.arange(posteriors.shape[1]))
    groups: list[list[int]] = []
    for position in np.argsort(marks, kind="stable").tolist():
        for group in reversed(groups):
            if marks[position] - marks[group[0]] > TOLERANCE * posteriors.shape[1]:
                groups.append([position])
                break
            if np.abs(posteriors[position] - posteriors[group[0]]).max() <= TOLERANCE:
                group.append(position)
                break
        else:
            groups.append([position])
    return sorted(sorted(group) for group in groups)


@typed
def posterior(prior: Prior, C: Channel, output: Hashable) -> Prior:
    """Return what the adversary believes after one output: pi_x C[x,y] / sum_x pi_x C[x,y].

    Examples
    --------
    >>> posterior(Prior.uniform(range(3)), Channel.deterministic({0: "even", 1: "odd", 2: "even"}), "even")[2]
    Fraction(1, 2)

    Raises
    ------
    ProbabilityError
        If the output never happens.
    """
    column = C.outputs.position(output, "output")
    weights, _ = prior.weights_for(C.inputs, "channel")
    joint = product(weights, C.kernel.columns(column, column + 1)[:, 0])
    if not joint.any():
        raise ProbabilityError(f"the output {output!r} never happens, so there is no posterior")
    return Prior.from_array(C.inputs, quotient(joint, np.asarray(joint.sum())))


@typed
def posteriors(prior: Prior, C: Channel) -> Channel:
    """Return the posterior after each output that happens, as a channel from outputs to secrets.

    Unlike the `hyper` it keeps the outputs apart that lead to the same posterior.

    Examples
    --------
    >>> from quiff import Channel, Prior, posteriors
    >>> C = Channel([[1, 0], [0.5, 0.5]], inputs=["Alice", "Bob"], outputs=["x", "y"])
    >>> posteriors(Prior.uniform(C.inputs), C)["y", "Bob"]
    1.0
    """
    weights, _ = prior.weights_for(C.inputs, "channel")
    joint = scale_rows(*unified(C.kernel.to_dense(), weights)).T
    happens = np.flatnonzero(joint.sum(axis=1) > 0)
    rows = quotient(joint[happens], joint[happens].sum(axis=1)[:, np.newaxis])
    return Channel.from_kernel(as_labels([C.outputs[int(y)] for y in happens]), C.inputs, DenseKernel(rows))


@typed
def reduced(C: Channel) -> Channel:
    """Return a channel that leaks the same with as few outputs as can be.

    Outputs that never happen are dropped, and those whose columns are equal or proportional are one; its
    label is the tuple of them. Two channels that refine each other have the same reduced one, but for the
    labels and the order of their outputs.

    Examples
    --------
    >>> C = Channel([[0.5, 0.25, 0, 0.25], [0.25, 0.125, 0, 0.625]], outputs=["a", "b", "c", "d"])
    >>> reduced(C)
    Channel from 2 inputs to 2 outputs
       ('a', 'b')  ('d',)
    0  0.75        0.25
    1  0.375       0.625
    """
    codes, groups = np.zeros(C.outputs.size, dtype=np.intp), _proportional_columns(C.kernel)
    for place, columns in enumerate(groups):
        codes[columns] = place
    merged = as_labels([tuple(C.outputs[y] for y in columns) for columns in groups])
    # An output that never happens adds nothing, wherever it is put.
    return Channel.from_kernel(C.inputs, merged, C.kernel.place_columns(codes, merged.size), C.slack)


def _proportional_columns(kernel: Kernel) -> list[list[int]]:
    """Group the columns that are proportional; those of zeros are left out.

    One number made of all entries of each, over their sum, tells most of them apart: the others are compared.
    """
    n = kernel.n_rows
    sums, marks = kernel.left_multiply(np.stack([np.ones(n), np.cos(np.arange(n))]))
    happens = np.flatnonzero(sums > 0)
    marks = marks[happens] / sums[happens]
    order = np.argsort(marks, kind="stable")
    apart = np.flatnonzero(np.diff(marks[order]) > TOLERANCE * n) + 1
    result: list[list[int]] = []
    for near in np.split(happens[order], apart):
        alike = [[0]]
        if near.size > 1:
            columns = np.stack([kernel.columns(y, y + 1)[:, 0] for y in sorted(near.tolist())])
            alike = equal_rows(quotient(columns, columns.sum(axis=1)[:, np.newaxis]))
        result += [[sorted(near.tolist())[i] for i in group] for group in alike]
    return sorted(result)


@typed
def predicate_channel(
    prior: Prior, C: Channel, predicate: Callable[[Any], Hashable]
) -> tuple[Prior, Channel]:
    """Return what C shows of a function of its input: a prior on its values, and a channel from these.

    The row of a value is the mean of the rows of the inputs that have it, weighted by the prior. What the
    pair leaks is what C leaks about the value. Values that never happen are left out.

    Examples
    --------
    >>> C = Channel.identity(range(3))
    >>> rho, D = predicate_channel(Prior.uniform(range(3)), C, lambda x: x % 2 == 0)
    >>> rho[True], D[True, 2]
    (Fraction(2, 3), Fraction(1, 2))
    """
    weights, total = prior.weights_for(C.inputs, "channel")
    used = np.flatnonzero(np.asarray(weights) > 0)
    values = [predicate(C.inputs[int(x)]) for x in used]
    named = as_labels(dict.fromkeys(values))
    folded = np.zeros((named.size, weights.shape[0]), dtype=np.asarray(weights).dtype)
    folded[named.positions(values), used] = weights[used]
    sums = folded.sum(axis=1)
    rows = quotient(C.kernel.left_multiply(folded), sums[:, np.newaxis])
    rho = Prior.from_array(named, quotient(sums, np.asarray(total)))
    return rho, Channel.from_kernel(named, C.outputs, DenseKernel(rows), C.slack)
