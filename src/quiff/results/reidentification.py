"""How many users one attack re-identifies, with intervals, and how well it removes noise."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any, Self, final

import numpy as np

from quiff.attacks.base import Attack
from quiff.attacks.bound import Bound
from quiff.attacks.noise_removal import NoiseRemoval
from quiff.core.numbers import Array
from quiff.epochs.estimate import Estimate
from quiff.errors import counted
from quiff.results.figures.attacks import groups_figure
from quiff.results.figures.figure import Figure
from quiff.results.numbers import plain, shown
from quiff.results.table import Table
from quiff.results.tabled import OneTable
from quiff.theory.popularity import binomial_interval


@final
@dataclass(frozen=True)
class Share:
    """A share of the users, with the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, gains: Array) -> Self:
        """Return the mean of gains between 0 and 1.

        The interval is Clopper and Pearson's if all are 0 or 1, else that of `Estimate.of_mean`.

        Examples
        --------
        >>> Share.of(np.array([1, 1, 0, 1])).value
        0.75
        """
        if ((gains == 0) | (gains == 1)).all():
            return cls(float(gains.mean()), *binomial_interval(int(gains.sum()), gains.shape[0]))
        found = Estimate.of_mean(gains)
        return cls(found.value, found.low, found.high)

    @classmethod
    def over_seeds(cls, shares: tuple["Share", ...]) -> Self:
        """Return the mean over simulations with Student's 95 % interval; of a single one, its own.

        Where all simulations agree to the last digit, their own intervals are averaged.

        Examples
        --------
        >>> shares = (Share(0.4, 0.3, 0.5), Share(0.5, 0.4, 0.6), Share(0.6, 0.5, 0.7))
        >>> round(Share.over_seeds(shares).low, 4)
        0.2516
        """
        from scipy.special import stdtrit

        values = np.array([share.value for share in shares])
        spread = float(values.std(ddof=1)) if len(shares) > 1 else 0.0
        mean = float(values.mean())
        if spread == 0:
            low, high = (float(np.mean([getattr(share, end) for share in shares])) for end in ("low", "high"))
            return cls(mean, low, high)
        half = float(stdtrit(len(shares) - 1, 0.975)) * spread / sqrt(len(shares))
        return cls(mean, max(mean - half, 0.0), min(mean + half, 1.0))


@final
@dataclass(frozen=True, eq=False)
class Reidentification(OneTable):
    """What one attack achieves on the reports of two sites.

    Attributes
    ----------
    attack
        The attack.
    n_users, epochs, reports
        How many users there are, how often each site has called, and how many epochs it has seen by then.
    tied
        For each target how many users are left, the right one among them; 0 if they are not.
    noise_removal
        How well it tells noise from genuine topics, if it tries to and the profiles are known.
    bound
        The most that any attack on one target at a time can achieve, if it is known.
    """

    attack: Attack
    n_users: int
    epochs: int
    reports: int
    tied: Array
    noise_removal: NoiseRemoval | None = None
    bound: Bound | None = None

    @property
    def n_targets(self) -> int:
        """How many users were attacked."""
        return int(self.tied.shape[0])

    @property
    def unique(self) -> Share:
        """The users for whom nobody but the right one is left."""
        return Share.of(self.tied == 1)

    @property
    def right(self) -> Share:
        """The users named rightly, when ties are broken by chance: 1 / number of ties."""
        return Share.of(np.where(self.tied > 0, 1 / np.maximum(self.tied, 1), 0.0))

    @property
    def share(self) -> Share:
        """The one of the two that the attack's paper counts."""
        return self.unique if self.attack.counts == "unique" else self.right

    def table(self) -> Table:
        """Return the shares as a table."""
        names = {"unique": "only the right user left", "right": "right user named, ties by chance"}
        rows: list[tuple[Any, ...]] = []
        for key, name in names.items():
            share: Share = getattr(self, key)
            rows.append((name, share.value, share.low, share.high))
        if self.noise_removal is not None:
            removal = self.noise_removal
            rows += [
                ("removed topics that were noise (precision)", removal.precision, None, None),
                ("noise that was removed (recall)", removal.recall, None, None),
                ("kept topics that were genuine", removal.kept_precision, None, None),
                ("genuine topics that were kept", removal.kept_recall, None, None),
            ]
        if self.bound is not None:
            rows.append(("bound on every attack", self.bound.value, self.bound.low, self.bound.high))
        calls = f"{counted(self.epochs, 'epoch')} ({counted(self.reports, 'report')})"
        title = f"{self.attack.name} on {self.n_targets} of {counted(self.n_users, 'user')}, {calls}"
        notes = (
            "low and high are the ends of a 95 % interval.",
            *_supposed(self.attack),
            str(self.attack.paper),
        )
        return Table(title, ("share", "value", "low", "high"), tuple(rows), notes)

    def figure(self) -> Figure:
        """Draw how many targets are left among at most k users."""
        return groups_figure(self.tied.tolist(), self.attack.name, self.n_users, self.epochs)

    def to_dict(self) -> dict[str, Any]:
        """Return everything by plain names, for JSON."""
        point = AttackPoint(self.attack.name, self.epochs, self.share, self.bound)
        removal = self.noise_removal
        return {
            "users": self.n_users,
            "targets": self.n_targets,
            "reports": self.reports,
            "counts": self.attack.counts,
            "reidentified": [point.to_dict()],
            "unique": plain(self.unique),
            "right": plain(self.right),
            "noise_removal": None if removal is None else removal_to_dict(removal),
        }


@final
@dataclass(frozen=True)
class AttackPoint:
    """What an attack achieves after some epochs, and the bound on all attacks."""

    attack: str
    epochs: int
    share: Share
    bound: Bound | None

    def to_dict(self) -> dict[str, Any]:
        """Return it by plain names, for JSON."""
        return {
            "attack": self.attack,
            "epochs": self.epochs,
            "rate": self.share.value,
            "low": self.share.low,
            "high": self.share.high,
            "bound": None if self.bound is None else self.bound.value,
        }


def _supposed(attack: Attack) -> tuple[str, ...]:
    """Say which parameters the attacker takes for true: reports in a file do not tell them."""
    numbers = {
        name: value for name, value in vars(attack).items() if isinstance(value, int | float | Fraction)
    }
    said = ", ".join(f"{name} = {shown(value)}" for name, value in numbers.items())
    return (f"The attacker supposes {said}.",) if said else ()


def removal_to_dict(found: NoiseRemoval) -> dict[str, Any]:
    """Return counts, precision and recall by plain names."""
    shares = ("precision", "recall", "kept_precision", "kept_recall")
    return {**{name: getattr(found, name) for name in shares}, **plain(found)}
