"""Who may ask, what may be asked, and what every answer says."""

import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiff.apis.registry import apis
from quiff.web.app import make_app
from quiff.web.guard import Access
from quiff.web.jobs import Jobs
from quiff.web.queries import BOUNDS

LISTED = ", ".join(name for name in apis() if name != "fitted")  # which is nothing without its table
PATHS = [
    "/",
    "/api/settings",
    "/api/design",
    "/api/compare",
    "/api/paper",
    "/static/page.css",
    "/figures.css",
    "/nothing",
]


@pytest.mark.parametrize("path", [*PATHS, "/api/design?api=topics:noise=7"])
def test_every_answer_is_strict(get, path):
    headers = get(path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert "set-cookie" not in headers
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE"])
def test_only_get_is_answered(get, method):
    assert get("/api/design", method).status_code == 405


@pytest.mark.parametrize("host", ["127.0.0.1:8349", "localhost:8349", "LOCALHOST:8349", "[::1]:8349"])
def test_this_machine_is_let_in(get, host):
    assert get("/", host=host).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8349",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1.evil.example:8349",
        "192.168.1.2:8349",
        "x",
    ],
)
def test_foreign_names_are_refused(get, host):
    answer = get("/api/design", host=host)
    assert answer.status_code == 403
    assert "use the link that quiff printed" in answer.text


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:8349", "http://localhost:8349"]
)
def test_foreign_origins_are_refused(get, origin):
    assert get("/api/design", origin=origin).status_code == 403
    assert get("/api/design", origin="http://127.0.0.1:8349").status_code == 200


def test_other_pages_may_link_here_but_not_ask(get):
    link = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
    assert get("/", **link).status_code == 200
    assert get("/api/design", sec_fetch_site="cross-site", sec_fetch_mode="no-cors").status_code == 403
    assert get("/", **{**link, "sec_fetch_dest": "iframe"}).status_code == 403
    assert get("/api/design", sec_fetch_site="same-origin").status_code == 200


WORK = [path for path in PATHS if path.startswith("/api/")] + ["/api/people", "/download/compare/apis-0.csv"]


@pytest.mark.parametrize("path", WORK)
@pytest.mark.parametrize("site", ["cross-site", "same-site"])  # another port of this machine is the same site
@pytest.mark.parametrize("dest", ["document", "iframe", "empty", "image"])
def test_other_pages_may_not_lead_to_what_takes_work(get, path, site, dest):
    answer = get(path, sec_fetch_site=site, sec_fetch_mode="navigate", sec_fetch_dest=dest)
    assert (answer.status_code, answer.text) == (403, "other pages may not ask this one\n")


@pytest.mark.parametrize("path", [path for path in PATHS if path.startswith(("/static", "/figures"))])
def test_nor_to_the_parts_of_the_page(get, path):
    link = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
    assert get(path, **link).status_code == 403
    assert get(path).status_code == 200


def test_a_browser_that_does_not_say_who_asks_needs_the_key_of_the_page(get):
    (key,) = re.findall('<meta name="key" content="([^"]{32,})">', get("/").text)
    for asker in (None, "none"):  # nothing is said; or an address was typed
        assert get("/", sec_fetch_site=asker).status_code == 200
        assert get("/static/page.css", sec_fetch_site=asker).status_code == 200
        for wrong in ("", "?key=", f"?key={key[:-1]}", f"?key={key}x", f"?x={key}", f"?key=&key={key}"):
            refused = get(f"/api/design{wrong}", sec_fetch_site=asker)
            assert (refused.status_code, "only the page itself" in refused.text) == (403, True)
    assert get(f"/api/design?key={key}", sec_fetch_site=None).status_code == 200
    assert get(f"/api/design?api=topics&key={key}", sec_fetch_site=None).json()["sentences"]
    assert get(f"/api/design?key={key}", sec_fetch_site="none").status_code == 403
    assert get(f"/api/design?key={key}", sec_fetch_site="cross-site").status_code == 403
    assert Access(8349).key != Access(8349).key


