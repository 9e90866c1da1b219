"""The question which outputs of an API expose most, and which values of an attribute they reveal."""

from typing import Any

import numpy as np

from quiff.apis.base import Api, checked_api, checked_people
from quiff.core.channel import Channel
from quiff.core.kernels import DenseKernel, Kernel, SparseKernel
from quiff.core.labels import Labels
from quiff.core.numbers import Array, as_number, filled, is_exact, product
from quiff.core.sparse import SparseRows
from quiff.errors import SizeError, how_many
from quiff.populations.population import Population
from quiff.results.result import Result
from quiff.results.rows import Row
from quiff.results.views.exposure import ExposingOutput, Outputs, exposure_views
from quiff.results.views.names import many
from quiff.studies.attributes import inferences, rows_of
from quiff.studies.members import masses, members, naming_columns
from quiff.studies.own_risk import marginal, own_risk, ratios
from quiff.studies.provenance import provenance, repeatable
from quiff.studies.risk import numbers_of

_MOST = 200_000  # outputs of an API


@repeatable
def exposure(
    people: Population, api: Api, *, attribute: str | None = None, first: int | None = 20, least: int = 1
) -> Result:
    """Measure, for each output of an API, how far it exposes users, and which values it reveals.

    With C the channel from users to outputs and prior pi (uniform, or the users' weights), an output y lets
    the adversary re-identify the user with probability

        max_x P(x | y) = max_x pi_x C[x,y] / sum_x pi_x C[x,y],

    and adds max_x pi_x C[x,y] to the posterior Bayes vulnerability (paper, eq. posterior-vulnerability).
    Beside it stands the mean own risk (see `quiff.user_risk`) of the users behind it: those who have the
    value that the output names, if the API says that it names one, else those who can show it. For each
    value of the attribute stands how well one guesses whether the user has it, as in `attribute_inference`.

    Parameters
    ----------
    people
        The users and their attributes.
    api
        What is observed.
    attribute
        Whose values are looked at; by default the first of the people's attributes.
    first
        How many outputs and values the tables list, those that expose most; None is all.
    least
        How many users at least are behind an output, or have a value, that is listed.

    Examples
    --------
    >>> from quiff import worked_example
    >>> people, api = worked_example()
    >>> result = exposure(people, api)
    >>> [(row[0], row[2]) for row in result.tables["outputs"].rows][1:3]
    [('Travel', Fraction(97, 101)), ('Music', Fraction(97, 196))]

    Raises
    ------
    ParameterError
        If an attribute is missing or has several epochs, or people are merged and have weights.
    SizeError
        If there are more than 200,000 outputs.
    """
    people, api = checked_people(people), checked_api(api)
    ready = api.fit(people)
    C, stage = ready.channel(people), ready.name
    if C.outputs.size > _MOST:
        size = f"{C.outputs.size:,}" if C.outputs.size < 10**15 else how_many(C.outputs.size)
        raise SizeError(
            f"{api.spec!r} has {size} outputs, more than the {_MOST:,} of which those"
            " are listed that expose most; take parameters with fewer"
        )
    name = attribute or next(iter(people.attributes), None)
    listed, named, inferred = None, {}, []
    if name is not None:
        listed = members(people, name)
        named = naming_columns(ready, name, listed[0], stage, C)
        inferred = inferences(C.kernel, *listed, masses(people), named)
        having = _of_members(listed[1], _holders(people), listed[0].size)
        inferred = [one for one in inferred if having[listed[0].position(one.value)] >= least]
        inferred.sort(key=lambda one: -one.leakage)
    outputs = None if ready.observer_knows_who else _outputs(people, stage, C, listed, named, least)
    rows = [row for one in inferred for row in rows_of(api, stage, str(name), one)]
    if outputs is not None:
        numbers = {
            "prior": outputs.guess,
            "posterior": outputs.vulnerability,
            "worst_posterior": outputs.worst,
        }
        rows += [Row(api.spec, api.unit, stage, "user", "population", 1, q, v) for q, v in numbers.items()]
    return Result(
        rows=tuple(rows),
        notes=people.notes,
        provenance=provenance(people, [api]),
        **exposure_views(people, api, name, outputs, inferred, first),
    )


def _holders(people: Population) -> Array:
    """Return how many users each row stands for."""
    return filled(np.int64(1), people.users.size) if people.counts is None else people.counts


def _outputs(
    people: Population,
    stage: str,
    C: Channel,
    listed: tuple[Labels, Array] | None,
    named: dict[int, Array],
    least: int,
) -> Outputs:
    """Return how far each output exposes: those that name one value, or all if none does."""
    weights, holders = numbers_of(people, {stage: C})
    mass = product(weights, holders)
    total, own = as_number(mass.sum()), own_risk(C, weights, holders)[0]
    best, happens = C.kernel.column_max(weights), marginal(C.kernel, mass)
    values: dict[int, Any] = {}
    if listed is not None and named:
        labels, codes = listed
        occurs = np.bincount(codes.reshape(-1), minlength=labels.size) > 0
        times = np.bincount(np.concatenate(list(named.values())), minlength=C.outputs.size)
        values = {int(y): place for place, ys in named.items() if occurs[place] for y in ys if times[y] == 1}
        behind, risks, users = (
            _of_members(codes, numbers, labels.size) for numbers in (mass, product(mass, own), holders)
        )
    if not values:
        shows = _shows(C.kernel)
        behind, risks, users = (marginal(shows, each) for each in (mass, product(mass, own), holders))
        values = {int(y): int(y) for y in np.flatnonzero(happens > 0)}
    ys, places, outputs = list(values), list(values.values()), list(C.outputs)
    whole, best_of, behind_of = np.asarray([total]), best[ys], behind[places]
    columns = (
        ratios(behind_of, whole),
        np.minimum(ratios(best_of, happens[ys]), 1),  # max_x P(x | y); what is above 1 is rounding
        ratios(best_of, whole),
        ratios(risks[places], behind_of),
    )
    listed_numbers = zip(*(column.tolist() for column in columns), strict=True)
    found = [ExposingOutput(outputs[y], *numbers) for y, numbers in zip(ys, listed_numbers, strict=True)]
    worst = max(each.posterior for each in found)
    few = [each for each, place in zip(found, places, strict=True) if users[place] < least]
    found = sorted((e for e in found if e not in few), key=lambda each: (-each.posterior, -each.own_risk))
    vulnerability = as_number(best.sum()) / total
    guess = as_number(weights.max()) / total
    left = f"{many(len(few), 'output')} with fewer than {least} users behind are not listed." if few else ""
    among = f"of the outputs with {least} users or more behind them, " if few else ""
    return Outputs(tuple(found), guess, vulnerability, bool(named), worst, left, among)


def _shows(kernel: Kernel) -> Kernel:
    """Return for each user and output whether the user can show it."""
    sparse = kernel.as_sparse()
    if sparse is None:
        return DenseKernel((kernel.to_dense() != 0).astype(np.int64))
    entries = sparse.entries
    there = (np.asarray(entries.values) != 0).astype(np.int64)
    return SparseKernel((np.asarray(sparse.background) != 0).astype(np.int64), entries.with_values(there))


def _of_members(codes: Array, numbers: Array, size: int) -> Array:
    """Return the sum of the users' numbers over those who have each value."""
    sums = SparseRows.rectangular(codes, np.int64(1), size).scale_rows(numbers).column_sums
    return sums if is_exact(numbers) else np.asarray(sums, dtype=np.float64)
