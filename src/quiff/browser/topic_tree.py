"""A taxonomy as a tree: which topics are below which, and which ones have high utility."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import final

from quiff.core.labels import Labels, as_labels
from quiff.errors import LabelError, ParameterError
from quiff.io import StrPath
from quiff.logs.fetch import fetch
from quiff.logs.taxonomies import Topic, read_taxonomy, read_utility_buckets


@final
@dataclass(frozen=True, eq=False)
class TopicTree:
    """All topics in order, what each one is below, and the topics that rank first.

    Examples
    --------
    >>> tree = TopicTree(["News", "Sports News", "Art"], {"Sports News": "News"})
    >>> sorted(tree.with_descendants("News"))
    ['News', 'Sports News']
    """

    topics: Labels  # in the order in which random choices number them
    parents: Mapping[Hashable, Hashable]  # the topic above each; one that is not in it is a root
    high_utility: frozenset[Hashable] = frozenset()  # those that rank before all others

    def __post_init__(self) -> None:
        topics = as_labels(self.topics, "topic")
        for topic in (*self.parents, *self.parents.values(), *self.high_utility):
            topics.position(topic, "topic")
        vars(self).update(topics=topics, high_utility=frozenset(self.high_utility))
        try:
            TopologicalSorter({topic: [above] for topic, above in self.parents.items()}).prepare()
        except CycleError as error:
            raise LabelError(
                f"the topic {error.args[1][0]!r} is below itself; a taxonomy is a tree",
                what="topic",
                value=error.args[1][0],
                allowed="a tree",
            ) from None

    @classmethod
    def flat(cls, topics: Iterable[Hashable]) -> "TopicTree":
        """Return topics of which none is below another."""
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


def topic_tree(name: str, mirror: StrPath | None = None) -> TopicTree:
    """Return taxonomy v1, or v2 with its utility buckets, fetched if need be."""
    if name not in ("v1", "v2"):
        raise ParameterError(what="the taxonomy", value=name, allowed="v1 or v2, whose trees are known")
    # The buckets are those of the roots of v2; v1 was in use before them.
    buckets = read_utility_buckets(fetch("utility-buckets", mirror)) if name == "v2" else None
    return TopicTree.of(read_taxonomy(fetch(f"topics-{name}", mirror)), buckets)
