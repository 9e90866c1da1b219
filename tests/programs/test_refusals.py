"""What a program may not do, and how it is told: never a wrong number."""

import itertools
import random
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import quiff
from naive_programs import program_channel
from quiff import LabelError, ParameterError, Prior, QuiffError, SizeError, work_limit
from quiff.programs import watch
from quiff.programs.watch import Endless, watched
from quiff.progress import watching
from words import refused


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
    "draws",
    [
        lambda draw: draw.flip(2),
        lambda draw: draw.flip("x"),
        lambda draw: draw.uniform([]),
        lambda draw: draw.uniform(7),
        lambda draw: draw.sample([1, 2], 3),
        lambda draw: draw.weighted([1]),
        lambda draw: draw.weighted({1: -1}),
        lambda draw: draw.weighted({1: 0}),
        lambda draw: draw.distribution({1: 1}),
        lambda draw: draw.geometric(0.5, -1),
        lambda draw: [1],
        lambda draw: float("nan"),
        lambda draw: draw.sample(range(99), 50),
    ],
)
def test_wrong_draws_and_outputs_are_told(draws):
    for sealing in (True, False):
        with refused(QuiffError):
            program_channel(lambda secret, draw: draws(draw), [1, 2], sealing=sealing)


def test_an_endless_loop_ends():
    def program(secret, draw):
        count = 0
        while draw.flip():
            count += 1
        return count

    expect_error(program, "more than 1000 times on a path, in line", kind=SizeError)


def test_an_endless_loop_without_draws_ends():
    def program(secret, draw):
        if draw.flip():
            while secret:
                secret += 1
        return secret

    with work_limit(0.004):
        expect_error(
            program, f"without a draw, in line {line_of(program, 2)}|{line_of(program, 3)}", kind=SizeError
        )


def test_too_many_paths_say_how_far_it_came():
    def program(secret, draw):
        return frozenset((k, draw.uniform(range(10))) for k in range(9))

    with work_limit(0.001), refused(SizeError):
        program_channel(program, [1])


def test_far_too_many_paths_are_refused_soon():
    calls, parts = Counter(), []

    def program(secret, draw):
        calls[secret] += 1
        return tuple(draw.uniform(range(10)) for _ in range(9 if secret else 2))

    with pytest.raises(SizeError), watching(lambda part, share: parts.append((part, share))):
        program_channel(program, [1], sealing=False)  # 10^9 paths, and 2 * 10^7 draws are allowed
    assert calls[1] < 10_000
    (forecast,) = (part for part, _ in parts)  # before it goes on: how many, how long, how much
    assert re.fullmatch(r"paths of the program: about 1e\+09 in [\d,]+ \w+, [\d,]+ MiB", forecast)


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
    with refused(LabelError):
        program_channel(lambda user, draw: user, {"Ann": {"age": 1}})


def test_samples_follow_the_channel():
    def program(secret, draw, n=2):
        kept = draw.sample(secret, n)
        shown = draw.permutation(kept)[0] if draw.flip(Fraction(1, 3)) else draw.weighted({"x": 2, "y": 1})
        noise = draw.geometric(0.5, 2) + draw.distribution(Prior({0: 0.25, 5: 0.75}))
        return shown, noise, draw.fold(lambda count, _: count + draw.flip(), range(2), 0)

    secret = frozenset({1, 2, 3})
    C = program_channel(program, [secret])
    n = 20_000
    drawn = Counter(quiff.program(program).sample(secret, seed=1, n=n))
    law = {y: float(C[secret, y]) for y in C.outputs}
    assert set(drawn) <= set(law)
    chi_square = sum((drawn[y] - n * p) ** 2 / (n * p) for y, p in law.items())
    assert chi_square < len(law) + 5 * (2 * len(law)) ** 0.5


def test_draws_refuse_after_the_run():
    kept = []
    program_channel(lambda secret, draw: kept.append(draw), [1])
    with refused(QuiffError):
        kept[0].flip()
    with pytest.raises(ParameterError):
        kept[0].flip(3)


def test_programs_that_a_program_cannot_be_made_of_are_told():
    async def waits(secret, draw):
        yield 1

    def changes(secret, draw, seen=[]):  # noqa: B006 - as users write it
        return len(seen)

    for wrong in [
        waits,
        changes,
        len,
        lambda secret, draw, channel=1: 1,
        lambda secret, draw, read=1: 1,
    ]:
        with refused(ParameterError):
            quiff.program(wrong)


def test_parameters_may_have_any_other_name():
    program = quiff.program(lambda secret, draw, /, secrets=3, sealing=3: secrets + sealing)
    assert list(program(sealing=4).channel([0]).outputs) == [7]


