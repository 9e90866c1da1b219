"""The Public Suffix List is read as it is written, and its rules become a table."""

import idna
import pytest

from quiff.errors import ParameterError
from quiff.logs.suffixes import EXTRA_SUFFIXES, Suffixes, packaged_suffixes
from words import refused


def test_the_extra_suffixes_of_the_paper():
    assert len(EXTRA_SUFFIXES) == 12
    assert set(EXTRA_SUFFIXES) <= set(packaged_suffixes().rules)


def test_rules_end_at_a_blank_and_comments_go():
    text = "// com\n\nnet  // infrastructure\r\norg\twords\n*.CK\n!www.ck\n"
    assert Suffixes.parse(text, extra=()).rules == ("net", "org", "*.ck", "!www.ck")


def test_a_file_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "list.dat"
    path.write_bytes("\ufeffcom\n香港\n".encode())
    assert Suffixes.read(path, extra=["an"]).rules == ("com", "香港", "an")


@pytest.mark.parametrize(
    ("content", "numbers"),
    [
        (b"// nothing\n", ()),
        (b"com\n<html>.*\n", (2,)),
        (b"a..b\n", (1,)),
        (b"*\n", (1,)),
        (b"com\n\xff\xfe\n", ()),
        (b"user,t1\nAlice,1\n", (1,)),
        (b"{}\n", (1,)),
        (b"Title\nThis text has no rule\nand is no list\n", ()),
    ],
)
def test_what_is_no_list_is_told(tmp_path, content, numbers):
    path = tmp_path / "list.dat"
    path.write_bytes(content)
    with refused(ParameterError, *numbers):
        Suffixes.read(path)


def test_a_folder_is_no_list(tmp_path):
    with refused(ParameterError):
        Suffixes.read(tmp_path)


def test_what_the_rules_say_of_each_ending():
    suffixes = Suffixes.parse("uk\nco.uk\n*.ck\n!www.ck\na.b\n*.a.b\nx.y.z\n", extra=())
    assert suffixes.endings == {
        "uk": (1, 1),
        "co.uk": (2, 2),
        "ck": (0, 2),
        "www.ck": (1, 1),
        "a.b": (2, 3),
        "b": (0, 0),
        "x.y.z": (3, 3),
        "y.z": (0, 0),
        "z": (0, 0),
    }


def test_labels_in_both_forms_and_mixed():
    endings = Suffixes.parse("公司.香港\n", extra=()).endings
    unicode, punycode = ["公司", "香港"], ["xn--55qx5d", "xn--j6w193g"]
    assert {name for name, sizes in endings.items() if sizes == (2, 2)} == {
        f"{first}.{last}" for first in (unicode[0], punycode[0]) for last in (unicode[1], punycode[1])
    }


def test_punycode_is_what_idna_writes():
    labels = {label for rule in packaged_suffixes().rules for label in rule.split(".") if not label.isascii()}
    assert len(labels) > 100
    endings = packaged_suffixes().endings
    names = {label for ending in endings for label in ending.split(".")}
    assert {idna.encode(label).decode() for label in labels} <= names


def test_the_pinned_list(mirror):
    suffixes = Suffixes.read(mirror / "public_suffix_list-5e6ac3a.dat")
    assert len(suffixes.rules) == 9104 + 12
    assert sum(rule.startswith("!") for rule in suffixes.rules) == 8
    assert sum(rule.startswith("*") for rule in suffixes.rules) == 107
