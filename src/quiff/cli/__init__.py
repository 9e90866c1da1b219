"""The command ``quiff``: one thin file a command group, loaded only when it is asked for."""

from importlib import import_module

import click

from quiff import __version__
from quiff.errors import QuiffError

__all__ = ["main"]

# The file of each command; `--help` loads them all, so heavy imports stay inside their functions.
_COMMANDS = {
    "theory": "quiff.cli.theory",
    "paper": "quiff.cli.paper",
    "design": "quiff.cli.design",
    "data": "quiff.cli.data",
    "synth": "quiff.cli.synth",
    "domain": "quiff.cli.domain",
    "treat": "quiff.cli.treat",
    "classify": "quiff.cli.classify",
    "experiment": "quiff.cli.experiment",
    "profile": "quiff.cli.profile",
    "stats": "quiff.cli.stats",
    "measure": "quiff.cli.measure",
    "epochs": "quiff.cli.epochs",
    "popularity": "quiff.cli.popularity",
    "simulate": "quiff.cli.simulate",
    "attack": "quiff.cli.attack",
    "report": "quiff.cli.report",
    "explore": "quiff.cli.explore",
    "demo": "quiff.cli.demo",
}
# The arguments of Python's functions, which a message may begin with, that have another name as an option.
_OPTIONS = {
    "distinct_sets": "--sets",
    "max_case": "--max-case",
    "n_topics": "--topics",
    "n_users": "--users",
    "prior_gain": "--prior-gain",
    "prior_success": "--prior-success",
    "top_s": "--top",
}


class _Commands(click.Group):
    """Loads a command's file when the command is named, and tells a QuiffError in one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in _COMMANDS:
            return None
        command: click.Command = import_module(_COMMANDS[name]).command
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except QuiffError as error:
            name, space, rest = str(error).partition(" ")
            raise click.ClickException(_OPTIONS.get(name, name) + space + rest) from error


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="quiff")
def main() -> None:
    """Measure what an advertising API gives away about people, and what it is still good for."""
