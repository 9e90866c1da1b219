"""The runs of a function along every path of its choices.

What a path reveals is added to `Rows` for the group of secrets that share it.
"""

import random
from collections.abc import Iterator
from fractions import Fraction
from math import inf
from time import process_time
from typing import Any, NoReturn, final

import numpy as np

from quiff.core.channel import Channel
from quiff.core.labels import Labels
from quiff.core.limits import raised, work_allowed
from quiff.core.numbers import Array
from quiff.errors import QuiffError, SizeError
from quiff.programs.draws import NUMBERS_A_DRAW, Options
from quiff.programs.function import Program
from quiff.programs.inputs import Secrets
from quiff.programs.rows import BYTES_AN_ENTRY, Leaf, Rows
from quiff.programs.run import LAST, NOT_REPEATABLE, Frame, Run
from quiff.programs.sealed import Doubt, Fail, may_seal, with_late_sets
from quiff.programs.watch import Endless, watched
from quiff.progress import tell

_REPLAYED = 100  # paths, beside the first and the last, that are run again
_ALWAYS_CHECKED = 1_000  # sealed leaves; of more, one in sixteen
_LOOK = 2**14  # draws, about a tenth of a second, after which it is estimated how many there are in all
_ROUGH, _SURE = 10, 1.5  # so many times the limit are too many: the first paths may be longer than most
_ENOUGH = 0.01  # the share of all paths from which the rest is estimated well


def channel_of(
    program: Program,
    secrets: Secrets,
    labels: Labels,
    which: Array | None = None,
    *,
    sealing: bool = True,
    most_exact: float = inf,
) -> Channel:
    """Return the channel of a program: C[x, y] is the probability of the paths that lead from x to y.

    Parameters
    ----------
    program
        The function and its parameters.
    secrets, labels, which
        Distinct secrets, and for each label which of them is its own; None is each its own.
    sealing
        False runs every path by plain replay; the channel is the same.
    most_exact
        A channel of more numbers has floats, also where all probabilities are fractions.

    Raises
    ------
    QuiffError
        If the function fails or is not repeatable; the message names the line.
    SizeError
        If it has too many paths.
    """
    outputs, kernel = enumerated(program, secrets, sealing).channel_parts(most_exact)
    return Channel.from_kernel(labels, outputs, kernel if which is None else kernel.take_rows(which))


def enumerated(program: Program, secrets: Secrets, sealing: bool = True) -> Rows:
    """Return what a program reveals of each secret; with any doubt about sealing, by plain replay."""
    if sealing and may_seal(program.function):
        try:
            return _watched(Enumeration(program, secrets, sealing=True))
        except Doubt:
            pass
    return _watched(Enumeration(program, secrets, sealing=False))


def _watched(runs: "Enumeration") -> Rows:
    try:
        with watched(lambda: runs.runs + runs.draws):
            return runs.rows()
    except Endless as stuck:
        line = runs.program.line_of(stuck.__traceback__)
        raise SizeError(
            f"the program goes on without a draw, in line {line}; end its loop, or raise the limit by"
            f" {raised('QUIFF_WORK_LIMIT', 2 * work_allowed() / 1e9 + 1)}"
        ) from None


