"""Random addresses and parameters against the explorer as it is served: it answers, refuses, and lives on."""

import csv
import io
import json
import random
import re
import socket
from urllib.parse import quote_from_bytes
from xml.etree import ElementTree

import httpx
import pytest

from fuzzing import cases
from web.served import PAGE, served

PATHS = [
    "", "static/page.css", "static/main.js", "vega.js", "api/settings", "api/design", "api/studies",
    "api/compare",
    "api/people", "api/paper", "download/design-{word}.{kind}", "download/design/{section}-{number}.{kind}",
    "download/people/{section}-{number}.{kind}", "download/{word}/{section}-{number}.{kind}",
    "download/paper.csv", "download/compare/apis-0.csv", "{word}", "static/{word}", "download/{word}",
    "../{word}", "api/{word}",
]  # fmt: skip
NAMES = [
    "api",
    "api2",
    "users",
    "observations",
    "along",
    "prior",
    "source",
    "n",
    "seed",
    "attacks",
    "verdict",
    "words",
]
VALUES = ["topics", "cookies", "topics:noise=0.1", "topics:top_s=3,n_topics=v2", "topics+cookies", "fitted",
          "fitted:weights=/etc/passwd", "./own.py:Own", "topics:noise=__import__('os')", "349", "0", "1", "5",
          "0.05", "1e-3", "100", "150", "file", "synthetic", "all", "erratum", "topic", "-1", "1e999", "nan",
          "inf", "٣", "0x10", "", " ", "5 ", "</script>", "=1+1", "99999999999999999999", "1_0", "+5",
          "\u202e", "../../etc/passwd"]  # fmt: skip
SECTIONS = ["people", "reveals", "risk", "attacks", "first-closed", "second-settings", "none", "..", "%2e%2e"]
KINDS = ["csv", "svg", "png", "html", "pdf", ""]
FIGURES = ["time", "guess", "parameter", "table", "counting"]
# A topic, or a user, with each sign that has a meaning in CSV, HTML, SVG or JSON.
PROFILES = 'user,t1,t2\n=1+1,\x01\x1b,</script>\n@b,"a""b",\'; c\n<i>,\u202eNews,\x7f\x9f\n'


def draw_word(source):
    """Return bytes for a part of an address."""
    kind = source.randrange(3)
    if kind == 0:
        return quote_from_bytes(source.choice([*VALUES, *FIGURES]).encode())
    if kind == 1:
        return quote_from_bytes(source.randbytes(source.randint(0, 12)), safe="/")
    return quote_from_bytes(bytes(source.choices(b"./%\\:~*?#&=+;,'\"<>", k=source.randint(0, 8))), safe="/.")


def draw_address(source):
    """Return the address of something that is there or not, with parameters that fit or not."""
    path = source.choice(PATHS).format(
        word=draw_word(source) if source.random() < 0.6 else source.choice(FIGURES),
        section=source.choice(SECTIONS),
        number=source.choice([0, 0, 1, 2, 99, 10**30, -1]),
        kind=source.choice(KINDS),
    )
    parts = []
    if "people" in path:  # a few, so that it does not take long
        parts = [source.choice(["n=100", "n=120&attacks=1", "source=file"])]
    if not parts or source.random() < 0.3:
        for _ in range(source.randrange(5)):
            name = source.choice(NAMES) if source.random() < 0.95 else draw_word(source)
            parts += [f"{name}={draw_word(source)}"] if name != "n" else ["n=x"]
    return f"{path}?{'&'.join(parts)}" if parts or source.random() < 0.1 else path


@pytest.fixture(scope="module")
def explorer(tmp_path_factory):
    path = tmp_path_factory.mktemp("fuzz") / "profiles.csv"
    path.write_text(PROFILES, encoding="utf-8")
    with served(path) as running:
        yield running


