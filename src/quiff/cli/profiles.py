"""What commands do with the profiles of a file: take one epoch of them, and find the API for their sets."""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from quiff.errors import ParameterError

if TYPE_CHECKING:
    from quiff.apis.topics import TopicsAPI
    from quiff.populations.population import Population


def one_epoch(population: "Population", epoch: int | None, file: Path) -> "Population":
    """Return the sets of one epoch; of several the first is taken unless one is named, and a note says so.

    Raises
    ------
    ParameterError
        If there is no such epoch; the message names the file.
    """
    n_epochs, chosen = population.n_epochs, epoch or 0
    with _naming(file):
        found = population.epoch(chosen)
    if n_epochs == 1:
        return found
    note = f"The file has {n_epochs} epochs; this is epoch {chosen}, counted from 0."
    return found.replaced(notes=(*found.notes, note))


def without_filled(population: "Population", file: Path) -> "Population":
    """Return the users without topics that were filled in at random.

    Raises
    ------
    ParameterError
        If there are none, or it is not known; the message names the file.
    """
    with _naming(file):
        return population.genuine()


def api_for(
    population: "Population",
    taxonomy: str | None,
    noise: float | Fraction,
    file: Path | None,
    top: int | None = None,
) -> "TopicsAPI":
    """Return the Topics API for the users' sets.

    Parameters
    ----------
    population
        The users.
    taxonomy
        As in ``--topics``; None is what suits the users' topics.
    noise
        r.
    file, top
        The file that the users were read from, and the size of the sets to take from it, for messages; None
        if the users are from no file, and if the sets are as stored.

    Raises
    ------
    LabelError
        If a topic is not in the named taxonomy; the message names the file and the line.
    ParameterError
        If the taxonomy has too few topics (the message names the file), or the noise is no probability.
    """
    from quiff.cli.short_forms import default_topics_api

    if file is None:
        return default_topics_api(population, taxonomy, noise)
    with _naming(file):
        return default_topics_api(population, taxonomy, noise, file, top)


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    """Name the file in an error of what is inside."""
    try:
        yield
    except ParameterError as error:
        raise ParameterError(f"{str(file)!r}: {error}") from error
