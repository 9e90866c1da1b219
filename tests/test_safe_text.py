"""Text of others is shown without its control characters, and the data of people only by their shape."""

import unicodedata

import hypothesis.strategies as st
from hypothesis import given

from quiff.safe_text import form, shape, visible, visible_lines

OVERRIDES = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}


def controls(character):
    """Whether a character controls, by Unicode's own tables."""
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or ord(character) in OVERRIDES


anything = st.text(
    st.one_of(st.characters(), st.characters(categories=["Cc", "Cf", "Cs", "Zl"])), max_size=20
)


@given(anything)
def test_no_control_character_is_left_and_all_others_stay(text):
    shown = visible(text)
    assert not any(map(controls, shown))
    shown.encode()  # no half of a surrogate pair
    assert [c for c in shown if not c.isascii()] == [
        c for c in text if not c.isascii() and not controls(c) and not _is_none(c)
    ]
    assert visible(shown) == shown


def _is_none(character):
    """Whether Unicode promises that a code point will never be a character."""
    return ord(character) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(character) <= 0xFDEF


@given(anything)
def test_lines_and_tabs_stay_where_they_are_asked_for(text):
    shown = visible_lines(text)
    assert not any(controls(c) for c in shown if c not in "\t\n")
    assert shown.replace("\n", "\\n").replace("\t", "\\t") == visible(text)


@given(anything)
def test_a_shape_has_no_letter_but_a_and_no_digit_but_9(text):
    inside = form(text)[1:-1].removesuffix("...")
    for escape in ("\\n", "\\r", "\\t", "\\\\", "\\'"):
        inside = inside.replace(escape, "")
    assert shape(text).isascii()
    assert shape(text) in (form(text), f"{form(text)} (only its form; --show-rows shows all)")
    assert {c for c in inside if c.isalnum()} <= {"9", "a"} or "\\x" in inside
