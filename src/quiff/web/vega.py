"""The library that draws Vega figures in a browser, as vl-convert holds it."""

import subprocess
import sys
from functools import cache
from threading import Lock

__all__ = ["vega_bundle"]

_BUNDLE = """
import sys, vl_convert
sys.stdout.buffer.write(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").encode())
"""
_one_at_a_time = Lock()


def vega_bundle() -> bytes:
    """Return the library as a module that sets ``window.vegaEmbed``; the first call takes a second.

    It is made in a process of its own, for vl-convert lets no thread of its process do anything meanwhile.

    Examples
    --------
    >>> b"vegaEmbed" in vega_bundle()
    True
    """
    with _one_at_a_time:
        return _made()


@cache
def _made() -> bytes:
    command = [sys.executable, "-P", "-c", _BUNDLE]
    # In a session of its own, so that Ctrl-C in the terminal does not reach it.
    made = subprocess.run(command, capture_output=True, check=True, start_new_session=True)  # noqa: S603
    return made.stdout
