"""What a program may not do, and how it is told: never a wrong number."""

import itertools
import random
import time
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from quiff import LabelError, ParameterError, Prior, QuiffError, SizeError, work_limit
from quiff.programs.channel import program_channel, sampled


def line_of(function, after):
    return function.__code__.co_firstlineno + after


def expect_error(function, words, secrets=(1, 2), kind=QuiffError):
    for sealing in (True, False):
        with pytest.raises(kind, match=words):
            program_channel(function, list(secrets), sealing=sealing)


def test_other_randomness_is_refused_with_the_line():
    def value(secret, draw):
        return random.random()

    def shared(secret, draw):
        return random.random() < 2

    def of_numpy(secret, draw):
        return np.random.rand() < 2  # noqa: NPY002

    counter = itertools.count()

    def choices(secret, draw):
        options = range(2 + next(counter))
        return draw.uniform(options) + draw.uniform(range(9))

    expect_error(value, f"not repeatable: in line {line_of(value, 0)}")
    expect_error(shared, "random generator that is not `draw`")
    expect_error(of_numpy, "random generator that is not `draw`")
    expect_error(choices, f"not repeatable: in line {line_of(choices, 2)} .* other choices")


def test_time_and_changing_state_are_refused():
    seen = []

    def clock(secret, draw):
        return time.perf_counter_ns()

    def remembers(secret, draw):
        seen.append(secret)
        return len(seen)

    expect_error(clock, "another value")
    expect_error(remembers, "another value")


def test_an_exception_is_shown_with_its_line_and_the_choices():
    def program(secret, draw):
        side = draw.uniform(["left", "right"])
        if side == "right" and draw.flip():
            return 1 / 0
        return side

    words = rf"line {line_of(program, 3)} after the choices \('right', True\): ZeroDivisionError"
    expect_error(program, words)


@pytest.mark.parametrize(
    ("draws", "words"),
    [
        (lambda draw: draw.flip(2), "must be a number between 0 and 1"),
        (lambda draw: draw.flip("x"), "must be a number between 0 and 1"),
        (lambda draw: draw.uniform([]), "nothing to draw from"),
        (lambda draw: draw.uniform(7), "a draw needs a list of items, not int"),
        (lambda draw: draw.sample([1, 2], 3), "needs as many items"),
        (lambda draw: draw.weighted([1]), "a mapping from item to weight, not list"),
        (lambda draw: draw.weighted({1: -1}), "a weight is -1"),
        (lambda draw: draw.weighted({1: 0}), "sum to 0"),
        (lambda draw: draw.distribution({1: 1}), "takes a quiff.Prior, not dict"),
        (lambda draw: draw.geometric(0.5, -1), "the bound of geometric"),
        (lambda draw: [1], "returned a list"),
        (lambda draw: float("nan"), "returned nan"),
        (lambda draw: draw.sample(range(99), 50), "too many to enumerate"),
    ],
)
def test_wrong_draws_and_outputs_are_told(draws, words):
    expect_error(lambda secret, draw: draws(draw), words)


def test_an_endless_loop_ends():
    def program(secret, draw):
        count = 0
        while draw.flip():
            count += 1
        return count

    expect_error(program, "more than 1000 times on a path, in line", kind=SizeError)


def test_too_many_paths_say_how_far_it_came():
    def program(secret, draw):
        return frozenset((k, draw.uniform(range(10))) for k in range(9))

    with work_limit(0.001), pytest.raises(SizeError, match=r"too many paths: after \d+ runs .*draw.fold"):
        program_channel(program, [1])


def test_a_bare_except_does_not_swallow_the_end_of_a_run():
    def program(secret, draw):
        value = draw.uniform((1, 2, 3))
        try:
            return value + secret
        except BaseException:
            return "caught"

    C = program_channel(program, [10, 20])
    assert {y: C[10, y] for y in C.outputs if C[10, y]} == dict.fromkeys((11, 12, 13), Fraction(1, 3))


def test_the_secret_of_people_is_only_its_attributes():
    with pytest.raises(LabelError, match="returned a Record"):
        program_channel(lambda user, draw: user, {"Ann": {"age": 1}})


def test_samples_follow_the_channel():
    def program(secret, draw, n=2):
        kept = draw.sample(secret, n)
        shown = draw.permutation(kept)[0] if draw.flip(Fraction(1, 3)) else draw.weighted({"x": 2, "y": 1})
        noise = draw.geometric(0.5, 2) + draw.distribution(Prior({0: 0.25, 5: 0.75}))
        return shown, noise, draw.fold(lambda count, _: count + draw.flip(), range(2), 0)

    secret, rng = frozenset({1, 2, 3}), random.Random(1)
    C = program_channel(program, [secret])
    n = 20_000
    drawn = Counter(sampled(program, {}, secret, rng) for _ in range(n))
    law = {y: float(C[secret, y]) for y in C.outputs}
    assert set(drawn) <= set(law)
    chi_square = sum((drawn[y] - n * p) ** 2 / (n * p) for y, p in law.items())
    assert chi_square < len(law) + 5 * (2 * len(law)) ** 0.5


def test_draws_refuse_after_the_run():
    kept = []
    program_channel(lambda secret, draw: kept.append(draw), [1])
    with pytest.raises(QuiffError, match="only while the program runs"):
        kept[0].flip()
    with pytest.raises(ParameterError):
        kept[0].flip(3)
