"""A bar for each step of a long study, on a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["step_bars"]


@contextmanager
def step_bars() -> Iterator[Callable[[str, float], None] | None]:
    """Give a callback that shows on stderr, on a terminal, how far each step is; None elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def progress(name: str, share: float) -> None:
            if name not in tasks:
                tasks[name] = bars.add_task(name, total=1.0)
            bars.update(tasks[name], completed=share)

        yield progress
