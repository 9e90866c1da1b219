"""What a log tells about vulnerability, leakage and each secret's risk: bounds at a stated confidence.

A rule fitted to one part of the rows and scored on another has a binomial score, and no rule guesses better
than the best one: so its score bounds the vulnerability from below. The plug-in estimate, the score of the
best rule on the very rows that it was fitted to, is biased upward; with a term for sampling error it
bounds it from above.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from quiff.auditing.events import Event, likely_difference, likely_ratio, telling_events
from quiff.auditing.intervals import at_least, at_most, mean_at_most, trials_for_width
from quiff.auditing.log import Log
from quiff.auditing.rules import Frequentist, Rule
from quiff.auditing.sample import Sample, draw_sample
from quiff.core.gain import Gain
from quiff.core.limits import check_fits
from quiff.core.numbers import Array, to_float
from quiff.errors import GainError, LabelError, QuiffError


@final
@dataclass(frozen=True)
class Interval:
    """An estimate, and between which ends the truth lies at the stated confidence."""

    value: float
    low: float
    high: float


@final
@dataclass(frozen=True, eq=False)
class Bounds:
    """What a log tells about how well secrets are guessed.

    Attributes
    ----------
    rows, scored
        How many independent rows there are, and how many of them scored the rules.
    prior, posterior, leakage
        The vulnerabilities and their ratio.
    plug_in
        The plug-in estimate of the posterior one, biased upward.
    scores
        For each rule its score on the second part, and its own interval, corrected for their number.
    best
        The rule with the largest lower bound, and what it guesses for each output: a secret, or an action.
    new
        The share of scored rows whose observation the first part does not have.
    """

    rows: int
    scored: int
    prior: Interval
    posterior: Interval
    leakage: Interval
    plug_in: float
    scores: dict[str, Interval]
    best: str
    guesses: Array
    new: float

    def posterior_at(self, level: float) -> Interval:
        """Return the posterior vulnerability with its interval at another confidence."""
        value, miss = self.posterior.value, (1 - level) / 2
        low = at_least(round(value * self.scored), self.scored, miss / len(self.scores))
        return Interval(value, low, mean_at_most(self.plug_in, self.rows, miss))

    def rows_needed(self, width: float, level: float) -> float:
        """Return how many rows an interval of the score of the best rule needs to be so narrow."""
        needed = trials_for_width(self.scores[self.best].value, width, 1 - level)
        return float(np.ceil(needed / (self.scored / self.rows)))


def bounds(
    sample: Sample,
    rules: Sequence[Rule],
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    gain: Gain | None = None,
) -> Bounds:
    """Bound vulnerabilities and leakage by the scores of some rules.

    Parameters
    ----------
    sample
        The rows.
    rules
        What guesses; with several, each has its share of the probability to fail.
    rng
        For rules that draw, and for gains between 0 and the largest: a row scores 1 with probability gain
        over largest, so that scores stay binomial.
    level
        The confidence of each interval.
    gain
        What guesses are after; None is the secret itself.

    Examples
    --------
    >>> from quiff.auditing.log import Log
    >>> from quiff.auditing.sample import draw_sample
    >>> rng = np.random.default_rng(0)
    >>> sample = draw_sample(Log.of(["a", "b"] * 500, [1, 2] * 500), rng)
    >>> found = bounds(sample, [Frequentist()], rng)
    >>> found.posterior.value, round(found.posterior.low, 3), round(found.leakage.low, 2)
    (1.0, 0.992, 1.85)
    """
    table, scale = _gains(sample, gain)
    n, m, miss = int(sample.once.sum()), int(sample.test.sum()), 1 - level
    if not m or not sample.train.any():
        raise QuiffError(
            f"{n} rows cannot be split into two parts that both have some; nothing is concluded",
            what="rows",
            value=n,
        )
    hits, chosen = {}, {}
    for rule in rules:
        guesses = rule.guesses(sample, rng) if table is None else _actions(sample, rule, table, rng)
        chosen[rule.name] = guesses
        hits[rule.name] = _hits(sample, guesses, table, scale, rng)
    share = len(hits)
    best = max(hits, key=lambda name: hits[name])
    plug_in, first = _plugged_in(sample, table)
    sure = _prior_hits(sample, table, scale, rng)

    def low(k: int, fail: float) -> float:
        return scale * at_least(k, m, fail)

    def prior_high(fail: float) -> float:
        if table is None:  # whatever is most probable was not seen more often than what was seen most often
            return at_most(int(sample.per_secret("once").max()), n, fail)
        return mean_at_most(first, n, fail, scale)

    def posterior(fail: float) -> Interval:
        value, least = scale * hits[best] / m, low(hits[best], fail / share)
        return Interval(value, least, max(least, mean_at_most(plug_in, n, fail, scale)))

    before = Interval(first, low(sure, miss / 2), max(prior_high(miss / 2), first))
    fair = posterior(miss / 4)
    ratio = Interval(
        fair.value / first,
        max(fair.low / prior_high(miss / 4), 1.0),
        fair.high / low(sure, miss / 4) if sure else float("inf"),
    )
    seen = np.zeros(len(sample.log.outputs), dtype=bool)
    seen[sample.output[sample.train > 0]] = True
    return Bounds(
        n, m, before, posterior(miss / 2),
        Interval(max(ratio.value, ratio.low), ratio.low, max(ratio.high, ratio.low)), plug_in,
        {
            name: Interval(
                scale * k / m, low(k, miss / 2 / share), scale * at_most(k, m, miss / 2 / share)
            )
            for name, k in hits.items()
        },
        best, chosen[best], float(sample.test[~seen[sample.output]].sum() / m),
    )  # fmt: skip


def _gains(sample: Sample, gain: Gain | None) -> tuple[Array | None, float]:
    """Return the gains of actions (rows) for the log's secrets, and the largest; None for Bayes."""
    if gain is None:
        return None, 1.0
    try:
        columns = gain.inputs.positions(sample.log.secrets, "secret")
    except LabelError:  # which names one
        raise GainError("the gain does not have all secrets of the log; give it a column for each") from None
    found = to_float(gain.to_numpy()[:, columns])
    if not found.any():
        raise GainError("the gain is 0 for every secret of the log")
    return found, float(found.max())


