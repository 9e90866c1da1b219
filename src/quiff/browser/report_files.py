"""Reports as files: a table ``user, site, epoch, topic`` in Parquet or CSV."""

import json
import re
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute, csv, parquet

from quiff.apis.taxonomy import Unnamed
from quiff.browser.reports import Reports
from quiff.core.labels import Labels
from quiff.core.numbers import Array
from quiff.errors import LabelError, QuiffError, counted, engine_line
from quiff.io import StrPath, as_path, check_suffix, whole_file
from quiff.io.blocks import find_source, opened_lines
from quiff.safe_text import column_names, csv_cell, csv_text, topic_shape

_COLUMNS = ("user", "site", "epoch", "topic")
_UNNAMED = re.compile(r"unnamed ([0-9]{1,9})")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_KEY = b"quiff"


def write_reports(
    path: StrPath,
    reports: Reports,
    *,
    force: bool = False,
    inputs: Iterable[StrPath] = (),
    keep_formulas: bool = False,
) -> Path:
    """Write reports to a file, whole or not at all.

    In CSV, an apostrophe comes before names that a spreadsheet would run, unless `keep_formulas` is true; to
    read the file takes it off again.
    """
    path = as_path(path)
    check_suffix(path, (".parquet", ".csv"))
    with whole_file(path, force=force, inputs=inputs) as new:
        rows = table_of(reports)
        if path.suffix.lower() == ".csv":
            written = str if keep_formulas else csv_cell
            csv.write_csv(pa.table({name: _renamed(rows[name], written) for name in rows.column_names}), new)
        else:
            parquet.write_table(rows, new)
    return path


def table_of(reports: Reports) -> Any:
    """Return the rows, site by site, user by user, epoch by epoch, with each name written once."""
    shape = reports.by_epoch.shape
    site, user, epoch = (np.broadcast_to(grid, shape) for grid in np.ogrid[tuple(map(slice, shape))])
    columns = {
        "user": (user, _names(reports.users)),
        "site": (site, _names(reports.sites)),
        "epoch": (epoch, pa.array(np.arange(shape[2]) - reports.earlier)),
        reports.shows: (reports.by_epoch, _names(reports.topics)),
    }
    if reports.late is not None:
        late = np.zeros(shape, dtype=np.int8)
        late[:, :, reports.earlier :] = reports.late
        columns["late"] = (late, pa.array([False, True]))
    about = {
        "per_call": reports.per_call,
        "shown_once": reports.shown_once,
        "topics": [label if isinstance(label, int) else str(label) for label in reports.topics],
    }
    coded = {}
    for name, (codes, names) in columns.items():
        flat = codes.reshape(-1).astype(np.int32)
        coded[name] = pa.DictionaryArray.from_arrays(pa.array(flat, mask=flat < 0), names)
    return pa.table(coded).replace_schema_metadata({_KEY: json.dumps(about).encode()})


def _renamed(column: Any, rename: Callable[[str], str]) -> Any:
    """Return a column whose texts are changed, each distinct one once."""
    array = _dictionary(column)
    names = array.dictionary
    if pa.types.is_string(names.type):
        names = pa.array([rename(name) for name in names.to_pylist()], pa.string())
    return pa.DictionaryArray.from_arrays(array.indices, names).dictionary_decode()


def _names(labels: Labels) -> Any:
    """Return labels as whole numbers if all are, else as text."""
    listed = list(labels)
    if all(isinstance(label, int) and not isinstance(label, bool) for label in listed):
        return pa.array(listed, pa.int64())
    return pa.array([str(label) for label in listed], pa.string())


def read_rows(path: Path) -> Any:
    """Read a table from Parquet, or from text with commas, in which only an empty cell is missing."""
    empty = csv.ConvertOptions(null_values=[""], strings_can_be_null=True)  # and not "NA", a name
    try:
        if path.suffix == ".parquet":
            return parquet.read_table(path).combine_chunks()
        with opened_lines(find_source(path)) as stream:
            return csv.read_csv(stream, convert_options=empty)
    except (pa.ArrowException, OSError) as error:
        raise QuiffError(
            f"cannot read {str(path)!r}: {engine_line(error)}", what="the input", value=str(path)
        ) from error


def rows_below(path: Path, rows: Any) -> list[list[Any]] | None:
    """Return some rows of a table of text, to tell names of columns from data; Parquet has names."""
    return (
        None if path.suffix == ".parquet" else [list(row.values()) for row in rows.slice(0, 20).to_pylist()]
    )


