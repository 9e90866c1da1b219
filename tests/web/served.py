"""The explorer as people start it: a process of its own, ended as by Ctrl-C."""

import asyncio
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

# The worked example of the paper's figure of the Topics channels.
PROFILES = "user,t1,t2\nAlice,Music,News\nBob,Sports,Travel\nCarol,Music,News\n"
PAGE = {"Sec-Fetch-Site": "same-origin"}  # as a browser says for the page
COMMAND = [sys.executable, "-c", "from quiff.cli import main; main()", "explore", "--no-browser"]


def finished(coroutine):
    """Run a coroutine in a thread of its own: playwright keeps a loop running in that of the tests."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


@dataclass
class Served:
    process: subprocess.Popen
    link: str
    told: list


@contextmanager
def served(*arguments):
    """Start ``quiff explore`` on a free port, and end it."""
    command = [*COMMAND, *([] if "--port" in arguments else ["--port", "0"]), *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        told = []
        while not (found := re.search(r"http://\S+", line := process.stdout.readline())):
            assert line, f"it ended without a link: {told}"
            told.append(line)
        yield Served(process, found[0], told)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
