"""Bounds on what the observations of E epochs leak, from the parameters alone."""

from fractions import Fraction
from math import comb, inf, log

from quiff.theory.parameters import Real, check_sizes, check_whole, follow
from quiff.theory.topics import bayes_capacity, epsilon, max_case_capacity


def epochs_bound(
    n_topics: int, top_s: int, noise: Real, n_users: int, epochs: int, *, stable_sets: bool = True
) -> Real:
    """Upper bound on the leakage over E epochs: ``min(N, C(m,s), (r + m(1-r)/s)^E)``.

    Independent observations leak at most the product of their capacities; no leakage exceeds the number
    of users; and users whose set stays the same cannot be told apart if their sets are equal,
    which leaves at most C(m,s). Beyond the paper, whose appendix on the longitudinal model only
    composes the channels.

    Parameters
    ----------
    n_topics, top_s, noise, n_users, epochs
        m, s, r, N, E.
    stable_sets
        Whether each user keeps one set over all epochs; if not, C(m,s) is no limit.

    Examples
    --------
    >>> epochs_bound(n_topics=349, top_s=5, noise=Fraction(1, 20), n_users=250_000, epochs=2)
    Fraction(2752281, 625)
    >>> epochs_bound(n_topics=349, top_s=5, noise=0.05, n_users=250_000, epochs=3)
    250000.0
    """
    m, s = check_sizes(n_topics, top_s)
    N = check_whole("n_users", n_users, 1)
    E = check_whole("epochs", epochs, 1)
    capacity = bayes_capacity(m, s, noise)
    limit = Fraction(min(N, comb(m, s)) if stable_sets else N)
    if E * log(capacity) > log(limit.numerator) + 1:  # spares a power that may not fit
        return follow(limit, capacity)
    return follow(min(limit, capacity**E), capacity)


def epochs_epsilon_bound(n_topics: int, top_s: int, noise: Real, epochs: int) -> float:
    """Upper bound on epsilon over E epochs: ``E ln(1 + m(1-r)/(r s))``.

    For 0 < r < 1 met iff the sets of some two users differ in every epoch.

    >>> round(epochs_epsilon_bound(n_topics=349, top_s=5, noise=0.05, epochs=3), 3)
    21.572
    """
    return check_whole("epochs", epochs, 1) * epsilon(n_topics, top_s, noise)


def epochs_max_case_bound(n_topics: int, top_s: int, noise: Real, epochs: int) -> Real:
    """Upper bound on the max-case capacity over E epochs: ``(1 + m(1-r)/(r s))^E``.

    For 0 < r < 1 met iff the sets of some two users differ in every epoch.
    A float too large to hold is infinite.

    >>> epochs_max_case_bound(n_topics=349, top_s=5, noise=Fraction(1, 20), epochs=2)
    Fraction(44036496, 25)
    """
    E = check_whole("epochs", epochs, 1)
    factor = max_case_capacity(n_topics, top_s, noise)
    try:
        return factor**E
    except OverflowError:
        return inf
