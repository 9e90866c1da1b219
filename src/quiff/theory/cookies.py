"""What third-party cookies leak about who a user is."""

from fractions import Fraction

from quiff.theory.parameters import check_whole, prior_vulnerability


def possible_histories(contexts: int) -> int:
    """Browsing histories that cookies can link: ``sum over h=2..c of C(c,h) = 2^c - c - 1``.

    Source: paper, Sec. 4.1.1. A history is a set of at least two of the c contexts with cookies. A
    single context leaves nothing to link, so that c is at least 2.

    >>> possible_histories(5)
    26
    """
    c = check_whole("contexts", contexts, 2)
    return (1 << c) - c - 1  # 2^c - c - 1


def cookies_leakage(n_users: int, contexts: int) -> Fraction:
    """Leakage of third-party cookies: ``min(N, 2^c - c - 1)``.

    Source: paper, Sec. 4.1.1, leakage caused by third-party cookies. Assumes that as many
    different histories occur as can: all N users differ, if there are enough histories.
    The worked example prints 26 for N=3 and c=5, without the cap at N.

    >>> cookies_leakage(n_users=3, contexts=5)
    Fraction(3, 1)
    >>> cookies_leakage(n_users=100, contexts=5)
    Fraction(26, 1)
    """
    N = check_whole("n_users", n_users, 1)
    c = check_whole("contexts", contexts, 2)
    if c > N.bit_length() + 2:  # then 2^c - c - 1 >= 2^(c-1) > N: do not build a huge integer
        return Fraction(N)
    return Fraction(min(N, possible_histories(c)))


def cookies_posterior(n_users: int, contexts: int) -> Fraction:
    """Probability to guess a user from a cookie: ``min(N, 2^c - c - 1)/N``.

    Source: paper, Sec. 4.1.1, posterior vulnerability of third-party cookies; assumptions as for
    :func:`cookies_leakage`. Printed as 26/3 for N=3 and c=5, without the cap.

    >>> cookies_posterior(n_users=3, contexts=5)
    Fraction(1, 1)
    """
    return cookies_leakage(n_users, contexts) * prior_vulnerability(n_users)
