"""What commands write: the types of such options, and the checks before any work.

A command of the class `Writing` has the option --force, and begins only if all its outputs can be written: a
suffix that it does not write is wrong usage (2), and what must not be replaced is an error (1). Everything
else that its words name is an input, which is never replaced.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from quiff.errors import ParameterError, full_sentence
from quiff.files import check_link, check_name, check_suffix, check_target

_FORCE = "quiff.force"
_INPUTS = "quiff.inputs"
_OF_FILES = frozenset(
    [".csv", ".gz", ".htm", ".html", ".json", ".md", ".parquet", ".png", ".svg", ".tex", ".txt", ".zip"]
)


class Output(click.Path):
    """A path that a command writes to."""

    is_folder = False
    parents = True

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse what is no name of a file."""
        try:
            check_name(value)
        except ParameterError as error:
            self.fail(full_sentence(error), param, ctx)
        return super().convert(value, param, ctx)

    def check(self, path: Path, force: bool, inputs: list[Path]) -> None:
        """Raise an error if it must not be written."""
        apart = _apart(path, inputs)
        check_target(path, force=force, inputs=apart, folder=self.is_folder, parents=self.parents)


class OutputFile(Output):
    """A file with one of some suffixes; its folder must be there, unless it is made."""

    def __init__(self, *suffixes: str, parents: bool = False) -> None:
        super().__init__()
        self.suffixes = suffixes
        self.parents = parents

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse a suffix that the command does not write."""
        try:
            check_suffix(value, self.suffixes)
        except ParameterError as error:
            self.fail(full_sentence(error), param, ctx)
        return super().convert(value, param, ctx)


class OutputFolder(Output):
    """A new or empty folder; or one with outputs of known names, each said to be a folder or not."""

    is_folder = True

    def __init__(self, outputs: Mapping[str, bool] | None = None) -> None:
        super().__init__()
        self.outputs = outputs

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse the name of a file."""
        if Path(value).suffix.lower() in _OF_FILES:
            self.fail(f"{os.fspath(value)!r} is the name of a file, but a folder is written.", param, ctx)
        return super().convert(value, param, ctx)

    def check(self, path: Path, force: bool, inputs: list[Path]) -> None:
        """Raise an error if the folder, or an output in it, must not be written."""
        if self.outputs is None:
            super().check(path, force, inputs)
            return
        check_link(path)
        if path.exists() and not path.is_dir():
            raise ParameterError(f"cannot write to {str(path)!r}: it is no folder; name a folder")
        for name, folder in self.outputs.items():
            place = path / name
            check_target(place, force=force, inputs=_apart(place, inputs), folder=folder)


class Writing(click.Command):
    """A command that writes files: it has --force, and begins only if all its outputs can be written."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        force = click.Option(
            ["--force"],
            is_flag=True,
            expose_value=False,
            callback=_note_force,
            help="Replace outputs that are there already: files, and folders with nothing in them but what"
            " quiff wrote. Inputs are never replaced.",
        )
        self.params.append(force)

    def invoke(self, ctx: click.Context) -> Any:
        """Check all outputs, then do the work."""
        inputs = list(_inputs(ctx))
        for param in self.params:
            path = ctx.params.get(param.name or "")
            if isinstance(param.type, Output) and path is not None:
                param.type.check(path, ctx.meta[_FORCE], inputs)
        return super().invoke(ctx)


def _note_force(ctx: click.Context, param: click.Parameter, force: bool) -> None:  # noqa: ARG001
    ctx.meta[_FORCE] = force


def add_input(ctx: click.Context, path: str | os.PathLike[str]) -> None:
    """Note an input whose name does not stay among the parameters of a command."""
    ctx.meta.setdefault(_INPUTS, []).append(Path(path))


def _inputs(ctx: click.Context) -> Iterator[Path]:
    """Yield what the words of a command name and is there, but for its outputs."""
    yield from ctx.meta.get(_INPUTS, ())
    for param in ctx.command.params:
        value = ctx.params.get(param.name or "")
        if isinstance(param.type, Output):
            continue
        for entry in value if isinstance(value, tuple) else (value,):
            if isinstance(entry, str | Path) and str(entry) and os.path.lexists(entry):
                yield Path(entry)
            elif isinstance(entry, str) and param.name in ("spec", "specs"):
                yield from _files_of(entry)


def _files_of(spec: str) -> Iterator[Path]:
    """Yield the files that an API of ``--api`` names: those of one's own, and those of parameters."""
    own = (part[: part.index(".py") + 3] for part in spec.split("+") if ".py" in part)
    for name in (*own, *re.split("[+:,=]", spec)):
        if os.path.isfile(name):  # noqa: PTH113 - what is no name at all is no file
            yield Path(name)


def _apart(path: Path, inputs: list[Path]) -> list[Path]:
    """Leave out a folder that an output lies in beside the table that is read, which its reader guards."""
    return [
        source
        for source in inputs
        if not (source.is_dir() and not any(source.glob("part-*")) and _lies_in(path, source))
    ]


def _lies_in(path: Path, folder: Path) -> bool:
    return any(place.exists() and place.samefile(folder) for place in path.absolute().parents)


def forced() -> bool:
    """Say if the running command has --force."""
    return bool(click.get_current_context().meta[_FORCE])


def guarded(path: Path) -> dict[str, Any]:
    """Return the arguments force and inputs for an output of the running command."""
    ctx = click.get_current_context()
    return {"force": forced(), "inputs": _apart(path, list(_inputs(ctx)))}
