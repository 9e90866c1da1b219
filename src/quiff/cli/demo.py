"""``quiff demo``: the tour, on a made-up example."""

import click

__all__ = ["command"]


@click.command("demo")
def command() -> None:
    """Show the engine at work on three users and five topics.

    Example: quiff demo
    """
    from quiff.studies.tour import tour

    for stop in tour():
        click.echo(click.style(stop.title, bold=True))
        click.echo(stop.text)
        if stop.channel is not None:
            click.echo(repr(stop.channel))
        for name, value in stop.numbers.items():
            click.echo(f"  {name}: {value}" + ("" if value.denominator == 1 else f" = {float(value):.6g}"))
        click.echo()
