"""A run that is told to end does so: one line, the status of the signal, and nothing left behind."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from quiff.cli.signals import Ended, ending
from quiff.logs.synth import SyntheticLog, write_log
from words import worded

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def begun(folder, code, *arguments):
    """Start Python with some code, which says "ready" when it may be ended, and return the process."""
    (folder / "temporary").mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "temporary")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: [signal.signal(number, signal.SIG_DFL) for number in SIGNALS],
    )
    while (line := process.stdout.readline()) != "ready\n":
        assert line, process.communicate()
    return process


def check_end(process, number, folder, *left):
    said, told = process.communicate(timeout=300)
    assert process.returncode == 128 + number, told
    told = told.removeprefix("WARNING: Using incubator modules: jdk.incubator.vector\n")  # Java on Spark
    assert told == f"Ended by {number.name}; what was not finished is removed.\n"
    assert said == ""
    assert {path.name for path in folder.iterdir()} == {"temporary", *left}
    assert list((folder / "temporary").iterdir()) == []


# A query that would take hours, in the midst of a stage: the main thread waits inside of DuckDB.
QUERY = """
import threading
import quiff.logs.treat as treating
from quiff.cli import main

def judged(log, times):
    threading.Timer(0.5, lambda: print("ready", flush=True)).start()
    long = "SELECT sum(length(a::VARCHAR || b::VARCHAR)) AS n FROM range(10000000) x(a), range(10000000) y(b)"
    return log.table.get_backend().sql(long)

treating.judged = judged
main(["treat", "log.txt", "--out", "out"])
"""


# A finaliser, out of which Python lets no exception, is at work when the signal comes.
FINALISER = """
import time
import weakref
from pathlib import Path
import click
from quiff.cli import main

class Engine:
    pass

def drop():
    print("ready", flush=True)
    end = time.monotonic() + 60  # the signal breaks it off
    while time.monotonic() < end:
        time.sleep(0.01)

def work():
    engine = Engine()
    weakref.finalize(engine, drop)
    del engine
    WAIT

command = click.Command("apis", callback=work)
main.get_command = lambda ctx, name: command
main(["apis"])
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("wait", ["time.sleep(100)", "pass"])
def test_a_signal_inside_a_finaliser_ends_the_run(tmp_path, number, wait):
    process = begun(tmp_path, FINALISER.replace("WAIT", wait))
    process.send_signal(number)
    check_end(process, number, tmp_path)


@pytest.fixture
def log(tmp_path):
    rows = "".join(f"{k}\tq\t2006-03-01 00:00:00\t1\thttp://s{k}.com\n" for k in range(100))
    (tmp_path / "log.txt").write_text(f"AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n{rows}")
    return tmp_path


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        pytest.param(signal.SIGINT, marks=pytest.mark.full),
        pytest.param(signal.SIGHUP, marks=pytest.mark.full),
    ],
)
def test_in_the_midst_of_a_query_of_duckdb(log, number):
    process = begun(log, QUERY)
    process.send_signal(number)
    check_end(process, number, log, "log.txt")


# The main thread is in a library that has let go of Python, and sees no signal at all.
DEAF = """
import hashlib
import threading
from quiff.cli import main
from quiff.io import scratch, whole_file

def list_data():
    with whole_file("a.txt") as new:
        new.write_text("half")
        scratch.make_temporary("duckdb")
        threading.Timer(0.3, lambda: print("ready", flush=True)).start()
        hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000_000)  # half an hour without Python

import quiff.cli.data
quiff.cli.data.list_data = list_data
main(["data", "list"])
"""


def test_in_the_midst_of_a_library(tmp_path):
    process = begun(tmp_path, DEAF)
    process.send_signal(signal.SIGTERM)
    check_end(process, signal.SIGTERM, tmp_path)


@pytest.mark.full
def test_nobody_need_be_left_to_read_the_line(tmp_path):
    process = begun(tmp_path, DEAF)
    process.stdout.close()
    process.stderr.close()
    process.send_signal(signal.SIGTERM)
    try:
        assert process.wait(timeout=300) == 128 + signal.SIGTERM
    finally:
        process.kill()


@pytest.mark.full
def test_nor_need_there_be_a_stderr(tmp_path):
    code = DEAF.replace('hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000_000)', "threading.Event().wait()")
    process = begun(tmp_path, f"import sys; sys.stderr = None\n{code}")  # as Python has it on 2>&-
    process.send_signal(signal.SIGTERM)
    assert process.communicate(timeout=300) == ("", "")
    assert process.returncode == 128 + signal.SIGTERM
    assert [path.name for path in tmp_path.iterdir()] == ["temporary"]


