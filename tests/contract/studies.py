"""Every study on small people, on programs and on every API of the registry: what the contract freezes.

The people are built here from plain data (the two files in tests/golden/frozen), not by a generator of the
package, so that the rows depend on nothing but what is computed. `python tests/contract/studies.py` freezes
the rows anew; a row that changes or goes needs a line in CHANGELOG.md that says which is right and why.
"""

import csv
import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import quiff
from quiff import Population, TopicsAPI

FOLDER = Path(__file__).parent
FROZEN = FOLDER / "rows.csv"
ELSEWHERE = FOLDER / "elsewhere.json"
DATA = FOLDER.parent / "golden" / "frozen"
KEYS = ("api", "stage", "goal", "prior", "observations", "quantity", "scope")
COUNTRIES = ("AT", "BR", "FR")
KINDS = ("basket@1", "", "purchase@3.5=20 basket@1@shop.example", "signup@12", "", "purchase@20=90")


def records(name):
    with (DATA / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def topics_of(record):
    return {int(record[f"t{place}"]) for place in range(1, 6)}


def with_attributes(people):
    """Add a country, a browsing history and conversions, each from a user's place in the list."""
    places = range(people.n_users)
    visits = {user: [f"site{place % 7}.tld", "all.tld"] for place, user in enumerate(people.users)}
    people = people.with_histories(quiff.Histories.from_visits(visits, {}))
    people = people.with_attribute("country", [COUNTRIES[place % 3] for place in places])
    return people.with_attribute("conversions", [KINDS[place % len(KINDS)] for place in places])


def plain_people():
    """Sixty users with sets of five topics."""
    return with_attributes(Population.from_sets({r["user"]: topics_of(r) for r in records("people.csv")}))


def few_people():
    """Sixty users with sets of two out of eight topics, so that the largest APIs stay small."""
    sets = {
        f"user{place:02}": {1 + place % 8, 1 + (place + 1 + place // 8 % 7) % 8}
        for place in range(60)
    }  # fmt: skip
    return with_attributes(Population.from_sets(sets, topics=range(1, 9)))


def weighted_weeks():
    """Forty users whose topics change over three weeks, with weights from 1 to 4."""
    rows = records("weeks.csv")
    users = sorted({row["user"] for row in rows})
    sets = {(row["user"], int(row["epoch"])): sorted(topics_of(row)) for row in rows}
    array = np.array([[sets[user, epoch] for user in users] for epoch in range(3)])
    return Population.from_array(users, array, weights=[1 + place % 4 for place in range(len(users))])


@quiff.program
def two_of_five(user, draw):
    """Show two of a user's topics, each replaced with probability 1/4 by one of eight."""
    topics = sorted(user.topics)
    shown = frozenset({draw.uniform(topics), draw.uniform(topics)})
    return draw.uniform(range(1, 9)) if draw.flip(Fraction(1, 4)) else shown


@quiff.program
def yes_or_no(user, draw, truth=Fraction(3, 4)):
    """Warner's randomised response on the country."""
    lives_there = user.country == "AT"
    return lives_there if draw.flip(truth) else not lives_there


@quiff.program
def bits(secret, draw):
    """Yield three bits of a number, the last one noisy."""
    yield secret & 1
    yield secret >> 1 & 1
    yield (secret >> 2 & 1) ^ int(draw.flip(Fraction(1, 8)))


def log_of_pairs():
    """A log without chance: 300 answers of randomised response with truth 3/4, in exact shares."""
    rows = [("yes", "yes")] * 111 + [("yes", "no")] * 39 + [("no", "no")] * 114 + [("no", "yes")] * 36
    return pd.DataFrame(rows, columns=["secret", "observation"])


def registry_apis():
    """Every API of the registry in its smallest natural setting, and some that are not the default."""
    small = {
        "topics": ["topics:n_topics=8,top_s=2", "topics:n_topics=8,top_s=2,noise=0.3"],
        "android_topics": ["android_topics:n_topics=8,top_s=2"],
        "fitted": [],  # from probabilities, below
        "floc": ["floc:k=5,domains=1"],
        "private_aggregation": ["private_aggregation:keys=3"],
        "ipa": ["ipa:keys=1"],
        "w3c_attribution": ["w3c_attribution:keys=1", "w3c_attribution:keys=3,share=0.5"],
        "real_time_monitoring": ["real_time_monitoring:epsilon=1"],
        "win_signals": ["win_signals:attribute=country"],
        "parakeet": ["parakeet:centroids=5"],
    }
    specs = [spec for name in quiff.apis() for spec in small.get(name, [name])]
    return [*(quiff.api_from(spec) for spec in specs), quiff.FittedAPI(dict.fromkeys(range(1, 9), 0.25))]


def studies() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the name of each study and the call that runs it."""
    plain, few, weeks = plain_people(), few_people(), weighted_weeks()
    # The Topics API and cookies on people with and without weights and weeks.
    noisy = TopicsAPI(noise=0.2)
    for name, people in {"plain": plain, "weeks": weeks}.items():
        first = people.epoch(0)
        yield f"measure {name}", partial(quiff.measure, first, quiff.Cookies(), TopicsAPI(), noisy)
        yield f"user_risk {name}", partial(quiff.user_risk, first, TopicsAPI(), noisy)
        yield f"over_time {name}", partial(quiff.over_time, people, TopicsAPI(), 3, utility=True)
        yield f"compare {name}", partial(quiff.compare, quiff.Cookies(), TopicsAPI(), people=first)
        yield f"attribute_inference {name}", partial(quiff.attribute_inference, first, TopicsAPI(), value=17)
    yield (
        "measure occurring",
        partial(quiff.measure, plain, TopicsAPI("occurring"), TopicsAPI(noise=Fraction(1, 2))),
    )
    yield "measure goals", partial(quiff.measure, plain, TopicsAPI(), goals=["country"], known=["country"])
    yield "over_time sampled", partial(quiff.over_time, plain, TopicsAPI(), 7, seed=1)
    yield "popularity", partial(quiff.popularity, plain, TopicsAPI(), simulations=50, seed=1)
    yield (
        "estimate_popularity",
        partial(quiff.estimate_popularity, {1: 70, 2: 40, 3: 10}, TopicsAPI(8, 2), 120),
    )
    yield "attack", partial(quiff.attack, plain, TopicsAPI(), observations=5, seeds=2, sample=None)
    yield "browser_rules", partial(quiff.browser_rules, plain, TopicsAPI(), samples=100, seed=1)
    # Every API of the registry, with people and by its closed forms alone.
    for api in registry_apis():
        yield f"measure {api.spec}", partial(quiff.measure, few, api)
        yield f"user_risk {api.spec}", partial(quiff.user_risk, few, api)
        yield f"over_time {api.spec}", partial(quiff.over_time, few, api, 3, utility=True)
        yield f"closed_forms {api.spec}", partial(quiff.closed_forms, api)
    yield "compare all", partial(quiff.compare, *registry_apis(), people=few)
    yield "compare without people", partial(quiff.compare, *registry_apis()[:-1])
    yield (
        "closed_forms scenario",
        partial(quiff.closed_forms, TopicsAPI(31, 3, Fraction(1, 10)), n_users=1000),
    )
    # Programs.
    for program in (two_of_five, yes_or_no):
        yield f"measure {program.spec}", partial(quiff.measure, few, program, goals=["country"])
        yield f"over_time {program.spec}", partial(quiff.over_time, few, program, 2, utility=True)
    yield "knowledge", partial(quiff.knowledge, quiff.Prior.uniform(range(8)), bits)
    # Designs, budgets, guarantees.
    for measure, target in (("bayes_capacity", 50), ("epsilon", 6), ("utility", 0.9)):
        yield f"meet_budget {measure}", partial(quiff.meet_budget, TopicsAPI(), measure, target)
    yield "fit_design", partial(quiff.fit_design, plain, 0.9, sample=200, seed=1)
    yield "explain_epsilon", partial(quiff.explain_epsilon, 1.0)
    yield (
        "explain_epsilon of APIs",
        partial(quiff.explain_epsilon, None, TopicsAPI(), quiff.RealTimeMonitoring()),
    )
    yield "attribution_leakage", partial(quiff.attribution_leakage, 1, buckets=3, others=2, weeks=[1, 2])
    yield "check_budgets", partial(quiff.check_budgets, 1)
    yield "audit", partial(quiff.audit, log_of_pairs(), epsilon=0.5)
    yield "audit of an API", partial(quiff.audit, log_of_pairs(), seed=3, level=0.9)


def as_text(number):
    """Write a number so that none of its digits is lost."""
    if isinstance(number, np.generic):
        number = number.item()
    return "" if number is None else str(number) if isinstance(number, Fraction) else repr(number)


def as_number(text):
    """Read what `as_text` wrote."""
    if text in ("", "inf", "-inf", "nan"):
        return float(text) if text else None
    return Fraction(text) if text.lstrip("-").replace("/", "", 1).isdigit() else float(text)


def outcome(study):
    """Return the result of a study, or the type of the error with which it refuses."""
    try:
        return study()
    except quiff.QuiffError as error:
        return type(error)


def frozen_rows(name, result):
    """Return the rows of a study as texts, by keys; rows of one key are numbered."""
    if isinstance(result, type):
        return {(name, *[""] * len(KEYS), "1"): (result.__name__, "", "")}
    rows, times = {}, {}
    for row in result.rows:
        key = (name, *(str(getattr(row, column)) for column in KEYS))
        times[key] = times.get(key, 0) + 1
        rows[*key, str(times[key])] = tuple(as_text(number) for number in (row.value, row.low, row.high))
    return rows


def numbers_in(answer):
    """Yield every number that is not whole in nested mappings and lists."""
    if isinstance(answer, Mapping):
        answer = list(answer.values())
    if isinstance(answer, list | tuple | np.ndarray):
        for part in answer:
            yield from numbers_in(part)
    elif isinstance(answer, float | Fraction) and math.isfinite(answer) and answer != int(answer):
        yield float(answer)


def numbers_of(result):
    """Return every number of a result: of rows, words, payload and tables, its own and its parts'."""
    if isinstance(result, type):
        return set()
    rows = [number for row in result.every_row for number in (row.value, row.low, row.high)]
    per_user = {} if result.per_user is None else result.per_user.values
    cells = [table.rows for table in result.tables.values()]
    everywhere = (rows, json.loads(result.to_json()), result.words, result.payload, cells, per_user)
    return {number for place in everywhere for number in numbers_in(place)}


def freeze():
    rows, elsewhere = {}, {}
    for name, study in studies():
        result = outcome(study)
        texts = frozen_rows(name, result)
        in_rows = {float(as_number(text)) for row in texts.values() for text in row if text[-1:].isdigit()}
        rows |= texts
        elsewhere[name] = sorted(numbers_of(result) - in_rows)
    with FROZEN.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("study", *KEYS, "nth", "value", "low", "high"))
        study = ""
        for (name, *key), numbers in rows.items():
            writer.writerow(("" if name == study else name, *key, *numbers))
            study = name
    ELSEWHERE.write_text(json.dumps({k: v for k, v in elsewhere.items() if v}, indent=0) + "\n")


if __name__ == "__main__":
    sys.path.insert(0, str(FOLDER.parent))
    freeze()
