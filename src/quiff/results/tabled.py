"""What all results share: they print as their tables, and notebooks show these."""

from abc import ABC, abstractmethod

from quiff.results.table import Table


class Tabled(ABC):
    """A result that is shown by its tables."""

    @abstractmethod
    def tables(self) -> list[Table]:
        """Return all tables of the result."""

    def __str__(self) -> str:
        return "\n\n".join(table.to_text() for table in self.tables())

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self.tables())
