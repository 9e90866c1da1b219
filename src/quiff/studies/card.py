"""The card of a web surface: who is alone with what it shows, and what entropy hides."""

from collections.abc import Iterator, Mapping, Sequence
from math import isinf
from typing import Any

import numpy as np
import pyarrow as pa

from quiff.apis.base import Api, all_limits
from quiff.errors import ParameterError
from quiff.io import StrPath
from quiff.io.tables import Fault, Table, check_rows, open_table, quoted
from quiff.measures.crowds import Crowd
from quiff.people.limits import allowed_bytes
from quiff.people.population import Population
from quiff.results.figures.charts import Axis, Record, curves
from quiff.results.layout import Chart, Layout, Pivot
from quiff.results.numbers import probability, said
from quiff.results.result import Result
from quiff.results.rows import CLOSED, rows_of
from quiff.studies.study import Findings, study
from quiff.theory.parameters import check_number, check_whole
from quiff.theory.surfaces import FalseAnswers, chow_liu, joint_values, largest_unique_share

_CROWDS = (10**3, 10**4, 10**5, 10**6, 10**7, 10**8, 10**9)
_HELD = {"the rarest": 0.0, "a person in the middle": 0.5, "the most common": 1.0}
_OWN, _FAKED = "these people", "with false answers"
_ISSUE = "w3c/fingerprinting-guidance, issue 40 (2020, open)"


def _verdict(result: Result) -> Iterator[str]:
    words = result.words
    if words["known"] == "api":
        most = "no limit" if isinf(words["factor"]) else f"at most {said(words['factor'])}"
        yield (
            f"{words['surface']}: an observation multiplies the probability to guess a person by {most},"
            " whoever the people are."
        )
        return
    if words["known"] == "marginals":
        low, high = words["values"]
        yield (
            f"From the columns one by one, {words['surface']} multiply a guess by {said(low)} to {said(high)}"
            f" on average, whatever their joint distribution is; who is alone cannot be known from them. A"
            " table of people, or of pairs of columns, would tell more."
        )
        return
    alone, n = words["alone"], words["people"]
    yield (
        f"Of {n:,} people {probability(alone)} are alone by {words['surface']}, and"
        f" {probability(words['small'])} are in crowds below {words['k']}."
    )
    yield (
        f"One observation multiplies the probability to guess who it is by {said(words['factor'])} on"
        f" average, from 1 in {n:,} to {probability(words['factor'] / n)}; whoever is alone is known for"
        " certain."
    )


def _hidden(result: Result) -> Iterator[str]:
    """Say the entropy, and what it hides."""
    words = result.words
    if words["known"] == "marginals":
        low, high = words["bits"]
        yield f"Their joint entropy lies between {said(low)} and {said(high)} bits, which hides who is alone."
    if words["known"] != "table":
        return
    yield (
        f"The entropy, {said(words['entropy'])} bits, hides that: with no more than that known, up to"
        f" {probability(words['hidden'])} of {words['people']:,} people may be alone."
    )


def _added(result: Result) -> Iterator[str]:
    for line in result.payload["exposed"]:
        yield (
            f"Beside {line['exposed']}, which multiplies a guess by {said(line['before'])} already, the"
            f" surface multiplies it by {said(line['adds'])} more; {probability(line['alone'])} are alone"
            f" with both, {probability(line['alone_before'])} before."
        )


def _faked(result: Result) -> Iterator[str]:
    fake = result.payload["fake"]
    if fake:
        first, *_, last = fake["denied"]
        yield (
            f"If {probability(fake['p'])} of answers are plausible but false, an observation multiplies a"
            f" guess by {said(fake['factor'])} (epsilon {said(fake['epsilon'])}). A value that one in"
            f" {said(1 / first['share'])} has is then true with {probability(first['true'])}; the most common"
            f" one with {probability(last['true'])}: it protects the rare, not the many."
        )


CROWDS = Pivot(
    "In crowds of other sizes",
    records="crowds",
    columns={
        "people": lambda line, _: f"{line['people']:,}",
        "alone": ("alone", probability),
        "low": ("alone_low", probability),
        "high": ("alone_high", probability),
        "below {k}": ("small", probability),
        "guess after": ("guess", probability),
        "at least": ("guess_low", probability),
        "at most": ("guess_high", probability),
    },
    notes=(
        "Intervals hold with 95 % if these people were drawn at random. In crowds larger than the table"
        " nobody can be sure who is alone: the upper end is what Good and Turing's estimate allows.",
    ),
    labels=("people",),
)
PARTS = Pivot(
    "The columns one by one, and together at most",
    records="parts",
    columns={
        "column": "column",
        "values": "distinct",
        "entropy": "entropy",
        "alone": ("alone", probability),
        "largest share": ("largest", probability),
    },
)
DENIED = Pivot(
    "What a false answer protects",
    records=lambda result: (result.payload["fake"] or {}).get("denied", ()),
    columns={
        "whose value": "who",
        "share who have it": ("share", probability),
        "then true": ("true", probability),
    },
)


