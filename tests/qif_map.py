"""Every function of the C++ library qif, what does the same here, and how both are asked.

A row is the name in qif, the call here (shown on the page docs/reference/qif.md), what differs, and a check:
a function of a random case that yields pairs of answers, ours first. `test_qif_map` runs them and fails for a
function of the installed qif without a row.
"""

import math
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, wraps
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import qif

import qif_map_mechanisms
import quiff

MODULES = ("channel", "measure", "mechanism", "metric", "refinement", "probab", "utility")


def functions() -> list[str]:
    """All functions of the installed qif, by introspection."""
    found: list[str] = []

    def walk(module: ModuleType, name: str) -> None:
        for part in dir(module):
            value = getattr(module, part)
            if part.startswith("_") or isinstance(value, type):
                continue
            if isinstance(value, ModuleType):
                if value.__name__.startswith("qif"):
                    walk(value, f"{name}.{part}")
            elif callable(value):
                found.append(f"{name}.{part}")

    for name in MODULES:
        walk(getattr(qif, name), name)
    return sorted(found)


def drawn(make: Callable[["Case"], Any]) -> Any:
    """Keep what a method draws, from a generator of its own: no matter who asks first."""

    @wraps(make)
    def value(self: "Case") -> Any:
        others, self.random = self.random, random.Random(f"{make.__name__} {self.seed}")
        try:
            return make(self)
        finally:
            self.random = others

    return cached_property(value)


class Case:
    """A random prior, channel, gain and so on, as labelled values of quiff and as arrays for qif."""

    def __init__(self, seed: int, exact: bool) -> None:
        self.seed, self.random, self.exact = seed, random.Random(seed), exact
        self.n, self.m, self.actions = (self.random.randint(2, 5) for _ in range(3))
        self.type = Fraction if exact else np.float64

    def numbers(self, *shape: int, low: int = 0) -> np.ndarray:
        """Random numbers, zeros among them."""
        whole = [self.random.randint(low, 9) for _ in range(math.prod(shape))]
        array = np.array([Fraction(v, 7) for v in whole], dtype=object)
        if not self.exact:
            array = np.array([v * self.random.choice((1, self.random.random())) for v in whole])
        return array.reshape(shape)

    def distributions(self, *shape: int, low: int = 0) -> np.ndarray:
        """Rows that sum to 1."""
        rows = self.numbers(*shape, low=low).reshape(-1, shape[-1])
        for row in rows:
            if not row.sum():
                row[self.random.randrange(shape[-1])] = 1
        return (rows / rows.sum(axis=1)[:, np.newaxis]).reshape(shape)

    @drawn
    def pi(self) -> np.ndarray:
        return self.distributions(self.n)

    @drawn
    def rho(self) -> np.ndarray:
        return self.distributions(self.n)

    @drawn
    def C(self) -> np.ndarray:
        return self.distributions(self.n, self.m)

    @drawn
    def D(self) -> np.ndarray:
        return self.distributions(self.n, self.random.randint(2, 4))

    @drawn
    def positive(self) -> np.ndarray:
        """A channel without zeros."""
        return self.distributions(self.n, self.m, low=1)

    @drawn
    def G(self) -> np.ndarray:
        matrix = self.numbers(self.actions, self.n)
        matrix[0] = matrix[0] + 1  # some gain for every secret
        return matrix

    @drawn
    def distances(self) -> np.ndarray:
        """A metric: the shortest ways through random lengths."""
        d = self.numbers(self.n, self.n, low=1)
        d = d + d.T
        for i in range(self.n):
            d[i, i] = 0 * d[i, i]
        for k in range(self.n):
            d = np.minimum(d, d[:, [k]] + d[[k]])
        return d

    @drawn
    def predicate(self) -> np.ndarray:
        """Whether each secret meets it: one does, one does not."""
        values = [1, 0] + [self.random.randint(0, 1) for _ in range(self.n - 2)]
        return np.array(values, dtype=np.uint64)

    @drawn
    def two(self) -> np.ndarray:
        """A channel with two outputs, so that plans are few."""
        return self.distributions(self.n, 2)

    @drawn
    def strength(self) -> float:
        """An epsilon, or how far apart things are."""
        return self.random.uniform(0.1, 3)

    @drawn
    def four(self) -> np.ndarray:
        return self.distributions(4)

    @drawn
    def costs(self) -> np.ndarray:
        """What each output costs for each secret."""
        return self.numbers(self.m, self.n)

    # The same, labelled by positions.
    @cached_property
    def prior(self) -> quiff.Prior:
        return quiff.Prior.from_array(range(self.n), self.pi)

    @cached_property
    def other(self) -> quiff.Prior:
        return quiff.Prior.from_array(range(self.n), self.rho)

    @cached_property
    def channel(self) -> quiff.Channel:
        return quiff.Channel(self.C)

    @cached_property
    def second(self) -> quiff.Channel:
        return quiff.Channel(self.D)

    @cached_property
    def gain(self) -> quiff.Gain:
        return quiff.Gain(self.G)

    @cached_property
    def loss(self) -> quiff.Loss:
        return quiff.Loss(self.G)

    @cached_property
    def metric(self) -> quiff.Metric:
        return quiff.Metric.from_matrix(self.distances)

    @cached_property
    def test(self) -> Callable[[Any], bool]:
        return lambda x: bool(self.predicate[x])

    @cached_property
    def question(self) -> quiff.Gain:
        return quiff.predicate_gain(range(self.n), self.test)


@lru_cache(20_000)
def case(seed: int, exact: bool) -> Case:
    """A case, made once for all functions."""
    return Case(seed, exact)


Pairs = Iterator[tuple[Any, Any]] | tuple[tuple[Any, Any], ...]


@dataclass(frozen=True)
class Row:
    """What stands for a function of qif here."""

    ours: str
    check: Callable[[Case], Pairs]
    differs: str = ""
    exact: bool = True  # whether qif has it for rationals


