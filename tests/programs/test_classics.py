"""Programs of the literature, whose leakage is known by hand."""
