"""The question how much a report says about one topic of the user."""

import os
from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

from quiff.apis.base import Api
from quiff.apis.cookies import Cookies
from quiff.core.kernels import Kernel
from quiff.core.kernels.base import BLOCK
from quiff.core.numbers import Array, Number, as_number, filled
from quiff.core.sparse import SparseRows
from quiff.populations.histories import Histories
from quiff.populations.population import Population
from quiff.results.attributes import AttributeInference, AttributeTable, Inference
from quiff.studies.exposure import reported_topics
from quiff.studies.old_measure.seen import Seen, seen_histories
from quiff.studies.own_risk import marginal
from quiff.studies.risk import all_stages, masses


def attribute_inference(
    population: Population,
    api: Api,
    topic: Hashable,
    *,
    histories: Seen | Histories | str | os.PathLike[str] | None = None,
) -> AttributeInference:
    """Measure how much each step of an API says about whether the user has one topic.

    The secret is a bit b, whether the topic is in the user's set. With P(b, y) the joint probability of the
    bit and the output y, the chance to guess the bit is max_b P(b) before and sum_y max_b P(b, y) after: the
    Bayes vulnerabilities of a secret that is correlated with the channel's input (paper, Sec. 2.3, unknown
    correlations). Their ratio is `quiff.dalenius_leakage`. Cookies stand first, for comparison.

    Parameters
    ----------
    population
        The users and their sets.
    api
        The API.
    topic
        One of the population's topics.
    histories
        The browsing histories of the users, as for `quiff.measure`, by which cookies are measured. None takes
        cookies to tell all users apart.

    Examples
    --------
    >>> from quiff import Population, TopicsAPI
    >>> sets = {"Alice": {"Music", "News"}, "Bob": {"Sports", "News"}, "Carol": {"Music", "Art"}}
    >>> api = TopicsAPI(n_topics=4, top_s=2, noise=0.2)
    >>> print(attribute_inference(Population.from_sets(sets), api, "Music").table().to_text())
    Does the user have 'Music'? 66.6667 % of the users do (3 in all)
    step              before     after  leakage     added  has it, if reported  has it, if another is
    cookies         0.666667         1      1.5  0.333333
    generalization  0.666667         1      1.5  0.333333
    bounded_noise   0.666667  0.833333     1.25  0.166667  1                    0.5
    topics_api      0.666667  0.783333    1.175  0.116667  0.947368             0.536585
    Before and after an output: the chance to guess right whether the user has the topic.
    Leakage is their ratio, added their difference (Bayes vulnerability of one bit; paper, Sec. 2.3).

    Raises
    ------
    LabelError
        If the population has no such topic, or a user has no history.
    ParameterError
        If there are several epochs.
    """
    code = population.topics.position(topic, "topic")
    has = (population.codes == code).any(axis=1)
    side = SparseRows.rectangular((~has).astype(np.intp).reshape(-1, 1), np.int64(1), 2)
    mass, seen = masses(population), None if histories is None else seen_histories(population, histories)
    found = []
    for stage, C in all_stages(population, api, seen).items():
        with_it, without = C.kernel.left_multiply(side.scale_rows(mass))
        source = Cookies() if stage == Cookies().name else api
        columns = reported_topics(C, population, source, np.array([code]))
        column = None if columns is None else int(columns[0])
        found.append(_inference(topic, stage, with_it, with_it + without, column, mass.sum()))
    weighted = population.weights is not None
    return AttributeInference(topic, population.n_users, found[-1].share, tuple(found), weighted)


def attribute_table(population: Population, api: Api) -> AttributeTable:
    """Measure how much a report says about each topic that occurs; see `attribute_inference`.

    Examples
    --------
    >>> from quiff import Population, TopicsAPI
    >>> people = Population.synthetic(1000, seed=1)
    >>> attribute_table(people, TopicsAPI()).table(first=3).columns[:4]
    ('topic', 'users who have it', 'before', 'after')

    Raises
    ------
    ParameterError
        If there are several epochs.
    """
    C, codes, mass = api.channel(population), population.codes, masses(population)
    happens, total = marginal(C.kernel, mass), mass.sum()
    topics = np.flatnonzero(np.bincount(codes.reshape(-1), minlength=population.topics.size))
    columns = reported_topics(C, population, api, topics)
    places = [None] * topics.shape[0] if columns is None else columns.tolist()
    joint = _of_users_with(C.kernel, codes, mass, population.topics.size)
    occurring = dict(zip(topics.tolist(), places, strict=True))
    rows = [
        _inference(population.topics[topic], api.name, with_it, happens, occurring[topic], total)
        for topic, with_it in enumerate(joint)
        if topic in occurring
    ]
    rows.sort(key=lambda row: -row.leakage)
    return AttributeTable(api.name, population.n_users, tuple(rows), population.weights is not None)


def _of_users_with(kernel: Kernel, codes: Array, mass: Array, n_topics: int) -> Iterator[Array]:
    """Yield for each topic how often each output comes of users who have it, some topics at a time."""
    step = max(1, BLOCK // kernel.n_columns)
    for start in range(0, n_topics, step):
        width = min(step, n_topics - start)
        inside = (codes >= start) & (codes < start + width)
        starts = np.concatenate([[0], np.cumsum(inside.sum(axis=1))])
        here = codes[inside].astype(np.intp) - start
        members = SparseRows(starts, here, filled(np.int64(1), here.shape[0]), width)
        yield from kernel.left_multiply(members.scale_rows(mass))


def _inference(
    topic: Hashable, stage: str, with_it: Array, happens: Array, column: int | None, mass: Any
) -> Inference:
    """Return a topic's figures from how often each output comes of users who have it, and of all."""
    total = as_number(mass)
    having = as_number(with_it.sum()) / total
    posterior = as_number(np.maximum(with_it, happens - with_it).sum()) / total
    given: list[Number | None] = [None, None]
    if column is not None:
        other = np.arange(happens.shape[0]) != column
        given = [
            _chance(with_it[column], happens[column]),
            _chance(with_it[other].sum(), happens[other].sum()),
        ]
    return Inference(topic, stage, having, max(having, 1 - having), posterior, *given)


def _chance(part: Any, whole: Any) -> Number | None:
    """Return part / whole; None if the whole is 0."""
    return as_number(part) / as_number(whole) if whole > 0 else None
