"""What commands print and write of hostile labels: nothing that a terminal obeys or a spreadsheet runs."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import quiff
from quiff.browser.reports import Reports
from quiff.cli import main

ROOT = Path(quiff.__file__).parent
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
TOPICS = [
    "\x1b[2J\x1b]0;title\x07",
    "\u202eevil\u2066",
    "\x9b31m\x85",
    "=HYPERLINK(1)",
    "+1+1",
    "-1.5",
    "@SUM(1)",
]


@pytest.fixture
def profiles(tmp_path):
    path = tmp_path / "profiles.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["user", "t1", "t2"])
        for k, topic in enumerate(TOPICS):
            rows.writerow([f"={k}\x1b[1mu", topic, TOPICS[(k + 1) % len(TOPICS)]])
    return path


def run(*arguments, status=0):
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code == status, result.output
    assert not CONTROL.search(result.stdout + result.stderr)
    return result.stdout


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv"])
def test_measure_prints_no_control_character(profiles, form):
    printed = run("measure", profiles, "--api", "topics:n_topics=occurring", "--exposure", "--format", form)
    assert "x1b[2J" in printed.replace(r"\textbackslash{}", "\\").replace(r"\[", "[")


def test_sentences_in_markdown_are_escaped_too(tmp_path):
    path = tmp_path / "profiles.csv"
    path.write_text("user,t1\nu,<img src=x onerror=alert(1)>\nv,News\n")
    printed = run("measure", path, "--about", "topics=<img src=x onerror=alert(1)>", "--format", "markdown")
    assert "&lt;img" in printed
    assert "<img" not in printed


def test_json_is_harmless_and_says_what_the_labels_are(profiles):
    found = json.loads(run("measure", profiles, "--api", "topics:n_topics=occurring", "--exposure", "--json"))
    assert "\\u001b[2J" in json.dumps(found)
    assert "\\u202eevil" in json.dumps(found)


def test_errors_are_harmless(tmp_path):
    run("measure", tmp_path / "\x1b[2J\u202e.csv", status=1)
    run("\x1b[2Jmeasure", status=2)
    run("measure", "--\x9b31m", status=2)
    run("theory", "--api", "topics:noise=\x1b[2J", status=2)
    run("theory", "--api", "topics:n_topics=\x1b[2J", status=2)


def test_every_command_prints_through_one_function():
    for path in sorted((ROOT / "cli").glob("*.py")):
        if path.name != "terminal.py":
            assert not re.search(r"click\.s?echo\(|^\s*print\(", path.read_text(), re.MULTILINE), path.name


def cells(folder):
    return {
        cell
        for path in folder.rglob("*.csv")
        for row in csv.reader(io.StringIO(path.read_bytes().decode(), newline=""))
        for cell in row
    }


def test_no_cell_of_a_written_table_is_a_formula_unless_asked(profiles, tmp_path):
    run("measure", profiles, "--api", "topics:n_topics=occurring", "--exposure", "--csv", tmp_path / "safe")
    found = cells(tmp_path / "safe")
    assert {"'=HYPERLINK(1)", "'+1+1", "-1.5", "'@SUM(1)"} <= found
    assert not [
        cell for cell in found if cell[:1] in ("=", "@", "+") or (cell[:1] == "-" and "." not in cell)
    ]
    run(
        "measure",
        profiles,
        "--api",
        "topics:n_topics=occurring",
        "--exposure",
        "--csv",
        tmp_path / "raw",
        "--keep-formulas",
    )
    assert {"=HYPERLINK(1)", "+1+1", "-1.5", "@SUM(1)"} <= cells(tmp_path / "raw")


def test_reports_in_csv_are_harmless_and_read_as_they_were(profiles, tmp_path):
    options = (
        profiles,
        "--api",
        "topics:n_topics=occurring",
        "--epochs",
        3,
        "--sites",
        2,
        "--seed",
        1,
        "--out",
    )
    for name in ("reports.parquet", "reports.csv"):
        run("simulate", *options, tmp_path / name)
    run("simulate", *options, tmp_path / "raw.csv", "--keep-formulas")
    found = cells(tmp_path)
    assert any(cell.startswith("=") for cell in found)
    (tmp_path / "raw.csv").unlink()
    profiles.unlink()
    found = cells(tmp_path)
    assert "'=HYPERLINK(1)" in found
    assert not [cell for cell in found if cell[:1] in ("=", "@", "+")]
    whole = Reports.read(tmp_path / "reports.parquet")
    read = Reports.read(tmp_path / "reports.csv", topics=list(whole.topics), per_call=whole.per_call)
    assert read == whole
