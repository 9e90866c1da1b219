"""Figures: Vega-Lite specifications that are drawn without a network, as SVG, PNG or one HTML page."""
