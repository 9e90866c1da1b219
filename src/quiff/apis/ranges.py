"""The values that a parameter may have. A range checks, words its error, and sets up the parameter's control.

>>> Whole(1, 5, source="index.bs").check("windows", 6)
Traceback (most recent call last):
quiff.errors.ParameterError: windows must be a whole number between 1 and 5, not 6 (index.bs)
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, final

from quiff.errors import ParameterError, quoted
from quiff.theory.parameters import check_number, check_whole

_NEAR = 1e-6  # to an end that does not belong to a range; the unit in which W3C Attribution counts
_VAST = 1_000_000  # an end beyond it is none for a slider
_ATTRIBUTES = ("topics", "history", "conversions")  # of synthetic people
_FRACTION = re.compile(r"[+-]?\d{1,18}/\d{1,18}", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d{1,400}", re.ASCII)
_DECIMAL_COMMA = re.compile(r"\d{1,9},\d{1,9}", re.ASCII)
_PERCENT = re.compile(r"(\d{1,9}(?:[.,]\d{1,9})?) ?%", re.ASCII)


@final
@dataclass(frozen=True)
class Control:
    """How a parameter is set on the page.

    Attributes
    ----------
    kind
        A ``whole`` number, a ``decimal`` one, a ``switch``, a ``choice`` of names, or ``words``: numbers with
        spaces between them.
    least, most
        The ends of the range of a number; `most` may be the name of another parameter.
    step
        By how much an arrow key moves a number.
    names
        Names that may stand for a value.
    above
        Whether `least` itself is not allowed.
    example
        For words: what they look like.
    """

    kind: Literal["whole", "decimal", "switch", "choice", "words"]
    least: float | None = None
    most: float | str | None = None
    step: float = 1
    names: tuple[str, ...] = ()
    above: bool = False
    example: str = ""


@dataclass(frozen=True, kw_only=True)
class Range(ABC):
    """The values that a parameter may have.

    Attributes
    ----------
    note
        What else is to be known of it, such as what a missing value stands for.
    source
        The document that sets it.
    """

    note: str = ""
    source: str = ""

    @property
    @abstractmethod
    def text(self) -> str:
        """The range in a few words, as "1 to 5"."""

    @abstractmethod
    def _checked(self, name: str, value: Any) -> Any:
        """Return the value; raise a ParameterError unless it lies in the range."""

    @abstractmethod
    def control(self, default: object, attributes: Iterable[str] = ()) -> Control | None:
        """Return how it is set on the page; None if it cannot be set there."""

    def __str__(self) -> str:
        return f"{self.text}; {self.note}" if self.note else self.text

    def beside(self, parameters: Mapping[str, Any]) -> "Range":  # noqa: ARG002 - most depend on no other one
        """Return the range that is left beside the other parameters of the API."""
        return self

    def check(self, name: str, value: Any) -> Any:
        """Return the value of a parameter as the API keeps it.

        Raises
        ------
        ParameterError
            If it lies outside; the message names the range and its source, and what was probably meant.
        """
        try:
            return self._checked(name, value)
        except ParameterError as error:
            meant = self._meant(value)
            hint = "" if meant is None else f"; did you mean {meant}?"
            error.args = (f"{error}{hint}{f' ({self.source})' if self.source else ''}",)
            raise

    def _meant(self, value: object) -> str | None:  # noqa: ARG002 - most ranges cannot tell
        """Return what a value outside was probably meant for."""
        return None


@final
@dataclass(frozen=True)
class Whole(Range):
    """Whole numbers, and names that stand for some of them.

    >>> str(Whole(1, names=("v1", "v2"))), str(Whole(1, 2**64)), str(Whole(1, "n_topics"))
    ('1 and more, v1 or v2', '1 to 2^64', '1 to n_topics')

    Attributes
    ----------
    least, most
        The ends; `most` is None where there is none, and may be the name of another parameter.
    names
        What may stand for a number.
    fewer
        How much less than the other parameter it must be.
    """

    least: int
    most: int | str | None = None
    names: tuple[str, ...] = ()
    fewer: int = 0

    @property
    def text(self) -> str:
        if self.most is None:
            numbers = f"{self.least} and more"
        else:
            vast = isinstance(self.most, int) and self.most >= _VAST and self.most.bit_count() == 1
            most = f"2^{int(self.most).bit_length() - 1}" if vast else self.most
            numbers = f"{self.least} to {most}{f' - {self.fewer}' if self.fewer else ''}"
        return _listed((numbers, *self.names))

    def beside(self, parameters: Mapping[str, Any]) -> "Whole":
        most = parameters.get(self.most) if isinstance(self.most, str) else None
        return replace(self, most=most - self.fewer, fewer=0) if isinstance(most, int) else self

    def _checked(self, name: str, value: Any) -> Any:
        if isinstance(value, str) and value in self.names:
            return value
        try:
            return check_whole(name, value, self.least, self.most if isinstance(self.most, int) else None)
        except ParameterError as error:
            if not self.names:
                raise
            raise ParameterError(
                what=name, value=value, allowed=_listed((str(error.allowed), *self.names))
            ) from None

    def control(self, default: object, attributes: Iterable[str] = ()) -> Control:  # noqa: ARG002
        return Control("whole", self.least, _slider_end(self.most), 1, self.names)


@dataclass(frozen=True)
class Number(Range):
    """Numbers between two ends, which belong to it unless it is `above` the one or `below` the other.

    What is nearer to an end that does not belong to it than 10^-6 is not computed.

    >>> Number(0, 64, above=True, source="the service").check("epsilon", 0)
    Traceback (most recent call last):
    quiff.errors.ParameterError: epsilon must be above 0 and at most 64, not 0 (the service)
    >>> Number(0, 64).check("epsilon", "0,5")
    Traceback (most recent call last):
    quiff.errors.ParameterError: epsilon must be a number between 0 and 64, not '0,5'; did you mean 0.5?
    """

    least: float
    most: float
    above: bool = False
    below: bool = False

    @property
    def text(self) -> str:
        if self.above or self.below:
            start, end = "above" if self.above else "from", "below" if self.below else "at most"
            return f"{start} {self.least}, {end} {self.most}"
        return f"{self.least} to {self.most}"

    def _checked(self, name: str, value: Any) -> Any:
        least, most = self.least, self.most
        if not self.above and not self.below:
            return check_number(name, value, least, most)
        try:
            number = check_number(name, value, least, most)
        except ParameterError:
            number = None
        near_end = number is not None and (
            (self.above and number - least < _NEAR) or (self.below and most - number < _NEAR)
        )
        if number is None or near_end:
            start, end = "above" if self.above else "at least", "below" if self.below else "at most"
            allowed = f"{start} {least} and {end} {most}"
            inside = number is not None and least < number < most
            reason = f" (within {_NEAR:g} of an end nothing is computed)" if inside else ""
            sentence = f"{name} must be {allowed}, not {quoted(value)}{reason}"
            raise ParameterError(sentence, what=name, value=value, allowed=allowed)
        return number

    def _meant(self, value: object) -> str | None:
        return meant_number(value) if isinstance(value, str) else None

    def control(self, default: object, attributes: Iterable[str] = ()) -> Control:  # noqa: ARG002
        step = float(self.most - self.least) / 100
        return Control("decimal", float(self.least), _slider_end(self.most), step, above=self.above)


@final
@dataclass(frozen=True)
class Share(Number):
    """Probabilities, and other numbers between 0 and 1.

    >>> Share().check("noise", 5)
    Traceback (most recent call last):
    quiff.errors.ParameterError: noise must be a number between 0 and 1, not 5; did you mean 0.05?
    """

    least: float = 0
    most: float = 1

    def _meant(self, value: object) -> str | None:
        if isinstance(value, int | float) and not isinstance(value, bool) and 1 < value <= 100:
            return f"{value / 100:g}"
        return super()._meant(value)


@final
@dataclass(frozen=True)
class Between(Number):
    """Numbers between two ends that stay as they are; the range of a program's parameter."""

    def _checked(self, name: str, value: Any) -> Any:
        if isinstance(value, bool):
            raise ParameterError(
                what=name, value=value, allowed=f"a number between {self.least} and {self.most}"
            )
        super()._checked(name, value)
        return value

    def control(self, default: object, attributes: Iterable[str] = ()) -> Control:
        made = super().control(default, attributes)
        whole = isinstance(default, int) and not isinstance(default, bool)
        return replace(made, kind="whole", step=1) if whole else made


