"""vl-convert in a process of its own: what it cannot draw ends that process, and not the one that asks.

It is started when the first figure is drawn, draws all figures of this process, and ends with it.
"""

import atexit
import json
import os
import struct
import subprocess
import sys
from functools import cache
from threading import Lock, Timer
from typing import IO, Any

from quiff.errors import QuiffError
from quiff.safe_text import visible

_PATIENCE = 120.0  # seconds for one figure
_SAID = 200  # characters of what the library says
_HEAD = struct.Struct(">cQ")  # whether it worked, and how many bytes follow
_WORK = """
import json, os, struct, sys
head, source = struct.Struct(">cQ"), sys.stdin.buffer
sink = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)  # nothing that the library prints gets among the answers
while asked := source.read(head.size):
    name, arguments, options = json.loads(source.read(head.unpack(asked)[1]))
    try:
        import vl_convert
        made = getattr(vl_convert, name)(*arguments, **options)
        answer = b"+", made.encode() if isinstance(made, str) else made
    except Exception as error:
        answer = b"-", str(error).encode(errors="replace")
    sink.write(head.pack(answer[0], len(answer[1])) + answer[1])
    sink.flush()
"""


class _Worker:
    """The process that draws, and the way to ask it."""

    def __init__(self) -> None:
        # In a session of its own, so that Ctrl-C does not reach it; it ends when its input does.
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-P", "-c", _WORK],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def ask(self, request: bytes, patience: float) -> tuple[bool, bytes] | None:
        """Return whether it worked and what was made; None if the process has ended over it."""
        source, sink = self._process.stdout, self._process.stdin
        assert source is not None  # noqa: S101 - both are pipes
        assert sink is not None  # noqa: S101
        late = Timer(patience, self._process.kill)
        late.daemon = True
        late.start()
        try:
            sink.write(_HEAD.pack(b"?", len(request)) + request)
            sink.flush()
            worked, size = _HEAD.unpack(_whole(source, _HEAD.size))
            return worked == b"+", _whole(source, size)
        except (OSError, EOFError):
            return None
        finally:
            late.cancel()

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.communicate()


def _whole(source: IO[bytes], size: int) -> bytes:
    content = source.read(size)
    if len(content) < size:
        raise EOFError
    return content


_turn, _bundling = Lock(), Lock()
_worker: _Worker | None = None


def render(name: str, *arguments: Any, patience: float = _PATIENCE, **options: Any) -> bytes:
    """Return what a function of vl-convert makes, as bytes.

    Parameters
    ----------
    name
        The function, such as ``vegalite_to_svg``.
    arguments, options
        What it is called with.
    patience
        Seconds after which it is given up.

    Raises
    ------
    QuiffError
        If vl-convert refuses the figure, ends over it, or takes too long.

    Examples
    --------
    >>> render("vegalite_to_svg", {"data": {"values": [{}]}, "mark": "point"})[:4]
    b'<svg'
    """
    request = json.dumps([name, arguments, options]).encode()
    with _turn:
        try:
            answer = _running().ask(request, patience)
        except BaseException:  # an interrupt: what comes late must not be taken for the next figure
            _end()
            raise
        if answer is None:
            _end()
    if answer is None:
        raise QuiffError(
            "the figure cannot be drawn: the renderer (vl-convert) broke off or took more than"
            f" {patience:g} seconds; write the table instead"
        )
    worked, made = answer
    if not worked:
        said = " ".join(made.decode(errors="replace").split())
        raise QuiffError(f"the figure cannot be drawn: {visible(said[:_SAID])}")
    return made


def vega_bundle() -> str:
    """Return Vega for browsers, as a module that sets ``window.vegaEmbed``; the first call takes a second.

    Examples
    --------
    >>> "vegaEmbed" in vega_bundle()
    True
    """
    with _bundling:  # whoever comes second takes what the first has made
        return _bundle()


@cache
def _bundle() -> str:
    return render("javascript_bundle", "window.vegaEmbed = vegaEmbed;").decode()


def _running() -> _Worker:
    global _worker
    if _worker is None:
        _worker = _Worker()
    return _worker


@atexit.register
def _end() -> None:
    global _worker
    ended, _worker = _worker, None
    if ended is not None:
        ended.end()


def _forked() -> None:
    """Leave the process that draws to the parent of this one."""
    global _turn, _bundling, _worker
    _turn, _bundling, _worker = Lock(), Lock(), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
