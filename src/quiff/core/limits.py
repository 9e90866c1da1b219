"""How much memory a run or a dense matrix may take, and a lazy product of work, before quiff refuses."""

import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from decimal import Decimal
from math import inf
from numbers import Real
from typing import Any

from quiff.core.numbers import as_float
from quiff.errors import ON_COMMAND_LINE, ParameterError, SizeError

_GIB = 2**30
PROCESS = 250 * 2**20
"""The bytes that a run takes before it reads anything."""

_LESS = "fewer people, or smaller parameters of the API"
_LITTLE = 64 * 2**20  # bytes that do not matter beside what a run takes anyway
_NOTHING = 4096  # bytes that every limit of the environment allows
_COPIES = 4  # arrays of one size that a computation holds at once
_FRACTION, _PASS = 100, 1000  # how many floats are looked at in the time of one fraction, and to begin a pass
_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)\s*([KMGT])(i?)B?", re.IGNORECASE)
_limits = {
    "QUIFF_DENSE_LIMIT": ContextVar[float | None]("dense_limit", default=None),
    "QUIFF_WORK_LIMIT": ContextVar[float | None]("work_limit", default=None),
    "QUIFF_MEMORY_LIMIT": ContextVar[float | None]("memory_limit", default=None),
}
_defaults = {"QUIFF_DENSE_LIMIT": 2.0, "QUIFF_WORK_LIMIT": 5.0, "QUIFF_MEMORY_LIMIT": inf}


def dense_limit(gib: float) -> AbstractContextManager[None]:
    """Allow dense matrices of up to `gib` GiB inside a ``with`` block.

    Outside of one the limit is 2 GiB, or the number in the environment variable QUIFF_DENSE_LIMIT, which
    is also what threads started inside of it see.

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
    return _limited("QUIFF_DENSE_LIMIT", gib, "GiB for dense matrices")


def work_limit(billions: float) -> AbstractContextManager[None]:
    """Allow measures of a lazy product to look at this many billion numbers inside a ``with`` block.

    Outside of one the limit is 5, some minutes; or the number in the environment variable QUIFF_WORK_LIMIT.
    A fraction counts as 100 numbers, and each pass over all rows as 1000 more: so much longer they take.

    Examples
    --------
    >>> import quiff
    >>> C = quiff.Channel([[0.5, 0.5, 0], [0, 0.5, 0.5]])
    >>> with work_limit(0.0001):
    ...     quiff.bayes_capacity(quiff.repeat(C, 40))
    Traceback (most recent call last):
    ...
    quiff.errors.SizeError: measuring this product means as much work as to look at 8.22e+05 numbers, but \
the limit is 0.0001 billion; raise it by `with quiff.work_limit(1): ...` or by QUIFF_WORK_LIMIT=1
    """
    return _limited("QUIFF_WORK_LIMIT", billions, "billion numbers to look at")


def memory_limit(gib: float) -> AbstractContextManager[None]:
    """Refuse inside a ``with`` block to begin what would take more than about `gib` GiB in all.

    Outside of one there is no limit but those of its parts; or the number in the environment variable
    QUIFF_MEMORY_LIMIT. On the command line it is ``--memory-limit``.

    Examples
    --------
    >>> with memory_limit(0.5):
    ...     check_need("measuring so many users takes about", 3 * 2**30)
    Traceback (most recent call last):
    ...
    quiff.errors.SizeError: measuring so many users takes about 3 GiB of memory, but the limit is 0.5 GiB; \
