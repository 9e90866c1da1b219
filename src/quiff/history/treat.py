"""From a log to the Treated table: users under pseudonyms, times, and registrable domains (App. D.1).

New names for users are random numbers, and there is no way back by way of them (App. D.1). Each user has a
place: the rank of the user's random number among all numbers, a random permutation. Engines sort and write by
place, so that the order of a table tells nothing of names, nor of the order of the log. The numbers stay in
this process's memory and are put in when the rows are written, so that DuckDB, which may put on disk what it
knows, never holds a name and a number together. Whoever has both its scratch file, where a killed run has
left one, and a whole table could tell who is who by rank.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quiff.errors import ParameterError, QuiffError
from quiff.files import StrPath
from quiff.files.blocks import check_files
from quiff.history.conversions import EVENTS, read_conversions
from quiff.history.domains import RULES, host_domains
from quiff.history.hosts import with_host
from quiff.history.judged import check_kept, count_by_reason, judged, looked_at, verdict
from quiff.history.lines import BadLine, LogFormat
from quiff.history.queries import fetch_arrow, joins_as_written, scalar
from quiff.history.read import read_log
from quiff.history.suffixes import Suffixes
from quiff.history.tables import Steps, Workspace, workspace
from quiff.history.times import TimeFormat

CONTROL = r"[\x00-\x1f\x7f]"  # the pattern of characters that are no part of a user's name
_BITS = 53  # such a number is the same in JSON, JavaScript and spreadsheets


@dataclass(frozen=True)
class Pseudonyms:
    """The users of a log and their numbers, apart from each other."""

    places: Any  # a PyArrow table: user, place, in random order
    numbers: Any  # a PyArrow array in increasing order: the number that belongs to each place
    nameless: tuple[str, ...]  # the users that have no place, since they have no name


def draw_pseudonyms(users: Any, seed: int | None = None) -> Pseudonyms:
    r"""Draw a random number for each user.

    Control characters are no part of a name: users whose names differ in nothing else are one and the same,
    and a user whose name is nothing else has none. Names come once each; a seed is for tests, and None draws
    from the operating system.

    >>> drawn = draw_pseudonyms(pa.array(["8", "7", "\x197", "\x19"]))
    >>> place = dict(zip(*drawn.places.to_pydict().values()))
    >>> sorted(place), place["7"] == place["\x197"] != place["8"], len(drawn.numbers), drawn.nameless
    (['\x197', '7', '8'], True, 2, ('\x19',))
    """
    names = pc.replace_substring_regex(users, CONTROL, "")
    named = pc.not_equal(names, "")
    # In order of names: the order of an engine's answer is not fixed, and what a seed gives must be.
    distinct = names.filter(named).unique().sort()
    numbers = draw_numbers(len(distinct), seed)
    order = np.argsort(numbers)
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order))
    places = pa.array(ranks).take(pc.index_in(names.filter(named), distinct))
    return Pseudonyms(
        pa.table({"user": users.filter(named), "place": places}).sort_by("place"),
        pa.array(numbers[order]),
        tuple(users.filter(pc.invert(named)).to_pylist()),
    )


def draw_numbers(size: int, seed: int | None = None) -> Any:
    """Return distinct random integers below 2^53 in the order in which they were drawn.

    They come from the operating system's randomness, unless a seed is given.
    """
    source = random.SystemRandom() if seed is None else random.Random(seed)  # noqa: S311 - seeds are for tests
    numbers = np.empty(0, np.int64)
    while numbers.size < size:
        drawn = np.frombuffer(source.randbytes(8 * (size - numbers.size)), "<u8") >> (64 - _BITS)
        numbers = np.concatenate([numbers, drawn.astype(np.int64)])
        _, firsts = np.unique(numbers, return_index=True)
        numbers = numbers[np.sort(firsts)]
    return numbers


DEFAULT_MAX_BAD_LINES = 1000
DEFAULT_MIN_KEPT = 0.5
DEFAULT_MEMORY_LIMIT = "1200MB"
"""What the command leaves to DuckDB: a log of 36 million rows then takes less than 2 GB in all."""

COARSE_TIMES = {"day": "D", "hour": "h"}  # to what times can be cut


@dataclass(frozen=True)
class Treated:
    """What became of a log."""

    rows_read: int  # the rows of the log; each is in the Treated table or in `dropped`
    # The rows of the Treated table, and the distinct users and domains in it.
    rows: int
    users: int
    domains: int
    dropped: dict[str, int]  # how many rows were left out, by reason
    # For files with Unix times, by name: seconds or milliseconds, that is, what most of its times are; the
    # others of the file are dropped.
    unix_times: dict[str, str]
    bad_lines: tuple[BadLine, ...]  # the first malformed lines
    seeded: bool  # whether the pseudonyms come from a seed, and so could be found out: only for tests


def treat(
    con: Any,
    paths: Sequence[StrPath],
    out: StrPath,
    *,
    form: LogFormat | None = None,
    suffixes: Suffixes | None = None,
    rules: str = "correct",
    max_bad_lines: int = DEFAULT_MAX_BAD_LINES,
    time_format: str | None = None,
    coarse_times: str | None = None,
    min_kept: float = DEFAULT_MIN_KEPT,
    show_rows: bool = False,
    conversions: StrPath | None = None,
    seed: int | None = None,
    force: bool = False,
    steps: Steps | None = None,
) -> Treated:
    """Write the Treated table of a log, and its unique domains.

    Rows go that have no URL, no user, no time, or whose URL has no registrable domain. Control characters
    are taken out of user names, which are then replaced by random numbers; who has which number is nowhere
    written, and forgotten at the end. Rows are in the order of these numbers.

    `out` gets ``treated.parquet`` and ``domains.parquet``, but nothing if more lines are malformed than
    `max_bad_lines`, no row is kept, or less than the share `min_kept` of those with a URL; `show_rows` lets
    that error show three rows in full. `conversions` is a table of what these users did after an
    advertisement, which is written to ``conversions.parquet`` with their pseudonyms. `coarse_times`,
    ``"day"`` or ``"hour"``, cuts times in UTC. A seed makes the pseudonyms repeatable, for tests. An input is
    never replaced, whatever `force` is.
    """
    if rules not in RULES:
        raise ParameterError(f"the rules are {rules!r}, but must be one of {', '.join(RULES)}")
    if coarse_times is not None and coarse_times not in COARSE_TIMES:
        raise ParameterError(f"coarse_times is {coarse_times!r}, but must be {' or '.join(COARSE_TIMES)}")
    if not 0 <= min_kept <= 1:
        raise ParameterError(f"min_kept is {min_kept!r}, but must be a share from 0 to 1")
    times = None if time_format is None else TimeFormat(time_format)
    files = check_files(paths)
    events = None if conversions is None else read_conversions(con, conversions)
    names = ("treated.parquet", "domains.parquet", *([] if events is None else ["conversions.parquet"]))
    inputs = files if conversions is None else [*files, conversions]
    with workspace(con, out, names, steps=steps, force=force, inputs=inputs) as work:
        with work.step("count the lines of the log") as counting:
            log = read_log(con, files, form or LogFormat(), work.scratch("log"), most_bad=max_bad_lines)
            counting.rows = log.rows + log.headers
        try:
            rows, n_lines = work.keep("read the lines of the log", judged(log, times))
        except QuiffError:  # an engine gives up: maybe since a file has become shorter
            log.check_unchanged()
            raise
        found = verdict(con, rows, log, max_bad_lines)
        kept = rows.filter(found.stay(rows)).drop("reason")
        with work.step("draw pseudonyms") as drawing:
            names = fetch_arrow(con, kept.select("user").distinct())
            drawn = draw_pseudonyms(names["user"], seed)
            drawing.rows = len(drawn.numbers)
        kept, n_nameless = _with_name(con, kept, drawn.nameless)
        domains = _domains(work, kept, suffixes, rules)
        useless = domains.filter(domains.reason.notnull())
        more = {"no-user": n_nameless, **count_by_reason(con, useless, useless.visits.sum())}
        dropped = found.dropped
        dropped |= {reason: dropped.get(reason, 0) + n for reason, n in more.items() if n}
        looked = looked_at(log, times)
        check_kept(con, log, looked, domains, found, dropped, least=min_kept, show_rows=show_rows)
        useful = domains.filter(domains.reason.isnull())
        joined = kept.inner_join(useful, "url").inner_join(ibis.memtable(drawn.places), "user")
        visits = _cut(joined.select(user=joined.place, time=joined.time, domain=joined.domain), coarse_times)
        with joins_as_written(con):
            treated, n_rows = work.output(
                "treated.parquet", "write the Treated table", visits, numbers={"user": drawn.numbers}
            )
        unique = useful.select("domain").distinct()
        _, n_domains = work.output("domains.parquet", "write the unique domains", unique)
        n_users = int(scalar(con, treated.user.nunique()))
        if events is not None:
            known = events.inner_join(ibis.memtable(drawn.places), "user")
            told = _cut(known.select("time", "site", "kind", "value", user=known.place), coarse_times)
            work.output(
                "conversions.parquet",
                "write the conversions",
                told.select(*EVENTS),
                numbers={"user": drawn.numbers},
            )
        log.check(con, n_rows + sum(dropped.values()))
    n_read = n_lines - log.headers
    seeded = seed is not None
    return Treated(n_read, n_rows, n_users, n_domains, dropped, found.units, found.bad_lines, seeded)


def _cut(rows: Any, coarse_times: str | None) -> Any:
    """Cut times to the day or hour, if asked to."""
    return rows if coarse_times is None else rows.mutate(time=rows.time.truncate(COARSE_TIMES[coarse_times]))


def _with_name(con: Any, kept: Any, nameless: tuple[str, ...]) -> tuple[Any, int]:
    """Leave out the rows of users that have no name, and count them."""
    if not nameless:
        return kept, 0
    # A name such as NUL would end a statement that it is part of.
    lost = ibis.memtable(pa.table({"user": pa.array(nameless, pa.string())}))
    return kept.anti_join(lost, "user"), int(scalar(con, kept.semi_join(lost, "user").count()))


def _domains(work: Workspace, kept: Any, suffixes: Suffixes | None, rules: str) -> Any:
    """Return url, visits, and its domain or the reason why it has none."""
    urls = kept.group_by("url").agg(visits=kept.count())
    located, _ = work.keep("find the hosts of distinct URLs", with_host(urls, rules))
    found = host_domains(located.select("host").distinct(), suffixes, rules)
    both = located.inner_join(found, "host").select("url", "visits", "domain", "reason")
    domains, _ = work.keep("find the domains of distinct hosts", both)
    return domains
