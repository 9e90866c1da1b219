"""The Topics API: what its stages leak about who a user is, in one epoch and in several, and its utility.

The stages are the user's whole top-s set (generalization), one topic of it (bounded noise), and the
complete API, which with probability r shows any topic of the taxonomy instead. The equalities assume
that a user's set is fixed, not drawn at random; where ties are broken or missing topics filled at
random, the bounds still hold and the equalities need not.

The formulas of the worst case compare a user who has the observed topic with one who has not. They are
the channel's own figures exactly when two users' sets differ (see :func:`max_case_is_met`), and upper
bounds otherwise.

Utility is how often an advertiser names a topic of the user's set, the IBA gain. Write f_t for the share of
sets (by the prior) that contain t, f_tw for those that contain t and w, p and q for the probability that a
topic inside or outside the set is shown, and d = p - q. After one observation the best guess earns
``V = sum over t of max over w of (q f_w + d f_tw)``, and before it ``V(prior) = max f``. Every bound on it
follows from this.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import comb, inf, log, log1p, log2

from quiff.errors import ParameterError
from quiff.theory.parameters import (
    Real,
    at_most_one,
    check_occurring,
    check_probability,
    check_sizes,
    check_whole,
    follow,
)


def prior_vulnerability(n_users: int) -> Fraction:
    """Probability to guess a user before any observation: ``1/N``.

    Source: paper, Sec. 4.1, prior privacy vulnerability. Assumes a uniform prior.

    >>> prior_vulnerability(3)
    Fraction(1, 3)
    """
    return Fraction(1, check_whole("n_users", n_users, 1))


def generalization_leakage(distinct_sets: int) -> Fraction:
    """Leakage of showing the whole top-s set: the number of different sets that occur.

    Source: paper, Sec. 4.1.2, leakage up to the generalization.

    >>> generalization_leakage(2)
    Fraction(2, 1)
    """
    return Fraction(check_whole("distinct_sets", distinct_sets, 1))


def generalization_posterior(distinct_sets: int, n_users: int) -> Fraction:
    """Probability to guess a user from the whole top-s set: ``distinct_sets/N``.

    Source: paper, Sec. 4.1.2, posterior vulnerability up to the generalization.

    >>> generalization_posterior(distinct_sets=2, n_users=3)
    Fraction(2, 3)
    """
    N = check_whole("n_users", n_users, 1)
    return Fraction(check_whole("distinct_sets", distinct_sets, 1, N), N)


def generalization_capacity(n_topics: int, top_s: int, n_users: int) -> Fraction:
    """Most that the top-s sets can leak: ``min(N, C(m,s))``.

    Source: paper, Sec. 4.1.2, leakage up to the generalization, its upper bound; the cap at
    N is ours. Met when the users' sets are all different, or every s-subset occurs.

    >>> generalization_capacity(n_topics=349, top_s=5, n_users=10**12)
    Fraction(41922588819, 1)
    >>> generalization_capacity(n_topics=349, top_s=5, n_users=1000)
    Fraction(1000, 1)
    """
    m, s = check_sizes(n_topics, top_s)
    return Fraction(min(check_whole("n_users", n_users, 1), comb(m, s)))


def generalization_posterior_bound(n_topics: int, top_s: int, n_users: int) -> Fraction:
    """Upper bound on the posterior of the top-s sets: ``min(1, C(m,s)/N)``.

    Source: paper, Sec. 4.1.2, where the bound is C(m,s)/N; the cap at 1 is ours.

    >>> generalization_posterior_bound(n_topics=5, top_s=2, n_users=3)
    Fraction(1, 1)
    >>> generalization_posterior_bound(n_topics=5, top_s=2, n_users=40)
    Fraction(1, 4)
    """
    return generalization_capacity(n_topics, top_s, n_users) * prior_vulnerability(n_users)


def bounded_noise_leakage(n_topics: int, top_s: int, occurring: int) -> Fraction:
    """Leakage of showing one topic of the set at random: ``m'/s``.

    Source: paper, Sec. 4.1.2, leakage up to the bounded noise; m' is the number of topics in
    the union of all users' sets.

    >>> bounded_noise_leakage(n_topics=349, top_s=5, occurring=169)
    Fraction(169, 5)
    """
    s, m1 = check_occurring(n_topics, top_s, occurring)
    return Fraction(m1, s)  # m'/s


def bounded_noise_posterior(n_topics: int, top_s: int, occurring: int, n_users: int) -> Fraction:
    """Probability to guess a user from one topic of the set: ``m'/(s N)``.

    Source: paper, Sec. 4.1.2, posterior vulnerability up to the bounded noise. N users have at
    most s N topics.

    The paper's figure of the Topics channels has five topics, four of which occur:

    >>> bounded_noise_posterior(n_topics=5, top_s=2, occurring=4, n_users=3)
    Fraction(2, 3)
    """
    leakage = bounded_noise_leakage(n_topics, top_s, occurring)
    check_whole("n_users", n_users, least_users(top_s, occurring))
    return leakage * prior_vulnerability(n_users)


def bounded_noise_capacity(n_topics: int, top_s: int) -> Fraction:
    """Most that one topic of the set can leak: ``m/s``.

    Source: paper, Sec. 4.1.2. Met when every topic of the taxonomy occurs in some set.

    >>> bounded_noise_capacity(n_topics=349, top_s=5)
    Fraction(349, 5)
    """
    m, s = check_sizes(n_topics, top_s)
    return Fraction(m, s)  # m/s


def bounded_noise_posterior_bound(n_topics: int, top_s: int, n_users: int) -> Fraction:
    """Upper bound on the posterior of one topic of the set: ``min(1, m/(s N))``.

    Source: paper, Sec. 4.1.2, posterior vulnerability up to the bounded noise.

    >>> bounded_noise_posterior_bound(n_topics=5, top_s=2, n_users=3)
    Fraction(5, 6)
    """
    return min(Fraction(1), bounded_noise_capacity(n_topics, top_s) * prior_vulnerability(n_users))


def least_users(top_s: int, occurring: int) -> int:
    """Fewest users whose sets of s topics can cover m' topics: ``ceil(m'/s)``.

    >>> least_users(top_s=5, occurring=11)
    3
    """
    return -(-occurring // top_s)


def topics_leakage(n_topics: int, top_s: int, noise: Real, occurring: int) -> Real:
    """Leakage of the complete Topics API: ``r + m'(1-r)/s``.

    Source: paper, Sec. 4.1.2, leakage of the complete Topics API. Here m' counts the topics
    that occur in some set; the columns of the channel are all m.

    >>> round(topics_leakage(n_topics=349, top_s=5, noise=0.05, occurring=169), 2)
    32.16
    >>> topics_leakage(n_topics=5, top_s=2, noise=Fraction(1, 20), occurring=4)
    Fraction(39, 20)
    """
    r = check_probability("noise", noise)
    return r + (1 - r) * bounded_noise_leakage(n_topics, top_s, occurring)  # r + (1-r) m'/s


def topics_posterior(n_topics: int, top_s: int, noise: Real, occurring: int, n_users: int) -> Real:
    """Probability to guess a user from one observation: ``(r + m'(1-r)/s)/N``.

    Source: paper, Sec. 4.1.2, posterior vulnerability of the complete Topics API. N users have at
    most s N topics.

    >>> topics_posterior(n_topics=5, top_s=2, noise=Fraction(1, 20), occurring=4, n_users=3)
    Fraction(13, 20)
    """
    leakage = topics_leakage(n_topics, top_s, noise, occurring)
    check_whole("n_users", n_users, least_users(top_s, occurring))
    return leakage * prior_vulnerability(n_users)


def bayes_capacity(n_topics: int, top_s: int, noise: Real) -> Real:
    """Most that one observation can leak, to any adversary on average: ``r + m(1-r)/s``.

    Source: paper, Sec. 4.1.2, leakage of the complete Topics API, its upper bound. Met when every
    topic of the taxonomy occurs in some set. It grows with m along a line, r being the
    offset.

    >>> round(bayes_capacity(n_topics=349, top_s=5, noise=0.05), 2)
    66.36
    >>> bayes_capacity(n_topics=469, top_s=5, noise=Fraction(1, 20))
    Fraction(2229, 25)
    """
    r = check_probability("noise", noise)
    return r + (1 - r) * bounded_noise_capacity(n_topics, top_s)  # r + (1-r) m/s


def topics_posterior_bound(n_topics: int, top_s: int, noise: Real, n_users: int) -> Real:
    """Upper bound on the probability to guess a user from one observation: ``min(1, capacity/N)``.

    Source: paper, Sec. 4.1.2, posterior vulnerability of the complete Topics API.

    >>> topics_posterior_bound(n_topics=5, top_s=2, noise=Fraction(1, 20), n_users=3)
    Fraction(97, 120)
    """
    bound = bayes_capacity(n_topics, top_s, noise) * prior_vulnerability(n_users)
    return at_most_one(bound)


def max_case_capacity(n_topics: int, top_s: int, noise: Real) -> Real:
    """Largest factor by which one observation can raise any belief: ``1 + m(1-r)/(r s)``.

    Source: paper, Sec. 4.1.3, max-case capacity of the Topics API. Infinite at r = 0. Assumes
    two users whose sets differ; at s = m there are none, and the channel's own value is 1.

    >>> max_case_capacity(n_topics=349, top_s=5, noise=Fraction(1, 20))
    Fraction(6636, 5)
    >>> max_case_capacity(n_topics=349, top_s=5, noise=0)
    inf
    """
    return 1 + _excess(n_topics, top_s, noise)


def epsilon(n_topics: int, top_s: int, noise: Real) -> float:
    """Local differential privacy of one observation: ``ln(1 + m(1-r)/(r s))``.

    Source: paper, Sec. 4.1.2, the parameter epsilon of the Topics API. Assumes what
    :func:`max_case_capacity` does. The random topic ranges over the whole taxonomy; the
    paper's table of limits for the AOL data takes for it the 169 topics that occur.

    >>> round(epsilon(n_topics=349, top_s=5, noise=0.05), 3)
    7.191
    """
    excess = _excess(n_topics, top_s, noise)
    if isinstance(excess, Fraction) and excess > 1:  # log of the integers: no overflow
        return log(excess.numerator + excess.denominator) - log(excess.denominator)
    return log1p(excess)


def max_case_is_met(noise: Real, distinct_sets: int) -> bool:
    """Tell whether a population's channel has exactly the two values of the formulas.

    It has if two different sets occur: being of equal size, some topic is in one and not in the
    other, and its column holds both ``(1-r)/s + r/m`` and ``r/m``. With a single set the channel's
    epsilon is 0, which the formula gives only at r = 1.

    >>> max_case_is_met(noise=0.05, distinct_sets=2), max_case_is_met(noise=0.05, distinct_sets=1)
    (True, False)
    """
    return check_whole("distinct_sets", distinct_sets, 1) > 1 or check_probability("noise", noise) == 1


def shannon_capacity_bits(n_topics: int, top_s: int, noise: Real) -> float:
    """Shannon capacity of one observation: ``log2 m + s p log2 p + (m-s) q log2 q``.

    Here ``p = (1-r)/s + r/m`` and ``q = r/m``. On all s-subsets the channel is symmetric: its rows have one
    entropy, and if all subsets are equally probable, so are the topics. Source: Shannon 1948.

    >>> round(shannon_capacity_bits(n_topics=349, top_s=5, noise=0.05), 4)
    5.541
    """
    m, s = check_sizes(n_topics, top_s)
    r = float(check_probability("noise", noise))
    q = r / m
    p = (1 - r) / s + q
    return max(0.0, log2(m) + sum(n * x * log2(x) for n, x in ((s, p), (m - s, q)) if x > 0))


def _excess(n_topics: int, top_s: int, noise: Real) -> Real:
    """Return ``m(1-r)/(r s)``, infinite at r = 0."""
    m, s = check_sizes(n_topics, top_s)
    r = check_probability("noise", noise)
    return inf if r == 0 else m * (1 - r) / (r * s)


def side_information_bound(n_topics: int, top_s: int, noise: Real, prior_success: Real) -> Real:
    """Upper bound on an adversary's success after one observation: ``min(1, P (r + m(1-r)/s))``.

    P is the probability to succeed before, at any guessing task about anything that is correlated with
    the user in any way: the Bayes capacity bounds the leakage over all priors, gains between 0 and
    1, and unknown correlations. Assumes that task, user and observation are a Markov chain in this order:
    what is known beside the observation does not depend on the noise. Source: paper, Sec. 2, capacity under
    arbitrary correlations (Dalenius), with the capacity of Sec. 4.1.2.

    >>> side_information_bound(n_topics=349, top_s=5, noise=Fraction(1, 20), prior_success=Fraction(1, 100))
    Fraction(1659, 2500)
    >>> side_information_bound(n_topics=349, top_s=5, noise=0.05, prior_success=0.1)
    1.0
    """
    bound = check_probability("prior_success", prior_success) * bayes_capacity(n_topics, top_s, noise)
    return at_most_one(bound)


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
