"""Text for Markdown and LaTeX: nothing in it is taken for a sign of the language."""

import re

from quiff.safe_text import visible

_LATEX = {
    "\\": r"\textbackslash{}",
    **{c: "\\" + c for c in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\^{}",
}
_MARKDOWN = re.compile(r"[\\`*|\[\]]|(?<!\w)_|_(?!\w)")
_ENTITY = re.compile(r"&(?=#?\w+;)")


def markdown_text(text: str) -> str:
    r"""Return text for a line or a cell of Markdown.

    Examples
    --------
    >>> print(markdown_text("a|b <i>[c](javascript:d)"))
    a\|b &lt;i&gt;\[c\](javascript:d)
    """
    plain = _ENTITY.sub("&amp;", visible(text)).replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(lambda match: "\\" + match[0], plain)


def latex_text(text: str) -> str:
    r"""Return text for LaTeX.

    Examples
    --------
    >>> print(latex_text("50 % of \\input{a_b}"))
    50 \% of \textbackslash{}input\{a\_b\}
    """
    plain = "".join(_LATEX.get(character, character) for character in visible(text))
    # A bracket or a star at the beginning of a row would belong to the end of the row before.
    return f"{{{plain[0]}}}{plain[1:]}" if plain[:1] in ("[", "*") else plain
