"""How large a dense matrix may become before quiff refuses to make it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from quiff.errors import ParameterError, SizeError

__all__ = ["check_fits", "dense_limit"]

_GIB = 2**30
_DEFAULT_GIB = 2.0
_limit: ContextVar[float | None] = ContextVar("dense_limit", default=None)


@contextmanager
def dense_limit(gib: float) -> Iterator[None]:
    """Allow dense matrices of up to `gib` GiB inside a ``with`` block.

    Outside of one the limit is 2 GiB, or the number in the environment variable QUIFF_DENSE_LIMIT.

    Examples
    --------
    >>> import quiff
    >>> users = quiff.Channel.identity(range(30_000))
    >>> users.to_numpy()
    Traceback (most recent call last):
    ...
    quiff.errors.SizeError: a dense 30000 x 30000 matrix needs 6.71 GiB, but the limit is 2 GiB; \
raise it by `with quiff.dense_limit(7): ...` or by QUIFF_DENSE_LIMIT=7
    """
    if not gib > 0:
        raise ParameterError(f"the limit for dense matrices is {gib!r} GiB, but must be positive")
    token = _limit.set(gib)
    try:
        yield
    finally:
        _limit.reset(token)


def _limit_gib() -> float:
    chosen = _limit.get()
    if chosen is not None:
        return chosen
    text = os.environ.get("QUIFF_DENSE_LIMIT", "")
    try:
        limit = float(text) if text else _DEFAULT_GIB
    except ValueError:
        raise ParameterError(f"QUIFF_DENSE_LIMIT is {text!r}, but must be a number of GiB") from None
    if not limit > 0:
        raise ParameterError(f"QUIFF_DENSE_LIMIT is {text!r}, but must be positive")
    return limit


def check_fits(rows: int, columns: int) -> None:
    """Raise a SizeError if a dense matrix of this shape (8 bytes a number) is over the limit."""
    needed, limit = rows * columns * 8 / _GIB, _limit_gib()
    if needed > limit:
        enough = int(needed) + 1
        raise SizeError(
            f"a dense {rows} x {columns} matrix needs {needed:.3g} GiB, but the limit is {limit:g} GiB; "
            f"raise it by `with quiff.dense_limit({enough}): ...` or by QUIFF_DENSE_LIMIT={enough}"
        )
