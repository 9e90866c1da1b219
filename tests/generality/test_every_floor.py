"""Three APIs that quiff does not know, through every study: in Python, and by --api FILE.py:NAME.

The expected numbers are worked out here from plain dictionaries, one row for each of the eight people.
"""

import json
from fractions import Fraction
from itertools import product
from math import sqrt

import pytest
from click.testing import CliRunner

import quiff
import textbook
from generality.own_apis import (
    FILE,
    LEAKAGES,
    OPTIONS,
    PEOPLE,
    HashCohort,
    NumberedBuckets,
    RandomCountry,
    cohort,
    write_people,
)
from quiff import Population
from quiff.cli import main
from quiff.testing import check_api

COUNTRIES = sorted({row[3] for row in PEOPLE})
APIS = {
    "hash_cohort": HashCohort(),
    "random_country": RandomCountry(Fraction(3, 4)),
    "numbered_buckets": NumberedBuckets(),
}
CLASSES = {
    "hash_cohort": "HashCohort",
    "random_country": "RandomCountry",
    "numbered_buckets": "NumberedBuckets",
}
PI = {row[0]: Fraction(1, len(PEOPLE)) for row in PEOPLE}
BAYES = {w: {x: int(x == w) for x in PI} for w in PI}
names = pytest.mark.parametrize("name", APIS)


@pytest.fixture(scope="module")
def people():
    found = Population.from_sets({row[0]: {row[1], row[2]} for row in PEOPLE})
    found = found.with_attribute("country", [row[3] for row in PEOPLE])
    return found.with_attribute("history", [row[4] for row in PEOPLE])


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return write_people(tmp_path_factory.mktemp("people") / "people.csv")


def rows_of(name, n=1):
    """The channel from users to n observations, by the words that define the API."""
    truth = Fraction(3, 4)
    one = {
        "hash_cohort": lambda row: {cohort(row[4], 4): Fraction(1)},
        "numbered_buckets": lambda row: {1 + (row[1] + row[2]) % 3: Fraction(1)},
        "random_country": lambda row: {
            y: truth if y == row[3] else (1 - truth) / (len(COUNTRIES) - 1) for y in COUNTRIES
        },
    }[name]
    single = {row[0]: one(row) for row in PEOPLE}
    outputs = {y for row in single.values() for y in row}
    times = n if name == "random_country" else 1  # nothing else is drawn anew
    found = {}
    for x, row in single.items():
        found[x] = dict.fromkeys(product(outputs, repeat=times), Fraction(0))
        for seen in product(row, repeat=times):
            mass = Fraction(1)
            for y in seen:
                mass *= row[y]
            found[x][seen] = mass
    return found


def posterior(name, n=1):
    return textbook.posterior_vulnerability(PI, rows_of(name, n), BAYES)


def of(name, found, quantity, **others):
    wanted = {"quantity": quantity, **others}
    return [
        r["value"] for r in found["rows"] if all(r[k] == v for k, v in wanted.items()) and name in r["api"]
    ]


