"""The question how much an observation says about one value of an attribute, such as having a topic."""

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

from quiff.apis.base import Api, checked_people, stages_of
from quiff.core.kernels import Kernel
from quiff.core.kernels.base import BLOCK
from quiff.core.labels import Labels
from quiff.core.limits import check_work
from quiff.core.numbers import Array, Number, as_number, filled
from quiff.core.sparse import SparseRows
from quiff.populations.population import Population
from quiff.results.result import Result
from quiff.results.rows import Row
from quiff.results.views.attributes import Inference, inference_views
from quiff.results.views.names import goal_of_value, value_words
from quiff.studies.checked import checked_apis
from quiff.studies.members import masses, members, naming_columns
from quiff.studies.own_risk import marginal
from quiff.studies.provenance import provenance, repeatable


@repeatable
def attribute_inference(people: Population, *apis: Api, attribute: str = "topics", value: Hashable) -> Result:
    """Measure how much each stage of some APIs says about whether the user has one value of an attribute.

    The secret is a bit b: whether the topic is in the user's set, or the attribute has the value. With
    P(b, y) the joint probability of the bit and the output y, the probability to guess the bit is max_b P(b)
    before and sum_y max_b P(b, y) after: the Bayes vulnerabilities of a secret that is correlated with the
    channel's input (paper, Sec. 2.3, unknown correlations). Their ratio is `quiff.dalenius_leakage`.

    Parameters
    ----------
    people
        The users and their attributes.
    apis
        What to measure; by default third-party cookies and the Topics API.
    attribute, value
        What is to be learnt: one of the topics, or a value of another attribute.

    Examples
    --------
    >>> from quiff import worked_example
    >>> people, api = worked_example()
    >>> people = people.with_attribute("country", ["AT", "BR", "AT"])
    >>> result = attribute_inference(people, api, value="Music")
    >>> [result[api.spec, "goal_posterior", stage] for stage in ("bounded_noise", "topics")]
    [Fraction(1, 1), Fraction(293, 300)]
    >>> attribute_inference(people, api, attribute="country", value="BR")[api.spec, "leakage"]
    Fraction(293, 200)

    Raises
    ------
    LabelError
        If no user has such a value.
    ParameterError
        If there is no such attribute, or it has several epochs.
    """
    people = checked_people(people)
    chosen = checked_apis(people, apis)
    values, codes = members(people, attribute)
    code = values.position(value, value_words(attribute))
    side = SparseRows.rectangular(
        (~(codes == code).any(axis=1)).astype(np.intp)[:, np.newaxis], np.int64(1), 2
    )
    mass, inferred = masses(people), {}
    for api in chosen:
        ready = api.fit(people)
        for stage, C in stages_of(ready, people).items():
            with_it, without = C.kernel.left_multiply(side.scale_rows(mass))
            named = naming_columns(ready, attribute, values[code : code + 1], stage, C).get(0)
            inferred[api.spec, stage] = inference(values[code], with_it, with_it + without, named, mass.sum())
    listed = {api.spec: api for api in chosen}
    return Result(
        rows=tuple(
            row
            for (spec, stage), one in inferred.items()
            for row in rows_of(listed[spec], stage, attribute, one)
        ),
        notes=people.notes,
        provenance=provenance(people, chosen),
        **inference_views(people, listed, attribute, inferred),
    )


def inferences(
    kernel: Kernel, values: Labels, codes: Array, mass: Array, named: dict[int, Array]
) -> list[Inference]:
    """Return what the outputs of a channel on rows of users say about each value that occurs."""
    check_work(values.size * kernel.n_columns, kernel.number_size)
    happens, total = marginal(kernel, mass), mass.sum()
    occurs = np.bincount(codes.reshape(-1), minlength=values.size) > 0
    return [
        inference(values[place], with_it, happens, named.get(place), total)
        for place, with_it in enumerate(_of_users_with(kernel, codes, mass, values.size))
        if occurs[place]
    ]


def inference(value: Hashable, with_it: Array, happens: Array, named: Array | None, mass: Any) -> Inference:
    """Return a value's figures from how often each output comes of users who have it, and of all."""
    total = as_number(mass)
    having = as_number(with_it.sum()) / total
    posterior = as_number(np.maximum(with_it, happens - with_it).sum()) / total
    given: list[Number | None] = [None, None]
    if named is not None:
        here = np.zeros(happens.shape[0], dtype=bool)
        here[named] = True
        given = [_share(with_it[some].sum(), happens[some].sum()) for some in (here, ~here)]
    return Inference(value, having, max(having, 1 - having), posterior, *given)


def rows_of(api: Api, stage: str, attribute: str, one: Inference) -> Iterator[Row]:
    """Yield the probabilities to guess whether the user has a value, without and with an output."""
    goal = goal_of_value(attribute, one.value)
    numbers = {"goal_prior": one.prior, "goal_posterior": one.posterior, "leakage": one.leakage}
    if one.given_named is not None:
        numbers["named_posterior"] = one.given_named
    for quantity, number in numbers.items():
        yield Row(api.spec, api.unit, stage, goal, "population", 1, quantity, number)


def _of_users_with(kernel: Kernel, codes: Array, mass: Array, n_values: int) -> Iterator[Array]:
    """Yield for each value how often each output comes of users who have it, some values at a time."""
    step = max(1, BLOCK // kernel.n_columns)
    for start in range(0, n_values, step):
        width = min(step, n_values - start)
        inside = (codes >= start) & (codes < start + width)
        starts = np.concatenate([[0], np.cumsum(inside.sum(axis=1))])
        here = codes[inside].astype(np.intp) - start
        some = SparseRows(starts, here, filled(np.int64(1), here.shape[0]), width)
        yield from kernel.left_multiply(some.scale_rows(mass))


def _share(part: Any, whole: Any) -> Number | None:
    """Return part / whole; None if the whole is 0."""
    return as_number(part) / as_number(whole) if whole > 0 else None
