"""The command ``quiff``: one thin file a command group, loaded only when it is asked for."""

import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from traceback import walk_tb

import click

from quiff import __version__
from quiff.cli.short_forms import OPTIONS
from quiff.cli.shown import WORDS
from quiff.cli.signals import Ended, Ending, ending
from quiff.cli.terminal import terminal_width
from quiff.errors import QuiffError, described, engine_line, full_sentence
from quiff.results.columns import WIDTH
from quiff.safe_text import visible_lines

__all__ = ["main"]


# Each command is a file of its name; `--help` loads them all, so heavy imports stay inside their functions.
_GROUPS = {
    "From parameters alone": ("apis", "compare", "theory", "epsilon", "design", "attribution"),
    "What is revealed about people": (
        "measure", "epochs", "popularity", "simulate", "attack", "audit", "report", "explore",
    ),
    "From a log to people": ("synth", "treat", "classify", "experiment", "profile", "stats", "domain"),
    "Data, the paper, and all at once": ("data", "paper", "demo"),
}  # fmt: skip
_COMMANDS = [name for names in _GROUPS.values() for name in names]
_VALUE = re.compile(r"([\w-]+) must be ")
_ARGUMENT = re.compile(rf"\b({'|'.join(OPTIONS)})\b")


class _Commands(click.Group):
    """Loads a command's file when the command is named, and tells a QuiffError in one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return _COMMANDS

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"quiff.cli.{name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, _COMMANDS))
        for title, names in _GROUPS.items():
            with formatter.section(title):
                commands = [(name.ljust(width), self.get_command(ctx, name)) for name in names]
                room = formatter.width - width - 6
                formatter.write_dl([(name, each.get_short_help_str(room)) for name, each in commands if each])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in _COMMANDS and not args[0].startswith("-"):
            close = get_close_matches(args[0], _COMMANDS, n=1)
            meant = f" Did you mean {close[0]!r}?" if close else ""
            ctx.fail(f"there is no command {args[0]!r}.{meant}")
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[WORDS] = list(args)
        with _shown():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        WIDTH.set(terminal_width())
        with _shown(), ending() as end:
            ctx.meta[Ending.KEY] = end
            try:
                return self._armed(ctx, end)
            except Ended as ended:  # just when another error was to be told
                ctx.exit(end.finish(ended.number))

    def _armed(self, ctx: click.Context, end: Ending) -> object:
        """Run the command; signals break it off."""
        try:
            end.arm()
            result = super().invoke(ctx)
            end.disarm()
            if end.number is not None:  # a finaliser swallowed it
                raise Ended(end.number)
        except BaseException as error:
            end.disarm()
            if end.number is not None or isinstance(error, KeyboardInterrupt):
                ctx.exit(end.finish(end.number or signal.SIGINT))
            if isinstance(error, QuiffError):
                raise self._as_told(error, ctx) from error
            arrow = sys.modules.get("pyarrow")  # whose readers say what is wrong with a file in their own way
            outer = (OSError, MemoryError) if arrow is None else (OSError, MemoryError, arrow.ArrowException)
            own = _own_line(error)
            if isinstance(error, outer) and not isinstance(error, BrokenPipeError) and not own:
                raise click.ClickException(f"this cannot be done: {engine_line(error)}") from error
            if own and isinstance(error, Exception):
                raise click.ClickException(f"{own}: {described(error)}") from error
            raise
        return result

    def _as_told(self, error: QuiffError, ctx: click.Context) -> click.ClickException:
        """Return an error as click tells it: that of a typed value at its option, as wrong usage."""
        inner, words = self._named(ctx), ctx.meta[WORDS]
        command, message = inner.command, _told(str(error), inner.command)
        wrong = _VALUE.match(message)
        for param in command.params if wrong else ():
            typed = any(word.split("=")[0] in param.opts for word in words)
            if (
                wrong
                and wrong[1] in (param.name, *param.opts)
                and (typed or isinstance(param, click.Argument))
            ):
                return click.BadParameter(full_sentence(message), inner, param)
        return click.ClickException(message)

    def _named(self, ctx: click.Context) -> click.Context:
        """Return the context of the command that the words name, of a group that of the one inside."""
        for word in ctx.meta[WORDS]:
            command = ctx.command
            inner = command.get_command(ctx, word) if isinstance(command, click.Group) else None
            ctx = ctx if inner is None else click.Context(inner, ctx, word)
        return ctx


def _own_line(error: BaseException) -> str:
    """Return the last line of a file of ``--api`` that an error came through; empty if through none."""
    registry = sys.modules.get("quiff.apis.registry")  # which has not been loaded if no API was
    lines = [
        f"{frame.f_code.co_filename!r}, line {line}"
        for frame, line in walk_tb(error.__traceback__)
        if registry is not None and str(frame.f_globals.get("__name__")).startswith(registry.OWN_MODULE)
    ]
    return lines[-1] if lines else ""


@contextmanager
def _shown() -> Iterator[None]:
    """Tell errors without the control characters of what they quote."""
    try:
        yield
    except click.ClickException as error:
        error.message = visible_lines(error.message)  # type: ignore[misc]  # what is told of it
        raise


def _told(message: str, command: click.Command) -> str:
    """Name the options in a message that begins with an argument, if the command has all that it names."""
    options = {option for parameter in command.params for option in parameter.opts}
    named = {OPTIONS[name] for name in _ARGUMENT.findall(message)}
    if not _ARGUMENT.match(message) or not named <= options:
        return message
    return _ARGUMENT.sub(lambda found: OPTIONS[found[0]], message)


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="quiff")
def main() -> None:
    """Measure what an advertising API reveals about people, and what it is still good for."""
