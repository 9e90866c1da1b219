"""What one browser does: report a cookie, derive its set of top topics, report a topic.

Plain functions, written as a browser would run them and not by means of any channel; simulations of them
are compared with the channels. Whatever is random comes from the generator that is given.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, MutableMapping, MutableSequence
from typing import Any, NamedTuple

import numpy as np

from quiff.errors import ParameterError, counted
from quiff.populations.sets import in_order


class Visit(NamedTuple):
    """A page that was visited, and when."""

    context: Hashable
    time: float


class CookieReport(NamedTuple):
    """What a third party learns of a visit."""

    origin: Hashable
    cookie: str
    visit: Visit


def report_cookie(
    history: MutableSequence[Visit],
    cookies: MutableMapping[Hashable, str],
    origin: Hashable,
    visit: Visit,
    rng: np.random.Generator,
) -> CookieReport:
    """Return what a visited page makes the browser tell a third party (paper, Alg. 1).

    Parameters
    ----------
    history
        The browser's history; the visit is added to it.
    cookies
        The browser's cookies by origin; one is added, with a random identifier, at the first call.
    origin
        The third party that the page calls.
    visit
        The page, and when.
    rng
        Where the identifier comes from.

    Examples
    --------
    >>> rng, history, cookies = np.random.default_rng(1), [], {}
    >>> first = report_cookie(history, cookies, "ads.tld", Visit("news.tld", 1.0), rng)
    >>> second = report_cookie(history, cookies, "ads.tld", Visit("music.tld", 2.0), rng)
    >>> first.cookie == second.cookie, [visit.context for visit in history]
    (True, ['news.tld', 'music.tld'])
    """
    history.append(visit)  # C_BH
    if origin not in cookies:  # C_U
        cookies[origin] = rng.bytes(16).hex()
    return CookieReport(origin, cookies[origin], visit)


def top_topics(
    history: Iterable[Any],
    classification: Mapping[Any, Collection[Any]],
    top_s: int,
    rng: np.random.Generator,
    fill: Iterable[Any] = (),
) -> frozenset[Hashable]:
    """Return the browser's set of top-s topics (paper, Alg. 2).

    Parameters
    ----------
    history
        The visited domains, one entry per visit. Each visit adds one to each topic of its domain.
    classification
        The topics of each domain; a domain that it does not have counts for nothing.
    top_s
        The size s of the set.
    rng
        What breaks ties at the cut, and fills up a set that is too short.
    fill
        The topics to fill up from.

    Examples
    --------
    >>> topics = {"news.tld": ["News"], "radio.tld": ["Music", "News"]}
    >>> top_topics(["news.tld", "radio.tld"], topics, 1, np.random.default_rng(1))
    frozenset({'News'})

    Raises
    ------
    ParameterError
        If there are not topics enough to fill the set.
    """
    counts: Counter[Hashable] = Counter()
    for domain in history:
        counts.update(in_order(set(classification.get(domain, ()))))
    ranked = _shuffled(list(counts), rng)  # so that the sort, which is stable, breaks ties at random
    ranked.sort(key=lambda topic: -counts[topic])
    others = _shuffled([topic for topic in dict.fromkeys(fill) if topic not in counts], rng)
    chosen = (ranked + others)[:top_s]
    if len(chosen) < top_s:
        raise ParameterError(
            f"the history and `fill` have {counted(len(chosen), 'topic')}, but top_s is {top_s}; "
            f"add {top_s - len(chosen)} to `fill`"
        )
    return frozenset(chosen)


def report_topic(
    top_set: Collection[Any], taxonomy: Collection[Any], noise: Any, rng: np.random.Generator
) -> Hashable:
    """Return the topic that the browser reports (paper, Alg. 3).

    Parameters
    ----------
    top_set
        The browser's set of top topics.
    taxonomy
        All topics.
    noise
        r, the probability that the topic is replaced by any topic of the taxonomy.
    rng
        The source of randomness.

    Examples
    --------
    >>> report_topic({"News"}, ["Music", "News"], 0, np.random.default_rng(1))
    'News'
    """
    topic = _uniform(in_order(top_set), rng)  # C_BN
    if rng.random() < noise:  # C_DP
        topic = _uniform(list(taxonomy), rng)
    return topic


def _uniform(topics: list[Hashable], rng: np.random.Generator) -> Hashable:
    return topics[int(rng.integers(len(topics)))]


def _shuffled(topics: list[Hashable], rng: np.random.Generator) -> list[Hashable]:
    return [topics[int(position)] for position in rng.permutation(len(topics))]
