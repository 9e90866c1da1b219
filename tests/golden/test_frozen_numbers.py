"""No command has moved a number."""

import json

import pytest

from golden.frozen_commands import COMMANDS, FOLDER, answered
from golden.places import gone

SENTENCES = "/plan/length"  # of the plan: one fewer, for no time is announced any more


@pytest.mark.parametrize("name", COMMANDS)
def test_the_numbers_are_those_that_were_frozen(name):
    frozen = json.loads((FOLDER / f"{name}.json").read_text())
    frozen = {place: value for place, value in frozen.items() if not gone(name, place)}
    found = answered(name)
    assert [place for place in frozen if place not in found] == []  # what is new stands beside it
    moved = {place: (value, found[place]) for place, value in frozen.items()
             if found[place] != pytest.approx(value - (place == SENTENCES), rel=1e-9, abs=1e-12)}  # fmt: skip
    assert moved == {}
