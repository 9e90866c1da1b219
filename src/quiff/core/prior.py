"""What an adversary knows beforehand: a probability for each secret."""

from collections.abc import Hashable, Iterator, Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any, final

import numpy as np

from quiff.core.display import Shown, to_index
from quiff.core.labels import Labels, aligned, as_labels, by_label
from quiff.core.numbers import (
    SMALL,
    Array,
    Number,
    as_fractions,
    as_number,
    as_numbers,
    check_unmasked,
    constant_of,
    filled,
    is_exact,
    quotient,
)
from quiff.core.validate import check_probabilities, check_shape, check_sums
from quiff.errors import LabelError, ProbabilityError, SizeError, counted, needed

if TYPE_CHECKING:
    import pandas as pd

_NO_MAPPING = (
    "a prior needs a mapping from label to number, not a {}; "
    "for arrays use Prior.from_array(labels, numbers), for a pandas Series Prior.from_pandas(series)"
)


@final
class Prior(Shown):
    """A probability distribution on labels, written pi in formulas.

    Parameters
    ----------
    probabilities
        A mapping from label to probability; the probabilities sum to 1.

    Examples
    --------
    >>> from fractions import Fraction
    >>> coin = Prior({"heads": Fraction(2, 3), "tails": Fraction(1, 3)})
    >>> coin["heads"]
    Fraction(2, 3)
    >>> Prior({"heads": 0.5, "tails": 0.4})
    Traceback (most recent call last):
    ...
    quiff.errors.ProbabilityError: the prior sums to 0.9, not to 1
    """

    __slots__ = ("_labels", "_total", "_weights")

    def __init__(self, probabilities: Mapping[Any, Any]) -> None:
        labels, numbers = _by_name(probabilities)
        self._set(labels, _checked(labels, numbers), 1)

    def _set(self, labels: Labels, weights: Array, total: int) -> None:
        weights.flags.writeable = False
        self._labels, self._weights, self._total = labels, weights, total

    @classmethod
    def _of(cls, labels: Labels, weights: Array, total: int) -> "Prior":
        prior = cls.__new__(cls)
        prior._set(labels, weights, total)
        return prior

    @classmethod
    def uniform(cls, labels: object) -> "Prior":
        """Return the prior that gives the same probability to each of the labels.

        Examples
        --------
        >>> Prior.uniform(range(4))[3]
        Fraction(1, 4)
        """
        named = as_labels(labels)
        _check_some(named)
        if named.size >= 2**63:
            raise SizeError(f"a prior on 2^{named.size.bit_length() - 1} labels is more than can be counted")
        return cls._of(named, filled(np.int64(1), named.size), named.size)

    @classmethod
    def from_counts(cls, counts: Mapping[Any, int]) -> "Prior":
        """Return the prior proportional to whole numbers: how often each label was seen.

        Examples
        --------
        >>> Prior.from_counts({"a": 3, "b": 1})["a"]
        Fraction(3, 4)
        """
        if not isinstance(counts, Mapping):
            raise LabelError(_NO_MAPPING.format(type(counts).__name__))
        return cls.from_count_array(counts, np.array(list(counts.values()), dtype=object))

    @classmethod
    def from_count_array(cls, labels: object, counts: Array) -> "Prior":
        """Return the prior proportional to an array of whole numbers, one per label, in the same order."""
        check_unmasked(counts)
        named = as_labels(labels)
        array = np.asarray(by_label(counts, named, "prior", "counts"))
        _check_some(named)
        check_shape(array.shape, (named.size,), "the array of counts")
        if array.dtype.kind not in "biu":
            _check_whole_counts(named, array)
        if (array < 0).any():
            first = int(np.argmax(array < 0))
            raise ProbabilityError(
                what=f"the count of {named[first]!r}", value=int(array[first]), allowed="at least 0"
            )
        # Python's own integers where a word might not hold the sum.
        small = array.dtype != object and int(array.max()) * array.size < 2**63
        total = int(array.sum()) if small else sum(map(int, array.tolist()))
        if total == 0:
            raise ProbabilityError("all counts are 0; at least one label must have been seen")
        return cls._of(named, array.astype(np.int64 if total < SMALL else object), total)

    @classmethod
    def from_array(cls, labels: object, probabilities: object) -> "Prior":
        """Return the prior with an array of probabilities, one per label, in the same order or by name."""
        named = as_labels(labels)
        listed = by_label(probabilities, named, "prior", "probabilities")
        return cls._of(named, _checked(named, np.array(as_numbers(listed))), 1)

    @classmethod
    def point(cls, labels: object, label: Hashable) -> "Prior":
        """Return the prior that is sure of one of the labels."""
        named = as_labels(labels)
        weights = np.zeros(named.size, dtype=np.int64)
        weights[named.position(label)] = 1
        return cls._of(named, weights, 1)

    @classmethod
    def proportional(cls, weights: Mapping[Any, Any]) -> "Prior":
        """Return the prior proportional to numbers that are not negative.

        Examples
        --------
        >>> Prior.proportional({"a": 1.5, "b": 0.5})["a"]
        0.75
        """
        labels, numbers = _by_name(weights)
        check_probabilities(numbers, lambda place: f"the weight of {labels[place[0]]!r}")
        if not numbers.any():
            raise ProbabilityError("all weights are 0; at least one label must have some")
        return cls.from_array(labels, quotient(numbers, np.asarray(numbers.sum())))

    @classmethod
    def nearest(cls, numbers: Mapping[Any, Any]) -> "Prior":
        """Return the prior nearest to any numbers, by the sum of squares: what is too small becomes 0.

        For estimates that should be a distribution and are not quite.

        Examples
        --------
        >>> Prior.nearest({"a": 0.75, "b": 0.5, "c": -0.25}).to_numpy().tolist()
        [0.625, 0.375, 0.0]
        """
        labels, values = _by_name(numbers)
        if not is_exact(values) and not np.isfinite(values).all():
            raise ProbabilityError("numbers near a prior must be finite")
        values = as_fractions(values) if is_exact(values) else values
        falling = np.sort(values)[::-1]
        above = (np.cumsum(falling) - 1) / np.arange(1, labels.size + 1).astype(values.dtype)
        level = above[np.flatnonzero(falling > above)[-1]]  # what is above it sums to 1
        return cls.from_array(labels, np.maximum(values - level, 0 * level))

    @classmethod
    def from_pandas(cls, series: "pd.Series[Any]") -> "Prior":
        """Return the prior with a pandas Series' probabilities, named by its index.

        Whole numbers that do not sum to 1 are taken as counts, such as those of ``value_counts()``.
        """
        array = series.to_numpy()
        if array.dtype.kind in "iu" and array.sum() != 1:
            return cls.from_count_array(series.index.tolist(), array)
        return cls.from_array(series.index.tolist(), array)

    @property
    def labels(self) -> Labels:
        """The secrets."""
        return self._labels

    @property
    def exact(self) -> bool:
        """Whether all probabilities are exact."""
        return is_exact(self._weights)

    def weights_for(self, labels: Labels, owner: str) -> tuple[Array, int]:
        """Return weights in the order of the given labels, and the number to divide them by."""
        order = aligned(labels, self._labels, owner, "prior")
        constant = constant_of(self._weights) is not None
        return self._weights if constant else self._weights[order], self._total

    def to_numpy(self) -> Array:
        """Return the probabilities as an array of floats or, if exact, of fractions."""
        if self.exact:
            return np.array([as_number(weight, self._total) for weight in self._weights.tolist()])
        return np.array(self._weights)

    def to_pandas(self) -> "pd.Series[Any]":
        """Return the probabilities as a pandas Series."""
        pandas = needed("pandas", "pandas", "a series")
        series: pd.Series[Any] = pandas.Series(self.to_numpy(), index=to_index(self._labels))
        return series

    def keys(self) -> Labels:
        """Return the labels, so that ``dict(prior)`` works."""
        return self._labels

    def __contains__(self, label: object) -> bool:
        return label in self._labels

    def items(self) -> Iterator[tuple[Hashable, Number]]:
        """Yield each label with its probability."""
        return zip(self._labels, (as_number(w, self._total) for w in self._weights.tolist()), strict=True)

    def __getitem__(self, label: Hashable) -> Number:
        return as_number(self._weights[self._labels.position(label)], self._total)

    def __len__(self) -> int:
        return self._labels.size

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._labels)

    @property
    def _axes(self) -> tuple[str, Labels, list[str]]:
        return f"Prior on {counted(len(self), 'label')}", self._labels, ["p"]

    def _cell(self, row: int, column: int) -> Number:  # noqa: ARG002 - there is one column
        return as_number(self._weights[row], self._total)


