"""Profiles that do not fit the options are told with their file, by every command that reads them."""

import pytest
from click.testing import CliRunner

from quiff.cli import main


@pytest.mark.parametrize(
    "command",
    [
        "measure FILE",
        "epochs FILE --epochs 1",
        "popularity FILE",
        "simulate FILE --epochs 1 --out reports.csv",
        "simulate FILE --compare-rules",
        "attack run carey FILE",
        "attack compare FILE",
        "report FILE --out report.html",
    ],
)
@pytest.mark.parametrize(
    ("taxonomy", "words"),
    [
        ("2", "'people.csv': 3 topics occur, but the taxonomy '2' has only 2"),
        ("v1", "'people.csv', line 3: the set has the topic '900', which is not in the taxonomy v1"),
    ],
)
def test_a_taxonomy_without_the_topics_of_a_file(tmp_path, monkeypatch, command, taxonomy, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("user,t1,t2\n1,7,8\n2,8,900\n")
    arguments = command.replace("FILE", "people.csv").split()
    result = CliRunner().invoke(main, [*arguments, "--topics", taxonomy])
    assert result.exit_code == 1
    assert words in result.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["people.csv"]
