"""How it is shown how popular values are as far as outputs tell, and whether the first ones are found."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, final

from quiff.apis.base import Api
from quiff.core.numbers import Number
from quiff.results.figures.charts import Axis, beside, curves, marks
from quiff.results.figures.figure import Figure
from quiff.results.numbers import plain, probability, rounded
from quiff.results.table import Table
from quiff.results.views.names import many, value_words

_ENOUGH = 0.95  # the probability from which on a sentence calls a value found
_MOST_VALUES = 15  # in the figure
_NOTHING = 1e-12  # below it nobody reads one in so many


@final
@dataclass(frozen=True)
class Simulated:
    """How often something happened in simulations, with Clopper and Pearson's 95 % interval."""

    value: float
    low: float
    high: float


@final
@dataclass(frozen=True)
class Estimate:
    """How many users have a value: from how many show it, unbiased, with its error and 95 % interval."""

    reports: int
    users: Number
    standard_error: float
    low: float
    high: float

    def shares(self, n_users: int) -> tuple[float, float, float]:
        """Return estimate, low and high as shares of the users.

        Examples
        --------
        >>> Estimate(19, 100, 20.0, 65.0, 140.0).shares(200)
        (0.5, 0.325, 0.7)
        """
        return float(self.users) / n_users, self.low / n_users, self.high / n_users


@final
@dataclass(frozen=True)
class ValuePopularity:
    """A value: how many users have it, how well that can be known, and one simulated estimate of it."""

    value: Hashable
    users: int
    share: float
    standard_error: float
    estimate: Estimate


@final
@dataclass(frozen=True)
class Finding:
    """The probability that the first values are found, in order, when all users are seen once.

    Bounds (`least`, `most`) follow from the exact probabilities of pairs of values; they are equal if one
    pair decides. The approximation is by independent normal counts.
    """

    top: int
    simulated: Simulated
    least: float
    most: float
    approximation: float


@final
@dataclass(frozen=True)
class Growth:
    """The same from N users, drawn with replacement: the most popular value, and the first ones in order.

    `all_bits_right` answers another question, that of the paper's counting figure: the probability to guess
    right of all N users whether they have one value, if each has it with probability 1/2.
    """

    n_users: int
    first: Simulated
    first_approximation: float
    in_order: Simulated
    in_order_approximation: float
    all_bits_right: float


def finding_goal(attribute: str, top: int) -> str:
    """Return the goal to find the first values, as rows name it.

    Examples
    --------
    >>> finding_goal("topics", 1), finding_goal("topics", 10)
    ('topics: the first', 'topics: the first 10')
    """
    return f"{attribute}: the first" + (f" {top}" if top > 1 else "")


def estimate_views(attribute: str, n_users: int, estimates: Mapping[Hashable, Estimate]) -> dict[str, Any]:
    """Return title, table and facts of estimates."""
    word, label = value_words(attribute), _label(attribute)
    title = f"Estimated users of each {word}, from one observation each of {many(n_users, 'user')}"
    table = Table(
        title,
        (label, "shown", "users", "standard error", "low", "high"),
        tuple((v, e.reports, e.users, e.standard_error, e.low, e.high) for v, e in estimates.items()),
        (
            "The estimate (c - N q)/(p - q) is unbiased and may lie below 0 or above N.",
            "Low and high are the ends of a 95 % interval, clipped to 0 and N.",
        ),
        (label,),
    )
    rows = [{label: _named(value), **plain(one)} for value, one in estimates.items()]
    return {
        "title": title,
        "tables": {"estimates": table},
        "facts": {"n_users": n_users, "attribute": attribute, attribute: rows},
    }


def popularity_views(
    api: Api,
    attribute: str,
    n_users: int,
    drawn: tuple[int, int],
    values: tuple[ValuePopularity, ...],
    found: tuple[Finding, ...],
    growth: tuple[Growth, ...],
    least: int,
) -> dict[str, Any]:
    """Return title, sentences, tables, figure and facts; `drawn` is how many simulations, and their seed."""
    simulations, seed = drawn
    listed = tuple(each for each in values if each.users >= least)
    left = len(values) - len(listed)
    word, label, users = value_words(attribute), _label(attribute), many(n_users, "user")
    top, several = max(each.top for each in found), _several(word)
    title = f"Popularity of {attribute}, from one observation each of {users}"
    order = (f"first {top} in order", "order low", "order high")
    chances = ("simulated", "low", "high", "at least", "at most", "approximation")
    grown = ("first found", "low", "high", *order, "all bits right")
    tables = {
        "values": Table(
            title,
            (label, "users", "share", "standard error", "estimated share", "low", "high"),
            tuple((v.value, v.users, v.share, v.standard_error, *v.estimate.shares(n_users)) for v in listed),
            (
                "The standard error is that of an estimated share: sqrt(n p(1-p) + (N-n) q(1-q))/((p-q) N).",
                f"Estimate and 95 % interval (low, high) are from one simulation with seed {seed}.",
                "The estimate is unbiased and may lie outside 0 and 1; the interval is clipped to them.",
                *((f"{left} more that fewer than {least} users have are not listed.",) if left else ()),
            ),
            (label,),
        ),
        "finding": Table(
            f"Probability to find the first {several} from {users}",
            ("found", *chances),
            tuple(
                (_what(f.top, word), *_cells(f.simulated), f.least, f.most, f.approximation) for f in found
            ),
            (
                f"Simulated {many(simulations, 'time')}; low and high: Clopper and Pearson's 95 % interval.",
                f"At least and at most are bounds from the exact probabilities of pairs of {several}.",
                "The approximation takes the counts for independent normal numbers; it needs many users.",
                "What is shown equally often is ranked at random; what is equally popular may change places.",
            ),
            styles=dict.fromkeys(chances, probability),
        ),
        "growth": Table(
            "The same from N users, drawn with replacement",
            ("users N", *grown),
            tuple((g.n_users, *_cells(g.first), *_cells(g.in_order), g.all_bits_right) for g in growth),
            (
                "All bits right answers another question, that of the paper's counting figure: the"
                f" probability to guess of every one of the N users whether they have one {word}.",
            ),
            styles=dict.fromkeys(grown[:-1], probability),
        ),
    }
    return {
        "title": title,
        "sentences": (
            _error_sentence(values, users, word),
            *(_finding_sentence(each, word, simulations) for each in found),
            _growth_sentence(growth, users, word),
        ),
        "tables": {name: table for name, table in tables.items() if table.rows},
        "figures": {"popularity": lambda: _figure(listed, growth, n_users, top, word)} if listed else {},
        "facts": {
            **api.parameters(),
            "n_users": n_users,
            "simulations": simulations,
            "seed": seed,
            "attribute": attribute,
            attribute: [{**plain(one), label: _named(one.value)} for one in values],
            "chances": [{"found": _what(each.top, word), **plain(each)} for each in found],
            "growth": plain(growth),
        },
    }


