"""The authors' published tables, made up and small: what is counted, and what goes wrong."""

import csv
from fractions import Fraction

import pytest

from quiff.errors import QuiffError
from quiff.papers.check import check_paper
from quiff.papers.published import _opened, find_tables, read_tables
from quiff.people.literals import parse_history, parse_topics
from words import refused, worded

TIME = "2006-03-01 07:17:12"


def write(path, columns, rows):
    """Write a table as the authors do: with an unnamed index column first."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["", *columns])
        writer.writerows([index, *row] for index, row in enumerate(rows))


def history(*domains):
    return repr([(domain, TIME) for domain in domains])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("tables")
    visits = [(1, "a.com"), (1, "b.com"), (2, "a.com"), (1, "a.com"), (3, "c.org"), (2, "a.com")]
    write(tmp_path / "one.csv", ["RandID", "QueryTime", "Domain"], [(u, TIME, d) for u, d in visits])
    topics = {"a.com": "'1','2'", "b.com": "'3'"}
    reduced = [(u, TIME, d, topics[d]) for u, d in visits if d in topics]
    write(tmp_path / "two.csv", ["RandID", "QueryTime", "Domain", "topics"], reduced)
    words = [(7, TIME, "c.org", "'NEWS', 'REL'")]
    write(tmp_path / "two-cl.csv", ["RandID", "QueryTime", "Domain", "topics"], words)
    users = [(1, history("a.com", "b.com", "a.com")), (2, history("c.org", "a.com"))]
    write(tmp_path / "three.csv", ["RandID", "BrowsingHistory"], users)
    sets = [["C", "D"], ["A", "B"], ["B", "A"]]  # the rarer one comes first, and is last when sorted
    rows = [(i, history("a.com", f"{i}.com"), repr(chosen), repr(chosen)) for i, chosen in enumerate(sets)]
    write(tmp_path / "four.csv", ["RandID", "BrowsingHistory", "AllTopics", "sTopics"], rows)
    rows = [(i, history("a.com", "b.com"), "['1', '9']", "['1', '9']") for i in range(2)]
    write(tmp_path / "five.csv", ["RandID", "BrowsingHistory", "AllTopics", "sTopics"], rows)
    write(tmp_path / "six.csv", ["domain", "topics"], [("a.com", "'1','2'"), ("c.org", "''"), ("d.org", "")])
    write(tmp_path / "seven.csv", ["domain", "topics"], [("a.com", "'NEWS'"), ("c.org", "'REL', 'NEWS'")])
    matched = [("a.com", "a.com", "'1'"), ("x.b.com", "b.com", "'3'"), ("y.b.com", "b.com", "'3'")]
    write(tmp_path / "eight.csv", ["domain", "match", "topics"], matched)
    (tmp_path / "other.csv").write_text("kind,price\ntea,3\n")
    return tmp_path


@pytest.fixture(scope="module")
def on_tables(folder, no_lists):
    return check_paper(folder, no_lists)


def test_tables_are_found_by_their_columns(folder):
    assert {name: path.name for name, path in find_tables(folder).items()} == {
        "treated": "one.csv",
        "reduced-google-v1": "two.csv",
        "reduced-citizen-lab": "two-cl.csv",
        "experimental": "three.csv",
        "experimental-citizen-lab": "four.csv",
        "experimental-google-v1": "five.csv",
        "classification-google-v1": "six.csv",
        "classification-citizen-lab": "seven.csv",
        "matches-google-v1": "eight.csv",
    }


NOISE, M = Fraction(1, 20), 31


@pytest.mark.parametrize(
    ("id_", "right"),
    [
        ("treated-rows", 6), ("treated-users", 3), ("treated-domains", 3),
        ("treated-min", 1), ("treated-q50", 2), ("treated-q75", 2.5), ("treated-max", 3),
        ("treated-mean", 2), ("treated-sigma", 1),
        ("experimental-singletons", 2), ("experimental-singletons-records", 3),
        ("experimental-outlier-records", 3),
        ("reduced-google-v1-rows", 5), ("reduced-google-v1-users", 2), ("reduced-google-v1-topics", 3),
        ("matched-domains-google-v1", 2), ("matched-full-google-v1", 1), ("matched-partial-google-v1", 2),
        ("matched-unclassified-google-v1", 1), ("google-v1-rows", 3), ("google-v1-unclassified", 2),
        ("citizen-lab-domains", 2), ("citizen-lab-categories", 2),
        ("experimental-users", 2), ("experimental-records", 5), ("experimental-domains", 3),
        ("experimental-max", 3), ("experimental-mean", 2.5), ("experimental-other-users-most", 3),
        ("privacy-experimental-cookies", 2), ("privacy-google-v1-cookies", 1),
        ("experimental-citizen-lab-topics", 4), ("experimental-citizen-lab-users", 3),
        # Sets CD once and AB twice, m=31, s=2: all by hand.
        ("privacy-citizen-lab-cookies", 3), ("privacy-citizen-lab-generalization", 2),
        ("privacy-citizen-lab-bounded-noise", 2), ("privacy-citizen-lab-topics-api", 0.05 + 0.95 * 2),
        ("utility-bayes-citizen-lab-generalization", 2 / 3),
        ("utility-bayes-citizen-lab-prior-users", 1 / 3),
        ("utility-bayes-citizen-lab-prior-sets", 2 / 3), ("utility-iba-citizen-lab-prior", 2 / 3),
        ("utility-bayes-citizen-lab-bounded-noise", 1), ("utility-iba-citizen-lab-bounded-noise", 1),
        # 2 p + 18 q: A, B with 2/3 p, C, D with 1/3 p, the other 27 topics with 2/3 q.
        ("utility-bayes-citizen-lab-topics-api", 0.95 + 20 * 0.05 / 31),
        ("utility-iba-citizen-lab-topics-api", 0.95 + 20 * 0.05 / 31),
        ("leakage-bayes-citizen-lab", (0.95 + 20 * 0.05 / 31) * 1.5),
        ("leakage-iba-citizen-lab", (0.95 + 20 * 0.05 / 31) * 1.5),
        ("share-generalization-citizen-lab", 200 / 3), ("share-bounded-noise-citizen-lab", 200 / 3),
        ("utility-text-topics-api-citizen-lab", 95 + 20 * 5 / 31),
        # One set for both users: a report says nothing about which, but 349 topics can be reported.
        ("privacy-google-v1-generalization", 1), ("utility-bayes-google-v1-topics-api", 1),
    ],
)  # fmt: skip
def test_what_the_tables_give(on_tables, id_, right):
    item = on_tables[id_]
    assert item.computed == pytest.approx(right)
    assert item.verdict in ("match", "wrong")


def test_the_verdict_is_on_what_is_printed(on_tables):
    paper = on_tables
    assert paper["treated-min"].verdict == "match"
    worded(paper["treated-min"].note)
    assert (paper["treated-rows"].verdict, paper["treated-rows"].cause) == ("wrong", "tables")
    assert paper["utility-iba-citizen-lab-prior"].cause == "misaligned-prior"
    assert paper["utility-iba-citizen-lab-prior"].verdict == "wrong", "the data have decided"
    assert paper["theoretical-google-m349-s5-capacity"].verdict == "match", "needs no data"
    assert paper["experimental-q25"].verdict != "needs-data"


def test_every_table_decides_what_it_can_and_what_is_left_names_its_file(on_tables):
    left = {item.id: item.note for item in on_tables.by_verdict("needs-data")}
    assert (
        left.pop("matched-full-citizen-lab")
        == left.pop("matched-partial-citizen-lab")
        == ("needs AOL-treated-Citizen-Lab-Classification-domain-match.csv")
    )
    original = {id_ for id_ in left if id_.startswith("original-")}
    assert all(left[id_].startswith("needs the original AOL logs, which are not among") for id_ in original)
    assert set(left) - original <= {"citizen-lab-rows", "citizen-lab-urls"}  # unless there is a copy


@pytest.mark.parametrize("name", ["one", "two", "two-cl", "three", "four", "five", "six", "seven", "eight"])
def test_a_table_alone_decides_its_own_items(folder, paper, no_lists, tmp_path_factory, name):
    alone = tmp_path_factory.mktemp("alone")
    (alone / f"{name}.csv").write_bytes((folder / f"{name}.csv").read_bytes())
    with_it = check_paper(alone, no_lists)
    decided = [
        item.id for item in paper.by_verdict("needs-data") if with_it[item.id].verdict in ("match", "wrong")
    ]
    assert decided
    assert all(item.note.startswith("needs ") for item in with_it.by_verdict("needs-data"))


def test_the_order_of_the_users_does_not_matter(folder, on_tables, no_lists, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    lines = (folder / "four.csv").read_text().splitlines()
    (other / "turned.csv").write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")
    for id_ in ("utility-bayes-citizen-lab-topics-api", "utility-iba-citizen-lab-prior"):
        assert on_tables[id_].computed == pytest.approx(check_paper(other, no_lists)[id_].computed)


def test_a_history_may_be_long(tmp_path):
    domains = [f"{i}.example.com" for i in range(20_000)]
    write(tmp_path / "long.csv", ["RandID", "BrowsingHistory"], [(1, history(*domains))])
    (tables,) = read_tables(tmp_path).values()
    assert tables.visits == [20_000]
    assert csv.field_size_limit() < 10**6, "the limit is as it was"


def test_a_reader_that_stops_early_leaves_the_limit_as_it_was(tmp_path):
    write(tmp_path / "two.csv", ["RandID", "BrowsingHistory"], [(1, history("a.com")), (2, history("b.com"))])
    before = csv.field_size_limit()
    with _opened(tmp_path / "two.csv") as first, _opened(tmp_path / "two.csv") as second:
        next(first), next(second)
    assert csv.field_size_limit() == before


def broken(folder, columns, rows, name="bad.csv"):
    write(folder / name, columns, rows)
    with pytest.raises(QuiffError) as error:
        read_tables(folder)
    return str(error.value)


def test_errors_name_the_file_and_the_column(tmp_path):
    worded(broken(tmp_path, ["RandID", "QueryTime"], []))
    worded(broken(tmp_path, ["BrowsingHistory"], []))
    worded(broken(tmp_path, ["RandID", "BrowsingHistory", "AllTopics"], []))
    worded(broken(tmp_path, ["domain", "match"], []))


def test_errors_name_the_file_and_the_line(tmp_path):
    columns = ["RandID", "BrowsingHistory", "sTopics"]
    message = broken(tmp_path, columns, [(1, history("a.com"), "['A']"), (2, "exit()", "['A']")])
    assert "line 3 of 'bad.csv'" in message
    worded(message)
    message = broken(tmp_path, columns, [(1, history("a.com"), "['A']"), (2, history("a.com"), "['A', 'B']")])
    assert "line 3 of 'bad.csv'" in message
    worded(message)
    worded(broken(tmp_path, columns, []))
    worded(broken(tmp_path, ["RandID", "QueryTime", "Domain"], [(1, TIME)]), 3, 4)


def test_errors_of_the_folder(tmp_path):
    with refused(QuiffError):
        check_paper(tmp_path / "nowhere")
    with refused(QuiffError):
        check_paper(tmp_path)
    for name in ("a.csv", "b.csv"):
        write(tmp_path / name, ["RandID", "QueryTime", "Domain"], [(1, TIME, "a.com")])
    with refused(QuiffError):
        check_paper(tmp_path)
    (tmp_path / "a.csv").write_bytes(b"RandID,QueryTime,Domain\n1,\xff,a.com\n")
    (tmp_path / "b.csv").unlink()
    with refused(QuiffError):
        check_paper(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "", "[", "[]]", "[('a.com',)]", "[('a.com', 't'), ]x", "('a.com', 't')", "[('a.com', 't')] + []",
        "[('a.com', open('x'))]", "[('a\\'.com', 't')]", "[['a.com', 't']]", "{('a.com', 't')}",
    ],
)  # fmt: skip
def test_what_is_no_history_is_refused(text):
    with refused(QuiffError):
        parse_history(text)


def test_histories_in_other_spellings():
    assert parse_history("[]") == []
    assert parse_history("""[("a.com", '2006-03-01')]""") == [("2006-03-01", "a.com")]
    assert parse_history("[('2006-03-01 07:17:12', 'a.com')]") == [("2006-03-01 07:17:12", "a.com")]
    assert parse_history("[('a.com', Timestamp('2006-03-01 07:17:12'))]") == [
        ("2006-03-01 07:17:12", "a.com")
    ]
    domains = [f"{i}.com" for i in range(50)]
    assert [domain for _, domain in parse_history(history(*domains))] == domains


@pytest.mark.parametrize("text", ["['A'", "['A' 'B']", "[open('x')]", "'A', 'B", "[['A']]"])
def test_what_is_no_list_of_topics_is_refused(text):
    with refused(QuiffError):
        parse_topics(text)


def test_topics_in_other_spellings():
    assert parse_topics("[1, 22]") == ("1", "22")
    assert parse_topics("{'A'}") == ("A",)
    assert parse_topics("NEWS") == ("NEWS",)
    assert parse_topics("[]") == parse_topics("['']") == ()
