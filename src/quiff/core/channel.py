"""A system as an information channel: from secret inputs to observable outputs."""

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, final

import numpy as np

from quiff.core.display import Shown, in_order, to_frame
from quiff.core.kernels import DenseKernel, Kernel, MapKernel, SparseKernel, cascade
from quiff.core.labels import Labels, aligned, as_labels, by_label, check_hashable, own_names, same
from quiff.core.limits import check_fits, check_memory
from quiff.core.numbers import Array, Number, as_number, as_numbers, constant_of, filled, is_exact, quotient
from quiff.core.prior import Prior
from quiff.core.sparse import SparseRows
from quiff.core.validate import as_codes, cell, check_probabilities, check_shape, check_sums, sets_as_entries
from quiff.errors import LabelError, ParameterError, ProbabilityError, ShapeError, counted

if TYPE_CHECKING:
    import pandas as pd

_NO_MAP = "a map is a mapping from input to output, not a {}; take its to_dict()"
_PER_OUTPUT = 2  # arrays of as many numbers as there are outputs, more than of other sizes


@final
class Channel(Shown):
    """A stochastic matrix with named rows (inputs) and named columns (outputs).

    Parameters
    ----------
    rows
        The matrix: C[x, y] is the probability of output y given input x. A two-dimensional array or nested
        lists. All integers and fractions makes the channel exact.
    inputs, outputs
        The names of rows and columns; by default those of a pandas frame, else 0, 1, 2, ...

    Examples
    --------
    >>> from fractions import Fraction
    >>> half = Fraction(1, 2)
    >>> C = Channel([[1, 0], [half, half]], inputs=["Alice", "Bob"], outputs=["News", "Sports"])
    >>> C
    Channel from 2 inputs to 2 outputs
           News  Sports
    Alice  1     0
    Bob    1/2   1/2
    >>> C["Bob", "Sports"]
    Fraction(1, 2)
    >>> Channel([[0.5, 0.4]], inputs=["Alice"], outputs=["News", "Sports"])
    Traceback (most recent call last):
    ...
    quiff.errors.ProbabilityError: the row of 'Alice' sums to 0.9, not to 1
    """

    __slots__ = ("_inputs", "_kernel", "_outputs", "_slack")

    def __init__(self, rows: object, inputs: object = None, outputs: object = None) -> None:
        rows, inputs, outputs = in_order(rows, inputs, outputs, ("input", "output"))
        matrix = np.array(as_numbers(rows))
        if matrix.ndim != 2:
            raise ShapeError(what="the number of dimensions of a channel", value=matrix.ndim, allowed="2")
        named = _labels(inputs, matrix.shape[0], "input")
        columns = _labels(outputs, matrix.shape[1], "output")
        check_shape(matrix.shape, (named.size, columns.size), "the matrix")
        check_probabilities(matrix, lambda place: cell(named[place[0]], columns[place[1]]))
        check_sums(lambda: matrix.sum(axis=1), lambda row: f"the row of {named[row]!r}")
        matrix.flags.writeable = False
        self._set(named, columns, DenseKernel(matrix))

    def _set(self, inputs: Labels, outputs: Labels, kernel: Kernel, slack: float = 1.0) -> None:
        if inputs.size == 0:
            raise LabelError("a channel needs at least one input")
        self._inputs, self._outputs, self._kernel, self._slack = inputs, outputs, kernel, slack

    @classmethod
    def from_kernel(cls, inputs: Labels, outputs: Labels, kernel: Kernel, slack: float = 1.0) -> "Channel":
        """Return a channel on a kernel that is known to be right; for quiff's own use."""
        channel = cls.__new__(cls)
        channel._set(inputs, outputs, kernel, slack)
        return channel

    def with_slack(self, slack: float) -> "Channel":
        """Return the channel as one whose outputs were cut into cells, with a bound on what that hides.

        Where the density of the true outputs lies within a factor `slack` of its mean in every cell, the true
        vulnerability, for any prior and gain, lies between the channel's own and `slack` times that.
        Compositions carry the bound along: the slacks of channels that are seen together multiply.

        Examples
        --------
        >>> from quiff import parallel
        >>> C = Channel([[0.75, 0.25], [0.25, 0.75]]).with_slack(1.5)
        >>> parallel(C, C).slack, (C @ Channel.identity([0, 1])).slack
        (2.25, 1.5)

        Raises
        ------
        ParameterError
            If it is below 1.
        """
        if not slack >= 1:
            raise ParameterError(what="slack", value=slack, allowed="a number of at least 1")
        return Channel.from_kernel(self._inputs, self._outputs, self._kernel, float(slack))

    @classmethod
    def deterministic(cls, mapping: Mapping[Any, Any], outputs: object = None) -> "Channel":
        """Return the channel that gives each input its one output.

        Examples
        --------
        >>> Channel.deterministic({"Alice": "odd", "Bob": "even", "Carol": "odd"})
        Channel from 3 inputs to 2 outputs
               odd  even
        Alice  1    0
        Bob    0    1
        Carol  1    0
        """
        if not isinstance(mapping, Mapping):
            raise LabelError(_NO_MAP.format(type(mapping).__name__))
        if outputs is None:
            check_hashable(mapping.values(), "output")
            outputs = dict.fromkeys(mapping.values())
        named = as_labels(outputs, "output")
        codes = named.positions(mapping.values(), "output")
        return cls.from_kernel(as_labels(mapping, "input"), named, MapKernel(codes, named.size))

    @classmethod
    def deterministic_from_codes(cls, inputs: object, codes: object, outputs: object) -> "Channel":
        """Return the channel that gives input i the output at position ``codes[i]``; for large inputs."""
        named, columns = as_labels(inputs, "input"), as_labels(outputs, "output")
        array = as_codes(by_label(codes, named, "inputs", "codes"), (named.size,), columns.size)
        return cls.from_kernel(named, columns, MapKernel(array, columns.size))

    @classmethod
    def identity(cls, labels: object) -> "Channel":
        """Return the channel that tells everything: every input is its own output."""
        named = as_labels(labels)
        check_fits(1, named.size)
        return cls.from_kernel(named, named, MapKernel(np.arange(named.size), named.size))

    @classmethod
    def constant(cls, row: object, inputs: object, outputs: object = None) -> "Channel":
        """Return the channel that tells nothing: the same row for every input.

        Examples
        --------
        >>> Channel.constant([0.25, 0.75], inputs=["Alice", "Bob"], outputs=["News", "Sports"])
        Channel from 2 inputs to 2 outputs
               News  Sports
        Alice  0.25  0.75
        Bob    0.25  0.75
        """
        if (names := own_names(row)) is not None:
            outputs = names if outputs is None else as_labels(outputs, "output")
            row = by_label(row, outputs, "outputs", "row")
        named, background = as_labels(inputs, "input"), np.array(as_numbers(row))
        if background.ndim != 1:
            raise ShapeError(
                what="the number of dimensions of a constant row", value=background.ndim, allowed="1"
            )
        columns = _labels(outputs, background.shape[0], "output")
        return cls._over(named, columns, background, SparseRows.empty(named.size, columns.size))

    @classmethod
    def proportional(cls, rows: object, inputs: object = None, outputs: object = None) -> "Channel":
        """Return the channel whose rows are proportional to those of a matrix without negative numbers."""
        rows, inputs, outputs = in_order(rows, inputs, outputs, ("input", "output"))
        matrix = np.array(as_numbers(rows))
        sums = matrix.sum(axis=-1, keepdims=True)
        if not np.all(sums > 0):
            raise ProbabilityError("every row needs numbers that are not negative and not all 0")
        return cls(quotient(matrix, sums), inputs, outputs)

    @classmethod
    def membership(
        cls, sets: Mapping[Any, Iterable[Any]], outputs: object, inside: Any, outside: Any
    ) -> "Channel":
        """Return the channel that shows each topic of a set with one probability, any other with another.

        Parameters
        ----------
        sets
            A mapping from input to its topics.
        outputs
            All topics.
        inside, outside
            p and q: C[x, t] = p if t is in the set of x, else q.

        Examples
        --------
        >>> sets = {"Alice": {"News", "Music"}, "Bob": {"News", "Sports"}}
        >>> Channel.membership(sets, outputs=["Music", "News", "Sports"], inside=0.4, outside=0.2)
        Channel from 2 inputs to 3 outputs
               Music  News  Sports
        Alice  0.4    0.4   0.2
        Bob    0.2    0.4   0.4
        """
        named, columns = as_labels(sets, "input"), as_labels(outputs, "output")
        starts, codes = sets_as_entries(sets, columns)
        return cls._members(named, columns, SparseRows(starts, codes, codes, columns.size), inside, outside)

    @classmethod
    def membership_from_codes(
        cls, labels: object, codes: object, outputs: object, inside: Any, outside: Any
    ) -> "Channel":
        """Return a membership channel from an integer array with one row per input; for large inputs.

        Parameters
        ----------
        labels
            The inputs.
        codes
            An integer array (inputs, s): row i holds the positions in `outputs` of the topics of input i.
        outputs, inside, outside
            As for `membership`.

        Examples
        --------
        >>> import numpy as np
        >>> users, codes = range(200_000), np.arange(600_000).reshape(200_000, 3) % 349
        >>> Channel.membership_from_codes(users, codes, outputs=range(349), inside=1/3, outside=0)
        <Channel from 200000 inputs to 349 outputs: 600000 entries over a background row>
        """
        named, columns = as_labels(labels, "input"), as_labels(outputs, "output")
        array = as_codes(codes, (named.size, None), columns.size, named)
        members = SparseRows.rectangular(array, np.int64(1), columns.size)
        return cls._members(named, columns, members, inside, outside)

    @classmethod
    def _members(
        cls, inputs: Labels, outputs: Labels, members: SparseRows, inside: Any, outside: Any
    ) -> "Channel":
        pair = as_numbers([inside, outside])
        names = ("the probability inside", "the probability outside")
        check_probabilities(pair, lambda place: names[place[0]])
        p, q = pair
        entries = members.with_values(filled(p, members.columns.shape[0]))
        return cls._over(inputs, outputs, filled(q, outputs.size), entries)

    @classmethod
    def sparse(cls, entries: Mapping[Any, Mapping[Any, Any]], outputs: object, rest: Any = 0) -> "Channel":
        """Return a channel of which only some entries are given, and every other is the same number.

        Parameters
        ----------
        entries
            A mapping from input to a mapping from output to probability.
        outputs
            All outputs.
        rest
            The probability of every entry that is not given.

        Examples
        --------
        >>> Channel.sparse({"Alice": {"News": 0.75}, "Bob": {}}, outputs=["News", "Sports"], rest=0.5)
        Traceback (most recent call last):
        ...
        quiff.errors.ProbabilityError: the row of 'Alice' sums to 1.25, not to 1
        """
        named, columns = as_labels(entries, "input"), as_labels(outputs, "output")
        starts, codes = sets_as_entries(entries, columns)
        numbers = as_numbers([rest, *(value for row in entries.values() for value in row.values())])
        background = filled(numbers[0], columns.size)
        return cls._over(named, columns, background, SparseRows(starts, codes, numbers[1:], columns.size))

    @classmethod
    def _over(cls, inputs: Labels, outputs: Labels, background: Array, entries: SparseRows) -> "Channel":
        """Check and return entries over a background row."""
        check_memory(
            f"the probabilities of {counted(outputs.size, 'output')} need", _PER_OUTPUT * outputs.size
        )
        check_shape(background.shape, (outputs.size,), "the background row")
        kernel = SparseKernel(background, entries)
        entries = kernel.entries
        check_probabilities(kernel.background, lambda place: f"the background of {outputs[place[0]]!r}")
        check_probabilities(
            entries.values[:1] if constant_of(entries.values) is not None else entries.values,
            lambda place: cell(inputs[int(entries.rows[place])], outputs[int(entries.columns[place])]),
        )
        check_sums(kernel.row_sums, lambda row: f"the row of {inputs[row]!r}")
        return cls.from_kernel(inputs, outputs, kernel)

    @property
    def inputs(self) -> Labels:
        """The names of the rows."""
        return self._inputs

    @property
    def outputs(self) -> Labels:
        """The names of the columns."""
        return self._outputs

    @property
    def codes(self) -> Array | None:
        """The position of each input's output, if it has only one: the channel is then a function.

        Examples
        --------
        >>> Channel.deterministic({"Ann": "Art", "Bob": "News", "Cem": "Art"}).codes.tolist()
        [0, 1, 0]
        """
        return None if self._kernel.codes is None else np.asarray(self._kernel.codes)

    @property
    def kernel(self) -> Kernel:
        """How the numbers are held; for quiff's own use."""
        return self._kernel

    def kernel_for(self, labels: Labels, owner: str, name: str) -> Kernel:
        """Return the kernel with its rows in the order of an owner's labels; for quiff's own use."""
        order = aligned(labels, self._inputs, owner, name)
        return self._kernel if isinstance(order, slice) else self._kernel.take_rows(order)

    @property
    def slack(self) -> float:
        """By which factor cutting outputs into cells may hide leakage; 1 if nothing was cut."""
        return self._slack

    @property
    def exact(self) -> bool:
        """Whether all numbers are integers or fractions."""
        return self._kernel.exact

    def __getitem__(self, place: tuple[Hashable, Hashable]) -> Number:
        if not isinstance(place, tuple) or len(place) != 2:
            raise LabelError(
                what="a place in a channel", value=place, allowed="a pair, as in C[input, output]"
            )
        x, y = place
        return self._cell(self._inputs.position(x, "input"), self._outputs.position(y, "output"))

    def row(self, label: Hashable) -> Prior:
        """Return the distribution of the outputs for one input."""
        index = np.array([self._inputs.position(label, "input")])
        return Prior.from_array(self._outputs, self._kernel.take_rows(index).to_dense()[0])

    def sample(self, inputs: Iterable[Hashable], seed: int | np.random.Generator) -> list[Hashable]:
        """Draw an output for each of some inputs, which may come again.

        Examples
        --------
        >>> C = Channel.membership({"Alice": {1, 2}, "Bob": {2, 3}}, [1, 2, 3], inside=0.5, outside=0)
        >>> C.sample(["Alice", "Bob", "Alice"], seed=0)
        [1, 3, 2]
        """
        rows = self._inputs.positions(inputs, "input")
        return [self._outputs[int(y)] for y in self._kernel.sample(rows, np.random.default_rng(seed))]

    def __matmul__(self, right: "Channel") -> "Channel":
        """Return the cascade C @ D: D works on what C puts out. C's outputs are among D's inputs."""
        if not isinstance(right, Channel):
            return NotImplemented
        second = right._kernel
        if not same(self._outputs, right._inputs):
            second = second.take_rows(right._inputs.positions(self._outputs, "input of the second channel"))
        kernel, slack = cascade(self._kernel, second), self._slack * right._slack
        return Channel.from_kernel(self._inputs, right._outputs, kernel, slack)

    def __rmatmul__(self, prior: Prior) -> Prior:
        """Return the distribution of the outputs, pi @ C."""
        if not isinstance(prior, Prior):
            return NotImplemented
        weights, total = prior.weights_for(self._inputs, "channel")
        marginal = self._kernel.left_multiply(weights[np.newaxis, :])[0]
        if is_exact(marginal) and marginal.dtype != object:
            return Prior.from_count_array(self._outputs, marginal)
        return Prior.from_array(self._outputs, quotient(marginal, np.asarray(total)))

    def distinct_rows(self) -> tuple["Channel", "Channel"]:
        """Return a map M and a channel D whose rows all differ, such that this channel is M @ D.

        Examples
        --------
        >>> M, D = Channel([[1, 0], [0, 1], [1, 0]], inputs=["Alice", "Bob", "Carol"]).distinct_rows()
        >>> M.outputs, D.inputs
        (Labels(0, 1; 2), Labels(0, 1; 2))
        """
        first, kind = self._kernel.distinct_rows()
        kinds = as_labels(range(first.shape[0]))
        mapped = MapKernel(kind, first.shape[0])
        return (
            Channel.from_kernel(self._inputs, kinds, mapped),
            Channel.from_kernel(kinds, self._outputs, self._kernel.take_rows(first), self._slack),
        )

    def to_numpy(self) -> Array:
        """Return the matrix: of floats or, if the channel is exact, of fractions or of whole numbers."""
        return np.array(self._kernel.to_dense())

    def to_pandas(self) -> "pd.DataFrame":
        """Return the matrix as a pandas frame with the labels as its index and columns.

        ``Channel(frame)`` is the way back.
        """
        return to_frame(self.to_numpy(), self._inputs, self._outputs)

    @property
    def _axes(self) -> tuple[str, Labels, Labels]:
        inputs, outputs = counted(self._inputs.size, "input"), counted(self._outputs.size, "output")
        return f"Channel from {inputs} to {outputs}", self._inputs, self._outputs

    def _cell(self, row: int, column: int) -> Number:
        taken = self._kernel.take_rows(np.array([row]))
        return as_number(taken.columns(column, column + 1)[0, 0])

    def __repr__(self) -> str:
        text = super().__repr__()
        return f"{text[:-1]}: {self._kernel.summary}>" if text.startswith("<") else text


def _labels(source: object, size: int, what: str) -> Labels:
    return as_labels(range(size) if source is None else source, what)
