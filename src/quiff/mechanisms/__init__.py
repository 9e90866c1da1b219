"""Builders of well-known channels, and of the best ones for a purpose by linear programs."""

from quiff.mechanisms.information import hiding_row, least_information
from quiff.mechanisms.noise import (
    geometric,
    laplace,
    planar_geometric,
    planar_laplace,
    truncated_geometric,
)
from quiff.mechanisms.response import randomised_response, rappor, subset_selection, warner
from quiff.mechanisms.scores import exact_distance, exponential, tight_constraints

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
