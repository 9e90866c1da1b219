"""Group `attribution`: random events played on the executable model of the W3C Attribution API.

Nine of ten events save an impression, the others measure a conversion; a profile has at most 20 live
impressions. Options, sites and times are drawn before the clock starts. There is no peer in Python. Then the
budget checker, on all worlds of a size.
"""

import random
import tempfile
from pathlib import Path

from benchmarks.harness import series, with_commas, write

HERE = "benchmarks.attribution"
PEERS = {}
EVENTS, LIVE, DAY = 1_000_000, 20, 86_400
SERVICE = "https://agg-service.example"


def events(inputs, clock, number, profiles):  # noqa: ARG001 - the harness gives it
    from quiff.attribution.browser import Browser

    rng = random.Random(1)  # noqa: S311 - of a benchmark
    sites = [f"site{n}.example" for n in range(50)]
    step = DAY // LIVE // profiles + 1  # so that an impression of one day's lifetime sees at most 20 more
    drawn = [
        (
            rng.random() < 0.9,
            rng.randrange(profiles),
            rng.choice(sites),
            rng.randrange(5),
            1 + rng.randrange(2),
        )
        for _ in range(number)
    ]
    browsers = [Browser(seed=n) for n in range(profiles)]
    now, total, charged, most = 10**9, 0, 0, 0
    clock.start()
    for saves, who, site, index, touches in drawn:
        now += step
        browser = browsers[who]
        if saves:
            browser.save_impression(now, site, histogram_index=index, lifetime_days=1)
        else:
            report = browser.measure_conversion(
                now, site, aggregation_service=SERVICE, histogram_size=5, epsilon=0.1, credit=(1,) * touches
            )
            total += sum(report.histogram)
            charged += len(report.charges)
            most = max(most, len(browser.impressions))
    clock.stop()
    size = f"{with_commas(number)} events, {profiles} profiles"
    return {f"released, {size}": total, f"charges, {size}": charged, f"stored at most, {size}": most}


def checked(inputs, clock, size):  # noqa: ARG001 - the harness gives it
    from quiff.attribution.checker import check_worlds
    from quiff.attribution.rules import DRAFT

    clock.start()
    found = check_worlds(size, DRAFT)
    clock.stop()
    assert found.violation is None
    return {f"worlds, size {size}": found.worlds, f"after symmetry, size {size}": found.canonical}


def main(repeats, quick):
    most = EVENTS // 10 if quick else EVENTS
    with tempfile.TemporaryDirectory() as folder:
        sizes = {
            f"{with_commas(n)} events, {k} profiles": {"number": n, "profiles": k}
            for n, k in ((most // 10, 1), (most, 1), (most, 100))
        }
        worlds = {f"size {n}": {"size": n} for n in ((1, 2) if quick else (1, 2, 3))}
        parts = [
            series("Random events", f"{HERE}:events", sizes, Path(folder), repeats),
            series(
                "The budget checker, rules of the draft", f"{HERE}:checked", worlds, Path(folder), repeats
            ),
        ]
    for row, about in zip(parts[0]["rows"], sizes.values(), strict=True):
        rates = (f"{about['number'] / row[key]:,.0f} by {key}" for key in ("wall_s", "cpu_s"))
        parts[0]["facts"][f"events a second, {row['contender']}"] = ", ".join(rates)
    del parts[0]["sizes"]  # both events and profiles change: no growth in one number
    write("attribution", parts, quick)
