"""The recipe for a data set gives one that is listed, fetched and checked."""

import hashlib
import http.server
import json
import threading
from functools import partial

import pytest
from kitchen import follow

NAME = "two-sites"
FILE = "two-sites.csv"
COMMAND = "import sys; from quiff.cli import main; main(sys.argv[1:])"


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory):
    return follow("Add a data set", tmp_path_factory.mktemp("data"))


@pytest.fixture
def mirror(kitchen, tmp_path):
    """A folder with a copy, as the recipe shows the file."""
    (tmp_path / FILE).write_bytes((kitchen.folder / FILE).read_bytes())
    return tmp_path


def get(kitchen, *options, cache, **more):
    env = {"QUIFF_MIRROR": "", "QUIFF_CACHE": str(cache)}
    return kitchen.python("-c", COMMAND, "data", "get", NAME, *options, "--json", **env, **more)


def test_the_recipe_keeps_the_lists_tests(kitchen, mirror):
    tests = ("tests/logs/test_registry.py", "tests/cli/test_data.py")
    kitchen.pytest(
        *tests,
        "--snapshot-update",  # `make words`: the list has one entry more
        "-k",
        f"{NAME} or all_data_sets or the_list_names or the_list_in_json",
        QUIFF_MIRROR=str(mirror),
    )


def test_the_new_data_set_is_listed(kitchen):
    listed = json.loads(kitchen.python("-c", COMMAND, "data", "list", "--json").stdout)
    (entry,) = (entry for entry in listed if entry["name"] == NAME)
    content = (kitchen.folder / FILE).read_bytes()
    assert (entry["size"], entry["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())


def test_it_is_taken_from_a_mirror_if_it_is_the_right_copy(kitchen, mirror, tmp_path):
    (found,) = json.loads(get(kitchen, "--mirror", str(mirror), cache=tmp_path / "cache").stdout)
    assert found["path"] == str(mirror / FILE)
    assert found["licence"] == "CC0-1.0"
    (mirror / FILE).write_bytes((mirror / FILE).read_bytes().replace(b"Art", b"Ads"))
    done = get(kitchen, "--mirror", str(mirror), cache=tmp_path / "cache", check=False)
    assert done.returncode == 1
    assert f"is not the pinned copy of '{NAME}'" in done.stderr


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Say nothing."""


def test_it_is_fetched_from_its_address_into_the_cache(kitchen, mirror, tmp_path):
    registry = kitchen.folder / "src/quiff/logs/registry.toml"
    written = registry.read_text()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=mirror)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        here = f"http://127.0.0.1:{server.server_address[1]}"
        commit = "https://example.org/0123456789abcdef0123456789abcdef01234567"
        assert written.count(commit) == 1
        registry.write_text(written.replace(commit, here))
        try:
            (found,) = json.loads(get(kitchen, cache=tmp_path / "cache").stdout)
        finally:
            registry.write_text(written)
            server.shutdown()
    assert found["path"] == str(tmp_path / "cache" / FILE)
    assert (tmp_path / "cache" / FILE).read_bytes() == (mirror / FILE).read_bytes()
