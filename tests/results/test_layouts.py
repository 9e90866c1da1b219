"""Results are data that layouts read: they can be kept, and no text decides on anything."""

import copy
import gc
import json
import pickle
import weakref
from dataclasses import replace

import pytest

import quiff
from quiff import Population, TopicsAPI
from quiff.results.layout import LAYOUTS, Pivot
from quiff.results.result import Result

STUDIES = {
    "measure": lambda people: quiff.measure(people, quiff.Cookies(), TopicsAPI()),
    "user_risk": lambda people: quiff.user_risk(people, TopicsAPI()),
    "over_time": lambda people: quiff.over_time(people, TopicsAPI(), 3, utility=True),
    "compare": lambda people: quiff.compare(people, quiff.Cookies(), TopicsAPI()),
    "popularity": lambda people: quiff.popularity(people, TopicsAPI(), simulations=5),
    "attack": lambda people: quiff.attack(people, observations=5, seeds=1, sample=10),
    "attribute_inference": lambda people: quiff.attribute_inference(people, TopicsAPI(), value=1),
}


def made(name):
    return STUDIES[name](Population.synthetic(60, seed=1))


def shown(result):
    """Return all that people see of a result, as text."""
    tables = {name: table.to_text() for name, table in result.tables.items()}  # fractions are floats in JSON
    return str(result), tables, {name: draw().title for name, draw in result.figures.items()}


@pytest.mark.parametrize("name", STUDIES)
def test_a_result_that_was_kept_shows_the_same(name, tmp_path):
    result = made(name)
    kept = {
        "pickle": pickle.loads(pickle.dumps(result)),  # noqa: S301 - our own
        "copy": copy.deepcopy(result),
        "json": Result.from_json(result.to_json()),
        "file": Result.load(result.save(tmp_path / "result.json")),
    }
    expected = shown(result)
    for way, other in kept.items():
        assert shown(other) == expected, way


@pytest.mark.parametrize("name", STUDIES)
def test_a_result_keeps_no_people_alive(name):
    people = Population.synthetic(60, seed=1)
    there = weakref.ref(people)
    result = STUDIES[name](people)
    del people
    gc.collect()
    assert there() is None
    assert result.sentences


def backwards(make):
    """Return a function whose sentences are written backwards."""
    return lambda result: (sentence[::-1] for sentence in make(result))


def other_title(table):
    return replace(table, title="?") if isinstance(table, Pivot) else table


@pytest.mark.parametrize("name", STUDIES)
def test_no_text_decides_on_order_or_selection(name, monkeypatch):
    result = made(name)
    sentences, further = result.sentences, result.further
    tables = {key: (len(table.columns), table.rows) for key, table in result.tables.items()}
    figures = list(result.figures)
    layout = LAYOUTS[result.study]
    other = replace(
        layout,
        title="?",
        say={key: backwards(say) for key, say in layout.say.items()},
        further={key: backwards(say) for key, say in layout.further.items()},
        tables={key: other_title(table) for key, table in layout.tables.items()},
    )
    monkeypatch.setitem(LAYOUTS, result.study, other)
    assert result.title == "?"
    assert [sentence[::-1] for sentence in result.sentences] == list(sentences)
    assert [sentence[::-1] for sentence in result.further] == list(further)
    assert {key: (len(table.columns), table.rows) for key, table in result.tables.items()} == tables
    assert list(result.figures) == figures


def test_a_table_that_is_cut_keeps_its_last_rows():
    people = Population.from_sets({"u": {0, 1}, "v": {1, 2}, "w": {2, 3}}, topics=range(5))
    found = quiff.over_time(people, TopicsAPI(5, 2, 0.2), 52)
    table = found.tables["over_time"]
    cut = table.head(25)
    place = table.columns.index("observations")
    assert len(cut.rows) == 25
    assert cut.rows[-1] == table.rows[-1]
    assert cut.rows[-1][place] == 52
    assert "27 rows before the last" in cut.notes[0]
    assert "--all shows them" in " ".join(found.to_text(everything=False).split())


def test_nothing_that_a_saved_result_names_is_run(tmp_path):
    ran = tmp_path / "ran"
    (tmp_path / "own.py").write_text(f"open({str(ran)!r}, 'w').close()")
    spec = f"{tmp_path / 'own.py'}:Own"
    text = quiff.meet_budget(TopicsAPI(), "capacity", 50).to_json().replace('"topics": {', f'"{spec}": {{')
    result = Result.from_json(text)
    assert list(result.apis) == [spec]
    assert result.figure().title.startswith("Privacy against utility: 349 topics")
    assert not ran.exists()


def test_texts_of_a_saved_result_are_no_templates():
    people, api = quiff.worked_example()
    text = quiff.over_time(people, api, 1).to_json()
    whole = json.loads(text)
    whole["study"]["words"]["occasions"] = {"call": "{leakage:>999999999}{posterior.__class__} {leakage}"}
    result = Result.from_json(json.dumps(whole))
    assert "{leakage:>999999999}{posterior.__class__} 1.97" in result.sentences


def test_a_text_that_is_nested_too_deep_is_refused():
    with pytest.raises(quiff.ParameterError):
        Result.from_json("[" * 100_000 + "]" * 100_000)
