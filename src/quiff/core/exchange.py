"""Exchange with pandas: frames and their labels."""

from typing import TYPE_CHECKING, Any

import numpy as np

from quiff.core.labels import Labels
from quiff.core.numbers import Array

if TYPE_CHECKING:
    import pandas as pd


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
