"""A mechanism made for one population: each topic has a weight, the most that any set may show it with."""

import csv
import json
from collections.abc import Hashable, Mapping
from dataclasses import MISSING, dataclass, field
from hashlib import sha256
from os import PathLike, fspath
from pathlib import Path
from typing import Any, final

import numpy as np

from quiff.apis.base import Api, Limit, Unit, parameter
from quiff.apis.ranges import Described, OneOf
from quiff.core.channel import Channel
from quiff.core.gain import Gain, membership_gain_from_codes
from quiff.core.labels import Labels, as_labels
from quiff.core.limits import check_fits
from quiff.core.numbers import Array
from quiff.errors import LabelError, ParameterError, QuiffError
from quiff.io.blocks import small_file
from quiff.people.population import Population
from quiff.people.sets import as_set_labels
from quiff.theory.parameters import check_probability

_AIMS = OneOf("average user", "worst-off user")


@final
@dataclass(frozen=True)
class Evaluated:
    """A mechanism on everybody: its capacity, a lower bound on that of any, and utilities.

    The utility is the probability that what is shown is in the set, for the average and for the worst-off
    user; `top_ten` the share of outputs that are genuine and name one of the ten most frequent topics.
    """

    capacity: float
    least_capacity: float
    utility: float
    worst_utility: float
    top_ten: float


