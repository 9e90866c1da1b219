"""Formulas become MathML when the site is built, so that a page needs no script to show them."""

import html
import re
from xml.etree.ElementTree import Element, tostring

from latex2mathml.converter import convert_to_element

_INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
_DISPLAY = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)
_LIMITS = {"max", "min", "sup", "inf", "arg max", "arg min", "Pr"}  # below which an index stands
_OPERATORS = {"\N{WHITE RIGHT-POINTING TRIANGLE}", ":", "\N{PARALLEL TO}"}  # which have space around them
_SPACES = {"/": "0", **dict.fromkeys(_LIMITS, "0.167em")}  # on either side, as LaTeX has them


def on_page_content(content: str, **_: object) -> str:
    """Replace what pymdownx.arithmatex has marked as formulas."""
    content = _DISPLAY.sub(lambda found: _block(_mathml(found[1], "block")), content)
    return _INLINE.sub(lambda found: f'<span class="maths">{_mathml(found[1], "inline")}</span>', content)


def _block(mathml: str) -> str:
    """Wrap a formula that stands by itself, so that a wide one can be scrolled, by keyboard too."""
    return f'<div class="maths" role="group" aria-label="Formula" tabindex="0">{mathml}</div>'


def _mathml(latex: str, display: str) -> str:
    root = convert_to_element(html.unescape(latex).strip(), display=display)
    for element in reversed(list(root.iter())):  # what is inside first
        _improve(element, display)
    return tostring(root, encoding="unicode")


def _improve(element: Element, display: str) -> None:
    """Write signs as such, put indices below where a display has them, and set operators as LaTeX does."""
    element.text = html.unescape(element.text) if element.text else None
    if element.tag == "msub" and display == "block" and element[0].text in _LIMITS:
        element.tag = "munder"
    if element.tag == "mi" and element.text in _OPERATORS:
        element.tag = "mo"
    if element.tag == "mo" and element.text in _SPACES:
        element.attrib |= {"lspace": _SPACES[element.text], "rspace": _SPACES[element.text]}
