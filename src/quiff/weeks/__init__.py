"""Many observations of one person: what they reveal, exactly where it can be counted, else estimated."""
