"""Third-party cookies: an identifier for every browser, so that nothing stays apart."""

from dataclasses import dataclass, replace
from math import inf
from typing import Literal, final

from quiff.apis.base import Api, Limit, Unit, fitted, parameter
from quiff.apis.ranges import Flag, OneOf
from quiff.core.channel import Channel
from quiff.core.labels import Labels
from quiff.errors import ParameterError
from quiff.populations.histories import Histories
from quiff.populations.population import Population


@final
@dataclass(frozen=True)
class Cookies(Api):
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
    >>> from quiff.populations.population import Population
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
    family = "identifiers"
    status = "live"
    source = "RFC 6265; paper, Sec. 3.1"
    sees = "an identifier"
    unit = Unit("a browser", "all sites with the third party")
    redraws = "nothing"

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]  # it depends on a parameter
        """The browsing history, if identifiers stand for histories."""
        return () if self.shows == "user" else ("history",)

    def fit(self, people: Population | Histories) -> "Cookies":
        """Give every user, or every history, an identifier."""
        return self if self.known is not None else replace(self, known=self.secret(people).outputs)

    def observe(self, secrets: Labels) -> Channel:
        """Return C_U, from users or distinct browsing histories to their identifiers."""
        if self.known is None:
            raise ParameterError("the identifiers are not given out yet; take api.fit(people)")
        codes = self.known.positions(secrets)
        return Channel.deterministic_from_codes(secrets, codes, range(self.known.size))

    def limits(self) -> tuple[Limit, ...]:
        """Return that nothing limits what identifiers reveal, but the number of users."""
        return tuple(
            Limit(quantity, inf, formula, "paper, Sec. 4.1.1", "as many users as one likes")
            for quantity, formula in (
                ("bayes_capacity", "N"),
                ("epsilon", "inf"),
                ("max_case_capacity", "inf"),
                ("shannon_capacity_bits", "log2 N"),
            )
        )


@final
@dataclass(frozen=True)
class PartitionedCookies(Api):
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
    family = "identifiers"
    status = "live"
    source = "privacycg/CHIPS at e862267 (8 April 2025), README"
    sees = "an identifier of one site"
    unit = Unit("a browser", "one top-level site")
    redraws = "nothing"

    def fit(self, people: Population | Histories) -> "PartitionedCookies":
        """Give every user an identifier on the site."""
        return self if self.known is not None else replace(self, known=self.secret(people).outputs)

    def observe(self, secrets: Labels) -> Channel:
        """Return one output for all, or the identifiers of one site."""
        if self.known is None:
            raise ParameterError("the identifiers are not given out yet; take api.fit(people)")
        if self.across:
            return Channel.constant([1], inputs=secrets, outputs=["an identifier of another site"])
        return Channel.deterministic_from_codes(
            secrets, self.known.positions(secrets), range(self.known.size)
        )

    def limits(self) -> tuple[Limit, ...]:
        """Return 1 across sites, and no limit on one site."""
        found = (1, 0.0, 1, 0.0) if self.across else (inf, inf, inf, inf)
        formulas = ("1", "0", "1", "0") if self.across else ("N", "inf", "inf", "log2 N")
        names = ("bayes_capacity", "epsilon", "max_case_capacity", "shannon_capacity_bits")
        return tuple(
            Limit(name, value, formula, self.source)
            for name, value, formula in zip(names, found, formulas, strict=True)
        )
