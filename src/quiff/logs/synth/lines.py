"""The lines of a synthetic log, put together from columns of strings in Arrow arrays."""

import tomllib
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quiff.core.numbers import Array
from quiff.logs.synth.law import DAYS, query_times
from quiff.logs.synth.names import Names, phrases

# Kinds of odd values: how often one click or query in the log is such, and what it looks like.
ODD = tomllib.loads(Path(__file__).with_name("odd.toml").read_text(encoding="utf-8"))
# Odd lines that are there in any case are at most one in so many.
_ROOM = 100


def drawn_patterns(
    rng: np.random.Generator, of: str, n_rows: int, all_of_them: bool
) -> tuple[Array, list[str]]:
    """Return which of some rows are odd, and the pattern of each.

    With `all_of_them`, each pattern is there once at least, unless that were more than one row in a hundred.
    """
    kinds = ODD[of].values()
    patterns = [pattern for kind in kinds for pattern in kind["patterns"]]
    chosen = patterns if all_of_them and n_rows >= _ROOM * len(patterns) else []
    rates = [kind["rate"] for kind in kinds]
    for kind, times in zip(kinds, rng.poisson(np.multiply(rates, n_rows)).tolist(), strict=True):
        chosen = chosen + [kind["patterns"][i] for i in rng.integers(len(kind["patterns"]), size=times)]
    chosen = chosen[:n_rows]
    return rng.choice(n_rows, len(chosen), replace=False), chosen


def filled_url(pattern: str, domain: str, number: int) -> str:
    """Return a pattern with its parts filled in."""
    label, _, suffix = domain.partition(".")
    host = f"www.{domain}"
    capitals = {"host_upper": host.upper(), "domain_upper": domain.upper()}
    return pattern.format(host=host, domain=domain, label=label, suffix=suffix, n=number, **capitals)


HEADER = b"AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

FIRST_DAY = date(2006, 3, 1)
_DAY = 86_400
_ID_STEP = 37  # the numbers of AOL's users are that far apart on average
_PHRASES = 2**16
_LAST_RANK, _RANK_EXPONENT = 500, 1.6
# What stands before the domain, in 256 URLs.
_PREFIXES = {
    "http://www.": 243, "http://": 7, "http://home.": 2, "http://shop.": 1, "http://news.": 1,
    "https://www.": 1, "http://www2.": 1,
}  # fmt: skip


@dataclass(frozen=True)
class Pieces:
    """The strings that lines are put together from; the last of those from `ranks` on is for no URL."""

    names: Names
    queries: Any
    days: Any
    clock: Any
    ranks: Any
    prefixes: Any
    first: Any
    second: Any
    suffixes: Any

    @classmethod
    def make(cls, rng: np.random.Generator, names: Names) -> "Pieces":
        """Return the strings for the given names, with random queries."""
        clock = (f"{s // 3600:02}:{s // 60 % 60:02}:{s % 60:02}\t" for s in range(_DAY))
        return cls(
            names,
            pa.array([f"{phrase}\t" for phrase in phrases(rng, _PHRASES)]),
            pa.array([f"{FIRST_DAY + timedelta(day)} " for day in range(DAYS)]),
            pa.array(list(clock)),
            pa.array([*(f"{rank}\t" for rank in range(1, _LAST_RANK + 1)), "\t"]),
            pa.array([*(prefix for prefix, share in _PREFIXES.items() for _ in range(share)), ""]),
            *(
                pa.concat_arrays([part, pa.array([""])])
                for part in (names.first, names.second, names.suffixes)
            ),
        )


