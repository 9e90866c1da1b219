"""The errors that quiff raises: all are :class:`QuiffError`, and all are :class:`ValueError`.

A message quotes the value that is wrong and says what would be right.
"""

__all__ = [
    "GainError",
    "LabelError",
    "ParameterError",
    "ProbabilityError",
    "QuiffError",
    "ShapeError",
    "SizeError",
]


class QuiffError(ValueError):
    """Something that the caller gave cannot be used; the parent of every error in quiff."""


class LabelError(QuiffError):
    """A label is missing, unknown or there twice."""


class ProbabilityError(QuiffError):
    """Numbers that should be probabilities are not, or do not sum to one."""


class GainError(QuiffError):
    """A gain is negative, not finite, or useless for the question asked."""


class ParameterError(QuiffError):
    """A parameter lies outside its allowed range."""


class ShapeError(QuiffError):
    """An array does not have the shape that its labels ask for."""


class SizeError(QuiffError):
    """The result would not fit into the memory that the limit allows."""
