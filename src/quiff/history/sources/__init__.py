"""Readers of the public data sets: what their files say, as rows and tables."""