@pytest.mark.full
def test_every_address_is_answered_or_refused_and_the_server_lives_on(explorer):
    statuses = []
    with httpx.Client(base_url=explorer.link, timeout=300, headers=PAGE) as client:
        for seed in cases(300):
            address = draw_address(random.Random(seed))
            answer = client.get(address)
            about = f"seed {seed}: {address} {answer.status_code}"
            statuses.append(answer.status_code)
            assert answer.status_code == 200 or 400 <= answer.status_code < 500, about
            check_headers(answer, about)
            check_content(answer, about)
        assert explorer.process.poll() is None
        assert client.get("api/settings").json()["file"]["users"] == 3
    assert {200, 400, 404} <= set(statuses)


SITES = ["cross-site", "same-site", "same-origin", "none", "", "CROSS-SITE", "x", None]
MODES = ["navigate", "no-cors", "cors", "websocket", "nested-navigate", None]
DESTS = ["document", "iframe", "empty", "image", "script", "embed", "object", "frame", None]


def draw_asker(source, port):
    """Return the headers of a page that asks, mostly another one than the explorer's."""
    drawn = {
        "Sec-Fetch-Site": source.choice(SITES),
        "Sec-Fetch-Mode": source.choice(MODES),
        "Sec-Fetch-Dest": source.choice(DESTS),
        "Sec-Fetch-User": source.choice(["?1", None]),
        "Origin": source.choice(
            [None, None, None, "null", "http://evil.example", f"http://127.0.0.1:{port}"]
        ),
        "Referer": source.choice([None, "http://evil.example/", f"http://127.0.0.1:{port}/"]),
    }
    return {name: value for name, value in drawn.items() if value is not None}


@pytest.mark.full
def test_no_other_page_makes_it_work_however_it_leads_there(explorer):
    """Only the page itself is answered: by what a browser says of it, or by the key that it was given.

    What it is answered is what the page is answered to the same request, whatever that is; all else is 403.
    """
    port, own_answers = httpx.URL(explorer.link).port, {}
    with httpx.Client(base_url=explorer.link, timeout=300) as client:
        key = re.search('name="key" content="([^"]+)"', client.get("").text)[1]
        for seed in cases(400):
            source = random.Random(seed)
            path = source.choice(PATHS).format(word="time", section="reveals", number=0, kind="csv")
            given = source.choice(["", "", f"key={key}", f"key={key[:-1]}", f"key=x&key={key}"])
            rest = source.choice(["", "n=x", "api=topics"])
            address = f"{path}?{'&'.join(filter(None, [given, rest]))}"
            asker = draw_asker(source, port)
            site, own = asker.get("Sec-Fetch-Site"), given == f"key={key}"
            foreign = asker.get("Origin", f"http://127.0.0.1:{port}") != f"http://127.0.0.1:{port}"
            led = (asker.get("Sec-Fetch-Mode"), asker.get("Sec-Fetch-Dest")) == ("navigate", "document")
            if path.startswith(("api/", "download/")):
                right = site == "same-origin" or (site is None and own)
            else:
                right = site in (None, "none", "same-origin") or (path == "" and led)
            wanted = 403
            if right and not foreign:
                if (path, rest) not in own_answers:
                    own_answers[path, rest] = client.get(f"{path}?{rest}", headers=PAGE).status_code
                wanted = own_answers[path, rest]
                assert wanted in (200, 400, 404), (path, rest)
            status = client.get(address, headers=asker).status_code
            assert status == wanted, f"seed {seed}: {address} {asker} {status}"
        assert explorer.process.poll() is None


# What is there, for whoever may ask, and takes no long time.
THERE = [
    "", "static/page.css", "static/main.js", "vega.js", "api/settings", "api/design?api=topics",
    "api/studies", "api/compare", "api/people?source=file", "api/paper", "download/paper.csv",
    "download/compare/apis-0.csv", "download/design-table.csv?api=topics",
]  # fmt: skip
# The ways of another page to the explorer, and what a browser says of each: mode and destination.
WAYS = {
    "location=": ("navigate", "document"),
    "form GET": ("navigate", "document"),
    "meta refresh": ("navigate", "document"),
    "window.open": ("navigate", "document"),
    "a link": ("navigate", "document"),
    "fetch no-cors": ("no-cors", "empty"),
    "fetch cors": ("cors", "empty"),
    "image": ("no-cors", "image"),
    "script": ("no-cors", "script"),
    "style": ("no-cors", "style"),
    "iframe": ("navigate", "iframe"),
    "object": ("navigate", "object"),
    "embed": ("navigate", "embed"),
}


