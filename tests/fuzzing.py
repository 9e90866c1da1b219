"""Random cases for the tests in tests/fuzz: the same ones in every ordinary run, fresh ones in `make fuzz`.

A case is a whole number, from which a test draws everything by ``random.Random(seed)``. `make test` takes the
first quarter of 0, 1, 2, ... and the seeds that failed before, which tests/fuzz/found.json keeps; `make
test-rest` takes the other three quarters. With QUIFF_FUZZ=1000 a run takes a thousand fresh seeds instead;
QUIFF_FUZZ_SEED repeats such a run.
"""

import json
import os
import random
import sys
from pathlib import Path

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None

FOUND = Path(__file__).parent / "fuzz" / "found.json"
"""The seeds that failed in `make fuzz`, by the name of the test's file; commit it with the mended code."""

_BASE = int(os.environ.get("QUIFF_FUZZ_SEED") or random.SystemRandom().getrandbits(48))


class Cases(list):
    """Seeds; while one loops over them, `current` is the one at work."""

    current = None
    part = "first"  # of the seeds: "first", "rest" or "all"; tests/conftest.py says it of each test

    def __iter__(self):
        for seed in super().__iter__():
            Cases.current = seed
            yield seed
        Cases.current = None


def cases(default):
    """Return a part of `default` seeds for the calling test, or as many fresh ones as QUIFF_FUZZ asks for."""
    file = Path(sys._getframe(1).f_globals["__file__"]).stem
    fresh = int(os.environ.get("QUIFF_FUZZ") or 0)
    if fresh:
        source = random.Random(f"{_BASE}/{file}")
        return Cases(source.getrandbits(48) for _ in range(fresh))
    first = -(-default // 4)
    if Cases.part == "rest":
        return Cases(range(first, default))
    return Cases(dict.fromkeys([*range(default if Cases.part == "all" else first), *found().get(file, [])]))


def found():
    """Return the seeds that failed, by the name of the test's file."""
    return json.loads(FOUND.read_text()) if FOUND.exists() else {}


def keep(file, seed):
    """Add a seed to those that failed; several processes may do so at the same time."""
    with FOUND.open("a+") as kept_by:
        if fcntl is not None:
            fcntl.flock(kept_by, fcntl.LOCK_EX)
        kept_by.seek(0)
        kept = json.loads(kept_by.read() or "{}")
        kept[file] = sorted({*kept.get(file, []), seed})
        kept_by.truncate(0)
        kept_by.write(json.dumps(kept, indent=2, sort_keys=True) + "\n")
