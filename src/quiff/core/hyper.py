"""What an observation does to what the adversary knows: a distribution on posterior distributions."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np

from quiff.core.channel import Channel
from quiff.core.display import html_table, text_table
from quiff.core.kernels import DenseKernel
from quiff.core.kernels.base import scale_rows
from quiff.core.labels import Labels, as_labels
from quiff.core.numbers import Array, Number, as_fractions, as_number, is_exact, unified
from quiff.core.prior import Prior
from quiff.errors import counted

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
    C = C if isinstance(C, Channel) else C.channel(prior.labels)
    weights, total = prior.weights_for(C.inputs, "channel")
    matrix, weights = unified(C.kernel.to_dense(), weights)
    joint = scale_rows(matrix, weights).T
    joint = (as_fractions(joint) if is_exact(joint) else joint) / total
    happens = np.flatnonzero(joint.sum(axis=1) > 0)
    joint = joint[happens]
    groups = _equal_rows(joint / joint.sum(axis=1)[:, np.newaxis])
    merged = np.stack([joint[rows].sum(axis=0) for rows in groups])
    outer = merged.sum(axis=1)
    names: list[Hashable] = [tuple(C.outputs[int(happens[i])] for i in rows) for rows in groups]
    labels = as_labels(names)
    inners = Channel.from_kernel(labels, C.inputs, DenseKernel(merged / outer[:, np.newaxis]))
    return Hyper(Prior.from_array(labels, outer), inners)


def _equal_rows(posteriors: Array) -> list[list[int]]:
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