def test_a_page_that_another_one_led_to_knows_it(get):
    link = {"sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
    led = {"cross-site": "1", "same-site": "1", None: "1", "none": "0", "same-origin": "0"}
    for site, expected in led.items():
        assert f'<meta name="led" content="{expected}">' in get("/", sec_fetch_site=site, **link).text


def test_beyond_this_machine_every_request_needs_the_token(get):
    access = Access.beyond(8349, "box.local", any_address=True)
    app = make_app(access, Jobs())
    assert len(access.token) >= 32
    assert Access.beyond(8349).token != access.token
    for path in PATHS[:-1]:
        assert get(access.prefix + path, app=app).status_code == 200
        assert get(access.prefix + path, app=app, host="box.local:8349").status_code == 200
        assert get(access.prefix + path, app=app, host="192.168.1.2:8349").status_code == 200
        assert get(access.prefix + path, app=app, host="evil.example:8349").status_code == 403
        for wrong in ("", "/" + access.token[:-1], "/" + access.token + "x", "/é", "//" + access.token):
            assert get(wrong + path, app=app).status_code == 403


@pytest.mark.parametrize(
    "path",
    ["/static/../guard.py", "/static/%2e%2e/guard.py", "/static/..%2fguard.py", "/static//etc/passwd",
     "/static/%00", "/download/people/../../x-0.csv", "/etc/passwd"],
)  # fmt: skip
def test_no_file_is_found_by_a_path(get, path):
    assert get(path).status_code == 404


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/api/design?api=topics:noise=2", "noise must be a number between 0 and 1, not 2; did you mean "
         "0.02?"),
        ("/api/design?api=topics:noise=nan", "noise must be a number between 0 and 1, not 'nan'"),
        ("/api/design?api=topics:noise=", "noise must be a number between 0 and 1, not ''"),
        ("/api/design?api=topics:noise=1/0", "'1/0' divides by zero"),
        ("/api/design?api=topics:top_s=0", "top_s must be a whole number of at least 1, not 0"),
        ("/api/design?api=topics:n_topics=3,top_s=4", "top_s must be a whole number between 1 and 3, not 4"),
        ("/api/design?api=topics:n_topics=v3", "n_topics must be a whole number of at least 1, v1, v2, "
         "google-nl-v2, iab-1.1 or occurring, not 'v3'"),
        ("/api/design?api=topics:n_topics=20000", "n_topics must be at most 10000 on this page, not '20000'"),
        ("/api/design?api=cookies:shows=name", "shows must be user or history, not 'name'"),
        ("/api/design?api=topics:noize=0.1", "the API 'topics' has no parameter 'noize' on this page; there "
         "are n_topics, top_s, noise"),
        ("/api/design?api=topics:noise=0,noise=1", "noise is given twice; give it once"),
        ("/api/design?api=flock", f"there is no API 'flock' on this page; there are {LISTED}"),
        ("/api/design?users=1e99", "users must be a whole number between 1 and 10000000000, not '1e99'"),
        ("/api/design?observations=-1", "observations must be a whole number between 1 and 100, not '-1'"),
        ("/api/design?users=5&users=6", "users is given twice; give it once"),
        ("/api/design?file=/etc/passwd", "there is no parameter 'file'; known are api, api2, users, "
         "observations, along, prior"),
        ("/api/people?n=50001", "n must be a whole number between 100 and 50000, not '50001'"),
        ("/api/people?observations=11", "observations must be a whole number between 1 and 10, not '11'"),
        ("/api/people?source=/etc/passwd", "source must be one of synthetic, file, not '/etc/passwd'"),
        ("/api/paper?verdict=erratum", "verdict must be one of all, match, wrong, assumption, too-strong, "
         "misprint, ambiguous, needs-data, cited, not 'erratum'"),
    ],
)  # fmt: skip
def test_a_bad_parameter_gets_a_plain_400_with_the_reason(get, path, reason):
    answer = get(path)
    assert (answer.status_code, answer.text) == (400, reason + "\n")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"


