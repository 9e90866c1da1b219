"""The recipe for a study gives one that is right, and is shown in every form, by one file."""

import json

import pytest
from kitchen import follow


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory):
    return follow("Add a study", tmp_path_factory.mktemp("study"))


def test_the_recipe_passes_all_gates(kitchen):
    kitchen.passes_the_gates()


def test_it_is_one_file_of_a_screen_or_two(kitchen):
    (source,) = (path for path in kitchen.written if path.name == "hiding.py")
    assert 40 <= len(source.read_text().splitlines()) <= 100


def test_its_command_is_in_that_file(kitchen):
    """Nothing else names it: help, options, defaults and JSON come from the study."""
    profiles = kitchen.folder / "people.csv"
    profiles.write_text("user,t1,t2\na,1,2\nb,1,3\nc,1,2\n")

    def quiff(*words, **options):
        return kitchen.python("-c", "from quiff.cli import main; main()", *map(str, words), **options)

    assert "hiding       Say among how many secrets a person can hide." in quiff("--help").stdout
    told = " ".join(quiff("hiding", "--help").stdout.split())
    assert "--least N Leave out stages that leave fewer secrets than this. [default: 1]" in told
    assert "[default: cookies and topics]" in told
    assert "Example: quiff hiding profiles.parquet --least 2" in told
    few, all_ = (
        json.loads(quiff("hiding", profiles, "--json", *more).stdout)["rows"] for more in (["--least", 2], [])
    )
    assert len(few) < len(all_)
    wrong = quiff("hiding", profiles, "--least", "x", check=False)
    assert wrong.returncode == 2
    assert "'x' is not a whole number" in wrong.stderr
