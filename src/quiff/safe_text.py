"""Text of others, shown without harm: nothing in it moves a terminal's cursor, hides what is written or runs.

What becomes Markdown, LaTeX or HTML is escaped in `quiff.results`.
"""

import json
import re
from collections.abc import Container, Iterable

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
_LONGEST = 40


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


def shape(text: object) -> str:
    """Return what something looks like, without its content: digits as 9, letters as a, in quotes.

    For messages on data of people, which must not repeat them.

    Examples
    --------
    >>> print(shape("2006-03-01 07:17:12"), shape("Zoë's"), shape(-1.5), shape(None))
    '9999-99-99 99:99:99' "aaa'a" '-9.9' nothing
    """
    if text is None:
        return "nothing"
    whole = str(text)
    formed = "".join(map(_form, whole[:_LONGEST]))
    return repr(formed if len(whole) <= _LONGEST else formed + "...")


def shapes(names: Iterable[object], known: Container[object] = ()) -> str:
    """Return a list of what may be names of columns or, where a file has no such line, somebody's data.

    Examples
    --------
    >>> print(shapes(["user", "Alice", "17"], known=("user", "topics")))
    'user', 'aaaaa', '99'
    """
    return ", ".join(repr(name) if name in known else shape(name) for name in names) or "none"


def _form(character: str) -> str:
    if character.isdecimal():
        return "9"
    if character.isalpha():
        return "a"
    return character if character.isascii() else "?"


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
