"""A function with random choices, and what it observes when it is run once."""

from collections.abc import Callable
from inspect import isgeneratorfunction
from itertools import islice
from traceback import walk_stack, walk_tb
from types import TracebackType
from typing import Any, final

from quiff.errors import SizeError
from quiff.programs.draws import Draw

_MOST_YIELDS = 100_000


@final
class NeedsAttribute(Exception):  # noqa: N818 - not an error, but a question
    """The program read an attribute that the secrets do not have yet."""

    def __init__(self, name: str) -> None:
        self.name = name


@final
class Program:
    """A function and its parameters, ready to be run on secrets."""

    def __init__(self, function: Callable[..., Any], parameters: dict[str, Any]) -> None:
        self.function, self.parameters = function, parameters
        self.yields = isgeneratorfunction(function)
        code = getattr(function, "__code__", None)
        self.line, self._file = getattr(code, "co_firstlineno", 0), getattr(code, "co_filename", "")

    def run(self, secret: Any, draw: Draw, function: Callable[..., Any] | None = None) -> Any:
        """Return what is observed: the returned value, or a tuple of what was yielded."""
        output = (function or self.function)(secret, draw, **self.parameters)
        if not self.yields:
            return output
        seen = tuple(islice(output, _MOST_YIELDS + 1))
        if len(seen) > _MOST_YIELDS:
            raise SizeError(f"the program yields more than {_MOST_YIELDS} observations; is it endless?")
        return seen

    def line_of(self, trace: TracebackType | None = None) -> int:
        """Return the innermost line of the function's file that a traceback, or this moment, has."""
        frames = walk_tb(trace) if trace is not None else reversed(list(walk_stack(None)))
        lines = [line for frame, line in frames if frame.f_code.co_filename == self._file]
        return lines[-1] if lines else self.line
