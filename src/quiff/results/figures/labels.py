"""Where labels stand that would otherwise lie on each other."""

from collections.abc import Sequence


def label_heights(places: Sequence[float], height: float, line: float) -> list[float]:
    """Return places for labels near the given ones, from the top, at least a line apart and in their order.

    Parameters
    ----------
    places
        Where the labels would best be.
    height
        The height of the plot; more labels than fit go below it.
    line
        The height of a label.

    Examples
    --------
    >>> label_heights([50, 10, 12, 100], height=100, line=20)
    [50.0, 10.0, 30.0, 100.0]
    >>> label_heights([100, 100], height=100, line=20)
    [80.0, 100.0]
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    placed: list[float] = []
    for i in order:
        placed.append(max([float(places[i]), *(last + line for last in placed[-1:])]))
    room = float(height)
    for rank in reversed(
        range(len(placed))
    ):  # what has gone below the plot moves up, as far as there is room
        placed[rank] = max(min(placed[rank], room), rank * line)
        room = placed[rank] - line
    heights = [0.0] * len(places)
    for rank, i in enumerate(order):
        heights[i] = placed[rank]
    return heights
