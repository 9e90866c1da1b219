"""The runs of a function along every path of its choices.

A path is which option each draw took and which values the attributes have. A run that meets a new choice
takes its first option and leaves the others for later; a sealed value is branched on only when it is looked
at. What a path reveals is added to `Rows` for the group of secrets that share it.
"""

import random
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator
from fractions import Fraction
from inspect import isgeneratorfunction
from itertools import islice
from math import lcm
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, NoReturn, final

import numpy as np

from quiff.core.limits import work_allowed
from quiff.core.numbers import Array
from quiff.errors import LabelError, QuiffError, SizeError, counted, first_line
from quiff.programs.draws import NUMBERS_A_DRAW, Draw, Expand, Options
from quiff.programs.inputs import WHOLE, Record, Secrets
from quiff.programs.rows import Leaf, Rows
from quiff.programs.sealed import (
    Doubt,
    Fail,
    Look,
    Sealed,
    Source,
    Stop,
    may_seal,
    one_plain_type,
    source_of,
)

_MOST_DRAWS = 1_000  # on one path: a loop that goes on longer is taken for endless
_MOST_YIELDS = 100_000
_REPLAYED = 100  # paths, beside the first and the last, that are run again
_ALWAYS_CHECKED = 1_000  # sealed leaves; of more, one in sixteen
_LAST = 2**31 - 1
_ONE = Fraction(1)
_HERE = str(Path(__file__).parent)
_NOT_REPEATABLE = (
    "the program is not repeatable: in line {} the same choices led to {}; take all randomness from `draw`, "
    "and change nothing outside the function"
)


@final
class NeedsAttribute(Exception):  # noqa: N818 - not an error, but a question
    """The program read an attribute that the secrets do not have yet."""

    def __init__(self, name: str) -> None:
        self.name = name


class Frame(NamedTuple):
    """A path as far as it is decided: for whom (None is everyone), by which draws and attributes."""

    rows: Array | None
    opened: dict[int, tuple[Options | None, int]]
    known: dict[str, int]
    weight: Any
    start: float = 0.0  # where in the whole tree it stands, to say how far the enumeration came
    share: float = 1.0


@final
class Program:
    """A function and its parameters, ready to be run on secrets."""

    def __init__(self, function: Callable[..., Any], parameters: dict[str, Any]) -> None:
        self.function, self.parameters = function, parameters
        self.yields = isgeneratorfunction(function)
        self.line = getattr(getattr(function, "__code__", None), "co_firstlineno", 0)

    def run(self, secret: Any, draw: Draw) -> Any:
        """Return what is observed: the returned value, or a tuple of what was yielded."""
        output = self.function(secret, draw, **self.parameters)
        if not self.yields:
            return output
        seen = tuple(islice(output, _MOST_YIELDS + 1))
        if len(seen) > _MOST_YIELDS:
            raise SizeError(f"the program yields more than {_MOST_YIELDS} observations; is it endless?")
        return seen


def enumerated(program: Program, secrets: Secrets, sealing: bool = True) -> Rows:
    """Return what a program reveals of each secret, exactly; with any doubt about sealing, by plain replay.

    Raises
    ------
    QuiffError
        If the function fails, is not repeatable, or has too many paths.
    """
    if sealing and may_seal(program.function):
        try:
            return _Enumeration(program, secrets, sealing=True).rows()
        except Doubt:
            pass
    return _Enumeration(program, secrets, sealing=False).rows()


