"""What an answer costs: the loss of each action for each secret, which an adversary wants to be small."""

from typing import Any, final

import numpy as np

from quiff.core.composite_labels import OrderLabels
from quiff.core.factor import LeftFactor, Lowered, Matrix, Ranks
from quiff.core.gain import Gain, bayes_gain
from quiff.core.labels import Labels, aligned, as_labels
from quiff.core.limits import check_fits
from quiff.core.metric import Distance, distances
from quiff.core.numbers import Array, Number, as_number, as_numbers, unified
from quiff.core.payoff import Payoff
from quiff.errors import GainError

_Structure = Array | tuple[Any, Gain] | None  # None: orders of guesses


@final
class Loss(Payoff[_Structure]):
    """A loss function: what each action costs for each secret; finite and non-negative.

    Parameters
    ----------
    rows
        The matrix l[w, x], one row per action w and one column per input x.
    actions, inputs
        The names of rows and columns; by default those of a pandas frame, else 0, 1, 2, ...

    Examples
    --------
    >>> Loss([[0, 5], [1, 0]], actions=["stay", "flee"], inputs=["calm", "storm"])
    Loss of 2 actions on 2 inputs
          calm  storm
    stay  0     5
    flee  1     0
    """

    __slots__ = ()
    _names = ("loss", "losses")

    @classmethod
    def from_gain(cls, gain: Gain, ceiling: Any = None) -> "Loss":
        """Return what is missing to the best gain: l(w, x) = ceiling - g(w, x).

        Without a ceiling it is the largest gain. With it, the expected loss is the ceiling less the
        vulnerability, so that both say the same.
        """
        largest = gain.largest
        (top,) = as_numbers([largest if ceiling is None else ceiling], error=GainError)
        if not top >= largest:
            raise GainError(what="the ceiling", value=ceiling, allowed=f"at least the largest gain {largest}")
        return cls._of(gain.actions, gain.inputs, (top, gain))

    @classmethod
    def from_metric(cls, distance: Distance, inputs: object, actions: object = None) -> "Loss":
        """Return the distance of the answer from the secret; without actions, any secret is an answer.

        Examples
        --------
        >>> from quiff import euclidean
        >>> Loss.from_metric(euclidean, range(3))
        Loss of 3 actions on 3 inputs
           0  1  2
        0  0  1  2
        1  1  0  1
        2  2  1  0
        """
        named = as_labels(inputs, "input")
        names = named if actions is None else as_labels(actions, "action")
        return cls(distances(distance, named, names).T, names, named)

    def to_gain(self) -> Gain:
        """Return what is spared of the largest loss: g(w, x) = max l - l(w, x)."""
        if isinstance(self._structure, tuple) and self._structure[0] == self._structure[1].largest:
            return self._structure[1]
        matrix = self.to_numpy()
        return Gain(matrix.max() - matrix, self._actions, self._inputs)

    def times(self, labels: Labels, weights: Array) -> LeftFactor:
        """Return - l(w, x) weights[x] as a left factor, with the inputs in the order of `labels`."""
        order = aligned(labels, self._inputs, "prior", "loss")
        match self._structure:
            case None:
                return Ranks(weights)
            case (top, gain):
                return Lowered(gain.times(labels, weights), weights, top)
            case matrix:
                return Matrix(-matrix if order is None else -matrix[:, order]).scaled(weights)

    def to_numpy(self) -> Array:
        """Return the matrix, one row per action."""
        check_fits(self._actions.size, self._inputs.size)
        match self._structure:
            case None:
                return np.array([[order.index(x) + 1 for x in self._inputs] for order in self._actions])  # type: ignore[attr-defined]
            case (top, gain):
                top, gains = unified(np.asarray(top), gain.to_numpy())
                return np.asarray(top - gains)
            case matrix:
                return np.array(matrix)

    def _cell(self, row: int, column: int) -> Number:
        match self._structure:
            case None:
                return self._actions[row].index(self._inputs[column]) + 1  # type: ignore[attr-defined, no-any-return]
            case (top, gain):
                return as_number(top) - gain._cell(row, column)
            case matrix:
                return as_number(matrix[row, column])


def zero_one_loss(labels: object) -> Loss:
    """Return the loss of a wrong guess: l(w, x) = 0 if w = x, else 1. Its expected value is the Bayes risk.

    Examples
    --------
    >>> zero_one_loss(["Alice", "Bob"])
    Loss of 2 actions on 2 inputs
           Alice  Bob
    Alice  0      1
    Bob    1      0
    """
    return Loss.from_gain(bayes_gain(labels))


def guessing_loss(labels: object) -> Loss:
    """Return the number of guesses until the secret is found: an action is an order in which to guess.

    Its expected value is the guessing entropy.

    Examples
    --------
    >>> from quiff import Prior, guessing_entropy, risk
    >>> prior = Prior.from_counts({"Alice": 3, "Bob": 2, "Carol": 1})
    >>> risk(prior, guessing_loss(prior)), guessing_entropy(prior)
    (Fraction(5, 3), Fraction(5, 3))
    """
    named = as_labels(labels)
    return Loss._of(OrderLabels(named), named, None)
