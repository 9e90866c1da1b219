"""A report on people: runs the studies, and puts their results on one page, the answer first."""

import hashlib
import platform
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import final

import numpy as np

from quiff.apis.base import Api, check_observations
from quiff.errors import QuiffError, SizeError
from quiff.logs.engine import connect
from quiff.logs.registry import DATASETS
from quiff.logs.stats import describe
from quiff.people.population import Population
from quiff.report.answers import (
    Answer,
    by_visits,
    growth,
    may,
    may_not,
    reading,
    regulators_words,
    summary,
    verdict,
)
from quiff.report.page import Block, Page
from quiff.report.studies import Question, sections
from quiff.results.numbers import capitalised, probability, said
from quiff.studies.dataset_statistics import DatasetStatistics
from quiff.studies.words import visits
from quiff.weeks.exact import exact_vulnerability, exact_work
from quiff.weeks.sequences import Sequences

SMALLEST = 5
"""How many people a cell of a report is about at least, unless users are listed."""

_CELLS = {
    False: f"The smallest cell that this report shows is of {SMALLEST} people: what is about fewer is merged"
    " or left out (--list-users shows it), and so is what would tell it by subtraction; curves have steps of"
    f" {SMALLEST} people or more, with their mean. But the largest risk, and that of one in a hundred, may be"
    " one person's, and so is a smallest group (k-anonymity); none of them says whose.",
    True: "Cells may be about a single person, for users were to be listed (--list-users).",
}
_DRAWS = 3  # of as many people as have no filled topics
_QUICK = 10**9  # numbers that are looked at: a matter of seconds
_PARTS = ("quiff", "numpy", "scipy", "altair", "vl-convert-python")
_SYNTHETIC = "Synthetic: these people were generated; nobody real is described."
_COMPUTED = (
    "The numbers are computed from these people's data and the documented rules of each API. They are exact,"
    " but for those that are called about so much: estimates, with an interval of 95 % in parentheses."
)
_LESS = "Who knows less than this observer succeeds less often. An attack that fails proves little."
_NOBODY = (
    "Not: that nobody can be identified, however small a number is. Logins, fingerprinting and purchases "
    "are not measured."
)
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
        found = digest.hexdigest()
        facts = (("file", f"{path.name}, {size} bytes"), ("SHA-256 of the file", found))
        return cls(path.name, facts, tuple(commands), about or _published(path, found))


def _published(path: Path, digest: str) -> str:
    """Return that a file is a public data set of synthetic people, if it is one."""
    for each in DATASETS.values():
        if each.synthetic and (digest == each.sha256 or path.name == each.file):
            return f"Synthetic: nobody real is described. {each.title}."
    return ""


