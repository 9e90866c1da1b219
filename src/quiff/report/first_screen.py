"""The first screen of a report: the verdict, the numbers that matter most, and how they grow."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log
from typing import Any, final

from quiff.apis.base import Api, in_a_month
from quiff.attacks.catalogue import ATTACKS
from quiff.core.numbers import Number
from quiff.errors import QuiffError, counted
from quiff.populations.population import Population
from quiff.results.figures.charts import Axis, curves, probabilities
from quiff.results.figures.figure import Figure
from quiff.results.numbers import capitalised, probability, said
from quiff.results.result import Result
from quiff.results.rows import Row, Rows
from quiff.results.table import Table
from quiff.studies.words import goal_title, visits

_FEW = 3  # APIs with a column each
CROWD = 1_000_000
"""People among whom the probability is given too."""

_RISKS = ("risk_mean", "risk_median", "risk_99", "risk_max")
RECORDS = ("history", "conversions")
"""Attributes that are records, which nobody wants to guess as a whole."""


@final
@dataclass(frozen=True)
class Answer:
    """What was measured of one API on these people, given their own prior."""

    api: Api
    name: str
    rows: Rows
    linked: str = ""  # how probably one person's records at two sites are linked, and by what

    @classmethod
    def of(cls, api: Api, name: str, results: Mapping[str, Result]) -> "Answer":
        """Choose the rows of an API: of its last stage, and over time."""
        own = {
            key: (result.every_row if key == "time" else result.rows).where(api=api.spec)
            for key, result in results.items()
        }
        rows = [
            *own["reveals"].last.rows,
            *(row for row in own.get("time", ()) if row.goal != row.stage),
            *(row for row in own["risk"].last.rows if row.quantity in _RISKS),
        ]
        kept = Rows(row for row in rows if row.prior in ("", "population") and row.scope != "genuine")
        return cls(api, name, kept, _linked(api, results))

    def row(self, quantity: str, observations: int = 1) -> Row | None:
        """Return the row of the last stage after so many observations, which for an identifier are alike."""
        n = 1 if self.api.redraws == "nothing" else observations
        found = self.rows.where(quantity=quantity, observations=n, scope="people").rows
        return next((row for row in found if row.goal in ("", "user")), None)

    def value(self, quantity: str, observations: int = 1) -> Number | None:
        """Return the number of that row; None if there is none."""
        found = self.row(quantity, observations)
        return None if found is None else found.value

    @property
    def first(self) -> int:
        """How many observations the first visit brings, as far as that was measured."""
        n = self.api.shown_at_first
        return n if self.value("posterior", n) is not None else 1

    @property
    def most(self) -> int:
        """After how many observations re-identification was measured at most."""
        if self.api.redraws == "nothing":
            return 1
        return max((row.observations for row in self.rows.where(quantity="posterior").rows), default=1)

    @property
    def capacity(self) -> Number | None:
        """By how much one observation multiplies the probability of any guess, for any people, at most."""
        found = [row.value for row in self.rows.where(quantity="bayes_capacity", scope="all").rows]
        return found[-1] if found and isfinite(found[-1]) else None

    @property
    def riskiest(self) -> int:
        """After how many observations, at most those of the first visit, each user's own risk is known."""
        return self.first if self.value("risk_max", self.first) is not None else 1

    @property
    def goals(self) -> list[tuple[str, Number, Number]]:
        """What a receiver wants to learn, the whole secret last: its name, the probability before, after."""
        reached = self.rows.where(quantity="goal_posterior", observations=1).by("goal")
        order = sorted(reached, key=lambda goal: (goal[0] == "secret", goal[0] in RECORDS))
        found = ((goal, self.rows.where(goal=goal, observations=1)) for (goal,) in order)
        pairs = ((goal, some["goal_prior"], some["goal_posterior"]) for goal, some in found)
        return [(goal, a, b) for goal, a, b in pairs if a is not None and b is not None]

    def goal(self, named: str = "") -> tuple[str, Number, Number] | None:
        """Return what a receiver wants to learn first, or a named goal; None if nothing is known of that."""
        return next((goal for goal in self.goals if named in ("", goal[0])), None)


