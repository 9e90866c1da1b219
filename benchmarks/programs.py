"""Group `programs`: functions with random choices, run along every path, beside exact probabilistic programs.

The peer is `lea`, which computes exact distributions in Python as quiff's programs do; it knows no secrets,
so one distribution is made for each of them. Both work in fractions, on models written as each of them is
meant to be used, and all probabilities are compared: a channel's digest is that of its sorted entries. Then
the Topics API as three programs on 250,000 users in memory, to the channel from users to topics, whose
numbers are checked against the built-in channel. Last, how the cost grows with secrets, paths and states.
"""

import hashlib
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np

from benchmarks.harness import Contender, check_equal, compete, series, summary, with_commas, write

HERE = "benchmarks.programs"
TOPICS, TOP, NOISE = 349, 5, Fraction(1, 20)
TAXONOMY = tuple(range(1, TOPICS + 1))
PEOPLE, FEW = 250_000, 500
PEERS = {
    "lea": "version 4, with probabilities as fractions (`lea.set_prob_type('r')`); `if_`, `joint`, `map` and "
    "`times` where they fit, one distribution for each secret.",
}


# The models as programs of quiff.


def topics_coin_first(user, draw, noise=NOISE):
    if draw.flip(noise):
        return draw.uniform(TAXONOMY)
    return draw.uniform(user.topics)


def topics_as_the_paper(user, draw, noise=NOISE):
    topic = draw.uniform(user.topics)
    if draw.flip(noise):
        topic = draw.uniform(TAXONOMY)
    return topic


def topics_iterating(user, draw, noise=NOISE):
    topic = draw.uniform([topic for topic in user.topics if topic > 0])
    if draw.flip(noise):
        topic = draw.uniform(TAXONOMY)
    return topic


def response(secret, draw, k=200):
    return secret if draw.flip() else draw.uniform(range(k))


def two_topics(topics, draw, noise=NOISE, m=25):
    pair = draw.sample(topics, 2)
    return frozenset(draw.uniform(range(m)) if draw.flip(noise) else topic for topic in pair)


def cryptographers(payer, draw, n=10):
    coins = [draw.flip(Fraction(1, 3)) for _ in range(n)]
    return tuple((coins[i] == coins[i - 1]) != (payer == i) for i in range(n))


def equal_coins(secret, draw, n=200):
    return draw.fold(lambda heads, p: heads + draw.flip(p), [Fraction(1, 3)] * n, secret)


def different_coins(secret, draw, n=200):
    coins = [Fraction(1, 3 + k) for k in range(n)]
    return draw.fold(lambda heads, p: heads + draw.flip(p), coins, secret)


def coins_on_paths(secret, draw, n=10):
    return secret + sum(draw.flip(Fraction(1, 3)) for _ in range(n))


def _sets(users, m, s):
    rng = np.random.default_rng(1)
    return {k: tuple(sorted(rng.choice(m, s, replace=False).tolist())) for k in range(users)}


def _secrets(model):
    if model == "topics":
        return {k: {"topics": tuple(t + 1 for t in x)} for k, x in _sets(FEW, TOPICS, TOP).items()}
    return {
        "response": range(200),
        "two topics": _sets(10, 25, 4),
        "cryptographers": range(10),
        "coins": range(5),
    }[model]


MODELS = {
    "topics": (
        topics_as_the_paper,
        f"Topics as the paper writes it, {FEW} users with {TOP} of {TOPICS} topics",
    ),
    "response": (response, "Randomised response, 200 answers"),
    "two topics": (two_topics, "Two topics at once, 10 sets of 4 of 25 topics"),
    "cryptographers": (cryptographers, "Ten dining cryptographers, biased coins"),
    "coins": (equal_coins, "The number of heads of 200 coins"),
}


def quiff_model(inputs, clock, model):  # noqa: ARG001 - the harness gives it
    from quiff import bayes_capacity, program

    api, secrets = program(MODELS[model][0]), _secrets(model)
    clock.start()
    C = api.channel(secrets)
    clock.stop()
    rows = ({y: p for y, p in C.row(x).items() if p} for x in C.inputs)
    return {"digest": _digest(rows), "Bayes capacity": float(bayes_capacity(C))}


def lea_model(inputs, clock, model):  # noqa: ARG001 - the harness gives it
    import lea

    lea.set_prob_type("r")
    secrets = _secrets(model)
    build = {
        "topics": _lea_topics, "response": _lea_response, "two topics": _lea_two_topics,
        "cryptographers": _lea_cryptographers, "coins": _lea_coins,
    }[model]  # fmt: skip
    clock.start()
    rows = [build(lea, secrets[k]).pmf_dict() for k in secrets]
    clock.stop()
    best = {}
    for row in rows:
        for y, p in row.items():
            best[y] = max(best.get(y, 0), p)
    return {"digest": _digest(rows), "Bayes capacity": float(sum(best.values()))}


def _lea_topics(lea, user):
    return lea.if_(lea.event(NOISE), lea.vals(*TAXONOMY), lea.vals(*user["topics"]))


def _lea_response(lea, secret):
    return lea.if_(lea.event("1/2"), secret, lea.vals(*range(200)))


def _lea_two_topics(lea, topics):
    from itertools import combinations

    pair = lea.vals(*combinations(topics, 2))
    shown = [lea.if_(lea.event(NOISE), lea.vals(*range(25)), pair[k]) for k in (0, 1)]
    return lea.joint(*shown).map(frozenset)


