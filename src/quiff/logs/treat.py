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
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from quiff.commands import NewFile, NewFolder, command
from quiff.errors import ParameterError, QuiffError
from quiff.io import StrPath
from quiff.io.blocks import check_files
from quiff.io.text import Reject
from quiff.logs.conversions import EVENTS, read_conversions
from quiff.logs.domains import DomainRules
from quiff.logs.judged import check_kept, count_by_reason, judged, looked_at, verdict
from quiff.logs.queries import batches, fetch_arrow, joins_as_written, scalar
from quiff.logs.read import LogFormat, read_log
from quiff.logs.scan import scan_parquet
from quiff.logs.suffixes import Suffixes
from quiff.logs.tables import Steps, Workspace, publish, workspace
from quiff.logs.times import TimeFormat
from quiff.theory.parameters import check_whole

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

_SEED_NOTE = "The pseudonyms come from the seed and so can be found out: for tests only."
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
    bad_lines: tuple[Reject, ...]  # the first malformed lines
    seeded: bool  # whether the pseudonyms come from a seed, and so could be found out: only for tests

    @property
    def notes(self) -> tuple[str, ...]:
        """What else is to be known, in sentences."""
        lines = tuple(f"malformed: {line}" for line in self.bad_lines)
        return (*lines, _SEED_NOTE) if self.seeded else lines


@command("treat", group="log", usual="1200MB")
def treat(
    con: Any,
    logs: Sequence[StrPath],
    out: Annotated[StrPath, NewFolder("treated.parquet", "domains.parquet")],
    *,
    form: LogFormat | None = None,
    suffixes: Suffixes | None = None,
    rules: Literal["correct", "as-published"] = "correct",
    max_bad_lines: int = DEFAULT_MAX_BAD_LINES,
    time_format: str | None = None,
    coarse_times: Literal["day", "hour"] | None = None,
    min_kept: float = DEFAULT_MIN_KEPT,
    show_rows: bool = False,
    conversions: StrPath | None = None,
    seed: int | None = None,
    csv: Annotated[StrPath, NewFile(".csv")] | None = None,
    force: bool = False,
    steps: Steps | None = None,
) -> Treated:
    """Turn a search log into visits: who, when, and which domain.

    Users become pseudonyms, and URLs registrable domains: http://www.example.co.uk/page is a visit to
    example.co.uk. LOG is a text file with tabs, commas, semicolons or bars (|), or in JSON lines, compressed
    by gzip or not; a pipe; or a Parquet file. Rows go that have no URL, no user, no time, or whose URL has no
    registrable domain, and are counted by reason; nothing is written if no row is kept. An input is never
    replaced. The command leaves DuckDB 1.2 GB and uses the disk beyond, unless --memory-limit says otherwise.

    Times are 2026-03-02 08:10:00 or 2026-03-02T08:10:00, with decimals or not, with a zone (Z, UTC, +02:00,
    +0200, +02) or without, which is UTC; Unix seconds or milliseconds, of which a file has one unit, that of
    most of its times; in Parquet also times, days and numbers as such. All become UTC.

    Control characters are taken out of user names, which are then replaced by random numbers; who has which
    number is nowhere written, and forgotten at the end. Rows are in the order of these numbers.

    Parameters
    ----------
    con
        The engine, of `quiff.logs.engine.connect`.
    logs
        The files of the log.
    out
        The folder that gets treated.parquet and domains.parquet.
    form
        How the log is written.
    suffixes
        A public suffix list; None stands for the installed one.
    rules
        How a host gets its domain: by the suffix list's own algorithm, in small letters as in the DNS; or as
        the paper did, with letters as they are, and suffixes such as gov.br as domains.
    max_bad_lines
        Give up above so many malformed lines.
    time_format
        How times are written, if otherwise than said above: as for strptime, with the codes %Y %y %m %b %B %d
        %H %I %p %M %S %f %z %a %A %F %T.
    coarse_times
        Cut times to the day or hour (UTC), so that visits are harder to find again elsewhere.
    min_kept
        Give up if less than this share of the rows that have a URL is kept.
    show_rows
        In errors, show cells and rows in full; else what they say of people is left out.
    conversions
        What these users did after an advertisement: conversions.parquet.
    seed
        Repeatable pseudonyms, which are not secret: for tests.
    csv
        Also write the table in the form of the paper's published CSV files.
    force
        Whether outputs that are there are replaced.
    steps
        Is told of each step.

    Examples
    --------
    $ quiff treat log/*.txt.gz --out treated
    """
    domain_rules = DomainRules.of(suffixes, rules)
    if coarse_times is not None and coarse_times not in COARSE_TIMES:
        raise ParameterError(what="coarse_times", value=coarse_times, allowed=" or ".join(COARSE_TIMES))
    if not 0 <= min_kept <= 1:
        raise ParameterError(what="min_kept", value=min_kept, allowed="a share from 0 to 1")
    times = None if time_format is None else TimeFormat(time_format)
    check_whole("max_bad_lines", max_bad_lines, 0)
    files = check_files(logs)
    events = None if conversions is None else read_conversions(con, conversions)
    names = ("treated.parquet", "domains.parquet", *([] if events is None else ["conversions.parquet"]))
    inputs = files if conversions is None else [*files, conversions]
    with (
        workspace(con, out, names, steps=steps, force=force, inputs=inputs) as work,
        ExitStack() as reading,
    ):
        with work.step("count the lines of the log"):
            log = reading.enter_context(read_log(con, files, form or LogFormat(), work.scratch("log")))
        try:
            rows, n_rows = work.keep("read the log", judged(log, times))
        except QuiffError:  # DuckDB gives up: maybe since a file has become shorter
            log.check_unchanged()
            raise
        log = log.counted(n_rows)
        fate = verdict(con, rows, log, max_bad_lines)
        staying = rows.filter(fate.stay(rows)).drop("reason")
        with work.step("draw pseudonyms") as drawing:
            names = fetch_arrow(con, staying.select("user").distinct())
            drawn = draw_pseudonyms(names["user"], seed)
            drawing.rows = len(drawn.numbers)
        staying, n_nameless = _with_name(con, staying, drawn.nameless)
        domains = _domains(work, staying, domain_rules)
        useless = domains.filter(domains.reason.notnull())
        more = {"no-user": n_nameless, **count_by_reason(con, useless, useless.visits.sum())}
        dropped = fate.dropped
        dropped |= {reason: dropped.get(reason, 0) + n for reason, n in more.items() if n}
        looked = looked_at(log, times)
        check_kept(con, log, looked, domains, fate, dropped, least=min_kept, show_rows=show_rows)
        useful = domains.filter(domains.reason.isnull())
        joined = staying.inner_join(useful, "url").inner_join(ibis.memtable(drawn.places), "user")
        visits = _cut(joined.select(user=joined.place, time=joined.time, domain=joined.domain), coarse_times)
        with joins_as_written(con):
            treated, n_rows = work.output(
                "treated.parquet", "write the Treated table", visits, numbers={"user": drawn.numbers}
            )
        unique = useful.select("domain").distinct()
        _, n_domains = work.output("domains.parquet", "write the unique domains", unique)
        n_users = int(scalar(con, treated.user.nunique()))
        if events is not None:
            matched = events.inner_join(ibis.memtable(drawn.places), "user")
            outcomes = _cut(matched.select("time", "site", "kind", "value", user=matched.place), coarse_times)
            work.output(
                "conversions.parquet",
                "write the conversions",
                outcomes.select(*EVENTS),
                numbers={"user": drawn.numbers},
            )
        log.check(n_rows + sum(dropped.values()))
    publish(con, out, "treated", csv, force, inputs)
    seeded = seed is not None
    return Treated(log.rows, n_rows, n_users, n_domains, dropped, fate.units, fate.bad_lines, seeded)