BAYES, RISK, G, L = (getattr(qif.measure, name) for name in ("bayes_vuln", "bayes_risk", "g_vuln", "l_risk"))
GUESSING, SHANNON, METRIC = qif.measure.guessing, qif.measure.shannon, qif.metric


def ratio(numerator: Any, denominator: Any) -> Any:
    return numerator / denominator


def best(c: Case, aim: Any, chosen: np.ndarray) -> Pairs:
    """qif breaks ties by position: its choice is among ours, where the output happens."""
    plan = quiff.strategy(c.prior, c.channel, aim)
    for y, action in enumerate(np.ravel(chosen).tolist()):
        if any(c.pi * c.C[:, y]):
            yield plan[y, action] > 0, True


def _sorted_hyper(outer: np.ndarray, inners: np.ndarray) -> list[tuple[float, ...]]:
    """qif's hyper as rows; it leaves posteriors that it merged in place, with no probability."""
    rows = [(float(o), *map(float, i)) for o, i in zip(np.ravel(outer), inners.T, strict=True)]
    return sorted(row for row in rows if row[0] > 0)


def _nonzero(matrix: np.ndarray) -> np.ndarray:
    return matrix[:, (matrix != 0).any(axis=0)]


def _is_proper(make: Callable[[Any], Any], numbers: np.ndarray) -> bool:
    try:
        make(numbers)
    except quiff.ProbabilityError:
        return False
    return True


def _as_bayes(c: Case, gain: quiff.Gain, theirs: Any) -> Pairs:
    rho, R, a = quiff.gain_as_bayes(c.prior, gain)
    yield rho.to_numpy(), np.ravel(theirs[0])
    yield R.to_numpy(), theirs[1]
    yield (a, 0), theirs[2:]


def _binary(c: Case, rho: np.ndarray, matrix: np.ndarray) -> Pairs:
    mine, D = quiff.predicate_channel(c.prior, c.channel, c.test)
    for place, value in enumerate((True, False)):
        if value in mine:
            yield mine[value], np.ravel(rho)[place]
            yield D.row(value).to_numpy(), matrix[place]
        else:
            yield np.ravel(rho)[place], 0


def _factor(c: Case, ours: Any, theirs: Any, right: bool) -> Pairs:
    """Both find a factor where there is one, and none where there is none."""
    R = c.distributions(c.m, 3) if right else c.distributions(4, c.n)
    product, other = (c.C @ R, c.distributions(c.n, 3)) if right else (R @ c.C, c.distributions(4, c.m))
    for matrix in (product, other):
        found = ours(quiff.Channel(matrix), c.channel)
        yield found is not None, theirs(matrix, c.C).size > 0
        if found is not None:
            again = c.channel @ found if right else found @ c.channel
            yield again.to_numpy().astype(float).round(7), matrix.astype(float).round(7)


def _refinements(c: Case) -> Iterator[tuple[quiff.Channel, np.ndarray]]:
    """A channel that refines c.D, and one that hardly ever does."""
    for matrix in (c.D @ c.distributions(c.D.shape[1], 3), c.C):
        yield quiff.Channel(matrix), matrix


def _told_apart(c: Case) -> Pairs:
    """Our gain and prior tell the channels apart for qif, too."""
    for E, matrix in _refinements(c):
        found = quiff.counterexample(E, c.second)
        refined, *_ = qif.refinement.refined_by_witness(c.D, matrix)
        yield (found is None), refined
        if found is not None:
            g, pi = found.gain.to_numpy().astype(float), found.prior.to_numpy().astype(float)
            yield G.posterior(g, pi, matrix) > G.posterior(g, pi, c.D), True


def _additive(c: Case, module: Any) -> Pairs:
    yield quiff.additive_capacity(c.channel, c.prior), module.add_capacity(c.pi, c.C)
    yield quiff.additive_capacity(c.channel, c.prior, of="one-spanning"), module.add_capacity(c.pi, c.C, True)


def _two_rows(c: Case, ours: quiff.Capacity, theirs: Any, module: Any) -> Pairs:
    """The capacities are the same, and our prior reaches it."""
    if math.isfinite(ours.value) and ours.value < 1e6:
        yield ours.value, theirs[0]
        yield ours.value, module.mult_leakage(ours.prior.to_numpy().astype(c.C.dtype), c.C)


def _asked(c: Case) -> Pairs:
    """The capacity for one question, and that our prior reaches it."""
    ours = quiff.predicate_capacity(c.channel, c.test)
    if ours.value > 1:
        yield ours.value, qif.measure.pred_vuln.mult_capacity(c.predicate, c.C)[0]
    yield ours.value, quiff.leakage(ours.prior, c.channel, c.question)


NO_ERRORS = "not stochastic, nan, or of another size is an error here"
TIES = "all ties, as a channel from outputs to actions; qif names the first"
INFINITE = "1 where there is no risk at all, infinite where all of it goes; qif: nan, or an error"

