"""The loops of attacks and of many observations, compiled in a process beside this one.

numba compiles a loop when it is first called and keeps the machine code for later processes. So a process
that goes through a tiny study makes the code for all, while this one is still busy with something else.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_USERS = 300
# What numba keeps of two loops of attacks: one that commands come to early, and one that they come to late.
_KEPT = ("kernels.rank_by_bits-*.nbi", "link_kernels.rank_linked-*.nbi")


@contextmanager
def compiling() -> Iterator[Callable[[], bool]]:
    """Compile the loops in another process, which ends with the block.

    Yields a function that waits until they are there; it says at once if they were already.
    """
    with _beside("report") as other:

        def wait() -> bool:
            there = other is None or other.poll() is not None
            if other is not None:
                other.wait()
            return there

        yield wait


@contextmanager
def compiling_last() -> Iterator[None]:
    """Share the compiling for attacks with another process: it begins with the loops that are needed last."""
    from quiff.core.counting.work import cores

    if cores() > 1 and _lacking():
        with _beside("last"):
            yield
    else:
        yield


@contextmanager
def _beside(what: str) -> Iterator[subprocess.Popen[bytes] | None]:
    """Run this file in another process, which ends with the block; None if none can be started.

    It is one of the terminal's group, so that what interrupts the command interrupts it too.
    """
    words = [sys.executable, "-P", "-m", __name__, what]  # nothing is imported from the folder it is run in
    quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    try:
        other = subprocess.Popen(words, **quiet)  # type: ignore[call-overload]  # noqa: S603  # our own words
    except OSError:
        yield None
        return
    try:
        yield other
    finally:
        other.kill()
        other.wait()


def _lacking() -> bool:
    """Tell whether some loop is not compiled and the code can be kept."""
    from quiff.attacks.link_kernels import rank_linked
    from quiff.core.compiled import kept_in

    folder = kept_in(rank_linked)
    return folder is not None and not all(any(folder.glob(name)) for name in _KEPT)


def _compile(what: str) -> None:
    """Go through a report on a few people, or an attack that links two sites and then the bound."""
    from quiff.populations.population import Population

    people = Population.synthetic(_USERS)
    if what == "last":
        from quiff.studies.attack import attack

        attack(people, observations=10, seeds=1, sample=20, attacks="bayes-link")
    elif _lacking():
        from quiff.report.compose import Source, compose_report

        compose_report(people, (), Source("a few people"), attacks=True)


if __name__ == "__main__":
    _compile(sys.argv[1])
