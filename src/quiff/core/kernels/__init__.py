"""How a channel holds its numbers: dense, map, sparse over a background, or a lazy product.

Measures see only the protocol of :class:`Kernel` and never ask which one they meet.
"""

from quiff.core.kernels.base import DenseKernel, Kernel
from quiff.core.kernels.product import ProductKernel, cascade
from quiff.core.kernels.sparse import MapKernel, SparseKernel

__all__ = ["DenseKernel", "Kernel", "MapKernel", "ProductKernel", "SparseKernel", "cascade"]
