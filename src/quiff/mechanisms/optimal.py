"""The best mechanisms for a purpose, by linear programs: least loss or greatest utility within a budget."""

from dataclasses import replace

from quiff.core.gain import Gain
from quiff.core.loss import Loss
from quiff.core.metric import Distance
from quiff.core.prior import Prior
from quiff.errors import typed
from quiff.mechanisms.problem import Optimal, Problem, budget
from quiff.theory.parameters import Real


@typed
def least_loss(
    prior: Prior,
    loss: Loss,
    *,
    epsilon: float | None = None,
    ratio: Real | None = None,
    distance: Distance | None = None,
    capacity: Real | None = None,
    leakage: Real | None = None,
    vulnerability: Real | None = None,
    gain: Gain | None = None,
    hard_loss: Real | None = None,
) -> Optimal:
    """Return the mechanism with the least expected loss that keeps to a budget of privacy.

    Its outputs are the actions of the loss; more outputs would not help. Several budgets may be given.

    Parameters
    ----------
    prior, loss
        How probable each secret is, and what an output costs: min sum_x pi_x C[x,y] l(y,x).
    epsilon, ratio, distance
        C[x,y] <= e^(epsilon d(x,x')) C[x',y]; or the ratio e^epsilon, which may be exact. Without a distance
        all pairs of secrets are at 1: local differential privacy.
    capacity
        The greatest Bayes capacity.
    leakage, vulnerability, gain
        The greatest leakage, or posterior vulnerability, under the prior: of the adversary's gain, or of
        guesses.
    hard_loss
        The greatest loss that may ever happen.

    Examples
    --------
    >>> from quiff import Loss, Prior, euclidean, least_loss
    >>> days = range(5)
    >>> loss = Loss.from_metric(euclidean, days)
    >>> round(least_loss(Prior.uniform(days), loss, epsilon=1, distance=euclidean).value, 4)
    0.5835

    Raises
    ------
    InfeasibleError
        If no channel meets all constraints; it says what would be met.
    SizeError
        If the program is too large; it says what would fit.
    """
    problem = Problem.of(prior, loss.to_numpy().T, loss.inputs, loss.actions)
    problem = problem.with_privacy(epsilon, ratio, distance).with_gain(gain)
    problem = problem.bounded(capacity, leakage, vulnerability, hard_loss)
    return problem.best("loss")


@typed
def greatest_utility(
    prior: Prior,
    goal: Gain,
    *,
    epsilon: float | None = None,
    ratio: Real | None = None,
    distance: Distance | None = None,
    capacity: Real | None = None,
    leakage: Real | None = None,
    vulnerability: Real | None = None,
    gain: Gain | None = None,
) -> Optimal:
    """Return the mechanism by which a receiver reaches a goal best, under a budget of privacy.

    An output is the action that it recommends: max sum_x pi_x C[x,w] g(w,x). No other mechanism within the
    budget has a greater posterior vulnerability for the goal. Budgets are those of `least_loss`; `gain` is
    the adversary's.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Prior, bayes_gain, greatest_utility
    >>> colours = ["red", "green", "blue"]
    >>> greatest_utility(Prior.uniform(colours), bayes_gain(colours), ratio=2).value
    Fraction(1, 2)
    """
    table = goal.to_numpy().T
    problem = Problem.of(prior, -table, goal.inputs, goal.actions).with_privacy(epsilon, ratio, distance)
    problem = problem.with_gain(gain).bounded(capacity, leakage, vulnerability, None)
    found = problem.best("loss")
    return replace(found, value=-found.value)


@typed
def least_vulnerability(
    prior: Prior,
    loss: Loss,
    most_loss: Real,
    *,
    gain: Gain | None = None,
    epsilon: float | None = None,
    ratio: Real | None = None,
    distance: Distance | None = None,
    capacity: Real | None = None,
    hard_loss: Real | None = None,
) -> Optimal:
    """Return the mechanism that leaves an adversary least, with an expected loss of at most `most_loss`.

    The adversary's gain is that of a guess by default: then no mechanism has a larger Bayes risk at this
    loss.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Loss, Prior, least_vulnerability, zero_one_loss
    >>> prior = Prior.uniform(["a", "b", "c"])
    >>> least_vulnerability(prior, zero_one_loss(prior), Fraction(1, 4)).value
    Fraction(3, 4)
    """
    problem = Problem.of(prior, loss.to_numpy().T, loss.inputs, loss.actions).with_gain(gain)
    problem = problem.with_privacy(epsilon, ratio, distance).bounded(capacity, None, None, hard_loss)
    problem = replace(problem, most={**problem.most, "loss": budget("most_loss", most_loss)})
    return problem.best("vulnerability")
