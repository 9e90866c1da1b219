"""Third-party cookies: an identifier for every browser, so that nothing stays apart."""

from dataclasses import dataclass, replace
from math import inf
from typing import Literal, final

from quiff.apis.base import Api, Limit, Unit, fitted, parameter
from quiff.core.channel import Channel
from quiff.core.labels import Labels
from quiff.errors import ParameterError
from quiff.populations.histories import Histories
from quiff.populations.population import Population


def _check_shows(name: str, value: object) -> object:
    if value not in ("user", "history"):
        raise ParameterError(f"{name} must be 'user' or 'history', not {value!r}")
    return value


@final
@dataclass(frozen=True)
class Cookies(Api):
    """Third-party cookies as a channel (paper, Sec. 3.1).

    A third party is taken to see the whole browsing history under one unique identifier, uid. The
    identifiers are the numbers 0, 1, 2, ...

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
        "user", "user or history", "what has an identifier of its own", _check_shows
    )
    known: Labels | None = fitted()

    title = "third-party cookie"
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
            )
        )
