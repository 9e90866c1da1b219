"""A local web page to think with: designs beside each other, a population, and the paper checked."""
