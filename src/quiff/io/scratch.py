"""Scratch: files and folders that go when their run ends, by whatever end, or with the next run.

The name of each says whose it is: the machine, its start, the space of process numbers, the process and
when that began. A run that was killed cannot tidy up; the next one that works in the same folder removes
what it left, and nothing else: the same user's, of the same machine and space of process numbers, of a
process that is no more.
"""

import atexit
import functools
import hashlib
import os
import platform
import re
import secrets
import shutil
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir
from types import FrameType
from typing import Any
from weakref import WeakSet

SIGNALS = tuple(
    number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None
)
"""The signals that tell a run to end."""

_NAME = re.compile(
    r"(?:[.]quiff-|quiff-[a-z]+-)([0-9a-f]{12})-([0-9a-f]{8})-([0-9]+)-([0-9]+)-([0-9]+)-[0-9a-f]{16}[.]tmp"
)
_NEW, _RESTORED = "new", "replaced"  # folders for outputs, and for what a run has moved aside for them
_live: dict[Path, tuple[int, Sequence[Path]]] = {}
_dropped: set[Path] = set()  # of failed runs, whose engines may write once more
_busy = threading.RLock()
_engines: WeakSet[Any] = WeakSet()


def make(folder: Path, *, private: bool = True, prefix: str = ".quiff-") -> Path:
    """Make a hidden scratch folder in a folder, and sweep there first.

    Folders that are missing on the way to it are made too, and go with it if its run fails.
    """
    sweep(folder)
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    process = os.getpid()
    owner = "-".join((*_machine(), str(process), _start_of(process) or "0"))
    path = folder / f"{prefix}{owner}-{secrets.token_hex(8)}.tmp"
    _live[path] = process, missing
    for place in (*reversed(missing), path):
        place.mkdir(mode=0o700 if private else 0o777, exist_ok=place != path)
    return path


def make_temporary(kind: str) -> Path:
    """Make a scratch folder for the system's temporary files, and sweep there first."""
    return make(Path(gettempdir()), prefix=f"quiff-{kind}-")


def drop(path: Path, *, failed: bool = False) -> None:
    """Remove a scratch folder with all that is in it.

    Of a run that has `failed`, it is remembered: an engine may still be at work, and write into it once more.
    """
    with uninterrupted():
        _, missing = _live.get(path, (0, ()))
        _remove(path, missing if failed else ())
        if failed:
            _dropped.add(path)
        else:
            _live.pop(path, None)


@atexit.register
def drop_all() -> None:
    """Remove all scratch of this process; what a broken-off exchange has moved aside is put back."""
    with uninterrupted():
        for path, (process, missing) in list(_live.items()):
            if process == os.getpid():  # not in a fork of it
                # folders that were made for scratch which went long ago may be somebody else's by now
                _remove(path, missing if path not in _dropped or path.exists() else ())
                _live.pop(path, None)
                _dropped.discard(path)


def sweep(folder: Path) -> None:
    """Remove from a folder the scratch of this user's runs that have died on this machine."""
    if os.name != "posix":
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            named = _NAME.fullmatch(entry.name)
            with suppress(OSError):  # it is gone by now
                mine = named and entry.stat(follow_symlinks=False).st_uid == os.getuid()
                if named and mine and entry.is_dir(follow_symlinks=False) and _has_died(*named.groups()):
                    with uninterrupted():
                        _remove(Path(entry.path))


def _remove(path: Path, missing: Sequence[Path] = ()) -> None:
    """Remove scratch and the folders made for it; what it has moved aside is put back where nothing is."""
    with suppress(OSError):
        for old in (path / _RESTORED).iterdir():
            if not os.path.lexists(path.parent / old.name):
                old.rename(path.parent / old.name)
    shutil.rmtree(path, ignore_errors=True)
    for place in missing:
        with suppress(OSError):  # there is something in it
            place.rmdir()


def new_folder(scratch: Path) -> Path:
    """Return the folder in a scratch folder where outputs wait for their names."""
    return scratch / _NEW


def moved_aside(scratch: Path, target: Path) -> Path:
    """Return where in a scratch folder what is at `target` waits until its exchange has succeeded."""
    place = scratch / _RESTORED
    place.mkdir(mode=0o700, exist_ok=True)
    return place / target.name


def _has_died(host: str, boot: str, space: str, process: str, start: str) -> bool:
    """Say if the process that a name tells of is no more; where that cannot be known, it is taken to live."""
    own_host, own_boot, own_space = _machine()
    if host != own_host:
        return False
    if boot != own_boot:  # before this machine was started, if that is what it was
        return bool(_machine_id())
    if space != own_space:
        return False
    now = _start_of(int(process))
    return now is None or (now != start and "0" not in (now, start))  # a number may have been given anew


@functools.cache
def _machine() -> tuple[str, str, str]:
    """Return what tells machine, its start and the space of process numbers from others."""
    host = hashlib.sha256(f"{platform.node()} {_machine_id()}".encode()).hexdigest()[:12]
    boot = _text("/proc/sys/kernel/random/boot_id").replace("-", "")[:8]
    try:
        space = str(Path("/proc/self/ns/pid").stat().st_ino)
    except OSError:  # no Linux
        space = "0"
    return host, boot or "0" * 8, space


@functools.cache
def _machine_id() -> str:
    return _text("/etc/machine-id")


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _start_of(process: int) -> str | None:
    """Return when a process began, "0" if that cannot be known, None if there is no such process."""
    fields = _text(f"/proc/{process}/stat").rpartition(")")[2].split()
    if fields:
        return None if fields[0] in ("Z", "X") else fields[19]  # a zombie has ended
    if os.name != "posix":  # there, this would be Ctrl-C
        return "0"
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return None
    except OSError:  # it is somebody else's
        return "0"
    return "0"


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let signals wait that Python would handle meanwhile, such as Ctrl-C, so that all is done or nothing."""
    noted: list[tuple[int, FrameType | None]] = []
    before: dict[int, Any] = {}
    try:
        with _busy:
            if threading.current_thread() is threading.main_thread():  # the one that handles signals
                for number in SIGNALS:
                    if callable(signal.getsignal(number)):
                        before[number] = signal.signal(number, lambda *said: noted.append(said))
            try:
                yield
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)
    finally:
        for number, frame in noted[:1]:
            before[number](number, frame)


def interruptible(engine: Any) -> None:
    """Remember a DuckDB connection, whose query ends if the run is told to end."""
    _engines.add(engine)


def interrupt_all() -> None:
    """End the queries of all DuckDB connections that are known; for a thread that does not wait for one."""
    if not _engines:
        return
    import duckdb

    for engine in list(_engines):
        with suppress(duckdb.Error):  # it is closed
            engine.interrupt()