@final
@dataclass(frozen=True, init=False)
class OneOf(Range):
    """One of some names.

    >>> OneOf("day", "page").check("budget", "week")
    Traceback (most recent call last):
    quiff.errors.ParameterError: budget must be day or page, not 'week'
    """

    names: tuple[str, ...]

    def __init__(self, *names: str, note: str = "", source: str = "") -> None:
        for field, value in {"names": names, "note": note, "source": source}.items():
            object.__setattr__(self, field, value)

    @property
    def text(self) -> str:
        return _listed(self.names)

    def _checked(self, name: str, value: Any) -> Any:
        if not isinstance(value, str) or value not in self.names:
            raise ParameterError(what=name, value=value, allowed=self.text)
        return value

    def control(self, default: object, attributes: Iterable[str] = ()) -> Control:  # noqa: ARG002
        return Control("choice", names=self.names)


@final
@dataclass(frozen=True)
class Flag(Range):
    """True or False."""

    @property
    def text(self) -> str:
        return "True or False"

    def _checked(self, name: str, value: Any) -> Any:
        if not isinstance(value, bool):
            raise ParameterError(what=name, value=value, allowed=self.text)
        return value

    def control(self, default: object, attributes: Iterable[str] = ()) -> Control:  # noqa: ARG002
        return Control("switch")


