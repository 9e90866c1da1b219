"""Group `engine`: privacy and utility of the Topics API on a population, from one integer array of sets.

All contenders start from the same array (users x 5 codes of topics) and find the same six numbers: Bayes
posterior and capacity of the channel from users to topics; prior and posterior Bayes vulnerability and prior
and posterior IBA gain of the channel from distinct sets to topics, under the population's own prior.
"""

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.harness import Contender, check_equal, compete, summary, write

USERS, TOPICS, TOP, NOISE = 198_023, 349, 5, 0.05
FEW = 5_000  # for qiflib, which holds the gains of the Bayes adversary as a square matrix of users
PEERS = {
    "pandas frames row by row, then qif": "as in a notebook: one `frame.loc` for each user and for each set, "
    "then qif on the frames' values. It runs once, since it takes minutes.",
    "qif, dense matrices ready": "the matrices are made before the clock starts, in the order of C or of "
    "Fortran; qif is fastest with the latter, which it does not have to copy.",
    "qiflib": "dense matrices by NumPy, the square gain of the Bayes adversary among them, then its `Hyper` "
    "and `GVulnerability`; on the first 5,000 users.",
}
INSIDE, OUTSIDE = (1 - NOISE) / TOP + NOISE / TOPICS, NOISE / TOPICS


def made_up_sets(users, skew=1.4, seed=1):
    """Draw each user's five topics without replacement, topic number i with weight 1 / i^skew."""
    rng = np.random.default_rng(seed)
    log_weights = -skew * np.log(np.arange(1, TOPICS + 1))
    parts = []
    for start in range(0, users, 20_000):  # Gumbel's trick, in bounded memory
        noisy = rng.gumbel(size=(min(20_000, users - start), TOPICS)) + log_weights
        parts.append(np.argpartition(-noisy, TOP, axis=1)[:, :TOP])
    return np.concatenate(parts)


def quiff_end_to_end(inputs, clock, users=None):
    codes, measure = np.load(inputs / "sets.npy")[:users], _quiff()
    clock.start()
    results = measure(*build_with_quiff(codes))
    clock.stop()
    return results


def quiff_measures(inputs, clock):
    measure = _quiff()
    ready = build_with_quiff(np.load(inputs / "sets.npy"))
    clock.start()
    results = measure(*ready)
    clock.stop()
    return results


def _quiff():
    """Load all that quiff will need: imports are not timed."""
    import scipy.sparse  # noqa: F401

    from quiff.core import gain, labels  # noqa: F401
    from quiff.measures import capacity, vulnerability  # noqa: F401

    return measure_with_quiff


def build_with_quiff(codes):
    import quiff
    from quiff.core.labels import SetLabels, as_labels

    users, topics = range(len(codes)), as_labels(range(TOPICS))
    on_users = quiff.Channel.membership_from_codes(users, codes, topics, INSIDE, OUTSIDE)
    sets, which = SetLabels.distinct(codes, topics)
    prior = quiff.Prior.from_count_array(sets, np.bincount(which))
    on_sets = quiff.Channel.membership_from_codes(sets, sets.codes, topics, INSIDE, OUTSIDE)
    gain = quiff.membership_gain_from_codes(sets, sets.codes, topics)
    return quiff.Prior.uniform(users), on_users, prior, on_sets, gain


def measure_with_quiff(users, on_users, prior, on_sets, gain):
    import quiff

    return {
        "users: Bayes posterior": float(quiff.posterior_vulnerability(users, on_users)),
        "users: capacity": float(quiff.bayes_capacity(on_users)),
        "sets: Bayes prior": float(quiff.vulnerability(prior)),
        "sets: Bayes posterior": float(quiff.posterior_vulnerability(prior, on_sets)),
        "sets: IBA prior": float(quiff.vulnerability(prior, gain)),
        "sets: IBA posterior": float(quiff.posterior_vulnerability(prior, on_sets, gain)),
    }


def pandas_and_qif(inputs, clock):
    """As researchers do it now: frames filled row by row, then qif on their values."""
    import pandas as pd
    import qif  # noqa: F401

    codes = np.load(inputs / "sets.npy")
    clock.start()
    topics = list(range(TOPICS))
    on_users = pd.DataFrame(OUTSIDE, index=range(len(codes)), columns=topics)
    counts = {}
    for user, row in enumerate(codes):
        on_users.loc[user, row] = INSIDE
        key = tuple(sorted(row.tolist()))
        counts[key] = counts.get(key, 0) + 1
    names = range(len(counts))
    on_sets = pd.DataFrame(OUTSIDE, index=names, columns=topics)
    gain = pd.DataFrame(0.0, index=topics, columns=names)
    for name, key in zip(names, counts, strict=True):
        on_sets.loc[name, list(key)] = INSIDE
        gain.loc[list(key), name] = 1.0
    prior = np.array(list(counts.values())) / len(codes)
    users = np.full(len(codes), 1 / len(codes))
    results = measure_with_qif(users, on_users.to_numpy(), prior, on_sets.to_numpy(), gain.to_numpy())
    clock.stop()
    return results


