"""One run of a function along a path: which option each draw took, and which values the attributes have.

A run that meets a new choice takes its first option and leaves the others for later; a sealed value is
branched on only when it is looked at.
"""

import reprlib
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, final

from quiff.core.numbers import Array
from quiff.errors import LabelError, QuiffError, SizeError, first_line
from quiff.programs.draws import MOST_DRAWS, Draw, Expand, Options
from quiff.programs.fold import Inner, folded, hashable
from quiff.programs.function import NeedsAttribute
from quiff.programs.inputs import WHOLE, Record
from quiff.programs.rows import Leaf
from quiff.programs.sealed import Doubt, Fail, Look, Sealed, Source, Stop, one_plain_type, source_of

if TYPE_CHECKING:
    from quiff.programs.engine import Enumeration

LAST = 2**31 - 1
_EQUAL_THEMSELVES = frozenset({bool, int, str, type(None)})
NOT_REPEATABLE = (
    "the program is not repeatable: in line {} the same choices led to {}; take all randomness from `draw`, "
    "and change nothing outside the function"
)


class Frame(NamedTuple):
    """A path as far as it is decided: for whom (None is everyone), by which draws and attributes."""

    rows: Array | None
    opened: dict[int, tuple[Options | None, int]]
    known: dict[str, int]
    weight: Any
    start: float = 0.0  # where in the whole tree it stands, to say how far the enumeration came
    share: float = 1.0


