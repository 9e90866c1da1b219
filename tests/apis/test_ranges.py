"""Every parameter of every API: what is in its declared range works, what is not is told, with the source."""

from contextlib import suppress
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiff import Population
from quiff.apis.base import all_limits, parameters_of
from quiff.apis.registry import api_from, apis
from quiff.errors import ParameterError, SizeError
from words import refused

PEOPLE = Population.synthetic(40, seed=1, n_topics=8, top_s=2, attributes=["history", "conversions"])
OWN_RANGES = {"topics", "fitted"}  # their ranges are those of probabilities and sizes, and no document's
NAMES = [name for name in apis() if name != "fitted"]  # which has no default, and whose weights are a table
OPEN = 10_000


def declared(name):
    """The parameters of an API with their range in words, and their control on the page."""
    for each in parameters_of(apis()[name]):
        allowed = each.metadata["range"]
        if not str(allowed).startswith("a file"):
            yield each, str(allowed), allowed.control(each.default)


PARAMETERS = [(name, *each) for name in NAMES for each in declared(name)]
WINDOWS = st.one_of(
    st.integers(1, 5),
    st.lists(st.integers(1, 30), min_size=1, max_size=5, unique=True).map(
        lambda ends: " ".join(map(str, sorted(ends)))
    ),
)
FLEXIBLE = st.lists(st.tuples(st.integers(1, 5), st.integers(0, 3)), min_size=1, max_size=4).map(
    lambda pairs: " ".join(f"{w}x{c}" for w, c in pairs)
)


def in_range(field, allowed, control):
    """Draw values of a parameter from its declared range."""
    if control.kind == "words":
        drawn = WINDOWS if field.name == "windows" else FLEXIBLE
    elif control.kind == "switch":
        drawn = st.booleans()
    elif control.kind == "choice":
        drawn = st.sampled_from(control.names)
    elif control.kind == "whole":
        most = control.most if isinstance(control.most, int | float) else 7 if control.most else OPEN
        drawn = st.integers(int(control.least), int(most))
        drawn = drawn | st.sampled_from(control.names) if control.names else drawn
    else:
        most = OPEN if control.most is None else control.most
        near = 2e-6  # to an end that does not belong to the range nothing is computed
        low = control.least + near * control.above
        high = most - near * ("below" in allowed)
        halves = st.fractions(int(control.least), int(most), max_denominator=999)
        drawn = st.floats(low, high) | halves.filter(lambda x: low <= x <= high)
    return drawn if field.default is not None else st.none() | drawn


def settings_of(name):
    """Draw an API with some of its parameters."""
    ranges = {field.name: in_range(field, allowed, control) for field, allowed, control in declared(name)}
    return st.fixed_dictionaries({}, optional=ranges)


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_has_a_declared_range(name):
    assert all(allowed and control is not None for _, allowed, control in declared(name))


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=25)
@given(st.data())
def test_values_in_range_never_crash(name, data):
    values = data.draw(settings_of(name))
    try:
        api = apis()[name](**values)
    except ParameterError as error:
        if any(word in str(error) for word in ("top_s", "flexible", "states")):
            return  # two parameters that do not go together, which the message says
        raise
    assert api_from(api.spec).spec == api.spec
    for limit in () if values.get("n_topics") == "occurring" else all_limits(api):
        assert not isnan(float(min(limit.value, 10**300)))
        if limit.quantity in ("bayes_capacity", "max_case_capacity"):
            assert limit.value >= 1 - 1e-9
    assert all(isinstance(text, str) for text in api.remarks())
    with suppress(SizeError, ParameterError):  # told, as where sets are of another size
        ready = api.fit(PEOPLE)
        secret = ready.secret(PEOPLE)
        seen = ready.observe(secret.outputs)
        rows = np.arange(secret.outputs.size)
        drawn = seen.kernel.sample(rows, np.random.default_rng(0))
        assert (seen.kernel.cells(rows, drawn) >= 0).all()
        ready.goals(secret.outputs)


@pytest.mark.parametrize(
    ("name", "field", "allowed", "control"),
    PARAMETERS,
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_out_of_range_says_the_range_and_its_source(name, field, allowed, control):
    api = apis()[name]
    wrong = [[], object(), nan, -1, -0.5, "no such value"]
    if control.kind in ("whole", "decimal") and isinstance(control.most, float):
        wrong += [control.most + 1, -control.most - 1]
    wrong += [control.least] if control.above else []
    wrong += [control.most] if "below" in allowed else []
    wrong += [2.5] if control.kind == "whole" else []
    wrong += [] if field.default is None else [None]
    text = field.name == "attribute"
    for value in wrong:
        if text and value == "no such value":  # any name may be that of an attribute; people tell
            continue
        with pytest.raises(ParameterError) as error:
            api(**{field.name: value})
        message = str(error.value)
        assert message.startswith(field.name) or name in OWN_RANGES, message
        ends = [end for end in (control.least, control.most) if isinstance(end, float)]
        assert all(f"{end:g}" in message.replace(",", "") for end in ends) or "100000" in message, message
        assert all(word in message for word in control.names) or text or name in OWN_RANGES, message
        if name not in OWN_RANGES:
            assert message.endswith(")"), message
            document = message[message.rindex("(") + 1 : -1].partition(";")[0]
            assert document.split()[0].strip(",;") in api.source or document == "a range of the model", (
                message
            )


def test_what_people_lack_is_told():
    with refused(ParameterError):
        api_from("parakeet:attribute=shoe size").channel(PEOPLE)
