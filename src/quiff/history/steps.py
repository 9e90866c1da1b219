"""The list of steps of a run: what was done, on how many rows, in what time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter


@dataclass
class Step:
    """One step of a run; whoever runs it sets `rows` as soon as they are known."""

    name: str  # what is done
    rows: int | None = None  # the rows of its result; None if it has none
    seconds: float = 0.0  # the time that it took
    # Tells, while the step is at work, which share of it is done, from 0 to 1; None if that is not known.
    share: Callable[[], float | None] | None = field(default=None, repr=False, compare=False)


@dataclass
class Steps:
    """Collects the steps of a run in order, and tells a watcher of each start and end.

    >>> steps = Steps()
    >>> with steps.step("read the log") as step:
    ...     step.rows = 3
    >>> [(step.name, step.rows) for step in steps.done]
    [('read the log', 3)]
    """

    # Called with a step when it starts (``done`` is False) and when it ends (True).
    watch: Callable[[Step, bool], None] | None = None
    done: list[Step] = field(default_factory=list)

    @contextmanager
    def step(self, name: str, share: Callable[[], float | None] | None = None) -> Iterator[Step]:
        """Time what happens inside, and add it to the list if it succeeds."""
        step = Step(name, share=share)
        start = perf_counter()
        if self.watch:
            self.watch(step, False)
        try:
            yield step
        finally:
            step.seconds = perf_counter() - start
            if self.watch:
                self.watch(step, True)
        self.done.append(step)