def _drawn(points: list[Record], _: Result) -> Any:
    return curves(
        points,
        Axis("people", "people (log scale)", "log"),
        Axis("share", "share of people who are alone", "share"),
        points=True,
        size=(420, 260),
    )


LAYOUT = Layout(
    "A card of {surface}",
    say={"verdict": _verdict, "entropy": _hidden, "exposed": _added, "fake": _faked},
    tables={"crowds": CROWDS, "columns": PARTS, "fake": DENIED},
    charts={
        "crowds": Chart(
            "Who is alone, by the number of people",
            records="crowds",
            points={
                "series": lambda *_: "alone",
                "people": "people",
                "share": "alone",
                "low": "alone_low",
                "high": "alone_high",
            },
            draw=_drawn,
            without="of none of these crowds is known who is alone; ask for smaller ones (sizes)",
        )
    },
)


@study(LAYOUT, default=False)
def card(
    table: StrPath | object | None = None,
    *,
    columns: Sequence[str] = (),
    api: Api | None = None,
    exposed: Sequence[str] = (),
    counts: str | None = None,
    marginals: bool = False,
    fake: float | None = None,
    crowd: int = 5,
    sizes: Sequence[int] = _CROWDS,
) -> Findings:
    """Say of a web surface who is alone with what it shows, and by how much it multiplies a guess.

    The table has a row for each person or device, or for so many; a value is what its columns hold together.
    Entropy stands beside, with what it hides. Of crowds as large as the table or smaller, shares are
    estimated from all its subsets; of larger ones only bounds are known. From marginals alone, or from an
    API, bounds are given that hold for any people.

    Parameters
    ----------
    table
        A file, a folder or a frame of people or devices; in Python also people, or a mapping from values to
        how many people have them.
    columns
        The columns that the surface shows; by default all but those of counts and of what is exposed.
    api
        An API of the registry instead of a table.
    exposed
        Columns that are exposed already: what does the surface add?
    counts
        The column that says how many people a row stands for.
    marginals
        The table has the columns ``column``, ``value`` and ``count``; a column ``a+b`` is a pair of two.
    fake
        How often a plausible false answer is given.
    crowd
        Below how many people a crowd is small.
    sizes
        The crowds to look at.

    Examples
    --------
    >>> result = card({"A": 50, "B": 30, "C": 10, "D": 5, "E": 3, "F": 1, "G": 1})
    >>> round(result["entropy_bits"], 9), result["leakage", "these people"]
    (1.854022827, 7)

    Raises
    ------
    ParameterError
        If there is neither a table nor an API, or a column is not there.
    """
    k = check_whole("crowd", crowd, 2, 10**6)
    chosen = sorted({check_whole("sizes", size, 2, 10**12) for size in sizes})
    p = None if fake is None else float(check_number("fake", fake, 0, 1))
    if api is not None and table is not None:
        raise ParameterError(
            "a card is of a table or of an API; give one of them", what="api", value=api.spec
        )
    if api is not None:
        return _of_api(api, chosen)
    if table is None:
        raise ParameterError("a card needs a table of people or devices, or an API (--api)", what="table")
    if isinstance(table, Mapping):
        return _of_crowd(Crowd(table.values()), "this surface", chosen, k, p, {})
    with open_table(_frame(table, columns), memory=allowed_bytes()) as opened:
        if marginals:
            return _of_marginals(opened)
        beside = (*exposed, *(() if counts is None else (counts,)))
        shown = tuple(columns) or tuple(name for name in opened.names if name not in beside)
        if not shown:
            raise ParameterError("no column is left that the surface shows", what="columns")
        opened.load(list(dict.fromkeys((*shown, *beside))))
        weight = "1" if counts is None else _number_of(opened, counts)
        crowds = {
            names: _grouped(opened, names, weight)
            for names in dict.fromkeys(
                (
                    shown,
                    *((name,) for name in shown),
                    *((tuple(exposed), (*exposed, *shown)) if exposed else ()),
                )
            )
        }
    return _of_crowd(crowds[shown], _listed(shown), chosen, k, p, crowds, tuple(exposed))