def compose_report(
    people: Population,
    apis: Iterable[Api],
    source: Source,
    *,
    observations: int = 4,
    attacks: bool = False,
    stability: float | None = None,
    seed: int = 0,
    histories: Path | None = None,
    list_users: bool = False,
    print_all: bool = False,
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
        Up to how many observations of a person are studied, or visits where the first one brings several; 1
        leaves out what time adds.
    attacks
        Whether the published attacks are run.
    stability
        With what probability interests are kept from one observation to the next; None if it is not known.
    seed
        The random seed of simulations.
    histories
        The table of browsing histories that the people come from, to be described too.
    list_users
        Whether the users most at risk are listed; by default a page that is made to be sent names none.
    print_all
        Whether what is folded away is open, so that it prints.

    Examples
    --------
    >>> page = compose_report(Population.synthetic(500, seed=1), (), Source("500 people"))
    >>> page.title
    'Topics API: what it reveals about 500 synthetic people'

    Raises
    ------
    QuiffError
        If the APIs cannot be measured on these people.
    """
    least = 1 if list_users else SMALLEST
    question = Question(
        people, tuple(apis), check_observations(observations), attacks, seed, least, stability
    )
    parts = {section.key: section for section in sections(question)}
    mains = [Answer.of(api, question) for api in question.studied]
    answers = [*mains, *(Answer.of(api, question) for api in question.apis if api not in question.studied)]
    if "time" in parts:
        parts["time"] = replace(parts["time"], blocks=(*parts["time"].blocks, by_visits(mains)))
    about = source.about or (_SYNTHETIC if people.is_synthetic else "")
    crowd = ("Not: anything about real people. These are synthetic.",) if about else ()
    return Page(
        _title([answer.name for answer in mains], people, "synthetic " if about else ""),
        tuple(filter(None, (about, *question.measured.warnings, _filling(question)))),
        tuple(verdict(answers, mains)),
        summary(answers, mains),
        growth(answers, mains),
        tuple(reading(mains)),
        tuple(parts.values()),
        (
            Block(lead=(_COMPUTED, *_moved(question, mains)), tables=(regulators_words(mains),)),
            *(() if histories is None else (_histories(histories, least),)),
        ),
        {
            "What may be concluded": (*(text for answer in mains for text in may(answer)), _LESS),
            "What may not be concluded": (
                *crowd,
                _NOBODY,
                *(text for answer in mains for text in may_not(answer)),
            ),
        },
        tuple(_facts(source, question)),
        source.commands,
        tuple(dict.fromkeys((*_ASSUMPTIONS, _CELLS[list_users], *question.measured.notes))),
        print_all,
    )


def _title(names: Sequence[str], people: Population, kind: str) -> str:
    listed = capitalised(" and ".join(names)) if len(names) <= 2 else f"{len(names)} APIs"
    reveal = "it reveals" if len(names) == 1 else "they reveal"
    whom = "person" if people.n_users == 1 else "people"
    return f"{listed}: what {reveal} about {said(people.n_users)} {kind}{whom}"


def _histories(path: Path, least: int) -> Block:
    """Describe the table of browsing histories that people come from."""
    described = DatasetStatistics(describe(connect(), [path]), least)
    counts, title, tables = described.statistics, "The browsing histories", tuple(described.tables())
    if counts.sizes is None:
        return Block(title, tables=tables, folded=True)
    text = (
        f"The people come from {said(counts.rows)} visits to {said(counts.domains or 0)} domains; half of the"
        f" users made {said(counts.sizes.q50)} visits or fewer, and one in a hundred more than"
        f" {said(counts.sizes.q99)}."
    )
    return Block(title, (text,), (described.figure(),), tables, folded=True)


def _filling(question: Question) -> str:
    """Say for how many people topics were filled in at random, if for some."""
    filled = question.first.filled
    if filled is None or not filled.filled_sets:
        return ""
    share = probability(filled.filled_users)
    return f"For {share} of them some topics were filled in at random, as a browser would."


def _moved(question: Question, mains: Sequence[Answer]) -> Iterator[str]:
    """Say what one visit reveals about those without filled topics, and about as many drawn from all."""
    people = question.first
    counted = people.weights is not None or people.counts is not None
    if counted or people.filled is None or not people.filled.filled_sets or not people.filled.genuine_users:
        return
    rng, genuine = np.random.default_rng(question.seed), people.genuine()
    n = genuine.n_users
    drawn = [people.sets[:, rng.choice(range(people.n_users), n, replace=False)] for _ in range(_DRAWS)]
    alike = [Population.from_array(range(n), sets, people.topics) for sets in drawn]
    for answer in mains:
        with suppress(QuiffError):  # nobody is left, or it is too much
            if answer.api.needs == ("topics",):
                without, *others = (_counted(some, answer) for some in (genuine, *alike))
                yield (
                    f"{answer.name}: of the {said(n)} people without filled topics"
                    f" {visits(answer.api, answer.first)} re-identifies {probability(without)}; of as many"
                    f" drawn from all, {probability(sum(others) / _DRAWS)} (fewer people are easier to tell"
                    " apart)."
                )


def _counted(people: Population, answer: Answer) -> float:
    """Return the probability of re-identification by the first visit, if it is counted quickly."""
    sequences = Sequences.of(people, answer.api)
    if exact_work(sequences, answer.first)[0] > _QUICK:
        raise SizeError("to count this takes too long for one sentence")
    return float(exact_vulnerability(sequences, answer.first))


def _facts(source: Source, question: Question) -> Iterator[tuple[str, str]]:
    """Yield what the report rests on: data, parameters, sources and versions."""
    yield "people", f"{source.name}: {said(question.people.n_users)} users"
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
