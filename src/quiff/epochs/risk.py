"""Each user's own risk: how probably the adversary re-identifies them after some epochs."""

from collections.abc import Iterator, Sequence

import numpy as np

from quiff.core.counting.layout import Layout, RankedValues
from quiff.core.counting.work import Progress, in_slices
from quiff.core.limits import check_fits
from quiff.core.numbers import Array
from quiff.epochs.sequences import Sequences
from quiff.errors import ParameterError

MOST_RISK = 3


def user_risk(sequences: Sequences, epochs: int, progress: Progress | None = None) -> Array:
    """Return each user's probability of re-identification after E epochs, by an adversary who guesses best.

    Where several users are equally probable, the adversary takes one of them at random:
    R_x = sum_y P(y|x) 1[x in M(y)] / |M(y)|, with M(y) the most probable users. So the mean of the risk,
    weighted by how likely users are, is the vulnerability V.
    """
    if epochs > MOST_RISK:
        raise ParameterError(f"each user's risk is exact for up to {MOST_RISK} epochs, not for {epochs!r}")
    n_rows = sequences.sets[0].shape[0]
    weights = np.ones(n_rows, dtype=np.int64) if sequences.weights is None else sequences.weights
    counts = np.ones(n_rows, dtype=np.int64) if sequences.counts is None else sequences.counts
    idle = weights == 0
    if sequences.outside == 0 and idle.any():
        return _with_idle(sequences, epochs, idle, progress)
    heaviest = weights == weights.max()
    if sequences.inside == sequences.outside:  # nothing is told
        return np.where(heaviest, 1 / counts[heaviest].sum(), 0.0)
    return _Risk(sequences, epochs, weights, counts.astype(np.int64)).computed(progress)


def _with_idle(sequences: Sequences, epochs: int, idle: Array, progress: Progress | None) -> Array:
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
    check_fits(others.profiles(epochs).size + int(idle.sum()), s**epochs)

    def tuples(rows: Sequence[Array]) -> Array:
        """Return all tuples of outputs of each user, as numbers."""
        codes = np.zeros((rows[0].shape[0], 1), dtype=np.int64)
        for one in rows:
            codes = (codes[:, :, np.newaxis] * m + one[:, np.newaxis, :]).reshape(codes.shape[0], -1)
        return codes

    risk = np.empty(idle.shape[0])
    risk[~idle] = user_risk(others, epochs, progress)
    possible = np.unique(tuples(others.profiles(epochs).codes))
    alone = ~np.isin(tuples([rows[idle] for rows in sets]), possible)
    risk[idle] = alone.mean(axis=1) / sequences.n_users
    return risk


class _Risk:
    """The tables of ranks and ties of one computation."""

    def __init__(self, sequences: Sequences, epochs: int, weights: Array, counts: Array) -> None:
        self.layout = Layout.of(sequences.over(epochs), [sequences.width] * epochs)
        p, q = float(sequences.inside), float(sequences.outside)
        self.ranks = RankedValues.of(weights, sequences.inside, sequences.outside, epochs).ranks
        self.powers = [p**k * q ** (epochs - k) for k in range(epochs + 1)]
        self.counts = counts
        self.kept = self._tables(np.arange(weights.shape[0]), self.layout.kept, first_fixed=False)

    def computed(self, progress: Progress | None) -> Array:
        """Add up what each output of the first epoch contributes to each user."""
        ranks, powers = self.ranks, self.powers
        risk, nobody = np.zeros(ranks.shape[1]), 0.0
        firsts = range(len(self.layout.by_first))
        for first, (own, kept, none) in enumerate(in_slices(self._slice, firsts, progress)):
            risk[self.layout.by_first[first]] += own
            self.kept[2][:] += kept
            nobody += none
        everybody = np.arange(risk.shape[0])
        self._add(self.kept, everybody, risk, first_fixed=False)
        return np.asarray(risk + np.where(ranks[0] == ranks[0].max(), powers[0] * nobody, 0.0))

    def _slice(self, first: int) -> tuple[Array, Array, float]:
        """Return the risk that one output of the first epoch means to those who have it, and to others."""
        from quiff.epochs.kernels import share_hits

        layout, users = self.layout, self.layout.by_first[first]
        base = int(self.ranks[0].max())
        base_tied = int(self.counts[self.ranks[0] == base].sum())
        level, level_tied = -1, 0
        if users.size:
            level = int(self.ranks[1][users].max())
            level_tied = int(self.counts[users][self.ranks[1][users] == level].sum())
        sliced = self._tables(users, layout.sliced, first_fixed=True)
        kept_hits = np.zeros_like(self.kept[2])
        if layout.n_factors > 1:
            alone, nobody = share_hits(
                self.kept[0], sliced[0], self.kept[1], sliced[1], kept_hits, sliced[2],
                layout.starts_apart, layout.occurring, layout.spare, layout.radix, first, level, level_tied,
                base, base_tied,
            )  # fmt: skip
        else:
            share = 1 if users.size else int(layout.spare[0])
            ties = (level_tied if level >= base else 0) + (base_tied if base >= level else 0)
            alone = share / ties if level >= base else 0.0
            nobody = share / ties if base >= level else 0.0
        risk = np.zeros(self.ranks.shape[1])
        self._add(sliced, users, risk, first_fixed=True)
        own = risk[users] + np.where(self.ranks[1][users] == level, self.powers[1] * alone, 0.0)
        return own, kept_hits, nobody

    def _tables(self, users: Array, rows: int, *, first_fixed: bool) -> tuple[Array, Array, Array]:
        """Return the best rank of each cell, how many users have it, and room for what they win."""
        from quiff.core.counting.bitmaps import mark_all
        from quiff.epochs.kernels import count_ties

        shape = (rows, self.layout.radix)
        table, tied, hits = np.zeros(shape, np.int32), np.zeros(shape, np.int64), np.zeros(shape)
        mark_all(self.layout, table, users, self.ranks, first_fixed=first_fixed)
        codes, lengths, radix = self.layout.codes, self.layout.lengths, self.layout.radix
        for rank, (start, last, rest) in self._each(first_fixed=first_fixed):
            count_ties(table, tied, start, last, rest, users, codes, lengths, radix, rank, self.counts)
        return table, tied, hits

    def _add(
        self, tables: tuple[Array, Array, Array], users: Array, risk: Array, *, first_fixed: bool
    ) -> None:
        from quiff.epochs.kernels import add_risk

        table, _, hits = tables
        codes, lengths, radix = self.layout.codes, self.layout.lengths, self.layout.radix
        for rank, (start, last, rest) in self._each(first_fixed=first_fixed):
            power = self.powers[rest.bit_count() + 1]
            add_risk(table, hits, start, last, rest, users, codes, lengths, radix, rank, power, risk)

    def _each(self, *, first_fixed: bool) -> Iterator[tuple[Array, tuple[int, int, int]]]:
        """Yield the tables: the ranks of users who fit there, and where the table is."""
        for last, rest in self.layout.tables():
            if rest & 1 == first_fixed:
                start = int(self.layout.starts_apart[last, rest])
                yield self.ranks[rest.bit_count() + 1], (start, last, rest)
