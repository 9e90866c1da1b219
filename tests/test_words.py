"""The snapshots of words are those of tests that there are."""

import pytest

from words import HERE, TESTS, stored, without


@pytest.mark.words  # so that `make words` removes what no test has any more
def test_every_snapshot_is_of_a_test(request):
    for file in sorted((HERE / "snapshots").glob("*.ambr")):
        room = HERE if file.stem == HERE.name else HERE / file.stem
        gone = set()
        for name, test in stored(file).items():
            path = room / f"{test.partition('::')[0]}.py"
            if not path.exists() or test not in TESTS.get(path, {test}):
                gone.add(name)
        without(file, gone, request.config)
