"""Many observations of a secret that changes: kept with probability rho each time, else drawn anew.

The model, for a law mu of secrets and the channel O of one observation:

    X_1 ~ mu,    P(X_t+1 = x' | X_t = x) = rho [x = x'] + (1 - rho) mu(x'),    Y_t ~ O(X_t)

The best guess of the secret now is right with probability V_now(T) = sum_y max_x P(X_T = x, y), summed over
sequences y = y_1 ... y_T. It is computed by filtering: each y has a vector f_y(x) = P(X_T = x, y), and an
observation turns f into (f K) O_y, K being the matrix of the change. The chain is reversible,
mu(x) K(x,x') = mu(x') K(x',x), so that a sequence read backwards is as probable: V_first(T) = V_now(T). The
path is guessed by the same recursion with a maximum in place of the sum (A. Viterbi, 1967).

All that is asked of the vectors is convex and homogeneous in them. So vectors in proportion are added up,
which changes nothing; where there are too many, adding up those that are alike bounds the answer from below,
and writing each as a mixture of points of a grid bounds it from above (W. Lovejoy, 1991).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import comb, factorial, inf
from typing import Literal, TypeAlias, final

import numpy as np

from quiff.core.numbers import Array
from quiff.progress import advance
from quiff.weeks.estimate import SAMPLES, Estimate

Question: TypeAlias = Literal["now", "path", "user"]
Read: TypeAlias = Callable[[Array], Array]

_STORED = 12_000_000  # numbers of vectors that are kept
_LOOKED_AT = 120_000_000  # numbers of vectors that are looked at for one more observation
_POINTS = 40_000  # of a grid, divided by the number of secrets
_COARSE = 10  # a grid of fewer steps along a side says too little
_FINE = 2**13
_PIECE = 4_000_000  # numbers of vectors at a time
_DRAWN = 400_000_000  # numbers of vectors that are looked at for an estimate, if that is enough for
_LEAST = 200  # samples
_USERS = 100_000  # whose paths are drawn
_ALIKE = 1e-12
_CLOSE = 2e-8
_ROUNDING = 1e-15
_NOTHING = 1e-200  # vectors that weigh less are not there
_SHRINKING, _STUCK = 0.99, 5  # a gap that does not shrink by this after so many rounds will not
_ENOUGH = 0.99  # of what all observations together add


@final
@dataclass(frozen=True)
class Success:
    """The probability that the best guess is right, and between what it lies."""

    value: float
    low: float
    high: float
    method: Literal["exact", "bounds", "monte-carlo"]

    @classmethod
    def between(cls, low: float, high: float) -> "Success":
        """Return a probability between certain bounds; known exactly if they are the same."""
        high = min(1.0, max(low, high))
        return cls((low + high) / 2, low, high, "exact" if high - low <= _ALIKE else "bounds")


@final
@dataclass(frozen=True, eq=False)
class Drifting:
    """A secret that changes, and what is observed of it.

    Attributes
    ----------
    law
        mu, how probable each secret is in any week.
    shown
        O, the probability of each output given each secret, (secrets, outputs).
    stability
        rho, the probability that the secret is kept from one observation to the next.
    slack
        By how much an observation may reveal more than its cells do, as `Channel.slack`.
    alike
        Whether all secrets are asked about alike: then their names do not matter where the model has none.

    Examples
    --------
    A fair bit through randomised response with epsilon 1: with rho = 0.8 it is guessed right with 77.4 %
    however many weeks are observed; one that never changes with 99.3 % after 26 weeks.

    >>> from math import exp
    >>> truth = exp(1) / (1 + exp(1))
    >>> bit = Drifting(np.full(2, 0.5), np.array([[truth, 1 - truth], [1 - truth, truth]]), 0.8)
    >>> [round(bit.track(4, "now")[t].value, 7) for t in (0, 1, 3)]
    [0.7310586, 0.7310586, 0.7663133]
    >>> round(bit.track(4, "path")[3].value, 7)
    0.599177
    >>> limit, weeks = bit.saturation()
    >>> round(limit.value, 7), weeks
    (0.7736279, 6)
    """

    law: Array
    shown: Array
    stability: float
    slack: float = 1.0
    alike: bool = True

    def __post_init__(self) -> None:
        """Join outputs that say the same of every secret: their columns are in proportion."""
        object.__setattr__(self, "shown", in_proportion(self.shown.T[self.shown.any(axis=0)]).T)

    @property
    def size(self) -> int:
        """How many secrets there are."""
        return int(self.law.shape[0])

    @cached_property
    def symmetric(self) -> bool:
        """Whether the names of secrets do not matter: randomised response on equally probable secrets."""
        square = self.shown.shape == (self.size, self.size) and self.size > 1
        if not (self.alike and square) or np.ptp(self.law) > _ALIKE:
            return False
        order = self.shown.argmax(axis=1)
        if len(set(order.tolist())) < self.size:
            return False
        matched = self.shown[:, order]
        aside = matched[~np.eye(self.size, dtype=bool)]
        return bool(np.ptp(matched.diagonal()) <= _ALIKE and np.ptp(aside) <= _ALIKE)

    @cached_property
    def steps(self) -> int:
        """Into how many parts a grid divides one; 0 if a grid would be too coarse.

        A grid of q steps has C(q + k - 1, k - 1) points, fewer by about k! where names do not matter.
        """
        k, alike = self.size, factorial(self.size) if self.symmetric else 1
        q = 1
        while q <= _FINE and k * comb(2 * q + k - 1, k - 1) <= 5 * _POINTS * alike:
            q *= 2
        while q <= _FINE and k * comb(q + k - 1, k - 1) <= 5 * _POINTS * alike:
            q += max(1, q // 50)
        return q if q >= _COARSE else 0

    def track(self, most: int, question: Question = "now", read: Read | None = None) -> list[Success]:
        """Return how probably a guess is right after 1, 2, ... observations, as many as can be afforded.

        Exact while the vectors fit, between certain bounds beyond. `read` adds up what the vectors say; by
        default their largest entries.
        """
        answers: list[Success] = []
        for n, (low, high) in enumerate(self._rounds(self.law[np.newaxis], question, read or largest), 1):
            answers.append(Success.between(low, high * self.slack**n))
            advance(n / most)
            if n == most:
                break
        return answers

    def saturation(self, most: int = 100) -> tuple[Success, int] | None:
        """Return how probably the secret of now is guessed by all observations there can be, and from when.

        Who is told the secret before the first observation guesses better, and the less so the longer ago it
        was: the limit lies between the two. The number is how many observations give 99 % of what all of them
        add to a guess without any; None if it cannot be computed, or would take too long.
        """
        prior, guesses = float(self.law.max()), []
        if not self.steps or 5 * _POINTS * self.shown.shape[1] > _PIECE:
            return None
        gap = inf
        start, told = self.law[np.newaxis], np.diag(self.law)
        below = self._rounds(start, "now", largest, stored=_PIECE)
        above = self._rounds(told, "now", largest, stored=_PIECE, first=True)
        for (low, _), (_, high) in zip(below, above, strict=False):
            guesses.append(low)
            stuck, gap = high - low > _SHRINKING * gap, high - low
            if gap <= _CLOSE or (stuck and len(guesses) > _STUCK) or len(guesses) == most:
                limit = Success.between(low, high * self.slack ** len(guesses))
                enough = prior + _ENOUGH * (low - prior)
                return limit, 1 + next(n for n, guess in enumerate(guesses) if guess >= enough)
        return None

    def _rounds(
        self,
        start: Array,
        question: Question,
        read: Read,
        *,
        stored: int = _STORED,
        first: bool = False,
    ) -> Iterator[tuple[float, float]]:
        """Yield two answers between which the true one lies, after 1, 2, ... observations.

        There is one set of vectors while it is exact, and then two: one that bounds the answer from below,
        one from above. `first` is whether the secret may change before the first observation.
        """
        sets = [start]
        while sets and sum(len(vectors) for vectors in sets) * self.shown.size <= _LOOKED_AT:
            ways: list[tuple[Callable[[Array], Array], ...]] = [(self._means,), (self._mixtures,)]
            if len(sets) == 1:
                size = len(sets[0]) * self.shown.size
                further = not self.steps or size * self.shown.shape[1] <= _LOOKED_AT  # or nothing would be
                fits = size <= stored and further
                ways = [(self._added,) if fits else (self._means, self._mixtures) if self.steps else ()]
            rounds = [
                self._observation(*pair, question, read, first) for pair in zip(sets, ways, strict=True)
            ]
            yield rounds[0][0], rounds[-1][0]
            sets = [reduced for _, several in rounds for reduced in several]
            first = True

    def _observation(
        self,
        vectors: Array,
        ways: tuple[Callable[[Array], Array], ...],
        question: Question,
        read: Read,
        changed: bool,
    ) -> tuple[float, list[Array]]:
        """Return the answer after one more observation, and its vectors, reduced in some ways."""
        answer, parts = 0.0, []
        step = max(1, _PIECE // self.shown.size)
        for start in range(0, vectors.shape[0], step):
            piece = vectors[start : start + step]
            piece = self.observed(self.changed(piece, question) if changed else piece)
            answer += float(read(piece).sum())
            parts.append([reduce(piece) for reduce in ways])
        if len(parts) == 1:
            return answer, parts[0]
        return answer, [
            reduce(np.concatenate(some)) for reduce, some in zip(ways, zip(*parts, strict=True), strict=True)
        ]

    def sampled(self, most: int, question: Question, read: Read, seed: int) -> list[Success]:
        """Estimate the same from drawn sequences: how probable the best guess is, given what is observed."""
        samples = max(_LEAST, min(SAMPLES, _DRAWN // (most * self.size)))
        rng = np.random.default_rng([seed, most])
        right = np.empty((most, samples))
        step = max(1, _PIECE // max(self.shown.shape))
        for start in range(0, samples, step):
            piece = slice(start, min(start + step, samples))
            secrets = self.paths(rng, piece.stop - start, most)
            belief = best = np.repeat(self.law[np.newaxis], piece.stop - start, axis=0)
            for n, now in enumerate(secrets):
                if n:
                    belief, best = self.changed(belief), self.changed(best, "path")
                shown = self.shown.T[self.outputs(rng, now)]
                belief, best = belief * shown, best * shown
                observed = belief.sum(axis=1, keepdims=True)  # P(y_n | what was observed before)
                belief, best = belief / observed, best / observed
                right[n, piece] = read(best if question == "path" else belief)
            advance(piece.stop / samples)
        return self._estimated(np.minimum(right, 1.0))

    def _estimated(self, right: Array) -> list[Success]:
        """Return the means of what the best guess is right with after 1, 2, ... observations."""
        estimates = [(n, Estimate.of_mean(row)) for n, row in enumerate(right, start=1)]
        return [
            Success(e.value, e.low, min(1.0, e.high * self.slack**n), "monte-carlo") for n, e in estimates
        ]

    def paths(self, rng: np.random.Generator, n: int, most: int) -> Array:
        """Draw n sequences of secrets, (weeks, n)."""
        anew = rng.choice(self.size, size=(most, n), p=self.law / self.law.sum())
        kept = rng.random((most, n)) < self.stability
        for week in range(1, most):
            anew[week] = np.where(kept[week], anew[week - 1], anew[week])
        return anew

    def outputs(self, rng: np.random.Generator, secrets: Array) -> Array:
        """Draw what is observed of each secret."""
        below = np.cumsum(self.shown[secrets], axis=1)
        places = (below < rng.random((len(secrets), 1))).sum(axis=1)
        return np.asarray(np.minimum(places, self.shown.shape[1] - 1))

    def paths_known(self, users: int, most: int, seed: int) -> list[Success]:
        """Return the probability to re-identify one of N users whose secrets of every week are known.

        (1/N) sum_y E[max_u P(y | path of u)], the paths being drawn from the model. Where each secret shows
        its own output with probability p and any other with q, P(y | path) = p^j q^(n-j) depends on the
        number j of weeks that match, and the largest of N numbers has a law in closed form. Else, and where
        there are too many sequences y, it is estimated from drawn populations, if these are not too large.
        """
        if self.shown.shape[1] == 1:  # nothing is shown
            return [Success(1 / users, 1 / users, 1 / users, "exact")] * most
        matches = set(np.unique(self.shown.round(13)).tolist())
        answers: list[Success] = []
        for n in range(1, most + 1):
            sequences = self.shown.shape[1] ** n
            if len(matches) <= 2 and sequences * self.size * (n + 1) <= _PIECE * 4 and self.slack == 1:
                value = self._known_exactly(users, n)
                answers.append(Success(value, value, value, "exact"))
        drawn = len(answers) < most and users <= _USERS
        sampled = self._known_sampled(users, most, seed) if drawn else []
        return [*answers, *sampled[len(answers) :]]

    def _known_exactly(self, users: int, n: int) -> float:
        p, q = self.shown.max(), self.shown.min()
        hit = self.shown > (p + q) / 2
        sequences = np.indices((self.shown.shape[1],) * n).reshape(n, -1)
        law = np.zeros((sequences.shape[1], self.size, n + 1))  # of the secret now and the matches so far
        law[:, :, 0] = self.law
        for week, outputs in enumerate(sequences):
            if week:
                everybody = law.sum(axis=1, keepdims=True)
                law = self.stability * law + (1 - self.stability) * self.law[:, np.newaxis] * everybody
            now = hit.T[outputs][:, :, np.newaxis]
            moved = np.concatenate([np.zeros_like(law[:, :, :1]), law[:, :, :-1]], axis=2)
            law = np.where(now, moved, law)
        at_most = np.minimum(np.cumsum(law.sum(axis=1), axis=1), 1.0) ** users
        largest = np.diff(at_most, axis=1, prepend=0.0)  # the law of the largest number of matches of all
        j = np.arange(n + 1)
        return float((largest @ (p**j * q ** (n - j))).sum()) / users

    def _known_sampled(self, users: int, most: int, seed: int) -> list[Success]:
        samples = max(_LEAST, min(SAMPLES, _DRAWN // (most * users)))
        rng = np.random.default_rng([seed, most, 1])
        right = np.empty((most, samples))
        with np.errstate(divide="ignore"):
            logs = np.log(self.shown)
        for sample in range(samples):
            paths = self.paths(rng, users, most)
            likely = np.zeros(users)
            for n, secrets in enumerate(paths):
                output = self.outputs(rng, secrets[:1])[0]  # of the first user; all are alike
                likely = likely + logs[secrets, output]
                right[n, sample] = 1 / np.exp(likely - likely.max()).sum()
            advance((sample + 1) / samples)
        return self._estimated(right)

    def changed(self, vectors: Array, question: Question = "now") -> Array:
        """Return the vectors a week later: f K, or the most probable way to each secret."""
        kept, anew = self.stability * vectors, (1 - self.stability) * self.law
        if question == "path":
            later = np.maximum(vectors.max(axis=1, keepdims=True) * anew, kept + vectors * anew)
        else:
            later = kept + vectors.sum(axis=1, keepdims=True) * anew
        return np.asarray(later)

    def observed(self, vectors: Array) -> Array:
        """Return the vectors after each output: f O_y for every y."""
        return (vectors[:, np.newaxis, :] * self.shown.T[np.newaxis]).reshape(-1, self.size)

    def _added(self, vectors: Array) -> Array:
        return in_proportion(self._named(vectors)[0])

    def _means(self, vectors: Array) -> Array:
        """Add up the vectors nearest to the same point of the grid, as who forgets which it was does."""
        vectors, weights = self._named(vectors)
        _, cell = np.unique(self._codes(np.rint(vectors / weights * self.steps)), return_inverse=True)
        return np.stack([np.bincount(cell, column) for column in vectors.T], axis=1)

    def _mixtures(self, vectors: Array) -> Array:
        """Write each vector as a mixture of points of the grid, as who is told which of them does.

        The points are the corners of the simplex of the grid in which it lies (H. Freudenthal's division).
        """
        vectors, weights = self._named(vectors)
        q, k = self.steps, self.size
        above = np.cumsum((vectors / weights)[:, ::-1], axis=1)[:, ::-1] * q  # what secrets from i on have
        above = np.minimum(above, q)  # it is more only by rounding
        above[:, 0] = q
        corner = np.floor(above)
        rest = above - corner
        order = np.argsort(-rest[:, 1:], axis=1, kind="stable") + 1
        falling = np.take_along_axis(rest, order, axis=1)
        shares = -np.diff(falling, axis=1, prepend=1.0, append=0.0)
        shares[shares < _ROUNDING] = 0
        rows = np.arange(len(vectors))
        codes, masses = [], []
        for place in range(k):
            if place:
                corner[rows, order[:, place - 1]] += 1
            points = -np.diff(corner, axis=1, append=0.0)
            points = np.sort(points, axis=1) if self.symmetric else points
            mass = shares[:, place] * weights[:, 0]
            codes.append(self._codes(points[mass > 0]))
            masses.append(mass[mass > 0])
        distinct, which = np.unique(np.concatenate(codes), return_inverse=True)
        total = np.bincount(which, np.concatenate(masses))
        but_one = distinct[:, np.newaxis] // (q + 1) ** np.arange(k - 1) % (q + 1)
        grid = np.concatenate([but_one, q - but_one.sum(axis=1, keepdims=True)], axis=1)
        return np.asarray(grid * (total[:, np.newaxis] / q))

    def _named(self, vectors: Array) -> tuple[Array, Array]:
        """Return vectors and their sums; in one order where names of secrets do not matter."""
        weights = vectors.sum(axis=1)
        there = weights > _NOTHING
        vectors, weights = vectors[there], weights[there]
        return np.sort(vectors, axis=1) if self.symmetric else vectors, weights[:, np.newaxis]

    def _codes(self, points: Array) -> Array:
        """Return points of the grid as numbers; the last coordinate follows from the others."""
        digits = points[:, :-1].astype(np.int64)
        return np.asarray((digits * (self.steps + 1) ** np.arange(self.size - 1)).sum(axis=1))


def in_proportion(vectors: Array) -> Array:
    """Add up the vectors that are in proportion: nothing that is asked of them changes.

    >>> in_proportion(np.array([[1.0, 3.0], [0.5, 0.5], [2.0, 6.0]])).tolist()
    [[0.5, 0.5], [3.0, 9.0]]
    """
    shares = np.round(vectors / vectors.sum(axis=1, keepdims=True), 13)
    order = np.argsort(shares @ np.sqrt(np.arange(2, shares.shape[1] + 2)), kind="stable")
    new = np.r_[True, (np.abs(np.diff(shares[order], axis=0)) > _ALIKE).any(axis=1)]
    return np.asarray(np.add.reduceat(vectors[order], np.flatnonzero(new), axis=0))


def largest(vectors: Array) -> Array:
    """Return what the best guess of the secret, or of the path, is right with in each case."""
    return np.asarray(vectors.max(axis=1))