def read_reports(path: StrPath, *, topics: object = None, per_call: int | None = None) -> dict[str, Any]:
    """Read a table of reports; return what it says by the fields of `quiff.browser.reports.Reports`."""
    path = as_path(path)
    if not path.exists():
        raise QuiffError(
            f"there is no file {str(path)!r}; quiff simulate writes reports",
            what="the input",
            value=str(path),
        )
    rows = read_rows(path)
    about = _about(path, (rows.schema.metadata or {}).get(_KEY, b"{}"))
    if path.suffix != ".parquet":
        rows = pa.table({name: _renamed(rows[name], csv_text) for name in rows.column_names})
    shows = "output" if "output" in rows.column_names else "topic"
    if not {*_COLUMNS[:3], shows} <= {*rows.column_names} or not rows.num_rows:
        listed = column_names(rows.column_names, rows_below(path, rows))
        raise QuiffError(
            f"{str(path)!r} has the columns {listed} and {rows.num_rows} "
            "rows; reports need user, site, epoch and topic, and at least one row"
        )
    for name in ("user", "site", "epoch", "late"):  # where only a topic may be empty
        if name in rows.column_names and (empty := rows[name].null_count):
            raise QuiffError(f"{str(path)!r} has rows without a value for {name}, {empty} of {rows.num_rows}")
    (user, users), (site, sites) = _encoded(rows["user"]), _encoded(rows["site"])
    epoch, epochs = _epochs(path, rows["epoch"])
    codes, taxonomy = _topics(path, rows[shows], about.get("topics") if topics is None else topics)
    sizes = (len(sites), len(users), len(epochs))
    place = np.ravel_multi_index((site, user, epoch), sizes)
    _check_complete(path, place, sizes, epochs)
    by_epoch = np.empty(place.shape, dtype=np.int32)
    by_epoch[place] = codes
    earlier = max(-int(epochs[0]), 0)
    late = None
    if "late" in rows.column_names:
        flags = np.empty(place.shape, dtype=bool)
        try:
            flags[place] = rows["late"].cast("bool").to_numpy(zero_copy_only=False)
        except pa.ArrowException as error:
            raise QuiffError(f"{str(path)!r} has a value for late that is neither true nor false") from error
        late = flags.reshape(sizes)[:, :, earlier:]
    return {
        "users": users,
        "sites": sites,
        "topics": taxonomy,
        "by_epoch": by_epoch.reshape(sizes),
        "earlier": earlier,
        "per_call": per_call or about.get("per_call", 3 if shows == "topic" else 1),
        "shown_once": about.get("shown_once", True),
        "late": late,
        "shows": shows,
    }


def _about(path: Path, text: bytes) -> dict[str, object]:
    """Return what the file says of its reports beside the rows."""
    try:
        about: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise QuiffError(
            f"{str(path)!r} says of its reports what is no JSON: {engine_line(error)}"
        ) from error
    kinds = {"per_call": int, "shown_once": bool, "topics": list}
    fits = isinstance(about, dict) and all(
        type(about.get(key, kind())) is kind for key, kind in kinds.items()
    )
    if not fits or not all(isinstance(topic, int | str) for topic in about.get("topics", [])):
        raise QuiffError(f"{str(path)!r} says of its reports {about!r:.60}; simulate them again")
    return about


def _dictionary(column: Any) -> Any:
    array = column.combine_chunks()
    if pa.types.is_nested(array.type):
        raise QuiffError("a column of reports has lists or records; give user, site, epoch and topic as such")
    return array if pa.types.is_dictionary(array.type) else array.dictionary_encode()


def _encoded(column: Any) -> tuple[Array, list[Hashable]]:
    """Return positions and names, in the order in which they come first."""
    array = _dictionary(column)
    return array.indices.to_numpy(zero_copy_only=False), array.dictionary.to_pylist()


def _epochs(path: Path, column: Any) -> tuple[Array, Array]:
    array = _dictionary(column)
    try:
        numbers = array.dictionary.cast(pa.int64()).to_numpy()
    except pa.ArrowException as error:
        raise QuiffError(f"{str(path)!r} has an epoch that is no whole number") from error
    epochs, place = np.unique(numbers, return_inverse=True)
    which = place[array.indices.to_numpy(zero_copy_only=False)]
    if not np.array_equal(epochs, np.arange(epochs[0], epochs[-1] + 1)) or epochs[0] > 0:
        raise QuiffError(
            f"{str(path)!r} has the epochs {epochs.tolist()}; the first call's is 0, none missing",
            what="epoch",
            value=epochs.tolist(),
            allowed="0, 1, 2, ..., none missing",
        )
    return which, epochs


def _topics(path: Path, column: Any, named: Any) -> tuple[Array, Any]:
    """Return the codes of a column of topics, -1 for none, and the topics."""
    array = _dictionary(column)
    names = [str(name) for name in array.dictionary.to_pylist()]
    listed = _labels(names if named is None else named)
    if named is None:
        listed.sort(key=lambda topic: (isinstance(topic, Unnamed), type(topic).__name__, topic))
    place = {str(topic): position for position, topic in enumerate(listed)}
    used = {names[code] for code in compute.unique(array.indices).drop_null().to_pylist()}
    unknown = sorted(topic for topic in used if topic not in place)
    if unknown:
        raise LabelError(
            f"{str(path)!r} has the topic {topic_shape(unknown[0])}, which is not among the given ones"
        )
    codes = np.array([*(place.get(name, -1) for name in names), -1], dtype=np.int32)
    indices = compute.fill_null(array.indices, len(names)).to_numpy(zero_copy_only=False)
    return codes[indices], listed


def _labels(names: Iterable[Any]) -> list[Hashable]:
    """Return topics by their names; unnamed ones get back their places, whole numbers become numbers."""
    listed = list(names)
    found = [_UNNAMED.fullmatch(name) if isinstance(name, str) else None for name in listed]
    texts = [name for name, place in zip(listed, found, strict=True) if not place]
    numbers = all(_NUMBER.fullmatch(name) for name in texts if isinstance(name, str))
    return [
        Unnamed(int(place[1])) if place else int(name) if numbers and isinstance(name, str) else name
        for name, place in zip(listed, found, strict=True)
    ]


def _check_complete(path: Path, place: Array, sizes: tuple[int, int, int], epochs: Array) -> None:
    counts = np.bincount(place, minlength=int(np.prod(sizes)))
    if (counts != 1).any():
        wrong = int(np.argmax(counts != 1))
        site, user, epoch = map(int, np.unravel_index(wrong, sizes))
        raise QuiffError(
            f"{str(path)!r} has {counted(int(counts[wrong]), 'row')} for user {user + 1} and site {site + 1},"
            f" in the order in which they come, and epoch {epochs[epoch]}; there must be one for each user,"
            " site and epoch",
            what="reports",
            value=int(counts[wrong]),
        )
