"""What a report says of every API in the same way: the first screen, what may be concluded, and what not."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite, log
from typing import Any, final

from quiff.apis.base import Api, in_a_month
from quiff.apis.described import mechanism
from quiff.core.numbers import Number
from quiff.errors import QuiffError
from quiff.people.population import Population
from quiff.report.page import Block
from quiff.report.studies import RECORDS, Question
from quiff.results.figures.charts import Axis, curves, probabilities
from quiff.results.figures.figure import Figure
from quiff.results.numbers import capitalised, probability, said
from quiff.results.rows import Row, Rows
from quiff.results.table import Table
from quiff.studies.words import goal_title, visits

CROWD = 1_000_000
"""People among whom the probability is given too."""

_FEW = 3  # APIs with a column each
_REGULATOR = (
    "In the words of the Article 29 Working Party (Opinion 05/2014 on Anonymisation Techniques, WP216, "
    "10 April 2014)"
)
_WORDS = (
    "Re-identification: the best guess at who the person is, among all that were measured, is right.",
    "The observer is the strongest one: who knows the API and everybody's data that it works on.",
    "A factor, or leakage, multiplies a probability; at most, or capacity: the largest factor, whoever "
    "the people are and whatever is known of them before (any prior). No limit: there is no such bound.",
    "A receiver is whoever gets the observation, such as an advertiser; from the person's side the same "
    "number is what is inferred about them.",
    "About so much: an estimate from random draws; its interval of 95 % stands in parentheses.",
    "1 in 200 is a probability of 0.5 %. Probabilities from 1 % on are given in percent.",
)


@final
@dataclass(frozen=True)
class Answer:
    """What was measured of one API on these people, given their own prior."""

    api: Api
    name: str
    rows: Rows
    people: Population

    @classmethod
    def of(cls, api: Api, question: Question) -> "Answer":
        """Choose the rows of an API: of its last stage, and over time."""
        rows = list(question.measured.rows.where(api=api.spec).last)
        with suppress(QuiffError):  # the section says why
            rows += question.risk.rows.where(api=api.spec).last
        with suppress(QuiffError):
            rows += question.over_time(api).rows if api in question.studied else ()
        chosen = Rows(row for row in rows if row.prior in ("", "population"))
        return cls(api, question.name(api), chosen, question.first)

    def row(self, quantity: str, n: int = 1) -> Row | None:
        """Return the row of the last stage after n observations, which for an identifier are alike."""
        n = 1 if self.api.redraws == "nothing" else n
        rows = self.rows.where(quantity=quantity, observations=n, scope="people", goal=["", "user"])
        return rows.row(quantity)

    def value(self, quantity: str, n: int = 1) -> Number | None:
        """Return the number of that row; None if there is none."""
        row = self.row(quantity, n)
        return None if row is None else row.value

    def _longest(self, quantity: str) -> int:
        rows = self.rows.where(quantity=quantity, goal=["", "user"])
        return max(1, rows.observations) if self.api.redraws != "nothing" else 1

    @property
    def first(self) -> int:
        """How many observations the first visit brings, as far as that was measured."""
        n = self.api.shown_at_first
        return n if self.value("posterior", n) is not None else 1

    @property
    def most(self) -> int:
        """After how many observations re-identification was measured at most."""
        return self._longest("posterior")

    @property
    def riskiest(self) -> int:
        """After how many observations, at most those of the first visit, each user's own risk is known."""
        return self.first if self.value("risk_max", self.first) is not None else 1

    @property
    def capacity(self) -> Number | None:
        """By how much one observation multiplies the probability of any guess, for any people, at most."""
        most = self.rows["bayes_capacity@all"]
        return most if most is not None and isfinite(most) else None

    @property
    def goals(self) -> dict[str, Rows]:
        """What a receiver wants to learn, records and the whole secret last, with the probabilities."""
        reached = self.rows.where(quantity=["goal_prior", "goal_posterior"], observations=1).by("goal")
        order = sorted(reached, key=lambda goal: (goal[0] == "secret", goal[0] in RECORDS))
        return {goal: reached[(goal,)] for (goal,) in order if reached[(goal,)]["goal_posterior"] is not None}

    def after(self, n: int) -> str:
        """Return what brings so many observations, and how many these are where a visit brings several."""
        words = visits(self.api, n)
        return f"{words} ({n} observations)" if self.api.shown_at_first > 1 and n >= self.first > 1 else words

    def about(self, n: int = 1, *, interval: bool = False) -> str:
        """Return the probability of re-identification: where it is an estimate with a word, and its interval.

        The interval has so many digits that its ends differ.
        """
        row = self.row("posterior", n)
        if row is None or row.low is None or row.high is None:
            return "" if row is None else probability(row.value)
        ends = [(probability(row.low, digits), probability(row.high, digits)) for digits in range(3, 7)]
        low, high = next((pair for pair in ends if pair[0] != pair[1]), ends[0])
        return f"about {probability(row.value)}{f' ({low} to {high})' if interval else ''}"

    def learnt(self, goal: str = "") -> str:
        """Return how probably a receiver guesses what it wants to learn first, or a named goal."""
        goals = self.goals
        name = goal or next(iter(goals), "")
        if name not in goals:
            return ""
        without, reached = (probability(goals[name][f"goal_{when}"] or 0) for when in ("prior", "posterior"))
        return f"{'' if goal else f'{goal_title(name)}: '}{reached} ({without} without)"

    @property
    def observer(self) -> str:
        """What the strongest observer knows of everybody, in words."""
        return f"everybody's {' and '.join(self.api.needs)}" if self.api.needs else "everybody"

    @property
    def alike(self) -> bool:
        """Whether the capacity of the API is known, and the same whoever the people are."""
        try:
            alone = self.api.limits()
        except QuiffError:  # a parameter is known with people only
            return False
        bounded = any(limit.quantity == "bayes_capacity" for limit in alone)
        return bounded and alone == self.api.fit(self.people).limits()

    def in_a_crowd(self, n: int) -> str:
        """Return between what the probability of re-identification lies in a larger crowd.

        These people are among it.

        With equally probable users, N V = sum_y max_x P(y|x) does not fall when people are added, and is at
        most the capacity of n observations. Empty if these people are no smaller crowd, or the API would be
        another in it.
        """
        row, capacity = self.row("leakage", n), self.capacity
        if row is None or self.people.weights is not None or self.people.n_users >= CROWD:
            return ""
        if not self.alike:
            return ""
        least = row.value if row.low is None else row.low
        times = 1 if self.api.redraws == "nothing" else n
        bounded = capacity is not None and times * log(capacity) < log(CROWD)
        most = capacity**times if capacity is not None and bounded else CROWD
        low, high = probability(least / CROWD), probability(most / CROWD)
        return low if low == high else f"{low} to {high}"


