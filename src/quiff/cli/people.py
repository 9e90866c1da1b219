"""What every command on people asks for: who they are, and which APIs."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property, wraps
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quiff.cli.options import (
    PATH,
    api_option,
    attribute_option,
    epoch_option,
    every_api_option,
    genuine_option,
    histories_option,
    master_option,
    missing_option,
    number,
    one_of,
    option,
    population_topics_option,
    read_api,
    reading_options,
    short_noise_option,
    stored_top_option,
    weights_option,
    with_options,
)
from quiff.cli.short_forms import default_topics_api, parts_of, set_size, with_set_size
from quiff.errors import ParameterError, SizeError
from quiff.theory.parameters import check_probability

if TYPE_CHECKING:
    from quiff.apis.base import Api
    from quiff.browser.rates import VisitRates
    from quiff.populations.pairs import TooManySetsError
    from quiff.populations.population import Population
    from quiff.results.result import Result


_PER_EPOCH = 0.12  # what users take in an epoch that is drawn, in the memory of reading them
_PER_DRAWN = 12  # bytes for a topic of a user in an epoch; 9 were measured


@dataclass(frozen=True)
class Asked:
    """The people and APIs that a command was asked about, as its options say."""

    file: Path | None
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
    rates: str | None = None
    users: int | None = None
    how: str = "draw"
    drift: float | Fraction | None = None
    engine: str | None = None
    master: str | None = None
    takes: float = 2.0  # the memory that the command takes, measured: so many times that of reading people
    reducible: bool = False  # whether the command takes people reduced to distinct topic sets

    def people(self, top: int | None = None, *, over_time: bool = False, seed: int = 0) -> "Population":
        """Read the people: of several epochs the one that was chosen, or all if it is asked over time.

        `top` asks for another size of the topic sets, from the ranked counts that ``quiff profile`` stores;
        `seed` is that of what is filled in. An error names the file.
        """
        wanted = self.top if top is None else top
        if self.engine is not None or self.master is not None or not self._fit():
            people = self._reduced(wanted, over_time)
        elif over_time:
            people = self._read(top=wanted, seed=seed)
        else:
            people = self._one_epoch(self._read(top=wanted, seed=seed))
        if self.genuine:
            with self.naming():
                people = people.genuine()
        return self.with_histories(people)

    def visitors(self, epochs: int, seed: int | None) -> "Population":
        """Return users, of the file or of visit rates, with so many epochs of sets where these change."""
        from quiff.browser.rates import drift, profiles_from_rates

        rates = self.visit_rates(seed)
        if (rates is None) == (self.file is None):
            raise click.UsageError("Give one of PEOPLE and --rates.")
        if rates is not None:
            _check_drawn(rates.n_users * epochs * (self.top or 5))
            people = profiles_from_rates(rates, epochs, 5 if self.top is None else self.top, seed)
        elif self.users is not None:
            raise click.UsageError("--users does not go with PEOPLE.")
        else:
            self._fit(drawn=epochs)
            people = self.with_histories(self._read(top=self.top, merged=False))
        if self.drift is None:
            return people
        _check_drawn(epochs * people.sets[0].size)
        return drift(people, epochs, self.drift, seed)

    def visit_rates(self, seed: int | None) -> "VisitRates | None":
        """Return visit rates, of as many users as are asked for; None if none are named."""
        from quiff.browser.rates import enlarge, visit_rates

        if self.rates is None:
            return None
        found = visit_rates(None if self.rates == "visit-rates" else self.rates)
        return found if self.users is None else enlarge(found, self.users, self.how, seed)  # type: ignore[arg-type]  # a choice

    def _read(self, **options: Any) -> "Population":
        from quiff.populations.population import Population

        assert self.file is not None  # noqa: S101 - else there are visit rates
        options |= {"weights": self.weights, "missing": self.missing, "attributes": self.columns}
        return _marked(Population.read(self.file, **options), self.file)

    def _fit(self, drawn: int = 0) -> bool:
        """Tell whether users fit into the memory that the run may take; else a SizeError if they must."""
        from quiff.core.limits import PROCESS, check_need, memory_allowed
        from quiff.populations.readers import reading_bytes
        from quiff.populations.tfrecords import tfrecord_files

        if self.file is None or memory_allowed() == inf:
            return True
        needed = PROCESS + (self.takes + drawn * _PER_EPOCH) * reading_bytes(self.file)
        single = self.weights or self.histories or self.columns or self.missing == "fill"
        if self.reducible and not single and not tfrecord_files(self.file):
            return needed <= memory_allowed()
        check_need(f"{str(self.file)!r}: to study these people takes about", needed)
        return True

    def from_pairs(self, error: "TooManySetsError", beyond: Mapping[str, object], **options: Any) -> "Result":
        """Return what is known from pairs of topics where the distinct sets do not fit.

        Options that pairs cannot answer are `beyond`: one that was used is refused.
        """
        from quiff.studies.pairs import measure_pairs

        if error.pairs is None:
            raise error
        used = next((name for name, value in {"--genuine": self.genuine, **beyond}.items() if value), None)
        if used is not None:
            raise SizeError(
                f"{str(self.file)!r}: {used} needs every distinct set, and the {error.pairs.distinct:,} of"
                " these people do not fit; leave it out, or allow more memory (--memory-limit)"
            )
        return measure_pairs(error.pairs, *self.apis(error.pairs.stand_in()), **options)

    def _reduced(self, top: int | None, over_time: bool) -> "Population":
        """Let an engine reduce people to distinct topic sets with counts, of the epoch that was chosen."""
        from quiff.cli.pipeline import connected
        from quiff.core.limits import PROCESS, memory_allowed
        from quiff.history.people import reduce_people

        given = {"--weights": self.weights, "--histories": self.histories, "--attribute": self.columns}
        single = next((name for name, value in given.items() if value), None)
        if single is not None:
            raise ParameterError(
                f"{single} needs single users, but an engine merges them by their topic sets; leave --engine"
                " out, or the option"
            )
        assert self.file is not None  # noqa: S101 - what is drawn takes no engine
        epoch = None if over_time else self.epoch or 0
        most = None if memory_allowed() == inf else (memory_allowed() - PROCESS) / self.takes
        with connected(self.engine or "duckdb", self.master, share=0.25) as con:
            found = reduce_people(con, self.file, top=top, epoch=epoch, missing=self.missing, most=most)
            return _marked(found, self.file)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns to read as attributes: those that are asked for, and those that an API needs."""
        needed = (name for api in self.named for part in parts_of(api) for name in part.needs)
        own = (*self.attributes, *(name for name in needed if name != "history"))
        return tuple(dict.fromkeys(name for name in own if name != "topics"))

    def with_histories(self, people: "Population") -> "Population":
        """Return the people with their browsing histories, if these are given."""
        if self.histories is None:
            return people
        from quiff.history.histories import read_histories

        return people.with_histories(read_histories(self.histories))

    def apis(self, people: "Population") -> "tuple[Api, ...]":
        """Return the APIs: those of ``--api``, or cookies and what the short forms stand for."""
        from quiff.apis.defaults import default_apis

        topics = "topics" in people.attributes
        if self.specs:
            size = people.sets.shape[2] if topics else None
            pairs = zip(self.named, self.specs, strict=True)
            return tuple(api if size is None else with_set_size(api, spec, size) for api, spec in pairs)
        return default_apis(people, self._default(people) if topics else None)

    @cached_property
    def named(self) -> "tuple[Api, ...]":
        """The APIs of ``--api``."""
        given = {"--topics": self.taxonomy, "--noise": self.noise}
        both = next((name for name, value in given.items() if value is not None), None)
        if self.specs and both is not None:
            raise click.UsageError(f"{both} is short for a parameter of --api topics; give one of the two.")
        return tuple(map(read_api, self.specs))

    def api(self, people: "Population") -> "Api":
        """Return the one API of a command: that of ``--api``, or what the short forms stand for."""
        if len(self.specs) > 1:
            raise click.UsageError(f"This command takes one --api, not {len(self.specs)}.")
        return self.apis(people)[-1]

    def _default(self, people: "Population") -> "Api":
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
        from quiff.populations.readers import chosen_epoch

        n_epochs, chosen = people.n_epochs, self.epoch or 0
        with self.naming():
            found = people.epoch(chosen)
        if n_epochs == 1:
            return found
        return found.replaced(notes=(*found.notes, chosen_epoch(n_epochs, chosen)))

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Name the file in an error of what is inside."""
        try:
            yield
        except ParameterError as error:
            raise ParameterError(f"{str(self.file)!r}: {error}" if self.file else str(error)) from error


def _check_drawn(topics: int) -> None:
    """Refuse to draw so many topics of users in epochs, if they take more memory than is allowed."""
    from quiff.core.limits import PROCESS, check_need

    check_need(f"{topics:,} topics of users over epochs take about", PROCESS + topics * _PER_DRAWN)


def check_rows(file: Path) -> None:
    """Refuse a table whose rows would take more memory than is allowed."""
    from quiff.core.limits import PROCESS, check_need, memory_allowed
    from quiff.populations.files import open_table

    if memory_allowed() < inf:
        needed = PROCESS + open_table(file, ()).reading_bytes()
        check_need(f"{str(file)!r}: to read these rows takes about", needed)


def _marked(people: "Population", file: Path) -> "Population":
    """Return people marked as synthetic if a public data set says that they are."""
    from quiff.history.registry import is_of_synthetic_people

    return people.replaced(generated=True) if is_of_synthetic_people(file) else people


def _spoken_of(
    known: tuple[str, ...] = (),
    goals: tuple[str, ...] = (),
    about: tuple[str, ...] = (),
    of: str | None = None,
    **rest: Any,  # noqa: ARG001 - the other options
) -> tuple[str, ...]:
    """Return the attributes that other options name; their columns are read too."""
    asked = (text.partition("=")[0] for text in about if "=" in text)
    return (*known, *goals, *asked, *([] if of is None else [of]))


_OPTIONS = (api_option, population_topics_option, stored_top_option, short_noise_option, attribute_option)
_FROM_RATES = (
    number("--drift", "P", "Probability per epoch that a topic is replaced.", check=check_probability),
    option("--rates", "FILE", "Visit rates instead of PEOPLE; visit-rates is the public data set."),
    option("--users", "N", "Make N users of those with rates.", int),
    one_of("--how", "Draw them, or cross over pairs of them.", "draw", "cross", default="draw"),
)


_ENGINE = (
    one_of(
        "--engine",
        "What reduces PEOPLE to distinct topic sets with counts: DuckDB, on disk where memory is short, or"
        " Apache Spark.  [default: none; users are read as they are while they fit into memory]",
        "duckdb", "spark",
    ),
    master_option,
)  # fmt: skip


def asks_for_people(
    *,
    over_time: bool = False,
    drawn: bool = False,
    optional: bool = False,
    reduced: bool = False,
    takes: float = 2.0,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the argument PEOPLE and the options on people and APIs; it gets them as one `asked`.

    Parameters
    ----------
    over_time
        Whether the command looks at all epochs, so that none is chosen.
    drawn
        Whether it draws what single users show: visit rates may then stand in the place of the file.
    optional
        Whether there may be no people: then all APIs are meant by default, and none has a short form.
    reduced
        Whether it takes people reduced to distinct topic sets by an engine.
    takes
        The memory that it takes, in that of reading people, as measured; ``--memory-limit`` may refuse it.
    """
    name = "[PEOPLE]" if drawn or optional else "PEOPLE"
    further = (
        *((weights_option, missing_option) if not drawn else ()),
        *((epoch_option,) if not over_time else ()),
        *((genuine_option,) if not drawn else ()),
        histories_option,
        *(_FROM_RATES if drawn else ()),
        *(_ENGINE if reduced else ()),
        reading_options,
    )
    file = click.argument("file", type=PATH, metavar=name, required=not (drawn or optional))
    names = [each.name for each in fields(Asked)]

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def run(**given: Any) -> Any:
            asked = Asked(**{name: given.pop(name) for name in names if name in given})
            more = (*asked.attributes, *_spoken_of(**given))
            asked = replace(asked, attributes=more, takes=takes, reducible=reduced)
            return function(asked=asked, **given)

        options = (every_api_option, stored_top_option, attribute_option) if optional else _OPTIONS
        return with_options(file, *options, *further)(run)

    return decorate
