"""Shared Storage's selectURL: one of a few URLs, chosen by code that sees across sites, with a budget."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal, final

from quiff.apis.base import SANDBOX_ENDED, Unit, parameter
from quiff.apis.encodings import Hashed, encoded
from quiff.apis.mechanisms import Deterministic
from quiff.apis.ranges import Attribute, Number, OneOf, Whole
from quiff.core.gain import Gain, predicate_gain
from quiff.core.labels import as_labels
from quiff.theory.browser_apis import messages

_SPEC = "WICG/shared-storage at 8bfc7f5 (3 April 2025), select-url.md"
_BUDGETS = {"day": 12, "page": 6}


@final
@dataclass(frozen=True)
class SelectURL(Hashed):
    """Shared Storage, selectURL: the index of one of at most 8 URLs, until a budget of bits is spent.

    Code of the caller maps its cross-site state to one of the URLs; the page that it opens learns which. A
    site may spend 12 bits in a day, charged when a frame navigates, and 6 bits on one page; a call that would
    exceed the budget gives the first URL. The caller encodes as much of an attribute as fits.

    Parameters
    ----------
    urls
        n, from which one is chosen, at log2(n) bits a call.
    budget
        ``day``: all that a site learns in 24 hours; ``page``: on one page load.
    bits
        The budget; by default 12 for a day and 6 for a page.
    attribute
        What of people the caller's state is taken to hold.

    Examples
    --------
    >>> SelectURL().limits()[0].value, SelectURL(urls=5).limits()[0].value
    (4096, 3125)
    """

    urls: int = parameter(8, Whole(1, 8, source=_SPEC), "URLs to choose from")
    budget: Literal["day", "page"] = parameter("day", OneOf("day", "page"), "which budget is spent")
    bits: float | None = parameter(
        None, Number(0, 512, note="12 for a day, 6 for a page", source=_SPEC), "the budget"
    )
    attribute: str = parameter("topics", Attribute(), "what of people the caller encodes")

    name = "select_url"
    title = "Shared Storage, selectURL"
    family = "shared storage and aggregation"
    ended = SANDBOX_ENDED
    source = _SPEC + " and spec.bs"
    sees = "the URLs that were chosen"
    unit = Unit("a browser", "one calling site", 1)
    redraws = "nothing"
    assumptions = (
        "The caller's code encodes the attribute by a hash, in as many calls as the budget allows.",
    )
    open_points = (
        "The specification leaves the allowances to vendors.",
        "For a call that got the default URL the explainer charges 1 bit, the specification log2 n.",
    )

    @property
    def _messages(self) -> int:
        return messages(self.urls, float(_BUDGETS[self.budget] if self.bits is None else self.bits))

    def encode(self, value: Hashable) -> Hashable:
        """Return the value itself: the caller's code sees all of it."""
        return value

    @property
    def mechanism(self) -> Deterministic:
        """The map from values to messages, which are the chosen indices one after the other."""
        n = self._messages
        return Deterministic(
            n, "n^floor(bits/log2 n)", range(n), lambda values: [encoded(value, n) for value in values]
        )

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return the arm of an experiment that the value belongs to: the first index."""
        n = self.urls if self._messages > 1 else 1

        def arm(value: Hashable) -> int:
            return encoded(value, self._messages) % n

        return {"arm": predicate_gain(as_labels(secrets), arm)}
