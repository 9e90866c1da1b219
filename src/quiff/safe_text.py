"""Text of others, shown without harm: nothing in it moves a terminal's cursor, hides what is written or runs.

What becomes Markdown, LaTeX or HTML is escaped in `quiff.results`.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from quiff.errors import QuiffError, SizeError

# Control characters (C0, DEL, C1), what turns the direction of writing around, line and paragraph separators,
# halves of surrogate pairs, and code points that are no characters.
_HARMFUL = "\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef" + "".join(
    f"{chr(plane << 16 | 0xFFFE)}-{chr(plane << 16 | 0xFFFF)}" for plane in range(17)
)
_IN_CELLS = re.compile(f"[{_HARMFUL}]")
_IN_LINES = re.compile(f"(?![\t\n])[{_HARMFUL}]")
_FORMULA = re.compile(r"'*[=+\-@\t\n\r\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(
    r"[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})(e[+-]?\d{1,4})?|[+-]?inf", re.ASCII | re.IGNORECASE
)
_LONGEST, _COLUMNS = 40, 20  # characters of a cell, and columns, that a message has
_TOPIC = re.compile("[0-9]{1,4}")  # what public taxonomies number
_NAME = re.compile(r"[^\W\d](?:[^\W\d]|[ .-]){0,39}[0-9]{0,2}")
_DATA = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}|://|^[0-9.]+$|^www[.]|@")
# The columns of quiff's own tables and of published ones: those that mean nothing but a column, and others.
_SURE = re.compile(
    "user|topics|t[1-9][0-9]{0,3}|randid|s_?topics|all_?topics|querytime|browsinghistory|anonid|clickurl",
    re.IGNORECASE,
)
_OWN = re.compile(
    "time|url|domain|topic|epoch|genuine|ranking|history|site|callers|onlookers|host|output|late|kind|value"
    "|conversions|secret|observation|weights?",
    re.IGNORECASE,
)
_SHOWN: ContextVar[bool] = ContextVar("rows_shown", default=False)


def visible(text: str) -> str:
    r"""Return text of one line, with an escape in place of each character that controls rather than shows.

    Examples
    --------
    >>> print(visible("News\x1b[31m\n\u202e"))
    News\x1b[31m\n\u202e
    >>> visible("Notícias & Ciência")
    'Notícias & Ciência'
    """
    return _IN_CELLS.sub(_escape, text)


def visible_lines(text: str) -> str:
    r"""Return text as `visible` does, but with its lines and tabs.

    Examples
    --------
    >>> print(visible_lines("two\nlines\x07"))
    two
    lines\x07
    """
    return _IN_LINES.sub(_escape, text)


def visible_json(text: str) -> str:
    r"""Return JSON that means the same, with control characters as JSON's own escapes.

    Examples
    --------
    >>> print(visible_json('["\u202e"]'))
    ["\u202e"]
    """
    return _IN_LINES.sub(lambda found: json.dumps(found[0])[1:-1], text)


def csv_cell(text: str) -> str:
    """Return text for a cell of a CSV file, with an apostrophe before what a spreadsheet would run.

    Those are texts that begin with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return, but for numbers.

    Examples
    --------
    >>> csv_cell("=HYPERLINK(1)"), csv_cell("-1.5"), csv_cell("News")
    ("'=HYPERLINK(1)", '-1.5', 'News')
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def csv_text(cell: str) -> str:
    """Return the text of a cell that `csv_cell` has made.

    Examples
    --------
    >>> csv_text("'=HYPERLINK(1)"), csv_text("'News'")
    ('=HYPERLINK(1)', "'News'")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


@contextmanager
def rows_shown() -> Iterator[None]:
    """Let messages show what they leave out of people's data, inside a ``with`` block (``--show-rows``).

    Examples
    --------
    >>> with rows_shown():
    ...     print(shape("Zoë's"))
    "Zoë's"
    """
    token = _SHOWN.set(True)
    try:
        yield
    finally:
        _SHOWN.reset(token)


def rows_are_shown() -> bool:
    """Say if `rows_shown` is at work."""
    return _SHOWN.get()


@contextmanager
def rows_left_out(instead: str) -> Iterator[None]:
    """Put other words in the place of an error that may repeat the data of people, unless rows are shown.

    Examples
    --------
    >>> with rows_left_out("a secret is none of the API's"):
    ...     raise QuiffError("'Zoë' is no number")
    Traceback (most recent call last):
    quiff.errors.QuiffError: a secret is none of the API's; what is wrong is left out (--show-rows shows it)
    """
    try:
        yield
    except Exception as error:
        if _SHOWN.get() or isinstance(error, SizeError):
            raise
        kind = type(error) if isinstance(error, QuiffError) else QuiffError
        raise kind(f"{instead}; what is wrong is left out (--show-rows shows it)") from None


def form(text: object) -> str:
    """Return what something looks like, without its content: digits as 9, letters as a, in quotes.

    Examples
    --------
    >>> print(form("2006-03-01 07:17:12"), form("Zoë's"), form(-1.5), form(None))
    '9999-99-99 99:99:99' "aaa'a" '-9.9' nothing
    """
    if text is None:
        return "nothing"
    whole = str(text)
    formed = "".join(map(_form, whole[:_LONGEST]))
    return repr(formed if len(whole) <= _LONGEST else formed + "...")


def shape(text: object) -> str:
    """Return the `form` of something, and that it is no more than that, unless nothing is left out.

    For messages on data of people, which must not repeat them.

    Examples
    --------
    >>> print(shape("7a"), shape("--"))
    '9a' (only its form; --show-rows shows all) '--'
    """
    if text is None or _SHOWN.get():
        return "nothing" if text is None else visible(repr(str(text)))
    formed = form(text)
    return formed if formed == repr(str(text)) else f"{formed} (only its form; --show-rows shows all)"


def topic_shape(topic: object) -> str:
    """Return a topic: the number of a public taxonomy as it is, of all else the `shape`.

    Examples
    --------
    >>> print(topic_shape(400), topic_shape("629"), topic_shape("Zoë"))
    '400' '629' 'aaa' (only its form; --show-rows shows all)
    """
    return f"'{topic}'" if _TOPIC.fullmatch(str(topic)) else shape(topic)


def column_names(names: Iterable[object], below: Sequence[Sequence[object]] | None = None) -> str:
    """Return a list of names of columns; where the line may be somebody's data, quiff's own and forms.

    A line of text has names if none comes again in its column among the rows `below` it, and some cell there
    looks like data, or one of the names is quiff's. Without `below` they are names for sure, as in Parquet.

    Examples
    --------
    >>> print(column_names(["Time", "Domain", "Zoë"], below=[["History", "Law", "Art"]]))
    'Time', 'Domain', 'aaa' (only their forms; --show-rows shows all)
    >>> print(column_names(["member", "seen at"], below=[["Zoë", "2006-03-01"]]))
    'member', 'seen at'
    """
    texts = list(map(str, names))
    named = below is None or are_names(texts, below)
    several = sum(bool(_SURE.fullmatch(text) or _OWN.fullmatch(text)) for text in texts) > 1
    plain = [
        below is None
        or _SHOWN.get()
        or any(own.fullmatch(text) for own in (_SURE, *[_OWN] * several, *[_NAME] * named))
        for text in texts[:_COLUMNS]
    ]
    listed = [visible(repr(text)) if seen else form(text) for text, seen in zip(texts, plain, strict=False)]
    more = ["..."] * (len(texts) > _COLUMNS)
    left_out = "" if all(plain) else " (only their forms; --show-rows shows all)"
    return (", ".join([*listed, *more]) or "none") + left_out


def are_names(names: Sequence[object], below: Sequence[Sequence[object]]) -> bool:
    """Say if a first line must be names.

    None comes again in its column, and some column has data below, or is one of quiff's own.
    """
    pairs = [(str(name), str(cell)) for row in below for name, cell in zip(names, row, strict=False)]
    return (
        not looks_like_data(names)
        and all(name != cell for name, cell in pairs)
        and (
            any(_DATA.search(cell) for _, cell in pairs) or any(_SURE.fullmatch(str(name)) for name in names)
        )
    )


def looks_like_data(names: Iterable[object]) -> bool:
    """Say if a first line has what no column is called: a date, a number, an address."""
    return any(_DATA.search(str(name)) for name in names)


def _form(character: str) -> str:
    if character.isdecimal():
        return "9"
    if character.isalpha():
        return "a"
    return character if character.isascii() else "?"


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
