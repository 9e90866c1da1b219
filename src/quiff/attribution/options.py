"""What is given to the API: the browser's configuration, impressions, conversions, and names of sites."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from math import inf
from typing import Any, NamedTuple, final
from unicodedata import normalize
from urllib.parse import unquote_to_bytes

from quiff.errors import QuiffError

DAY = 86_400  # seconds
MICRO = 1_000_000  # microepsilons in an epsilon
MAXIMUM_EPSILON = 4294
_HOST = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_ADDRESS = re.compile(r"(?:.*\.)?(?:\d+|0x[0-9a-f]*)")  # a host that ends in a number is an IPv4 address
_LONGEST = 253  # signs of a host


class CallError(QuiffError):
    """A call that the API answers with an exception: `name` is RangeError, ReferenceError or SyntaxError."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name


@final
@dataclass(frozen=True)
class Config:
    """The values that the draft leaves to implementations; by default those of the group's own test files.

    Budgets and quotas are in microepsilons, for one epoch. What is None is drawn at random: where in the
    week an epoch starts, and how credit is rounded.
    """

    aggregation_services: tuple[str, ...] = ("https://agg-service.example",)
    epoch_start: float | None = None
    fairly_allocate_credit_fraction: float | None = None
    per_site_privacy_budget: int = 1_000_000
    impression_site_quota_per_epoch: int = 4_000_000
    global_privacy_budget_per_epoch: int = 8_000_000
    privacy_budget_epoch_days: int = 7
    max_lookback_days: int = 30
    max_histogram_size: int = 5
    max_conversion_sites_per_impression: int = 3
    max_conversion_callers_per_impression: int = 3
    max_impression_sites_for_conversion: int = 3
    max_impression_callers_for_conversion: int = 3
    max_credit_size: int = 10
    max_match_values: int = 10


class Impression(NamedTuple):
    """What is kept of a saved impression (api.bs, "Contents" of the impression store); times in seconds."""

    match_value: int
    site: str
    intermediary: str | None
    conversion_sites: frozenset[str]
    conversion_callers: frozenset[str]
    timestamp: int
    lifetime: int
    histogram_index: int
    priority: int

    @property
    def caller(self) -> str:
        """The site that saved it: the intermediary, or else the impression site."""
        return self.site if self.intermediary is None else self.intermediary


class Conversion(NamedTuple):
    """Validated conversion options."""

    epsilon: float
    histogram_size: int
    lookback: int
    match_values: frozenset[int]
    impression_sites: frozenset[str]
    impression_callers: frozenset[str]
    credit: tuple[float, ...]
    value: int
    max_value: int


_KEPT = re.compile("[\u00df\u03c2\u200c\u200d]")


@cache
def _suffixes() -> Any:
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()


@lru_cache(maxsize=65_536)
def registrable_domain(host: str) -> str | None:
    """Return the registrable domain of a host; None if it has none, or the name is no host.

    The name is read as the URL standard (WHATWG, "host parsing") does: percent-encoding is taken off, letters
    such as that of ``faß.de`` stay what they are, and a dot at the end is part of the name, and of the
    domain.

    Examples
    --------
    >>> registrable_domain("www.shop.example"), registrable_domain("co.uk"), registrable_domain(":")
    ('shop.example', None, None)
    >>> registrable_domain("%61.example."), registrable_domain("faß.de")
    ('a.example.', 'xn--fa-hia.de')
    """
    dot = "." if host.endswith(".") else ""
    try:
        decoded = unquote_to_bytes(host.encode()).decode().removesuffix(".")
        labels = re.split("[.\u3002\uff0e\uff61]", decoded)
        name = ".".join(_in_ascii(label) for label in labels)
    except UnicodeError:
        return None
    if len(name) > _LONGEST or not _HOST.fullmatch(name) or _ADDRESS.fullmatch(name):
        return None
    domain: str | None = _suffixes().privatesuffix(name)
    return None if domain is None else domain + dot


def _in_ascii(label: str) -> str:
    """Return a label as the DNS has it; IDNA 2008 keeps four letters that Python's codec replaces."""
    if label.isascii():
        return label.lower()
    if not _KEPT.search(label):
        return label.encode("idna").decode().lower()
    return "xn--" + normalize("NFC", normalize("NFKC", label).lower()).encode("punycode").decode()


