"""A plain function with random choices becomes its exact channel."""
