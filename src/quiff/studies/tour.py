"""The paper's worked example, step by step: three users, five topics, sets of two, noise of 5 %."""

from dataclasses import dataclass, field
from fractions import Fraction

from quiff.core.channel import Channel
from quiff.core.compose import internal_choice, repeat
from quiff.core.gain import membership_gain
from quiff.core.prior import Prior
from quiff.measures.capacity import bayes_capacity, max_case_capacity
from quiff.measures.leakage import leakage
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability

__all__ = ["Stop", "tour"]

TOPICS = ["Music", "News", "Sports", "Travel", "Ads"]
HISTORIES = {
    "Alice": "music.tld, news.tld",
    "Bob": "travel.tld, flights.tld, sports.tld",
    "Carol": "radio.tld, gazette.tld",
}
SETS = {
    "music.tld, news.tld": frozenset({"Music", "News"}),
    "travel.tld, flights.tld, sports.tld": frozenset({"Sports", "Travel"}),
    "radio.tld, gazette.tld": frozenset({"Music", "News"}),
}


@dataclass(frozen=True)
class Stop:
    """One stop of the tour: what is shown, the channel if there is one, and its numbers."""

    title: str
    text: str
    channel: Channel | None = None
    numbers: dict[str, Fraction] = field(default_factory=dict)


def tour() -> list[Stop]:
    """Return the stops of the tour, computed exactly.

    Examples
    --------
    >>> tour()[3].numbers["leakage"]
    Fraction(39, 20)
    """
    r, s, m = Fraction(1, 20), 2, len(TOPICS)
    sets = list(dict.fromkeys(SETS.values()))
    histories = Channel.deterministic(HISTORIES)
    generalization = Channel.deterministic(SETS, sets)
    bounded_noise = Channel.membership({x: x for x in sets}, TOPICS, Fraction(1, s), 0)
    random_topic = Channel.constant([Fraction(1, m)] * m, sets, TOPICS)
    report = internal_choice(bounded_noise, random_topic, r)
    users = Prior.uniform(HISTORIES)
    topics = histories @ generalization @ report

    return [
        Stop(
            "Cookies",
            "A third-party cookie gives every browsing history its own name: it tells the users apart.",
            histories,
            _privacy(users, histories),
        ),
        Stop(
            "Topics, step 1: generalization",
            "A browser keeps only its two top topics. Alice and Carol now look the same.",
            histories @ generalization,
            _privacy(users, histories @ generalization),
        ),
        Stop(
            "Topics, step 2: one topic of the two",
            "A caller sees one topic of the set.",
            histories @ generalization @ bounded_noise,
            _privacy(users, histories @ generalization @ bounded_noise),
        ),
        Stop(
            "Topics, step 3: a random topic now and then",
            "With probability 1/20 the topic is any of the five.",
            topics,
            _privacy(users, topics),
        ),
        Stop(
            "What no adversary can exceed",
            "Capacities bound the leakage for every prior knowledge and every goal.",
            None,
            {
                "average-case capacity": _exact(bayes_capacity(topics)),
                "max-case capacity": _exact(max_case_capacity(topics)),
            },
        ),
        Stop(
            "What an advertiser still learns",
            "The chance to name a topic of the user's set, before and after seeing a report.",
            report,
            _utility(users @ (histories @ generalization), report, sets),
        ),
        Stop(
            "Two weeks",
            "Two reports on the same user, if the set stays the same.",
            None,
            _privacy(users, repeat(topics, 2)),
        ),
    ]


def _privacy(users: Prior, C: Channel) -> dict[str, Fraction]:
    return {
        "chance to name the user": _exact(posterior_vulnerability(users, C)),
        "leakage": _exact(leakage(users, C)),
    }


def _utility(sets: Prior, report: Channel, labels: list[frozenset[str]]) -> dict[str, Fraction]:
    naming = membership_gain({x: x for x in labels}, TOPICS)
    return {
        "before": _exact(vulnerability(sets, naming)),
        "after": _exact(posterior_vulnerability(sets, report, naming)),
    }


def _exact(value: object) -> Fraction:
    if not isinstance(value, Fraction):
        raise TypeError(f"{value!r} should be exact")
    return value
