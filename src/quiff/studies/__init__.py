"""Questions about people and APIs, and the results that answer them."""

from quiff.results.layout import LINES
from quiff.results.quantities import QUANTITIES, Quantity, register
from quiff.theory.forms import FORMS

__all__ = ["QUANTITIES"]

# Every study may have rows of closed forms.
register(
    *(
        Quantity(form.quantity, form.name, form.unit, form.formula, form.meaning, form.source)
        for form in FORMS.values()
    )
)
LINES["goal"] = ("guessed", lambda row, _: "a topic" if row.goal == "topics" else row.goal)
