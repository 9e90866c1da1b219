"""Designs: the page's numbers are those of the closed forms, written out here once more."""

import csv
import io
import json
from math import comb, exp, inf, isclose, isfinite, log
from urllib.parse import urlencode

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from quiff.cli import main
from quiff.results.numbers import shown
from quiff.web.design import presets, said_difference
from quiff.web.plane import FIGURES, plane_data, plane_figure
from quiff.web.queries import Setting

noises = st.floats(0, 1).map(lambda r: round(r, 4))


@st.composite
def settings(draw):
    m = draw(st.integers(2, 10_000))
    return Setting(m, draw(st.integers(1, min(m, 100))), draw(noises))


def capacity(x):
    return x.noise + x.n_topics * (1 - x.noise) / x.top_s


def genuine(x):
    return (1 - x.noise) + x.noise * x.top_s / x.n_topics


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"topics": "v2", "top": 7, "noise": 0.1},
        {"topics": 31, "top": 3, "noise": 0.5, "users": 40, "epochs": 9},
        {"topics": "iab-1.1", "top": 1, "noise": 0},
    ],
)
def test_the_answer_is_that_of_quiff_theory(get, options):
    arguments = [text for name, value in options.items() for text in (f"--{name}", str(value))]
    told = json.loads(CliRunner().invoke(main, ["theory", "--json", *arguments]).output)
    quick, whole = (get(f"/api/{name}?{urlencode(options)}").json() for name in ("design", "counting"))
    few = [point for point in told["counting"] if point["n_users"] <= 30]
    assert quick["first"] == {**told, "counting": few}, "all but the chances to count all users"
    assert [row[1:] for row in whole["rows"]] == [
        [shown(value) for value in point.values()] for point in told["counting"]
    ]


@given(x=settings(), users=st.integers(1, 10**10), epochs=st.integers(1, 100))
def test_the_numbers_follow_the_formulas(get, x, users, epochs):
    query = {"topics": x.n_topics, "top": x.top_s, "noise": x.noise, "users": users, "epochs": epochs}
    found = get(f"/api/design?{urlencode(query)}").json()["first"]
    worst = inf if x.noise == 0 else 1 + x.n_topics * (1 - x.noise) / (x.noise * x.top_s)
    assert isclose(found["bayes_capacity"], capacity(x))
    assert isclose(float(found["max_case_capacity"]), worst)
    assert isclose(float(found["epsilon"]), log(worst) if isfinite(worst) else inf, abs_tol=1e-12)
    assert isclose(found["genuine_probability"], genuine(x))
    power = exp(min(700, epochs * log(capacity(x))))  # beyond that there are fewer users anyway
    assert isclose(found["epochs_bound"], min(users, comb(x.n_topics, x.top_s), power), rel_tol=1e-9)


@given(first=settings(), second=settings())
def test_the_figures_show_the_designs_their_frontiers_and_equal_capacity(first, second):
    data = plane_data((first, second))
    for name, x in (("first", first), ("second", second)):
        (place,) = (row for row in data["designs"] if row["design"] == name)
        assert isclose(place["capacity"], capacity(x))
        assert isclose(place["utility"], genuine(x))
        for row in (row for row in data["frontiers"] if row["design"] == name):
            # the Topics API with this utility: r = (1-u) m/(m-s)
            noise = min(1, (1 - row["utility"]) * x.n_topics / (x.n_topics - x.top_s))
            assert isclose(row["capacity"], capacity(Setting(x.n_topics, x.top_s, noise)), rel_tol=1e-6)
    for row in data["equal"]:
        assert 0 <= row["r"] <= 1
        assert isclose(capacity(Setting(row["m"], row["s"], row["r"])), capacity(first), rel_tol=1e-6)
    sizes = {row["s"] for row in data["equal"] if row["design"] == "first"}
    assert first.top_s in sizes or first.top_s == first.n_topics, "the curve goes through the design"


def test_a_second_design_is_shown_with_its_differences(get):
    answer = get("/api/design?noise=0.05&topics2=v2&top2=5&noise2=0.05").json()
    rows = {row["key"]: row for section in answer["sections"] for row in section["rows"]}
    assert rows["bayes_capacity"]["first"] == "66.36"
    assert rows["bayes_capacity"]["second"] == "89.16"
    assert rows["bayes_capacity"]["difference"] == "+22.8 (+34.4 %)"
    assert rows["iba_lower"]["difference"] == "the same"
    assert all(row["meaning"] and row["source"] and row["formula"] for row in rows.values())


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_a_difference_is_signed(first, second):
    text = said_difference(first, second)
    assert text == "the same" if first == second else text[0] == ("+" if second > first else "-")


def test_presets_are_the_topics_api_and_the_what_ifs_of_the_paper(get):
    found = presets()
    assert (found[0]["topics"], found[1]["topics"]) == ("v1", "v2")
    what_ifs = {(p["topics"], p["top"], p["noise"]) for p in found if p["topics"] == "629"}
    assert what_ifs == {("629", 5, 0.05), ("629", 5, 0.47), ("629", 6, 0.37), ("629", 7, 0.26),
                        ("629", 8, 0.15), ("629", 9, 0.05)}  # fmt: skip
    for preset in found:
        query = urlencode({name: preset[name] for name in ("topics", "top", "noise")})
        assert get(f"/api/design?{query}").status_code == 200


def test_tables_are_downloaded_as_csv(get):
    answer = get("/download/design.csv?topics2=v2")
    assert answer.headers["content-disposition"] == 'attachment; filename="quiff-design.csv"'
    assert answer.text.startswith(
        "quantity,first design,second design,difference,unit,meaning,formula,source"
    )
    rows = {row["quantity"]: row for row in csv.DictReader(io.StringIO(answer.text))}
    assert isclose(float(rows["bayes capacity"]["second design"]), 0.05 + 469 * 0.95 / 5)
    assert rows["bayes capacity"]["difference"] == "'+22.8 (+34.4 %)"  # no formula
    assert get("/download/counting.csv").text.startswith("design,users N,")


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_downloaded_as_svg_and_png(get, name):
    assert get(f"/download/design-{name}.svg?noise=0").text.startswith("<svg")
    assert get(f"/download/design-{name}.png?topics=2&top=2&topics2=v2").content[1:4] == b"PNG"
    assert get(f"/download/design-{name}.exe").status_code == 404


def test_figures_name_their_data_so_that_they_can_be_replaced(get):
    found = get("/api/figures").json()
    assert set(found) == set(FIGURES)
    answer = get("/api/design").json()
    for name, spec in found.items():
        assert spec["datasets"].items() <= answer["plane"].items()
        assert plane_figure(name, (Setting(349, 5, 0.05),)).spec == spec
