"""Do pairs come from the channel that is claimed? A test for each secret, one overall, and what deviates."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, final

import numpy as np

from quiff.apis.base import Api
from quiff.auditing.log import Log
from quiff.auditing.sample import Sample, draw_sample
from quiff.core.channel import Channel
from quiff.core.labels import as_labels
from quiff.core.numbers import Array, to_float
from quiff.errors import LabelError, ParameterError, QuiffError
from quiff.measures.bayesian_update import Estimate, iterative_bayesian_update
from quiff.people.attribute import TOPICS
from quiff.people.population import Population
from quiff.safe_text import rows_left_out

_POOLED = 1.0  # outputs that are expected less often are counted as one
_ENOUGH = 5.0  # where all are expected so often, the statistic has its limiting distribution
_DEVIATES = 0.05  # p of an output, from which on nobody asks for it
_SIMULATIONS = 999
_WORK = 3e8  # numbers drawn in all simulations
_ROUNDING = 1e-9  # of what is left of a sum of probabilities
_TINY = 1e-9
_BOOTSTRAP = 200
_MOST_SECRETS = 2**16  # of a space of secrets that is listed
_LISTED = 2**20  # outputs of a claim that are looked at one by one


@final
@dataclass(frozen=True)
class SecretTest:
    """How one secret's rows fit the claim: p by the statistic of all outputs and by the worst output.

    The secret is its place, or what it is called.
    """

    secret: int | str
    rows: int
    statistic: float
    p: float
    corrected: float
    method: str


@final
@dataclass(frozen=True)
class Deviation:
    """An output of a secret that was seen more or less often than claimed."""

    secret: int | str
    output: Hashable
    seen: int
    expected: float
    p: float


@final
@dataclass(frozen=True)
class ClaimTest:
    """The tests of a claim: overall, of each secret, and the outputs that deviate most."""

    p: float
    secrets: tuple[SecretTest, ...]
    deviations: tuple[Deviation, ...]
    impossible: int


def claimed_channel(log: Log, api: Api, columns: Sequence[str], people: Population | None = None) -> Channel:
    """Return the channel from the log's secrets, by their places, to what an API is claimed to show.

    Parameters
    ----------
    log
        The log.
    api
        What is claimed.
    columns
        What the secret's columns are called: the attributes that the API needs; a single one may have
        another name.
    people
        Those to whom the API is fitted, where that matters; by default everybody in the log counts once.
    """
    from quiff.apis.program import Program

    wanted = f" ({', '.join(api.needs)})" if api.needs else ""
    instead = f"the secrets of the log are not all what {api.spec} works on{wanted}"
    if isinstance(api, Program) and not api.needs:
        with rows_left_out(instead):
            return api.channel(dict(enumerate(log.secrets)))
    names = list(api.needs) if len(api.needs) == len(columns) == 1 else list(columns)
    lost = next((name for name in api.needs if name not in names), None)
    if lost is not None:
        raise ParameterError(
            f"the API needs {lost!r} of each person, but the secret consists of {', '.join(columns)}; name"
            " the columns of the secret as the API names what it needs",
            what="secret",
            value=columns,
            allowed=f"a column {lost!r}",
        )
    with rows_left_out(instead):
        own = _people_of(log.secrets, names, bool(api.needs))
        found = api.fit(own if people is None else people).channel(own)
    return Channel.from_kernel(own.users, found.outputs, found.kernel, found.slack)


def _people_of(secrets: Sequence[Any], names: Sequence[str], needed: bool) -> Population:
    """Return one person for each secret of the log, with its parts as attributes if these are needed."""
    users = as_labels(range(len(secrets)))
    if not needed:
        return Population(users)
    records = secrets if len(names) > 1 else [(secret,) for secret in secrets]
    parts = {name: [record[k] for record in records] for k, name in enumerate(names)}
    sets = parts.pop(TOPICS, None)
    people = Population(users) if sets is None else Population.from_sets(dict(zip(users, sets, strict=True)))
    for name, values in parts.items():
        people = people.with_attribute(name, values)
    return people


def channel_of_all_secrets(
    api: Api | None, secrets: Iterable[Hashable] | None, people: Population | None
) -> Channel:
    """Return the claimed channel from all secrets that there can be."""
    if api is None:
        raise ParameterError(
            "without a column of secrets, an API is needed whose noise they are behind (--api)"
        )
    if secrets is not None:
        listed = list(secrets)
        places: dict[Hashable, None] = dict.fromkeys(listed)
        log = Log.of(list(places), list(places))
        C = claimed_channel(log, api, api.needs or ("secret",), people)
        return Channel.from_kernel(as_labels(list(places)), C.outputs, C.kernel, C.slack)
    space = api.space()
    if people is not None:
        fitted = api.fit(people)
        return fitted.observe(fitted.secret(people).outputs)
    if space is None or space.size > _MOST_SECRETS:
        raise ParameterError(
            f"the secrets of {api.spec} are too many to list; give some (--secrets), or people (--people)"
        )
    return api.observe(space)


def secrets_behind(log: Log, C: Channel, spec: str, level: float, rng: np.random.Generator) -> Estimate:
    """Estimate how secrets are distributed behind the observations of a log, with bootstrap intervals."""
    sample, places = draw_sample(log, rng), claimed_places(C, log.outputs)
    if (places < 0).any():
        lost = int(sample.once[places[sample.output] < 0].sum())
        raise QuiffError(
            f"{lost} observations of the log are no outputs of {spec}; nothing is concluded about secrets",
            what="observations",
            value=lost,
        )
    counts: dict[Hashable, float] = {}
    for output, number in zip(sample.output, sample.once, strict=True):
        label = C.outputs[int(places[output])]
        counts[label] = counts.get(label, 0) + int(number)
    seed = int(rng.integers(2**31))
    return iterative_bayesian_update(C, counts, bootstrap=_BOOTSTRAP, level=level, seed=seed, tolerance=1e-7)


def claimed_places(C: Channel, outputs: Sequence[Hashable]) -> Array:
    """Return where each output of a log stands among the channel's, -1 for one that it does not have.

    An output is meant by itself, or by its text, as tables write it.
    """
    texts: dict[str, int] | None = None
    places = []
    for output in outputs:
        try:
            places.append(C.outputs.position(output))
            continue
        except LabelError:
            pass  # it may be meant by its text
        if isinstance(output, tuple) and frozenset(output) in C.outputs:
            places.append(C.outputs.position(frozenset(output)))
            continue
        if texts is None:
            small = C.outputs.size <= _LISTED
            texts = {_text(label): k for k, label in enumerate(C.outputs)} if small else {}
        places.append(texts.get(_text(output), -1))
    return np.array(places, dtype=np.int64 if C.outputs.size < 2**62 else object)


def _text(label: Any) -> str:
    """Return a label as text; of sets and tuples, the parts in order."""
    if isinstance(label, frozenset):
        return "{" + ", ".join(sorted(map(_text, label))) + "}"
    return "(" + ", ".join(map(_text, label)) + ")" if isinstance(label, tuple) else str(label)


def claim_test(
    sample: Sample, C: Channel, rng: np.random.Generator, *, places: Array | None = None, most: int = 10
) -> ClaimTest:
    """Test whether independent rows come from a channel whose inputs are the log's secrets in their order.

    For each secret: Pearson's statistic over outputs, those that are expected less than once taken together;
    its distribution is the limit where all are expected five times, else simulated. Beside it stands the
    exact binomial test of each output, corrected by weights that sum to 1 over all outputs, which sees a
    single gross deviation. The smaller of the two counts, twice. Overall: the smaller of Holm's corrected p
    and that of the sum of all statistics, twice. So every p keeps its level. Where each output of the log
    stands among the channel's (`places`) is looked up by name, if it is not given.

    Examples
    --------
    >>> log, C = Log.of(["a", "b"] * 50, [0, 1] * 50), Channel([[0.75, 0.25], [0.25, 0.75]])
    >>> rng = np.random.default_rng(0)
    >>> claim_test(draw_sample(log, rng), C, rng).p < 0.001
    True

    Raises
    ------
    QuiffError
        If no observation is an output of the channel.
    """
    places = claimed_places(C, sample.log.outputs) if places is None else places
    if not (places >= 0).any():
        raise QuiffError(
            "no observation of the log is an output of the claimed API; write them as quiff simulate does"
        )
    some = sample.once > 0
    secret, output, seen = sample.secret[some], sample.output[some], sample.once[some]
    at = places[output]
    p = np.zeros(at.shape[0])
    p[at >= 0] = to_float(C.kernel.cells(secret[at >= 0], at[at >= 0]))
    rows = sample.per_secret("once")
    tails = _tails(seen, p, rows[secret])
    starts = np.searchsorted(secret, np.arange(len(rows) + 1))
    tested, deviations, total = [], [], Total(rng)
    listed = C.outputs.size <= _LISTED
    for x, row in _dense_rows(C, np.flatnonzero(rows), listed):
        own, n = slice(starts[x], starts[x + 1]), int(rows[x])
        others = _others(row, at[own], n) if listed else np.zeros((2, 0))
        often = np.concatenate([n * p[own] >= _POOLED, np.ones(others.shape[1], dtype=bool)])
        chances = np.concatenate([p[own], others[1]])
        # What is expected at least once shares one half, all outputs by their probabilities the other.
        weights = chances / 2 + often / (2 * max(1, often.sum() if listed else n))
        each = np.concatenate([tails[own], np.minimum(1, 2 * (1 - others[1]) ** n)])
        ratios = np.divide(each, weights, out=np.zeros_like(each), where=weights > 0)  # 0: ruled out
        worst = float(ratios.min())
        for k in np.flatnonzero(each < _DEVIATES).tolist():
            known = k < seen[own].size
            place = int(output[own][k] if known else others[0][k - seen[own].size])
            label = sample.log.outputs[place] if known else C.outputs[place]
            count = int(seen[own][k]) if known else 0
            deviations.append(Deviation(x, label, count, float(n * chances[k]), float(each[k])))
        counts = np.concatenate([seen[own], np.zeros(others.shape[1], dtype=np.int64)])
        pearson, statistic, method = 1.0, 0.0, "binomial"
        if listed:
            pooled, expected = _pooled(counts, chances, often, n)
            shares = expected / expected.sum()
            pearson, statistic, method = total.add(
                pooled, expected, pooled.size - 1, partial(rng.multinomial, n, shares)
            )
        tested.append((x, n, statistic, min(1.0, 2 * min(pearson, worst)), method))
    corrected = holm(np.array([test[3] for test in tested]))
    return ClaimTest(
        min(1.0, 2 * min(float(corrected.min()), total.p())),
        tuple(
            SecretTest(x, n, statistic, one, float(many), method)
            for (x, n, statistic, one, method), many in zip(tested, corrected, strict=True)
        ),
        tuple(sorted(deviations, key=lambda each: each.p)[:most]),
        int(seen[p <= 0].sum()),
    )


class Total:
    """Adds up Pearson's statistics of secrets, and what they would be by random draws."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng, self._work = rng, _WORK
        self._statistic, self._free, self._drawn = 0.0, 0, np.zeros(_SIMULATIONS)

    def add(
        self, counts: Array, expected: Array, free: int, draw: Callable[[int], Array]
    ) -> tuple[float, float, str]:
        """Return p of one secret, its statistic, and how that was found; `draw` draws counts at random."""
        from scipy.special import chdtrc

        if free < 1 or expected.min() <= 0:
            return 1.0, 0.0, "exact"
        statistic = float(((counts - expected) ** 2 / expected).sum())
        if expected.min() >= _ENOUGH:
            self._statistic, self._free = self._statistic + statistic, self._free + free
            return float(chdtrc(free, statistic)), statistic, "limit"
        if counts.size * _SIMULATIONS > self._work:
            return 1.0, statistic, "binomial"
        self._work -= counts.size * _SIMULATIONS
        like = ((draw(_SIMULATIONS) - expected) ** 2 / expected).reshape(_SIMULATIONS, -1).sum(axis=1)
        self._statistic, self._drawn = self._statistic + statistic, self._drawn + like
        return _simulated(like, statistic), statistic, "simulated"

    def p(self) -> float:
        """Return p of the sum."""
        drawn = self._drawn + (self._rng.chisquare(self._free, _SIMULATIONS) if self._free else 0)
        return _simulated(drawn, self._statistic)


