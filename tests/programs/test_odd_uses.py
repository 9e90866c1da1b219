"""Odd things that a program may do with a value that is sealed: the channel is that of plain enumeration."""

import collections
import dataclasses
import functools
import operator
import pickle
from fractions import Fraction
from importlib import import_module

import pytest

from naive_programs import naive_row, program_channel
from quiff.programs.engine import enumerated
from quiff.programs.function import Program
from quiff.programs.inputs import Secrets

NUMBERS, TEXTS = (1, 2, 3), ("a", "bb", "ccc")
SECRETS = [1, 2, 3]
MODULES = [
    "bisect",
    "collections",
    "copy",
    "decimal",
    "heapq",
    "json",
    "math",
    "operator",
    "pickle",
    "re",
    "string",
]
NAMES = {name: import_module(name) for name in MODULES} | {"np": import_module("numpy")}
NAMES |= {"NUMBERS": NUMBERS, "TEXTS": TEXTS}
EXPRESSIONS = [
    "json.dumps(draw.uniform(NUMBERS))",
    'json.dumps({"x":[draw.uniform(NUMBERS)]})',
    "len(pickle.dumps([draw.uniform(TEXTS)]))",
    'bool(re.match("a", draw.uniform(TEXTS)))',
    '"-".join([draw.uniform(TEXTS),draw.uniform(TEXTS)])',
    'f"{draw.uniform(NUMBERS):03d}"',
    '"%secret" % draw.uniform(NUMBERS)',
    '"%d" % draw.uniform(NUMBERS)',
    "int(np.array([draw.uniform(NUMBERS)]).sum())",
    "int(np.add(draw.uniform(NUMBERS),1))",
    "copy.deepcopy(draw.uniform(NUMBERS))",
    "tuple(copy.deepcopy([draw.uniform(NUMBERS)]))",
    "frozenset({draw.uniform(NUMBERS)})",
    '{1:"x"}.get(draw.uniform(NUMBERS),"y")',
    "type(draw.uniform(NUMBERS)).__name__",
    "type(draw.uniform(NUMBERS)) in (int,)",
    "{int:1}.get(type(draw.uniform(NUMBERS)),2)",
    "callable(draw.uniform(NUMBERS))",
    'hasattr(draw.uniform(NUMBERS),"source")',
    "isinstance(draw.uniform(NUMBERS),(int,str))",
    "math.floor(draw.uniform(NUMBERS))",
    "str(decimal.Decimal(draw.uniform(NUMBERS)))",
    "sum([draw.uniform(NUMBERS),draw.uniform(NUMBERS)])",
    "max(draw.uniform(NUMBERS),draw.uniform(NUMBERS))",
    "max([draw.uniform(NUMBERS)])",
    "tuple(sorted([draw.uniform(NUMBERS)]))",
    "tuple(sorted([draw.uniform(NUMBERS),draw.uniform(NUMBERS)]))",
    "tuple(reversed((draw.uniform(NUMBERS),draw.uniform(TEXTS))))",
    "(draw.uniform(NUMBERS),draw.uniform(TEXTS))[1:]",
    "(*[draw.uniform(NUMBERS)],)",
    "len(range(draw.uniform(NUMBERS)))",
    '"abcd"[draw.uniform(NUMBERS)]',
    '"ab"*draw.uniform(NUMBERS)',
    "(1,)*draw.uniform(NUMBERS)",
    "(draw.uniform(NUMBERS),)*3",
    "(draw.uniform(NUMBERS),1)==(2,1)",
    "(lambda t: t==t)((draw.uniform(NUMBERS),1))",
    "tuple(collections.Counter([draw.uniform(NUMBERS)]).items())",
    "draw.uniform(NUMBERS) and 5",
    "draw.uniform(NUMBERS) or 5",
    "not draw.uniform(NUMBERS)",
    "1 if draw.uniform((0,1)) else 2",
    "1 if draw.uniform(NUMBERS) is None else 2",
    "draw.uniform([None,1])",
    '"{}".format(draw.uniform(NUMBERS))',
    'string.Template("$x").substitute(x=draw.uniform(NUMBERS))',
    "bytes([draw.uniform(NUMBERS)])",
    "bytes(bytearray(draw.uniform(NUMBERS)))",
    'int(draw.uniform(("1","2")))',
    "float(draw.uniform(NUMBERS))",
    "divmod(7,draw.uniform(NUMBERS))",
    "pow(2,draw.uniform(NUMBERS),5)",
    "round(draw.uniform((1.5,2.5)))",
    "repr(draw.uniform(NUMBERS))",
    "secret in (1,2)",
    "draw.uniform((secret,secret+1))",
    'draw.uniform((secret,"x"))',
    'draw.weighted({secret:1,"other":2})',
    "draw.uniform(range(1,secret+1))",
    "draw.sample((secret,7,8),2)",
    "sum(draw.sample((1,2,3,4),2))",
    "draw.permutation((1,2,3))[0]",
    "len(list(filter(None,[draw.uniform((0,1))])))",
    "any([draw.uniform((0,1))])",
    "tuple(zip([draw.uniform(NUMBERS)],[1]))",
    "tuple(enumerate([draw.uniform(NUMBERS)]))",
    "len({draw.uniform(NUMBERS),draw.uniform(NUMBERS)})",
    "draw.fold(lambda a,i: a+draw.uniform((0,secret)), range(3), 0)",
    "bisect.bisect([1,2],draw.uniform(NUMBERS))",
    "heapq.nsmallest(1,[draw.uniform(NUMBERS),draw.uniform(NUMBERS)])[0]",
    "draw.uniform(NUMBERS)^1",
    "frozenset((draw.uniform(NUMBERS), draw.uniform(NUMBERS)))",
    "frozenset(draw.uniform(NUMBERS) for _ in range(3))",
    "(frozenset((draw.uniform(NUMBERS), secret)), secret)",
    "len(frozenset((draw.uniform(NUMBERS), draw.uniform(NUMBERS))))",
    "frozenset((frozenset((draw.uniform(NUMBERS), 2)), frozenset((2,)), draw.uniform(TEXTS)))",
    "frozenset((draw.uniform(NUMBERS), True))",
    "frozenset((True, draw.uniform(NUMBERS)))",
    "frozenset((draw.uniform(NUMBERS), 2)) | frozenset((1, draw.uniform(NUMBERS)))",
    "frozenset((draw.uniform(NUMBERS), 2)) == frozenset((1, draw.uniform(NUMBERS)))",
    "draw.uniform(frozenset((draw.uniform(NUMBERS), draw.uniform(NUMBERS))))",
    "draw.sample(frozenset((draw.uniform(NUMBERS), 7)), 1)",
    "draw.uniform((frozenset((draw.uniform(NUMBERS),)), frozenset((9,))))",
    "isinstance(frozenset((draw.uniform(NUMBERS),)), frozenset)",
    "type(frozenset((draw.uniform(NUMBERS),))).__name__",
    "sorted(frozenset((draw.uniform(NUMBERS), 2)))[0]",
    "tuple(map(frozenset, ((draw.uniform(NUMBERS),), (1,))))",
    "frozenset(draw.uniform(TEXTS))",
    "frozenset()",
    "frozenset(iterable) if (iterable := (draw.uniform(NUMBERS), secret)) else 0",
    "{frozenset((draw.uniform(NUMBERS), 2)): 5}.get(frozenset((1, 2)), 6)",
    "globals()['NUMBERS'][0] + len(frozenset((draw.uniform(NUMBERS), 2)))",
    "(lambda v: operator.itemgetter(0)(v))(draw.uniform(((1,2),(3,4))))",
]


