"""The questions how popular each value is, and whether the most popular ones are found."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from math import sqrt
from typing import Any, cast

import numpy as np

from quiff.apis.base import Api, Naming
from quiff.apis.draws import NamedDraws, named_draws
from quiff.core.numbers import Array, Number
from quiff.errors import ParameterError, counted
from quiff.populations.population import Population
from quiff.results.figures.charts import Axis, beside, curves, marks
from quiff.results.figures.figure import Figure
from quiff.results.layout import Chart, Layout, Records
from quiff.results.numbers import probability, rounded
from quiff.results.result import Result
from quiff.results.rows import Method, Row
from quiff.results.small_cells import left_out, or_telling
from quiff.results.table import Table
from quiff.studies.study import Findings, study
from quiff.studies.words import goal_of_value, many, value_words
from quiff.theory.parameters import check_whole
from quiff.theory.popularity import (
    binomial_interval,
    bits_right,
    estimate_variance,
    estimated_users,
    users_interval,
)
from quiff.theory.ranking import ahead, needed_pairs, order_approximately, order_bounds

_MOST_RUNS = 100_000  # simulations
_ENOUGH = 0.95  # the probability from which on a sentence calls a value found
_MOST_VALUES = 15  # in the figure
_NOTHING = 1e-12  # below it nobody reads one in so many
_ENDS = ("value", "low", "high")


def _label(result: Result) -> str:
    return "topic" if result.words["attribute"] == "topics" else "value"


def _word(result: Result) -> str:
    return value_words(result.words["attribute"])


def _several(word: str) -> str:
    first, *rest = word.split(" ", 1)
    return " ".join([f"{first}s", *rest])


def _what(top: int, word: str) -> str:
    return f"the most popular {word}" if top == 1 else f"the first {top} {_several(word)} in order"


def _estimates_title(result: Result) -> str:
    n_users = many(result.words["n_users"], "user")
    return f"Estimated users of each {_word(result)}, from one observation each of {n_users}"


def _estimates(result: Result) -> Table:
    columns = ("value", "shown", "users", "standard_error", "low", "high")
    return Table(
        _estimates_title(result),
        (_label(result), "shown", "users", "standard error", "low", "high"),
        tuple(tuple(entry[name] for name in columns) for entry in result.payload["values"]),
        (
            "The estimate (c - N q)/(p - q) is unbiased and may lie below 0 or above N.",
            "Low and high are the ends of a 95 % interval, clipped to 0 and N.",
        ),
        (_label(result),),
    )


@study(Layout(_estimates_title, tables={"estimates": _estimates}))
def estimate_popularity(
    counts: Mapping[Hashable, int], api: Api, n_users: int | None = None, *, attribute: str | None = None
) -> Findings:
    """Estimate how many users have each value, from how many show an output that names it.

    ``(c - N q)/(p - q)`` with p and q the probabilities that an output names a value that the user has, and
    one that not (`Api.naming`), which is unbiased; its standard error is the root of
    ``n p(1-p) + (N-n) q(1-q)`` over p - q at n the estimate, rounded and clipped to 0 and N. The interval is
    the one of :func:`quiff.theory.popularity.users_interval`. Source: inversion of the paper's channel of the
    counting experiment (Sec. 4.2.1).

    Parameters
    ----------
    counts
        How many users show each value.
    api
        What they show it by.
    n_users
        How many users there are, one output each; None takes the sum of the counts.
    attribute
        Whose values are counted; by default the first one that outputs of the API name.

    Examples
    --------
    >>> from quiff import api_from
    >>> result = estimate_popularity({"Music": 40, "News": 15, "Art": 0}, api_from("topics"), n_users=200)
    >>> print(result.tables["estimates"].to_text())
    Estimated users of each topic, from one observation each of 200 users
    topic  shown   users  standard error  low  high
    Music     40     210            29.2  156   200
    News      15    78.8            18.4   48   124
    Art        0  -0.151           0.891    0    17
    The estimate (c - N q)/(p - q) is unbiased and may lie below 0 or above N.
    Low and high are the ends of a 95 % interval, clipped to 0 and N.

    Raises
    ------
    ParameterError
        If a count is no whole number, the counts exceed the users, there are more values than the API names,
        or its outputs do not name values, or say nothing about the users.
    """
    name, naming = _naming_of(api, attribute)
    checked = {value: check_whole(f"the count of {value!r}", count, 0) for value, count in counts.items()}
    total = sum(checked.values())
    N = check_whole("n_users", total if n_users is None else n_users, 1)
    if total > N:
        raise ParameterError(
            f"the counts sum to {total}, but only {counted(N, 'user')} can be seen, each with one output"
        )
    if naming.n_values is not None and len(checked) > naming.n_values:
        raise ParameterError(
            f"there are counts of {len(checked)} values, but {api.spec} names only {naming.n_values}"
        )
    estimates = [
        _estimate(value, count, naming, N)
        for value, count in sorted(checked.items(), key=lambda item: -item[1])
    ]
    return Findings(
        (_estimated(api, name, entry, "formula") for entry in estimates),
        words={"attribute": name, "n_users": N},
        payload={"values": estimates},
    )


def _left_out(result: Result) -> list[bool]:
    return left_out((entry["users"] for entry in result.payload["values"]), result.words["least"])


def _listed(result: Result) -> list[dict[str, Any]]:
    pairs = zip(result.payload["values"], _left_out(result), strict=True)
    return [entry for entry, gone in pairs if not gone]


def _shares(entry: Mapping[str, Any], n_users: int) -> list[float]:
    """Return estimate, low and high as shares of the users."""
    return [float(number) / n_users for number in entry["estimate"]]


def _values_table(result: Result) -> Table:
    words, listed = result.words, _listed(result)
    left, label, least = len(result.payload["values"]) - len(listed), _label(result), words["least"]
    telling = or_telling((entry["users"] for entry in result.payload["values"]), _left_out(result), least)
    lines = [
        (
            entry["value"],
            entry["users"],
            entry["users"] / words["n_users"],
            entry["standard_error"],
            *_shares(entry, words["n_users"]),
        )
        for entry in listed
    ]
    return Table(
        _title(result),
        (label, "users", "share", "standard error", "estimated share", "low", "high"),
        tuple(lines),
        (
            "The standard error is that of an estimated share: sqrt(n p(1-p) + (N-n) q(1-q))/((p-q) N).",
            f"Estimate and 95 % interval (low, high) are from one simulation with seed {words['seed']}.",
            "The estimate is unbiased and may lie outside 0 and 1; the interval is clipped to them.",
            *((f"{left} more that fewer than {least} users have{telling} are not listed.",) if left else ()),
        ),
        (label,),
    )


def _finding_table(result: Result) -> Table:
    columns = ("simulated", "low", "high", "at least", "at most", "approximation")
    several = _several(_word(result))
    return Table(
        f"Probability to find the first {several} from {many(result.words['n_users'], 'user')}",
        ("found", *columns),
        tuple(
            (
                _what(entry["top"], _word(result)),
                *entry["simulated"],
                entry["least"],
                entry["most"],
                entry["approximation"],
            )
            for entry in result.payload["finding"]
        ),
        (
            f"Simulated {many(result.words['simulations'], 'time')}; low and high: Clopper and Pearson's 95 %"
            " interval.",
            f"At least and at most are bounds from the exact probabilities of pairs of {several}.",
            "The approximation takes the counts for independent normal numbers; it needs many users.",
            "What is shown equally often is ranked at random; what is equally popular may change places.",
        ),
        styles=dict.fromkeys(columns, probability),
    )


def _growth_table(result: Result) -> Table:
    top = result.payload["finding"][-1]["top"]
    columns = ("first found", "low", "high", f"first {top} in order", "order low", "order high")
    return Table(
        "The same from N users, drawn with replacement",
        ("users N", *columns, "all bits right"),
        tuple(
            (entry["n_users"], *entry["first"], *entry["in_order"], entry["all_bits_right"])
            for entry in result.payload["growth"]
        ),
        (
            "All bits right answers another question, that of the paper's counting figure: the"
            f" probability to guess of every one of the N users whether they have one {_word(result)}.",
        ),
        styles=dict.fromkeys(columns, probability),
    )


def _title(result: Result) -> str:
    n_users = many(result.words["n_users"], "user")
    return f"Popularity of {result.words['attribute']}, from one observation each of {n_users}"


def _error_sentence(result: Result) -> Iterator[str]:
    values, word = result.payload["values"], _word(result)
    worst = max(entry["standard_error"] for entry in values)
    held = sum(entry["estimate"][1] <= entry["users"] <= entry["estimate"][2] for entry in values)
    several = word if len(values) == 1 else _several(word)
    yield (
        f"From one observation each of {many(result.words['n_users'], 'user')}, the share of a {word} is"
        f" estimated with a standard error of at most {rounded(100 * worst, 3)} percentage points; in one"
        f" simulation the 95 % intervals hold the true share of {held} of {len(values)} {several}."
    )


def _finding_sentences(result: Result) -> Iterator[str]:
    for entry in result.payload["finding"]:
        value, low, high = map(probability, entry["simulated"])
        least, most = probability(entry["least"]), probability(entry["most"])
        formula = least if least == most else f"between {least} and {most}"
        what = _what(entry["top"], _word(result))
        yield (
            f"{what[0].upper()}{what[1:]} {'is' if entry['top'] == 1 else 'are'} found in {value} of "
            f"{many(result.words['simulations'], 'simulation')} (95 % interval {low} to {high}); by formula"
            f" the probability is {formula}."
        )


def _growth_sentence(result: Result) -> Iterator[str]:
    word = _word(result)
    enough = (entry for entry in result.payload["growth"] if entry["first"][0] >= _ENOUGH)
    point = next(enough, None)
    if point is None:
        n_users = many(result.words["n_users"], "user")
        yield f"No sample of up to {n_users} finds the most popular {word} in 95 % of cases."
        return
    bits = probability(point["all_bits_right"]) if point["all_bits_right"] > _NOTHING else "practically 0"
    yield (
        f"A sample of {many(point['n_users'], 'user')} finds the most popular {word} in "
        f"{probability(point['first'][0])} of cases; the probability that the paper computes, to guess right "
        f"of each of them whether they have one {word}, is {bits}."
    )


def _popularity_figure(result: Result, values: Records) -> Figure:
    """Draw the shares of the first values, true and estimated, and the probability to find them."""
    n_users, word = result.words["n_users"], _word(result)
    kinds = ("estimate, with its 95 % interval", "truth")
    shares: list[dict[str, Any]] = []
    for entry in values[:_MOST_VALUES]:
        name, estimate = (
            str(entry["value"]),
            dict(zip(("share", "low", "high"), _shares(entry, n_users), strict=True)),
        )
        shares += [
            {"name": name, "kind": kinds[0], **estimate},
            {"name": name, "kind": kinds[1], "share": entry["users"] / n_users},
        ]
    top = result.payload["finding"][-1]["top"]
    names = [f"the most popular {word} is found", f"the first {top} are found in order"]
    bits = "another question: right of each user (the paper's figure)"
    points: list[dict[str, Any]] = []
    growth = result.payload["growth"]
    for entry in growth:
        for name, ends in zip(names, (entry["first"], entry["in_order"]), strict=True):
            points.append({"series": name, "users": entry["n_users"], **dict(zip(_ENDS, ends, strict=True))})
        points.append({"series": bits, "users": entry["n_users"], "value": entry["all_bits_right"]})
    upper = marks(
        shares,
        Axis("share", "share of the users"),
        kinds,
        title="Shares of the most popular, and one estimate of each",
    )
    lower = curves(
        points,
        Axis("users", "users who are seen (N)", "log"),
        Axis("value", "probability", "probability"),
        [*names, bits],
        points=True,
        title="Probability to find the most popular from N users (simulated, 95 % intervals)",
        size=(620, 260),
    )
    first = probability(growth[-1]["first"][0])
    title = (
        f"From one observation each of {many(n_users, 'user')}, the most popular {word} is found with {first}"
    )
    return Figure.of(title, beside(upper, lower, below=True))


LAYOUT = Layout(
    _title,
    say={"error": _error_sentence, "finding": _finding_sentences, "growth": _growth_sentence},
    tables={"values": _values_table, "finding": _finding_table, "growth": _growth_table},
    charts={"popularity": Chart(_listed, _popularity_figure)},
)


@study(LAYOUT)
def popularity(
    people: Population,
    api: Api | None = None,
    *,
    attribute: str | None = None,
    seed: int = 0,
    simulations: int = 1000,
    top: int = 10,
    least: int = 1,
) -> Findings:
    """Ask how well one observation of each user tells which values are popular, such as topics.

    The paper's counting experiment (Sec. 4.2.1) asks for a count that is right to the last user; this is
    the question behind it: how far estimates are from the truth, and whether the most popular value, and
    the first ones in order, are found by counting outputs. Every user shows one; weights play no part.

    Parameters
    ----------
    people
        The users and their attributes.
    api
        An API whose outputs name what users have; None is the Topics API with the people's sets.
    attribute
        Whose values are counted; by default the first one that outputs of the API name.
    seed
        The same seed gives the same simulations.
    simulations
        How many times the outputs of all users are drawn.
    top
        How many values to find in order; at most those that some user has.
    least
        How many users at least have a value that is listed.

    Examples
    --------
    >>> people = Population.synthetic(2000, seed=1)
    >>> result = popularity(people, simulations=200, top=3)
    >>> first = result.row("topics: the first")
    >>> first.low < result.payload["finding"][0]["approximation"] < first.high
    True
    >>> result["topics", "users_with", "topics: 1"] - (people.codes == 0).any(axis=1).sum()
    np.int64(0)

    Raises
    ------
    ParameterError
        If a number is out of range, or outputs of the API do not name what users have, or say nothing.
    """
    api = cast("Api", api)  # filled in by @study
    seed, runs = check_whole("seed", seed, 0), check_whole("simulations", simulations, 1, _MOST_RUNS)
    wanted = check_whole("top", top, 1)
    draws = named_draws(people, api, attribute)
    holders = draws.having()
    places = min(wanted, int((holders > 0).sum()))
    once, often, samples = np.random.default_rng(seed).spawn(3)
    values = _values(draws, holders, draws.draw(once))
    hits = _hits(lambda: draws.draw(often), runs, holders, places, often)
    finding = [_finding(holders, hits, k, draws) for k in sorted({1, places})]
    growth = [_grown(holders, draws, size, places, runs, samples) for size in _sizes(draws.n_users)]
    return Findings(
        _rows(api, draws.attribute, values, finding),
        words={
            "attribute": draws.attribute,
            "n_users": draws.n_users,
            "simulations": runs,
            "seed": seed,
            "least": least,
        },
        payload={"values": values, "finding": finding, "growth": growth},
        seed=seed,
    )


def _naming_of(api: Api, attribute: str | None) -> tuple[str, Naming]:
    """Return the attribute whose values an API names with known probabilities, and these."""
    for name in api.needs if attribute is None else (attribute,):
        naming = api.naming(name)
        if naming is not None:
            return name, naming
    raise ParameterError(
        f"{api.spec} does not say with which probabilities its outputs name what users have (Api.naming), so"
        " that counts of outputs say nothing; with people, see popularity(people, api)"
    )


def _estimate(value: Hashable, count: int, naming: Naming, N: int) -> dict[str, Any]:
    """Return how many users have a value: from how many show it, unbiased, with error and interval."""
    p, q, _ = naming
    estimate = estimated_users(p, q, N, count)
    likely = min(max(round(estimate), 0), N)
    low, high = users_interval(p, q, N, count)
    error = sqrt(estimate_variance(p, q, N, likely))
    name = value if isinstance(value, int | str) else str(value)
    return {
        "value": name, "shown": count, "users": estimate, "standard_error": error, "low": low, "high": high,
    }  # fmt: skip


def _values(draws: NamedDraws, holders: Array, counts: Array) -> list[dict[str, Any]]:
    """Return the values that some user has, the most popular first, with an estimate from one draw."""
    N, values = draws.n_users, []
    p, q, _ = draws.naming
    named = dict(zip(draws.columns.tolist(), draws.values, strict=True))
    for column in np.argsort(-holders, kind="stable").tolist():
        n = int(holders[column])
        if n == 0:
            break
        entry = _estimate(named[column], int(counts[column]), draws.naming, N)
        values.append(
            {
                "value": entry["value"],
                "users": n,
                "standard_error": sqrt(estimate_variance(p, q, N, n)) / N,
                "estimate": (entry["users"], entry["low"], entry["high"]),
                "estimate_error": entry["standard_error"],
            }
        )
    return values


def finding_goal(attribute: str, top: int) -> str:
    """Return the goal to find the first values, as rows name it.

    Examples
    --------
    >>> finding_goal("topics", 1), finding_goal("topics", 10)
    ('topics: the first', 'topics: the first 10')
    """
    return f"{attribute}: the first" + (f" {top}" if top > 1 else "")


def _estimated(api: Api, attribute: str, entry: Mapping[str, Any], method: Method) -> Row:
    goal = goal_of_value(attribute, entry["value"])
    value, low, high = entry.get("estimate") or (entry["users"], entry["low"], entry["high"])
    return Row(api.spec, api.unit, api.name, goal, "", 1, "estimated_users", value, low, high, method)


def _rows(
    api: Api, attribute: str, values: list[dict[str, Any]], finding: list[dict[str, Any]]
) -> Iterator[Row]:
    for entry in values:
        goal = goal_of_value(attribute, entry["value"])
        yield Row(api.spec, api.unit, api.name, goal, "", 1, "users_with", entry["users"])
        yield _estimated(api, attribute, entry, "monte-carlo")
    for entry in finding:
        goal = finding_goal(attribute, entry["top"])
        probabilities: tuple[Number, Number, Number] = entry["simulated"]
        yield Row(
            api.spec, api.unit, api.name, goal, "", 1, "finding_probability", *probabilities, "monte-carlo"
        )


def _hits(
    draw: Callable[[], Array], runs: int, holders: Array, places: int, rng: np.random.Generator
) -> Array:
    """Return for each run which of the first places have a value as popular as the place asks for."""
    wanted = np.sort(holders)[::-1][:places]
    hits = np.empty((runs, places), dtype=bool)
    for run in range(runs):
        shuffled = draw() + rng.random(holders.size)  # ranks values shown equally often at random
        hits[run] = holders[np.argsort(-shuffled)[:places]] == wanted
    return hits


def _simulated(hits: Array, places: int) -> tuple[float, float, float]:
    """Return how often the first places were right, with Clopper and Pearson's 95 % interval."""
    right = int(hits[:, :places].all(axis=1).sum())
    return right / len(hits), *binomial_interval(right, len(hits))


