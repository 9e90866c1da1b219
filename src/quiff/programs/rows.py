"""From the leaves of a program to a kernel: a background row for everyone, and each secret's own entries.

A leaf is what a path reveals: an output, whose sealed parts stand for all that they may be. Rows are mixtures
of distributions that leaves share, plus entries of their own; what more than half of the rows share becomes
the background. Exact probabilities are whole numbers over one denominator until the end.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import inf, lcm, prod
from typing import Any, NamedTuple, final

import numpy as np

from quiff.core.kernels import Kernel, MapKernel, SparseKernel
from quiff.core.labels import Labels, as_labels
from quiff.core.limits import check_memory, raised, work_allowed
from quiff.core.numbers import Array, filled
from quiff.core.sparse import SparseRows
from quiff.errors import SizeError
from quiff.programs.draws import NUMBERS_A_DRAW, Expand, Options, in_order
from quiff.programs.inputs import Secrets, distinct_key
from quiff.programs.sealed import Sealed, Source, source_of

_WORD = 2**62
_A_NUMBER = 3  # numbers in memory for each entry: its row, its column, its value
BYTES_AN_ENTRY = 8 * _A_NUMBER * 4  # with what is computed of it at once


class _Mark(NamedTuple):
    """A sealed part of an output, by what it stands for."""

    attribute: str | None
    draw: int | None


@final
class Leaf(NamedTuple):
    """What one path reveals, how many draws it has, which attributes it read, and which draws are sealed."""

    output: Any
    draws: int
    reads: frozenset[str]
    open_draws: tuple[tuple[int, Options | None], ...]
    sealed: bool

    def form(self) -> Any:
        """Return the output with marks for its sealed parts, to compare."""
        return _replaced(self.output, lambda source: _Mark(source.attribute, source.draw), tuple)

    def filled(self, drawn: Mapping[int, Any], values: Mapping[str, Any]) -> Any:
        """Return the output with real values for its sealed parts."""
        return _replaced(
            self.output, lambda s: drawn[s.draw] if s.draw is not None else values[s.attribute or ""]
        )


def _replaced(output: Any, by: Callable[[Source], Any], as_set: Callable[..., Any] = frozenset) -> Any:
    if type(output) is Sealed:
        source = source_of(output)
        if source.parts is None:
            return by(source)
        return as_set(_replaced(part, by, as_set) for part in source.parts)
    return tuple(_replaced(part, by, as_set) for part in output) if type(output) is tuple else output


def _sources(output: Any) -> Iterator[Source]:
    source = source_of(output) if type(output) is Sealed else None
    if source is not None and source.parts is None:
        yield source
    elif source is not None or type(output) is tuple:
        for part in output if source is None else source.parts or ():
            yield from _sources(part)


@final
class Rows:
    """The leaves of all paths, added up."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._columns: dict[Hashable, int] = {}
        self._groups: dict[int | None, tuple[Array | None, dict[int, Any]]] = {None: (None, {})}
        self._shared: list[tuple[Array | None, Options, Any]] = []
        self._over: list[tuple[Array | None, str, Expand | None, Any]] = []
        self._known: dict[Any, tuple[list[Options], Options]] = {}  # outputs with sealed parts, written out
        self.runs = 0

    def add(self, leaf: Leaf, rows: Array | None, weight: Any) -> None:
        """Add what a path of some probability reveals of some secrets; None is all of them."""
        if not leaf.sealed:
            self._point(rows, leaf.output, weight)
        elif type(leaf.output) is Sealed and source_of(leaf.output).parts is None:
            source = source_of(leaf.output)
            if source.attribute is None:
                self._shared.append((rows, source.options, weight))
            else:
                self._over.append((rows, source.attribute, source.expand, weight))
        else:
            self._mixed(leaf, rows, weight)

    def _point(self, rows: Array | None, output: Hashable, weight: Any) -> None:
        column = self._columns.setdefault(output, len(self._columns))
        # Groups are known by their arrays, which are kept here, so that no other gets the same id.
        _, masses = self._groups.setdefault(None if rows is None else id(rows), (rows, {}))
        masses[column] = masses.get(column, 0) + weight

    def _mixed(self, leaf: Leaf, rows: Array | None, weight: Any) -> None:
        """Write out an output with several sealed parts, for each of the secrets where it depends on them."""
        sources = {_Mark(s.attribute, s.draw): s for s in _sources(leaf.output)}
        if not sources:  # what is sealed was not shown
            self._point(rows, leaf.output, weight)
            return
        own = any(source.attribute is not None for source in sources.values())
        for group in [np.array([row]) for row in self._all(rows)] if own else [rows]:
            row = 0 if group is None else int(group[0])
            options = [self._options_of(source, row) for source in sources.values()]
            many = prod(len(each.values) for each in options)
            if many * NUMBERS_A_DRAW > work_allowed():
                raise SizeError(
                    "the outputs of one path are too many to list; return less, or raise the limit by"
                    f" {raised('QUIFF_WORK_LIMIT', 1 + many * NUMBERS_A_DRAW / 1e9)}"
                )
            self._shared.append((group, self._written(leaf, list(sources), options), weight))

    def _written(self, leaf: Leaf, marks: list[_Mark], options: list[Options]) -> Options:
        """Return the outputs of a leaf with what its sealed parts may be; the same for the same leaf."""
        key = distinct_key(leaf.form(), 0), *map(id, options)
        if key not in self._known:
            masses: dict[Any, Any] = {}
            listed = [[(v, each.weight(k)) for k, v in enumerate(each.values)] for each in options]
            for chosen in product(*listed):
                taken = dict(zip(marks, (value for value, _ in chosen), strict=True))
                output = _replaced(leaf.output, lambda s: taken[_Mark(s.attribute, s.draw)])  # noqa: B023
                masses[output] = masses.get(output, 0) + prod(part for _, part in chosen)
            # with its options, so that no others get their ids
            self._known[key] = options, Options(tuple(masses), tuple(masses.values()))
        return self._known[key][1]

    def _options_of(self, source: Source, row: int) -> Options:
        """Return what a sealed part may be for a secret."""
        if source.attribute is None:
            return source.options  # type: ignore[no-any-return]
        code = self._secrets.columns[source.attribute].codes[row]
        return Options(self._values(source.attribute, source.expand)[code], None)

    def _values(self, name: str, expand: Expand | None) -> list[tuple[Any, ...]]:
        """Return what an attribute, or a draw over it, may be for each value of the attribute."""
        column = self._secrets.columns[name]
        options = None if expand is None else column.options(expand)
        return [(value,) for value in column.values] if options is None else options

    def _all(self, rows: Array | None) -> Array:
        return np.arange(self._secrets.size) if rows is None else rows

    @property
    def entries(self) -> int:
        """About how many entries the leaves so far mean, but for what most rows share."""
        uses = Counter[int]()
        laws: dict[int, Options] = {}
        for rows, options, _ in self._shared:
            uses[id(options)] += self._all(rows).shape[0]
            laws[id(options)] = options
        groups = len({0 if rows is None else int(rows[0]) for rows, *_ in self._shared})
        shared = sum(
            len(options.values) * (1 if 2 * uses[key] > groups > 1 else uses[key])
            for key, options in laws.items()
        )
        return shared + sum(
            len(masses) * (1 if rows is None else rows.shape[0]) for rows, masses in self._groups.values()
        )

    def check_entries(self, entries: float) -> None:
        """Raise a SizeError if a channel of so many entries fits no memory."""
        check_memory(f"the program's channel has {entries:.3g} entries, which need", _A_NUMBER * int(entries))

    def channel_parts(self, most_exact: float = inf) -> tuple[Labels, Kernel]:
        """Return the outputs in order, and the kernel from secrets to them, in floats if it is large."""
        built = _Built(self)
        return as_labels(built.outputs, "output"), built.kernel(most_exact)


