"""The published attacks on what browsers report, and the Bayes-optimal adversary."""
