"""What outputs say: about each value of an attribute, and about who the user is."""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from quiff.core.channel import Channel
from quiff.core.kernels import Kernel
from quiff.core.kernels.base import BLOCK
from quiff.core.labels import Labels
from quiff.core.limits import check_work
from quiff.core.numbers import Array, Number, as_number, filled, is_exact, product
from quiff.core.sparse import SparseRows
from quiff.measures.own_risk import marginal, own_risk, ratios

Output: TypeAlias = dict[str, Any]
"""An output as text, and the numbers of it by name."""


def inferences(
    kernel: Kernel, values: Labels, codes: Array, mass: Array, named: dict[int, Array]
) -> list[tuple[int, dict[str, Number]]]:
    """Return what the outputs of a channel on rows of users say about each value that occurs."""
    check_work(values.size * kernel.n_columns, kernel.number_size)
    happens, total = marginal(kernel, mass), mass.sum()
    occurs = np.bincount(codes.reshape(-1), minlength=values.size) > 0
    return [
        (place, inference(with_it, happens, named.get(place), total))
        for place, with_it in enumerate(_of_users_with(kernel, codes, mass, values.size))
        if occurs[place]
    ]


def inference(with_it: Array, happens: Array, named: Array | None, mass: Any) -> dict[str, Number]:
    """Return a value's figures from how often each output comes of users who have it, and of all."""
    total = as_number(mass)
    share = as_number(with_it.sum()) / total
    prior = max(share, 1 - share)
    posterior = as_number(np.maximum(with_it, happens - with_it).sum()) / total
    numbers = {
        "goal_prior": prior,
        "goal_posterior": posterior,
        "leakage": posterior / prior,
        "added": posterior - prior,
        "value_share": share,
    }
    if named is not None:
        inside = np.zeros(happens.shape[0], dtype=bool)
        inside[named] = True
        for quantity, some in (("named_posterior", inside), ("unnamed_posterior", ~inside)):
            everything = happens[some].sum()
            if everything > 0:
                numbers[quantity] = as_number(with_it[some].sum()) / as_number(everything)
    return numbers


def _of_users_with(kernel: Kernel, codes: Array, mass: Array, n_values: int) -> Iterator[Array]:
    """Yield for each value how often each output comes of users who have it, some values at a time."""
    step = max(1, BLOCK // kernel.n_columns)
    for start in range(0, n_values, step):
        width = min(step, n_values - start)
        inside = (codes >= start) & (codes < start + width)
        starts = np.concatenate([[0], np.cumsum(inside.sum(axis=1))])
        local = codes[inside].astype(np.intp) - start
        some = SparseRows(starts, local, filled(np.int64(1), local.shape[0]), width)
        yield from kernel.left_multiply(some.scale_rows(mass))


def exposing_outputs(
    C: Channel,
    weights: Array,
    holders: Array,
    listed: tuple[Labels, Array] | None,
    named: dict[int, Array],
) -> tuple[list[Output], list[int], dict[str, Number]]:
    """Return how far outputs expose users, and how many users are behind each.

    It is those that name one value, or all if none does. Of an output y it is the share of users behind it,
    max_x P(x | y), what it adds to the vulnerability, max_x pi_x C[x,y], and the mean own risk of the users
    behind it. Beside them stand the vulnerabilities.
    """
    mass = product(weights, holders)
    total, own = as_number(mass.sum()), own_risk(C, weights, holders)[0]
    best, happens = C.kernel.column_max(weights), marginal(C.kernel, mass)
    values: dict[int, Any] = {}
    if listed is not None and named:
        labels, codes = listed
        occurs = np.bincount(codes.reshape(-1), minlength=labels.size) > 0
        times = np.bincount(np.concatenate(list(named.values())), minlength=C.outputs.size)
        values = {int(y): place for place, ys in named.items() if occurs[place] for y in ys if times[y] == 1}
        behind, risks, counts = (
            sums_of_members(codes, numbers, labels.size) for numbers in (mass, product(mass, own), holders)
        )
    if not values:
        possible = C.kernel.support()
        behind, risks, counts = (
            marginal(possible, numbers) for numbers in (mass, product(mass, own), holders)
        )
        values = {int(y): int(y) for y in np.flatnonzero(happens > 0)}
    ys, places, labels_of = list(values), list(values.values()), list(C.outputs)
    everything, best_of, behind_of = np.asarray([total]), best[ys], behind[places]
    columns = {
        "share": ratios(behind_of, everything),
        "posterior": np.minimum(ratios(best_of, happens[ys]), 1),  # what is above 1 is rounding
        "contribution": ratios(best_of, everything),
        "own_risk": ratios(risks[places], behind_of),
    }
    outputs: list[Output] = []
    for y, *figures in zip(ys, *(column.tolist() for column in columns.values()), strict=True):
        label = labels_of[y] if isinstance(labels_of[y], int | str) else str(labels_of[y])
        outputs.append({"output": label, **dict(zip(columns, figures, strict=True))})
    guess, vulnerability = as_number(weights.max()) / total, as_number(best.sum()) / total
    worst = max(output["posterior"] for output in outputs)
    numbers = {"prior": guess, "posterior": vulnerability, "worst_posterior": worst}
    return outputs, [int(counts[place]) for place in places], numbers


def sums_of_members(codes: Array, numbers: Array, size: int) -> Array:
    """Return the sum of the users' numbers over those who have each value."""
    sums = SparseRows.rectangular(codes, np.int64(1), size).scale_rows(numbers).column_sums
    return sums if is_exact(numbers) else np.asarray(sums, dtype=np.float64)