def _actions(sample: Sample, rule: Rule, table: Array, rng: np.random.Generator) -> Array:
    """Return the best action for each output: by the counts, or for the secret that a rule guesses."""
    if not isinstance(rule, Frequentist):
        return np.asarray(table.argmax(axis=0)[rule.guesses(sample, rng)])
    check_fits(len(sample.log.outputs), table.shape[0])
    train = sample.matrix("train")
    expected = train.T @ table.T
    found = np.asarray(expected.argmax(axis=1))
    found[np.asarray(train.sum(axis=0)) == 0] = int((table @ sample.per_secret("train")).argmax())
    return found


def _hits(sample: Sample, guesses: Array, table: Array | None, scale: float, rng: np.random.Generator) -> int:
    """Return how many rows of the second part score 1."""
    guessed = guesses[sample.output]
    if table is None:
        return int(sample.test[guessed == sample.secret].sum())
    return int(rng.binomial(sample.test, table[guessed, sample.secret] / scale).sum())


def _prior_hits(sample: Sample, table: Array | None, scale: float, rng: np.random.Generator) -> int:
    """Return the same of the best guess without an observation."""
    train = sample.per_secret("train")
    guess = int(train.argmax() if table is None else (table @ train).argmax())
    return _hits(sample, np.full(len(sample.log.outputs), guess), table, scale, rng)


def _plugged_in(sample: Sample, table: Array | None) -> tuple[float, float]:
    """Return the plug-in estimates of the vulnerabilities after and before an observation, of all rows."""
    n = sample.once.sum()
    secrets = sample.per_secret("once")
    if table is None:
        most = np.zeros(len(sample.log.outputs), dtype=np.int64)
        np.maximum.at(most, sample.output, sample.once)
        return float(most.sum() / n), float(secrets.max() / n)
    expected = sample.matrix("once").T @ table.T
    return float(expected.max(axis=1).sum() / n), float((table @ secrets).max() / n)


@final
@dataclass(frozen=True)
class SecretRisk:
    """With which probability a secret is guessed where it is the secret."""

    secret: int
    rows: int
    risk: Interval


