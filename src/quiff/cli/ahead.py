"""The loops of attacks and of many observations, compiled in a process beside this one.

numba compiles a loop when it is first called and keeps the machine code for later processes. So a process
that goes through a tiny report makes the code for all, while this one is still busy with a log.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_USERS = 300
_LAST = "link_kernels.rank_linked-*.nbi"  # what numba keeps of the loop that is compiled last


@contextmanager
def compiling() -> Iterator[Callable[[], bool]]:
    """Compile the loops in another process, which ends with the block.

    Yields a function that waits until they are there; it says at once if they were already.
    """
    beside = subprocess.Popen(  # noqa: S603  # our own words
        [sys.executable, "-m", __name__], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip

    def wait() -> bool:
        there = beside.poll() is not None
        beside.wait()
        return there

    try:
        yield wait
    finally:
        beside.kill()
        beside.wait()


def _compile_all() -> None:
    """Go through a report on a few people, if some loop is not compiled and the code can be kept."""
    from quiff.attacks.link_kernels import rank_linked
    from quiff.core.compiled import kept_in

    folder = kept_in(rank_linked)
    if folder is None or any(folder.glob(_LAST)):
        return
    from quiff.populations.population import Population
    from quiff.report.compose import Source, compose_report

    compose_report(Population.synthetic(_USERS), (), Source("a few people"), attacks=True)


if __name__ == "__main__":
    _compile_all()
