"""All APIs by name, and every text that --api takes or refuses."""

from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import EntryPoint

import hypothesis.strategies as st
import pytest
from hypothesis import given

import quiff
from quiff import Api, Channel, Cookies, ParameterError, QuiffError, Together, TopicsAPI, api_from
from quiff.apis import registry
from words import refused


def test_the_package_and_the_function_have_one_name():
    import quiff.apis.base

    assert quiff.apis() == registry.apis()
    assert list(quiff.apis())[:2] == ["cookies", "topics"]
    assert quiff.apis.base.Api is Api
    assert all(name == api.name for name, api in quiff.apis().items())


@given(
    st.integers(5, 1000),
    st.integers(1, 5),
    st.one_of(st.floats(0, 1), st.fractions(0, 1, max_denominator=10**6)),
)
def test_a_spec_is_read_as_the_api_that_it_is_of(m, s, r):
    api = TopicsAPI(m, s, r)
    assert api_from(api.spec) == api
    assert api_from(api.spec).spec == api.spec


@given(st.lists(st.one_of(st.floats(0, 1), st.fractions(0, 1)), min_size=2, max_size=2))
def test_two_settings_never_share_a_spec(noises):
    one, other = (TopicsAPI(noise=noise) for noise in noises)
    assert one.spec != other.spec or one == other


@pytest.mark.parametrize(
    ("text", "api"),
    [
        ("topics", TopicsAPI()),
        ("topics:n_topics=v2", TopicsAPI("v2")),
        ("topics:n_topics=occurring,noise=1/10", TopicsAPI("occurring", noise=Fraction(1, 10))),
        ("cookies:shows=history", Cookies("history")),
        ("topics: noise = 1e-2 ", TopicsAPI(noise=0.01)),
        ("topics:", TopicsAPI()),
        ("topics+cookies", Together(TopicsAPI(), Cookies())),
        ("topics:noise=1e-2+topics:noise=1e+0", Together(TopicsAPI(noise=0.01), TopicsAPI(noise=1.0))),
    ],
)
def test_texts(text, api):
    assert api_from(text) == api


@pytest.mark.parametrize(
    "text",
    [
        "",
        "floc2",
        "Topics",
        "topics:noise",
        "topics:noise=",
        "topics:m=5",
        "topics:taxonomy=5",
        "topics:noise=1/0",
        "topics:noise=often",
        "topics:n_topics=v9",
        "cookies:shows=all",
        "cookies+cookies",
        "fitted",
        "none.py:Api",
    ],
)
def test_wrong_texts_are_told_in_one_line(text):
    with refused(QuiffError) as error:
        api_from(text)
    assert "\n" not in str(error.value)


@dataclass(frozen=True)
class Plugin(Api):
    def observe(self, secrets):
        return Channel.identity(secrets)


def test_installed_packages_add_apis(monkeypatch):
    point = EntryPoint("plugin", f"{__name__}:Plugin", "quiff.apis")
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == "quiff.apis" else [])
    monkeypatch.setattr(EntryPoint, "load", lambda self: Plugin)
    registry.apis.cache_clear()
    try:
        assert api_from("plugin") == Plugin()
    finally:
        monkeypatch.undo()
        registry.apis.cache_clear()
    with refused(ParameterError):
        api_from("plugin")


OWN = """
from dataclasses import dataclass
from quiff import Api, Channel

@dataclass(frozen=True)
class Whole(Api):
    times: int = 1
    needs = ("topics",)

    def observe(self, secrets):
        return Channel.identity(secrets)

twice = Whole(2)
"""


def test_a_file_of_ones_own(tmp_path):
    file = tmp_path / "own apis.py"
    file.write_text(OWN)
    for text, spec in [("Whole", "whole"), ("whole", "whole"), ("twice", "whole:times=2"),
                       ("Whole:times=3", "whole:times=3"), ("twice:times=4", "whole:times=4")]:  # fmt: skip
        assert api_from(f"{file}:{text}").spec == spec
    with refused(QuiffError):
        api_from(f"{file}:Half")
    (tmp_path / "empty.py").write_text("")
    with refused(QuiffError):
        api_from(f"{tmp_path / 'empty.py'}:Half")
    (tmp_path / "broken.py").write_text("def f(:")
    with refused(QuiffError):
        api_from(f"{tmp_path / 'broken.py'}:Half")


def test_wrong_names_of_the_package_have_a_hint():
    with refused(AttributeError):
        _ = quiff.Topics
    with pytest.raises(AttributeError):
        _ = quiff.zzzzzz