@dataclasses.dataclass(frozen=True)
class Box:
    held: object


Pair = collections.namedtuple("Pair", "first second")


@functools.cache
def doubled(value):
    return value * 2


def is_same(one, other):
    return one is other


def boxed(secret, draw):
    return Box(draw.uniform(NUMBERS)), Pair(draw.uniform(TEXTS), 1)


def cached(secret, draw):
    return doubled(draw.uniform(NUMBERS))


def identity_in_a_helper(secret, draw):
    return is_same(draw.uniform(NUMBERS), 1)


def identity_in_a_library(secret, draw):
    return operator.is_(draw.uniform(NUMBERS), 2)


MANY = tuple(range(1_000, 1_300))


class Known:
    kept = MANY[150]

    def has(self, value):
        return value is self.kept

    @property
    def sees(self):
        return lambda value: value is self.kept


known = Known()


def identity_in_a_class(secret, draw):
    return Known().has(draw.uniform(MANY))


def identity_in_an_object(secret, draw):
    return known.sees(draw.uniform(MANY))


def pickled(secret, draw):
    return pickle.dumps(draw.uniform(NUMBERS))


def matches_a_sequence(secret, draw):
    match draw.uniform(((1, 2), (3,))):
        case (a, b):
            return a, b
        case (a,):
            return a