def qif_alone(inputs, clock, order):
    """The dense matrices are ready, in C or in Fortran order; only qif's measures are timed."""
    import qif  # noqa: F401

    codes = np.load(inputs / "sets.npy")
    sets, counts = np.unique(np.sort(codes, axis=1), axis=0, return_counts=True)
    on_users, on_sets = (_dense(rows, INSIDE, OUTSIDE, order) for rows in (codes, sets))
    gain = np.array(_dense(sets, 1.0, 0.0, order).T, order=order)
    users, prior = np.full(len(codes), 1 / len(codes)), counts / len(codes)
    clock.start()
    results = measure_with_qif(users, on_users, prior, on_sets, gain)
    clock.stop()
    return results


def qiflib_end_to_end(inputs, clock, users):
    """Dense matrices at once, the gains of the Bayes adversary among them, then qiflib."""
    from qiflib.core import channel, gvulnerability, hyper, secrets

    codes = np.load(inputs / "sets.npy")[:users]
    topics = list(range(TOPICS))

    def before_and_after(prior, matrix, gain):
        known = secrets.Secrets(list(range(len(prior))), prior)
        g = gvulnerability.GVulnerability(known, list(range(len(gain))), gain)
        after = hyper.Hyper(channel.Channel(known, topics, matrix))
        return float(g.prior_vulnerability()), float(g.posterior_vulnerability(after))

    clock.start()
    on_users = _dense(codes, INSIDE, OUTSIDE, "C")
    bayes, bayes_posterior = before_and_after(np.full(users, 1 / users), on_users, np.eye(users))
    sets, counts = np.unique(np.sort(codes, axis=1), axis=0, return_counts=True)
    prior, on_sets = counts / users, _dense(sets, INSIDE, OUTSIDE, "C")
    by_name = before_and_after(prior, on_sets, np.eye(len(sets)))
    by_interest = before_and_after(prior, on_sets, _dense(sets, 1.0, 0.0, "C").T)
    clock.stop()
    return {
        "users: Bayes posterior": bayes_posterior,
        "users: capacity": bayes_posterior / bayes,  # the uniform prior attains it
        "sets: Bayes prior": by_name[0],
        "sets: Bayes posterior": by_name[1],
        "sets: IBA prior": by_interest[0],
        "sets: IBA posterior": by_interest[1],
    }


def _dense(rows, inside, outside, order):
    matrix = np.full((len(rows), TOPICS), outside, order=order)
    np.put_along_axis(matrix, rows, inside, axis=1)
    return matrix


def measure_with_qif(users, on_users, prior, on_sets, gain):
    from qif import measure

    return {
        "users: Bayes posterior": measure.bayes_vuln.posterior(users, on_users),
        "users: capacity": measure.bayes_vuln.mult_capacity(on_users),
        "sets: Bayes prior": measure.bayes_vuln.prior(prior),
        "sets: Bayes posterior": measure.bayes_vuln.posterior(prior, on_sets),
        "sets: IBA prior": measure.g_vuln.prior(gain, prior),
        "sets: IBA posterior": measure.g_vuln.posterior(gain, prior, on_sets),
    }


def main(repeats, quick):
    users = USERS // 10 if quick else USERS
    here = "benchmarks.engine"
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder)
        codes = made_up_sets(users)
        np.save(inputs / "sets.npy", codes)
        facts = {
            "users": users,
            "topics": TOPICS,
            "distinct sets": len(np.unique(np.sort(codes, axis=1), axis=0)),
        }
        print("engine, end to end", flush=True)
        contenders = [
            Contender("quiff", f"{here}:quiff_end_to_end"),
            Contender("pandas frames row by row, then qif", f"{here}:pandas_and_qif", repeats=1),
        ]
        whole = compete(contenders, inputs, repeats)
        facts |= check_equal(whole, list(whole))
        print("engine, measures alone", flush=True)
        contenders = [
            Contender("quiff, channels ready", f"{here}:quiff_measures"),
            Contender("qif, dense matrices ready, C order", f"{here}:qif_alone", {"order": "C"}),
            Contender("qif, dense matrices ready, Fortran order", f"{here}:qif_alone", {"order": "F"}),
        ]
        ready = compete(contenders, inputs, repeats)
        check_equal(ready | {"end to end": whole["quiff"]}, [*ready, "end to end"])
        few = min(users, FEW)
        print(f"engine, {few} users beside qiflib", flush=True)
        contenders = [
            Contender("quiff, few users", f"{here}:quiff_end_to_end", {"users": few}),
            Contender("qiflib", f"{here}:qiflib_end_to_end", {"users": few}),
        ]
        small = compete(contenders, inputs, min(repeats, 3))
        check_equal(small, list(small))
    parts = [
        summary(whole, "quiff", "End to end, from the array of sets to six numbers", facts),
        summary(
            ready, "quiff, channels ready", "Measures alone, channels or matrices ready", {"users": users}
        ),
        summary(small, "quiff, few users", "End to end, at a size that qiflib can hold", {"users": few}),
    ]
    write("engine", parts, quick)
    slower = {row["contender"]: row["times_slower"] for part in parts for row in part["rows"]}
    if not quick:  # generous, for noisy machines
        assert slower["pandas frames row by row, then qif"] > 100, "quiff should be far faster end to end"
        assert slower["qif, dense matrices ready, Fortran order"] > 5, "quiff should beat dense matrices"
