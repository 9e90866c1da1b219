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


class OneTable(Tabled):
    """A result that is shown by one table.

    Examples
    --------
    >>> class Answer(OneTable):
    ...     def table(self):
    ...         return Table("Answer", ("answer",), ((42,),))
    >>> print(Answer())
    Answer
    answer
        42
    """

    @abstractmethod
    def table(self) -> Table:
        """Return the table of the result."""

    def tables(self) -> list[Table]:
        """Return the one table, as results with several do."""
        return [self.table()]

    def named_tables(self) -> dict[str, Table]:
        """Return the one table, which needs no name beside that of the result."""
        return {"": self.table()}