def _number_of(table: Table, name: str) -> str:
    """Return the expression of a column of counts; the first row that has no whole number is refused."""
    number = f"TRY_CAST({quoted(name)} AS BIGINT)"
    wrong = f"coalesce({number}, 0) < 1"
    words = "the count is no whole number of at least 1"
    check_rows(table, [Fault(wrong, lambda _: words, error=ParameterError)])
    return number


def _frame(table: Any, columns: Sequence[str]) -> Any:
    """Return what the door opens: people by the positions of their values."""
    if not isinstance(table, Population):
        return table
    if table.merged or table.n_epochs > 1:
        raise ParameterError("a card is of single users in one epoch; take people.epoch(0)", what="table")
    names = tuple(columns) or table.attributes
    return pa.table({name: np.atleast_2d(table.attribute(name).which)[0] for name in names})


def _grouped(table: Table, names: Sequence[str], weight: str) -> Crowd:
    """Return the people by the values of some columns together."""
    keys = ", ".join(map(quoted, names))
    groups = f"SELECT sum({weight}) AS size FROM source GROUP BY {keys}"  # noqa: S608 - quoted
    sizes = table.con.execute(f"SELECT size, count(*) FROM ({groups}) GROUP BY size").fetchall()  # noqa: S608
    if not sizes or min(size or 0 for size, _ in sizes) < 1:
        raise ParameterError(
            f"{table.name} has {'a count below 1' if sizes else 'no rows'}",
            what="counts",
            allowed="at least 1",
        )
    return Crowd.of_sizes({int(size): times for size, times in sizes})


def _of_crowd(
    crowd: Crowd,
    surface: str,
    sizes: Sequence[int],
    k: int,
    fake: float | None,
    parts: Mapping[tuple[str, ...], Crowd],
    exposed: tuple[str, ...] = (),
) -> Findings:
    """Return the card of people whose values are known."""
    n, hidden = crowd.people, largest_unique_share(crowd.entropy, max(2, crowd.people))
    own = {
        "leakage": crowd.values,
        "posterior": crowd.values / n,
        "unique_users": crowd.alone,
        "small_crowds": crowd.below(k),
        "entropy_bits": crowd.entropy,
        "unique_at_entropy": hidden,
    }
    rows = [*rows_of(None, own, stage=_OWN, goal="user", prior="uniform")]
    lines = []
    for m in sizes:
        alone, small, values = crowd.alone_among(m), crowd.below_among(m, k), crowd.values_among(m)
        lines.append(
            {
                "people": m,
                "alone": alone.value if m <= n else None,
                "alone_low": alone.low,
                "alone_high": alone.high,
                "small": small.value if m <= n else None,
                "guess": values.value / m if m <= 2 * n else None,
                "guess_low": values.low / m,
                "guess_high": min(1.0, values.high / m),
            }
        )
        about = {"stage": f"{m:,} people", "goal": "user", "prior": "uniform", "method": "sample"}
        numbers: dict[str, tuple[float, float, float]] = {
            "leakage": (values.value, values.low, values.high),
            "unique_users": (alone.value, alone.low, alone.high),
            "small_crowds": (small.value, small.low, small.high),
        }
        rows += rows_of(None, numbers, **about)
    added = []
    if exposed:
        before, both = (
            parts[exposed],
            next(
                parts[names]
                for names in parts
                if names[: len(exposed)] == exposed and len(names) > len(exposed)
            ),
        )
        added.append(
            {
                "exposed": _listed(exposed),
                "before": before.values,
                "adds": both.values / before.values,
                "alone_before": before.alone,
                "alone": both.alone,
            }
        )
        rows += rows_of(
            None,
            {"leakage": both.values, "unique_users": both.alone},
            stage=f"with {_listed(exposed)}",
            goal="user",
            prior="uniform",
        )
    answers = None
    if fake:
        false = FalseAnswers(crowd.values, fake)
        denied = [
            {"who": who, "share": crowd.share(held), "true": false.true_probability(crowd.share(held))}
            for who, held in _HELD.items()
        ]
        answers = {"p": fake, "factor": false.factor, "epsilon": false.epsilon, "denied": denied}
        rows += rows_of(
            None,
            {"leakage": false.factor, "epsilon": false.epsilon},
            stage=_FAKED,
            goal="user",
            prior="uniform",
            method="formula",
        )
    singles = [(names[0], part) for names, part in parts.items() if len(names) == 1]
    return Findings(
        rows,
        notes=(
            f"Entropy corrected for what a sample hides on average: {said(crowd.corrected_entropy)} bits.",
            f"However large the crowd, {said(crowd.least_values)} values or more are to be expected (Chao).",
        ),
        words={
            "known": "table",
            "surface": surface,
            "people": n,
            "alone": crowd.alone,
            "small": crowd.below(k),
            "k": k,
            "factor": crowd.values,
            "entropy": crowd.entropy,
            "hidden": hidden,
        },
        payload={
            "crowds": lines,
            "parts": [
                {
                    "column": name,
                    "distinct": part.values,
                    "entropy": part.entropy,
                    "alone": part.alone,
                    "largest": part.share(1.0),
                }
                for name, part in (singles if len(singles) > 1 else ())
            ],
            "exposed": added,
            "fake": answers,
        },
        population={"users": n, "weighted": False, "synthetic": False},
        sources=(_ISSUE,),
    )


