"""A browser faithful to the public specification of the Topics API, alone and by the million."""
