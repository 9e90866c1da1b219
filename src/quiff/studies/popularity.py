"""The questions how popular each value is, and whether the most popular ones are found."""

from collections.abc import Hashable, Iterator, Mapping
from math import isclose
from typing import Any, cast

import numpy as np

from quiff.apis.base import Api
from quiff.apis.naming import named_draws, naming_of
from quiff.errors import ParameterError, counted
from quiff.measures.named_values import (
    Estimated,
    found_by_sample,
    found_in_order,
    popular_values,
    right_places,
    sample_sizes,
)
from quiff.people.population import Population
from quiff.results.figures.charts import Axis, Point, Record, beside, curves, marks, records
from quiff.results.layout import Chart, Get, Layout, Pivot, Say, ends, label, text_of
from quiff.results.numbers import many, probability, rounded
from quiff.results.result import Result
from quiff.results.rows import Between, Row, rows_of
from quiff.results.small_cells import large_cells
from quiff.studies.study import Findings, study
from quiff.studies.words import goal_of_value, value_words
from quiff.theory.parameters import check_whole

_MOST_RUNS = 100_000  # simulations
_ENOUGH = 0.95  # the probability from which on a sentence calls a value found
_MOST_VALUES = 15  # in the figure
_ALIKE = 5e-4  # probabilities that differ by less are read as one
_NOTHING = 1e-12  # below it nobody reads one in so many


def _words(attribute: str, n_users: int) -> dict[str, str | int]:
    """Return what one value is called, and several, and how many users there are."""
    topics = attribute == "topics"
    return {
        "attribute": attribute,
        "label": "topic" if topics else "value",
        "word": value_words(attribute),
        "several": "topics" if topics else f"values of {attribute}",
        "n_users": n_users,
        "users": many(n_users, "user"),
    }


def _what(entry: dict[str, Any], result: Result) -> str:
    top, words = entry["top"], result.words
    return f"the most popular {words['word']}" if top == 1 else f"the first {top} {words['several']} in order"


_ESTIMATES = "Estimated users of each {word}, from one observation each of {users}"


@study(
    Layout(
        _ESTIMATES,
        tables={
            "estimates": Pivot(
                _ESTIMATES,
                records="values",
                columns={
                    "{label}": "value",
                    "shown": "shown",
                    "users": "users",
                    "standard error": "standard_error",
                    "low": "low",
                    "high": "high",
                },
                notes=(
                    "The estimate (c - N q)/(p - q) is unbiased and may lie below 0 or above N.",
                    "Low and high are the ends of a 95 % interval, clipped to 0 and N.",
                ),
                labels=("{label}",),
            )
        },
    )
)
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
    name, naming = naming_of(api, attribute)
    checked = {value: check_whole(f"the count of {value!r}", count, 0) for value, count in counts.items()}
    total = sum(checked.values())
    N = check_whole("n_users", total if n_users is None else n_users, 1)
    if total > N:
        raise ParameterError(
            f"the counts sum to {total}, but only {counted(N, 'user')} can be seen, each with one output",
            what="counts",
            value=total,
            allowed=f"a sum of at most {N}",
        )
    if naming.n_values is not None and len(checked) > naming.n_values:
        raise ParameterError(
            f"there are counts of {len(checked)} values, but {api.spec} names only {naming.n_values}",
            what="counts",
            value=len(checked),
        )
    ordered = sorted(checked.items(), key=lambda item: -item[1])
    estimates = [Estimated.of(value, count, naming, N) for value, count in ordered]
    rows = (
        rows_of(
            api,
            {"estimated_users": (entry.users, entry.low, entry.high)},
            stage=api.name,
            goal=goal_of_value(name, entry.value),
            method="formula",
        )
        for entry in estimates
    )
    return Findings(
        (row for of_value in rows for row in of_value),
        words=_words(name, N),
        payload={"values": estimates},
    )


def _listed(result: Result) -> tuple[list[Any], str]:
    """Return the values that enough users have, and words on the others."""
    values, least = result.payload["values"], result.words["least"]
    large, few, telling = large_cells(values, (entry["users"] for entry in values), least)
    left = f"{few} more that fewer than {least} users have{telling} are not listed." if few else ""
    return large, left


def _shares(entry: dict[str, Any], result: Result) -> tuple[float, ...]:
    """Return the true share of a value, that estimated, and the ends of its interval."""
    return tuple(float(number) / result.words["n_users"] for number in (entry["users"], *entry["estimate"]))


