"""URL to host to registrable domain, by the list's rules or the paper's, the same on both engines."""

import re
from collections import Counter
from urllib.parse import urlsplit

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logs import plain_domains
from quiff.logs.domains import find_domains, host_of
from quiff.logs.judged import shortened
from quiff.logs.queries import fetch_rows
from quiff.logs.suffixes import Suffixes
from quiff.logs.treat import treat

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


def answers(urls, suffixes=None, rules="correct"):
    return [(url, *place) for url, place in zip(urls, find_domains(urls, suffixes, rules), strict=True)]


def test_the_papers_examples():
    assert answers([url for url, _, _ in PAPER], rules="as-published") == PAPER


def test_the_papers_extra_suffixes():
    assert answers([url for url, _, _ in EXTRA], rules="as-published") == EXTRA


def test_odd_urls_and_labels():
    cases = HOSTS + LABELS
    assert answers([url for url, _, _ in cases], RULES, "as-published") == cases
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


def test_a_port_needs_no_scheme():
    urls = [url for url, _, _ in PORTS]
    assert answers(urls, RULES) == PORTS
    assert [plain_domains.by_the_list(url, RULES.rules) for url in urls] == [row[1:] for row in PORTS]
    assert answers(urls[:2], RULES, "as-published") == [(url, None, "no-suffix") for url in urls[:2]]


def test_urls_may_come_twice_or_not_at_all():
    assert find_domains([]) == []
    assert answers(["a.com", "com", "a.com"])[2] == ("a.com", "a.com", None)


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
def test_every_url_is_read_as_by_the_rules(urls):
    assert answers(urls, RULES) == [(url, *plain_domains.by_the_list(url, RULES.rules)) for url in urls]
    published = [(url, *plain_domains.as_published(url, RULES.rules)) for url in urls]
    assert answers(urls, RULES, "as-published") == published


@settings(max_examples=40)
@given(st.lists(st.builds("{}{}".format, URLS, st.sampled_from(["", "/", "/x//y", "/?a=http://b.com/c"]))))
def test_a_shortened_url_has_the_same_host(duckdb, urls):
    table = ibis.memtable(pa.table({"url": pa.array(urls, pa.string())}))
    rows = fetch_rows(duckdb, table.select(whole=table.url, url=shortened(table.url)))
    assert [host_of(row["url"]) for row in rows] == [host_of(row["whole"]) for row in rows]
    assert all(len(row["url"]) <= len(row["whole"]) for row in rows)


@pytest.mark.parametrize(
    "name", ["münchen.de", "MÜNCHEN.de", "mu\u0308nchen.de", "XN--mnchen-3ya.DE", "xn--mnchen-3ya.de:443"]
)
def test_a_name_and_its_punycode_are_one_domain(name):
    for url in (name, f"http://www.{name}/x"):
        assert find_domains([url]) == [("xn--mnchen-3ya.de", None)]


def test_the_published_rules_know_no_punycode():
    assert answers(["münchen.de", "xn--mnchen-3ya.de", "www.å.no"], RULES, "as-published") == [
        ("münchen.de", None, "no-suffix"),
        ("xn--mnchen-3ya.de", None, "no-suffix"),
        ("www.å.no", "å.no", None),
    ]


def test_treat_and_the_function_find_the_same(backend, tmp_path):
    """Rows go by way of the distinct URLs of an engine."""
    cases = HOSTS + LABELS + PAPER + EXTRA
    urls = [url for url, _, _ in cases if url and not set(url) & set("\t\n\r")]
    names = [f"u{k}" for k in range(len(urls))]
    columns = {"AnonID": names, "QueryTime": ["2006-03-01 07:17:12"] * len(urls), "ClickURL": urls}
    pq.write_table(pa.table(columns), tmp_path / "log.parquet")
    for rules in ("correct", "as-published"):
        result = treat(
            backend, [tmp_path / "log.parquet"], tmp_path / rules, suffixes=RULES, rules=rules, min_kept=0
        )
        located = find_domains(urls, RULES, rules)
        rows = pq.read_table(tmp_path / rules / "treated.parquet").to_pylist()
        assert sorted(row["domain"] for row in rows) == sorted(p.domain for p in located if p.domain)
        assert Counter(result.dropped) == Counter(p.reason for p in located if p.reason)
