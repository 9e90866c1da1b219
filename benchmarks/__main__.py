"""``python -m benchmarks [GROUP ...] [--repeats N] [--quick]``."""

import argparse
import importlib

GROUPS = ["engine"]

parser = argparse.ArgumentParser(prog="python -m benchmarks", description="quiff beside its peers")
parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"one or more of {', '.join(GROUPS)} (all)")
parser.add_argument("--repeats", type=int, default=5, help="interleaved repeats (5); slow peers run fewer")
parser.add_argument("--quick", action="store_true", help="a tenth of the size, to see that it runs")
arguments = parser.parse_args()
for name in arguments.groups or GROUPS:
    if name not in GROUPS:
        parser.error(f"there is no group {name!r}; there is {', '.join(GROUPS)}")
    importlib.import_module(f"benchmarks.{name}").main(arguments.repeats, arguments.quick)
