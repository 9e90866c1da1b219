r"""How many records a log has, counted from its bytes alone: what every run is checked against.

Nothing here is shared with what reads logs. A line ends with ``\n``, ``\r\n`` or ``\r``; blank lines do not
count. Where fields may stand in quotes, a record may go over several lines. But if such a record has text
after a closing quote, not as many fields as it should, more than :data:`MOST_LINES` lines, or one that is
longer than :data:`LONGEST_LINE`, then its first line is a record by itself, and the next line begins another.

On the way the bytes are searched for what engines do not agree upon.
"""

from codecs import BOM_UTF8, getincrementaldecoder
from dataclasses import dataclass

import numpy as np

from quiff.core.numbers import Array

__all__ = ["LONGEST_LINE", "MOST_LINES", "LineCount"]

LONGEST_LINE = 1 << 20
"""How many bytes a line may have."""

MOST_LINES = 100
"""How many lines a record may have."""

_LF, _QUOTE = b'\n"'
_OPEN, _BROKEN = -1, -2


@dataclass
class LineCount:
    r"""A count of records that goes on block by block.

    Parameters
    ----------
    delimiter
        What stands between fields: one byte.
    quoted
        Whether fields may stand in double quotes.
    fields
        The number of fields that a record should have.

    Attributes
    ----------
    records
        The records so far, and after :meth:`end` all of them.
    odd
        Whether a reader could go wrong: by bytes that are no UTF-8 or NUL, ends of lines of several kinds, a
        long line, or quotes elsewhere than around whole fields within a line.
    quotes
        Whether there are quotes that may stand around fields.
    delimiters
        How many delimiters there are, within quotes or not.

    Examples
    --------
    >>> count = LineCount(b",", True, 2).add(b'a,b\n\n1,"x\ny"\n2,"open\n3,').end()
    >>> count.records, count.odd
    (4, True)
    """

    delimiter: bytes
    quoted: bool
    fields: int
    records: int = 0
    odd: bool = False
    quotes: bool = False
    delimiters: int = 0

    def __post_init__(self) -> None:
        self._started = False
        self._held = b""
        self._last = _LF
        self._cr_is_last = False
        self._cr = self._lf = self._crlf = 0
        self._decoder = getincrementaldecoder("utf-8")()

    @property
    def ends(self) -> str:
        """The bytes that end the lines, if the log is not odd."""
        return "\r\n" if self._cr else "\n"

    def add(self, block: bytes) -> "LineCount":
        """Count a block of at most half of :data:`LONGEST_LINE` bytes."""
        if not self._started:
            self._started, block = True, block.removeprefix(BOM_UTF8)
        self._search(block)
        block = self._with_plain_ends(block)
        if self.quoted:
            self._count_quoted(block, final=False)
        else:
            self._count(block)
        return self

    def end(self) -> "LineCount":
        """Count what is left at the end of a file."""
        if self.quoted:
            self._count_quoted(b"", final=True)
        if self._last != _LF:
            self.records, self._last = self.records + 1, _LF
        self._check_text(b"", final=True)
        self.odd |= self._cr > 0 and not self._cr == self._lf == self._crlf
        return self

    def _search(self, block: bytes) -> None:
        """Look for what is odd, but for quotes."""
        endless = len(block) >= LONGEST_LINE // 2 and b"\n" not in block and b"\r" not in block
        self.odd |= endless or b"\0" in block
        self.delimiters += block.count(self.delimiter)
        self._lf += block.count(b"\n")
        if b"\r" in block or self._cr_is_last:
            self._cr += block.count(b"\r")
            self._crlf += block.count(b"\r\n") + (self._cr_is_last and block.startswith(b"\n"))
        if not (block.isascii() and not self._decoder.getstate()[0]):
            self._check_text(block)

    def _check_text(self, block: bytes, *, final: bool = False) -> None:
        if self.odd:
            return
        try:
            self.odd = "\ufeff" in self._decoder.decode(block, final)
        except UnicodeDecodeError:
            self.odd = True

    def _with_plain_ends(self, block: bytes) -> bytes:
        r"""Return a block whose lines end with ``\n``, whatever they end with in the file."""
        if self._cr_is_last:
            block = block.removeprefix(b"\n")
        if block:
            self._cr_is_last = block.endswith(b"\r")
        return block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in block else block

    def _count(self, block: bytes) -> None:
        """Count the ends of lines that are not blank: those after a byte that ends no line."""
        if not block:
            return
        before, self._last = self._last, block[-1]
        blank_first = block[0] == before == _LF
        if b"\n\n" not in block:
            self.records += block.count(b"\n") - blank_first
            return
        ends = np.frombuffer(block, np.uint8) == _LF
        self.records += int(np.count_nonzero(ends[1:] & ~ends[:-1])) + int(ends[0] and not blank_first)

    def _count_quoted(self, block: bytes, *, final: bool) -> None:
        """Count the records that are whole in what is held and this block, and hold the rest."""
        text = self._held + block
        stop = len(text) if final else text.rfind(b"\n") + 1
        if not stop and len(text) > 2 * LONGEST_LINE:
            text = text[: 2 * LONGEST_LINE]  # however long the line is, it is too long
        self.quotes |= b'"' in text
        if b'"' not in text[:stop] or _well_quoted(np.frombuffer(text[:stop], np.uint8), self.delimiter[0]):
            self._count(text[:stop])
        else:
            self.odd = True
            stop = self._count_one_by_one(text, final)
        self._held = text[stop:]

    def _count_one_by_one(self, text: bytes, final: bool) -> int:
        """Count records one after the other; return where the first one begins that may not be whole."""
        start, size = 0, len(text)
        while start < size:
            end = text.find(b"\n", start)
            if end < 0 and not final:
                break
            end = size if end < 0 else end
            if end > start:
                whole = self._record_end(text, start, end, final)
                if whole is None:
                    break
                self.records += 1
                end = whole
            start = end + 1
        return min(start, size)

    def _record_end(self, text: bytes, start: int, first: int, final: bool) -> int | None:
        """Return where a record ends whose first line is ``text[start:first]``; None if it cannot be told."""
        if text.find(b'"', start, first) < 0 or first - start > LONGEST_LINE:
            return first
        end, _ = self._closed(text, start, first)
        if end != _OPEN:
            return first
        reach, sure = _reach(text, first, final)
        end, fields = self._closed(text, start, reach)
        if not sure and end in (_OPEN, reach):
            return None
        return end if end > first and fields == self.fields else first

    def _closed(self, text: bytes, place: int, bound: int) -> tuple[int, int]:
        """Return where the record ends that begins at `place`, and its fields; text stops at `bound`.

        The end is _OPEN if a quote does not close, and _BROKEN if text follows a closing quote.
        """
        fields, delimiter = 1, self.delimiter
        while True:
            if place < bound and text[place] == _QUOTE:
                place = _closing(text, place + 1, bound)
                if place < 0:
                    return _OPEN, fields
                place += 1
                if place < bound and text[place] != _LF and text[place] != delimiter[0]:
                    return _BROKEN, fields
            else:
                comma, end = text.find(delimiter, place, bound), text.find(b"\n", place, bound)
                place = min(found for found in (comma, end, bound) if found >= 0)
            if place == bound or text[place] == _LF:
                return place, fields
            fields, place = fields + 1, place + 1


