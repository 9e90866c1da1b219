"""What the numbers of a measurement say, in plain sentences."""

from math import isinf
from typing import TYPE_CHECKING

from quiff.core.numbers import Number
from quiff.populations.filling import Filled
from quiff.results.numbers import rounded, shown, whole

if TYPE_CHECKING:
    from quiff.results.measurement.measurement import Measurement

_LONG = 10**15  # from here on nobody reads all digits


def readings(found: "Measurement") -> dict[str, str]:
    """Return what the numbers say about privacy, sets, capacity, utility and the worst case."""
    return {
        "privacy": _privacy(found),
        "sets": _sets(found),
        **({} if found.filled is None else {"filling": _filling(found, found.filled)}),
        "capacity": _capacity(found),
        "utility": _utility(found),
        "worst_case": _worst_case(found),
        **({"published": _published(found)} if found.aligned_utility else {}),
    }


def said(value: Number) -> str:
    """Return a number to be read in a sentence: three digits, or whole with spaces between thousands.

    Examples
    --------
    >>> said(66.36), said(249997), said(0.00212963), said(1327.2), said(float("inf"))
    ('66.4', '249 997', '0.00213', '1 327', 'inf')
    """
    if value >= _LONG:
        return shown(value)
    if value >= 1000 or value == int(value):
        return f"{whole(value):,}".replace(",", " ")
    return rounded(value, 3)


def _percent(share: Number) -> str:
    return f"{rounded(100 * share, 4)} %"


def _privacy(found: "Measurement") -> str:
    report, cookies = found.stage("topics_api").leakage, found.stage("cookies").leakage
    supposed = "" if found.histories else ", if cookies tell all users apart"
    return (
        f"A report of the Topics API lets an adversary name a user {said(report)} times as often as a guess, "
        f"against {said(cookies)} times by a third-party cookie{supposed}."
    )


def _sets(found: "Measurement") -> str:
    by_set = found.stage("generalization").posterior
    alone = f"{_percent(found.unique_users)} of the {said(found.users)} users have a set that nobody else has"
    if found.users == 1:
        alone = "There is one user only, whose set nobody else has"
    return f"{alone}; the whole set would name a user with probability {said(by_set)}."


def _filling(found: "Measurement", filled: Filled) -> str:
    """Say how much was filled in, and what the figures are without it."""
    text = filled.sentence()
    if not filled.filled_sets:
        return text
    if filled.unique_share is not None:
        text += (
            f" On visited topics alone {_percent(filled.unique_share)} of the users have a unique topic set, "
            f"instead of {_percent(found.unique_users)}."
        )
    genuine = found.genuine
    if genuine is None:
        some = filled.genuine_users  # who count for nothing: a note says so
        return text if some else f"{text} No user has a set of visited topics only."
    alone, report = genuine.stage("topics_api").leakage, found.stage("topics_api").leakage
    return (
        f"{text} Among the {said(genuine.users)} users without filled topics, "
        f"{_percent(genuine.unique_users)} have a unique topic set, and a report leaks {said(alone)} times; "
        f"with filling, among all, {said(report)} times."
    )


def _capacity(found: "Measurement") -> str:
    report, m, m1 = found.stage("topics_api"), found.setting.n_topics, found.occurring_topics
    if report.reaches:
        return (
            f"The report leaks all that one report can, with {said(m)} topic{'s' if m > 1 else ''}, sets of "
            f"{found.setting.top_s} and noise {said(found.setting.noise)}."
        )
    few, uneven = f"only {said(m1)} of the {said(m)} topics occur", "users are not equally likely"
    why = [few] * (m1 < m) + [uneven] * (not report.reaches_occurring)
    return f"One report could leak {said(report.capacity)} times, but {' and '.join(why)}."


def _utility(found: "Measurement") -> str:
    topic, whole = found.use("topics_api", "iba"), found.use("topics_api", "bayes")
    return (
        f"By a report an advertiser names a topic of the user's set with probability {said(topic.posterior)} "
        f"({said(topic.prior)} without), and the whole set with probability {said(whole.posterior)} "
        f"({said(whole.prior)} without)."
    )


def _worst_case(found: "Measurement") -> str:
    own = found.limits[-1]
    if isinf(own.epsilon):
        return "In the worst case one report rules a user out for certain."
    if own.max_case_capacity == 1:
        return "No report makes any suspicion stronger, not even in the worst case."
    return (
        f"In the worst case one report makes a suspicion {said(own.max_case_capacity)} times as strong "
        f"(epsilon {said(own.epsilon)})."
    )


def _published(found: "Measurement") -> str:
    right = next(
        row
        for row in found.aligned_utility
        if (row.stage, row.gain, row.weighting) == ("bounded_noise", "bayes", "population")
    )
    wrong = found.use("bounded_noise", "bayes")
    return (
        "Utility is shown with the misaligned prior of the published notebooks: by it, one genuine topic "
        f"names the whole set with chance {said(wrong.posterior)}; rightly it is {said(right.posterior)}."
    )
