"""Group `attribution`: random events played on the executable model of the W3C Attribution API.

Nine of ten events save an impression, the others measure a conversion; a profile has at most 20 live
impressions. Options, sites and times are drawn before the clock starts. There is no peer in Python. Then the
budget checker, on all worlds of a size, with impressions on one site or on two whose quotas bind, and worlds
in which a site acts on a result; and what such sites carry to another.
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


def acting(inputs, clock, events):  # noqa: ARG001 - the harness gives it
    from quiff.attribution.adaptive_worlds import check_adaptive_worlds
    from quiff.attribution.rules import DRAFT

    clock.start()
    found = check_adaptive_worlds(events, DRAFT)
    clock.stop()
    return {f"worlds, {events} events": found.worlds, f"largest loss, {events} events": found.largest}


def carried(inputs, clock, sites, buckets):  # noqa: ARG001 - the harness gives it
    from quiff import attribution_leakage

    clock.start()
    result = attribution_leakage(1, buckets=buckets, sites=sites, adaptive=True)
    clock.stop()
    last = result.rows.rows[-1]
    return {f"{last.quantity}, {sites} sites, {buckets} buckets": last.value}


def checked(inputs, clock, size, publishers=1):  # noqa: ARG001 - the harness gives it
    from quiff.attribution.checker import check_worlds
    from quiff.attribution.rules import DRAFT

    clock.start()
    found = check_worlds(size, DRAFT, publishers=publishers)
    clock.stop()
    assert found.violation is None
    about = f"size {size}, {publishers} impression sites"
    return {f"worlds, {about}": found.worlds, f"after symmetry, {about}": found.canonical}


def main(repeats, quick):
    most = EVENTS // 10 if quick else EVENTS
    with tempfile.TemporaryDirectory() as folder:
        sizes = {
            f"{with_commas(n)} events, {k} profiles": {"number": n, "profiles": k}
            for n, k in ((most // 10, 1), (most, 1), (most, 100))
        }
        worlds = {
            f"size {n}, {sites} impression sites": {"size": n, "publishers": sites}
            for n in ((1, 2) if quick else (1, 2, 3))
            for sites in (1, 2)
        }
        acts = {f"{n} events": {"events": n} for n in ((3, 4) if quick else (3, 4, 5))}
        reveals = {f"{n} sites, {m} buckets": {"sites": n, "buckets": m} for n, m in ((1, 1), (10, 20))}
        parts = [
            series("Random events", f"{HERE}:events", sizes, Path(folder), repeats),
            series(
                "The budget checker, rules of the draft", f"{HERE}:checked", worlds, Path(folder), repeats
            ),
            series("Worlds in which a site acts", f"{HERE}:acting", acts, Path(folder), repeats),
            series("What sites that act carry", f"{HERE}:carried", reveals, Path(folder), repeats),
        ]
    for row, about in zip(parts[0]["rows"], sizes.values(), strict=True):
        rates = (f"{about['number'] / row[key]:,.0f} by {key}" for key in ("wall_s", "cpu_s"))
        parts[0]["facts"][f"events a second, {row['contender']}"] = ", ".join(rates)
    del parts[0]["sizes"]  # both events and profiles change: no growth in one number
    write("attribution", parts, quick)
