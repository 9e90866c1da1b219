"""The command ``quiff``: commands are generated from registered functions, each when it is asked for."""

import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from traceback import walk_tb

import click

from quiff import __version__
from quiff.cli.generator import Generated
from quiff.cli.shown import WORDS
from quiff.cli.signals import Ended, Ending, ending
from quiff.cli.source import command_names, command_source
from quiff.cli.terminal import terminal_width
from quiff.errors import ON_COMMAND_LINE, QuiffError, described, engine_line, full_sentence
from quiff.results.columns import WIDTH
from quiff.safe_text import visible_lines

__all__ = ["main"]


_TITLES = {
    "parameters": "From parameters alone",
    "people": "What is revealed about people",
    "log": "From a log to people",
    "more": "Data, the paper, and all at once",
}
_NESTED = {
    "attack": """Run the published attacks on observations.

    They link the users of two sites by their topics. The bound beside them is the probability that the
    best adversary succeeds after as many observations: up to sampling error, no attack that matches each
    target alone exceeds it.

    Example: quiff attack compare profiles.parquet --observations 30""",
    "attribution": """Play events on the W3C Attribution API; test its budgets.

    The model follows the draft at w3c/attribution 9fab4e8 (14 May 2026).

    Example: quiff attribution check --size 2""",
    "data": """List and fetch the public data sets that quiff works with.

    quiff holds none of them: it fetches a data set from its source when you ask for it by name, checks
    that it is the pinned copy, and keeps it in a cache (the folder QUIFF_CACHE, if that is set).

    Example: quiff data get topics-v2""",
}
_FIRST = ("measure", "epochs", "compare", "apis", "synth", "treat", "classify", "experiment", "profile")
_VALUE = re.compile(r"(\w+) (?:must be|is missing)")
_NEGATIVE = re.compile(r"-[\d.]")


class _Nested(click.Group):
    """Commands of two words, such as attack run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name.partition(" ")[2] for name in command_names() if name.startswith(f"{self.name} ")]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return Generated(f"{self.name} {name}") if name in self.list_commands(ctx) else None


class _Commands(click.Group):
    """Makes a command when it is named, and tells a QuiffError in one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        names = {name.partition(" ")[0] for name in command_names()}
        return sorted(names, key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name in _NESTED:
            return _Nested(name, help=_NESTED[name])
        return Generated(name) if name in command_names() else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        names = self.list_commands(ctx)
        width = max(map(len, names))
        titles: dict[str, list[tuple[str, str]]] = {title: [] for title in _TITLES.values()}
        for name in names:
            first = next(full for full in command_names() if full == name or full.startswith(f"{name} "))
            source = command_source(first)
            text = _NESTED.get(name, source.text).partition("\n")[0].replace("`", "")
            titles[_TITLES[source.registration["group"]]].append((name.ljust(width), text))
        for title, entries in titles.items():
            with formatter.section(title):
                formatter.write_dl(entries)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.list_commands(ctx) and not args[0].startswith("-"):
            close = get_close_matches(args[0], self.list_commands(ctx), n=1)
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
        inner, message = self._named(ctx), str(error)
        words, wrong = ctx.meta[WORDS], _VALUE.match(message)
        name, params = message.partition(" ")[0], inner.command.params
        places = [param.name for param in params if isinstance(param, click.Argument)]
        alone = "people" not in places  # else it may be the people that do not fit
        for param in params:
            spelt = param.opts[0]
            typed = isinstance(param, click.Argument) or any(word.split("=")[0] == spelt for word in words)
            if wrong and wrong[1] == param.name and typed:
                told = message.replace(name, spelt, 1) if "_" in name else message
                return click.BadParameter(full_sentence(told), inner, param)
            if alone and param.name == "api" and any(f"{name}=" in word for word in words):
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
    """Tell errors as options of the command line, without the control characters of what they quote."""
    before = ON_COMMAND_LINE.set(True)
    try:
        yield
    except click.NoSuchOption as error:
        if _NEGATIVE.match(error.option_name):
            raise click.UsageError(
                f"{error.option_name} is below 0; no number here may be.", error.ctx
            ) from None
        error.message = visible_lines(error.message)  # type: ignore[misc]  # what is told of it
        raise
    except click.ClickException as error:
        error.message = visible_lines(error.message)  # type: ignore[misc]
        raise
    finally:
        ON_COMMAND_LINE.reset(before)


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="quiff")
def main() -> None:
    """Measure what an advertising API reveals about people, and what it is still good for."""
