"""The Public Suffix List as a table: under which endings of a host people register names of their own."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any, final

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
_PUNYCODE = "xn--"
_END_OF_BASIC_PLANE = 0x10000  # no rule has a letter beyond


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
        found: dict[str, tuple[int, int]] = {}
        # Exceptions come last: they overrule what other rules say of the same ending.
        for rule in sorted(self.rules, key=lambda rule: rule.startswith("!")):
            size = rule.count(".") + 1
            for ending in _spellings(rule.removeprefix("!").removeprefix("*.")):
                alone, beneath = found.get(ending, (0, 0))
                if rule.startswith("!"):
                    found[ending] = (size - 1, size - 1)
                elif rule.startswith("*"):
                    found[ending] = (alone, size)
                else:
                    found[ending] = (size, max(size, beneath))
        for ending in tuple(found):  # the way to a long ending leads over the shorter ones
            while ending := ending.partition(".")[2]:
                found.setdefault(ending, (0, 0))
        return found

    @cached_property
    def longest(self) -> int:
        """The number of labels of the longest ending."""
        return max(name.count(".") for name in self.endings) + 1

    @cached_property
    def capitals(self) -> tuple[str, str]:
        """The capital letters of the rules' alphabets, and the small letters that they stand for.

        Engines do not agree on the small form of every letter of Unicode, so it is spelled out. The
        letters A to Z are among them.
        """
        letters = set("abcdefghijklmnopqrstuvwxyz").union(*self.endings)
        pairs = [(big, small) for big, small in zip(*all_capitals(), strict=True) if small in letters]
        return "".join(big for big, _ in pairs), "".join(small for _, small in pairs)

    def table(self) -> Any:
        """Return `endings` as an Ibis table: ``ending``, ``alone``, ``beneath``, and whether it ``goes_on``.

        It goes on if a longer ending ends in it.
        """
        import ibis  # only here: a few URLs are read without any engine
        import pyarrow as pa

        names = sorted(self.endings)
        sizes = [self.endings[name] for name in names]
        ways = {name.partition(".")[2] for name in names}
        columns = {
            "ending": names,
            "alone": [alone for alone, _ in sizes],
            "beneath": [beneath for _, beneath in sizes],
            "goes_on": [name in ways for name in names],
        }
        return ibis.memtable(pa.table(columns))


@cache
def all_capitals() -> tuple[str, str]:
    """Return all capital letters of Unicode's basic plane, and their small ones: engines differ in some."""
    pairs = [(big, big.lower()) for big in map(chr, range(_END_OF_BASIC_PLANE))]
    single = [(big, small) for big, small in pairs if big != small and len(small) == 1]
    return "".join(big for big, _ in single), "".join(small for _, small in single)


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
    if ending.isascii() and _PUNYCODE not in ending:
        return (ending,)  # most of them, so that the list is read in no time
    return map(".".join, product(*map(_forms, ending.split("."))))


def _forms(label: str) -> tuple[str, ...]:
    """Return a label's forms: Unicode and Punycode."""
    if not label.isascii():
        return label, _PUNYCODE + label.encode("punycode").decode()
    if label.startswith(_PUNYCODE):
        try:
            return label, label.removeprefix(_PUNYCODE).encode().decode("punycode")
        except UnicodeError:
            return (label,)
    return (label,)
