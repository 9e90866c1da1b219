"""Reports as files: a table ``user, site, epoch, topic`` in Parquet or CSV."""

import json
import os
import re
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quiff.apis.taxonomy import Unnamed
from quiff.core.labels import Labels
from quiff.core.numbers import Array
from quiff.errors import LabelError, QuiffError, counted, engine_line
from quiff.files import StrPath, check_suffix, whole_file
from quiff.safe_text import csv_cell, csv_text, shape, shapes

if TYPE_CHECKING:
    from quiff.browser.reports import Reports

_COLUMNS = ("user", "site", "epoch", "topic")
_KNOWN = (*_COLUMNS, "output", "late")
_UNNAMED = re.compile(r"unnamed ([0-9]{1,9})")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_KEY = b"quiff"


def write_reports(
    path: StrPath,
    reports: "Reports",
    *,
    force: bool = False,
    inputs: Iterable[StrPath] = (),
    keep_formulas: bool = False,
) -> Path:
    """Write reports to a file, whole or not at all.

    In CSV, an apostrophe comes before names that a spreadsheet would run, unless `keep_formulas` is true; to
    read the file takes it off again.
    """
    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    path = Path(path)
    check_suffix(path, (".parquet", ".csv"))
    with whole_file(path, force=force, inputs=inputs) as new:
        rows = _arrow(reports)
        if path.suffix.lower() == ".csv":
            plain = pa.table({name: _decoded(rows[name], keep_formulas) for name in rows.column_names})
            pc.write_csv(plain, new)
        else:
            pq.write_table(rows, new)
    return path


def _decoded(column: Any, keep_formulas: bool) -> Any:
    """Return a column of a CSV file."""
    import pyarrow as pa

    whole = column.combine_chunks()
    names = whole.dictionary
    if pa.types.is_string(names.type) and not keep_formulas:
        names = pa.array([csv_cell(name) for name in names.to_pylist()], pa.string())
    return pa.DictionaryArray.from_arrays(whole.indices, names).dictionary_decode()


