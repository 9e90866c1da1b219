"""Scratch of dead runs goes with the next run; that of others, and of runs that live, stays."""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quiff.io import scratch, whole_file, whole_folder, write_text
from quiff.io.targets import MARKER

HOLD = """
import sys, time
from pathlib import Path
from quiff.io import scratch, whole_file
with whole_file(sys.argv[1]) as new:
    new.write_text("half")
    scratch.make_temporary("duckdb")
    print("ready", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """A folder for the system's temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


@pytest.fixture
def running(tmp_path, temporary):
    """A run in another process that has half of a file, and temporary files."""
    (tmp_path / "out").mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path / "out" / "a.txt"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def left(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_a_killed_run_left_goes_with_the_next(running, tmp_path, temporary):
    (hidden,) = (tmp_path / "out").iterdir()
    (spilled,) = temporary.iterdir()
    assert stat.S_IMODE(hidden.stat().st_mode) == stat.S_IMODE(spilled.stat().st_mode) == 0o700
    running.kill()
    running.wait()
    write_text(tmp_path / "out" / "b.txt", "whole")
    assert left(tmp_path / "out") == ["b.txt"]
    scratch.drop(scratch.make_temporary("spark"))
    assert left(temporary) == []


def test_what_a_living_run_has_stays(running, tmp_path, temporary):
    before = left(tmp_path / "out") + left(temporary)
    write_text(tmp_path / "out" / "b.txt", "whole")
    scratch.drop(scratch.make_temporary("spark"))
    assert left(tmp_path / "out") + left(temporary) == [*before[:1], "b.txt", *before[1:]]


def test_a_process_that_has_ended_but_is_not_waited_for_is_dead(running, tmp_path):
    running.kill()
    while Path(f"/proc/{running.pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)
    write_text(tmp_path / "out" / "b.txt", "whole")
    assert left(tmp_path / "out") == ["b.txt"]


def changed(name, field, value):
    """Change one field of the name of a scratch folder."""
    parts = name.removesuffix(".tmp").removeprefix(".").split("-")
    parts[field] = value
    return f".{'-'.join(parts)}.tmp"


HOST, BOOT, SPACE, PROCESS, START = range(1, 6)


@pytest.mark.parametrize(
    ("field", "value", "stays"),
    [
        (HOST, "0" * 12, True),  # another machine on shared storage
        (SPACE, "1", True),  # another container, whose process has a number of its own
        (PROCESS, "4194305", False),  # no such process: beyond the most that there can be
        (START, "1", False),  # the number was given to another process
        (None, None, True),  # this very process
    ],
)
def test_the_name_tells_whose_it_is(tmp_path, field, value, stays):
    own = scratch.make(tmp_path)
    scratch._live.pop(own)
    name = own.name if field is None else changed(own.name, field, value)
    (own / "names.txt").write_text("who is who")
    own.rename(tmp_path / name)
    scratch.sweep(tmp_path)
    assert left(tmp_path) == ([name] if stays else [])


@pytest.mark.parametrize("known", [True, False])
def test_what_is_left_from_before_a_restart_goes_where_the_machine_is_known(tmp_path, monkeypatch, known):
    monkeypatch.setattr(scratch, "_machine_id", lambda: "a machine" if known else "")
    scratch._machine.cache_clear()
    own = scratch.make(tmp_path)
    scratch._live.pop(own)
    own.rename(tmp_path / changed(own.name, BOOT, "0" * 8))
    scratch.sweep(tmp_path)
    scratch._machine.cache_clear()
    assert (left(tmp_path) == []) == known


def test_another_users_is_left_alone(tmp_path, monkeypatch):
    own = scratch.make(tmp_path)
    scratch._live.pop(own)
    dead = tmp_path / changed(own.name, PROCESS, "4194305")
    own.rename(dead)
    monkeypatch.setattr("os.getuid", lambda: os.geteuid() + 1)
    scratch.sweep(tmp_path)
    assert left(tmp_path) == [dead.name]


def test_a_link_of_such_a_name_is_not_followed(tmp_path):
    own = scratch.make(tmp_path)
    scratch.drop(own)
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "a.txt").write_text("years of work")
    (tmp_path / changed(own.name, PROCESS, "4194305")).symlink_to("thesis")
    scratch.sweep(tmp_path)
    assert (tmp_path / "thesis" / "a.txt").exists()


BETWEEN = """
import os, signal, sys
from pathlib import Path
from quiff.io import whole_folder
with whole_folder(sys.argv[1], force=True) as new:
    (new / "b.csv").write_text("new")
    Path.replace = lambda self, target: os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_folder_moved_aside_by_a_killed_run_is_put_back(tmp_path):
    with whole_folder(tmp_path / "t") as new:
        (new / "a.csv").write_text("old")
    killed = subprocess.run([sys.executable, "-c", BETWEEN, tmp_path / "t"], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "t").exists()
    scratch.sweep(tmp_path)
    assert left(tmp_path) == ["t"]
    assert left(tmp_path / "t") == [MARKER, "a.csv"]
    assert (tmp_path / "t" / "a.csv").read_text() == "old"


def test_a_signal_waits_until_all_outputs_have_their_names(tmp_path, monkeypatch):
    real = os.link

    def link(source, target):
        os.kill(os.getpid(), signal.SIGINT)
        real(source, target)

    monkeypatch.setattr("os.link", link)

    def written():
        with whole_file(tmp_path / "a.txt") as new:
            new.write_text("whole")

    with pytest.raises(KeyboardInterrupt):
        written()
    assert left(tmp_path) == ["a.txt"]


def failed(path):
    with whole_file(path, public=True):
        raise RuntimeError


def test_folders_that_somebody_makes_after_a_failure_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch, "_live", {})
    with pytest.raises(RuntimeError):
        failed(tmp_path / "new" / "sub" / "x.txt")
    assert left(tmp_path) == []
    (tmp_path / "new" / "sub").mkdir(parents=True)
    scratch.drop_all()
    assert left(tmp_path / "new") == ["sub"]


def test_what_an_engine_writes_after_a_failure_goes_with_its_folders(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch, "_live", {})
    with pytest.raises(RuntimeError):
        failed(tmp_path / "new" / "sub" / "x.txt")
    (late,) = scratch._live
    late.mkdir(parents=True)
    scratch.drop_all()
    assert left(tmp_path) == []


def test_on_other_systems_no_process_is_sent_a_signal(monkeypatch):
    sent = []
    with monkeypatch.context() as patch:
        patch.setattr(scratch, "_text", lambda path: "")  # there is no /proc
        patch.setattr("os.kill", lambda *said: sent.append(said))
        patch.setattr("os.name", "nt")
        start = scratch._start_of(4194305)
    assert (start, sent) == ("0", [])
