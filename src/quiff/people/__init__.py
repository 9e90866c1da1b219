"""People in memory: their sets of topics (profiles), and the browsing histories that these come from."""
