"""Questions, and the typed results that answer them."""
