"""Every quantity of results; ``quantities.csv`` has the unit, formula, meaning and source of each."""

import csv
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, final

from quiff.results.numbers import amount, probability
from quiff.theory.forms import FORMS


@final
@dataclass(frozen=True)
class Quantity:
    """What a kind of number is: its unit, how it is computed, what it means and where that is defined."""

    name: str
    title: str
    unit: str
    formula: str
    meaning: str
    source: str

    def text(self, value: Any, digits: int | None = None) -> str:
        """Return a value to be read: probabilities and shares in percent or as one in so many.

        Examples
        --------
        >>> QUANTITIES["posterior"].text(0.42), QUANTITIES["leakage"].text(66.36)
        ('42 %', '66.4')
        """
        return (probability if self.is_probability else amount)(value, digits)

    @property
    def is_probability(self) -> bool:
        """Whether it is one, or a share."""
        return self.unit == "probability" or self.unit.startswith("share of")


_COUNTED = {
    "unique": "targets for whom the attack leaves the right user alone / targets",
    "ties": "mean of [the right user is left] / (users left)",
}
with Path(__file__).with_name("quantities.csv").open(encoding="utf-8", newline="") as _file:
    _ALL = tuple(Quantity(**row) for row in csv.DictReader(_file))
_CLOSED = (
    Quantity(form.quantity, form.name, form.unit, form.formula, form.meaning, form.source)
    for form in FORMS.values()
)


class _Registry(dict[str, Quantity]):
    """The quantities by name; attacks, which load NumPy, are looked up when they are asked for."""

    def __missing__(self, name: str) -> Quantity:
        from quiff.attacks.catalogue import ATTACKS

        counts, source = "ties", "paper, eq. posterior-vulnerability: its adversary"
        if name in ATTACKS:
            counts, source = ATTACKS[name].counts, str(ATTACKS[name].paper)
        elif name != "bayes":
            raise KeyError(name)
        meaning = "so many targets are re-identified by this attack"
        return Quantity(
            name, f"re-identified by {name}", "share of targets", _COUNTED[counts], meaning, source
        )


QUANTITIES = MappingProxyType(_Registry({quantity.name: quantity for quantity in (*_CLOSED, *_ALL)}))
"""The quantities by name."""
