"""What an adversary or an analyst is after: the gain of each action for each secret."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, final

import numpy as np

from quiff.core.composite_labels import ProductLabels, SubsetLabels
from quiff.core.factor import BestInputs, LeftFactor, Matrix
from quiff.core.labels import Labels, aligned, as_labels, by_label
from quiff.core.limits import check_fits
from quiff.core.numbers import Array, Number, as_number, as_numbers, constant_of, filled, same_kind
from quiff.core.payoff import Payoff
from quiff.core.sparse import SparseRows
from quiff.core.validate import as_codes, sets_as_entries
from quiff.errors import GainError, ParameterError


@final
class Gain(Payoff[Array | SparseRows | int]):
    """A gain function g: what each action earns for each secret; finite and non-negative.

    Parameters
    ----------
    rows
        The matrix g[w, x], one row per action w and one column per input x.
    actions, inputs
        The names of rows and columns; by default those of a pandas frame, else 0, 1, 2, ...

    Examples
    --------
    >>> Gain([[1, 0], [0, 3]], actions=["left", "right"], inputs=["Alice", "Bob"])
    Gain of 2 actions on 2 inputs
           Alice  Bob
    left   1      0
    right  0      3
    >>> Gain([[1, -1]], actions=["left"], inputs=["Alice", "Bob"])
    Traceback (most recent call last):
    ...
    quiff.errors.GainError: the entry of row 'left', column 'Bob' is -1, but a gain is finite and not negative
    """

    __slots__ = ()
    _names = ("gain", "gains")

    @property
    def largest(self) -> Number:
        """The largest gain of any action for any secret."""
        match self._structure:
            case int():
                return 1
            case SparseRows() as rows:
                constant = constant_of(rows.values)
                return as_number(rows.values.max(initial=0) if constant is None else constant)
            case matrix:
                return as_number(matrix.max())

    @property
    def members(self) -> Array | None:
        """The positions of the actions that earn 1, (secrets, actions), if as many do for each; else None."""
        rows = self._structure
        if not isinstance(rows, SparseRows) or not rows.per_row or constant_of(rows.values) != 1:
            return None
        return rows.columns.reshape(rows.height, -1)

    def times(self, labels: Labels, weights: Array) -> LeftFactor:
        """Return g(w, x) weights[x] as a left factor, with the inputs in the order of `labels`."""
        order = aligned(labels, self._inputs, "prior", "gain")
        match self._structure:
            case int(tries):
                return BestInputs(weights, min(tries, labels.size))
            case SparseRows() as rows:
                return Matrix(rows if order is None else rows.take(order)).scaled(weights)
            case matrix:
                return Matrix(matrix if order is None else matrix[:, order]).scaled(weights)

    def __add__(self, other: "Gain") -> "Gain":
        """Return the gain of playing two games at once; its vulnerability is the sum of theirs.

        An action is a pair: g((v, w), x) = g1(v, x) + g2(w, x).

        Examples
        --------
        >>> bayes_gain(["Alice", "Bob"]) + Gain([[0, 3]], ["wait"], ["Alice", "Bob"])
        Gain of 2 actions on 2 inputs
                           Alice  Bob
        ('Alice', 'wait')  1      3
        ('Bob', 'wait')    0      4
        """
        if not isinstance(other, Gain):
            return NotImplemented
        order = aligned(self._inputs, other._inputs, "first gain", "second gain")
        check_fits(self._actions.size * other._actions.size, self._inputs.size)
        first, second = same_kind(self.to_numpy(), other.to_numpy())
        second = second if order is None else second[:, order]
        table = (first[:, np.newaxis] + second).reshape(-1, self._inputs.size)
        return Gain(table, ProductLabels((self._actions, other._actions)), self._inputs)

    def __rmul__(self, factor: Any) -> "Gain":
        """Return the gain times a number that is not negative: so is its vulnerability."""
        (number,) = as_numbers([factor], error=GainError)
        numbers, matrix = same_kind(np.asarray([number]), self.to_numpy())
        return Gain(matrix * numbers[0], self._actions, self._inputs)

    def shifted(self, by: Mapping[Any, Any] | Any) -> "Gain":
        """Return g(w, x) + k(x), for one number k or one for each secret.

        Every vulnerability grows by the expected k, and additive leakage stays as it is.

        Examples
        --------
        >>> bayes_gain(["Alice", "Bob"]).shifted({"Alice": 2, "Bob": 0})
        Gain of 2 actions on 2 inputs
               Alice  Bob
        Alice  3      0
        Bob    2      1
        """
        listed = by_label(by, self._inputs, "gain", "shift")
        listed = [by] * self._inputs.size if listed is by else listed
        shift, matrix = same_kind(as_numbers(listed, error=GainError), self.to_numpy())
        return Gain(matrix + shift, self._actions, self._inputs)

    def restricted(self, actions: Iterable[Hashable]) -> "Gain":
        """Return the gain of an adversary who has some of the actions only."""
        names = as_labels(actions, "action")
        return Gain(self.to_numpy()[self._actions.positions(names, "action")], names, self._inputs)

    def to_numpy(self) -> Array:
        """Return the matrix, one row per action."""
        check_fits(self._actions.size, self._inputs.size)
        match self._structure:
            case int():
                guesses = ({self._inputs[i]} for i in range(self._inputs.size))
                chosen = guesses if self._actions is self._inputs else iter(self._actions)
                return np.array([[int(x in guess) for x in self._inputs] for guess in chosen])  # type: ignore[operator]
            case SparseRows() as rows:
                return rows.dense(np.zeros(rows.width, dtype=np.int64), 0, rows.width).T
            case matrix:
                return np.array(matrix)

    def _cell(self, row: int, column: int) -> Number:
        match self._structure:
            case int():
                action, label = self._actions[row], self._inputs[column]
                return int(label == action if self._actions is self._inputs else label in action)  # type: ignore[operator]
            case SparseRows() as rows:
                return int(row in rows.take(np.array([column])).columns)
            case matrix:
                return as_number(matrix[row, column])


def bayes_gain(labels: object) -> Gain:
    """Return the gain of guessing the secret in one try: g(w, x) = 1 if w = x, else 0.

    This is what every measure uses when no gain is given.

    Examples
    --------
    >>> bayes_gain(["Alice", "Bob"])
    Gain of 2 actions on 2 inputs
           Alice  Bob
    Alice  1      0
    Bob    0      1
    """
    named = as_labels(labels)
    return Gain._of(named, named, 1)


def tries_gain(labels: object, k: int) -> Gain:
    """Return the gain of guessing the secret in k tries: an action is a set of k labels.

    Examples
    --------
    >>> tries_gain(["Alice", "Bob", "Carol"], 2)
    Gain of 3 actions on 3 inputs
                    Alice  Bob  Carol
    {Alice, Bob}    1      1    0
    {Alice, Carol}  1      0    1
    {Bob, Carol}    0      1    1
    """
    named = as_labels(labels)
    if not isinstance(k, int | np.integer) or not 1 <= k <= named.size:
        raise ParameterError(what="the number of tries", value=k, allowed=f"between 1 and {named.size}")
    k = int(k)
    return Gain._of(SubsetLabels(named, k), named, k)


def membership_gain(sets: Mapping[Any, Iterable[Any]], actions: object) -> Gain:
    """Return the gain of naming a topic of the set: g(t, x) = 1 if t is in the set of x, else 0.

    With sets of topics as secrets this is the paper's gain function for IBA companies (Sec. 4.2.2).

    Examples
    --------
    >>> membership_gain({"Alice": {"News", "Music"}, "Bob": {"News"}}, actions=["Music", "News"])
    Gain of 2 actions on 2 inputs
           Alice  Bob
    Music  1      0
    News   1      1
    """
    named, names = as_labels(sets, "input"), as_labels(actions, "action")
    starts, codes = sets_as_entries(sets, names, "action")
    ones = filled(np.int64(1), codes.shape[0])
    return Gain._of(names, named, SparseRows(starts, codes, ones, names.size))


def membership_gain_from_codes(labels: object, codes: object, actions: object) -> Gain:
    """Return the same from an integer array with one row per input; for large inputs.

    >>> membership_gain_from_codes(["Ann", "Bob"], [[0, 1], [1, 2]], ["Art", "Music", "News"])
    Gain of 3 actions on 2 inputs
           Ann  Bob
    Art    1    0
    Music  1    1
    News   0    1
    """
    named, names = as_labels(labels, "input"), as_labels(actions, "action")
    array = as_codes(codes, (named.size, None), names.size, named, "action")
    return Gain._of(names, named, SparseRows.rectangular(array, np.int64(1), names.size))


def predicate_gain(labels: object, predicate: Callable[[Any], Hashable]) -> Gain:
    """Return the gain of guessing the value of a function of the secret, such as whether it is even.

    Examples
    --------
    >>> predicate_gain(range(3), lambda x: x % 2 == 0)
    Gain of 2 actions on 3 inputs
           0  1  2
    True   1  0  1
    False  0  1  0
    """
    values = {label: [predicate(label)] for label in as_labels(labels)}
    return membership_gain(values, dict.fromkeys(value for (value,) in values.values()))
