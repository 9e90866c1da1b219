"""What may be concluded from a report and what not, and its numbers in a regulator's words."""

from collections.abc import Iterator, Sequence

from quiff.apis.described import mechanism
from quiff.populations.population import Population
from quiff.report.first_screen import CROWD, Answer, about, chief, in_a_crowd, known, same
from quiff.results.numbers import probability, said
from quiff.results.table import Table
from quiff.studies.words import goal_title, visits

_WORDS = (
    "In the words of the Article 29 Working Party (Opinion 05/2014 on Anonymisation Techniques, WP216, "
    "10 April 2014)"
)


def reading(mains: Sequence[Answer]) -> tuple[str, ...]:
    """Return what the words of the page mean."""
    return (
        *(
            f"{one.name}: {_works(one)}One observation is {one.api.sees}; it is about {one.api.unit}."
            + (
                f" The first {one.api.visit} shows {one.first} observations, each later one adds one."
                if one.first > 1
                else ""
            )
            for one in mains
        ),
        "Re-identification: the best guess at who the person is, among all that were measured, is right.",
        "The observer is the strongest one: who knows the API and everybody's data that it works on.",
        "A factor, or leakage, multiplies a probability; at most, or capacity: the largest factor, whoever "
        "the people are and whatever is known of them before (any prior). No limit: there is no such bound.",
        "A receiver is whoever gets the observation, such as an advertiser.",
        "About so much: an estimate from random draws; its interval of 95 % stands in parentheses.",
        "1 in 200 is a probability of 0.5 %. Probabilities from 1 % on are given in percent.",
    )


def _works(one: Answer) -> str:
    """Return how an API works, as its own description says it."""
    words = mechanism(type(one.api))
    return f"{words} " if words else ""


def regulators_words(mains: Sequence[Answer]) -> Table:
    """Return singling out, linkability and inference, each with the measure that speaks to it."""
    lines = [(word, one.name, measure, here) for one in mains for word, measure, here in _words(one)]
    order = [word for word, *_ in lines]
    lines.sort(key=lambda line: order.index(line[0]))
    table = Table(_WORDS, ("word", "API", "measure", "here"), tuple(lines))
    if len(mains) > 1:
        return table
    kept = tuple((word, measure, here) for word, _, measure, here in lines)
    return Table(table.title, ("word", "measure", "here"), kept)


def _words(one: Answer) -> Iterator[tuple[str, str, str]]:
    first, most, n = one.first, one.most, one.riskiest
    single, worst = one.value("posterior", first), one.value("risk_max", n)
    here = (
        "not measured: the observer already knows who the person is"
        if one.api.observer_knows_who
        else "not measured"
    )
    if single is not None:
        here = f"{probability(single)} after {visits(one.api, first)}"
    if worst is not None:
        here += f"; {probability(worst)} for the person most at risk"
    yield "singling out", "probability of re-identification", here
    measure, here = "probability that one person's records at two sites are linked", one.linked
    if not here and one.api.redraws == "nothing" and single is not None:
        here = f"at least {probability(single)}, as singling out: every observation of a person is the same"
    elif not here and most > first:
        measure = "re-identification by several observations; two sites are not measured"
        here = f"{about(one, most)} after {visits(one.api, most)}"
    yield "linkability", measure, here or "not measured"
    found, here = one.goal(), "not measured"
    if found is not None:
        goal, before, after = found
        here = f"{goal_title(goal)}: {probability(after)}, without an observation {probability(before)}"
    yield "inference", "probability that a receiver guesses right (What it is good for)", here


def may(people: Population, mains: Sequence[Answer]) -> tuple[str, ...]:
    """Return what may be concluded of the API that reveals most."""
    return tuple(_may(people, chief(mains)))


def _may(people: Population, one: Answer) -> Iterator[str]:
    single = one.value("posterior", one.first)
    if single is not None:
        yield (
            f"On average over these {said(people.n_users)} people, {visits(one.api, one.first)} "
            f"({one.name}) re-identifies with probability {probability(single)} at most: by an observer who "
            f"knows {known(one.api)}, and uses nothing else."
        )
    if one.capacity is not None and same(people, one.api):
        yield (
            f"One observation ({one.name}) multiplies the probability of any guess about any people by at "
            f"most {said(one.capacity)}, on average over what is shown; more observations add to it."
        )
    yield "Who knows less than this observer succeeds less often. An attack that fails proves little."


def may_not(people: Population, mains: Sequence[Answer], *, synthetic: bool) -> tuple[str, ...]:
    """Return what may not be concluded."""
    return tuple(_may_not(people, chief(mains), synthetic))


def _may_not(people: Population, one: Answer, synthetic: bool) -> Iterator[str]:
    if synthetic:
        yield "Not: anything about real people. These are synthetic."
    yield (
        "Not: that nobody can be identified, however small a number is. Logins, fingerprinting and purchases "
        "are not measured."
    )
    worst, n = one.value("risk_max", one.riskiest), one.first
    if worst is not None:
        yield (
            f"Not: that a person's risk is the average. The most exposed person's is {probability(worst)} "
            f"after {visits(one.api, one.riskiest)}."
        )
    if in_a_crowd(people, one, n):
        later = one.most > n
        over = f", by {visits(one.api, one.most)} {in_a_crowd(people, one, one.most)}" if later else ""
        yield (
            f"Not: that it is the same in another crowd. Among {said(CROWD)} people, these among them, it is "
            f"{in_a_crowd(people, one, n)} by {visits(one.api, n)}{over}."
        )
    if one.most > one.first:
        yield f"Not: that it stays at {visits(one.api, one.first)}. With time, observations add up."
