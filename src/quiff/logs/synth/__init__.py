"""Synthetic search logs in AOL's format, for trying out, testing and timing the pipeline.

Their users, visits, clicks and domains follow the statistics that the paper prints for the AOL log; words,
domains and topics are fictional. The law is in :mod:`quiff.logs.synth.law`, the odd values that real
logs have are in ``odd.toml``.
"""

from quiff.logs.synth.log import Block, SyntheticLog, Written, write_log

__all__ = ["Block", "SyntheticLog", "Written", "write_log"]
