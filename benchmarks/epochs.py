"""Group `epochs`: what the reports of 1 to 4 epochs leak, on synthetic populations, stable and changing sets.

quiff goes from a population in memory to the Bayes capacity of the epochs' channels composed in parallel. The
dense peer, `qif`, writes the composed matrix down; it is compared at the sizes that fit the memory. Sets
change by drift: each topic is replaced with probability .3 from epoch to epoch. quiff measures a few users
first, so that imports are not timed.
"""

import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.harness import Contender, check_equal, compete, summary, write

TOPICS, TOP, NOISE, RATE = 349, 5, 0.05, 0.3
INSIDE, OUTSIDE = (1 - NOISE) / TOP + NOISE / TOPICS, NOISE / TOPICS
SIZES, QUICK = (10_000, 50_000, 250_000), (10_000,)
MOST, FEW = 4, 200
AIMS = {2: 0.02, 3: 0.09, 4: 1.1}  # seconds of a first program, on 250,000 users with stable sets
STABLE, CHANGING = "stable", "changing"
HERE, DENSE = "benchmarks.epochs", "qif, dense parallel composition"
PEERS = {
    DENSE: "writes the composed matrix down, one column for each sequence of topics, on as many users as fit "
    "half of the free memory, and takes its capacity.",
}


def quiff_leakage(inputs, clock, kind, epochs, users=None):
    import quiff
    from quiff.measures import capacity  # noqa: F401 - loaded before the clock starts

    people = _population(inputs, kind, users)
    clock.laps["warm-up"] = -time.perf_counter()
    quiff.bayes_capacity(_composed(quiff, _population(inputs, kind, FEW), epochs))
    clock.laps["warm-up"] += time.perf_counter()
    clock.start()
    begun = time.perf_counter()
    C = _composed(quiff, people, epochs)
    C.kernel.merged()  # users with the same sets are made one, once
    ready = time.perf_counter()
    leakage = quiff.bayes_capacity(C)
    clock.laps |= {"channel and distinct users": ready - begun, "counting": time.perf_counter() - ready}
    clock.stop()
    return {f"leakage over {_told(epochs)}": float(leakage)}


def _composed(quiff, people, epochs):
    """Return the channels of the epochs, composed in parallel."""
    api = quiff.TopicsAPI(TOPICS, TOP, NOISE)
    if people.n_epochs == 1:
        return quiff.repeat(api.channel(people), epochs)
    composed = api.channel(people.epoch(0))
    for epoch in range(1, epochs):
        composed = quiff.parallel(composed, api.channel(people.epoch(epoch)))
    return composed


def _population(inputs, kind, users):
    from quiff import Population

    sets = _sets(inputs, kind, users)
    return Population.from_array(range(sets.shape[1]), sets, topics=range(TOPICS))


def _sets(inputs, kind, users):
    sets = np.load(inputs / "sets.npy")[:, :users]
    return sets[:1] if kind == STABLE else sets


def qif_leakage(inputs, clock, kind, epochs, users):
    import qif

    sets = _sets(inputs, kind, users)
    clock.start()
    dense = [_dense(sets[min(epoch, len(sets) - 1)]) for epoch in range(epochs)]
    composed = dense[0]
    for matrix in dense[1:]:
        composed = qif.channel.compose.parallel(composed, matrix)
    leakage = qif.measure.bayes_vuln.mult_capacity(composed)
    clock.stop()
    return {f"leakage over {_told(epochs)}": leakage}


def _dense(codes):
    matrix = np.full((len(codes), TOPICS), OUTSIDE, order="F")
    np.put_along_axis(matrix, codes, INSIDE, axis=1)
    return matrix


def _told(epochs):
    return f"{epochs} epoch{'s' if epochs > 1 else ''}"


def write_sets(inputs, users):
    """Write the sets of a synthetic population and how they drift, (epochs, users, s)."""
    from quiff import Population, drift

    people = Population.synthetic(users, seed=1, n_topics=TOPICS, top_s=TOP)
    np.save(inputs / "sets.npy", drift(people, MOST, RATE, seed=1).sets)


def grow(inputs, kind, users, most, repeats):
    """Let quiff measure 1 to `most` epochs of one population, and return what each took."""
    print(f"epochs, {kind} sets, {users} users", flush=True)
    contenders = [
        Contender(_told(epochs), f"{HERE}:quiff_leakage", {"kind": kind, "epochs": epochs})
        for epochs in range(1, most + 1)
    ]
    runs = compete(contenders, inputs, repeats)
    facts = {"ratios": "to one epoch", **check_equal(runs, list(runs)), **_warm_up(runs)}
    if kind == STABLE and users == SIZES[-1]:
        facts |= {f"aim for counting {_told(E)}": f"{AIMS[E]} s" for E in AIMS if most >= E}
    many = f"{users:,}"
    return summary(runs, _told(1), f"quiff, {kind} sets, {many} users", facts)


def _warm_up(runs):
    """Take the seconds of the warm-up, which are not timed, out of the laps, and tell them."""
    seconds = {
        name: [lap for run in found if (lap := run["laps"].pop("warm-up", None)) is not None]
        for name, found in runs.items()
    }
    most = max(max(laps) for laps in seconds.values() if laps)
    return {"warm-up, not timed, at most": f"{most:.2g} s"}


def beside_qif(inputs, kind, epochs, users, repeats):
    """Set quiff beside the dense composition, at the largest size that fits the memory."""
    users = min(users, _fits_qif(epochs))
    print(f"epochs, {kind} sets, {_told(epochs)}, {users} users, beside qif", flush=True)
    options = {"kind": kind, "epochs": epochs, "users": users}
    contenders = [
        Contender("quiff", f"{HERE}:quiff_leakage", options),
        Contender(DENSE, f"{HERE}:qif_leakage", options),
    ]
    runs = compete(contenders, inputs, min(repeats, 2))
    facts = {"users": users, **check_equal(runs, list(runs)), **_warm_up(runs)}
    title = f"Beside the dense peer: {kind} sets, {_told(epochs)}"
    return summary(runs, "quiff", title, facts)


def _fits_qif(epochs):
    """How many users fit half of the free memory as a dense matrix (and qif's copy of it)."""
    import psutil

    return int(psutil.virtual_memory().available / 4 // (TOPICS**epochs * 8))


def main(repeats, quick, users=None, most=MOST):
    parts = []
    most = min(most, MOST - 1) if quick else most
    repeats = 1 if quick else repeats
    dense = {2: 300, 3: 2} if quick else {2: SIZES[-1], 3: SIZES[-1]}
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder)
        for size in users or (QUICK if quick else SIZES):
            write_sets(inputs, size)
            parts += [grow(inputs, kind, size, most, repeats) for kind in (STABLE, CHANGING)]
        for epochs, limit in dense.items():
            parts += [
                beside_qif(inputs, kind, epochs, min(limit, size), repeats) for kind in (STABLE, CHANGING)
            ]
    parts[-1]["facts"]["four epochs"] = f"a row alone takes {TOPICS**4 * 8 / 1e9:.0f} GB as a dense matrix"
    write("epochs", parts, quick)
    most_held = max(row["peak_mib"] for part in parts for row in part["rows"] if row["contender"] != DENSE)
    assert most_held < 1024, f"quiff should need less than 1 GiB, not {most_held:.0f} MiB"
