"""For those who test code that uses quiff: Hypothesis strategies, and channels with known capacities.

The strategies need Hypothesis: install ``quiff[testing]``.
"""