def _closing(text: bytes, place: int, bound: int) -> int:
    """Return where the quote is that closes a field; -1 if there is none before `bound`."""
    while (place := text.find(b'"', place, bound)) >= 0 and text[place + 1 : min(place + 2, bound)] == b'"':
        place += 2
    return place


def _reach(text: bytes, end: int, final: bool) -> tuple[int, bool]:
    """Return where a record must end at the latest whose first line ends at `end`, and if that is sure."""
    for _ in range(MOST_LINES - 1):
        following = text.find(b"\n", end + 1)
        whole = following >= 0
        following = following if whole else len(text)
        if following - end - 1 > LONGEST_LINE:
            return end, True
        if not whole:
            return following, final
        end = following
    return end, True


def _well_quoted(text: Array, delimiter: int) -> bool:
    """Say if quotes stand around whole fields within a line only, or doubled within these."""
    quotes = np.flatnonzero(text == _QUOTE)
    if quotes.size % 2:
        return False
    opening, closing = quotes[::2], quotes[1::2]
    around = np.zeros(256, bool)
    around[[_LF, _QUOTE, delimiter]] = True
    before = around[text[np.maximum(opening - 1, 0)]] | (opening == 0)
    after = around[text[np.minimum(closing + 1, text.size - 1)]] | (closing == text.size - 1)
    if not (before.all() and after.all()):
        return False
    return not bool((np.searchsorted(quotes, np.flatnonzero(text == _LF)) % 2).any())
