"""Labels that mean harm, in every place where labels appear, shown by a real browser: none of them runs."""

import csv
import io
import json
from dataclasses import dataclass
from urllib.parse import quote
from xml.etree import ElementTree

import httpx
import pytest

import quiff
from quiff import Population, TopicsAPI
from quiff.report.compose import Source, compose_report
from quiff.results.figures.charts import Axis, marks
from quiff.results.figures.figure import Figure
from quiff.results.table import Table
from web.served import served

WAIT = 300_000  # milliseconds; other tests may run at the same time
HOSTILE = [
    "</script><script>window.pwned=1</script>",
    '"><img src=x onerror="window.pwned=2">',
    "javascript:window.pwned=3//",
    "<svg/onload=window.pwned=4>",
    "</title></style></textarea><script>window.pwned=5</script>",
    "--><!--<script>window.pwned=6</script>",
    "' onmouseover='window.pwned=7' x='",
    "]]></text><script>window.pwned=8</script>",
    "${window.pwned=9}{{constructor.constructor('window.pwned=10')()}}",
    "\x1b[2J\x00\x07\u202e\u2028\ufffe\ud800https://evil.example/",
]


@pytest.fixture
def tab(chromium):
    """A page that remembers its requests and what it says, and hears of dialogs."""
    context = chromium.new_context(viewport={"width": 1200, "height": 900})
    tab = context.new_page()
    tab.said, tab.asked = [], []
    tab.on("console", lambda message: tab.said.append(message.text))
    tab.on("pageerror", lambda error: tab.said.append(str(error)))
    tab.on("dialog", lambda dialog: (tab.said.append(dialog.message), dialog.dismiss()))
    tab.on("request", lambda request: tab.asked.append(request.url))
    yield tab
    context.close()


def harmless(tab, link):
    """Assert that nothing ran, nothing was asked for elsewhere, and the policy had nothing to forbid."""
    assert tab.evaluate("window.pwned") is None
    assert tab.said == []
    assert [url for url in tab.asked if not url.startswith(("data:", "blob:")) and link not in url] == []