def _as_meant(column: Any) -> Any:
    """Return a column of a CSV file without the apostrophes that `write_reports` puts."""
    import pyarrow as pa

    if not pa.types.is_string(column.type):
        return column
    whole = column.combine_chunks().dictionary_encode()
    names = [None if name is None else csv_text(name) for name in whole.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(whole.indices, pa.array(names, pa.string())).dictionary_decode()


def _arrow(reports: "Reports") -> Any:
    """Return the rows, site by site, user by user, epoch by epoch, with each name written once."""
    import pyarrow as pa

    sites, users, columns = reports.by_epoch.shape
    shape = (sites, users, columns)
    site, user, epoch = (
        np.broadcast_to(grid, shape).reshape(-1) for grid in np.ogrid[:sites, :users, :columns]
    )
    topic = reports.by_epoch.reshape(-1).astype(np.int32)
    names = {
        "user": pa.DictionaryArray.from_arrays(pa.array(user.astype(np.int32)), _names(reports.users)),
        "site": pa.DictionaryArray.from_arrays(pa.array(site.astype(np.int32)), _names(reports.sites)),
        "epoch": pa.DictionaryArray.from_arrays(
            pa.array(epoch.astype(np.int32)), pa.array(np.arange(columns) - reports.earlier)
        ),
        reports.shows: pa.DictionaryArray.from_arrays(
            pa.array(topic, mask=topic < 0), _names(reports.topics)
        ),
    }
    if reports.late is not None:
        late = np.zeros(shape, dtype=np.int8)
        late[:, :, reports.earlier :] = reports.late
        names["late"] = pa.DictionaryArray.from_arrays(pa.array(late.reshape(-1)), pa.array([False, True]))
    about = {
        "per_call": reports.per_call,
        "shown_once": reports.shown_once,
        "topics": [label if isinstance(label, int) else str(label) for label in reports.topics],
    }
    return pa.table(names).replace_schema_metadata({_KEY: json.dumps(about).encode()})


def _names(labels: Labels) -> Any:
    """Return labels as whole numbers if all are, else as text."""
    import pyarrow as pa

    listed = list(labels)
    if all(isinstance(label, int) and not isinstance(label, bool) for label in listed):
        return pa.array(listed, pa.int64())
    return pa.array([str(label) for label in listed], pa.string())


def read_reports(
    path: str | os.PathLike[str], *, topics: object = None, per_call: int | None = None
) -> dict[str, Any]:
    """Read a table of reports; return what it says by the fields of `quiff.browser.reports.Reports`."""
    path = Path(path)
    if not path.exists():
        raise QuiffError(f"there is no file {str(path)!r}; quiff simulate writes reports")
    rows, about = _table(path)
    shows = "output" if "output" in rows.column_names else "topic"
    missing = [name for name in (*_COLUMNS[:3], shows) if name not in rows.column_names]
    if missing or not rows.num_rows:
        raise QuiffError(
            f"{str(path)!r} has the columns {shapes(rows.column_names, _KNOWN)} and {rows.num_rows} "
            "rows; reports need user, site, epoch and topic, and at least one row"
        )
    _check_filled(path, rows)
    (user, users), (site, sites) = _encoded(rows["user"]), _encoded(rows["site"])
    epoch, epochs = _epochs(path, rows["epoch"])
    named = topics if topics is not None else about.get("topics")
    codes, taxonomy = _topics(path, rows[shows], named)
    sizes = (len(sites), len(users), len(epochs))
    place = np.ravel_multi_index((site, user, epoch), sizes)
    _check_complete(path, place, (sites, users, epochs.tolist()))
    by_epoch = np.empty(int(np.prod(sizes)), dtype=np.int32)
    by_epoch[place] = codes
    earlier = max(-int(epochs[0]), 0)
    late = None
    if "late" in rows.column_names:
        flags = np.empty(by_epoch.shape, dtype=bool)
        flags[place] = _truth(path, rows["late"])
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


def _table(path: Path) -> tuple[Any, dict[str, Any]]:
    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    try:
        if path.suffix == ".parquet":
            rows = pq.read_table(path)
            return rows.combine_chunks(), _about(path, (rows.schema.metadata or {}).get(_KEY, b"{}"))
        empty = pc.ConvertOptions(null_values=[""], strings_can_be_null=True)  # and not "NA", a name
        rows = pc.read_csv(path, convert_options=empty)
        return pa.table({name: _as_meant(rows[name]) for name in rows.column_names}), {}
    except (pa.ArrowException, OSError) as error:
        raise QuiffError(f"cannot read {str(path)!r}: {engine_line(error)}") from error


def _about(path: Path, text: bytes) -> dict[str, Any]:
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


def _check_filled(path: Path, rows: Any) -> None:
    """Raise an error if a cell is empty where only a topic may be."""
    for name in ("user", "site", "epoch", "late"):
        if name in rows.column_names and (empty := rows[name].null_count):
            raise QuiffError(f"{str(path)!r} has rows without a value for {name}, {empty} of {rows.num_rows}")


def _dictionary(column: Any) -> Any:
    import pyarrow as pa

    array = column.combine_chunks()
    return array if pa.types.is_dictionary(array.type) else array.dictionary_encode()


def _encoded(column: Any) -> tuple[Array, list[Hashable]]:
    """Return positions and names, in the order in which they come first."""
    array = _dictionary(column)
    return array.indices.to_numpy(zero_copy_only=False), array.dictionary.to_pylist()


def _truth(path: Path, column: Any) -> Array:
    import pyarrow as pa

    try:
        return np.asarray(column.cast("bool").to_numpy(zero_copy_only=False))
    except pa.ArrowException as error:
        raise QuiffError(f"{str(path)!r} has a value for late that is neither true nor false") from error


def _epochs(path: Path, column: Any) -> tuple[Array, Array]:
    import pyarrow as pa

    array = _dictionary(column)
    try:
        numbers = array.dictionary.cast(pa.int64()).to_numpy()
    except pa.ArrowException as error:
        raise QuiffError(f"{str(path)!r} has an epoch that is no whole number") from error
    epochs, place = np.unique(numbers, return_inverse=True)
    which = place[array.indices.to_numpy(zero_copy_only=False)]
    if not np.array_equal(epochs, np.arange(epochs[0], epochs[-1] + 1)) or epochs[0] > 0:
        raise QuiffError(
            f"{str(path)!r} has the epochs {epochs.tolist()}; the first call's is 0, none missing"
        )
    return which, epochs


def _topics(path: Path, column: Any, named: Any) -> tuple[Array, Any]:
    """Return the codes of a column of topics, -1 for none, and the topics."""
    import pyarrow.compute as pc

    array = _dictionary(column)
    names = [str(name) for name in array.dictionary.to_pylist()]
    listed = sorted(_labels(names), key=_order) if named is None else _labels(named)
    place = {str(topic): position for position, topic in enumerate(listed)}
    used = {names[code] for code in pc.unique(array.indices).drop_null().to_pylist()}
    unknown = sorted(topic for topic in used if topic not in place)
    if unknown:
        raise LabelError(
            f"{str(path)!r} has the topic {shape(unknown[0])}, which is not among the given ones"
        )
    codes = np.array([*(place.get(name, -1) for name in names), -1], dtype=np.int32)
    indices = pc.fill_null(array.indices, len(names)).to_numpy(zero_copy_only=False)
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


def _order(topic: Hashable) -> tuple[bool, str, Any]:
    return isinstance(topic, Unnamed), type(topic).__name__, topic


def _check_complete(path: Path, place: Array, names: tuple[list[Any], list[Any], list[Any]]) -> None:
    sizes = tuple(map(len, names))
    counts = np.bincount(place, minlength=int(np.prod(sizes)))
    if (counts != 1).any():
        wrong = int(np.argmax(counts != 1))
        site, user, epoch = map(int, np.unravel_index(wrong, sizes))
        raise QuiffError(
            f"{str(path)!r} has {counted(int(counts[wrong]), 'row')} for user {user + 1} and site {site + 1},"
            f" in the order in which they come, and epoch {names[2][epoch]}; there must be one for each user,"
            " site and epoch"
        )