def _pooled(seen: Array, p: Array, often: Array, n: int) -> tuple[Array, Array]:
    """Return counts and expected counts of outputs, those that are not expected often as one."""
    rest, rare = max(0.0, 1 - float(p[often].sum())), int(seen[~often].sum())
    if rest < _ROUNDING and rare == 0:
        return seen[often], p[often] * n
    return np.append(seen[often], rare), np.append(p[often], rest) * n


def _simulated(drawn: Array, statistic: float) -> float:
    """Return p by simulations: the share of those as far off, the log itself among them."""
    return (1 + int((drawn >= statistic * (1 - 1e-12)).sum())) / (1 + drawn.size)


def _tails(seen: Array, p: Array, n: Array) -> Array:
    """Return the exact two-sided binomial p of each output."""
    from scipy.special import gammaln
    from scipy.stats import binom

    tails = 2 * np.minimum(binom.sf(seen - 1, n, p), binom.cdf(seen, n, p))
    tiny = (n * p < _TINY) & (p > 0)  # where a float rounds: P[N >= k] <= (n p)^k / k!
    tails[tiny] = 2 * np.exp(seen[tiny] * np.log(n[tiny] * p[tiny]) - gammaln(seen[tiny] + 1))
    return np.where(p <= 0, 0.0, np.minimum(1.0, tails))


