"""A plain enumerator of programs, written apart from quiff: what `program_channel` must equal."""

from fractions import Fraction
from inspect import isgeneratorfunction
from itertools import combinations, permutations

from quiff.programs.engine import channel_of
from quiff.programs.function import Program
from quiff.programs.inputs import Secrets


def program_channel(function, secrets, *, sealing=True, **parameters):
    """Return quiff's channel of a function, with late branching or without."""
    return channel_of(Program(function, parameters), *Secrets.given(secrets), sealing=sealing)


class Ask(BaseException):
    """The script is at its end; these are the next possibilities."""

    def __init__(self, possibilities):
        self.possibilities = possibilities


class TooManyPaths(Exception):  # noqa: N818
    """There are more paths than were asked for."""


class Script:
    """Answers draws from a list, and asks when it is at its end."""

    def __init__(self, answers):
        self.answers = list(answers)

    def _next(self, possibilities):
        if not self.answers:
            raise Ask(possibilities)
        return self.answers.pop(0)

    def flip(self, p=Fraction(1, 2)):
        return self._next([(True, p), (False, 1 - p)])

    def _equally(self, values):
        values = list(values)
        return self._next([(value, Fraction(1, len(values))) for value in values])

    def uniform(self, items):
        return self._equally(sorted(items) if isinstance(items, frozenset) else items)

    def sample(self, items, k):
        return self._equally(map(frozenset, combinations(items, k)))

    def permutation(self, items):
        return self._equally(permutations(items))

    def weighted(self, weights):
        total = sum(weights.values())
        return self._next([(x, Fraction(w, total)) for x, w in weights.items()])

    def distribution(self, prior):
        return self._next(list(prior.items()))

    def geometric(self, p, bound):
        return self._next([(k, p * (1 - p) ** k) for k in range(bound)] + [(bound, (1 - p) ** bound)])

    def fold(self, step, items, start):
        for item in items:
            start = step(start, item)
        return start


def naive_row(function, secret, most=None, **parameters):
    """Return the distribution of the outputs for one secret, by running every script, or at most so many."""
    row, scripts, runs = {}, [((), Fraction(1))], 0
    while scripts:
        runs += 1
        if most is not None and runs > most:
            raise TooManyPaths
        answers, weight = scripts.pop()
        try:
            output = function(secret, Script(answers), **parameters)
            output = tuple(output) if isgeneratorfunction(function) else output
        except Ask as ask:
            scripts += [((*answers, value), weight * p) for value, p in ask.possibilities if p]
        else:
            row[output] = row.get(output, 0) + weight
    return row