@final
@dataclass(frozen=True, eq=False)
class FittedAPI(Api):
    """Shows a topic of the user's set as often as the weights v allow, and others for the rest.

    A topic of the set is shown as often as its weight allows. What is left of the probability goes to the
    other topics, in proportion to their weights.

    With v(S) the sum of the weights of the topics of S and L that of all weights, which is 1 or more,

        C[S,t] = v_t min(1, 1/v(S))                        for t in S,
        C[S,t] = v_t (1 - min(1, v(S)))/(L - v(S))         otherwise.

    Rows sum to 1, no entry exceeds v_t, so the Bayes capacity is at most L; and the output is a topic of
    the set with probability min(1, v(S)), the most that any channel under these limits can do.

    Parameters
    ----------
    weights
        v, by topic; a topic that is not named has 0. Or a file: JSON as ``quiff design --people`` writes
        it, or CSV with the columns ``topic`` and ``weight``. Topics become numbers if all are whole ones.
    aim
        Of a file with several mechanisms: whose utility is kept up, ``average user`` or ``worst-off user``.

    Examples
    --------
    >>> people = Population.from_sets({"Alice": {"Music", "News"}, "Bob": {"Music", "Travel"}})
    >>> FittedAPI({"Music": 0.75, "Travel": 0.25}).channel(people)
    Channel from 2 inputs to 2 outputs
           Music  Travel
    Alice  0.75   0.25
    Bob    0.75   0.25

    Raises
    ------
    ParameterError
        If a weight is no number from 0 to 1, or they add up to less than 1.
    """

    weights: Mapping[Any, float] = parameter(
        MISSING, Described("0 to 1 each, 1 or more together; a file"), "v, by topic"
    )
    aim: str = parameter("average user", _AIMS, "which mechanism of a file")
    file: str = field(default="", init=False, repr=False)

    title = "fitted mechanism"
    family = "made for some people"
    source = "quiff design --people"
    sees = "a topic"
    unit = Unit("a user", "one site", 7)
    needs = ("topics",)

    def __post_init__(self) -> None:
        _AIMS.check("aim", self.aim)
        weights = self.weights
        if isinstance(weights, str | PathLike):
            object.__setattr__(self, "file", fspath(weights))
            weights = _read(Path(weights), self.aim)
        if not isinstance(weights, Mapping):
            raise ParameterError(what="weights", value=weights, allowed="given by topic, or as a file")
        given = {
            topic: float(check_probability(f"the weight of {topic!r}", weight))
            for topic, weight in weights.items()
        }
        if sum(given.values()) < 1 - 1e-9:
            raise ParameterError(
                what="the sum of the weights",
                value=float(sum(given.values())),
                allowed="1 or more, for an output",
            )
        object.__setattr__(self, "weights", {topic: weight for topic, weight in given.items() if weight > 0})

    @property
    def spec(self) -> str:
        """The file of the weights, or a digest of them."""
        if self.file:
            aim = "" if self.aim == _AIMS.names[0] else f",aim={self.aim}"
            return f"{self.name}:weights={self.file}{aim}"
        text = repr(sorted((repr(topic), weight) for topic, weight in self.weights.items()))
        return f"{self.name}:weights=sha256-{sha256(text.encode()).hexdigest()[:12]}"

    def genuine(self, population: Population) -> Array:
        """Return, for each distinct set, the probability min(1, v(S)) that an output is a topic of it."""
        sets, _ = population.distinct_sets()
        return np.minimum(1.0, covers(self._by_code(sets.topics), sets.codes))

    def capacity(self, population: Population) -> float:
        """Return the Bayes capacity on a population, sum_t max_S C[S,t], without writing out the channel."""
        sets, _ = population.distinct_sets()
        weights, codes = self._by_code(sets.topics), np.asarray(sets.codes)
        cover = covers(weights, codes)
        inside = np.zeros(weights.shape[0])
        np.maximum.at(inside, codes, np.minimum(1.0, 1.0 / np.maximum(cover, 1e-300))[:, np.newaxis])
        rest = self._rest(cover)
        outside = _largest_outside(rest, codes, weights.shape[0])
        unheld = sum(self.weights.values()) - weights.sum()  # topics that nobody has
        return float((weights * np.maximum(inside, outside)).sum() + unheld * rest.max())

    @classmethod
    def of_weights(cls, weights: Array, people: Population) -> "FittedAPI":
        """Return the mechanism of weights in the order of the topics that people have."""
        topics, total = people.distinct_sets()[0].topics, weights.sum()
        if total < 1:  # something must be shown anyway: more weight costs nothing up to a capacity of 1
            weights = weights + (1 - total) * _most_popular(people)
        return cls(dict(zip(topics, np.minimum(weights, 1.0).tolist(), strict=True)))

    def evaluated(self, least_capacity: float, people: Population) -> "Evaluated":
        """Evaluate the mechanism on everybody, beside a lower bound on the capacity of any."""
        sets, _ = people.distinct_sets()
        weights, genuine = self._by_code(sets.topics), self.genuine(people)
        share = people.set_counts() / people.n_users
        outputs = np.zeros(weights.shape[0])
        inside = share * np.minimum(1.0, 1.0 / np.maximum(covers(weights, sets.codes), 1e-300))
        np.add.at(outputs, np.asarray(sets.codes), inside[:, np.newaxis])
        top_ten = float(np.sort(outputs * weights)[-10:].sum())
        utility, worst = float(share @ genuine), float(genuine.min())
        return Evaluated(self.capacity(people), least_capacity, utility, worst, top_ten)

    def observe(self, secrets: object) -> Channel:
        """Return the channel from sets to the topics that have a weight.

        Raises
        ------
        SizeError
            If it would not fit into memory.
        """
        sets, outputs = as_set_labels(secrets), as_labels(self.weights, "topic")
        check_fits(sets.size, outputs.size)
        weights, codes = self._by_code(sets.topics), np.asarray(sets.codes)
        cover = covers(weights, codes)
        row = np.array(list(self.weights.values()))
        matrix = self._rest(cover)[:, np.newaxis] * row
        place = {topic: column for column, topic in enumerate(outputs)}
        column_of = np.array([place.get(topic, -1) for topic in sets.topics])
        rows, slots = np.nonzero(column_of[codes] >= 0)
        columns = column_of[codes[rows, slots]]
        matrix[rows, columns] = row[columns] * np.minimum(1.0, 1.0 / cover[rows])
        return Channel(matrix / matrix.sum(axis=1, keepdims=True), inputs=sets, outputs=outputs)

    def goals(self, secrets: object) -> Mapping[str, Gain]:
        """Return the goal to name a topic of the set."""
        sets = as_set_labels(secrets)
        return {"topics": membership_gain_from_codes(sets, sets.codes, sets.topics)}

    def outputs_naming(self, attribute: str, value: Hashable, stage: str) -> tuple[Hashable, ...]:  # noqa: ARG002
        """Return the topic itself, if it has a weight."""
        return (value,) if attribute == "topics" and value in self.weights else ()

    def limits(self) -> tuple[Limit, ...]:
        """Return that the capacity is at most the sum of the weights."""
        total = sum(self.weights.values())
        return (Limit("bayes_capacity", total, "L = sum of v", "no entry exceeds v_t", bound="at most"),)

    def _rest(self, cover: Array) -> Array:
        """Return (1 - min(1, v(S)))/(L - v(S)), 0 where all weight is inside."""
        left = sum(self.weights.values()) - cover
        return np.asarray(np.where(cover < 1, (1 - cover) / np.maximum(left, 1e-300), 0.0))

    def _by_code(self, topics: Labels) -> Array:
        weights = np.array([self.weights.get(topic, 0.0) for topic in topics])
        if not weights.any():
            raise LabelError("no topic of the population has a weight; fit the mechanism to this population")
        return weights


