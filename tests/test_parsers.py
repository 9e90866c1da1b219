"""Every parser takes a time that grows with its input and no faster, whatever the input is.

The first half finds every regular expression in the source and runs it, as engines that go back and try again
do (Python's, and Java's behind Spark), on long inputs that nearly match. The second half gives whole parsers
hostile input. All run in another process, which is ended when one of them takes a time in which any is done
many times over; what takes a time that grows with the square of the length is not.
"""

import ast
import importlib
import json
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest

import hostile
import quiff
from quiff.logs import times

SRC = Path(quiff.__file__).parent
HANG = 20  # seconds after which a parser is said to hang; the slowest takes one or two
PLACES = {  # the functions that take a pattern, and which argument it is
    **dict.fromkeys(["compile", "match", "search", "fullmatch", "sub", "findall", "finditer", "split"], 0),
    **dict.fromkeys(["re_search", "re_replace", "re_extract", "re_split", "re_match"], 0),
    **dict.fromkeys(["match_substring_regex", "replace_substring_regex", "extract_regex"], 1),
    **dict.fromkeys(["split_pattern_regex", "regexp_replace", "regexp_extract", "rlike"], 1),
}
AT_THE_START = {"match", "fullmatch"}

# Patterns that are put together when they are needed: what they can be.
BY_HAND = {
    "logs/classify.py: ibis.literal('^') + tried.pattern + '$'": ["^news.example.org$"],
    "logs/times.py: pattern": [
        times._PLAIN,
        times._ZONED,
        times._SECONDS,
        times._MILLISECONDS,
        times.TimeFormat("[%d/%b/%Y:%H:%M:%S.%f %z]")._pattern()[0],
    ],
}


def patterns():
    """Yield the place of every pattern in the source, the pattern, and the methods that it is used by."""
    for path in sorted(SRC.rglob("*.py")):
        tree = ast.parse(path.read_text())
        inside = path.relative_to(SRC)
        module = importlib.import_module(".".join(["quiff", *inside.with_suffix("").parts]))
        named = {
            node.value: target.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(target := node.targets[0], ast.Name)
        }
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            owner, method = node.func.value, node.func.attr
            of_re = isinstance(owner, ast.Name) and owner.id == "re"
            if method not in PLACES or not (of_re or method.startswith("re_") or PLACES[method]):
                continue
            text = ast.unparse(node.args[PLACES[method]])
            used = {method}
            if method == "compile":
                name = named.get(node)
                uses = [n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and n.attr in PLACES]
                used = {n.attr for n in uses if isinstance(n.value, ast.Name) and n.value.id == name}
                used |= {n.attr for n in uses if n.value is node}
            yield f"{inside.as_posix()}: {text}", vars(module), text, used


ALL = list(patterns())


def test_the_list_of_patterns_is_complete():
    """What quiff uses of Python's and the engines' regular expressions is known to the search above."""
    for path in sorted(SRC.rglob("*.py")):
        text = path.read_text()
        found = sum(place.startswith(f"{path.relative_to(SRC).as_posix()}: ") for place, *_ in ALL)
        calls = re.findall(r"\bre\.[a-z]+\(|\bre_[a-z]+\(|_regex\(|\bregexp_|\brlike\b", text)
        calls = [call for call in calls if call != "re.escape("]
        if (
            path.relative_to(SRC).as_posix() == "people/cells.py"
        ):  # whose SQL takes the patterns compiled there
            calls = [call for call in calls if call != "regexp_"]
        assert found == len(calls), path
        assert not re.search(r"from re import|import regex|\.str\.(contains|replace|extract)\(", text), path
    assert set(BY_HAND) <= {place for place, *_ in ALL}
    assert len(ALL) > 50


@pytest.mark.parametrize(("place", "names", "text", "used"), ALL, ids=[place for place, *_ in ALL])
def test_every_pattern_is_linear(tester, place, names, text, used):
    chosen = BY_HAND.get(place) or [eval(text, dict(names))]  # noqa: S307 - of our own source
    for pattern in chosen:
        assert isinstance(pattern, str | bytes), f"{place} is put together when needed; add it to BY_HAND"
        shown = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
        methods = sorted({method if method in AT_THE_START else "search" for method in used or {"search"}})
        spelled = re.sub(
            r"\\x\{([0-9a-fA-F]+)\}", lambda code: rf"\U{code[1]:0>8}", shown
        )  # as Python has it
        tester.expect_done("attack", spelled.replace(r"\z", r"\Z"), methods)


@pytest.mark.parametrize("parser", hostile.PARSERS, ids=lambda parser: parser.__name__)
def test_every_parser_is_linear(tester, parser, tmp_path):
    tester.expect_done("parse", parser.__name__, str(tmp_path))


class Tester:
    """The process in which parsers run; after one that hangs, a new one."""

    process = None

    def is_done(self, *task, seconds):
        """Run a task; return whether it was done in time, and what went wrong."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, hostile.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            self.end()
            return False, None
        return True, json.loads(self.process.stdout.readline())

    def expect_done(self, *task):
        done, told = self.is_done(*task, seconds=HANG)
        assert done, f"not done after {HANG} s: {task}"
        assert told is None, told

    def end(self):
        self.process.kill()
        self.process.communicate()
        self.process = None


@pytest.fixture(scope="module")
def tester():
    tester = Tester()
    yield tester
    if tester.process:
        tester.end()


def test_the_attack_finds_what_is_not_linear(tester):
    """The pattern of a cell of topics as it once was, which took minutes for 1,500 blanks."""
    word = r"""'[^'\\]*'|"[^"\\]*"|[A-Za-z0-9_./& -]+"""
    listed = rf"\s*(?:(?:{word})\s*,\s*)*(?:(?:{word})\s*,?\s*)?"
    slow = [rf"^(?:{listed}|\[{listed}\])\s*$", r"[.]+\Z", r"^[0-9:.]*:[0-9:.]*\Z", r"^\s*\)?\s*$"]
    for pattern in slow:
        assert not tester.is_done("attack", pattern, ["search"], seconds=2)[0]
