"""Values that nobody has looked at yet.

A drawn value, or an attribute of the secret, is handed to the function sealed: any operation on it stops the
run. A run that never looks ends with the value still sealed, and stands for all that it may be; one that
looks is discarded, and the path branches there. This is an optimisation only: no function ever computes with
a sealed value.
"""

import dis
from collections.abc import Callable, Iterable
from fractions import Fraction
from types import CodeType, FunctionType
from typing import Any, NoReturn, Protocol, final

from quiff.errors import QuiffError

_PLAIN = frozenset({int, str, float, Fraction, bytes, tuple, frozenset})


class Stop(BaseException):
    """Ends a run from inside; not an Exception, so that a function does not handle it by mistake."""


@final
class Doubt(Stop):
    """Sealing may not be sound here: plain replay decides."""


@final
class Look(Stop):
    """The function looked at a sealed value."""

    def __init__(self, source: "Source") -> None:
        self.source = source


@final
class Fail(Stop):
    """An error for the caller."""

    def __init__(self, error: Exception) -> None:
        self.error = error


class Watcher(Protocol):
    """A run that sealed values belong to."""

    alive: bool

    def stop(self, signal: Stop) -> NoReturn:
        """End the run."""


@final
class Source:
    """Where a sealed value comes from: an attribute, or a draw by its number, perhaps over an attribute."""

    __slots__ = ("attribute", "draw", "expand", "options", "run")

    def __init__(
        self,
        run: Watcher,
        attribute: str | None = None,
        draw: int | None = None,
        options: Any = None,
        expand: Any = None,
    ) -> None:
        self.run, self.attribute, self.draw, self.options, self.expand = run, attribute, draw, options, expand


@final
class Sealed:
    """A value that has not been looked at."""

    __slots__ = ("source",)

    def __init__(self, source: Source) -> None:
        _set_source(self, source)

    def __repr__(self) -> str:
        source: Source = _source(self)
        return "<a value that was not looked at>" if not source.run.alive else str(_look(self))


_source: Callable[[Sealed], Source] = Sealed.__dict__["source"].__get__
_set_source = Sealed.__dict__["source"].__set__


def source_of(value: Sealed) -> Source:
    """Return where a sealed value comes from, without looking at it."""
    return _source(value)


def _look(self: Sealed, *_: Any, **__: Any) -> NoReturn:
    source = _source(self)
    if not source.run.alive:
        raise QuiffError("a value of an earlier run of a program was kept, and used in another one")
    source.run.stop(Look(source))


_UNARY = (
    "hash bool len length_hint iter next reversed str bytes int float complex index trunc floor ceil neg pos "
    "abs invert enter dir sizeof reduce fspath await aiter anext copy"
)
_OTHERS = (
    "eq ne lt le gt ge contains getitem setitem delitem call format round exit getattribute setattr delattr "
    "reduce_ex deepcopy"
)
_ARITHMETIC = "add sub mul truediv floordiv mod divmod pow matmul lshift rshift and or xor"
for _name in (*_UNARY.split(), *_OTHERS.split()):
    setattr(Sealed, f"__{_name}__", _look)
for _name in _ARITHMETIC.split():
    for _side in ("", "r", "i"):
        setattr(Sealed, f"__{_side}{_name}__", _look)


def one_plain_type(values: Iterable[Any]) -> type | None:
    """Return the type that all values are exactly of, if it is one of Python's plain values; else None."""
    kinds = set(map(type, values))
    return next(iter(kinds)) if len(kinds) == 1 and kinds <= _PLAIN else None


def may_seal(function: Callable[..., Any]) -> bool:
    """Tell whether no identity test (``is``) stands in a function, or in the functions that it names."""
    left: list[Any] = [function]
    seen: set[CodeType] = set()
    while left:
        named = left.pop()
        if not isinstance(named, FunctionType):
            named = getattr(type(named), "function", None)  # of a program
        if not isinstance(named, FunctionType) or named.__code__ in seen:
            continue
        seen.add(named.__code__)
        for part in _parts(named.__code__):
            if any(each.opname == "IS_OP" for each in dis.get_instructions(part)):
                return False
            left += [named.__globals__[name] for name in part.co_names if name in named.__globals__]
        left += [cell.cell_contents for cell in named.__closure__ or () if _is_filled(cell)]
    return isinstance(function, FunctionType)


def _parts(code: CodeType) -> Iterable[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _parts(constant)


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False