@final
class Enumeration:
    """All runs of a function on some secrets."""

    def __init__(self, program: Program, secrets: Secrets, *, sealing: bool) -> None:
        self.program, self.secrets, self.sealing = program, secrets, sealing
        self.function = with_late_sets(program.function) if sealing else program.function
        self.stack: list[Iterator[Frame]] = []
        self.runs = self.draws = self.leaves = 0
        self.interned: dict[Any, Options] = {}
        self.met: dict[int, Options] = {}  # the same by the identity of their values
        self.rng = random.Random(0)  # noqa: S311 - which paths are checked
        self.allowed = work_allowed() / NUMBERS_A_DRAW
        self.found = Rows(secrets)
        self.forecast = ""
        self.next_look, self.began = _LOOK, process_time()

    def rows(self) -> Rows:
        """Run the function along every path."""
        replayed: list[tuple[Frame, Leaf]] = []
        last: tuple[Frame, Leaf]
        self.stack.append(iter([Frame(None, {}, {}, Fraction(1))]))
        while self.stack:
            frame = next(self.stack[-1], None)
            if frame is None:
                self.stack.pop()
                continue
            run = Run(self, frame)
            leaf = run.leaf()
            if leaf is None:
                continue
            self.leaves += 1
            last = (run.frame, leaf)
            if len(replayed) <= _REPLAYED:
                replayed.append(last)
            elif self.rng.random() * self.leaves < _REPLAYED:
                replayed[self.rng.randrange(1, _REPLAYED + 1)] = last
            if leaf.sealed and (self.leaves <= _ALWAYS_CHECKED or self.rng.random() < 1 / 16):
                self.check_sealed(run.frame, leaf)
            self.found.add(leaf, run.frame.rows, run.frame.weight)
        for number, (frame, leaf) in enumerate(replayed if last is replayed[-1] else [*replayed, last]):
            self.check_repeated(frame, leaf, number == 0)
        self.found.runs = self.runs
        return self.found

    def check_repeated(self, frame: Frame, leaf: Leaf, refold: bool) -> None:
        """Run a path again: it must give the same, and leave Python's and NumPy's generators alone."""
        before = _random_states()
        again = Run(self, frame, again=True, refold=refold).leaf()
        if _random_states() != before:
            self.refuse("draws from a random generator that is not `draw`")
        if again is None or again.draws != leaf.draws or not _alike(again.form(), leaf.form()):
            self.refuse(_another(leaf.output))

    def check_sealed(self, frame: Frame, leaf: Leaf) -> None:
        """Run a path with real values in place of the sealed ones: it must give what the leaf says."""
        groups = range(self.secrets.size) if frame.rows is None else frame.rows
        for choose in (lambda _: 0, lambda size: size - 1, self.rng.randrange):
            row = int(groups[choose(len(groups))])
            known = {name: int(self.secrets.columns[name].codes[row]) for name in leaf.reads}
            opened = dict(frame.opened)
            for number, options in leaf.open_draws:
                size = LAST + 1 if options is None else len(options.values)
                opened[number] = (options, choose(size))
            real = frame._replace(rows=np.array([row]), opened=opened, known=known)
            run = Run(self, real, again=True, real=True)
            again = run.leaf()
            agrees = again is not None and again.draws == leaf.draws and again.reads == leaf.reads
            if not agrees or again is None or not _alike(again.output, leaf.filled(run.drawn, run.values)):
                raise Doubt

    def refuse(self, what: str) -> NoReturn:
        """Raise the error of a function that is not repeatable; sealed values may be the reason."""
        raise Doubt if self.sealing else QuiffError(NOT_REPEATABLE.format(self.program.line, what))

    def over_limit(self, frame: Frame, again: bool) -> Fail | None:
        """Count a draw; past the limit, or if it will surely be passed, say how much there is in all.

        A path that is run again says nothing about that: it may be the first of all.
        """
        self.draws += 1
        allowed = self.allowed
        share = max(frame.start, 1e-12)
        if self.draws >= self.next_look and not again:
            self.next_look = self.draws + _LOOK
            entries = 0.0
            if not self.forecast:
                entries = self.found.entries / share
                self.forecast = (
                    f"paths of the program: about {self.runs / share:.2g} in"
                    f" {_duration((process_time() - self.began) / share)},"
                    f" {entries * BYTES_AN_ENTRY / 2**20:,.0f} MiB"
                )
            tell(self.forecast, frame.start)
            margin = _ROUGH if frame.start < _ENOUGH else _SURE
            if self.draws > margin * self.allowed * frame.start:  # draws / start: those of all paths
                allowed = 0
            else:
                try:
                    self.found.check_entries(entries / margin)
                except SizeError as error:
                    return Fail(error)
        if self.draws <= allowed:
            return None
        seconds, least = (process_time() - self.began) / share, "more than " if share > frame.start else ""
        return Fail(
            SizeError(
                f"the program has too many paths: {least}{self.runs / share:.2g}, which would take {least}"
                f"{_duration(seconds)}; return a frozenset instead of tuple(sorted(...)), merge equal states"
                " by draw.fold(), draw less, take fewer people, write the channel as a matrix (a class of"
                " quiff.Api with observe), or raise the limit by"
                f" {raised('QUIFF_WORK_LIMIT', 1 + self.draws / share * NUMBERS_A_DRAW / 1e9)}"
            )
        )

    def options_of(self, frame: Frame, number: int, options: Options) -> Iterator[Frame]:
        """Yield the frame with each option of a draw."""
        rows, opened, known, weight, start, share = frame
        share /= len(options.values)
        for place in range(len(options.values)):
            chosen = opened | {number: (options, place)}
            yield Frame(rows, chosen, known, weight * options.weight(place), start + place * share, share)

    def values_of(self, frame: Frame, name: str) -> Iterator[Frame]:
        """Yield the frame with each value of an attribute that its secrets have."""
        groups = self.secrets.columns[name].split(frame.rows)
        share = frame.share / len(groups)
        for place, (code, rows) in enumerate(groups):
            known = frame.known | {name: code}
            yield Frame(rows, frame.opened, known, frame.weight, frame.start + place * share, share)


def _duration(seconds: float) -> str:
    """Return a time in words.

    >>> _duration(90), _duration(200_000), _duration(1e9)
    ('90 seconds', '2 days', '32 years')
    """
    units = (("years", 31_557_600), ("days", 86_400), ("hours", 3_600), ("minutes", 60), ("seconds", 1))
    unit, size = next((entry for entry in units if seconds >= 2 * entry[1]), units[-1])
    return f"{seconds / size:,.0f} {unit}"


def _another(output: Any) -> str:
    """Say that an output was another one; an object may only seem so."""
    by_identity = getattr(type(output), "__eq__", None) is getattr(object, "__eq__", None)
    kind = f"{type(output).__name__}, which equals only itself: return a tuple or a text instead"
    return f"another {kind if by_identity else 'value'}"


def _alike(one: Any, other: Any) -> bool:
    """Tell whether two outputs are equal and of the same types."""
    if type(one) is not type(other):
        return False
    if type(one) is tuple:
        return len(one) == len(other) and all(map(_alike, one, other))
    return bool(one == other)


def _random_states() -> tuple[Any, ...]:
    """Return the states of the generators that Python and NumPy share among all code."""
    numpy: Any = np.random.get_state()  # noqa: NPY002 - to see whether it is used
    return random.getstate(), numpy[1].tobytes(), numpy[2]
