"""Counting the tuples of outputs by how well the best input fits them: what products of memberships leak."""
