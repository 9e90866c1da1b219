"""Docstrings may say :func:`name`, which Markdown does not know: the reference shows the name alone."""

import re

_ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):(?=<code>)")


def on_page_content(content: str, **_: object) -> str:
    """Take the roles away."""
    return _ROLE.sub("", content)