def chief(mains: Sequence[Answer]) -> Answer:
    """Return the API in question that reveals most."""
    return max(mains, key=lambda one: float(one.value("posterior", one.most) or 0))


def shared_goal(answers: Sequence[Answer]) -> str:
    """Return the first goal that all APIs share; empty if there is none."""
    return next(
        (goal for goal, *_ in answers[0].goals if goal != "secret" and all(map(_has(goal), answers))), ""
    )


def _has(goal: str) -> Callable[[Answer], bool]:
    return lambda one: one.goal(goal) is not None


def known(api: Api) -> str:
    """Return what the strongest observer knows of everybody, in words."""
    return f"everybody's {' and '.join(api.needs)}" if api.needs else "everybody"


def _linked(api: Api, results: Mapping[str, Result]) -> str:
    """Return what is known of linking two sites: by the best attack on a visit of each, or by formula."""
    rows = results["attacks"].every_row.where(api=api.spec, observations=1) if "attacks" in results else ()
    tried = [row for row in rows if row.quantity in ATTACKS and ATTACKS[row.quantity].sites == 2]
    if tried:
        best = max(tried, key=lambda row: row.value)
        share = f"about {probability(best.value)}{_interval(best)}"
        return f"at least {share} by one {api.visit} at each: by the best attack run"
    linked = results["time"].every_row.where(api=api.spec, stage="two sites") if "time" in results else Rows()
    most = linked["posterior"]
    if most is None:
        return ""
    return f"at most {probability(most)} by one observation at each, if users' sets are independent draws"


def in_a_crowd(people: Population, one: Answer, n: int) -> str:
    """Return between what the probability of re-identification lies in a larger crowd that includes people.

    With equally probable users, N V = sum_y max_x P(y|x) does not fall when people are added, and is at most
    the capacity of n observations. Empty if these people are no smaller crowd, or the API would be another
    in it.
    """
    row = one.row("leakage", n)
    if row is None or people.weights is not None or people.n_users >= CROWD or not same(people, one.api):
        return ""
    least = row.value if row.low is None else row.low
    times = 1 if one.api.redraws == "nothing" else n
    bounded = one.capacity is not None and times * log(one.capacity) < log(CROWD)
    most = one.capacity**times if one.capacity is not None and bounded else CROWD
    low, high = probability(least / CROWD), probability(most / CROWD)
    if high.endswith("%") and not low.endswith("%"):  # one form for both ends
        low = f"{said(100 * least / CROWD)} %"
    return low if low == high else f"{low} to {high}"


def same(people: Population, api: Api) -> bool:
    """Tell whether the capacity of an API is known, and the same whoever the people are."""
    try:
        alone = api.limits()
    except QuiffError:  # a parameter is known with people only
        return False
    known = any(limit.quantity == "bayes_capacity" for limit in alone)
    return known and alone == api.fit(people).limits()


def seen(one: Answer, n: int) -> str:
    """Return what brings so many observations, and how many these are where a visit brings several."""
    words = visits(one.api, n)
    return f"{words} ({n} observations)" if one.api.shown_at_first > 1 and n >= one.first > 1 else words


def verdict(answers: Sequence[Answer], mains: Sequence[Answer]) -> str:
    """Return the answer in a few words: of the APIs that are studied, of the yardsticks, and of guessing."""
    return " ".join(_verdict(answers, mains))


