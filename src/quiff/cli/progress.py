"""How far a long run is: one display, on a terminal only."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from quiff.cli.terminal import on_terminal
from quiff.progress import watching

if TYPE_CHECKING:
    from quiff.logs.tables import Step, Steps

_DELAY = 2.0  # seconds


class Shown:
    """What a run tells of itself: its `steps`, or by `tell` the share that is done of a named part."""

    def __init__(self, bars: Any = None) -> None:
        self._bars = bars
        self._tasks: dict[str, Any] = {}
        self.tell: Callable[[str, float], None] | None = None if bars is None else self._tell

    @cached_property
    def steps(self) -> "Steps":
        """The steps of a run of the pipeline."""
        from quiff.logs.tables import Steps

        return Steps(None if self._bars is None else self._watch)

    def _tell(self, name: str, share: float) -> None:
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=1.0)
        self._bars.update(self._tasks[name], completed=share)

    def _watch(self, step: "Step", done: bool) -> None:
        if not done:
            self._tasks[step.name] = self._bars.add_task(step.name, total=None, share=step.share)
            return
        task, rows = self._tasks[step.name], "" if step.rows is None else f": {step.rows} rows"
        self._bars.update(task, description=step.name + rows, total=1, completed=1, share=None)
        self._bars.stop_task(task)


@contextmanager
def shown_progress() -> Iterator[Shown]:
    """Show on stderr, on a terminal, what is at work, how far it is and for how long; elsewhere nothing.

    Nothing is shown of what is over within two seconds. Where it is not known how far a step is, its bar
    moves to and fro.
    """
    if not on_terminal():
        yield Shown()
        return
    from threading import Timer

    bars = _bars()
    shown = Shown(bars)
    late = Timer(_DELAY, bars.start)
    late.daemon = True
    late.start()
    try:
        with watching(shown.tell):
            yield shown
    finally:
        late.cancel()
        late.join()
        bars.stop()


def _bars() -> Any:
    from rich import progress
    from rich.console import Console

    class Bars(progress.Progress):
        def get_renderables(self) -> Any:
            for task in self.tasks:
                share = task.fields.get("share")
                now = None if share is None else share()
                if now is not None:
                    task.total, task.completed = 1, min(now, 1)
            return super().get_renderables()

    columns = (progress.TextColumn("{task.description}"), progress.BarColumn(), progress.TaskProgressColumn())
    return Bars(
        progress.SpinnerColumn(),
        *columns,
        progress.TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