def _dense_rows(C: Channel, secrets: Array, listed: bool) -> Iterator[tuple[int, Array]]:
    """Yield secrets with their rows, several at a time; with nothing if outputs are too many to list."""
    size = max(1, _LISTED // C.outputs.size) if listed else len(secrets)
    for start in range(0, len(secrets), size):
        some = secrets[start : start + size]
        dense = to_float(C.kernel.take_rows(some).to_dense()) if listed else np.zeros((len(some), 0))
        yield from zip(some.tolist(), dense, strict=True)


def _others(row: Array, at: Array, n: int) -> Array:
    """Return places and claimed probabilities of what one secret did not show, but was expected to."""
    often = row * n >= _POOLED
    often[at[at >= 0]] = False
    places = np.flatnonzero(often)
    return np.array([places, row[places]])


def holm(p: Array) -> Array:
    """Return p values corrected for their number: Holm (1979).

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    found = np.empty_like(stepped)
    found[order] = np.minimum(1.0, stepped)
    return found


def change_test(log: Log, rng: np.random.Generator) -> ClaimTest:
    """Test whether each secret is shown alike in all parts of a log: before and after, or of two systems.

    Given how often each output and each part occurs, Pearson's statistic of every secret has the distribution
    of tables with these sums; it is the limit where all cells are expected five times, else simulated.

    Examples
    --------
    >>> log = Log(("a",), (0, 1), *np.array([[0, 0, 0, 0], [0, 1, 0, 1], [90, 10, 10, 90]]),
    ...           part=np.array([0, 0, 1, 1]), parts=("before", "after"))
    >>> change_test(log, np.random.default_rng(0)).p < 0.001
    True
    """
    from scipy.stats import random_table

    sample = draw_sample(log, rng, by_part=True)
    width, total, tested = len(log.outputs), Total(rng), []
    starts = np.searchsorted(sample.secret, np.arange(len(log.secrets) + 1))
    for x in range(len(log.secrets)):
        own = slice(starts[x], starts[x + 1])
        part, output = divmod(sample.output[own], width)
        shown, place = np.unique(output, return_inverse=True)
        counts = np.zeros((len(log.parts), shown.size), dtype=np.int64)
        np.add.at(counts, (part, place), sample.once[own])
        counts = counts[counts.any(axis=1)]
        sums, n = counts.sum(axis=0), int(counts.sum())
        rare = sums < _ENOUGH  # the sums are given, so that what is rare may be taken together
        if rare.sum() > 1:
            counts = np.column_stack([counts[:, ~rare], counts[:, rare].sum(axis=1)])
        counts = counts[:, counts.any(axis=0)] if n else counts
        if min(counts.shape) < 2:
            continue
        first, second = counts.sum(axis=1), counts.sum(axis=0)
        expected = np.outer(first, second) / n
        draw = partial(_tables, random_table(first, second), rng)
        p, statistic, method = total.add(counts, expected, (first.size - 1) * (second.size - 1), draw)
        tested.append((x, n, statistic, p, method))
    if not tested:
        return ClaimTest(1.0, (), (), 0)
    corrected = holm(np.array([test[3] for test in tested]))
    found = (SecretTest(*test[:4], float(q), test[4]) for test, q in zip(tested, corrected, strict=True))
    return ClaimTest(min(1.0, 2 * min(float(corrected.min()), total.p())), tuple(found), (), 0)


def _tables(tables: Any, rng: np.random.Generator, size: int) -> Array:
    return np.asarray(tables.rvs(size=size, random_state=rng))
