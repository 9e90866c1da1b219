"""What a request may ask for: every parameter has a type, a default and bounds, and nothing else passes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from quiff.errors import ParameterError
from quiff.theory.taxonomies import taxonomy_size

BOUNDS = {
    "topics": (2, 10_000),
    "top": (1, 100),
    "noise": (0, 1),
    "users": (1, 10**10),
    "epochs": (1, 100),
    "people": (100, 50_000),
    "seed": (0, 999_999),
    "made_up_topics": (2, 2000),
}
"""The least and the most of each number that a request may name."""

VERDICTS = ("erratum", "match", "needs-data")
_WHOLE = re.compile(r"\d{1,12}", re.ASCII)
_DECIMAL = re.compile(r"(\d{1,9}(\.\d{0,20})?|\.\d{1,20})(e-?\d{1,3})?", re.ASCII | re.IGNORECASE)
_LONGEST = 40


@final
@dataclass(frozen=True)
class Setting:
    """The parameters of a Topics API: m, s and r."""

    n_topics: int
    top_s: int
    noise: float


@final
@dataclass(frozen=True)
class DesignQuery:
    """One design or two, with N users over E epochs."""

    first: Setting
    second: Setting | None
    n_users: int
    epochs: int


@final
@dataclass(frozen=True)
class PopulationQuery:
    """A population to measure: the profiles of the command line, or made-up people.

    Attributes
    ----------
    from_file
        Whether it is the file of the command line; then `people`, `seed` and `top_s` mean nothing.
    people, seed
        How many made-up users, and which.
    taxonomy
        A number or a name, as on the command line; None is what suits the file.
    top_s, noise
        s and r.
    attacks
        Whether to run the published attacks too.
    """

    from_file: bool
    people: int
    seed: int
    taxonomy: str | None
    top_s: int
    noise: float
    attacks: bool


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
    >>> reader = Reader([("top", "7")], ("top", "noise"))
    >>> reader.whole("top", 5), reader.decimal("noise", 0.05)
    (7, 0.05)
    >>> Reader([("top", "900")], ("top",)).whole("top", 5)
    Traceback (most recent call last):
    quiff.errors.ParameterError: top must be a whole number between 1 and 100, not '900'
    """

    def __init__(self, pairs: Iterable[tuple[str, str]], allowed: Iterable[str]) -> None:
        self._values: dict[str, str] = {}
        known = tuple(allowed)
        for name, value in pairs:
            if name not in known:
                raise ParameterError(f"there is no parameter {_cut(name)!r}; known are {', '.join(known)}")
            if name in self._values:
                raise ParameterError(f"{name} is given twice; give it once")
            if len(value) > _LONGEST:
                raise ParameterError(f"{name} is too long: {_cut(value)!r}; at most {_LONGEST} characters")
            self._values[name] = value

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def text(self, name: str, default: str) -> str:
        """Return a parameter as it stands."""
        return self._values.get(name, default)

    def whole(self, name: str, default: int, bound: str | None = None, most: int | None = None) -> int:
        """Return a whole number within the bounds of that name, or at most `most`."""
        text = self._values.get(name)
        if text is None:
            return default
        low, high = BOUNDS[bound or name]
        high = high if most is None else min(high, most)
        if not _WHOLE.fullmatch(text) or not low <= int(text) <= high:
            raise ParameterError(f"{name} must be a whole number between {low} and {high}, not {text!r}")
        return int(text)

    def decimal(self, name: str, default: float, bound: str | None = None) -> float:
        """Return a number within the bounds of that name."""
        text = self._values.get(name)
        if text is None:
            return default
        low, high = BOUNDS[bound or name]
        if not _DECIMAL.fullmatch(text) or not low <= float(text) <= high:
            raise ParameterError(
                f"{name} must be a number between {low} and {high} such as 0.05, not {text!r}"
            )
        return float(text)

    def flag(self, name: str) -> bool:
        """Return whether a switch is on: 1, not 0."""
        text = self._values.get(name, "0")
        if text not in ("0", "1"):
            raise ParameterError(f"{name} must be 0 or 1, not {text!r}")
        return text == "1"

    def topics(self, name: str, default: str, bound: str = "topics") -> int:
        """Return the size of a taxonomy that is given by its name or as a number."""
        text = self._values.get(name, default)
        size = taxonomy_size(text)
        low, high = BOUNDS[bound]
        if not low <= size <= high:
            raise ParameterError(f"{name} must be between {low} and {high}, or a name, not {text!r}")
        return size


def read_design(pairs: Iterable[tuple[str, str]]) -> DesignQuery:
    """Read one design, and the second if some parameter of it is named.

    Examples
    --------
    >>> read_design([("topics", "v2"), ("noise2", "0.1")])
    DesignQuery(first=Setting(n_topics=469, top_s=5, noise=0.05), second=Setting(n_topics=469, top_s=5, \
noise=0.1), n_users=1000000, epochs=3)

    Raises
    ------
    ParameterError
        If a parameter is unknown, no number or out of bounds.
    """
    own = ("topics", "top", "noise")
    others = tuple(f"{name}2" for name in own)
    reader = Reader(pairs, (*own, "users", "epochs", *others))
    first = _setting(reader, "", Setting(349, 5, 0.05))
    second = _setting(reader, "2", first) if any(name in reader for name in others) else None
    return DesignQuery(first, second, reader.whole("users", 1_000_000), reader.whole("epochs", 3))


def _setting(reader: Reader, suffix: str, default: Setting) -> Setting:
    m = reader.topics(f"topics{suffix}", str(default.n_topics))
    s = reader.whole(f"top{suffix}", min(default.top_s, m), "top", most=m)
    return Setting(m, s, reader.decimal(f"noise{suffix}", default.noise, "noise"))


def read_population(pairs: Iterable[tuple[str, str]]) -> PopulationQuery:
    """Read which population to measure, and under which parameters.

    Examples
    --------
    >>> read_population([("people", "500")]).people
    500

    Raises
    ------
    ParameterError
        If a parameter is unknown, no number or out of bounds.
    """
    reader = Reader(pairs, ("source", "people", "seed", "topics", "top", "noise", "attacks"))
    source = reader.text("source", "made-up")
    if source not in ("made-up", "file"):
        raise ParameterError(f"source must be made-up or file, not {source!r}")
    taxonomy = reader.text("topics", "v1")
    fitting = source == "file" and taxonomy in ("fitting", "occurring")
    bound = "topics" if source == "file" else "made_up_topics"
    most = BOUNDS["top"][1] if fitting else reader.topics("topics", "v1", bound)
    return PopulationQuery(
        from_file=source == "file",
        people=reader.whole("people", 2000),
        seed=reader.whole("seed", 0),
        taxonomy=None if fitting and taxonomy == "fitting" else taxonomy,
        top_s=reader.whole("top", min(5, most), most=min(most, 20)),
        noise=reader.decimal("noise", 0.05),
        attacks=reader.flag("attacks"),
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
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
