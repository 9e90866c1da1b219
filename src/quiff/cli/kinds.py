"""The types of options: a value that no data can make right is wrong usage, told at its option (status 2)."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from quiff.apis.ranges import meant_number, value_of
from quiff.cli.source import Argument
from quiff.commands import NewFile, NewFolder
from quiff.errors import ParameterError, QuiffError, full_sentence
from quiff.io import check_link, check_name, check_suffix, check_target

_OF_FILES = frozenset(
    [".csv", ".gz", ".htm", ".html", ".json", ".md", ".parquet", ".png", ".svg", ".tex", ".txt", ".zip"]
)


@contextmanager
def at_option(ctx: click.Context | None, param: click.Parameter | str | None) -> Iterator[None]:
    """Tell a wrong value at the option that has it, as wrong usage."""
    try:
        yield
    except QuiffError as error:
        hint = f"'{param}'" if isinstance(param, str) else None
        named = None if isinstance(param, str) else param
        raise click.BadParameter(full_sentence(error), ctx, named, hint) from error


class Number(click.ParamType[Any]):
    """A decimal such as 0.05, or a fraction such as 1/20, which is exact; or a whole number."""

    def __init__(self, whole: bool) -> None:
        self.name = "N" if whole else "X"
        self._whole = whole

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        if not isinstance(value, str):
            return value
        with at_option(ctx, param):
            number = value_of(value)
        if not isinstance(number, str | bool) and (isinstance(number, int) or not self._whole):
            return number if self._whole or not isinstance(number, int) else float(number)
        kind = "is neither a decimal such as 0.05 nor a fraction such as 1/20"
        kind = "is not a whole number" if self._whole else kind
        meant = meant_number(value)
        hint = "." if meant is None else f"; did you mean {meant}?"
        raise click.BadParameter(f"{value!r} {kind}{hint}", ctx, param)


class Input(click.Path):
    """A file or folder to read, or the name of a public data set of which there is a copy."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; that of a data set's copy, if there is no such file."""
        name = str(value)
        with at_option(ctx, param or "FILE"):
            check_name(name)
            if name == "-":
                raise ParameterError(
                    "'-' is no file; name one, or /dev/stdin for what comes through a pipe",
                    what="file",
                    value="-",
                )
        if not os.path.lexists(name) and not Path(name).suffix:
            from quiff.logs.fetch import local_copy
            from quiff.logs.registry import DATASETS

            if name in DATASETS:
                copy = local_copy(name)
                if copy is None:
                    raise ParameterError(
                        f"the data set {name!r} is not here; fetch it by quiff data get {name}",
                        what="the data set",
                        value=name,
                    )
                return copy
        return super().convert(value, param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete files, and names of data sets."""
        return [
            *super().shell_complete(ctx, param, incomplete),
            *DataSet().shell_complete(ctx, param, incomplete),
        ]


class Spec(click.ParamType[str]):
    """An API, by its name, with parameters, or of a file."""

    name = "SPEC"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete the names of APIs; after a colon, the parameters; or files."""
        from quiff.apis.base import parameters_of
        from quiff.apis.registry import apis

        name, colon, typed = incomplete.partition(":")
        if colon and name in apis():
            before, comma, last = typed.rpartition(",")
            names = [each.name for each in parameters_of(apis()[name]) if each.name.startswith(last)]
            return [CompletionItem(f"{name}:{before}{comma}{each}=") for each in names]
        named = [CompletionItem(each) for each in apis() if each.startswith(incomplete)]
        return named or [CompletionItem(incomplete, type="file")]


class DataSet(click.ParamType[str]):
    """The name of a public data set."""

    name = "NAME"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete the names of public data sets."""
        from quiff.logs.registry import DATASETS

        return [CompletionItem(name) for name in DATASETS if name.startswith(incomplete)]


class Output(click.Path):
    """A path that a command writes to."""

    def __init__(self, new: NewFile | NewFolder) -> None:
        super().__init__(path_type=Path)
        self.new = new

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse what is no name of a file, or of a folder, or has a suffix that is not written."""
        with at_option(ctx, param):
            check_name(value)
            if isinstance(self.new, NewFile):
                check_suffix(value, self.new.suffixes)
            elif Path(value).suffix.lower() in _OF_FILES:
                raise ParameterError(
                    f"{os.fspath(value)!r} is the name of a file, but a folder is written",
                    what="folder",
                    value=os.fspath(value),
                )
        return super().convert(value, param, ctx)

    def check(self, path: Path, force: bool, inputs: list[Path]) -> None:
        """Raise an error if it must not be written."""
        if isinstance(self.new, NewFile):
            check_target(path, force=force, inputs=apart(path, inputs), parents=self.new.parents)
        elif not self.new.shared:
            check_target(path, force=force, inputs=apart(path, inputs), folder=True)
        else:
            check_link(path)
            if path.exists() and not path.is_dir():
                raise ParameterError(
                    f"cannot write to {str(path)!r}: it is no folder; name a folder",
                    what="folder",
                    value=str(path),
                )
            for name in self.new.outputs:
                place = path / name
                check_target(place, force=force, inputs=apart(place, inputs), folder=name.endswith("/"))


def apart(path: Path, inputs: list[Path]) -> list[Path]:
    """Leave out a folder that an output lies in beside the table that is read, which its reader guards."""
    return [
        source
        for source in inputs
        if not (source.is_dir() and not any(source.glob("part-*")) and _lies_in(path, source))
    ]


def _lies_in(path: Path, folder: Path) -> bool:
    return any(place.exists() and place.samefile(folder) for place in path.absolute().parents)


def kind_of(argument: Argument) -> Any:
    """Return the type of the option or argument of the command line."""
    new = argument.new
    if new is not None:
        return Output(new)
    if argument.choices:
        return click.Choice(argument.choices)
    if "Api" in argument.kind or "Spec" in argument.kind:
        return Spec()
    if "DatasetName" in argument.kind:
        return DataSet()
    if "Path" in argument.kind:
        return Input(path_type=Path)
    if "int" in argument.kind:
        return Number(whole=True)
    return Number(whole=False) if any(word in argument.kind for word in ("float", "Real")) else click.STRING