def parse_site(text: str) -> str:
    """Return the site of a host, as the algorithm "parse a site" does.

    Raises
    ------
    CallError
        A SyntaxError, if it has none, or is localhost.
    """
    site = registrable_domain(text)
    if site is None or site == "localhost" or site.endswith(".localhost"):
        raise CallError("SyntaxError", f"{text[:80]!r} is no site")
    return site


def _parse_sites(what: str, texts: tuple[str, ...], limit: int) -> frozenset[str]:
    if not texts:
        return frozenset()
    _check(len(texts) <= limit, f"{what} has more than {limit} values")
    return frozenset(map(parse_site, texts))


def _check(holds: bool, message: str) -> None:
    if not holds:
        raise CallError("RangeError", message)


def validated_impression(
    config: Config,
    now: int,
    site: str,
    intermediary: str | None,
    *,
    histogram_index: int,
    match_value: int = 0,
    conversion_sites: tuple[str, ...] = (),
    conversion_callers: tuple[str, ...] = (),
    lifetime_days: int = 30,
    priority: int = 0,
) -> Impression:
    """Return the impression that is to be saved: "save an impression", steps 5 and 6.1."""
    _check(histogram_index < config.max_histogram_size, "histogramIndex is not below the largest size")  # 5.1
    _check(lifetime_days != 0, "lifetimeDays is 0")  # 5.2
    lifetime_days = min(lifetime_days, config.max_lookback_days)  # 5.3
    sites = _parse_sites(  # 5.4 to 5.6
        "conversionSites", conversion_sites, config.max_conversion_sites_per_impression
    )
    callers = _parse_sites(  # 5.7 to 5.9
        "conversionCallers", conversion_callers, config.max_conversion_callers_per_impression
    )
    return Impression(  # 6.1
        match_value,
        site,
        intermediary,
        sites,
        callers,
        now,
        lifetime_days * DAY,
        histogram_index,
        priority,
    )


def validated_conversion(
    config: Config,
    *,
    aggregation_service: str,
    histogram_size: int,
    epsilon: float = 1.0,
    lookback_days: int | None = None,
    match_values: tuple[int, ...] = (),
    impression_sites: tuple[str, ...] = (),
    impression_callers: tuple[str, ...] = (),
    credit: tuple[float, ...] = (1,),
    value: int = 1,
    max_value: int = 1,
) -> Conversion:
    """Return the options of a conversion: "validate AttributionConversionOptions", step by step."""
    if aggregation_service not in config.aggregation_services:  # 1, 2
        raise CallError("ReferenceError", f"unknown aggregation service {aggregation_service[:80]!r}")
    _check(0 < epsilon <= MAXIMUM_EPSILON, f"epsilon is not in (0, {MAXIMUM_EPSILON}]")  # 3
    _check(0 < histogram_size <= config.max_histogram_size, "histogramSize is 0 or too large")  # 4
    _check(value != 0, "value is 0")  # 5
    _check(value <= max_value, "value is above maxValue")  # 6
    _check(bool(credit), "credit is empty")  # 7, 8
    _check(all(0 < item < inf for item in credit), "credit is not positive")  # 9
    _check(len(credit) <= config.max_credit_size, "credit has too many values")  # 10
    longest = config.max_lookback_days
    lookback = longest if lookback_days is None else min(lookback_days, longest)  # 11, 12
    _check(lookback != 0, "lookbackDays is 0")  # 13
    _check(len(match_values) <= config.max_match_values, "matchValues has too many values")  # 14
    sites = _parse_sites(  # 16 to 18
        "impressionSites", impression_sites, config.max_impression_sites_for_conversion
    )
    callers = _parse_sites(  # 19 to 21
        "impressionCallers", impression_callers, config.max_impression_callers_for_conversion
    )
    return Conversion(  # 15, 22
        epsilon,
        histogram_size,
        lookback * DAY,
        frozenset(match_values),
        sites,
        callers,
        credit,
        value,
        max_value,
    )
