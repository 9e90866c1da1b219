"""The Topics API: a browser reveals one topic of its top-s set, or now and then any topic at all."""

from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import comb, inf
from types import MappingProxyType
from typing import Any, Self, final

import numpy as np

from quiff import theory
from quiff.apis.base import SANDBOX_ENDED, Api, Limit, Unit, fitted, parameter
from quiff.apis.mechanisms import ByMechanism, Membership
from quiff.apis.ranges import Share, Whole
from quiff.apis.taxonomy import OCCURRING, TaxonomyLabels, assumed_topics, placed, topics_for
from quiff.core.channel import Channel
from quiff.core.gain import Gain, membership_gain_from_codes
from quiff.core.labels import Labels, SetLabels, as_labels
from quiff.core.numbers import Array, filled
from quiff.errors import ParameterError, SizeError, counted
from quiff.people.histories import Histories, TopSet
from quiff.people.population import Population
from quiff.people.sets import as_set_labels, codes_of_sets, in_order
from quiff.theory.curves import Curves, frontier_curves
from quiff.theory.design import Design, Designs, Measure, designs_for, noise_for_utility
from quiff.theory.forms import FORMS, ClosedForms, topics_forms
from quiff.theory.parameters import Real, follow
from quiff.theory.popularity import Naming
from quiff.theory.taxonomies import TAXONOMY_SIZES, taxonomy_size

_MOST_SETS = 1_000_000  # that a channel to random sets lists
_SMALL_SPACE = 100_000  # sets that `space` lists


