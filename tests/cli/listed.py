"""Every command of quiff, so that tests find those that are to come."""

import click

from quiff.cli import main


def commands(group=main, *before):
    """Yield every command with its names: ("attack", "run") for example."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if isinstance(command, click.Group):
            yield from commands(command, *before, name)
        else:
            yield (*before, name), command
