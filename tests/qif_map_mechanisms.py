"""The rows of `qif_map` for mechanisms and statistics: name in qif -> (call, check, what differs, exact).

A check is a function of a `qif_map.Case` that yields pairs of answers, ours first; `exact` tells whether qif
has the function for rationals. All names begin with ``mechanism.`` but
``channel.iterative_bayesian_update``.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import qif

import quiff
from quiff import mechanisms

M = qif.mechanism
EMPTY = "no such mechanism is an error that names the constraint; qif: an empty matrix"
MANY = f"the value, since many mechanisms reach it; {EMPTY}"


def step(x: int, y: int) -> float:
    return float(abs(x - y))


def costs(c: Any) -> tuple[quiff.Loss, Any]:
    """Random losses of as many outputs as secrets, for us and for qif."""
    table = c.numbers(c.n, c.n)
    return quiff.Loss(table.T), lambda x, y: table[x, y]


def expected(c: Any, C: np.ndarray, loss: Any) -> Any:
    n = c.n
    return sum(c.pi[x] * C[x, y] * loss(x, y) for x in range(n) for y in range(n))


def between(c: Any, low: Any, high: Any) -> Any:
    return low + (high - low) * Fraction(c.random.randint(1, 5), 6)


def least_loss(c: Any, theirs: Any, options: Any) -> Any:
    """The least loss for a vulnerability between that of no channel and 1, or for its gain."""
    loss, function = costs(c)
    gain = options(c)
    top = quiff.posterior_vulnerability(c.prior, quiff.Channel.identity(range(c.n)), gain)
    most = between(c, quiff.vulnerability(c.prior, gain), top)
    found = quiff.least_loss(c.prior, loss, vulnerability=most, gain=gain)
    C = theirs(c, most, function, top)
    if C.size:  # it gives up where the budget is just met
        yield found.value, expected(c, C, function)


def least_vulnerability(c: Any, theirs: Any, options: Any, value: Any) -> Any:
    loss, function = costs(c)
    gain = options(c)
    worst = quiff.risk(c.prior, loss)
    best = quiff.posterior_risk(c.prior, quiff.Channel.identity(range(c.n)), loss)
    most = between(c, best, worst)
    found = quiff.least_vulnerability(c.prior, loss, most, gain=gain)
    C = theirs(c, most, function)
    if C.size:
        yield found.value, value(c, C, found)


def bayes(c: Any, C: np.ndarray, found: Any) -> Any:
    return qif.measure.bayes_vuln.posterior(c.pi, C)


def gained(c: Any, C: np.ndarray, found: Any) -> Any:
    return qif.measure.g_vuln.posterior(c.G, c.pi, C)


def private(c: Any) -> Any:
    """The least loss under metric privacy."""
    loss, function = costs(c)
    found = quiff.least_loss(c.prior, loss, epsilon=0.2, distance=c.metric)  # qif's is private to about 1e-7
    distances = 0.2 * c.distances.astype(float)
    C = M.d_privacy.min_loss_given_d(c.pi, c.n, lambda x, y: distances[x, y], function)
    if C.size:
        yield found.value, expected(c, C, function)


def row(c: Any, theirs: Any) -> Any:
    p = between(c, 0 * c.pi[0], 1 + 0 * c.pi[0])
    mine = mechanisms.hiding_row(c.prior, c.channel, p / (1 + p)).to_numpy()

    def whole(r: np.ndarray) -> Any:
        joint = np.vstack([c.pi[:, np.newaxis] * c.C, (p * np.asarray(r))[np.newaxis, :]])
        return joint.max(axis=0).sum()

    yield whole(mine), whole(theirs(c.pi, p if c.exact else float(p), c.C))


def information(c: Any) -> Any:
    """The objective, I(X;Y) + expected loss, which qif reaches to its own precision."""
    loss, function = costs(c)
    theirs = M.shannon.max_entropy_given_same_loss(c.pi, np.full(c.n, 1 / c.n), function, 1e-12, 1e-15)
    ours = mechanisms.least_information(c.prior, loss).to_numpy()

    def total(C: np.ndarray) -> float:
        told = quiff.mutual_information(c.prior, quiff.Channel(C)) * np.log(2)
        return told + float(expected(c, C, function))

    yield total(ours) <= total(theirs) + 1e-9, True
    yield abs(total(ours) - total(theirs)) < 1e-4, True


def tight(c: Any) -> Any:
    theirs = M.d_privacy.tight_constraints(c.n, lambda x, y: float(c.distances[x, y]))
    if theirs.size:
        yield mechanisms.tight_constraints(range(c.n), c.metric).to_numpy(), theirs


def none(c: Any) -> None:
    return None


ROWS: dict[str, tuple[Any, ...]] = {
    "channel.iterative_bayesian_update": (
        "iterative_bayesian_update(C, outputs)",
        lambda c: (
            (
                quiff.iterative_bayesian_update(
                    quiff.Channel(c.positive),
                    dict(enumerate(c.pi[0] * c.positive[0] + (1 - c.pi[0]) * c.positive[-1])),
                    max_rounds=20,
                    tolerance=1e-300,
                ).prior.to_numpy(),
                qif.channel.iterative_bayesian_update(
                    c.positive,
                    c.pi[0] * c.positive[0] + (1 - c.pi[0]) * c.positive[-1],
                    np.full(c.n, 1 / c.n),
                    0.0,
                    20,
                )[0],
            ),
        ),
        "counts or outputs one by one, any kernel, and intervals",
        False,
    ),
    "mechanism.bayes_vuln.min_loss_given_max_vuln": (
        "least_loss(prior, loss, vulnerability=most)",
        lambda c: least_loss(
            c, lambda c, most, loss, top: M.bayes_vuln.min_loss_given_max_vuln(c.pi, c.n, most, loss), none
        ),
        MANY,
    ),
    "mechanism.bayes_vuln.min_vuln_given_max_loss": (
        "least_vulnerability(prior, loss, most_loss)",
        lambda c: least_vulnerability(
            c, lambda c, most, loss: M.bayes_vuln.min_vuln_given_max_loss(c.pi, c.n, most, loss), none, bayes
        ),
        MANY,
    ),
    "mechanism.bayes_vuln.min_vuln_for_row": (
        "mechanisms.hiding_row(prior, C, probability)",
        lambda c: row(c, M.bayes_vuln.min_vuln_for_row),
        "the probability of the new secret among all; qif: its weight beside a prior that sums to 1",
    ),
    "mechanism.bayes_risk.min_loss_given_min_risk": (
        "least_loss(prior, loss, vulnerability=1 - risk)",
        lambda c: least_loss(
            c,
            lambda c, most, loss, top: M.bayes_risk.min_loss_given_min_risk(c.pi, c.n, 1 - most, loss),
            none,
        ),
        MANY,
    ),
    "mechanism.bayes_risk.max_risk_given_max_loss": (
        "least_vulnerability(prior, loss, most_loss)",
        lambda c: least_vulnerability(
            c, lambda c, most, loss: M.bayes_risk.max_risk_given_max_loss(c.pi, c.n, most, loss), none, bayes
        ),
        MANY,
    ),
    "mechanism.bayes_risk.max_risk_for_row": (
        "mechanisms.hiding_row(prior, C, probability)",
        lambda c: row(c, M.bayes_risk.max_risk_for_row),
        "as for min_vuln_for_row, which is the same",
    ),
    "mechanism.g_vuln.min_loss_given_max_vuln": (
        "least_loss(prior, loss, vulnerability=most, gain=gain)",
        lambda c: least_loss(
            c,
            lambda c, most, loss, top: M.g_vuln.min_loss_given_max_vuln(
                c.pi, c.n, c.actions, most, lambda w, x: c.G[w, x], loss
            ),
            lambda c: c.gain,
        ),
        MANY,
    ),
    "mechanism.g_vuln.min_vuln_given_max_loss": (
        "least_vulnerability(prior, loss, most_loss, gain=gain)",
        lambda c: least_vulnerability(
            c,
            lambda c, most, loss: M.g_vuln.min_vuln_given_max_loss(
                c.pi, c.n, c.actions, most, lambda w, x: c.G[w, x], loss
            ),
            lambda c: c.gain,
            gained,
        ),
        MANY,
    ),
    "mechanism.l_risk.min_loss_given_min_risk": (
        "least_loss(prior, loss, vulnerability=most, gain=adversary.to_gain())",
        lambda c: least_loss(
            c,
            lambda c, most, loss, top: M.l_risk.min_loss_given_min_risk(
                c.pi, c.n, c.actions, c.G.max() - most, lambda w, x: c.G[w, x], loss
            ),
            lambda c: c.loss.to_gain(),
        ),
        f"an adversary's loss as what is spared of the largest; {MANY}",
    ),
    "mechanism.l_risk.max_risk_given_max_loss": (
        "least_vulnerability(prior, loss, most_loss, gain=adversary.to_gain())",
        lambda c: least_vulnerability(
            c,
            lambda c, most, loss: M.l_risk.max_risk_given_max_loss(
                c.pi, c.n, c.actions, most, lambda w, x: c.G[w, x], loss
            ),
            lambda c: c.loss.to_gain(),
            lambda c, C, found: c.G.max() - qif.measure.l_risk.posterior(c.G, c.pi, C),
        ),
        f"an adversary's loss as what is spared of the largest; {MANY}",
    ),
    "mechanism.d_privacy.min_loss_given_d": (
        "least_loss(prior, loss, epsilon=epsilon, distance=distance)",
        private,
        f"pairs that others imply are found, not given; {MANY}",
        False,
    ),
    "mechanism.d_privacy.geometric": (
        "mechanisms.geometric(values, epsilon, outputs=range)",
        lambda c: (
            (
                mechanisms.geometric(range(c.n), c.strength, outputs=range(-2, c.m + 3)).to_numpy(),
                M.d_privacy.geometric(c.n, c.strength, c.m + 5, 0, -2),
            ),
            (
                mechanisms.truncated_geometric(range(c.n), c.strength).to_numpy(),
                M.d_privacy.geometric(c.n, c.strength),
            ),
        ),
        "exact with ratio=",
        False,
    ),
    "mechanism.d_privacy.randomized_response": (
        "mechanisms.randomised_response(labels, epsilon)",
        lambda c: (
            (
                mechanisms.randomised_response(range(c.n), c.strength).to_numpy(),
                M.d_privacy.randomized_response(c.n, c.strength),
            ),
        ),
        "never written out; the answers are the secrets; exact with ratio= or truth=",
        False,
    ),
    "mechanism.d_privacy.exponential": (
        "mechanisms.exponential(inputs, score, epsilon)",
        lambda c: (
            (
                mechanisms.exponential(
                    range(c.n), lambda x, y: -step(x, y), c.strength, outputs=range(c.m)
                ).to_numpy(),
                M.d_privacy.exponential(c.n, lambda x, y: c.strength * step(x, y), c.m),
            ),
        ),
        "a score, of which a distance is the negative",
        False,
    ),
    "mechanism.d_privacy.tight_constraints": (
        "mechanisms.tight_constraints(labels, distance, epsilon)",
        tight,
        "where it does not exist, an error",
        False,
    ),
    "mechanism.d_privacy.exact_distance": (
        "mechanisms.exact_distance(labels, distance, epsilon)",
        lambda c: (
            (
                mechanisms.exact_distance(range(c.n), c.metric).to_numpy(),
                M.d_privacy.exact_distance(c.n, lambda x, y: float(c.distances[x, y])),
            ),
        ),
        "the last output is None",
        False,
    ),
    "mechanism.d_privacy.distance_matrix": (
        "numpy.exp(-distances), a line",
        lambda c: (
            (
                np.exp(-c.strength * np.abs(np.subtract.outer(range(c.n), range(c.m)))),
                M.d_privacy.distance_matrix(c.n, c.m, lambda x, y: c.strength * step(x, y)),
            ),
        ),
        "",
        False,
    ),
    "mechanism.geo_ind.planar_geometric_grid": (
        "mechanisms.planar_geometric(width, height, epsilon, cell=step)",
        lambda c: (
            (
                mechanisms.planar_geometric(15, 15, 2.0, cell=2 + c.strength).to_numpy()[105:113],
                M.geo_ind.planar_geometric_grid(15, 15, 2 + c.strength, 2.0)[105:113],
            ),
        ),
        "noise without end; qif cuts it to the size of the grid, which shows on small ones",
        False,
    ),
    "mechanism.geo_ind.planar_laplace_grid": (
        "mechanisms.planar_laplace(width, height, epsilon, cell=step)",
        lambda c: (
            (
                np.allclose(
                    mechanisms.planar_laplace(9, 9, 2.0, cell=1 + c.strength / 2).to_numpy()[40],
                    M.geo_ind.planar_laplace_grid(9, 9, 1 + c.strength / 2, 2.0)[40],
                    atol=2e-2,
                ),
                True,
            ),
        ),
        "integrals to 12 digits; those of qif are rough, to about 1e-3 for small cells",
        False,
    ),
    "mechanism.shannon.max_entropy_given_same_loss": (
        "mechanisms.least_information(prior, loss)",
        information,
        "a bound says when it is there; qif stops when it hardly moves",
        False,
    ),
}
