"""What the public files say: golden counts on the true copies, and odd files made on the spot."""

import zipfile
from collections import Counter

import pytest

from quiff.errors import QuiffError
from quiff.logs.classifications import (
    MERGED_CATEGORIES,
    chrome_table,
    citizenlab_rows,
    host_of_key,
    read_classification,
)
from quiff.logs.fetch import fetch
from quiff.logs.taxonomies import Topic, read_taxonomy, read_utility_buckets
from words import refused


@pytest.fixture
def lists(tmp_path):
    def make(content):
        path = tmp_path / "lists.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in content.items():
                archive.writestr(f"top/{name}", text)
        return path

    return make


@pytest.fixture
def written(tmp_path):
    def make(text):
        path = tmp_path / "file"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return make


class TestCitizenLab:
    def test_the_true_lists(self, mirror):
        rows = list(citizenlab_rows(fetch("citizenlab", mirror)))
        assert len(rows) == 41_209
        assert sum(url is not None for url, _ in rows) == 41_208
        assert len({url for url, _ in rows if url}) == 33_861
        codes = Counter(category for _, category in rows)
        assert codes.pop(None) == 1
        assert len(codes) == 34
        assert {old: codes[old] for old in MERGED_CATEGORIES} == {"DEV": 29, "FEXP": 15, "P2P": 26}

    def test_the_true_classification_has_todays_codes(self, mirror):
        table = read_classification("citizenlab", mirror=mirror).table.to_pyarrow()
        topics = {topic for listed in table["topics"].to_pylist() for topic in listed}
        assert len(topics) == 31
        assert not topics & {*MERGED_CATEGORIES}
        assert {*MERGED_CATEGORIES.values()} <= topics

    def test_columns_are_found_by_name_and_cells_may_be_quoted(self, lists):
        path = lists(
            {
                "lists/global.csv": 'url,category_code,x\nhttp://a.com/,NEWS,"two\nlines, ""x"""\n,REL,\n',
                "lists/official/it/x.csv": "url,name,category_code\r\nb.it,GMB list,DEV\r\nc.it,none,\r\n",
                "lists/00-LEGEND-category_codes.csv": "CategoryCode,CategoryName\nREL,Religion\n",
                "lists/notes.txt": "not a list",
                "other/it.csv": "not a list either",
            }
        )
        rows = [("http://a.com/", "NEWS"), (None, "REL"), ("b.it", "DEV"), ("c.it", None)]
        assert list(citizenlab_rows(path)) == rows

    def test_lists_may_have_no_rows(self, lists):
        assert list(citizenlab_rows(lists({"lists/it.csv": "url,category_code\n"}))) == []

    @pytest.mark.parametrize(
        "text",
        [
            "url,category\n",
            "",
            b"url,category_code\n\xff\xfe,NEWS\n",
            f"url,category_code\n{'x' * 200_000},NEWS\n",
        ],
        ids=["no category", "empty", "no UTF-8", "long"],
    )
    def test_a_list_that_cannot_be_read_is_named(self, lists, text):
        with refused(QuiffError) as caught:
            list(citizenlab_rows(lists({"lists/it.csv": text})))
        assert "'it.csv'" in str(caught.value)