def _by_name(numbers: Mapping[Any, Any]) -> tuple[Labels, Array]:
    """Return the labels and the numbers of a mapping."""
    if not isinstance(numbers, Mapping):
        raise LabelError(_NO_MAPPING.format(type(numbers).__name__))
    return as_labels(numbers), as_numbers(list(numbers.values()))


def _checked(labels: Labels, probabilities: Array) -> Array:
    _check_some(labels)
    check_shape(probabilities.shape, (labels.size,), "the array of probabilities")
    check_probabilities(probabilities, lambda place: f"the probability of {labels[place[0]]!r}")
    check_sums(lambda: np.atleast_1d(probabilities.sum()), lambda _: "the prior")
    return probabilities


def _check_some(labels: Labels) -> None:
    if labels.size == 0:
        raise LabelError("a prior needs at least one label")


def _check_whole_counts(labels: Labels, counts: Array) -> None:
    """Raise a ProbabilityError unless all counts are whole numbers; it quotes the first that is none."""
    rest = [k for k, count in enumerate(counts) if not isinstance(count, Integral)]
    if not rest:
        return
    broken = next((k for k in rest if not _is_whole(counts[k])), rest[0])
    count = counts[broken].item() if isinstance(counts[broken], np.generic) else counts[broken]
    kind = f", a {type(count).__name__}" if _is_whole(count) else ""
    raise ProbabilityError(
        f"the count of {labels[broken]!r} is {count!r}{kind}, but counts are whole numbers; "
        "for probabilities use Prior(mapping)"
    )


def _is_whole(count: Any) -> bool:
    try:
        return bool(int(count) == count)
    except (TypeError, ValueError, OverflowError):
        return False
