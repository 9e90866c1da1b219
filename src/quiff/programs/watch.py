"""A watch over the runs of a function: a loop that neither ends nor draws is broken off."""

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import final

from quiff.core.limits import work_allowed
from quiff.programs.sealed import Stop

NUMBERS_A_SECOND = 8e7  # of the work limit; by default it is reached in a minute
LEAST = 1.0  # second without a step, since a busy machine rests for a part of one


@final
class Endless(Stop):
    """No run ended and nothing was drawn for too long."""


@contextmanager
def watched(steps: Callable[[], int]) -> Iterator[None]:
    """Raise Endless in this thread once the number of steps stays the same for too long."""
    raised, me = ctypes.pythonapi.PyThreadState_SetAsyncExc, ctypes.c_ulong(threading.get_ident())
    seconds = min(max(work_allowed() / NUMBERS_A_SECOND, LEAST), 1e6)
    over = threading.Event()

    def watch() -> None:
        before, pause = -1, seconds
        while not over.wait(pause):
            now = steps()
            if now == before:  # at most one a second, so that what ends the watch meets one at most
                raised(me, ctypes.py_object(Endless))
                pause = max(seconds, 1)
            before = now

    thread = threading.Thread(target=watch, daemon=True)
    try:
        thread.start()
        yield
    finally:
        while True:
            try:
                over.set()
                thread.join()
                _meet()
                break
            except Endless:  # it came too late
                continue


def _meet() -> None:
    """Be called, which is when an exception of another thread is raised.

    To take it back by PyThreadState_SetAsyncExc instead would leave a mark in Python 3.11, by which the next
    function under a debugger or a coverage tool would never begin.
    """
