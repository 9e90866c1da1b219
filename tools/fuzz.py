"""Explore at random until stopped: `make fuzz`, or `make fuzz MINUTES=30`.

Each round runs the tests in tests/fuzz on fresh seeds, and every test of Hypothesis with another seed. What
fails is kept (tests/fuzz/found.json, tests/fuzz/examples), so that `make test` tries it from then on.
"""

import argparse
import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Where tests of Hypothesis are; the rest has nothing random in it.
PROPERTIES = ("apis", "attacks", "browser", "core", "logs", "measures", "oracle", "people",
              "programs", "property", "results", "studies", "theory", "weeks")  # fmt: skip


def main() -> int:
    """Run rounds until the time is over or somebody presses Ctrl-C; return 1 if anything failed."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--minutes", type=float, help="stop after the round that ends later than this")
    options.add_argument("--cases", type=int, default=200, help="fresh seeds for each test of tests/fuzz")
    options.add_argument("--workers", default="2")
    options.add_argument("tests", nargs="*", help="only these, such as tests/fuzz/test_logs.py")
    chosen = options.parse_args()
    end = None if chosen.minutes is None else time.monotonic() + 60 * chosen.minutes
    tests = chosen.tests or ["tests/fuzz", *(f"tests/{room}" for room in PROPERTIES)]
    rounds = failed = 0
    try:
        while end is None or time.monotonic() < end:
            rounds += 1
            failed += not _round(chosen, tests)
    except KeyboardInterrupt:
        rounds -= 1
    print(f"{rounds} rounds, {failed} with failures; what failed is kept in tests/fuzz")  # noqa: T201
    return int(failed > 0)


def _round(chosen: argparse.Namespace, tests: list[str]) -> bool:
    seed = secrets.randbits(31)
    print(f"seed {seed}", flush=True)  # noqa: T201
    command = [sys.executable, "-m", "pytest", "--quiet", "--numprocesses", chosen.workers,
               f"--hypothesis-seed={seed}", *tests]  # fmt: skip
    settings = {"QUIFF_FUZZ": str(chosen.cases), "QUIFF_FUZZ_SEED": str(seed)}
    done = subprocess.run(command, cwd=ROOT, env=os.environ | settings, check=False)  # noqa: S603
    if done.returncode == 2:  # pytest was interrupted
        raise KeyboardInterrupt
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
