"""Noisy cells: each user's own risk against the definition, on the product that is written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiff import Channel, Population, RealTimeMonitoring, user_risk
from quiff.core.kernels import DenseKernel, ProductKernel
from quiff.core.kernels.one_hot import OneHotKernel
from quiff.core.labels import as_labels
from quiff.measures.own_risk import own_risk

# Powers of two, so that ties are ties in floats as well.
LAWS = [(0.5, 0.5, 0), (0.25, 0.25, 0.5), (0.5, 0.25, 0.25), (0, 0.5, 0.5), (1, 0, 0), (0.5, 0, 0.5)]
USERS = st.tuples(st.integers(-1, 3), st.sampled_from([0, 1, 1, 2, 3]), st.integers(1, 3))


@given(
    st.integers(1, 4),
    st.lists(USERS, min_size=1, max_size=7).filter(lambda users: any(weight for _, weight, _ in users)),
    st.sampled_from(LAWS),
    st.sampled_from(LAWS),
)
def test_it_is_that_of_the_product_written_out(n_cells, users, base, marked):
    places = np.array([min(place, n_cells - 1) for place, _, _ in users])
    weights, holders = (np.array([user[i] for user in users]) for i in (1, 2))
    base, marked = np.array(base), np.array(marked)
    kernel = OneHotKernel(base, marked, places, n_cells)
    laws = DenseKernel(np.stack([base, marked]))
    plain = ProductKernel([laws.take_rows((places == i).astype(int)) for i in range(n_cells)])
    found, expected = (
        own_risk(Channel.from_kernel(as_labels(range(len(users))), as_labels(range(each.n_columns)), each),
                 weights.astype(float), holders)
        for each in (kernel, DenseKernel(plain.to_dense()))
    )  # fmt: skip
    assert found[0] == pytest.approx(expected[0], abs=1e-8)
    assert found[1] == pytest.approx(expected[1], abs=1e-8)


def test_the_mean_of_the_risks_is_the_probability_of_reidentification():
    people = Population.synthetic(3_000, seed=1)
    api = RealTimeMonitoring()
    risk = user_risk(people, api)
    from quiff import measure

    assert risk[api.spec, "risk_mean"] == pytest.approx(measure(people, api)[api.spec, "posterior"], rel=1e-6)
