"""Designs: the page's numbers are those of the closed forms, written out here once more."""

import csv
import io
from math import inf, isclose, isfinite, log
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generality.own_apis import FILE, HashCohort
from quiff.apis.base import parameters_of
from quiff.apis.registry import api_from
from quiff.errors import ParameterError
from quiff.papers.presets import presets
from quiff.web.app import make_app
from quiff.web.design import FIGURES, difference
from quiff.web.guard import Access
from quiff.web.jobs import Jobs
from quiff.web.offers import Control, Offers

sizes = st.integers(2, 10_000)
noises = st.floats(0, 1).map(lambda r: round(r, 4))


def spec(m, s, r):
    return f"topics:n_topics={m},top_s={s},noise={r}"


def capacity(m, s, r):
    return r + m * (1 - r) / s


def known(answer):
    return {(each["stage"], each["quantity"]): float(each["value"]) for each in answer["limits"]}


@given(m=sizes, s=st.integers(1, 100), r=noises, users=st.integers(1, 10**10), n=st.integers(1, 100))
def test_the_numbers_follow_the_formulas(get, m, s, r, users, n):
    s = min(m, s)
    query = urlencode({"api": spec(m, s, r), "users": users, "observations": n})
    answer = get(f"/api/design?{query}").json()
    worst = 1 if s == m else inf if r == 0 else 1 + m * (1 - r) / (r * s)  # of m topics there is one set
    numbers = known(answer)
    assert isclose(numbers["", "bayes_capacity"], capacity(m, s, r))
    assert isclose(numbers["bounded_noise", "bayes_capacity"], m / s)
    assert isclose(numbers["", "max_case_capacity"], worst)
    assert isclose(numbers["", "epsilon"], log(worst) if isfinite(worst) else inf, abs_tol=1e-12)
    assert isclose(numbers["", "min_capacity_bits"], log(capacity(m, s, r), 2), abs_tol=1e-9)
    cards = {card["key"]: card["value"] for card in answer["cards"]}
    for key, times in {"posterior": 1, **({"posterior_over_time": n} if n > 1 else {})}.items():
        most = 1 if times * log(capacity(m, s, r)) > log(users) else capacity(m, s, r) ** times / users
        assert isclose(cards[key], most, rel_tol=1e-6)


def test_the_figures_go_through_the_design(get):
    answer = get(f"/api/design?api={spec(349, 5, 0.25)}&users=100000&observations=3").json()
    over, along = (answer["figures"][name]["datasets"] for name in FIGURES)
    assert [row["x"] for row in over["lines"]] == [1, 2, 3]
    for row in over["lines"]:
        assert isclose(row["y"], min(1, capacity(349, 5, 0.25) ** row["x"] / 100_000))
    assert over["marks"] == [
        {"design": "first", "named": "first", **{key: over["lines"][-1][key] for key in "xy"}}
    ]
    for row in along["lines"]:
        assert isclose(row["y"], capacity(349, 5, row["x"]))
    (mark,) = along["marks"]
    assert (mark["design"], mark["x"], mark["y"]) == ("first", 0.25, pytest.approx(capacity(349, 5, 0.25)))


def test_a_second_api_is_shown_with_its_differences(get):
    answer = get("/api/design?api=topics&api2=topics:n_topics=v2").json()
    table = answer["table"]
    rows = {row[0]: dict(zip(table["columns"], row, strict=True)) for row in table["rows"]}
    row = rows["capacity"]
    assert [row[name] for name in ("topics", "topics:n_topics=v2", "difference")] == [
        "66.4", "89.2", "+22.8 (+34.4 %)",
    ]  # fmt: skip
    assert all(row[name] for row in rows.values() for name in ("meaning", "formula", "source"))
    other = get("/api/design?api=topics&api2=cookies").json()
    assert other["cards"][0]["texts"] == ["1 in 15,069", "100 %"]
    assert [mark["named"] for mark in other["figures"]["observations"]["datasets"]["marks"]] == [
        "first, second", "",
    ], "both are at 100 % after four observations"  # fmt: skip
    assert (
        other["figures"]["parameter"]["datasets"]["marks"]
        == answer["figures"]["parameter"]["datasets"]["marks"][:1]
    )


