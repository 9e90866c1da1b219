"""The question which topics expose most those who have them."""

from typing import Any

import numpy as np

from quiff.apis.base import Api
from quiff.apis.cookies import Cookies
from quiff.core.channel import Channel
from quiff.core.numbers import Array, Number, as_number, is_exact, product, to_float
from quiff.core.sparse import SparseRows
from quiff.errors import ParameterError
from quiff.populations.population import Population
from quiff.results.exposure import ExposedTopic, TopicExposure
from quiff.studies.own_risk import marginal, own_risk
from quiff.studies.risk import group_sizes, user_weights


def topic_exposure(population: Population, api: Api) -> TopicExposure:
    """Measure, for each topic that occurs, what a report of it says about who the user is.

    With C the channel from users to reports and prior pi (uniform, or the population's weights), a report of
    topic t lets the adversary name the user with probability

        max_x P(x | t) = max_x pi_x C[x,t] / sum_x pi_x C[x,t],

    and adds max_x pi_x C[x,t] to the posterior Bayes vulnerability (paper, eq. posterior-vulnerability).
    Topics come in descending order of max_x P(x | t): a topic that few have exposes most. Beside it
    stands the mean own risk (see `quiff.user_risk`) of the users who have the topic.

    Examples
    --------
    >>> from quiff import Population, TopicsAPI
    >>> sets = {"Alice": {"Music", "News"}, "Bob": {"Sports", "News"}, "Carol": {"Music", "News"}}
    >>> found = topic_exposure(Population.from_sets(sets), TopicsAPI(n_topics=4, top_s=2, noise=0.2))
    >>> print(found.table().to_text())
    Which topics expose most: topics_api, 3 users
    topic   users who have it  chance to name the user  times a guess  share of vulnerability  mean own risk
    Sports           0.333333                 0.818182        2.45455                0.321429       0.616667
    Music            0.666667                 0.473684        1.42105                0.321429       0.391667
    News                    1                 0.333333              1                0.321429       0.466667
    The chance, max_x P(x | report), is that after a report of the topic; a guess without any report is \
right with 0.333333.
    Topics that nobody has make the rest of the vulnerability, 0.0357143 of it.

    Raises
    ------
    ParameterError
        If the API does not report topics, there are several epochs, or the population is merged and has
        weights.
    """
    C, codes = api.channel(population), population.codes
    weights, holders = user_weights(population), group_sizes(population)
    if not C.exact:
        weights = to_float(weights)
    mass = product(weights, holders)
    total, own = as_number(mass.sum()), own_risk(C, weights, holders)[0]
    topics = np.flatnonzero(np.bincount(codes.reshape(-1), minlength=population.topics.size))
    columns = reported_topics(C, population, api, topics)
    if columns is None:
        raise ParameterError(
            f"{api.name} does not report topics, so that no topic exposes its users by itself"
        )
    best, happens = C.kernel.column_max(weights), marginal(C.kernel, mass)
    having = _by_topic(codes, mass, population.topics.size)
    risks = _by_topic(codes, product(mass, own), population.topics.size)
    rows = [
        _exposed(population.topics[int(t)], best[y], happens[y], having[t], risks[t], total)
        for t, y in zip(topics, columns, strict=True)
    ]
    rows.sort(key=lambda row: (-row.posterior, -row.own_risk))
    return TopicExposure(
        api=api.name,
        users=population.n_users,
        guess=as_number(weights.max()) / total,
        vulnerability=as_number(best.sum()) / total,
        topics=tuple(rows),
        weighted=population.weights is not None,
    )


def reported_topics(C: Channel, population: Population, api: Api, topics: Array) -> Array | None:
    """Return the columns of a channel that report some topics, given as codes; None if it reports others.

    An output with the name of a topic is a report of this topic, but for the identifiers of cookies, which
    are numbers that say nothing.

    Examples
    --------
    >>> from quiff import Population, TopicsAPI
    >>> people, api = Population.from_sets({"Alice": {"a", "b"}, "Bob": {"b", "c"}}), TopicsAPI(3, 2)
    >>> reported_topics(api.channel(people), people, api, np.array([0, 2])).tolist()
    [0, 2]
    >>> reported_topics(Cookies().channel(people), people, Cookies(), np.array([0, 2])) is None
    True
    """
    names = [population.topics[int(topic)] for topic in topics]
    if isinstance(api, Cookies) or not all(name in C.outputs for name in names):
        return None
    return C.outputs.positions(names)


def _exposed(topic: Any, best: Any, happens: Any, having: Any, risk: Any, total: Number) -> ExposedTopic:
    """Return a topic's row; one that is never reported, or whose users weigh nothing, says nothing."""
    nothing = 0 * as_number(best)
    return ExposedTopic(
        topic=topic,
        share=as_number(having) / total,
        posterior=min(as_number(best) / as_number(happens), 1) if happens > 0 else nothing,
        contribution=as_number(best) / total,
        own_risk=as_number(risk) / as_number(having) if having > 0 else nothing,
    )


def _by_topic(codes: Array, values: Array, n_topics: int) -> Array:
    """Return the sum of the users' values over those who have each topic."""
    members = SparseRows.rectangular(codes, np.int64(1), n_topics).scale_rows(values)
    return members.column_sums() if is_exact(values) else np.asarray(members.column_sums(), dtype=np.float64)
