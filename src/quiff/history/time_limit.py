"""A limit for the whole time that the network takes, however slowly something still comes."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, final

from quiff.errors import ParameterError, QuiffError

USUAL_LIMIT = 3600.0
"""Seconds for all files of a data set."""


@final
@dataclass(frozen=True)
class TimeLimit:
    """Seconds from now on for all that is done within them.

    >>> TimeLimit(60.0).run(lambda: 6 * 7, "https://example.org/")
    42
    """

    seconds: float = USUAL_LIMIT
    start: float = field(default_factory=monotonic)

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise ParameterError(f"the time limit is {self.seconds!r} seconds, but must be above 0")

    def run(self, work: Callable[[], Any], url: str, stop: Callable[[], None] | None = None) -> Any:
        """Return what `work` returns, or give it up when the time is over.

        It runs in a thread of its own: nothing else ends the wait for a server that sends a byte at times.
        `stop` is called when it is given up, to break the connections.
        """
        outcome: dict[str, Any] = {}

        def run() -> None:
            try:
                outcome["value"] = work()
            except BaseException as error:
                outcome["error"] = error

        thread = threading.Thread(target=run, name="quiff-network", daemon=True)
        thread.start()
        thread.join(min(max(0.0, self.start + self.seconds - monotonic()), threading.TIMEOUT_MAX))
        if thread.is_alive():
            if stop is not None:
                stop()
            raise QuiffError(
                f"cannot fetch {url}: it is not whole after {self.seconds:g} seconds; ask again, or allow"
                " more by --time-limit"
            )
        if "error" in outcome:
            raise outcome["error"]
        return outcome["value"]
