"""Many epochs by the definitions: loops over all tuples of reports, in fractions, nothing of quiff's own."""

from fractions import Fraction
from itertools import combinations, product

from hypothesis import strategies as st


def chance(sets, y, p, q):
    """P(y|x) for a user with one set per epoch."""
    result = Fraction(1)
    for own, report in zip(sets, y, strict=True):
        result *= p if report in own else q
    return result


def tuples(m, E):
    return product(range(m), repeat=E)


def match_counts(users, sizes):
    """N_0, ..., N_E; a user is a list of sets, one per epoch."""
    counts = [0] * (len(sizes) + 1)
    for y in product(*map(range, sizes)):
        best = max(sum(report in own for own, report in zip(sets, y, strict=True)) for sets in users)
        counts[best] += 1
    return counts


def vulnerability(users, weights, m, p, q):
    total = sum(
        max(w * chance(sets, y, p, q) for sets, w in zip(users, weights, strict=True))
        for y in tuples(m, len(users[0]))
    )
    return total / sum(weights)


def risks(users, weights, m, p, q):
    """Each user's chance to be named by an adversary who takes one of the most probable users at random."""
    found = [Fraction(0)] * len(users)
    for y in tuples(m, len(users[0])):
        chances = [chance(sets, y, p, q) for sets in users]
        joint = [w * c for w, c in zip(weights, chances, strict=True)]
        best = [x for x, value in enumerate(joint) if value == max(joint)]
        for x in best:
            found[x] += chances[x] / len(best)
    return found


def naming(sets, weights, m, p, q, E):
    """The chance to name a topic of the user's set after E reports on it."""
    total = Fraction(0)
    for y in tuples(m, E):
        joint = [w * chance([own] * E, y, p, q) for own, w in zip(sets, weights, strict=True)]
        total += max(sum(j for own, j in zip(sets, joint, strict=True) if t in own) for t in range(m))
    return total / sum(weights)


def guessing_sets(sets, weights, m, p, q, E):
    total = Fraction(0)
    for y in tuples(m, E):
        by_set = {}
        for own, w in zip(sets, weights, strict=True):
            by_set[own] = by_set.get(own, 0) + w * chance([own] * E, y, p, q)
        total += max(by_set.values())
    return total / sum(weights)


def call_leakage(sets, m, p, q):
    """Three reports, sorted and each topic once: the channel is written out."""
    answers = {}
    for x, own in enumerate(sets):
        for y in tuples(m, 3):
            key = (frozenset(y), x)
            answers[key] = answers.get(key, 0) + chance([own] * 3, y, p, q)
    return sum(max(answers[key, x] for x in range(len(sets))) for key in {answer for answer, _ in answers})


def linked(sets, m, p, q):
    """sum_b max_a P(second report is b | first report is a), the user being any of them."""
    share = Fraction(1, len(sets))
    joint = {(a, b): sum(share * chance([own, own], (a, b), p, q) for own in sets) for a, b in tuples(m, 2)}
    first = {a: sum(joint[a, b] for b in range(m)) for a in range(m)}
    return sum(max(joint[a, b] / first[a] for a in range(m) if first[a]) for b in range(m))


def differing(users):
    return max(
        (sum(a != b for a, b in zip(one, other, strict=True)) for one, other in combinations(users, 2)),
        default=0,
    )


@st.composite
def instances(draw, most_epochs=4, most_topics=5, stable=None, weighted=None, least_epochs=1):
    """Users with a set in each epoch, weights, m, r and E: (users, weights, m, s, r, E, stable)."""
    m = draw(st.integers(2, most_topics))
    s = draw(st.integers(1, min(m, 3)))
    N = draw(st.integers(1, 6))
    E = draw(st.integers(least_epochs, most_epochs))
    same = draw(st.booleans()) if stable is None else stable
    one_set = st.sets(st.integers(0, m - 1), min_size=s, max_size=s).map(frozenset)
    users = [[draw(one_set)] * E if same else [draw(one_set) for _ in range(E)] for _ in range(N)]
    with_weights = draw(st.booleans()) if weighted is None else weighted
    weights = [draw(st.integers(1, 4)) for _ in users] if with_weights else None
    spare = draw(st.integers(0, 2))
    r = Fraction(draw(st.integers(0, 10)), 10)
    return users, weights, m + spare, s, r, E, same


def probabilities(m, s, r):
    return (1 - r) / s + r / m, r / m


def population(users, weights, m, same):
    """The same instance as a quiff.Population."""
    from quiff import Population

    epochs = 1 if same else len(users[0])
    sets = [[sorted(user[epoch]) for user in users] for epoch in range(epochs)]
    return Population.from_array(range(len(users)), sets, topics=range(m), weights=weights)
