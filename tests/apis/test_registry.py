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
        ("topics+cookies", Together(TopicsAPI(), Cookies())),
        ("topics:noise=1e-2+topics:noise=1e+0", Together(TopicsAPI(noise=0.01), TopicsAPI(noise=1.0))),
    ],
)
def test_texts(text, api):
    assert api_from(text) == api


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no API ''"),
        ("floc2", "there is no API 'floc2'"),
        ("Topics", "did you mean 'topics'"),
        ("topics:", None),
        ("topics:noise", "'noise' in 'topics:noise' is not understood"),
        ("topics:noise=", "is not understood; write parameter=value"),
        ("topics:m=5", "has no parameter 'm'; its parameters are n_topics, top_s, noise"),
        ("topics:taxonomy=5", "has no parameter 'taxonomy'"),
        ("topics:noise=1/0", "'1/0' divides by zero"),
        ("topics:noise=often", "noise must be a number between 0 and 1, not 'often'"),
        ("topics:n_topics=v9", "n_topics must be a whole number of at least 1, v1"),
        ("cookies:shows=all", "shows must be user or history, not 'all'"),
        ("cookies+cookies", "an API is there twice"),
        ("fitted", "the API 'fitted' needs weights, as in fitted:weights=..."),
        ("none.py:Api", "there is no Python file"),
    ],
)
def test_wrong_texts_are_told_in_one_line(text, message):
    if message is None:
        assert api_from(text) == TopicsAPI()
        return
    with pytest.raises(QuiffError, match=message) as error:
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
    with pytest.raises(AttributeError, match="did you mean 'TopicsAPI'"):
        _ = quiff.Topics
    with pytest.raises(AttributeError):
        _ = quiff.zzzzzz