def _label(attribute: str) -> str:
    return "topic" if attribute == "topics" else "value"


def _named(value: Hashable) -> int | str:
    return value if isinstance(value, int | str) else str(value)


def _what(top: int, word: str) -> str:
    return f"the most popular {word}" if top == 1 else f"the first {top} {_several(word)} in order"


def _several(word: str) -> str:
    first, *rest = word.split(" ", 1)
    return " ".join([f"{first}s", *rest])


def _cells(simulated: Simulated) -> tuple[float, float, float]:
    return simulated.value, simulated.low, simulated.high


def _error_sentence(values: tuple[ValuePopularity, ...], users: str, word: str) -> str:
    worst = max(one.standard_error for one in values)
    held = sum(one.estimate.low <= one.users <= one.estimate.high for one in values)
    several = word if len(values) == 1 else _several(word)
    return (
        f"From one observation each of {users}, the share of a {word} is estimated with a standard error of"
        f" at most {rounded(100 * worst, 3)} percentage points; in one simulation the 95 % intervals hold the"
        f" true share of {held} of {len(values)} {several}."
    )


def _finding_sentence(found: Finding, word: str, simulations: int) -> str:
    value, low, high = map(probability, _cells(found.simulated))
    least, most = probability(found.least), probability(found.most)
    formula = least if least == most else f"between {least} and {most}"
    what = _what(found.top, word)
    return (
        f"{what[0].upper()}{what[1:]} {'is' if found.top == 1 else 'are'} found in {value} of "
        f"{many(simulations, 'simulation')} (95 % interval {low} to {high}); by formula the probability is"
        f" {formula}."
    )


def _growth_sentence(growth: tuple[Growth, ...], users: str, word: str) -> str:
    point = next((point for point in growth if point.first.value >= _ENOUGH), None)
    if point is None:
        return f"No sample of up to {users} finds the most popular {word} in 95 % of cases."
    bits = probability(point.all_bits_right) if point.all_bits_right > _NOTHING else "practically 0"
    return (
        f"A sample of {many(point.n_users, 'user')} finds the most popular {word} in "
        f"{probability(point.first.value)} of cases; the probability that the paper computes, to guess right "
        f"of each of them whether they have one {word}, is {bits}."
    )


def _figure(
    values: tuple[ValuePopularity, ...], growth: tuple[Growth, ...], n_users: int, top: int, word: str
) -> Figure:
    """Draw the shares of the first values, true and estimated, and the probability to find them."""
    kinds = ("estimate, with its 95 % interval", "truth")
    shares: list[dict[str, Any]] = []
    for one in values[:_MOST_VALUES]:
        estimate, low, high = one.estimate.shares(n_users)
        shares += [
            {"name": str(one.value), "kind": kinds[0], "share": estimate, "low": low, "high": high},
            {"name": str(one.value), "kind": kinds[1], "share": one.share},
        ]
    names = [f"the most popular {word} is found", f"the first {top} are found in order"]
    bits = "another question: right of each user (the paper's figure)"
    found: list[dict[str, Any]] = []
    for point in growth:
        for name, each in zip(names, (point.first, point.in_order), strict=True):
            found.append({"series": name, "users": point.n_users, **plain(each)})
        found.append({"series": bits, "users": point.n_users, "value": point.all_bits_right})
    upper = marks(
        shares,
        Axis("share", "share of the users"),
        kinds,
        title="Shares of the most popular, and one estimate of each",
    )
    lower = curves(
        found,
        Axis("users", "users who are seen (N)", "log"),
        Axis("value", "probability", "probability"),
        [*names, bits],
        points=True,
        title="Probability to find the most popular from N users (simulated, 95 % intervals)",
        size=(620, 260),
    )
    found_first = probability(growth[-1].first.value) if growth else ""
    title = (
        f"From one observation each of {many(n_users, 'user')}, the most popular {word} is found with"
        f" {found_first}"
    )
    return Figure.of(title, beside(upper, lower, below=True))
