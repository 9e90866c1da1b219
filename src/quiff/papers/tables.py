"""The paper's tables with the right figures, each cell an item, and what is printed instead in the notes."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from quiff.files import StrPath, whole_folder
from quiff.papers.check import PaperCheck
from quiff.papers.data_sets import DATA_SETS, SHARES
from quiff.papers.experiments import NAMES
from quiff.papers.limits import GOOGLE_ROWS, WORST_CASE_ROWS, google_row, worst_case_row
from quiff.papers.settings import V1
from quiff.results.table import Table

_VISITS = (*SHARES, "mean", "sigma")


def paper_tables(paper: PaperCheck) -> dict[str, Table]:
    """Return the paper's tables by name, and all items as one more.

    >>> from quiff.papers.check import check_paper
    >>> print(paper_tables(check_paper())["theoretical-aol"].to_text())  # doctest: +ELLIPSIS
    Theoretical limits for the experimental data sets
    data set       m  capacity  epsilon  max-case
    Citizen Lab   31      5.94  4.77744     118.8
    Google v1    169     32.16  7.19083    1327.2
    The random topic is drawn from all 349 topics of the taxonomy, not ... Printed: 6.466, 643.2.
    """
    made = (table for make in (_theoretical, _data_sets, _results) for table in make(paper))
    return {**dict(made), "items": paper.table()}


def write_paper(
    paper: PaperCheck, folder: Path, *, force: bool = False, inputs: Iterable[StrPath] = ()
) -> list[Path]:
    """Write the tables as Markdown, CSV and LaTeX, and the counting figure as SVG; return the files.

    >>> from tempfile import TemporaryDirectory
    >>> from quiff.papers.check import check_paper
    >>> with TemporaryDirectory() as folder:
    ...     len(write_paper(check_paper(), Path(folder)))
    28
    """
    from quiff.apis.topics import TopicsAPI
    from quiff.studies.closed_forms import closed_forms

    with whole_folder(folder, force=force, inputs=inputs) as new:
        written = [
            table.write(new / f"{name}.{suffix}")
            for name, table in paper_tables(paper).items()
            for suffix in ("md", "csv", "tex")
        ]
        written.append(closed_forms(TopicsAPI(V1)).figure("counting").write(new / "counting.svg"))
    return [folder / path.name for path in written]


_Rows = Iterable[tuple[tuple[object, ...], Sequence[str]]]


def _table(paper: PaperCheck, title: str, columns: tuple[str, ...], rows: _Rows) -> Table:
    """Return a table of items: a row has fixed cells first, then ids; one that is no item leaves a blank."""
    known = {item.id: item for item in paper.items}
    reasons: dict[str, list[str]] = {}
    open_cells = False
    cells: list[tuple[object, ...]] = []
    for head, ids in rows:
        found = [known.get(id_) for id_ in ids]
        cells.append((*head, *(item and item.computed for item in found)))
        for item in filter(None, found):
            open_cells |= item.verdict == "needs-data"
            if item.verdict == "erratum":
                reasons.setdefault(item.note, []).append(item.printed)
    notes = [f"{reason} Printed: {', '.join(printed)}." for reason, printed in reasons.items()]
    if open_cells:
        notes.append("Blank cells that the paper fills need the data: quiff paper --data DIR.")
    return Table(title, columns, tuple(cells), tuple(notes))


def _theoretical(paper: PaperCheck) -> Iterator[tuple[str, Table]]:
    limits = ("m", "capacity", "epsilon", "max-case")
    aol = {"Citizen Lab": "citizen-lab", "Google v1": "google-v1"}
    title = "Theoretical limits for the experimental data sets"
    rows: _Rows = [((name,), _ids(f"theoretical-aol-{key}", limits)) for name, key in aol.items()]
    yield "theoretical-aol", _table(paper, title, ("data set", *limits), rows)
    title = "Theoretical limits by taxonomy"
    rows = [((name,), _ids(google_row(m), limits)) for name, m, _ in GOOGLE_ROWS]
    yield "theoretical-google", _table(paper, title, ("taxonomy", *limits), rows)
    title, capacities = "Capacities for other parameters", ("m", "capacity", "max-case")
    rows = [((float(r), s), _ids(worst_case_row(m, r, s), capacities)) for m, r, s, _ in WORST_CASE_ROWS]
    yield "theoretical-worst-case", _table(paper, title, ("r", "s", *capacities), rows)


def _ids(prefix: str, columns: Iterable[str]) -> list[str]:
    return [f"{prefix}-{column}" for column in columns]


def _data_sets(paper: PaperCheck) -> Iterator[tuple[str, Table]]:
    title = "Statistics of the data sets: how many there are, and the visits of a user"
    for name, sizes in (
        ("datasets-experiments", ("users", "domains", "topics")),
        ("datasets-treated", ("rows", "users", "domains", "topics")),
    ):
        rows = [
            ((label,), [_size(key, size) for size in sizes] + _ids(key, _VISITS))
            for key, (table, label) in DATA_SETS.items()
            if table == name
        ]
        yield name, _table(paper, title, ("data set", *sizes, *_VISITS), rows)


def _size(key: str, size: str) -> str:
    """Return the id of a size; the domains of a reduced table are the matched ones."""
    if key.startswith("reduced-") and size == "domains":
        return f"matched-domains-{key.removeprefix('reduced-')}"
    return f"{key}-{size}"


def _results(paper: PaperCheck) -> Iterator[tuple[str, Table]]:
    stages = ("cookies", "generalization", "bounded-noise", "topics-api")
    for name, prefix, title, columns in (
        ("results-privacy-bayes", "privacy", "Privacy: leakage under a uniform prior on users", stages),
        (
            "results-utility-bayes", "utility-bayes", "Utility: Bayes vulnerability",
            (*stages, "prior-users", "prior-sets"),
        ),
        (
            "results-utility-iba", "utility-iba", "Utility: IBA expected gain",
            ("bounded-noise", "topics-api", "prior"),
        ),
    ):  # fmt: skip
        rows = [((label,), _ids(f"{prefix}-{key}", columns)) for key, label in NAMES.items()]
        yield name, _table(paper, title, ("data set", *columns), rows)
