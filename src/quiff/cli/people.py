"""What every command on people asks for: who they are, and which APIs."""

from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import click

from quiff.cli.kinds import at_option
from quiff.cli.terminal import echo, on_terminal
from quiff.errors import ParameterError, SizeError

if TYPE_CHECKING:
    from quiff.apis.base import Api
    from quiff.browser.rates import VisitRates
    from quiff.people.pairs import TooManySetsError
    from quiff.people.population import Population
    from quiff.results.result import Result

_PER_EPOCH = 0.12  # what users take in an epoch that is drawn, in the memory of reading them
_PER_DRAWN = 12  # bytes for a topic of a user in an epoch; 9 were measured
_NAMING = ("known", "goals", "of")  # options that name attributes, whose columns are read too


@dataclass(frozen=True)
class Asked:
    """The people that a command is asked about, and the APIs.

    PEOPLE is a table, a line a user: CSV, TSV, JSON lines or Parquet, such as
    quiff profile writes; or a public data set of profiles. For example:
      user,t1,t2,t3,country
      Ann,12,31,200,BR

    Parameters
    ----------
    people
        The file.
    columns
        Which columns of PEOPLE say what, where their names do not: user=NAME,topics=NAME. See quiff look.
    attribute
        A column of PEOPLE to take as an attribute, such as country.
    weights
        The column that says how probable a user is.
    missing
        Users without a set in some epoch: an error, left out, or given random topics.
    epoch
        The epoch to take, from 0, if there are several.
    genuine
        Leave out users with topics that were filled in at random.
    histories
        The users' Experimental table (see quiff experiment): cookies are measured on it.
    drift
        Probability per epoch that a topic is replaced.
    rates
        Visit rates instead of PEOPLE; visit-rates is the public data set.
    users
        Make N users of those with rates.
    how
        Draw them, or cross over pairs of them.
    engine
        What reduces PEOPLE to distinct topic sets with counts: DuckDB, on disk where memory is short, or
        Apache Spark.  [default: none; users are read as they are while they fit into memory]
    master
        The master of Spark.  [default: this machine]
    memory_limit
        Take no more memory than this, such as 2GB: an engine uses the disk beyond, and what cannot is not
        begun.
    show_rows
        In errors, show cells and rows in full; else what they say of people is left out.
    """

    people: Path | None = None
    columns: str | None = None
    attribute: tuple[str, ...] = ()
    weights: str | None = None
    missing: Literal["error", "drop", "fill"] = "error"
    epoch: int = 0
    genuine: bool = False
    histories: Path | None = None
    drift: float | Fraction | None = None
    rates: str | None = None
    users: int | None = None
    how: Literal["draw", "cross"] = "draw"
    engine: Literal["duckdb", "spark"] | None = None
    master: str | None = None
    memory_limit: str | None = None
    show_rows: bool = False
    memory: float = 2.0  # what the command takes, measured: so many times that of reading people
    usual: str | None = None  # the memory of an engine, where none is said
    typed: Mapping[str, Any] = field(default_factory=dict)

    def population(self, top: int | None = None, *, over_time: bool = False, seed: int = 0) -> "Population":
        """Read the people: of several epochs the one that was chosen, or all if it is asked over time.

        `top` asks for another size of the topic sets than the APIs do, from the ranked counts that
        ``quiff profile`` stores; `seed` is that of what is filled in. An error names the file.
        """
        top = self.size if top is None else top
        if self.engine is not None or self.master is not None or not self._fit():
            people = self._reduced(top, over_time)
        else:
            people = self._read(top=top, seed=seed)
            people = people if over_time else self._one_epoch(people)
        if self.genuine:
            with self.naming():
                people = people.genuine()
        return self._with_histories(people)

    def visitors(self, epochs: int, seed: int | None) -> "Population":
        """Return users, of the file or of visit rates, with so many epochs of sets where these change."""
        from quiff.browser.rates import drift, profiles_from_rates

        rates = self.visit_rates(seed)
        if (rates is None) == (self.people is None):
            raise click.UsageError("Give one of PEOPLE and --rates.")
        if rates is not None:
            _check_drawn(rates.n_users * epochs * (self.size or 5))
            people = profiles_from_rates(rates, epochs, self.size or 5, seed)
        elif self.users is not None:
            raise click.UsageError("--users does not go with PEOPLE.")
        else:
            self._fit(drawn=epochs)
            people = self._with_histories(self._read(top=self.size, merged=False))
        if self.drift is None:
            return people
        _check_drawn(epochs * people.sets[0].size)
        return drift(people, epochs, self.drift, seed)

    def visit_rates(self, seed: int | None) -> "VisitRates | None":
        """Return visit rates, of as many users as are asked for; None if none are named."""
        from quiff.browser.rates import enlarge, visit_rates

        if self.rates is None:
            return None
        rates = visit_rates(None if self.rates == "visit-rates" else self.rates)
        return rates if self.users is None else enlarge(rates, self.users, self.how, seed)

    def _read(self, **options: Any) -> "Population":
        from quiff.people.population import Population

        _check_stage(self._file)
        options |= {"weights": self.weights, "missing": self.missing, "columns": self.columns}
        options |= {"attributes": self.attributes}
        return _marked(Population.read(self._file, **options), self._file)

    @property
    def _file(self) -> Path:
        if self.people is None:
            raise click.UsageError("Give PEOPLE.")
        return self.people

    def _fit(self, drawn: int = 0) -> bool:
        """Whether users fit into the memory that the run may take; else a SizeError if they must."""
        from quiff.core.limits import PROCESS, check_need, memory_allowed
        from quiff.people.limits import reading_bytes
        from quiff.people.tfrecords import tfrecord_files

        if self.people is None or memory_allowed() == inf:
            return True
        needed = PROCESS + (self.memory + drawn * _PER_EPOCH) * reading_bytes(self.people)
        single = self.weights or self.histories or self.attributes or self.missing == "fill"
        if self._reducible and not single and not tfrecord_files(self.people):
            return needed <= memory_allowed()
        check_need(f"{str(self.people)!r}: to study these people takes about", needed)
        return True

    @property
    def _reducible(self) -> bool:
        """Whether the command takes people reduced to distinct topic sets by an engine."""
        ctx = click.get_current_context(silent=True)
        return ctx is not None and any(param.name == "engine" for param in ctx.command.params)

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
                f"{used} needs every distinct set, and the {error.pairs.distinct:,} of these people do not"
                " fit; leave it out, or allow more memory (--memory-limit)",
                where=repr(str(self.people)),
            )
        return measure_pairs(error.pairs, *self.apis(error.pairs.stand_in()), **options)

    def _reduced(self, top: int | None, over_time: bool) -> "Population":
        """Let an engine reduce people to distinct topic sets with counts, of the epoch that was chosen."""
        from quiff.cli.pipeline import connected
        from quiff.core.limits import PROCESS, memory_allowed
        from quiff.logs.people import reduce_people

        given = {"--weights": self.weights, "--histories": self.histories, "--attribute": self.attributes}
        single = next((name for name, value in given.items() if value), None)
        if single is not None:
            raise ParameterError(
                f"{single} needs single users, but an engine merges them by their topic sets; leave --engine"
                " out, or the option"
            )
        epoch = None if over_time else self.epoch
        most = None if memory_allowed() == inf else (memory_allowed() - PROCESS) / self.memory
        with connected(self.engine or "duckdb", self.master, share=0.25) as con:
            people = reduce_people(
                con, self._file, top=top, epoch=epoch, missing=self.missing, most=most, columns=self.columns
            )
        return _marked(people, self._file)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The columns to read as attributes: those that options name, and those that an API needs."""
        options = [self.typed.get(name, ()) for name in _NAMING]
        texts = [text for value in options for text in ((value,) if isinstance(value, str) else value)]
        needed = (name for api in self.named for part in parts_of(api) for name in part.needs)
        valued = (text.partition("=") for text in self.typed.get("about", ()))
        own = [*self.attribute, *texts, *(name for name, equals, _ in valued if equals)]
        own += [name for name in needed if name != "history"]
        return tuple(dict.fromkeys(name for name in own if name != "topics"))

    def _with_histories(self, people: "Population") -> "Population":
        if self.histories is None:
            return people
        from quiff.logs.histories import read_histories

        return people.with_histories(read_histories(self.histories))

    @cached_property
    def named(self) -> "tuple[Api, ...]":
        """The APIs of ``--api``."""
        return tuple(read_api(spec, 1) for spec in self._specs)  # `apis` sets the people's size

    @property
    def _specs(self) -> tuple[str, ...]:
        return tuple(self.typed.get("api", ()))

    @property
    def size(self) -> int | None:
        """The size of topic sets that all APIs of ``--api`` with such sets ask for; None is as stored."""
        sizes = {
            set_size(part) if "top_s=" in spec else None
            for api, spec in zip(self.named, self._specs, strict=True)
            for part in parts_of(api)
            if set_size(part) is not None
        }
        return sizes.pop() if len(sizes) == 1 else None

    def apis(self, people: "Population | None" = None) -> "tuple[Api, ...]":
        """Return the APIs of ``--api`` for some people; without one those that are measured by default."""
        from quiff.apis.registry import default_apis, default_topics
        from quiff.apis.taxonomy import topics_for
        from quiff.theory.taxonomies import TAXONOMY_SIZES

        if people is None or "topics" not in people.attributes:
            return self.named if people is None or self.named else default_apis(people)

        def place(topic: Hashable) -> str:
            from quiff.people.reading import place_of_topic

            return f"{place_of_topic(self._file, topic, columns=self.columns)}: the set"

        with self.naming():
            if self.named:
                for name in {taxonomy_name(api) for api in self.named} & set(TAXONOMY_SIZES):
                    topics_for(people, name, at=place)  # which says where a topic stands that is not in it
                sized = zip(self.named, self._specs, strict=True)
                return tuple(with_set_size(api, spec, people.sets.shape[2]) for api, spec in sized)
            return default_apis(people, default_topics(people, at=None if self.people is None else place))

    def measured(self, people: "Population", yardstick: bool) -> "tuple[Api, ...]":
        """Return the APIs, third-party cookies before them as a yardstick where single users are known."""
        from quiff.apis.cookies import Cookies

        apis = self.apis(people)
        if not yardstick or people.merged or any(isinstance(api, Cookies) for api in apis):
            return apis
        return (Cookies("history" if "history" in people.attributes else "user"), *apis)

    def _one_epoch(self, people: "Population") -> "Population":
        from quiff.people.epochs import chosen_epoch

        with self.naming():
            chosen = people.epoch(self.epoch)
        if people.n_epochs == 1:
            return chosen
        return chosen.replaced(notes=(*chosen.notes, chosen_epoch(people.n_epochs, self.epoch)))

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Name the file in an error of what is inside."""
        try:
            yield
        except ParameterError as error:
            raise ParameterError(f"{str(self.people)!r}: {error}" if self.people else str(error)) from error


