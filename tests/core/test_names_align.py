"""Whatever has names is aligned by them: mappings, priors, pandas Series and frames; the rest is refused."""

import numpy as np
import pandas as pd
import pytest

import quiff
from quiff import Channel, Gain, LabelError, Loss, Metric, Population, Prior, bayes_gain
from words import refused

SETS = {"u": {1, 2}, "v": {2, 3}}
SWAPPED = pd.Series({"v": 10, "u": 20})
PEOPLE = Population.from_sets(SETS)


def of_users(people, name="age"):
    attribute = people.attribute(name)
    return [attribute.values[int(code)] for code in attribute.which[0]]


@pytest.mark.parametrize("values", [SWAPPED, SWAPPED.to_dict(), pd.Series({"w": 1, "v": 10, "u": 20})])
def test_an_attribute_is_aligned_by_user(values):
    assert of_users(PEOPLE.with_attribute("age", values)) == [20, 10]


def test_a_channel_as_attribute_is_aligned_by_user():
    C = Channel.deterministic({"v": 10, "u": 20})
    assert of_users(PEOPLE.with_attribute("age", C)) == [20, 10]
    with refused(LabelError):
        PEOPLE.with_attribute("age", Channel.deterministic({"v": 10, "w": 20}))


def test_a_series_without_names_is_in_the_order_of_the_users():
    assert of_users(PEOPLE.with_attribute("age", pd.Series([10, 20]))) == [10, 20]
    numbered = Population.from_sets({1: {1, 2}, 0: {2, 3}})
    assert of_users(numbered.with_attribute("age", pd.Series([10, 20]))) == [20, 10]  # the index names them
    dates = pd.Series(pd.to_datetime(["2026-01-01", "2026-01-02"]), index=["v", "u"])
    assert of_users(PEOPLE.with_attribute("day", dates), "day") == [dates["u"], dates["v"]]


@pytest.mark.parametrize(
    "values",
    [pd.Series({"v": 10, "w": 20}), pd.Series([10, 20], index=[1, 0]), pd.Series([1, 2, 3])],
)
def test_an_attribute_that_cannot_be_aligned_is_refused(values):
    with refused(quiff.QuiffError):
        PEOPLE.with_attribute("age", values)


def test_a_name_that_is_there_twice_is_refused():
    with refused(LabelError):
        PEOPLE.with_attribute("age", pd.Series([1, 2, 3], index=["u", "v", "u"]))


@pytest.mark.parametrize("weights", [SWAPPED, SWAPPED.to_dict(), Prior({"v": 1 / 3, "u": 2 / 3})])
def test_weights_are_aligned_by_user(weights):
    codes = np.array([[0, 1], [1, 2]])
    for people in (
        Population.from_sets(SETS, weights=weights),
        Population.from_array(["u", "v"], codes, [1, 2, 3], weights=weights),
        PEOPLE.replaced(weights=weights),
    ):
        assert (people.weights / people.weights.sum()).tolist() == pytest.approx([2 / 3, 1 / 3])
    with refused(LabelError):
        PEOPLE.replaced(weights=pd.Series({"v": 1, "w": 2}))


def test_an_array_of_sets_with_names_is_aligned_by_user():
    frame = pd.DataFrame([[7, 8], [1, 2]], index=["v", "u"])
    visited = pd.DataFrame([[True, False], [True, True]], index=["v", "u"])
    people = Population.from_array(["u", "v"], frame, visited=visited)
    assert [sorted(people.topics[int(code)] for code in row) for row in people.codes] == [[1, 2], [7, 8]]
    assert people.filling.genuine.tolist() == [[2, 1]]
    with refused(LabelError):
        Population.from_array(["u", "w"], frame)


def test_a_prior_from_arrays_is_aligned_by_label():
    assert Prior.from_array(["u", "v"], SWAPPED / 30)["u"] == pytest.approx(2 / 3)
    assert Prior.from_array(["u", "v"], {"v": 0.25, "u": 0.75})["u"] == 0.75
    assert Prior.from_count_array(["u", "v"], SWAPPED)["u"] == Prior.from_counts({"u": 2, "v": 1})["u"]
    assert Prior.from_array(["u", "v"], pd.Series([0.25, 0.75]))["u"] == 0.25
    for make in (Prior, Prior.proportional, Prior.nearest):
        with refused(LabelError):
            make(SWAPPED)
    with refused(LabelError):
        Prior.from_array(["u", "w"], SWAPPED / 30)


FRAME = pd.DataFrame([[0.25, 0.75], [0.5, 0.5]], index=["v", "u"], columns=["b", "a"])


@pytest.mark.parametrize("make", [Channel, Channel.proportional, Gain, Loss])
def test_a_frame_follows_names_that_stand_beside_it(make):
    found = make(FRAME, ["u", "v"], ["a", "b"])
    assert found.to_numpy().tolist() == [[0.5, 0.5], [0.75, 0.25]]
    assert make(FRAME, ["u", "v"]).to_numpy().tolist() == [[0.5, 0.5], [0.25, 0.75]]
    plain = pd.DataFrame([[0.25, 0.75], [0.5, 0.5]])
    assert make(plain, ["u", "v"], ["a", "b"]).to_numpy().tolist() == [[0.25, 0.75], [0.5, 0.5]]
    with refused(LabelError):
        make(FRAME, ["u", "w"], ["a", "b"])


def test_the_columns_of_a_frame_of_distances_follow_its_rows():
    roads = pd.DataFrame([[1, 0], [0, 2]], index=["n", "s"], columns=["s", "n"])
    d = Metric.from_matrix(roads)
    assert [d("n", "n"), d("n", "s"), d("s", "n")] == [0, 1, 2]


def test_a_row_and_codes_with_names():
    row = pd.Series({"b": 0.25, "a": 0.75})
    assert Channel.constant(row, ["u"], ["a", "b"]).to_numpy().tolist() == [[0.75, 0.25]]
    assert list(Channel.constant(row, ["u"]).outputs) == ["b", "a"]
    C = Channel.deterministic_from_codes(["u", "v"], pd.Series({"v": 0, "u": 1}), ["a", "b"])
    assert C.to_numpy().tolist() == [[0, 1], [1, 0]]
    shifted = bayes_gain(["u", "v"]).shifted(pd.Series({"v": 0, "u": 2}))
    assert shifted.to_numpy().tolist() == [[3, 0], [2, 1]]


def test_a_map_is_a_mapping():
    series = pd.Series({"v": 1, "u": 0})
    with refused(LabelError):
        Channel.deterministic(series)
    assert Channel.deterministic(series.to_dict())["u", 0] == 1