def test_an_api_without_closed_forms_says_so(get):
    app = make_app(Access(8349), Jobs(), [api_from(f"{FILE}:HashCohort")])
    answer = get("/api/design?api=hash_cohort:cohorts=9", app=app).json()
    assert answer["sentences"] == [
        "hash cohort: no closed form is known of its parameters alone; see the people."
    ]
    assert (answer["cards"], answer["figures"], answer["table"]["rows"]) == ([], {}, [])
    (own,) = (api for api in get("/api/settings", app=app).json()["apis"] if api["name"] == "hash_cohort")
    assert own["controls"] == [
        {"name": "cohorts", "meaning": "number of cohorts", "default": "4", "kind": "whole", "least": 1,
         "most": 1000, "names": [], "above": False, "example": ""}
    ]  # fmt: skip
    bad = get("/api/design?api=hash_cohort:cohorts=1001", app=app)
    assert (bad.status_code, bad.text) == (
        400, "cohorts must be a number between 1 and 1000, not '1001'\n",
    )  # fmt: skip
    assert get("/api/design?api=hash_cohort").status_code == 400, "only where the command line gave it"


def test_every_parameter_of_the_registry_can_be_set_on_the_page_but_files():
    offers = Offers(attributes=["country"])
    for name, api in offers.apis.items():
        controls = {control.name: control for control in offers.controls(api)}
        assert {each.name for each in parameters_of(type(api))} - set(controls) <= {"table"}, name
        values = (f"{key}={control.default}" for key, control in controls.items() if control.default)
        assert offers.api(f"{name}:{','.join(values)}").spec == api.spec
    assert "country" in {c.name: c for c in offers.controls(offers.apis["parakeet"])}["attribute"].names
    with pytest.raises(ParameterError, match="has no parameter 'table' on this page"):
        offers.api("floc:table=/etc/passwd")


@pytest.mark.parametrize(
    ("spec", "read"),
    [
        ("event_level:windows=1 9,reports=2", "event_level:windows=1 9,reports=2"),
        ("event_level:windows=4,trigger_data=", "event_level:windows=4"),
        ("event_level:flexible=2x1 1x2", "event_level:flexible=2x1 1x2"),
        ("select_url:bits=3.5", "select_url:bits=3.5"),
        ("aggregatable:epsilon=0.5", "aggregatable:epsilon=0.5"),
        ("parakeet:attribute=history", "parakeet:attribute=history"),
        ("aggregatable:epsilon=0", "epsilon must be a number above 0 and at most 64, not '0'"),
        ("event_level:windows=secret.txt", "windows must be numbers with spaces between them, as in 2 7 30"),
        ("event_level:windows=9 1", "1 to 5 increasing ends between 1 hour and 30 days, not '9 1'"),
        ("aggregatable:keys=20000", "keys must be a number between 1 and 10000, not '20000'"),
    ],
)
def test_numbers_choices_and_lists_of_numbers_are_read(spec, read):
    try:
        assert Offers().api(spec).spec == read
    except ParameterError as error:
        if read not in str(error):
            raise


@pytest.mark.parametrize("name", [*Offers().apis, "select_url:bits=512", "event_level:flexible=2x1 1x2",
                                  "w3c_attribution:epsilon=4294,keys=10000", "parakeet:truth=1"])  # fmt: skip
def test_every_api_has_its_numbers_and_figures(get, name):
    answer = get(f"/api/design?{urlencode({'api': name})}")
    assert answer.status_code == 200
    assert answer.json()["sentences"]


def test_two_apis_of_one_name_are_refused():
    class Other(HashCohort):
        name = "topics"

    with pytest.raises(ParameterError, match="there is an API 'topics' already"):
        Offers([Other()])


