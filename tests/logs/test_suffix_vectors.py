"""The Public Suffix List's own test cases: hosts and the domain that is registered, None where there is none.

The cases are those that publicsuffix.org publishes for implementations of the list.
"""

import io
from importlib.resources import files

import idna
from publicsuffixlist import PublicSuffixList

from logs.plain_domains import as_in_the_dns
from quiff.logs.domains import find_domains
from quiff.logs.suffixes import EXTRA_SUFFIXES, Suffixes

CASES = {
    # capital letters
    "COM": None, "example.COM": "example.com", "WwW.example.COM": "example.com",
    # a dot at the start
    ".com": None, ".example": None, ".example.com": None, ".example.example": None,
    # not listed
    "example": None, "example.example": "example.example", "b.example.example": "example.example",
    "a.b.example.example": "example.example",
    # one rule
    "biz": None, "domain.biz": "domain.biz", "b.domain.biz": "domain.biz", "a.b.domain.biz": "domain.biz",
    # rules of two labels
    "com": None, "example.com": "example.com", "b.example.com": "example.com",
    "a.b.example.com": "example.com", "uk.com": None, "example.uk.com": "example.uk.com",
    "b.example.uk.com": "example.uk.com", "a.b.example.uk.com": "example.uk.com", "test.ac": "test.ac",
    # one wildcard
    "mm": None, "c.mm": None, "b.c.mm": "b.c.mm", "a.b.c.mm": "b.c.mm",
    # many rules
    "jp": None, "test.jp": "test.jp", "www.test.jp": "test.jp", "ac.jp": None, "test.ac.jp": "test.ac.jp",
    "www.test.ac.jp": "test.ac.jp", "kyoto.jp": None, "test.kyoto.jp": "test.kyoto.jp",
    "ide.kyoto.jp": None, "b.ide.kyoto.jp": "b.ide.kyoto.jp", "a.b.ide.kyoto.jp": "b.ide.kyoto.jp",
    "c.kobe.jp": None, "b.c.kobe.jp": "b.c.kobe.jp", "a.b.c.kobe.jp": "b.c.kobe.jp",
    "city.kobe.jp": "city.kobe.jp", "www.city.kobe.jp": "city.kobe.jp",
    # a wildcard with an exception
    "ck": None, "test.ck": None, "b.test.ck": "b.test.ck", "a.b.test.ck": "b.test.ck", "www.ck": "www.ck",
    "www.www.ck": "www.ck",
    # schools of the United States
    "us": None, "test.us": "test.us", "www.test.us": "test.us", "ak.us": None, "test.ak.us": "test.ak.us",
    "www.test.ak.us": "test.ak.us", "k12.ak.us": None, "test.k12.ak.us": "test.k12.ak.us",
    "www.test.k12.ak.us": "test.k12.ak.us",
    # beyond ASCII
    "食狮.com.cn": "食狮.com.cn", "食狮.公司.cn": "食狮.公司.cn", "www.食狮.公司.cn": "食狮.公司.cn",
    "shishi.公司.cn": "shishi.公司.cn", "公司.cn": None, "食狮.中国": "食狮.中国",
    "www.食狮.中国": "食狮.中国", "shishi.中国": "shishi.中国", "中国": None,
    # the same in Punycode
    "xn--85x722f.com.cn": "xn--85x722f.com.cn",
    "xn--85x722f.xn--55qx5d.cn": "xn--85x722f.xn--55qx5d.cn",
    "www.xn--85x722f.xn--55qx5d.cn": "xn--85x722f.xn--55qx5d.cn",
    "shishi.xn--55qx5d.cn": "shishi.xn--55qx5d.cn", "xn--55qx5d.cn": None,
    "xn--85x722f.xn--fiqs8s": "xn--85x722f.xn--fiqs8s",
    "www.xn--85x722f.xn--fiqs8s": "xn--85x722f.xn--fiqs8s",
    "shishi.xn--fiqs8s": "shishi.xn--fiqs8s", "xn--fiqs8s": None,
}  # fmt: skip


def domains(hosts, suffixes=None):
    hosts = list(hosts)
    return {url: place.domain for url, place in zip(hosts, find_domains(hosts, suffixes), strict=True)}


def in_the_dns(name):
    return None if name is None else ".".join(map(as_in_the_dns, name.split(".")))


EXPECTED = {host: None if name is None else idna.encode(name).decode() for host, name in CASES.items()}


def test_the_lists_own_cases():
    assert domains(CASES) == EXPECTED
    assert domains(f"http://{host}/x" for host in CASES) == {
        f"http://{host}/x": domain for host, domain in EXPECTED.items()
    }


def test_the_lists_own_cases_with_the_pinned_list(mirror):
    assert domains(CASES, Suffixes.read(mirror / "public_suffix_list-5e6ac3a.dat")) == EXPECTED


def hosts_of(rule):
    """Hosts at a rule, below it and beside it, in small letters and capitals."""
    name = rule.removeprefix("!").removeprefix("*.")
    hosts = [head + name for head in ("", "www.", "Sub.", "a.b.", "a.b.c.", "x.www.")]
    hosts += [head + "any." + name for head in ("", "b.")] if rule.startswith("*") else []
    return [*hosts, name.upper(), "NAME." + name.upper(), "a.other." + name.partition(".")[2]]


def test_every_rule_agrees_with_the_package_publicsuffixlist():
    text = (files("publicsuffixlist") / "public_suffix_list.dat").read_text(encoding="utf-8")
    oracle = PublicSuffixList(io.StringIO("\n".join([text, *EXTRA_SUFFIXES])))
    rules = Suffixes.parse(text).rules
    hosts = list(dict.fromkeys(host for rule in rules for host in hosts_of(rule) if host[-1] != "."))
    assert len(hosts) > 80_000
    found = domains(hosts)
    different = {
        host.lower() for host in hosts if found[host] != in_the_dns(oracle.privatesuffix(host.lower()))
    }
    # The package takes the place of a wildcard for a suffix; by the list's algorithm, *.nom.br says nothing
    # of nom.br itself.
    assert different <= {rule.removeprefix("*.") for rule in rules if rule.startswith("*")}


def test_letters_are_lowered_beyond_ascii_too():
    hosts = ["ΑΒΓ.com", "αβγ.COM", "STRASSE.example", "ÅÄÖ.no", "İ.com", "K.com"]  # the last one is Kelvin's
    expected = ["αβγ.com", "αβγ.com", "strasse.example", "åäö.no", "İ.com", "k.com"]
    assert list(domains(hosts).values()) == list(map(in_the_dns, expected))