class TestChrome:
    @pytest.mark.parametrize(
        ("name", "rows", "without", "topics", "taxonomy"),
        [("chrome-1", 9_254, 1_344, 254, "topics-v1"), ("chrome-5", 45_270, 7_638, 441, "topics-v2")],
    )
    def test_the_true_lists(self, mirror, name, rows, without, topics, taxonomy):
        table = chrome_table(fetch(name, mirror))
        assert table.schema.names == ["key", "host", "topics"]
        assert table.num_rows == rows == len(set(table["host"].to_pylist()))
        assert sum(not listed for listed in table["topics"].to_pylist()) == without
        named = {
            topic
            for row in table.to_pylist()
            if not row["key"].startswith("for testing only")  # Chrome's own, with topics that v2 lacks
            for topic in row["topics"]
        }
        assert len(named) == topics
        assert named <= {topic.id for topic in read_taxonomy(fetch(taxonomy, mirror))}
        assert all(label for host in table["host"].to_pylist() for label in host.split("."))

    def test_rows(self, written):
        path = written("domain\ttopics\nairbnb co uk\t340\n1177 se\nempty com\t\n0gomovies sh\t12,43,45\r\n")
        assert [tuple(row.values()) for row in chrome_table(path).to_pylist()] == [
            ("airbnb co uk", "airbnb.co.uk", [340]),
            ("1177 se", "1177.se", []),
            ("empty com", "empty.com", []),
            ("0gomovies sh", "0gomovies.sh", [12, 43, 45]),
        ]

    @pytest.mark.parametrize(
        "host",
        ["example.com", "xn--72c0.com", "a.xn--p1ai", "xn----7sbcchk1bvh.xn--p1ai", "shoot.yalla--live.com"],
    )
    def test_hosts_come_back_where_they_can(self, host):
        assert host_of_key(host.replace(".", " ").replace("-", " ")) == host

    @pytest.mark.parametrize(
        ("text", "numbers"),
        [
            ("", ()),
            ("a com\t1\n", ()),
            ("domain\ttopics\n\n", (2,)),
            ("domain\ttopics\na com\t1\nb com\tNews\n", (3,)),
            ("domain\ttopics\na com\t1,\n", (2,)),
            ("domain\ttopics\na com\t1\t2\n", (2,)),
            (b"domain\ttopics\n\xff\t1\n", ()),
        ],
    )
    def test_other_files_are_refused(self, written, text, numbers):
        with refused(QuiffError, *numbers):
            chrome_table(written(text))

    def test_no_file(self, tmp_path):
        with refused(QuiffError):
            chrome_table(tmp_path / "nowhere")


class TestTaxonomies:
    @pytest.mark.parametrize(
        ("name", "highest", "depths"),
        [("topics-v1", 349, (24, 184, 129, 11, 1)), ("topics-v2", 629, (22, 146, 242, 58, 1))],
    )
    def test_the_true_taxonomies(self, mirror, name, highest, depths):
        topics = read_taxonomy(fetch(name, mirror))
        counts = Counter(topic.depth for topic in topics)
        assert tuple(counts[depth] for depth in range(1, 6)) == depths
        assert len(topics) == sum(depths) == len({topic.id for topic in topics})
        assert max(topic.id for topic in topics) == highest
        assert sum(topic.parent is None for topic in topics) == depths[0]
        by_id = {topic.id: topic for topic in topics}
        for topic in topics:
            if topic.parent is not None:
                above = by_id[topic.parent]
                assert topic.name.startswith(f"{above.name}/")
                assert topic.depth == above.depth + 1

    def test_the_true_numbers_of_version_1_leave_no_gap(self, mirror):
        topics = read_taxonomy(fetch("topics-v1", mirror))
        assert [topic.id for topic in topics] == list(range(1, 350))
        assert topics[12] == Topic(13, "/Arts & Entertainment/Movies/Action & Adventure Films", 12)

    def test_the_true_buckets_are_those_of_the_roots(self, mirror):
        buckets = read_utility_buckets(fetch("utility-buckets", mirror))
        roots = {topic.name for topic in read_taxonomy(fetch("topics-v2", mirror)) if topic.parent is None}
        assert set(buckets) == roots
        assert Counter(buckets.values()) == {"High": 15, "Standard": 7}

    HEAD = "Some words.\n\n| ID | Topic |\n|---|---|\n"

    @pytest.mark.parametrize(
        ("text", "numbers"),
        [
            ("no table", ()),
            ("| ID | Topic |\n|---|---|\n", ()),
            (f"{HEAD}| one | /News |\n", (5,)),
            (f"{HEAD}| 1 | News |\n", ()),
            (f"{HEAD}| 1 | /News//Local |\n", ()),
            (f"{HEAD}| 1 | /News | more |\n", (3,)),
            (f"{HEAD}| 1 | /News |\n| 2 | /News |\n", ()),
            (f"{HEAD}| 1 | /News |\n| 1 | /Games |\n", ()),
            (f"{HEAD}| 1 | /News/Local |\n", ()),
            (b"\xff", ()),
        ],
    )
    def test_other_files_are_refused(self, written, text, numbers):
        with refused(QuiffError, *numbers):
            read_taxonomy(written(text))

    def test_a_root_in_two_buckets_is_refused(self, written):
        with refused(QuiffError):
            read_utility_buckets(written(f"{self.HEAD}| /News | High |\n| /News | Standard |\n"))
