"""A slip in somebody's own class of APIs is one line that names the class and what was expected."""

from dataclasses import dataclass

import numpy as np
import pytest

from quiff import Api, Channel, ParameterError, Population, measure, over_time
from words import refused

PEOPLE = Population.from_sets({"Ann": {1}, "Bob": {2}}).with_attribute("country", ["AT", "BR"])


@pytest.mark.parametrize(
    ("name", "value"),
    [("needs", "country"), ("unit", 7), ("unit", "a user, one site, weekly, once"), ("redraws", "all")],
)
def test_what_a_class_declares_is_checked_at_once(name, value):
    with refused(ParameterError):
        type("Mine", (Api,), {name: value})


@pytest.mark.parametrize("study", [measure, over_time])
@pytest.mark.parametrize("name", ["observe", "secret"])
def test_an_answer_that_is_no_channel(name, study):
    @dataclass(frozen=True)
    class Mine(Api):
        needs = ("country",)

        def observe(self, secrets):
            return Channel.identity(secrets)

    made = type("Wrong", (Mine,), {name: lambda self, given: np.eye(2)})
    with refused(ParameterError):
        study(PEOPLE, made())


def test_people_who_are_none():
    with refused(ParameterError):
        type("Mine", (Api,), {"observe": lambda self, x: x})().channel("people.csv")