People: TypeAlias = Asked
PeopleOverTime: TypeAlias = Asked
ManyPeople: TypeAlias = Asked
ManyPeopleOverTime: TypeAlias = Asked
Visitors: TypeAlias = Asked
RatedPeople: TypeAlias = Asked
Spec: TypeAlias = tuple[str, ...]
"""One API of ``--api``, as text; what else names people says by the type which options there are."""
Specs: TypeAlias = tuple[str, ...]


def read_api(spec: str, size: int | None = None) -> "Api":
    """Read an API of ``--api``; with topic sets of a size if those of its defaults are too large."""
    from quiff.apis.registry import api_from

    with at_option(click.get_current_context(silent=True), "--api"):
        try:
            return api_from(spec)
        except ParameterError as error:
            if size is None or error.what != "top_s" or "top_s=" in spec:
                raise
            return api_from(f"{spec},top_s={size}")


def parts_of(api: "Api") -> "tuple[Api, ...]":
    """Return the APIs that one observer sees together; of any other, itself."""
    return getattr(api, "parts", (api,))


def set_size(api: "Api") -> int | None:
    """Return the size of topic sets that an API asks for by its parameters; None if by none."""
    size = api.parameters().get("top_s")
    return size if isinstance(size, int) else None


def taxonomy_name(api: "Api") -> str:
    """Return the name or size of the taxonomy of an API that has one."""
    return str(api.parameters().get("n_topics"))


