"""How well an analyst learns a topic's popularity from one observation of each of N users.

Each user has the topic with probability ``share`` (a), independently of the others, and the analyst
sees it: with probability p = (1-r)/s + r/m of those who have it and q = r/m of those who have
not. One half, the paper's case, makes all N bits uniform. The closed powers stay exact; the sums are
floats, whose relative error is below 1e-9 up to a million users.

The sums are probabilities of sums of many small independent whole numbers, by Fourier inversion. A sum T
of N independent steps has ``P[T = j] = (1/M) sum over l < M of phi(x_l) e^(-i j x_l)`` with
``x_l = 2 pi l/M`` and phi its characteristic function, up to the probability of the values
j ± M, j ± 2M, ... For j near the mean, Bernstein's inequality says how small an M makes these
negligible; and |phi(x)| <= exp(-2 variance sin^2(x/2)) for a sum of bits says from which x on the
terms are. So a dozen terms replace a sum of thousands, with a bounded error.
"""

from __future__ import annotations

from math import ceil, exp, floor, inf, log, log1p, pi, sqrt
from typing import TYPE_CHECKING

from quiff.theory.parameters import HALF, Real, check_probability, check_sizes, check_whole
from quiff.theory.topics import inside_probability, outside_probability

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NEGLIGIBLE = 40.0  # minus the logarithm of a probability to be left out: e^-40 < 5e-18


def reach(variance: float) -> int:
    """Distance from the mean beyond which a sum of steps within [-1, 1] is negligibly likely.

    The x of Bernstein's ``P[T - mean >= x] <= exp(-x^2 / (2 (variance + x/3)))`` that makes the
    right side e^-40, rounded up.

    >>> reach(0.0), reach(250_000.0)
    (27, 4486)
    """
    third = _NEGLIGIBLE / 3
    return ceil(third + sqrt(third**2 + 2 * _NEGLIGIBLE * variance))