def test_objects_that_equal_only_themselves_are_told():
    expect_error(lambda secret, draw: (bit for bit in "ab"), "another generator, which equals only itself")
    expect_error(lambda secret, draw: draw, "which equals only itself: return a tuple or a text")
    expect_error(lambda secret, draw: draw.fold(lambda a, b: [a], [1], 0), "a step of fold.. returned a list")


def test_the_line_is_that_of_the_program():
    def deeper(secret, draw):
        return 0 if draw.flip() else 1 + deeper(secret, draw)

    def wrong(secret, draw):
        return Fraction(secret, 0)  # the error comes from another file

    expect_error(wrong, f"fails in line {line_of(wrong, 1)} .* ZeroDivisionError")
    with pytest.raises(QuiffError, match=f"in line {line_of(deeper, 1)}"):
        program_channel(deeper, [1])


def test_leaving_the_interpreter_is_an_error_like_any_other():
    expect_error(lambda secret, draw: sys.exit(3), "SystemExit: 3")


def test_a_secret_that_is_changed_is_whole_again_in_the_next_run():
    def pops(secret, draw):
        return secret.pop() + draw.uniform((0, secret.pop()))

    C = program_channel(pops, {"Ann": [1, 2, 3], "Bob": [5, 6]})
    assert {y: C["Ann", y] for y in C.outputs if C["Ann", y]} == {3: Fraction(1, 2), 5: Fraction(1, 2)}


def test_huge_geometric_draws_are_refused_before_they_are_made():
    expect_error(lambda secret, draw: draw.geometric(Fraction(1, 3), 10**7), "too many to enumerate")


def test_samples_say_which_attribute_is_missing():
    program = quiff.program(lambda user, draw: user.age)
    with refused(LabelError):
        program.sample({"country": "AT"}, seed=1)


def test_a_secret_of_people_has_nothing_but_attributes():
    for wrong in (
        lambda user, draw: user["age"],
        lambda user, draw: list(user),
        lambda user, draw: user == 1,
    ):
        with refused(QuiffError):
            program_channel(wrong, {"Ann": {"age": 1}})


def test_what_stands_beside_the_function_is_checked():
    def program(secret, draw, k=1):
        return secret

    for wrong in ({"redraws": "x"}, {"unit": 7}, {"ranges": {"k": 3}}, {"ranges": {"k": (2, 3)}}):
        with pytest.raises(ParameterError):
            quiff.program(program, **wrong)
    with refused(ParameterError):
        quiff.program(program, goals=lambda secrets: 5).goals(Prior.uniform([1]).labels)
    for wrong in ({"seed": None}, {"seed": 1, "n": -1}):
        with pytest.raises(ParameterError):
            quiff.program(program).sample(1, **wrong)
    with refused(ParameterError):
        quiff.program(program).sample(quiff.Population.synthetic(3), seed=1)
    with refused(ParameterError):
        quiff.hyper(Prior.uniform([1]), program)


def test_draws_from_nothing_are_the_same_for_samples_and_channels():
    for draws in (lambda draw: draw.permutation([]), lambda draw: draw.sample([], 0)):
        program = quiff.program(lambda secret, draw: draws(draw))  # noqa: B023
        assert list(program.channel([1]).outputs) == [program.sample(1, seed=1)]
    with refused(ParameterError):
        quiff.program(lambda secret, draw: draw.uniform([])).sample(1, seed=1)


def test_a_watch_that_strikes_as_it_ends_is_over_with_its_run(monkeypatch):
    """Nothing is raised after it, and no thread stays, however short the time allowed.

    Runs grow until the watch has struck twenty times: on any machine some strikes come as a run ends.
    """
    before, strikes, length = threading.active_count(), 0, 0
    monkeypatch.setattr(watch, "LEAST", 0)
    with work_limit(1e-9):
        while strikes < 20:
            length += 1 + length // 100
            try:
                with watched(lambda: 0):
                    for _ in range(length):
                        pass
            except Endless:
                strikes += 1
    assert strikes == 20
    assert threading.active_count() == before


def test_a_tracer_works_after_a_program():
    """A debugger, or coverage, after an enumeration: Python 3.11 would begin no function any more."""
    script = """
import sys
from quiff import Channel
from quiff.programs.engine import channel_of
from quiff.programs.function import Program
from quiff.programs.inputs import Secrets

channel_of(Program(lambda secret, draw: draw.flip(0.5), {}), *Secrets.given([1, 2]))
lines = []
sys.settrace(lambda frame, event, arg: lines.append(event))
len(Channel([[1.0]]).inputs)
sys.settrace(None)
print("call" in lines)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout == "True\n"
