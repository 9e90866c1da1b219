"""Every closed form at given parameters: the question behind ``quiff theory``."""

from fractions import Fraction
from math import comb

from quiff.errors import ParameterError
from quiff.results.closed_forms import FEW_USERS, ClosedForms, Scenario
from quiff.studies.forms_of_privacy import COOKIES, STAGES, WORST_CASE
from quiff.studies.forms_of_use import BOUNDS, UTILITY
from quiff.theory.parameters import HALF, Real, check_probability, check_whole, follow
from quiff.theory.topics import least_users

_SECTIONS = (
    ("Who is it? Third-party cookies", COOKIES),
    ("Who is it? The Topics API, stage by stage", STAGES),
    ("The worst case of one report", WORST_CASE),
    ("Many epochs, and adversaries with side information", BOUNDS),
    ("What does an advertiser learn?", UTILITY),
)
_MOST_COUNTED = 1_000_000  # so far the sums are known to be accurate
_MOST_TOPICS = 100_000  # the limits keep the numbers of sets and powers within reason
_MOST_USERS = 10**15
_MOST_EPOCHS = 10_000


def closed_forms(
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
    """Evaluate every closed form for cookies and the Topics API.

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
        The chance P with which an adversary succeeds before a report, at whatever goal.
    prior_gain
        The chance with which an advertiser names a topic of the set before a report; by default the
        least possible, s/m'.
    share
        The chance with which each user has the topic that is counted.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.

    Examples
    --------
    >>> forms = closed_forms()
    >>> round(forms["bayes_capacity"].value, 2), round(forms["epsilon"].value, 3)
    (66.36, 7.191)
    >>> closed_forms(5, 2, Fraction(1, 20), occurring=4, n_users=3)["topics_posterior"].value
    Fraction(13, 20)
    """
    m = check_whole("n_topics", n_topics, 1, _MOST_TOPICS)
    s = check_whole("top_s", top_s, 1, m)
    N = check_whole("n_users", n_users, 1, _MOST_USERS)
    m1 = _occurring(occurring, m, s, N)
    scenario = Scenario(
        n_topics=m,
        top_s=s,
        noise=check_probability("noise", noise),
        occurring=m1,
        distinct_sets=_distinct_sets(distinct_sets, m1, s, N),
        n_users=N,
        epochs=check_whole("epochs", epochs, 1, _MOST_EPOCHS),
        contexts=check_whole("contexts", contexts, 2),
        prior_success=check_probability("prior_success", prior_success),
        prior_gain=_prior_gain(prior_gain, m1, s),
        share=check_probability("share", share),
    )
    sections = tuple((title, tuple(form.at(scenario) for form in forms)) for title, forms in _SECTIONS)
    counted = sorted({*FEW_USERS, N} if N <= _MOST_COUNTED else FEW_USERS)
    return ClosedForms(scenario, sections, tuple(counted))


def _occurring(occurring: int | None, m: int, s: int, N: int) -> int:
    most = min(m, N * s)
    return most if occurring is None else check_whole("occurring", occurring, s, most)


def _distinct_sets(distinct_sets: int | None, m1: int, s: int, N: int) -> int:
    """Return how many sets differ: enough to hold all m' topics, and no more than there are."""
    most = min(N, comb(m1, s))
    return (
        most
        if distinct_sets is None
        else check_whole("distinct_sets", distinct_sets, least_users(s, m1), most)
    )


def _prior_gain(prior_gain: Real | None, m1: int, s: int) -> Real:
    least = Fraction(s, m1)
    if prior_gain is None:
        return least
    gain = check_probability("prior_gain", prior_gain)
    if gain < follow(least, gain):
        raise ParameterError(
            f"prior_gain must be a number between {s}/{m1} (one of {m1} topics in sets of {s}) and 1,"
            f" not {prior_gain!r}"
        )
    return gain