def _finding(holders: Array, hits: Array, places: int, draws: NamedDraws) -> dict[str, Any]:
    """Return the probability to find the first places, in order, when all users are seen once.

    Bounds (`least`, `most`) follow from the exact probabilities of pairs of values; they are equal if one
    pair decides. The approximation is by independent normal counts.
    """
    p, q, N = float(draws.naming.inside), float(draws.naming.outside), draws.n_users
    first, second = needed_pairs(holders, places)
    both = draws.having_both(first, second)
    only_first, only_second = holders[first] - both, holders[second] - both
    neither = N - both - only_first - only_second
    right = ahead(
        np.broadcast_to([p, q, p, q], (len(first), 4)),
        np.broadcast_to([q, p, p, q], (len(first), 4)),
        np.stack([only_first, only_second, both, neither], axis=1),
    )
    means = holders * p + (N - holders) * q
    # Two such variances sum to that of the difference where equally many users have the two values, and
    # those who have one of them have the other neither more nor less often.
    variances = means - (p - q) ** 2 * holders * (1 - holders / N)
    least, most = order_bounds(holders, places, right)
    return {
        "top": places,
        "simulated": _simulated(hits, places),
        "least": least,
        "most": most,
        "approximation": order_approximately(means, variances, holders, places),
    }


