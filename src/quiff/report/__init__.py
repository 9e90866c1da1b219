"""One offline page that says what was measured, shows it, and reads it."""
