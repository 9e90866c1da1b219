"""``quiff apis``: every API that can be measured, and its parameters."""

import click

from quiff.cli.options import json_option
from quiff.cli.terminal import echo


@click.command("apis")
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List the APIs that can be measured, or show one.

    Their names stand in --api of the other commands, with parameters as in topics:noise=0.1. Installed
    packages may add APIs; your own is FILE.py:NAME.

    Example: quiff apis topics
    """
    from quiff.apis.registry import api_class, apis
    from quiff.results.numbers import to_json
    from quiff.studies.catalogue import api_facts, catalogue_table, parameter_table

    chosen = apis() if name is None else {name: api_class(name)}
    if as_json:
        echo(to_json({"apis": [api_facts(key, api) for key, api in chosen.items()]}))
    elif name is None:
        echo(catalogue_table(chosen).to_text())
    else:
        echo(parameter_table(name, chosen[name]).to_text())
