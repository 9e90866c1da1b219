"""What a command is: the signature and docstring of its function, read from the source without importing it.

Importing the numeric libraries takes longer than a help may; parsing one file takes a few milliseconds.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from typing import Any

from quiff import commands

_ROOMS = Path(__file__).parents[1]
_REGISTERED = re.compile(r'\bcommand(?:\(|=)"([a-z ]+)"')
_SECTION = re.compile(r"\n(Parameters|Attributes|Examples|Raises|Notes|References)\n-+\n")
REQUIRED = object()


@dataclass(frozen=True)
class Argument:
    """An argument of a function: its annotation as text without ``None``, its default, and what it is."""

    name: str
    kind: str
    default: Any
    about: str = ""
    several: bool = False  # whether it takes all positional values that are left
    placed: bool = False  # whether it can be given by its place
    unnamed: bool = False  # whether it can be given by its place only

    @property
    def repeated(self) -> bool:
        """Whether it takes several values."""
        return self.several or any(
            word in self.kind for word in ("Iterable[", "Sequence[", "tuple[", "Specs")
        )

    @property
    def new(self) -> commands.NewFile | commands.NewFolder | None:
        """The output that its annotation declares, if any."""
        if not self.kind.startswith("Annotated["):
            return None
        call = next(node for node in ast.walk(ast.parse(self.kind)) if isinstance(node, ast.Call))
        options = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
        kind: type[commands.NewFile | commands.NewFolder] = getattr(commands, ast.unparse(call.func))
        return kind(*map(ast.literal_eval, call.args), **options)

    @property
    def choices(self) -> tuple[str, ...]:
        """The words of which it is one, if these are few."""
        inside = self.kind[self.kind.find("Literal[") :]
        return tuple(re.findall(r"'([^']*)'", inside)) if "Literal[" in self.kind else ()


class Source:
    """A function or class as it stands in its file."""

    def __init__(self, path: Path, node: ast.FunctionDef | ast.ClassDef, tree: ast.Module) -> None:
        self.path, self.node, self._tree = path, node, tree

    @cached_property
    def text(self) -> str:
        """The docstring before its sections."""
        return _SECTION.split("\n" + self._docstring + "\n")[0].strip()

    @cached_property
    def example(self) -> str:
        """The example of the command line."""
        lines = [line.strip() for line in self._docstring.splitlines()]
        return next((line.removeprefix("$ ") for line in lines if line.startswith("$ quiff ")), "")

    @property
    def _docstring(self) -> str:
        return cleandoc(ast.get_docstring(self.node) or "")

    @property
    def returns(self) -> str:
        """What the function returns."""
        returned = getattr(self.node, "returns", None)
        return "None" if returned is None else ast.unparse(returned).strip("'\"")

    @cached_property
    def registration(self) -> dict[str, Any]:
        """What the decorator says that registers it."""
        for decorator in self.node.decorator_list:
            if isinstance(decorator, ast.Call) and _REGISTERED.search(
                ast.unparse(decorator).replace("'", '"')
            ):
                words = {
                    str(word.arg): word.value.value
                    for word in decorator.keywords
                    if isinstance(word.value, ast.Constant)
                }
                first = decorator.args[0] if decorator.args else None
                return {"command": first.value, **words} if isinstance(first, ast.Constant) else words
        return {}

    @cached_property
    def arguments(self) -> dict[str, Argument]:
        """The arguments by name; of a dataclass, its fields and those of its bases."""
        about = self._about()
        return {
            name: Argument(name, self._kind(annotation), default, about.get(name, ""), *how)
            for name, annotation, default, *how in self._declared()
        }

    def load(self) -> Any:
        """Import the function."""
        inside = self.path.relative_to(_ROOMS.parent).with_suffix("")
        return getattr(import_module(".".join(inside.parts)), self.node.name)

    def _about(self) -> dict[str, str]:
        """Return what the docstring says of each argument."""
        parts = _SECTION.split(f"\n{self._docstring}\n")
        parameters = dict(zip(parts[1::2], parts[2::2], strict=True)).get("Parameters", "")
        texts: dict[str, str] = {}
        for entry in filter(None, re.split(r"^(?=\S)", parameters, flags=re.MULTILINE)):
            names, _, text = entry.partition("\n")
            words = " ".join(text.split()).replace("`", "")
            texts |= dict.fromkeys((name.strip().lstrip("*") for name in names.split(",")), words)
        return texts

    def _declared(self) -> Iterator[tuple[Any, ...]]:
        """Yield name, annotation, default, and how it can be given: several, by place, by place only."""
        if isinstance(self.node, ast.ClassDef):
            for line in self.node.body:
                if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                    yield line.target.id, line.annotation, self._value(line.value)
            return
        of = self.node.args
        args = [*of.posonlyargs, *of.args]
        defaults = [None] * (len(args) - len(of.defaults)) + list(of.defaults)
        for arg, default in zip(args, defaults, strict=True):
            unnamed = of.vararg is not None or arg in of.posonlyargs
            yield arg.arg, arg.annotation, self._value(default), False, True, unnamed
        if of.vararg:
            yield of.vararg.arg, of.vararg.annotation, (), True, True, True
        for arg, default in zip(of.kwonlyargs, of.kw_defaults, strict=True):
            yield arg.arg, arg.annotation, self._value(default)

    def _kind(self, annotation: ast.expr | None) -> str:
        """Return an annotation as text; a name for a choice of words as that."""
        text = "str" if annotation is None else ast.unparse(annotation).strip("'\"").replace(" | None", "")
        meant = ast.unparse(_defined(ast.Name(text), self._tree)) if text.isidentifier() else text
        return meant if meant.startswith("Literal[") else text

    def _value(self, node: ast.expr | None) -> Any:
        """Return a default; a constant of the file stands for its value, any other name for itself."""
        if node is None:
            return REQUIRED
        try:
            return ast.literal_eval(_defined(node, self._tree))
        except ValueError:
            return None  # its docstring says what it is


def _defined(node: ast.expr, tree: ast.Module) -> ast.expr:
    """Return what a name stands for in its file, or in the file of quiff that it is imported from."""
    if not isinstance(node, ast.Name):
        return node
    for line in tree.body:
        if isinstance(line, ast.Assign | ast.AnnAssign) and line.value is not None:
            target = line.targets[0] if isinstance(line, ast.Assign) else line.target
            if ast.unparse(target) == node.id:
                return line.value
        if isinstance(line, ast.ImportFrom) and any(alias.name == node.id for alias in line.names):
            path = _ROOMS.parent.joinpath(*(line.module or "").split(".")).with_suffix(".py")
            return _defined(node, _parsed(path)) if path.exists() else node
    return node


@cache
def _files() -> dict[str, Path]:
    """Return the file of every command by its name."""
    texts = ((path, path.read_text(encoding="utf-8")) for path in sorted(_ROOMS.glob("*/*.py")))
    return {
        name: path
        for path, text in texts
        if 'command="' in text or '@command("' in text
        for name in _REGISTERED.findall(text)
    }


def command_names() -> list[str]:
    """Return the names of all commands, in no order."""
    return list(_files())


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def command_source(name: str) -> Source:
    """Return the function that is registered as a command."""
    path = _files()[name]
    functions = (node for node in _parsed(path).body if isinstance(node, ast.FunctionDef))
    sources = (Source(path, node, _parsed(path)) for node in functions)
    return next(source for source in sources if source.registration.get("command") == name)


def source_of(file: str, name: str) -> Source:
    """Return a function or class of a file of the command line."""
    path = Path(__file__).with_name(f"{file}.py")
    node = next(node for node in _parsed(path).body if getattr(node, "name", None) == name)
    return Source(path, node, _parsed(path))  # type: ignore[arg-type]  # a function or class has a name
