"""Classifying: matches as in the reference, in both modes; Citizen Lab's lists give the paper's figures."""

from datetime import datetime

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from logs import reference, strategies
from quiff.errors import ParameterError, QuiffError
from quiff.logs.classifications import Classification, chrome_table, read_classification
from quiff.logs.classify import classify
from quiff.logs.fetch import fetch
from quiff.logs.queries import fetch_rows
from quiff.logs.suffixes import Suffixes
from quiff.logs.tables import read_table
from words import refused

TREATED = pa.schema([("user", pa.int64()), ("time", pa.timestamp("us")), ("domain", pa.string())])


@pytest.fixture(scope="module")
def con(duckdb):
    return duckdb


def write_treated(folder, visits):
    folder.mkdir(parents=True, exist_ok=True)
    columns = list(zip(*visits, strict=True)) or [[], [], []]
    times = [datetime.fromisoformat(time) for time in columns[1]]
    pq.write_table(pa.table([columns[0], times, columns[2]], schema=TREATED), folder / "treated.parquet")
    return [(user, datetime.fromisoformat(time), domain) for user, time, domain in visits]


def as_classification(topics_of):
    schema = pa.schema([("domain", pa.string()), ("topics", pa.list_(pa.string()))])
    columns = [list(topics_of), [sorted(topics) for topics in topics_of.values()]]
    return Classification("made up", ibis.memtable(pa.table(columns, schema=schema)))


@pytest.mark.parametrize("matching", ["correct", "as-published"])
@settings(max_examples=30)
@given(visits=strategies.visits, topics_of=strategies.classifications)
def test_it_equals_the_reference(con, tmp_path_factory, matching, visits, topics_of):
    folder = tmp_path_factory.mktemp("treated")
    treated = write_treated(folder, visits)
    result = classify(con, folder, as_classification(topics_of), folder / "out", matching=matching)
    first = {}
    for _, time, domain in treated:
        first[domain] = min(time, first.get(domain, time))
    if matching == "correct":
        matches = reference.match(first, topics_of)
    else:
        matches = reference.match_as_published(first, topics_of)
    useful = {d: found for d, found in matches.items() if topics_of[found[1]]}
    written = pq.read_table(folder / "out" / "matches.parquet").to_pylist()
    assert {row["domain"]: (row["match"], row["listed"]) for row in written} == useful
    expected = reference.reduce(treated, matches, topics_of)
    rows = pq.read_table(folder / "out" / "reduced.parquet").to_pylist()
    assert sorted(tuple(row.values()) for row in rows) == sorted(expected)
    kinds = [kind for kind, _ in useful.values()]
    assert (result.full_matches, result.partial_matches) == (kinds.count("full"), kinds.count("partial"))
    assert result.matches_without_topics == len(matches) - len(useful)
    assert (result.rows, result.rows + result.dropped_rows) == (len(expected), len(treated))
    assert result.users == len({row[0] for row in expected})
    assert result.topics == len({topic for row in expected for topic in row[3]})


def test_the_examples_of_the_paper_and_of_its_mistake(con, tmp_path):
    visits = [(1, "2006-03-01 00:00:00", d) for d in ("gps.gov.uk", "hyde.tameside.sch.uk")]
    visits += [(2, "2006-03-02 00:00:00", "last.org")]
    write_treated(tmp_path, visits)
    listed = as_classification({"gov.uk": ["GOVT"], "t.me": ["COMT"], "last.org": ["REL"]})
    topics = {}
    for matching in ("correct", "as-published"):
        classify(con, tmp_path, listed, tmp_path / matching, matching=matching)
        rows = pq.read_table(tmp_path / matching / "matches.parquet").to_pylist()
        topics[matching] = {row["domain"]: row["topics"] for row in rows}
    assert topics["correct"] == {"gps.gov.uk": ["GOVT"], "last.org": ["REL"]}
    assert set(topics["as-published"]) == {"gps.gov.uk", "hyde.tameside.sch.uk", "last.org"}
    assert all(named == ["REL"] for named in topics["as-published"].values())


BY_HAND = [
    "0,1,2006-03-05 00:00:00,b.org", "1,1,2006-03-06 00:00:00,x.gov.uk", "2,2,2006-03-01 00:00:00,a.com",
    "3,2,2006-03-09 00:00:00,b.org", "4,2,2006-03-02 00:00:00,hyde.tameside.sch.uk",
    "5,3,2006-03-02 00:00:00,x.axcom.uk", "6,3,2006-03-02 00:00:00,at-me.fr",
    "7,3,2006-03-02 00:00:00,no.match.uk", "8,3,2006-03-10 00:00:00,empty.net",
]  # fmt: skip
LISTED = {"gov.uk": ["GOVT"], "t.me": ["COMT"], "a.com": ["REL"], "b.org": ["NEWS"], "empty.net": []}


