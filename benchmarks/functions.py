"""Group `functions`: each function that quiff and qif share, at three sizes, and optimal mechanisms.

Both sides get the same numbers, quiff as labelled values and qif as matrices in the order of Fortran,
which it likes best. A function runs until it has taken a twentieth of a second of CPU time; the table has the
mean of these runs. What a side cannot do at a size within minutes, or in memory, is left out for it. Of ten
secrets a call of quiff takes tens of microseconds, most of it for labels and checks.

Then linear programs: both find the mechanism of least expected loss under metric privacy, or of least
vulnerability at a given loss, for the same random prior. On a line and on a grid qif is told, and quiff
finds, that neighbours are enough. A contender that needs more CPU time than the limit is ended, and the
facts say so.
"""

import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks import engine, mechanisms
from benchmarks.harness import Contender, check_equal, compete, median, with_commas, write

PEERS = {"qif": "version 1.6, the functions of its Python module."}
SMALL, MEDIUM, PEOPLE = "10 x 10", "500 x 500", "population"
ALL, MATRICES, LITTLE = (SMALL, MEDIUM, PEOPLE), (SMALL, MEDIUM), (SMALL,)
ENOUGH = 0.05
ROUGH = {"Kantorovich distance on a line"}  # qif rounds the flow; ours is the area between two curves


class Case:
    """Random numbers of one size; those of the population are a membership channel of the engine's sets."""

    def __init__(self, size, inputs):
        rng = np.random.default_rng(1)
        if size == PEOPLE:
            self.codes, self.m = np.load(inputs / "sets.npy"), engine.TOPICS
            self.n, self.pair = len(self.codes), (engine.INSIDE, engine.OUTSIDE)
        else:
            self.n = self.m = int(size.split()[0])
            self.codes, self.C = None, rng.dirichlet(np.ones(self.m), size=self.n)
            self.D = rng.dirichlet(np.ones(self.m), size=self.n)
        self.pi, self.rho = rng.dirichlet(np.ones(self.n), size=2)
        self.G = rng.random((min(self.n, 10), self.n))
        self.place = np.arange(self.n, dtype=float)

    def for_quiff(self):
        import quiff

        names = range(self.n)
        if self.codes is None:
            self.channel, self.second = quiff.Channel(self.C), quiff.Channel(self.D)
        else:
            self.channel = quiff.Channel.membership_from_codes(names, self.codes, range(self.m), *self.pair)
        self.prior, self.other = (quiff.Prior.from_array(names, p) for p in (self.pi, self.rho))
        self.gain, self.loss = quiff.Gain(self.G), quiff.Loss(self.G)
        return self

    def for_qif(self):
        if self.codes is not None:
            self.C = np.full((self.n, self.m), self.pair[1], order="F")
            np.put_along_axis(self.C, self.codes, self.pair[0], axis=1)
        self.C, self.G = np.asfortranarray(self.C), np.asfortranarray(self.G)
        self.D = np.asfortranarray(getattr(self, "D", self.C))
        return self


def quiff_functions():
    """Name: what is asked, and at which sizes."""
    import quiff as q

    return {
        "posterior Bayes vulnerability": (lambda c: q.posterior_vulnerability(c.prior, c.channel), ALL),
        "Bayes capacity": (lambda c: q.bayes_capacity(c.channel), ALL),
        "posterior g-vulnerability": (lambda c: q.posterior_vulnerability(c.prior, c.channel, c.gain), ALL),
        "posterior risk of a loss": (lambda c: q.posterior_risk(c.prior, c.channel, c.loss), ALL),
        "posterior guessing entropy": (lambda c: q.posterior_guessing_entropy(c.prior, c.channel), ALL),
        "mutual information": (lambda c: q.mutual_information(c.prior, c.channel), ALL),
        "Shannon capacity": (
            lambda c: q.shannon_capacity(c.channel, gap=1e-4 if c.codes is not None else 1e-7).value,
            ALL,
        ),
        "additive capacity": (lambda c: q.additive_capacity(c.channel, c.prior), ALL),
        "additive capacity, bounded gains": (
            lambda c: q.additive_capacity(c.channel, c.prior, of="gains"),
            ALL,
        ),
        "epsilon": (lambda c: q.epsilon(c.channel), ALL),
        "diameter of the rows": (lambda c: q.diameter(c.channel)[0], ALL),
        "total variation": (lambda c: q.total_variation(c.prior, c.other), ALL),
        "convex separation": (lambda c: q.convex_separation(c.prior, c.other), ALL),
        "strategy": (lambda c: q.strategy(c.prior, c.channel) and None, ALL),
        "posteriors": (lambda c: q.posteriors(c.prior, c.channel) and None, MATRICES),
        "Kantorovich distance on a line": (lambda c: q.kantorovich(c.prior, c.other, q.euclidean), MATRICES),
        "refinement": (lambda c: float(q.refines(c.second, c.channel)), LITTLE),
        "max-case refinement": (lambda c: float(q.refines(c.second, c.channel, "max-case")), LITTLE),
        "privacy refinement": (lambda c: float(q.refines(c.second, c.channel, "privacy")), MATRICES),
        "refinement distance": (lambda c: q.refinement_distance(c.prior, c.second, c.channel), LITTLE),
        "enclosing ball": (lambda c: q.enclosing_ball(c.channel)[0], LITTLE),
    }


