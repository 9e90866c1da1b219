"""What a request may ask for: every parameter has a type, a default and bounds, and nothing else passes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, final, get_args

from quiff.errors import ParameterError, QuiffError

if TYPE_CHECKING:
    from quiff.apis.base import Api
    from quiff.web.offers import Offers

BOUNDS = {"users": (1, 10**10), "observations": (1, 100), "n": (100, 50_000), "seed": (0, 999_999)}
"""The least and the most of each number that a request may name."""

_WHOLE = re.compile(r"\d{1,12}", re.ASCII)
_SHARE = re.compile(r"\d(\.\d{1,20})?(e-\d{1,2})?", re.ASCII)
_LONGEST = {"api": 300, "api2": 300}  # of the text of a parameter
_USUAL = 40
_STUDIED = 10  # observations of the people of the page
_Pairs = Iterable[tuple[str, str]]


class FieldError(ParameterError):
    """A parameter is wrong, and the page can show at which field."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


@final
@dataclass(frozen=True)
class Query:
    """One API or two, and what they are asked about: N users and n observations, or people to measure."""

    # The APIs.
    specs: tuple[str, ...]
    apis: tuple["Api", ...] = field(compare=False, repr=False)
    # Among how many, and up to how many observations of a person.
    n_users: int = 1_000_000
    observations: int = 4
    along: str | None = None  # the parameter of the first API to draw the capacity along; None: do not
    prior: float = 0.0001  # how probable a guess is before the observation
    from_file: bool = False  # whether people are those of the command line; then `n` and `seed` mean nothing
    # How many synthetic users, and which.
    n: int = 2000
    seed: int = 0
    attacks: bool = False  # whether to run the published attacks on them too
    stability: float | None = None  # with what probability interests are kept; None if it is not known


@final
@dataclass(frozen=True)
class PaperQuery:
    """Which items of the paper to show: some verdicts, and words that all must occur."""

    verdicts: tuple[str, ...]
    words: str


class Reader:
    """Reads the parameters of a request, each at most once, and refuses all that are not in the list.

    Examples
    --------
    >>> reader = Reader([("seed", "7")], ("seed", "n"))
    >>> reader.whole("seed", 0), reader.whole("n", 2000)
    (7, 2000)
    >>> Reader([("n", "9")], ("n",)).whole("n", 2000)
    Traceback (most recent call last):
    quiff.web.queries.FieldError: n must be a whole number between 100 and 50000, not '9'
    """

    def __init__(self, pairs: _Pairs, allowed: Iterable[str]) -> None:
        self._values: dict[str, str] = {}
        known = tuple(allowed)
        for name, value in pairs:
            if name not in known:
                raise ParameterError(
                    f"there is no parameter {cut(name)!r}; known are {', '.join(known)}",
                    what="parameter",
                    value=cut(name),
                    allowed=", ".join(known),
                )
            if name in self._values:
                raise ParameterError(f"{name} is given twice; give it once")
            longest = _LONGEST.get(name, _USUAL)
            if len(value) > longest:
                raise ParameterError(
                    f"{name} is too long: {cut(value)!r}; at most {longest} characters",
                    what=name,
                    value=cut(value),
                    allowed=f"at most {longest} characters",
                )
            self._values[name] = value

    def text(self, name: str, default: str | None = None) -> str | None:
        """Return a parameter as it stands."""
        return self._values.get(name, default)

    def share(self, name: str, default: float) -> float:
        """Return a probability above 0."""
        text = self._values.get(name)
        if text is None:
            return default
        if not _SHARE.fullmatch(text) or not 0 < float(text) <= 1:
            raise FieldError(f"{name} must be a probability above 0, not {text!r}", name)
        return float(text)

    def one_of(self, name: str, *choices: str) -> str:
        """Return one of some words, the first if there is none."""
        text = self._values.get(name, choices[0])
        if text not in choices:
            raise ParameterError(what=name, value=text, allowed=f"one of {', '.join(choices)}")
        return text

    def whole(self, name: str, default: int, most: int | None = None) -> int:
        """Return a whole number within the bounds of that name, or at most `most`."""
        text = self._values.get(name)
        if text is None:
            return default
        low, high = BOUNDS[name]
        high = high if most is None else min(high, most)
        if not _WHOLE.fullmatch(text) or not low <= int(text) <= high:
            raise FieldError(f"{name} must be a whole number between {low} and {high}, not {text!r}", name)
        return int(text)

    def apis(self, offers: "Offers") -> tuple["Api", ...]:
        """Return the API that is named, and the second one if there is one."""
        made = []
        for name in ("api", "api2"):
            if name in self._values or name == "api":
                try:
                    made.append(offers.api(self._values.get(name, "topics")))
                except QuiffError as error:
                    raise FieldError(str(error), name) from error
        return tuple(made[:1] if len({api.spec for api in made}) == 1 else made)


def read_design(pairs: _Pairs, offers: "Offers") -> Query:
    """Read one API, the second if there is one, and the situation; what is wrong is a ParameterError.

    Examples
    --------
    >>> from quiff.web.offers import Offers
    >>> read_design([("api", "topics:noise=0.1"), ("api2", "cookies")], Offers()).specs
    ('topics:noise=0.1', 'cookies')
    """
    reader = Reader(pairs, ("api", "api2", "users", "observations", "along", "prior"))
    apis = reader.apis(offers)
    return Query(
        tuple(api.spec for api in apis),
        apis,
        reader.whole("users", Query.n_users),
        reader.whole("observations", 4),
        reader.text("along", None),
        reader.share("prior", Query.prior),
    )


def read_people(pairs: _Pairs, offers: "Offers") -> Query:
    """Read which people to measure, and under which APIs; what is wrong is a ParameterError.

    Examples
    --------
    >>> from quiff.web.offers import Offers
    >>> read_people([("n", "500")], Offers()).n
    500
    """
    reader = Reader(pairs, ("source", "n", "seed", "api", "api2", "observations", "attacks", "stability"))
    source, apis = reader.one_of("source", "synthetic", "file"), reader.apis(offers)
    return Query(
        tuple(api.spec for api in apis),
        apis,
        observations=reader.whole("observations", 4, _STUDIED),
        from_file=source == "file",
        n=reader.whole("n", Query.n),
        seed=reader.whole("seed", 0),
        attacks=reader.one_of("attacks", "0", "1") == "1",
        stability=reader.share("stability", 0) or None,
    )


def read_paper(pairs: _Pairs) -> PaperQuery:
    """Read which items of the paper to show: some verdicts, and words that all must occur.

    Examples
    --------
    >>> read_paper([("verdict", "wrong"), ("words", "629")])
    PaperQuery(verdicts=('wrong',), words='629')
    """
    from quiff.papers.items import Verdict

    reader = Reader(pairs, ("verdict", "words"))
    known: tuple[str, ...] = get_args(Verdict)
    verdict = reader.one_of("verdict", "all", *known)
    return PaperQuery(known if verdict == "all" else (verdict,), reader.text("words") or "")


def cut(text: str) -> str:
    """Return a text of a request for a message, not too long."""
    return text if len(text) <= _USUAL else text[:_USUAL] + "..."
