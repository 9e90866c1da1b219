"""What an adversary knows before any report."""

from fractions import Fraction

from quiff.theory.parameters import check_whole

__all__ = ["prior_vulnerability"]


def prior_vulnerability(n_users: int) -> Fraction:
    """Chance to guess a user before any report: ``1/N``.

    Source: paper, Sec. 4.1, prior privacy vulnerability. Assumes a uniform prior.

    Raises
    ------
    ParameterError
        If ``n_users < 1``.

    Examples
    --------
    >>> prior_vulnerability(3)
    Fraction(1, 3)
    """
    return Fraction(1, check_whole("n_users", n_users, 1))
