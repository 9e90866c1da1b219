"""The errors that quiff raises: all are :class:`QuiffError`, and all are :class:`ValueError`.

A message quotes the value that is wrong and says what would be right; of the data of people it tells the
place and the shape only. Some helpers write such sentences.
"""

import re
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from importlib import import_module
from inspect import signature
from types import NoneType
from typing import Any, ParamSpec, TypeVar, get_args

_Arguments = ParamSpec("_Arguments")
_Answer = TypeVar("_Answer")

ON_COMMAND_LINE: ContextVar[bool] = ContextVar("command_line", default=False)
"""Whether who reads an error typed a command, and no Python."""

_QUOTED = re.compile(r"""(['"`]).*\1""")  # from the first quote to the last one: there may be quotes inside
_ENGINES = {  # what engines say in their own way
    "magic bytes": "it is no Parquet file, or it is damaged",
    "file size is 0": "it is empty",
    "too small to be a parquet file": "it is no Parquet file, or it is damaged",
    "error when sniffing file": "it is no table with columns; is it text, with commas or tabs?",
}
_ROW = re.compile(r"(, got \d+): .*")


class QuiffError(ValueError):
    """Something that the caller gave cannot be used; the parent of every error in quiff.

    An error about one value has fields: `what` is wrong, its `value`, what is `allowed`, and `where` it
    stands; without a sentence of its own it is told by them. Of the data of people only `where` is kept.

    Examples
    --------
    >>> error = QuiffError(what="noise", value=2, allowed="a number between 0 and 1", where="line 3")
    >>> str(error), error.what, error.value
    ('line 3: noise must be a number between 0 and 1, not 2', 'noise', 2)
    """

    def __init__(
        self,
        sentence: str | None = None,
        *,
        what: str | None = None,
        value: object = None,
        allowed: str | None = None,
        where: str | None = None,
    ) -> None:
        if sentence is None:
            sentence = f"{what} must be {allowed}, not {quoted(value)}"
        super().__init__(f"{where}: {sentence}" if where else sentence)
        self.what, self.value, self.allowed, self.where = what, value, allowed, where


class LabelError(QuiffError):
    """A label is missing, unknown or there twice."""


class ProbabilityError(QuiffError):
    """Numbers that should be probabilities are not, or do not sum to one."""


class GainError(QuiffError):
    """A gain is negative, not finite, or useless for the question asked."""


class ParameterError(QuiffError):
    """A parameter lies outside its allowed range."""


class ShapeError(QuiffError):
    """An array does not have the shape that its labels ask for."""


class SizeError(QuiffError):
    """The result would not fit into the memory that the limit allows."""


class InfeasibleError(QuiffError):
    """Nothing meets all constraints; the message says which of them are too much."""


def setting(name: str, value: str | bool) -> str:
    """Return what would mend something: as an argument in Python, as an option on the command line.

    Examples
    --------
    >>> setting("force", True), setting("missing", "drop")
    ('force=True', "missing='drop'")
    """
    if not ON_COMMAND_LINE.get():
        return f"{name}={value!r}"
    return f"--{name}" if value is True else f"--{name} {value}"


def counted(number: int, thing: str) -> str:
    """Return a number with what it counts: the plural by an s, but for one.

    Examples
    --------
    >>> counted(1, "user"), counted(0, "topic"), counted(3, "distinct set")
    ('1 user', '0 topics', '3 distinct sets')
    """
    return f"{number} {thing}" if number == 1 else f"{how_many(number)} {thing}s"


def how_many(number: int) -> str:
    """Return a whole number as text; of one that would fill a screen, its power of two.

    Examples
    --------
    >>> how_many(1234), how_many(2**500 + 7)
    ('1234', 'more than 2^500')
    """
    size = number.bit_length() if isinstance(number, int) else 0
    return str(number) if size <= 200 else f"more than 2^{size - 1}"


def first_line(error: BaseException) -> str:
    r"""Return what an error of the system or of a library says, cut to its first line.

    Examples
    --------
    >>> first_line(ValueError("no table t\nat line 1")), first_line(EOFError())
    ('no table t', 'EOFError')
    >>> first_line(FileNotFoundError(2, "No such file or directory", "log.txt"))
    'No such file or directory'
    """
    said = getattr(error, "strerror", None) or str(error).strip() or type(error).__name__
    return str(said).split("\n", 1)[0]


def full_sentence(message: object) -> str:
    """Return a message with a full stop, unless it ends in a question.

    Examples
    --------
    >>> full_sentence(QuiffError("there is no API 'x'")), full_sentence("did you mean 0.05?")
    ("there is no API 'x'.", 'did you mean 0.05?')
    """
    text = str(message)
    return text if text.endswith("?") else f"{text}."


def described(error: BaseException) -> str:
    """Return the kind of an error of somebody's own code and what it says, in one line.

    Examples
    --------
    >>> described(KeyError("country"))
    "KeyError: 'country'"
    """
    return f"{type(error).__name__}: {first_line(error)}"


