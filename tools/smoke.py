"""Tries an installed quiff, away from its source: ``python smoke.py`` with the Python that has it.

Everything is made up here, in a temporary folder. What the package must bring along beside its code (the
report's page and style, the explorer's page, type information) is used, so that none of it can be missing.
"""

import importlib
import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import urllib.request
from collections.abc import Callable
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

__all__ = ["main"]

_QUIFF = Path(sysconfig.get_path("scripts")) / ("quiff.exe" if os.name == "nt" else "quiff")
_LINK = re.compile(r"http://127\.0\.0\.1:\d+/")


def main() -> None:
    """Run all trials and say what each has shown; the first that fails ends it."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for claim, trial in _TRIALS.items():
                trial()
                sys.stdout.write(f"  {claim}\n")
                sys.stdout.flush()
        finally:
            os.chdir(Path(folder).anchor)


def _ask(*arguments: str) -> str:
    """Return what the command prints; it must succeed, and complain about nothing."""
    done = subprocess.run([_QUIFF, *arguments], capture_output=True, text=True, check=False)  # noqa: S603
    _must(done.returncode == 0, f"quiff {' '.join(arguments)} ends with {done.returncode}: {done.stderr}")
    _must(not done.stderr, f"quiff {' '.join(arguments)} says: {done.stderr}")
    return done.stdout


def _must(true: object, otherwise: str) -> None:
    if not true:
        raise SystemExit(f"smoke test: {otherwise}")


def _is_installed() -> None:
    place = Path(str(files("quiff"))).resolve()
    _must(place.is_relative_to(Path(sys.prefix).resolve()), f"quiff is at {place}, not in {sys.prefix}")
    for name in ("py.typed", "__init__.pyi"):
        _must((place / name).is_file(), f"the package has no {name}")
    _must(_ask("--version") == f"quiff, version {version('quiff')}\n", "the command has another version")


def _has_all_names() -> None:
    import quiff

    for name in quiff.__all__:
        _must(getattr(quiff, name, None) is not None, f"quiff.{name} is missing")
    importlib.import_module("quiff.theory")
    try:
        importlib.import_module("quiff.testing.strategies")
    except ModuleNotFoundError as error:
        _must(error.name == "hypothesis", f"quiff.testing needs {error.name}")


def _knows_the_theory() -> None:
    import quiff

    expected = 0.05 + 349 * 0.95 / 5
    found = json.loads(_ask("theory", "--json"))["bayes_capacity"]
    people = quiff.Population.from_array(range(349), [[(i + j) % 349 for j in range(5)] for i in range(349)])
    measured = quiff.bayes_capacity(quiff.TopicsAPI().channel(people))
    for capacity in (found, measured):
        _must(abs(float(capacity) - expected) < 1e-9, f"the capacity is {capacity}, not {expected}")


def _goes_from_log_to_report() -> None:
    _ask("demo", "--users", "300", "--out", "demo")
    found = json.loads(_ask("measure", "demo/profiles.parquet", "--json"))
    rows = [row for row in found["rows"] if row["stage"] == "topics"]
    (leakage,) = (row["value"] for row in rows if row["quantity"] == "leakage")
    most = max(row["value"] for row in rows if row["quantity"] == "bayes_capacity")
    _must(1 < leakage <= most, f"the leakage is {leakage}")
    _ask("report", "demo/profiles.parquet", "--observations", "2", "--out", "report.html")
    for page in ("demo/report.html", "report.html"):
        text = Path(page).read_text(encoding="utf-8")
        _must(text.startswith("<!doctype html>"), f"{page} is no page")
        _must("<style>" in text and "data:image/svg+xml" in text, f"{page} has no style or no figure")


def _finds_domains() -> None:
    (found,) = json.loads(_ask("domain", "http://www.example.co.uk/", "--json"))
    _must(found["domain"] == "example.co.uk", f"the domain is {found}")


def _serves_the_explorer() -> None:
    with subprocess.Popen(  # noqa: S603
        [_QUIFF, "explore", "--port", "0", "--no-browser"], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            said = server.stdout.readline() if server.stdout else ""
            link = _LINK.search(said)
            _must(link, f"quiff explore says {said!r}")
            _visit(link[0] if link else "")
        finally:
            server.terminate()


def _visit(link: str) -> None:
    """Fetch the page, and all that the page and its modules name."""
    wanted, seen = ["", "vega.js"], set[str]()
    while wanted:
        name = wanted.pop()
        seen.add(name)
        with urllib.request.urlopen(link + name) as answer:  # noqa: S310 - this machine's own page
            text = answer.read().decode()
        _must(text, f"{link}{name} is empty")
        named = re.findall(r'(?:src|href)="(static/[\w.]+)"', text)
        named += [f"static/{module}" for module in re.findall(r'from "\./([\w.]+)"', text)]
        wanted += [other for other in dict.fromkeys(named) if other not in seen | set(wanted)]
    _must({Path(name).suffix for name in seen} >= {".css", ".js"}, f"the page asks only for {sorted(seen)}")


_TRIALS: dict[str, Callable[[], None]] = {
    "it is the installed package that is tried, with type information": _is_installed,
    "every public name can be loaded, quiff.theory too; quiff.testing asks for hypothesis": _has_all_names,
    "the capacity of the Topics API is 0.05 + 349 * 0.95 / 5, and a channel agrees": _knows_the_theory,
    "the Public Suffix List is there": _finds_domains,
    "a made-up log becomes profiles, numbers and a report": _goes_from_log_to_report,
    "the explorer's page is served, with every file that it asks for": _serves_the_explorer,
}

if __name__ == "__main__":
    main()
