"""The question what leaks, asked of a log of what was observed: bounds, tests of a claim, and changes."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from quiff.apis.base import Api, all_limits, checked_api
from quiff.audit.bounds import Bounds, CurvePoint, Interval, SecretRisk, bounds, learning_curve, secret_risks
from quiff.audit.claims import change_test, claim_test, claimed_channel, claimed_places
from quiff.audit.events import Event, likely_difference, likely_ratio, telling_events
from quiff.audit.intervals import trials_for_width
from quiff.audit.log import Columns, Log, beside, read_pairs
from quiff.audit.rules import rule_of
from quiff.audit.sample import Sample, draw_sample
from quiff.core.channel import Channel
from quiff.core.gain import Gain
from quiff.core.labels import Labels, as_labels
from quiff.errors import ParameterError, QuiffError
from quiff.measures.bayesian_update import iterative_bayesian_update
from quiff.populations.population import Population
from quiff.results.numbers import said
from quiff.results.result import PerUser, Provenance, Result
from quiff.results.rows import Row
from quiff.results.views.audit import Names, audited_views, behind_views
from quiff.results.views.names import many
from quiff.safe_text import rows_left_out
from quiff.studies.provenance import repeatable
from quiff.theory.parameters import check_number, check_whole

_MOST_SECRETS = 2**16  # of a space of secrets that is listed
_BOOTSTRAP = 200


@dataclass(frozen=True, eq=False)
class Audited:
    """What was found in one log, or in one part of it."""

    name: str
    sample: Sample
    bounds: Bounds
    risks: list[SecretRisk]
    telling: Event | None
    apart: Event | None


@repeatable
def audit(
    pairs: Any,
    api: Api | None = None,
    *,
    secret: str | Iterable[str] | None = ("secret",),
    observation: str | Iterable[str] = "observation",
    person: str | None = None,
    weights: str | None = None,
    counts: str | None = None,
    epsilon: float | None = None,
    people: Population | None = None,
    secrets: Iterable[Hashable] | None = None,
    gain: Gain | None = None,
    rules: Any = ("frequentist",),
    other: Any = None,
    time: str | None = None,
    cut: Any = None,
    periods: int = 4,
    width: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    names: bool = False,
    con: Any = None,
) -> Result:
    """Ask a log of pairs (secret, observation) what the system leaks, and whether it is what is claimed.

    Rules that guess the secret are fitted to one half of the rows, and scored on the other: their score
    bounds the vulnerability from below, and a plug-in estimate, which is biased upward, from above. All
    bounds hold at the stated confidence whatever the system is, if rows (or persons) are independent.

    Parameters
    ----------
    pairs
        The log: a CSV or Parquet file, a pandas frame, or an Arrow table.
    api
        What the system is claimed to be, an API or a program: the log is tested against it.
    secret, observation
        The columns, one or several each. No secret (None): only observations were logged, and the
        distribution of secrets behind `api` is estimated.
    person
        The column that says whose row it is; of each person one row counts.
    weights, counts
        The column of weights, if the log is no plain sample; of how many rows a row stands for.
    epsilon
        An epsilon that is claimed; by default that of `api`, if it has one.
    people
        Whom `api` is fitted to, where that matters; by default the secrets of the log, once each.
    secrets
        Where no secret was logged: those that there can be; by default all of `api`.
    gain
        What guesses are after; None is the secret itself.
    rules
        What guesses: ``frequentist``, ``nearest``, ``nearest-scaled``, names of scikit-learn's classifiers,
        or classifiers. Several share the probability to fail between them.
    other
        A second log with the same columns, to be set beside: another system, or the same after a change.
    time, cut, periods
        A column of times: compare before and from `cut` on; or, without it, so many periods.
    width
        How narrow the interval of the score should be: how many rows would that need?
    level
        The confidence.
    seed
        The random seed of splits and simulations.
    names
        Whether secrets and outputs are named as they are; else they are numbered, the most frequent first.
    con
        The engine that counts, by :func:`quiff.history.engine.connect`; None is DuckDB.

    Examples
    --------
    >>> import pandas as pd
    >>> from quiff import audit, mechanisms
    >>> C = mechanisms.warner(truth=0.75)
    >>> secret = ["yes", "no"] * 2000
    >>> log = pd.DataFrame({"secret": secret, "observation": C.sample(secret, seed=1)})
    >>> row = audit(log).row("posterior")
    >>> row.low < 0.75 < row.high
    True

    Raises
    ------
    QuiffError
        If the log says nothing that could be concluded from.
    ParameterError
        If a parameter is out of range, or columns are not there.
    """
    if not 0.5 <= level < 1:
        raise ParameterError(f"level must be a number from 0.5 to below 1, not {level!r}")
    seed, periods = check_whole("seed", seed, 0), check_whole("periods", periods, 2)
    api = None if api is None else checked_api(api)
    columns = Columns(
        _listed(secret), _listed(observation), person, weights, counts, time, cut, periods
    )  # fmt: skip
    if other is not None and time is not None:
        raise ParameterError("other and time both divide rows into parts; give one of them")
    log = read_pairs(pairs, columns, con=con)
    spec = "log" if api is None else api.spec
    rested = Provenance("", "", seed, {} if api is None else {api.spec: api.parameters()})
    rng = np.random.default_rng(seed)
    if not columns.secret:
        C = _all_secrets(api, secrets, people)
        return _behind(log, C, spec, level, rng, rested, names or people is None)
    if other is not None:
        log = beside(log, read_pairs(other, columns, con=con), ("first", "second"))
    given = [rules] if isinstance(rules, str) or hasattr(rules, "fit") else list(rules)
    chosen = [rule_of(rule) for rule in given]
    if not chosen:
        raise ParameterError("rules is empty; give at least one")
    warnings = tuple(_warnings(log))
    if len(log.secrets) == 1 and api is None:
        raise QuiffError(
            "the log has one secret only: nothing can be guessed, and nothing is concluded; a claim could be"
            " tested (--api)"
        )
    found: list[Audited] = []
    parts = [("all", log)] if other is None else []
    parts += [(name, log.of_part(k)) for k, name in enumerate(log.parts)]
    for name, part in parts if len(log.secrets) > 1 else ():
        sample = draw_sample(part, rng)
        with nullcontext() if gain is None else rows_left_out("the log's secrets are not those of the gain"):
            bound = bounds(sample, chosen, rng, level=level, gain=gain)
        risks = [] if gain is not None else secret_risks(sample, bound.guesses, level)
        telling, apart = telling_events(sample, likely_ratio, likely_difference)
        found.append(Audited(name, sample, bound, risks, telling, apart))
    curve: list[CurvePoint] = []
    if found and gain is None:
        best = next(rule for rule in chosen if rule.name == found[0].bounds.best)
        curve = learning_curve(found[0].sample, best, rng, level)
    claim = None
    if api is not None:
        C = claimed_channel(log, api, columns.secret, people)
        shows_sets = isinstance(C.outputs[0], frozenset)  # tables write them as lists
        claim = claim_test(draw_sample(log.with_sets() if shows_sets else log, rng), C, rng)
    change = change_test(log, rng) if log.parts else None
    claimed = _claimed_epsilon(api, epsilon)
    rows = tuple(_rows(spec, found, gain, width, level))
    per_user = None
    if found and found[0].risks:
        scored = found[0].risks
        labels = as_labels([log.secrets[each.secret] for each in scored])
        per_user = PerUser(labels, {"secret_risk": np.array([each.risk.value for each in scored])})
    return Result(
        rows=rows,
        per_user=per_user,
        provenance=rested,
        **audited_views(
            log, Names(log, names), spec, found, curve, claim, change, claimed, level, warnings, rows
        ),
    )


def _listed(names: str | Iterable[str] | None) -> tuple[str, ...]:
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)


def _warnings(log: Log) -> Iterator[str]:
    """Yield what a reader has to know of the log before any number of it."""
    if log.missing:
        are = "is" if log.missing == 1 else "are"
        yield f"{many(log.missing, 'row')} with a missing value {are} left out."
    if len(log.secrets) == 1:
        yield "The log has one secret only: nothing can be guessed, and only the claim is tested."
    per_secret = np.bincount(log.secret, log.rows, len(log.secrets))
    once = int((per_secret == 1).sum())
    if once and len(log.secrets) > 1:
        yield (
            f"{said(once)} of {many(len(log.secrets), 'secret')} occur{'s' if once == 1 else ''} once:"
            " no rule can know what it never saw, so that what is said here of them is only that they are not"
            " guessed; the truth may be far above the lower bounds."
        )
    same = all(log.secrets[x] == log.outputs[y] for x, y in zip(log.secret, log.output, strict=True))
    if same and len(log.secrets) > 1:
        yield "Secret and observation are the same in every row: these may be copies of one column."


def _claimed_epsilon(api: Api | None, epsilon: float | None) -> float | None:
    if epsilon is not None:
        return float(check_number("epsilon", epsilon, 0, float("inf")))
    limits = () if api is None else all_limits(api)
    found = (float(limit.value) for limit in limits if limit.quantity == "epsilon" and not limit.stage)
    return next(found, None)


def _rows(
    spec: str, found: Sequence[Audited], gain: Gain | None, width: float | None, level: float
) -> Iterator[Row]:
    goal, miss = "secret" if gain is None else "gain", 1 - level

    def row(part: str, quantity: str, value: float, low: float | None, high: float | None) -> Row:
        return Row(spec, None, part, goal, "population", 1, quantity, value, low, high, "sample")

    for each in found:
        at = each.bounds
        three = {"prior": at.prior, "posterior": at.posterior, "leakage": at.leakage}
        for name, found_at in three.items():
            yield row(each.name, name, found_at.value, found_at.low, found_at.high)
        yield row(each.name, "plug_in", at.plug_in, None, None)
        if each.apart is not None:
            most = 1 - each.apart.apart_at_least(miss)
            yield row(each.name, "bayes_security", min(1.0, 1 - each.apart.apart()), 0.0, most)
        if each.telling is not None:
            least = each.telling.epsilon_at_least(miss)
            yield row(each.name, "epsilon_at_least", least, least, None)
    if found and width is not None and gain is None:
        at = found[0].bounds
        share = at.scored / at.rows
        score = at.scores[at.best].value
        needed = trials_for_width(score, width, miss) / share
        yield row(found[0].name, "rows_needed", float(np.ceil(needed)), None, None)
    parts = [each for each in found if each.name != "all"]
    if len(parts) == 2 and gain is None:  # each has half of the probability to fail
        (one, two), half = parts, 1 - miss / 2
        ends = [_posterior(each, half) for each in (one, two)]
        difference = two.bounds.posterior.value - one.bounds.posterior.value
        low, high = ends[1].low - ends[0].high, ends[1].high - ends[0].low
        yield row(two.name, "posterior_difference", difference, low, high)


def _posterior(each: Audited, level: float) -> Interval:
    """Return the interval of the posterior vulnerability at another confidence."""
    from quiff.audit.intervals import at_least, mean_at_most

    at, miss = each.bounds, (1 - level) / 2
    hits = round(at.posterior.value * at.scored)
    return Interval(
        at.posterior.value,
        at_least(hits, at.scored, miss / len(at.scores)),
        mean_at_most(at.plug_in, at.rows, miss),
    )


def _all_secrets(api: Api | None, secrets: Iterable[Hashable] | None, people: Population | None) -> Channel:
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
    space: Labels | None = api.space()
    if people is not None:
        fitted = api.fit(people)
        return fitted.observe(fitted.secret(people).outputs)
    if space is None or space.size > _MOST_SECRETS:
        raise ParameterError(
            f"the secrets of {api.spec} are too many to list; give some (--among), or people (--people)"
        )
    return api.observe(space)


def _behind(
    log: Log,
    C: Channel,
    spec: str,
    level: float,
    rng: np.random.Generator,
    rested: Provenance,
    named: bool,
) -> Result:
    """Estimate the distribution of secrets from observations alone; those of people are only numbered."""
    sample = draw_sample(log, rng)
    places = claimed_places(C, log.outputs)
    if (places < 0).any():
        lost = int(sample.once[places[sample.output] < 0].sum())
        raise QuiffError(
            f"{lost} observations of the log are no outputs of {spec}; nothing is concluded about secrets"
        )
    seen: dict[Hashable, float] = {}
    for output, number in zip(sample.output, sample.once, strict=True):
        label = C.outputs[int(places[output])]
        seen[label] = seen.get(label, 0) + int(number)
    found = iterative_bayesian_update(
        C, seen, bootstrap=_BOOTSTRAP, level=level, seed=int(rng.integers(2**31)), tolerance=1e-7
    )
    shares = found.prior.to_numpy()
    assert found.low is not None and found.high is not None  # noqa: S101, PT018 - there was a bootstrap
    rows = tuple(
        Row(
            spec, None, "all", str(C.inputs[k]) if named else f"secret {rank}", "estimated", 1,
            "secret_share", float(shares[k]), float(found.low[k]), float(found.high[k]), "sample",
        )
        for rank, k in enumerate(np.argsort(-shares, kind="stable").tolist(), 1)
    )  # fmt: skip
    return Result(rows=rows, provenance=rested, **behind_views(log, spec, rows, found, level))
