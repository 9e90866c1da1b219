"""Sizes of parameters count against the memory limit before anything of that size is made."""

import subprocess
import sys

import numpy as np
import pytest

import quiff
from quiff import Channel, Population, SizeError, TopicsAPI, memory_limit
from quiff.apis.registry import api_from
from quiff.core.counting.subsets import Subsets
from quiff.core.kernels.one_hot import OneHotKernel
from quiff.mechanisms import randomised_response
from words import refused, worded

SMALL = 0.5  # GiB


def test_the_width_of_noisy_cells_counts():
    law = np.full(65_537, 1 / 65_537)
    kernel = OneHotKernel(law, law, np.array([-1, 0, 1]), 1_000)
    with memory_limit(SMALL), refused(SizeError, 3000, 65537):
        kernel.left_multiply(np.ones((1, 3)))


@pytest.mark.parametrize(
    ("make", "numbers"),
    [
        (
            lambda: Channel.constant(np.broadcast_to(1e-8, 10**8), ["x"]),
            (100000000,),
        ),
        (
            lambda: randomised_response(range(10**8), truth=0.5),
            (100000000,),
        ),
        (lambda: Subsets.of(np.array([[0, 1, 2]]), 10**9, 3), (1000000000,)),
        (
            lambda: TopicsAPI(10**8).channel(Population.synthetic(10, seed=1)),
            (100000000,),
        ),
    ],
)
def test_wide_channels_are_refused_with_the_limit_and_what_to_do(make, numbers):
    with memory_limit(SMALL), refused(SizeError, *numbers) as error:
        make()
    worded(str(error.value), 0.5)


def test_more_keys_than_can_be_measured_are_refused_but_have_closed_forms():
    api = api_from(f"private_aggregation:keys={2**128}")
    assert api.limits()[0].value > 1
    with refused(SizeError, 100000):
        api.observe([None, 0])


def test_more_than_4300_digits_of_outputs_are_named_by_their_power_of_two():
    people = Population.synthetic(20, seed=1, attributes=("conversions",))
    with refused(SizeError, 200000):
        quiff.exposure(people, api_from("private_aggregation:keys=1000"))


PEAK = """
import quiff
people = quiff.Population.synthetic(5000, seed=1, attributes=("history", "conversions"))
with quiff.memory_limit({gib}):
    try:
        quiff.measure(people, quiff.api_from("{spec}"))
    except quiff.SizeError:
        pass
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    "spec",
    ["private_aggregation:keys=1000", "android_topics:n_topics=4460", "parakeet:centroids=100000",
     "topics:n_topics=100000000", "w3c_attribution:others=1000", "event_level:trigger_data=32"],
)  # fmt: skip
def test_a_limit_is_kept(spec):
    gib = 0.93
    code = PEAK.format(gib=gib, spec=spec)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout.split()[-1]) / 2**20 < gib
