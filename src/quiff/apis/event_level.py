"""Attribution Reporting at event level: conversions after a click or a view, by randomised response."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from math import comb, exp
from typing import Any, Literal, final

from quiff.apis.base import SANDBOX_ENDED, Unit, parameter
from quiff.apis.encodings import Event, OfConversions
from quiff.apis.mechanisms import Response
from quiff.apis.ranges import Described, Number, OneOf, Whole
from quiff.core.gain import Gain, predicate_gain
from quiff.core.labels import Labels, as_labels
from quiff.errors import ParameterError
from quiff.theory import browser_apis as theory

_SPEC = "WICG/attribution-reporting-api at 44a6da3 (28 August 2025), params/chromium-params.md"
_DEFAULTS = {"click": (8, (2.0, 7.0, 30.0), 3), "view": (2, (30.0,), 1)}

Report = tuple[int, int]
State = tuple[Report, ...]


@final
@dataclass(frozen=True)
class EventLevel(OfConversions):
    """Attribution Reporting, event level: a source's conversions, as one of k states by randomised response.

    The secret of a source (a click or a view of an advertisement) is the multiset of its reports, each a
    trigger datum in a reporting window. The reporting origin, which knows the source already, gets the truth,
    or with the pick rate a state drawn from all k, the truth and "no report" among them.

    Parameters
    ----------
    source_type
        ``click`` (navigation source) or ``view`` (event source): it sets the defaults and the gate.
    trigger_data
        m, the number of trigger data; by default 8 for a click, 2 for a view.
    windows
        The number of reporting windows, or their ends in days after the source, as ``"2 7 30"``, or ``6.0``
        for one; by default these three for a click, one of 30 days for a view.
    reports
        c, the most reports of a source; by default 3 for a click, 1 for a view.
    epsilon
        Of the randomised response.
    flexible
        Windows and most reports of each trigger datum, as ``"2x1 1x2 3x2"``, instead of `trigger_data` and
        `windows`; `reports` limits their sum.

    Examples
    --------
    >>> api = EventLevel()
    >>> api.states, round(api.limits()[0].value, 3)
    (2925, 2917.905)
    """

    source_type: Literal["click", "view"] = parameter(
        "click", OneOf("click", "view"), "whether the source is a click or a view"
    )
    trigger_data: int | None = parameter(
        None, Whole(0, 32, note="8 for a click, 2 for a view", source=_SPEC), "number of trigger data"
    )
    windows: int | float | str | None = parameter(
        None,
        Described(
            "1 to 5, or their ends in days",
            lambda _, value: _windows(value) and value,
            "2 7 30",
            note="2 7 30 for a click, 30 for a view",
        ),
        "reporting windows",
    )
    reports: int | None = parameter(
        None, Whole(0, 20, note="3 for a click, 1 for a view", source=_SPEC), "most reports of a source"
    )
    epsilon: float = parameter(14, Number(0, 14, source=_SPEC), "of the randomised response")
    flexible: str = parameter(
        "",
        Described(
            "such as 2x1 1x2",
            lambda _, value: _flexible(value) and value if value != "" else "",
            "2x1 1x2",
        ),
        "windows and most reports of each datum",
    )

    title = "Attribution Reporting, event level"
    family = "attribution"
    ended = SANDBOX_ENDED
    source = "WICG/attribution-reporting-api at 44a6da3 (28 August 2025), index.bs"
    sees = "the reports of a source"
    unit = Unit("a click or a view")
    assumptions = (
        "The reporting origin chose the source's identifier and so knows which click or view it is.",
        "The source is registered on day 0 of the conversions; their kinds are the trigger data, in "
        "alphabetical order, modulo their number.",
        "Limits on the number of sources and attributions, and the joint use with aggregatable reports, are "
        "not modelled.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        data, ends, reports = _DEFAULTS[self.source_type]
        if self.windows is not None:
            given = _windows(self.windows)
            if not isinstance(given, int) and len(given) == 1:
                object.__setattr__(self, "windows", given[0])  # 6.0 is an end, 6 would be a number of windows
            object.__setattr__(self, "windows", None if given == ends or given == len(ends) else self.windows)
        for name, default in (("trigger_data", data), ("reports", reports)):
            if getattr(self, name) == default:
                object.__setattr__(self, name, None)  # so that one setting has one name
        if self.flexible and (self.trigger_data is not None or self.windows is not None):
            raise ParameterError("flexible says the trigger data and windows; give none of them beside it")
        if self.states > theory.MOST_STATES:
            raise ParameterError(
                what="the number of states", value=self.states, allowed=f"at most 2^32 - 1 ({_SPEC})"
            )

    @property
    def _ends(self) -> int | tuple[float, ...]:
        return _DEFAULTS[self.source_type][1] if self.windows is None else _windows(self.windows)

    @property
    def _most(self) -> int:
        return _DEFAULTS[self.source_type][2] if self.reports is None else self.reports

    @property
    def _data(self) -> tuple[tuple[int, int], ...]:
        """The windows and most reports of each trigger datum."""
        if self.flexible:
            return _flexible(self.flexible)
        m = _DEFAULTS[self.source_type][0] if self.trigger_data is None else self.trigger_data
        windows = self._ends if isinstance(self._ends, int) else len(self._ends)
        return ((windows, self._most),) * m

    @property
    def states(self) -> int:
        """The number k of states that can be reported."""
        return theory.flexible_states(self._data, self._most)

    def remarks(self) -> tuple[str, ...]:
        """Return what the specification's gate says of this source."""
        bits, most = theory.gate_bits(self.states, float(self.epsilon)), theory.GATES[self.source_type]
        verdict = "passes" if bits <= most else "is refused"
        return (
            f"A {self.source_type} source with these {self.states:,} states {verdict}: its Shannon "
            f"capacity is {bits:.4g} bits, and at most {most:g} are allowed. Its min-capacity is "
            f"{theory.min_capacity_bits(self.states, float(self.epsilon)):.4g} bits.",
        )

    def space(self) -> Labels:
        """Return all states, lazily."""
        return _States(self._data, self._most)

    def encode(self, events: tuple[Event, ...]) -> Hashable:
        """Return the first c reports of conversions."""
        if self.flexible:
            raise ParameterError("flexible sources have no mapping from conversions; use limits or observe")
        ends, m = self._ends, len(self._data)
        if isinstance(ends, int):
            raise ParameterError(
                f"the ends of the {ends} windows are chosen by who registers the source; give them, as in "
                'windows="1 2 7 14 30"',
                what="windows",
                value=ends,
            )
        reports = [
            (event.kind % m, sum(event.days > end for end in ends))
            for event in events
            if m and event.days <= ends[-1]
        ]
        return tuple(sorted(reports[: self._most]))

    @property
    def mechanism(self) -> Response:
        """Randomised response on the states: e^epsilon/(k-1+e^epsilon) for the truth."""
        return Response(self.space(), exp(float(self.epsilon)), "state")

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return whether there was a conversion, and the trigger datum of the first report."""
        named = as_labels(secrets)
        return {
            "converted": predicate_gain(named, bool),
            "datum": predicate_gain(named, lambda state: state[0][0] if state else None),
        }


def _windows(value: int | float | str) -> int | tuple[float, ...]:
    """Return the number of windows, or their ends in days."""
    if isinstance(value, str | float):
        try:
            ends = tuple(float(word) for word in str(value).split())
        except ValueError:
            ends = ()
        if (
            not 1 <= len(ends) <= 5
            or sorted(set(ends)) != list(ends)
            or not 1 / 24 <= ends[0] <= ends[-1] <= 30
        ):
            raise ParameterError(
                what="windows",
                value=value,
                allowed=(
                    "a whole number between 1 and 5, or 1 to 5 increasing ends between 1 hour and 30 days"
                    f" ({_SPEC})"
                ),
            )
        return ends
    count: int = Whole(1, 5, source=_SPEC).check("windows", value)
    return count


@final
class _States(Labels):
    """All states of a source, as sorted tuples of (datum, window), without a list of them.

    Datum d has at most `data[d][1]` reports, each in one of `data[d][0]` windows; all have at most `most`.
    A state's position counts the states before it: those with fewer reports of the first datum, then those
    with the same number whose windows come before, and so on with the data that are left.
    """

    def __init__(self, data: tuple[tuple[int, int], ...], most: int) -> None:
        self._shape = data, most
        self._left = theory.states_left(data, most)
        self.size = self._left[0][-1]

    def _label(self, position: int) -> State:
        state: list[Report] = []
        for datum, (windows, _) in enumerate(self._shape[0]):
            for number, ways, after in self._choices(datum, len(state)):
                if position < ways * after:
                    chosen, position = divmod(position, after)
                    state += [(datum, window) for window in _multisets(windows, number)[chosen]]
                    break
                position -= ways * after
        return tuple(state)

    def _find(self, label: Any) -> int | None:
        try:
            reports = [(datum, window) for datum, window in label]
            position, used = 0, 0
            for datum, (windows, _) in enumerate(self._shape[0]):
                chosen = tuple(window for other, window in reports if other == datum)
                for number, ways, after in self._choices(datum, used):
                    if number == len(chosen):
                        break
                    position += ways * after
                position += _multisets(windows, len(chosen)).index(chosen) * after
                used += len(chosen)
        except (TypeError, ValueError):
            return None
        return position if self.size > position and self._label(position) == label else None

    def _choices(self, datum: int, used: int) -> Iterator[tuple[int, int, int]]:
        """Yield how many reports of a datum there may be, in how many ways, and how many states follow."""
        (windows, most), left = self._shape[0][datum], self._shape[1] - used
        for number in range(min(most, left) + 1):
            yield number, comb(windows + number - 1, number), self._left[datum + 1][left - number]

    def _same_as(self, other: Labels) -> bool:
        return isinstance(other, _States) and self._shape == other._shape


@cache
def _multisets(windows: int, number: int) -> list[tuple[int, ...]]:
    return list(combinations_with_replacement(range(windows), number))


def _flexible(text: str) -> tuple[tuple[int, int], ...]:
    """Return the windows and most reports of each datum."""
    try:
        pairs = [tuple(int(part) for part in word.split("x")) for word in text.split()]
    except (ValueError, AttributeError):
        pairs = []
    if not 1 <= len(pairs) <= 32 or any(len(pair) != 2 for pair in pairs):
        raise ParameterError(
            what="flexible",
            value=text,
            allowed=(
                f"windows (1 to 5) x reports (0 to 20) for each of 1 to 32 data, as in '2x1 1x2' ({_SPEC})"
            ),
        )
    windows, reports = Whole(1, 5, source=_SPEC), Whole(0, 20, source=_SPEC)
    return tuple(
        (windows.check("the windows of a datum", w), reports.check("the reports of a datum", c))
        for w, c in pairs
    )
