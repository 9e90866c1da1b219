"""What a population gives away and what it is good for: one file for the rows, one each for their forms."""