def matches_a_class(secret, draw):
    match draw.uniform(NUMBERS):
        case 1:
            return "one"
        case int():
            return "whole"


def handles_type_errors(secret, draw):
    text = draw.uniform(TEXTS)
    try:
        return "".join([text]), str.upper(text)
    except TypeError:
        return "failed"


def handles_everything(secret, draw):
    place = draw.uniform(NUMBERS)
    try:
        return [10, 20, 30, 40][place]
    except:  # noqa: E722 - as users write it
        return "failed"


def returns_at_last(secret, draw):
    try:
        return draw.uniform(NUMBERS) + 1
    finally:
        return "at last"  # noqa: B012, SIM107 - as users write it


def sets_that_cannot_be(secret, draw):
    try:
        return frozenset((draw.uniform(NUMBERS), [1]))
    except TypeError:
        return "failed"


def sets_by_keyword(secret, draw, *, more=2):
    kinds = {frozenset}
    return frozenset((draw.uniform(NUMBERS), more)), len(kinds)


def yields(secret, draw):
    number, text = draw.uniform(NUMBERS), draw.uniform(TEXTS)
    yield text
    if number == secret:
        yield number
    yield number, text


FUNCTIONS = [
    boxed, cached, identity_in_a_helper, identity_in_a_library, identity_in_a_class,
    identity_in_an_object, pickled, matches_a_sequence, matches_a_class,
    sets_that_cannot_be, sets_by_keyword, handles_type_errors, handles_everything, returns_at_last, yields,
]  # fmt: skip


def expect_plain_rows(function):
    for sealing in (True, False):
        C = program_channel(function, SECRETS, sealing=sealing)
        for secret in SECRETS:
            row = {(type(y), y): p for y, p in naive_row(function, secret).items()}
            assert {(type(y), y): p for y, p in C.row(secret).items() if p} == row


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions(expression):
    expect_plain_rows(eval(f"lambda secret, draw: {expression}", dict(NAMES)))  # noqa: S307 - our own


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_functions(function):
    expect_plain_rows(function)


def test_sets_of_draws_are_not_looked_at():
    def pair(secret, draw):
        return frozenset((draw.uniform(MANY), draw.uniform(MANY), secret))

    rows = enumerated(Program(pair, {}), Secrets.given([1, 2])[0])
    assert rows.runs < 20
    outputs, kernel = rows.channel_parts()
    assert len(outputs) == 2 * (300 + 300 * 299 // 2)
    assert set(kernel.to_dense()[0]) == {0, Fraction(1, 300**2), Fraction(2, 300**2)}


def frozenset_of_the_module(secret, draw):
    return frozenset((draw.uniform(NUMBERS), 1))


def test_a_name_of_the_module_goes_before_the_built_in(monkeypatch):
    monkeypatch.setitem(globals(), "frozenset", tuple)
    C = program_channel(frozenset_of_the_module, SECRETS)
    assert set(C.outputs) == {(1, 1), (2, 1), (3, 1)}


def test_outputs_that_python_holds_for_equal_are_one():
    C = program_channel(lambda secret, draw: draw.uniform([True, 1, 1.0, "1"]), SECRETS)
    assert C[2, 1] == Fraction(3, 4)
    assert C.outputs.size == 2
