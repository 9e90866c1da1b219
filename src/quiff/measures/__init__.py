"""Measures of information: pure functions of priors, channels and gains. One concept a file."""
