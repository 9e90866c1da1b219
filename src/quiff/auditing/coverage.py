"""Do bounds hold as often as they say? Simulated logs of systems whose truth is known exactly."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from quiff.apis.base import Api
from quiff.auditing.bounds import bounds
from quiff.auditing.claims import claim_test
from quiff.auditing.events import likely_difference, likely_ratio, telling_events
from quiff.auditing.log import Log
from quiff.auditing.rules import Frequentist
from quiff.auditing.sample import Sample, draw_sample
from quiff.core.channel import Channel
from quiff.core.numbers import Array, to_float
from quiff.core.prior import Prior
from quiff.measures.privacy import bayes_security, epsilon
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability

_WRONG = 0.1  # the share of rows with the output of a random secret, where a claim is wrong
_LEVEL = 0.05  # with which bounds may fail
_WORK = 10**8  # numbers of all pairs of rows
_ROUNDING = 1e-9
_SPECS = {"floc": "floc:k=5,domains=1"}  # where the defaults would show nothing of few people


@final
@dataclass(frozen=True)
class Coverage:
    """How many of some simulated logs did as they should.

    Attributes
    ----------
    name, runs, rows
        The system, how many logs, and how many rows each has.
    posterior, leakage
        Logs whose interval holds the truth.
    security, epsilon
        Logs whose bound is not beyond the truth; None where that is too much to compute.
    rejected
        Logs whose true claim was rejected at 5 %.
    detected
        Logs whose wrong claim was: of a tenth of the rows the output is that of a random secret. None if
        that was not asked.
    reached
        The lower bound on the posterior vulnerability over its truth, on average.
    """

    name: str
    runs: int
    rows: int
    posterior: int
    leakage: int
    security: int | None
    epsilon: int
    rejected: int
    detected: int | None
    reached: float


def coverage(
    name: str, prior: Prior, C: Channel, *, runs: int, rows: int, power: bool = True, seed: int = 0
) -> Coverage:
    """Audit simulated logs of a system, and count how often its bounds and tests do as they say.

    Parameters
    ----------
    name
        What to call the system.
    prior, C
        The system: how secrets are distributed, and what is observed of them.
    runs, rows
        How many logs, and how many rows each.
    power
        Whether wrong claims are tested too.
    seed
        The random seed.

    Examples
    --------
    >>> from quiff import mechanisms
    >>> C = mechanisms.warner(truth=0.75)
    >>> found = coverage("Warner", Prior.uniform(C.inputs), C, runs=20, rows=500)
    >>> found.posterior >= 17, found.rejected <= 4
    (True, True)
    """
    before = float(vulnerability(prior))
    after = float(posterior_vulnerability(prior, C))
    secure, private = _known(C)
    weights, total = prior.weights_for(C.inputs, "channel")
    pi = to_float(np.array(weights)) / float(total)
    counts, reached = np.zeros(6, dtype=np.int64), 0.0
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        secret = rng.choice(C.inputs.size, size=rows, p=pi / pi.sum())
        sample, places = _drawn(C, secret, secret, rng)
        found = bounds(sample, [Frequentist()], rng)
        ratio, difference = telling_events(sample, likely_ratio, likely_difference)
        counts += [
            found.posterior.low <= after + _ROUNDING and after <= found.posterior.high + _ROUNDING,
            found.leakage.low <= after / before + _ROUNDING
            and after / before <= found.leakage.high + _ROUNDING,
            difference is None or 1 - difference.apart_at_least(_LEVEL) >= (secure or 0) - _ROUNDING,
            ratio is None or ratio.epsilon_at_least(_LEVEL) <= private + _ROUNDING,
            claim_test(sample, C, rng, places=places).p <= _LEVEL,
            power and _rejects_wrong(C, secret, rng),
        ]
        reached += found.posterior.low / after / runs
    posterior, leakage, security, least, rejected, detected = map(int, counts)
    return Coverage(
        name, runs, rows, posterior, leakage, None if secure is None else security, least, rejected,
        detected if power else None, reached,
    )  # fmt: skip


def _known(C: Channel) -> tuple[float | None, float]:
    """Return Bayes security, None if it is too much to compute, and epsilon."""
    small = C.inputs.size**2 * C.outputs.size <= _WORK
    return float(bayes_security(C)) if small else None, float(epsilon(C))


def _rejects_wrong(C: Channel, secret: Array, rng: np.random.Generator) -> bool:
    """Say if the claim is rejected where some rows have the output of another secret."""
    random = rng.random(secret.size) < _WRONG
    shown = np.where(random, rng.integers(C.inputs.size, size=secret.size), secret)
    wrong, places = _drawn(C, secret, shown, rng)
    return claim_test(wrong, C, rng, places=places).p <= _LEVEL


def _drawn(C: Channel, secret: Array, shown: Array, rng: np.random.Generator) -> tuple[Sample, Array]:
    """Draw a log whose rows have some secrets, and the outputs of some; outputs by their places."""
    places, output = np.unique(C.kernel.sample(shown, rng), return_inverse=True)
    return draw_sample(Log.of_codes(range(C.inputs.size), places.tolist(), secret, output), rng), places


def known_systems() -> Iterator[tuple[str, Prior, Channel]]:
    """Yield systems whose truth is known: the gallery, then every API of the registry on synthetic people.

    Examples
    --------
    >>> next(known_systems())[0]
    'identity'
    """
    from quiff.apis.registry import api_from, apis
    from quiff.people.conversions import synthetic_conversions
    from quiff.people.histories import Histories
    from quiff.people.population import Population
    from quiff.testing.gallery import gallery

    for example in gallery():
        yield example.name, Prior.uniform(example.channel.inputs), example.channel
    people = Population.synthetic(60, seed=1)
    visits = {user: [f"{int(user) % 7}.tld"] for user in people.users}  # type: ignore[call-overload]
    people = people.with_histories(Histories.from_visits(visits, {}))
    people = people.with_attribute("conversions", synthetic_conversions(60, np.random.default_rng(2)))
    for name in apis():
        api: Api
        if name == "fitted":
            from quiff.apis.fitted import FittedAPI

            api = FittedAPI(dict.fromkeys(people.topics, 0.25))
        else:
            api = api_from(_SPECS.get(name, name))
        fitted, secret = api.fit(people), api.fit(people).secret(people)
        yield name, people.user_prior() @ secret, fitted.observe(secret.outputs)
