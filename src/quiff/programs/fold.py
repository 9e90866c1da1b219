"""A reduce whose steps may draw: equal states are merged after each step."""

from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple, final

from quiff.errors import LabelError
from quiff.programs.draws import MOST_DRAWS, Options
from quiff.programs.inputs import distinct_key

if TYPE_CHECKING:
    from quiff.programs.run import Run

_ONE = Fraction(1)


class _Moves(NamedTuple):
    """Where a step leads from a state: each next state, its key, its probability, and that over `common`."""

    common: int | None  # None with floats
    outcomes: list[tuple[Hashable, Any, Any, Any]]


def folded(run: "Run", step: Callable[[Any, Any], Any], items: Iterable[Any], start: Any) -> Options:
    """Return the distribution of the last state; masses are whole numbers over one denominator, or floats."""
    states: dict[Hashable, tuple[Any, Any]] = {distinct_key(hashable(start, "fold()"), 0): (start, 1)}
    bottom: int | None = 1
    known: dict[Hashable, dict[Hashable, _Moves]] = {}  # by item, then by state
    for place, item in enumerate(items):
        here = known.setdefault(distinct_key(item, place), {})
        for state, (value, _) in states.items():
            if state not in here:
                here[state] = _moves(run, step, value, item)
        commons = {here[state].common for state in states}
        if bottom is not None and None in commons:  # floats from here on
            states = {state: (value, mass / bottom) for state, (value, mass) in states.items()}
            bottom = None
        common = 1 if bottom is None else lcm(*commons)  # type: ignore[arg-type]  # without None
        before, states = states, {}
        for state, (_, mass) in before.items():
            own, outcomes = here[state]
            if own is not None and own != common:
                mass *= common // own
            for key, value, weight, whole in outcomes:
                added = mass * float(weight) if bottom is None else mass * whole
                states[key] = (value, states[key][1] + added if key in states else added)
        bottom = None if bottom is None else bottom * common
    masses = (m if bottom is None else Fraction(m, bottom) for _, m in states.values())
    return Options(tuple(value for value, _ in states.values()), tuple(masses), folded=True)


def _moves(run: "Run", step: Callable[[Any, Any], Any], state: Any, item: Any) -> _Moves:
    """Return the next states with their probabilities, by every path of the step's choices."""
    outer, plan = run.inner, list[list[Any]]()
    found: dict[Hashable, tuple[Any, Any]] = {}
    while True:
        run.inner = inner = Inner(plan, run)
        try:
            reached = step(state, item)
            if run.signal is not None:
                raise run.signal
            key = distinct_key(hashable(reached, "a step of fold()"), 0)
            found[key] = (reached, inner.weight + (found[key][1] if key in found else 0))
        finally:
            run.inner = outer
        if inner.used != len(plan):
            run.differs()
        while plan and plan[-1][1] + 1 == len(plan[-1][0].values):
            plan.pop()
        if not plan:
            break
        plan[-1][1] += 1
    exact = all(isinstance(weight, Fraction) for _, weight in found.values())
    common = lcm(*(weight.denominator for _, weight in found.values())) if exact else None
    return _Moves(
        common,
        [
            (key, value, weight, common and weight.numerator * (common // weight.denominator))
            for key, (value, weight) in found.items()
        ],
    )


@final
class Inner:
    """The draws of one step of a fold: the plan says which option each takes."""

    def __init__(self, plan: list[list[Any]], run: "Run") -> None:
        self._plan, self._run, self.used, self.weight = plan, run, 0, _ONE

    def choose(self, options: Options) -> Any:
        if self.used >= MOST_DRAWS:
            self._run.endless("a step of fold() draws more than {} times, in line {}; end its loop")
        if self.used == len(self._plan):
            self._plan.append([options, 0])
        before, place = self._plan[self.used]
        if not self._run.same(before, options):
            self._run.differs()
        weight = options.weight(place)
        self.weight = self.weight * weight if self.used else weight
        self.used += 1
        return options.values[place]


def hashable(value: Any, where: str) -> Any:
    """Return what can be a label, or a state of fold()."""
    try:
        hash(value)
    except TypeError:
        raise LabelError(
            f"{where} returned a {type(value).__name__}, which cannot be a label; return a tuple or a"
            " frozenset of it"
        ) from None
    return value