def verdict(answers: Sequence[Answer], mains: Sequence[Answer]) -> Iterator[str]:
    """Yield the answer in a few words: of the APIs that are studied, of the yardsticks, and of guessing."""
    for answer in mains:
        text = _verdict(answer, alone=len(mains) == 1)
        yield capitalised(text) if len(mains) == 1 else f"{capitalised(answer.name)}: {text}"
    yardsticks = [answer for answer in answers if answer not in mains and answer.about()]
    beside = [f"{capitalised(answer.name)}: {answer.about()}." for answer in yardsticks]
    guess = next((answer.value("prior") for answer in mains if answer.value("prior") is not None), None)
    beside += [] if guess is None else [f"Guessing: {probability(guess)}."]
    yield from (" ".join(beside),) if beside else ()


def _verdict(answer: Answer, *, alone: bool) -> str:
    """Say with which probability one visit, and the last of several, re-identifies a person."""
    first, most = answer.first, answer.most
    if answer.value("posterior") is None:
        knowing = "the observer already knows who the person is"
        if answer.learnt():
            return f"{knowing}, and by one observation ({answer.api.sees}) guesses {answer.learnt()}."
        if answer.capacity is None:
            return f"{knowing}; what is learnt of that person is not measured here."
        factor = said(answer.capacity)
        return f"{knowing}; one observation multiplies the probability of any guess by at most {factor}."
    number = f"{first} observations, each " if first > 1 else ""
    what = f"{visits(answer.api, first)} ({number}{answer.api.sees})"
    whom = f" on average, by an observer who knows {answer.observer}" if alone else ""
    over = f"; {answer.after(most)} do so with {answer.about(most)}" if most > first else ""
    return f"{what} re-identifies a person with probability {answer.about(first)}{whom}{over}."


def summary(answers: Sequence[Answer], mains: Sequence[Answer]) -> Table | None:
    """Return the numbers that matter most: a column for each API, or a line where they are many."""
    lines = {head: [text(answer) for answer in answers] for head, text in _lines(mains)}
    lines = {head: texts for head, texts in lines.items() if any(texts)}
    if not lines:
        return None
    data = mains[0].observer if len(mains) == 1 else "everybody's data"
    title = f"The most that an observer who knows {data} achieves"
    names = [answer.name for answer in answers]
    if len(answers) <= _FEW:
        return Table(title, ("probability", *names), tuple((head, *texts) for head, texts in lines.items()))
    return Table(title, ("API", *lines), tuple(zip(names, *lines.values(), strict=True)))


