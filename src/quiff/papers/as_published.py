"""The prior on sets as the published notebooks put it beside their channels: by position, in another order.

In the notebooks of the paper's experiments the prior on sets lists the sets in the order in which they first
appear among the users, while the rows of the channel and of the gain are the sets sorted as text: the topics
of a set are words, also where they are numbers ("10" before "9"), sorted within the set, and the sets are
sorted by these lists of words. The library they call aligns by position, so that each row is weighed with
the probability of another set.
"""

import numpy as np

from quiff.core.distinct import distinct_codes
from quiff.core.labels import Labels
from quiff.core.numbers import Array
from quiff.core.prior import Prior
from quiff.people.population import Population
from quiff.people.weights import prior_of_weights


def misaligned_prior(population: Population) -> Prior:
    """Return the prior that gives the k-th set in order of text the share of the k-th to appear.

    Examples
    --------
    Most users have the set {9, 20}, which comes first in the file; as text, {10, 20} comes first:

    >>> people = Population.from_array(range(3), [[9, 20], [9, 20], [10, 20]])
    >>> people.set_prior()[frozenset({9, 20})], misaligned_prior(people)[frozenset({9, 20})]
    (Fraction(2, 3), Fraction(1, 3))

    Raises
    ------
    ParameterError
        If the population is merged, so that nothing is known of the order of its users.
    """
    population.check_unmerged()
    sets, which = population.distinct_sets()
    weights, _ = population.set_prior().weights_for(sets, "population")
    _, first = np.unique(which, return_index=True)
    appeared = weights[np.argsort(first)]
    place = np.argsort(text_order(sets.codes, population.topics))  # of each set among the rows
    return prior_of_weights(sets, appeared[place])


def text_order(codes: Array, topics: Labels) -> Array:
    """Return the order that sorts distinct sets as lists of words, each list being sorted itself.

    Examples
    --------
    >>> from quiff.core.labels import as_labels
    >>> text_order(np.array([[0, 2], [1, 2]]), as_labels([9, 10, 20])).tolist()
    [1, 0]
    """
    words = [str(topic) for topic in topics]
    rank = np.empty(len(words), dtype=np.int64)
    rank[sorted(range(len(words)), key=words.__getitem__)] = np.arange(len(words))
    order, _ = distinct_codes(np.sort(rank[codes], axis=1), len(words))
    return order
