"""Results are data that layouts read: they can be kept, and no text decides on anything."""

import copy
import gc
import json
import pickle
import pkgutil
import re
import sys
import weakref
from dataclasses import replace
from fractions import Fraction
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

import quiff
import quiff.studies
from quiff import Population, TopicsAPI
from quiff.attacks.overlap import BeuginMcDaniel
from quiff.people.pairs import PairCounts
from quiff.results.layout import LAYOUTS, Pivot, Say
from quiff.results.result import Result
from quiff.studies.bounds import bounds
from quiff.studies.over_time import other_occasions
from quiff.studies.pairs import measure_pairs

EVENTS = {
    "events": [
        {"event": "saveImpression", "seconds": 1, "site": "news.example", "options": {"histogramIndex": 0}},
    ]
}


@quiff.program
def bits(secret, draw):
    """Yield two bits of a number, the second one noisy."""
    yield secret & 1
    yield (secret >> 1 & 1) ^ int(draw.flip(Fraction(1, 8)))


def of_reports(people):
    reports = quiff.simulate(people, TopicsAPI(), epochs=4, seed=1)
    return quiff.reidentify(reports, BeuginMcDaniel(), population=people, api=TopicsAPI())


def of_pairs(people):
    together = np.kron(np.diag([2, 1]), np.ones((2, 2), dtype=int))
    _, api = quiff.worked_example()
    return measure_pairs(PairCounts(3, 2, 1, 2, quiff.worked_example()[0].occurring, together), api)


def of_log(people):
    rows = [("yes", "yes")] * 60 + [("yes", "no")] * 20 + [("no", "no")] * 55 + [("no", "yes")] * 15
    log = pd.DataFrame(rows, columns=["secret", "observation"])
    return quiff.audit(log, other=log.iloc[::2], rules=("frequentist", "nearest"), epsilon=0.5, width=0.1)


def of_events(people):
    from quiff.studies.attribution import play_events

    return play_events(PLAYED[0], seed=1)


PLAYED = []  # the file of events
STUDIES = {
    "measure": lambda people: quiff.measure(people, quiff.Cookies(), TopicsAPI()),
    "user_risk": lambda people: quiff.user_risk(people, TopicsAPI(), TopicsAPI(noise=0.2)),
    "over_time": lambda people: quiff.over_time(people, TopicsAPI(), 3, utility=True),
    "changing_interests": lambda people: quiff.changing_interests(people, TopicsAPI(), 2, stability=0.9),
    "stability": lambda people: quiff.stability(quiff.drift(people, 3, 0.1, 1)),
    "other_occasions": lambda people: other_occasions(people, TopicsAPI()),
    "compare": lambda people: quiff.compare(
        people, quiff.Cookies(), TopicsAPI(), quiff.api_from("event_level"), quiff.api_from("floc")
    ),
    "popularity": lambda people: quiff.popularity(people, TopicsAPI(), simulations=5),
    "estimate_popularity": lambda _: quiff.estimate_popularity({1: 70, 2: 40}, TopicsAPI(), 120),
    "attack": lambda people: quiff.attack(people, observations=5, seeds=1, sample=10),
    "reidentify": of_reports,
    "browser_rules": lambda people: quiff.browser_rules(people, TopicsAPI(), samples=50, seed=1),
    "attribute_inference": lambda people: quiff.attribute_inference(people, TopicsAPI(), value=1),
    "exposure": lambda people: quiff.exposure(people, TopicsAPI()),
    "bounds": lambda _: bounds(TopicsAPI(), TopicsAPI(noise=0.2)),
    "closed_forms": lambda _: quiff.closed_forms(TopicsAPI(), TopicsAPI(noise=0.2)),
    "meet_budget": lambda _: quiff.meet_budget(TopicsAPI(), "capacity", 50),
    "fit_design": lambda people: quiff.fit_design(people, 0.9),
    "explain_epsilon": lambda _: quiff.explain_epsilon(1.5, TopicsAPI()),
    "attribution_leakage": lambda _: quiff.attribution_leakage(1, buckets=3, others=2, weeks=[1, 2]),
    "check_budgets": lambda _: quiff.check_budgets(2, rules="unset-global"),
    "play_events": of_events,
    "audit": of_log,
    "card": lambda people: quiff.card(people, columns=["topics"], fake=0.1, sizes=[10, 100]),
    "knowledge": lambda _: quiff.knowledge(quiff.Prior.uniform(range(4)), bits),
    "measure_pairs": of_pairs,
}
# What writes numbers and names as text, wherever a layout calls it.
WRITERS = (
    "amount", "before", "capitalised", "counted_observations", "described", "goal_title", "many",
    "probability", "rounded", "said", "shown", "users", "value_words", "visits",
)  # fmt: skip


@pytest.fixture(autouse=True)
def events(tmp_path):
    path = tmp_path / "events.json"
    path.write_text(json.dumps(EVENTS))
    PLAYED[:] = [path]


def made(name):
    return STUDIES[name](Population.synthetic(60, seed=1))


def shown(result):
    """Return all that people see of a result, as text."""
    tables = {name: table.to_text() for name, table in result.tables.items()}  # fractions are floats in JSON
    return str(result), tables, {name: draw().title for name, draw in result.figures.items()}


def test_every_study_is_tried_here():
    for module in pkgutil.iter_modules(quiff.studies.__path__):
        import_module(f"quiff.studies.{module.name}")
    registered = {key for key in LAYOUTS if key}
    assert {key.partition(":")[2] for key in registered} == set(STUDIES)


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
    assert len(result.tables)


def other_text(text):
    """Return another text with the same words of the result in braces; what a function returns, backwards."""
    if callable(text):
        return lambda result: made_other(text(result))
    return "".join(
        part if part.startswith("{") else part[::-1].upper() for part in re.split(r"({[^}]*})", text)
    )


