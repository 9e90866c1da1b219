"""The version stands in five places, and is one and the same."""

import re
import tomllib
from pathlib import Path

import quiff

PROJECT = Path(__file__).parents[2]
HEADING = re.compile(r"^## (\S+) \((unreleased|\d{4}-\d{2}-\d{2})\)$", re.MULTILINE)


def test_package_metadata_citations_and_changelog_agree():
    metadata = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["version"]
    citation = re.search(r"^version: (\S+)$", (PROJECT / "CITATION.cff").read_text(), re.MULTILINE)[1]
    bibtex = re.search(r"^  version = \{(\S+)\},$", (PROJECT / "README.md").read_text(), re.MULTILINE)[1]
    newest = HEADING.search((PROJECT / "CHANGELOG.md").read_text())[1]
    assert quiff.__version__ == metadata == citation == bibtex == newest


def test_the_changelog_has_dated_releases_from_new_to_old():
    text = (PROJECT / "CHANGELOG.md").read_text()
    headings = HEADING.findall(text)
    assert len(headings) == len(re.findall("^## ", text, re.MULTILINE)), "a heading is no version with a date"
    versions = [tuple(map(int, version.split("."))) for version, _ in headings]
    assert versions == sorted(set(versions), reverse=True)
    dates = [date for _, date in headings]
    assert "unreleased" not in dates[1:]


def test_a_release_has_one_date():
    """The citation is dated as the changelog is, once there is a release."""
    _, date = HEADING.search((PROJECT / "CHANGELOG.md").read_text()).groups()
    cited = re.search(r"^date-released: '?([\d-]+)'?$", (PROJECT / "CITATION.cff").read_text(), re.MULTILINE)
    assert (cited and cited[1]) == (None if date == "unreleased" else date)
