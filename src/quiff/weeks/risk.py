"""Each user's own risk: how probably the adversary re-identifies them, by stage and after some epochs."""

from collections.abc import Sequence
from functools import reduce
from threading import local

import numpy as np

from quiff.apis.base import Api, stages_of
from quiff.core.channel import Channel
from quiff.core.compose import parallel
from quiff.core.counting.ranked import RankedValues, RankTables
from quiff.core.counting.tables import NEAR, Tables
from quiff.core.counting.work import in_slices
from quiff.core.limits import check_fits
from quiff.core.numbers import Array, product, tied
from quiff.errors import ParameterError
from quiff.measures.distribution import Distribution
from quiff.measures.own_risk import own_risk
from quiff.people.members import single_weights
from quiff.people.population import Population
from quiff.weeks.sequences import Sequences

MOST_RISK = 3


def stage_risks(
    people: Population, api: Api, known: Channel | None = None
) -> dict[str, tuple[Distribution, Distribution]]:
    """Return how own risks and worst posteriors are distributed over users after each stage of an API.

    `known` is what the adversary already knows, as a channel on users.

    Examples
    --------
    >>> from quiff import worked_example
    >>> own, worst = stage_risks(*worked_example())["topics"]
    >>> own.mean, worst.quantile(1)
    (Fraction(13, 20), 0.9603960396039604)
    """
    channels = stages_of(api, people)
    weights, holders = single_weights(people, channels.values())
    mass = product(weights, holders)
    risks = {}
    for stage, C in channels.items():
        own, worst = own_risk(C if known is None else parallel(known, C), weights, holders)
        risks[stage] = Distribution(own, mass), Distribution(worst, mass)
    return risks


def user_risk(sequences: Sequences, epochs: int) -> Array:
    """Return each user's probability of re-identification after E epochs, by an adversary who guesses best.

    Where several users are equally probable, the adversary takes one of them at random:
    R_x = sum_y P(y|x) 1[x in M(y)] / |M(y)|, with M(y) the most probable users. So the mean of the risk,
    weighted by how likely users are, is the vulnerability V.
    """
    if epochs > MOST_RISK:
        raise ParameterError(what="epochs", value=epochs, allowed=f"at most {MOST_RISK} for each user's risk")
    n_rows = sequences.sets[0].shape[0]
    weights = np.ones(n_rows, dtype=np.int64) if sequences.weights is None else sequences.weights
    counts = np.ones(n_rows, dtype=np.int64) if sequences.counts is None else sequences.counts
    idle = weights == 0
    if sequences.outside == 0 and idle.any():
        return _with_idle(sequences, epochs, idle)
    heaviest = tied(weights, weights.max())
    if sequences.inside == sequences.outside:  # nothing is told
        return np.where(heaviest, 1 / counts[heaviest].sum(), 0.0)
    return _Risk(sequences, epochs, weights, counts.astype(np.int64)).computed()


def _with_idle(sequences: Sequences, epochs: int, idle: Array) -> Array:
    """Return the risks where some users weigh nothing and there is no noise.

    Reports that nobody else can have are then as probable for everybody, that is, not at all: the adversary
    takes one of all users at random. Whoever weighs something is never tied with who weighs nothing.
    """
    sets, m, s = sequences.over(epochs), sequences.width, sequences.per_row
    assert sequences.weights is not None  # noqa: S101 - somebody weighs nothing
    others = Sequences(
        tuple(rows[~idle] for rows in sequences.sets), m, sequences.inside, sequences.outside,
        sequences.weights[~idle], None if sequences.counts is None else sequences.counts[~idle],
    )  # fmt: skip
    check_fits(others.distinct(epochs) + int(idle.sum()), s**epochs)

    def tuples(rows: Sequence[Array]) -> Array:
        """Return all tuples of outputs of each user, as numbers."""
        codes = np.zeros((rows[0].shape[0], 1), dtype=np.int64)
        for one in rows:
            codes = (codes[:, :, np.newaxis] * m + one[:, np.newaxis, :]).reshape(codes.shape[0], -1)
        return codes

    risk = np.empty(idle.shape[0])
    risk[~idle] = user_risk(others, epochs)
    possible = np.unique(tuples(others.profiles(epochs).codes))
    alone = ~np.isin(tuples([rows[idle] for rows in sets]), possible)
    risk[idle] = alone.mean(axis=1) / sequences.n_users
    return risk


