"""``quiff report``: one page that holds its numbers, what they rest on, and how to make it again."""

import hashlib
import re

import pytest
from click.testing import CliRunner

from quiff import Population, TopicsAPI, measure
from quiff.cli import main


@pytest.fixture(scope="module")
def profiles(tmp_path_factory):
    people = Population.synthetic(60, seed=3)
    lines = ["user,t1,t2,t3,t4,t5"]
    for user, codes in enumerate(people.codes.tolist()):
        lines.append(",".join([f"<b>{user}</b>", *(str(people.topics[code]) for code in codes)]))
    file = tmp_path_factory.mktemp("people") / "people & co.csv"
    file.write_text("\n".join(lines))
    return file


def report(profiles, out, *options):
    return CliRunner().invoke(main, ["report", str(profiles), "--out", str(out), *map(str, options)])


def test_the_page_holds_what_was_measured_on_what_and_how(profiles, tmp_path):
    result = report(profiles, tmp_path / "report.html", "--api", "topics:noise=1/10", "--observations", "2")
    assert result.exit_code == 0, result.output
    page = (tmp_path / "report.html").read_text().replace("\N{NO-BREAK SPACE}", " ")
    api = TopicsAPI(noise=0.1)
    leakage = float(measure(Population.read(profiles), api)[api.spec, "leakage"])
    assert f"by {leakage:.3g}, from 1.67 %" in page
    assert hashlib.sha256(profiles.read_bytes()).hexdigest() in page
    assert "people &amp; co.csv" in page
    assert "topics:noise=1/10" in page
    assert page.count("<figure ") >= 5
    assert "<b>" not in page  # what a file says is text
    assert "&lt;b&gt;" not in page  # and no user is named
    assert "<script" not in page
    assert not re.search(r'(src|href)="(?!data:|#)', page)


def test_settings_stand_beside_each_other(profiles, tmp_path):
    settings = ("--api", "topics", "--api", "topics:noise=0.3", "--observations", "1")
    result = report(profiles, tmp_path / "report.html", *settings)
    assert result.exit_code == 0, result.output
    page = (tmp_path / "report.html").read_text().replace("\N{NO-BREAK SPACE}", " ")
    assert "Topics API, noise 30 %: one observation (a topic) multiplies" in page


def test_bad_input_leaves_nothing(profiles, tmp_path):
    for status, *options in (
        (1, "--api", "topics:top_s=9"),
        (1, "--api", "topics:n_topics=3"),
        (2, "--api", "topics:noise=2"),
    ):
        result = report(profiles, tmp_path / "report.html", *options)
        assert result.exit_code == status
        assert result.stderr.count("\n") == 1 or status == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("noise", ["0", pytest.param("1", marks=pytest.mark.full)])
@pytest.mark.parametrize(
    "lines",
    [["1,7,8"], pytest.param(["1,7,8", "2,7,8"], marks=pytest.mark.full), ["1,7,8", "2,8,9"]],
)
def test_the_smallest_populations_have_a_report_at_any_noise(tmp_path, lines, noise):
    file = tmp_path / "tiny.csv"
    file.write_text("\n".join(["user,t1,t2", *lines]))
    result = report(
        file, tmp_path / "report.html", "--api", f"topics:noise={noise},n_topics=occurring", "--list-users"
    )
    assert result.exit_code == 0, result.output
    page = (tmp_path / "report.html").read_text()
    assert ("Popularity of topics" in page) == (noise == "0")
    assert "nan" not in page.lower().replace("anonym", "")


def test_a_page_that_cannot_be_written_is_told_at_once(profiles, tmp_path):
    before = profiles.read_bytes()
    out = tmp_path / "none" / "report.html"
    result = report(profiles, out)
    assert result.exit_code == 1
    assert repr(str(out)) in result.stderr
    assert result.stderr.count("\n") == 1
    assert report(profiles, profiles).exit_code == 2
    assert profiles.read_bytes() == before
