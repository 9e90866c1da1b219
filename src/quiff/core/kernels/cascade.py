"""Matrix multiplication of kernels that keeps the structure where it can."""

import numpy as np

from quiff.core.kernels.base import Kernel
from quiff.core.kernels.dense import DenseKernel
from quiff.core.kernels.mapping import MapKernel
from quiff.core.kernels.sparse import SparseKernel
from quiff.core.numbers import matmul, unified

__all__ = ["cascade"]


def cascade(first: Kernel, second: Kernel) -> Kernel:
    """Return the kernel of C D; the columns of C are the rows of D.

    A map before anything takes rows; a map after anything adds columns up; two channels over backgrounds
    give one again, since the rows of C sum to 1: (1 b + E)(1 b' + E') = 1 (b' + b E') + E E'.
    """
    if isinstance(first, MapKernel):
        return second.take_rows(first.codes)
    if isinstance(second, MapKernel):
        return first.place_columns(second.codes, second.n_columns)
    if isinstance(first, SparseKernel) and isinstance(second, SparseKernel):
        row = second.exceptions.transposed_matmul_dense(first.background[:, np.newaxis])[:, 0]
        background, row = unified(second.background, row)
        return SparseKernel(background + row, first.exceptions.matmul(second.exceptions))
    if isinstance(first, SparseKernel):
        matrix = second.to_dense()
        row, changes = unified(matmul(first.background, matrix), first.exceptions.matmul_dense(matrix))
        return DenseKernel(row + changes)
    return DenseKernel(second.left_multiply(first.to_dense()))
