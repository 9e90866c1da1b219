"""``quiff apis``: every API that can be measured, and its parameters."""

import click

from quiff.cli.options import at_option, digits_option, json_option
from quiff.cli.terminal import echo


@click.command("apis")
@click.argument("name", required=False)
@digits_option
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List the APIs that can be measured, or show one.

    One is shown with how it works, its parameters, limits and source, what is assumed, and what is open.
    Their names stand in --api of the other commands, with parameters as in topics:noise=0.1. Installed
    packages may add APIs; your own is FILE.py:NAME.

    Example: quiff apis topics
    """
    from quiff.apis.registry import api_class, api_from, apis
    from quiff.results.columns import filled
    from quiff.results.numbers import to_json
    from quiff.studies.catalogue import api_facts, api_tables, catalogue_table

    with at_option(click.get_current_context(), "NAME"):
        one = None if name is None else {name: api_from(name) if ":" in name else api_class(name)}
    chosen = one or apis()
    if as_json:
        echo(to_json({"apis": [api_facts(key, api) for key, api in chosen.items()]}))
    elif name is None:
        echo(catalogue_table(apis()).to_text())
    else:
        facts = api_facts(name, chosen[name])
        sentence = filled(f"{facts['title']}. {facts['mechanism']}".strip())
        echo("\n\n".join([sentence, *(table.to_text() for table in api_tables(facts).values())]))
