"""The Public Suffix List: under which endings of a host people register names of their own."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import final

from quiff.errors import ParameterError
from quiff.io import StrPath
from quiff.io.blocks import small_file

EXTRA_SUFFIXES = (
    "bg.ac.yu", "ac.yu", "cg.yu", "co.yu", "edu.yu", "gov.yu", "net.yu", "org.yu", "yu", "or.tp", "tp", "an",
)  # fmt: skip
"""Endings that were in use in 2006 and have left the list since (App. D.1)."""

_LABEL = r"(?:[a-z0-9-]|[^\x00-\x7f\s])+"
_RULE = re.compile(rf"(?:!|\*\.)?{_LABEL}(?:\.{_LABEL})*")
_LONGEST_RULE, _MOST_LABELS = 255, 10  # a host has at most 253 signs; an ending of n labels, 2^n spellings
PUNYCODE = "xn--"
"""How a label in Punycode begins."""


@final
@dataclass(frozen=True)
class Suffixes:
    r"""The rules of a Public Suffix List: plain (``co.uk``), wildcard (``*.ck``), exception (``!www.ck``).

    A rule's labels may be in Unicode or in Punycode; a host matches in either form. The sections of the
    list are not told apart: names registered under ``github.io`` belong to different people.

    >>> Suffixes.parse("// a comment\ncom\n*.ck\n!www.ck\n", extra=()).rules
    ('com', '*.ck', '!www.ck')
    """

    rules: tuple[str, ...]  # the rules as the list writes them, without their comments

    @classmethod
    def read(cls, path: StrPath, *, extra: Iterable[str] = EXTRA_SUFFIXES) -> "Suffixes":
        """Read a list in the format of publicsuffix.org and add the rules of ``extra``."""
        content = small_file(Path(path), "the suffix list ")
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ParameterError("it is not in UTF-8", where=f"the suffix list {str(path)!r}") from error
        return cls.parse(text, name=repr(str(path)), extra=extra)

    @classmethod
    def parse(cls, text: str, *, name: str = "given", extra: Iterable[str] = EXTRA_SUFFIXES) -> "Suffixes":
        """Take the rules from the text of a list and add those of ``extra``."""
        rules = tuple(_read_rules(text, name))
        if not rules:
            raise ParameterError("it holds no rules", where=f"the suffix list {name}")
        return cls(tuple(dict.fromkeys((*rules, *extra))))

    @cached_property
    def endings(self) -> dict[str, tuple[int, int]]:
        """For each ending that a rule names: the size of the suffix of a host that is it, or ends in it.

        The size is in labels. A wildcard says nothing of a host that is the ending itself: there the first
        size is 0. The longest ending of a host that says something decides.
        """
        sizes: dict[str, tuple[int, int]] = {}
        # Exceptions come last: they overrule what other rules say of the same ending.
        for rule in sorted(self.rules, key=lambda rule: rule.startswith("!")):
            size = rule.count(".") + 1
            for ending in _spellings(rule.removeprefix("!").removeprefix("*.")):
                alone, beneath = sizes.get(ending, (0, 0))
                if rule.startswith("!"):
                    sizes[ending] = (size - 1, size - 1)
                elif rule.startswith("*"):
                    sizes[ending] = (alone, size)
                else:
                    sizes[ending] = (size, max(size, beneath))
        for ending in tuple(sizes):  # the way to a long ending leads over the shorter ones
            while ending := ending.partition(".")[2]:
                sizes.setdefault(ending, (0, 0))
        return sizes


@cache
def packaged_suffixes() -> Suffixes:
    """Return the list that comes with the package ``publicsuffixlist``, and the extra suffixes."""
    source = files("publicsuffixlist") / "public_suffix_list.dat"
    return Suffixes.parse(source.read_text(encoding="utf-8"), name="of publicsuffixlist")


def _read_rules(text: str, name: str) -> Iterator[str]:
    """Yield the rules of a list: each line up to its first blank, comments and empty lines left out."""
    n_rules = n_going_on = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("//"):
            continue
        words = line.split(maxsplit=1)
        rule = words[0].lower()
        n_rules, n_going_on = n_rules + 1, n_going_on + (len(words) > 1)
        too_long = len(rule) > _LONGEST_RULE or rule.count(".") >= _MOST_LABELS
        if too_long or not _RULE.fullmatch(rule):
            raise ParameterError(
                what="a rule",
                value=rule[:80],
                allowed="a suffix such as co.uk",
                where=f"line {number} of the suffix list {name}",
            )
        yield rule
    if 2 * n_going_on > n_rules:
        raise ParameterError(
            f"the suffix list {name} seems to be prose: most of its lines have several words; give a list in"
            " the format of publicsuffix.org, with one rule such as co.uk a line"
        )


def _spellings(ending: str) -> Iterable[str]:
    """Return an ending with each label in Unicode and in Punycode."""
    if ending.isascii() and PUNYCODE not in ending:
        return (ending,)  # most of them, so that the list is read in no time
    return map(".".join, product(*map(_forms, ending.split("."))))


def _forms(label: str) -> tuple[str, ...]:
    """Return a label's forms: Unicode and Punycode."""
    if not label.isascii():
        return label, PUNYCODE + label.encode("punycode").decode()
    if label.startswith(PUNYCODE):
        try:
            return label, label.removeprefix(PUNYCODE).encode().decode("punycode")
        except UnicodeError:
            return (label,)
    return (label,)
