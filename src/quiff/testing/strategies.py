"""Hypothesis strategies for priors, channels of every kernel, and gains.

Examples
--------
>>> from hypothesis import given
>>> from quiff import bayes_capacity, leakage
>>> from quiff.testing.strategies import channels, priors_for
>>> @given(channels().flatmap(lambda C: st.tuples(priors_for(C.inputs), st.just(C))))
... def capacity_bounds_every_leakage(pair):
...     prior, C = pair
...     assert leakage(prior, C) <= bayes_capacity(C) + 1e-9
>>> capacity_bounds_every_leakage()
"""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any, Literal

import hypothesis.strategies as st

from quiff.core.channel import Channel
from quiff.core.compose import internal_choice, kronecker, parallel, repeat
from quiff.core.gain import Gain, bayes_gain, membership_gain, tries_gain
from quiff.core.prior import Prior

Kernel = Literal["dense", "map", "sparse", "product"]
KERNELS: tuple[Kernel, ...] = ("dense", "map", "sparse", "product")
_NAMES = "abcdefghijklmnopqrstuvwxyz"


def _names(size: int, prefix: str) -> st.SearchStrategy[list[str]]:
    """Return some names in any order, so that code which goes by position is found out."""
    return st.permutations([prefix + letter for letter in _NAMES[:size]])


def distributions(size: int, exact: bool = False) -> st.SearchStrategy[list[Any]]:
    """Return probabilities that sum to 1, zeros among them; fractions if exact, else floats."""
    whole = st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(any)
    number = Fraction if exact else _divided
    return whole.map(lambda weights: [number(weight, sum(weights)) for weight in weights])


def _divided(numerator: int, denominator: int) -> float:
    return numerator / denominator


@st.composite
def priors(draw: st.DrawFn, max_size: int = 5, exact: bool | None = None) -> Prior:
    """Return priors on a few names."""
    return draw(priors_for(draw(_names(draw(st.integers(1, max_size)), "x")), exact))


@st.composite
def priors_for(draw: st.DrawFn, labels: Sequence[Hashable], exact: bool | None = None) -> Prior:
    """Return priors on the given labels, in any order: of numbers, of counts, or uniform."""
    order = draw(st.permutations(list(labels)))
    kind = draw(st.sampled_from(["numbers", "counts", "uniform"]))
    if kind == "uniform":
        return Prior.uniform(order)
    if kind == "counts":
        counts = st.lists(st.integers(0, 9), min_size=len(order), max_size=len(order)).filter(any)
        return Prior.from_counts(dict(zip(order, draw(counts), strict=True)))
    if exact is None:
        exact = draw(st.booleans())
    return Prior(dict(zip(order, draw(distributions(len(order), exact)), strict=True)))


@st.composite
def channels(
    draw: st.DrawFn,
    inputs: Sequence[Hashable] | None = None,
    kernel: Kernel | None = None,
    exact: bool | None = None,
    max_size: int = 4,
) -> Channel:
    """Return small channels.

    Parameters
    ----------
    inputs
        The inputs, in any order; by default a few names.
    kernel
        How the numbers are held; by default any way.
    exact
        Whether all numbers are exact; by default sometimes.
    max_size
        The largest number of inputs and of outputs of a part.
    """
    if kernel is None:
        kernel = draw(st.sampled_from(KERNELS))
    if exact is None:
        exact = draw(st.booleans())
    if inputs is None:
        if kernel == "product" and draw(st.booleans()):
            first, second = (draw(_leaf(draw(_names(2, name)), exact, 3)) for name in "xz")
            return kronecker(first, second)
        inputs = draw(_names(draw(st.integers(1, max_size)), "x"))
    order = draw(st.permutations(list(inputs)))
    if kernel == "product":
        C = draw(_leaf(order, exact, 3))
        if draw(st.booleans()):
            return repeat(C, draw(st.integers(1, 3)))
        return parallel(C, draw(_leaf(draw(st.permutations(order)), exact, 3)))
    make = _dense if kernel == "dense" else _map if kernel == "map" else _sparse
    return draw(make(order, exact, max_size))