raise it (--memory-limit, or QUIFF_MEMORY_LIMIT=4), or take fewer people
    """
    return _limited("QUIFF_MEMORY_LIMIT", gib, "GiB for a run")


def memory_allowed() -> float:
    """Return how many bytes a run may take in all; infinite if nobody said."""
    return _limit("QUIFF_MEMORY_LIMIT") * _GIB


def check_need(what: str, needed: float, less: str = "fewer people") -> None:
    """Raise a SizeError if a run would take more bytes than it may; the message begins with what it does."""
    if needed > memory_allowed():
        raise SizeError(
            f"{what} {needed / _GIB:.3g} GiB of memory, but the limit is"
            f" {_limit('QUIFF_MEMORY_LIMIT'):.3g} GiB; raise it (--memory-limit, or"
            f" QUIFF_MEMORY_LIMIT={int(needed // _GIB) + 1}), or take {less}"
        )


def bytes_of(size: str) -> int:
    """Read a size such as ``2GB`` or ``500 MiB``.

    >>> bytes_of("2GB"), bytes_of("0.5 MiB")
    (2000000000, 524288)
    """
    result = _SIZE.fullmatch(size.strip())
    value = result and int(
        float(result[1]) * (1024 if result[3] else 1000) ** " KMGT".index(result[2].upper())
    )
    if not value:
        raise ParameterError(what="the memory limit", value=size, allowed="a size such as 2GB or 500MiB")
    return value


@contextmanager
def _limited(name: str, value: Any, what: str) -> Iterator[None]:
    check_limit(value, what)
    token = _limits[name].set(float(value))
    try:
        yield
    finally:
        _limits[name].reset(token)


def check_limit(value: object, what: str) -> None:
    """Raise a ParameterError unless a limit is a positive number."""
    if not (isinstance(value, Real | Decimal) and as_float(value, ParameterError) > 0):
        raise ParameterError(what=f"the limit in {what}", value=value, allowed="a positive number")


def _limit(name: str) -> float:
    chosen = _limits[name].get()
    if chosen is not None:
        return chosen
    text = os.environ.get(name, "")
    try:
        limit = float(text) if text else _defaults[name]
    except ValueError:
        limit = 0.0
    if not limit > 0:
        raise ParameterError(what=name, value=text, allowed="a positive number")
    return limit


def check_fits(rows: int, columns: int, number_size: int = 8) -> None:
    """Raise a SizeError if a dense matrix of this shape is over the limit."""
    if rows * columns > 2**97:  # no machine ever; and its digits would fill the screen
        raise SizeError(f"a dense matrix with 2^{(rows * columns).bit_length() - 1} numbers fits no memory")
    check_memory(f"a dense {rows} x {columns} matrix needs", rows * columns, number_size)


def check_memory(what: str, numbers: int, number_size: int = 8) -> None:
    """Raise a SizeError if so many numbers are over the limit; the message begins with what needs them."""
    needed = numbers * number_size
    if needed <= _NOTHING and _limits["QUIFF_DENSE_LIMIT"].get() is None:
        return  # small matrices are spared a look at the environment
    limit = _limit("QUIFF_DENSE_LIMIT")
    check_need(what, needed, _LESS)
    if _COPIES * needed > _LITTLE:
        check_need(f"{what}, with what is computed from them,", PROCESS + _COPIES * needed, _LESS)
    if needed <= limit * _GIB:
        return
    enough = needed // _GIB + 1
    raise SizeError(
        f"{what} {needed / _GIB:.3g} GiB, but the limit is {limit:g} GiB; "
        f"raise it by {raised('QUIFF_DENSE_LIMIT', enough)}"
    )


def raised(variable: str, enough: float) -> str:
    """Return how a limit is raised: by a variable of the environment, in Python by a context too.

    >>> raised("QUIFF_WORK_LIMIT", 7)
    '`with quiff.work_limit(7): ...` or by QUIFF_WORK_LIMIT=7'
    """
    by_variable = f"{variable}={enough:.0f}"
    context = variable.removeprefix("QUIFF_").lower()
    if ON_COMMAND_LINE.get():
        return by_variable
    return f"`with quiff.{context}({enough:.0f}): ...` or by {by_variable}"


def work_allowed() -> float:
    """Return how many numbers the limit on work allows to look at."""
    return _limit("QUIFF_WORK_LIMIT") * 10**9


def check_work(numbers: int, number_size: int = 8, passes: int = 0) -> None:
    """Raise a SizeError if this many numbers to look at are over the limit.

    Fractions, which have another size than 8 bytes, and passes over few numbers each count as the many
    numbers that could be looked at in the same time.
    """
    limit = _limit("QUIFF_WORK_LIMIT")
    numbers = numbers * (1 if number_size == 8 else _FRACTION) + passes * _PASS
    if numbers <= limit * 10**9:
        return
    if numbers > 2**100:
        raise SizeError(
            f"measuring this product means as much work as to look at 2^{numbers.bit_length() - 1} numbers,"
            " more than any machine can; compose fewer channels"
        )
    enough = numbers // 10**9 + 1
    raise SizeError(
        f"measuring this product means as much work as to look at {numbers:.3g} numbers, but the limit is "
        f"{limit:g} billion; raise it by {raised('QUIFF_WORK_LIMIT', enough)}"
    )
