"""Programs: a plain Python function with random choices becomes its exact channel."""
