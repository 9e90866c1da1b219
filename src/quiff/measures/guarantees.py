"""The parameters of older privacy notions, read off the channels: k of k-anonymity, B of bounded noise."""

import numpy as np

from quiff.core.channel import Channel
from quiff.core.numbers import Array
from quiff.errors import typed


@typed
def k_anonymity(C: Channel) -> int:
    """Return k: every output that occurs has at least k inputs that may lie behind it.

    For the deterministic C_G this is the least number of ones in a column (paper, Sec. 3.2). For a random
    one it counts the entries that are not 0, which need not be equally probable.

    >>> from quiff import Channel
    >>> k_anonymity(Channel.deterministic({"Alice": "x", "Bob": "y", "Carol": "x"}))
    1
    """
    _, columns = _nonzeros(C)
    return int(columns[columns > 0].min())


@typed
def noise_bound(C: Channel) -> int:
    """Return B: every input has at least B outputs that may come of it.

    For C_BN this is s, the number of entries of each row that are not 0 (paper, Sec. 3.2).

    >>> from quiff import Channel
    >>> noise_bound(Channel.membership({"x": {1, 2}, "y": {2, 3}}, [1, 2, 3, 4], inside=0.5, outside=0))
    2
    """
    rows, _ = _nonzeros(C)
    return int(rows.min())


def _nonzeros(C: Channel) -> tuple[Array, Array]:
    """Return how many entries of each row, and of each column, are not 0."""
    sparse = C.kernel.as_sparse()
    if sparse is None:
        blocks = [block != 0 for block in C.kernel.blocks()]
        rows = np.sum([block.sum(axis=1) for block in blocks], axis=0)
        return np.asarray(rows), np.concatenate([block.sum(axis=0) for block in blocks])
    entries = sparse.entries
    plain = sparse.background != 0
    # An entry may stand where the background has 0 (+1), or be 0 where it has not (-1).
    change = (entries.values != 0).astype(np.intp) - plain[entries.columns]
    rows = np.bincount(entries.rows, weights=change, minlength=C.inputs.size)
    columns = np.bincount(entries.columns, weights=change, minlength=C.outputs.size)
    return plain.sum() + rows.astype(np.intp), plain * C.inputs.size + columns.astype(np.intp)
