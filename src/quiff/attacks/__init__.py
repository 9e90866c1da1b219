"""The published attacks on what browsers show, and the Bayes-optimal adversary."""
