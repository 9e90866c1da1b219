"""An attack has its interval and the bound its name, so that nobody reads a contradiction."""

from quiff import Population, attack
from quiff.results.numbers import probability

PEOPLE = Population.synthetic(40, seed=1)


def test_an_attack_above_the_bound_is_said_to_be_so_by_sampling_error():
    above = below = 0
    for seed in range(12):
        found = attack(PEOPLE, observations=[1], seeds=2, attacks="bayes-profiles", seed=seed)
        reached, bound = found.row("topics", "bayes-profiles", 1), found["topics", "posterior", 1]
        first, second = found.sentences
        assert f"(95 % interval {probability(reached.low)} to {probability(reached.high)})" in first
        assert second.startswith("The bound: no attack that matches each target alone can expect more than")
        assert second.endswith("That bayes-profiles lies above it is sampling error.") == (
            reached.value > bound
        )
        ends = f"{probability(reached.value)} ({probability(reached.low)} to {probability(reached.high)})"
        assert ends in found.figure().title
        assert [row[1] for row in found.tables["attacks"].rows] == ["bayes-profiles", "bound"]
        above, below = above + (reached.value > bound), below + (reached.value <= bound)
    assert above
    assert below


def test_every_attack_has_its_interval():
    found = attack(PEOPLE, observations=[2], seeds=2, attacks=["carey", "bayes-profiles"])
    for name in ("carey", "bayes-profiles"):
        row = found.row("topics", name, 2)
        assert f"{probability(row.low)} to {probability(row.high)})" in found.sentences[0]
