"""Group `audit`: from a log of pairs to bounds, and how often these bounds hold.

The log has a secret of 50 values and an output of 349, which is the secret or a random one, as a Parquet file
of 1 and 10 million rows. All fit a guess by frequency to one half and score it on the other. quiff also
bounds leakage, Bayes security, epsilon and the risk of each secret. A second part, which stands in the guide
to audits, has simulated logs of every API and of the gallery, whose truth is known, and counts how often
bounds hold, true claims are rejected, and wrong ones are.
"""

import json
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.harness import RESULTS, Contender, compete, summary, with_commas, write, write_public

ROWS = (1_000_000, 10_000_000)
SECRETS, OUTPUTS = 50, 349
LOGS = 2000  # of each system
PEERS = {
    "pandas + scikit-learn": "the usual script: `read_parquet`, `train_test_split`, a naive Bayes classifier"
    " of the output's code (`CategoricalNB`), `accuracy_score`; one number, without an interval.",
    "pandas by hand": "`read_parquet`, a random half, `groupby` and `idxmax`, a merge with the other half.",
}


def quiff_audit(inputs, clock, rows):
    import quiff
    from quiff.logs.engine import connect

    quiff.audit(inputs / "small.parquet")
    con = connect()
    clock.start()
    found = quiff.audit(inputs / f"{rows}.parquet", con=con)
    clock.stop()
    return {"score": found["posterior", "log"]}


def with_scikit_learn(inputs, clock, rows):
    import pandas as pd
    from sklearn.metrics import accuracy_score
    from sklearn.model_selection import train_test_split
    from sklearn.naive_bayes import CategoricalNB

    clock.start()
    frame = pd.read_parquet(inputs / f"{rows}.parquet")
    first, second = train_test_split(frame, test_size=0.5, random_state=0)
    model = CategoricalNB(min_categories=OUTPUTS).fit(first[["observation"]], first["secret"])
    score = accuracy_score(second["secret"], model.predict(second[["observation"]]))
    clock.stop()
    return {"score": score}


def by_hand(inputs, clock, rows):
    import pandas as pd

    clock.start()
    frame = pd.read_parquet(inputs / f"{rows}.parquet")
    chosen = np.random.default_rng(0).random(len(frame)) < 0.5
    first, second = frame[chosen], frame[~chosen]
    counts = first.groupby(["observation", "secret"]).size()
    best = counts.groupby("observation").idxmax().map(lambda pair: pair[1])
    score = float((second["observation"].map(best) == second["secret"]).mean())
    clock.stop()
    return {"score": score}


def _write_log(path, rows):
    import pandas as pd

    rng = np.random.default_rng(1)
    secret = rng.integers(SECRETS, size=rows)
    shown = np.where(rng.random(rows) < 0.1, secret, rng.integers(OUTPUTS, size=rows))
    pd.DataFrame({"secret": secret, "observation": shown}).to_parquet(path)


def _part(inputs, rows, repeats):
    _write_log(inputs / f"{rows}.parquet", rows)
    here = "benchmarks.audit"
    contenders = [
        Contender("quiff", f"{here}:quiff_audit", {"rows": rows}),
        Contender("pandas by hand", f"{here}:by_hand", {"rows": rows}, 1),
        Contender("pandas + scikit-learn", f"{here}:with_scikit_learn", {"rows": rows}, 1),
    ]
    runs = compete(contenders, inputs, repeats)
    scores = [run["results"]["score"] for each in runs.values() for run in each]
    assert max(scores) - min(scores) < 6 * (0.25 / rows) ** 0.5  # the halves differ
    return summary(runs, "quiff", f"A log of {with_commas(rows)} rows", {"score": f"{scores[0]:.4f}"})


def measured_coverage(runs):
    """Return the coverage on each system, by plain names."""
    from quiff.auditing.coverage import coverage, known_systems

    found = []
    for name, prior, C in known_systems():
        rows = 100 if C.outputs.size > 2**20 else 500
        found.append(vars(coverage(name, prior, C, runs=runs, rows=rows)))
        print(f"  {found[-1]}", flush=True)
    return found


def coverage_table(found):
    """The table of the documentation: shares of the logs in percent, with exact 95 % intervals."""
    heads = ["posterior", "leakage", "security", "epsilon", "rejected", "detected"]
    names = ["guessed", "leakage", "Bayes security", "epsilon", "true claim rejected", "wrong claim rejected"]
    lines = ["| system | logs | rows | " + " | ".join(names) + " | bound / truth |", "|---|" + "---:|" * 9]
    for each in found:
        cells = ["" if each[head] is None else _share(each[head], each["runs"]) for head in heads]
        first = f"| {each['name']} | {with_commas(each['runs'])} | {each['rows']} |"
        lines.append(f"{first} {' | '.join(cells)} | {each['reached']:.2f} |")
    return "\n".join(lines) + "\n"


def _share(count, runs):
    from quiff.auditing.intervals import at_least, at_most

    ends = 100 * at_least(count, runs, 0.025), 100 * at_most(count, runs, 0.025)
    return f"{100 * count / runs:.1f} ({ends[0]:.1f}–{ends[1]:.1f})"


def main(repeats, quick, logs=None):
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder)
        _write_log(inputs / "small.parquet", 1000)
        parts = [_part(inputs, rows // (10 if quick else 1), repeats) for rows in ROWS]
    write("audit", parts, quick)
    if logs is None:
        logs = 20 if quick else LOGS
    if logs == 0:
        return
    print("coverage", flush=True)
    found = measured_coverage(logs)
    RESULTS.mkdir(exist_ok=True)
    write_public(RESULTS / "audit-coverage.json", json.dumps(found, indent=2) + "\n")
    print(coverage_table(found))
