"""What a request may ask for: every parameter has a type, a default and bounds, and nothing else passes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, final

from quiff.errors import ParameterError

if TYPE_CHECKING:
    from quiff.apis.base import Api
    from quiff.web.offers import Offers

BOUNDS = {
    "users": (1, 10**10),
    "observations": (1, 100),
    "n": (100, 50_000),
    "seed": (0, 999_999),
}
"""The least and the most of each number that a request may name."""

VERDICTS = ("erratum", "match", "needs-data")
_WHOLE = re.compile(r"\d{1,12}", re.ASCII)
_LONGEST = {"api": 300, "api2": 300}  # of the text of a parameter
_USUAL = 40
_STUDIED = 10  # observations of the people of the page


@final
@dataclass(frozen=True)
class DesignQuery:
    """One API or two, with N users and n observations."""

    specs: tuple[str, ...]
    n_users: int
    observations: int
    apis: tuple["Api", ...] = field(compare=False, repr=False)


@final
@dataclass(frozen=True)
class PeopleQuery:
    """People to measure, and under which APIs.

    Attributes
    ----------
    from_file
        Whether they are those of the command line; then `n` and `seed` mean nothing.
    n, seed
        How many synthetic users, and which.
    specs, apis
        The APIs.
    observations
        Up to how many observations of a person.
    attacks
        Whether to run the published attacks too.
    """

    from_file: bool
    n: int
    seed: int
    specs: tuple[str, ...]
    observations: int
    attacks: bool
    apis: tuple["Api", ...] = field(compare=False, repr=False)


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
    quiff.errors.ParameterError: n must be a whole number between 100 and 50000, not '9'
    """

    def __init__(self, pairs: Iterable[tuple[str, str]], allowed: Iterable[str]) -> None:
        self._values: dict[str, str] = {}
        known = tuple(allowed)
        for name, value in pairs:
            if name not in known:
                raise ParameterError(f"there is no parameter {_cut(name)!r}; known are {', '.join(known)}")
            if name in self._values:
                raise ParameterError(f"{name} is given twice; give it once")
            longest = _LONGEST.get(name, _USUAL)
            if len(value) > longest:
                raise ParameterError(f"{name} is too long: {_cut(value)!r}; at most {longest} characters")
            self._values[name] = value

    def text(self, name: str, default: str) -> str:
        """Return a parameter as it stands."""
        return self._values.get(name, default)

    def whole(self, name: str, default: int, most: int | None = None) -> int:
        """Return a whole number within the bounds of that name, or at most `most`."""
        text = self._values.get(name)
        if text is None:
            return default
        low, high = BOUNDS[name]
        high = high if most is None else min(high, most)
        if not _WHOLE.fullmatch(text) or not low <= int(text) <= high:
            raise ParameterError(f"{name} must be a whole number between {low} and {high}, not {text!r}")
        return int(text)

    def flag(self, name: str) -> bool:
        """Return whether a switch is on: 1, not 0."""
        text = self._values.get(name, "0")
        if text not in ("0", "1"):
            raise ParameterError(f"{name} must be 0 or 1, not {text!r}")
        return text == "1"

    def apis(self, offers: "Offers") -> tuple["Api", ...]:
        """Return the API that is named, and the second one if there is one."""
        given = [self._values[name] for name in ("api", "api2") if name in self._values]
        made = tuple(map(offers.api, given or ["topics"]))
        return made[:1] if len({api.spec for api in made}) == 1 else made


def read_design(pairs: Iterable[tuple[str, str]], offers: "Offers") -> DesignQuery:
    """Read one API, and the second if there is one.

    Examples
    --------
    >>> from quiff.web.offers import Offers
    >>> read_design([("api", "topics:noise=0.1"), ("api2", "cookies")], Offers())
    DesignQuery(specs=('topics:noise=0.1', 'cookies'), n_users=1000000, observations=4)

    Raises
    ------
    ParameterError
        If a parameter is unknown, no number or out of bounds.
    """
    reader = Reader(pairs, ("api", "api2", "users", "observations"))
    apis = reader.apis(offers)
    users, observations = reader.whole("users", 1_000_000), reader.whole("observations", 4)
    return DesignQuery(tuple(api.spec for api in apis), users, observations, apis)


def read_people(pairs: Iterable[tuple[str, str]], offers: "Offers") -> PeopleQuery:
    """Read which people to measure, and under which APIs.

    Examples
    --------
    >>> from quiff.web.offers import Offers
    >>> read_people([("n", "500")], Offers()).n
    500

    Raises
    ------
    ParameterError
        If a parameter is unknown, no number or out of bounds.
    """
    reader = Reader(pairs, ("source", "n", "seed", "api", "api2", "observations", "attacks"))
    source = reader.text("source", "synthetic")
    if source not in ("synthetic", "file"):
        raise ParameterError(f"source must be synthetic or file, not {source!r}")
    apis = reader.apis(offers)
    return PeopleQuery(
        from_file=source == "file",
        n=reader.whole("n", 2000),
        seed=reader.whole("seed", 0),
        specs=tuple(api.spec for api in apis),
        observations=reader.whole("observations", 4, _STUDIED),
        attacks=reader.flag("attacks"),
        apis=apis,
    )


def read_paper(pairs: Iterable[tuple[str, str]]) -> PaperQuery:
    """Read which items of the paper to show.

    Examples
    --------
    >>> read_paper([("verdict", "erratum"), ("words", "629")])
    PaperQuery(verdicts=('erratum',), words='629')

    Raises
    ------
    ParameterError
        If a parameter is unknown, or there is no such verdict.
    """
    reader = Reader(pairs, ("verdict", "words"))
    verdict = reader.text("verdict", "all")
    if verdict != "all" and verdict not in VERDICTS:
        raise ParameterError(f"verdict must be one of all, {', '.join(VERDICTS)}, not {verdict!r}")
    return PaperQuery(VERDICTS if verdict == "all" else (verdict,), reader.text("words", ""))


def _cut(text: str) -> str:
    return text if len(text) <= _USUAL else text[:_USUAL] + "..."
