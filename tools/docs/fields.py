"""A field of a class is described by the comment beside it, or above it; the reference shows that."""

import re

import griffe

_COMMENT = re.compile(r"(?:^|\s)# (?!noqa|type:)(.*?)(?:\s+# (?:noqa|type:).*)?$")


class FieldComments(griffe.Extension):
    """Take the comments of annotated fields for their docstrings."""

    def on_attribute_instance(self, *, attr: griffe.Attribute, **_: object) -> None:
        """Look at the lines of a field that has no docstring."""
        if attr.docstring or attr.annotation is None or not attr.parent.is_class or attr.is_private:
            return
        if attr.lineno is None or attr.endlineno is None:
            return
        lines = attr.lines_collection[attr.filepath]
        beside = _COMMENT.search(lines[attr.endlineno - 1])
        above = []
        for line in reversed(lines[: attr.lineno - 1]):
            if not line.lstrip().startswith("# "):
                break
            above.insert(0, line.strip(" #"))
        text = beside[1] if beside else " ".join(above)
        if text:
            text = text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")
            attr.docstring = griffe.Docstring(text, parent=attr)