def command(*arguments):
    done = CliRunner().invoke(main, [*map(str, arguments), "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def api_option(name):
    return ["--api", f"{FILE}:{CLASSES[name]}", *OPTIONS]


@names
def test_it_passes_the_common_suite(people, name):
    assert len(check_api(APIS[name], people)) == 22


@names
def test_measure(people, file, name):
    api = APIS[name]
    found = quiff.measure(people, api, quiff.Cookies())
    assert found[api.spec, "posterior"] == posterior(name)
    assert float(found[api.spec, "leakage"]) == pytest.approx(LEAKAGES[name])
    for goal, value in (("country", 3), ("history", 4)):
        g = {w: {row[0]: int(row[value] == w) for row in PEOPLE} for w in {row[value] for row in PEOPLE}}
        expected = textbook.posterior_vulnerability(PI, rows_of(name), g)
        assert found[api.spec, "goal_posterior", goal] == expected
        assert found["cookies", "goal_posterior", goal] == 1
    told = {t: {row[0]: int(t in row[1:3]) for row in PEOPLE} for t in (1, 2, 3, 4)}
    expected = textbook.posterior_vulnerability(PI, rows_of(name), told)
    assert found[api.spec, "goal_posterior", "topics"] == expected
    answer = command("measure", file, *api_option(name))
    (leaks,) = of(name, answer, "leakage")
    assert leaks == pytest.approx(LEAKAGES[name])
    text = CliRunner().invoke(main, ["measure", str(file), *api_option(name)]).stdout
    assert api.title in text


@names
def test_each_users_risk(people, name):
    api = APIS[name]
    found = quiff.user_risk(people, api)
    rows = rows_of(name)
    outputs = {y for row in rows.values() for y in row}
    best = {y: max(row[y] for row in rows.values()) for y in outputs}
    tied = {y: [x for x, row in rows.items() if row[y] == best[y]] for y in outputs}
    for user, row in rows.items():
        own = sum((p / len(tied[y]) for y, p in row.items() if user in tied[y] and p), Fraction(0))
        risks = {key: value for key, value in found.per_user.of(user).items() if "own" in str(key)}
        assert [float(value) for value in risks.values()] == pytest.approx([float(own)])
    assert float(found[api.spec, "risk_mean"]) == pytest.approx(float(posterior(name)))


@names
def test_over_time(people, file, name):
    api = APIS[name]
    found = quiff.over_time(people, api, 3)
    answer = command("epochs", file, "--observations", 3, *api_option(name))
    for n in (1, 2, 3):
        assert float(found[api.spec, "posterior", n]) == pytest.approx(float(posterior(name, n)))
        (value,) = of(name, answer, "posterior", observations=n)
        assert value == pytest.approx(float(posterior(name, n)))


@names
def test_attack(people, file, name):
    api = APIS[name]
    found = quiff.attack(people, api, observations=[1, 3], seeds=40, sample=None)
    for n in (1, 3):
        exact = float(posterior(name, n))
        rates = [row for row in found.rows if row.observations == n and row.method == "monte-carlo"]
        assert rates
        # 40 simulations of 8 people: four standard deviations of so many draws
        apart = 4 * sqrt(exact * (1 - exact) / (40 * len(PEOPLE)))
        assert all(abs(row.value - exact) <= apart + 1e-9 for row in rates)
    answer = command("attack", "compare", file, "--observations", 1, "--seeds", 2, *api_option(name))
    assert answer["rows"]


@names
def test_exposure_never_takes_an_output_for_a_topic(people, name):
    found = quiff.exposure(people, APIS[name])
    rows = rows_of(name)
    outputs = {y for row in rows.values() for y in row}
    worst = max(max(r[y] for r in rows.values()) / sum(r[y] for r in rows.values()) for y in outputs)
    table = found.tables["outputs"]
    posteriors = [float(row[2]) for row in table.rows]
    assert max(posteriors) == pytest.approx(float(worst))
    assert {str(row[0]) for row in table.rows} <= {str(y) for (y,) in outputs}


@names
def test_simulate(people, file, name, tmp_path):
    drawn = quiff.simulate(people, APIS[name], epochs=2, seed=1)
    assert drawn.n_users == len(PEOPLE)
    out = tmp_path / "outputs.csv"
    done = CliRunner().invoke(
        main, ["simulate", str(file), *api_option(name), "--epochs", "2", "--seed", "1", "--out", str(out)]
    )
    assert done.exit_code == 0, done.output
    possible = {str(y) for row in rows_of(name).values() for (y,) in row}
    seen = {cell for line in out.read_text().splitlines()[1:] for cell in line.split(",")[-1:]}
    assert seen
    assert {cell.strip("'\"") for cell in seen} <= possible


@names
def test_the_report(file, name, tmp_path):
    out = tmp_path / "report.html"
    done = CliRunner().invoke(main, ["report", str(file), *api_option(name), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert APIS[name].title in out.read_text()


def test_popularity_of_an_api_without_members_is_refused(people):
    with pytest.raises(quiff.ParameterError) as error:
        quiff.popularity(people, HashCohort())
    assert "\n" not in str(error.value)
