"""From a URL to its registrable domain, by the Public Suffix List, or by the paper's own rules (App. D.1).

This is the one way to a domain: engines find the distinct URLs, and this process their domains.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from quiff.errors import ParameterError
from quiff.logs.suffixes import PUNYCODE, Suffixes, packaged_suffixes

RULES = ("correct", "as-published")
"""By which rules a host has a domain: those of the list's own algorithm, or the paper's."""

_SIMPLE = re.compile("http://([a-z0-9-]+(?:[.][a-z0-9-]+)+)")
_PLAIN = re.compile(r"[A-Za-z0-9.-]*[A-Za-z0-9-]")
_DOTS = ".\u3002\uff0e\uff61"
_PLAIN_DOTS = dict.fromkeys(map(ord, _DOTS), ".")
_SPACES = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
_BLANKS = _SPACES + "".join(map(chr, range(0x2000, 0x200B)))
_REMOVED = dict.fromkeys(map(ord, "\t\n\r\x0e\x0f[]"))  # logs are known to hold them
_BEFORE = "".join(map(chr, range(0x21)))
_SCHEME = "(?:[A-Za-z][A-Za-z0-9+.-]*:)?"
_HOST_AND_PORT = re.compile(rf"[A-Za-z0-9.-]+:[0-9]{{1,5}}(?:[/?#{_BLANKS}]|\Z)")
_NETWORK_LOCATION = re.compile(f"{_SCHEME}//([^/?#]*)")
_PATH = re.compile(f"{_SCHEME}(?://)?(?:(?:[A-Za-z0-9+.-]+:)?//)?([^?#]*)")
_IPV6 = re.compile(r"[0-9A-Fa-f]{0,4}:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*")
_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_IPV4 = re.compile(rf"{_BYTE}(?:[.]{_BYTE}){{3}}")
# Letters beyond ASCII: all but blanks, signs, private and compatibility areas.
_LETTERS = "\xc0-\u167f\u1681-\u1fff\u2c00-\u2fff\u3005-\ud7ff\uf900-\ufdff\U00010000-\U000effff"
_NAME = re.compile(rf"(?:(?!-)[a-z0-9{_LETTERS}-]+(?<!-)(?:[.]|\Z))+")


class Located(NamedTuple):
    """Where a URL leads: its registrable domain, or the reason why it has none; the other is None."""

    domain: str | None
    reason: str | None


@dataclass(frozen=True)
class DomainRules:
    """How a URL gets its domain.

    The suffix is the longest one that the list knows; the label is what stands before it up to the next dot;
    the domain is both, with a dot between, in small letters and in Punycode, as in the DNS. If the list knows
    no suffix, the last label is taken for one, as the list's own algorithm does, unless it is a number. A
    host has no domain if it

    - is an address (``ip-address``), or a single name that is no suffix (``no-suffix``);
    - is a suffix itself (``bare-suffix``);
    - has an empty label, or a domain with signs in it that are neither letters, digits nor inner hyphens
      (``bad-label``).

    By the rules as published (App. D.1), letters stay as they are and only those of ASCII may be in a label.
    A host has no domain if it ends in no suffix of the list (``no-suffix``), or has no label, or one of only
    w's, before a suffix of one label (``bare-suffix``); before a longer one, that suffix is the domain. Outer
    hyphens are taken off a label; one of nothing else is bad.

    >>> correct = DomainRules(packaged_suffixes())
    >>> correct.locate("http://a.Name.co.uk:80/x").domain, correct.locate("gov.br").reason
    ('name.co.uk', 'bare-suffix')
    >>> correct.locate("www.münchen.de") == correct.locate("xn--mnchen-3ya.de:443/x")
    True
    >>> published = DomainRules(packaged_suffixes(), "as-published")
    >>> published.locate("http://a.Name.co.uk:80/x").domain, published.locate("gov.br").domain
    ('Name.co.uk', 'gov.br')
    """

    suffixes: Suffixes
    rules: str = "correct"

    def __post_init__(self) -> None:
        if self.rules not in RULES:
            raise ParameterError(what="rules", value=self.rules, allowed=f"one of {', '.join(RULES)}")

    @classmethod
    def of(cls, suffixes: Suffixes | None, rules: str) -> "DomainRules":
        """Return the rules with a list, or with the installed one."""
        return cls(suffixes or packaged_suffixes(), rules)

    def locate(self, url: str) -> Located:
        """Return the domain of a URL."""
        simple = _SIMPLE.fullmatch(url)
        if simple:  # as nearly all are that a log has once it is shortened
            labels = simple[1].split(".")
            size = self._suffix_size(labels)
            label = labels[-1 - size] if 0 < size < len(labels) else "-"
            if label[0] != "-" != label[-1] and label.strip("w"):
                return Located(".".join(labels[-1 - size :]), None)
        host = host_of(url, ports=self.rules == "correct")
        if not host:
            return Located(None, "no-host")
        if ":" in host or (host[-1] in "0123456789" and _IPV4.fullmatch(host)):
            return Located(None, "ip-address")
        return self._by_the_list(host) if self.rules == "correct" else self._as_published(host)

    def _by_the_list(self, host: str) -> Located:
        labels = _small(host).split(".")
        listed = self._suffix_size(labels)
        if "" in labels:
            return Located(None, "bad-label")
        size = listed or int(len(labels) > 1 and not (labels[-1].isascii() and labels[-1].isdecimal()))
        if not size:
            return Located(None, "no-suffix")
        if len(labels) == size:
            return Located(None, "bare-suffix")
        domain = ".".join(labels[-1 - size :])
        if not _NAME.fullmatch(labels[-1 - size] if listed else domain):  # a suffix of the list is right
            return Located(None, "bad-label")
        return Located(in_punycode(domain), None)

    def _as_published(self, host: str) -> Located:
        labels = host.split(".")
        size = self._suffix_size(_small(host).split("."))
        suffix, label = ".".join(labels[-size:]), labels[-1 - size] if len(labels) > size else ""
        if not size:
            return Located(None, "no-suffix")
        if suffix.startswith("."):
            return Located(None, "bad-label")
        if not label.strip("Ww"):
            return Located(None, "bare-suffix") if size == 1 else Located(suffix, None)
        stripped = label.strip("-")
        if not stripped or not (label.isascii() and label.replace("-", "").isalnum()):
            return Located(None, "bad-label")
        return Located(f"{stripped}.{suffix}", None)

    def _suffix_size(self, labels: list[str]) -> int:
        """Return the number of labels of the longest suffix that is listed."""
        endings, place, size = self.suffixes.endings, len(labels) - 1, 0
        ending = labels[place]
        while (sizes := endings.get(ending)) is not None:
            if place == 0:
                return sizes[0] or size
            size = sizes[1] or size
            place -= 1
            ending = f"{labels[place]}.{ending}"
        return size


def find_domains(
    urls: Iterable[str], suffixes: Suffixes | None = None, rules: str = "correct"
) -> list[Located]:
    """Return where each of some URLs leads, in order.

    >>> find_domains(["http://www.example.co.uk/page", "gov.br"])
    [Located(domain='example.co.uk', reason=None), Located(domain=None, reason='bare-suffix')]
    """
    locate = DomainRules.of(suffixes, rules).locate
    return [locate(url) for url in urls]


def host_of(url: str, *, ports: bool = True) -> str:
    """Return the host of a URL, empty if there is none.

    A URL is split as Python's ``urllib.parse.urlparse`` does: the host stands in the network location, which
    ``//`` introduces, or else at the start of the path. A number after a colon is a port, where `ports` may
    follow a host without a scheme; else ``example.com:80`` has the scheme ``example.com``. Control characters
    and brackets that logs are known to hold, user names, ports, blanks around the host and dots behind it are
    removed; full-width dots become plain ones. An IPv6 address keeps its colons, and no other host has one.

    >>> [host_of(url) for url in ("http://me@[www.Example.com]:80/x", "example.com:443", "http:///x")]
    ['www.Example.com', 'example.com', '']
    """
    places = url.split("/", 3)
    place = places[2] if len(places) > 2 and url.startswith(("http://", "https://")) else places[0]
    if _PLAIN.fullmatch(place):
        return place
    url = url.translate(_REMOVED).lstrip(_BEFORE)
    if ports and _HOST_AND_PORT.match(url):
        url = f"//{url}"
    location, path = _NETWORK_LOCATION.match(url), _PATH.match(url)
    place = location[1] if location else ""
    if not place and path:
        place = path[1].partition("/" if "/" in path[1] else ";")[0]
    place = place.rpartition("@")[2]
    if _IPV6.fullmatch(place):
        return place
    return place.partition(":")[0].strip(_BLANKS).rstrip(_DOTS).translate(_PLAIN_DOTS)


def in_punycode(name: str) -> str:
    """Return a name in small letters with each label as in the DNS.

    >>> in_punycode("www.münchen.de")
    'www.xn--mnchen-3ya.de'
    """
    if name.isascii():
        return name
    labels = unicodedata.normalize("NFC", name).split(".")
    encoded = [label if label.isascii() else PUNYCODE + label.encode("punycode").decode() for label in labels]
    return ".".join(encoded)


def _small(name: str) -> str:
    """Return a name in small letters; those that have no small form of one letter stay as they are."""
    if name.isascii():
        return name.lower()
    lowered = (sign.lower() for sign in name)
    return "".join(small if len(small) == 1 else sign for sign, small in zip(name, lowered, strict=True))
