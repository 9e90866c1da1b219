"""From logs of what was observed to bounds: pairs of a secret and an observation, and no model."""
