"""What shows the rows of a study: its sentences, tables and figures, each declared once."""