@final
class _Enumeration:
    """All runs of a function on some secrets."""

    def __init__(self, program: Program, secrets: Secrets, *, sealing: bool) -> None:
        self.program, self.secrets, self.sealing = program, secrets, sealing
        self.stack: list[Iterator[Frame]] = []
        self.runs = self.draws = self.leaves = 0
        self.interned: dict[Any, Options] = {}
        self.rng = random.Random(0)  # noqa: S311 - which paths are checked
        self.allowed = work_allowed() / NUMBERS_A_DRAW

    def rows(self) -> Rows:
        """Run the function along every path."""
        found = Rows(self.secrets)
        replayed: list[tuple[Frame, Leaf]] = []
        last: tuple[Frame, Leaf]
        self.stack.append(iter([Frame(None, {}, {}, Fraction(1))]))
        while self.stack:
            frame = next(self.stack[-1], None)
            if frame is None:
                self.stack.pop()
                continue
            run = _Run(self, frame)
            leaf = run.leaf()
            if leaf is None:
                continue
            self.leaves += 1
            last = (run.frame, leaf)
            if len(replayed) <= _REPLAYED:
                replayed.append(last)
            elif (place := self.rng.randrange(1, self.leaves)) <= _REPLAYED:
                replayed[place] = last
            if leaf.sealed and (self.leaves <= _ALWAYS_CHECKED or self.rng.random() < 1 / 16):
                self.check_sealed(run.frame, leaf)
            found.add(leaf, run.frame.rows, run.frame.weight)
        for number, (frame, leaf) in enumerate(replayed if last is replayed[-1] else [*replayed, last]):
            self.check_repeated(frame, leaf, number == 0)
        found.runs = self.runs
        return found

    def check_repeated(self, frame: Frame, leaf: Leaf, refold: bool) -> None:
        """Run a path again: it must give the same, and leave Python's and NumPy's generators alone."""
        before = _random_states()
        run = _Run(self, frame, again=True, refold=refold)
        again = run.leaf()
        if _random_states() != before:
            self.refuse(self.program.line, "draws from a random generator that is not `draw`")
        if again is None or again.draws != leaf.draws or not _alike(again.form(), leaf.form()):
            self.refuse(self.program.line, "another value")

    def check_sealed(self, frame: Frame, leaf: Leaf) -> None:
        """Run a path with real values in place of the sealed ones: it must give what the leaf says."""
        groups = range(self.secrets.size) if frame.rows is None else frame.rows
        for choose in (_first, _last, self.rng.randrange):
            row = int(groups[choose(len(groups))])
            known = {name: int(self.secrets.column(name).codes[row]) for name in leaf.reads}
            opened = dict(frame.opened)
            for number, options in leaf.open_draws:
                size = _LAST + 1 if options is None else len(options.values)
                opened[number] = (options, choose(size))
            run = _Run(self, Frame(np.array([row]), opened, known, frame.weight), again=True, real=True)
            again = run.leaf()
            agrees = again is not None and again.draws == leaf.draws and again.reads == leaf.reads
            if not agrees or again is None or not _alike(again.output, leaf.filled(run.drawn, run.values)):
                raise Doubt

    def refuse(self, line: int, what: str) -> NoReturn:
        """Raise the error of a function that is not repeatable; sealed values may be the reason."""
        if self.sealing:
            raise Doubt
        raise QuiffError(_NOT_REPEATABLE.format(line, what))

    def over_limit(self, frame: Frame) -> Fail | None:
        """Count a draw; past the limit say how far the enumeration came."""
        self.draws += 1
        if self.draws <= self.allowed:
            return None
        done = f"{frame.start:.2g}" if frame.start else "less than 1e-9"
        return Fail(
            SizeError(
                f"the program has too many paths: after {counted(self.runs, 'run')} and"
                f" {counted(self.draws, 'draw')} about {done} of all were seen; merge equal states by"
                " draw.fold(), draw less, or raise the limit by `with quiff.work_limit(...): ...`"
            )
        )

    def options_of(self, frame: Frame, number: int, options: Options) -> Iterator[Frame]:
        """Yield the frame with each option of a draw."""
        rows, opened, known, weight, start, share = frame
        share /= len(options.values)
        for place in range(len(options.values)):
            yield Frame(
                rows,
                opened | {number: (options, place)},
                known,
                weight * options.weight(place),
                start + place * share,
                share,
            )

    def values_of(self, frame: Frame, name: str) -> Iterator[Frame]:
        """Yield the frame with each value of an attribute that its secrets have."""
        groups = self.secrets.column(name).split(frame.rows)
        share = frame.share / len(groups)
        for place, (code, rows) in enumerate(groups):
            known = frame.known | {name: code}
            yield Frame(rows, frame.opened, known, frame.weight, frame.start + place * share, share)


