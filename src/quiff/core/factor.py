"""What stands left of a channel when a measure is taken: a gain function times a prior.

V_g[pi > C] = sum_y max_w sum_x g(w,x) pi_x C[x,y]: the matrix A[w,x] = g(w,x) pi_x is multiplied from the
left, and the best action is taken in each column. Guessing the secret in k tries needs no such matrix.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from quiff.core.kernels import Kernel
from quiff.core.kernels.base import BLOCK, scale_rows
from quiff.core.numbers import Array, product, summed, unified
from quiff.core.sparse import SparseRows, fold_max


@dataclass(frozen=True, eq=False)
class BestInputs:
    """Gain 1 if the secret is among `tries` guesses: the sum of the largest weights."""

    weights: Array
    tries: int

    def without_channel(self) -> Any:
        if self.tries == 1:
            return self.weights.max()
        return np.sort(self.weights)[-self.tries :].sum()

    def best(self, kernel: Kernel) -> Array:
        if self.tries == 1:
            return kernel.column_max(self.weights)
        return np.concatenate([self._largest(block) for _, block in kernel.blocks()])

    def best_sum(self, kernel: Kernel) -> Any:
        if self.tries == 1:
            return kernel.column_max_sum(self.weights)
        return sum(self._largest(block).sum() for _, block in kernel.blocks())

    def _largest(self, block: Array) -> Array:
        """Return the sum of the largest joint probabilities of each column."""
        block, weights = unified(block, self.weights)
        joint = scale_rows(block, weights)
        cut = max(joint.shape[0] - self.tries, 0)
        return np.asarray(np.partition(joint, cut, axis=0)[cut:].sum(axis=0))

    def scaled(self, factors: Array) -> "LeftFactor":
        return BestInputs(product(self.weights, factors), self.tries)

    def folded(self, classes: Array, n_classes: int) -> "LeftFactor | None":
        if self.tries > 1:  # two of the best guesses may be of one class
            return None
        return BestInputs(fold_max(self.weights, classes, n_classes), 1)


@dataclass(frozen=True, eq=False)
class Matrix:
    """Any gain: a dense matrix (actions x inputs), or a sparse one by its transposed rows."""

    matrix: Array | SparseRows

    def without_channel(self) -> Any:
        if isinstance(self.matrix, SparseRows):
            return self.matrix.column_sums.max()
        return self.matrix.sum(axis=1).max()

    def best(self, kernel: Kernel) -> Array:
        if isinstance(self.matrix, SparseRows):
            return kernel.best_actions(self.matrix)
        step = max(1, BLOCK // max(kernel.n_columns, 1))
        parts = [
            kernel.left_multiply(self.matrix[start : start + step]).max(axis=0)
            for start in range(0, self.matrix.shape[0], step)
        ]
        return parts[0] if len(parts) == 1 else np.asarray(np.maximum.reduce(parts))

    def best_sum(self, kernel: Kernel) -> Any:
        kernel, classes = kernel.merged()
        factor = self if classes is None else self.folded(classes, kernel.n_rows)
        parts = (
            (factor if head is None else factor.scaled(head))._sum(leaf)
            for head, leaf in kernel.slices(added=True)
        )
        return sum(parts)

    def _sum(self, kernel: Kernel) -> Any:
        if isinstance(self.matrix, SparseRows):
            return kernel.best_actions_sum(self.matrix)
        return self.best(kernel).sum()

    def scaled(self, factors: Array) -> "Matrix":
        if isinstance(self.matrix, SparseRows):
            return Matrix(self.matrix.scale_rows(factors))
        matrix, factors = unified(self.matrix, factors)
        return Matrix(scale_rows(matrix.T, factors).T)

    def folded(self, classes: Array, n_classes: int) -> "Matrix":
        if isinstance(self.matrix, SparseRows):
            return Matrix(self.matrix.fold_rows(classes, n_classes))
        return Matrix(summed(self.matrix.T, classes, n_classes).T)


@dataclass(frozen=True, eq=False)
class Ranks:
    """The number of guesses until the secret is right, the likeliest first, as a negative gain."""

    weights: Array

    def without_channel(self) -> Any:
        return self._guesses(np.array(self.weights)[:, np.newaxis])[0]

    def best(self, kernel: Kernel) -> Array:
        return np.concatenate([self._joint(block) for _, block in kernel.blocks()])

    def best_sum(self, kernel: Kernel) -> Any:
        return sum(self._joint(block).sum() for _, block in kernel.blocks())

    def _joint(self, block: Array) -> Array:
        return self._guesses(scale_rows(*unified(block, self.weights)))

    @staticmethod
    def _guesses(joint: Array) -> Array:
        """Return - sum_i i J_(i)y for each column y."""
        ordered = np.sort(joint, axis=0)[::-1]
        return np.asarray(-np.arange(1, joint.shape[0] + 1) @ ordered)

    def scaled(self, factors: Array) -> "LeftFactor":
        return Ranks(product(self.weights, factors))

    def folded(self, classes: Array, n_classes: int) -> "LeftFactor | None":  # noqa: ARG002 - each is a guess
        return None


@dataclass(frozen=True, eq=False)
class Lowered:
    """Another factor's gains less one number for every action and input."""

    factor: "LeftFactor"
    weights: Array
    less: Any

    def without_channel(self) -> Any:
        return self.factor.without_channel() - self.less * self.weights.sum()

    def best(self, kernel: Kernel) -> Array:
        marginal = kernel.left_multiply(self.weights[np.newaxis, :])[0]
        return np.asarray(self.factor.best(kernel) - self.less * marginal)

    def best_sum(self, kernel: Kernel) -> Any:
        return self.factor.best_sum(kernel) - self.less * self.weights.sum()

    def scaled(self, factors: Array) -> "LeftFactor":
        return Lowered(self.factor.scaled(factors), product(self.weights, factors), self.less)

    def folded(self, classes: Array, n_classes: int) -> "LeftFactor | None":
        factor, weights = self.factor.folded(classes, n_classes), summed(self.weights, classes, n_classes)
        return None if factor is None else Lowered(factor, weights, self.less)


LeftFactor: TypeAlias = BestInputs | Matrix | Ranks | Lowered
"""A gain function times the weights of the inputs. Each kind answers five questions.

without_channel
    max_w sum_x A[w,x]: the best action without an observation.
best, best_sum
    max_w (A C)[w,y] for each output y of a kernel C, and the sum of these.
scaled
    The same with the weight of each input multiplied.
folded
    The same with the inputs of a class as one; None if that would change the result.
"""
