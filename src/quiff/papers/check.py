"""The study: the items of the paper with their verdicts, and the points that what differs goes back to."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from quiff.errors import counted
from quiff.io import StrPath, as_path
from quiff.papers.equations import CASES, EQUATIONS, tried
from quiff.papers.items import CAUSES, FILES, ITEMS, KINDS, Cause, Item, Judged, Reading, Verdict, computed
from quiff.papers.lists import Lists, NotAtHandError
from quiff.papers.on_tables import count, missing_tables
from quiff.papers.published import read_tables
from quiff.papers.recompute import recompute
from quiff.papers.statements import STATEMENTS
from quiff.results.table import Table
from quiff.results.tabled import Tabled


@dataclass(frozen=True)
class Point:
    """A cause and the items that follow from it."""

    cause: Cause
    places: tuple[Judged, ...]


@dataclass(frozen=True)
class PaperCheck(Tabled):
    """All items of the paper with their verdicts."""

    items: tuple[Judged, ...]
    sources: Mapping[str, str]  # where the sizes of the taxonomies are from

    def __getitem__(self, id: str) -> Judged:  # noqa: A002 - the field's name
        return next(item for item in self.items if item.id == id)

    def by_verdict(self, verdict: Verdict) -> tuple[Judged, ...]:
        """Return the items with one verdict."""
        return tuple(item for item in self.items if item.verdict == verdict)

    @property
    def points(self) -> tuple[Point, ...]:
        """The causes that have places, in the order of `KINDS`; a place that matches is none."""
        found: dict[str, list[Judged]] = {id_: [] for id_ in CAUSES}
        for item in self.items:
            if item.verdict in KINDS and item.cause is not None:
                found[item.cause].append(item)
        points = [Point(cause, tuple(found[cause.id])) for cause in CAUSES.values() if found[cause.id]]
        return tuple(sorted(points, key=lambda point: list(KINDS).index(point.cause.kind)))

    @property
    def counts(self) -> dict[str, int]:
        """How many items come out as printed, need data, or are cited."""
        found: Counter[str] = Counter(item.verdict for item in self.items)
        return {verdict: found[verdict] for verdict in ("match", "needs-data", "cited")}

    @property
    def kinds(self) -> dict[str, int]:
        """How many points of each kind there are; a point counts once, however many places follow from it."""
        found: Counter[str] = Counter(point.cause.kind for point in self.points)
        return {kind: found[kind] for kind in KINDS if kind != "needs-data"}

    def sentences(self) -> list[str]:
        """Return what holds, what to correct, and what is open."""
        (holds, open_, cited), kinds = self.counts.values(), self.kinds
        equations = [item for item in self.items if item.id in EQUATIONS]
        labelled = [item.verdict == "match" for item in equations if item.id.startswith("eq-")]
        formal = [item.verdict == "match" for item in equations if not item.id.startswith("eq-")]
        of_these = "all" if all(formal) else f"{sum(formal)} of"
        differ = sum(kinds.values()) - kinds["ambiguous"]
        listed = [f"{number} ({KINDS[kind]})" for kind, number in kinds.items() if kind != "ambiguous"]
        return [
            f"What holds: {sum(labelled)} of the {len(labelled)} labelled equations and {of_these} "
            f"{len(formal)} theorems, lemmas and corollaries, each tried on {CASES} random cases; with them "
            f"{holds} figures and statements come out as printed.",
            f"What to correct or to word anew: {counted(differ, 'point')}, each with the places that "
            f"follow from it: {', '.join(listed)}. {counted(kinds['ambiguous'], 'more point')} can be read "
            "in two ways.",
            f"What is open: {open_} figures need data that are not here, and {cited} are cited from the "
            "literature and not recomputed.",
        ]

    def points_table(self) -> Table:
        """Return the points with their kind, what they change, and where they stand."""
        rows = tuple(
            (point.cause.title, KINDS[point.cause.kind], point.cause.changes, len(point.places))
            for point in self.points
        )
        return Table("Points", ("point", "kind", "what it changes", "places"), rows)

    def table(self) -> Table:
        """Return every item with what is printed, what was computed in each reading, and the verdict."""
        columns = ("id", "where", "printed", "computed", "verdict", "note", "cause")
        rows = tuple(
            (item.id, item.where, item.printed, computed(item), item.verdict, item.note, item.cause or "")
            for item in self.items
        )
        return Table("The items of the paper that were checked", columns, rows)

    def tables(self) -> list[Table]:
        """Return the points, and all items."""
        return [self.points_table(), self.table()]

    def to_dict(self) -> dict[str, object]:
        """Return the items, the causes with their places, and the counts, for JSON."""
        causes = [
            {
                "id": cause.id,
                "class": cause.kind,
                "title": cause.title,
                "says": cause.says,
                "changes": cause.changes,
            }
            | {
                "readings": cause.readings,
                "source": cause.source,
                "places": [item.id for item in point.places],
            }
            for point in self.points
            for cause in [point.cause]
        ]
        return {
            "sentences": self.sentences(),
            "counts": self.counts,
            "points": self.kinds,
            "causes": causes,
            "sources": dict(self.sources),
            "items": self.items,
        }


def check_paper(data: StrPath | None = None, mirror: StrPath | None = None) -> PaperCheck:
    """Recompute what the paper prints, and compare.

    Parameters
    ----------
    data
        A folder with the authors' published tables, for the items that need them; without it, these stay
        open.
    mirror
        A folder with copies of the public lists; unless it is given, that of QUIFF_MIRROR and the cache are
        looked into. Nothing is fetched.

    Raises
    ------
    QuiffError
        If the folder holds none of the tables, or one of them cannot be read.

    Examples
    --------
    >>> paper = check_paper()
    >>> paper["theoretical-google-m349-s5-capacity"].verdict
    'match'
    >>> float(paper["theoretical-google-m629-s5-capacity"].computed)
    89.16
    """
    read = {} if data is None else read_tables(as_path(data))
    lists = Lists(None if mirror is None else as_path(mirror))
    return PaperCheck(tuple(judge(item, read, lists) for item in ITEMS), lists.counted)


def judge(item: Item, read: Mapping[str, Any], lists: Lists) -> Judged:
    """Return the verdict on one item, from the published tables where they are at hand.

    >>> judge(Item("size", "Tab. 1", "629", "size v2", cause="highest-id"), {}, Lists()).verdict
    'wrong'
    >>> judge(Item("rows", "Tab. 2", "8", data="treated: records"), {}, Lists()).note
    'needs AOL-treated.csv'
    """
    on_tables = bool(item.data) and not missing_tables(item.data, read)
    try:
        readings = _readings(item, read, lists, on_tables=on_tables)
    except NotAtHandError:
        return _open(item, ["citizenlab"])
    if not readings:
        missing = missing_tables(item.data, read)
        return _open(item, missing) if missing else _judged(item, None, "cited", item.how)
    differs = [reading for reading in readings if not reading.agrees]
    if not differs:
        how = "from the published tables" if on_tables else item.how
        return _judged(item, readings[-1], "match", how, readings)
    cause = CAUSES[item.cause or "tables"]
    kind: Verdict = "wrong" if cause.kind == "needs-data" else cause.kind
    how = (cause.id != "tables") * "from the published tables" if on_tables else item.how
    how = ": ".join(filter(None, (cause.title, how)))
    named = [replace(r, name=name) for r, name in zip(readings, cause.readings, strict=False)]
    return replace(_judged(item, differs[-1], kind, how, tuple(named)), cause=cause.id)


def _readings(item: Item, read: Mapping[str, Any], lists: Lists, *, on_tables: bool) -> tuple[Reading, ...]:
    """Return what is computed under each reading of an item; nothing, where nothing can be computed."""
    if on_tables:
        return (count(item.printed, item.data, read),)
    if item.formula:
        formulas = [*filter(None, item.stated.split(" | ")), item.formula]
        return tuple(recompute(item.printed, formula, lists) for formula in formulas)
    if item.id in EQUATIONS:
        return tried(item.id)
    if item.id not in STATEMENTS:
        return ()
    found = STATEMENTS[item.id]()
    return found if isinstance(found, tuple) else (found,)


def _open(item: Item, missing: list[str]) -> Judged:
    needs = f"needs {' and '.join(FILES[name] for name in missing)}"
    return _judged(item, None, "needs-data", "; ".join(filter(None, (needs, item.how))))


def _judged(
    item: Item, reading: Reading | None, verdict: Verdict, how: str, readings: tuple[Reading, ...] = ()
) -> Judged:
    detail = reading.detail if reading else ""
    return Judged(
        item.id,
        item.where,
        item.printed,
        reading.computed if reading else None,
        verdict,
        ": ".join(filter(None, (how, detail))),
        item.cause or None,
        readings if len(readings) > 1 else (),
    )