def engine_line(error: BaseException) -> str:
    """Return what an engine says that reads the data of people, as `first_line`, without what it quotes.

    Examples
    --------
    >>> engine_line(ValueError("Conversion Error: Could not convert string 'Alice' to INT32"))
    "Conversion Error: Could not convert string '...' to INT32"
    >>> engine_line(ValueError("CSV parse error: Expected 2 columns, got 3: Alice,News,Sports"))
    'CSV parse error: Expected 2 columns, got 3'
    """
    said = first_line(error)
    if isinstance(error, OSError) and error.strerror:
        return said
    meant = next((words for engines, words in _ENGINES.items() if engines in said.lower()), None)
    if meant is not None:
        return meant
    return _QUOTED.sub(r"\1...\1", _ROW.sub(r"\1", said))


def cannot_read(path: object, why: str | BaseException) -> ParameterError:
    """Return the error about an input that cannot be read.

    Examples
    --------
    >>> error = cannot_read("log.txt", "it is a folder; name a file")
    >>> str(error), error.what, error.value
    ("cannot read 'log.txt': it is a folder; name a file", 'the input', 'log.txt')
    """
    return _cannot("read", "the input", path, why)


def cannot_write(path: object, why: str | BaseException) -> ParameterError:
    """Return the error about an output that cannot be written, as `cannot_read`."""
    return _cannot("write", "the output", path, why)


def _cannot(do: str, what: str, path: object, why: str | BaseException) -> ParameterError:
    reason = why if isinstance(why, str) else first_line(why)
    return ParameterError(f"cannot {do} {str(path)!r}: {reason}", what=what, value=str(path))


def needed(module: str, extra: str, use: str) -> Any:
    """Import a library that only some users need, or say with which extra of the installation it comes.

    Examples
    --------
    >>> needed("math", "sums", "adding up").fsum([0.5, 0.5])
    1.0
    >>> needed("no_such_library", "none", "nothing")
    Traceback (most recent call last):
    quiff.errors.QuiffError: nothing needs no-such-library; install it by: pip install 'quiff[none]'
    """
    try:
        return import_module(module)
    except ImportError:
        library = module.partition(".")[0].replace("_", "-")
        raise QuiffError(f"{use} needs {library}; install it by: pip install 'quiff[{extra}]'") from None


def quoted(value: object) -> str:
    """Return a value as an error quotes it, in one line.

    Examples
    --------
    >>> from quiff import Prior
    >>> quoted(0.5), quoted(Prior.uniform(["a", "b"])).endswith(" ...")
    ('0.5', True)
    """
    first, *more = repr(value).splitlines()
    return f"{first} ..." if more else first


def typed(function: Callable[_Arguments, _Answer]) -> Callable[_Arguments, _Answer]:
    """Let a function refuse an argument that should be one of quiff's own values, and is something else.

    Which it is, is read from the annotations: those that name nothing but classes of quiff, or None.

    Examples
    --------
    >>> from quiff import Channel, bayes_capacity
    >>> bayes_capacity([[0.5, 0.5], [0.25, 0.75]])
    Traceback (most recent call last):
    quiff.errors.ParameterError: bayes_capacity() takes a Channel for C, not a list; make one by quiff.Channel
    """
    kinds = {name: _own(parameter.annotation) for name, parameter in signature(function).parameters.items()}
    in_order = tuple(kinds.items())

    @wraps(function)
    def checked(*args: _Arguments.args, **options: _Arguments.kwargs) -> _Answer:
        for (name, own), value in zip(in_order, args, strict=False):
            if own and not isinstance(value, own):
                raise _unexpected(function.__name__, name, own, value)
        for name, value in options.items():
            if kinds.get(name) and not isinstance(value, kinds[name]):
                raise _unexpected(function.__name__, name, kinds[name], value)
        return function(*args, **options)

    return checked


def _own(annotation: Any) -> tuple[type, ...]:
    """Return the classes that an annotation names, if all are quiff's or None; else none."""
    named = get_args(annotation) or (annotation,)
    own = [isinstance(each, type) and each.__module__.startswith("quiff.") for each in named]
    if any(getattr(each, "_is_protocol", False) for each in named):  # not known before it is used
        return ()
    return named if any(own) and all(o or n is NoneType for o, n in zip(own, named, strict=True)) else ()


def _unexpected(function: str, name: str, own: tuple[type, ...], value: object) -> ParameterError:
    names = [each.__name__ for each in own if each is not NoneType]
    kind = type(value).__name__
    a, an = ("an" if word[0] in "aeiouAEIOU" else "a" for word in (names[0], kind))
    wanted = f"{a} {' or '.join(names)} for {name}"
    return ParameterError(f"{function}() takes {wanted}, not {an} {kind}; make one by quiff.{names[0]}")