def _lea_cryptographers(lea, payer):
    coins = [lea.event("1/3") for _ in range(10)]
    said = [(coins[i] == coins[i - 1]) != (payer == i) for i in range(10)]
    return lea.joint(*said)


def _lea_coins(lea, secret):
    return lea.pmf({0: "2/3", 1: "1/3"}).times(200) + secret


def _digest(rows):
    """Of all probabilities of all rows, in order."""
    hashed = hashlib.sha256()
    for row in rows:
        entries = sorted(
            (repr(sorted(y) if isinstance(y, frozenset) else y), str(Fraction(p))) for y, p in row.items()
        )
        hashed.update(repr(entries).encode())
    return hashed.hexdigest()[:16]


def topics_program(inputs, clock, function, users=PEOPLE):
    """The channel of the Topics API from people in memory, in floats."""
    import quiff

    program = quiff.program(globals()[function])(noise=float(NOISE))
    program.channel(quiff.Population.synthetic(10, seed=1))
    people = _people(quiff, inputs, users)
    clock.start()
    C = program.channel(people)
    clock.stop()
    assert C.kernel.entries.columns.shape == (users * TOP,)
    return _numbers(quiff, C, people)


def topics_built_in(inputs, clock, users):
    import quiff

    api = quiff.TopicsAPI(TOPICS, TOP, float(NOISE))
    api.channel(quiff.Population.synthetic(10, seed=1))
    people = _people(quiff, inputs, users)
    clock.start()
    C = api.channel(people)
    clock.stop()
    return _numbers(quiff, C, people)


def _people(quiff, inputs, users):
    codes = np.load(inputs / "sets.npy")[:users]
    return quiff.Population.from_array(range(users), codes, topics=TAXONOMY)


def _numbers(quiff, C, people):
    """The leakage, and a digest of which outputs are in each user's set and of the two probabilities."""
    kernel, outputs = C.kernel, np.array([int(y) for y in C.outputs])
    hashed = hashlib.sha256(np.sort(outputs[kernel.entries.columns].reshape(-1, TOP), axis=1).tobytes())
    hashed.update(f"{kernel.entries.values[0]:.12g} {kernel.background[0]:.12g}".encode())
    leakage = float(quiff.leakage(people.user_prior(), C))
    users = with_commas(people.users.size)
    return {f"leakage, {users} users": leakage, f"digest, {users} users": hashed.hexdigest()[:16]}


def growing(inputs, clock, function, size):  # noqa: ARG001 - the harness gives it
    """Enumerate one secret or several, with so many coins or secrets."""
    import quiff

    api = quiff.program(globals()[function])(**{"k" if function == "response" else "n": size})
    secrets = range(size) if function == "response" else [0]
    clock.start()
    C = api.channel(secrets)
    clock.stop()
    return {f"outputs, {with_commas(size)}": C.outputs.size}


def main(repeats, quick):
    people = PEOPLE // 10 if quick else PEOPLE
    with tempfile.TemporaryDirectory() as folder:
        from quiff import Population

        inputs, parts = Path(folder), []
        np.save(inputs / "sets.npy", Population.synthetic(people, seed=1, n_topics=TOPICS, top_s=TOP).codes)
        for model, (_, title) in MODELS.items():
            print(f"programs, {title}", flush=True)
            contenders = [
                Contender("quiff", f"{HERE}:quiff_model", {"model": model}),
                Contender("lea", f"{HERE}:lea_model", {"model": model}),
            ]
            runs = compete(contenders, inputs, repeats)
            parts.append(summary(runs, "quiff", title, check_equal(runs, list(runs))))

        title = f"The Topics API as a program, {with_commas(people)} users"
        print(f"programs, {title}", flush=True)
        ways = {
            "quiff, coin first": "topics_coin_first",
            "quiff, as the paper writes it": "topics_as_the_paper",
            "quiff, iterating over the set": "topics_iterating",
        }
        contenders = [
            Contender(name, f"{HERE}:topics_program", {"function": function, "users": people})
            for name, function in ways.items()
        ]
        contenders.append(
            Contender("quiff, the built-in channel", f"{HERE}:topics_built_in", {"users": people})
        )
        runs = compete(contenders, inputs, repeats)
        parts.append(summary(runs, "quiff, coin first", title, check_equal(runs, list(runs))))

        few = 2 if quick else None
        by_users = {
            f"{with_commas(n)} users": {"function": "topics_coin_first", "users": n}
            for n in (1_000, 10_000, 100_000, people)[:few]
        }
        grown = {
            "Paths: coins that are looked at": ("coins_on_paths", (8, 10, 12, 14), "{} coins"),
            "States: equal coins that are folded": ("equal_coins", (100, 200, 400, 1_000), "{} coins"),
            "States: different coins that are folded": ("different_coins", (50, 100, 200), "{} coins"),
            "Secrets: randomised response": ("response", (100, 1_000, 10_000, 100_000), "{} secrets"),
        }
        parts.append(series("Users: Topics, coin first", f"{HERE}:topics_program", by_users, inputs, repeats))
        for title, (function, sizes, words) in grown.items():
            options = {words.format(with_commas(n)): {"function": function, "size": n} for n in sizes[:few]}
            parts.append(series(title, f"{HERE}:growing", options, inputs, repeats))
    write("programs", parts, quick)
