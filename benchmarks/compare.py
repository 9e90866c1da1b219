"""Group `compare`: the command `quiff compare` with all APIs, from its first import to the last line.

Without people it is to take less than 2 s, and on the people of `quiff demo`, with their topics, histories
and conversions, less than 20 s. There is no peer: nothing else has these APIs. The run counts all imports.
"""

import contextlib
import io
import json
import tempfile
from pathlib import Path

from benchmarks.harness import Contender, check_equal, compete, median, summary, write

PEERS = {}
LIMITS = {"without people": 2, "on the demo's people": 20}  # seconds


def quiff_compare(inputs, clock, people):
    """Run the command in this process, which has loaded nothing of quiff that takes time."""
    words = [str(inputs / "profiles.parquet"), "--histories", str(inputs / "experimental")] if people else []
    shown = io.StringIO()
    clock.start()
    from quiff.cli import main

    with contextlib.redirect_stdout(shown):
        main(["compare", *words, "--json"], standalone_mode=False)
    clock.stop()
    apis = json.loads(shown.getvalue())["apis"]
    measured = sum(each.get("missing", "no people") is None for each in apis)
    return {f"APIs {'measured' if people else 'compared'}": measured if people else len(apis)}


def main(repeats, quick):
    from quiff.cli import main as quiff

    with tempfile.TemporaryDirectory() as folder:
        inputs, parts = Path(folder) / "demo", []
        with contextlib.redirect_stdout(io.StringIO()):
            quiff(
                ["demo", "--out", str(inputs), *(["--users", "2000"] if quick else [])], standalone_mode=False
            )
        for name, limit in LIMITS.items():
            print(f"compare, {name}", flush=True)
            options = {"people": name != "without people"}
            runs = compete([Contender("quiff", "benchmarks.compare:quiff_compare", options)], inputs, repeats)
            kept = "yes" if median(runs["quiff"], "wall") < limit else "no"
            facts = {f"in less than {limit} s": kept, **check_equal(runs, ["quiff"])}
            parts.append(summary(runs, "quiff", f"All APIs, {name}", facts))
    write("compare", parts, quick)
