"""What an adversary or an analyst is after: the gain, or the loss, of each action for each secret."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import product, starmap
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, final

import numpy as np

from quiff.core.composite_labels import OrderLabels, ProductLabels, SubsetLabels
from quiff.core.display import Shown, in_order, to_frame
from quiff.core.factor import BestInputs, LeftFactor, Lowered, Matrix, Ranks
from quiff.core.labels import Labels, aligned, as_labels, by_label
from quiff.core.limits import check_fits
from quiff.core.metric import Distance, distances
from quiff.core.numbers import Array, Number, as_number, as_numbers, constant_of, filled, same_kind, unified
from quiff.core.sparse import SparseRows
from quiff.core.validate import as_codes, cell, check_gains, check_shape, sets_as_entries
from quiff.errors import GainError, LabelError, ShapeError, counted
from quiff.theory.parameters import check_whole

if TYPE_CHECKING:
    import pandas as pd


_Structure: TypeAlias = Array | SparseRows | int | tuple[Any, "Gain"] | None


class Payoff(Shown):
    """A number, finite and not negative, for each action and secret: the more the better, or the less.

    It is held as a matrix, as sparse rows of ones for each secret, or by what it is: 1 for a secret in so
    many guesses, the number of guesses in some order (None), or what a gain lacks to a number.
    """

    __slots__ = ("_actions", "_inputs", "_structure")
    _names: ClassVar[tuple[str, str]]  # of one, and of several
    _sign: ClassVar[int]  # by which it becomes something to have much of

    def __init__(self, rows: object, actions: object = None, inputs: object = None) -> None:
        kind, kinds = self._names
        rows, actions, inputs = in_order(rows, actions, inputs, ("action", "input"))
        matrix = np.array(as_numbers(rows, error=GainError))
        if matrix.ndim != 2:
            raise ShapeError(what=f"the number of dimensions of a {kind}", value=matrix.ndim, allowed="2")
        names = as_labels(range(matrix.shape[0]) if actions is None else actions, "action")
        named = as_labels(range(matrix.shape[1]) if inputs is None else inputs, "input")
        check_shape(matrix.shape, (names.size, named.size), f"the matrix of {kinds}")
        check_gains(matrix, lambda place: cell(names[place[0]], named[place[1]]), f"a {kind}")
        matrix.flags.writeable = False
        self._set(names, named, matrix)

    def _set(self, actions: Labels, inputs: Labels, structure: _Structure) -> None:
        if actions.size == 0 or inputs.size == 0:
            raise LabelError(f"a {self._names[0]} needs at least one action and one input")
        self._actions, self._inputs, self._structure = actions, inputs, structure

    @classmethod
    def _of(cls, actions: Labels, inputs: Labels, structure: _Structure) -> Self:
        built = cls.__new__(cls)
        built._set(actions, inputs, structure)
        return built

    @property
    def actions(self) -> Labels:
        """The names of the actions."""
        return self._actions

    @property
    def inputs(self) -> Labels:
        """The names of the secrets."""
        return self._inputs

    def times(self, labels: Labels, weights: Array) -> LeftFactor:
        """Return what is to be much, times weights[x], as a left factor with x in the order of `labels`."""
        order = aligned(labels, self._inputs, "prior", self._names[0])
        match self._structure:
            case None:
                return Ranks(weights)
            case int(tries):
                return BestInputs(weights, min(tries, labels.size))
            case (top, gain):
                return Lowered(gain.times(labels, weights), weights, top)
            case SparseRows() as rows:
                return Matrix(rows if isinstance(order, slice) else rows.take(order)).scaled(weights)
            case matrix:
                return Matrix(matrix[:, order] if self._sign > 0 else -matrix[:, order]).scaled(weights)

    def to_numpy(self) -> Array:
        """Return the matrix, one row per action."""
        check_fits(self._actions.size, self._inputs.size)
        match self._structure:
            case (top, gain):
                top, gains = unified(np.asarray(top), gain.to_numpy())
                return np.asarray(top - gains)
            case SparseRows() as rows:
                return rows.dense(np.zeros(rows.width, dtype=np.int64), 0, rows.width).T
            case None | int():
                worth = product(self._actions, self._inputs)
                return np.array(list(starmap(self._worth, worth))).reshape(-1, self._inputs.size)
            case matrix:
                return np.array(matrix)

    def _worth(self, action: Any, label: Hashable) -> int:
        """Return what a guess, a set of guesses or an order of guesses is worth for a secret."""
        if self._structure is None:
            return int(action.index(label)) + 1
        return int(label == action if self._actions is self._inputs else label in action)

    def _cell(self, row: int, column: int) -> Number:
        match self._structure:
            case (top, gain):
                return as_number(top) - gain._cell(row, column)
            case SparseRows() as rows:
                return int(row in rows.take(np.array([column])).columns)
            case None | int():
                return self._worth(self._actions[row], self._inputs[column])
            case matrix:
                return as_number(matrix[row, column])

    def to_pandas(self) -> "pd.DataFrame":
        """Return the matrix as a pandas frame, from which the class makes the same again."""
        return to_frame(self.to_numpy(), self._actions, self._inputs)

    @property
    def _axes(self) -> tuple[str, Labels, Labels]:
        actions, inputs = counted(self._actions.size, "action"), counted(self._inputs.size, "input")
        return f"{self._names[0].capitalize()} of {actions} on {inputs}", self._actions, self._inputs


@final
class Gain(Payoff):
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
    _sign = 1

    @property
    def largest(self) -> Number:
        """The largest gain of any action for any secret."""
        match self._structure:
            case SparseRows() as rows:
                constant = constant_of(rows.values)
                return as_number(rows.values.max(initial=0) if constant is None else constant)
            case np.ndarray() as matrix:
                return as_number(matrix.max())
            case _:
                return 1

    @property
    def members(self) -> Array | None:
        """The positions of the actions that earn 1, (secrets, actions), if as many do for each; else None."""
        rows = self._structure
        if not isinstance(rows, SparseRows) or not rows.per_row or constant_of(rows.values) != 1:
            return None
        return rows.columns.reshape(rows.height, -1)

    def __add__(self, right: "Gain") -> "Gain":
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
        if not isinstance(right, Gain):
            return NotImplemented
        order = aligned(self._inputs, right._inputs, "first gain", "second gain")
        check_fits(self._actions.size * right._actions.size, self._inputs.size)
        first, second = same_kind(self.to_numpy(), right.to_numpy())
        table = (first[:, np.newaxis] + second[:, order]).reshape(-1, self._inputs.size)
        return Gain(table, ProductLabels((self._actions, right._actions)), self._inputs)

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
    k = check_whole("the number of tries", k, 1, named.size)
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


@final
class Loss(Payoff):
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
    _sign = -1

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