ROWS: dict[str, Row] = {
    "channel.identity": Row(
        "Channel.identity(labels)",
        lambda c: ((quiff.Channel.identity(range(c.n)).to_numpy(), qif.channel.identity(c.n, c.type)),),
    ),
    "channel.no_interference": Row(
        "Channel.constant(row, inputs)",
        lambda c: (
            (
                quiff.Channel.constant([1] + [0] * (c.m - 1), range(c.n)).to_numpy(),
                qif.channel.no_interference(c.n, c.m, c.type),
            ),
        ),
        "any row, not only (1, 0, 0, ...)",
    ),
    "channel.deterministic": Row(
        "Channel.deterministic(mapping)",
        lambda c: (
            (
                quiff.Channel.deterministic({x: x % c.m for x in range(c.n)}, range(c.m)).to_numpy(),
                qif.channel.deterministic(lambda x: x % c.m, c.n, c.m, c.type),
            ),
        ),
    ),
    "channel.compose.parallel": Row(
        "parallel(C, D)",
        lambda c: ((quiff.parallel(c.channel, c.second).to_numpy(), qif.channel.compose.parallel(c.C, c.D)),),
        "lazy: the matrix is never written out unless asked for",
    ),
    "channel.compose.repeated_independent": Row(
        "repeat(C, n)",
        lambda c: (
            (quiff.repeat(c.channel, 3).to_numpy(), qif.channel.compose.repeated_independent(c.C, 3)),
        ),
        "lazy, too",
    ),
    "measure.bayes_vuln.prior": Row(
        "vulnerability(prior)", lambda c: ((quiff.vulnerability(c.prior), BAYES.prior(c.pi)),)
    ),
    "measure.bayes_vuln.posterior": Row(
        "posterior_vulnerability(prior, C)",
        lambda c: ((quiff.posterior_vulnerability(c.prior, c.channel), BAYES.posterior(c.pi, c.C)),),
        NO_ERRORS,
    ),
    "measure.bayes_vuln.add_leakage": Row(
        "leakage(prior, C, additive=True)",
        lambda c: ((quiff.leakage(c.prior, c.channel, additive=True), BAYES.add_leakage(c.pi, c.C)),),
    ),
    "measure.bayes_vuln.mult_leakage": Row(
        "leakage(prior, C)", lambda c: ((quiff.leakage(c.prior, c.channel), BAYES.mult_leakage(c.pi, c.C)),)
    ),
    "measure.bayes_vuln.min_entropy_leakage": Row(
        "min_entropy_leakage(prior, C)",
        lambda c: ((quiff.min_entropy_leakage(c.prior, c.channel), BAYES.min_entropy_leakage(c.pi, c.C)),),
        exact=False,
    ),
    "measure.bayes_vuln.mult_capacity": Row(
        "bayes_capacity(C)",
        lambda c: ((quiff.bayes_capacity(c.channel), BAYES.mult_capacity(c.C)),),
        NO_ERRORS,
    ),
    "measure.bayes_vuln.strategy": Row(
        "strategy(prior, C)", lambda c: best(c, None, BAYES.strategy(c.pi, c.C)), TIES
    ),
    "measure.bayes_risk.prior": Row("risk(prior)", lambda c: ((quiff.risk(c.prior), RISK.prior(c.pi)),)),
    "measure.bayes_risk.posterior": Row(
        "posterior_risk(prior, C)",
        lambda c: ((quiff.posterior_risk(c.prior, c.channel), RISK.posterior(c.pi, c.C)),),
    ),
    "measure.bayes_risk.add_leakage": Row(
        "risk_leakage(prior, C, additive=True)",
        lambda c: ((quiff.risk_leakage(c.prior, c.channel, additive=True), RISK.add_leakage(c.pi, c.C)),),
    ),
    "measure.bayes_risk.mult_leakage": Row(
        "risk_leakage(prior, C)",
        lambda c: (
            (quiff.risk_leakage(c.prior, c.channel), RISK.mult_leakage(c.pi, c.C))
            for _ in range(quiff.posterior_risk(c.prior, c.channel) > 1e-6)
        ),
        INFINITE,
    ),
    "measure.bayes_risk.strategy": Row(
        "strategy(prior, C, zero_one_loss(labels))",
        lambda c: best(c, quiff.zero_one_loss(range(c.n)), RISK.strategy(c.pi, c.C)),
        TIES,
    ),
    "measure.g_vuln.prior": Row(
        "vulnerability(prior, gain)",
        lambda c: ((quiff.vulnerability(c.prior, c.gain), G.prior(c.G, c.pi)),),
        "gains are not negative here, and labelled; a shift makes any gain so",
    ),
    "measure.g_vuln.posterior": Row(
        "posterior_vulnerability(prior, C, gain)",
        lambda c: ((quiff.posterior_vulnerability(c.prior, c.channel, c.gain), G.posterior(c.G, c.pi, c.C)),),
    ),
    "measure.g_vuln.add_leakage": Row(
        "leakage(prior, C, gain, additive=True)",
        lambda c: (
            (quiff.leakage(c.prior, c.channel, c.gain, additive=True), G.add_leakage(c.G, c.pi, c.C)),
        ),
    ),
    "measure.g_vuln.mult_leakage": Row(
        "leakage(prior, C, gain)",
        lambda c: ((quiff.leakage(c.prior, c.channel, c.gain), G.mult_leakage(c.G, c.pi, c.C)),),
    ),
    "measure.g_vuln.strategy": Row(
        "strategy(prior, C, gain)", lambda c: best(c, c.gain, G.strategy(c.G, c.pi, c.C)), TIES
    ),
    "measure.g_vuln.G_id": Row(
        "bayes_gain(labels)", lambda c: ((quiff.bayes_gain(range(c.n)).to_numpy(), G.G_id(c.n, c.type)),)
    ),
    "measure.g_vuln.g_id": Row(
        "bayes_gain(labels)",
        lambda c: (
            (
                quiff.bayes_gain(range(c.n)).to_numpy(),
                [[G.g_id(c.type)(w, x) for x in range(c.n)] for w in range(c.n)],
            ),
        ),
    ),
    "measure.g_vuln.g_add": Row(
        "gain + gain",
        lambda c: (
            (
                (c.gain + quiff.bayes_gain(range(c.n))).to_numpy(),
                G.g_add(c.G, G.G_id(c.n, c.type)),
            ),
        ),
        "an action is a pair",
    ),
    "measure.l_risk.prior": Row(
        "risk(prior, loss)", lambda c: ((quiff.risk(c.prior, c.loss), L.prior(c.G, c.pi)),)
    ),
    "measure.l_risk.posterior": Row(
        "posterior_risk(prior, C, loss)",
        lambda c: ((quiff.posterior_risk(c.prior, c.channel, c.loss), L.posterior(c.G, c.pi, c.C)),),
    ),
    "measure.l_risk.add_leakage": Row(
        "risk_leakage(prior, C, loss, additive=True)",
        lambda c: (
            (quiff.risk_leakage(c.prior, c.channel, c.loss, additive=True), L.add_leakage(c.G, c.pi, c.C)),
        ),
    ),
    "measure.l_risk.mult_leakage": Row(
        "risk_leakage(prior, C, loss)",
        lambda c: (
            (quiff.risk_leakage(c.prior, c.channel, c.loss), L.mult_leakage(c.G, c.pi, c.C))
            for _ in range(quiff.posterior_risk(c.prior, c.channel, c.loss) > 1e-6)
        ),
        INFINITE,
    ),
    "measure.l_risk.strategy": Row(
        "strategy(prior, C, loss)", lambda c: best(c, c.loss, L.strategy(c.G, c.pi, c.C)), TIES
    ),
    "measure.l_risk.L_zero_one": Row(
        "zero_one_loss(labels)",
        lambda c: ((quiff.zero_one_loss(range(c.n)).to_numpy(), L.L_zero_one(c.n, c.type)),),
    ),
    "measure.l_risk.l_zero_one": Row(
        "zero_one_loss(labels)",
        lambda c: (
            (
                quiff.zero_one_loss(range(c.n)).to_numpy(),
                [[L.l_zero_one(c.type)(w, x) for x in range(c.n)] for w in range(c.n)],
            ),
        ),
    ),
    "measure.l_risk.loss_to_gain": Row(
        "loss.to_gain(), Loss.from_gain(gain)",
        lambda c: (
            (
                c.loss.to_gain().to_numpy(),
                [
                    [L.loss_to_gain(c.n, c.actions, lambda w, x: c.G[w, x])(w, x) for x in range(c.n)]
                    for w in range(c.actions)
                ],
            ),
        ),
    ),
    "measure.guessing.prior": Row(
        "guessing_entropy(prior)", lambda c: ((quiff.guessing_entropy(c.prior), GUESSING.prior(c.pi)),)
    ),
    "measure.guessing.posterior": Row(
        "posterior_guessing_entropy(prior, C)",
        lambda c: ((quiff.posterior_guessing_entropy(c.prior, c.channel), GUESSING.posterior(c.pi, c.C)),),
    ),
    "measure.guessing.add_leakage": Row(
        "risk_leakage(prior, C, guessing_loss(labels), additive=True)",
        lambda c: (
            (
                quiff.risk_leakage(c.prior, c.channel, quiff.guessing_loss(range(c.n)), additive=True),
                GUESSING.add_leakage(c.pi, c.C),
            ),
        ),
    ),
    "measure.guessing.mult_leakage": Row(
        "risk_leakage(prior, C, guessing_loss(labels))",
        lambda c: (
            (
                quiff.risk_leakage(c.prior, c.channel, quiff.guessing_loss(range(c.n))),
                GUESSING.mult_leakage(c.pi, c.C),
            ),
        ),
    ),
    "measure.shannon.prior": Row(
        "shannon_entropy(prior)",
        lambda c: ((quiff.shannon_entropy(c.prior), SHANNON.prior(c.pi)),),
        exact=False,
    ),
    "measure.shannon.posterior": Row(
        "conditional_entropy(prior, C)",
        lambda c: ((quiff.conditional_entropy(c.prior, c.channel), SHANNON.posterior(c.pi, c.C)),),
        exact=False,
    ),
    "measure.shannon.add_leakage": Row(
        "mutual_information(prior, C)",
        lambda c: ((quiff.mutual_information(c.prior, c.channel), SHANNON.add_leakage(c.pi, c.C)),),
        exact=False,
    ),
    "measure.shannon.mult_leakage": Row(
        "shannon_entropy(prior) / conditional_entropy(prior, C)",
        lambda c: (
            (
                quiff.shannon_entropy(c.prior) / quiff.conditional_entropy(c.prior, c.channel),
                SHANNON.mult_leakage(c.pi, c.C),
            )
            for _ in range(quiff.conditional_entropy(c.prior, c.channel) > 1e-6)
        ),
        exact=False,
    ),
    "metric.discrete": Row(
        "discrete",
        lambda c: ((quiff.discrete(c.pi[0], c.pi[1]), METRIC.discrete()(c.pi[0], c.pi[1])),),
        exact=False,
    ),
    "metric.euclidean": Row(
        "euclidean",
        lambda c: ((quiff.euclidean(c.pi[0], c.pi[1]), METRIC.euclidean(c.type)(c.pi[0], c.pi[1])),),
        "of numbers and of points with any number of coordinates",
    ),
    "metric.manhattan": Row(
        "manhattan",
        lambda c: (
            (
                quiff.manhattan(tuple(c.pi[:2]), tuple(c.rho[:2])),
                METRIC.manhattan()(qif.point(*c.pi[:2]), qif.point(*c.rho[:2])),
            ),
        ),
        exact=False,
    ),
    "channel.hyper": Row(
        "hyper(prior, C)",
        lambda c: zip(
            sorted((float(o), *map(float, i.to_numpy())) for o, i in quiff.hyper(c.prior, c.channel).items()),
            _sorted_hyper(*qif.channel.hyper(c.C, c.pi)),
            strict=True,
        ),
        "outputs are named by those that were merged; qif orders posteriors by their numbers",
    ),
    "channel.posterior": Row(
        "posterior(prior, C, output)",
        lambda c: (
            (quiff.posterior(c.prior, c.channel, y).to_numpy(), qif.channel.posterior(c.C, c.pi, y))
            for y in range(c.m)
            if any(c.pi * c.C[:, y])
        ),
        "an output that never happens is an error; qif: nan",
    ),
    "channel.posteriors": Row(
        "posteriors(prior, C)",
        lambda c: (
            (quiff.posteriors(c.prior, c.channel).row(y).to_numpy(), qif.channel.posteriors(c.C, c.pi)[:, y])
            for y in range(c.m)
            if all(c.C.T @ c.pi > 0)
        ),
        "a channel from the outputs that happen to secrets; qif: columns, nan where it never happens",
    ),
    "channel.reduced": Row(
        "reduced(C)",
        lambda c: (
            (
                sorted(map(tuple, quiff.reduced(c.channel).to_numpy().T.astype(float).round(9).tolist())),
                sorted(map(tuple, _nonzero(qif.channel.reduced(c.C)).T.astype(float).round(9).tolist())),
            ),
        ),
        "outputs are named by those that were merged",
    ),
    "channel.is_proper": Row(
        "Channel(rows)",
        lambda c: ((_is_proper(quiff.Channel, m), qif.channel.is_proper(m)) for m in (c.C, c.C * 2, -c.C)),
        "the constructor raises ProbabilityError, which names the row; sums may be off by 1e-9",
    ),
    "channel.normalize": Row(
        "Channel.proportional(rows)",
        lambda c: (
            (
                quiff.Channel.proportional(c.C * 3).to_numpy(),
                qif.channel.normalize(c.C * 3),
            ),
        ),
        "a row of zeros is an error; qif: nan",
    ),
    "measure.g_vuln.g_from_posterior": Row(
        "gain_from_posterior(gain, C)",
        lambda c: (
            (
                quiff.gain_from_posterior(c.gain, quiff.Channel(c.two)).to_numpy(),
                G.g_from_posterior(c.G, c.two),
            ),
        ),
        "an action is a tuple: what to do after each output",
    ),
    "measure.g_vuln.g_to_bayes": Row(
        "gain_as_bayes(prior, gain)",
        lambda c: _as_bayes(c, c.gain, G.g_to_bayes(c.G, c.pi)),
        "no constant: gains are not negative here; qif's own for rationals fails",
        exact=False,
    ),
    "measure.pred_vuln.G_pred": Row(
        "predicate_gain(labels, predicate)",
        lambda c: (
            (
                quiff.predicate_gain(range(c.n), c.test).to_numpy(),
                qif.measure.pred_vuln.G_pred(c.predicate, c.type),
            ),
        ),
        "a predicate is a function of the secret, with any values",
    ),
    "measure.pred_risk.L_pred": Row(
        "Loss.from_gain(predicate_gain(labels, predicate))",
        lambda c: (
            (
                quiff.Loss.from_gain(quiff.predicate_gain(range(c.n), c.test)).to_numpy()[::-1],
                qif.measure.pred_risk.L_pred(c.predicate, c.type),
            ),
        ),
        "the row of an action is its own: qif's first row is the loss of answering no",
    ),
    "measure.pred_vuln.binary_channel": Row(
        "predicate_channel(prior, C, predicate)",
        lambda c: _binary(c, *qif.measure.pred_vuln.binary_channel(c.predicate, c.pi, c.C)),
        "values that never happen are left out; qif's own for rationals fails",
        exact=False,
    ),
    "measure.pred_risk.binary_channel": Row(
        "predicate_channel(prior, C, predicate)",
        lambda c: _binary(c, *qif.measure.pred_risk.binary_channel(c.predicate, c.pi, c.C)),
        "values that never happen are left out; qif's own for rationals fails",
        exact=False,
    ),
    "measure.d_privacy.smallest_epsilon": Row(
        "metric_epsilon(C, distance), epsilon(C)",
        lambda c: (
            (
                quiff.metric_epsilon(quiff.Channel(c.positive), c.metric),
                qif.measure.d_privacy.smallest_epsilon(c.positive, lambda x, y: c.distances[x, y]),
            ),
            (
                quiff.epsilon(c.channel),
                qif.measure.d_privacy.smallest_epsilon(c.C, METRIC.discrete(qif.uint)),
            ),
        ),
        "a distance that is negative or nan is an error",
        exact=False,
    ),
    "measure.d_privacy.is_private": Row(
        "metric_epsilon(C, distance) <= 1",
        lambda c: (
            (
                quiff.metric_epsilon(quiff.Channel(c.positive), c.metric) <= 1,
                qif.measure.d_privacy.is_private(c.positive, lambda x, y: c.distances[x, y]),
            ),
        ),
        exact=False,
    ),
    "measure.d_privacy.prior": Row(
        "metric_epsilon(prior, distance)",
        lambda c: (
            (
                quiff.metric_epsilon(quiff.Prior.from_array(range(c.m), c.positive[0]), quiff.discrete),
                qif.measure.d_privacy.prior(c.positive[0], METRIC.discrete(qif.uint)),
            ),
        ),
        exact=False,
    ),
    "metric.total_variation": Row(
        "total_variation(p, q)",
        lambda c: ((quiff.total_variation(c.prior, c.other), METRIC.total_variation(c.type)(c.pi, c.rho)),),
        "aligned by label",
    ),
    "metric.l1": Row(
        "2 * total_variation(p, q)",
        lambda c: ((2 * quiff.total_variation(c.prior, c.other), METRIC.l1(c.type)(c.pi, c.rho)),),
    ),
    "metric.l2": Row(
        "euclidean(p.to_numpy(), q.to_numpy())",
        lambda c: ((quiff.euclidean(c.prior.to_numpy(), c.other.to_numpy()), METRIC.l2()(c.pi, c.rho)),),
        exact=False,
    ),
    "metric.mult_reals": Row(
        "multiplicative",
        lambda c: (
            (
                quiff.multiplicative(c.positive[0, 0], c.positive[1, 0]),
                METRIC.mult_reals()(c.positive[0, 0], c.positive[1, 0]),
            ),
        ),
        exact=False,
    ),
    "metric.mult_total_variation": Row(
        "multiplicative_distance(p, q)",
        lambda c: (
            (quiff.multiplicative_distance(c.prior, c.other), METRIC.mult_total_variation()(c.pi, c.rho)),
            (
                quiff.multiplicative_distance(*map(quiff.Channel(c.positive).row, range(2))),
                METRIC.mult_total_variation()(c.positive[0], c.positive[1]),
            ),
        ),
        exact=False,
    ),
    "metric.convex_separation_quasi": Row(
        "convex_separation(p, q)",
        lambda c: (
            (quiff.convex_separation(c.prior, c.other), METRIC.convex_separation_quasi(c.type)(c.pi, c.rho)),
        ),
    ),
    "metric.convex_separation": Row(
        "convex_separation(p, q, symmetric=True)",
        lambda c: (
            (
                quiff.convex_separation(c.prior, c.other, symmetric=True),
                METRIC.convex_separation(c.type)(c.pi, c.rho),
            ),
        ),
    ),
    "metric.kantorovich": Row(
        "kantorovich(p, q, distance)",
        lambda c: (
            (
                quiff.kantorovich(c.prior, c.other, c.metric),
                METRIC.kantorovich(lambda x, y: c.distances[x, y], "lp", c.type)(c.pi, c.rho),
            ),
            (
                quiff.kantorovich(c.prior, c.other, quiff.euclidean),
                METRIC.kantorovich(lambda x, y: c.type(abs(x - y)) if c.exact else abs(x - y), "lp", c.type)(
                    c.pi, c.rho
                ),
            ),
        ),
        'any cost; qif\'s own method, FastEMD, rounds to six digits or so, its "lp" does not',
    ),
    "metric.mult_kantorovich": Row(
        "multiplicative_kantorovich(p, q, distance)",
        lambda c: (
            (
                quiff.multiplicative_kantorovich(c.prior, c.other, quiff.euclidean),
                METRIC.mult_kantorovich(METRIC.euclidean(qif.uint))(c.pi, c.rho),
            ),
        ),
        exact=False,
    ),
    "metric.scale": Row(
        "number * metric",
        lambda c: (((3 * quiff.euclidean)(*c.pi[:2]), METRIC.scale(METRIC.euclidean(), 3)(*c.pi[:2])),),
        exact=False,
    ),
    "metric.min": Row(
        "metric.minimum(other)",
        lambda c: (
            (
                quiff.discrete.minimum(quiff.euclidean)(*c.pi[:2]),
                METRIC.min(METRIC.discrete(), METRIC.euclidean())(*c.pi[:2]),
            ),
        ),
        exact=False,
    ),
    "metric.max": Row(
        "metric.maximum(other)",
        lambda c: (
            (
                quiff.discrete.maximum(quiff.euclidean)(*c.pi[:2]),
                METRIC.max(METRIC.discrete(), METRIC.euclidean())(*c.pi[:2]),
            ),
        ),
        exact=False,
    ),
    "metric.mirror": Row(
        "metric.mirrored()",
        lambda c: (
            (
                quiff.Metric(lambda x, y: x - y).mirrored()(*c.pi[:2]),
                METRIC.mirror(lambda x, y: x - y)(*c.pi[:2]),
            ),
        ),
        exact=False,
    ),
    "metric.threshold": Row(
        "metric.capped(most)",
        lambda c: (
            (
                quiff.euclidean.capped(0.25)(*c.pi[:2]),
                METRIC.threshold(METRIC.euclidean(), 0.25)(*c.pi[:2]),
            ),
        ),
        exact=False,
    ),
    "metric.threshold_inf": Row(
        "metric.cut(most)",
        lambda c: (
            (
                quiff.euclidean.cut(0.25)(*c.pi[:2]),
                METRIC.threshold_inf(METRIC.euclidean(), 0.25)(*c.pi[:2]),
            ),
        ),
        exact=False,
    ),
    "metric.from_distance_matrix": Row(
        "Metric.from_matrix(rows, labels)",
        lambda c: ((c.metric(0, c.n - 1), METRIC.from_distance_matrix(c.distances)(0, c.n - 1)),),
    ),
    "metric.to_distance_matrix": Row(
        "Loss.from_metric(distance, labels).to_numpy()",
        lambda c: (
            (
                quiff.Loss.from_metric(quiff.euclidean, range(c.n), range(c.m)).to_numpy(),
                METRIC.to_distance_matrix(METRIC.euclidean(qif.uint), c.m, c.n),
            ),
        ),
        exact=False,
    ),
    "metric.euclidean_chain": Row(
        "chained(distance, labels)",
        lambda c: (
            (
                quiff.chained(quiff.euclidean, range(c.n)),
                [[METRIC.euclidean_chain(qif.uint)(i, j) for j in range(c.n)] for i in range(c.n)],
            ),
        ),
        "a matrix for any distance and labels; qif: of whole numbers only",
        exact=False,
    ),
    "metric.optimize.l1_diameter": Row(
        "diameter(C)",
        lambda c: ((2 * quiff.diameter(c.channel)[0], METRIC.optimize.l1_diameter(c.C)[0]),),
        "total variation, half of qif's l1 distance",
    ),
    "metric.optimize.simplex_project": Row(
        "Prior.nearest(numbers)",
        lambda c: (
            (
                quiff.Prior.nearest(dict(enumerate(c.pi - c.rho * 3 + c.type(1)))).to_numpy(),
                METRIC.optimize.simplex_project(c.pi - c.rho * 3 + c.type(1)),
            ),
        ),
    ),
    "probab.uniform": Row(
        "Prior.uniform(labels)",
        lambda c: ((quiff.Prior.uniform(range(c.n)).to_numpy(), qif.probab.uniform(c.n, c.type)),),
    ),
    "probab.point": Row(
        "Prior.point(labels, label)",
        lambda c: ((quiff.Prior.point(range(c.n), 1).to_numpy(), qif.probab.point(c.n, 1, c.type)),),
    ),
    "probab.normalize": Row(
        "Prior.proportional(weights)",
        lambda c: (
            (
                quiff.Prior.proportional(dict(enumerate(c.pi * 3))).to_numpy(),
                qif.probab.normalize(c.pi * 3),
            ),
        ),
    ),
    "probab.is_proper": Row(
        "Prior(probabilities)",
        lambda c: (
            (_is_proper(lambda p: quiff.Prior.from_array(range(c.n), p), p), qif.probab.is_proper(p))
            for p in (c.pi, c.pi * 2, -c.pi)
        ),
        "the constructor raises ProbabilityError; sums may be off by 1e-9",
    ),
    "probab.is_uniform": Row(
        "total_variation(prior, Prior.uniform(labels)) == 0",
        lambda c: (
            (
                quiff.total_variation(c.prior, quiff.Prior.uniform(range(c.n))) == 0,
                qif.probab.is_uniform(c.pi),
            ),
        ),
    ),
    "probab.to_grid": Row(
        "prior.to_numpy().reshape(height, width)",
        lambda c: (
            (
                quiff.Prior.from_array(range(4), c.four).to_numpy().reshape(2, 2),
                qif.probab.to_grid(c.four, 2),
            ),
        ),
        "cells may be labels: (row, column)",
    ),
    "probab.from_grid": Row(
        "Prior.from_array(cells, matrix.ravel())",
        lambda c: (
            (
                quiff.Prior.from_array(range(4), c.four.reshape(2, 2).ravel()).to_numpy(),
                qif.probab.from_grid(c.four.reshape(2, 2)),
            ),
        ),
    ),
    "utility.expected_distance": Row(
        "expected_loss(prior, C, loss)",
        lambda c: (
            (
                quiff.expected_loss(c.prior, c.channel, quiff.Loss(c.costs)),
                qif.utility.expected_distance(c.costs.T.copy(), c.pi, c.C),
            ),
        ),
        "the outputs are actions of the loss, by label",
    ),
    "channel.factorize": Row(
        "refinement_witness(C, D)",
        lambda c: _factor(c, quiff.refinement_witness, lambda A, B: qif.channel.factorize(A, B), right=True),
        "None where there is none; the factor may be another one",
    ),
    "channel.left_factorize": Row(
        "left_factor(C, D)",
        lambda c: _factor(c, quiff.left_factor, lambda A, B: qif.channel.left_factorize(A, B), right=False),
        "None where there is none; the factor may be another one",
    ),
    "channel.sum_column_min": Row(
        "1 - additive_capacity(C)",
        lambda c: ((1 - quiff.additive_capacity(c.channel), qif.channel.sum_column_min(c.C)),),
    ),
    "measure.bayes_vuln.mult_capacity_bound_cap": Row(
        "repeated_capacity_bound(C, n)",
        lambda c: (
            (quiff.repeated_capacity_bound(c.channel, n), BAYES.mult_capacity_bound_cap(c.C, n))
            for n in (1, 2, 10)
        ),
        exact=False,
    ),
    "measure.bayes_risk.mult_capacity": Row(
        "predicate_capacity(C, risk=True)",
        lambda c: _two_rows(c, quiff.predicate_capacity(c.channel, risk=True), RISK.mult_capacity(c.C), RISK),
        "over all priors it is that of the worst yes-or-no question",
    ),
    "measure.pred_vuln.mult_capacity": Row(
        "predicate_capacity(C, predicate)",
        lambda c: _asked(c),
        "qif counts the two inputs of its prior within yes and within no, so that it is another one; where "
        "no answer differs it reads past its end",
    ),
    "measure.pred_risk.mult_capacity": Row(
        "predicate_capacity(C, predicate, risk=True)",
        lambda c: (
            (
                quiff.predicate_capacity(c.channel, c.test, risk=True).value,
                qif.measure.pred_risk.mult_capacity(c.predicate, c.C)[0],
            )
            for _ in range(0 < quiff.diameter(c.channel, c.test)[0] < 1)
        ),
        "infinite where it is; qif's rationals have no infinity",
    ),
    "measure.pred_vuln.prior": Row(
        "vulnerability(prior, predicate_gain(labels, predicate))",
        lambda c: (
            (
                quiff.vulnerability(c.prior, c.question),
                qif.measure.pred_vuln.prior(c.predicate, c.pi),
            ),
        ),
    ),
    "measure.pred_vuln.posterior": Row(
        "posterior_vulnerability(prior, C, predicate_gain(labels, predicate))",
        lambda c: (
            (
                quiff.posterior_vulnerability(c.prior, c.channel, c.question),
                qif.measure.pred_vuln.posterior(c.predicate, c.pi, c.C),
            ),
        ),
    ),
    "measure.pred_vuln.add_leakage": Row(
        "leakage(prior, C, predicate_gain(labels, predicate), additive=True)",
        lambda c: (
            (
                quiff.leakage(c.prior, c.channel, c.question, additive=True),
                qif.measure.pred_vuln.add_leakage(c.predicate, c.pi, c.C),
            ),
        ),
    ),
    "measure.pred_vuln.mult_leakage": Row(
        "leakage(prior, C, predicate_gain(labels, predicate))",
        lambda c: (
            (
                quiff.leakage(c.prior, c.channel, c.question),
                qif.measure.pred_vuln.mult_leakage(c.predicate, c.pi, c.C),
            ),
        ),
    ),
    "measure.pred_risk.prior": Row(
        "risk(prior, Loss.from_gain(predicate_gain(labels, predicate)))",
        lambda c: (
            (
                quiff.risk(c.prior, quiff.Loss.from_gain(c.question)),
                qif.measure.pred_risk.prior(c.predicate, c.pi),
            ),
        ),
    ),
    "measure.pred_risk.posterior": Row(
        "posterior_risk(prior, C, Loss.from_gain(predicate_gain(labels, predicate)))",
        lambda c: (
            (
                quiff.posterior_risk(c.prior, c.channel, quiff.Loss.from_gain(c.question)),
                qif.measure.pred_risk.posterior(c.predicate, c.pi, c.C),
            ),
        ),
    ),
    "measure.pred_risk.add_leakage": Row(
        "risk_leakage(prior, C, Loss.from_gain(predicate_gain(labels, predicate)), additive=True)",
        lambda c: (
            (
                quiff.risk_leakage(c.prior, c.channel, quiff.Loss.from_gain(c.question), additive=True),
                qif.measure.pred_risk.add_leakage(c.predicate, c.pi, c.C),
            ),
        ),
    ),
    "measure.pred_risk.mult_leakage": Row(
        "risk_leakage(prior, C, Loss.from_gain(predicate_gain(labels, predicate)))",
        lambda c: (
            (
                quiff.risk_leakage(c.prior, c.channel, quiff.Loss.from_gain(c.question)),
                qif.measure.pred_risk.mult_leakage(c.predicate, c.pi, c.C),
            )
            for _ in range(quiff.posterior_risk(c.prior, c.channel, quiff.Loss.from_gain(c.question)) > 1e-6)
        ),
        INFINITE,
    ),
    "measure.g_vuln.add_capacity": Row(
        "additive_capacity(C, prior), additive_capacity(C, prior, of='one-spanning')",
        lambda c: _additive(c, G),
    ),
    "measure.l_risk.add_capacity": Row(
        "additive_capacity(C, prior), additive_capacity(C, prior, of='one-spanning')",
        lambda c: _additive(c, L),
        "the same for losses: what a loss leaks additively, its gain leaks too",
    ),
    "measure.shannon.add_capacity": Row(
        "shannon_capacity(C)",
        lambda c: (
            (
                quiff.shannon_capacity(c.channel, gap=1e-11).value,
                SHANNON.add_capacity(c.C, 1e-10, 0.0)[0],
            ),
        ),
        "with a bound on the error, and Newton's steps: qif needs up to a million",
        exact=False,
    ),
    "metric.optimize.l2_min_enclosing_ball": Row(
        'enclosing_ball(C, "euclidean")',
        lambda c: (
            (
                quiff.enclosing_ball(c.channel, "euclidean")[0],
                METRIC.optimize.l2_min_enclosing_ball(c.C)[0],
            ),
            (
                quiff.enclosing_ball(c.channel, "euclidean")[1].to_numpy(),
                METRIC.optimize.l2_min_enclosing_ball(c.C)[1],
            ),
        ),
        exact=False,
    ),
    "metric.optimize.simplex_l1_min_enclosing_ball": Row(
        "enclosing_ball(C)",
        lambda c: (
            (
                2 * quiff.enclosing_ball(c.channel)[0],
                METRIC.optimize.simplex_l1_min_enclosing_ball(c.C)[0],
            ),
            (
                2 * quiff.enclosing_ball(c.channel, mixture=True)[0],
                METRIC.optimize.simplex_l1_min_enclosing_ball(c.C, "lp", True)[0],
            ),
        ),
        "total variation, half of qif's l1 distance; there may be several centres",
    ),
    "refinement.refined_by": Row(
        "refines(C, D)",
        lambda c: (
            (quiff.refines(E, c.second), qif.refinement.refined_by(c.D, matrix) is not False)
            for E, matrix in _refinements(c)
        ),
        "the safer channel comes first, as in C = D @ R",
    ),
    "refinement.refined_by_witness": Row(
        "refinement_witness(C, D), counterexample(C, D)",
        lambda c: _told_apart(c),
        "a gain and a prior; qif's gain is for the uniform prior, found by a quadratic program to 1e-5",
        exact=False,
    ),
    "refinement.max_refined_by": Row(
        'refines(C, D, "max-case")',
        lambda c: (
            (quiff.refines(E, c.second, "max-case"), qif.refinement.max_refined_by(c.D, matrix))
            for E, matrix in _refinements(c)
            if c.D.any(axis=0).all() and matrix.any(axis=0).all()
        ),
        "outputs that never happen are left out; qif: false, by nan",
    ),
    "refinement.priv_refined_by": Row(
        'refines(C, D, "privacy")',
        lambda c: (
            (quiff.refines(E, c.second, "privacy"), qif.refinement.priv_refined_by(c.D, matrix))
            for E, matrix in _refinements(c)
        ),
        exact=False,
    ),
    "refinement.add_metric": Row(
        "refinement_distance(prior, C, D)",
        lambda c: (
            (
                quiff.refinement_distance(c.prior, c.second, c.channel),
                qif.refinement.add_metric(c.pi, c.C, c.D)[0],
            ),
        ),
        "by the dual program, which is smaller; without qif's gain, which may be negative",
    ),
    "refinement.add_metric_bound": Row(
        "kantorovich(hyper(prior, D), hyper(prior, C), convex_separation)",
        lambda c: (
            (
                quiff.kantorovich(
                    quiff.hyper(c.prior, c.channel), quiff.hyper(c.prior, c.second), quiff.convex_separation
                ),
                qif.refinement.add_metric_bound(c.pi, c.C, c.D),
            ),
        ),
    ),
}
ROWS |= {name: Row(*row) for name, row in qif_map_mechanisms.ROWS.items()}