def _share(place: int) -> Get:
    return lambda entry, result: _shares(entry, result)[place]


_TITLE = "Popularity of {attribute}, from one observation each of {users}"
VALUES = Pivot(
    _TITLE,
    records=lambda result: _listed(result)[0],
    columns={
        "{label}": "value",
        "users": "users",
        "share": _share(0),
        "standard error": "standard_error",
        "estimated share": _share(1),
        "low": _share(2),
        "high": _share(3),
    },
    notes=(
        "The standard error is that of an estimated share: sqrt(n p(1-p) + (N-n) q(1-q))/((p-q) N).",
        "Estimate and 95 % interval (low, high) are from one simulation with seed {seed}.",
        "The estimate is unbiased and may lie outside 0 and 1; the interval is clipped to them.",
        lambda result: _listed(result)[1],
    ),
    labels=("{label}",),
)
FINDING = Pivot(
    "Probability to find the first {several} from {users}",
    records="finding",
    columns={
        "found": _what,
        **ends("simulated", "simulated", "low", "high"),
        "at least": ("least", probability),
        "at most": ("most", probability),
        "approximation": ("approximation", probability),
    },
    notes=(
        "Simulated in {runs}; low and high: Clopper and Pearson's 95 % interval.",
        "At least and at most are bounds from the exact probabilities of pairs of {several}.",
        "The approximation takes the counts for independent normal numbers; it needs many users.",
        "What is shown equally often is ranked at random; what is equally popular may change places.",
    ),
)
GROWTH = Pivot(
    "The same from N users, drawn with replacement",
    records="growth",
    columns={
        "users N": "n_users",
        **ends("first", "first found", "low", "high"),
        **ends("in_order", "first {places} in order", "order low", "order high"),
        "all bits right": "all_bits_right",
    },
    notes=(
        "All bits right answers another question, that of the paper's counting figure: the probability to"
        " guess of every one of the N users whether they have one {word}.",
    ),
)


def _error_sentence(result: Result) -> str:
    values, words = result.payload["values"], result.words
    worst = max(entry["standard_error"] for entry in values)
    held = sum(entry["estimate"][1] <= entry["users"] <= entry["estimate"][2] for entry in values)
    return (
        f"From one observation each of {words['users']}, the share of a {words['word']} is estimated with a"
        f" standard error of at most {rounded(100 * worst, 3)} percentage points; in one simulation the 95 %"
        f" intervals hold the true share of {held} of {len(values)}"
        f" {words['word' if len(values) == 1 else 'several']}."
    )


def _finding_words(entry: dict[str, Any], result: Result) -> dict[str, str]:
    value, low, high, least, most = map(probability, (*entry["simulated"], entry["least"], entry["most"]))
    alike = isclose(entry["least"], entry["most"], rel_tol=_ALIKE)
    return {
        "what": _what(entry, result),
        "are": "is" if entry["top"] == 1 else "are",
        "share": value,
        "interval": f"{low} to {high}",
        "formula": least if alike else f"between {least} and {most}",
    }


def _growth_sentence(result: Result) -> str:
    word = result.words["word"]
    point = next((entry for entry in result.payload["growth"] if entry["first"][0] >= _ENOUGH), None)
    if point is None:
        return f"No sample of up to {result.words['users']} finds the most popular {word} in 95 % of cases."
    bits = probability(point["all_bits_right"]) if point["all_bits_right"] > _NOTHING else "practically 0"
    return (
        f"A sample of {many(point['n_users'], 'user')} finds the most popular {word} in "
        f"{probability(point['first'][0])} of cases; the probability that the paper computes, to guess right "
        f"of each of them whether they have one {word}, is {bits}."
    )


_SHARES = ("estimate, with its 95 % interval", "truth")


def _name(entry: Any, _: Result) -> str:
    return str(entry["value"])


def _found_points(result: Result) -> Iterator[Point]:
    """Return the probability to find the most popular values, by the number of users."""
    series = {
        "first": "the most popular {word} is found",
        "in_order": "the first {places} are found in order",
        "all_bits_right": "another question: right of each user (the paper's figure)",
    }
    for entry in result.payload["growth"]:
        for key, name in series.items():
            numbers = entry[key] if isinstance(entry[key], list | tuple) else (entry[key],)
            yield Point(text_of(name, result), entry["n_users"], *numbers)


