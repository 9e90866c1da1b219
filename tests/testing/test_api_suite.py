"""The common suite: every API of the registry passes it, and every broken rule is found."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

import quiff
from quiff import Api, Channel, Cookies, FittedAPI, Gain, Histories, Limit, Population, Together, TopicsAPI
from quiff.apis.android_topics import AndroidTopics
from quiff.apis.base import fitted
from quiff.apis.click_measurement import AdAttributionKit, PrivateClickMeasurement
from quiff.apis.cookies import PartitionedCookies
from quiff.apis.event_level import EventLevel
from quiff.apis.floc import FLoC
from quiff.apis.noisy_histogram import (
    AggregatableExistence,
    AggregatableReports,
    InteroperablePrivateAttribution,
    PrivateAggregation,
    W3CAttribution,
)
from quiff.apis.parakeet import NoisyRanking, Parakeet
from quiff.apis.protected_audience import KAnonymityStatus, RealTimeMonitoring, WinSignals
from quiff.apis.registry import apis
from quiff.apis.select_url import SelectURL
from quiff.people.conversions import synthetic_conversions
from quiff.testing import ApiError, check_api
from words import refused

TOPICS = 8
PEOPLE = Population.synthetic(60, seed=1, n_topics=TOPICS, top_s=2)
PEOPLE = PEOPLE.with_histories(
    Histories.from_visits({user: [f"{user % 7}.tld"] for user in PEOPLE.users}, {})
)
PEOPLE = PEOPLE.with_attribute("conversions", synthetic_conversions(60, np.random.default_rng(2)))
PEOPLE = PEOPLE.with_attribute("country", [("AU", "BR", "FR")[user % 3] for user in PEOPLE.users])

SETTINGS = {
    "cookies": [Cookies(), Cookies("history")],
    "topics": [
        TopicsAPI(TOPICS, 2, noise) for noise in (0.1, Fraction(1, 20), 0, 1)
    ] + [TopicsAPI("occurring", 2), TopicsAPI("v1", 2), TopicsAPI(349, 2)],
    "fitted": [FittedAPI(dict.fromkeys(PEOPLE.topics, 0.25)), FittedAPI({1: 1.0})],
    "android_topics": [AndroidTopics(TOPICS, 2), AndroidTopics(TOPICS, 2, 0.9)],
    "floc": [FLoC(k=5, domains=1), FLoC()],
    "parakeet": [Parakeet(), Parakeet(5, 0.5, "country")],
    "noisy_ranking": [NoisyRanking(), NoisyRanking(epsilon=1)],
    "partitioned_cookies": [PartitionedCookies(), PartitionedCookies(across=False)],
    "event_level": [
        EventLevel(), EventLevel("view"), EventLevel(epsilon=1, reports=2), EventLevel(windows="1 9"),
    ],
    "aggregatable": [AggregatableReports(), AggregatableReports(1, 2)],
    "aggregatable_existence": [AggregatableExistence(), AggregatableExistence(True)],
    "private_aggregation": [PrivateAggregation(), PrivateAggregation(keys=3)],
    "ipa": [InteroperablePrivateAttribution(), InteroperablePrivateAttribution(keys=2)],
    "w3c_attribution": [
        W3CAttribution(),
        W3CAttribution(4, 1),
        W3CAttribution(keys=3, share=0.5),
        W3CAttribution(keys=2, others=3),
    ],
    "private_click_measurement": [PrivateClickMeasurement()],
    "ad_attribution_kit": [AdAttributionKit(tier, how) for tier in range(4) for how in ("function", "own")],
    "select_url": [SelectURL(), SelectURL(3, "page"), SelectURL(1), SelectURL(attribute="country")],
    "win_signals": [WinSignals(), WinSignals(0.5, "country")],
    "real_time_monitoring": [RealTimeMonitoring(), RealTimeMonitoring(4, "country")],
    "k_anonymity_status": [KAnonymityStatus(), KAnonymityStatus(others=10)],
}  # fmt: skip


def test_every_api_of_the_registry_has_settings_here():
    assert set(SETTINGS) == set(apis())


@pytest.mark.parametrize(
    "api", [api for listed in SETTINGS.values() for api in listed], ids=lambda api: api.spec[:40]
)
def test_the_apis_of_the_registry_pass(api):
    assert len(check_api(api, PEOPLE)) == 22


def test_one_set_alone_has_nothing_to_tell():
    people = Population.from_sets({"Ann": {1, 2}, "Bob": {1, 2}})
    check_api(TopicsAPI(2, 2, 0.5), people)
    values = {limit.quantity: limit.value for limit in TopicsAPI(2, 2, 0.5).limits() if not limit.stage}
    assert (values["bayes_capacity"], values["epsilon"], values["max_case_capacity"]) == (1, 0, 1)


def test_apis_seen_together_pass():
    check_api(Together(TopicsAPI(TOPICS, 2), Cookies("history")), PEOPLE)


@dataclass(frozen=True)
class Response(Api):
    """K-ary randomised response on a country: a right API, whose parts are broken one by one."""

    truth: Fraction = Fraction(3, 4)
    countries: tuple | None = fitted()

    needs = ("country",)

    def fit(self, people):
        return self if self.countries else replace(self, countries=tuple(people.attribute("country").values))

    def observe(self, secrets):
        if self.countries is None:
            raise quiff.ParameterError("not fitted")
        wrong = (1 - self.truth) / (len(self.countries) - 1)
        rows = {x: {y: self.truth if x == y else wrong for y in self.countries} for x in secrets}
        return Channel.sparse(rows, outputs=self.countries)

    def limits(self):
        k = len(self.countries)
        return (Limit("bayes_capacity", k * self.truth, "k p", "Warner 1965"),)

    def space(self):
        return quiff.core.labels.as_labels(self.countries)


def test_a_right_api_passes():
    assert len(check_api(Response(), PEOPLE)) == 22


@dataclass(frozen=True)
class ByOrder(Response):
    def observe(self, secrets):
        return Channel.deterministic({x: str(k) for k, x in enumerate(secrets)})


@dataclass(frozen=True)
class ByOthers(Response):
    def observe(self, secrets):
        rows = {x: [Fraction(1, 1 + len(secrets)), 1 - Fraction(1, 1 + len(secrets))] for x in secrets}
        return Channel(list(rows.values()), inputs=secrets, outputs=["a", "b"])


@dataclass(frozen=True)
class OtherChannel(Response):
    def channel(self, people):
        return Channel.constant([1], people.users, ["nothing"])


@dataclass(frozen=True)
class LastStage(Response):
    def stages(self, secrets):
        return {"observed": self.observe(secrets), "forgotten": Channel.constant([1], secrets, ["x"])}


@dataclass(frozen=True)
class MoreLater(Response):
    def stages(self, secrets):
        return {"nothing": Channel.constant([1], secrets, ["x"]), "all": self.observe(secrets)}


@dataclass(frozen=True)
class LowLimit(Response):
    def limits(self):
        return (Limit("bayes_capacity", Fraction(3, 2), "3/2", "nowhere", bound="at most"),)


@dataclass(frozen=True)
class HighLimit(Response):
    def limits(self):
        return (Limit("bayes_capacity", 3, "3", "nowhere"),)


@dataclass(frozen=True)
class Forgets(Response):
    def over_time(self, secrets, n):
        return self.observe(secrets) if n == 1 else Channel.constant([1], secrets, ["nothing"])


@dataclass(frozen=True)
class Anew(Response):
    redraws = "nothing"

    def over_time(self, secrets, n):
        return self.observe(secrets) if n == 1 else Channel.identity(secrets)


@dataclass(frozen=True)
class FirstDiffers(Response):
    def over_time(self, secrets, n):
        return Channel.identity(secrets)


@dataclass(frozen=True)
class OtherGoal(Response):
    def goals(self, secrets):
        return {"wrong": Gain(np.eye(2), inputs=["x", "y"])}


@dataclass(frozen=True)
class FitTwice(Response):
    fits: int = 0

    def fit(self, people):
        return replace(super().fit(people), fits=self.fits + 1)


@dataclass(frozen=True)
class Unfitted(Response):
    def observe(self, secrets):
        if self.countries is None:
            return Channel.identity(secrets)
        return super().observe(secrets)


@dataclass(frozen=True)
class OtherUsers(Response):
    def secret(self, people):
        return Channel.deterministic(dict.fromkeys("xyz", "BR"))


@dataclass(frozen=True)
class Named(Response):
    """Shows the users' names where these are text."""

    def channel(self, people):
        if isinstance(people.users[0], tuple):
            return people.channel()
        return super().channel(people)


@dataclass
class Mutable(Api):
    needs = ("country",)

    def observe(self, secrets):
        return Channel.identity(secrets)


@dataclass(frozen=True)
class NoUnit(Response):
    @property
    def unit(self):
        return "a user"


BROKEN = (
    ByOrder,
    ByOthers,
    OtherChannel,
    LastStage,
    MoreLater,
    LowLimit,
    HighLimit,
    Forgets,
    Anew,
    FirstDiffers,
    OtherGoal,
    FitTwice,
    Unfitted,
    OtherUsers,
    Named,
    Mutable,
    NoUnit,
)


@pytest.mark.parametrize("api", BROKEN, ids=lambda api: api.__name__)
def test_a_broken_rule_is_named(api):
    with refused(ApiError) as error:
        check_api(api(), PEOPLE)
    assert str(error.value).startswith(api().spec)
    assert isinstance(error.value, quiff.QuiffError)
