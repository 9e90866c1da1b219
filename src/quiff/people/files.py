"""Files of profiles: opened, unpacked and cut into columns, at once or piece by piece.

Nothing here knows what a profile is; but every error tells the line, or in Parquet the row, where it is.
"""

import bz2
import gzip
import lzma
import re
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import inf
from os import SEEK_END
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import pyarrow as pa
from pyarrow import compute, csv, parquet

from quiff.core.limits import memory_allowed
from quiff.errors import ParameterError, QuiffError, engine_line
from quiff.io import StrPath, as_path
from quiff.io.blocks import DAMAGES, bounded_lines, damage, find_source, opened_lines
from quiff.people.columns import Form, form_of
from quiff.people.text_lines import CountedStream, head_of, line_of_row, text_fault, torn_row
from quiff.safe_text import column_names

_BLOCK = 1 << 24  # bytes of text that are cut into columns at a time; longer than any line
_ROWS = 1 << 18  # rows of Parquet at a time
_LONG = 16  # times as long are rows with ranked topic counts
# What reading takes, measured: bytes for a byte of text, for a topic in Parquet, and for a row.
_PER_TEXT, _PER_TOPIC, _PER_ROW = 8, 32, 100
_PACKED = 4
_PLAIN = (".csv", ".tsv", ".txt")  # text that is not packed
_COPIES = 4  # that are made of text on its way
_MOST_TEXT = 2**31 - 1  # bytes of a column of text in Arrow


