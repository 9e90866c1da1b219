"""The channel of a program is what a plain enumeration gives, with and without late branching."""

import os
from copy import copy
from fractions import Fraction
from types import SimpleNamespace

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, reject, settings

from naive_programs import TooManyPaths, naive_row, program_channel
from quiff import Channel, Prior, QuiffError, bayes_capacity, leakage, repeat
from quiff.programs.engine import enumerated
from quiff.programs.function import Program
from quiff.programs.inputs import Secrets

ROWS = [
    "{v} = draw.uniform((1, 2, 3))",
    "{v} = draw.uniform(('x', 'y'))",
    "{v} = draw.uniform([{v}, {w}])",
    "{v} = draw.uniform(user.bag)",
    "{v} = draw.sample(user.bag, 1)",
    "{v} = draw.permutation((1, 2))",
    "{v} = draw.weighted({{1: 1, 2: 3, 'z': 2}})",
    "{v} = draw.geometric(Fraction(1, 3), 2)",
    "{v} = draw.flip(Fraction(1, 4))",
    "{v} = draw.fold(lambda total, item: total + draw.flip(Fraction(1, 3)), range(2), 0)",
    "{v} = user.age",
    "{v} = user.bag",
    "{v} = {w}",
    "{v} = ({v}, {w})",
    "{v} = str({w})",
    "{v} = type({w}).__name__",
    "{v} = type({w}) == int",
    "{v} = isinstance({w}, str)",
    "{v} = {w} in (1, 2, 'x')",
    "{v} = {v} is {w}",
    "{v} = f'{{{w}}}'",
    "{v} = {{1: 'one', 2: 'two'}}.get({w}, {v})",
    "{v} = sum(x for x in user.bag if isinstance(x, int))",
    "{v} = draw.permutation(user.bag)",
    "{v} = draw.uniform(sorted(map(str, user.bag)))",
    "{v} = draw.uniform((None, True, 1))",
    "{v} = draw.uniform(((1, 2), (2, 3)))[0]",
    "{v} = draw.weighted({{user.age: 1, 'q': 2}})",
    "{v} = draw.distribution(Prior({{1: Fraction(1, 3), 2: Fraction(2, 3)}}))",
    "{v} = draw.fold(lambda total, item: draw.uniform((total, item)), user.bag, {w})",
    "{v} = draw.fold(lambda total, item: (total, {w}) if draw.flip() else total, (1, 1), 0)",
    "{v} = draw.fold(lambda total, item: draw.uniform(((True,), (1,), (total, item))), (1, 2), {w})",
    "{v} = draw.sample(user.bag, 1) | {{{w}}}",
    "{v} = (lambda x=draw.uniform((1, 2)): x)()",
    "{v} = (user.bag[0], len(user.bag))",
    "{v} = max(map(str, ({v}, {w})))",
    "{v} = [{v}, {w}].index({w})",
    "{v} = Fraction(draw.uniform((1, 2)), 3)",
    "{v} = 6 // {w}",
    "{v} = is_none({w})",
    "{v} = Kept({w}).kept",
    "{v} = copy({w})",
    "kept.append({w})",
    "{v} = frozenset(({v}, {w}))",
    "{v} = len(frozenset((draw.uniform((1, 2)), {w})))",
    "{v} = frozenset(draw.uniform((1, 2)) for _ in range(2))",
    "{v} = kept[-1] if kept else {w}",
]
BRANCHES = ["if draw.flip(Fraction(1, 3)):", "if {v} == {w}:", "if user.age > 1:", "for {v} in range(2):",
            "if {v}:", "try:", "for {v} in user.bag:", "for {v} in draw.permutation((1, 2)):",
            "while len(kept) < 2 and not kept.append({v}) and draw.flip():",
            "if isinstance({v}, tuple):"]  # fmt: skip
ENDS = [
    "return frozenset(({v}, {w}))",
    "return {v}",
    "return ({v}, {w})",
    "return frozenset({{{v}, {w}}})",
    "return 0",
]
names = st.sampled_from("abc")


@st.composite
def blocks(draw, depth, yields):
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        place = {"v": draw(names), "w": draw(names)}
        kind = draw(st.integers(0, 9 if depth else 6))
        if kind < 7:
            lines.append(draw(st.sampled_from(ROWS)).format(**place))
        elif kind == 7:
            end = f"yield {place['v']}" if yields else draw(st.sampled_from(ENDS)).format(**place)
            lines.append(end)
        else:
            head = draw(st.sampled_from(BRANCHES)).format(**place)
            inner = ["    " + line for line in draw(blocks(depth - 1, yields))]
            lines += [head, *inner, *(["except Exception:", "    c = 'failed'"] if head == "try:" else [])]
    return lines


