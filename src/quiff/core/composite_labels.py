"""Labels made of other labels, lazily: tuples, tagged unions, all subsets of one size, all orders."""

from collections import Counter
from collections.abc import Hashable, Iterator
from itertools import combinations, permutations, product
from math import comb, factorial, prod
from typing import final

import numpy as np

from quiff.core.labels import Labels, same
from quiff.errors import SizeError

_MOST_FACTORS = 10_000  # whose labels are looked up one by one, as numbers of so many digits
_MOST_ORDERED = 10_000


@final
class ProductLabels(Labels):
    """Tuples with one label from each factor, the last one running fastest."""

    def __init__(self, factors: tuple[Labels, ...]) -> None:
        self.factors = factors
        times = Counter(factor.size for factor in factors)
        self.size = prod(size**count for size, count in times.items())  # quick even for a million factors

    def _label(self, position: int) -> tuple[Hashable, ...]:
        if len(self.factors) > _MOST_FACTORS:
            raise SizeError(f"a label with {len(self.factors)} parts takes too long to write out")
        parts: list[Hashable] = []
        for factor in reversed(self.factors):
            position, within = divmod(position, factor.size)
            parts.append(factor[within])
        return tuple(reversed(parts))

    def _find(self, label: Hashable) -> int | None:
        if not isinstance(label, tuple) or len(label) != len(self.factors):
            return None
        if len(self.factors) > _MOST_FACTORS:
            raise SizeError(f"a label with {len(self.factors)} parts takes too long to look up")
        position = 0
        for factor, part in zip(self.factors, label, strict=True):
            within = factor._find_any(part)
            if within is None:
                return None
            position = position * factor.size + within
        return position

    def _same_as(self, second: Labels) -> bool:
        if isinstance(second, ProductLabels) and len(self.factors) == len(second.factors):
            return all(map(same, self.factors, second.factors))
        return super()._same_as(second)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(product(*self.factors))


@final
class TaggedLabels(Labels):
    """A disjoint union: the labels of part i as pairs (i, label)."""

    def __init__(self, parts: tuple[Labels, ...]) -> None:
        self.parts = parts
        self._ends = np.cumsum([part.size for part in parts])
        self.size = int(self._ends[-1])

    def _label(self, position: int) -> tuple[int, Hashable]:
        tag = int(np.searchsorted(self._ends, position, side="right"))
        start = self._ends[tag - 1] if tag else 0
        return tag, self.parts[tag][int(position - start)]

    def _find(self, label: Hashable) -> int | None:
        if not isinstance(label, tuple) or len(label) != 2 or label[0] not in range(len(self.parts)):
            return None
        within = self.parts[label[0]]._find_any(label[1])
        start = int(self._ends[label[0] - 1]) if label[0] else 0
        return None if within is None else start + within


@final
class SubsetLabels(Labels):
    """All subsets of k labels, in lexicographic order."""

    def __init__(self, labels: Labels, k: int) -> None:
        self._of, self._k = labels, k
        self.size = comb(self._of.size, self._k)

    def _label(self, position: int) -> frozenset[Hashable]:
        chosen, start = [], 0
        for left in range(self._k, 0, -1):
            while (after := comb(self._of.size - start - 1, left - 1)) <= position:
                position, start = position - after, start + 1
            chosen.append(self._of[start])
            start += 1
        return frozenset(chosen)

    def _find(self, label: Hashable) -> int | None:
        if not isinstance(label, frozenset) or len(label) != self._k:
            return None
        places = [self._of._find_any(part) for part in label]
        if None in places:
            return None
        position, start = 0, 0
        result = sorted(place for place in places if place is not None)
        for left, place in zip(range(self._k, 0, -1), result, strict=True):
            position += sum(comb(self._of.size - i - 1, left - 1) for i in range(start, place))
            start = place + 1
        return position

    def __iter__(self) -> Iterator[Hashable]:
        return map(frozenset, combinations(self._of, self._k))


@final
class OrderLabels(Labels):
    """All orders of some labels, as tuples, in lexicographic order."""

    def __init__(self, labels: Labels) -> None:
        self._of = labels
        self.size = factorial(min(self._of.size, _MOST_ORDERED))  # of more, nobody counts the orders

    def _label(self, position: int) -> tuple[Hashable, ...]:
        left, order = list(self._of), []
        while left:
            place, position = divmod(position, factorial(len(left) - 1))
            order.append(left.pop(place))
        return tuple(order)

    def _find(self, label: Hashable) -> int | None:
        if not isinstance(label, tuple) or len(label) != self._of.size or len(set(label)) < len(label):
            return None
        position, left = 0, list(range(self._of.size))
        for part in label:
            place = self._of._find_any(part)
            if place is None:
                return None
            position += left.index(place) * factorial(len(left) - 1)
            left.remove(place)
        return position

    def __iter__(self) -> Iterator[Hashable]:
        return permutations(self._of)