def write_by_hand(folder):
    path = folder / "AOL-treated.csv"
    path.write_text("\n".join([",RandID,QueryTime,Domain", *BY_HAND]))
    return path


def test_the_published_mistake_by_hand(backend, tmp_path):
    """Patterns without anchors whose dots are any sign; all partial matches get the last one's topics.

    Rows in order: b.org, x.gov.uk, a.com, b.org, hyde.tameside.sch.uk, x.axcom.uk, two.labels. The listed
    a.com appears last, in row 2, though it was visited first; b.org is visited later.
    """
    path = write_by_hand(tmp_path)
    classify(backend, path, as_classification(LISTED), tmp_path / "out", matching="as-published")
    rows = fetch_rows(backend, read_matches(backend, tmp_path / "out" / "matches.parquet"))
    assert {row["domain"]: (row["match"], row["listed"], row["topics"]) for row in rows} == {
        "a.com": ("full", "a.com", ["REL"]),
        "b.org": ("full", "b.org", ["NEWS"]),
        "x.gov.uk": ("partial", "a.com", ["REL"]),  # not GOVT
        "hyde.tameside.sch.uk": ("partial", "a.com", ["REL"]),  # t.me occurs in hyde[.t]ameside: "tame"
        "x.axcom.uk": ("partial", "a.com", ["REL"]),  # a.com occurs in it as "axcom"
    }


def test_the_mistake_by_hand_on_a_table_without_an_order(duckdb, tmp_path):
    table, _ = read_table(duckdb, write_by_hand(tmp_path), ("treated",))
    pq.write_table(pa.Table.from_pylist(fetch_rows(duckdb, table), TREATED), tmp_path / "treated.parquet")
    listed = as_classification(LISTED)
    classify(duckdb, tmp_path / "treated.parquet", listed, tmp_path / "own", matching="as-published")
    rows = fetch_rows(duckdb, read_matches(duckdb, tmp_path / "own" / "matches.parquet"))
    partial = {row["listed"] for row in rows if row["match"] == "partial"}
    assert partial == {"b.org"}  # the time of the first visit stands in for the row


def test_a_file_in_the_published_form(con, tmp_path):
    file = tmp_path / "classification.csv"
    file.write_text(",domain,topics\n0,a.com,\"'NEWS', 'REL'\"\n1,b.org,\"'1','2'\"\n2,c.com,''\n3,d.com,\n")
    rows = con.to_pyarrow(read_classification(file).table).to_pylist()
    assert {row["domain"]: row["topics"] for row in rows} == {
        "a.com": ["NEWS", "REL"],
        "b.org": ["1", "2"],
        "c.com": [],
        "d.com": [],
    }


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("domain,kind\na.com,x\n", ()),
        ("domain,topics\na.com,'A'\na.com,'B'\n", (3,)),
        ("domain,topics\na.com\n", (2,)),
        ("", (1,)),
        ("domain,topics\na.com,'A'\nb.com,f('A')\n", (3,)),
        ("domain,topics\na.com,'A'\n\n\nb.com,f('A')\n", (5,)),
        ("domain,topics\n\na.com,'A'\n\n\"b\n.com\"\n", (5,)),
        ("domain,topics\na.com,\"'A'\nb.com,'B'\n", (2,)),
        ('domain,topics\na.com,"A\nb.com,"B\nc.com,C\n', (2,)),
        ("domain,topics\na.com,__import__('os')\n", ()),
        ("domain,topics\na.com,\xff\n", ()),
    ],
)
def test_a_wrong_file_is_told_in_one_line(tmp_path, text, numbers):
    file = tmp_path / "classification.csv"
    file.write_bytes(text.encode("latin-1"))
    with refused(QuiffError, *numbers) as caught:
        read_classification(file)
    assert "\n" not in str(caught.value)


def test_letters_of_a_file_are_lowered_as_in_logs(con, tmp_path):
    file = tmp_path / "classification.csv"
    file.write_text("domain,topics\nExample.COM,'A'\n")
    for rules, listed in (("correct", "example.com"), ("as-published", "Example.COM")):
        (row,) = con.to_pyarrow(read_classification(file, rules=rules).table).to_pylist()
        assert row["domain"] == listed
    file.write_text("domain,topics\nExample.COM,'A'\nexample.com,'B'\n")
    with refused(QuiffError, 3):
        read_classification(file)
    assert con.to_pyarrow(read_classification(file, rules="as-published").table).num_rows == 2


def test_citizen_labs_lists_by_the_lists_own_rules(con, mirror):
    """Domains are in small letters, and none is a public suffix itself."""
    suffixes = Suffixes.read(fetch("psl", mirror))
    table = read_classification("citizenlab", mirror=mirror, suffixes=suffixes).table
    listed = {row["domain"] for row in con.to_pyarrow(table).to_pylist()}
    assert all(domain == domain.lower() for domain in listed)
    assert not listed & set(suffixes.rules)


