"""Results and how they are shown: as text, JSON, CSV, Markdown, LaTeX, frames and figures."""
