"""Every closed form for cookies and the Topics API at given parameters, with its words from ``forms.csv``."""

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache, partial
from inspect import signature
from math import comb, inf
from pathlib import Path
from typing import Any

from quiff import theory
from quiff.errors import ParameterError, counted
from quiff.theory.curves import Curves, counting_points, noise_curves
from quiff.theory.parameters import HALF, MOST_OBSERVATIONS, Real, check_probability, check_whole, follow
from quiff.theory.topics import least_users

_MOST_COUNTED = 1_000_000  # so far the sums are known to be accurate
_MOST_TOPICS = 100_000  # the limits keep the numbers of sets and powers within reason
_MOST_USERS = 10**15
_FEW_USERS = (2, 3, 4, 5, 10, 30)  # in the paper's examples, and at the end of its figure
_DRAWN = 30


@dataclass(frozen=True)
class Form:
    """A closed form in words: its section, its name, unit, formula, meaning, source and assumptions."""

    section: str
    quantity: str
    unit: str
    formula: str
    meaning: str
    source: str
    assumes: str

    @property
    def name(self) -> str:
        """The quantity in words."""
        return self.quantity.replace("_", " ")

    def about(self) -> dict[str, str]:
        """Return everything but section and name, for machines.

        >>> FORMS["bayes_capacity"].about()["formula"]
        'r + m(1-r)/s'
        """
        return {entry.name: getattr(self, entry.name) for entry in fields(self)[2:]}


with Path(__file__).with_name("forms.csv").open(encoding="utf-8", newline="") as _file:
    FORMS = {row["quantity"]: Form(**row) for row in csv.DictReader(_file)}
"""The closed forms by the names of their quantities, in the order in which they are shown."""


def _possible_histories(contexts: int) -> Real:
    """Return the number whole while it is short, then as a float."""
    if contexts <= 50:
        return theory.possible_histories(contexts)
    return 2.0**contexts if contexts < 1024 else inf  # c + 1 is lost in rounding


# Quantities that are not just the function of their name.
_OTHERS: Mapping[str, Callable[..., Real]] = {
    "possible_histories": _possible_histories,
    "leakage": theory.topics_leakage,
    "epochs_bound_changing_sets": partial(theory.epochs_bound, stable_sets=False),
    "prior_iba_gain": lambda prior_gain: theory.prior_iba_gain([prior_gain]),
}


PARAMETERS = {
    "n_topics": "topics of the taxonomy (m)",
    "top_s": "topics in a user's set (s)",
    "noise": "probability of a random topic (r)",
    "occurring": "topics that occur in some set (m')",
    "distinct_sets": "different sets that occur",
    "n_users": "users (N)",
    "epochs": "epochs (E)",
    "contexts": "contexts with cookies (c)",
    "prior_success": "adversary's success before an observation (P)",
    "prior_gain": "advertiser's success before an observation",
    "share": "share of users who have a topic (a)",
}


@dataclass(frozen=True)
class ClosedForms:
    """Closed forms at some parameters: what an API may know beyond the limits of one observation."""

    about: str  # the setting in words
    # The parameters by name, and each in words.
    parameters: Mapping[str, Any]
    titles: Mapping[str, str]
    values: Mapping[str, Real | bool]  # the numbers by quantity; the words are those of `FORMS`
    # The probabilities to count right the users who have a topic, by how many users there are.
    counting: Callable[[], tuple[dict[str, float], ...]]
    # What the figures show: capacity and epsilon against a parameter, and counting.
    limits: Callable[[], Curves]
    counted: Callable[[], tuple[dict[str, float], ...]]


def topics_forms(
    n_topics: int = 349,
    top_s: int = 5,
    noise: Real = 0.05,
    *,
    occurring: int | None = None,
    distinct_sets: int | None = None,
    n_users: int = 1_000_000,
    epochs: int = 3,
    contexts: int = 100,
    prior_success: Real = 0.01,
    prior_gain: Real | None = None,
    share: Real = HALF,
) -> ClosedForms:
    """Evaluate every closed form for cookies and the Topics API, at parameters within their ranges.

    Parameters
    ----------
    n_topics, top_s, noise
        The taxonomy's size m, the size s of a user's set, the probability r of a random topic.
    occurring
        Topics m' in the union of the users' sets; by default as many as N users can have.
    distinct_sets
        Different sets among the users; by default as many as there can be.
    n_users, epochs, contexts
        N users, E epochs, c contexts with third-party cookies.
    prior_success
        The probability P with which an adversary succeeds before an observation, at whatever goal.
    prior_gain
        The probability with which an advertiser names a topic of the set before an observation; by
        default the least possible, s/m'.
    share
        The probability with which each user has the topic that is counted.

    Examples
    --------
    >>> round(topics_forms(n_topics=469).values["bayes_capacity"], 2)
    89.16
    >>> topics_forms(5, 2, Fraction(1, 20), occurring=4, n_users=3).values["topics_posterior"]
    Fraction(13, 20)
    """
    m = check_whole("n_topics", n_topics, 1, _MOST_TOPICS)
    s, N = check_whole("top_s", top_s, 1, m), check_whole("n_users", n_users, 1, _MOST_USERS)
    most = min(m, N * s)
    m1 = most if occurring is None else check_whole("occurring", occurring, s, most)
    sets = min(N, comb(m1, s))
    if distinct_sets is not None:  # enough to hold all m' topics
        sets = check_whole("distinct_sets", distinct_sets, least_users(s, m1), sets)
    r, a = check_probability("noise", noise), check_probability("share", share)
    parameters = {
        "n_topics": m,
        "top_s": s,
        "noise": r,
        "occurring": m1,
        "distinct_sets": sets,
        "n_users": N,
        "epochs": check_whole("epochs", epochs, 1, MOST_OBSERVATIONS),
        "contexts": check_whole("contexts", contexts, 2),
        "prior_success": check_probability("prior_success", prior_success),
        "prior_gain": _checked_gain(prior_gain, m1, s),
        "share": a,
    }
    users = sorted({*_FEW_USERS, N} if N <= _MOST_COUNTED else _FEW_USERS)
    return ClosedForms(
        f"{counted(m, 'topic')}, sets of {s}, noise {float(r):g}",
        parameters,
        PARAMETERS,
        {name: _value(name, parameters) for name in FORMS},
        cache(lambda: counting_points(m, s, r, a, users)),
        lambda: noise_curves(m, s, r),
        lambda: counting_points(m, s, r, a, range(1, _DRAWN + 1)),
    )


def _value(quantity: str, parameters: Mapping[str, Any]) -> Real:
    function = _OTHERS.get(quantity) or getattr(theory, quantity)
    names = signature(function).parameters
    value: Real = function(**{name: parameters[name] for name in names if name in parameters})
    return value


def _checked_gain(prior_gain: Real | None, m1: int, s: int) -> Real:
    least = Fraction(s, m1)
    if prior_gain is None:
        return least
    gain = check_probability("prior_gain", prior_gain)
    if gain < follow(least, gain):
        raise ParameterError(
            what="prior_gain",
            value=prior_gain,
            allowed=f"a number between {s}/{m1} (one of {m1} topics in sets of {s}) and 1",
        )
    return gain
