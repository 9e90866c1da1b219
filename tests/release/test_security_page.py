"""The numbers of SECURITY.md are those of the code."""

import re
from pathlib import Path

from quiff.logs.archives import Limits
from quiff.web.guard import HEADERS, Access
from quiff.web.serve import LOOPBACK

PAGE = " ".join((Path(__file__).parents[2] / "SECURITY.md").read_text().split())


def test_the_limits_on_archives():
    found = re.search(
        r"At most ([\d,]+) members and (\d+) GiB come out, and at most (\d+) bytes for each byte of the "
        r"archive \((\d+) MiB is always allowed\)",
        PAGE,
    )
    members, gibibytes, ratio, mebibytes = (int(number.replace(",", "")) for number in found.groups())
    assert Limits() == Limits(members, gibibytes << 30, ratio, mebibytes << 20)


def test_the_explorer():
    (bits,) = re.findall(r"random token of (\d+) bits", PAGE)
    token = Access.beyond(8349).token
    assert len(token) * 6 == int(bits)  # of base 64
    assert f"listens on {LOOPBACK}" in PAGE
    assert Access(8349).token is None
    assert Access(8349).refusal("POST", "/", {"host": f"{LOOPBACK}:8349"}).status == 405
    assert HEADERS["Content-Security-Policy"].startswith("default-src 'none'")