@dataclass(frozen=True)
class TopTopics(ByMechanism):
    """An API that shows a topic of a set of s top topics, or now and then another one of the taxonomy."""

    n_topics: int
    top_s: int
    noise: Real
    taxonomy: Labels | None = fitted()

    sees = "a topic"
    needs = ("topics",)
    _words = ("p", "q")
    _whose = ""  # taxonomy it is that has as many topics as the default

    @property
    @abstractmethod
    def probabilities(self) -> tuple[Real, Real]:
        """p, with which each topic of the set is shown, and q, that of each other one."""

    def fit(self, people: Population | Histories) -> Self:
        """Settle the taxonomy: its size, if it was named, and the names of the topics among its m.

        Raises
        ------
        LabelError
            If a topic of the people is not in the named taxonomy.
        ParameterError
            If the people have more topics than the taxonomy, or sets of another size.
        """
        if self.taxonomy is not None:
            return self
        if isinstance(people, Population):
            self.check_size(people.top_s)
            name = self._taxonomy_name
            m = self.n_topics if name is None else topics_for(people, name)
            named = people.topics if people.topics.size <= m else people.occurring
        else:
            m, named = self._sized().n_topics, people.topics
            if named.size > m:  # then only those that can be in a set keep their names
                tops = self._top_sets(people).values()
                named = as_labels(in_order({topic for top in tops for topic in top.inclusion()}), "topic")
        if named.size > m:
            raise ParameterError(
                what="n_topics",
                value=m,
                allowed=f"at least {named.size}, since as many topics occur in the sets",
            )
        return replace(self, n_topics=m, taxonomy=named if named.size == m else TaxonomyLabels(named, m))

    def space(self) -> Labels | None:
        """Return all sets of s topics of the fitted taxonomy, if they are few enough to list."""
        if self.taxonomy is None or comb(self.taxonomy.size, self.top_s) > _SMALL_SPACE:
            return None
        codes = np.array(list(combinations(range(self.taxonomy.size), self.top_s)), dtype=np.intp)
        return SetLabels.distinct(codes, self.taxonomy)[0]

    def secret(self, people: Population | Histories) -> Channel:
        """Return C_BH C_G, from users to their top-s sets.

        From histories with ties at the cut, or too short for s topics, the set is random.

        Raises
        ------
        SizeError
            If ties leave too many possible sets to list; `channel` does not need the list.
        """
        C_G = self.generalization(people)
        return C_G if isinstance(people, Population) else people.channel("history") @ C_G

    def generalization(self, people: Population | Histories) -> Channel:
        """Return C_G, from browsing histories to top-s sets; of a population, from its users."""
        if isinstance(people, Population):
            self.check_size(people.top_s)
            return people.channel("topics")
        return _to_random_sets(self._top_sets(people), people.topics)

    @property
    def mechanism(self) -> Membership:
        """A topic of the set with p, another one with q."""
        return self._showing(*self.probabilities)

    def _showing(self, p: Real, q: Real) -> Membership:
        return Membership(self._sized().n_topics, self.top_s, p, q, self._codes, self._words)

    def _codes(self, sets: SetLabels) -> tuple[Array, Labels]:
        self.check_size(sets.codes.shape[1])
        return placed(sets, self._fitted()), self._fitted()

    def observe(self, secrets: object) -> Channel:
        """Return the channel from top-s sets to the topic that is observed."""
        return self.mechanism.channel(as_set_labels(secrets))

    def stages(self, secrets: object) -> dict[str, Channel]:
        """Return the channels to the whole set, and to the observed topic."""
        sets = as_set_labels(secrets)
        return {"generalization": Channel.identity(sets), self.name: self.observe(sets)}

    def channel(self, people: Population | Histories) -> Channel:
        """Return the channel from users to the topic that is observed.

        C[x,t] = (p - q) P[t in the set of x] + q, exactly, also where ties or filling make the set random.
        """
        if isinstance(people, Population):
            return super().channel(people)
        api = self.fit(people)
        tops = api._top_sets(people)
        return people.channel("history") @ _from_random_sets(tops, api._fitted(), *api.probabilities)

    def goals(self, secrets: object) -> Mapping[str, Gain]:
        """Return the goal of interest-based advertising: to name a topic of the set (paper, Sec. 4.2.2)."""
        sets = as_set_labels(secrets)
        return {"topics": membership_gain_from_codes(sets, sets.codes, sets.topics)}

    def outputs_naming(self, attribute: str, value: Hashable, stage: str) -> tuple[Hashable, ...]:
        """Return the topic itself, where one topic is seen."""
        return (value,) if attribute == "topics" and stage != "generalization" else ()

    def naming(self, attribute: str) -> Naming | None:
        """Return p and q (paper, Sec. 4.2.1)."""
        if attribute != "topics":
            return None
        return Naming(*self.probabilities, self._sized().n_topics)

    def warnings(self, people: Population) -> tuple[str, ...]:
        """Say that topics are assumed where they are words, and what fewer would change."""
        return assumed_topics(people, self, self._whose)

    def check_size(self, size: int) -> None:
        """Raise a ParameterError unless sets of this size are those of the API."""
        if size != self.top_s:
            raise ParameterError(
                f"top_s is {self.top_s}, but the sets have {counted(size, 'topic')}; take top_s={size}, or"
                f" sets of {self.top_s}",
                what="top_s",
                value=self.top_s,
            )

    @property
    def _taxonomy_name(self) -> str | None:
        given: object = self.n_topics
        return given if isinstance(given, str) else None

    def _sized(self) -> Self:
        """Return the API with a number of topics, which ``occurring`` has only with people."""
        name = self._taxonomy_name
        if name is None:
            return self
        if name == OCCURRING:
            raise ParameterError(
                "n_topics 'occurring' is known with people only; give a number of topics or one of "
                + ", ".join(TAXONOMY_SIZES),
                what="n_topics",
                value="occurring",
            )
        return replace(self, n_topics=taxonomy_size(name))

    def _fitted(self) -> Labels:
        if self.taxonomy is None:
            raise ParameterError(
                "the topics of the taxonomy are not known yet; take api.fit(people), or give taxonomy="
            )
        return self.taxonomy

    def _top_sets(self, histories: Histories) -> dict[Hashable, TopSet]:
        return {
            history: histories.top_set(history, self.top_s)  # type: ignore[arg-type]  # histories are tuples
            for history in histories.distinct
        }


