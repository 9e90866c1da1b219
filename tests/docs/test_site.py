"""The documentation site: it builds without a warning, and works in a browser that reaches nothing else."""

import os
import re
import subprocess
import sysconfig
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urljoin, urlsplit

import pytest

import quiff
from quiff import theory
from quiff.cli import main

ROOT = Path(__file__).parents[2]
PHONE = {"width": 390, "height": 800}
WAIT = 300_000  # milliseconds; other tests may run at the same time


class Page(HTMLParser):
    """The identifiers in a page, its links, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads = set(), set(), set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag == "a" and found.get("href"):
            self.links.add(found["href"])
        elif tag == "link" and found.get("rel") not in ("next", "prev", "canonical"):
            self.loads.add(found["href"])
        elif found.get("src"):
            self.loads.add(found["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, built as `make docs` does."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    program = Path(sysconfig.get_path("scripts")) / "mkdocs"
    done = subprocess.run(
        [program, "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    told = [line for line in done.stdout.splitlines() if not line.startswith("INFO")]
    assert (done.returncode, told) == (0, [])
    return folder


@pytest.fixture(scope="module")
def pages(site):
    """Every page of the site by its path in the folder, but for the one that a server shows for no page."""
    found = sorted(path for path in site.rglob("*.html") if path.name != "404.html")
    return {path.relative_to(site).as_posix(): Page(path) for path in found}


@pytest.fixture(scope="module")
def address(site):
    """The site, served on this machine."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def tab(chromium):
    """A tab that remembers its requests and what it says on the console."""
    with chromium.new_context(viewport=PHONE) as context:
        page = context.new_page()
        page.said, page.asked = [], []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("request", lambda request: page.asked.append(request.url))
        yield page


def test_every_page_loads_from_the_folder_alone(site, pages):
    for name, page in pages.items():
        for source in page.loads:
            parts = urlsplit(source)
            assert not parts.scheme or parts.scheme == "data", f"{name} loads {source}"
            assert not parts.netloc, f"{name} loads {source}"
            if not parts.scheme:
                assert (site / name).parent.joinpath(unquote(parts.path)).exists(), f"{name} loads {source}"


def test_links_within_the_site_are_whole(site, pages):
    def leads_somewhere(name, link):
        target = urlsplit(urljoin(f"http://site/{name}", link))
        path = unquote(target.path).lstrip("/") or "index.html"
        there = not target.fragment or path not in pages or unquote(target.fragment) in pages[path].ids
        return (site / path).exists() and there

    inside = [
        (name, link)
        for name, page in pages.items()
        for link in sorted(page.links)
        if not urlsplit(link).scheme and not urlsplit(link).netloc
    ]
    assert [place for place in inside if not leads_somewhere(*place)] == []


def test_the_reference_tells_about_every_public_name(pages):
    told = set().union(*(page.ids for name, page in pages.items() if name.startswith("reference/")))
    assert {f"quiff.{name}" for name in quiff.__all__} <= told
    forms = [getattr(theory, name) for name in dir(theory)]
    assert {f"{form.__module__}.{form.__name__}" for form in forms if form.__doc__} <= told


def test_the_reference_tells_about_fields_by_their_comments(pages, site):
    fields = [f"quiff.Population.{name}" for name in ("topics", "sets", "weights", "counts", "notes")]
    assert pages["reference/populations.html"].ids.issuperset(fields)
    text = (site / "reference" / "populations.html").read_text(encoding="utf-8")
    assert "How much each user counts; None if all count the same." in text


def test_the_page_of_commands_tells_about_every_command(pages):
    told = pages["reference/commands.html"].ids
    assert {f"quiff-{name}" for name in main.list_commands(None)} <= told
    assert {"quiff-attack-run", "quiff-data-get"} <= told


def test_no_formula_is_left_as_it_was_written(site, pages):
    for name in pages:
        text = (site / name).read_text(encoding="utf-8")
        assert 'class="arithmatex"' not in text, f"{name} has a formula that is no MathML"
        assert not re.search(r"<m[a-z]+>\\[a-zA-Z]", text), f"{name} has a formula with unknown commands"


def test_every_page_works_on_a_phone(tab, address, pages):
    wide, strange = [], []
    for name in pages:
        tab.goto(f"{address}/{name}")
        tab.wait_for_load_state("networkidle")
        if tab.evaluate("document.documentElement.scrollWidth") > PHONE["width"]:
            wide.append(name)
        strange += [url for url in tab.asked if not url.startswith((address, "data:", "blob:" + address))]
    assert (wide, strange, tab.said) == ([], [], [])


def test_formulas_are_mathml_that_the_browser_lays_out(tab, address):
    tab.goto(f"{address}/theory/qif.html")
    sizes = tab.locator("math").evaluate_all("all => all.map((one) => one.getBoundingClientRect().height)")
    assert len(sizes) > 20
    assert min(sizes) > 5
    script, base = tab.evaluate(
        """() => { const sub = document.querySelector("msub");
        return [sub.children[1], sub.children[0]].map((part) => part.getBoundingClientRect().bottom) }"""
    )
    assert script > base  # an index stands lower than what it belongs to


@pytest.mark.parametrize("served", [True, False], ids=["from a server", "as files"])
def test_search_finds_capacity(tab, site, address, served):
    tab.set_viewport_size({"width": 1200, "height": 800})
    tab.goto(f"{address}/index.html" if served else (site / "index.html").as_uri())
    tab.wait_for_load_state("networkidle")
    tab.locator("input.md-search__input").press_sequentially("capacity", delay=100)  # as hands do
    tab.wait_for_selector(".md-search-result__item", timeout=WAIT)
    found = tab.locator(".md-search-result__link").evaluate_all("all => all.map((one) => one.href)")
    assert any("reference/" in link for link in found)
    assert any("theory/qif.html" in link for link in found)
    assert tab.said == []
    home = address if served else site.as_uri()
    assert [url for url in tab.asked if not url.startswith((home, f"blob:{address}", "data:"))] == []


@pytest.mark.parametrize(("wish", "scheme"), [("light", "default"), ("dark", "slate")])
def test_colours_follow_the_system(chromium, address, wish, scheme):
    with chromium.new_context(color_scheme=wish) as context:
        page = context.new_page()
        page.goto(f"{address}/index.html")
        body = page.wait_for_selector(f"body[data-md-color-scheme={scheme}]")  # once the theme's script ran
        assert body.get_attribute("data-md-color-scheme") == scheme
