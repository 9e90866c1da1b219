"""The trade-off curve as a figure: its reference curves by their closed forms, and what it draws."""

import math

import numpy as np
import pytest

from quiff import Channel, mechanisms, trade_off, trade_off_figure
from quiff.studies.trade_off_figure import gaussian_misses, response_misses

ALARMS = np.array([0.05, 0.25, 0.5])


def laplace_misses(d, alarm):
    """The trade-off of Laplace noise on a bit, scale 1/d, by its three pieces."""
    if alarm <= math.exp(-d) / 2:
        return 1 - math.exp(d) * alarm
    return math.exp(-d) / (4 * alarm) if alarm <= 0.5 else math.exp(-d) * (1 - alarm)


def test_randomised_response_is_its_closed_form():
    expected = [0.8640859086, 0.3204295429, 0.1839397206]
    assert response_misses(1.0, ALARMS).tolist() == pytest.approx(expected, abs=5e-11)
    curve = trade_off(mechanisms.randomised_response(range(2), epsilon=1.0))
    assert list(map(curve, ALARMS)) == pytest.approx(expected, abs=5e-11)


def test_laplace_noise_is_its_closed_form():
    expected = [0.8640859086, 0.3678794412, 0.1839397206]
    assert [laplace_misses(1.0, alarm) for alarm in ALARMS] == pytest.approx(expected, abs=5e-11)
    curve = trade_off(mechanisms.laplace([0, 1], 1.0, cells=4_000))
    assert list(map(curve, ALARMS)) == pytest.approx(expected, abs=2e-4)  # cells say a little less
    assert min(curve(alarm) - laplace_misses(1.0, alarm) for alarm in ALARMS) > -1e-9


def test_a_pair_of_rows():
    forth = Channel([[0.5, 0.3, 0.2], [0.1, 0.3, 0.6]])
    curve = trade_off(forth, [(0, 1)])
    assert [one_way(*forth.to_numpy(), alarm) for alarm in (0.1, 0.2, 0.5)] == pytest.approx([0.7, 0.4, 0.1])
    assert all(curve(alarm) <= one_way(*forth.to_numpy(), alarm) + 1e-12 for alarm in (0.1, 0.2, 0.5))


def one_way(p, q, alarm):
    """The least miss of a test of q against p, from the outputs with the largest q/p on."""
    missed = 1.0
    for y in sorted(range(len(p)), key=lambda y: -q[y] / p[y]):
        share = min(1.0, alarm / p[y])
        missed, alarm = missed - share * q[y], alarm - share * p[y]
    return missed


def test_gaussian_noise_is_as_far_apart_as_it_is_asked():
    alarms = np.linspace(1e-6, 1 - 1e-6, 20_001)
    for apart in (0.1, 0.5, 0.9):
        assert max(1 - alarms - gaussian_misses(apart, alarms)) == pytest.approx(apart, abs=1e-6)


def test_the_figure_names_its_curves_and_the_pairs_count():
    C = Channel([[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]], inputs=["a", "b", "c"])
    worst, near = trade_off_figure(C), trade_off_figure(C, [("a", "b")])
    assert worst.to_svg().startswith("<svg")
    names = {point["series"] for point in series(near)}
    assert names == {
        "this channel",
        "randomised response, epsilon 0.693",
        "Gaussian noise, same total variation",
        "guessing",
    }
    assert {p["miss"] for p in series(near) if p["alarm"] == 1} == {0.0}
    certain = {point["series"] for point in series(trade_off_figure(Channel.identity(["a", "b"])))}
    assert certain == {"this channel", "guessing"}


def series(figure):
    """All points of the lines of a figure."""
    found = []

    def look(value):
        if isinstance(value, dict):
            if {"series", "alarm", "miss"} <= set(value):
                found.append(value)
            for part in value.values():
                look(part)
        elif isinstance(value, list):
            for part in value:
                look(part)

    look(figure.spec)
    return found
