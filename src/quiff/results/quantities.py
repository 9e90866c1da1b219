"""Every quantity of results; ``quantities.csv`` has the unit, formula, meaning and source of most."""

import csv
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, final

from quiff.results.numbers import amount, probability


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


with Path(__file__).with_name("quantities.csv").open(encoding="utf-8", newline="") as _file:
    _registry = {row["name"]: Quantity(**row) for row in csv.DictReader(_file)}
QUANTITIES = MappingProxyType(_registry)
"""The quantities by name."""


def register(*quantities: Quantity) -> None:
    """Add the quantities that a study describes itself, such as those of attacks; what is known stays."""
    for quantity in quantities:
        _registry.setdefault(quantity.name, quantity)
