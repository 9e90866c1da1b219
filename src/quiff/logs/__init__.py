"""From raw logs to profiles: one definition for DuckDB and Spark; the public data sets; synthetic logs."""
