"""The domain of a URL in plain Python, by either rules: urlsplit for the URL, publicsuffix.org for the host.

Nothing here is shared with the pipeline: this is what its results are compared with. Each of the two ways
returns the domain and the reason why there is none, of which one is None.
"""

import re
import unicodedata
from urllib.parse import urlsplit


def host(url, ports=True):
    url = re.sub(r"[\x0e\x0f\[\]]", "", url)
    name, _, rest = (
        url.lstrip("".join(map(chr, range(33)))).translate(dict.fromkeys(b"\t\r\n")).partition(":")
    )
    port = re.split(r"[/?#\s]", rest)[0]
    if (
        ports
        and port.isascii()
        and port.isdecimal()
        and len(port) < 6
        and re.fullmatch("[A-Za-z0-9.-]+", name)
    ):
        url = f"//{name}:{rest}"
    parts = urlsplit(url)
    path, last = parts.path, parts.path.rpartition("/")[2]
    place = parts.netloc or path.removesuffix(last) + last.partition(";")[0]
    place = re.sub("^([A-Za-z0-9+.-]+:)?//", "", place).partition("/")[0].rpartition("@")[2]
    if re.fullmatch("[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*", place):
        return "::"
    return re.sub("[。．｡]", ".", place.partition(":")[0].strip().rstrip(".。．｡"))


def matches(rule, labels):
    wanted = rule.removeprefix("!").split(".")
    last = labels[len(labels) - len(wanted) :]
    return len(labels) >= len(wanted) and all(a in ("*", b) for a, b in zip(wanted, last, strict=True))


def suffix_size(rules, labels):
    labels = [
        label.removeprefix("xn--").encode().decode("punycode")
        if re.match("xn--[a-z0-9-]+$", label)
        else label
        for label in map(str.lower, labels)
    ]
    fitting = [rule for rule in rules if matches(rule, labels)]
    exceptions = [rule.count(".") for rule in fitting if rule.startswith("!")]
    return exceptions[0] if exceptions else max((rule.count(".") + 1 for rule in fitting), default=0)


def no_name(name):
    if not name:
        return "no-host"
    labels = name.split(".")
    numbers = len(labels) == 4 and all(re.fullmatch("0|[1-9][0-9]{0,2}", n) and int(n) < 256 for n in labels)
    return "ip-address" if name == "::" or numbers else None


def by_the_list(url, rules):
    """By the list's own algorithm: small letters, an unknown last label is a suffix, a suffix no domain."""
    name = "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in host(url))
    labels = name.split(".")
    size = suffix_size(rules, labels)
    known = size > 0
    if not known and len(labels) > 1 and not re.fullmatch("[0-9]+", labels[-1]):
        size = 1
    domain = labels[-size - 1 :]
    checked = domain[: 1 if known else 2]
    if reason := no_name(name):
        return None, reason
    if "" in labels:
        return None, "bad-label"
    if not size:
        return None, "no-suffix"
    if len(labels) == size:
        return None, "bare-suffix"
    if any(label.strip("-") != label or not all(map(is_letter, label)) for label in checked):
        return None, "bad-label"
    return ".".join(map(as_in_the_dns, domain)), None


def as_in_the_dns(label):
    label = unicodedata.normalize("NFC", label)
    return label if label.isascii() else "xn--" + label.encode("punycode").decode()


def is_letter(sign):
    if sign.isascii():
        return sign == "-" or sign.isdigit() or sign.islower()
    spans = [("\xc0", "\u167f"), ("\u1681", "\u1fff"), ("\u2c00", "\u2fff"), ("\u3005", "\ud7ff")]
    spans += [("\uf900", "\ufdff"), ("\U00010000", "\U000effff")]
    return any(low <= sign <= high for low, high in spans)


def as_published(url, rules):
    """By the paper's rules: letters stay as they are, and w's are no label."""
    name = host(url, ports=False)
    labels = name.split(".")
    if reason := no_name(name):
        return None, reason
    size = suffix_size(rules, labels)
    if not size:
        return None, "no-suffix"
    suffix = ".".join(labels[len(labels) - size :])
    label = labels[-size - 1] if len(labels) > size else ""
    if suffix.startswith("."):
        return None, "bad-label"
    if not label.lower().strip("w"):
        return (suffix, None) if size > 1 else (None, "bare-suffix")
    if re.search("[^A-Za-z0-9-]", label) or not label.strip("-"):
        return None, "bad-label"
    return f"{label.strip('-')}.{suffix}", None
