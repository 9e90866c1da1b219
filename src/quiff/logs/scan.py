"""The one way in which files are handed to an engine: those that are named, as they are, and no other.

Left to themselves, engines take a file's name for a pattern, and the name of a folder above it, such as
``user=7``, for a column.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from quiff.errors import ParameterError, engine_line
from quiff.io.text import duckdb_name

PARQUET_OF = "read_parquet(?, hive_partitioning = false)"
"""A table in a statement of DuckDB's; its parameter is a list of files, each by :func:`duckdb_name`."""


def _spark_name(path: Path) -> str:
    return re.sub(r"([\\\[\]{}*?,])", r"\\\1", str(path.absolute()))


def spark_can_read(path: Path) -> bool:
    """Say if Spark can read a file of this name: it hides some names, and cannot speak others."""
    return not path.name.startswith(("_", ".")) and ":" not in path.name


def parquet_files(path: Path) -> tuple[Path, ...]:
    """Return the files of a Parquet table: the file itself, or those in a folder, without hidden ones."""
    if not path.is_dir():
        return (path,)
    inside = sorted(path.iterdir())
    files = tuple(
        file for file in inside if file.suffix == ".parquet" and not file.name.startswith(("_", "."))
    )
    if not files:
        raise ParameterError(f"the folder {str(path)!r} has no Parquet file")
    return files


def scan_parquet(con: Any, path: Path) -> Any:
    """Return a Parquet table, one file or a folder of them, with the columns that are in the files."""
    files = parquet_files(path)
    errors: tuple[type[Exception], ...] = (*engine_errors(con), pa.ArrowException, OSError)
    try:
        if con.name == "duckdb":
            return con.read_parquet([duckdb_name(file) for file in files], hive_partitioning=False)
        for file in files:
            _check_for_spark(file)
        return view(con, _spark_parquet(con, files))
    except errors as error:
        raise ParameterError(f"cannot read {str(path)!r} as Parquet: {engine_line(error)}") from error


def _spark_parquet(con: Any, files: Sequence[Path]) -> Any:
    """Return Parquet files as Spark's table; times in nanoseconds, which it refuses, in microseconds."""
    from pyspark.sql import functions as f

    schema = pq.read_metadata(files[0]).schema
    columns = [schema.column(place) for place in range(len(schema.names))]
    finer = [
        column.path
        for column in columns
        if column.physical_type == "INT64" and '"nanoseconds"' in column.logical_type.to_json()
    ]
    if finer:
        con._session.conf.set("spark.sql.legacy.parquet.nanosAsLong", "true")
    frame = _spark_reader(con).parquet(*map(_spark_name, files))
    for name in finer:
        if name in frame.columns:  # else it is inside of another
            number = "`" + name.replace("`", "``") + "`"
            frame = frame.withColumn(name, f.expr(f"timestamp_micros({number} div 1000)"))
    return frame


def _spark_reader(con: Any) -> Any:
    return con._session.read.option("recursiveFileLookup", "true")  # so that folders' names are no columns


def _check_for_spark(path: Path) -> None:
    if not spark_can_read(path):
        raise ParameterError(
            f"Spark cannot read {str(path)!r}: a name must not have a colon, nor begin with _ or .;"
            " rename the file, or use DuckDB"
        )


def view(con: Any, frame: Any) -> Any:
    """Return a table of Spark's as one of Ibis."""
    name = f"quiff_{os.urandom(8).hex()}"
    frame.createOrReplaceTempView(name)
    return con.table(name)


def engine_errors(con: Any) -> tuple[type[Exception], ...]:
    """Return the errors that an engine raises by itself."""
    if con.name == "duckdb":
        import duckdb

        return (duckdb.Error,)
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    return PySparkException, Py4JError