def _cut(rows: Any, coarse_times: str | None) -> Any:
    """Cut times to the day or hour, if asked to."""
    return rows if coarse_times is None else rows.mutate(time=rows.time.truncate(COARSE_TIMES[coarse_times]))


def _with_name(con: Any, staying: Any, nameless: tuple[str, ...]) -> tuple[Any, int]:
    """Leave out the rows of users that have no name, and count them."""
    if not nameless:
        return staying, 0
    # A name such as NUL would end a statement that it is part of.
    lost = ibis.memtable(pa.table({"user": pa.array(nameless, pa.string())}))
    return staying.anti_join(lost, "user"), int(scalar(con, staying.semi_join(lost, "user").count()))


_DOMAINS = pa.schema({"url": pa.string(), "visits": pa.int64(), "domain": pa.string(), "reason": pa.string()})


def _domains(work: Workspace, staying: Any, rules: DomainRules) -> Any:
    """Return url, visits, and its domain or the reason why it has none."""
    urls = staying.group_by("url").agg(visits=staying.count())
    path = work.scratch("domains") / "domains.parquet"
    with work.step("find the domains of distinct URLs") as step, pq.ParquetWriter(path, _DOMAINS) as file:
        step.rows = 0
        for batch in batches(work.con, urls):
            domains, reasons = [], []
            for url in batch["url"].to_pylist():
                place = rules.locate(url)
                domains.append(place.domain)
                reasons.append(place.reason)
            file.write_table(pa.table([batch["url"], batch["visits"], domains, reasons], schema=_DOMAINS))
            step.rows += batch.num_rows
    return scan_parquet(work.con, path)
