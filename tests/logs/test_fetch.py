"""Fetching: from a server on this machine, from the cache, from a mirror; and all that can go wrong."""

import hashlib
import io
import json
import socket
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pooch
import pytest

from quiff.errors import LabelError, ParameterError, QuiffError, SizeError
from quiff.logs.download import cache_folder
from quiff.logs.fetch import fetch, local_copy
from quiff.logs.registry import DATASETS, Dataset
from words import refused, worded

CONTENT = b"// a made-up list of suffixes\n" * 5000
DIGEST = hashlib.sha256(CONTENT).hexdigest()


class Server:
    """A server on the loopback interface that answers as it is told, and counts the requests."""

    def __init__(self):
        self.answers = {}
        self.requests = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                owner.requests.append(self.path)
                status, body, length = owner.answers.get(self.path, (404, b"nothing here", None))
                if status == "drip":
                    self._drip(body)
                    return
                self.send_response(status)
                self.send_header("Content-Length", str(len(body) if length is None else length))
                self.end_headers()
                self.wfile.write(body)

            def _drip(self, body):
                """Send a byte now and then, until nobody listens or the test has ended."""
                try:
                    while body and not owner.stopped.wait(0.02):
                        self.wfile.write(body[:1])
                        body = body[1:]
                except OSError:
                    owner.broken.set()

            def log_message(self, *arguments):
                pass

        self.stopped, self.broken = threading.Event(), threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def serve(self, path, body, status=200, length=None):
        self.answers[path] = (status, body, length)

    def stop(self):
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server():
    server = Server()
    yield server
    server.stop()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, and no mirror."""
    monkeypatch.delenv("QUIFF_MIRROR", raising=False)
    monkeypatch.setenv("QUIFF_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def listed(server, cache, monkeypatch):
    """Put a data set on the list whose source is the server."""

    def put(**changes):
        facts = {
            "name": "psl", "title": "suffixes", "url": f"{server.url}/psl.dat", "licence": "free",
            "citation": "nobody", "file": "psl-1.dat", "size": len(CONTENT), "sha256": DIGEST,
        } | changes  # fmt: skip
        monkeypatch.setattr("quiff.logs.registry.DATASETS", {facts["name"]: Dataset(**facts)})

    put()
    return put


def left_in(folder):
    return sorted(p.name for p in folder.rglob("*")) if folder.exists() else []


def failure(name="psl", **options):
    with pytest.raises(QuiffError) as caught:
        fetch(name, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_data_set_is_fetched_once_and_then_taken_from_the_cache(listed, server, cache):
    server.serve("/psl.dat", CONTENT)
    assert server.requests == []  # nothing is fetched unless asked
    for _ in range(3):
        path = fetch("psl")
        assert path == cache / "psl-1.dat"
        assert path.read_bytes() == CONTENT
    assert server.requests == ["/psl.dat"]
    assert left_in(cache) == ["psl-1.dat"]


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: data[:-1] + b"x"])
def test_a_damaged_file_in_the_cache_is_fetched_again(listed, server, cache, damage):
    server.serve("/psl.dat", CONTENT)
    path = fetch("psl")
    path.write_bytes(damage(CONTENT))
    assert fetch("psl").read_bytes() == CONTENT
    assert len(server.requests) == 2


def test_a_damaged_file_is_not_handed_out_when_there_is_no_network(listed, server, cache):
    server.serve("/psl.dat", CONTENT)
    fetch("psl").write_bytes(b"damaged")
    server.answers.clear()
    assert "404" in failure()


def test_a_wrong_digest(listed, server, cache):
    server.serve("/psl.dat", CONTENT[:-1] + b"x")
    message = failure()
    worded(message)
    assert f"{server.url}" in message
    assert f"instead of {DIGEST}" in message
    assert left_in(cache) == []


def test_a_file_that_is_cut_off_by_the_server(listed, server, cache):
    server.serve("/psl.dat", CONTENT[:1000])
    message = failure()
    worded(message, 1000)
    assert f"{len(CONTENT)}" in message
    assert left_in(cache) == []


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # pooch leaves it to the collector
def test_a_connection_that_breaks_off(listed, server, cache):
    server.serve("/psl.dat", CONTENT[:1000], length=len(CONTENT))
    worded(failure())
    assert left_in(cache) == []


def test_a_file_without_end_is_not_taken(listed, server, cache):
    server.serve("/psl.dat", CONTENT * 20)
    with refused(SizeError, len(CONTENT)):
        fetch("psl")
    assert left_in(cache) == []


@pytest.mark.parametrize(("status", "reason"), [(404, "Not Found"), (403, "Forbidden"), (503, "Service")])
def test_an_http_error(listed, server, cache, status, reason):
    server.serve("/psl.dat", b"a page that says so", status)
    message = failure()
    worded(message)
    assert f"{status}" in message
    assert f"{reason}" in message
    assert left_in(cache) == []


def test_no_network(listed, cache):
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        listed(url=f"http://127.0.0.1:{taken.getsockname()[1]}/psl.dat")
        message = failure()
    assert "no connection to 127.0.0.1" in message
    assert "--mirror" in message
    assert left_in(cache) == []


def test_a_failure_leaves_the_other_files_of_the_cache_alone(listed, server, cache):
    cache.mkdir()
    (cache / "other").write_text("mine")
    failure()
    assert left_in(cache) == ["other"]


def test_a_cache_that_cannot_be_written(listed, server, tmp_path, monkeypatch):
    server.serve("/psl.dat", CONTENT)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("QUIFF_CACHE", str(tmp_path / "file"))
    assert "cannot write" in failure()


def test_the_cache_is_the_operating_systems_unless_named(monkeypatch, tmp_path):
    monkeypatch.delenv("QUIFF_CACHE", raising=False)
    assert cache_folder() == pooch.os_cache("quiff")
    monkeypatch.setenv("QUIFF_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path


def test_unknown_names(listed):
    for name in ("nonsense", "", "PSL", "../psl"):
        with refused(LabelError):
            fetch(name)
    with refused(LabelError):
        fetch("psl/psl-1.dat")


class TestMirror:
    @pytest.fixture
    def copies(self, tmp_path):
        folder = tmp_path / "copies"
        folder.mkdir()
        (folder / "psl-1.dat").write_bytes(CONTENT)
        return folder

    @pytest.mark.parametrize("by", ["argument", "variable"])
    def test_it_is_asked_first_and_nothing_is_fetched(self, listed, server, cache, copies, by, monkeypatch):
        if by == "variable":
            monkeypatch.setenv("QUIFF_MIRROR", str(copies))
        assert fetch("psl", copies if by == "argument" else None) == copies / "psl-1.dat"
        assert server.requests == []
        assert left_in(cache) == []

    def test_the_argument_comes_before_the_variable(self, listed, copies, tmp_path, monkeypatch):
        monkeypatch.setenv("QUIFF_MIRROR", str(tmp_path / "nowhere"))
        assert fetch("psl", copies) == copies / "psl-1.dat"

    def test_a_copy_is_checked(self, listed, server, cache, copies, monkeypatch):
        monkeypatch.setenv("QUIFF_MIRROR", str(copies))
        server.serve("/psl.dat", CONTENT)
        (copies / "psl-1.dat").write_bytes(CONTENT[:-1] + b"x")
        message = failure()
        worded(message)
        assert f"{copies / 'psl-1.dat'}" in message
        (copies / "psl-1.dat").write_bytes(CONTENT[:100])
        worded(failure(mirror=copies), 100)
        assert server.requests == []

    def test_a_mirror_that_is_asked_for_must_have_the_copy(self, listed, server, cache, copies):
        server.serve("/psl.dat", CONTENT)
        fetch("psl")
        (copies / "psl-1.dat").unlink()
        with refused(ParameterError):
            fetch("psl", copies)

    def test_behind_the_variable_come_cache_and_network(self, listed, server, cache, copies, monkeypatch):
        monkeypatch.setenv("QUIFF_MIRROR", str(copies))
        (copies / "psl-1.dat").unlink()
        server.serve("/psl.dat", CONTENT)
        assert fetch("psl") == cache / "psl-1.dat"

    def test_a_mirror_that_is_not_there(self, listed, cache, tmp_path, monkeypatch):
        with refused(ParameterError):
            fetch("psl", tmp_path / "nowhere")
        monkeypatch.setenv("QUIFF_MIRROR", str(tmp_path / "nowhere"))
        with refused(ParameterError):
            fetch("psl")

    @pytest.mark.parametrize(
        "name", [entry.name for entry in DATASETS.values() if not (entry.is_record or entry.by_hand)]
    )
    def test_the_copies_at_hand_pass_the_check(self, mirror, name):
        assert fetch(name, mirror) == mirror / DATASETS[name].file


class TestArchive:
    """An archive whose members are pinned, not its bytes."""

    def archive(self, lists, **beside):
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as archive:
            for name, content in lists.items():
                archive.writestr(f"top/lists/{name}", content)
            for name, content in beside.items():
                archive.writestr(name, content)
        return data.getvalue()

    @pytest.fixture
    def pinned(self, listed):
        line = f"{hashlib.sha256(b'url').hexdigest()}  it.csv\n"
        listed(file="lists.zip", folder="lists", size=1, sha256=hashlib.sha256(line.encode()).hexdigest())

    def test_other_bytes_with_the_same_members_are_taken(self, pinned, server, cache):
        server.serve("/psl.dat", self.archive({"it.csv": "url"}, README="hello"))
        assert fetch("psl") == cache / "lists.zip"
        (cache / "lists.zip").write_bytes(self.archive({"it.csv": "url"}))
        fetch("psl")
        assert len(server.requests) == 1

    @pytest.mark.parametrize(
        ("lists", "beside", "reason"),
        [
            ({"it.csv": "URL"}, {}, "digest"),
            ({"it.csv": "url", "us.csv": ""}, {}, "digest"),
            ({"it.csv": "url"}, {"../up": "1"}, "would leave its folder"),
        ],
    )
    def test_other_members_are_not(self, pinned, server, cache, lists, beside, reason):
        server.serve("/psl.dat", self.archive(lists, **beside))
        assert reason in failure()
        assert left_in(cache) == []

    def test_what_is_no_archive_is_not(self, pinned, server, cache):
        server.serve("/psl.dat", b"an apology")
        worded(failure())
        assert left_in(cache) == []


class TestRecord:
    """A record with a DOI, as Zenodo describes it."""

    FILES = {"AOL-treated.csv": b"RandID\n1\n" * 100, "AOL-experimental.csv": b"RandID\n2\n" * 100}  # noqa: RUF012

    @pytest.fixture
    def record(self, listed, server, monkeypatch):
        listed(name="tables", url="doi:10.1/9", file="tables-9", size=None, sha256=None)
        monkeypatch.setattr(
            "pooch.downloaders.doi_to_url", lambda doi, **rest: f"https://zenodo.org/records/{doi[5:]}"
        )
        monkeypatch.setattr("pooch.downloaders.ZenodoRepository.base_api_url", server.url)

        def describe(files):
            listing = [
                {
                    "key": name,
                    "checksum": f"md5:{hashlib.md5(data, usedforsecurity=False).hexdigest()}",
                    "links": {"self": f"{server.url}/file/{i}"},
                }
                for i, (name, data) in enumerate(files.items())
            ]
            server.serve("/9", json.dumps({"id": 9, "files": listing}).encode())
            for i, data in enumerate(files.values()):
                server.serve(f"/file/{i}", data)

        describe(self.FILES)
        return describe

    def test_all_files(self, record, server, cache):
        folder = fetch("tables")
        assert folder == cache / "tables-9"
        assert left_in(folder) == ["AOL-experimental.csv", "AOL-treated.csv", "digests.json"]
        for name, data in self.FILES.items():
            assert (folder / name).read_bytes() == data
        server.requests.clear()
        assert fetch("tables") == folder
        assert server.requests == []

    def test_one_file(self, record, cache):
        path = fetch("tables/AOL-treated.csv")
        assert path.read_bytes() == self.FILES["AOL-treated.csv"]
        assert left_in(path.parent) == ["AOL-treated.csv", "digests.json"]
        with refused(LabelError):
            fetch("tables/nonsense")

    def test_a_damaged_file_is_fetched_again(self, record, cache):
        path = fetch("tables/AOL-treated.csv")
        path.write_bytes(b"damaged")
        assert fetch("tables/AOL-treated.csv").read_bytes() == self.FILES["AOL-treated.csv"]

    def test_a_wrong_digest(self, record, server, cache):
        server.serve("/file/0", b"something else")
        worded(failure("tables"))
        assert left_in(cache) == ["digests.json", "tables-9"]

    def test_a_mirror_with_the_digests_needs_no_network(self, record, server, cache, tmp_path):
        fetch("tables")
        cache.rename(tmp_path / "copies")
        server.requests.clear()
        assert fetch("tables", tmp_path / "copies") == tmp_path / "copies" / "tables-9"
        (tmp_path / "copies" / "tables-9" / "AOL-treated.csv").write_bytes(b"damaged")
        worded(failure("tables", mirror=tmp_path / "copies"))
        (tmp_path / "copies" / "tables-9" / "AOL-treated.csv").unlink()
        assert "cannot read" in failure("tables", mirror=tmp_path / "copies")
        (tmp_path / "copies" / "tables-9" / "digests.json").unlink()
        assert server.requests == []

    @pytest.mark.parametrize("name", ["../up.csv", "/etc/x", "a/b.csv", "digests.json", "a\nb"])
    def test_a_record_cannot_name_a_place_outside(self, record, cache, name):
        record({name: b"1"})
        worded(failure("tables"))
        assert left_in(cache) == []

    @pytest.mark.parametrize(
        "answer",
        [b"an apology", b"{}", b'{"files": []}', b'{"files": [{"key": "a", "checksum": "md5:x"}]}', b"[]"],
    )
    def test_an_answer_that_makes_no_sense(self, record, server, cache, answer):
        server.serve("/9", answer)
        failure("tables")
        assert left_in(cache) == []

    def test_the_kept_digests_are_checked_as_data(self, record, cache):
        (fetch("tables") / "digests.json").write_text('{"../up": "md5:0123456789abcdef0123456789abcdef"}')
        worded(failure("tables"))
        (cache / "tables-9" / "digests.json").write_text("[")
        assert "cannot read" in failure("tables")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_progress_bar_is_for_terminals_only(listed, server, capfd, monkeypatch):
    server.serve("/psl.dat", CONTENT)
    monkeypatch.setenv("FORCE_COLOR", "1")
    path = fetch("psl")
    assert capfd.readouterr() == ("", "")
    path.unlink()
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    fetch("psl")
    assert "psl-1.dat" in terminal.getvalue()
    assert capfd.readouterr().out == ""


def test_there_need_be_no_stderr(listed, server, monkeypatch):
    server.serve("/psl.dat", CONTENT)
    monkeypatch.setattr("sys.stderr", None)
    assert fetch("psl").read_bytes() == CONTENT


HEAD = f"HTTP/1.0 200 OK\r\nContent-Length: {len(CONTENT)}\r\n\r\n".encode()


@pytest.mark.parametrize(
    "dripped", [HEAD + CONTENT, b"HTTP/1.0 200 OK\r\nX: " + b"x" * 60_000], ids=["body", "head"]
)
def test_a_server_that_drips_is_given_up_after_the_time_limit(listed, server, cache, dripped):
    server.serve("/psl.dat", dripped, status="drip")  # all of it would take an hour
    message = failure(time_limit=1.5)
    worded(message, 1.5)
    assert f"{server.url}" in message
    assert left_in(cache) == []
    if dripped.startswith(HEAD):
        assert server.broken.wait(60)  # the connection is broken, too, and no thread waits for more


def test_a_record_that_drips_is_given_up(listed, server, cache, monkeypatch):
    monkeypatch.setattr(pooch.Pooch, "load_registry_from_doi", lambda self: server.stopped.wait(600))
    listed(name="zenodo", url="doi:10.5281/zenodo.0", file="zenodo", size=None, sha256=None)
    assert "after 0.1 seconds" in failure("zenodo", time_limit=0.1)
    assert left_in(cache) == []


def test_a_time_limit_is_above_zero(listed, cache):
    worded(failure(time_limit=0), 0)


def test_what_only_people_may_download_is_told(tmp_path):
    with refused(QuiffError):
        fetch("google-topics")
    assert local_copy("google-topics", tmp_path) is None
