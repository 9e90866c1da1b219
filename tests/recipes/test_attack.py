"""The recipe for an attack gives one that runs, is in the catalogue, and keeps to the bound."""

import json

import pytest
from kitchen import follow

RUN = """
import json
import quiff
people = quiff.Population.synthetic(300, seed=1)
reports = quiff.simulate(people, quiff.TopicsAPI(), epochs=10, seed=1)
found = quiff.reidentify(reports, quiff.PlainHamming(), population=people, api=quiff.TopicsAPI())
rate, bound = found.row("plain-hamming"), found.row("posterior")
print(json.dumps([found.words["targets"], rate.low, rate.value, bound.high or bound.value]))
"""
COMMANDS = """
import sys
from quiff.cli import main
main(sys.argv[1:])
"""


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory):
    return follow("Add an attack", tmp_path_factory.mktemp("attack"))


def test_the_recipe_passes_all_gates(kitchen):
    kitchen.passes_the_gates()


def test_the_new_attack_re_identifies_users_and_no_more_than_can_be(kitchen):
    targets, low, share, bound = json.loads(kitchen.python("-c", RUN).stdout)
    assert targets == 300
    assert share > 2 / 300  # better than a guess
    assert low <= bound
    kitchen.pytest("tests/attacks/test_the_bound_holds.py", "-k", "plain-hamming")


def test_the_commands_know_the_new_attack(kitchen):
    listed = json.loads(kitchen.python("-c", COMMANDS, "attack", "list", "--json").stdout)
    (entry,) = (entry for entry in listed if entry["name"] == "plain-hamming")
    assert entry["paper"]["doi"] == "10.1145/3589294"
    rows = "\n".join(f"u{i},\"['{1 + i % 7}', '{10 + i % 5}']\"" for i in range(40))
    (kitchen.folder / "profiles.csv").write_text(f"user,topics\n{rows}\n")
    options = ["--observations", "2", "--seeds", "2", "--json"]
    done = kitchen.python("-c", COMMANDS, "attack", "compare", "profiles.csv", *options)
    found = {row["quantity"] for row in json.loads(done.stdout)["rows"]}
    assert {"carey", "plain-hamming"} <= found
