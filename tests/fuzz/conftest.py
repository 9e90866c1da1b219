"""What fails here keeps its seed, so that every later run tries it again."""

from pathlib import Path

import pytest

import fuzzing


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if call.when != "call" or not outcome.get_result().failed:
        return
    params = item.callspec.params if hasattr(item, "callspec") else {}
    seed = params.get("seed", fuzzing.Cases.current)
    if isinstance(seed, int):
        fuzzing.keep(Path(item.path).stem, seed)
        outcome.get_result().sections.append(("seed", f"{seed}, kept in {fuzzing.FOUND.name}"))
