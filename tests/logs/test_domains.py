"""URL to host to registrable domain, by the list's rules or the paper's, the same on both engines."""

import re
from urllib.parse import urlsplit

import ibis
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logs import plain_domains
from quiff.logs.domains import find_domains
from quiff.logs.hosts import shortened, with_host
from quiff.logs.plain import plain_domains as without_engine
from quiff.logs.queries import fetch_rows
from quiff.logs.suffixes import Suffixes

RULES = Suffixes.parse(
    "com\nbr\ngov.br\nuk\nco.uk\n*.ck\n!www.ck\n*.x.uk\nå.no\nno\n公司.香港\n香港\na.b.c.com\n"
)

PAPER = [
    ("br", None, "bare-suffix"),
    ("com", None, "bare-suffix"),
    ("gov.br", "gov.br", None),
    ("www.gov.br", "gov.br", None),
    ("+.gov.br", None, "bad-label"),
    ("-.gov.br", None, "bad-label"),
    ("www.br", None, "bare-suffix"),
]
EXTRA = [
    ("http://www.unit.bg.ac.yu/x", "unit.bg.ac.yu", None),
    ("bg.ac.yu", "bg.ac.yu", None),
    ("yu", None, "bare-suffix"),
    ("name.yu", "name.yu", None),
    ("www.name.or.tp", "name.or.tp", None),
    ("a.name.an", "name.an", None),
]
HOSTS = [
    ("", None, "no-host"),
    (" ", None, "no-host"),
    ("http://", None, "no-host"),
    ("http:///name.com", None, "no-host"),
    ("/name.com", None, "no-host"),
    ("http://user@/x", None, "no-host"),
    ("http://:80/name.com", None, "no-host"),
    ("http://...", None, "no-host"),
    ("http://www.name.com", "name.com", None),
    ("https://a.b.name.co.uk:8080/x?y#z", "name.co.uk", None),
    ("//name.com/x", "name.com", None),
    ("name.com", "name.com", None),
    ("www.name.com/x/y?http://other.uk", "name.com", None),
    ("name.com?x", "name.com", None),
    ("name.com#x", "name.com", None),
    ("name.com;x", "name.com", None),
    ("http:name.com/x", "name.com", None),
    ("http:http://name.com/x", "name.com", None),
    ("http:////name.com/x", "name.com", None),
    ("1http://name.com", "name.com", None),
    ("name.com:80/x", None, "no-suffix"),  # name.com is a scheme and 80/x its path
    ("http://me@name.com", "name.com", None),
    ("http://me:secret@at@www.name.com:80/", "name.com", None),
    ("mailto:me@name.com", "name.com", None),
    ("http://name.com./x", "name.com", None),
    ("http://name.com...", "name.com", None),
    ("  http://name.com  ", "name.com", None),
    ("http:// name.com /x", "name.com", None),
    ("http://na\x0eme.\x0fcom/", "name.com", None),
    ("http://[www.name.com]/x", "name.com", None),
    ("http://www.na[me].com/x", "name.com", None),
    ("ht\ttp://na\nme.c\rom", "name.com", None),
    ("http://na me.com", None, "bad-label"),
    ("http://na\x1bme.com", None, "bad-label"),
    ("http://127.0.0.1/x", None, "ip-address"),
    ("http://me@127.0.0.1:80/x", None, "ip-address"),
    ("127.0.0.1", None, "ip-address"),
    ("http://[2001:db8::1]/x", None, "ip-address"),
    ("http://[::1]:80/x", None, "ip-address"),
    ("http://[::ffff:127.0.0.1]/x", None, "ip-address"),
    ("http://256.0.0.1/x", None, "no-suffix"),
    ("http://1.2.3.4.5/x", None, "no-suffix"),
    ("http://localhost/x", None, "no-suffix"),
    ("http://name.nosuch/x", None, "no-suffix"),
    ("http://name。co．uk｡/x", "name.co.uk", None),
]
LABELS = [
    ("http://-name-.com", "name.com", None),
    ("http://--n-a--.gov.br", "n-a.gov.br", None),
    ("http://na_me.com", None, "bad-label"),
    ("http://sub_.name.com", "name.com", None),
    ("http://näme.com", None, "bad-label"),
    ("http://%6eame.com", None, "bad-label"),
    ("http://name..com", None, "bare-suffix"),
    ("http://name..gov.br", "gov.br", None),
    ("http://.gov.br", "gov.br", None),
    ("http://w.gov.br", "gov.br", None),
    ("http://wwww.com", None, "bare-suffix"),
    ("http://www2.com", "www2.com", None),
    ("http://-www-.gov.br", "www.gov.br", None),
    ("HTTP://WWW.Name.COM/X", "Name.COM", None),
    ("http://WWW.GOV.BR", "GOV.BR", None),
    ("http://WWW.BR", None, "bare-suffix"),
    ("http://a.name.ck", "a.name.ck", None),
    ("http://name.ck", "name.ck", None),
    ("http://ck", None, "no-suffix"),
    ("http://.ck", None, "bad-label"),
    ("http://a.www.ck", None, "bare-suffix"),
    ("http://x.uk", "x.uk", None),
    ("http://b.a.x.uk", "b.a.x.uk", None),
    ("http://a.name.公司.香港", "name.公司.香港", None),
    ("http://name.xn--55qx5d.xn--j6w193g", "name.xn--55qx5d.xn--j6w193g", None),
    ("http://name.XN--55QX5D.香港", "name.XN--55QX5D.香港", None),
    ("http://公司.香港", "公司.香港", None),
    ("http://香港", None, "bare-suffix"),
    ("http://name.å.no", "name.å.no", None),
    ("http://name.Å.NO", "name.Å.NO", None),
    ("http://name.\N{ANGSTROM SIGN}.no", "name.\N{ANGSTROM SIGN}.no", None),
    ("http://name.İ.com", None, "bad-label"),
    ("http://x.a.b.c.com", "x.a.b.c.com", None),
    ("http://x.b.c.com", "c.com", None),
]


