r"""How many records a log has, counted from its bytes alone: what every run is checked against.

Nothing here is shared with what reads logs. A line ends with ``\n``, ``\r\n`` or ``\r``; blank lines do not
count. Where fields may stand in quotes, a record may go over several lines. But if such a record has text
after a closing quote, not as many fields as it should, more than :data:`MOST_LINES` lines, or one that is
longer than :data:`LONGEST_LINE`, then its first line is a record by itself, and the next line begins another.

On the way the bytes are searched for what engines do not agree upon.
"""

from codecs import BOM_UTF8, getincrementaldecoder
from dataclasses import dataclass, field

import numpy as np

from quiff.core.numbers import Array

LONGEST_LINE = 1 << 20  # how many bytes a line may have
MOST_LINES = 100  # how many lines a record may have
UNIT = b"\x1f"  # A byte that no reader needs to know: it can stand between fields where there is but one
_LF, _CR, _QUOTE = b'\n\r"'
_WORD = np.dtype("<u8")  # 64 places; whatever the machine's order of bytes
_NONE = np.empty(0, _WORD)
_EXAMPLES = 5
_OPEN, _BROKEN = -1, -2


@dataclass
class LineCount:
    r"""A count of records that goes on block by block.

    >>> count = LineCount(b",", True, 2).add(b'a,b\n\n1,"x\ny"\n2,"open\n3,').end()
    >>> count.records, count.odd
    (4, True)
    """

    delimiter: bytes  # what stands between fields: one byte
    quoted: bool  # whether fields may stand in double quotes
    fields: int  # the number of fields that a record should have
    records: int = 0  # the records so far, and after :meth:`end` all of them
    # Whether a reader could go wrong: by bytes that are no UTF-8, NUL or :data:`UNIT`, ends of lines of
    # several kinds, a long line, or quotes elsewhere than around whole fields within a line.
    odd: bool = False
    quotes: bool = False  # whether there are quotes that may stand around fields
    ragged: int = 0  # how many records have another number of fields, if the log is not odd
    # The line and the number of fields of the first ones of them.
    examples: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._started = self._cr_is_last = self._only_lf = False
        self._held = b""
        self._memory = np.empty(0, bool)
        self._lines = self._cr = self._lf = self._crlf = 0
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
        self._go_on(self._with_plain_ends(block), final=False)
        return self

    def end(self) -> "LineCount":
        """Count what is left at the end of a file."""
        self._go_on(b"", final=True)
        self._check_text(b"", final=True)
        self.odd |= self._cr > 0 and (self._only_lf or not self._cr == self._lf == self._crlf)
        return self

    def _search(self, block: bytes) -> None:
        """Look for what is odd, but for quotes."""
        endless = len(block) >= LONGEST_LINE // 2 and b"\n" not in block and b"\r" not in block
        self.odd |= endless or b"\0" in block or UNIT in block
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
        r"""Return a block whose lines end with ``\n``, whatever they end with; count these ends."""
        goes_on = self._cr_is_last and block.startswith(b"\n")
        self._cr_is_last = block.endswith(b"\r")
        if not goes_on and b"\r" not in block:
            self._only_lf |= b"\n" in block
            return block
        text = np.frombuffer(block, np.uint8)
        cr, lf = _bits(self._places(text, _CR)), _bits(self._places(text, _LF))
        n_cr, n_crlf = _ones(cr), _ones(cr & _next(lf))
        self._cr, self._lf, self._crlf = self._cr + n_cr, self._lf + _ones(lf), self._crlf + n_crlf + goes_on
        block = block[goes_on:]
        if n_cr == n_crlf + self._cr_is_last:
            return block.translate(None, b"\r") + b"\n" * self._cr_is_last
        return block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _go_on(self, block: bytes, *, final: bool) -> None:
        """Count the records that are whole in what is held and this block, and hold the rest."""
        text = self._held + block
        if final and text and not text.endswith(b"\n"):
            text += b"\n"
        stop = text.rfind(b"\n") + 1
        if not stop and len(text) > 2 * LONGEST_LINE:
            text = text[: 2 * LONGEST_LINE]  # however long the line is, it is too long
        if stop and not self._count(np.frombuffer(text, np.uint8, stop)):
            self.odd = True
            stop = self._count_one_by_one(text, final)
        self._held = text[stop:]

    def _count(self, text: Array) -> bool:
        """Count lines that are not blank, and the fields in them; not if quotes are odd, and say if so."""
        delimiters = _bits(self._places(text, self.delimiter[0]))
        quotes = _bits(self._places(text, _QUOTE)) if self.quoted else _NONE
        is_end = self._places(text, _LF)
        if quotes.any():
            self.quotes = True
            inside = _inside(quotes)
            if not _well_quoted(quotes, inside, delimiters, _bits(is_end)):
                return False
            delimiters &= ~inside
        ends = np.flatnonzero(is_end)
        fields = np.diff(_ones_before(delimiters, ends), prepend=0) + 1
        filled = np.diff(ends, prepend=-1) > 1
        ragged = np.flatnonzero(filled & (fields != self.fields))
        self.records += int(np.count_nonzero(filled))
        self.ragged += ragged.size
        for line in ragged[: _EXAMPLES - len(self.examples)]:
            self.examples.append((self._lines + int(line) + 1, int(fields[line])))
        self._lines += ends.size
        return True

    def _places(self, text: Array, byte: int) -> Array:
        """Say of each place if a byte stands there, until the next call: new memory would cost more time."""
        if self._memory.size < text.size:
            self._memory = np.empty(2 * text.size, bool)
        return np.equal(text, byte, out=self._memory[: text.size])

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


def _bits(where: Array) -> Array:
    """Return truth values as bits: the lowest of the first word is the first of them."""
    packed = np.packbits(where, bitorder="little")
    words = np.zeros(-(-where.size // 64), _WORD)
    words.view(np.uint8)[: packed.size] = packed
    return words


def _ones(bits: Array) -> int:
    """Return how many bits are set."""
    return int(np.bitwise_count(bits).sum(dtype=np.int64))


def _next(bits: Array) -> Array:
    """Return of each place the bit of the next one."""
    following = bits >> 1
    following[:-1] |= bits[1:] << 63
    return following


def _inside(quotes: Array) -> Array:
    """Say of each place if there is an odd number of quotes up to it: sums modulo 2 of bits, word by word."""
    sums = quotes.copy()
    for shift in (1, 2, 4, 8, 16, 32):
        sums ^= sums << shift
    sums[1:] ^= -np.bitwise_xor.accumulate(sums[:-1] >> 63)
    return sums


def _well_quoted(quotes: Array, inside: Array, delimiters: Array, ends: Array) -> bool:
    """Say if quotes stand around whole fields within a line only, or doubled within these."""
    around = quotes | delimiters | ends
    before, after = around << 1, _next(around)
    before[1:] |= around[:-1] >> 63
    before[0] |= 1
    wrong = (ends & inside) | (quotes & inside & ~before) | (quotes & ~inside & ~after)
    return not wrong.any()


def _ones_before(bits: Array, places: Array) -> Array:
    """Return how many bits are set before each of some places, at which none is."""
    words = places >> 6
    upto = np.cumsum(np.bitwise_count(bits), dtype=np.int64)
    beyond = bits[words] >> (places & 63).astype(_WORD)
    before: Array = upto[words] - np.bitwise_count(beyond)
    return before
