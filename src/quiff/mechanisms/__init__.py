"""Builders of well-known channels, and of the best ones for a purpose by linear programs."""

from quiff.measures.noise import (
    geometric,
    laplace,
    planar_geometric,
    planar_laplace,
    truncated_geometric,
)
from quiff.measures.response import (
    exact_distance,
    exponential,
    hiding_row,
    least_information,
    randomised_response,
    rappor,
    subset_selection,
    tight_constraints,
    warner,
)

__all__ = [
    "exact_distance",
    "exponential",
    "geometric",
    "hiding_row",
    "laplace",
    "least_information",
    "planar_geometric",
    "planar_laplace",
    "randomised_response",
    "rappor",
    "subset_selection",
    "tight_constraints",
    "truncated_geometric",
    "warner",
]
