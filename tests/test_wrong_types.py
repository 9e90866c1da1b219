"""Every public function that takes a prior, a channel or a gain says so to whoever gives something else."""

import inspect
import re

import pytest

import quiff

VALUES = (quiff.Prior, quiff.Channel, quiff.Gain, quiff.Loss)
ROOMS = ("quiff.core.", "quiff.measures.", "quiff.measures.optimal")
FUNCTIONS = [
    name
    for name in quiff.__all__
    if inspect.isfunction(function := getattr(quiff, name))
    and function.__module__.startswith(ROOMS)
    and any(p.annotation in VALUES for p in inspect.signature(function).parameters.values())
]
RIGHT = {
    quiff.Prior: quiff.Prior.uniform([0, 1]),
    quiff.Channel: quiff.Channel([[0.5, 0.5], [0.25, 0.75]]),
    quiff.Gain: quiff.bayes_gain([0, 1]),
    quiff.Loss: quiff.zero_one_loss([0, 1]),
}
SWAPPED = {kind: quiff.Channel if kind is quiff.Prior else quiff.Prior for kind in VALUES}


def test_there_are_many():
    assert len(FUNCTIONS) > 45


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_was_expected_is_named(name):
    function = getattr(quiff, name)
    required = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    right = {p.name: RIGHT.get(p.annotation, 1) for p in required}
    for wrong in (p for p in required if p.annotation in VALUES):
        kind = wrong.annotation.__name__
        for value in (3, "x", None, [[0.5, 0.5]], RIGHT[SWAPPED[wrong.annotation]]):
            said = f"{name}() takes a {kind} for {wrong.name}, not "
            with pytest.raises(quiff.ParameterError, match=re.escape(said)) as error:
                function(**right | {wrong.name: value})
            assert "\n" not in str(error.value)