def test_unknown_names_are_told(con, tmp_path):
    with refused(ParameterError):
        read_classification("nonsense")
    with refused(ParameterError):
        classify(con, tmp_path / "no", as_classification({"a.com": ["A"]}), tmp_path)
    with refused(ParameterError):
        classify(con, tmp_path, as_classification({"a.com": ["A"]}), tmp_path, matching="wrong")


def test_citizen_labs_lists_give_the_papers_figures(con, mirror):
    suffixes = Suffixes.read(fetch("psl", mirror))
    listed = con.to_pyarrow(
        read_classification("citizenlab", mirror=mirror, suffixes=suffixes, rules="as-published").table
    ).to_pylist()
    assert len(listed) == len({row["domain"] for row in listed}) == 27_792
    assert len({topic for row in listed for topic in row["topics"]}) == 31
    sizes = [len(row["topics"]) for row in listed]
    assert (sizes.count(1), max(sizes), min(sizes)) == (27_013, 19, 1)


@pytest.mark.parametrize(("name", "rows", "empty"), [("chrome-1", 9_252, 1_343), ("chrome-5", 45_268, 7_637)])
def test_chromes_lists_without_their_rows_for_testing(con, mirror, name, rows, empty):
    found = read_classification(name, mirror=mirror)
    listed = con.to_pyarrow(found.table).to_pylist()
    assert (
        len(listed) == len({row["key"] for row in listed}) == len({row["domain"] for row in listed}) == rows
    )
    assert sum(not row["topics"] for row in listed) == empty
    assert all(topic.isdigit() for row in listed for topic in row["topics"])
    assert found.notes == ("2 rows of the list are for testing only and were left out.",)


KEYS = {"coca cola com": ["1"], "blog my site org": ["2"], "xn  a co uk": [], "my site org": ["3"]}
LOOKED_UP = {
    "coca-cola.com": ("full", ["1"]), "coca.cola.com": ("full", ["1"]),
    "shop.coca-cola.com": ("partial", ["1"]), "blog.my-site.org": ("full", ["2"]),
    "x.blog.my-site.org": ("partial", ["2"]),
    "other.my-site.org": ("partial", ["3"]), "cocacola.com": None, "xn--a.co.uk": None, "cola.com": None,
}  # fmt: skip


def test_domains_with_hyphens_are_found_by_their_keys(backend, tmp_path):
    """By hand: the key of a domain has a space for each dot and hyphen."""
    schema = pa.schema([("key", pa.string()), ("domain", pa.string()), ("topics", pa.list_(pa.string()))])
    columns = [list(KEYS), [key.replace(" ", ".") for key in KEYS], list(KEYS.values())]
    listed = Classification("keys", ibis.memtable(pa.table(columns, schema=schema)))
    write_treated(tmp_path, [(1, "2006-03-01 00:00:00", domain) for domain in LOOKED_UP])
    result = classify(backend, tmp_path, listed, tmp_path / "out")
    rows = fetch_rows(backend, read_matches(backend, tmp_path / "out" / "matches.parquet"))
    found = {row["domain"]: (row["match"], row["topics"]) for row in rows}
    assert found == {domain: kind for domain, kind in LOOKED_UP.items() if kind}
    assert (result.full_matches, result.partial_matches, result.matches_without_topics) == (3, 3, 1)


def read_matches(backend, path):
    return backend.read_parquet(str(path))


def test_chrome_5_on_a_log(con, mirror, tmp_path):
    """The domains of the list itself match in full, those with hyphens in their names too."""
    hyphened = ["coca-cola.com", "a-b.co.jp"]
    keys = {row["key"]: row["topics"] for row in chrome_table(fetch("chrome-5", mirror)).to_pylist()}
    (key, topics) = next((k, t) for k, t in keys.items() if t and k.count(" ") == 2 and k.endswith(" com"))
    first, second, _ = key.split(" ")
    write_treated(tmp_path, [(1, "2006-03-01 00:00:00", d) for d in (f"{first}-{second}.com", *hyphened)])
    listed = read_classification("chrome-5", mirror=mirror)
    result = classify(con, tmp_path, listed, tmp_path / "out")
    rows = pq.read_table(tmp_path / "out" / "matches.parquet").to_pylist()
    found = {row["domain"]: (row["match"], row["topics"]) for row in rows}
    assert found[f"{first}-{second}.com"] == ("full", sorted(map(str, topics)))
    assert result.notes == listed.notes


def test_a_line_of_a_classification_with_too_many_fields_is_told(tmp_path):
    listed = tmp_path / "topics.csv"
    listed.write_text("domain,topics\nsite1.com,NEWS,SPORT\n")
    with refused(QuiffError, 2, 3):
        read_classification(listed)