def with_set_size(api: "Api", spec: str, size: int) -> "Api":
    """Return an API with topic sets of some size, if it has such a parameter and its spec leaves it open."""
    parts = parts_of(api)
    if len(parts) > 1:
        return type(api)(*(with_set_size(part, spec, size) for part in parts))
    if set_size(api) is None or "top_s=" in spec:
        return api
    return type(api)(**(api.parameters() | {"top_s": size}))


def _check_drawn(topics: int) -> None:
    """Refuse to draw so many topics of users in epochs, if they take more memory than is allowed."""
    from quiff.core.limits import PROCESS, check_need

    check_need(f"{topics:,} topics of users over epochs take about", PROCESS + topics * _PER_DRAWN)


def check_rows(file: Path) -> None:
    """Refuse a table whose rows would take more memory than is allowed."""
    from quiff.core.limits import PROCESS, check_need, memory_allowed
    from quiff.people.limits import reading_bytes

    if memory_allowed() < inf:
        needed = PROCESS + reading_bytes(file, people=False)
        check_need(f"{str(file)!r}: to read these rows takes about", needed)


def _check_stage(file: Path) -> None:
    """Refuse a table of the pipeline that holds no profiles yet, and say how to go on."""
    from pyarrow.parquet import read_schema

    inside = [
        stage for stage in ("treated", "reduced", "experimental") if (file / f"{stage}.parquet").exists()
    ]
    columns: set[str] = set()
    with suppress(OSError, ValueError):  # what cannot be read is told by whoever reads it
        columns = set(read_schema(file).names) if file.suffix == ".parquet" and file.is_file() else set()
    if inside or columns & {"domain", "all_topics"}:
        from quiff.logs.tables import a_table_of, stage_of

        stage = inside[-1] if inside else stage_of(columns)
        if stage is not None and not (file / "profiles.parquet").exists():
            raise ParameterError(f"{str(file)!r} {'holds' if inside else 'is'} {a_table_of(stage)}")


def _marked(people: "Population", file: Path) -> "Population":
    """Return people marked as synthetic if a public data set says that they are."""
    from quiff.logs.registry import is_of_synthetic_people

    if people.understood and on_terminal():
        echo(f"{file}: {people.understood}", err=True)
    return people.replaced(generated=True) if is_of_synthetic_people(file) else people
