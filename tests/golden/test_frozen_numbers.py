"""No command has moved a number."""

import json

import pytest

from golden.frozen_commands import COMMANDS, FOLDER, answered


@pytest.mark.parametrize("name", COMMANDS)
def test_the_numbers_are_those_that_were_frozen(name):
    frozen = json.loads((FOLDER / f"{name}.json").read_text())
    found = answered(name)
    assert list(found) == list(frozen)
    moved = {place: (frozen[place], value) for place, value in found.items()
             if value != pytest.approx(frozen[place], rel=1e-9, abs=1e-12)}  # fmt: skip
    assert moved == {}