def _lines(mains: Sequence[Answer]) -> Iterator[tuple[str, Callable[[Answer], str]]]:
    """Yield what is said of each API: one observation, one visit, a month, the worst off, the receiver."""
    seen = {answer.api.sees for answer in mains}
    once = f"re-identified by one observation{f' ({seen.pop()})' if len(seen) == 1 else ''}"
    yield once, lambda answer: answer.about() + (_guessing(answer) if answer in mains else "")
    visit = next((answer for answer in mains if answer.first > 1), None)
    if visit is not None:
        yield f"by {visit.after(visit.first)}", lambda answer: answer.about(answer.first)
    longest = max(mains, key=lambda answer: answer.most)
    if longest.most > longest.first:
        month = "in a month (28 days), " if longest.most == in_a_month(longest.api) else ""
        alike = all(visits(answer.api, longest.most) == visits(longest.api, longest.most) for answer in mains)
        by = f"{month}by {longest.after(longest.most)}" if alike else "by all visits studied"
        yield by, lambda answer: answer.about(answer.most, interval=True)
    worst = max(mains, key=lambda answer: answer.riskiest)
    yield f"the person most at risk, {visits(worst.api, worst.riskiest)}", _worst
    shared = [
        goal for goal in mains[0].goals if goal != "secret" and all(goal in answer.goals for answer in mains)
    ]
    goal = shared[0] if shared else ""
    what = goal_title(goal) if goal else "what it wants to learn"
    yield (
        f"a receiver, such as an advertiser, guesses {what} by one observation",
        lambda answer: answer.learnt(goal),
    )


def _guessing(answer: Answer) -> str:
    prior = answer.value("prior")
    return "" if prior is None else f" (guessing: {probability(prior)})"


def _worst(answer: Answer) -> str:
    worst = answer.value("risk_max", answer.riskiest)
    return "" if worst is None else probability(worst)


def growth(answers: Sequence[Answer], mains: Sequence[Answer]) -> Figure | None:
    """Draw the probability of re-identification against visits, the yardstick above and guessing below."""
    drawn = [answer for answer in mains if answer.most > answer.first]
    if not drawn:
        return None
    first, last = drawn[0], max(answer.most - answer.first + 1 for answer in drawn)
    own = [point for answer in drawn for point in _points(answer)]
    levels = {answer.name: answer.value("posterior") for answer in answers if answer not in mains}
    guess = first.value("prior") or 0
    levels = dict(list(levels.items())[:1]) | {f"guessing: {probability(guess)}": guess}
    flat = [
        {"series": name, "visits": place, "probability": float(level)}
        for name, level in levels.items()
        if level is not None
        for place in (0, last)
    ]
    things = visits(first.api, first.most).partition(" ")[2]
    alike = all(visits(answer.api, first.most) == visits(first.api, first.most) for answer in drawn)
    brings = f", the first with {first.first} observations" if first.first > 1 else ""
    chart = curves(
        [*own, *flat],
        Axis(
            "visits", f"{things}{brings}" if alike else "visits, one unit of the API apart", "count", 0, last
        ),
        probabilities("probability", "probability of re-identification", own),
        list(dict.fromkeys(str(point["series"]) for point in (*own, *flat))),
        dots=[point for point in own if point["visits"]],
        size=(300, 220),
    )
    reached = ", ".join(
        f"{'' if len(drawn) == 1 else f'{answer.name} '}{answer.about(answer.most)}" for answer in drawn
    )
    by = visits(first.api, first.most) if alike else "the last visit"
    return Figure.of(f"Re-identification of a person by {by}: {reached}", chart)


def _points(answer: Answer) -> Iterator[dict[str, object]]:
    """Yield the probabilities of an API by visits, from guessing on."""
    yield {"series": answer.name, "visits": 0, "probability": float(answer.value("prior") or 0)}
    for n in range(answer.first, answer.most + 1):
        row = answer.row("posterior", n)
        if row is not None:
            place = {"visits": n - answer.first + 1, "probability": float(row.value)}
            ends = {"low": row.low, "high": row.high}
            interval = {name: float(end) for name, end in ends.items() if end is not None}
            yield {"series": answer.name, **place, **interval}


def by_visits(mains: Sequence[Answer]) -> Block:
    """Return the probability of re-identification by what was seen, here and in a larger crowd."""
    lines = [(answer, n) for answer in mains for n in range(1, answer.most + 1) if answer.about(n)]
    columns: dict[str, Any] = {
        "API": lambda line: line[0].name,
        "seen": lambda line: capitalised(line[0].after(line[1])),
        "re-identified": lambda line: line[0].about(line[1], interval=True),
        f"among {said(CROWD)} people": lambda line: line[0].in_a_crowd(line[1]) or None,
    }
    table = Table.of(
        "Re-identification here, and in a larger crowd that includes these people", lines, columns
    )
    lead = ("Every visit adds observations of people who do not change.",)
    return Block("By visits, and among a million people", lead, tables=(table,) if lines else (), folded=True)