def _verdict(answers: Sequence[Answer], mains: Sequence[Answer]) -> Iterator[str]:
    named = [one for one in mains if one.value("posterior") is not None]
    if len(named) > _FEW:
        least, *_, most = sorted(named, key=lambda one: one.value("posterior") or 0)
        yield (
            f"By one observation, {counted(len(named), 'API')} re-identify a person with probabilities from "
            f"{about(least, 1)} ({least.name}) to {about(most, 1)} ({most.name}); what one observation is "
            "about differs from one to the other."
        )
    else:
        yield from (_one(one, alone=len(mains) == 1) for one in named)
    others = [one for one in mains if one not in named]
    if len(mains) <= _FEW:
        yield from map(_learnt, others)
    elif others:
        yield (
            f"The observer of {counted(len(others), 'API')} already knows who the person is: the table says "
            "what is learnt."
        )
    for one in answers:
        if one not in mains and one.value("posterior") is not None:
            yield f"{capitalised(one.name)}: {about(one, 1)}."
    guess = next((value for one in named if (value := one.value("prior")) is not None), None)
    if guess is not None:
        yield f"Guessing: {probability(guess)}."


def _one(one: Answer, *, alone: bool) -> str:
    """Say with which probability one visit, and the last of several, re-identifies a person."""
    first, most = one.first, one.most
    what = f"({first} observations, each {one.api.sees})" if first > 1 else f"({one.api.sees})"
    once = f"{visits(one.api, first)} {what} re-identifies a person with probability {about(one, first)}"
    whom = f" on average, by an observer who knows {known(one.api)}" if alone else ""
    over = f"; {seen(one, most)} do so with {about(one, most)}" if most > first else ""
    text = f"{once}{whom}{over}."
    return capitalised(text) if alone else f"{one.name}: {text}"


def _learnt(one: Answer) -> str:
    """Say what is learnt about somebody whom the observer knows already."""
    known, found = f"{one.name}: the observer already knows who the person is", one.goal()
    if found is not None:
        goal, before, after = found
        return (
            f"{known}, and by one observation ({one.api.sees}) guesses {goal_title(goal)} with probability "
            f"{probability(after)} ({probability(before)} without)."
        )
    if one.capacity is not None:
        most = said(one.capacity)
        return f"{known}; one observation multiplies the probability of any guess by at most {most}."
    return f"{known}; what is learnt of that person is not measured here."


def about(one: Answer, n: int, *, interval: bool = False) -> str:
    """Return the probability of re-identification: where it is an estimate with a word, and its interval."""
    row = one.row("posterior", n)
    if row is None:
        return ""
    text = f"{'' if row.low is None else 'about '}{probability(row.value)}"
    return f"{text}{_interval(row)}" if interval else text


def _interval(row: Row) -> str:
    """Return the ends of the interval of 95 %, with so many digits that they differ."""
    if row.low is None or row.high is None:
        return ""
    ends = ([probability(end, digits) for end in (row.low, row.high)] for digits in range(3, 7))
    low, high = next((some for some in ends if some[0] != some[1]), (probability(row.low),) * 2)
    return f" ({low} to {high})"


def summary(answers: Sequence[Answer], mains: Sequence[Answer]) -> Table | None:
    """Return the numbers that matter most: a column for each API, or a line where they are many."""
    few = len(answers) <= _FEW
    lines = [line for line in _lines(mains, guess=few) if any(line.text(one) for one in answers)]
    if not lines:
        return None
    data = known(mains[0].api) if len(mains) == 1 else "everybody's data"
    title = f"The most that an observer who knows {data} achieves"
    cells = [[line.text(one) for one in answers] for line in lines]
    if few:
        rows = tuple((line.head, *texts) for line, texts in zip(lines, cells, strict=True))
        return Table(title, ("probability", *(one.name for one in answers)), rows)
    turned = zip((one.name for one in answers), *cells, strict=True)
    return Table(title, ("API", *(line.short for line in lines)), tuple(turned))


@dataclass(frozen=True)
class _Line:
    head: str
    short: str
    text: Any