@final
class _Built:
    """The numbers of a kernel: whole, over the denominator `bottom`, or floats."""

    def __init__(self, rows: Rows) -> None:
        columns, groups, shared, over = rows._columns, rows._groups, rows._shared, rows._over
        self._rows, self._size = rows, rows._secrets.size
        lists = {id(options): options for _, options, _ in shared}
        draws = [self._draws(rows._all(who), name, expand) for who, name, expand, _ in over]
        for values in (*(options.values for options in lists.values()), *(v for _, d in draws for v in d)):
            for value in values:
                columns.setdefault(value, len(columns))
        self.outputs = in_order(columns)
        place = {label: position for position, label in enumerate(self.outputs)}
        moved = np.array([place[label] for label in columns], dtype=np.int64)
        self._place, self._width = place, len(place)

        weights = [w for _, masses in groups.values() for w in masses.values()]
        weights += [w for *_, w in shared] + [w for *_, w in over]
        inner = [w for options in lists.values() for w in options.weights or ()]
        sizes = {len(v) for _, d in draws for v in d}
        sizes |= {len(options.values) for options in lists.values() if options.weights is None}
        self.exact = all(isinstance(w, Fraction) for w in (*weights, *inner))
        self._outer = lcm(*(w.denominator for w in weights)) if self.exact else 1
        self._inner = lcm(*(w.denominator for w in inner), *sizes) if self.exact else 1
        self.bottom = self._outer * self._inner
        self._kind: Any = np.float64 if not self.exact else np.int64 if self.bottom < _WORD else object

        self.background = np.zeros(self._width, dtype=self._kind)
        self._entries: list[tuple[Array, Array, Array]] = []
        self._add_points(groups, moved)
        for (who, _, _, weight), (which, options) in zip(over, draws, strict=True):
            self._add_draws(rows._all(who), which, options, weight)
        self._usual = np.zeros(self._width, dtype=self._kind)  # the background of all but the unusual rows
        self._unusual = np.zeros(self._size, dtype=bool)
        if shared:
            self._add_shared(shared, list(lists.values()))

    def _whole(self, weight: Any, bottom: int) -> Any:
        """Return a number as so many parts of one over `bottom`."""
        return weight.numerator * (bottom // weight.denominator) if self.exact else float(weight)

    def _array(self, numbers: list[Any]) -> Array:
        return np.array(numbers, dtype=self._kind)

    def _add_points(self, groups: Mapping[Any, Any], moved: Array) -> None:
        for who, masses in groups.values():
            if not masses:
                continue
            columns = moved[list(masses)]
            numbers = self._array([self._whole(w, self._outer) * self._inner for w in masses.values()])
            if who is None:
                self.background[columns] += numbers
            else:
                n = who.shape[0]
                entries = np.repeat(who, columns.shape[0]), np.tile(columns, n), np.tile(numbers, n)
                self._entries.append(entries)

    def _draws(self, who: Array, name: str, expand: Expand | None) -> tuple[Array, list[tuple[Any, ...]]]:
        """Return the options of a draw over an attribute that some secrets have, and which is whose."""
        codes, which = np.unique(self._rows._secrets.columns[name].codes[who], return_inverse=True)
        values = self._rows._values(name, expand)
        return which.reshape(-1), [values[code] for code in codes.tolist()]

    def _add_draws(self, who: Array, which: Array, values: list[tuple[Any, ...]], weight: Any) -> None:
        """Add a draw, each option with the same probability, over an attribute of each secret."""
        lengths = np.array([len(options) for options in values])
        places = np.array([self._place[value] for options in values for value in options], dtype=np.int64)
        laid = SparseRows(np.r_[0, np.cumsum(lengths)], places, places, self._width)
        taken = laid.take(which)
        mass = self._whole(weight, self._outer)
        sizes = np.unique(lengths)
        numbers = self._array([mass * (self._inner // n) if self.exact else mass / n for n in sizes.tolist()])
        each = np.repeat(numbers[np.searchsorted(sizes, taken.lengths)], taken.lengths)
        self._entries.append((np.repeat(who, taken.lengths), np.asarray(taken.columns), each))

    def _add_shared(self, shared: list[Any], lists: list[Options]) -> None:
        """Add distributions that rows share: to the background where most rows have the same mass of them."""
        number = {id(options): k for k, options in enumerate(lists)}
        who = [self._rows._all(rows) for rows, _, _ in shared]
        sizes = [rows.shape[0] for rows in who]
        which = np.repeat([number[id(options)] for _, options, _ in shared], sizes)
        masses = np.repeat(self._array([self._whole(w, self._outer) for *_, w in shared]), sizes)
        mine = SparseRows.from_entries(np.concatenate(who), which, masses, (self._size, len(lists)))
        laws = self._laws(lists)

        order, starts = mine.by_column
        counts = mine.column_counts[mine.column_counts > 0]
        for start, count in zip(
            starts[2 * counts > self._size], counts[2 * counts > self._size], strict=True
        ):
            held = order[start : start + count]
            found, times = np.unique(mine.values[held], return_counts=True)
            top = int(times.argmax())
            if 2 * times[top] <= self._size:
                continue
            law = laws.take(mine.columns[held[:1]])
            np.add.at(self._usual, law.columns, law.values * found[top])
            has = held[mine.values[held] == found[top]]
            usual = np.zeros(self._size, dtype=bool)
            usual[mine.rows[has]] = True
            self._unusual |= ~usual
            mine.values[has] = -mine.values[has]  # marked: in the background of the usual rows

        apart = np.flatnonzero((mine.values > 0) | self._unusual[mine.rows])
        taken = laws.take(mine.columns[apart])
        wide = int(taken.columns.shape[0] + self._unusual.sum() * np.count_nonzero(self._usual))
        self._rows.check_entries(wide)
        rows = np.repeat(mine.rows[apart].astype(np.int64), taken.lengths)
        each = np.repeat(np.abs(mine.values[apart]), taken.lengths) * taken.values
        self._entries.append((rows, np.asarray(taken.columns, dtype=np.int64), each))
        odd, support = np.flatnonzero(self._unusual), np.flatnonzero(self._usual)
        zeros = np.zeros(odd.shape[0] * support.shape[0], dtype=self._kind)
        self._entries.append((np.repeat(odd, support.shape[0]), np.tile(support, odd.shape[0]), zeros))

    def _laws(self, lists: list[Options]) -> SparseRows:
        """Return the shared distributions as rows; an option may be there twice."""
        starts = np.r_[0, np.cumsum([len(options.values) for options in lists])]
        columns = [self._place[value] for options in lists for value in options.values]
        values = [
            self._whole(options.weight(k), self._inner)
            for options in lists
            for k in range(len(options.values))
        ]
        return SparseRows(starts, np.array(columns, dtype=np.int64), self._array(values), self._width)

    def kernel(self, most_exact: float) -> Kernel:
        """Return the kernel: sparse entries over the background, or a map."""
        background = self.background + self._usual
        if not self._entries:
            return SparseKernel(self._numbers(background), SparseRows.empty(self._size, self._width))
        rows, columns, values = (np.concatenate(parts) for parts in zip(*self._entries, strict=True))
        entries = SparseRows.from_entries(rows, columns, values, (self._size, self._width))
        if entries.per_row == 1 and not background.any():
            return MapKernel(np.asarray(entries.columns), self._width)
        usual = np.where(self._unusual[entries.rows], 0 * entries.values, self._usual[entries.columns])
        found = entries.values + self.background[entries.columns] + usual
        self.exact &= background.shape[0] + found.shape[0] <= most_exact
        return SparseKernel(self._numbers(background), entries.with_values(self._numbers(np.asarray(found))))

    def _numbers(self, array: Array) -> Array:
        """Return fractions, or floats; all the same take the memory of one."""
        found, which = np.unique(array, return_inverse=True)
        if not self.exact:
            found = np.array([k / self.bottom for k in found.tolist()])
        elif self.bottom > 1:
            found = np.array([Fraction(int(k), self.bottom) for k in found] + [None], dtype=object)[:-1]
        return (
            filled(found[0], array.shape[0]) if found.shape[0] == 1 else np.asarray(found[which.reshape(-1)])
        )