def people():
    """Users and topics with the worst names."""
    sets = {f"{HOSTILE[k % 10]} {k}": {HOSTILE[k % 10], HOSTILE[(k + 1 + k // 10) % 10]} for k in range(20)}
    return Population.from_sets(sets)


@dataclass(frozen=True)
class Harm(quiff.Api):
    """An API all of whose texts and outputs mean harm."""

    title, status, source, sees = HOSTILE[:4]
    needs = ("topics",)

    def observe(self, secrets):
        return quiff.Channel.deterministic({x: HOSTILE[k % 3] for k, x in enumerate(secrets)})


def figures(population):
    """Yield a figure of each kind of result that shows people, APIs or settings by their names."""
    api = TopicsAPI(40, 2)
    reports = quiff.simulate(population, api, epochs=2, seed=1)
    for result in (
        quiff.measure(population, api), quiff.measure(population, api, Harm()),
        quiff.user_risk(population, Harm(), api), quiff.exposure(population, Harm()),
        quiff.exposure(population, api),
        quiff.attribute_inference(population, api, value=population.topics[0]),
        quiff.popularity(population, api, simulations=5), quiff.over_time(population, api, 2),
        quiff.attack(population, api, observations=[1], seeds=1),
        quiff.reidentify(reports, quiff.Carey()), quiff.browser_rules(population, api, samples=20),
    ):  # fmt: skip
        yield result.figure()
    ends = ((HOSTILE[0], 0.2), (HOSTILE[1], 0.9))
    points = [{"name": name, "kind": kind, "value": value} for name in HOSTILE for kind, value in ends]
    axis = Axis("value", HOSTILE[2], "probability")
    yield Figure.of(HOSTILE[0], marks(points, axis, [kind for kind, _ in ends], joined=True))
    yield Figure(HOSTILE[0], {"title": HOSTILE, "data": {"values": [{HOSTILE[0]: 1}]}, "mark": "point"})


def test_figures_of_every_kind(tab, tmp_path):
    drawn = 0
    for number, figure in enumerate(figures(people())):
        page = figure.write(tmp_path / f"{number}.html")
        tab.goto(page.as_uri())
        tab.wait_for_selector("#figure svg", timeout=WAIT)
        drawn += any("pwned" in text for text in tab.locator("#figure svg text").all_text_contents())
        harmless(tab, page.as_uri())
        picture = figure.write(tmp_path / f"{number}.svg")
        assert not list(ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}script"))  # noqa: S314
        tab.goto(picture.as_uri())
        harmless(tab, tmp_path.as_uri())
        tab.asked.clear()
    assert drawn >= 6  # the labels were there, as text


def test_a_figure_can_be_saved_and_its_policy_allows_no_eval(tab, tmp_path):
    page = quiff.exposure(people(), TopicsAPI(40, 2)).figure().write(tmp_path / "figure.html")
    tab.goto(page.as_uri())
    tab.wait_for_selector("#figure svg", timeout=WAIT)
    for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with tab.expect_download() as saved:
            tab.get_by_text(f"Save as {kind}").click()
        saved.value.save_as(tmp_path / kind)
        assert (tmp_path / kind).read_bytes().startswith(start)
    harmless(tab, page.as_uri())
    policy = tab.locator("meta[http-equiv]").get_attribute("content")
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    tab.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.pwned=1\">')")
    tab.wait_for_timeout(100)
    assert tab.evaluate("window.pwned") is None  # the page's own policy stands even where HTML was let in
    assert any("Content Security Policy" in text for text in tab.said)


def test_a_table(tab, tmp_path):
    rows = tuple((name, name) for name in HOSTILE)
    table = Table(HOSTILE[0], (HOSTILE[1], HOSTILE[4]), rows, tuple(HOSTILE), (HOSTILE[1],))
    page = table.write(tmp_path / "table.html")
    tab.goto(page.as_uri())
    assert tab.locator("td").count() == 20
    assert tab.title() == tab.locator("caption").inner_text() == HOSTILE[0]
    assert tab.locator("td").first.inner_text() == HOSTILE[0]
    harmless(tab, page.as_uri())
    assert "default-src 'none'" in tab.locator("meta[http-equiv]").get_attribute("content")


def test_a_report(tab, tmp_path):
    population = people()
    source = Source(HOSTILE[0], tuple((name, name) for name in HOSTILE), tuple(HOSTILE))
    page = compose_report(population, (TopicsAPI(40, 2), Harm()), source, observations=2, attacks=True)
    path = page.write(tmp_path / "report.html")
    tab.goto(path.as_uri())
    assert tab.locator("code").inner_text().count("pwned") >= 9
    assert tab.locator("td, th").filter(has_text="pwned").count() > 10
    assert tab.locator("img").evaluate_all("pictures => pictures.every(p => p.naturalWidth > 100)")
    harmless(tab, path.as_uri())


@pytest.fixture(scope="module")
def explorer(tmp_path_factory):
    """The explorer of profiles whose topics and users mean harm, from a file whose name does."""
    path = tmp_path_factory.mktemp("explorer") / "<img src=x onerror=window.pwned=11>.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["user", "t1", "t2"])
        names = [name.encode(errors="replace").decode().replace("\x00", "") for name in HOSTILE]
        for k in range(20):
            rows.writerow([f"{names[k % 10]} {k}", names[k % 10], names[(k + 1 + k // 10) % 10]])
    with served(path) as running:
        yield running


def test_the_explorer(tab, explorer):
    query = "view=people&source=file&api=topics:n_topics=occurring,top_s=2&attacks=1&run=1"
    tab.goto(f"{explorer.link}?{query}")
    tab.wait_for_selector("#people[data-ended='Done.']", timeout=WAIT, state="attached")
    for more in tab.locator("#sections summary").all():
        more.click()
    tab.wait_for_selector("#sections svg >> nth=5", timeout=WAIT, state="attached")
    assert tab.locator("td, th").filter(has_text="pwned").count() > 10
    assert any("pwned" in text for text in tab.locator("#sections svg text").all_text_contents())
    harmless(tab, explorer.link)


@pytest.mark.parametrize("name", HOSTILE[:8])
def test_the_explorers_address(tab, explorer, name):
    hostile = quote(name)
    tab.goto(f"{explorer.link}?view={hostile}&api={hostile}&words={hostile}&source={hostile}&run=1")
    tab.wait_for_function("document.title.includes('quiff')", timeout=WAIT)
    tab.goto(f"{explorer.link}?view=paper&words={hostile}&verdict={hostile}")
    tab.wait_for_selector("#problem:not([hidden]), #items table", timeout=WAIT)
    assert tab.evaluate("window.pwned") is None
    assert [url for url in tab.asked if explorer.link not in url] == []


def test_downloads_are_files_and_the_server_lives_on(tab, explorer):
    base = f"{explorer.link}download/people/risk"
    query = "source=file&api=topics:n_topics=occurring,top_s=2"
    with httpx.Client(timeout=300, headers={"Sec-Fetch-Site": "same-origin"}) as client:
        tables = [client.get(f"{base}-{number}.csv?{query}") for number in range(8)]
        picture = client.get(f"{base}-1.svg?{query}")
        pixels = client.get(f"{base}-1.png?{query}")
        for answer in (*tables, picture, pixels):
            assert answer.status_code == 200
            assert answer.headers["content-disposition"].startswith("attachment; ")
            assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        cells = [cell for table in tables for row in csv.reader(io.StringIO(table.text)) for cell in row]
        assert any("pwned" in cell for cell in cells)
        ElementTree.fromstring(picture.text)  # noqa: S314 - well-formed, or it raises
        assert "<script" not in picture.text
        assert pixels.content.startswith(b"\x89PNG")
        assert json.loads(client.get(f"{explorer.link}api/settings").text)["file"]["users"] == 20
    assert explorer.process.poll() is None
