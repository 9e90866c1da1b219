"""What an observation does to what the adversary knows: a distribution on posterior distributions."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from quiff.core.channel import Channel
from quiff.core.kernels import DenseKernel
from quiff.core.kernels.base import scale_rows
from quiff.core.labels import as_labels
from quiff.core.limits import check_fits
from quiff.core.numbers import Array, Number, as_fractions, is_exact, unified
from quiff.core.prior import Prior

__all__ = ["Hyper", "hyper"]

# Float posteriors that agree to this many decimals are one.
_DECIMALS = 12


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

    def __repr__(self) -> str:
        return f"Hyper of {len(self)} posteriors on {self.inners.outputs.size} secrets"


def hyper(prior: Prior, C: Channel) -> Hyper:
    """Return the hyper-distribution of a prior and a channel, in its reduced form.

    Outputs that never happen are left out, and outputs with the same posterior are merged.

    Examples
    --------
    >>> C = Channel([[1, 0, 0], [0, 1, 0], [1, 0, 0]], inputs=["a", "b", "c"], outputs=["x", "y", "z"])
    >>> for probability, posterior in hyper(Prior.uniform("abc"[i] for i in range(3)), C).items():
    ...     print(probability, dict(posterior.items()))
    2/3 {'a': Fraction(1, 2), 'b': Fraction(0, 1), 'c': Fraction(1, 2)}
    1/3 {'a': Fraction(0, 1), 'b': Fraction(1, 1), 'c': Fraction(0, 1)}
    """
    weights, total = prior.weights_for(C.inputs, "channel")
    check_fits(C.outputs.size, C.inputs.size)
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
    """Group the rows that are the same, in order of first appearance."""
    groups: dict[tuple[object, ...], list[int]] = {}
    rounded = posteriors if is_exact(posteriors) else posteriors.round(_DECIMALS) + 0.0
    for position, row in enumerate(rounded):
        groups.setdefault(tuple(row), []).append(position)
    return list(groups.values())
