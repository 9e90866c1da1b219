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


def quiff_end_to_end(inputs, clock):
    codes, measure = np.load(inputs / "sets.npy"), _quiff()
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


def quiff_two_epochs(inputs, clock, users):
    _quiff()
    import quiff

    codes = np.load(inputs / "sets.npy")[:users]
    clock.start()
    C = quiff.Channel.membership_from_codes(range(len(codes)), codes, range(TOPICS), INSIDE, OUTSIDE)
    capacity = quiff.bayes_capacity(quiff.parallel(C, C))
    clock.stop()
    return {"capacity over two epochs": capacity}


def qif_two_epochs(inputs, clock, users):
    import qif

    codes = np.load(inputs / "sets.npy")[:users]
    clock.start()
    matrix = _dense(codes, INSIDE, OUTSIDE, "F")
    capacity = qif.measure.bayes_vuln.mult_capacity(qif.channel.compose.parallel(matrix, matrix))
    clock.stop()
    return {"capacity over two epochs": capacity}


def largest_for_qif():
    """How many users fit half of the free memory as a dense matrix of pairs (and qif's copy of it)."""
    import psutil

    return int(psutil.virtual_memory().available / 4 // (TOPICS**2 * 8) // 100 * 100)


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
            Contender(
                "pandas frames row by row, then qif", f"{here}:pandas_and_qif", repeats=min(repeats, 2)
            ),
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
        most = min(users, largest_for_qif())
        print(f"engine, two epochs, {most} users", flush=True)
        contenders = [
            Contender("quiff, lazy product", f"{here}:quiff_two_epochs", {"users": most}),
            Contender("qif, dense parallel composition", f"{here}:qif_two_epochs", {"users": most}),
        ]
        epochs = compete(contenders, inputs, min(repeats, 3))
        value = check_equal(epochs, list(epochs))
    parts = [
        summary(whole, "quiff", "End to end, from the array of sets to six numbers", facts),
        summary(
            ready, "quiff, channels ready", "Measures alone, channels or matrices ready", {"users": users}
        ),
        summary(
            epochs,
            "quiff, lazy product",
            "Two epochs, at the largest size that the dense peer can hold",
            {"users": most, **value},
        ),
    ]
    write("engine", parts)
    slower = {row["contender"]: row["times_slower"] for part in parts for row in part["rows"]}
    if not quick:  # generous, for noisy machines
        assert slower["pandas frames row by row, then qif"] > 100, "quiff should be far faster end to end"
        assert slower["qif, dense matrices ready, Fortran order"] > 5, "quiff should beat dense matrices"