def _lines(mains: Sequence[Answer], *, guess: bool) -> Iterator[_Line]:
    """Yield what is said of each API: one observation, one visit, a month, the worst off, the receiver."""
    heads = {one.api.sees for one in mains}
    sees = f" ({next(iter(heads))})" if len(heads) == 1 else ""
    once = f"re-identified by one observation{sees}"
    yield _Line(once, "one observation", lambda one: _once(one, guess=guess and one in mains))
    visit = next((one for one in mains if one.first > 1), None)
    if visit is not None:
        short = visits(visit.api, visit.first)
        yield _Line(f"by {seen(visit, visit.first)}", short, lambda one: about(one, one.first))
    longest = max(mains, key=lambda one: one.most)
    if longest.most > longest.first:
        words = visits(longest.api, longest.most)
        when = "in a month (28 days), by" if longest.most == in_a_month(longest.api) else "by"
        others = {visits(one.api, one.most) for one in mains if one.most > one.first} - {words}
        short = f"{words}, or {' or '.join(sorted(others))}" if others else words
        yield _Line(
            f"{when} {seen(longest, longest.most)}", short, lambda one: about(one, one.most, interval=True)
        )
    worst = max(mains, key=lambda one: one.riskiest)
    yield _Line(
        f"the person most at risk, {visits(worst.api, worst.riskiest)}",
        "the person most at risk",
        lambda one: _read(one.value("risk_max", one.riskiest)),
    )
    goal = shared_goal(mains)
    what = goal_title(goal) if goal else "what it wants to learn"
    who = "a receiver, such as an advertiser,"
    heard = f"{who} guesses {what} by one observation"
    yield _Line(heard, f"{what} is guessed", lambda one: _learns(one, goal))


def _read(value: Number | None) -> str:
    return "" if value is None else probability(value)


def _once(one: Answer, *, guess: bool) -> str:
    after, before = one.value("posterior"), one.value("prior")
    if after is None:
        return ""
    text = probability(after)
    return f"{text} (guessing: {_read(before)})" if guess else text


def _learns(one: Answer, goal: str) -> str:
    found = one.goal(goal)
    if found is None:
        return ""
    name = "" if goal else f"{goal_title(found[0])}: "
    return f"{name}{probability(found[2])} ({probability(found[1])} without)"


def growth(answers: Sequence[Answer], mains: Sequence[Answer]) -> Figure | None:
    """Draw the probability of re-identification against visits, the yardstick above and guessing below."""
    drawn = [one for one in mains if one.most > one.first][: _FEW - 1]
    if not drawn:
        return None
    first, last = drawn[0], max(one.most - one.first + 1 for one in drawn)
    own = [point for one in drawn for point in _points(one)]
    levels = {one.name: one.value("posterior") for one in answers if one not in mains}
    guess = first.value("prior")
    levels = dict(list(levels.items())[:1]) | {f"guessing: {_read(guess)}": guess}
    flat = [
        {"series": name, "visits": place, "probability": float(level)}
        for name, level in levels.items()
        if level is not None
        for place in (0, last)
    ]
    things = visits(first.api, first.most).partition(" ")[2]
    brings = f", the first with {first.first} observations" if first.first > 1 else ""
    chart = curves(
        [*own, *flat],
        Axis("visits", f"{things}{brings}", "count", 0, last),
        probabilities("probability", "probability of re-identification", own),
        list(dict.fromkeys(point["series"] for point in (*own, *flat))),
        dots=[point for point in own if point["visits"]],
        size=(300, 220),
    )
    whose = "" if len(drawn) == 1 else f"{first.name}: "
    words = capitalised(visits(first.api, first.most))
    return Figure.of(f"{whose}{words} re-identify a person with {about(first, first.most)}", chart)


def _points(one: Answer) -> Iterator[dict[str, Any]]:
    """Yield the probabilities of an API by visits, from guessing on."""
    guess = one.value("prior")
    if guess is not None:
        yield {"series": one.name, "visits": 0, "probability": float(guess)}
    for n in range(one.first, one.most + 1):
        row = one.row("posterior", n)
        if row is not None:
            ends = {} if row.low is None else {"low": float(row.low), "high": float(row.high or 1)}
            place = {"visits": n - one.first + 1, "probability": float(row.value)}
            yield {"series": one.name, **place, **ends}