def test_a_long_address_is_refused(get):
    assert get("/api/paper?words=" + "x" * 41).status_code == 400
    assert get("/?" + "x" * 2001).status_code == 400


@pytest.mark.parametrize("path", ["/api/design", "/api/people", "/download/design-table.csv"])
@pytest.mark.parametrize("name", ["api", "api2"])
def test_a_request_never_names_a_file(get, tmp_path, path, name):
    file = tmp_path / "own.py"
    file.write_text(f"open({str(tmp_path / 'run')!r}, 'w')")
    for spec in (f"{file}:Own", f"topics+{file}:Own", f"{file}", "own.py:Own", "topics+cookies"):
        answer = get(f"{path}?{name}={_quoted(spec)}")
        assert answer.status_code == 400
        assert answer.text.startswith("there is no API ")
    assert not (tmp_path / "run").exists()


names = st.sampled_from(["api", "api2", "users", "observations", "along", "prior", "verdict", "words", "a b"])
numbers = st.one_of(st.integers(-5, 10**11), st.floats(), st.floats(0, 1), st.integers(0, 400)).map(str)
parameters = st.tuples(st.sampled_from(["noise", "top_s", "n_topics", "shows", ""]), numbers)
specs = st.tuples(st.sampled_from(["topics", "cookies", "x"]), st.lists(parameters, max_size=3)).map(
    lambda pair: f"{pair[0]}:{','.join(f'{name}={value}' for name, value in pair[1])}"
)
values = st.one_of(numbers, specs, st.text(max_size=50), st.sampled_from(["v1", "topics", "erratum", "all"]))


@given(
    path=st.sampled_from(["/api/design", "/api/compare", "/api/paper", "/download/design-table.csv",
                          "/download/paper.csv", "/api/settings", "/"]),
    query=st.lists(st.tuples(names, values), max_size=6),
)  # fmt: skip
def test_random_parameters_never_give_a_500(get, path, query):
    answer = get(path + "?" + "&".join(f"{name}={_quoted(value)}" for name, value in query))
    assert answer.status_code in (200, 400)
    assert answer.status_code == 200 or "\n" not in answer.text.strip()


@given(
    m=st.one_of(st.sampled_from(["v1", "v2"]), st.integers(1, 10_000).map(str)),
    s=st.integers(1, 10_000), noise=st.floats(0, 1).map(lambda r: f"{r:.4g}"),
    users=st.integers(*BOUNDS["users"]), observations=st.integers(*BOUNDS["observations"]),
)  # fmt: skip
def test_parameters_within_bounds_are_answered_and_a_set_larger_than_the_taxonomy_refused(
    get, m, s, noise, users, observations
):
    spec = f"topics:n_topics={m},top_s={s},noise={noise}"
    answer = get(f"/api/design?api={spec}&users={users}&observations={observations}")
    large = s > {"v1": 349, "v2": 469}.get(m, 0 if m[0] == "v" else int(m))
    assert (answer.status_code, "top_s" in answer.text) == (400, True) if large else answer.status_code == 200


def _quoted(text):
    return "".join(f"%{byte:02x}" for byte in text.encode(errors="replace"))


def test_the_page_has_no_inline_script_or_style_and_names_no_other_place():
    for file in files("quiff.web").joinpath("static").iterdir():
        text = file.read_text().replace('xmlns="http://www.w3.org/2000/svg"', "")
        assert not re.search(r"https?://|//[a-z]+\.|innerHTML|eval\(|document\.cookie|localStorage", text), (
            file
        )
        if file.name.endswith(".html"):
            assert not re.search(r"<style|style=|\son[a-z]+=|<script(?![^>]* src=)", text)
