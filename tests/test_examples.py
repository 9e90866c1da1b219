"""The examples in docstrings give what is printed beside them, room by room."""

import doctest
import importlib
import pkgutil
import sys
from pathlib import Path

import numpy as np
import pytest

import quiff

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
from rooms import ROOMS

MODULES = sorted(module.name for module in pkgutil.walk_packages(quiff.__path__, "quiff."))


@pytest.mark.parametrize("room", ROOMS)
def test_the_examples_of_a_room(room, capsys):
    modules = [name for name in MODULES if name.split(".")[1] == room]
    assert modules
    with np.printoptions(formatter=None):  # which other libraries set
        loaded = map(importlib.import_module, modules)
        results = [doctest.testmod(module, optionflags=doctest.ELLIPSIS) for module in loaded]
    assert sum(result.failed for result in results) == 0, capsys.readouterr().out


def test_most_of_the_package_has_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    examples = [
        test for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples
    ]
    assert len(examples) > 500
