"""Several attacks beside each other, against epochs, and the bound on all of them."""

from dataclasses import dataclass
from typing import Any, final

from quiff.attacks.base import Attack
from quiff.attacks.bound import Bound
from quiff.attacks.noise_removal import NoiseRemoval
from quiff.errors import counted
from quiff.results.figures.attacks import comparison_figure
from quiff.results.figures.figure import Figure
from quiff.results.numbers import plain, rounded
from quiff.results.reidentification import AttackPoint, Share, removal_to_dict
from quiff.results.table import Table
from quiff.results.tabled import Tabled
from quiff.theory.parameters import Real


@final
@dataclass(frozen=True)
class AttackComparison(Tabled):
    """Several attacks on one population against epochs, and the bound on all of them.

    Attributes
    ----------
    n_users, n_targets, seeds, earlier
        How many users there are, how many were attacked in each simulation, how many simulations there were,
        and how many epochs before its own a first call shows.
    n_topics, top_s, noise
        m, s and r.
    attacks
        The attacks.
    points
        What each achieves after some epochs, with an interval over the simulations.
    removals
        By attack and epochs, how well those that remove noise do so, over all simulations.
    notes
        What was left out, in sentences.
    """

    n_users: int
    n_targets: int
    seeds: int
    earlier: int
    n_topics: int
    top_s: int
    noise: Real
    attacks: tuple[Attack, ...]
    points: tuple[AttackPoint, ...]
    removals: tuple[tuple[str, int, NoiseRemoval], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def bounds(self) -> dict[int, Bound]:
        """The bound after each number of epochs."""
        return {point.epochs: point.bound for point in self.points if point.bound is not None}

    def tables(self) -> list[Table]:
        """Return the shares, and how well noise is removed."""
        return [self.table(), *([self._removal_table()] if self.removals else [])]

    def table(self) -> Table:
        """Return the share of users that each attack re-identifies, a row for each number of epochs."""
        found = {(point.attack, point.epochs): point.share for point in self.points}
        names = [attack.name for attack in self.attacks]
        rows = []
        for epochs, bound in self.bounds.items():
            cells = [found.get((name, epochs)) for name in names]
            rows.append(
                (epochs, bound.value, *(None if cell is None else _with_half(cell) for cell in cells))
            )
        return Table(
            f"Users re-identified, of {self.n_users}: {counted(self.n_targets, 'target')} in "
            f"{counted(self.seeds, 'simulation')}",
            ("epochs", "bound", *names),
            tuple(rows),
            (
                "Shares with half the width of their 95 % interval over simulations.",
                *(f"{attack.name} ({attack.counts}): {attack.paper}" for attack in self.attacks),
                "unique: a user counts if nobody but the right one is left; ties: by the chance of a guess.",
                "bound: the chance of an adversary who knows all profiles, after as many reports; no attack"
                " on one target at a time exceeds it but by chance.",
                *self.notes,
            ),
        )

    def figure(self) -> Figure:
        """Draw the shares against epochs, with the bound on top."""
        points = [(p.attack, p.epochs, p.share.value, p.share.low, p.share.high) for p in self.points]
        bounds = [(epochs, bound.value, bound.low, bound.high) for epochs, bound in self.bounds.items()]
        return comparison_figure(points, bounds, [attack.name for attack in self.attacks], self.n_users)

    def to_dict(self) -> dict[str, Any]:
        """Return everything by plain names, for JSON."""
        return {
            "users": self.n_users,
            "targets": self.n_targets,
            "seeds": self.seeds,
            "earlier": self.earlier,
            "n_topics": self.n_topics,
            "top_s": self.top_s,
            "noise": plain(self.noise),
            "reidentified": [point.to_dict() for point in self.points],
            "bounds": [{"epochs": epochs, **plain(bound)} for epochs, bound in self.bounds.items()],
            "noise_removal": [
                {"attack": name, "epochs": epochs, **removal_to_dict(found)}
                for name, epochs, found in self.removals
            ],
            "notes": list(self.notes),
        }

    def sentences(self) -> list[str]:
        """Return what the numbers say, in a few plain sentences."""
        last = max(self.bounds)
        found = [point for point in self.points if point.epochs == last]
        limit = self.bounds[last]
        about, most = "" if limit.method == "exact" else "about ", rounded(100 * limit.value, 3)
        return [
            *map(_sentence, sorted(found, key=lambda point: -point.share.value)),
            f"No attack that matches each target alone can expect more than {about}{most} % "
            f"after {counted(last, 'epoch')}, from the {counted(limit.reports, 'report')} that a site has "
            "seen by then.",
        ]

    def _removal_table(self) -> Table:
        columns = ("attack", "epochs", "precision", "recall", "kept precision", "kept recall")
        rows = (
            (name, epochs, found.precision, found.recall, found.kept_precision, found.kept_recall)
            for name, epochs, found in self.removals
        )
        return Table(
            "How well noise is removed",
            columns,
            tuple(rows),
            (
                "precision: of the topics removed, those that are noise; recall: of noise, what is removed.",
                "kept: of the topics kept, those that are genuine; of the genuine ones, those that are kept.",
            ),
        )


def _with_half(share: Share) -> str:
    return f"{share.value:.4f} ± {(share.high - share.low) / 2:.4f}"


def _sentence(point: AttackPoint) -> str:
    low, high = (rounded(100 * end, 3) for end in (point.share.low, point.share.high))
    return (
        f"After {counted(point.epochs, 'epoch')} {point.attack} re-identifies "
        f"{rounded(100 * point.share.value, 3)} % of the users (95 % interval {low} to {high} %)."
    )
