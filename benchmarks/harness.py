"""Runs contenders in fresh processes, interleaved, and tells medians, ratios and whether results agree.

A contender is a function that takes the group's inputs and returns its results by name; what it does before
it calls ``clock.start()`` is preparation and is not timed. Imports are done before the clock starts. What it
does after ``clock.stop()``, such as checking, counts neither for time nor for memory. Time and memory are
those of the process and all that it started, such as Spark's Java.
"""

import contextlib
import importlib.metadata
import json
import math
import os
import platform
import resource
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from quiff.io import whole_file

RESULTS = Path(__file__).parent / "results"
PATIENCE = 90  # seconds
VERSIONS = ("numpy", "scipy", "duckdb", "ibis-framework", "pyspark")
VERSIONS += ("pandas", "qif", "qiflib", "bvmlib", "tldextract", "lea", "scikit-learn")


class Clock:
    """Wall and CPU seconds between start and stop, and the most memory held until then."""

    def __init__(self):
        self.laps = {}  # seconds by name, for who wants to tell where they went

    def start(self):
        others = sum(_descendants().values())
        self.wall, self.cpu = -time.perf_counter(), -time.process_time() - others

    def stop(self):
        self.wall += time.perf_counter()
        self.cpu += time.process_time()
        others = _descendants()
        self.cpu += sum(others.values())
        self.peak_mib = _peak_mib() + sum(map(_peak_mib, others))


@dataclass
class Contender:
    name: str
    function: str  # module:function
    options: dict = field(default_factory=dict)
    repeats: int | None = None
    python: str = sys.executable
    folder: str | None = None  # where it runs: another checkout, whose benchmarks are then the contenders