class _Risk(RankTables):
    """Tables of ranks with how many users have the best one: whoever fits a tuple best has it there."""

    def __init__(self, sequences: Sequences, epochs: int, weights: Array, counts: Array) -> None:
        p, q = sequences.inside, sequences.outside
        tables = Tables.of(sequences.over(epochs), [sequences.width] * epochs)
        super().__init__(tables, RankedValues.of(weights, p, q, epochs).tied_ranks)
        self.powers = [float(p) ** k * float(q) ** (epochs - k) for k in range(epochs + 1)]
        self.counts, self.single = counts, bool((counts == 1).all())
        self.later = reduce(np.multiply.outer, self.shares[1:], np.ones(()))
        self.kept = [(on, 0, *self._table(on, tables.rows, len(on))) for on in self.all_subsets]
        self.mine = local()  # each thread has its own room

    def computed(self) -> Array:
        """Add up what each output of the first epoch contributes to each user."""
        risk = np.zeros(self.counts.shape[0])
        hits = [np.zeros(ranks.shape) for _, _, ranks, _ in self.kept]
        for users, own, others in in_slices(self._slice, range(self.tables.outputs[0]), small=self.small):
            risk[users] += own
            for total, more in zip(hits, others, strict=True):
                total += more
        for (on, _, ranks, _), won in zip(self.kept, hits, strict=True):
            risk += self._won(on, self.tables.rows, len(on), ranks, won)
        return risk

    def _slice(self, first: int) -> tuple[Array, Array, list[Array]]:
        """Return who has an output of the first epoch, what it means to them, and what to all by table."""
        users = self.tables.by_first[first].astype(np.intp)
        tables = [*self.kept, *((on, 1, *self._table(on, users, len(on) + 1)) for on in self.all_subsets)]
        # Small tables come first: few of the steps are as large as all tuples.
        best = reduce(np.maximum, sorted((ranks for _, _, ranks, _ in tables), key=np.size))
        wins = [ranks == best for _, _, ranks, _ in tables]
        if not hasattr(self.mine, "room"):  # new memory takes longer than what is done in it
            self.mine.room = np.empty(self.later.shape), np.empty(self.later.shape)
        won, hits = self.mine.room
        won[...] = 0
        for (_, _, _, ties), win in zip(tables, wins, strict=True):
            if win.any():
                won += np.multiply(win, ties, out=hits)
        np.divide(self.shares[0][first] * self.later, won, out=won)
        own, others = np.zeros(users.shape[0]), []
        for (on, more, ranks, _), win in zip(tables, wins, strict=True):
            axes = tuple(axis for axis, length in enumerate(ranks.shape) if length == 1)
            mine = np.multiply(win, won, out=hits).sum(axis=axes, keepdims=True)
            if more:
                own += self._won(on, users, len(on) + 1, ranks, mine)
            else:
                others.append(mine)
        return users, own, others

    def _table(self, on: tuple[int, ...], users: Array, fits: int) -> tuple[Array, Array]:
        """Return the best rank of each cell, and how many users have it."""
        best = self.best(on, users, fits)
        ties = np.zeros(best.size)
        for part in self.tables.parts(on, users, max(NEAR, best.size)):
            counts, cells = self.counts[part], self.tables.cells(on, part)
            each = None if self.single else np.tile(counts, cells.shape[0])
            if not self.alike:
                here = best.take(cells) == self.ranks[fits][part]
                cells, each = cells[here], np.broadcast_to(counts, here.shape)[here]
            ties += np.bincount(cells.reshape(-1), each, best.size)
        return best, ties.reshape(best.shape)

    def _won(self, on: tuple[int, ...], users: Array, fits: int, best: Array, hits: Array) -> Array:
        """Return what users win by the cells where they have the best rank, times p^k q^(E-k)."""
        found = []
        for part in self.tables.parts(on, users):
            cells = self.tables.cells(on, part)
            won = hits.take(cells)
            if not self.alike:
                won[best.take(cells) != self.ranks[fits][part]] = 0
            found.append(self.powers[fits] * won.sum(axis=0))
        return np.concatenate(found) if found else np.zeros(0)
