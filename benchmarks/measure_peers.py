"""The peers of the group `measure`: what researchers do now, with pandas, qif and bvmlib.

Frames of users x topics and of sets x topics are filled row by row, and qif measures their values; bvmlib
tells what the whole sets give away. Epsilon and each user's risk are one line of pandas each: qif compares
all pairs of rows for the one and has nothing for the other. For the sake of memory the frames of users are
gone before those of sets are made, and matrices come to qif in Fortran order, in which it is fastest. The
variant that fills its frames at once differs in nothing else.
"""

import contextlib
import io
import time
import warnings

import numpy as np

TOPICS, TOP, NOISE = 349, 5, 0.05
NAMES = [f"t{place}" for place in range(1, TOP + 1)]
QUANTILES = {
    "min": 0,
    "lower_quartile": 0.25,
    "median": 0.5,
    "upper_quartile": 0.75,
    "p95": 0.95,
    "p99": 0.99,
    "max": 1,
}
SET_CHANNELS = ("bounded_noise", "topics")
STEPS = ("generalization", *SET_CHANNELS)


class Laps(dict):
    """Seconds by name."""

    @contextlib.contextmanager
    def lap(self, name):
        start = time.perf_counter()
        yield
        self[name] = self.get(name, 0) + time.perf_counter() - start


def measure_by_frames(path, by_row):
    """Return the numbers by name, and the seconds that each kind of work took."""
    import pandas as pd

    laps = Laps()
    with laps.lap("read the file"):
        people = pd.read_csv(path, index_col="user")
        people[NAMES] = np.sort(people[NAMES].to_numpy(), axis=1)
    results = {"users": len(people), "cookies: posterior": 1.0, "cookies: leakage": float(len(people))}
    with laps.lap("bvmlib: re-identification by the sets"):
        results |= by_the_whole_set(people)
    results |= on_users(people, by_row, laps) | on_sets(people, by_row, laps)
    return results, laps


def by_the_whole_set(people):
    from bvmlib.bvm import BVM

    told = io.StringIO()  # bvmlib prints its errors
    with warnings.catch_warnings(), contextlib.redirect_stdout(told):
        warnings.simplefilter("ignore")  # it calls pandas in ways that newer ones advise against
        table = BVM(people)
        table.qids(NAMES)
        found = table.assess()["re_id"].iloc[0]
    assert not told.getvalue(), told.getvalue()
    own = 1 / people.groupby(NAMES)[NAMES[0]].transform("size")
    return {
        "unique users": float(found["dCR"]),
        "generalization: posterior": float(found["Posterior"]),
        "generalization: leakage": float(found["pCR"]),
        **distribution("generalization, own risk", own),
        **distribution("generalization, worst posterior", own),
    }


def on_users(people, by_row, laps):
    """Privacy after one topic and after one report, and each user's risk."""
    from qif.measure import bayes_vuln

    with laps.lap("fill frames"):
        channels = filled(people.index, people[NAMES].to_numpy(), by_row)
    uniform, results = np.full(len(people), 1 / len(people)), {}
    for step, C in channels.items():
        with laps.lap("qif on users"):
            posterior = bayes_vuln.posterior(uniform, C.to_numpy())
            results[f"{step}: posterior"] = posterior
            results[f"{step}: leakage"] = posterior / bayes_vuln.prior(uniform)
        with laps.lap("each user's risk"):
            best = C.eq(C.max())
            own = C.where(best, 0).div(best.sum()).sum(axis=1)
            worst = C.div(C.sum()).max(axis=1)
            results |= distribution(f"{step}, own risk", own)
            results |= distribution(f"{step}, worst posterior", worst)
    return results


def on_sets(people, by_row, laps):
    """Utility under both priors, and limits."""
    from qif.measure import bayes_vuln, g_vuln

    with laps.lap("fill frames"):
        counts = people.groupby(NAMES).size()
        sets = counts.index.to_frame().to_numpy()
        channels = filled(range(len(sets)), sets, by_row)
        gain = np.asfortranarray((channels["bounded_noise"] > 0).astype(float).to_numpy().T)
    priors = {"population": counts.to_numpy() / len(people), "uniform": np.full(len(sets), 1 / len(sets))}
    results = {"distinct sets": len(sets), "occurring topics": len(np.unique(sets))}
    with laps.lap("qif on sets"):
        for step, frame in channels.items():
            C = frame.to_numpy()
            for told, prior in priors.items():
                name = f"{told} prior"
                results[f"{step}, bayes, {name}: prior"] = bayes_vuln.prior(prior)
                results[f"{step}, bayes, {name}: posterior"] = bayes_vuln.posterior(prior, C)
                results[f"{step}, iba, {name}: prior"] = g_vuln.prior(gain, prior)
                results[f"{step}, iba, {name}: posterior"] = g_vuln.posterior(gain, prior, C)
        seen = channels["topics"]
        results["Bayes capacity"] = bayes_vuln.mult_capacity(seen.to_numpy())
        results["max-case capacity"] = float((seen.max() / seen.min()).max())
        results["epsilon"] = float(np.log(results["max-case capacity"]))
    return results


def filled(labels, topics, by_row):
    """Return the frames of the channels to one topic, without and with noise, from topics numbered from 1."""
    import pandas as pd

    values = np.zeros((len(topics), TOPICS), order="F")
    if not by_row:
        np.put_along_axis(values, topics - 1, 1 / TOP, axis=1)
    frame = pd.DataFrame(values, index=labels, columns=range(1, TOPICS + 1))
    if by_row:
        for label, row in zip(labels, topics, strict=True):
            frame.loc[label, row] = 1 / TOP
    return {"bounded_noise": frame, "topics": (1 - NOISE) * frame + NOISE / TOPICS}


def distribution(name, values):
    """Return mean and quantiles; each quantile is some user's value."""
    found = {"mean": float(values.mean())}
    found |= {
        quantile: float(np.quantile(values, share, method="inverted_cdf"))
        for quantile, share in QUANTILES.items()
    }
    return {f"{name}: {key}": value for key, value in found.items()}
