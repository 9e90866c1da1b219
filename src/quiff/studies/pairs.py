"""What is known of people of whom only the users of each two topics could be counted."""

from collections.abc import Iterator

from quiff.apis.base import Api
from quiff.core.numbers import as_number
from quiff.errors import SizeError
from quiff.people.pairs import PairCounts
from quiff.people.population import Population
from quiff.results.layout import Layout, Pivot
from quiff.results.numbers import many, probability
from quiff.results.result import Result
from quiff.results.rows import Between, Row, rows_of
from quiff.studies.measure import api_rows, people_table
from quiff.studies.over_time import risk_numbers
from quiff.studies.questions import REVEALED, REVEALS, RISK_COLUMNS, learnt
from quiff.studies.study import Findings, assumed, study
from quiff.theory.parameters import HALF, Real, check_whole
from quiff.weeks.sequences import Sequences

_CHANNEL = ("bayes_capacity", "min_capacity_bits", "epsilon", "max_case_capacity")
_REACHED = 2  # observations whose leakage pairs of topics tell


def _learnt(result: Result) -> Iterator[str]:
    for spec in result.apis:
        yield from learnt(result.rows.where(api=spec, observations=1), result)


LAYOUT = Layout(
    "What is known about {users} from pairs of topics",
    say={"revealed": REVEALS, "use": _learnt},
    tables={
        "privacy": REVEALED,
        "risk": Pivot(
            "Each user's risk after one observation",
            by=("api",),
            columns=RISK_COLUMNS,
            where={"observations": 1},
        ),
        "over time": Pivot(
            "More observations",
            by=("api", "observations"),
            columns={"at most": "leakage_at_most", "leakage": "leakage", "re-identified": "posterior"},
            where=lambda row, _: row.observations > 1,
        ),
        "people": people_table,
    },
)


@study(LAYOUT, default=False)
def measure_pairs(pairs: PairCounts, *apis: Api, observations: int = 1, threshold: Real = HALF) -> Findings:
    """Measure what 1 or more observations reveal, as far as pairs of topics tell it: exactly, or not at all.

    With p and q the probabilities of an output inside and outside of the set, m the outputs and m' of them in
    some set, one observation leaks m'p + (m - m')q; two leak Tp^2 + (m^2 - (m - m')^2 - T)pq + (m - m')^2
    q^2, with T the ordered pairs of topics that are in one set; a receiver guesses a topic correctly with
    sum_y max_t [q n_t + (p - q) n_yt] / N, n_yt being how many users have both. Of more observations a bound
    is known: min(D, L^n), with D the distinct sets and L what one observation leaks. The risk of a user with
    the set S is p sum_{t in S} 1/n_t + (m - m')q/N; where users are grouped by that sum, quantiles of the
    risk are known up to what is in one group.

    Parameters
    ----------
    pairs
        How many users have each two topics.
    apis
        What to measure; of APIs that do not show each topic of a set alike, nothing is known.
    observations
        The largest number of them.
    threshold
        Which risk of a user is too much: the result says how many users are above.

    Raises
    ------
    SizeError
        If nothing is known of any of the APIs.

    Examples
    --------
    Two of three users have the topics Music and News, the third has Sports and Travel:

    >>> from quiff import worked_example
    >>> people, api = worked_example()
    >>> import numpy as np
    >>> together = np.kron(np.diag([2, 1]), np.ones((2, 2), dtype=int))
    >>> result = measure_pairs(PairCounts(3, 2, 1, 2, people.occurring, together), api)
    >>> result[api.spec, "leakage"], result[api.spec, "goal_posterior"]
    (Fraction(39, 20), Fraction(293, 300))
    """
    most, stand_in = check_whole("observations", observations, 1), pairs.stand_in()
    rows: list[Row] = []
    measured: dict[str, Api] = {}
    notes = [
        f"The {many(pairs.distinct, 'distinct set')} do not fit into the memory that is allowed. These"
        " figures need only how many users have each topic and each two topics, and are exact; quantiles of"
        " users' risks are at most 0.1 % too large, and the share above a threshold is an upper end. Out of"
        " reach are guesses of the whole set, other priors, and filled topics.",
    ]
    missing: list[str] = []
    for api in apis:
        alike = _shown_alike(stand_in, api)
        if alike is None:
            missing.append(f"{api.spec} is not measured: it needs every distinct set, and they do not fit.")
            continue
        measured[api.spec] = api
        rows += _api_rows(pairs, stand_in, api, *alike, most, threshold)
    if not measured:
        raise SizeError(f"{' '.join(missing)} Allow more memory (--memory-limit), or take fewer people")
    if most > _REACHED:
        notes.append(f"More than {_REACHED} observations are out of reach; their leakage has a bound.")
    return Findings(
        rows,
        notes=tuple(notes),
        warnings=(*missing, *assumed(stand_in, measured.values())),
        words={"percent": probability(threshold)},
        apis=tuple(measured.values()),
        population={
            "users": pairs.users,
            "set_size": pairs.set_size,
            "distinct_sets": pairs.distinct,
            "occurring_topics": pairs.topics.size,
            "unique_users": pairs.unique / pairs.users,
            "attributes": ["topics"],
            "synthetic": False,
            "weighted": False,
        },
    )


