"""SIGINT (Ctrl-C), SIGTERM and SIGHUP end a command cleanly: one line, and nothing left behind.

Python handles a signal between two steps of the main thread, which may be waiting for an engine or another
library. So a second thread hears of it at once, ends the queries of DuckDB, and, if the main thread does not
wake up all the same, tidies up and ends the process itself.
"""

import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from quiff.cli.terminal import echo
from quiff.io import scratch

_WAKING = 2.0  # seconds in which the main thread should notice
_UNWINDING = 30.0  # seconds in which it should have tidied up
_SOON = 0.02  # seconds after which what was swallowed is tried again
_AGAIN = 0.2  # seconds after which a query that has begun meanwhile is ended too


class Ended(KeyboardInterrupt):
    """A signal has told this run to end; as with Ctrl-C in Python, only who tidies up need know."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Ending:
    """What is known of the signal that ends a run."""

    KEY = "quiff.ending"
    """Under which it is in the `meta` of click's context."""

    def __init__(self) -> None:
        self.number: int | None = None  # the signal
        self._armed = False
        self._usual: dict[int, str] = {}
        self._noticed = threading.Event()
        self._repeat: threading.Timer | None = None
        self._last = threading.Lock()  # whoever has it ends the process

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Break off what the main thread does; once, since it then tidies up."""
        if self._noticed.is_set():
            return
        logging.disable()  # what libraries would say on being broken off
        self.number = number
        self._noticed.set()
        if self._armed:
            raise Ended(number)

    def again(
        self, lost: "sys.UnraisableHookArgs", usual: Callable[["sys.UnraisableHookArgs"], None]
    ) -> None:
        """Break off anew what a finaliser swallowed, in which Python lets no exception out."""
        if not isinstance(lost.exc_value, Ended):
            usual(lost)
            return
        self._noticed.clear()
        self._repeat = threading.Timer(_SOON, os.kill, (os.getpid(), lost.exc_value.number))
        self._repeat.daemon = True
        self._repeat.start()

    def expect(self, number: int, sentence: str) -> None:
        """Take a signal for the usual way to end this run: status 0, and a sentence of its own."""
        self._usual[number] = sentence

    def arm(self) -> None:
        """Let signals break off what the main thread does until `disarm`; one may have come already."""
        self._armed = True
        if self.number is not None:
            raise Ended(self.number)

    def disarm(self) -> None:
        """Let signals break off nothing any more: what is to be caught is caught, or all is done."""
        self._armed = False

    def listen(self, ear: socket.socket) -> None:
        """Wait for a signal in a thread of its own, and see to it that the run ends."""
        number = _heard(ear)
        if number is None:
            return
        ear.settimeout(_AGAIN)
        waited = 0.0
        while waited < (_UNWINDING if self._noticed.is_set() else _WAKING):
            if waited < _WAKING:  # also once it is noticed: DuckDB then waits for what is at work
                scratch.interrupt_all()
            try:
                _heard(ear)
                break  # somebody is impatient, or all is over
            except TimeoutError:
                waited += _AGAIN
        if self._last.acquire(blocking=False):
            try:
                scratch.drop_all()
                self._tell(number)
            finally:  # the main thread may be waiting for it
                os._exit(self._status(number))

    def finish(self, number: int) -> int:
        """Remove what is left, tell why, and return the exit status."""
        scratch.drop_all()
        self._last.acquire()
        self._tell(number)
        return self._status(number)

    def close(self) -> None:
        """Let the listener go."""
        if self._repeat is not None:
            self._repeat.cancel()
        self._last.acquire(blocking=False)

    def _status(self, number: int) -> int:
        return 0 if number in self._usual else 128 + number

    def _tell(self, number: int) -> None:
        """Tell in one line what has ended the run, if anybody is still listening."""
        with suppress(OSError, ValueError):  # the other end of a pipe is closed
            ended = f"Ended by {signal.Signals(number).name}; what was not finished is removed."
            echo(self._usual.get(number, ended), err=True)


def _heard(ear: socket.socket) -> int | None:
    """Return the next signal that tells the run to end; None if none will come any more."""
    while byte := ear.recv(1):
        if byte[0] in scratch.SIGNALS:
            return byte[0]
    return None


@contextmanager
def ending() -> Iterator[Ending]:
    """Listen to signals while a command runs; signals that are ignored already stay ignored."""
    found = Ending()
    if threading.current_thread() is not threading.main_thread() or os.name != "posix":
        yield found
        return
    ear, mouth = socket.socketpair()
    mouth.setblocking(False)
    before = {
        number: signal.signal(number, found.handle)
        for number in scratch.SIGNALS
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    logged = logging.root.manager.disable
    hook = sys.unraisablehook
    sys.unraisablehook = lambda lost: found.again(lost, hook)
    old = signal.set_wakeup_fd(mouth.fileno(), warn_on_full_buffer=False)
    listener = threading.Thread(target=found.listen, args=(ear,), name="quiff-signals", daemon=True)
    listener.start()
    try:
        yield found
    finally:
        found.close()
        logging.disable(logged)
        signal.set_wakeup_fd(old)
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)
        mouth.close()
        listener.join()
        ear.close()
