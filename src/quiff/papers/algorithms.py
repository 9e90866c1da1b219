"""The paper's Algorithms 1, 2 and 3, and the call of the browser specification, as programs.

Plain functions, line by line beside the paper's numbering, from which the exact channels follow by running
them: an oracle of the structured channels. `quiff.program` makes an API of any of them, as of Alg. 2:

>>> from quiff import Histories, program
>>> people = Histories.from_visits({"Ann": ["art.tld", "news.tld"], "Bob": ["art.tld"]}, {})
>>> pages = (("art.tld", ("Art",)), ("news.tld", ("News",)))
>>> top_topics = program(derive_top_topics)(classification=pages, taxonomy=("Art", "News"), top_s=1)
>>> top_topics.channel(people)
Channel from 2 inputs to 2 outputs
     {Art}  {News}
Ann  1/2    1/2
Bob  1      0
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from quiff.programs.draws import Draw


def report_cookies(browser: Any, draw: Draw, origin: str = "ads.tld") -> Iterator[Hashable]:  # noqa: ARG001
    """Show a third party each visited page and its time, with the browser's cookie (Alg. 1).

    The secret has the attributes ``history``, the visited pages and when, and ``uid``, this browser's cookie.
    """
    cookies: dict[str, Hashable] = {}
    for context, time in browser.history:  # 1: BH <- context           C_BH
        if origin in cookies:  # 2: if origin in cookies                C_U
            yield cookies[origin], context, time  # 3: return cookie, context, time stamp
        else:  # 4
            cookies[origin] = browser.uid  # 5: cookies <- {origin: cookie}
            yield cookies[origin], context, time  # 6: return cookie, context, time stamp


def derive_top_topics(
    browser: Any,
    draw: Draw,
    classification: Mapping[Any, Collection[Hashable]] | Iterable[tuple[Any, Collection[Hashable]]] = (),
    taxonomy: Sequence[Hashable] = (),
    top_s: int = 5,
) -> frozenset[Hashable]:
    """Return the set of top-s topics of a browsing history (Alg. 2); ties and filling are drawn.

    The secret has the attribute ``history``, the visited pages; the classification has the topics of each.
    """
    topics, generated = Counter[Hashable](), dict(classification)
    for context in browser.history:  # 1: for context in BH             C_G
        topics.update(set(generated.get(context, ())))  # 2: topics <- {context: GenerateTopics(...)}
    return _compute_top_topics(topics, taxonomy, top_s, draw)  # 3 and 4


def _compute_top_topics(
    topics: Counter[Hashable], taxonomy: Sequence[Hashable], top_s: int, draw: Draw
) -> frozenset[Hashable]:
    """Take the most frequent topics; where not all of equal frequency fit, some of them at random."""
    chosen: frozenset[Hashable] = frozenset()
    for count in (*sorted(set(topics.values()), reverse=True), 0):
        equal = [topic for topic in taxonomy if topics[topic] == count]
        left = top_s - len(chosen)
        chosen |= frozenset(equal) if len(equal) <= left else draw.sample(equal, left)
    return chosen


def report_topic(
    top_s: Iterable[Hashable], draw: Draw, taxonomy: Sequence[Hashable] = (), noise: Any = Fraction(1, 20)
) -> Hashable:
    """Return a topic of the set, or with probability r one of the whole taxonomy (Alg. 3)."""
    topic = draw.uniform(top_s)  # 1: topic <- UniformRandomTopic(top_s)      C_BN
    if draw.flip(noise):  # 2: with probability r                             C_BN (+)_r C_DP
        topic = draw.uniform(taxonomy)  # 3: topic <- UniformRandomTopic(taxonomy)
    return topic  # 4


def browsing_topics(
    epochs: Iterable[Sequence[tuple[Hashable, Collection[str]]]],
    draw: Draw,
    caller: str = "ads.tld",
    taxonomy: Sequence[Hashable] = (),
    noise: Any = Fraction(1, 20),
) -> tuple[Hashable, ...]:
    """Return what a call on a site shows (Topics specification, "topics calculation").

    The secret is the epochs that the site sees, usually three: of each its top topics (None where one is
    blocked) with the callers who witnessed them.
    """
    shown = set()
    for top in epochs:
        topic, witnesses = draw.uniform(top)
        if topic is None or caller not in witnesses:  # noise comes after this filter
            continue
        shown.add(draw.uniform(taxonomy) if draw.flip(noise) else topic)
    return tuple(sorted(shown, key=list(taxonomy).index))
