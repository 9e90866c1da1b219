"""Many epochs: what reports over weeks give away, exactly where it can be counted, else estimated."""