def _of_marginals(table: Table) -> Findings:
    """Return bounds from the columns one by one, and from pairs where they are known."""
    table.load(["column", "value", "count"])
    number = _number_of(table, "count")
    read = table.con.execute(
        f'SELECT "column", "value", CAST(sum({number}) AS BIGINT) FROM source GROUP BY 1, 2'  # noqa: S608
    ).fetchall()
    counts: dict[str, list[int]] = {}
    for name, _, number in read:
        counts.setdefault(str(name), []).append(int(number))
    crowds = {name: Crowd(numbers) for name, numbers in counts.items()}
    names = [name for name in crowds if "+" not in name]
    people = {crowd.people for crowd in crowds.values()}
    if not names or len(people) > 1:
        raise ParameterError(
            f"{table.name}: the counts of its columns sum to different numbers of people", what="marginals"
        )
    singles, n = [crowds[name] for name in names], people.pop()
    information = {}
    for pair, crowd in crowds.items():
        first, plus, second = pair.partition("+")
        if plus and not {first, second} <= {*names}:
            raise ParameterError(what="a pair of columns", value=pair, allowed=f"of {_listed(names)}")
        if plus:
            i, j = names.index(first), names.index(second)
            information[min(i, j), max(i, j)] = singles[i].entropy + singles[j].entropy - crowd.entropy
    values = joint_values([crowd.values for crowd in singles], n)
    bits = (max(crowd.entropy for crowd in singles), chow_liu([c.entropy for c in singles], information))
    numbers = {
        "leakage": (values.low, values.low, values.high),
        "entropy_bits": (bits[1], bits[0], bits[1]),
    }
    return Findings(
        [*rows_of(None, numbers, stage=_OWN, goal="user", prior="uniform", method="formula")],
        words={
            "known": "marginals",
            "surface": _listed(names),
            "values": (values.low, values.high),
            "bits": bits,
            "k": 0,
        },
        payload={
            "crowds": [],
            "parts": [
                {
                    "column": name,
                    "distinct": c.values,
                    "entropy": c.entropy,
                    "alone": c.alone,
                    "largest": c.share(1.0),
                }
                for name, c in zip(names, singles, strict=True)
            ],
            "exposed": [],
            "fake": None,
        },
        population={"users": n, "weighted": False, "synthetic": False},
        sources=(_ISSUE, "Chow and Liu 1968"),
    )


def _of_api(api: Api, sizes: Sequence[int]) -> Findings:
    """Return what an API multiplies a guess by at most, in crowds of some sizes."""
    known = [
        limit.value for limit in all_limits(api) if not limit.stage and limit.quantity == "bayes_capacity"
    ]
    if not known:
        raise ParameterError(
            f"no capacity of {api.spec!r} is known from its parameters; measure it on people",
            what="api",
            value=api.spec,
        )
    factor = float(known[0])
    lines = [{"people": m, "guess_high": min(1.0, factor / m)} for m in sizes]
    rows = [*rows_of(api, {"bayes_capacity": known[0]}, **CLOSED)]
    for line in lines:
        about = {"stage": f"{line['people']:,} people", **CLOSED}
        rows += rows_of(api, {"posterior": line["guess_high"]}, goal="user", prior="uniform", **about)
    blank = dict.fromkeys(("alone", "alone_low", "alone_high", "small", "guess", "guess_low"))
    return Findings(
        rows,
        words={"known": "api", "surface": api.title, "factor": factor, "k": 0},
        payload={"crowds": [blank | line for line in lines], "parts": [], "exposed": [], "fake": None},
        apis=(api,),
    )


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
