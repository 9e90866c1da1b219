"""Group `attacks`: how many users the published attacks re-identify, from simulated reports of two sites.

The first part is the run of the published PETS '24 simulator: profiles, reports of 30 epochs on two sites,
noise removal, and after each epoch the attack of Beugin and McDaniel on everybody. Its own times, 8.5 s for
1,000 users and 339 s for 10,000 on two cores, are facts in the text. The second sets quiff beside the same
way in plain Python, loops over users and candidates, on the same reports. The third shows how the cost
grows.
"""

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.harness import Contender, check_equal, compete, median, summary, write

PUBLISHED = {1_000: 8.5, 10_000: 339.0}  # seconds on two cores
EPOCHS, EARLIER, PER_CALL, TOP = 30, 2, 3, 5
COMPARED = (1, 15, 30)
TARGETS = 3000
ATTACKS = ("beugin-mcdaniel", "carey", "jha-strict", "jha-loose", "bayes-profiles", "bayes-link")
PEERS = {
    "the published simulator": "did not run here: its times, on two cores of another machine, are quoted, so "
    "that ratios to it are rough.",
    "plain Python loops": "the published way, by our own hand: loops over users and candidates who share a "
    "topic, on the very same reports, without what the simulator spends on making them.",
}


def _quiff(users=200):
    """Load all that quiff will need: imports are not timed."""
    import quiff
    from quiff.attacks.catalogue import attack_named

    people = quiff.Population.synthetic(users, seed=1)
    reports = quiff.simulate(people, quiff.TopicsAPI(), epochs=2, seed=1)
    for name in ATTACKS:
        quiff.reidentify(reports, attack_named(name, quiff.TopicsAPI(), people))
    return quiff


def quiff_whole_run(inputs, clock, users):  # noqa: ARG001 - the harness gives it
    quiff = _quiff()
    people = quiff.Population.synthetic(users, seed=1)
    clock.start()
    reports = quiff.simulate(people, quiff.TopicsAPI(), epochs=EPOCHS, seed=1)
    found = [
        quiff.reidentify(reports, quiff.BeuginMcDaniel(), call=call, sample=None)["unique"]
        for call in range(1, EPOCHS + 1)
    ]
    clock.stop()
    return {f"users: {users}, re-identified after {EPOCHS} epochs": found[-1]}


def _saved_reports(inputs):
    from quiff.browser.reports import Reports

    codes = np.load(inputs / "reports.npy")
    return Reports(range(codes.shape[1]), range(2), range(349), codes, EARLIER)


def quiff_on_reports(inputs, clock):
    quiff, reports = _quiff(), _saved_reports(inputs)
    clock.start()
    counts = {}
    for call in COMPARED:
        tied = quiff.reidentify(reports, quiff.BeuginMcDaniel(), call=call, sample=None).per_user.values[
            "tied"
        ]
        counts[f"epochs: {call}, users uniquely re-identified"] = int((tied == 1).sum())
    clock.stop()
    return counts


def loops_on_reports(inputs, clock):
    """The published way: loops over users, their views and all candidates who share a topic."""
    sites = np.load(inputs / "reports.npy").tolist()
    clock.start()
    counts = {}
    for call in COMPARED:
        kept = [[_kept(row[: EARLIER + call]) for row in site] for site in sites]
        holders = {}
        for user, topics in enumerate(kept[0]):
            for topic in topics:
                holders.setdefault(topic, []).append(user)
        alone = sum(_candidates(topics, holders) == [user] for user, topics in enumerate(kept[1]))
        counts[f"epochs: {call}, users uniquely re-identified"] = alone
    clock.stop()
    return counts


def _kept(row):
    genuine, first, last = set(), {}, {}
    for call in range(len(row) - EARLIER):
        view = row[call : call + PER_CALL]
        for topic in view:
            again = topic in first and (call - first[topic] >= PER_CALL or call - last[topic] > 1)
            if again or view.count(topic) > 1:
                genuine.add(topic)
        for topic in view:
            first.setdefault(topic, call)
            last[topic] = call
    return genuine if len(genuine) >= TOP else set(row)


def _candidates(topics, holders):
    overlap = {}
    for topic in topics:
        for user in holders.get(topic, ()):
            overlap[user] = overlap.get(user, 0) + 1
    most = max(overlap.values(), default=0)
    return [user for user, common in overlap.items() if common == most]


def quiff_attacks(inputs, clock, users):  # noqa: ARG001
    """One run of each attack after 15 epochs, with 3,000 targets among all users."""
    import time

    quiff = _quiff()
    from quiff.attacks.catalogue import attacks_on

    people = quiff.Population.synthetic(users, seed=1)
    reports = quiff.simulate(people, quiff.TopicsAPI(), epochs=15, seed=1)
    found = {}
    clock.start()
    for attack in attacks_on(people, quiff.TopicsAPI()):
        started, name = time.perf_counter(), attack.name
        found[f"{name}, {users} users"] = quiff.reidentify(reports, attack, sample=TARGETS)[name]
        clock.laps[name] = time.perf_counter() - started
    clock.stop()
    return found


def write_reports(inputs, users):
    """Write the reports of two sites on synthetic people."""
    import quiff

    people = quiff.Population.synthetic(users, seed=1)
    reports = quiff.simulate(people, quiff.TopicsAPI(), epochs=EPOCHS, seed=1)
    np.save(inputs / "reports.npy", reports.by_epoch)


def main(repeats, quick):
    here = "benchmarks.attacks"
    sizes = (1_000,) if quick else (1_000, 10_000)
    grown = (1_000, 10_000) if quick else (10_000, 50_000, 250_000)
    parts = []
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder)
        for users in sizes:
            print(f"attacks, the published run, {users} users", flush=True)
            name = f"quiff, {users} users"
            runs = compete([Contender(name, f"{here}:quiff_whole_run", {"users": users})], inputs, repeats)
            ratio = PUBLISHED[users] / median(runs[name], "wall")
            facts = check_equal(runs, [name]) | {
                "the published simulator took": f"{PUBLISHED[users]} s on two cores, as quoted",
                "times faster than that": round(ratio),
            }
            parts.append(
                summary(runs, name, f"The published run: {EPOCHS} epochs, everybody, {users} users", facts)
            )
        for users in sizes:
            print(f"attacks, the same reports, {users} users", flush=True)
            write_reports(inputs, users)
            contenders = [
                Contender("quiff", f"{here}:quiff_on_reports"),
                Contender("plain Python loops", f"{here}:loops_on_reports", repeats=min(repeats, 2)),
            ]
            runs = compete(contenders, inputs, repeats)
            facts = {"users": users, **check_equal(runs, list(runs))}
            parts.append(summary(runs, "quiff", f"Noise removal and matching, {users} users", facts))
        print("attacks, how the cost grows", flush=True)
        contenders = [
            Contender(f"quiff, {users} users", f"{here}:quiff_attacks", {"users": users}) for users in grown
        ]
        runs = compete(contenders, inputs, repeats)
        facts = {"targets": TARGETS, **check_equal(runs, list(runs))}
        title = "Each attack once after 15 epochs: how the cost grows"
        parts.append(summary(runs, contenders[0].name, title, facts))
    write("attacks", parts, quick)