@final
@dataclass(frozen=True)
class Attribute(Range):
    """The name of an attribute of people."""

    @property
    def text(self) -> str:
        return "any attribute"

    def _checked(self, name: str, value: Any) -> Any:
        if not isinstance(value, str) or not value:
            raise ParameterError(what=name, value=value, allowed="the name of an attribute of people")
        return value

    def control(self, default: object, attributes: Iterable[str] = ()) -> Control:
        return Control("choice", names=tuple(dict.fromkeys([str(default), *_ATTRIBUTES, *attributes])))


@final
@dataclass(frozen=True)
class Described(Range):
    """A range in words, which a function of the API checks.

    Attributes
    ----------
    words
        The range in a few words.
    function
        Returns the value, or raises a ParameterError; None where the API itself does that.
    example
        What a value looks like that consists of numbers with spaces between them; no other one can be set on
        the page.
    """

    words: str
    function: Callable[[str, Any], Any] | None = None
    example: str = ""

    @property
    def text(self) -> str:
        return self.words

    def _checked(self, name: str, value: Any) -> Any:
        return value if self.function is None else self.function(name, value)

    def control(self, default: object, attributes: Iterable[str] = ()) -> Control | None:  # noqa: ARG002
        return Control("words", example=self.example) if self.example else None


def range_like(default: object, most: int) -> Range | None:
    """Return the range of a parameter of which only the default is known; None if that tells nothing.

    >>> str(range_like(0.5, 100)), str(range_like(True, 100)), range_like("abc", 100)
    ('-100 to 100', 'True or False', None)
    """
    if isinstance(default, bool):
        return Flag()
    if isinstance(default, int):
        return Whole(-most, most)
    return Number(-most, most) if isinstance(default, float | Fraction) else None


def meant_number(text: str) -> str | None:
    """Return the number that was probably meant by text with a comma or a percent sign.

    >>> meant_number("0,05"), meant_number("5 %"), meant_number("much")
    ('0.05', '0.05', None)
    """
    percent = _PERCENT.fullmatch(text)
    if percent is not None:
        return f"{float(percent[1].replace(',', '.')) / 100:g}"
    return text.replace(",", ".") if _DECIMAL_COMMA.fullmatch(text) else None


def value_of(text: str) -> Any:
    """Return a number if the text is one, exact for whole numbers and fractions; else the text.

    >>> value_of("1/20"), value_of("31"), value_of("0.5"), value_of("True"), value_of("v1")
    (Fraction(1, 20), 31, 0.5, True, 'v1')
    """
    if _FRACTION.fullmatch(text):
        try:
            return Fraction(text)
        except ZeroDivisionError:
            raise ParameterError(f"{text!r} divides by zero", what="number", value=text) from None
    if _WHOLE.fullmatch(text):
        return int(text)
    if text in ("True", "False"):
        return text == "True"
    try:
        return float(text)
    except ValueError:
        return text


def _listed(parts: tuple[str, ...]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def _slider_end(most: Any) -> float | str | None:
    if most is None or isinstance(most, str):
        return most
    return float(most) if most < _VAST else None
