"""What sites get: what a call shows of it, and how it is written to files and read back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiff import LabelError, ParameterError, Population, QuiffError, ShapeError, TopicsAPI, Unnamed
from quiff.browser.reports import Reports
from quiff.browser.simulation import simulate
from words import refused


@st.composite
def some_reports(draw):
    sites, users, calls, m = (draw(st.integers(1, most)) for most in (3, 4, 4, 5))
    per_call = draw(st.integers(1, 4))
    late = draw(st.booleans())
    earlier = draw(st.integers(0, per_call if late else per_call - 1))
    shape = (sites, users, earlier + calls)
    codes = draw(st.lists(st.integers(-1, m - 1), min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    flags = draw(st.lists(st.booleans(), min_size=sites * users * calls, max_size=sites * users * calls))
    return Reports(
        [f"u{k}" for k in range(users)], range(sites), [f"t{k}" for k in range(m)],
        np.array(codes).reshape(shape), earlier, per_call, draw(st.booleans()),
        np.array(flags).reshape(sites, users, calls) if late else None,
    )  # fmt: skip


@given(some_reports())
def test_a_call_shows_the_newest_epochs_each_topic_once(reports):
    for row, site in enumerate(reports.sites):
        seen = [set() for _ in reports.users]
        for call in range(1, reports.n_epochs + 1):
            view = reports.view(site, call)
            assert view.shape == (reports.n_users, reports.per_call)
            for x, user in enumerate(reports.users):
                last = reports.earlier + call - 1
                last -= reports.late is not None and bool(reports.late[row, x, call - 1])
                epochs = range(max(last - reports.per_call + 1, 0), last + 1)
                codes = [int(reports.by_epoch[row, x, e]) for e in epochs if reports.by_epoch[row, x, e] >= 0]
                if reports.shown_once:
                    codes = sorted(set(codes))
                assert [code for code in view[x].tolist() if code >= 0] == codes
                assert reports.topics_shown(user, site, call) == tuple(f"t{code}" for code in codes)
                seen[x] |= set(epochs)
        # What all calls together have shown; with early calls a first late one may have shown more.
        shown = reports.seen(site, reports.n_epochs)
        for x in range(reports.n_users):
            expected = [int(c) if e in seen[x] else -1 for e, c in enumerate(reports.by_epoch[row, x])]
            assert shown[x].tolist() == expected[: shown.shape[1]]


@given(some_reports(), st.sampled_from([".parquet", ".csv"]))
def test_files_give_back_what_was_written(tmp_path_factory, reports, suffix):
    file = tmp_path_factory.mktemp("reports") / f"reports{suffix}"
    reports.write(file)
    found = Reports.read(file) if suffix == ".parquet" else Reports.read(
        file, topics=list(reports.topics), per_call=reports.per_call
    )  # fmt: skip
    if suffix == ".csv":  # text has no room for how a call shows topics
        found = Reports(
            found.users, found.sites, found.topics, found.by_epoch, found.earlier, found.per_call,
            reports.shown_once, found.late,
        )  # fmt: skip
    assert found == reports
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_unnamed_topics_keep_their_places(tmp_path):
    people = Population.from_sets({"Alice": {"Art", "News"}, "Bob": {"News", "Sports"}})
    reports = simulate(people, TopicsAPI(6, 2, 1), epochs=50, seed=1)
    assert Unnamed(5) in reports.topics
    assert Reports.read(reports.write(tmp_path / "reports.parquet")) == reports
    assert (tmp_path / "reports.parquet").stat().st_size > 0
    text = Reports.read(reports.write(tmp_path / "reports.csv"))
    assert list(text.topics) == ["Art", "News", "Sports", Unnamed(3), Unnamed(4), Unnamed(5)]
    assert np.array_equal(text.by_epoch, reports.by_epoch)


def test_the_table_is_plain(tmp_path):
    reports = Reports(["Alice"], ["news.tld"], [7, 9], [[[1, -1, 0]]], earlier=2)
    lines = reports.write(tmp_path / "reports.csv").read_text().splitlines()
    assert [line.replace('"', "") for line in lines] == [
        "user,site,epoch,topic",
        "Alice,news.tld,-2,9",
        "Alice,news.tld,-1,",
        "Alice,news.tld,0,7",
    ]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("user,site,topic\nA,x,1\n", ()),
        ("user,site,epoch,topic\n", (0,)),
        ("user,site,epoch,topic\nA,x,0,1\nA,x,2,1\n", (0,)),
        ("user,site,epoch,topic\nA,x,first,1\n", ()),
        (
            "user,site,epoch,topic\nA,x,0,1\nB,y,0,1\n",
            (0, 2, 1),
        ),
        ("user,site,epoch,topic\nA,x,0,1\nA,x,0,2\n", (2, 1)),
        ("user,site,epoch,topic\nA,x,0,1\n,x,0,1\n", (1, 2)),
        ("user,site,epoch,topic\nA,x,0,1\nB,x,,1\n", (1, 2)),
        ("user,site,epoch,topic,late\nA,x,0,1,\n", (1,)),
        ("user,site,epoch,topic,late\nA,x,0,1,soon\n", ()),
    ],
)
def test_a_file_that_is_wrong_is_told(tmp_path, text, numbers):
    file = tmp_path / "reports.csv"
    file.write_text(text)
    with refused(QuiffError, *numbers):
        Reports.read(file)


def test_what_cannot_be_is_refused(tmp_path):
    one = (["Alice"], ["x"], [1, 2])
    with refused(LabelError, 2):
        Reports(*one, [[[0, 2]]])
    with refused(ShapeError):
        Reports(*one, [[[0.5]]])
    with refused(ShapeError, 1):
        Reports(*one, [[[0], [1]]])
    with refused(ShapeError, 1):
        Reports(*one, [[[0]]], earlier=1)
    with refused(ShapeError):
        Reports(*one, [[[0]]], late=[[[1]]])
    reports = Reports(*one, [[[0]]])
    with refused(ParameterError, what="call", value=2):
        reports.view("x", 2)
    with refused(LabelError):
        reports.view("y", 1)
    with refused(ParameterError):
        reports.write("reports.txt")
    with refused(ParameterError):
        reports.write(tmp_path / "no" / "reports.csv")
    with pytest.raises(ValueError, match="read-only"):
        reports.by_epoch[0, 0, 0] = 1
    with refused(LabelError, 1):
        Reports.read(reports.write(tmp_path / "reports.csv"), topics=[2])
