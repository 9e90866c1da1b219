"""``quiff domain``: the domain of a URL or the reason why it has none."""

import json

import pytest
from click.testing import CliRunner

from quiff.cli import main
from words import worded


def run(*arguments, **options):
    return CliRunner().invoke(main, ["domain", *arguments], **options)


def answer(*arguments, **options):
    result = run(*arguments, "--json", **options)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_json_has_a_row_for_each_url_in_order():
    assert answer("gov.br", "http://A.Name.co.uk/x", "gov.br") == [
        {"url": "gov.br", "domain": None, "reason": "bare-suffix"},
        {"url": "http://A.Name.co.uk/x", "domain": "name.co.uk", "reason": None},
        {"url": "gov.br", "domain": None, "reason": "bare-suffix"},
    ]


def test_the_rules_of_the_paper_can_be_asked_for():
    assert answer("www.br", "http://A.Name.co.uk/x", "gov.br", "--rules", "as-published") == [
        {"url": "www.br", "domain": None, "reason": "bare-suffix"},
        {"url": "http://A.Name.co.uk/x", "domain": "Name.co.uk", "reason": None},
        {"url": "gov.br", "domain": "gov.br", "reason": None},
    ]
    assert run("a.com", "--rules", "wrong").exit_code == 2


def test_text_shows_the_same():
    result = run("br", "http://a.name.co.uk/x")
    assert result.exit_code == 0
    assert [line.split() for line in result.stdout.splitlines()[1:]] == [
        ["url", "domain", "reason"],
        ["br", "-", "bare-suffix"],
        ["http://a.name.co.uk/x", "name.co.uk"],
    ]


def test_a_hyphen_reads_lines_from_standard_input():
    found = answer("a.com", "-", "b.com", input="http://x.com\r\n\nhttp://näme.com\n".encode())
    assert [(row["url"], row["domain"]) for row in found] == [
        ("a.com", "a.com"),
        ("http://x.com", "x.com"),
        ("", None),
        ("http://näme.com", "xn--nme-qla.com"),
        ("b.com", "b.com"),
    ]
    assert answer("-", input="") == []


def test_ones_own_suffixes(tmp_path):
    path = tmp_path / "list.dat"
    path.write_text("name.com\n")
    (row,) = answer("a.b.name.com", "--suffixes", str(path))
    assert row["domain"] == "b.name.com"


def test_wrong_input_is_told_in_one_line(tmp_path):
    result = run("a.com", "--suffixes", str(tmp_path / "none.dat"))
    assert result.exit_code == 1
    worded(result.stderr)
    assert result.stderr.count("\n") == 1
    result = run("-", input=b"http://\xff.com\n")
    assert result.exit_code == 1
    worded(result.stderr)


@pytest.mark.parametrize("arguments", [(), ("a.com", "--engine", "sqlite")])
def test_wrong_usage(arguments):
    assert run(*arguments).exit_code == 2


def test_help_has_an_example():
    worded(run("--help").stdout)
