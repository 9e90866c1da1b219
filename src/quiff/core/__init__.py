"""Quantitative information flow: priors, channels, gains and how they compose.

This room knows nothing of the web. A name is a label, never a position.
"""
