"""Histories of page loads: read from files, and a browser with its own key for each user."""

import hashlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import quiff
from quiff import LabelError, ParameterError, QuiffError
from quiff.browser.browser import DAY, WEEK, Browser, PageLoad
from quiff.browser.decisions import HmacDecisions
from quiff.browser.page_loads import read_page_loads, simulate_page_loads
from quiff.browser.rules import BrowserRules
from quiff.browser.topic_tree import TopicTree, topic_tree
from words import refused, worded

HOSTS = {"news.tld": (1,), "art.tld": (2,), "music.tld": (3,)}
TREE = TopicTree.flat(range(1, 9))


def loads(*days, site="news.tld", callers=("ads.tld",)):
    return [PageLoad(int(day * DAY), site, frozenset(callers)) for day in days]


def run(histories, **options):
    settings = {"sites": ["shop.tld", "blog.tld"], "caller": "ads.tld", "epochs": 2, "seed": 1} | options
    return simulate_page_loads(histories, TREE, HOSTS, **settings)


def test_reports_are_those_of_the_single_browser():
    histories = {
        "Alice": loads(*range(28)) + loads(2, 9, 9.5, site="art.tld"),
        "Bob": loads(*range(0, 28, 3), site="music.tld") + loads(5, 15, site="art.tld", callers=["x.tld"]),
    }
    rules = BrowserRules(top_s=2, noise=0.3)
    found = run(histories, rules=rules)
    browsers = {}
    for user in histories:
        key = hashlib.sha256(f"seed 1|{user}".encode()).digest()[:16]
        browsers[user] = Browser(TREE, HOSTS, HmacDecisions(key), rules)
    for user, site in ((user, site) for user in histories for site in found.sites):
        for call in (1, 2):
            now = (2 + call) * WEEK + 3 * DAY
            assert found.topics_shown(user, site, call) == browsers[user].call(
                histories[user], now, site, "ads.tld"
            )


def test_the_filter_keeps_a_caller_from_what_it_did_not_observe():
    found = run({"Alice": loads(*range(28))}, rules=BrowserRules(top_s=1, noise=0), caller="x.tld")
    assert (found.by_epoch == -1).all()
    found = run({"Alice": loads(*range(28))}, rules=BrowserRules(top_s=1, noise=0))
    assert (found.by_epoch == 0).all()  # topic 1 is the first of the taxonomy


def test_browsers_start_together_on_the_day_of_the_first_load():
    histories = {"Alice": loads(100.5), "Bob": loads(120)}
    found = run(histories, rules=BrowserRules(top_s=1, noise=0), epochs=1, sites=["x"], earlier=2)
    # Alice's load is in the first week from day 100, Bob's in the third.
    assert (found.by_epoch[0] >= 0).tolist() == [[True, False, False], [False, False, True]]


def test_text_and_parquet_give_the_same(tmp_path):
    text = tmp_path / "loads.csv"
    text.write_text(
        "user,time,site,callers,onlookers,host\n"
        "Alice,2024-01-02 00:00:10,news.tld,a.tld b.tld,,www.news.tld\n"
        "Alice,2024-01-01 00:00:00,art.tld,,x.tld,\n"
    )
    expected = {
        "Alice": (
            PageLoad(1_704_067_200, "art.tld", frozenset(), frozenset({"x.tld"})),
            PageLoad(1_704_153_610, "news.tld", frozenset({"a.tld", "b.tld"}), host="www.news.tld"),
        )
    }
    assert read_page_loads(text) == expected
    table = pa.table(
        {
            "user": ["Alice", "Alice"],
            "time": [1_704_153_610, 1_704_067_200],
            "site": ["news.tld", "art.tld"],
            "callers": [["a.tld", "b.tld"], None],
            "onlookers": [None, ["x.tld"]],
            "host": ["www.news.tld", None],
        }
    )
    pq.write_table(table, tmp_path / "loads.parquet")
    assert read_page_loads(tmp_path / "loads.parquet") == expected


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("user,time,site\nA,1,x\n", ()),
        ("user,time,site,callers\nA,soon,x,a\n", ()),
        ("user,time,site,callers\n", (0,)),
        ("user,time,site,callers\nA,,x,a\nB,1,x,a\n", (1, 2)),
        ("user,time,site,callers\n,1,x,a\n", (1,)),
        ("user,time,site,callers\nA,1,,a\n", (1,)),
        ("user,time,site,callers\nA,1704067200000000000,x,a\n", ()),
    ],
)
def test_a_file_that_is_wrong_is_told(tmp_path, text, numbers):
    (tmp_path / "loads.csv").write_text(text)
    with refused(QuiffError, *numbers):
        read_page_loads(tmp_path / "loads.csv")
    with refused(QuiffError):
        read_page_loads(tmp_path / "none.csv")


def test_what_cannot_be_is_refused():
    with refused(ParameterError):
        run({"Alice": []})
    with refused(ParameterError, what="sites", value=0):
        run({"Alice": loads(1)}, sites=[])
    with refused(ParameterError, 8):
        run({"Alice": loads(1)}, rules=BrowserRules(top_s=9))
    with refused(LabelError, 4):
        simulate_page_loads(
            {"A": loads(1)}, TopicTree.flat(range(9, 20)), {"x": (4,)}, sites=["y"], caller="a", epochs=1
        )


def test_the_published_taxonomies_are_trees(mirror):
    first, second = topic_tree("v1", mirror), topic_tree("v2", mirror)
    assert (first.topics.size, second.topics.size) == (349, 469)
    assert first.topics.size - len(first.parents) == 24
    assert second.topics.size - len(second.parents) == 22
    assert not first.high_utility
    # By the specification's list, the 15 roots of high utility of v2.
    roots = {57, 86, 126, 149, 172, 180, 196, 207, 239, 254, 263, 272, 289, 299, 332}
    assert {topic for topic in second.high_utility if topic not in second.parents} == roots
    assert 13 in first.with_descendants(1)
    assert 13 in first.with_descendants(12)
    assert first.with_descendants(13) == {13}


def test_a_taxonomy_is_a_tree():
    with refused(LabelError):
        TopicTree(["a", "b"], {"a": "b", "b": "a"})
    with refused(LabelError):
        TopicTree(["a", "b"], {"a": "c"})


def test_page_loads_that_would_take_more_than_the_limit_are_refused(tmp_path):
    path = tmp_path / "loads.csv"
    path.write_text("user,time,site,callers\n" + "u,1,a.tld,x.tld\n" * 60_000)
    with quiff.memory_limit(0.3), pytest.raises(quiff.SizeError) as refused:
        read_page_loads(path)
    worded(str(refused.value))
    assert str(refused.value).endswith("or take fewer page loads")
    with quiff.memory_limit(0.4):
        assert len(read_page_loads(path)["u"]) == 60_000