@dataclass(frozen=True)
class ProfileFile:
    """A file, or a folder of Parquet files, and the columns of it that matter."""

    path: Path
    form: Form
    names: tuple[str, ...]
    delimiter: str | None  # None for Parquet

    @property
    def counts_visits(self) -> bool:
        """Whether ranked topic counts tell which topics were visited; text has none."""
        return self.delimiter is None and self.form.counted

    def at(self, row: int) -> str:
        """Say where a row stands, counted from 0."""
        if self.delimiter is None:
            return f"{str(self.path)!r}, row {row + 1}"
        with _unpacked(self.path) as stream:
            return f"{str(self.path)!r}, line {line_of_row(stream, row, self.delimiter)}"

    def table(self, most: int | None = None) -> Any:
        """Return all rows as an Arrow table, or None if reading them would take more than `most` bytes."""
        with self._errors():
            if self.delimiter is None:
                if most is not None and self._parquet_bytes() > most:
                    return None
                table = parquet.read_table(
                    self.path, columns=self.form.columns, read_dictionary=self._texts(), partitioning=None
                )
                self._check_cells(table, most)
                return table
            allowed = None if most is None else most // _PER_TEXT
            with _unpacked(self.path, whole=True) as stream:
                counted = CountedStream(stream)
                content = counted.read(-1 if allowed is None else allowed + 1)
            if allowed is not None and len(content) > allowed:
                return None
            table = csv.read_csv(pa.py_buffer(content), **self._options()).rename_columns(self.form.columns)
            self._check_lines(counted, table.num_rows)
            return table

    def pieces(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield all rows as Arrow tables that fit into memory one by one, of Parquet with other columns."""
        with self._errors():
            if self.delimiter is None:
                size = _ROWS if columns is None else max(_ROWS // _LONG, 1)
                for name in parquet.ParquetDataset(self.path, partitioning=None).files:
                    with parquet.ParquetFile(name, read_dictionary=self._texts()) as file:
                        for batch in file.iter_batches(size, columns=columns or self.form.columns):
                            piece = pa.Table.from_batches([batch])
                            self._check_cells(piece, None if memory_allowed() == inf else memory_allowed())
                            yield piece
                return
            rows = 0
            with _unpacked(self.path, whole=True) as stream:
                counted = CountedStream(stream)
                with csv.open_csv(counted, **self._options()) as reader:
                    for batch in reader:
                        rows += batch.num_rows
                        piece = pa.Table.from_batches([batch]).rename_columns(self.form.columns)
                        columns_of_lines = (compute.match_substring(text, "\n") for text in piece.columns)
                        if counted.quotes and any(compute.any(text).as_py() for text in columns_of_lines):
                            self._check_torn()
                        yield piece
            self._check_lines(counted, rows)

    def _texts(self) -> list[str]:
        """Return the columns of text in Parquet, of which each is read once, however often it is there."""
        schema = parquet.ParquetDataset(self.path, partitioning=None).schema
        return [field.name for field in schema if pa.types.is_string(field.type)]

    def _check_cells(self, table: Any, most: float | None) -> None:
        """Refuse cells that would take more than `most` bytes, or than Arrow can put together."""
        for name, column in zip(table.column_names, table.columns, strict=True):
            for chunk in filter(lambda chunk: pa.types.is_dictionary(chunk.type), column.chunks):
                lengths = compute.binary_length(chunk.dictionary).take(chunk.indices.drop_null())
                takes = compute.sum(lengths.cast(pa.int64())).as_py() or 0
                if takes > min(_MOST_TEXT, inf if most is None else most / _COPIES):
                    raise QuiffError(
                        f"the cells of {name} take {takes / 2**30:.2g} GiB as text, longer than names are;"
                        " is it the right column?",
                        where=repr(str(self.path)),
                    )

    def reading_bytes(self) -> int:
        """Estimate what reading takes before it is begun; packed text unpacks to some times its size."""
        if self.delimiter is None:
            with self._errors():
                return self._parquet_bytes()
        packed = _PACKED if self.path.suffix not in _PLAIN else 1
        return self.path.stat().st_size * _PER_TEXT * packed

    def rows_at_least(self, first: Any = None) -> int:
        """Return about how many rows there are at least, as far as that is known before they are read.

        Parquet says it; text has its size, or the size that gzip notes at its end, and rows as long as those
        of the `first` piece.
        """
        if self.delimiter is None:
            with self._errors():
                files = parquet.ParquetDataset(self.path, partitioning=None).files
                return sum(parquet.read_metadata(name).num_rows for name in files)
        if first is None or not first.num_rows:
            return 0
        with self.path.open("rb") as stream:
            packed = stream.read(2) == b"\x1f\x8b"
            size = stream.seek(-4 if packed else 0, SEEK_END)
            if packed:
                size = int.from_bytes(stream.read(4), "little")  # modulo 2^32, and of the last member
            elif self.path.suffix not in _PLAIN:
                size = 0
        return int(size * first.num_rows // first.nbytes)

    def _parquet_bytes(self) -> int:
        """Estimate what reading takes from the numbers of rows and topics that the files tell."""
        needed, wanted = 0, (*self.form.topics, *self.form.attributes)
        for name in parquet.ParquetDataset(self.path, partitioning=None).files:
            facts = parquet.read_metadata(name)
            needed += facts.num_rows * _PER_ROW
            for group in map(facts.row_group, range(facts.num_row_groups)):
                for column in map(group.column, range(group.num_columns)):
                    needed += column.num_values * _PER_TOPIC * (column.path_in_schema.split(".")[0] in wanted)
        return needed

    def _options(self) -> dict[str, Any]:
        """Return how Arrow reads the text: all as it is written, fields by their places."""
        places = [f"c{self.names.index(name)}" for name in self.form.columns]
        quoted = self.delimiter != "\t"
        return {
            "read_options": csv.ReadOptions(
                block_size=_BLOCK, skip_rows=1, column_names=[f"c{k}" for k in range(len(self.names))]
            ),
            "parse_options": csv.ParseOptions(
                delimiter=self.delimiter, quote_char='"' if quoted else False, newlines_in_values=quoted
            ),
            "convert_options": csv.ConvertOptions(
                include_columns=places,
                column_types=dict.fromkeys(places, pa.string()),
                strings_can_be_null=False,
            ),
        }

    def _check_lines(self, text: CountedStream, rows: int) -> None:
        """Look at each line, if rows are fewer: an open quote makes Arrow take many lines for one field.

        One that opens in the last line takes no other; but then the number of quotes is odd.
        """
        if self.delimiter == "," and text.quotes and (rows < text.lines - 1 or text.quotes % 2):
            self._check_torn()

    def _check_torn(self) -> None:
        with _unpacked(self.path) as stream:
            fault = torn_row(stream)
        if fault is not None:
            raise self._at_line(*fault)

    def _at_line(self, line: int, sentence: str) -> QuiffError:
        return QuiffError(sentence, where=f"{str(self.path)!r}, line {line}")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn the errors of the readers into one line that says where."""
        try:
            yield
        except (pa.ArrowException, OSError) as error:
            if isinstance(error, pa.ArrowInvalid) and self.delimiter is not None:
                with _unpacked(self.path) as stream:
                    fault = text_fault(stream, len(self.names), self.delimiter)
                if fault is not None:
                    raise self._at_line(*fault) from error
            raise _unreadable(self.path, error, " as Parquet" * (self.delimiter is None)) from error


def open_profiles(
    path: StrPath, *, top: int | None = None, weights: str | None = None, attributes: tuple[str, ...] = ()
) -> ProfileFile:
    """Look at the columns of a file, which tell its form."""
    path = as_path(path)
    names, delimiter, below = _names_in(path, "; quiff profile writes profiles")
    at = f"{str(path)!r}" if delimiter is None else f"{str(path)!r}, line 1"
    form = form_of(at, names, below, top=top, weights=weights, attributes=attributes)
    return ProfileFile(path, form, names, delimiter)


def open_table(path: StrPath, columns: Sequence[str]) -> ProfileFile:
    """Look for some columns in a file of any kind of rows."""
    path = as_path(path)
    names, delimiter, below = _names_in(path)
    lost = next((name for name in columns if names.count(name) != 1), None)
    if lost is not None:
        times = "twice" if lost in names else "not"
        listed = column_names(names, below)
        raise ParameterError(f"the column {lost!r} is {times} in {str(path)!r}; it has {listed}")
    return ProfileFile(path, Form(None, (), False, None, attributes=tuple(columns)), names, delimiter)


def _names_in(path: Path, hint: str = "") -> tuple[tuple[str, ...], str | None, list[list[str]] | None]:
    """Return the names of the columns of a file, the sign between its fields, and some rows below.

    In Parquet, whose names are no row, the last two are None.
    """
    if not path.exists():
        raise QuiffError(f"there is no file {str(path)!r}{hint}")
    if not (path.is_dir() or path.suffix == ".parquet"):
        with _unpacked(path) as stream:
            return head_of(stream, str(path))
    try:
        names = tuple(parquet.ParquetDataset(path, partitioning=None).schema.names)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error, " as Parquet") from error
    if path.is_dir() and not names:
        raise QuiffError(f"the folder {str(path)!r} has no Parquet file{hint}")
    return names, None, None


