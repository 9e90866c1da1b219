"""A closed form with its explanation: what the lists of forms are made of."""

from collections.abc import Callable
from dataclasses import dataclass

from quiff.results.closed_forms import Scenario
from quiff.results.quantity import Quantity
from quiff.theory.parameters import Real


@dataclass(frozen=True)
class Form:
    """A formula, in words and as a function of the scenario."""

    key: str
    unit: str
    formula: str
    meaning: str
    source: str
    assumes: str
    value: Callable[[Scenario], Real | bool]

    def at(self, scenario: Scenario) -> Quantity:
        """Evaluate the form.

        Examples
        --------
        >>> from quiff.studies.closed_forms import closed_forms
        >>> scenario = closed_forms().scenario
        >>> half = Form("half", "factor", "N/2", "half the users", "none", "nothing", lambda x: x.n_users / 2)
        >>> half.at(scenario).value
        500000.0
        """
        return Quantity(
            self.key, self.value(scenario), self.unit, self.formula, self.meaning, self.source, self.assumes
        )
