"""What commands print: all through one function, so that no text of others controls the terminal."""

import sys

import click

from quiff.safe_text import visible_lines


def echo(text: str, *, bold: str = "", nl: bool = True, err: bool = False) -> None:
    """Print text with its lines, control characters in it as escapes, after what is `bold`."""
    before = click.style(visible_lines(bold), bold=True) if bold else ""
    click.echo(before + visible_lines(text), nl=nl, err=err)


def on_terminal() -> bool:
    """Say if somebody watches stderr on a terminal; there may be no stderr at all.

    Examples
    --------
    >>> on_terminal()
    False
    """
    return sys.stderr is not None and sys.stderr.isatty()
