"""Browsing histories for simulation: who loaded which page when, and who called the API there."""

import hashlib
import os
import secrets
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from quiff.browser.browser import DAY, WEEK, Browser, PageLoad
from quiff.browser.decisions import HmacDecisions
from quiff.browser.report_files import read_rows, rows_below
from quiff.browser.reports import Reports
from quiff.browser.rules import BrowserRules
from quiff.browser.topic_tree import TopicTree
from quiff.core.labels import as_labels
from quiff.core.limits import PROCESS, check_need
from quiff.errors import ParameterError, QuiffError, counted
from quiff.io import StrPath, as_path
from quiff.safe_text import column_names, shape
from quiff.theory.parameters import MOST_OBSERVATIONS, check_whole

if TYPE_CHECKING:
    from quiff.logs.classifications import Classification

_PER_LOAD = 1250  # bytes that a page load takes while all are read: measured
_NEEDED = ("user", "time", "site", "callers")
_FARTHEST = 2**52  # seconds, so that milliseconds fit in eight bytes


def read_page_loads(path: StrPath) -> dict[Hashable, tuple[PageLoad, ...]]:
    r"""Return each user's page loads from a Parquet file or from text with commas.

    The columns are ``user``, ``time`` (seconds, or a date and time), ``site`` and ``callers``; those who only
    look on may be in ``onlookers``, and what is classified in ``host``. Several callers in one cell have
    blanks between them; a Parquet file may have lists.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "loads.csv"
    ...     _ = file.write_text("user,time,site,callers\nAlice,1970-01-02 00:00:00,news.tld,ads.tld x.tld\n")
    ...     loads = read_page_loads(file)["Alice"]
    >>> loads[0].time, loads[0].site, sorted(loads[0].callers)
    (86400, 'news.tld', ['ads.tld', 'x.tld'])
    """
    rows = read_rows(as_path(path))
    check_need(
        f"{os.fspath(path)!r}: {counted(rows.num_rows, 'page load')} take about",
        PROCESS + rows.num_rows * _PER_LOAD,
        "fewer page loads",
    )
    missing = [name for name in _NEEDED if name not in rows.column_names]
    if missing or not rows.num_rows:
        listed = column_names(rows.column_names, rows_below(as_path(path), rows))
        raise QuiffError(
            f"{os.fspath(path)!r} has the columns {listed} and "
            f"{counted(rows.num_rows, 'row')}; page loads need user, time, site and callers"
        )
    columns = {name: rows[name].to_pylist() for name in rows.column_names}
    for name in ("user", "time", "site"):
        if lacking := sum(value in (None, "") for value in columns[name]):
            raise QuiffError(f"{os.fspath(path)!r} has rows without a {name}, {lacking} of {rows.num_rows}")
    columns["time"] = _seconds(os.fspath(path), rows["time"])
    nobody = [None] * rows.num_rows
    found: dict[Hashable, list[PageLoad]] = {}
    for user, time, site, callers, onlookers, host in zip(
        *(columns[name] for name in _NEEDED),
        columns.get("onlookers", nobody),
        columns.get("host", nobody),
        strict=True,
    ):
        load = PageLoad(time, str(site or ""), _names(callers), _names(onlookers), str(host or ""))
        found.setdefault(user, []).append(load)
    return {user: tuple(sorted(loads, key=lambda load: load.time)) for user, loads in found.items()}


def _seconds(path: str, column: Any) -> list[int]:
    try:
        if not pa.types.is_integer(column.type):
            column = column.cast(pa.timestamp("s")).cast(pa.int64())
        seconds: list[int] = column.to_numpy(zero_copy_only=False).astype(np.int64).tolist()
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise QuiffError(
            f"{path!r} has a time that is neither a whole number of seconds nor a date and time"
        ) from error
    if far := [second for second in seconds if abs(second) > _FARTHEST]:
        raise QuiffError(f"{path!r} has the time {shape(far[0])}, which is too far; times are in seconds")
    return seconds


def _names(cell: Any) -> frozenset[str]:
    if cell is None:
        return frozenset()
    return frozenset(cell.split() if isinstance(cell, str) else map(str, cell))


def classified_hosts(classification: "Classification") -> dict[str, tuple[Hashable, ...]]:
    """Return the topics of each listed host that has any; topics that are whole numbers become numbers."""
    rows = classification.table.to_pyarrow()
    pairs = zip(rows["domain"].to_pylist(), rows["topics"].to_pylist(), strict=True)
    return {
        host: tuple(int(topic) if topic.isdecimal() and len(topic) <= 18 else topic for topic in topics)
        for host, topics in pairs
        if topics
    }


def simulate_page_loads(
    loads: Mapping[Hashable, Iterable[PageLoad]],
    tree: TopicTree,
    classification: Mapping[str, Sequence[Hashable]],
    *,
    sites: Iterable[str],
    caller: str,
    epochs: int,
    rules: BrowserRules | None = None,
    seed: int | None = None,
    start: int | None = None,
    earlier: int | None = None,
) -> Reports:
    """Let each user's own browser, with its own key, report to a caller on some sites, once in each epoch.

    All browsers start together, at `start` in seconds, by default the day of the first page load. The first
    call comes when as many weeks have passed as a call shows, and after all switch delays are over; it shows
    `earlier` epochs before its own, by default as many as a call can. Epochs beyond the page loads have none
    to count. `tree`, `classification` and `rules` are those of `Browser`; a seed of None takes the operating
    system's randomness.

    Examples
    --------
    >>> day = [PageLoad(n * DAY, "news.tld", frozenset({"ads.tld"})) for n in range(28)]
    >>> reports = simulate_page_loads(
    ...     {"Alice": day}, TopicTree.flat(["Art", "News"]), {"news.tld": ["News"]},
    ...     sites=["shop.tld"], caller="ads.tld", epochs=2, rules=BrowserRules(top_s=1, noise=0), seed=1,
    ... )
    >>> reports.by_epoch.tolist()
    [[[1, 1, 1, 1]]]
    """
    rules = rules or BrowserRules()
    most = rules.epochs_per_call - 1
    before = most if earlier is None else check_whole("earlier", earlier, 0, most)
    columns = check_whole("epochs", epochs, 1, MOST_OBSERVATIONS) + before
    named = as_labels(list(sites), "site")
    check_whole("sites", named.size, 1)
    ordered = {user: sorted(listed, key=lambda load: load.time) for user, listed in loads.items()}
    if start is None:
        firsts = [listed[0].time for listed in ordered.values() if listed]
        if not firsts:
            raise ParameterError("there is no page load; give at least one, or say when the browsers start")
        start = min(firsts) // DAY * DAY
    secret = secrets.token_hex(16) if seed is None else f"seed {check_whole('seed', seed, 0)}"
    by_epoch = np.empty((named.size, len(ordered), columns), dtype=np.int32)
    for row, (user, listed) in enumerate(ordered.items()):
        key = hashlib.sha256(f"{secret}|{user}".encode()).digest()[:16]
        browser = Browser(tree, classification, HmacDecisions(key), rules, start)
        times = [load.time for load in listed]
        for column in range(columns):
            time = start + WEEK * (column + 1)
            first, last = bisect_left(times, time - 3 * WEEK), bisect_right(times, time)  # no others matter
            epoch = browser.epoch(listed[first:last], time)
            got = [browser.report(epoch, str(site), caller) for site in named]
            by_epoch[:, row, column] = [-1 if topic is None else tree.topics.position(topic) for topic in got]
    return Reports(
        as_labels(list(ordered), "user"), named, tree.topics, by_epoch, before, rules.epochs_per_call,
        rules.each_once,
    )  # fmt: skip