@final
class _Run(Draw):
    """One run of the function; it is the `draw` that the function is given."""

    def __init__(
        self,
        all_runs: _Enumeration,
        frame: Frame,
        *,
        again: bool = False,
        real: bool = False,
        refold: bool = False,
    ) -> None:
        self._all, self.frame, self._again, self._refold = all_runs, frame, again, refold
        self._sealing = all_runs.sealing and not real
        self.alive = True
        self._signal: Stop | None = None
        self._n_draws = 0
        self.drawn: dict[int, Any] = {}
        self.values: dict[str, Any] = {}
        self._sealed: list[Source] = []
        self._attributes: dict[str, Sealed] = {}
        self._inner: _Inner | None = None
        all_runs.runs += 1

    def leaf(self) -> Leaf | None:
        """Run the function and return the path's leaf, or None if the path branches, which is then noted."""
        try:
            return self._finished(self._all.program.run(self._secret(), self))
        except Stop as stopped:
            self._signal = self._signal or stopped
        except Exception as error:  # whatever the user's function raises
            if self._signal is None:
                self._failed(error)
        finally:
            self.alive = False
        signal = self._signal
        if isinstance(signal, Look):
            self._branch(signal.source)
        elif isinstance(signal, Fail):
            raise signal.error
        elif signal is not None:
            raise signal
        return None

    def _finished(self, output: Any) -> Leaf:
        if self._signal is not None:  # the function caught what was to end it
            raise self._signal
        _check_output(output)
        missed = [i for i in self.frame.opened if i >= self._n_draws]
        if missed or any(name not in self.values for name in self.frame.known):
            self._all.refuse(self._all.program.line, "other choices")
        return Leaf(
            output,
            self._n_draws,
            frozenset(self.values) | frozenset(self._attributes),
            tuple((each.draw, each.options) for each in self._sealed if each.draw is not None),
            bool(self._sealed),
        )

    def _failed(self, error: Exception) -> None:
        """Look at the oldest sealed value, which may be the reason; without any, say where it failed."""
        if self._sealed:
            self._signal = Look(self._sealed[0])
        elif self._all.sealing:
            self._signal = Doubt()
        else:
            line = _line_of(error.__traceback__) or self._all.program.line
            shown = ", ".join(_cut(value) for value in list(self.drawn.values())[-8:])
            kind = "" if isinstance(error, QuiffError) else f"{type(error).__name__}: "
            kept = type(error) if isinstance(error, SizeError | LabelError) else QuiffError
            raise kept(
                f"the program fails in line {line} after the choices ({shown}): {kind}{first_line(error)}"
            ) from error

    def _branch(self, source: Source) -> None:
        """Note the paths on which a sealed value is known."""
        if source.run is not self:
            raise Doubt
        children = (
            self._all.values_of(self.frame, source.attribute)
            if source.attribute is not None
            else self._all.options_of(self.frame, source.draw or 0, source.options)
        )
        if not self._again:
            self._all.stack.append(children)

    def stop(self, signal: Stop) -> NoReturn:
        """End this run, even if the function goes on for a while."""
        self._signal = self._signal or signal
        raise self._signal

    def _secret(self) -> Any:
        return self.read(WHOLE) if self._all.secrets.whole else Record(self.read)

    def read(self, name: str) -> Any:
        """Return an attribute of the secret: its value, or sealed."""
        if self._signal is not None:
            raise self._signal
        if name in self.values:
            return self.values[name]
        if name in self._attributes:
            return self._attributes[name]
        if not self.alive:
            raise QuiffError("a secret can be read only while the program runs")
        if name not in self._all.secrets.columns:
            self.stop(Fail(NeedsAttribute(name)))
        column = self._all.secrets.column(name)
        if name not in self.frame.known:
            if self._sealing and column.plain:
                source = Source(self, attribute=name)
                self._sealed.append(source)
                return self._attributes.setdefault(name, Sealed(source))
            self._first_of(self._all.values_of(self.frame, name))
        return self.values.setdefault(name, column.values[self.frame.known[name]])

    def _over(self, items: Any, expand: Expand) -> Any:
        if type(items) is not Sealed:
            return super()._over(items, expand)
        source = source_of(items)
        column = None if source.attribute is None else self._all.secrets.column(source.attribute)
        if self._inner is not None or column is None or not column.can_draw(expand):
            self.stop(Look(source))
        return self._take(None, Source(self, source.attribute, self._n_draws, expand=expand))

    def _choose(self, options: Options) -> Any:
        if self._inner is not None:
            self._count()
            return self._inner.choose(options)
        return self._take(options, None)

    def _take(self, options: Options | None, over: Source | None) -> Any:
        """Return the value of the next draw: as decided, sealed, or the first option."""
        if self._signal is not None:
            raise self._signal
        if not self.alive:
            raise QuiffError("draw can be used only while the program runs")
        number, self._n_draws = self._n_draws, self._n_draws + 1
        self._count()
        if number >= _MOST_DRAWS:
            self._end(
                f"the program draws more than {_MOST_DRAWS} times on a path, in line {_line()}; end its loop"
            )
        if over is not None:
            return self._seal(over)
        assert options is not None  # noqa: S101 - for the type checker
        size = len(options.values)
        if number in self.frame.opened:
            before, place = self.frame.opened[number]
            if before is not None and not self._same(before, options):
                self._differs()
            if before is None:  # of a check: the last one, or any
                place = size - 1 if place == _LAST else place % size
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
        over = self._all.over_limit(self.frame)
        if over is not None:
            self.stop(over)

    def _first_of(self, children: Iterator[Frame]) -> None:
        """Go on with the first of some branches, and leave the others for later."""
        if self._again:
            self._differs()
        self.frame = next(children)
        self._all.stack.append(children)

    def _seal(self, source: Source) -> Sealed:
        self._sealed.append(source)
        return Sealed(source)

    def _sealable(self, options: Options) -> Options | None:
        """Return the one list of these options that all runs share, if the draw can be sealed."""
        if not self._sealing:
            return None
        kind = one_plain_type(options.values)
        if kind is None:
            for value in options.values:
                if type(value) is Sealed:  # a choice between sealed values
                    self.stop(Look(source_of(value)))
            return None
        return self._all.interned.setdefault((kind, options.values, options.weights), options)

    def _same(self, before: Options, options: Options) -> bool:
        if len(before.values) != len(options.values) or before.weights != options.weights:
            return False
        return before.values is options.values or before.values == options.values

    def _differs(self) -> NoReturn:
        line = _line()
        self.stop(
            Doubt() if self._all.sealing else Fail(QuiffError(_NOT_REPEATABLE.format(line, "other choices")))
        )

    def _end(self, message: str) -> NoReturn:
        self.stop(Doubt() if self._sealed else Fail(SizeError(message)))

    def fold(self, step: Callable[[Any, Any], Any], items: Iterable[Any], start: Any) -> Any:
        if self._inner is None and not self._refold and self._n_draws in self.frame.opened:
            before = self.frame.opened[self._n_draws][0]
            if before is not None and before.folded:
                return self._choose(before)
        return self._choose(self._folded(step, items, start))

    def _folded(self, step: Callable[[Any, Any], Any], items: Iterable[Any], start: Any) -> Options:
        """Return the distribution of the last state; its masses are whole numbers over one denominator."""
        states: dict[tuple[type, Hashable], Any] = {(type(start), start): 1}
        bottom: Any = 1
        known: dict[Any, dict[tuple[type, Hashable], Any]] = {}
        for place, item in enumerate(items):
            key = _key(item, place)
            moves = []
            for state, mass in states.items():
                if (state, key) not in known:
                    known[state, key] = self._moves(step, state[1], item)
                moves.append((mass, known[state, key]))
            weights = [weight for _, outcomes in moves for weight in outcomes.values()]
            exact = all(isinstance(weight, Fraction) for weight in weights)
            common = lcm(*(weight.denominator for weight in weights)) if exact else 1
            if not exact:
                moves, bottom = [(mass / bottom, outcomes) for mass, outcomes in moves], 1
            states = {}
            for mass, outcomes in moves:
                for state, weight in outcomes.items():
                    part = mass * (
                        weight.numerator * (common // weight.denominator) if exact else float(weight)
                    )
                    states[state] = states.get(state, 0) + part
            bottom *= common
        masses = (Fraction(m, bottom) if isinstance(m, int) else m / bottom for m in states.values())
        return Options(tuple(value for _, value in states), tuple(masses), folded=True)

    def _moves(
        self, step: Callable[[Any, Any], Any], state: Any, item: Any
    ) -> dict[tuple[type, Hashable], Any]:
        """Return the next states with their probabilities, by every path of the step's choices."""
        outer, plan = self._inner, list[list[Any]]()
        outcomes: dict[tuple[type, Hashable], Any] = {}
        while True:
            self._inner = inner = _Inner(plan, self)
            try:
                reached = step(state, item)
                if self._signal is not None:
                    raise self._signal
                key = (type(reached), reached)
                outcomes[key] = outcomes[key] + inner.weight if key in outcomes else inner.weight
            finally:
                self._inner = outer
            if inner.used != len(plan):
                self._differs()
            while plan and plan[-1][1] + 1 == len(plan[-1][0].values):
                plan.pop()
            if not plan:
                return outcomes
            plan[-1][1] += 1


@final
class _Inner:
    """The draws of one step of a fold: the plan says which option each takes."""

    def __init__(self, plan: list[list[Any]], run: _Run) -> None:
        self._plan, self._run, self.used, self.weight = plan, run, 0, _ONE

    def choose(self, options: Options) -> Any:
        if self.used >= _MOST_DRAWS:
            self._run._end(
                f"a step of fold() draws more than {_MOST_DRAWS} times, in line {_line()}; end its loop"
            )
        if self.used == len(self._plan):
            self._plan.append([options, 0])
        before, place = self._plan[self.used]
        if not self._run._same(before, options):
            self._run._differs()
        weight = options.weight(place)
        self.weight = self.weight * weight if self.used else weight
        self.used += 1
        return options.values[place]


def _key(item: Any, place: int) -> Hashable:
    try:
        hash(item)
    except TypeError:
        return ("place", place)
    return ("item", type(item), item)


def _check_output(output: Any) -> None:
    """Raise an error unless an output can be a label; sealed parts can, once they are known."""
    if type(output) is Sealed:
        return
    if type(output) is tuple:
        for part in output:
            _check_output(part)
        return
    try:
        hash(output)
    except TypeError:
        raise LabelError(
            f"the program returned a {type(output).__name__}, which cannot be a label; return a tuple or a"
            " frozenset of it"
        ) from None
    if output != output:  # nan
        raise LabelError("the program returned nan, which equals nothing; return None or a text instead")


def _alike(one: Any, other: Any) -> bool:
    """Tell whether two outputs are equal and of the same types."""
    if type(one) is not type(other):
        return False
    if type(one) is tuple:
        return len(one) == len(other) and all(map(_alike, one, other))
    return bool(one == other)


def _line() -> int:
    """Return the line of the user's code that is being run."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return frame.f_lineno


def _line_of(trace: TracebackType | None) -> int:
    """Return the last line of the user's code in a traceback."""
    line = 0
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(_HERE):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _random_states() -> tuple[Any, ...]:
    """Return the states of the generators that Python and NumPy share among all code."""
    numpy: Any = np.random.get_state()  # noqa: NPY002 - to see whether it is used
    return random.getstate(), numpy[1].tobytes(), numpy[2]


def _first(_: int) -> int:
    return 0


def _last(size: int) -> int:
    return size - 1


def _cut(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
