"""Who may ask, what may be asked, and what every answer says."""

import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiff.web.app import make_app
from quiff.web.guard import Access
from quiff.web.jobs import Jobs
from quiff.web.queries import BOUNDS

PATHS = ["/", "/api/counting", "/api/settings", "/api/design", "/api/paper", "/static/page.css", "/nothing"]


@pytest.mark.parametrize("path", [*PATHS, "/api/design?noise=7"])
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
     "/static/%00", "/download/population-../../x-0.csv", "/etc/passwd"],
)  # fmt: skip
def test_no_file_is_found_by_a_path(get, path):
    assert get(path).status_code == 404


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/api/design?noise=2", "noise must be a number between 0 and 1 such as 0.05, not '2'"),
        ("/api/design?noise=nan", "noise must be a number between 0 and 1 such as 0.05, not 'nan'"),
        ("/api/design?noise=", "noise must be a number between 0 and 1 such as 0.05, not ''"),
        ("/api/design?top=0", "top must be a whole number between 1 and 100, not '0'"),
        ("/api/design?top=350", "top must be a whole number between 1 and 100, not '350'"),
        ("/api/design?topics=3&top=4", "top must be a whole number between 1 and 3, not '4'"),
        ("/api/design?topics=v3", "topics must be a number or one of v1, v2, google-nl-v2, iab-1.1, "
         "not 'v3'"),
        ("/api/design?topics=20000", "topics must be between 2 and 10000, or a name, not '20000'"),
        ("/api/design?users=1e99", "users must be a whole number between 1 and 10000000000, not '1e99'"),
        ("/api/design?epochs=-1", "epochs must be a whole number between 1 and 100, not '-1'"),
        ("/api/design?top=5&top=6", "top is given twice; give it once"),
        ("/api/design?file=/etc/passwd", "there is no parameter 'file'; known are topics, top, noise, users, "
         "epochs, topics2, top2, noise2"),
        ("/api/population?people=50001", "people must be a whole number between 100 and 50000, not '50001'"),
        ("/api/population?topics=2001", "topics must be between 2 and 2000, or a name, not '2001'"),
        ("/api/population?source=/etc/passwd", "source must be made-up or file, not '/etc/passwd'"),
        ("/api/population?topics=occurring", "topics must be a number or one of v1, v2, google-nl-v2, "
         "iab-1.1, not 'occurring'"),
        ("/api/paper?verdict=wrong", "verdict must be one of all, erratum, match, needs-data, not 'wrong'"),
    ],
)  # fmt: skip
def test_a_bad_parameter_gets_a_plain_400_with_the_reason(get, path, reason):
    answer = get(path)
    assert (answer.status_code, answer.text) == (400, reason + "\n")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"


def test_a_long_address_is_refused(get):
    assert get("/api/paper?words=" + "x" * 41).status_code == 400
    assert get("/?" + "x" * 2001).status_code == 400


names = st.sampled_from(
    ["topics", "top", "noise", "users", "epochs", "topics2", "top2", "noise2", "verdict", "words", "a b"]
)
numbers = st.one_of(st.integers(-5, 10**11), st.floats(), st.floats(0, 1), st.integers(0, 400)).map(str)
values = st.one_of(
    numbers, st.text(max_size=50), st.sampled_from(["v1", "v2", "occurring", "erratum", "all"])
)


@given(
    path=st.sampled_from(["/api/design", "/api/counting", "/api/paper", "/download/design.csv",
                          "/download/counting.csv", "/download/paper.csv", "/api/settings", "/"]),
    query=st.lists(st.tuples(names, values), max_size=6),
)  # fmt: skip
def test_random_parameters_never_give_a_500(get, path, query):
    answer = get(path + "?" + "&".join(f"{name}={_quoted(value)}" for name, value in query))
    assert answer.status_code in (200, 400)
    assert answer.status_code == 200 or "\n" not in answer.text.strip()


@given(query=st.fixed_dictionaries({}, optional={
    "topics": st.one_of(st.sampled_from(["v1", "v2"]), st.integers(*BOUNDS["topics"]).map(str)),
    "top": st.integers(*BOUNDS["top"]).map(str), "noise": st.floats(0, 1).map(lambda r: f"{r:.4g}"),
    "users": st.integers(*BOUNDS["users"]).map(str), "epochs": st.integers(*BOUNDS["epochs"]).map(str),
    "topics2": st.integers(2, 5).map(str), "top2": st.integers(1, 6).map(str), "noise2": st.just("0"),
}))  # fmt: skip
def test_parameters_within_bounds_are_answered_and_a_set_larger_than_the_taxonomy_refused(get, query):
    answer = get("/api/design?" + "&".join(f"{name}={value}" for name, value in query.items()))
    assert answer.status_code == 200 or (answer.status_code == 400 and "top" in answer.text)


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
