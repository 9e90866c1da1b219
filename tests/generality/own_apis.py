"""Three APIs that quiff does not know, as its users write them, and people for them.

The numbers of `LEAKAGES` follow by hand from the people: for equally probable users, a map leaks as many
times as it has values, and k-ary randomised response k times the probability of the truth.
"""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from quiff import Api, Channel, Unit, parameter
from quiff.apis.base import fitted
from quiff.apis.ranges import Share, Whole
from quiff.errors import ParameterError

FILE = Path(__file__)


@dataclass(frozen=True)
class HashCohort(Api):
    """A cohort of browsers by a hash of their browsing histories, as FLoC has it."""

    cohorts: int = parameter(4, Whole(1, 1000), "number of cohorts")

    title = "hash cohort"
    sees = "a cohort"
    unit = Unit("a browser", "all sites", 7)
    needs = ("history",)
    redraws = "nothing"

    def observe(self, secrets):
        return Channel.deterministic({history: cohort(history, self.cohorts) for history in secrets})


def cohort(history, cohorts):
    return int(hashlib.sha256(str(history).encode()).hexdigest(), 16) % cohorts


@dataclass(frozen=True)
class RandomCountry(Api):
    """K-ary randomised response on the column country."""

    truth: float = parameter(0.75, Share(), "probability of the true country")
    countries: tuple | None = fitted()

    title = "randomised country"
    sees = "a country"
    needs = ("country",)

    def fit(self, people):
        return self if self.countries else replace(self, countries=tuple(people.attribute("country").values))

    def observe(self, secrets):
        if not self.countries:
            raise ParameterError("the countries are not known yet; take api.fit(people)")
        wrong = (1 - self.truth) / (len(self.countries) - 1)
        rows = {x: {y: self.truth if x == y else wrong for y in self.countries} for x in secrets}
        return Channel.sparse(rows, outputs=self.countries)


@dataclass(frozen=True)
class NumberedBuckets(Api):
    """A number for a set of topics that happens to look like a topic, and is none."""

    buckets: int = 3

    title = "numbered buckets"
    sees = "a bucket"
    needs = ("topics",)
    redraws = "nothing"

    def observe(self, secrets):
        return Channel.deterministic({topics: 1 + sum(topics) % self.buckets for topics in secrets})


PEOPLE = [
    ("ann", 1, 2, "AT", "a.tld b.tld"),
    ("bea", 1, 3, "AT", "a.tld"),
    ("cem", 2, 3, "BR", "b.tld c.tld"),
    ("dan", 1, 4, "BR", "c.tld"),
    ("eve", 2, 4, "CL", "d.tld"),
    ("fay", 3, 4, "CL", "a.tld"),
    ("gus", 1, 2, "AT", "e.tld f.tld"),
    ("hal", 2, 3, "CL", "a.tld b.tld"),
]
LEAKAGES = {
    "hash_cohort": len({cohort(row[4], 4) for row in PEOPLE}),
    "random_country": len({row[3] for row in PEOPLE}) * 0.75,
    "numbered_buckets": len({(row[1] + row[2]) % 3 for row in PEOPLE}),
}
OPTIONS = ["--attribute", "country", "--attribute", "history"]
"""The options that read these people from their file."""


def write_people(path):
    """Write the people to a file, and return its path."""
    lines = ["user,t1,t2,country,history", *(",".join(map(str, row)) for row in PEOPLE)]
    path.write_text("\n".join(lines) + "\n")
    return path
