"""A number with what it means, where its formula stands and what it assumes."""

from dataclasses import dataclass

from quiff.results.numbers import shown
from quiff.theory.parameters import Real


@dataclass(frozen=True)
class Quantity:
    """A value with its name, unit and formula, what it means, where it is from and what it assumes.

    Examples
    --------
    >>> quantity = Quantity(
    ...     key="bayes_capacity",
    ...     value=66.36,
    ...     unit="factor",
    ...     formula="r + m(1-r)/s",
    ...     meaning="the most that one report leaks",
    ...     source="paper, Sec. 4.1.2",
    ...     assumes="nothing about the users",
    ... )
    >>> print(quantity.explained())
    bayes capacity = 66.36 (factor)
      formula: r + m(1-r)/s
      meaning: the most that one report leaks
      source:  paper, Sec. 4.1.2
      assumes: nothing about the users
    """

    key: str
    value: Real | bool
    unit: str
    formula: str
    meaning: str
    source: str
    assumes: str

    @property
    def name(self) -> str:
        """The key in words."""
        return self.key.replace("_", " ")

    def explained(self) -> str:
        """Return all that is known about the quantity, a line for each."""
        return "\n".join(
            [
                f"{self.name} = {shown(self.value)} ({self.unit})",
                f"  formula: {self.formula}",
                f"  meaning: {self.meaning}",
                f"  source:  {self.source}",
                f"  assumes: {self.assumes}",
            ]
        )

    def about(self) -> dict[str, str]:
        """Return everything but the value, for machines."""
        return {
            "unit": self.unit,
            "formula": self.formula,
            "meaning": self.meaning,
            "source": self.source,
            "assumes": self.assumes,
        }