def binomial_window(n: int, probability: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the values of ``Bin(n, probability)`` that are not negligible, and their probabilities.

    The probabilities come from the ratios of neighbours,
    ``P[k+1]/P[k] = (n-k)/(k+1) probability/(1-probability)``, scaled to sum to one.

    >>> binomial_window(2, 0.5)
    (array([0., 1., 2.]), array([0.25, 0.5 , 0.25]))
    """
    import numpy as np

    if probability in (0.0, 1.0):
        return np.array([n * probability]), np.ones(1)
    mean = n * probability
    radius = reach(mean * (1 - probability))
    k = np.arange(max(0, floor(mean) - radius), min(n, ceil(mean) + radius) + 1, dtype=np.float64)
    odds = log(probability) - np.log1p(-probability)
    logs = np.concatenate([[0.0], np.cumsum(np.log((n - k[:-1]) / (k[:-1] + 1)) + odds)])
    weights = np.exp(logs - logs.max())
    return k, weights / weights.sum()


def mode_probability(k: NDArray[np.float64], n: int, first: float, second: float) -> NDArray[np.float64]:
    """Return, for each k, the probability of the mode of ``Bin(k, first) + Bin(n-k, second)``.

    The mode of a sum of independent bits lies less than 1 from its mean (Darroch 1964), so that two
    candidates suffice.

    >>> import numpy as np
    >>> mode_probability(np.array([0.0, 1.0, 2.0]), 2, 1.0, 0.5).round(12)
    array([0.5, 0.5, 1. ])
    """
    import numpy as np

    mean = k * first + (n - k) * second
    variance = k * first * (1 - first) + (n - k) * second * (1 - second)
    size = min(n, reach(float(variance.max())) + 1) + 1  # M
    x, weights = _half_circle(size)
    chosen = 2 * variance.min() * np.sin(x / 2) ** 2 <= _NEGLIGIBLE
    x, weights = x[chosen], weights[chosen]
    turn = np.exp(1j * x)
    phi = (1 + first * (turn - 1)) ** k[:, None] * (1 + second * (turn - 1)) ** (n - k)[:, None]
    low = np.floor(mean)
    candidates = [(phi * np.exp(-1j * j[:, None] * x)).real @ weights for j in (low, np.minimum(low + 1, n))]
    best: NDArray[np.float64] = np.minimum(1.0, np.maximum(*candidates))
    return best


def symmetric_return(n: int, step: float) -> float:
    """Probability that n steps, each +1 or -1 with probability ``step`` and 0 otherwise, sum to 0.

    >>> round(symmetric_return(4, 0.5), 12)
    0.375
    """
    import numpy as np

    size = min(n, reach(2 * step * n)) + 1  # M
    x, weights = _half_circle(size)
    phi = 1 - 4 * step * np.sin(x / 2) ** 2  # = 1 - 2 step + 2 step cos(x)
    return float(phi**n @ weights)


def _half_circle(size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the angles ``2 pi l/size`` up to pi, and weights that count their mirror images too."""
    import numpy as np

    x = 2 * pi / size * np.arange(size // 2 + 1, dtype=np.float64)
    weights = np.full(len(x), 2 / size, dtype=np.float64)
    weights[0] = 1 / size
    if size % 2 == 0:
        weights[-1] = 1 / size
    return x, weights


_CHUNK = 4096  # counts handled at once: bounds the memory


def all_bits_right(n_topics: int, top_s: int, noise: Real, n_users: int, share: Real = HALF) -> Real:
    """Probability that a best guess of all N users' bits, who has the topic and who not, is right.

    ``(max(a p, (1-a) q) + max(a (1-p), (1-a) (1-q)))^N``, which is ``((1 + p - q)/2)^N`` for
    uniform bits and then does not depend on m, since p - q = (1-r)/s. Source: paper, Sec. 4.2.1,
    corollary on Kronecker products. The figure shows it; the printed sum, :func:`printed_counting_sum`, lacks
    a factor 2^-N. As the probability to count right it can be read in more than one way: see
    :func:`raw_count_right` and :func:`best_count_right`.

    The paper's 0.56 % for ten users:

    >>> round(all_bits_right(n_topics=349, top_s=5, noise=0.05, n_users=10), 7)
    0.0055612
    >>> from fractions import Fraction
    >>> all_bits_right(n_topics=349, top_s=5, noise=Fraction(1, 20), n_users=2)
    Fraction(14161, 40000)
    """
    p, q = _reporting(n_topics, top_s, noise)
    N = check_whole("n_users", n_users, 1)
    a = check_probability("share", share)
    one_bit = max(a * p, (1 - a) * q) + max(a * (1 - p), (1 - a) * (1 - q))
    return one_bit**N


def printed_counting_sum(top_s: int, noise: Real, n_users: int) -> Real:
    """Evaluate the counting sum as printed, which is no probability: ``(1 + (1-r)/s)^N > 1``.

    Source: paper, Sec. 4.2.1, expected value of A^n: ``sum of C(N,n) p^n (1-q)^(N-n)`` is
    ``(1 + p - q)^N``; the figure has the factor 2^-N that the sum lacks, see :func:`all_bits_right`. Kept to
    explain the difference. A float too large to hold is infinite.

    >>> from fractions import Fraction
    >>> printed_counting_sum(top_s=5, noise=Fraction(1, 20), n_users=2)
    Fraction(14161, 10000)
    """
    s = check_whole("top_s", top_s, 1)
    r = check_probability("noise", noise)
    N = check_whole("n_users", n_users, 1)
    try:
        return (1 + (1 - r) / s) ** N  # 1 + p - q = 1 + (1-r)/s
    except OverflowError:
        return inf


def raw_count_right(n_topics: int, top_s: int, noise: Real, n_users: int, share: Real = HALF) -> float:
    """Probability that as many users show the topic as have it.

    A user shifts the count by -1 with probability u = a (1-p) and by +1 with v = (1-a) q, so the
    probability is ``sum over j of N!/(j! j! (N-2j)!) u^j v^j (1-u-v)^(N-2j)``. Tilting the steps until
    both are equally likely turns it into ``Z^N`` times the probability that a symmetric walk returns to
    0, with ``Z = 1 - (sqrt(u) - sqrt(v))^2``; nothing overflows, and what underflows is 0.
    Source: paper, Sec. 4.2.1, the counting query, taken at its word.

    >>> round(raw_count_right(n_topics=349, top_s=5, noise=0.05, n_users=10), 7)
    0.0056023
    """
    p, q = map(float, _reporting(n_topics, top_s, noise))
    N = check_whole("n_users", n_users, 1)
    a = float(check_probability("share", share))
    u, v = a * (1 - p), (1 - a) * q
    loss = (sqrt(u) - sqrt(v)) ** 2  # Z = 1 - loss
    if loss == 1:  # every bit is surely shown wrong, as by a taxonomy of one topic that nobody has
        return 0.0
    return exp(N * log1p(-loss)) * symmetric_return(N, sqrt(u * v) / (1 - loss))


def prior_count_right(n_users: int, share: Real = HALF) -> float:
    """Probability to guess before any observation how many of the N users have the topic.

    The probability of the mode of ``Bin(N, a)``. What :func:`best_count_right` is to be compared with.

    >>> round(prior_count_right(n_users=10), 5)
    0.24609
    """
    import numpy as np

    N = check_whole("n_users", n_users, 1)
    a = float(check_probability("share", share))
    return float(mode_probability(np.array([float(N)]), N, a, a)[0])


def best_count_right(n_topics: int, top_s: int, noise: Real, n_users: int, share: Real = HALF) -> float:
    """Probability that a Bayes-optimal guess of how many users have the topic is right.

    The number k of users who show it is all that matters. It is ``Bin(N, P)`` distributed with
    P = a p + (1-a) q, and given k the true count is ``Bin(k, a p/P) + Bin(N-k, a (1-p)/(1-P))``,
    of which the best guess is the mode: ``sum over k of P[k] max over j of P[count = j | k]``.
    Only k within a window around N P matter; what is left out has probability below 1e-16.
    Source: paper, Sec. 4.2.1, the counting query, of which this is the vulnerability; the paper's figure,
    for ten users 0.56 %, is :func:`all_bits_right`.

    >>> round(best_count_right(n_topics=349, top_s=5, noise=0.05, n_users=10), 5)
    0.25492
    """
    import numpy as np

    p, q = _reporting(n_topics, top_s, noise)
    N = check_whole("n_users", n_users, 1)
    a = check_probability("share", share)
    P = a * p + (1 - a) * q
    silent = a * (1 - p) + (1 - a) * (1 - q)  # 1 - P, without cancellation
    with_report = float(a * p / P) if P else 0.0
    without_report = float(a * (1 - p) / silent) if silent else 0.0
    counts, weights = binomial_window(N, float(P))
    total = 0.0
    for start in range(0, len(counts), _CHUNK):
        part = slice(start, start + _CHUNK)
        best = mode_probability(counts[part], N, with_report, without_report)
        total += float(np.dot(weights[part], best))
    return min(1.0, total)


def _reporting(n_topics: int, top_s: int, noise: Real) -> tuple[Real, Real]:
    """Return p and q."""
    m, s = check_sizes(n_topics, top_s)
    return inside_probability(m, s, noise), outside_probability(m, noise)
