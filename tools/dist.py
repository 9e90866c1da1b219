"""Builds wheel and sdist into dist, installs each in an empty environment, and tries it there.

Installing needs a package index; the versions are those of constraints.txt, and only what quiff itself needs.
"""

import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

__all__ = ["main"]

_PROJECT = Path(__file__).parents[1]
_PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")
_TYPED = '''\
"""Uses of quiff that a type checker must let pass, and one that it must not."""

from fractions import Fraction

import quiff
from quiff import Channel, Population, Prior, TopicsAPI, theory

C: Channel = Channel([[0.75, 0.25], [0.25, 0.75]], inputs=["Alice", "Bob"])
capacity: float | Fraction = quiff.bayes_capacity(C)
leakage: float | Fraction = quiff.leakage(Prior.uniform(C.inputs), C)
bound: float | Fraction = theory.bayes_capacity(n_topics=349, top_s=5, noise=0.05)
sentences: tuple[str, ...] = quiff.measure(Population.synthetic(100), TopicsAPI()).sentences
quiff.bayes_capacity("no channel")  # type: ignore[arg-type]
'''


def main() -> None:
    """Build, install and try; the first thing that goes wrong ends it."""
    target = _PROJECT / "dist"
    shutil.rmtree(target, ignore_errors=True)
    _run(sys.executable, "-m", "build", "--quiet", "--outdir", target, _PROJECT, where=_PROJECT)
    (wheel,), (sdist,) = target.glob("*.whl"), target.glob("*.tar.gz")
    for built in (wheel, sdist):
        sys.stdout.write(f"{built.name}, installed in an empty environment:\n")
        sys.stdout.flush()
        with tempfile.TemporaryDirectory(prefix="quiff-dist-") as place:
            _try(built, Path(place))
    sys.stdout.write(f"{wheel.name} and {sdist.name} are in {target.name}\n")


def _try(built: Path, place: Path) -> None:
    """Install a wheel or sdist in an environment of its own, and run the smoke test and a type checker."""
    environment = place / "environment"
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    _run(python, *_PIP, "install", "--constraint", _PROJECT / "constraints.txt", built, where=place)
    _run(python, *_PIP, "check", where=place)
    smoke = shutil.copy(_PROJECT / "tools" / "smoke.py", place)
    _run(python, "-I", smoke, where=place)
    typed = place / "typed.py"
    typed.write_text(_TYPED)
    options = ("--strict", "--no-error-summary", "--config-file", "", "--cache-dir", place / "cache")
    _run(sys.executable, "-m", "mypy", *options, "--python-executable", python, typed, where=place)
    sys.stdout.write("  mypy --strict knows its types\n")


def _run(*arguments: object, where: Path) -> None:
    done = subprocess.run([*map(str, arguments)], cwd=where, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, arguments))} ended with status {done.returncode}")


if __name__ == "__main__":
    main()