def _drawn(points: list[Record], result: Result) -> Any:
    """Return the shares of the first values, true and estimated, and the probability to find them."""
    title = "Shares of the most popular, and one estimate of each"
    upper = marks(points, Axis("share", "share of the users"), _SHARES, title=title)
    lower = curves(
        records(_found_points(result)),
        Axis("x", "users who are seen (N)", "log"),
        Axis("y", "probability", "probability"),
        points=True,
        title="Probability to find the most popular from N users (simulated, 95 % intervals)",
        size=(620, 260),
    )
    return beside(upper, lower, below=True)


LAYOUT = Layout(
    _TITLE,
    say={
        "error": _error_sentence,
        "finding": Say(
            "{what} {are} found in {share} of {runs} (95 % interval {interval}); by"
            " formula the probability is {formula}.",
            records="finding",
            words=_finding_words,
        ),
        "growth": _growth_sentence,
    },
    tables={"values": VALUES, "finding": FINDING, "growth": GROWTH},
    charts={
        "popularity": Chart(
            "From one observation each of {users}, the most popular {word} is found with {first_found}",
            records=lambda result: _listed(result)[0][:_MOST_VALUES],
            points=(
                {
                    "name": _name,
                    "kind": label(_SHARES[0]),
                    "share": _share(1),
                    "low": _share(2),
                    "high": _share(3),
                },
                {"name": _name, "kind": label(_SHARES[1]), "share": _share(0)},
            ),
            draw=_drawn,
            without="too few users have each value",
        )
    },
)


@study(LAYOUT, command="popularity", group="people", memory=1.5)
def popularity(
    people: Population,
    api: Api | None = None,
    *,
    of: str | None = None,
    seed: int = 0,
    simulations: int = 1000,
    first: int = 10,
    least: int = 1,
) -> Findings:
    """Estimate how popular topics are, from one observation each.

    The paper's counting experiment (Sec. 4.2.1) asks for a count that is right to the last user; this is
    the question behind it: how far estimates are from the truth, and whether the most popular value, and
    the first ones in order, are found by counting outputs. Every user shows one; weights play no part.

    Parameters
    ----------
    people
        The users and their attributes.
    api
        Its outputs must name what users have.  [default: topics]
    of
        The attribute whose values are counted.  [default: what the API shows]
    seed
        The random seed: the same seed, the same simulations.
    simulations
        How many times the outputs of all users are drawn.
    first
        How many values to find in order; at most those that some user has.
    least
        How many users at least have a value that is listed.

    Examples
    --------
    $ quiff popularity profiles.parquet --api topics:noise=0.05 --first 10

    >>> people = Population.synthetic(2000, seed=1)
    >>> result = popularity(people, simulations=200, first=3)
    >>> row = result.row("topics: the first")
    >>> row.low < result.payload["finding"][0]["approximation"] < row.high
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
    wanted = check_whole("first", first, 1)
    draws = named_draws(people, api, of)
    holders = draws.having()
    places = min(wanted, int((holders > 0).sum()))
    once, often, samples = np.random.default_rng(seed).spawn(3)
    values = popular_values(draws, holders, draws.draw(once))
    hits = right_places(lambda: draws.draw(often), runs, holders, places, often)
    finding = [found_in_order(holders, hits, k, draws) for k in sorted({1, places})]
    sizes = sample_sizes(draws.n_users)
    growth = [found_by_sample(holders, draws, n, places, runs, samples) for n in sizes]
    rows: list[Row] = []
    for entry in values:
        goal, estimate = goal_of_value(draws.attribute, entry.value), Between(*entry.estimate, "monte-carlo")
        counts = {"users_with": entry.users, "estimated_users": estimate}
        rows += rows_of(api, counts, stage=api.name, goal=goal)
    for place in finding:
        goal, share = finding_goal(draws.attribute, place.top), Between(*place.simulated, "monte-carlo")
        rows += rows_of(api, {"finding_probability": share}, stage=api.name, goal=goal)
    return Findings(
        rows,
        words=_words(draws.attribute, draws.n_users)
        | {
            "places": places,
            "least": least,
            "runs": many(runs, "simulation"),
            "first_found": probability(growth[-1].first[0]),
        },
        payload={"values": values, "finding": finding, "growth": growth},
        seed=seed,
    )


def finding_goal(attribute: str, top: int) -> str:
    """Return the goal to find the first values, as rows name it.

    Examples
    --------
    >>> finding_goal("topics", 1), finding_goal("topics", 10)
    ('topics: the first', 'topics: the first 10')
    """
    return f"{attribute}: the first" + (f" {top}" if top > 1 else "")
