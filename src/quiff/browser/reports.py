"""What browsers report: one topic for each site, user and epoch, and what a call shows of them."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from quiff.core.labels import Labels, as_labels, same
from quiff.core.numbers import Array
from quiff.errors import LabelError, ShapeError, counted, needed
from quiff.io import StrPath
from quiff.theory.parameters import check_whole

if TYPE_CHECKING:
    import pandas as pd

_NOTHING = -1


@final
@dataclass(frozen=True, eq=False, repr=False)
class Reports:
    """The topics that some sites get of some users, epoch by epoch.

    A site calls once in each of E epochs. A call shows the newest epochs, up to three of them by the
    specification: sorted, each topic once, and without a hint which epoch a topic is of. So a site has seen
    one topic more after each call; at its first one it may also see epochs that lie `earlier`.

    Examples
    --------
    >>> reports = Reports(["Alice"], ["news.tld"], ["Art", "Music", "News"], [[[2, 0, 2, -1]]], earlier=2)
    >>> reports
    <Reports of 1 user on 1 site: 2 epochs, and 2 before the first call>
    >>> reports.view("news.tld", 1).tolist(), reports.view("news.tld", 2).tolist()
    ([[0, 2, -1]], [[0, 2, -1]])
    """

    users: Labels
    sites: Labels
    topics: Labels  # the whole taxonomy; or the outputs of another API
    # Positions in `topics`, or -1 where nothing is returned: (sites, users, earlier + E), the oldest first.
    by_epoch: Array
    earlier: int = 0  # how many epochs before that of the first call the first call shows
    per_call: int = 3  # how many epochs a call shows
    shown_once: bool = True  # whether topics are shown sorted and each one once, as specified, or by epoch
    # Whether a site calls before it is switched to the newest epoch, and so sees one epoch less at the end
    # and one more at the start: truth values (sites, users, E). None means that no call is so early.
    late: Array | None = None
    shows: str = "topic"  # or the ``output`` of another API, which is never taken for a topic

    def __post_init__(self) -> None:
        per_call = check_whole("per_call", self.per_call, 1)
        most = per_call - 1 if self.late is None else per_call
        earlier = check_whole("earlier", self.earlier, 0, most)
        named = {what: as_labels(getattr(self, what + "s"), what) for what in ("user", "site", "topic")}
        shape = (named["site"].size, named["user"].size)
        codes = _checked(self.by_epoch, shape, earlier, named["topic"].size)
        vars(self).update({what + "s": labels for what, labels in named.items()})
        vars(self).update(by_epoch=codes, earlier=earlier, per_call=per_call)
        if self.late is not None:
            vars(self)["late"] = _checked_late(self.late, (*shape, codes.shape[2] - earlier))

    @classmethod
    def read(cls, path: StrPath, *, topics: object = None, per_call: int | None = None) -> "Reports":
        """Return the reports of a file as `write` leaves it: Parquet, or text with commas.

        Its columns are ``user, site, epoch, topic``. The epoch of the first call is 0, those before have
        negative numbers; an empty topic is nothing. Without `topics`, the whole taxonomy, and `per_call` it
        is what a Parquet file says, or else the topics that occur and 3.
        """
        from quiff.browser.report_files import read_reports  # and Arrow, which nothing else here needs

        return cls(**read_reports(path, topics=topics, per_call=per_call))

    def write(
        self,
        path: StrPath,
        *,
        force: bool = False,
        inputs: Iterable[StrPath] = (),
        keep_formulas: bool = False,
    ) -> Path:
        """Write the table ``user, site, epoch, topic``, whole or not at all: Parquet, or CSV by its suffix.

        The file has a row for each user, site and epoch; of another API than topics the last column is
        ``output``; a column ``late`` follows if a call may be so. With `force` a file that is there already
        is replaced, but none of `inputs`. In CSV, an apostrophe comes before names that a spreadsheet would
        run, unless `keep_formulas` is true.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> reports = Reports(["Alice", "Bob"], range(2), [7, 9], [[[0, 1], [1, -1]], [[1, 1], [0, 0]]])
        >>> with TemporaryDirectory() as folder:
        ...     file = reports.write(Path(folder) / "reports.parquet")
        ...     Reports.read(file) == reports
        True
        """
        from quiff.browser.report_files import write_reports

        return write_reports(path, self, force=force, inputs=inputs, keep_formulas=keep_formulas)

    def to_pandas(self) -> "pd.DataFrame":
        """Return the table that `write` writes as a pandas frame, its columns categorical.

        Examples
        --------
        >>> reports = Reports(["Alice", "Bob"], ["news.tld"], ["Art", "Music"], [[[0, 1], [1, -1]]])
        >>> print(reports.to_pandas().tail(3).to_string(index=False))
         user     site epoch topic
        Alice news.tld     1 Music
          Bob news.tld     0 Music
          Bob news.tld     1   NaN
        """
        needed("pandas", "pandas", "a frame")
        from quiff.browser.report_files import table_of

        frame: pd.DataFrame = table_of(self).to_pandas()
        return frame

    @property
    def n_epochs(self) -> int:
        """The number E of epochs in which sites call, that is of calls."""
        return int(self.by_epoch.shape[2]) - self.earlier

    @property
    def n_users(self) -> int:
        """How many users there are."""
        return self.users.size

    def seen(self, site: Hashable, call: int) -> Array:
        """Return all that a site has been shown up to its `call`-th call, counted from 1, by epoch.

        Codes (users, earlier + call); -1 where nothing was returned, or the epoch was not shown.
        """
        row, call = self._place(site, call)
        codes = self.by_epoch[row, :, : self.earlier + call]
        if self.late is None:
            return np.asarray(codes)
        columns, shown = np.arange(codes.shape[1]), np.zeros(codes.shape, dtype=bool)
        for number in range(1, call + 1):
            first, last = self._window(row, number)
            shown |= (columns >= first[:, None]) & (columns <= last[:, None])
        return np.where(shown, codes, _NOTHING)

    def view(self, site: Hashable, call: int) -> Array:
        """Return what a site gets at its `call`-th call, counted from 1: codes (users, per_call).

        The topics of the newest epochs, sorted and each one once; -1 follows where there are fewer.
        """
        row, call = self._place(site, call)
        _, last = self._window(row, call)
        columns = last[:, None] - np.arange(self.per_call - 1, -1, -1)
        codes = np.take_along_axis(self.by_epoch[row], np.maximum(columns, 0), axis=1)
        codes = np.where(columns >= 0, codes, _NOTHING)
        return _each_once(codes, self.topics.size) if self.shown_once else codes

    def topics_shown(self, user: Hashable, site: Hashable, call: int) -> tuple[Hashable, ...]:
        """Return what a call shows of one user, by name."""
        codes = self.view(site, call)[self.users.position(user, "user")]
        return tuple(self.topics[int(code)] for code in codes if code >= 0)

    def _place(self, site: Hashable, call: int) -> tuple[int, int]:
        return self.sites.position(site, "site"), check_whole("call", call, 1, self.n_epochs)

    def _window(self, row: int, call: int) -> tuple[Array, Array]:
        """Return the first and the last column that a call shows of each user."""
        last = np.full(self.users.size, self.earlier + call - 1)
        if self.late is not None:
            last -= self.late[row, :, call - 1]
        return np.maximum(last - self.per_call + 1, 0), last

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reports):
            return NotImplemented
        return (
            (self.earlier, self.per_call, self.shown_once, self.shows)
            == (other.earlier, other.per_call, other.shown_once, other.shows)
            and all(same(getattr(self, what), getattr(other, what)) for what in ("users", "sites", "topics"))
            and np.array_equal(self.by_epoch, other.by_epoch)
            and (self.late is None) == (other.late is None)
            and (self.late is None or np.array_equal(self.late, other.late))  # type: ignore[arg-type]
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        before = f", and {self.earlier} before the first call" if self.earlier else ""
        size = f"{counted(self.users.size, 'user')} on {counted(self.sites.size, 'site')}"
        return f"<Reports of {size}: {counted(self.n_epochs, 'epoch')}{before}>"


def _checked(given: Any, shape: tuple[int, int], earlier: int, n_topics: int) -> Array:
    """Return codes as a read-only array of a small signed type."""
    array = np.asarray(given)
    if array.dtype.kind not in "iu" or array.ndim != 3 or array.shape[:2] != shape:
        raise ShapeError(
            f"the reports have shape {array.shape} and type {array.dtype}, but must be whole numbers "
            f"(sites, users, epochs) for {counted(shape[0], 'site')} and {counted(shape[1], 'user')}",
            what="reports",
            value=array.shape,
            allowed=f"{shape}",
        )
    if not all(shape) or array.shape[2] <= earlier:
        raise ShapeError(
            f"the reports have shape {array.shape}, but need a site, a user and more than "
            f"{counted(earlier, 'epoch')}, those before the first call",
            what="reports",
            value=array.shape,
        )
    if int(array.min()) < _NOTHING or int(array.max()) >= n_topics:
        bad = int(array.min()) if array.min() < _NOTHING else int(array.max())
        raise LabelError(
            what="a code of reports", value=bad, allowed=f"from 0 to {n_topics - 1}, or -1 for nothing"
        )
    codes = array.astype(np.int16 if n_topics <= np.iinfo(np.int16).max else np.int32)
    codes.flags.writeable = False
    return codes


def _checked_late(given: Any, shape: tuple[int, ...]) -> Array:
    late = np.array(given)
    if late.dtype != bool or late.shape != shape:
        raise ShapeError(
            f"`late` has shape {late.shape} and type {late.dtype}, but must be truth values of shape {shape}",
            what="late",
            value=late.shape,
            allowed=f"{shape}",
        )
    late.flags.writeable = False
    return late


def _each_once(codes: Array, n_topics: int) -> Array:
    """Return rows sorted, each code once, -1 at their ends."""
    ordered = np.sort(np.where(codes < 0, n_topics, codes), axis=1)
    ordered[:, 1:][ordered[:, 1:] == ordered[:, :-1]] = n_topics
    ordered = np.sort(ordered, axis=1)
    return np.where(ordered == n_topics, _NOTHING, ordered)
