"""The sections of a report on people: of each study one sentence, one figure and one small table first."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import Any

from quiff.populations.population import Population
from quiff.report.first_screen import CROWD, RECORDS, Answer, about, chief, in_a_crowd, seen
from quiff.report.page import Section
from quiff.results.numbers import capitalised, probability, said
from quiff.results.result import Result
from quiff.results.table import Table
from quiff.studies.words import goal_title, visits

_FEW = 2  # APIs of each of which a sentence is said
_MOST = 6  # lines of a table that shows every stage
_TWO_SIDES = (
    " A receiver is whoever gets the observation, such as an advertiser; from the person's side the same"
    " number is what is inferred about them."
)


def arranged(
    sections: Mapping[str, Section],
    results: Mapping[str, Result],
    answers: Sequence[Answer],
    mains: Sequence[Answer],
    people: Population,
) -> Iterator[Section]:
    """Yield the sections in their order, the sentence, figure and table that answer them first."""
    leads = {"time": _joined(mains, _grows), "risk": _joined(mains, _exposed)}
    tables = {
        "reveals": _revealed(results["reveals"]),
        "time": _over_time(mains, people),
        "risk": _risks(answers, mains),
        "use": _use(answers),
    }
    drawn = zip(results["time"].figures, sections["time"].figures, strict=True) if "time" in results else ()
    spread = [figure for name, figure in drawn if name.endswith("risk")]
    told: set[str] = set()
    for key, section in sections.items():
        lead, table = leads.get(key, ""), tables.get(key)
        figures = list(section.figures)
        if key == "time":
            figures = [one for one in figures if one not in spread]
            figures.sort(key=lambda one: not one.title.startswith(f"{chief(mains).name}: "))
        elif key == "risk":
            figures = [*spread, *figures]
        fresh = [text for text in section.sentences if text not in told]
        told.update(fresh)
        sentences = [*filter(None, [lead]), *_own_first(fresh, mains)]
        if key == "use" and table is not None:
            sentences[0] += _TWO_SIDES
        yield Section(
            key,
            section.title,
            tuple(map(capitalised, sentences)),
            tuple(figures),
            tuple(filter(None, (table, *section.tables))),
            section.parts,
        )


def _own_first(sentences: Sequence[str], mains: Sequence[Answer]) -> list[str]:
    """Return sentences without repetition, those on the APIs in question first."""
    names = tuple(f"{one.name}: " for one in mains)
    return sorted(dict.fromkeys(sentences), key=lambda text: not text.startswith(names))


def _joined(mains: Sequence[Answer], say: Callable[[Answer], str]) -> str:
    """Return what is said of each API, or of many of the one that reveals most, with their names."""
    if len(mains) == 1:
        return say(mains[0])
    told = {one.name: say(one) for one in (mains if len(mains) <= _FEW else [chief(mains)])}
    return " ".join(f"{capitalised(name)}: {_lower(text)}" for name, text in told.items() if text)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _grows(one: Answer) -> str:
    """Say how the probability of re-identification grows with time."""
    first, most = one.first, one.most
    if one.api.redraws == "nothing" and one.value("posterior") is not None:
        return f"Every observation is the same, so that time adds nothing: it stays at {about(one, 1)}."
    if most == first:
        return ""
    shows = (
        f"The first {one.api.visit} shows {first} observations, each later one adds one: r"
        if first > 1
        else "R"
    )
    return (
        f"{shows}e-identification grows from {about(one, first)} after {visits(one.api, first)} to "
        f"{about(one, most, interval=True)} after {visits(one.api, most)}, if people do not change."
    )


def _exposed(one: Answer) -> str:
    """Say how unequally the risk is spread."""
    if one.api.observer_knows_who:
        return "The observer already knows who the person is: nobody is re-identified."
    n = one.riskiest
    mean, high, most = (one.value(name, n) for name in ("risk_mean", "risk_99", "risk_max"))
    if mean is None or most is None:
        return ""
    rare = "" if high in (None, most) else f", one person in a hundred with {probability(high or 0)} or more"
    text = (
        f"After {seen(one, n)} the average person is re-identified with probability "
        f"{probability(mean)}{rare}, and the most exposed person with {probability(most)}."
    )
    if one.most > n and one.value("risk_max", one.most) is None:
        text += (
            f" After {visits(one.api, one.most)} each person's own is not measured; the most exposed "
            f"person's is at least the average, {about(one, one.most)}."
        )
    return text


def _factor(value: Any, _digits: int) -> str:
    """Return a factor with four digits, from which the probabilities beside it can be found."""
    return "the number of people" if value == inf else said(value, 4)


def _revealed(result: Result) -> Table | None:
    """Return what each stage reveals, or only the last one of each API if they are many."""
    groups = {
        key: some for key, some in result.rows.by("api", "stage").items() if some["posterior"] is not None
    }
    if len(groups) > _MOST:
        groups = {
            key: some
            for key, some in groups.items()
            if key[1] == [k for k in groups if k[0] == key[0]][-1][1]
        }
    if not groups:
        return None
    return Table.of(
        "Re-identification by one observation",
        [(result.stage_name(*key), some) for key, some in groups.items()],
        {
            "observed": lambda pair: capitalised(pair[0]),
            "probability": lambda pair: pair[1]["posterior"],
            "multiplied by": lambda pair: pair[1]["leakage"],
            "at most, any people": lambda pair: pair[1]["bayes_capacity@all"],
        },
        styles={"probability": probability, "multiplied by": _factor, "at most, any people": _factor},
    )


def _over_time(mains: Sequence[Answer], people: Population) -> Table | None:
    """Return the probability of re-identification by what was seen."""
    alone = len(mains) == 1
    lines = [
        (one, n)
        for one in mains
        if one.most > 1
        for n in (range(1, one.most + 1) if alone else sorted({1, one.first, one.most}))
    ]
    columns: dict[str, Any] = {
        "seen": lambda pair: capitalised(seen(*pair)),
        "re-identified": lambda pair: about(*pair, interval=True),
        f"among {said(CROWD)} people": lambda pair: in_a_crowd(people, *pair) or None,
    }
    if not alone:
        columns = {"API": lambda pair: pair[0].name} | columns
    return Table.of("Re-identification over time", lines, columns) if lines else None


def _risks(answers: Sequence[Answer], mains: Sequence[Answer]) -> Table | None:
    """Return how the risk is spread over people, for each number of observations for which it is known."""
    lines = []
    for one in answers:
        known = sorted({row.observations for row in one.rows.where(quantity="risk_max", scope="people").rows})
        alone = [one] == list(mains) and one.api.redraws != "nothing"
        lines += [(one, n) for n in known if alone or n == one.riskiest]
    if not lines:
        return None

    def at(name: str) -> Any:
        return lambda pair: pair[0].value(name, pair[1])

    heads = {
        "average": "risk_mean",
        "median": "risk_median",
        "one in a hundred": "risk_99",
        "most exposed": "risk_max",
    }

    def whose(pair: tuple[Answer, int]) -> str:
        one, n = pair
        words = visits(one.api, n)
        return capitalised(words if [one] == list(mains) else f"{one.name}, {words}")

    return Table.of(
        "Each person's own probability of re-identification",
        lines,
        {
            "seen": whose,
            **{head: at(name) for head, name in heads.items()},
        },
        styles=dict.fromkeys(heads, probability),
    )


def _use(answers: Sequence[Answer]) -> Table | None:
    """Return what a receiver learns by one observation, goal by goal."""
    lines = [(one, *goal) for one in answers for goal in one.goals if goal[0] not in ("secret", *RECORDS)]
    if not lines:
        return None
    return Table.of(
        "What a receiver guesses right",
        lines,
        {
            "API": lambda line: capitalised(line[0].name),
            "guessed": lambda line: goal_title(line[1]),
            "without": lambda line: line[2],
            "with one observation": lambda line: line[3],
        },
        styles=dict.fromkeys(("without", "with one observation"), probability),
    )
