"""A bar for each step of a long study, on a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from quiff.cli.terminal import on_terminal

_DELAY = 2.0  # seconds


@contextmanager
def step_bars() -> Iterator[Callable[[str, float], None] | None]:
    """Give a callback that shows on stderr, on a terminal, how far each step is; None elsewhere.

    Nothing is shown of what is over within two seconds.
    """
    if not on_terminal():
        yield None
        return
    from threading import Timer

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    bars = Progress(*columns, console=Console(stderr=True), transient=True)
    tasks: dict[str, Any] = {}

    def progress(name: str, share: float) -> None:
        if name not in tasks:
            tasks[name] = bars.add_task(name, total=1.0)
        bars.update(tasks[name], completed=share)

    late = Timer(_DELAY, bars.start)
    late.daemon = True
    late.start()
    try:
        yield progress
    finally:
        late.cancel()
        late.join()
        bars.stop()