def lines(
    rng: np.random.Generator, pieces: Pieces, counts: Array, clicks: Array, domains: Array, first: int
) -> tuple[memoryview, Array, Array]:
    """Return the lines of some users, which clicks were made odd, and the users' numbers.

    `clicks` are the positions of the lines with a URL, and `domains` the popularity rank of the domain of
    each; odd lines of every kind are in the lines of user 0 and those after, and `first` is the number of the
    first user here.
    """
    n_rows = int(counts.sum())
    odd, patterns = drawn_patterns(rng, "urls", clicks.shape[0], all_of_them=first == 0)
    named = pieces.names.domains(domains[odd]).to_pylist()
    numbers = rng.integers(1, 255, len(patterns)).tolist()
    urls = [filled_url(*parts) for parts in zip(patterns, named, numbers, strict=True)]
    ids, shown = _ids(rng, first, counts)
    who = shown, _queries(rng, pieces, n_rows, all_of_them=first == 0)
    seconds = query_times(rng, counts)
    when = pieces.days.take(pa.array(seconds // _DAY)), pieces.clock.take(pa.array(seconds % _DAY))
    where = _urls(rng, pieces, n_rows, clicks, domains, odd, urls)
    return _bytes_of(pc.binary_join_element_wise(*who, *when, *where, "\n", "")), odd, ids


def _ids(rng: np.random.Generator, first: int, counts: Array) -> tuple[Array, Any]:
    """Return the users' numbers, and those of the lines; in the first block one has a control character."""
    n_users = counts.shape[0]
    ids = _ID_STEP * np.arange(first, first + n_users) + rng.integers(1, _ID_STEP + 1, n_users)
    table = [f"{number}\t" for number in ids.tolist()]
    which = np.repeat(np.arange(n_users), counts)
    if first == 0 and counts.max() > 1:
        busiest = int(counts.argmax())
        table.append(f"\x19{table[busiest]}")
        which[counts[:busiest].sum() + rng.integers(counts[busiest])] = n_users
    return ids, pa.array(table).take(pa.array(which))


def _queries(rng: np.random.Generator, pieces: Pieces, n_rows: int, all_of_them: bool) -> Any:
    # the square of a uniform number is small more often than large
    which = (rng.random(n_rows) ** 2 * _PHRASES).astype(np.int64)
    odd, patterns = drawn_patterns(rng, "queries", n_rows, all_of_them)
    usual = pieces.queries.take(pa.array(which[odd])).to_pylist()
    texts = [
        pattern.format(query=text.rstrip("\t")) + "\t" for pattern, text in zip(patterns, usual, strict=True)
    ]
    return _replaced(pieces.queries.take(pa.array(which)), odd, texts)


def _urls(
    rng: np.random.Generator,
    pieces: Pieces,
    n_rows: int,
    clicks: Array,
    domains: Array,
    odd: Array,
    odd_urls: list[str],
) -> list[Any]:
    """Return the columns from the rank on; an odd URL stands in the column of the prefixes."""
    ranks = (1 - rng.random(clicks.shape[0])) ** (-1 / (_RANK_EXPONENT - 1))
    ranks = np.minimum(ranks, _LAST_RANK).astype(np.int64) - 1
    prefixes = rng.integers(len(pieces.prefixes) - 1, size=clicks.shape[0])
    tables = (pieces.prefixes, pieces.first, pieces.second, pieces.suffixes)
    columns = [_spread(pieces.ranks, n_rows, clicks, ranks)]
    for table, which in zip(tables, (prefixes, *pieces.names.pieces(domains)), strict=True):
        which[odd] = len(table) - 1
        columns.append(_spread(table, n_rows, clicks, which))
    columns[1] = _replaced(columns[1], clicks[odd], odd_urls)
    return columns


def _spread(table: Any, n_rows: int, rows: Array, which: Array) -> Any:
    """Return a column with the chosen strings of a table in some rows, and its last string in the others."""
    positions = np.full(n_rows, len(table) - 1)
    positions[rows] = which
    return table.take(pa.array(positions))


def _replaced(column: Any, rows: Array, texts: list[str]) -> Any:
    """Return a column with other texts in some rows."""
    mask = np.zeros(len(column), dtype=bool)
    mask[rows] = True
    in_order = [texts[position] for position in np.argsort(rows)]
    return pc.replace_with_mask(column, pa.array(mask), pa.array(in_order, pa.string()))


def _bytes_of(strings: Any) -> memoryview:
    """Return the bytes of all strings of an Arrow array, one after the other, without a copy."""
    _, offsets, data = strings.buffers()
    ends = np.frombuffer(offsets, dtype=np.int32)
    start, stop = ends[strings.offset], ends[strings.offset + len(strings)]
    return memoryview(data)[start:stop]
