"""How often an advertiser names a topic of the user's set: the IBA gain.

Write f_t for the share of sets (by the prior) that contain t, f_tw for those that contain t and w,
p and q for the probability that a topic inside or outside the set is shown, and d = p - q. After one
observation the best guess earns ``V = sum over t of max over w of (q f_w + d f_tw)``, and before it
``V(prior) = max f``. Every bound below follows from this.
"""

from collections.abc import Iterable
from fractions import Fraction

from quiff.errors import ParameterError
from quiff.theory.parameters import Real, check_probability, check_sizes, check_whole, follow


def inside_probability(n_topics: int, top_s: int, noise: Real) -> Real:
    """Probability p that a given topic of the user's set is shown: ``(1-r)/s + r/m``.

    Source: paper, Sec. 4.2.1, counting experiment.

    >>> inside_probability(n_topics=5, top_s=2, noise=Fraction(1, 20))
    Fraction(97, 200)
    """
    _, s = check_sizes(n_topics, top_s)
    r = check_probability("noise", noise)
    return (1 - r) / s + outside_probability(n_topics, noise)  # (1-r)/s + r/m


def outside_probability(n_topics: int, noise: Real) -> Real:
    """Probability q that a given topic outside the user's set is shown: ``r/m``.

    Source: paper, Sec. 4.2.1, counting experiment.

    >>> outside_probability(n_topics=349, noise=Fraction(1, 20))
    Fraction(1, 6980)
    """
    return check_probability("noise", noise) / check_whole("n_topics", n_topics, 1)  # r/m


def genuine_probability(n_topics: int, top_s: int, noise: Real) -> Real:
    """Probability that the observed topic is in the user's set: ``(1-r) + r s/m``.

    Naming the observed topic earns this under every prior, so it is a lower bound on the posterior
    IBA gain, sharper than the theorem's (paper, Thm. on the posterior IBA gain). It is met iff
    nothing beats naming the observed topic: ``p f_t >= q f_w + d f_tw`` for all topics t, w; never
    when r > 0 and a topic of the taxonomy is in no set. It equals the gain, and the theorem's
    upper bound, when the prior is uniform over all s-subsets. At large r the prior gain, which is
    also a lower bound, may exceed it.

    The paper's .958 for the 31 topics of Citizen Lab's list:

    >>> round(genuine_probability(n_topics=31, top_s=5, noise=0.05), 5)
    0.95806
    """
    m, s = check_sizes(n_topics, top_s)
    r = check_probability("noise", noise)
    return (1 - r) + r * Fraction(s, m)  # (1-r) + r s/m


def prior_iba_gain(shares: Iterable[Real]) -> Real:
    """Gain before any observation: the share of the most popular topic, ``max over t of f_t``.

    Source: paper, Thm. on the prior IBA gain.

    Parameters
    ----------
    shares
        For each topic, the probability of the sets that contain it.

    Examples
    --------
    Sets {Music, News} with probability 2/3 and {Sports, Travel} with 1/3, and Ads in none:

    >>> prior_iba_gain([Fraction(2, 3), Fraction(2, 3), Fraction(1, 3), Fraction(1, 3), 0])
    Fraction(2, 3)
    """
    checked = [check_probability("a topic's share", share) for share in shares]
    if not checked:
        raise ParameterError("shares must hold at least one topic's share, not none")
    return follow(max(checked), *checked)


def prior_iba_gain_all_sets(n_topics: int, top_s: int) -> Fraction:
    """Gain before any observation when all s-subsets of the taxonomy are equally likely: ``s/m``.

    Source: paper, Thm. on the prior IBA gain, for this prior. No prior has a smaller gain, since
    the shares sum to s.

    >>> prior_iba_gain_all_sets(n_topics=349, top_s=5)
    Fraction(5, 349)
    """
    m, s = check_sizes(n_topics, top_s)
    return Fraction(s, m)


def bounded_noise_iba_gain() -> Fraction:
    """Gain when what is observed is always a topic of the set: ``1``, under every prior.

    Source: paper, Thm. on the posterior IBA gain for bounded noise.

    >>> bounded_noise_iba_gain()
    Fraction(1, 1)
    """
    return Fraction(1)


def iba_lower(noise: Real) -> Real:
    """Lower bound of the theorem on the gain after one observation: ``1 - r``.

    Source: paper, Thm. on the posterior IBA gain. Holds for every r; the r < 1/2 of the
    proof is sufficient, not necessary. Met only at r = 0, where the gain is 1: for r > 0
    :func:`genuine_probability` is larger.

    >>> iba_lower(Fraction(1, 20))
    Fraction(19, 20)
    """
    return 1 - check_probability("noise", noise)


def iba_upper(noise: Real, prior_gain: Real) -> Real:
    """Upper bound of the theorem on the gain after one observation: ``(1-r) + r V(prior)``.

    Source: paper, Thm. on the posterior IBA gain. Met at r = 0 and r = 1, and otherwise iff each
    topic t that occurs has a most popular topic w that is in every set with t. So it is met for
    the uniform prior over all s-subsets, but not for every uniform prior, as the paper's words may
    be read (sets ab, ac, de give 293/300 < 59/60 at m=5, r=1/20). It is 1, and met, iff r = 0 or one
    topic is in every set; the paper names r = 0 only.

    >>> iba_upper(noise=Fraction(1, 20), prior_gain=Fraction(2, 3))
    Fraction(59, 60)
    """
    r = check_probability("noise", noise)
    return (1 - r) + r * check_probability("prior_gain", prior_gain)
