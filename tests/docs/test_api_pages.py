"""Every API of the registry has a page on the site, made from what the API says of itself."""

import importlib.util
import re
from collections import Counter
from pathlib import Path

import pytest

from quiff.apis.described import ApiFacts, mechanism
from quiff.apis.registry import apis

ROOT = Path(__file__).parents[2]
NAMES = sorted(apis())


@pytest.fixture(scope="module")
def made():
    spec = importlib.util.spec_from_file_location("pages_of_apis", ROOT / "tools" / "docs" / "apis.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_navigation_lists_all_pages_once():
    listed = re.findall(r"^ +- .*?\bapis/(\w+)\.md$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted([*NAMES, "index"])


def test_every_mechanism_is_described_in_two_sentences():
    for name in NAMES:
        assert len(re.findall(r"\.(?= [A-Z]|$)", mechanism(apis()[name]))) == 2, name


def test_the_pages_have_all_that_the_apis_declare(made):
    for name in NAMES:
        page, facts = made.page(name, apis()[name]).replace("\\", ""), ApiFacts.of(name, apis()[name])
        assert page.startswith(f"# {facts.title}\n")
        words = [facts.mechanism, str(facts.unit), facts.source, *facts.parameters]
        words += [*facts.open_points, *facts.assumptions, *facts.remarks]
        text = page.replace("&gt;", ">").replace("&lt;", "<")
        assert [word for word in words if word not in text] == [], name


def test_the_index_links_every_page_on_its_shelf(made):
    index = made.index()
    assert sorted(re.findall(r"\((\w+)\.md\)", index)) == NAMES
    _, alive, history = re.split(r"^## (?:Alive|History)$", index, flags=re.MULTILINE)
    for name, api in apis().items():
        assert f"({name}.md)" in (history if api.ended else alive)
        assert api.ended[1:] in history.replace("\\", "")
    assert "MaCAW" in history


def test_what_ended_says_when_and_who_says_so():
    """Eleven are retired, two archived, and one is no longer pursued."""
    past = [api for api in apis().values() if api.shelf == "history"]
    assert Counter(api.status for api in past) == {"retired": 11, "archived": 2, "ended": 1}
    assert all(re.search(r"\d{1,2} [A-Z]\w+ 20\d\d$", api.ended) for api in past)


def test_every_source_has_its_commit():
    """Where there is a repository, the facts are pinned to a commit."""
    for name in set(NAMES) - {"cookies", "fitted"}:
        source = apis()[name].source
        if "/" in source:
            assert re.search(r"at [0-9a-f]{7} \(\d+ \w+ 20\d\d\)", source), source