@st.composite
def programs(draw):
    """Draw the source of a function with choices, loops, early returns or yields."""
    yields = draw(st.booleans())
    body = ["a, b, c, kept = 0, 1, 'x', []", *draw(blocks(2, yields))]
    place = {"v": draw(names), "w": draw(names)}
    body += [f"yield {place['v']}"] if yields else [draw(st.sampled_from(ENDS)).format(**place)]
    return "\n    ".join(["def program(user, draw):", *body])


def is_none(value):
    return value is None


class Kept:
    def __init__(self, value):
        self.kept = value


def made(source):
    names = {"Fraction": Fraction, "Prior": Prior, "is_none": is_none, "Kept": Kept, "copy": copy}
    exec(source, names)  # noqa: S102 - our own program
    return names["program"]


def people(records):
    return {f"user {k}": {"age": age, "bag": bag} for k, (age, bag) in enumerate(records)}


def plain_rows(function, secrets):
    """Return the rows of a plain enumeration, or None if some path of some secret ends with an error."""
    rows = {}
    try:
        for record in secrets.values():
            if tuple(record.values()) not in rows:
                rows[tuple(record.values())] = naive_row(function, SimpleNamespace(**record), most=150)
    except TooManyPaths:
        reject()
    except Exception:
        return None
    return {label: rows[tuple(record.values())] for label, record in secrets.items()}


def expect_rows(C, rows):
    """Compare a channel with the plain enumeration, entry by entry."""
    for label, row in rows.items():
        assert {y: C[label, y] for y in C.outputs if C[label, y]} == {y: p for y, p in row.items() if p}
    assert set(C.outputs) == {y for row in rows.values() for y in row}


@settings(max_examples=int(os.environ.get("QUIFF_FUZZ", 400)), deadline=None)
@given(
    programs(),
    st.lists(st.tuples(st.integers(0, 2), st.sampled_from([(1, 2), (2, 3, 1), ("x",), (1, "y")])), min_size=1,
             max_size=9),
)  # fmt: skip
def test_random_programs_are_enumerated_exactly(source, records):
    function, secrets = made(source), people(records)
    rows = plain_rows(function, secrets)
    for sealing in (True, False):
        if rows is None:
            with pytest.raises(QuiffError, match=r"fails in line \d+ after the choices .*Error: "):
                program_channel(function, secrets, sealing=sealing)
        else:
            C = program_channel(function, secrets, sealing=sealing)
            assert C.exact
            expect_rows(C, rows)


TOPICS = tuple(range(12))


def coin_first(topics, draw, noise=Fraction(1, 20)):
    if draw.flip(noise):
        return draw.uniform(TOPICS)
    return draw.uniform(topics)


def as_the_paper(topics, draw, noise=Fraction(1, 20)):
    topic = draw.uniform(topics)
    if draw.flip(noise):
        topic = draw.uniform(TOPICS)
    return topic


def looks_at_the_set(topics, draw, noise=Fraction(1, 20)):
    topic = draw.uniform(list(topics))
    if draw.flip(noise):
        topic = draw.uniform(TOPICS)
    return topic


def sets_of(n, seed=0, width=12):
    rng = np.random.default_rng(seed)
    return {f"user {k}": tuple(sorted(rng.permutation(width)[:3].tolist())) for k in range(n)}


def built_in(sets, noise=Fraction(1, 20)):
    m = len(TOPICS)
    return Channel.membership(sets, TOPICS, (1 - noise) / 3 + noise / m, noise / m)


@pytest.mark.parametrize("function", [coin_first, as_the_paper, looks_at_the_set])
def test_topics_has_the_kernel_of_the_built_in_channel(function):
    sets = sets_of(300)
    C, D = program_channel(function, sets), built_in(sets)
    assert (C.to_numpy() == D.to_numpy()).all()
    assert list(C.outputs) == list(D.outputs)
    assert C.kernel.background.strides == D.kernel.background.strides == (0,)  # one number, many times
    assert C.kernel.entries.values.strides == (0,)
    assert C.kernel.entries.columns.shape == D.kernel.entries.columns.shape


@pytest.mark.parametrize("function", [coin_first, as_the_paper])
@pytest.mark.parametrize("n", [5, 2_000])
def test_topics_takes_few_runs_however_many_users_there_are(function, n):
    distinct, _, _ = Secrets.given(sets_of(n))
    assert enumerated(Program(function, {}), distinct).runs <= 50


@pytest.mark.parametrize("function", [coin_first, as_the_paper, looks_at_the_set])
def test_without_late_branching_the_channel_is_the_same(function):
    sets = sets_of(20)
    C, D = program_channel(function, sets), program_channel(function, sets, sealing=False)
    assert (C.to_numpy() == D.to_numpy()).all()
    assert list(C.outputs) == list(D.outputs)


