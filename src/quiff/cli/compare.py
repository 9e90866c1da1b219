"""Settings to compare, as ``--compare top=9,noise=1/20,topics=v2``, and the comparison that they ask for."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quiff.cli.options import read_number, read_taxonomy
from quiff.cli.profiles import api_for

if TYPE_CHECKING:
    from quiff.apis.topics import TopicsAPI
    from quiff.populations.population import Population
    from quiff.results.api_comparison import SettingComparison

_FORM = "give top=S, noise=R and topics=M, as in top=9,noise=0.05"


@dataclass(frozen=True)
class ComparedSetting:
    """A setting as written on the command line; what it leaves out is as in the command.

    Attributes
    ----------
    name
        The text itself.
    top, noise, topics
        The size of the sets, the noise and the taxonomy; None where the text says nothing.
    """

    name: str
    top: int | None = None
    noise: float | Fraction | None = None
    topics: str | None = None


def read_settings(
    ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]
) -> tuple[ComparedSetting, ...]:
    """Read settings such as ``top=9,noise=0.05``."""
    settings = tuple(_read(ctx, param, text) for text in texts)
    for setting in settings:
        if texts.count(setting.name) > 1:
            raise click.BadParameter(f"{setting.name!r} is there twice; name each setting once.", ctx, param)
    return settings


compare_option = click.option(
    "--compare",
    callback=read_settings,
    multiple=True,
    metavar="SETTING",
    help="Put another setting beside: top=S, noise=R and topics=M, separated by commas. May be repeated; "
    "another top needs the ranked counts that quiff profile stores.",
)


def compared(
    settings: tuple[ComparedSetting, ...],
    population: "Population",
    api: "TopicsAPI",
    read: Callable[[int], "Population"],
    taxonomy: str | None,
    file: Path,
) -> "SettingComparison":
    """Return the comparison of the settings with the one that a command measures anyway.

    Parameters
    ----------
    settings
        What was asked for.
    population, api
        The users and the setting that the command measures.
    read
        Reads the same users with sets of another size.
    taxonomy
        The command's own, for settings without one.
    file
        Where the users are read from, for messages.
    """
    from quiff.studies.api_comparison import compare_settings

    sizes = {setting.top for setting in settings if setting.top is not None} - {population.top_s}
    populations = {population.top_s: population, **{size: read(size) for size in sorted(sizes)}}
    apis = {
        setting.name: api_for(
            populations[setting.top or population.top_s],
            setting.topics or taxonomy,
            api.noise if setting.noise is None else setting.noise,
            file,
            setting.top,
        )
        for setting in settings
    }
    if api not in apis.values():
        apis = {"as measured": api, **apis}
    return compare_settings(populations, apis)


def _read(ctx: click.Context, param: click.Parameter, text: str) -> ComparedSetting:
    found: dict[str, str] = {}
    for part in text.split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if key not in ("top", "noise", "topics") or not equals or not value or key in found:
            raise click.BadParameter(f"{part!r} in {text!r} is not understood; {_FORM}.", ctx, param)
        found[key] = value
    return ComparedSetting(
        text,
        _read_top(ctx, param, text, found.get("top")),
        read_number(ctx, param, found.get("noise")),
        read_taxonomy(ctx, param, found.get("topics")),
    )


def _read_top(ctx: click.Context, param: click.Parameter, text: str, top: str | None) -> int | None:
    if top is None:
        return None
    if not top.isdecimal() or int(top) == 0:
        raise click.BadParameter(
            f"top is {top!r} in {text!r}, but must be a whole number from 1.", ctx, param
        )
    return int(top)