def _grown(
    holders: Array, draws: NamedDraws, N: int, places: int, runs: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Return the same from N users drawn with replacement: their counts are multinomial.

    `all_bits_right` answers another question, that of the paper's counting figure: the probability to guess
    right of all N users whether they have one value, if each has it with probability 1/2.
    """
    shares = draws.shares(holders)
    hits = _hits(lambda: np.asarray(rng.multinomial(N, shares)), runs, holders, places, rng)
    first, in_order = (order_approximately(N * shares, N * shares, holders, k) for k in (1, places))
    return {
        "n_users": N,
        "first": _simulated(hits, 1),
        "first_approximation": first,
        "in_order": _simulated(hits, places),
        "in_order_approximation": in_order,
        "all_bits_right": float(bits_right(float(draws.naming.inside), float(draws.naming.outside), N)),
    }


def _sizes(n_users: int) -> list[int]:
    """Return sizes of samples: 1, 2 and 5 times powers of ten from ten on, and all users.

    Examples
    --------
    >>> _sizes(300), _sizes(7)
    ([10, 20, 50, 100, 200, 300], [7])
    """
    powers = range(1, len(str(n_users)))
    sizes = [digit * 10**power for power in powers for digit in (1, 2, 5)]
    return [*(size for size in sizes if size < n_users), n_users]
