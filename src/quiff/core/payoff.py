"""What actions are worth for secrets: the matrix that a gain and a loss share, one row per action."""

from typing import TYPE_CHECKING, ClassVar, Generic, Self, TypeVar

import numpy as np

from quiff.core.display import Shown, in_order, to_frame
from quiff.core.labels import Labels, as_labels
from quiff.core.numbers import as_numbers
from quiff.core.validate import cell, check_gains, check_shape
from quiff.errors import GainError, LabelError, ShapeError, counted

if TYPE_CHECKING:
    import pandas as pd

_Structure = TypeVar("_Structure")


class Payoff(Shown, Generic[_Structure]):
    """A number, finite and not negative, for each action and secret; how they are held is up to the kind."""

    __slots__ = ("_actions", "_inputs", "_structure")
    _names: ClassVar[tuple[str, str]]  # of one, and of several

    def __init__(self, rows: object, actions: object = None, inputs: object = None) -> None:
        one, several = self._names
        rows, actions, inputs = in_order(rows, actions, inputs, ("action", "input"))
        matrix = np.array(as_numbers(rows, error=GainError))
        if matrix.ndim != 2:
            raise ShapeError(what=f"the number of dimensions of a {one}", value=matrix.ndim, allowed="2")
        names = as_labels(range(matrix.shape[0]) if actions is None else actions, "action")
        named = as_labels(range(matrix.shape[1]) if inputs is None else inputs, "input")
        check_shape(matrix.shape, (names.size, named.size), f"the matrix of {several}")
        check_gains(matrix, lambda place: cell(names[place[0]], named[place[1]]), f"a {one}")
        matrix.flags.writeable = False
        self._set(names, named, matrix)  # type: ignore[arg-type]  # every kind may hold a matrix

    def _set(self, actions: Labels, inputs: Labels, structure: _Structure) -> None:
        if actions.size == 0 or inputs.size == 0:
            raise LabelError(f"a {self._names[0]} needs at least one action and one input")
        self._actions, self._inputs, self._structure = actions, inputs, structure

    @classmethod
    def _of(cls, actions: Labels, inputs: Labels, structure: _Structure) -> Self:
        made = cls.__new__(cls)
        made._set(actions, inputs, structure)
        return made

    @property
    def actions(self) -> Labels:
        """The names of the actions."""
        return self._actions

    @property
    def inputs(self) -> Labels:
        """The names of the secrets."""
        return self._inputs

    def to_pandas(self) -> "pd.DataFrame":
        """Return the matrix as a pandas frame, from which the class makes the same again."""
        return to_frame(self.to_numpy(), self._actions, self._inputs)

    @property
    def _axes(self) -> tuple[str, Labels, Labels]:
        actions, inputs = counted(self._actions.size, "action"), counted(self._inputs.size, "input")
        return f"{self._names[0].capitalize()} of {actions} on {inputs}", self._actions, self._inputs
