"""Group `stability`: half a year of weekly observations of a secret that changes.

A bit and one of five values through randomised response of epsilon 1, kept with 95 % from week to week. The
peer enumerates all sequences of outputs, in numpy, for as many weeks as fit into memory; there results are
checked to be equal. Beyond them quiff runs alone, and the facts say between what the answer lies.
"""

import tempfile
from math import exp
from pathlib import Path

import numpy as np

from benchmarks.harness import Contender, check_equal, compete, summary, write

PEERS = {"numpy": "plain enumeration: a vector for each sequence of outputs, none of which are joined."}
WEEKS = {2: 22, 5: 10}
HALF_A_YEAR = 26


def model(k):
    """Return the law of the secret, the channel and the stability."""
    truth = exp(1) / (k - 1 + exp(1))
    rows = np.full((k, k), (1 - truth) / (k - 1))
    np.fill_diagonal(rows, truth)
    return np.full(k, 1 / k), rows, 0.95


def enumerated(inputs, clock, k, weeks):  # noqa: ARG001 - all is in the options
    """Compute the probability to guess the secret of the last week, sequence by sequence."""
    clock.start()
    law, rows, stability = model(k)
    vectors = law[np.newaxis]
    for _ in range(weeks):
        vectors = stability * vectors + (1 - stability) * vectors.sum(axis=1, keepdims=True) * law
        vectors = (vectors[:, np.newaxis, :] * rows.T).reshape(-1, k)
    guessed = float(vectors.max(axis=1).sum())
    clock.stop()
    return {"guessed": guessed}


def tracked(inputs, clock, k, weeks):  # noqa: ARG001
    """Compute the same by quiff, with the bounds where there are some."""
    from quiff.weeks.drifting import Drifting

    clock.start()
    answer = Drifting(*model(k)).track(weeks)[-1]
    clock.stop()
    bounds = {} if answer.method == "exact" else {"at least": answer.low, "at most": answer.high}
    return {"guessed": answer.value, **bounds}


def main(repeats, quick):
    parts = []
    with tempfile.TemporaryDirectory() as folder:
        for k, most in WEEKS.items():
            what = "a bit" if k == 2 else f"one of {k} values"
            for weeks in (most - 4 if quick else most, HALF_A_YEAR):
                print(f"stability, {what}, {weeks} weeks", flush=True)
                options = {"k": k, "weeks": weeks}
                contenders = [Contender("quiff", "benchmarks.stability:tracked", options)]
                if weeks < HALF_A_YEAR:
                    contenders.append(Contender("numpy", "benchmarks.stability:enumerated", options))
                runs = compete(contenders, Path(folder), repeats)
                facts = check_equal(runs, list(runs))
                parts.append(summary(runs, "quiff", f"This week's secret, {what}, {weeks} weeks", facts))
    write("stability", parts, quick)