@final
@dataclass(frozen=True)
class TopicsAPI(TopTopics):
    """The parameters of the Topics API, and its channels (paper, Sec. 3.2).

    The secret is a user's top-s set of topics in a week. A site sees one of them, all equally probable, or
    with probability r, the noise, a topic drawn from the whole taxonomy. An exact `noise`, an int or a
    Fraction, makes all channels exact.

    Parameters
    ----------
    n_topics
        m >= 1, the size of the taxonomy; or the name of a published one, or ``occurring`` for just the topics
        that occur among the people. The channels have m columns: the topics of the people, and unnamed ones
        for the rest.
    top_s
        s, the size of a browser's set of top topics, between 1 and m.
    noise
        r, the probability of a random topic of the taxonomy, between 0 and 1.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff.people.population import Population
    >>> api = TopicsAPI(n_topics=5, top_s=2, noise=Fraction(1, 20))
    >>> sets = {"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}, "Carol": {"Music", "News"}}
    >>> api.channel(Population.from_sets(sets))
    Channel from 3 inputs to 5 outputs
           Music   News    Sports  Travel  unnamed 4
    Alice  97/200  97/200  1/100   1/100   1/100
    Bob    1/100   1/100   97/200  97/200  1/100
    Carol  97/200  97/200  1/100   1/100   1/100
    >>> TopicsAPI(top_s=350)
    Traceback (most recent call last):
    ...
    quiff.errors.ParameterError: top_s must be a whole number between 1 and 349, not 350

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.
    """

    # A name stands here until `fit`, or a closed form, asks for the number.
    n_topics: int = parameter(349, Whole(1, names=(*TAXONOMY_SIZES, OCCURRING)), "topics of the taxonomy")
    top_s: int = parameter(5, Whole(1, "n_topics"), "topics in a user's set")
    noise: Real = parameter(0.05, Share(), "probability of a random topic")

    title = "Topics API"
    family = "interests"
    ended = SANDBOX_ENDED
    source = "patcg-individual-drafts/topics, README at d5555b3 (7 November 2025); paper, Sec. 3.2"
    unit = Unit("a user", "one site", 7)
    visit = "page view"
    _whose = "Chrome's first taxonomy"
    shown_at_first = 3  # epochs of a first call, as specified
    stage_titles = MappingProxyType(
        {"generalization": "whole topic set", "bounded_noise": "one topic, no noise", "topics": "one topic"}
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._taxonomy_name in TAXONOMY_SIZES:
            self._sized()  # which checks top_s

    def _sourced(self, message: str) -> str:
        return message  # the ranges are those of sizes and probabilities, and no document's

    @property
    def settings(self) -> str:
        """The parameters for people, in a few words."""
        return ", ".join(self.setting(name, value) for name, value in self.parameters().items())

    def setting(self, name: str, value: Any) -> str:
        """Return a parameter and its value for people: ``349 topics``, ``top 5``."""
        if name == "n_topics":
            return str(value) if self._taxonomy_name else counted(value, "topic")
        return f"top {value}" if name == "top_s" else super().setting(name, value)

    @property
    def probabilities(self) -> tuple[Real, Real]:
        """(1-r)/s + r/m for a topic of the set, else r/m (paper, eq. model-topics-utility-channel)."""
        q = self.noise / self._sized().n_topics
        return (1 - self.noise) / self.top_s + q, q

    def bounded_noise(self, secrets: object) -> Channel:
        """Return C_BN, from top-s sets to one topic of the set: 1/s if t is in sigma, else 0."""
        p, q = (follow(share, self.noise) for share in (Fraction(1, self.top_s), Fraction(0)))
        return self._showing(p, q).channel(as_set_labels(secrets))

    def stages(self, secrets: object) -> dict[str, Channel]:
        """Return the channels to the whole set, to a topic of the set, and to the observed topic."""
        first, last = super().stages(secrets).items()
        return dict([first, ("bounded_noise", self.bounded_noise(secrets)), last])

    def random_topic(self, secrets: object) -> Channel:
        """Return C_DP, from top-s sets to any topic of the taxonomy: 1/m everywhere."""
        taxonomy = self._fitted()
        row = filled(follow(Fraction(1, taxonomy.size), self.noise), taxonomy.size)
        return Channel.constant(np.array(row), inputs=as_set_labels(secrets), outputs=taxonomy)

    def limits(self) -> tuple[Limit, ...]:
        """Return the paper's capacities, stage by stage, and its worst case."""
        sized = self._sized()
        m, s, r = sized.n_topics, sized.top_s, sized.noise
        two = "two secrets that differ"

        def limit(quantity: str, value: Real, assumes: str = "") -> Limit:
            form = FORMS[quantity]
            return Limit(quantity, value, form.formula, form.source, assumes)

        # With s = m there is one set only, which nothing can tell from another.
        ratio, log_ratio = (theory.max_case_capacity(m, s, r), theory.epsilon(m, s, r)) if s < m else (1, 0.0)
        return (
            Limit(
                "bayes_capacity",
                Fraction(comb(m, s)),
                "C(m,s)",
                "paper, Sec. 4.1.2, leakage up to generalization, its bound",
                stage="generalization",
            ),
            Limit("epsilon", inf if s < m else 0.0, "inf", "a map tells sets apart", two, "generalization"),
            replace(
                limit("bounded_noise_capacity", theory.bounded_noise_capacity(m, s)),
                quantity="bayes_capacity",
                stage="bounded_noise",
            ),
            limit("bayes_capacity", theory.bayes_capacity(m, s, r)),
            limit("epsilon", log_ratio, two),
            limit("max_case_capacity", follow(Fraction(ratio), r) if ratio == 1 else ratio, two),
            limit("shannon_capacity_bits", theory.shannon_capacity_bits(m, s, r)),
        )

    def closed_forms(self, **scenario: Any) -> ClosedForms:
        """Return every closed form of the paper, also those that depend on users, epochs and sites."""
        sized = self._sized()
        return topics_forms(sized.n_topics, sized.top_s, sized.noise, **scenario)

    def designs(self, measure: Measure, target: Real) -> tuple[Designs, Callable[[], Curves]]:
        """Return the sizes and noises that meet a target for this taxonomy, and the frontier."""
        sized = self._sized()
        found = designs_for(sized.n_topics, sized.noise, measure, target)
        chosen = tuple(each.top_s for each in (found.strict, found.nearest) if each is not None)
        return found, lambda: frontier_curves(sized.n_topics, measure, target, found.options, chosen)

    def at_utility(self, utility: Real) -> Design:
        """Return this API with the noise at which an observed topic is genuine with a given probability."""
        sized = self._sized()
        m, s = sized.n_topics, sized.top_s
        return Design.of(m, s, noise_for_utility(m, s, utility))


def topics_only(api: Api, study: str) -> TopicsAPI:
    """Return the Topics API, the only one whose settings a study knows in closed form; refuse any other."""
    if not isinstance(api, TopicsAPI):
        raise ParameterError(
            f"{study} does not support {api.title}, only the Topics API; quiff measure says what each setting"
            " of it reveals about people",
            what="api",
            value=api.spec,
            allowed="the Topics API",
        )
    return api


def further_forms(api: Api, **scenario: Any) -> ClosedForms | None:
    """Return what is known in closed form beyond `limits`, as of the Topics API; None if nothing is.

    A scenario, such as a number of users, is of use to the Topics API only.
    """
    if isinstance(api, TopicsAPI):
        return api.closed_forms(**scenario)
    others = [name for name in scenario if name != "prior_success"]
    if others:
        raise ParameterError(
            f"no closed form of {api.title} depends on {others[0]}", what="parameter", value=others[0]
        )
    return None


def worked_example() -> tuple[Population, TopicsAPI]:
    """Return the people and the API of the paper's worked example (figure of the Topics channels), exact.

    >>> people, api = worked_example()
    >>> people, api.spec
    (<Population of 3 users: sets of 2 out of 4 topics>, 'topics:n_topics=5,top_s=2,noise=1/20')
    """
    sets = {"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}, "Carol": {"Music", "News"}}
    return Population.from_sets(sets), TopicsAPI(5, 2, Fraction(1, 20))


def _to_random_sets(tops: Mapping[Hashable, TopSet], topics: Labels) -> Channel:
    """Return C_G, the channel that gives each history each of its possible sets, all as probable.

    Examples
    --------
    >>> from quiff.people.histories import top_set
    >>> counts = {"x": {"Art": 2, "News": 1, "Pets": 1}, "y": {"Art": 1, "News": 1}}
    >>> tops = {history: top_set(count, 2) for history, count in counts.items()}
    >>> _to_random_sets(tops, as_labels(["Art", "News", "Pets"]))
    Channel from 2 inputs to 2 outputs
       {Art, News}  {Art, Pets}
    x  1/2          1/2
    y  1            0

    Raises
    ------
    SizeError
        If there are more than a million possible sets, counted for each history.
    """
    n_sets = sum(top.n_sets for top in tops.values())
    if n_sets > _MOST_SETS:
        raise SizeError(
            f"ties and filling up leave {n_sets} possible sets, more than {_MOST_SETS}; "
            "fill up from fewer topics, or ask for api.channel(people), which needs no list of the sets",
            what="possible sets",
            value=n_sets,
            allowed=f"at most {_MOST_SETS}",
        )
    possible = {history: list(top.sets()) for history, top in tops.items()}
    distinct = dict.fromkeys(chosen for sets in possible.values() for chosen in sets)
    codes, _ = codes_of_sets({chosen: chosen for chosen in distinct}, topics)
    labels, _ = SetLabels.distinct(codes, topics)
    if n_sets == len(possible):
        return Channel.deterministic({history: sets[0] for history, sets in possible.items()}, labels)
    rows = {history: dict.fromkeys(sets, Fraction(1, len(sets))) for history, sets in possible.items()}
    return Channel.sparse(rows, outputs=labels, rest=Fraction(0))


def _from_random_sets(tops: Mapping[Hashable, TopSet], taxonomy: Labels, p: Any, q: Any) -> Channel:
    """Return C[x,t] = (p - q) P[t in the set of x] + q, without a list of the sets."""
    entries = {
        x: {topic: (p - q) * share + q for topic, share in top.inclusion().items()} for x, top in tops.items()
    }
    return Channel.sparse(entries, outputs=taxonomy, rest=q)