@contextmanager
def _unpacked(path: Path, *, whole: bool = False) -> Iterator[BinaryIO]:
    """Open a file for reading its bytes, unpacked; a tar archive must hold one file.

    That there is no other, and that nothing is damaged, is checked if the file was read to its end, which
    `whole` says. So the archive is unpacked here: tarfile by itself checks no digest.
    """
    try:
        if re.search(r"[.](tar|tgz)([.]\w+)?$", path.name):
            with _archive_bytes(path) as packed, tarfile.open(fileobj=packed, mode="r|") as archive:
                files = (member for member in archive if member.isfile())
                first = next(files, None)
                if first is None:
                    raise QuiffError(f"{str(path)!r} has no file; an archive of one is expected")
                with bounded_lines(cast("BinaryIO", archive.extractfile(first)), str(path)) as stream:
                    yield stream
                if whole and next(files, None) is not None:
                    raise QuiffError(f"{str(path)!r} has several files; an archive of one is expected")
                while whole and packed.read(_BLOCK):
                    pass  # the digest stands behind the last byte
        else:
            with opened_lines(find_source(path)) as stream:
                yield stream
    except (*DAMAGES, tarfile.TarError, lzma.LZMAError) as error:
        told = _unreadable(path, error)
        with suppress(QuiffError):  # another way of packing; one of gzip tells how far it can be read
            source = find_source(path)
            told = damage(source, error) if source.packed else told
        raise told from error


def _archive_bytes(path: Path) -> IO[bytes]:
    """Open an archive for its bytes, unpacked and checked by what they are packed by."""
    with path.open("rb") as stream:
        first = stream.read(6)
    if first.startswith(b"BZh"):
        return cast("IO[bytes]", bz2.open(path))
    if first.startswith(b"\xfd7zXZ"):
        return cast("IO[bytes]", lzma.open(path))
    return cast("IO[bytes]", gzip.open(path)) if first.startswith(b"\x1f\x8b") else path.open("rb")


def _unreadable(path: Path, error: BaseException, what: str = "") -> QuiffError:
    return QuiffError(f"cannot read {str(path)!r}{what}: {engine_line(error)}")
