"""What users did after an advertisement: raw events, which each attribution API maps to its own secrets."""

import re
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from quiff.core.numbers import Array
from quiff.errors import ParameterError
from quiff.safe_text import shape

CONVERSIONS = "conversions"
DAYS = 30.0  # for which synthetic conversions are recorded

# The law of synthetic conversions: a user has Poisson many; the rest is independent of who it is.
_MEAN = 0.7
_MEAN_DAYS = 5.0
_SITES = 20
_KINDS: Mapping[str, float] = {"basket": 0.55, "signup": 0.2, "purchase": 0.2, "subscription": 0.05}
_VALUES: Mapping[str, float] = {"purchase": 30.0, "subscription": 10.0}  # means; others have none

_EVENT = re.compile(
    r"(?P<kind>[^@=\s]+)@(?P<days>\d{1,6}(\.\d{1,9})?)(=(?P<value>\d{1,9}(\.\d{1,9})?))?(@(?P<site>[^@=\s]+))?"
)


class Conversion(NamedTuple):
    """Something that a user did on a site, a number of days after the advertisement was seen or clicked."""

    days: float
    kind: str
    value: float = 0.0
    site: str = ""


def conversions_of(value: Any) -> tuple[Conversion, ...]:
    """Return the conversions behind a value of the attribute ``conversions``, in order of time.

    It is a sequence of conversions, or a text of ``KIND@DAYS`` or ``KIND@DAYS=VALUE``, with ``@SITE`` after
    it or not, and spaces between them; None and empty text are no conversion.

    Examples
    --------
    >>> conversions_of("purchase@3.5=20 basket@1@shop.example")
    (Conversion(days=1.0, kind='basket', value=0.0, site='shop.example'), \
Conversion(days=3.5, kind='purchase', value=20.0, site=''))

    Raises
    ------
    ParameterError
        If a text is not understood; the message shows its form.
    """
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(sorted(_parsed(word) for word in value.split()))
    if isinstance(value, Iterable) and all(isinstance(event, Conversion) for event in value):
        return tuple(sorted(value))
    raise ParameterError(f"conversions are {shape(value)}; write them as in 'basket@1 purchase@3.5=20'")


def _parsed(word: str) -> Conversion:
    parts = _EVENT.fullmatch(word)
    if parts is None:
        raise ParameterError(
            f"the conversion {shape(word)} is not understood; write KIND@DAYS or KIND@DAYS=VALUE"
        )
    return Conversion(float(parts["days"]), parts["kind"], float(parts["value"] or 0), parts["site"] or "")


def kinds_of(values: Iterable[Any]) -> dict[Hashable, int]:
    """Return the kinds of conversions that occur, numbered from 0 in alphabetical order.

    Examples
    --------
    >>> kinds_of(["purchase@3", None, "basket@1 purchase@2"])
    {'basket': 0, 'purchase': 1}
    """
    kinds = {event.kind for value in values for event in conversions_of(value)}
    return {kind: number for number, kind in enumerate(sorted(kinds))}


def synthetic_conversions(n_users: int, rng: np.random.Generator) -> list[tuple[Conversion, ...]]:
    """Draw the conversions of users, from a law that is made to be plausible and estimated from nothing.

    A user converts Poisson(0.7) times. The days until then are exponential with mean 5, cut at 30; the kind
    is basket (55 %), signup (20 %), purchase (20 %) or subscription (5 %); the site is one of 20, site k with
    a probability proportional to 1/k; a purchase is worth 30 on average, a subscription 10 (exponential,
    rounded to whole numbers). All draws are independent of one another and of topics and histories.
    """
    counts = rng.poisson(_MEAN, n_users)
    n = int(counts.sum())
    names = list(_KINDS)
    kinds = rng.choice(len(names), size=n, p=np.array(list(_KINDS.values())))
    shares = 1 / np.arange(1, _SITES + 1)
    sites = 1 + rng.choice(_SITES, size=n, p=shares / shares.sum())
    days = np.minimum(rng.exponential(_MEAN_DAYS, n), DAYS).round(2)
    means: Array = np.array([_VALUES.get(name, 0.0) for name in names])[kinds]
    values = np.ceil(means * rng.exponential(1.0, n))
    events = [
        Conversion(day, names[kind], value, f"shop{site}.example")
        for day, kind, value, site in zip(
            days.tolist(), kinds.tolist(), values.tolist(), sites.tolist(), strict=True
        )
    ]
    ends = np.cumsum(counts).tolist()
    return [
        tuple(sorted(events[end - count : end])) for end, count in zip(ends, counts.tolist(), strict=True)
    ]
