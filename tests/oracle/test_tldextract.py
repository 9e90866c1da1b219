"""Domains as published agree with tldextract, told the same rules, on hosts made from every rule of a list.

The known differences: of two wildcards, one inside the other (*.dapps.earth and *.bzz.dapps.earth),
tldextract forgets the outer one for the host that is the place of the inner one, bzz.dapps.earth; and it lets
a wildcard stand for an empty label. On the full-width dot the two agree.
"""

import csv
import io
import re
import zipfile
from importlib.resources import as_file, files
from urllib.parse import urlsplit

import pytest
import tldextract

from quiff.logs.domains import find_domains
from quiff.logs.suffixes import EXTRA_SUFFIXES, Suffixes

PINNED = "public_suffix_list-5e6ac3a.dat"


class Given:
    """Stands in for tldextract's network session, which would leave the file open."""

    def __init__(self, path):
        self.text = path.read_text(encoding="utf-8")

    def get(self, url, timeout=None):
        return self

    def raise_for_status(self):
        pass


def extractor(path):
    extract = tldextract.TLDExtract(
        cache_dir=None,
        suffix_list_urls=["given:"],
        fallback_to_snapshot=False,
        include_psl_private_domains=True,
        extra_suffixes=EXTRA_SUFFIXES,
    )
    extract("", session=Given(path))
    return extract


def by_the_paper(found):
    """The paper's rules for what tldextract found."""
    label, suffix = found.domain, found.suffix
    if not suffix:
        return None
    if not label or re.fullmatch("w+", label, re.IGNORECASE):
        return suffix if "." in suffix else None
    if not re.fullmatch("[A-Za-z0-9-]+", label) or not label.strip("-"):
        return None
    return f"{label.strip('-')}.{suffix}"


def spelled(name):
    """A name in Unicode, in Punycode, and in capitals."""
    punycode = ".".join(
        label if label.isascii() else "xn--" + label.encode("punycode").decode() for label in name.split(".")
    )
    return [name, punycode, name.upper(), punycode.upper()]


def hosts_of(rule):
    """Hosts at a rule, below it and beside it."""
    name = rule.removeprefix("!").removeprefix("*.")
    parent = name.partition(".")[2]
    heads = ["", "www.", "Sub.", "a.b.", "a.b.c.", "-x-.", "under_score.", "x.www.", "1.2.3.4."]
    hosts = [head + form for form in spelled(name) for head in heads]
    if rule.startswith("*"):
        hosts += [head + "any." + name for head in heads]
    if parent:
        hosts += [parent, "other." + parent, "a.other." + parent]
    return hosts


def hosts_from(rules):
    return list(dict.fromkeys(host for rule in rules for host in hosts_of(rule)))


def nested_wildcards(rules):
    """The places of wildcards inside other wildcards, but for those that are rules themselves."""
    places = {rule.removeprefix("*.") for rule in rules if rule.startswith("*")}
    return {place for place in places if place.partition(".")[2] in places and place not in rules}


def check_every_rule(path):
    suffixes, extract = Suffixes.read(path), extractor(path)
    hosts = hosts_from(suffixes.rules)
    assert len(hosts) > 100_000
    places = dict(zip(hosts, find_domains(hosts, suffixes, "as-published"), strict=True))
    different = {host for host, place in places.items() if place.domain != by_the_paper(extract(host))}
    assert {host.lower() for host in different} == nested_wildcards(suffixes.rules)
    assert all((place.domain is None) != (place.reason is None) for place in places.values())


def test_every_rule_of_the_pinned_list(mirror):
    check_every_rule(mirror / PINNED)


def test_every_rule_of_the_packaged_list():
    with as_file(files("publicsuffixlist") / "public_suffix_list.dat") as path:
        check_every_rule(path)


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "list.dat"
    path.write_text("earth\n*.dapps.earth\n*.bzz.dapps.earth\n*.ck\ncom\nuk\nco.uk\n")
    return path


def both(path, host):
    (ours,) = find_domains([host], Suffixes.read(path), "as-published")
    return ours.domain, by_the_paper(extractor(path)(host))


def test_nested_wildcards_differ(small):
    assert both(small, "bzz.dapps.earth") == ("bzz.dapps.earth", "dapps.earth")
    assert both(small, "x.bzz.dapps.earth") == ("x.bzz.dapps.earth",) * 2
    assert both(small, "y.x.bzz.dapps.earth") == ("y.x.bzz.dapps.earth",) * 2
    assert both(small, "y.x.dapps.earth") == ("y.x.dapps.earth",) * 2


def test_a_wildcard_for_an_empty_label_differs(small):
    assert both(small, ".ck") == (None, ".ck")
    assert both(small, "name..ck") == (None, "name..ck")


@pytest.mark.parametrize("dot", "。．｡")
def test_full_width_dots_agree(small, dot):
    assert both(small, dot.join(["www", "name", "co", "uk"])) == ("name.co.uk",) * 2
    assert both(small, f"name.com{dot}") == ("name.com",) * 2


def test_every_url_of_citizen_lab(mirror):
    with zipfile.ZipFile(mirror / "citizenlab-test-lists-ebd0ee8.zip") as archive:
        texts = [archive.read(name).decode() for name in archive.namelist() if name.endswith(".csv")]
    rows = [row for text in texts for row in csv.DictReader(io.StringIO(text))]
    urls = sorted({row["url"] for row in rows if row.get("url")})
    assert len(urls) > 33_000
    extract = extractor(mirror / PINNED)
    places = find_domains(urls, Suffixes.read(mirror / PINNED), "as-published")
    for url, place in zip(urls, places, strict=True):
        parts = urlsplit(url)
        assert place.domain == by_the_paper(extract(parts.netloc or parts.path)), url
