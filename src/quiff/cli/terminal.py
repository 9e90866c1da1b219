"""What commands print: all through one function, so that no text of others controls the terminal."""

import shutil
import sys

import click

from quiff.safe_text import visible_lines


def echo(text: str, *, nl: bool = True, err: bool = False) -> None:
    """Print text with its lines, control characters in it as escapes."""
    click.echo(visible_lines(text), nl=nl, err=err)


def on_terminal() -> bool:
    """Say if somebody watches stderr on a terminal; there may be no stderr at all.

    Examples
    --------
    >>> on_terminal()
    False
    """
    return sys.stderr is not None and sys.stderr.isatty()


def terminal_width() -> int:
    """Return how wide text may be: as the terminal, within reason; 80 columns if there is none.

    Examples
    --------
    >>> terminal_width()
    80
    """
    if sys.stdout is None or not sys.stdout.isatty():
        return 80
    return max(40, min(shutil.get_terminal_size().columns, 100))
