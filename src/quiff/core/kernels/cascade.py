"""Matrix multiplication of kernels that keeps the structure where it can."""

from quiff.core.kernels.base import Kernel
from quiff.core.kernels.dense import DenseKernel
from quiff.core.kernels.sparse import MapKernel
from quiff.core.limits import check_fits
from quiff.core.numbers import matmul


def cascade(first: Kernel, second: Kernel) -> Kernel:
    """Return the kernel of C D; the columns of C are the rows of D.

    A map before anything takes rows; a map after anything adds columns up; sparse entries without a
    background before sparse ones stay sparse; the rest is dense.
    """
    if isinstance(first, MapKernel):
        return second.take_rows(first.codes)
    if isinstance(second, MapKernel):
        return first.place_columns(second.codes, second.n_columns)
    one, other = first.as_sparse(), second.as_sparse()
    if one is not None and other is not None and one.cascades_sparsely(other):
        return one.followed_by(other)
    check_fits(first.n_rows, second.n_columns)
    return DenseKernel(matmul(first.to_dense(), second.to_dense()))
