"""Text of others, shown without harm: nothing in it moves a terminal's cursor or hides what is written.

What is written in formats of files (CSV, Markdown, LaTeX, HTML) is made harmless in `quiff.results`.
"""

import re

__all__ = ["shape", "visible", "visible_lines"]

# Control characters (C0, DEL, C1), what turns the direction of writing around, line and paragraph separators,
# halves of surrogate pairs, and code points that are no characters.
_HARMFUL = "\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef" + "".join(
    f"{chr(plane << 16 | 0xFFFE)}-{chr(plane << 16 | 0xFFFF)}" for plane in range(17)
)
_IN_CELLS = re.compile(f"[{_HARMFUL}]")
_IN_LINES = re.compile(f"(?![\t\n])[{_HARMFUL}]")
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


def _form(character: str) -> str:
    if character.isdecimal():
        return "9"
    if character.isalpha():
        return "a"
    return character if character.isascii() else "?"


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