@final
class Run(Draw):
    """One run of the function; it is the `draw` that the function is given."""

    def __init__(
        self,
        runs: "Enumeration",
        frame: Frame,
        *,
        again: bool = False,
        real: bool = False,
        refold: bool = False,
    ) -> None:
        self._all, self.frame, self._again, self._refold = runs, frame, again, refold
        self._sealing, self.alive, self._n_draws = runs.sealing and not real, True, 0
        self.signal: Stop | None = None
        self.drawn: dict[int, Any] = {}
        self.values: dict[str, Any] = {}
        self._sealed: list[Source] = []
        self._attributes: dict[str, Sealed] = {}
        self.inner: Inner | None = None
        runs.runs += 1

    def leaf(self) -> Leaf | None:
        """Run the function and return the path's leaf, or None if the path branches, which is then noted."""
        try:
            return self._finished(self._all.program.run(self._secret(), self, self._all.function))
        except Stop as stopped:
            self.signal = self.signal or stopped
        except (Exception, SystemExit) as error:  # whatever the user's function raises
            if self.signal is None:
                self._failed(error)
        finally:
            self.alive = False
        signal = self.signal
        if isinstance(signal, Look):
            self._branch(signal.source)
        elif isinstance(signal, Fail):
            raise signal.error
        elif signal is not None:
            raise signal
        return None

    def _finished(self, output: Any) -> Leaf:
        if self.signal is not None:  # the function caught what was to end it
            raise self.signal
        _check_output(output)
        missed = [i for i in self.frame.opened if i >= self._n_draws]
        if missed or any(name not in self.values for name in self.frame.known):
            self._all.refuse("other choices")
        return Leaf(
            output,
            self._n_draws,
            frozenset(self.values) | frozenset(self._attributes),
            tuple((each.draw, each.options) for each in self._sealed if each.draw is not None),
            bool(self._sealed),
        )

    def _failed(self, error: BaseException) -> None:
        """Look at the oldest sealed value, which may be the reason; without any, say where it failed."""
        if self._sealed:
            self.signal = Look(self._sealed[0])
        elif self._all.sealing:
            self.signal = Doubt()
        else:
            line = self._all.program.line_of(error.__traceback__)
            shown = ", ".join(reprlib.repr(value) for value in list(self.drawn.values())[-8:])
            kind = "" if isinstance(error, QuiffError) else f"{type(error).__name__}: "
            kept = type(error) if isinstance(error, SizeError | LabelError) else QuiffError
            raise kept(
                f"the program fails in line {line} after the choices ({shown}): {kind}{first_line(error)}"
            ) from error

    def _branch(self, source: Source) -> None:
        """Note the paths on which a sealed value is known."""
        source = source.first()
        if source.run is not self:
            raise Doubt
        if not self._again and source.attribute is not None:
            self._all.stack.append(self._all.values_of(self.frame, source.attribute))
        elif not self._again:
            self._all.stack.append(self._all.options_of(self.frame, source.draw or 0, source.options))

    def stop(self, signal: Stop) -> NoReturn:
        """End this run, even if the function goes on for a while."""
        self.signal = self.signal or signal
        raise self.signal

    def _secret(self) -> Any:
        return self.read(WHOLE) if self._all.secrets.whole else Record(self.read)

    def read(self, name: str) -> Any:
        """Return an attribute of the secret: its value, or sealed."""
        if self.signal is not None:
            raise self.signal
        if name in self.values:
            return self.values[name]
        if name in self._attributes:
            return self._attributes[name]
        if not self.alive:
            raise QuiffError("a secret can be read only while the program runs")
        if name not in self._all.secrets.columns:
            self.stop(Fail(NeedsAttribute(name)))
        column = self._all.secrets.columns[name]
        if name not in self.frame.known:
            if self._sealing and column.plain:
                source = Source(self, attribute=name)
                self._sealed.append(source)
                return self._attributes.setdefault(name, Sealed(source))
            self._first_of(self._all.values_of(self.frame, name))
        value = column.values[self.frame.known[name]]
        return self.values.setdefault(name, value if column.hashable else deepcopy(value))

    def _over(self, items: Any, expand: Expand) -> Any:
        if type(items) is not Sealed:
            return super()._over(items, expand)
        source = source_of(items)
        column = None if source.attribute is None else self._all.secrets.columns[source.attribute]
        if self.inner is not None or column is None or column.options(expand) is None:
            self.stop(Look(source))
        return self._take(None, Source(self, source.attribute, self._n_draws, expand=expand))

    def _choose(self, options: Options) -> Any:
        if self.inner is not None:
            self._count()
            return self.inner.choose(options)
        number = self._n_draws
        decided = self.frame.opened.get(number)
        if decided is None or decided[0] is not options or self.signal is not None or not self.alive:
            return self._take(options, None)
        self._n_draws = number + 1  # decided before, and the very same: most draws are
        self._all.draws += 1
        value = self.drawn[number] = options.values[decided[1]]
        return value

    def _take(self, options: Options | None, over: Source | None) -> Any:
        """Return the value of the next draw: as decided, sealed, or the first option."""
        if self.signal is not None:
            raise self.signal
        if not self.alive:
            raise QuiffError("draw can be used only while the program runs")
        number, self._n_draws = self._n_draws, self._n_draws + 1
        self._count()
        if number >= MOST_DRAWS:
            self.endless("the program draws more than {} times on a path, in line {}; end its loop")
        if over is not None:
            return self._seal(over)
        assert options is not None  # noqa: S101 - for the type checker
        size = len(options.values)
        if number in self.frame.opened:
            before, place = self.frame.opened[number]
            if before is not None and not self.same(before, options):
                self.differs()
            if before is None:  # of a check: the last one, or any
                place = size - 1 if place == LAST else place % size
        elif size == 1:
            place = 0
        else:
            sealed = self._sealable(options)
            if sealed is not None:
                return self._seal(Source(self, draw=number, options=sealed))
            self._first_of(self._all.options_of(self.frame, number, options))
            place = 0
        return self.drawn.setdefault(number, options.values[place])

    def _count(self) -> None:
        over = self._all.over_limit(self.frame, self._again)
        if over is not None:
            self.stop(over)

    def _first_of(self, children: Iterator[Frame]) -> None:
        """Go on with the first of some branches, and leave the others for later."""
        if self._again:
            self.differs()
        self.frame = next(children)
        self._all.stack.append(children)

    def _seal(self, source: Source) -> Sealed:
        self._sealed.append(source)
        return Sealed(source)

    def _sealable(self, options: Options) -> Options | None:
        """Return the one list of these options that all runs share, if the draw can be sealed."""
        if not self._sealing:
            return None
        met = self._all.met.get(id(options.values))
        if met is not None and met.weights is options.weights:
            return met
        kind = one_plain_type(options.values)
        if kind is None:
            for value in options.values:
                if type(value) is Sealed:  # a choice between sealed values
                    self.stop(Look(source_of(value)))
            return None
        interned = self._all.interned.setdefault((kind, options.values, options.weights), options)
        self._all.met[id(interned.values)] = interned
        return interned

    def same(self, before: Options, options: Options) -> bool:
        if len(before.values) != len(options.values) or before.weights != options.weights:
            return False
        return before.values is options.values or before.values == options.values

    def differs(self) -> NoReturn:
        message = NOT_REPEATABLE.format(self._all.program.line_of(), "other choices")
        self.stop(Doubt() if self._all.sealing else Fail(QuiffError(message)))

    def endless(self, message: str) -> NoReturn:
        line = self._all.program.line_of()
        self.stop(Doubt() if self._sealed else Fail(SizeError(message.format(MOST_DRAWS, line))))

    def fold(self, step: Callable[[Any, Any], Any], items: Iterable[Any], start: Any) -> Any:
        if self.inner is None and not self._refold and self._n_draws in self.frame.opened:
            before = self.frame.opened[self._n_draws][0]
            if before is not None and before.folded:
                return self._choose(before)
        return self._choose(folded(self, step, items, start))


def _check_output(output: Any) -> None:
    """Raise an error unless an output can be a label; sealed parts can, once they are known."""
    if type(output) is Sealed:
        return
    if type(output) is tuple:
        if _EQUAL_THEMSELVES.issuperset(map(type, output)):
            return
        for part in output:
            _check_output(part)
        return
    hashable(output, "the program")
    if output != output:  # nan
        raise LabelError("the program returned nan, which equals nothing; return None or a text instead")
