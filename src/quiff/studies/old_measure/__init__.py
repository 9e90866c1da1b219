"""The measurement of a population, in parts: who holds which set, privacy, utility, limits, histories."""
