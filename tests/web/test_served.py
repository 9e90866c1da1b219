"""The explorer as people start it: ports, tokens, load, and an end at once."""

import signal
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.client import HTTPConnection
from itertools import repeat
from time import sleep

import httpx
import psutil
import pytest
from click.testing import CliRunner

from quiff.cli import main
from quiff.errors import ParameterError
from quiff.web.serve import find_place
from web.served import COMMAND, PAGE, PROFILES, served
from words import worded


def test_a_port_in_use_gives_the_next_free_one():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        place = find_place(port=port)
        assert place.access.port > port
        place.listener.close()


def test_this_machine_needs_no_token_and_every_other_address_has_one():
    for host in ("127.0.0.1", "localhost"):
        place = find_place(host, 0)
        assert place.access.token is None
        place.listener.close()
    place = find_place("0.0.0.0", 0)  # noqa: S104 - what is tested
    assert place.link.endswith(f":{place.access.port}/{place.access.token}/")
    assert place.access.any_address
    place.listener.close()


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_an_address_of_elsewhere_is_refused(host):
    with pytest.raises(ParameterError) as caught:
        find_place(host, 0)
    assert repr(host) in str(caught.value)


def test_a_file_that_is_not_there_is_told_in_one_line():
    result = CliRunner().invoke(main, ["explore", "nothing.parquet", "--no-browser"])
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    worded(result.stderr)
    assert result.stderr.count("\n") == 1


