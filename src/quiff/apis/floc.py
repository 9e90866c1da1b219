"""FLoC: a cohort of browsers with similar histories, by SimHash and PrefixLSH."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, final

import numpy as np

from quiff.apis.base import Limit, Unit, fitted, parameter
from quiff.apis.mechanisms import ByMechanism, Deterministic
from quiff.apis.ranges import Described, Whole
from quiff.core.gain import Gain, membership_gain
from quiff.core.labels import Labels, as_labels
from quiff.core.numbers import Array
from quiff.errors import ParameterError, QuiffError
from quiff.io.blocks import small_file
from quiff.people.groups import grouped
from quiff.people.histories import Histories
from quiff.people.population import Population
from quiff.safe_text import shape

BITS = 50
K0, K1, K2, K3 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F, 0xC949D7C7509E6557
MULTIPLIER = 0x9DDFEA08EB382D69
_MASK = (1 << 64) - 1
_SPEC = "WICG/floc, README; shigeki/floc_simulator at 292fe1b (10 August 2021)"
_TRUSTED = 16  # bytes: longer names have no published test vector
_NONE = -1  # too few domains


def _check_table(name: str, value: object) -> str:
    if not isinstance(value, str | Path):
        raise ParameterError(what=name, value=value, allowed="the name of a file")
    return str(value)


@final
@dataclass(frozen=True)
class FLoC(ByMechanism):
    """Federated Learning of Cohorts: the cohort of a browser's week, as in the trial of 2021.

    Each of 50 bits is the sign of a sum over the visited domains of a Gaussian that is fixed by the bit and
    the domain's hash (SimHash). Cohorts are ranges of the 50-bit number: split on the next bit while both
    halves have at least k users (PrefixLSH). A browser with fewer than 7 domains has none.

    Parameters
    ----------
    k
        The fewest users of a cohort when cohorts are made from the people at hand.
    domains
        The fewest domains of a history that has a cohort.
    table
        A file with a public table of cohorts, one byte each, as Chrome shipped it; empty: cohorts are made
        from the people at hand. A page never opens a file that a request names.

    Examples
    --------
    >>> sim_hash(["nikkei.com", "hatenablog.com", "nikkansports.com", "yahoo.co.jp", "sponichi.co.jp",
    ...           "cnn.co.jp", "floc.glitch.me", "ohtsu.org"])
    779363756518407
    """

    k: int = parameter(2000, Whole(1, source=_SPEC), "fewest users of a cohort")
    domains: int = parameter(7, Whole(1, source=_SPEC), "fewest domains of a history")
    table: str = parameter(
        "", Described("a file, one byte a cohort", _check_table), "public table of cohorts"
    )
    cohorts: "Cohorts | None" = fitted()
    names: tuple[int, int] | None = fitted()  # how many domains people visited, and how many have long names

    name = "floc"
    title = "FLoC"
    family = "interests"
    ended = "retired: replaced by Topics (WICG/floc, README), 25 January 2022"
    source = _SPEC + "; aberke/floc-analysis at c5cda15 (13 October 2022)"
    sees = "a cohort"
    unit = Unit("a browser", "all sites", 7)
    redraws = "nothing"
    needs = ("history",)
    assumptions = (
        "Cohorts are made from these people's own histories, unless a table of cohorts is given; what the "
        "table itself reveals is not measured.",
        "Hashes of domain names of more than 16 bytes rest on no published test vector.",
    )
    open_points = ("The noise that was planned was never specified.",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.table and self.cohorts is None:
            object.__setattr__(self, "cohorts", Cohorts.read(self.table))

    def with_table(self, table: bytes | str | Path) -> Self:
        """Return the API with a public table of cohorts: one byte each, as Chrome shipped it."""
        return replace(self, cohorts=Cohorts.read(table))

    def fit(self, people: Population | Histories) -> Self:
        """Split the people's hashes into cohorts, unless a table was given; count names that are long."""
        if self.names is not None:
            return self
        secret = people.channel("history")
        visited = {domain for history in secret.outputs for domain in _domains(history)}
        names = len(visited), sum(len(domain.encode()) > _TRUSTED for domain in visited)
        if self.cohorts is not None:
            return replace(self, names=names)
        hashes = self._hashes(secret.outputs)
        counts = grouped(people, secret).counts
        has = hashes != _NONE
        cohorts = Cohorts.split(hashes[has], np.asarray(counts)[has], self.k)
        return replace(self, cohorts=cohorts, names=names)

    def _hashes(self, histories: Iterable[Hashable]) -> Array:
        """Return the 50-bit number of each history, -1 for one with too few domains."""
        sets = [_domains(history) for history in histories]
        hashes = sim_hashes(sets)
        hashes[np.array([len(each) < self.domains for each in sets], dtype=bool)] = _NONE
        return hashes

    @property
    def mechanism(self) -> Deterministic:
        """The map from histories to cohorts; None where there is no cohort, or it is blocked."""
        cohorts = self.cohorts
        if cohorts is None:
            raise ParameterError("the cohorts are not known yet; take api.fit(people), or give with_table()")

        def places(histories: Labels) -> Array:
            hashes = self._hashes(histories)
            return 1 + np.where(hashes == _NONE, -1, cohorts.of(np.maximum(hashes, 0)))

        formula = "the number of cohorts that are not blocked, and none"
        return Deterministic(cohorts.outputs, formula, [None, *range(cohorts.size)], places)

    def limits(self) -> tuple[Limit, ...]:
        """Return the number of cohorts, and none, if they are known."""
        return () if self.cohorts is None else super().limits()

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return a domain that the browser visited: by it an advertisement is chosen."""
        visited = {history: _domains(history) for history in as_labels(secrets)}
        domains = dict.fromkeys(domain for each in visited.values() for domain in each)
        return {"domain": membership_gain(visited, domains)} if domains else {}

    def remarks(self) -> tuple[str, ...]:
        """Return how many cohorts there are, and how many hashes rest on no published test vector."""
        told = []
        if self.cohorts is not None:
            blocked = int(self.cohorts.blocked.sum())
            told.append(f"{self.cohorts.size:,} cohorts, of which {blocked:,} are blocked.")
        if self.names is not None and self.names[1]:
            visited, long = self.names
            told.append(
                f"{long:,} of the {visited:,} domains have names of more than {_TRUSTED} bytes, for whose"
                " hash there is no published test vector."
            )
        return tuple(told)


@final
@dataclass(frozen=True, eq=False)
class Cohorts:
    """Ranges of the 50-bit numbers in order: where each begins, and whether it is blocked."""

    starts: Array
    blocked: Array

    @classmethod
    def read(cls, table: bytes | str | Path) -> "Cohorts":
        """Read a table: a byte a cohort, its low 6 bits log2 of the width, bit 6 whether it is blocked."""
        content = table if isinstance(table, bytes) else small_file(Path(table), "the table of cohorts ")
        codes = np.frombuffer(content, dtype=np.uint8)
        widths = np.int64(1) << np.minimum(codes & 63, 62).astype(np.int64)
        ends = np.cumsum(widths.astype(object))
        if not codes.size or ends[-1] != 1 << BITS:
            raise QuiffError(
                "the table of cohorts does not cover the 2^50 hashes; give the file as Chrome has it"
            )
        return cls(np.r_[0, ends[:-1]].astype(np.int64), (codes & 64) != 0)

    @classmethod
    def split(cls, hashes: Array, counts: Array, k: int) -> "Cohorts":
        """Split all numbers on the next bit, as long as both halves have at least k users.

        Examples
        --------
        >>> Cohorts.split(np.array([0, 1 << 49]), np.array([3, 3]), k=2).starts.tolist()
        [0, 562949953421312]
        """
        order = np.argsort(hashes, kind="stable")
        numbers = hashes[order]
        before = np.r_[0, np.cumsum(counts[order])]

        def users(low: int, high: int) -> int:
            return int(before[np.searchsorted(numbers, high)] - before[np.searchsorted(numbers, low)])

        starts = []
        waiting = [(0, 1 << BITS)]
        while waiting:
            low, high = waiting.pop()
            middle = (low + high) // 2
            if high - low > 1 and min(users(low, middle), users(middle, high)) >= k:
                waiting += [(middle, high), (low, middle)]
            else:
                starts.append(low)
        return cls(np.array(starts, dtype=np.int64), np.zeros(len(starts), dtype=bool))

    @property
    def size(self) -> int:
        """The number of cohorts."""
        return int(self.starts.shape[0])

    @property
    def outputs(self) -> int:
        """The number of cohorts that are not blocked, and none."""
        return self.size - int(self.blocked.sum()) + 1

    @property
    def widths(self) -> Array:
        """How many numbers each cohort has."""
        return np.diff(np.r_[self.starts, 1 << BITS])

    def of(self, hashes: Array) -> Array:
        """Return the cohort of each number, -1 where it is blocked."""
        places = np.searchsorted(self.starts, hashes, side="right") - 1
        return np.where(self.blocked[places], -1, places)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Cohorts)
            and np.array_equal(self.starts, other.starts)
            and np.array_equal(self.blocked, other.blocked)
        )

    __hash__ = None  # type: ignore[assignment]


def _domains(history: Any) -> tuple[str, ...]:
    """Return the distinct domains of a history: a text with spaces between them, or a collection."""
    words = history.split() if isinstance(history, str) else history
    if history is None:
        return ()
    if not isinstance(words, Iterable) or not all(isinstance(word, str) for word in words):
        raise ParameterError(
            f"FLoC needs the domains of histories, not {shape(history)}; give text with spaces between them"
        )
    return tuple(dict.fromkeys(words))


def sim_hash(domains: Iterable[str]) -> int:
    """Return the 50-bit SimHash of some domains."""
    return int(sim_hashes([tuple(dict.fromkeys(domains))])[0])


def sim_hashes(histories: Sequence[tuple[str, ...]]) -> Array:
    """Return the 50-bit SimHash of each history: bit d is set if its Gaussians have a positive sum."""
    numbers = {domain: i for i, domain in enumerate(dict.fromkeys(d for each in histories for d in each))}
    hashes = np.array([city_hash(domain.encode()) for domain in numbers], dtype=np.uint64)
    places = np.array([numbers[domain] for each in histories for domain in each], dtype=np.intp)
    owners = np.repeat(np.arange(len(histories)), [len(each) for each in histories])
    found = np.zeros(len(histories), dtype=np.int64)
    for bit in range(BITS):
        sums = np.bincount(owners, _gaussians(bit, hashes)[places], minlength=len(histories))
        found |= (sums > 0).astype(np.int64) << bit
    return found


def _gaussians(bit: int, hashes: Array) -> Array:
    """Return sqrt(-2 ln u1) cos(2 pi u2) (Box-Muller), u1 = hash(bit, h; 1), u2 = hash(h, bit; 2)."""
    bits = np.full(hashes.shape, bit, dtype=np.uint64)
    u1, u2 = _uniform(bits, hashes, 1), _uniform(hashes, bits, 2)
    return np.asarray(np.sqrt(-2 * np.log(u1)) * np.cos(2 * np.pi * u2))


def _uniform(first: Array, second: Array, seed: int) -> Array:
    """Return CityHash64WithSeed of two 64-bit numbers in a row, divided by 2^64 - 1."""
    with np.errstate(over="ignore"):
        rotated = second + np.uint64(16)
        rotated = rotated >> np.uint64(16) | rotated << np.uint64(48)
        hashed = _mixed(first, rotated) ^ second
        seeded = _mixed(hashed - np.uint64(K2), np.full(hashed.shape, seed, dtype=np.uint64))
    return seeded / np.float64(2**64 - 1)


def _mixed(u: Array, v: Array) -> Array:
    """Return `mixed` of arrays."""
    multiplier, shift = np.uint64(MULTIPLIER), np.uint64(47)
    a = (u ^ v) * multiplier
    a ^= a >> shift
    b = (v ^ a) * multiplier
    b ^= b >> shift
    return b * multiplier


# CityHash64 of version 1.0.3, by which FLoC hashed domains, on Python's integers; later releases changed it.
# Source: google/cityhash, release 1.0.3 (6 October 2011).


def city_hash(text: bytes) -> int:
    """Return the 64-bit hash of up to 64 bytes.

    Examples
    --------
    >>> hex(city_hash(b""))
    '0x9ae16a3b2f90404f'
    """
    n = len(text)
    if n > 64:
        raise ParameterError(what="the text of CityHash", value=n, allowed="at most 64 bytes")
    if n > 32:
        return _up_to_64(text)
    return _up_to_32(text) if n > 16 else _up_to_16(text)


def mixed(u: int, v: int) -> int:
    """Return the hash of two 64-bit numbers."""
    a = (u ^ v) * MULTIPLIER & _MASK
    a ^= a >> 47
    b = (v ^ a) * MULTIPLIER & _MASK
    b ^= b >> 47
    return b * MULTIPLIER & _MASK


def _rotated(value: int, by: int) -> int:
    value &= _MASK
    return (value >> by | value << (64 - by)) & _MASK if by else value


def _shift_mixed(value: int) -> int:
    value &= _MASK
    return value ^ value >> 47


def _number(text: bytes, at: int, size: int = 8) -> int:
    return int.from_bytes(text[at : at + size], "little")


def _up_to_16(text: bytes) -> int:
    n = len(text)
    if n > 8:
        a, b = _number(text, 0), _number(text, n - 8)
        return mixed(a, _rotated(b + n, n)) ^ b
    if n >= 4:
        return mixed(n + (_number(text, 0, 4) << 3), _number(text, n - 4, 4))
    if n > 0:
        y, z = text[0] + (text[n >> 1] << 8), n + (text[n - 1] << 2)
        return _shift_mixed(y * K2 ^ z * K3) * K2 & _MASK
    return K2


def _up_to_32(text: bytes) -> int:
    n = len(text)
    a, b = _number(text, 0) * K1, _number(text, 8)
    c, d = _number(text, n - 8) * K2, _number(text, n - 16) * K0
    return mixed(
        (_rotated(a - b, 43) + _rotated(c, 30) + d) & _MASK, (a + _rotated(b ^ K3, 20) - c + n) & _MASK
    )


def _up_to_64(text: bytes) -> int:
    n = len(text)
    v = _half(_number(text, 0) + (n + _number(text, n - 16)) * K0, text, 8, 16, _number(text, 24))
    start = _number(text, 16) + _number(text, n - 32)
    w = _half(start, text, n - 24, n - 16, _number(text, n - 8))
    r = _shift_mixed((v[0] + w[1]) * K2 + (w[0] + v[1]) * K0)
    return _shift_mixed(r * K0 + v[1]) * K2 & _MASK


def _half(a: int, text: bytes, second: int, third: int, z: int) -> tuple[int, int]:
    b, c = _rotated(a + z, 52), _rotated(a, 37)
    a += _number(text, second)
    c += _rotated(a, 7)
    a += _number(text, third)
    return a + z, b + _rotated(a, 31) + c