def answers(rows):
    return [(row["url"], row["domain"], row["reason"]) for row in rows]


def test_the_papers_examples(backend):
    assert answers(find_domains(backend, [url for url, _, _ in PAPER], rules="as-published")) == PAPER


def test_the_papers_extra_suffixes(backend):
    assert answers(find_domains(backend, [url for url, _, _ in EXTRA], rules="as-published")) == EXTRA


def test_odd_urls_and_labels(backend):
    cases = HOSTS + LABELS
    assert answers(find_domains(backend, [url for url, _, _ in cases], RULES, "as-published")) == cases
    assert {reason for _, _, reason in cases} - {None} == {
        "no-host",
        "ip-address",
        "no-suffix",
        "bare-suffix",
        "bad-label",
    }


PORTS = [
    ("www.name.com:443", "name.com", None),
    ("name.com:80/x?y", "name.com", None),
    ("a.Name.co.uk:8080?x", "name.co.uk", None),
    ("name.com:443 ", "name.com", None),
    (" name.com:443#x", "name.com", None),
    ("intranet:8080/wiki", None, "no-suffix"),
    ("co.uk:80", None, "bare-suffix"),
    ("127.0.0.1:80", None, "ip-address"),
    ("mailto:me@name.com", "name.com", None),
    ("http:name.com/x", "name.com", None),
    ("name.com:443443443/x", None, "no-suffix"),  # no port, so that name.com is a scheme
]


def test_a_port_needs_no_scheme(backend):
    urls = [url for url, _, _ in PORTS]
    assert answers(find_domains(backend, urls, RULES)) == PORTS
    assert answers(without_engine(urls, RULES)) == PORTS
    assert [plain_domains.by_the_list(url, RULES.rules) for url in urls] == [row[1:] for row in PORTS]
    published = answers(find_domains(backend, urls[:2], RULES, "as-published"))
    assert published == [(url, None, "no-suffix") for url in urls[:2]]


def test_urls_may_come_twice_or_not_at_all(backend):
    assert find_domains(backend, []) == []
    assert answers(find_domains(backend, ["a.com", "com", "a.com"]))[2] == ("a.com", "a.com", None)