STUBBORN = """
import time
from quiff.cli import main
from quiff.io import whole_file

def list_data():
    try:
        with whole_file("a.txt") as new:
            new.write_text("half")
            print("ready", flush=True)
            time.sleep(600)
    finally:
        print("tidying up", flush=True)
        time.sleep(600)

import quiff.cli.data
quiff.cli.data.list_data = list_data
main(["data", "list"])
"""


def test_a_second_signal_ends_what_takes_long_to_tidy_up(tmp_path):
    process = begun(tmp_path, STUBBORN)
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "tidying up\n"
    process.send_signal(signal.SIGINT)
    check_end(process, signal.SIGINT, tmp_path)


SLOW_SERVER = """
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
import time
from dataclasses import replace
from quiff.cli import main
from quiff.logs import fetch, registry

class Slow(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        self.wfile.write(b"x" * 1000)
        self.wfile.flush()
        print("ready", flush=True)
        time.sleep(600)
    def log_message(self, *_):
        pass

server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
server.daemon_threads = True
Thread(target=server.serve_forever, daemon=True).start()
slow = replace(registry.dataset("psl"), url=f"http://127.0.0.1:{server.server_port}/list", size=1000000)
fetch.dataset = lambda name: slow
main(["data", "get", "psl"])
"""


def test_in_the_midst_of_a_download(tmp_path, monkeypatch):
    monkeypatch.delenv("QUIFF_MIRROR", raising=False)
    monkeypatch.setenv("QUIFF_CACHE", str(tmp_path / "cache"))
    process = begun(tmp_path, SLOW_SERVER)
    process.send_signal(signal.SIGTERM)
    check_end(process, signal.SIGTERM, tmp_path)


@pytest.mark.full
def test_in_the_midst_of_spark(tmp_path):
    pytest.importorskip("pyspark")
    write_log(SyntheticLog(users=2000, seed=1), tmp_path / "log")
    code = """
import threading
from pathlib import Path
from quiff.cli import main

def watch():
    while not list(Path("out").glob(".quiff-*/*/*")):  # a table is being written
        threading.Event().wait(0.02)
    print("ready", flush=True)

threading.Thread(target=watch, daemon=True).start()
main(["treat", "log/log-01.txt.gz", "--out", "out", "--engine", "spark"])
"""
    process = begun(tmp_path, code)
    process.send_signal(signal.SIGTERM)
    check_end(process, signal.SIGTERM, tmp_path, "log")


def test_signals_that_are_ignored_stay_so(tmp_path):
    code = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n" + STUBBORN
    process = begun(tmp_path, code)
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGTERM)
    assert process.stdout.readline() == "tidying up\n"
    process.send_signal(signal.SIGTERM)
    check_end(process, signal.SIGTERM, tmp_path)


def test_a_command_in_another_thread_and_afterwards_signals_are_as_before():
    from click.testing import CliRunner

    from quiff.cli import main

    before = [signal.getsignal(number) for number in SIGNALS]
    told = []
    thread = threading.Thread(target=lambda: told.append(CliRunner().invoke(main, ["theory"]).exit_code))
    thread.start()
    thread.join()
    assert CliRunner().invoke(main, ["theory"]).exit_code == 0
    assert told == [0]
    assert [signal.getsignal(number) for number in SIGNALS] == before
    assert signal.set_wakeup_fd(-1) == -1


@pytest.mark.skipif(os.name != "posix", reason="only where there are such signals")
@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_breaks_off_only_what_catches_it(number):
    """While all is set up or over nobody would catch it, and click would write a line of its own."""
    with ending() as end:
        signal.raise_signal(number)
        with pytest.raises(Ended):
            end.arm()
        assert end.number == number
    with ending() as end:
        end.arm()
        end.disarm()
        signal.raise_signal(number)


def test_a_usual_end_is_no_failure_whoever_ends_the_process():
    """The explorer may take its time to close connections; then it is the listener that ends the process."""
    code = """
import signal, sys, time
from quiff.cli.signals import Ending, ending
with ending() as end:
    end.expect(signal.SIGINT, "It has ended.")
    signal.signal(signal.SIGINT, lambda *_: None)  # as a server that is slow to end
    print("ready", flush=True)
    time.sleep(60)
    sys.exit(1)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    worded(process.communicate(timeout=300)[1])
    assert process.returncode == 0
