"""Values that nobody has looked at yet.

A drawn value, or an attribute of the secret, is handed to the function sealed: any operation on it stops the
run. A run that never looks ends with the value still sealed, and stands for all that it may be; one that
looks is discarded, and the path branches there. This is an optimisation only: no function ever computes with
a sealed value.
"""

import dis
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from types import CodeType, FunctionType
from typing import Any, final

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


@final
@dataclass(slots=True, eq=False)
class Source:
    """Where a sealed value comes from: an attribute, or a draw by its number, perhaps over an attribute.

    Or it is a frozen set of `parts`, some of them sealed.
    """

    run: Any  # to which it belongs
    attribute: str | None = None
    draw: int | None = None
    options: Any = None
    expand: Any = None
    parts: tuple[Any, ...] | None = None

    def first(self) -> "Source":
        """Return where to branch: of a set, on its first sealed part."""
        if self.parts is None:
            return self
        return next(source_of(part) for part in self.parts if type(part) is Sealed).first()


@final
class Sealed:
    """A value that has not been looked at."""

    __slots__ = ("source",)

    def __init__(self, source: Source) -> None:
        _set_source(self, source)

    def __repr__(self) -> str:
        source = source_of(self)
        return "<a value that was not looked at>" if not source.run.alive else str(_look(self))


source_of: Callable[[Sealed], Source] = Sealed.__dict__["source"].__get__
"""Return where a sealed value comes from, without looking at it."""
_set_source = Sealed.__dict__["source"].__set__


def _look(self: Sealed, *_: Any, **__: Any) -> Any:
    source = source_of(self)
    if not source.run.alive:
        raise QuiffError("a value of an earlier run of a program was kept, and used in another one")
    return source.run.stop(Look(source.first()))


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
    """Tell whether no identity test (``is``) stands in a function, or in what it names of its own module."""
    left: list[Any] = [function]
    seen: set[Any] = set()
    while left:
        named = left.pop()
        named = getattr(named, "__func__", getattr(named, "fget", named))  # of a method or a property
        if isinstance(named, FunctionType) and named.__code__ not in seen:
            seen.add(named.__code__)
            for part in _parts(named.__code__):
                if any(each.opname == "IS_OP" for each in dis.get_instructions(part)):
                    return False
                left += [named.__globals__[name] for name in part.co_names if name in named.__globals__]
            left += [cell.cell_contents for cell in named.__closure__ or () if _is_filled(cell)]
        elif not isinstance(named, FunctionType):
            kind = named if isinstance(named, type) else type(named)
            if kind.__module__ == function.__module__ and kind not in seen:  # a class, or another program
                seen.add(kind)
                made = hasattr(kind, "__dataclass_fields__")  # these have identity tests on themselves only
                left += [value for name, value in vars(kind).items() if not (made and name.startswith("__"))]
    return isinstance(function, FunctionType)


def with_late_sets(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with sets of sealed values sealed, too: to make one is not to look at its parts.

    In place of the built-in name `frozenset`, where a function does nothing but call it, it sees `late_set`;
    all other names are looked up as before. A function that may see its globals otherwise stays as it is.
    """
    if not isinstance(function, FunctionType):
        return function
    names, called = set[str](), True
    for part in _parts(function.__code__):
        names.update(part.co_names, part.co_varnames, part.co_freevars)
        for each in dis.get_instructions(part):
            if each.opname in ("STORE_GLOBAL", "DELETE_GLOBAL", "IMPORT_NAME"):
                return function
            if each.argval == "frozenset" and each.opname != "LOAD_CONST":  # the lowest bit is set for a call
                called = called and each.opname == "LOAD_GLOBAL" and bool((each.arg or 0) & 1)
    if "frozenset" not in names or not called or names & _REFLECTING or "frozenset" in function.__globals__:
        return function
    seen = _Names(function.__globals__, getattr(function, "__builtins__"))  # noqa: B009  # which not all versions of mypy know
    made = FunctionType(
        function.__code__, seen, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


_REFLECTING = {"globals", "locals", "vars", "eval", "exec", "dir", "__import__", "sys", "inspect"}


@final
class _Names(dict[str, Any]):
    """The names of a module as they are at each moment, with `late_set` for `frozenset`."""

    def __init__(self, module: dict[str, Any], builtins: dict[str, Any]) -> None:
        super().__init__(__builtins__=builtins, frozenset=late_set)
        self._module = module

    def __missing__(self, name: str) -> Any:
        return self._module[name]


def late_set(items: Any = ()) -> Any:
    """Return a frozen set; sealed if a part is."""
    if type(items) is Sealed:
        return _look(items)
    parts = tuple(items)
    sealed = [part for part in parts if type(part) is Sealed]
    if not sealed:
        return frozenset(parts)
    for part in parts:
        if type(part) is not Sealed:
            hash(part)  # what no set can hold fails here, too
    return Sealed(Source(source_of(sealed[0]).run, parts=parts))


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
