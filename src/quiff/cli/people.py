"""What every command on people asks for: who they are, and which APIs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quiff.cli.options import (
    api_option,
    attribute_option,
    epoch_option,
    genuine_option,
    histories_option,
    missing_option,
    population_topics_option,
    short_noise_option,
    stored_top_option,
    weights_option,
)
from quiff.cli.short_forms import default_topics_api, set_size, with_set_size
from quiff.errors import ParameterError

if TYPE_CHECKING:
    from quiff.apis.base import Api
    from quiff.populations.population import Population


@dataclass(frozen=True)
class Asked:
    """The people and APIs that a command was asked about, as its options say."""

    file: Path
    specs: tuple[str, ...] = ()
    taxonomy: str | None = None
    top: int | None = None
    noise: float | Fraction | None = None
    attributes: tuple[str, ...] = ()
    weights: str | None = None
    missing: str = "error"
    epoch: int | None = None
    genuine: bool = False
    histories: Path | None = None

    def people(self, top: int | None = None, *, over_time: bool = False, seed: int = 0) -> "Population":
        """Read the people: of several epochs the one that was chosen, or all if it is asked over time.

        Parameters
        ----------
        top
            Another size of the topic sets, from the ranked counts that ``quiff profile`` stores.
        over_time
            Whether all epochs are wanted.
        seed
            The random seed of what is filled in.

        Raises
        ------
        QuiffError
            If the file is wrong; the message names it.
        """
        from quiff.populations.population import Population

        size = self.top if top is None else top
        people = Population.read(
            self.file,
            top=size,
            weights=self.weights,
            missing=self.missing,
            seed=seed,
            attributes=self.columns,
        )
        if not over_time:
            people = self._one_epoch(people)
        if self.genuine:
            with self.naming():
                people = people.genuine()
        return self.with_histories(people)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns to read as attributes: those that are asked for, and those that an API needs."""
        needed = (name for api in self.named for name in api.needs if name not in ("topics", "history"))
        return tuple(dict.fromkeys((*self.attributes, *needed)))

    def with_histories(self, people: "Population") -> "Population":
        """Return the people with their browsing histories, if these are given."""
        if self.histories is None:
            return people
        from quiff.history.histories import read_histories

        return people.with_histories(read_histories(self.histories))

    def apis(self, people: "Population") -> "tuple[Api, ...]":
        """Return the APIs: those of ``--api``, or cookies and what the short forms stand for.

        Raises
        ------
        ParameterError
            If both ways to name an API are used, or one is wrong.
        """
        from quiff.apis.defaults import default_apis

        topics = "topics" in people.attributes
        if self.specs:
            size = people.sets.shape[2] if topics else None
            pairs = zip(self.named, self.specs, strict=True)
            return tuple(api if size is None else with_set_size(api, spec, size) for api, spec in pairs)
        return default_apis(people, self.default_api(people) if topics else None)

    @cached_property
    def named(self) -> "tuple[Api, ...]":
        """The APIs of ``--api``.

        Raises
        ------
        ParameterError
            If one is wrong, or a short form is given too.
        """
        from quiff.apis.registry import api_from

        given = {"--topics": self.taxonomy, "--noise": self.noise}
        both = next((name for name, value in given.items() if value is not None), None)
        if self.specs and both is not None:
            raise ParameterError(f"{both} is short for a parameter of --api topics; give one of the two")
        return tuple(map(api_from, self.specs))

    def api(self, people: "Population") -> "Api":
        """Return the one API of a command: that of ``--api``, or what the short forms stand for."""
        if len(self.specs) > 1:
            raise ParameterError(f"this command takes one --api, not {len(self.specs)}")
        return self.apis(people)[-1]

    def default_api(self, people: "Population") -> "Api":
        """Return what the short forms stand for."""
        with self.naming():
            noise = 0.05 if self.noise is None else self.noise
            return default_topics_api(people, self.taxonomy, noise, self.file, self.top)

    def fitting(self, people: "Population", apis: "tuple[Api, ...]") -> "dict[int | None, list[Api]]":
        """Group APIs by the size of topic sets that they ask for; None is the people's own."""
        own = people.sets.shape[2] if "topics" in people.attributes else None
        groups: dict[int | None, list[Api]] = {None: []}
        for api in apis:
            size = set_size(api.parameters())
            groups.setdefault(None if size in (None, own) else size, []).append(api)
        return groups

    def _one_epoch(self, people: "Population") -> "Population":
        n_epochs, chosen = people.n_epochs, self.epoch or 0
        with self.naming():
            found = people.epoch(chosen)
        if n_epochs == 1:
            return found
        note = f"The file has {n_epochs} epochs; this is epoch {chosen}, counted from 0."
        return found.replaced(notes=(*found.notes, note))

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Name the file in an error of what is inside."""
        try:
            yield
        except ParameterError as error:
            raise ParameterError(f"{str(self.file)!r}: {error}") from error


def asks_for_people(
    *, over_time: bool = False, histories: bool = True
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the argument PEOPLE and the options on people and APIs; it gets them as one `asked`.

    Parameters
    ----------
    over_time
        Whether the command looks at all epochs, so that none is chosen.
    histories
        Whether browsing histories matter to it.
    """
    options = [
        click.argument("file", type=click.Path(path_type=Path), metavar="PEOPLE"),
        api_option,
        population_topics_option,
        stored_top_option,
        short_noise_option,
        attribute_option,
        weights_option,
        missing_option,
        *([] if over_time else [epoch_option]),
        genuine_option,
        *([histories_option] if histories else []),
    ]
    names = [each.name for each in fields(Asked)]

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def run(**given: Any) -> None:
            asked = Asked(**{name: given.pop(name) for name in names if name in given})
            function(asked=asked, **given)

        for option in reversed(options):
            run = option(run)
        return run

    return decorate
