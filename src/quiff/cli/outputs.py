"""What commands write: the checks before any work.

A command begins only if all its outputs can be written: what must not be replaced is an error (1). Everything
else that its words name is an input, which is never replaced.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

import click

from quiff.cli.kinds import Output, apart

FORCE = "quiff.force"
"""Whether outputs are replaced, in the context's meta."""
_INPUTS = "quiff.inputs"


def check_outputs(ctx: click.Context) -> None:
    """Raise an error if an output of the command must not be written, and note what is an input."""
    ctx.meta[FORCE] = bool(ctx.params.pop("force", False))
    ctx.meta[_INPUTS] = list(_inputs(ctx))
    for param in ctx.command.params:
        path = ctx.params.get(param.name or "")
        if isinstance(param.type, Output) and path is not None:
            param.type.check(path, ctx.meta[FORCE], ctx.meta[_INPUTS])


def _inputs(ctx: click.Context) -> Iterator[Path]:
    """Yield what the words of a command name and is there, but for its outputs."""
    for param in ctx.command.params:
        value = ctx.params.get(param.name or "")
        if isinstance(param.type, Output):
            continue
        for entry in value if isinstance(value, tuple) else (value,):
            if isinstance(entry, str | Path) and str(entry) and os.path.lexists(entry):
                yield Path(entry)
            elif isinstance(entry, str) and param.name == "api":
                yield from _files_of(entry)


def _files_of(spec: str) -> Iterator[Path]:
    """Yield the files that an API of ``--api`` names: those of one's own, and those of parameters."""
    own = (part[: part.index(".py") + 3] for part in spec.split("+") if ".py" in part)
    for name in (*own, *re.split("[+:,=]", spec)):
        if os.path.isfile(name):  # noqa: PTH113 - what is no name at all is no file
            yield Path(name)


def forced() -> bool:
    """Whether the running command has --force."""
    return bool(click.get_current_context().meta[FORCE])


class Guards(TypedDict):
    """What is to be minded before an output replaces something."""

    force: bool
    inputs: list[Path]


def guarded(path: Path) -> Guards:
    """Return the arguments force and inputs for an output of the running command."""
    return {"force": forced(), "inputs": apart(path, click.get_current_context().meta[_INPUTS])}
