"""A report on people: runs the studies, and puts their results on one page, the answer first."""

import hashlib
import platform
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import final

from quiff.apis.base import Api
from quiff.core.numbers import Number
from quiff.errors import counted
from quiff.populations.population import Population
from quiff.report.page import Page, Section
from quiff.report.studies import Progress, Question, sections
from quiff.results.dataset_statistics import DatasetStatistics
from quiff.results.numbers import probability, said
from quiff.results.rows import Row
from quiff.results.table import Table
from quiff.results.views.names import api_names, goal_title

_GLANCE = ("reveals", "time", "risk")  # the studies whose numbers stand at the top
_PARTS = ("quiff", "numpy", "scipy", "altair", "vl-convert-python")
_ASSUMPTIONS = (
    "Whoever observes is taken to know the APIs, and everybody's data that the APIs work on: the numbers are "
    "the most that an observer can achieve by observations alone, not what a particular one does.",
    "They are averages over these people as they are given, and say nothing about others, nor about what is "
    "learnt by other means beside the APIs.",
    "What is public about the people, such as the taxonomy or a table of cohorts, is taken as known; what it "
    "reveals itself is not measured.",
)


@final
@dataclass(frozen=True)
class Source:
    """Where people come from."""

    name: str  # what to call it
    facts: tuple[tuple[str, str], ...] = ()  # what is known about it, name and value
    commands: tuple[str, ...] = ()  # how to get from it to the report, a line each
    about: str = ""  # what a reader has to know of it before anything else

    @classmethod
    def file(cls, path: Path, commands: Sequence[str] = (), about: str = "") -> "Source":
        """Describe a file by its name, size and digest.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder) / "profiles.csv"
        ...     _ = path.write_text("user,t1")
        ...     Source.file(path).facts[0]
        ('file', 'profiles.csv, 7 bytes')
        """
        files = [path] if path.is_file() else sorted(path.rglob("*.parquet"))
        digest = hashlib.sha256()
        for file in files:
            with file.open("rb") as content:
                while block := content.read(1 << 20):
                    digest.update(block)
        size = sum(file.stat().st_size for file in files)
        facts = (("file", f"{path.name}, {size} bytes"), ("SHA-256 of the file", digest.hexdigest()))
        return cls(path.name, facts, tuple(commands), about)


def compose_report(
    people: Population,
    apis: Iterable[Api],
    source: Source,
    *,
    observations: int = 4,
    attacks: bool = False,
    seed: int = 0,
    histories: Path | None = None,
    progress: Progress | None = None,
) -> Page:
    """Return a page that says what some APIs reveal about people.

    Parameters
    ----------
    people
        The users; where attributes change, with all epochs.
    apis
        What is measured; none for third-party cookies and the Topics API.
    source
        Where the people come from.
    observations
        Up to how many observations of a person are studied; 1 leaves out what time adds.
    attacks
        Whether the published attacks are run.
    seed
        The random seed of simulations.
    histories
        The table of browsing histories that the people come from, to be described too.
    progress
        Called with the name of a study and the share of it that is done.

    Examples
    --------
    >>> page = compose_report(Population.synthetic(500, seed=1), (), Source("500 synthetic people"))
    >>> page.title
    'Topics API: what it reveals about 500 people'

    Raises
    ------
    QuiffError
        If the APIs cannot be measured on these people.
    """
    given = Question(people, tuple(apis), observations, attacks, seed)
    question = (
        given if progress is None else Question(people, given.apis, observations, attacks, seed, progress)
    )
    pairs = list(sections(question))
    rows = [row for section, result in pairs if section.key in _GLANCE for row in result.rows]
    titles, mains = api_names({api.spec: api for api in question.apis}), question.studied
    named = " and ".join(titles[api.spec] for api in mains)
    about = (source.about, *question.measured.warnings, *_filling(question))
    return Page(
        f"{named}: what {'it reveals' if len(mains) == 1 else 'they reveal'} about "
        f"{said(people.n_users)} {'person' if people.n_users == 1 else 'people'}",
        tuple(sentence for sentence in about if sentence),
        " ".join(_headline(question.apis, mains, titles, rows)),
        _summary(question, titles, rows),
        (*(section for section, _ in pairs), *([] if histories is None else [_histories(histories)])),
        tuple(_facts(source, question)),
        source.commands,
        (*_ASSUMPTIONS, *question.measured.notes),
    )