def reading(mains: Sequence[Answer]) -> Iterator[str]:
    """Yield what the words of the page mean."""
    for answer in mains:
        works, n = mechanism(type(answer.api)), answer.first
        brings = (
            f" The first {answer.api.visit} shows {n} observations, each later one adds one." if n > 1 else ""
        )
        about = f"One observation is {answer.api.sees}; it is about {answer.api.unit}.{brings}"
        yield f"{answer.name}: {works}{' ' if works else ''}{about}"
    yield from _WORDS


def regulators_words(mains: Sequence[Answer]) -> Table:
    """Return singling out, linkability and inference, each with the measure that speaks to it."""
    singled = [(answer.name, _singled_out(answer)) for answer in mains]
    linked = [(answer.name, _linked(answer)) for answer in mains]
    inferred = [(answer.name, answer.learnt() or "not measured") for answer in mains]
    measures = {
        ("singling out", "probability of re-identification"): singled,
        ("linkability", "probability that one observation at each of two sites is linked, at most"): linked,
        ("inference", "probability that a receiver guesses right (What it is good for)"): inferred,
    }
    lines = tuple((*words, *line) for words, some in measures.items() for line in some)
    return Table(_REGULATOR, ("word", "measure", "API", "here"), lines)


def _singled_out(answer: Answer) -> str:
    if answer.api.observer_knows_who:
        return "not measured: the observer already knows who the person is"
    worst = f"; {_worst(answer)} for the person most at risk" if _worst(answer) else ""
    single = answer.about(answer.first)
    return f"{single} after {visits(answer.api, answer.first)}{worst}" if single else "not measured"


def _linked(answer: Answer) -> str:
    """Return how probably two sites are linked, at most.

    Who knows everybody's data links no worse than who sees one observation of each at the other site, so
    that re-identification bounds it, where no closer bound is known.
    """
    sites = answer.rows.where(stage="two sites")["posterior"]
    single = answer.value("posterior")
    if sites is not None and single is not None and sites <= single:
        return f"{probability(sites)}, if users' sets are independent draws"
    return f"{answer.about()}, as singling out" if single is not None else "not measured"


def may(answer: Answer) -> Iterator[str]:
    """Yield what may be concluded of an API."""
    if answer.about(answer.first):
        yield (
            f"On average over these {said(answer.people.n_users)} people, {visits(answer.api, answer.first)}"
            f" ({answer.name}) re-identifies with probability {answer.about(answer.first)} at most: by an"
            f" observer who knows {answer.observer}, and uses nothing else."
        )
    if answer.capacity is not None and answer.alike:
        yield (
            f"One observation ({answer.name}) multiplies the probability of any guess about any people by at "
            f"most {said(answer.capacity)}, on average over what is shown; more observations add to it."
        )


def may_not(answer: Answer) -> Iterator[str]:
    """Yield what may not be concluded of an API."""
    first, last = visits(answer.api, answer.first), visits(answer.api, answer.most)
    n, most = answer.riskiest, answer.most
    if _worst(answer):
        later = ""
        if most > n and answer.value("risk_max", most) is None:
            later = f"; after {last} it is not measured, and at least the average, {answer.about(most)}"
        yield (
            f"Not: that a person's risk is the average ({answer.name}). The most exposed person's is"
            f" {_worst(answer)} after {visits(answer.api, n)}{later}."
        )
    crowd = answer.in_a_crowd(answer.first)
    if crowd:
        later = f", by {last} {answer.in_a_crowd(most)}" if most > answer.first else ""
        yield (
            f"Not: that it is the same in another crowd ({answer.name}). Among {said(CROWD)} people, these"
            f" among them, it is {crowd} by {first}{later}."
        )
    if most > answer.first:
        yield f"Not: that it stays at {first} ({answer.name}). With time, observations add up."
    prior, alone = answer.value("prior"), answer.people.n_epochs == 1
    drawn = answer.api.redraws == "noise" and bool(answer.api.needs)
    if prior is not None and most > answer.first and alone and drawn:
        yield (
            f"Not: that interests stay the same ({answer.name}), as is assumed here; how stable they are is"
            f" not known. Who knew everybody's some weeks ago re-identifies by {last} with between"
            f" {probability(prior)} (a guess) and {answer.about(most)}; who knows those of every week,"
            " perhaps with more."
        )
