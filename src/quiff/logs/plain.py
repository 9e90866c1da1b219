"""From a few URLs to their registrable domains in plain Python, for which no engine has to start.

The rules are those of :mod:`quiff.logs.hosts` and :mod:`quiff.logs.domains`, where they are explained.
"""

from collections.abc import Iterable

from quiff.logs import patterns
from quiff.logs.patterns import in_python
from quiff.logs.suffixes import Suffixes, all_capitals, packaged_suffixes

Answer = tuple[str | None, str | None]  # the domain and the reason that there is none; one of them is None


def plain_domains(
    urls: Iterable[str], suffixes: Suffixes | None = None, rules: str = "correct"
) -> list[dict[str, str | None]]:
    """Return url, domain and reason of each URL, as :func:`quiff.logs.domains.find_domains` does.

    >>> [row["domain"] or row["reason"] for row in plain_domains(["http://a.Name.co.uk:80/x", "gov.br"])]
    ['name.co.uk', 'bare-suffix']
    """
    known = suffixes or packaged_suffixes()
    judge = _by_the_list if rules == "correct" else _as_published
    answers = ((url, *judge(_host(url, rules), known)) for url in urls)
    return [{"url": url, "domain": domain, "reason": reason} for url, domain, reason in answers]


def _host(url: str, rules: str) -> str:
    """Return the host of a URL, empty if there is none."""
    place = _part(url, "/", 2 if url.startswith(("http://", "https://")) else 0)
    if not url or _has(place, patterns.PLAIN_PLACE):
        return place
    odd = _without(_without(url, patterns.REMOVED), patterns.BEFORE)
    if rules == "correct" and _has(odd, patterns.HOST_AND_PORT):
        odd = f"//{odd}"
    path = in_python(patterns.PATH).findall(odd)[0]
    start = path.partition("/" if "/" in path else ";")[0]
    authority = "".join(in_python(patterns.NETWORK_LOCATION).findall(odd)) or start
    located = _without(authority, patterns.USER)
    if _has(located, patterns.IPV6):
        return located
    host = _without(_without(located, patterns.PORT), f"^{patterns.BLANKS}+")
    host = _without_end(_without_end(host, patterns.BLANKS), patterns.DOTS)
    return in_python(patterns.DOTS).sub(".", host)


def _by_the_list(host: str, suffixes: Suffixes) -> Answer:
    """Return domain or reason by the algorithm of publicsuffix.org."""
    name, size = _folded(host, suffixes)
    if not name.isascii():
        name = name.translate(str.maketrans(*all_capitals()))
    listed, last = size > 0, _part(name, ".", -1)
    if not listed and "." in name and not _has(last, patterns.NUMBER):
        size = 1  # an unknown suffix is the last label
    suffix, label = _split(name, size)
    domain = f"{label}.{suffix}"
    if reason := _address(host, last):
        return None, reason
    if name.startswith(".") or ".." in name:
        return None, "bad-label"
    if size == 0:
        return None, "no-suffix"
    if not label:
        return None, "bare-suffix"
    if _has(label if listed else domain, patterns.NO_NAME):  # a suffix of the list is right
        return None, "bad-label"
    return domain, None


def _as_published(host: str, suffixes: Suffixes) -> Answer:
    """Return domain or reason by the paper's own rules (App. D.1)."""
    size = _folded(host, suffixes)[1]
    suffix, label = _split(host, size)
    if reason := _address(host, _part(host, ".", -1)):
        return None, reason
    if size == 0:
        return None, "no-suffix"
    if suffix.startswith("."):
        return None, "bad-label"
    if _has(label, patterns.ONLY_W):
        return (None, "bare-suffix") if size == 1 else (suffix, None)
    if _has(label, patterns.NO_LABEL):
        return None, "bad-label"
    return f"{label.strip('-')}.{suffix}", None


def _folded(host: str, suffixes: Suffixes) -> tuple[str, int]:
    """Return a host in small letters, and the number of labels of the longest suffix that is listed."""
    name = host.translate(str.maketrans(*suffixes.capitals))
    labels, size = name.split("."), 0
    for length in range(1, len(labels) + 1):
        ending = ".".join(labels[-length:])
        if ending not in suffixes.endings:
            break
        alone, beneath = suffixes.endings[ending]
        size = (alone if ending == name else beneath) or size
    return name, size


def _split(name: str, size: int) -> tuple[str, str]:
    """Return the suffix of so many labels, at least one, and the label before it, empty if there is none."""
    return ".".join(name.split(".")[-max(size, 1) :]), _part(name, ".", -1 - size)


def _address(host: str, last: str) -> str | None:
    """Return the reason, if a host is none or an address."""
    if not host:
        return "no-host"
    numeric = "0" <= last < ":" and _has(host, patterns.IPV4)
    return "ip-address" if ":" in host or numeric else None


def _part(text: str, delimiter: str, place: int) -> str:
    """Return one part of a text between delimiters, empty if there is none."""
    parts = text.split(delimiter)
    return parts[place] if -len(parts) <= place < len(parts) else ""


def _has(text: str, pattern: str) -> bool:
    return in_python(pattern).search(text) is not None


def _without(text: str, pattern: str) -> str:
    return in_python(pattern).sub("", text)


def _without_end(text: str, signs: str) -> str:
    """Take the signs of a class off the end of a text, in a time that grows with its length only."""
    found = in_python(f"^(?s:.*)[^{signs.removeprefix('[')}").match(text)
    return found[0] if found else ""
