"""A taxonomy as a tree: which topics are below which, and which ones have high utility."""

import os
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import final

from quiff.core.labels import Labels, as_labels
from quiff.errors import LabelError, ParameterError
from quiff.history.fetch import fetch
from quiff.history.taxonomies import Topic, read_taxonomy, read_utility_buckets


@final
@dataclass(frozen=True, eq=False)
class TopicTree:
    """All topics in order, what each one is below, and the topics that rank first.

    Parameters
    ----------
    topics
        The topics, in the order in which random choices number them.
    parents
        The topic above each; a topic that is not in it is a root.
    high_utility
        Those that rank before all others.

    Examples
    --------
    >>> tree = TopicTree(["News", "Sports News", "Art"], {"Sports News": "News"})
    >>> sorted(tree.with_descendants("News"))
    ['News', 'Sports News']

    Raises
    ------
    LabelError
        If a parent or a topic of high utility is not among the topics.
    """

    topics: Labels
    parents: Mapping[Hashable, Hashable]
    high_utility: frozenset[Hashable] = frozenset()

    def __post_init__(self) -> None:
        topics = as_labels(self.topics, "topic")
        for topic in (*self.parents, *self.parents.values(), *self.high_utility):
            topics.position(topic, "topic")
        object.__setattr__(self, "topics", topics)
        object.__setattr__(self, "high_utility", frozenset(self.high_utility))
        for topic in self.parents:
            self._check_rooted(topic)

    @classmethod
    def flat(cls, topics: Iterable[Hashable]) -> "TopicTree":
        """Return topics of which none is below another.

        Examples
        --------
        >>> TopicTree.flat(["Art", "News"]).with_descendants("Art")
        frozenset({'Art'})
        """
        return cls(as_labels(topics, "topic"), {})

    @classmethod
    def of(cls, topics: Iterable[Topic], buckets: Mapping[str, str] | None = None) -> "TopicTree":
        """Return a published taxonomy; a topic has the utility bucket of its root.

        Examples
        --------
        >>> listed = [Topic(1, "/Art", None), Topic(7, "/News", None), Topic(9, "/News/Sports", 7)]
        >>> sorted(TopicTree.of(listed, {"/Art": "Standard", "/News": "High"}).high_utility)
        [7, 9]
        """
        listed = tuple(topics)
        high = {root for root, bucket in (buckets or {}).items() if bucket == "High"}
        return cls(
            as_labels([topic.id for topic in listed], "topic"),
            {topic.id: topic.parent for topic in listed if topic.parent is not None},
            frozenset(topic.id for topic in listed if "/" + topic.name.split("/")[1] in high),
        )

    def with_descendants(self, topic: Hashable) -> frozenset[Hashable]:
        """Return a topic and all that are below it."""
        return self._below.get(topic, frozenset({topic}))

    @cached_property
    def _below(self) -> dict[Hashable, frozenset[Hashable]]:
        below: dict[Hashable, set[Hashable]] = {}
        for topic in self.parents:
            above: Hashable | None = topic
            while above is not None:
                below.setdefault(above, {above}).add(topic)
                above = self.parents.get(above)
        return {topic: frozenset(members) for topic, members in below.items()}

    def _check_rooted(self, topic: Hashable) -> None:
        above, steps = topic, 0
        while above in self.parents:
            above, steps = self.parents[above], steps + 1
            if steps > len(self.parents):
                raise LabelError(f"the topic {topic!r} is below itself; a taxonomy is a tree")


def topic_tree(name: str, mirror: str | os.PathLike[str] | None = None) -> TopicTree:
    """Return taxonomy v1, or v2 with its utility buckets, fetched if need be.

    Raises
    ------
    ParameterError
        If there is no such taxonomy.

    Examples
    --------
    >>> topic_tree("v3")
    Traceback (most recent call last):
    quiff.errors.ParameterError: there is no taxonomy 'v3'; those with a known tree are v1 and v2
    """
    if name not in ("v1", "v2"):
        raise ParameterError(f"there is no taxonomy {name!r}; those with a known tree are v1 and v2")
    # The buckets are those of the roots of v2; v1 was in use before them.
    buckets = read_utility_buckets(fetch("utility-buckets", mirror)) if name == "v2" else None
    return TopicTree.of(read_taxonomy(fetch(f"topics-{name}", mirror)), buckets)