def _leaf(inputs: list[Any], exact: bool, max_size: int) -> st.SearchStrategy[Channel]:
    return st.one_of(*(make(inputs, exact, max_size) for make in (_dense, _map, _sparse)))


@st.composite
def _dense(draw: st.DrawFn, inputs: list[Any], exact: bool, max_size: int) -> Channel:
    outputs = draw(_names(draw(st.integers(1, max_size)), "y"))
    return Channel([draw(distributions(len(outputs), exact)) for _ in inputs], inputs, outputs)


@st.composite
def _map(draw: st.DrawFn, inputs: list[Any], exact: bool, max_size: int) -> Channel:  # noqa: ARG001
    outputs = draw(_names(draw(st.integers(1, max_size)), "y"))
    return Channel.deterministic({x: draw(st.sampled_from(outputs)) for x in inputs}, outputs)


@st.composite
def _membership(draw: st.DrawFn, inputs: list[Any], exact: bool, max_size: int) -> Channel:
    """Return sets of one size; a topic inside may be less probable than one outside."""
    outputs = draw(_names(draw(st.integers(1, max_size)), "y"))
    m = len(outputs)
    s = draw(st.integers(1, m))
    share = Fraction(draw(st.integers(0, 6)), 6) if s < m else Fraction(1)
    inside, outside = share / s, (1 - share) / max(m - s, 1)
    sets = {x: draw(st.permutations(outputs))[:s] for x in inputs}
    number = Fraction if exact else float
    return Channel.membership(sets, outputs, number(inside), number(outside))


@st.composite
def _constant(draw: st.DrawFn, inputs: list[Any], exact: bool, max_size: int) -> Channel:
    outputs = draw(_names(draw(st.integers(1, max_size)), "y"))
    return Channel.constant(draw(distributions(len(outputs), exact)), inputs, outputs)


@st.composite
def _partial(draw: st.DrawFn, inputs: list[Any], exact: bool, max_size: int) -> Channel:
    """Return a channel of which only some entries are given, and the rest is zero."""
    outputs = draw(_names(draw(st.integers(1, max_size)), "y"))
    rows = {x: dict(zip(outputs, draw(distributions(len(outputs), exact)), strict=True)) for x in inputs}
    return Channel.sparse({x: {y: p for y, p in row.items() if p} for x, row in rows.items()}, outputs)


@st.composite
def _sparse(draw: st.DrawFn, inputs: list[Any], exact: bool, max_size: int) -> Channel:
    """Return a membership, partial or constant channel, or a mixture of such or of one with a map."""
    basic = [make(inputs, exact, max_size) for make in (_membership, _partial, _constant)]
    C = draw(st.one_of(basic))
    parts = st.one_of([*basic, _map(inputs, exact, max_size)])
    if draw(st.booleans()):
        return C
    r = Fraction(draw(st.integers(0, 4)), 4)
    return internal_choice(C, draw(parts), r if exact else float(r))


@st.composite
def gains_for(
    draw: st.DrawFn, labels: Sequence[Hashable], exact: bool | None = None, max_actions: int = 4
) -> Gain | None:
    """Return gains on the given labels: any matrix, Bayes (also as None), k tries, membership of topics."""
    order = draw(st.permutations(list(labels)))
    kind = draw(st.sampled_from(["matrix", "none", "bayes", "tries", "membership"]))
    if kind == "none":
        return None
    if kind == "bayes":
        return bayes_gain(order)
    if kind == "tries":
        return tries_gain(order, draw(st.integers(1, len(order))))
    actions = draw(_names(draw(st.integers(1, max_actions)), "w"))
    if kind == "membership":
        return membership_gain({x: draw(st.sets(st.sampled_from(actions))) for x in order}, actions)
    if exact is None:
        exact = draw(st.booleans())
    number = Fraction if exact else _divided
    cells = st.lists(st.integers(0, 6), min_size=len(order), max_size=len(order))
    rows = [[number(cell, 4) for cell in draw(cells)] for _ in actions]
    return Gain(rows, actions, order)
