"""The reference of the command line, written from the commands themselves when the site is built."""

import inspect
import re
from collections.abc import Iterator

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from quiff.cli import main

_OPENING = """# Commands

`quiff` alone lists the commands, and every command tells about itself with `--help`; this page says the same.
Results go to standard output, progress to standard error and only on a terminal. The exit status is 0 when
the command is done, 1 after an error that is told in one line, and 2 after wrong usage.
"""


def on_files(files: Files, config: MkDocsConfig, **_: object) -> Files:
    """Add the page of the commands."""
    blocks = [_OPENING, *_described(main, "quiff", level=1)]
    files.append(File.generated(config, "reference/commands.md", content="\n\n".join(blocks)))
    return files


def _described(command: click.Command, name: str, level: int) -> Iterator[str]:
    """Yield what is to be told about a command and those below it, block by block."""
    context = click.Context(command, info_name=name)
    if level > 1:
        yield f"{'#' * level} {name}"
        yield f"```text\n{name} {' '.join(command.collect_usage_pieces(context))}\n```"
        yield from _told(command.help or "")
        yield from (_option(*record) for record in _options(command, context))
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            if found is not None:
                yield from _described(found, f"{name} {below}", level + 1)


def _told(text: str) -> Iterator[str]:
    """Yield the paragraphs of a help text, its example as a command."""
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        words = " ".join(paragraph.split())
        example = words.removeprefix("Example: ")
        yield _escaped(words) if example == words else f"```console\n$ {example}\n```"


def _options(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    for parameter in command.params:
        record = parameter.get_help_record(context)
        if record is not None and record[1]:  # arguments are told about in the text
            yield record


def _option(names: str, text: str) -> str:
    return f"`{names}`\n:   {_escaped(text)}"


def _escaped(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]<>#$|])", r"\\\1", text)
