"""A bound that holds whatever else the adversary knows."""

from quiff.theory.parameters import Real, at_most_one, check_probability
from quiff.theory.pipeline import bayes_capacity

__all__ = ["side_information_bound"]


def side_information_bound(n_topics: int, top_s: int, noise: Real, prior_success: Real) -> Real:
    """Upper bound on an adversary's success after one report: ``min(1, P (r + m(1-r)/s))``.

    P is the chance to succeed before, at any guessing task about anything that is correlated with
    the user in any way: the Bayes capacity bounds the leakage over all priors, gains between 0 and
    1, and unknown correlations. Source: paper, Sec. 2, capacity under arbitrary correlations
    (Dalenius), with the capacity of Sec. 4.1.2.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.

    Examples
    --------
    >>> from fractions import Fraction
    >>> side_information_bound(n_topics=349, top_s=5, noise=Fraction(1, 20), prior_success=Fraction(1, 100))
    Fraction(1659, 2500)
    >>> side_information_bound(n_topics=349, top_s=5, noise=0.05, prior_success=0.1)
    1.0
    """
    bound = check_probability("prior_success", prior_success) * bayes_capacity(n_topics, top_s, noise)
    return at_most_one(bound)