# What takes both some milliseconds, mostly linear programs; inputs for each of these, and of the others.
SLOW = {name for name in ROWS if re.search(r"^refinement|factorize|kantorovich|min_encl", name)}
SLOW |= {name for name in ROWS if re.search(r"^mechanism.*(_given_|planar)", name)}
SLOW -= {"mechanism.shannon.max_entropy_given_same_loss", "refinement.priv_refined_by"}
FEW, MANY = 200, 2_000


def times(name: str) -> dict[bool, int]:
    """How many random inputs a function is compared on: of floats (False) and of rationals (True)."""
    most = FEW if name in SLOW else MANY
    return {False: most - most // 4, True: most // 4} if ROWS[name].exact else {False: most}


# What is random, or only asserts.
EXCEPTED = {name for name in functions() if name.rpartition(".")[2] in ("randu", "sample", "assert_proper")}
EXCEPTED |= {"mechanism.geo_ind.planar_geometric_sample", "mechanism.geo_ind.planar_laplace_sample"}

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "qif.md"


def table() -> str:
    """The map as the page shows it."""
    lines = ["| qif | here | what differs | inputs: floats | rationals |", "|---|---|---|---:|---:|"]
    for name, row in sorted(ROWS.items()):
        compared = times(name)
        rationals = f"{compared[True]:,}" if True in compared else "qif has none"
        lines.append(f"| `{name}` | `{row.ours}` | {row.differs} | {compared[False]:,} | {rationals} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = PAGE.read_text()
    start = text.index("| qif | here |")
    PAGE.write_text(text[:start] + table())
