"""HTML pages that hold all they need: one frame for every page that quiff writes, with a strict policy.

The policy of a page allows its own styles and scripts by their digests, and nothing else: no other script, no
handler in an attribute, no request. Data reach a script only through `embedded`.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from html import escape
from typing import Any

from quiff.errors import QuiffError
from quiff.safe_text import visible

# What could end the element or begin another; escaped, it means the same to JSON.
_JSON = {ord(character): f"\\u{ord(character):04x}" for character in "<>&"}


def html_page(title: str, body: str, *, style: str = "", scripts: Sequence[str] = ()) -> str:
    """Return a whole page around a body that is HTML already.

    Parameters
    ----------
    title
        Text; it is escaped.
    body
        HTML, in which all text has gone through `html_text` and all data through `embedded`.
    style
        The rules of the page's own style sheet.
    scripts
        The page's own modules, run in their order. They must hold no data.

    Raises
    ------
    QuiffError
        If a style or a script would end its own element.

    Examples
    --------
    >>> page = html_page("A & B", "<p>Hello.</p>")
    >>> "<title>A &amp; B</title>" in page, "script-src" in page
    (True, False)
    """
    for text in (style, *scripts):
        if any(mark in text.lower() for mark in ("</style", "</script", "<script", "<!--")):
            raise QuiffError("a page's own style or script would end its own element")
    policy = ["default-src 'none'", "img-src data:", "base-uri 'none'", "form-action 'none'"]
    policy += [f"style-src {_digest(style)}"] if style else []
    policy += [f"script-src {' '.join(map(_digest, scripts))}"] if scripts else []
    lines = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(policy)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html_text(title)}</title>",
        *([f"<style>{style}</style>"] if style else []),
        "</head>",
        "<body>",
        body,
        *(f'<script type="module">{script}</script>' for script in scripts),
        "</body>",
        "</html>",
    ]
    return "\n".join(lines) + "\n"


def embedded(name: str, value: Any) -> str:
    r"""Return data as an element from which a script of the page reads them as JSON; they are never run.

    Parameters
    ----------
    name
        The element's id.
    value
        What JSON can hold.

    Examples
    --------
    >>> print(embedded("names", ["</script><script>alert(1)"]))
    <script type="application/json" id="names">["\u003c/script\u003e\u003cscript\u003ealert(1)"]</script>
    """
    text = json.dumps(value).translate(_JSON)
    return f'<script type="application/json" id="{escape(name)}">{text}</script>'


def html_text(text: str) -> str:
    r"""Return text for HTML, in an element or between double quotes.

    Examples
    --------
    >>> html_text('<b>"\x1b')
    '&lt;b&gt;&quot;\\x1b'
    """
    return escape(visible(text))


def _digest(text: str) -> str:
    """Return the digest by which a policy allows a style or a script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
