"""Builders of well-known channels, and of the best ones for a purpose by linear programs."""

from quiff.measures.noise import *
from quiff.measures.response import *

_FILES = ("quiff.measures.noise", "quiff.measures.response")


def __dir__() -> list[str]:
    """Return the names of the builders, but not what their files import."""
    values = globals().items()
    return sorted(name for name, value in values if getattr(value, "__module__", None) in _FILES)
