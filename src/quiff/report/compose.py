"""A report on a population: runs the studies, and puts their results on one page."""

import hashlib
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from quiff.apis.cookies import Cookies
from quiff.apis.topics import TopicsAPI
from quiff.core.numbers import Number
from quiff.errors import counted
from quiff.history.engine import connect
from quiff.history.stats import describe
from quiff.populations.population import Population
from quiff.report.over_time import study_attacks, study_epochs
from quiff.report.page import Headline, Page, Section
from quiff.report.sections import (
    histories_section,
    limits_section,
    people_section,
    popularity_section,
    privacy_section,
    risk_section,
    settings_section,
    topics_section,
    utility_section,
)
from quiff.results.api_comparison import SettingComparison
from quiff.results.dataset_statistics import DatasetStatistics
from quiff.results.measurement.measurement import Measurement
from quiff.results.measurement.sentences import said
from quiff.studies.api_comparison import compare_settings
from quiff.studies.exposure import exposure
from quiff.studies.old_measure.seen import seen_histories
from quiff.studies.old_measure.study import measure
from quiff.studies.popularity import popularity
from quiff.studies.risk import user_risk

_NOISES = (0.01, 0.05, 0.1, 0.25, 0.5)
_PARTS = ("quiff", "numpy", "scipy", "altair", "vl-convert-python")
_ATTACKED = (1, 5, 10, 15, 20, 30)  # epochs after which attacks are tried
_MOST_SIMULATED = 10**8  # users times simulations


@dataclass(frozen=True)
class Source:
    """Where a population comes from.

    Attributes
    ----------
    name
        What to call it.
    facts
        What is known about it, name and value.
    commands
        How to get from it to the report, a line each.
    """

    name: str
    facts: tuple[tuple[str, str], ...] = ()
    commands: tuple[str, ...] = ()

    @classmethod
    def file(cls, path: Path, commands: Sequence[str] = ()) -> "Source":
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
        return cls(path.name, facts, tuple(commands))


def compose_report(
    population: Population,
    api: TopicsAPI,
    source: Source,
    *,
    histories: Path | None = None,
    comparison: SettingComparison | None = None,
    over_time: Population | None = None,
    epochs: int = 4,
    attacks: bool = False,
    seed: int = 0,
    watch: Callable[[str], AbstractContextManager[Any]] | None = None,
) -> Page:
    """Return a page that says what cookies and the Topics API leak about a population.

    Parameters
    ----------
    population, api
        Whom and what to measure.
    source
        Where the population is from.
    histories
        The users' Experimental table; cookies are then measured on it.
    comparison
        Settings to show beside each other; None compares some noises.
    over_time
        The same users with the sets of each epoch; None takes their sets to be stable.
    epochs
        Over how many epochs to measure; 0 leaves this out.
    attacks
        Whether to run the published attacks on simulated reports, too.
    seed
        Of the simulations.
    watch
        Called with the name of each study, for progress; what it returns is entered while it runs.

    Examples
    --------
    >>> people = Population.synthetic(500, seed=1)
    >>> page = compose_report(people, TopicsAPI(), Source("500 made-up users"))
    >>> page.headlines[0].value
    '28.4 times'
    """
    watch = watch or (lambda _: nullcontext())
    seen = None
    if histories is not None:
        with watch("cookies"):
            seen = seen_histories(population, histories)
    with watch("privacy and utility"):
        found = measure(population, api, histories=seen)
    with watch("each user's risk"):
        people = population if seen is None else population.with_attribute("history", seen.cookies())
        cookies = () if people.merged else (Cookies("user" if seen is None else "history"),)
        risk = user_risk(people, *cookies, api)
    simulations = max(50, min(1000, _MOST_SIMULATED // population.n_users))
    weeks = over_time or population

    def sections() -> Iterator[Section]:
        yield people_section(found, risk)
        if histories is not None:
            with watch("histories"):
                yield histories_section(_statistics(histories))
        yield privacy_section(found)
        yield risk_section(risk)
        with watch("topics"):
            yield topics_section(exposure(population, api, attribute="topics", first=None))
        yield utility_section(found)
        if api.noise < 1:  # else reports say nothing
            with watch("popularity"):
                yield popularity_section(popularity(population, api, seed=seed, simulations=simulations))
        with watch("settings"):
            yield settings_section(comparison or compare_settings(population, _noises(api)))
        if epochs:
            with watch("epochs"):
                yield study_epochs(weeks, api, epochs, seed=seed)
        if attacks:
            with watch("attacks"):
                yield study_attacks(weeks, api, _ATTACKED, seeds=4, seed=seed)
        yield limits_section(found)

    return Page(
        f"What the Topics API gives away: {source.name}",
        f"{said(population.n_users)} {'user' if population.n_users == 1 else 'users'} with "
        f"{counted(population.top_s, 'topic')} each, measured under third-party cookies and under the Topics "
        f"API with {api.n_topics} topics and a noise of {float(api.noise):.4g}.",
        _headlines(found, risk[api.spec, "unique_users"]),
        tuple(sections()),
        (*source.facts, *_facts(api, seed, simulations if api.noise < 1 else 0)),
        source.commands,
    )


def _statistics(histories: Path) -> DatasetStatistics:
    """Describe the table of histories."""
    con = connect()
    try:
        return DatasetStatistics(describe(con, [histories]))
    finally:
        con.disconnect()


def _headlines(found: Measurement, alone_in_set: Number) -> tuple[Headline, ...]:
    """Return the three numbers that matter: what a report leaks, who stands out, and what it is good for."""
    cookies, report = found.stage("cookies"), found.stage("topics_api")
    topic = found.use("topics_api", "iba")
    filled, genuine = found.filled, found.genuine
    leaks = unique = ""
    if genuine is not None:
        alone = said(genuine.stage("topics_api").leakage)
        leaks = f"; {alone} times among the users without filled topics"
    if filled is not None and filled.filled_sets and filled.unique_share is not None:
        unique = (
            f"; topics were filled in at random for {filled.filled_users:.1%} of {filled.whom}, and on "
            f"visited topics alone it is {filled.unique_share:.1%}"
        )
    return (
        Headline(
            f"{said(report.leakage)} times",
            "as often as a guess, one report lets an adversary name the user; "
            f"a third-party cookie, {said(cookies.leakage)} times as often{leaks}",
        ),
        Headline(
            f"{float(alone_in_set):.1%}",
            f"of the users have a set of topics that nobody else has; the whole set would name them{unique}",
        ),
        Headline(
            f"{float(topic.posterior):.1%}",
            "is the chance that an advertiser names a topic of the user after one report; "
            f"without it {float(topic.prior):.1%}",
        ),
    )


def _noises(api: TopicsAPI) -> dict[str, TopicsAPI]:
    """Return the setting itself, and the same with other noises."""
    chosen = sorted({*_NOISES, float(api.noise)})
    return {
        f"noise {noise:g}": TopicsAPI(
            api.n_topics, api.top_s, api.noise if noise == float(api.noise) else noise
        )
        for noise in chosen
    }


def _facts(api: TopicsAPI, seed: int, simulations: int) -> Iterator[tuple[str, str]]:
    """Yield the parameters and versions of a report."""
    yield "Topics API", f"m = {api.n_topics} topics, s = {api.top_s} in a set, noise r = {api.noise}"
    if simulations:
        yield "simulations", f"{simulations} with seed {seed}, only where a chance is said to be simulated"
    yield "made with", ", ".join(f"{part} {version(part)}" for part in _PARTS)
    yield "Python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    yield "made on", datetime.now(UTC).strftime("%d %B %Y, %H:%M UTC")