@pytest.mark.full
def test_it_says_that_a_port_is_in_use_and_where_it_is(tmp_path):
    path = tmp_path / "profiles.csv"
    path.write_text(PROFILES.replace("\n", ",1\n").replace("t2,1", "t2,weight"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with served(path, "--port", port, "--weights", "weight") as explorer:
            assert str(port) in explorer.told[0]
            assert httpx.get(f"{explorer.link}api/settings", headers=PAGE).json()["file"]["users"] == 3


@pytest.mark.full
def test_an_api_of_the_command_line_gets_its_column_and_a_request_runs_no_file(tmp_path):
    people, own, other = (tmp_path / name for name in ("people.csv", "own.py", "other.py"))
    people.write_text("user,country\na,BR\nb,UY\nc,BR\n")
    program = "import quiff\n@quiff.program\ndef shown(user, draw):\n    return user.country\n"
    own.write_text(program)
    other.write_text(program + f"open({str(tmp_path / 'run')!r}, 'w')\n")
    with served(people, "--api", f"{own}:shown") as running:
        settings = httpx.get(f"{running.link}api/settings", timeout=300, headers=PAGE).json()
        assert settings["file"]["attributes"] == ["country"]
        assert "shown" in {api["name"] for api in settings["apis"]}
        for path in ("design", "studies", "people"):
            for spec in (f"{other}:shown", f"shown+{other}:shown", f"fitted:weights={other}"):
                asked = httpx.get(
                    f"{running.link}api/{path}", params={"api": spec}, timeout=300, headers=PAGE
                )
                assert asked.status_code == 400
                assert "there is no API" in asked.text
    assert not (tmp_path / "run").exists()


def test_a_process_that_has_computed_nothing_yet_answers():
    with served() as explorer:
        answer = httpx.get(f"{explorer.link}api/design?api=topics", timeout=300, headers=PAGE)
        assert answer.status_code == 200


def test_beyond_this_machine_the_link_has_the_token():
    with served("--host", "0.0.0.0") as explorer:  # noqa: S104 - what is tested
        port, token = explorer.link.rstrip("/").split(":")[2].split("/")
        assert httpx.get(f"http://127.0.0.1:{port}/{token}/api/settings").status_code == 200
        assert httpx.get(f"http://127.0.0.1:{port}/api/settings").status_code == 403


@pytest.mark.full
def test_ctrl_c_ends_it_at_once_with_a_study_at_work():
    with served() as explorer:
        with httpx.stream("GET", f"{explorer.link}api/people?n=50000", timeout=300, headers=PAGE) as stream:
            next(stream.iter_lines())
            explorer.process.send_signal(signal.SIGINT)
            assert explorer.process.wait(timeout=300) == 0
        worded(explorer.process.stdout.read())


@pytest.mark.full
def test_other_signals_end_it_like_any_command():
    with served() as explorer:
        explorer.process.send_signal(signal.SIGTERM)
        assert explorer.process.wait(timeout=300) == 128 + signal.SIGTERM
        worded(explorer.process.stdout.read())


@pytest.mark.full
def test_a_thousand_requests_from_several_clients_leave_memory_flat():
    with served() as explorer:
        process = psutil.Process(explorer.process.pid)
        _load(explorer.link, clients=8, requests=15)
        before = process.memory_info().rss
        statuses = _load(explorer.link, clients=8, requests=125)
        grown = process.memory_info().rss - before
    assert len(statuses) == 1000
    assert set(statuses) == {200}
    print(f"\n1000 requests from 8 clients: memory grew by {grown / 2**20:.1f} MiB")  # noqa: T201 - measured
    assert grown < 64 * 2**20


def _load(link, clients, requests):
    with ThreadPoolExecutor(clients) as pool:
        found = pool.map(_client, repeat(link), range(clients), repeat(requests))
        return [status for statuses in found for status in statuses]


def _client(link, number, requests):
    paths = ("api/design?api=topics:noise=0.{i:03d},top_s={s}&api2=topics:n_topics=v2",
             "api/paper?words={s}", "static/page.css", "download/design-table.csv?api=topics:noise=0.{i:03d}",
             "api/design?api=topics:n_topics={m}&users={m}000")  # fmt: skip
    client, statuses = HTTPConnection(httpx.URL(link).netloc.decode(), timeout=300), []
    for i in range(requests):
        path = "/" + paths[i % len(paths)].format(i=i, s=1 + (i + number) % 9, m=100 + i)
        client.request("GET", path, headers=PAGE)
        answer = client.getresponse()
        answer.read()
        statuses.append(answer.status)
    client.close()
    return statuses


def test_the_command_is_there():
    told = subprocess.run([*COMMAND, "--help"], capture_output=True, text=True, check=True).stdout
    assert "--no-browser" in told


HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:1\r\n"


@pytest.mark.full
def test_half_open_connections_keep_nobody_out():
    with served() as explorer, ExitStack() as opened:
        port = httpx.URL(explorer.link).port
        for number in range(400):
            connection = opened.enter_context(socket.create_connection(("127.0.0.1", port)))
            connection.sendall(HALF if number % 2 else b"")
        statuses = [
            httpx.get(f"{explorer.link}api/settings", timeout=300, headers=PAGE).status_code
            for _ in range(20)
        ]
        assert statuses == [200] * 20


@pytest.mark.full
def test_who_does_not_ask_or_drips_is_ended():
    whole = b"GET /api/settings HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
    with served() as explorer, ExitStack() as opened:
        port = httpx.URL(explorer.link).port
        begun = {
            "nothing": b"",
            "a line": HALF,
            "after an answer": whole % port + b"\r\n",
            "a body": whole % port + b"Content-Length: 100000\r\n\r\n",
        }
        left = {}
        for name, start in begun.items():
            left[name] = opened.enter_context(socket.create_connection(("127.0.0.1", port)))
            left[name].sendall(start)
            left[name].settimeout(0.2)
        for _ in range(300):  # a byte each, twice a second at most, for far longer than it should take
            for name, connection in list(left.items()):
                try:
                    if name != "nothing":
                        connection.sendall(b"x")
                    if not connection.recv(100_000):
                        del left[name]
                except TimeoutError:
                    continue
                except OSError:
                    del left[name]
            if not left:
                break
        assert not left
        assert httpx.get(f"{explorer.link}api/settings", headers=PAGE).status_code == 200


@pytest.mark.full
def test_who_does_not_read_is_ended_and_others_are_answered():
    with served() as explorer, ExitStack() as opened:
        port = httpx.URL(explorer.link).port
        ask = b"GET /vega.js HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port
        for _ in range(8):
            connection = opened.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", port))
            connection.sendall(ask * 20)
        assert httpx.get(f"{explorer.link}api/settings", timeout=300, headers=PAGE).status_code == 200
        process = psutil.Process(explorer.process.pid)
        for _ in range(3000):
            held = [c for c in process.net_connections() if c.status == psutil.CONN_ESTABLISHED]
            if len(held) == 0:
                break
            sleep(0.1)
        assert held == []


@pytest.mark.full
def test_what_is_no_http_gets_a_plain_400_with_all_headers():
    with served() as explorer:
        port = httpx.URL(explorer.link).port
        for sent in (b"\x16\x03\x01\x02\x00\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\nno header\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", port), timeout=300) as connection:
                connection.sendall(sent)
                answer = b"".join(iter(lambda: connection.recv(10_000), b"")).decode()
            assert answer.startswith("HTTP/1.1 400 ")
            assert "content-security-policy: default-src 'none'" in answer.lower()
        assert explorer.process.poll() is None