@pytest.mark.full
@pytest.mark.parametrize("site", ["cross-site", "same-site"])  # another port of this machine is the same site
def test_of_all_ways_from_another_page_only_a_navigation_to_the_first_page_is_answered(explorer, site):
    with httpx.Client(base_url=explorer.link, timeout=300) as client:
        for address in THERE:
            assert client.get(address, headers=PAGE).status_code == 200, f"{address}: the page itself asks"
            for way, (mode, dest) in WAYS.items():
                said = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}
                if way in ("form GET", "a link"):
                    said["Sec-Fetch-User"] = "?1"  # by a click
                if way == "fetch cors":
                    said["Origin"] = "http://evil.example"
                answer = client.get(address, headers=said)
                led = address == "" and (mode, dest) == ("navigate", "document")
                assert answer.status_code == (200 if led else 403), (site, way, address)
                assert led or answer.text == "other pages may not ask this one\n", (site, way, address)
        for address in THERE:  # typed by hand, or from another program
            answered = not address.startswith(("api/", "download/"))
            status = client.get(address, headers={"Sec-Fetch-Site": "none"}).status_code
            assert status == (200 if answered else 403), address
        assert explorer.process.poll() is None


def check_headers(answer, about):
    headers = answer.headers
    assert headers["content-security-policy"].startswith("default-src 'none'; "), about
    assert "unsafe" not in headers["content-security-policy"], about
    assert headers["x-content-type-options"] == "nosniff", about
    assert headers["referrer-policy"] == "no-referrer", about
    assert "content-type" in headers, about
    if answer.status_code != 200:
        assert headers["content-type"] == "text/plain; charset=utf-8", about
        assert answer.text.count("\n") == 1, about
        assert answer.text.strip().isprintable(), about


def check_content(answer, about):
    if answer.status_code != 200:
        return
    kind = answer.headers["content-type"].partition(";")[0]
    if kind == "application/json":
        json.loads(answer.text)
    elif kind == "text/csv":
        for row in csv.reader(io.StringIO(answer.text)):
            for cell in row:
                assert cell[:1] not in ("=", "@", "\t", "\r"), about
                assert cell[:1] not in ("+", "-") or is_number(cell), about
    elif kind == "image/svg+xml":
        ElementTree.fromstring(answer.text)  # noqa: S314 - raises unless it is well-formed XML
    elif kind == "image/png":
        assert answer.content.startswith(b"\x89PNG"), about
    elif kind == "text/event-stream":
        assert "event: done" in answer.text or "event: failed" in answer.text, about
    if "/download/" in str(answer.url):
        assert answer.headers["content-disposition"].startswith('attachment; filename="quiff-'), about


def is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


@pytest.mark.full
def test_what_is_hardly_http_is_refused_and_the_server_lives_on(explorer):
    port = httpx.URL(explorer.link).port
    head = f"GET /api/settings HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    good = f"{head}Sec-Fetch-Site: same-origin\r\nConnection: close\r\n\r\n".encode()
    for seed in cases(100):
        source = random.Random(seed)
        sent = bytearray(good)
        for _ in range(source.randint(1, 4)):
            place = source.randrange(len(sent))
            sent[place : place + source.choice([0, 1, 9])] = source.choice(
                [
                    source.randbytes(3),
                    b"\r\n",
                    b"\x00",
                    b"%00",
                    b":",
                    b" ",
                    b"Content-Length: 5\r\n",
                    b"A" * 5000,
                ]
            )
        with socket.create_connection(("127.0.0.1", port), timeout=300) as connection:
            connection.sendall(sent + b"\r\n\r\n")
            connection.shutdown(socket.SHUT_WR)
            answer = connection.recv(20)
        assert not answer or answer.split()[1][:1] in (b"2", b"4"), f"seed {seed}: {bytes(sent)!r} {answer!r}"
    assert explorer.process.poll() is None
    assert httpx.get(f"{explorer.link}api/settings", headers=PAGE).status_code == 200
