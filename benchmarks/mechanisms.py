"""Part of the group `functions`: optimal mechanisms, linear programs beside qif's, with a time limit."""

import subprocess

import numpy as np

from benchmarks.harness import Contender, check_equal, compete, run_once, summary

LIMIT, AGAIN = 60, 5  # CPU seconds for one run of a contender, and up to which it is repeated
HERE = "benchmarks.mechanisms"
PROBLEMS = {
    "10 places in the plane, metric privacy": {"kind": "plane", "n": 10},
    "50 places in the plane, metric privacy": {"kind": "plane", "n": 50},
    "100 places on a line, neighbours only": {"kind": "line", "n": 100},
    "100 cells of a grid, neighbours only": {"kind": "grid", "n": 100},
    "10 places on a line, least vulnerability": {"kind": "vulnerability", "n": 10},
    "50 places on a line, least vulnerability": {"kind": "vulnerability", "n": 50},
}
EPSILON = {"plane": 5.0, "line": 0.5, "grid": 0.5}


def places(kind, n):
    rng = np.random.default_rng(1)
    pi = rng.dirichlet(np.ones(n))
    if kind == "plane":
        return pi, [tuple(point) for point in rng.random((n, 2)).tolist()]
    side = round(n**0.5)
    return pi, [divmod(i, side) for i in range(n)] if kind == "grid" else [(i,) for i in range(n)]


def apart(kind, x, y):
    steps = [abs(a - b) for a, b in zip(x, y, strict=True)]
    return float(sum(steps)) if kind == "grid" else float(sum(step * step for step in steps) ** 0.5)


def with_quiff(_inputs, clock, kind, n):
    import scipy.optimize  # noqa: F401

    from quiff import Loss, Prior, least_loss, least_vulnerability

    pi, points = places(kind, n)

    def distance(x, y):
        return apart(kind, x, y)

    clock.start()
    prior, loss = Prior.from_array(points, pi), Loss.from_metric(distance, points)
    if kind == "vulnerability":
        found = least_vulnerability(prior, loss, n / 20)
    else:
        found = least_loss(prior, loss, epsilon=EPSILON[kind], distance=distance)
    clock.stop()
    return {"value": float(found.value)}


def with_qif(_inputs, clock, kind, n):
    import qif

    pi, points = places(kind, n)
    d = [[apart(kind, x, y) for y in points] for x in points]

    def loss(x, y):
        return d[x][y]

    def chain(x, y):  # whether the pair must be given
        return d[x][y] == 1

    clock.start()
    if kind == "vulnerability":
        C = qif.mechanism.bayes_vuln.min_vuln_given_max_loss(pi, n, n / 20, loss)
        value = qif.measure.bayes_vuln.posterior(pi, C)
    else:
        options = {} if kind == "plane" else {"d_priv_ch": chain}
        scaled = EPSILON[kind]
        C = qif.mechanism.d_privacy.min_loss_given_d(pi, n, lambda x, y: scaled * d[x][y], loss, **options)
        value = sum(pi[x] * C[x, y] * d[x][y] for x in range(n) for y in range(n))
    clock.stop()
    return {"value": float(value)}


def parts(inputs, repeats, quick):
    """Return the summary of each problem; a contender that does not end within the limit is told so."""
    found = []
    for title, options in PROBLEMS.items():
        if quick and options["n"] == 50:
            continue
        print(f"engine, {title}", flush=True)
        contenders = [
            Contender("quiff, optimal mechanism", f"{HERE}:with_quiff", options),
            Contender("qif, optimal mechanism", f"{HERE}:with_qif", options),
        ]
        facts, runs = {"time limit": f"{LIMIT} s of CPU time"}, {}
        for contender in contenders:
            try:
                runs[contender.name] = [run_once(contender, inputs, cpu_limit=LIMIT)]
            except subprocess.TimeoutExpired:
                facts[contender.name] = f"not done within {LIMIT} s"
        ours = contenders[0].name
        if ours not in runs:
            raise SystemExit(f"quiff did not solve {title} within {LIMIT} s")
        able = [each for each in contenders if each.name in runs and runs[each.name][0]["cpu"] < AGAIN]
        for name, more in compete(able, inputs, repeats - 1).items():
            runs[name] += more
        facts |= check_equal(runs, list(runs), tolerance=1e-5)  # qif's programs hold to about 1e-7
        found.append(summary(runs, ours, f"Optimal mechanisms: {title}", facts))
    return found
