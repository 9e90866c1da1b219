"""The systems under study, cookies and the Topics API: frozen parameters that make people into channels."""