def listed(answer):
    """Return sentences, of which a function may return one alone, or none."""
    return list(filter(None, [answer] if isinstance(answer, str) else answer or ()))


def made_other(answer):
    """Return what a function made with other text: sentences, notes, or a title."""
    if answer is None or isinstance(answer, str):
        answer = answer or ""
        return answer[::-1].upper()
    return [made_other(part) for part in answer]


def other_sentences(say):
    if isinstance(say, Say):
        return replace(say, template=other_text(say.template))
    return lambda result: made_other(say(result))


def other_table(table):
    if isinstance(table, Pivot):
        return replace(table, title=other_text(table.title), notes=tuple(map(other_text, table.notes)))
    return table


def numbers(cells):
    """Return the numbers of cells; text may be another one."""
    return [cell for cell in cells if isinstance(cell, int | float | Fraction)]


def chosen(result):
    """Return how many sentences there are by key, and the numbers of tables and figures in their order."""
    layout, parts = result.layout, {}
    for key, say in {**layout.say, **layout.further}.items():
        parts[key] = len(listed(say(result)))
    tables = [(name, [numbers(row) for row in table.rows]) for name, table in result.tables.items()]
    figures = [(name, list(drawn(draw().spec))) for name, draw in result.figures.items()]
    return parts, tables, figures


def drawn(spec):
    """Yield the numbers of the data of a figure; where labels stand may depend on how long they are."""
    if isinstance(spec, dict):
        if isinstance(spec.get("values"), list) and all(isinstance(entry, dict) for entry in spec["values"]):
            yield from (numbers(entry.values()) for entry in spec["values"])
        for part in spec.values():
            yield from drawn(part)
    elif isinstance(spec, list):
        for part in spec:
            yield from drawn(part)


@pytest.mark.parametrize("name", STUDIES)
def test_no_text_decides_on_order_or_selection(name, monkeypatch):
    """Every sentence and title is another text before it is filled, and so is every number and name in it."""
    result = made(name)
    expected, title = chosen(result), result.title
    layout = LAYOUTS[result.study]
    other = replace(
        layout,
        title=other_text(layout.title),
        heading=other_text(layout.heading),
        say={key: other_sentences(say) for key, say in layout.say.items()},
        further={key: other_sentences(say) for key, say in layout.further.items()},
        tables={key: other_table(table) for key, table in layout.tables.items()},
        charts={key: replace(chart, title=other_text(chart.title)) for key, chart in layout.charts.items()},
    )
    monkeypatch.setitem(LAYOUTS, result.study, other)
    for module in [module for key, module in sys.modules.items() if key.startswith("quiff.studies.")]:
        for writer in WRITERS:
            write = getattr(module, writer, None)
            if write is not None:
                monkeypatch.setattr(module, writer, lambda *args, write=write: f"z{write(*args)[::-1]}")
    renamed = {spec: replace(api, title=f"z{api.title[::-1]}") for spec, api in result.apis.items()}
    result = replace(result, apis=renamed)
    assert result.title != title
    assert chosen(result) == expected


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
    assert result.tables
    assert not result.figures  # only what the registry has is drawn
    assert not ran.exists()


def test_texts_of_a_saved_result_are_no_templates():
    people, api = quiff.worked_example()
    text = quiff.over_time(people, api, 1).to_json()
    whole = json.loads(text)
    title = "{leakage:>999999999}{posterior.__class__}"
    whole["study"]["apis"][api.spec]["title"] = title
    result = Result.from_json(json.dumps(whole))
    assert result.sentences[0].startswith(f"{title}: 1 observation multiplies")


def test_a_text_that_is_nested_too_deep_is_refused():
    with pytest.raises(quiff.ParameterError):
        Result.from_json("[" * 100_000 + "]" * 100_000)


def test_a_file_that_is_too_large_is_refused(tmp_path, monkeypatch):
    path = quiff.explain_epsilon(1.0).save(tmp_path / "result.json")
    monkeypatch.setattr("quiff.io.blocks.SMALL", 100)
    with pytest.raises(quiff.ParameterError):
        Result.load(path)


def test_closed_forms_of_an_own_api_are_shown():
    """Some closed forms of the own kind; figures are those of the registry alone."""

    class Own(TopicsAPI):
        name = "own"

        def closed_forms(self, **scenario):
            forms = super().closed_forms(**scenario)
            values = {"bayes_capacity": forms.values["bayes_capacity"], "epsilon": forms.values["epsilon"]}
            return replace(forms, values=values, titles={"n_topics": "topics"})

    result = quiff.closed_forms(Own(noise=0.2))
    assert list(result.figures) == []
    assert result.tables["parameters"].rows == (("topics", 349),)
    assert {"cookies", "stages"} & set(result.tables) <= {"stages"}
    assert str(Result.from_json(result.to_json())) == str(result)


def test_what_is_infinite_comes_back():
    result = quiff.explain_epsilon(float("inf"))
    other = Result.from_json(result.to_json())
    assert other.words["epsilon"] == float("inf")
    assert other.sentences == result.sentences


@pytest.mark.parametrize("name", STUDIES)
def test_every_quantity_of_a_result_is_explained(name):
    result = made(name)
    paragraphs = result.explained().split("\n\n") if len(result.every_row) else []
    assert len(paragraphs) == len(result.every_row.values("quantity"))


def test_without_a_figure_it_is_said_why():
    with pytest.raises(quiff.ParameterError) as error:
        quiff.compare(quiff.Cookies()).figure()
    (chart,) = LAYOUTS["compare:compare"].charts.values()
    assert str(error.value).endswith(chart.without)