def _shown_alike(people: Population, api: Api) -> tuple[Real, Real, int] | None:
    """Return p, q and m if an API shows each topic of a set alike, and nothing else of it; else None."""
    if api.needs != ("topics",) or api.observer_knows_who:
        return None
    ready = api.fit(people)
    sequences = Sequences.recognised(people, api)
    secret = ready.secret(people)
    if sequences is None or secret.codes is None:
        return None
    outputs = ready.observe(secret.outputs).outputs
    inside: list[object] = [frozenset(outputs[int(code)] for code in row) for row in sequences.sets[0]]
    sets: list[object] = [secret.outputs[int(code)] for code in secret.codes]
    return (sequences.inside, sequences.outside, sequences.width) if inside == sets else None


def _api_rows(
    pairs: PairCounts, stand_in: Population, api: Api, p: Real, q: Real, width: int, most: int, above: Real
) -> Iterator[Row]:
    """Yield the rows of one API: the stage that shows whole sets, one observation, and more of them."""
    rows = list(api_rows(stand_in, api, [], (), {}))
    first, last = rows[0].stage, [row.stage for row in rows if row.scope == "people"][-1]
    about = {"goal": "user", "prior": "population"}
    leakage = next(row.value for row in rows if row.stage == first and row.quantity == "leakage")
    if first != last and leakage == stand_in.users.size:  # it tells sets apart
        yield from rows_of(api, pairs.leaks(pairs.distinct), stage=first, **about)
    single = pairs.leakage(p, q, width)
    yield from rows_of(api, pairs.leaks(single), stage=last, **about)
    everywhere = int(pairs.together.diagonal().max()) == pairs.users  # then no set is without that topic
    for row in rows:
        if row.stage == last and row.quantity in _CHANNEL[: 2 if everywhere and row.scope != "all" else None]:
            yield row
    learned = {"goal_prior": pairs.best_guess(), "goal_posterior": pairs.best_guess_after(p, q, width)}
    yield from rows_of(api, learned, stage=last, goal="topics", prior="population")
    for n in range(2, most + 1):
        measured = pairs.leaks(pairs.leakage_of_two(p, q, width)) if n <= _REACHED else {}
        bound = {"leakage_at_most": min(pairs.distinct, single**n)}
        yield from rows_of(api, measured | bound, stage=last, observations=n, **about)
    if pairs.rarity is not None and p > q:  # else it tells nothing
        worst, *ends = pairs.risks(p, q, width)
        low, high = (risk_numbers(end, above) for end in ends)
        numbers = {  # known to lie between two, by the larger of them
            name: high[name] if low[name] == high[name] else Between(high[name], *pair, "discretised")
            for name, pair in zip(high, zip(low.values(), high.values(), strict=True), strict=True)
        }
        mean = {"risk_mean": as_number(single, pairs.users)}
        yield from rows_of(api, numbers | mean | {"worst_posterior": worst}, stage=last, **about)
