"""Packages that add APIs: one that cannot be loaded is named and left out, and the rest works."""

from importlib.metadata import EntryPoint

import pytest

from quiff.apis import registry
from quiff.apis.topics import TopicsAPI
from quiff.errors import ParameterError
from words import refused, worded


@pytest.fixture
def plug_ins(monkeypatch):
    def install(*points):
        monkeypatch.setattr(registry, "entry_points", lambda group: [p for p in points if p.group == group])
        registry.apis.cache_clear()

    yield install
    registry.apis.cache_clear()


GOOD = EntryPoint("mine", "quiff.apis.topics:TopicsAPI", "quiff.apis")


@pytest.mark.parametrize(
    "value",
    [
        "no_such_package:API",
        "quiff.apis.topics:NoSuchClass",
        "json:loads",
    ],
)
def test_a_broken_package_is_named_and_skipped(plug_ins, value):
    plug_ins(EntryPoint("broken", value, "quiff.apis"), GOOD)
    with pytest.warns(UserWarning, match="the API 'broken' of the package .* is left out") as told:
        known = registry.apis()
    worded(str(told[0].message))
    assert known["mine"] is TopicsAPI
    assert registry.api_from("topics:noise=0.1").noise == 0.1
    with refused(ParameterError):
        registry.api_from("broken")


@pytest.mark.parametrize("spec", ["topics:noise=0.1,noise=0.2", "topics:noise=0.1, noise =0.1"])
def test_a_parameter_that_is_given_twice_is_refused(spec):
    with refused(ParameterError):
        registry.api_from(spec)