def _read(path: Path, aim: str) -> dict[Any, Any]:
    """Return the weights of a file."""
    try:
        text = small_file(path, "the weights in ").decode()
        if path.suffix.lower() == ".json":
            found = json.loads(text)
            payload = found.get("payload")  # of a result; one of 0.2 has it outside
            mechanisms = (payload if isinstance(payload, dict) else found).get("fitted")
            if mechanisms is not None:
                found = next(each["weights"] for each in mechanisms if each["aim"] == aim)
        else:
            found = {row["topic"]: float(row["weight"]) for row in csv.DictReader(text.splitlines())}
        topics = list(found)
    except ParameterError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, StopIteration, RecursionError) as error:
        raise QuiffError(
            f"{str(path)!r} has no weights by topic; quiff design --people FILE --utility U --out FILE.json"
            " writes them",
            what="the file of weights",
            value=str(path),
        ) from error
    numbers = all(topic.isdecimal() and topic.isascii() for topic in topics)
    return {int(topic) if numbers else topic: found[topic] for topic in topics}


def covers(weights: Array, codes: Array) -> Array:
    """Return v(S), the sum of the weights of its topics, for each set.

    >>> covers(np.array([0.5, 0.25, 0.0]), np.array([[0, 1], [1, 2]])).tolist()
    [0.75, 0.25]
    """
    return np.asarray(weights[np.asarray(codes)].sum(axis=1))


def _largest_outside(values: Array, codes: Array, n_topics: int) -> Array:
    """Return, for each topic, the largest value of a set that does not have it; 0 if all have it."""
    # A topic of none of the sets before it in falling order has its answer there.
    answer, unknown = np.zeros(n_topics), np.ones(n_topics, dtype=bool)
    for k in np.argsort(-values, kind="stable"):
        found = unknown.copy()
        found[codes[k]] = False
        answer[found] = values[k]
        unknown &= ~found
        if not unknown.any():
            break
    return answer


def _most_popular(people: Population) -> Array:
    """Return weight 1 for the topic that most users have."""
    sets, _ = people.distinct_sets()
    counts = np.repeat(people.set_counts(), sets.codes.shape[1])
    users = np.bincount(np.asarray(sets.codes).ravel(), counts, len(sets.topics))
    return np.asarray((np.arange(users.shape[0]) == users.argmax()).astype(float))


def most_popular_share(people: Population) -> float:
    """Return the share of users who have the most popular topic: what always naming it earns."""
    sets, _ = people.distinct_sets()
    return float((people.set_counts() / people.n_users) @ covers(_most_popular(people), sets.codes))


def sampled_sets(share: Array, most: int, seed: int) -> tuple[Array, Array] | None:
    """Draw users, and return the positions and shares of their sets; None if all sets can be looked at."""
    if share.shape[0] <= most:
        return None
    drawn = np.random.default_rng(seed).choice(share.shape[0], most, p=share)
    sets, counts = np.unique(drawn, return_counts=True)
    return sets, counts / most