def qif_functions():
    import qif

    measure, metric, refinement = qif.measure, qif.metric, qif.refinement
    line = metric.euclidean(qif.uint)
    return {
        "posterior Bayes vulnerability": (lambda c: measure.bayes_vuln.posterior(c.pi, c.C), ALL),
        "Bayes capacity": (lambda c: measure.bayes_vuln.mult_capacity(c.C), ALL),
        "posterior g-vulnerability": (lambda c: measure.g_vuln.posterior(c.G, c.pi, c.C), ALL),
        "posterior risk of a loss": (lambda c: measure.l_risk.posterior(c.G, c.pi, c.C), ALL),
        "posterior guessing entropy": (lambda c: measure.guessing.posterior(c.pi, c.C), ALL),
        "mutual information": (lambda c: measure.shannon.add_leakage(c.pi, c.C), ALL),
        "Shannon capacity": (lambda c: measure.shannon.add_capacity(c.C, 1e-7, 0.0)[0], LITTLE),
        "additive capacity": (lambda c: measure.g_vuln.add_capacity(c.pi, c.C), ALL),
        "additive capacity, bounded gains": (lambda c: measure.g_vuln.add_capacity(c.pi, c.C, True), ALL),
        "epsilon": (lambda c: measure.d_privacy.smallest_epsilon(c.C, metric.discrete(qif.uint)), MATRICES),
        "diameter of the rows": (lambda c: metric.optimize.l1_diameter(c.C)[0] / 2, MATRICES),
        "total variation": (lambda c: metric.total_variation()(c.pi, c.rho), ALL),
        "convex separation": (lambda c: metric.convex_separation_quasi()(c.pi, c.rho), ALL),
        "strategy": (lambda c: measure.bayes_vuln.strategy(c.pi, c.C) is None or None, ALL),
        "posteriors": (lambda c: qif.channel.posteriors(c.C, c.pi) is None or None, MATRICES),
        "Kantorovich distance on a line": (lambda c: metric.kantorovich(line)(c.pi, c.rho), MATRICES),
        "refinement": (lambda c: float(refinement.refined_by(c.C, c.D) is not False), LITTLE),
        "max-case refinement": (lambda c: float(refinement.max_refined_by(c.C, c.D)), LITTLE),
        "privacy refinement": (lambda c: float(refinement.priv_refined_by(c.C, c.D)), MATRICES),
        "refinement distance": (lambda c: refinement.add_metric(c.pi, c.C, c.D)[0], LITTLE),
        "enclosing ball": (lambda c: metric.optimize.simplex_l1_min_enclosing_ball(c.C)[0] / 2, LITTLE),
    }


def run(inputs, clock, library, size):
    """Time each function of a library; the laps are seconds a call."""
    functions = quiff_functions() if library == "quiff" else qif_functions()
    case = getattr(Case(size, inputs), f"for_{library}")()
    results = {}
    clock.start()
    for name, (function, sizes) in functions.items():
        if size not in sizes:
            continue
        found, times, begun = function(case), 0, time.process_time()  # once before, to load what it needs
        while time.process_time() - begun < ENOUGH or not times:
            function(case)
            times += 1
        clock.laps[name] = (time.process_time() - begun) / times
        if found is not None:
            results[name] = float(found)
    clock.stop()
    return results


def main(repeats, quick):
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder)
        np.save(inputs / "sets.npy", engine.made_up_sets(engine.USERS // 10 if quick else engine.USERS))
        table = side_by_side(inputs, repeats)
        write("functions", mechanisms.parts(inputs, repeats, quick), quick, opening=table)


def side_by_side(inputs, repeats):
    """Return the table of all functions at all sizes, as Markdown."""
    lines = ["### Each function", ""]
    lines += ["| function | size | quiff, CPU | qif, CPU | qif / quiff |", "|---|---|---:|---:|---:|"]
    for size in ALL:
        print(f"engine, each function, {size}", flush=True)
        contenders = [
            Contender(name, "benchmarks.functions:run", {"library": name, "size": size})
            for name in ("quiff", "qif")
        ]
        runs = compete(contenders, inputs, min(repeats, 2))
        for names, tolerance in (
            (ROUGH, 1e-3),
            (set(quiff_functions()) - ROUGH, 1e-5),
        ):  # to which qif is near
            some = {
                who: [{"results": {k: v for k, v in run["results"].items() if k in names}} for run in found]
                for who, found in runs.items()
            }
            check_equal(some, list(some), tolerance=tolerance)
        laps = {
            name: {lap: median([run["laps"] for run in found], lap) for lap in found[0]["laps"]}
            for name, found in runs.items()
        }
        for name, seconds in laps["quiff"].items():
            other = laps["qif"].get(name)
            theirs, ratio = (shown(other), short(other / seconds)) if other else ("no", "")
            lines.append(f"| {name} | {size} | {shown(seconds)} | {theirs} | {ratio} |")
    return "\n".join(lines) + "\n"


def shown(seconds):
    """A time in seconds, or in parts of one."""
    unit, scale = next(
        (pair for pair in (("s", 1), ("ms", 1e3)) if seconds * pair[1] >= 1), ("microseconds", 1e6)
    )
    return f"{short(seconds * scale)} {unit}"


def short(number):
    """Three digits, or all before the point."""
    return with_commas(round(number)) if number >= 100 else f"{number:.3g}"
