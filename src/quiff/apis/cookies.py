"""Third-party cookies: an identifier for every browser, so that nothing stays apart."""

from dataclasses import dataclass, replace
from math import inf
from typing import Literal, Self, final

from quiff.apis.base import Unit, fitted, parameter
from quiff.apis.mechanisms import ByMechanism, Deterministic
from quiff.apis.ranges import Flag, OneOf
from quiff.core.labels import Labels
from quiff.core.numbers import Array
from quiff.errors import ParameterError
from quiff.people.histories import Histories
from quiff.people.population import Population


class _Identifiers(ByMechanism):
    """What gives everybody an identifier: the numbers 0, 1, 2, and so on."""

    known: Labels | None

    family = "identifiers"
    status = "live"
    redraws = "nothing"

    def fit(self, people: Population | Histories) -> Self:
        """Give out the identifiers."""
        return self if self.known is not None else replace(self, known=self.secret(people).outputs)  # type: ignore[type-var]  # a dataclass

    @property
    def mechanism(self) -> Deterministic:
        """Everybody's identifier."""
        n = 0 if self.known is None else self.known.size
        return Deterministic(inf, "N", range(n), self._places, "as many users as one likes")

    def _places(self, secrets: Labels) -> Array:
        if self.known is None:
            raise ParameterError("the identifiers are not given out yet; take api.fit(people)")
        return self.known.positions(secrets)


@final
@dataclass(frozen=True)
class Cookies(_Identifiers):
    """Third-party cookies as a channel (paper, Sec. 3.1).

    Every browser has one unique identifier, uid, which a third party sees on every site that includes it. So
    it is taken to see the whole browsing history; the identifiers are the numbers 0, 1, 2, and so on. An
    identifier has no goal of its own: what a receiver makes of it is measured by goals on attributes of
    people.

    Parameters
    ----------
    shows
        What an identifier stands for: every ``user`` has one, or every ``history``, so that users who share
        a browsing history are not told apart.

    Examples
    --------
    >>> from quiff.people.population import Population
    >>> people = Population.from_sets({"Alice": {"Music", "News"}, "Carol": {"Music", "News"}})
    >>> Cookies().channel(people)
    Channel from 2 inputs to 2 outputs
           0  1
    Alice  1  0
    Carol  0  1
    """

    shows: Literal["user", "history"] = parameter(
        "user", OneOf("user", "history"), "what has an identifier of its own"
    )
    known: Labels | None = fitted()

    title = "third-party cookie"
    source = "RFC 6265; paper, Sec. 3.1"
    sees = "an identifier"
    unit = Unit("a browser", "all sites with the third party")

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]  # it depends on a parameter
        """The browsing history, if identifiers stand for histories."""
        return () if self.shows == "user" else ("history",)


@final
@dataclass(frozen=True)
class PartitionedCookies(_Identifiers):
    """Partitioned (CHIPS) and first-party cookies: an identifier that is another one on every top-level site.

    Every top-level site has an identifier of its own for a browser, independent of those of other sites. A
    party on another site learns nothing of who it is; on the one site it is as with third-party cookies. Like
    these it has no goal of its own, and is measured by goals on attributes of people.

    Parameters
    ----------
    across
        Whether the observer is on another top-level site than the one where the user is known.

    Examples
    --------
    >>> [float(PartitionedCookies(across).limits()[0].value) for across in (True, False)]
    [1.0, inf]
    """

    across: bool = parameter(True, Flag(), "whether the observer is on another site")
    known: Labels | None = fitted()

    title = "partitioned cookie"
    source = "privacycg/CHIPS at e862267 (8 April 2025), README"
    sees = "an identifier of one site"
    unit = Unit("a browser", "one top-level site")

    @property
    def mechanism(self) -> Deterministic:
        """One output for all, or everybody's identifier on one site."""
        if not self.across:
            return super().mechanism
        output = ["an identifier of another site"]
        return Deterministic(1, "1", output, lambda secrets: 0 * self._places(secrets))