def secret_risks(sample: Sample, guesses: Array, level: float = 0.95) -> list[SecretRisk]:
    """Return the risk of each secret that was scored: P[the guess is x | the secret is x].

    Intervals are Clopper and Pearson's, corrected for the number of secrets; they hold for this rule, and
    bound the risk by the best rule for this secret from below.
    """
    right = sample.test * (guesses[sample.output] == sample.secret)
    size = len(sample.log.secrets)
    hits = np.bincount(sample.secret, right, size).astype(np.int64)
    rows = sample.per_secret("test")
    scored = np.flatnonzero(rows)
    miss = (1 - level) / max(scored.size, 1) / 2
    from scipy.special import betaincinv

    k, n = hits[scored], rows[scored]
    low = np.where(k == 0, 0.0, betaincinv(np.maximum(k, 1), n - k + 1, miss))
    high = np.where(k == n, 1.0, 1 - betaincinv(np.maximum(n - k, 1), k + 1, miss))
    return [
        SecretRisk(int(x), int(n[i]), Interval(float(k[i] / n[i]), float(low[i]), float(high[i])))
        for i, x in enumerate(scored)
    ]


@final
@dataclass(frozen=True)
class CurvePoint:
    """How good a bound so many rows give."""

    rows: int
    score: Interval
    plug_in: float


def learning_curve(
    sample: Sample, rule: Rule, rng: np.random.Generator, level: float = 0.95, points: int = 7
) -> list[CurvePoint]:
    """Return the score of a rule and the plug-in estimate on a 1/2^k part of the rows, k = points-1 to 0."""
    found = []
    for power in range(points - 1, -1, -1):
        part = sample if power == 0 else sample.thinned(0.5**power, rng)
        m, n = int(part.test.sum()), int(part.once.sum())
        if not m or not n or not part.train.any():
            continue
        k = _hits(part, rule.guesses(part, rng), None, 1.0, rng)
        ends = at_least(k, m, (1 - level) / 2), at_most(k, m, (1 - level) / 2)
        found.append(CurvePoint(n, Interval(k / m, *ends), _plugged_in(part, None)[0]))
    return found


@final
@dataclass(frozen=True, eq=False)
class LogPart:
    """A part of a log: its rows, what bounds they give, and the outputs that tell two secrets apart best.

    `ratio` is that of the largest ratio of probabilities, `apart` of the largest difference; `miss` is the
    probability with which an interval may fail.
    """

    name: str
    sample: Sample
    bounds: Bounds
    ratio: Event | None
    apart: Event | None
    miss: float

    def numbers(self) -> dict[str, object]:
        """Return what it tells, by the names of quantities."""
        numbers = {name: getattr(self.bounds, name) for name in ("prior", "posterior", "leakage", "plug_in")}
        if self.apart is not None:
            value = min(1.0, 1 - self.apart.apart())
            numbers["bayes_security"] = Interval(value, 0.0, 1 - self.apart.apart_at_least(self.miss))
        if self.ratio is not None:
            least = self.ratio.epsilon_at_least(self.miss)
            numbers["epsilon_at_least"] = least, least, None
        return numbers


def of_part(
    name: str,
    log: Log,
    rules: Sequence[Rule],
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    gain: Gain | None = None,
) -> LogPart:
    """Return what a log, or a part of one, tells by some rules; parameters as in `bounds`.

    Examples
    --------
    >>> log, rng = Log.of(["a", "b"] * 500, [1, 2] * 500), np.random.default_rng(0)
    >>> of_part("all", log, [Frequentist()], rng).numbers()["posterior"].value
    1.0
    """
    sample = draw_sample(log, rng)
    bound = bounds(sample, rules, rng, level=level, gain=gain)
    ratio, apart = telling_events(sample, likely_ratio, likely_difference)
    return LogPart(name, sample, bound, ratio, apart, 1 - level)


def difference(before: Bounds, after: Bounds, level: float) -> Interval:
    """Return by how much the posterior vulnerabilities of two parts differ.

    Each of the two has half of the probability to fail.
    """
    first, second = (bound.posterior_at(1 - (1 - level) / 2) for bound in (before, after))
    return Interval(second.value - first.value, second.low - first.high, second.high - first.low)