def test_float_probabilities_make_float_channels():
    sets = sets_of(10)
    C = program_channel(coin_first, sets, noise=0.05)
    assert not C.exact
    assert C.to_numpy() == pytest.approx(built_in(sets).to_numpy().astype(float), abs=1e-15)


def test_a_branch_on_one_attribute_is_shared_by_all_who_agree_on_it():
    calls = []

    def program(user, draw):
        calls.append(1)
        return draw.uniform(TOPICS) if user.country == "AT" else "none"

    secrets = {k: {"country": "AT" if k % 3 else "BR", "age": k} for k in range(600)}
    C = program_channel(program, secrets)
    assert C[0, "none"] == 1
    assert C[1, 5] == Fraction(1, 12)
    assert C[0, 5] == 0
    assert len(calls) <= 50


def test_rows_that_differ_from_the_usual_ones_keep_exact_zeros():
    def program(user, draw):
        if user.age == 7:
            return "child"
        return draw.uniform(TOPICS) if draw.flip(0.3) else user.age

    C = program_channel(program, {k: {"age": 7 if k == 0 else 20 + k} for k in range(9)})
    assert [C[0, t] for t in TOPICS] == [0.0] * 12
    assert C[0, "child"] == 1
    assert C[3, 4] == pytest.approx(0.3 / 12)


def test_two_weeks_are_two_yields():
    sets = {"Ann": (0, 1), "Bob": (2, 3), "Eve": (0, 1)}

    def one(topics, draw):
        return draw.uniform(range(5)) if draw.flip(Fraction(1, 20)) else draw.uniform(topics)

    def two(topics, draw):
        for _ in range(2):
            yield one(topics, draw)

    prior = Prior.uniform(sets)
    assert leakage(prior, program_channel(one, sets)) == Fraction(39, 20)
    C, D = program_channel(two, sets), repeat(program_channel(one, sets), 2)
    assert leakage(prior, C) == leakage(prior, D) == Fraction(3919, 2000)
    assert all(C[x, y] == D[x, y] for x in sets for y in C.outputs)


def test_a_biased_host_leaks_no_more():
    from quiff.testing.classics import monty_hall

    for left in (Fraction(0), Fraction(1, 5), Fraction(1)):
        assert bayes_capacity(program_channel(monty_hall, [0, 1, 2], left=left)) == 2


def test_coins_that_meet_again_are_folded():
    def heads(secret, draw):
        return draw.fold(lambda count, coin: count + draw.flip(Fraction(coin, 7)), [2, 3] * 30, secret)

    C = program_channel(heads, [0, 1])
    few = naive_row(lambda secret, draw: sum(draw.flip(Fraction(c, 7)) for c in [2, 3] * 3), None)
    small = program_channel(
        lambda secret, draw: draw.fold(lambda n, c: n + draw.flip(Fraction(c, 7)), [2, 3] * 3, 0), [None]
    )
    assert {y: small[None, y] for y in small.outputs} == few
    assert C[1, 1] == Fraction(5, 7) ** 30 * Fraction(4, 7) ** 30
    assert sum(y * C[0, y] for y in C.outputs) == 30 * Fraction(5, 7)


def test_equal_secrets_are_enumerated_once():
    calls = []

    def program(secret, draw):
        calls.append(secret)
        return secret * 2

    program_channel(program, dict.fromkeys(range(500), 3))
    assert len(calls) <= 10


def test_states_that_python_holds_for_equal_stay_apart():
    def shown(secret, draw):
        return str(draw.fold(lambda _, item: draw.uniform(item), [secret], 0))

    secrets = {"tuples": ((True,), (1,)), "sets": (frozenset({1.0}), frozenset({1})), "zeros": (0.0, -0.0)}
    C = program_channel(shown, secrets)
    for name, values in secrets.items():
        assert {y: C[name, y] for y in C.outputs if C[name, y]} == dict.fromkeys(
            map(str, values), Fraction(1, 2)
        )


def test_secrets_that_python_holds_for_equal_stay_apart():
    secrets = {"a": (0.0,), "b": (-0.0,), "c": frozenset({1}), "d": frozenset({True}), "e": 1, "f": True}
    C = program_channel(lambda secret, draw: str(secret), secrets)
    assert all(C[name, str(value)] == 1 for name, value in secrets.items())


def test_a_draw_of_some_users_has_no_outputs_of_the_others():
    def program(user, draw):
        return draw.uniform(user.bag) if user.age > 1 else "young"

    C = program_channel(program, people([(0, (1, 2)), (2, (7, 8))]))
    assert set(C.outputs) == {"young", 7, 8}
