"""Profiles that do not fit the options are told with their file, by every command that reads them."""

import pytest
from click.testing import CliRunner

from quiff.cli import main
from words import worded


@pytest.mark.parametrize(
    "command",
    [
        "measure FILE",
        "epochs FILE --observations 1",
        "popularity FILE",
        "simulate FILE --epochs 1 --out reports.csv",
        "rules FILE",
        "attack run carey FILE",
        "attack compare FILE",
        "report FILE --out report.html",
    ],
)
@pytest.mark.parametrize(
    "taxonomy",
    [
        "2",
        "v1",
    ],
)
def test_a_taxonomy_without_the_topics_of_a_file(tmp_path, monkeypatch, command, taxonomy):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("user,t1,t2\n1,7,8\n2,8,900\n")
    arguments = command.replace("FILE", "people.csv").split()
    result = CliRunner().invoke(main, [*arguments, "--api", f"topics:n_topics={taxonomy}"])
    assert result.exit_code == 1
    worded(result.stderr)
    assert [file.name for file in tmp_path.iterdir()] == ["people.csv"]
