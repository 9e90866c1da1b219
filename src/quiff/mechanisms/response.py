"""Mechanisms that answer a question with a random answer: randomised response, subset selection, RAPPOR."""

from collections.abc import Iterable, Mapping
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from quiff.core.channel import Channel
from quiff.core.composite_labels import ProductLabels, SubsetLabels
from quiff.core.kernels import ProductKernel, SparseKernel
from quiff.core.labels import as_labels
from quiff.core.limits import check_fits, check_memory
from quiff.core.numbers import filled
from quiff.core.sparse import SparseRows
from quiff.core.validate import sets_as_entries
from quiff.errors import LabelError, ParameterError, counted
from quiff.theory.mechanisms import check_ratio, rappor_bits
from quiff.theory.parameters import Real, check_number, check_whole

_PER_ANSWER = 2  # numbers


def randomised_response(
    labels: object, epsilon: float | None = None, *, ratio: Real | None = None, truth: Real | None = None
) -> Channel:
    """Return k-ary randomised response: the truth with p, each other label with q, p = e^epsilon q.

    Parameters
    ----------
    labels
        The secrets, which are the answers too; 100 000 of them take no matrix.
    epsilon, ratio, truth
        One of them: epsilon; e^epsilon, which may be exact; or the probability of the truth.

    Examples
    --------
    >>> from fractions import Fraction
    >>> randomised_response(["red", "green", "blue"], ratio=2)
    Channel from 3 inputs to 3 outputs
           red  green  blue
    red    1/2  1/4    1/4
    green  1/4  1/2    1/4
    blue   1/4  1/4    1/2
    """
    named = as_labels(labels)
    k = named.size
    check_memory(f"{counted(k, 'answer')} of randomised response need", _PER_ANSWER * k)
    if truth is not None and epsilon is None and ratio is None:
        p = check_number("truth", truth, 0, 1)
        if k == 1 and p != 1:
            raise ParameterError(
                what="truth", value=truth, allowed="1, since a single answer is always given"
            )
        q = (1 - p) / max(k - 1, 1)
    elif truth is not None:
        raise ParameterError("give one of epsilon, ratio and truth, not several")
    else:
        e = check_ratio(epsilon, ratio)
        q = 1 / (k - 1 + e)
        p = e * q
    return Channel.membership_from_codes(named, np.arange(k).reshape(-1, 1), named, inside=p, outside=q)


def warner(epsilon: float | None = None, *, ratio: Real | None = None, truth: Real | None = None) -> Channel:
    """Return Warner's randomised response to a question of yes or no: randomised response on two labels.

    Examples
    --------
    >>> from fractions import Fraction
    >>> warner(truth=Fraction(3, 4))
    Channel from 2 inputs to 2 outputs
         yes  no
    yes  3/4  1/4
    no   1/4  3/4
    """
    return randomised_response(["yes", "no"], epsilon, ratio=ratio, truth=truth)


def subset_selection(
    labels: object, size: int | None = None, epsilon: float | None = None, *, ratio: Real | None = None
) -> Channel:
    """Return subset selection: a random subset of `size` labels, more probably one with the truth.

    A subset with the truth has e^epsilon times the probability of one without it. By default the size is the
    best one for estimating shares, about k/(e^epsilon + 1) (Ye and Barg 2018).

    Examples
    --------
    >>> C = subset_selection(["a", "b", "c"], 2, ratio=2)
    >>> C["a", frozenset("ab")], C["a", frozenset("bc")]
    (Fraction(2, 5), Fraction(1, 5))
    """
    named, e = as_labels(labels), check_ratio(epsilon, ratio)
    k = named.size
    d = max(1, round(k / (float(e) + 1))) if size is None else check_whole("size", size, 1, k)
    subsets = SubsetLabels(named, d)
    check_fits(subsets.size, d)
    outside = 1 / (e * comb(k - 1, d - 1) + comb(k - 1, d))  # a row has so many subsets with, and without
    chosen = np.array(list(combinations(range(k), d)), dtype=np.intp).reshape(-1)
    entries = SparseRows.from_entries(
        chosen,
        np.repeat(np.arange(subsets.size), d),
        np.array(filled(e * outside, chosen.size)),
        (k, subsets.size),
    )
    return Channel.from_kernel(named, subsets, SparseKernel(filled(outside, subsets.size), entries))


def rappor(
    labels: object,
    f: Real,
    *,
    p: Real = 0,
    q: Real = 1,
    bits: Mapping[Any, Iterable[int]] | None = None,
) -> Channel:
    """Return one-time RAPPOR: a tuple of bits, each of which is noisy; lazy, a product of one channel a bit.

    A bit that is set for the secret is 1 with f(p+q)/2 + (1-f) q, another with f(p+q)/2 + (1-f) p.

    Parameters
    ----------
    labels
        The secrets.
    f, p, q
        The noise of the permanent response, and the probabilities of a 1 in the instantaneous response to a
        bit that is 0 and 1. By default there is no instantaneous response.
    bits
        The bits, from 0, that are set for each secret: those of a Bloom filter. By default each has its own.

    Examples
    --------
    >>> from fractions import Fraction
    >>> rappor(["a", "b"], Fraction(1, 2))["a", (1, 0)]
    Fraction(9, 16)
    """
    named = as_labels(labels)
    on, off = rappor_bits(f, p, q)
    width = named.size
    rows = np.arange(width).reshape(-1, 1)
    starts = np.arange(width + 1)
    if bits is not None:
        missing = [x for x in named if x not in bits]
        if missing:
            raise LabelError(f"bits has no entry for {missing[0]!r}; give the bits of every secret")
        width = 1 + max((bit for x in named for bit in bits[x]), default=0)
        starts, rows = sets_as_entries({x: bits[x] for x in named}, as_labels(range(width)), "bit")
    check_fits(named.size, width)
    owners = np.repeat(np.arange(named.size), np.diff(starts))
    is_set = np.zeros((width, named.size), dtype=bool)
    is_set[rows.reshape(-1), owners] = True
    pair = as_labels([0, 1])
    bit = Channel([[1 - off, off], [1 - on, on]], inputs=[False, True], outputs=pair)
    factors = [bit.kernel.take_rows(row.astype(np.intp)) for row in is_set]
    return Channel.from_kernel(named, ProductLabels((pair,) * width), ProductKernel(factors))
