"""The sections of a report on a population: each takes a result, and shows and reads it."""

from quiff.apis.topics import TopicsAPI
from quiff.report.page import Section
from quiff.results.api_comparison import SettingComparison
from quiff.results.dataset_statistics import DatasetStatistics
from quiff.results.measurement.measurement import Measurement
from quiff.results.popularity import Popularity
from quiff.results.result import Result
from quiff.results.views.risk import most_exposed
from quiff.studies.closed_forms import closed_forms

_TITLES = {"epochs": "Week after week", "attacks": "What known attacks achieve"}


def people_section(found: Measurement, risk: Result) -> Section:
    """Show who was measured, and how many share a set."""
    tables = found.named_tables()
    further = tuple(tables[name] for name in ("filling", "histories") if name in tables)
    readings = found.readings()
    said = tuple(readings[name] for name in ("sets", "filling") if name in readings)
    return Section(
        "people",
        "The people",
        (*found.warnings(), *said, *found.notes),
        tables=(tables["counts"], *further, risk.tables["sharing"]),
    )


def histories_section(statistics: DatasetStatistics) -> Section:
    """Show the browsing histories that the profiles come from."""
    found = statistics.statistics
    sizes = found.sizes
    said = (
        ()
        if sizes is None
        else (
            f"The profiles come from {found.rows} visits to {found.domains} domains; half of the users made "
            f"{sizes.q50:g} visits or fewer, and one in a hundred more than {sizes.q99:g}.",
        )
    )
    figures = () if sizes is None else (statistics.figure(),)
    return Section("histories", "Their browsing histories", said, figures, tuple(statistics.tables()[:2]))


def privacy_section(found: Measurement) -> Section:
    """Show what each step from cookies to a reported topic gives away on average."""
    readings = found.readings()
    return Section(
        "privacy",
        "What a report gives away, step by step",
        (readings["privacy"], readings["capacity"]),
        (found.figure(),),
        (found.named_tables()["privacy"],),
    )


def risk_section(risk: Result) -> Section:
    """Show how the risk is spread over the users."""
    return Section(
        "risk",
        "Who is most exposed",
        risk.sentences,
        (risk.figure(),),
        (risk.tables["risk"], risk.tables["worst-posterior"], most_exposed(risk)),
    )


def topics_section(exposure: Result) -> Section:
    """Show which topics expose their users, and what an observation says about having a topic."""
    return Section(
        "topics",
        "Which topics expose most",
        exposure.sentences,
        (exposure.figure(),),
        tuple(exposure.tables.values()),
    )


def utility_section(found: Measurement) -> Section:
    """Show what an advertiser learns of one user."""
    readings, tables = found.readings(), found.named_tables()
    names = [name for name in ("utility-iba", "utility-bayes", "priors") if name in tables]
    said = tuple(readings[name] for name in ("utility", "published") if name in readings)
    return Section("utility", "What an advertiser learns", said, tables=tuple(tables[name] for name in names))


def popularity_section(popularity: Popularity) -> Section:
    """Show what the reports of all say about how popular topics are, and what the paper's example counts."""
    api = TopicsAPI(popularity.n_topics, popularity.top_s, popularity.noise)
    counting = closed_forms(api).figure("counting")
    return Section(
        "popularity",
        "How well topics can be counted",
        tuple(popularity.sentences()),
        (popularity.figure(), counting),
        tuple(popularity.tables()),
    )


def settings_section(comparison: SettingComparison) -> Section:
    """Show other settings of the same API on the same people."""
    return Section(
        "settings",
        "Privacy against utility",
        tuple(comparison.sentences()),
        (comparison.figure(),),
        tuple(comparison.tables()),
    )


def limits_section(found: Measurement) -> Section:
    """Show the most that one report can tell about anybody."""
    setting = found.setting
    figures = (
        (closed_forms(TopicsAPI(setting.n_topics, setting.top_s, setting.noise)).figure("limits"),)
        if setting.top_s < setting.n_topics
        else ()
    )
    return Section(
        "limits",
        "The most that one report can tell",
        (found.readings()["worst_case"],),
        figures,
        (found.named_tables()["limits"],),
    )


def epochs_section(found: Result) -> Section:
    """Show what the reports of several epochs give away together."""
    return Section(
        "epochs",
        _TITLES["epochs"],
        (*found.warnings, *found.sentences),
        (found.figure(),),
        tuple(found.tables.values()),
    )


def attacks_section(found: Result) -> Section:
    """Show what known attacks achieve, and the most that any could."""
    return Section(
        "attacks",
        _TITLES["attacks"],
        found.sentences,
        (found.figure(),),
        tuple(found.tables.values()),
    )


def left_out(key: str, reason: str) -> Section:
    """Say why the section on ``epochs`` or ``attacks`` has no numbers."""
    return Section(key, _TITLES[key], (reason,))
