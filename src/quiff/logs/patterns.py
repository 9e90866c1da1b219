r"""The patterns by which URLs are read, for every engine and for plain Python.

Each keeps to what RE2 (DuckDB) and java.util.regex (Spark) read alike: no look-around, no class that depends
on Unicode tables, ``\z`` for the end, ``\x{...}`` for a sign.
"""

import re
from functools import cache

# From a URL to its host.
PLAIN_PLACE = r"^[A-Za-z0-9.-]*[A-Za-z0-9-]\z"
_SCHEME = "(?:[A-Za-z][A-Za-z0-9+.-]*:)?"
DOTS = "[.\u3002\uff0e\uff61]"
BLANKS = "[\\x09-\\x0d\\x1c-\\x20\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
REMOVED = r"[\x09\x0a\x0d\x0e\x0f\[\]]"
BEFORE = r"^[\x00-\x20]+"
HOST_AND_PORT = rf"^[A-Za-z0-9.-]+:[0-9]{{1,5}}(?:[/?#]|{BLANKS}|\z)"
NETWORK_LOCATION = f"^{_SCHEME}//([^/?#]*)"
PATH = f"^{_SCHEME}(?://)?(?:(?:[A-Za-z0-9+.-]+:)?//)?([^?#]*)"
USER = "^[^/]*@"
PORT = ":[^/]*"
IPV6 = r"^[0-9A-Fa-f]{0,4}:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*\z"

# From a host to its domain.
PLAIN = r"^[a-z0-9.-]*\z"
_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
IPV4 = rf"^{_BYTE}(?:[.]{_BYTE}){{3}}\z"
ONLY_W = r"^[Ww]*\z"
NO_LABEL = r"[^A-Za-z0-9-]|^-+\z"
NUMBER = r"^[0-9]+\z"
NOT_ASCII = r"[^\x00-\x7f]"
# Letters beyond ASCII: all but blanks, signs, private and compatibility areas.
_LETTERS = (
    r"\x{c0}-\x{167f}\x{1681}-\x{1fff}\x{2c00}-\x{2fff}\x{3005}-\x{d7ff}\x{f900}-\x{fdff}\x{10000}-\x{effff}"
)
NO_NAME = rf"[^.a-z0-9{_LETTERS}-]|(?:^|[.])-|-(?:[.]|\z)"


@cache
def in_python(pattern: str) -> re.Pattern[str]:
    """Return a pattern for Python's own ``re``, which writes the end and signs otherwise.

    >>> bool(in_python(NO_NAME).search("a_b.com")), bool(in_python(NO_NAME).search("ä.com"))
    (True, False)
    """
    signs = re.sub(r"\\x\{([0-9a-f]+)\}", lambda found: rf"\U{int(found[1], 16):08x}", pattern)
    return re.compile(signs.replace(r"\z", r"\Z"))
