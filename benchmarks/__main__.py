"""``python -m benchmarks [GROUP ...]``; ``--help`` lists the options.

Without a group all run, and then the page of the documentation and the README's table are written; ``page``
writes them from the results that are stored. A group that fails does not stop the others; the page then keeps
what it has of it, and the run ends with status 1.
"""

import argparse
import importlib
import time
import traceback

from benchmarks.page import write_page

# and the options that are for a group alone
GROUPS = {
    "attacks": [],
    "attribution": [],
    "audit": ["logs"],
    "before": ["before", "users"],
    "compare": [],
    "engine": [],
    "epochs": ["users"],
    "functions": [],
    "growth": [],
    "history": ["rows"],
    "large": [],
    "measure": ["users"],
    "programs": [],
    "stability": [],
}

parser = argparse.ArgumentParser(prog="python -m benchmarks", description="quiff beside its peers")
parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"one or more of {', '.join(GROUPS)} (all)")
parser.add_argument("--repeats", type=int, default=3, help="interleaved repeats (3); slow peers run fewer")
parser.add_argument("--quick", action="store_true", help="a tenth of the size, to see that it runs")
parser.add_argument(
    "--rows",
    type=int,
    nargs="+",
    metavar="N",
    help="history: the sizes of the logs (1000000 4000000 12000000; 36000000 is that of the paper's)",
)
parser.add_argument(
    "--users",
    type=int,
    nargs="+",
    metavar="N",
    help="measure, epochs, before: the sizes of the populations (20000 100000 200000; 10000 50000 250000; "
    "250000)",
)
parser.add_argument(
    "--logs", type=int, metavar="N", help="audit: logs of each system (2000; 0 if all groups run)"
)
parser.add_argument(
    "--before",
    metavar="FOLDER",
    help="before: a checkout of the version to compare with; without one this group is left out",
)
arguments = parser.parse_args()
if arguments.groups == ["page"]:  # from what is stored
    write_page()
    parser.exit()
if "engine" in arguments.groups and "functions" not in arguments.groups:
    arguments.groups.append("functions")  # its other half
apart = {"large"} if arguments.before else {"large", "before"}  # not among all groups
names = arguments.groups or [name for name in GROUPS if name not in apart]
if unknown := [name for name in names if name not in GROUPS]:
    parser.error(f"there is no group {unknown[0]!r}; there is {', '.join(GROUPS)}")
if not arguments.groups and arguments.logs is None:
    arguments.logs = 0  # they alone take longer than all the rest
minutes, failed = {}, []
for name in names:
    options = {option: getattr(arguments, option) for option in GROUPS[name]}
    started = time.perf_counter()
    try:
        importlib.import_module(f"benchmarks.{name}").main(arguments.repeats, arguments.quick, **options)
    except (Exception, SystemExit):  # the harness ends so when a contender fails
        traceback.print_exc()
        failed.append(name)
    minutes[name] = (time.perf_counter() - started) / 60
if not arguments.groups and not arguments.quick:
    write_page()
print("minutes: " + ", ".join(f"{name} {spent:.1f}" for name, spent in minutes.items()))
parser.exit(bool(failed), f"failed: {', '.join(failed)}\n" if failed else None)
