"""Attribution Reporting at event level: conversions after a click or a view, by randomised response."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement, product
from math import comb
from typing import Any, Literal, final

from quiff.apis.base import Api, Limit, Unit, parameter
from quiff.apis.ranges import Described, Number, OneOf, Whole
from quiff.apis.specified import from_conversions, limits_from
from quiff.core.channel import Channel
from quiff.core.composite_labels import SubsetLabels
from quiff.core.gain import Gain, predicate_gain
from quiff.core.labels import Labels, as_labels
from quiff.core.limits import check_fits
from quiff.errors import ParameterError
from quiff.populations.conversions import CONVERSIONS, Conversion, kinds_of
from quiff.populations.histories import Histories
from quiff.populations.population import Population
from quiff.theory import event_level as theory
from quiff.theory.mechanisms import randomised_response

_SPEC = "WICG/attribution-reporting-api at 44a6da3 (28 August 2025), params/chromium-params.md"
_DEFAULTS = {"click": (8, (2.0, 7.0, 30.0), 3), "view": (2, (30.0,), 1)}
_FEW = 20_000  # states of a flexible source that are listed

Report = tuple[int, int]
State = tuple[Report, ...]


@final
@dataclass(frozen=True)
class EventLevel(Api):
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
    status = "retired"
    source = "WICG/attribution-reporting-api at 44a6da3 (28 August 2025), index.bs"
    sees = "the reports of a source"
    unit = Unit("a click or a view")
    observer_knows_who = True
    redraws = "secret"
    needs = (CONVERSIONS,)
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
                f"the source has {self.states:,} states, but at most 2^32 - 1 are allowed ({_SPEC})"
            )

    @property
    def _shape(self) -> tuple[int, int, int]:
        """m, w and c."""
        data, ends, reports = _DEFAULTS[self.source_type]
        given = ends if self.windows is None else _windows(self.windows)
        return (
            data if self.trigger_data is None else self.trigger_data,
            given if isinstance(given, int) else len(given),
            reports if self.reports is None else self.reports,
        )

    @property
    def states(self) -> int:
        """The number k of states that can be reported."""
        m, w, c = self._shape
        if self.flexible:
            return theory.flexible_states(_flexible(self.flexible), c)
        return theory.states(m, w, c)

    def remarks(self) -> tuple[str, ...]:
        """Return what the specification's gate says of this source."""
        bits, most = theory.gate_bits(self.states, float(self.epsilon)), theory.GATES[self.source_type]
        verdict = "passes" if bits <= most else "is refused"
        return (
            f"A {self.source_type} source with these {self.states:,} states {verdict}: its Shannon "
            f"capacity is {bits:.4g} bits, and at most {most:g} are allowed. Its min-capacity is "
            f"{theory.min_capacity_bits(self.states, float(self.epsilon)):.4g} bits.",
        )

    def space(self) -> Labels | None:
        """Return all states, lazily; of a flexible source, if they are few enough to list."""
        m, w, c = self._shape
        if not self.flexible:
            return _States(m, w, c)
        if self.states > _FEW:
            return None
        each = _flexible(self.flexible)
        options = [
            [
                tuple((datum, window) for window in chosen)
                for s in range(most + 1)
                for chosen in combinations_with_replacement(range(windows), s)
            ]
            for datum, (windows, most) in enumerate(each)
        ]
        merged = (tuple(report for part in parts for report in part) for parts in product(*options))
        return as_labels([state for state in merged if len(state) <= c])

    def secret(self, people: Population | Histories) -> Channel:
        """Return the channel from users to the first c reports of their conversions."""
        kinds = kinds_of(people.channel(CONVERSIONS).outputs)
        return from_conversions(people, lambda events: self._state(events, kinds))

    def _state(self, events: tuple[Conversion, ...], kinds: Any) -> State:
        m, w, c = self._shape
        if self.flexible:
            raise ParameterError("flexible sources have no mapping from conversions; use limits or observe")
        ends = _DEFAULTS[self.source_type][1] if self.windows is None else _windows(self.windows)
        if isinstance(ends, int):
            raise ParameterError(
                f"the ends of the {w} windows are chosen by who registers the source; give them, as in "
                'windows="1 2 7 14 30"'
            )
        reports = [
            (kinds[event.kind] % m, sum(event.days > end for end in ends))
            for event in events
            if m and event.days <= ends[-1]
        ]
        return tuple(sorted(reports[:c]))

    def observe(self, secrets: object) -> Channel:
        """Return randomised response on the states: e^epsilon/(k-1+e^epsilon) for the truth."""
        named, space = as_labels(secrets), self.space()
        if space is None:
            raise ParameterError(f"the {self.states:,} states of a flexible source are too many to list")
        check_fits(space.size, 1)
        forms = randomised_response(space.size, float(self.epsilon))
        inside = forms["bayes_capacity"] / space.size
        outside = (1 - inside) / max(space.size - 1, 1)
        codes = space.positions(list(named), "state").reshape(-1, 1)
        return Channel.membership_from_codes(named, codes, space, inside=inside, outside=outside)

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return whether there was a conversion, and the trigger datum of the first report."""
        named = as_labels(secrets)
        return {
            "converted": predicate_gain(named, bool),
            "datum": predicate_gain(named, lambda state: state[0][0] if state else None),
        }

    def limits(self) -> tuple[Limit, ...]:
        """Return the closed forms of k-ary randomised response on the states."""
        return limits_from(
            randomised_response(self.states, float(self.epsilon)),
            {
                "bayes_capacity": "k e^epsilon/(k-1+e^epsilon)",
                "epsilon": "epsilon",
                "max_case_capacity": "e^epsilon",
                "shannon_capacity_bits": "log2 k - h(f) - f log2(k-1), f = (k-1)/(k-1+e^epsilon)",
            },
            self.source,
        )


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
                "windows must be a whole number between 1 and 5, or 1 to 5 increasing ends between 1 hour and"
                f" 30 days, not {value!r} ({_SPEC})"
            )
        return ends
    count: int = Whole(1, 5, source=_SPEC).check("windows", value)
    return count


@final
class _States(Labels):
    """All multisets of at most c reports, as sorted tuples of (datum, window), without a list of them.

    A multiset of c out of "none" and the m w kinds of reports, sorted, b_1 <= .. <= b_c, is the subset of the
    b_i + i.
    """

    def __init__(self, data: int, windows: int, most: int) -> None:
        self._windows, self._most, self._kinds = windows, most, data * windows

    @cached_property
    def _subsets(self) -> SubsetLabels:
        return SubsetLabels(as_labels(range(self._kinds + self._most)), self._most)

    @property
    def size(self) -> int:
        return comb(self._kinds + self._most, self._most)

    def _label(self, position: int) -> State:
        chosen: Any = self._subsets._label(position)
        numbers = [b - i for i, b in enumerate(sorted(chosen))]
        return tuple(divmod(b - 1, self._windows) for b in numbers if b)

    def _find(self, label: Any) -> int | None:
        if not isinstance(label, tuple) or len(label) > self._most:
            return None
        try:
            numbers = sorted(1 + datum * self._windows + window for datum, window in label)
        except (TypeError, ValueError):
            return None
        if tuple(divmod(b - 1, self._windows) for b in numbers) != label:
            return None
        padded = [0] * (self._most - len(numbers)) + numbers
        return self._subsets._find(frozenset(b + i for i, b in enumerate(padded)))

    def _same_as(self, other: Labels) -> bool:
        return (
            isinstance(other, _States)
            and vars(self).items()
            >= {
                "_windows": other._windows,
                "_most": other._most,
                "_kinds": other._kinds,
            }.items()
        )


def _flexible(text: str) -> list[tuple[int, int]]:
    """Return the windows and most reports of each datum."""
    try:
        pairs = [tuple(int(part) for part in word.split("x")) for word in text.split()]
    except (ValueError, AttributeError):
        pairs = []
    if not 1 <= len(pairs) <= 32 or any(len(pair) != 2 for pair in pairs):
        raise ParameterError(
            "flexible must be windows (1 to 5) x reports (0 to 20) for each of 1 to 32 data, as in '2x1 1x2',"
            f" not {text!r} ({_SPEC})"
        )
    windows, reports = Whole(1, 5, source=_SPEC), Whole(0, 20, source=_SPEC)
    return [
        (windows.check("the windows of a datum", w), reports.check("the reports of a datum", c))
        for w, c in pairs
    ]
