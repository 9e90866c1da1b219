"""A page of another origin, in a real browser, cannot make the explorer work, however it leads there."""

import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from web.served import served

WAIT = 300_000
TARGET = "api/people?n=50000&attacks=1"
# What a page can do to lead a browser elsewhere; {url} is where to.
WAYS = {
    "location": "<script>location = {url!r}</script>",
    "form": "<form action='{plain}'><input name=n value=50000></form>"
    "<script>document.forms[0].submit()</script>",
    "refresh": "<meta http-equiv=refresh content='0; url={url}'>",
    "window": "<script>window.open({url!r})</script>",
    "frame": "<iframe src='{url}'></iframe>",
    "image": "<img src='{url}'>",
    "fetch": "<script>fetch({url!r}, {{mode: 'no-cors', credentials: 'include'}}).catch(() => 0)</script>",
}


class Evil(BaseHTTPRequestHandler):
    """Serves the page that is asked for by the name of a way, and where it leads to."""

    def __init__(self, explorer, *given):
        self.explorer = explorer
        super().__init__(*given)

    def do_GET(self):
        way, _, target = self.path[1:].partition("/")
        url = f"{self.explorer}{target}"
        text = WAYS.get(way, "").format(url=url, plain=url.partition("?")[0])
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f"<!doctype html><title>other</title>{text}".encode())

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def explorer():
    with served() as running:
        yield running


@pytest.fixture(scope="module", params=["127.0.0.1", "localhost"])
def evil(explorer, request):
    """The same machine at another port, under the same name or another: the same site, or another."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Evil, explorer.link))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://{request.param}:{server.server_address[1]}/"
    server.shutdown()


@pytest.mark.parametrize("way", WAYS)
def test_what_takes_work_is_refused(page, explorer, evil, way):
    statuses = []
    page.context.on("response", lambda answer: statuses.append((answer.url, answer.status)))
    failed = []
    page.context.on("requestfailed", lambda request: failed.append(request.url))
    page.goto(f"{evil}{way}/{TARGET}", wait_until="commit")
    while not failed and not any(url.startswith(explorer.link) for url, _ in statuses):
        page.wait_for_timeout(100)
    page.wait_for_timeout(1500)
    asked = [status for url, status in statuses if url.startswith(f"{explorer.link}api/")]
    assert 200 not in asked
    assert asked or failed, "the browser asked, or did not even do that"
    assert set(asked) <= {403}


@pytest.mark.parametrize("way", ["location", "window"])
def test_the_page_itself_may_be_led_to_but_measures_nobody_until_it_is_asked(page, explorer, evil, way):
    asked = []
    page.context.on("request", lambda request: asked.append(request.url))
    page.goto(f"{evil}{way}/?view=people&run=1&n=50000", wait_until="commit")
    while way == "window" and len(page.context.pages) == 1:
        page.wait_for_timeout(100)
    tab = page.context.pages[-1]
    tab.wait_for_selector("#start", timeout=WAIT)
    tab.wait_for_timeout(1500)
    assert any("api/settings" in url for url in asked), "the page is there"
    assert not any("api/people" in url for url in asked)
    tab.goto(f"{explorer.link}?view=people&run=1&n=100")  # as by hand
    tab.wait_for_selector("#sections section, #sections article, #sections h2", timeout=WAIT)
    assert any("api/people" in url for url in asked)
