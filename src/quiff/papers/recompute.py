"""What the column `formula` can name: the closed forms of `theory`, and a few lines of arithmetic."""

from collections import Counter
from collections.abc import Callable
from datetime import date
from fractions import Fraction
from functools import partial
from math import comb
from typing import Any

from quiff import theory
from quiff.core.channel import Channel
from quiff.core.compose import internal_choice
from quiff.core.gain import membership_gain
from quiff.core.numbers import Number
from quiff.core.prior import Prior
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability
from quiff.papers.items import PRINTED, Reading, Value
from quiff.papers.lists import Lists
from quiff.papers.verdict import compare, derive

TOP_S, NOISE = 5, Fraction(1, 20)
TOPICS = ("Music", "News", "Sports", "Travel", "Ads")
# The figure's three users; only Bob is named in the paper.
SETS = {
    "Alice": frozenset({"Music", "News"}),
    "Bob": frozenset({"Sports", "Travel"}),
    "Carol": frozenset({"Music", "News"}),
}
DISTINCT = tuple(dict.fromkeys(SETS.values()))


def report_channel(
    sets: tuple[frozenset[str], ...] = DISTINCT, topics: tuple[str, ...] = TOPICS, noise: Fraction = NOISE
) -> Channel:
    """Return the channel from top-s sets to observed topics: bounded noise, or any topic with `noise`.

    >>> report_channel()[DISTINCT[0], "Ads"]
    Fraction(1, 100)
    """
    bounded = Channel.membership({x: x for x in sets}, topics, Fraction(1, len(sets[0])), 0)
    random = Channel.constant([Fraction(1, len(topics))] * len(topics), sets, topics)
    return internal_choice(bounded, random, noise)


def iba_gains(
    prior: Prior,
    sets: tuple[frozenset[str], ...] = DISTINCT,
    topics: tuple[str, ...] = TOPICS,
    noise: Fraction = NOISE,
) -> tuple[Number, Number]:
    """Return the prior and the posterior IBA vulnerability by their definitions.

    >>> iba_gains(Prior.uniform(DISTINCT))
    (Fraction(1, 2), Fraction(39, 40))
    """
    naming = membership_gain({x: x for x in sets}, topics)
    report = report_channel(sets, topics, noise)
    return vulnerability(prior, naming), posterior_vulnerability(prior, report, naming)


def _example_gains(*users: int) -> tuple[Number, Number]:
    return iba_gains(Prior.from_counts(dict(zip(DISTINCT, users, strict=True))))


def days() -> int:
    """Return the days of the AOL data, 2006/03/01 to 2006/05/31, inclusive."""
    return (date(2006, 5, 31) - date(2006, 3, 1)).days + 1


def _capacity_growth(m: int, before: int) -> Value:
    return theory.bayes_capacity(m, TOP_S, NOISE) / theory.bayes_capacity(before, TOP_S, NOISE) - 1


def _s_needed(m: int, before: int) -> int:
    return theory.strict_top_s(m, NOISE, "capacity", theory.bayes_capacity(before, TOP_S, NOISE))


ARITHMETIC: dict[str, Callable[..., Value]] = {
    "value": lambda x: x,
    "size": lambda m: m,
    "complement": lambda x: 1 - x,
    "inverse": lambda x: 1 / Fraction(x),
    "ratio": lambda a, b: a / Fraction(b),
    "plus": lambda *terms: sum(terms),
    "minus": lambda first, *others: first - sum(others),
    "binomial": comb,
    "binomial_share": lambda m, s, N: Fraction(comb(m, s), N),
    "days": days,
    "per_hour": lambda visits: Fraction(visits, 24 * days()),
    "capacity_growth": _capacity_growth,
    "epsilon_growth": lambda m, n: theory.epsilon(m, TOP_S, NOISE) / theory.epsilon(n, TOP_S, NOISE) - 1,
    "s_needed": _s_needed,
    "example_k": lambda: min(Counter(SETS.values()).values()),
    "example_b": lambda: len(DISTINCT[0]),
    "example_sets": lambda: len(DISTINCT),
    "example_occurring": lambda: len(frozenset[str]().union(*DISTINCT)),
    "example_iba_prior": lambda *users: _example_gains(*users)[0],
    "example_iba_posterior": lambda *users: _example_gains(*users)[1],
}


def recompute(printed: str, formula: str, lists: Lists) -> Reading:
    """Compute a formula and compare it with what is printed.

    An argument is a number, a list of `lists` by name, or the figure printed for another item, `@id`; a
    decimal one of these stands for all that rounds to it. A formula that begins with a tilde is rounded.

    >>> recompute("66.36", "bayes_capacity v1 5 0.05", Lists()).agrees
    True
    >>> recompute("3.18", "ratio @utility-bayes-citizen-lab-topics-api 0.032", Lists()).agrees
    True
    """
    name, *words = formula.removeprefix("~").split()
    # Looked up when it is used, so that a check always runs the formula as it is.
    function = getattr(lists, name, None) or ARITHMETIC.get(name) or getattr(theory, name)
    texts = [PRINTED[word[1:]] if word.startswith("@") else word for word in words]
    spans = [place for place, word in enumerate(words) if word.startswith("@") and "." in texts[place]]
    if spans:
        compute = partial(_with, function, [lists.number(text) for text in texts], spans)
        return derive(printed, compute, [texts[place] for place in spans])
    return compare(printed, function(*map(lists.number, texts)), rounded=formula.startswith("~"))


def _with(function: Callable[..., Value], fixed: list[Any], places: list[int], *numbers: Value) -> Value:
    """Call a function with some of its arguments replaced."""
    arguments = list(fixed)
    for place, number in zip(places, numbers, strict=True):
        arguments[place] = number
    return function(*arguments)
