"""The recipe for a measure gives a measure that is right on every kernel."""

import json

import pytest
from kitchen import follow

ON_EVERY_KERNEL = """
import json
from fractions import Fraction
import quiff
half, C = Fraction(1, 2), {}
C["dense"] = quiff.Channel([[half, half, 0], [Fraction(1, 4), half, Fraction(1, 4)]])
C["map"] = quiff.Channel.deterministic({"Alice": "x", "Bob": "y"})
C["sparse"] = quiff.TopicsAPI(n_topics=4, top_s=1, noise=Fraction(1, 5)).channel(
    quiff.Population.from_sets({"Alice": {"Art"}, "Bob": {"News"}})
)
C["product"] = quiff.repeat(C["dense"], 2)
print(json.dumps({name: str(quiff.doeblin_coefficient(channel)) for name, channel in C.items()}))
"""


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory):
    return follow("Add a measure", tmp_path_factory.mktemp("measure"))


def test_the_recipe_passes_all_gates(kitchen):
    kitchen.passes_the_gates()


def test_the_new_measure_is_right_by_hand_on_every_kernel(kitchen):
    # Least entries: 1/4, 1/2, 0 of the matrix. Of two reports, where the rows are products of those:
    # (1/4, 1/4, 0, 1/4, 1/4, 0, 0, 0, 0) and (1/16, 1/8, 1/16, 1/8, 1/4, 1/8, 1/16, 1/8, 1/16).
    # The Topics API draws from all of the taxonomy with probability 1/5, and the two sets are disjoint.
    found = json.loads(kitchen.python("-c", ON_EVERY_KERNEL).stdout)
    assert found == {"dense": "3/4", "map": "0", "sparse": "1/5", "product": "9/16"}


def test_the_recipes_own_test_finds_a_wrong_measure(kitchen, tmp_path):
    source = next(path for path in kitchen.written if path.name == "doeblin.py")
    right = source.read_text()
    source.write_text(right.replace("for _, least in", "for least, _ in"))
    try:
        done = kitchen.pytest("tests/measures/test_doeblin.py", check=False)
    finally:
        source.write_text(right)
    assert done.returncode == 1
    assert "8 failed" in done.stdout
