"""What an adversary or an analyst is after: the gain of each action for each secret."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, final

import numpy as np

from quiff.core.composite_labels import SubsetLabels
from quiff.core.display import Shown, frame_labels, to_frame
from quiff.core.factor import BestInputs, LeftFactor, Matrix
from quiff.core.labels import Labels, aligned, as_labels
from quiff.core.limits import check_fits
from quiff.core.numbers import Array, Number, as_number, as_numbers, constant_of, filled
from quiff.core.sparse import SparseRows
from quiff.core.validate import as_codes, cell, check_gains, check_shape, sets_as_entries
from quiff.errors import GainError, LabelError, ParameterError, ShapeError, counted

if TYPE_CHECKING:
    import pandas as pd


@final
class Gain(Shown):
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

    __slots__ = ("_actions", "_inputs", "_structure")

    def __init__(self, rows: object, actions: object = None, inputs: object = None) -> None:
        if actions is None and inputs is None:
            actions, inputs = frame_labels(rows)
        matrix = np.array(as_numbers(rows, error=GainError))
        if matrix.ndim != 2:
            raise ShapeError(f"a gain is a matrix with 2 dimensions, but this array has {matrix.ndim}")
        names = as_labels(range(matrix.shape[0]) if actions is None else actions, "action")
        named = as_labels(range(matrix.shape[1]) if inputs is None else inputs, "input")
        check_shape(matrix.shape, (names.size, named.size), "the matrix of gains")
        check_gains(matrix, lambda place: cell(names[place[0]], named[place[1]]))
        matrix.flags.writeable = False
        self._set(names, named, matrix)

    def _set(self, actions: Labels, inputs: Labels, structure: Array | SparseRows | int) -> None:
        if actions.size == 0 or inputs.size == 0:
            raise LabelError("a gain needs at least one action and one input")
        self._actions, self._inputs, self._structure = actions, inputs, structure

    @classmethod
    def _of(cls, actions: Labels, inputs: Labels, structure: SparseRows | int) -> "Gain":
        gain = cls.__new__(cls)
        gain._set(actions, inputs, structure)
        return gain

    @property
    def actions(self) -> Labels:
        """The names of the actions."""
        return self._actions

    @property
    def inputs(self) -> Labels:
        """The names of the secrets."""
        return self._inputs

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

    def to_pandas(self) -> "pd.DataFrame":
        """Return the matrix as a pandas frame; ``Gain(frame)`` is the way back."""
        return to_frame(self.to_numpy(), self._actions, self._inputs)

    @property
    def _axes(self) -> tuple[str, Labels, Labels]:
        actions, inputs = counted(self._actions.size, "action"), counted(self._inputs.size, "input")
        return f"Gain of {actions} on {inputs}", self._actions, self._inputs

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
        raise ParameterError(f"the number of tries is {k!r}, but must lie between 1 and {named.size}")
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
    """Return the same from an integer array with one row per input: the way that scales."""
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
