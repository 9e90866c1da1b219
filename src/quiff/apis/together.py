"""Several APIs seen by one observer, who puts together what each of them shows about the same user."""

from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, final

from quiff.apis.base import Api, Limit, checked_api
from quiff.apis.mechanisms import in_parallel
from quiff.core.channel import Channel
from quiff.core.compose import parallel, repeat
from quiff.core.labels import Labels, same
from quiff.errors import ParameterError
from quiff.people.histories import Histories
from quiff.people.population import Population

_INDEPENDENT = "given the user, the observations are independent of each other"


@final
@dataclass(frozen=True, init=False, repr=False)
class Together(Api):
    """Some APIs in parallel on users: C[x, (y, z)] = A[x, y] B[x, z].

    Given the user, their observations are taken to be independent: what is random in one is drawn apart from
    what is random in the others.

    >>> from fractions import Fraction
    >>> from quiff import Cookies, Population, TopicsAPI, leakage
    >>> sets = {"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}, "Carol": {"Music", "News"}}
    >>> people = Population.from_sets(sets)
    >>> topics = TopicsAPI(n_topics=5, top_s=2, noise=Fraction(1, 20))
    >>> both = Together(topics, Cookies())
    >>> both.spec
    'topics:n_topics=5,top_s=2,noise=1/20+cookies'
    >>> leakage(people.user_prior(), both.channel(people))
    Fraction(3, 1)
    """

    parts: tuple[Api, ...]
    seen: tuple[Channel, ...] | None = None

    status = ""
    source = "parallel composition"

    def __init__(self, *parts: Api, seen: tuple[Channel, ...] | None = None) -> None:
        parts = tuple(map(checked_api, parts))
        if len(parts) < 2:
            raise ParameterError(
                what="the number of APIs to be seen together", value=len(parts), allowed="at least two"
            )
        if len({part.spec for part in parts}) < len(parts):
            raise ParameterError(
                "an API is there twice; several observations of one are measured over time (quiff epochs)"
            )
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "seen", seen)
        object.__setattr__(self, "title", " and ".join(part.title for part in parts))
        object.__setattr__(self, "sees", " with ".join(part.sees for part in parts))
        object.__setattr__(self, "unit", parts[0].unit)
        object.__setattr__(self, "observer_knows_who", any(part.observer_knows_who for part in parts))
        fixed = all(part.redraws == "nothing" for part in parts)
        object.__setattr__(self, "redraws", "nothing" if fixed else "noise")
        each = " and ".join(part.spec for part in parts)
        independent = f"{each}: given the user, their observations are taken to be independent of each other."
        object.__setattr__(self, "assumptions", (independent, *(a for p in parts for a in p.assumptions)))
        object.__setattr__(self, "name", "+".join(part.name for part in parts))

    def __repr__(self) -> str:
        return f"Together({', '.join(map(repr, self.parts))})"

    @property
    def spec(self) -> str:
        """The parts, with + between them."""
        return "+".join(part.spec for part in self.parts)

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the parts, each under its name and that of its API."""
        return {f"{p.name}.{key}": value for p in self.parts for key, value in p.parameters().items()}

    def fit(self, people: Population | Histories) -> "Together":
        """Settle what each API shows about each of these users."""
        if self.seen is not None:
            return self
        return Together(*self.parts, seen=tuple(part.channel(people) for part in self.parts))

    def observe(self, secrets: Labels) -> Channel:
        """Return the parallel composition of what the APIs show of each user."""
        if self.seen is None:
            raise ParameterError("what the APIs show of each user is not known yet; take api.fit(people)")
        return reduce(parallel, (_rows_of(C, secrets) for C in self.seen))

    def limits(self) -> tuple[Limit, ...]:
        """Return what the closed forms of all parts bound: factors multiply, and epsilons add up."""
        return tuple(
            replace(
                limit,
                source=self.source,
                assumes="; ".join(filter(None, (_INDEPENDENT, limit.assumes))),
                bound="at most",
            )
            for limit in in_parallel([part.limits() for part in self.parts])
        )

    def over_time(self, secrets: Labels, n: int) -> Channel:
        """Return n observations of each API that draws anew, and one of each that does not."""
        if self.seen is None or n == 1:
            return self.observe(secrets)
        rows = (_rows_of(C, secrets) for C in self.seen)
        parts = zip(self.parts, rows, strict=True)
        return reduce(parallel, (C if part.redraws == "nothing" else repeat(C, n) for part, C in parts))


def _rows_of(C: Channel, users: Labels) -> Channel:
    """Return a channel with the rows of some users, in their order."""
    if same(C.inputs, users):
        return C
    return Channel.from_kernel(users, C.outputs, C.kernel.take_rows(C.inputs.positions(users)))