def _histories(path: Path) -> Section:
    """Describe the table of browsing histories that people come from."""
    from quiff.history.engine import connect
    from quiff.history.stats import describe

    shown = DatasetStatistics(describe(connect(), [path]))
    found, title = shown.statistics, "The browsing histories"
    if found.sizes is None:
        return Section("histories", title, tables=tuple(shown.tables()))
    text = (
        f"The people come from {said(found.rows)} visits to {said(found.domains or 0)} domains; half of the"
        f" users made {said(found.sizes.q50)} visits or fewer, and one in a hundred more than"
        f" {said(found.sizes.q99)}."
    )
    return Section("histories", title, (text,), (shown.figure(),), tuple(shown.tables()))


def _filling(question: Question) -> Iterator[str]:
    """Yield what a measurement says of topics that were filled in at random, if it says anything."""
    filled = question.first.filled
    if filled is not None and filled.filled_sets:
        yield from (text for text in question.measured.sentences if text.startswith(filled.sentence()))


def _value(
    rows: Iterable[Row], api: str, quantity: str, observations: int = 1, goal: str | None = None
) -> Number | None:
    """Return the number of an API's last stage for these people and their prior; None if there is none."""
    found = [
        row.value
        for row in rows
        if (row.api, row.quantity, row.observations, row.scope) == (api, quantity, observations, "people")
        and row.prior in ("", "population")
        and (goal is None or row.goal == goal)
    ]
    return found[-1] if found else None


def _most_observed(rows: Iterable[Row], api: str) -> int:
    return max(
        (row.observations for row in rows if row.api == api and row.quantity == "posterior"), default=1
    )


def _headline(
    apis: Sequence[Api], mains: Sequence[Api], titles: dict[str, str], rows: list[Row]
) -> Iterator[str]:
    """Say what one observation and several reveal of a person, then that of the others and of guessing."""
    guess = None
    for api in mains:
        after = _value(rows, api.spec, "posterior")
        if after is None:
            continue
        guess = _value(rows, api.spec, "prior")
        many = _most_observed(rows, api.spec)
        over = "" if many == 1 else (
            f"; {many} observations with {probability(_value(rows, api.spec, 'posterior', many) or after)}"
        )  # fmt: skip
        yield (
            f"{titles[api.spec]}: one observation ({api.sees}) re-identifies a person with probability "
            f"{probability(after)}{over}."
        )
    for api in apis:
        after = None if api in mains else _value(rows, api.spec, "posterior")
        if after is not None:
            name = titles[api.spec]
            yield f"{name if name == api.spec else name[:1].upper() + name[1:]}: {probability(after)}."
    if guess is not None:
        yield f"Guessing: {probability(guess)}."


def _summary(question: Question, titles: dict[str, str], rows: list[Row]) -> Table | None:
    """Return the numbers that matter most, a column for each API."""
    apis, measured = question.apis, question.measured.rows
    most = max((_most_observed(rows, api.spec) for api in apis), default=1)
    wanted: list[tuple[str, str, int, str | None]] = [
        ("re-identified by one observation", "posterior", 1, None)
    ]
    if most > 1:
        wanted.append((f"re-identified by {most} observations", "posterior", most, None))
    wanted.append(("the person most at risk, one observation", "risk_max", 1, None))
    goals = dict.fromkeys(row.goal for row in measured if row.quantity == "goal_posterior")
    lines = []
    for text, quantity, observations, goal in wanted:
        values = [
            _value(rows, api.spec, quantity, 1 if api.redraws == "nothing" else observations, goal)
            for api in apis
        ]
        lines.append((text, *("" if value is None else probability(value) for value in values)))
    for goal in goals:
        if goal == "secret":
            continue
        pairs = [
            [_value(measured, api.spec, quantity, goal=goal) for quantity in ("goal_posterior", "goal_prior")]
            for api in apis
        ]
        texts = [
            "" if after is None or before is None else f"{probability(after)} ({probability(before)} without)"
            for after, before in pairs
        ]
        lines.append((f"a receiver guesses {goal_title(goal)}", *texts))
    kept = tuple(line for line in lines if any(line[1:]))
    return Table("At a glance", ("probability", *titles.values()), kept) if kept else None


def _facts(source: Source, question: Question) -> Iterator[tuple[str, str]]:
    """Yield what the report rests on: data, parameters, sources and versions."""
    yield "people", f"{source.name}: {counted(question.people.n_users, 'user')}"
    yield from source.facts
    origin = question.measured.provenance
    if origin is not None:
        yield "SHA-256 of the people's attributes", origin.digest
        yield "in Python", origin.command
    for api in question.apis:
        values = ", ".join(f"{name} = {value}" for name, value in api.parameters().items())
        yield api.title, "; ".join(part for part in (api.spec, values, api.source) if part)
    yield "seed", f"{question.seed}, only where something is simulated"
    yield "made with", ", ".join(f"{part} {version(part)}" for part in _PARTS)
    yield "Python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    yield "made on", datetime.now(UTC).strftime("%d %B %Y, %H:%M UTC")
