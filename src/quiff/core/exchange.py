"""Exchange with numpy and pandas: arrays without labels, frames with them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from quiff.core.labels import Labels
from quiff.core.numbers import Array

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["as_array", "frame_labels", "to_frame", "to_index"]


def as_array(values: Array, dtype: Any, copy: bool | None) -> Array:
    """Answer numpy's ``__array__``: the numbers are made anew, so a view of them cannot be had."""
    if copy is False:
        raise ValueError("the numbers are made when asked for; there is nothing to share without a copy")
    return values if dtype is None else values.astype(dtype)


def frame_labels(rows: object) -> tuple[list[Any] | None, list[Any] | None]:
    """Return the names of a pandas frame's rows and columns; (None, None) for anything else."""
    if hasattr(rows, "index") and hasattr(rows, "columns"):
        return rows.index.tolist(), rows.columns.tolist()
    return None, None


def to_index(labels: Labels) -> "pd.Index[Any]":
    """Return labels as a pandas index that changes none of them."""
    import pandas as pd

    cells = np.empty(labels.size, dtype=object)
    cells[:] = list(labels)
    return pd.Index(cells, dtype=object, tupleize_cols=False)


def to_frame(matrix: Array, rows: Labels, columns: Labels) -> "pd.DataFrame":
    """Return a matrix as a pandas frame."""
    import pandas as pd

    return pd.DataFrame(matrix, index=to_index(rows), columns=to_index(columns))