SUFFIX = st.sampled_from([
    "com", "br", "gov.br", "GOV.br", "co.uk", "uk", "ck", "www.ck", "x.uk", "å.no", "Å.no", "公司.香港",
    "香港", "tp", "xn--55qx5d.xn--j6w193g", "XN--55QX5D.香港", "b.c.com", "a.b.c.com", "nosuch", "bg.ac.yu",
    "1",
])  # fmt: skip
LABEL = st.one_of(
    st.sampled_from(["www", "w", "WWW", "-", "--", "", "name", "-a-", "+", "a_b", "x", "127", "ä", "İ", "K"]),
    st.text("ab01-W", max_size=4),
)
DOT = st.sampled_from([".", ".", ".", ".", "。", "．", "｡"])
BEFORE = st.sampled_from([
    "http://", "https://", "HTTP://", "", "", "//", "http:", "http:///", "http:////", "1x://", "a_b://",
    " \x01http://", "ftp:http://", "http://me@", "http://me:pass@you@", "mailto:me@", "[", "\x0e http://[",
])  # fmt: skip
AFTER = st.sampled_from([
    "", "", "/", "/x/y", "?q", "#f", ";p", ";p/q", ":80", ":80/x", "./", "..", " ", ". ", " .", "]", "]:80/",
    "\x0f", "/;x", "\xa0", "\u3000/", "\t", "@name.com", "/http://other.com", "?http://other.com",
])  # fmt: skip


@st.composite
def built_urls(draw):
    name = draw(SUFFIX)
    for label in draw(st.lists(LABEL, max_size=3)):
        name = label + draw(DOT) + name
    return draw(BEFORE) + name + draw(AFTER)


URLS = st.one_of(
    built_urls(), built_urls(), st.text("a.:/@?#;[]w- \x0e。com", max_size=12), st.text(max_size=9)
)


def can_be_split(url):
    """False for hosts with letters that compatibility turns into delimiters: urlsplit refuses them."""
    try:
        urlsplit(re.sub(r"[\x0e\x0f\[\]]", "", url))
    except ValueError:
        return False
    return True


@settings(max_examples=40)
@given(st.lists(URLS.filter(can_be_split), min_size=1, max_size=40))
def test_every_url_is_read_as_by_the_rules(duckdb, urls):
    assert answers(find_domains(duckdb, urls, RULES)) == [
        (url, *plain_domains.by_the_list(url, RULES.rules)) for url in urls
    ]
    published = find_domains(duckdb, urls, RULES, "as-published")
    assert answers(published) == [(url, *plain_domains.as_published(url, RULES.rules)) for url in urls]


@settings(max_examples=30)
@given(st.lists(URLS, min_size=1, max_size=40), st.sampled_from(["correct", "as-published"]))
def test_a_few_urls_are_read_as_by_the_engine(duckdb, urls, rules):
    assert without_engine(urls, RULES, rules) == find_domains(duckdb, urls, RULES, rules)


def test_without_an_engine_the_known_cases_hold():
    for cases, suffixes in ((PAPER, None), (EXTRA, None), (HOSTS + LABELS, RULES)):
        assert answers(without_engine([url for url, _, _ in cases], suffixes, "as-published")) == cases


@settings(max_examples=40)
@given(st.lists(st.builds("{}{}".format, URLS, st.sampled_from(["", "/", "/x//y", "/?a=http://b.com/c"]))))
def test_a_shortened_url_has_the_same_host(duckdb, urls):
    table = ibis.memtable(pa.table({"url": pa.array(urls, pa.string())}))
    first = with_host(table)
    both = with_host(first.select(whole=first.url, first=first.host, url=shortened(first.url)))
    rows = fetch_rows(duckdb, both)
    assert [row["host"] for row in rows] == [row["first"] for row in rows]
    assert all(len(row["url"]) <= len(row["whole"]) for row in rows)


@pytest.mark.full
@settings(max_examples=3)
@given(st.lists(URLS.filter(can_be_split), min_size=200, max_size=400))
def test_every_url_is_read_as_by_the_rules_on_spark(spark, urls):
    assert answers(find_domains(spark, urls, RULES)) == [
        (url, *plain_domains.by_the_list(url, RULES.rules)) for url in urls
    ]
    published = find_domains(spark, urls, RULES, "as-published")
    assert answers(published) == [(url, *plain_domains.as_published(url, RULES.rules)) for url in urls]
