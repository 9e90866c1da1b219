"""How a function becomes a command of the command line: it is registered with a name and a group.

The command line reads names, signatures and docstrings from the source of the modules, so that it helps
without importing them (see ``quiff.cli.source``). A study is registered by ``@study(..., command=, group=)``.
"""

from collections.abc import Callable
from typing import Literal, TypeAlias, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., object])
Group: TypeAlias = Literal["parameters", "people", "log", "more"]


def command(
    name: str,
    *,
    group: Group,  # noqa: ARG001 - read from the source
    memory: float = 2.0,  # noqa: ARG001
    usual: str = "",  # noqa: ARG001
) -> Callable[[_Function], _Function]:
    """Register a function as the command of a name, such as ``treat`` or ``attack run``.

    Parameters
    ----------
    name
        What is typed after ``quiff``.
    group
        Under which heading ``quiff --help`` lists it.
    memory
        The memory that it takes, in that of reading people, as measured.
    usual
        The memory that it leaves its engine where none is said, such as ``1200MB``.

    Examples
    --------
    >>> @command("greet", group="more")
    ... def greet() -> None:
    ...     print("hello")
    >>> greet.command
    'greet'
    """

    def register(function: _Function) -> _Function:
        function.command = name  # type: ignore[attr-defined]
        return function

    return register


class NewFile:
    """In an annotation: the argument is a file to write, with one of some suffixes.

    Its folder must be there, unless it is made.
    """

    def __init__(self, *suffixes: str, parents: bool = False) -> None:
        self.suffixes, self.parents = suffixes, parents


class NewFolder:
    """In an annotation: the argument is a folder to write: new or empty, or `shared` with other files.

    Outputs of known names may lie in any folder; a name that ends in ``/`` is that of a folder.
    """

    def __init__(self, *outputs: str, shared: bool = False) -> None:
        self.outputs, self.shared = outputs, shared or bool(outputs)