def run_once(contender, inputs, cpu_limit=None):
    """Run a contender in a fresh process; past a limit of CPU seconds, subprocess.TimeoutExpired."""
    job = json.dumps({"function": contender.function, "inputs": str(inputs), "options": contender.options})
    place = {"cwd": contender.folder}
    if contender.folder is not None:
        place["env"] = os.environ | {"PYTHONPATH": str(Path(contender.folder) / "src")}
    done = subprocess.run(
        [contender.python, "-m", "benchmarks.harness"],
        input=job,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=None
        if cpu_limit is None
        else lambda: resource.setrlimit(resource.RLIMIT_CPU, (cpu_limit, cpu_limit + 5)),
        **place,
    )
    if cpu_limit is not None and done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise subprocess.TimeoutExpired(contender.name, cpu_limit)
    if done.returncode:
        raise SystemExit(f"{contender.name} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def worker():
    """The fresh process: read the job, run it, print what it took."""
    job = json.load(sys.stdin)
    module, function = job["function"].split(":")
    run = getattr(__import__(module, fromlist=[function]), function)
    clock = Clock()
    results = run(Path(job["inputs"]), clock, **job["options"])
    print(json.dumps(vars(clock) | {"results": results}))


def _descendants():
    """The CPU seconds by id of the processes that this one started, and they in turn; Linux only."""
    found, children = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended in the meantime
            parts = path.read_text().rpartition(")")[2].split()
            seconds = (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")
            children.setdefault(int(parts[1]), []).append((int(path.parent.name), seconds))
    to_visit = [os.getpid()]
    while to_visit:
        own = dict(children.get(to_visit.pop(), []))
        found |= own
        to_visit += own
    return found


def _peak_mib(pid="self"):
    """The most memory that a process held; ru_maxrss would count its parent's, too.

    Summed over processes this is no less than what they held at one time. Those that have ended do not count.
    """
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 if pid == "self" else 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0) / 1024


def compete(contenders, inputs, repeats):
    """Run all contenders in turn, `repeats` times over, and return the runs of each by name.

    Who has taken PATIENCE seconds runs no more, so that all groups end within an hour and a half.
    """
    runs = {contender.name: [] for contender in contenders}
    for turn in range(repeats):
        for contender in contenders:
            spent = sum(run["wall"] for run in runs[contender.name])
            if turn < (contender.repeats or repeats) and spent < PATIENCE:
                found = run_once(contender, inputs)
                runs[contender.name].append(found)
                print(f"  {contender.name}: {found['wall']:.3f} s, {found['peak_mib']:.0f} MiB", flush=True)
    return runs


def median(runs, key):
    return statistics.median(run[key] for run in runs)


def check_equal(runs, names, tolerance=1e-9):
    """Check that the contenders' results of the same name agree, in every run."""
    seen = {}
    for contender in names:
        for run in runs[contender]:
            for key, value in run["results"].items():
                first, other = seen.setdefault(key, (contender, value))
                assert _alike(value, other, tolerance), (
                    f"{key} is {value!r} for {contender}, but {other!r} for {first}"
                )
    return {key: value for key, (_, value) in seen.items()}


def _alike(value, other, tolerance):
    if isinstance(value, float) or isinstance(other, float):
        return math.isclose(value, other, rel_tol=tolerance)
    return value == other  # counts and digests


def summary(runs, ours, title, facts):
    """Return the medians and the ratios to our own contender."""
    base = runs[ours]
    rows = [
        {
            "contender": name,
            "repeats": len(found),
            "wall_s": median(found, "wall"),
            "cpu_s": median(found, "cpu"),
            "peak_mib": median(found, "peak_mib"),
            "times_slower": median(found, "wall") / median(base, "wall"),
            "times_cpu": median(found, "cpu") / median(base, "cpu"),
            "times_memory": median(found, "peak_mib") / median(base, "peak_mib"),
            "laps": {lap: statistics.median(run["laps"][lap] for run in found) for lap in found[0]["laps"]},
        }
        for name, found in runs.items()
    ]
    return {"title": title, "facts": facts, "ours": ours, "rows": rows}


def series(title, function, sizes, inputs, repeats):
    """Let quiff run at each size; `sizes` gives the options of the function by what they are called."""
    print(f"growth, {title}", flush=True)
    contenders = [Contender(name, function, options) for name, options in sizes.items()]
    runs = compete(contenders, inputs, repeats)
    ratios = {"ratios": "to the smallest size"} if len(sizes) > 1 else {}
    facts = ratios | check_equal(runs, list(runs))
    return summary(runs, contenders[0].name, title, facts) | {"sizes": list(sizes.values())}


def with_commas(number):
    """A whole number as the page writes it: 250,000."""
    return f"{number:,}"


def markdown(part):
    lines = [f"## {part['title']}", "", *(f"- {name}: {value}" for name, value in part["facts"].items()), ""]
    lines += [
        "| contender | wall | CPU | peak memory | wall / quiff | memory / quiff | repeats |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['contender']} | {row['wall_s']:.4g} s | {row['cpu_s']:.4g} s | {row['peak_mib']:.0f} MiB "
        f"| {row['times_slower']:.3g} | {row['times_memory']:.3g} | {row['repeats']} |"
        for row in part["rows"]
    ]
    for row in part["rows"]:
        if row["laps"]:
            laps = ", ".join(f"{lap} {seconds:.3g} s" for lap, seconds in row["laps"].items())
            lines += ["", f"Where the time of {row['contender']} goes: {laps}."]
    return "\n".join(lines) + "\n"


def write(group, parts, quick=False, opening=""):
    """Write a group's results as JSON and Markdown, and print the latter."""
    RESULTS.mkdir(exist_ok=True)
    text = f"# Benchmarks: {group}\n\n" + ", ".join(f"{k} {v}" for k, v in machine().items()) + "\n\n"
    text += "\n".join([*([opening] if opening else []), *map(markdown, parts)])
    found = {"machine": machine(), "versions": versions(), "quick": quick, "opening": opening, "parts": parts}
    for suffix, content in (("json", json.dumps(found, indent=2) + "\n"), ("md", text)):
        write_public(RESULTS / f"{group}.{suffix}", content)
    print(f"\n{text}\nwritten to {RESULTS / group}.json and .md")


def write_public(path, text):
    """Write a file that everybody may read."""
    with whole_file(path, force=True, public=True) as scratch:
        scratch.write_text(text, encoding="utf-8")


def machine():
    """What the benchmarks ran on, and when."""
    return {
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "processor": _processor(),
        "cores": os.cpu_count(),
    }


def versions():
    """The versions of quiff, of what it rests on, and of its peers."""
    from quiff import __version__

    found = {"quiff": __version__}  # of the source; what was installed may be older
    for name in VERSIONS:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def _processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")


if __name__ == "__main__":
    worker()
