"""Long work: one study at a time, in a thread of its own, told step by step and ended when nobody listens."""

import asyncio
import json
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from contextvars import copy_context
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

from quiff.errors import QuiffError
from quiff.progress import watching
from quiff.report.page import Section
from quiff.results.numbers import plain
from quiff.web.queries import Query

if TYPE_CHECKING:
    from quiff.web.people import Profiles

Event: TypeAlias = tuple[str, Any]

_WAITING = 6  # studies that run or wait at the same time
_KEPT = 4  # studies whose results are kept for downloads
_PAUSE = 0.05  # seconds between two tellings of progress
_SILENCE = 10.0  # seconds after which an empty line keeps the connection alive


class BusyError(QuiffError):
    """Too many studies are asked for at the same time."""


class Cancelled(Exception):  # noqa: N818 - it is no error
    """Nobody listens any more."""


class Jobs:
    """Runs studies of people one after the other, and keeps the last results.

    Parameters
    ----------
    profiles
        The profiles of the command line; None if there are none.
    """

    def __init__(self, profiles: "Profiles | None" = None) -> None:
        self.profiles = profiles
        self._turn = threading.Lock()
        self._places = threading.BoundedSemaphore(_WAITING)
        self._closing = threading.Event()
        self._kept: OrderedDict[Query, tuple[Section, ...]] = OrderedDict()

    def __contains__(self, query: Query) -> bool:
        """Tell whether the results of a study are kept."""
        return query in self._kept

    def close(self) -> None:
        """End all studies."""
        self._closing.set()

    def stream(self, query: Query) -> AsyncIterator[str]:
        """Begin a study, and return its server-sent events: progress, sections, and done or failed."""
        loop, queue = asyncio.get_running_loop(), asyncio.Queue[Event]()
        gone = threading.Event()

        def send(event: Event) -> None:
            with suppress(RuntimeError):  # the loop has ended, and so has everybody who listened
                loop.call_soon_threadsafe(queue.put_nowait, event)

        self._begin(query, send, gone)
        return _events(queue, gone)

    async def sections(self, query: Query) -> tuple[Section, ...]:
        """Return the results of a study, those that are kept if it was run lately."""
        if query not in self._kept:
            async for event in self.stream(query):
                if event.startswith("event: failed"):
                    raise QuiffError(json.loads(event.split("data: ", 1)[1]))
        found = self._kept.get(query)
        if found is None:
            raise BusyError("other studies have taken the place of this one; ask again")
        return found

    def _begin(self, query: Query, send: Callable[[Event], None], gone: threading.Event) -> None:
        if not self._places.acquire(blocking=False):
            raise BusyError(f"{_WAITING} studies are at work or waiting already; try again in a minute")

        def work() -> None:
            try:
                send(self._outcome(query, send, gone))
            except Cancelled:
                pass
            finally:
                self._places.release()

        # In a copy of this context, which has the memory limit.
        run = copy_context().run
        threading.Thread(target=run, args=(work,), name="quiff-study", daemon=True).start()

    def _outcome(self, query: Query, send: Callable[[Event], None], gone: threading.Event) -> Event:
        """Run a study when it is its turn, and return the last event of it."""
        tell = _Teller(send, lambda: gone.is_set() or self._closing.is_set())
        while not self._turn.acquire(timeout=0.1):
            tell("waiting for another study", 0.0)
        try:
            self._study(query, send, tell)
        except QuiffError as error:
            return "failed", str(error)
        except MemoryError:
            return "failed", "these people do not fit into memory; ask for fewer"
        except Cancelled:
            raise
        except Exception as error:  # one's own API may raise anything, and the page has to end
            return "failed", f"{type(error).__name__}: {error}"
        finally:
            self._turn.release()
        return "done", None

    def _study(self, query: Query, send: Callable[[Event], None], tell: "_Teller") -> None:
        from quiff.report.studies import sections as studied  # which the page opens without
        from quiff.web.people import question

        sections = self._kept.get(query, ())

        def show(section: Section) -> None:
            send(("section", section.fragment("download/people")))

        for section in sections:
            show(section)
        if not sections:
            tell("the people", 0.0)
            with watching(tell):
                for section in studied(question(query, self.profiles)):
                    show(section)
                    sections = (*sections, section)
        self._kept[query] = sections
        self._kept.move_to_end(query)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)


async def _events(queue: asyncio.Queue[Event], gone: threading.Event) -> AsyncIterator[str]:
    """Yield what is in the queue until the study ends; whoever stops listening ends it."""
    try:
        while True:
            try:
                kind, data = await asyncio.wait_for(queue.get(), _SILENCE)
            except TimeoutError:
                yield ": still at work\n\n"
                continue
            yield f"event: {kind}\ndata: {json.dumps(plain(data), allow_nan=False)}\n\n"
            if kind in ("done", "failed"):
                return
    finally:
        gone.set()


class _Teller:
    """Tells progress, not too often, and ends the study when nobody listens."""

    def __init__(self, send: Callable[[Event], None], over: Callable[[], bool]) -> None:
        self._send = send
        self._over = over
        self._last = ("", 0.0)

    def __call__(self, step: str, share: float) -> None:
        if self._over():
            raise Cancelled
        name, when = self._last
        if step != name or monotonic() - when >= _PAUSE:
            self._last = (step, monotonic())
            self._send(("progress", {"step": step, "share": min(1.0, max(0.0, float(share)))}))