@pytest.mark.parametrize(
    ("default", "allowed", "kind"),
    [(3, "", "whole"), (0.5, "0 to 1", "decimal"), (True, "", "switch"), ("a", "a or b", "choice"),
     ("v1", "1 and more or v1", "whole"), ("a", "", None), ({}, "", None), (0.5, "half of it", "decimal")],
)  # fmt: skip
def test_a_parameter_has_the_control_of_its_kind(default, allowed, kind):
    control = Control.of("x", default, allowed, "")
    assert (None if control is None else control.kind) == kind
    if control is not None:
        assert control.read(control.default) == default


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_a_difference_is_signed(first, second):
    text = difference(first, second)
    assert text == "the same" if first == second else text[0] == ("+" if second > first else "-")


def test_presets_are_the_topics_api_and_the_what_ifs_of_the_paper(get):
    given = presets()
    assert list(given.values())[:2] == [spec(349, 5, 0.05), spec(469, 5, 0.05)]
    what_ifs = {text for name, text in given.items() if "what-if" in name}
    settings = [(5, 0.05), (5, 0.47), (6, 0.37), (7, 0.26), (8, 0.15), (9, 0.05)]
    assert what_ifs == {spec(629, s, r) for s, r in settings}
    for text in given.values():
        assert get(f"/api/design?api={quote(text)}").json()["specs"] == [api_from(text).spec]


def test_tables_are_downloaded_as_csv(get):
    answer = get("/download/design-table.csv?api=topics&api2=topics:n_topics=469")
    assert answer.headers["content-disposition"] == 'attachment; filename="quiff-design.csv"'
    rows = {row["quantity"]: row for row in csv.DictReader(io.StringIO(answer.text))}
    assert isclose(float(rows["capacity"]["topics:n_topics=469"]), 0.05 + 469 * 0.95 / 5)
    assert rows["capacity"]["difference"] == "'+22.8 (+34.4 %)"  # no formula


def test_the_studies_of_closed_forms_stand_below(get):
    query = f"api={spec(349, 5, 0.05)}&api2=cookies&users=1000&observations=2"
    forms, settings = get(f"/api/studies?{query}").json()
    assert (forms["key"], settings["key"]) == ("first-closed", "first-settings")
    titles = [table["title"] for table in forms["tables"]]
    assert "Counting the users who have a topic, from a topic of each" in titles
    assert "What does an advertiser learn?" in titles
    options = settings["tables"][1]
    noises = {row[0]: float(row[1]) for row in options["rows"]}
    for s in (1, 2, 3, 4):  # r = (m - s L)/(m - s), paper, Sec. 4.1.2 solved for r
        assert isclose(noises[str(s)], (349 - s * capacity(349, 5, 0.05)) / (349 - s), rel_tol=1e-2)
    assert settings["figures"][0]["title"].startswith("Privacy against utility")
    for number, table in enumerate(forms["tables"]):
        rows = get(f"/download/design/first-closed-{number}.csv?{query}").text.splitlines()
        assert len(rows) > len(table["rows"])
    assert get(f"/download/design/first-settings-0.svg?{query}").text.startswith("<svg")
    assert get(f"/download/design/third-closed-0.csv?{query}").status_code == 404
    assert get(f"/download/else/first-closed-0.csv?{query}").status_code == 404
    assert get("/api/studies?api=cookies").json() == []


def test_what_an_advertiser_learns_has_cards(get):
    def cards(api):
        return {card["key"]: card["value"] for card in get(f"/api/design?api={api}").json()["cards"]}

    shown = cards(spec(349, 5, 0.1))
    assert isclose(shown["genuine_probability"], 0.9 + 0.1 * 5 / 349)
    assert isclose(shown["iba_lower"], 0.9)
    assert shown["iba_lower"] <= shown["genuine_probability"] <= shown["iba_upper"] + 1e-12
    assert "genuine_probability" not in cards("cookies")


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_downloaded_as_svg_and_png(get, name):
    assert get(f"/download/design-{name}.svg?api=topics:noise=0").text.startswith("<svg")
    assert get(f"/download/design-{name}.png?api={spec(2, 2, 1)}&api2=cookies").content[1:4] == b"PNG"
    assert get(f"/download/design-{name}.exe").status_code == 404
    assert get("/download/design-parameter.svg?api=cookies").status_code == 404
