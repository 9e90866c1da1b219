"""``quiff data``: the list, and fetching from a mirror."""

import json
from itertools import pairwise

import pytest
from click.testing import CliRunner

from quiff.cli import main
from quiff.logs.registry import DATASETS
from words import worded


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run the command with an empty cache; the mirror is named by the tests that need it."""
    monkeypatch.delenv("QUIFF_MIRROR", raising=False)
    monkeypatch.setenv("QUIFF_CACHE", str(tmp_path / "cache"))
    return lambda *arguments: CliRunner().invoke(main, ["data", *map(str, arguments)])


@pytest.mark.parametrize("name", ["list", "get"])
def test_the_help_of_each_command_shows_an_example(run, name):
    result = run(name, "--help")
    assert result.exit_code == 0
    worded(result.output)
    assert f"{name}" in result.output


def test_the_list_names_every_data_set_with_size_and_licence(run):
    lines = run("list").output.splitlines()
    assert max(map(len, lines)) <= 80
    starts = [i for i, line in enumerate(lines[2:], 2) if not line.startswith(" ")]
    for entry, (start, end) in zip(DATASETS.values(), pairwise([*starts, len(lines)]), strict=True):
        words = " ".join(lines[start:end]).split()
        assert lines[start].startswith(entry.name)
        assert not set(entry.title.split()) - set(words)
        assert not set(entry.licence.split()) - set(words)
    text = "\n".join(lines)
    assert "649 kB" in text
    worded(text)


def test_the_list_in_json_has_all_facts(run):
    entries = json.loads(run("list", "--json").output)
    assert [entry["name"] for entry in entries] == list(DATASETS)
    for entry in entries:
        known = DATASETS[entry["name"]]
        for key in ("title", "url", "licence", "citation", "file", "size", "sha256"):
            assert entry[key] == getattr(known, key)


def test_get_tells_place_licence_and_citation(run, mirror):
    result = run("get", "topics-v1", "psl", "--mirror", mirror)
    assert result.exit_code == 0
    cited, _, address = DATASETS["topics-v1"].citation.rpartition(" ")
    assert result.output.splitlines() == [
        f"topics-v1: {mirror / 'topics-taxonomy-v1.md'}",
        "  licence: W3C Software and Document License",
        f"  citation: {cited}",
        f"    {address}",
        f"psl: {mirror / 'public_suffix_list-5e6ac3a.dat'}",
        "  licence: MPL-2.0",
        f"  citation: {DATASETS['psl'].citation}",
    ]


def test_get_in_json(run, mirror, monkeypatch):
    monkeypatch.setenv("QUIFF_MIRROR", str(mirror))
    (facts,) = json.loads(run("get", "chrome-1", "--json").output)
    assert list(facts) == ["name", "path", "licence", "citation"]
    assert facts["path"] == str(mirror / "chrome-topics-override-1.tsv")


def test_get_unpacks_archives(run, mirror, tmp_path):
    result = run("get", "pets24-users", "citizenlab", "psl", "--mirror", mirror, "--unpack", tmp_path / "out")
    assert result.exit_code == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"pets24-users", "citizenlab"}
    (users,) = (tmp_path / "out" / "pets24-users").glob("[!.]*")
    with users.open() as file:
        assert next(file).startswith("nb_unique_domain\t")
        assert sum(1 for _ in file) == 249_997
    assert (tmp_path / "out" / "citizenlab" / "official" / "it" / "aams.csv").is_file()
    assert f"unpacked: {tmp_path / 'out' / 'citizenlab'}" in result.output
    again = ["get", "citizenlab", "--mirror", mirror, "--unpack", tmp_path / "out"]
    refused = run(*again)
    assert refused.exit_code == 1
    worded(refused.stderr)
    assert run(*again, "--force").exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["psl", "--mirror", "/no/such/folder"],
        ["psl", "--mirror", "."],
        ["psl/file"],
    ],
)
def test_errors_are_told_in_one_line(run, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("get", *arguments)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    worded(result.stderr)


def test_wrong_usage(run):
    assert run("get").exit_code == 2
    assert run("nonsense").exit_code == 2
