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
from quiff.apis.ranges import Attribute, Described, Flag, Number, OneOf, Share, Whole, range_like
from quiff.apis.registry import api_from
from quiff.errors import ParameterError
from quiff.papers.presets import presets
from quiff.results.numbers import said
from quiff.studies.bounds import difference
from quiff.web.app import make_app
from quiff.web.design import PICTURES
from quiff.web.guard import Access
from quiff.web.jobs import Jobs
from quiff.web.offers import Offer, Offers
from quiff.web.stories import stories
from web.fragments import Read
from words import refused, worded

sizes = st.integers(2, 10_000)
noises = st.floats(0, 1).map(lambda r: round(r, 4))


def spec(m, s, r):
    return f"topics:n_topics={m},top_s={s},noise={r}"


def capacity(m, s, r):
    return r + m * (1 - r) / s


def known(answer):
    rows = [row for row in answer["rows"] if row["observations"] == 1]
    return {(row["stage"], row["quantity"]): float(row["value"]) for row in rows}


def table(answer, number=0):
    """Return the lines of a table of an answer by their first cells."""
    (table,) = Read(answer["tables"][number]).tables
    return {row[0]: row[1:] for row in table["rows"]}


def large(answer):
    """Return the numbers that are shown large, of each design."""
    specs = list(answer["study"]["apis"])
    values = {(row["api"], row["quantity"]): row["value"] for row in answer["rows"] if not row["stage"]}
    return {key: [values.get((spec, key)) for spec in specs] for key in answer["study"]["words"]["chief"]}


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
    (line,), (point,) = (answer["pictures"]["time"][name] for name in ("lines", "points"))
    assert point == [n, line[n][1]]
    for times in (0, 1, n):
        most = 1 if times * log(capacity(m, s, r)) > log(users) else capacity(m, s, r) ** times / users
        assert isclose(line[times][1], most, rel_tol=1e-6)
    (guess,) = answer["pictures"]["guess"]["points"]
    assert isclose(guess[1], min(1, capacity(m, s, r) * guess[0]))


def test_the_pictures_go_through_the_design(get):
    query = f"api={spec(349, 5, 0.25)}&users=100000&observations=3&prior=0.001&along="
    pictures = get(f"/api/design?{query}").json()["pictures"]
    assert list(pictures) == list(PICTURES)
    (over,), (guess,), (along,) = (pictures[name]["lines"] for name in PICTURES)
    for n, y in over:
        assert isclose(y, min(1, capacity(349, 5, 0.25) ** n / 100_000))
    for before, y in guess:
        assert isclose(y, min(1, capacity(349, 5, 0.25) * before))
    for noise, y in along:
        assert isclose(y, capacity(349, 5, noise))
    points = [tuple(pictures[name]["points"][0]) for name in PICTURES]
    assert points[1:] == [
        (0.001, pytest.approx(capacity(349, 5, 0.25) / 1000)), (0.25, pytest.approx(capacity(349, 5, 0.25))),
    ]  # fmt: skip
    (sizes,) = get(f"/api/design?{query}top_s").json()["pictures"]["parameter"]["lines"]
    for size, y in sizes:
        assert isclose(y, capacity(349, size, 0.25))
    assert [size for size, _ in (sizes[0], sizes[-1])] == [1, 349]
    refused = get(f"/api/design?{query}nothing")
    assert refused.text.startswith("along must be a parameter that is a number: n_topics, top_s, noise, not")


def test_time_is_counted_in_what_passes_between_two_observations(get):
    periods = {
        "api=topics": "observation",  # of which the first page view shows three
        "api=android_topics": "week",
        "api=noisy_ranking": "day",
        "api=parakeet": "observation",
        "api=topics&api2=cookies": "observation",
        "api=android_topics&api2=cookies": "week",
        "api=topics&api2=noisy_ranking": "observation",
    }
    for query, period in periods.items():
        assert get(f"/api/design?{query}").json()["study"]["words"]["period"] == period


def test_a_month_is_28_days_of_visits(get):
    months = {
        "api=topics": 6,  # four weekly page views, the first of which shows three observations
        "api=android_topics": 4,
        "api=noisy_ranking": 28,
        "api=parakeet": None,
        "api=topics&api2=android_topics": None,
    }
    for query, month in months.items():
        assert get(f"/api/design?{query}").json()["month"] == month


def test_a_second_api_is_shown_with_its_differences(get):
    answer = get("/api/design?api=topics&api2=topics:n_topics=v2").json()
    titles = [api["title"] for api in answer["study"]["apis"].values()]
    assert titles == ["A, Topics API", "B, Topics API, v2"]
    assert list(large(answer)) == ["bayes_capacity", "epsilon", "genuine_probability"]
    assert large(answer)["bayes_capacity"] == [pytest.approx(66.36), pytest.approx(89.16)]
    assert table(answer)["max-case capacity"][:3] == ["1,327", "1,783", "+456 (+34.4 %)"]
    assert all(all(cells[:3]) for cells in table(answer, 1).values())
    other = get("/api/design?api=topics&api2=cookies&along=noise").json()
    assert table(other)["re-identified after 1 observation, at most"][:2] == ["1 in 15,070", "100 %"]
    along = other["pictures"]["parameter"]
    assert {y for _, y in along["lines"][1]} == {1e6}, "cookies tell a million people apart at any noise"
    assert along["points"][1] == [0, 1e6]


def test_an_api_without_closed_forms_says_so(get):
    app = make_app(Access(8349), Jobs(), [api_from(f"{FILE}:HashCohort")])
    answer = get("/api/design?api=hash_cohort:cohorts=9", app=app).json()
    assert answer["sentences"] == [
        "Hash cohort: nothing is known from its parameters alone; measure it on people."
    ]
    assert (answer["rows"], answer["pictures"], answer["tables"]) == ([], {}, [])
    (own,) = (api for api in get("/api/settings", app=app).json()["apis"] if api["name"] == "hash_cohort")
    assert own["controls"] == [
        {"name": "cohorts", "label": "Number of cohorts", "default": "4", "kind": "whole", "least": 1,
         "most": 1000, "step": 1, "names": [], "above": False, "example": ""}
    ]  # fmt: skip
    bad = get("/api/design?api=hash_cohort:cohorts=1001", app=app)
    assert (bad.status_code, bad.text) == (
        400, "cohorts must be a whole number between 1 and 1000, not 1001\n",
    )  # fmt: skip
    assert get("/api/design?api=hash_cohort").status_code == 400, "only where the command line gave it"


def test_every_parameter_of_the_registry_can_be_set_on_the_page_but_files():
    offers = Offers(attributes=["country"])
    for name, api in offers.apis.items():
        parameters = {each.name: each for each in offers.parameters(api)}
        assert {each.name for each in parameters_of(type(api))} - set(parameters) <= {"table"}, name
        values = (f"{key}={each.default}" for key, each in parameters.items() if each.default)
        assert offers.api(f"{name}:{','.join(values)}").spec == api.spec
    parameters = {each.name: each for each in offers.parameters(offers.apis["parakeet"])}
    assert "country" in parameters["attribute"].control.names
    with refused(ParameterError):
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
        ("aggregatable:epsilon=0", "epsilon must be above 0 and at most 64, not 0"),
        ("event_level:windows=secret.txt", "windows must be numbers with spaces between them, as in 2 7 30"),
        ("event_level:windows=9 1", "1 to 5 increasing ends between 1 hour and 30 days"),
        ("aggregatable:keys=20000", "keys must be at most 10000 on this page, not '20000'"),
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
    told = answer.json()
    assert told["sentences"]
    assert told["pictures"] or "nothing is known" in told["sentences"][0]
    assert len(large(told)) == (3 if told["pictures"] else 0)


def test_two_apis_of_one_name_are_refused():
    class Other(HashCohort):
        name = "topics"

    with refused(ParameterError):
        Offers([Other()])


@pytest.mark.parametrize(
    ("default", "allowed", "kind"),
    [
        (3, None, "whole"), ("v1", Whole(1, names=("v1",)), "whole"), (0.5, Share(), "decimal"),
        (2.5, Number(0, 9), "decimal"), (True, None, "switch"), (False, Flag(), "switch"),
        ("a", OneOf("a", "b"), "choice"), ("country", Attribute(), "choice"), ("a", None, None),
        ({}, None, None),
        ("1 2", Described("numbers", example="1 2"), "words"), ("a file", Described("a file"), None),
    ],
)  # fmt: skip
def test_a_parameter_has_the_control_of_its_kind(default, allowed, kind):
    allowed = allowed or range_like(default, 10_000)
    control = None if allowed is None else allowed.control(default)
    assert (None if control is None else control.kind) == kind
    if control is not None:
        assert Offer("x", "", str(default), allowed, control).read(str(default)) == default


@pytest.mark.parametrize(
    ("spec", "meant"),
    [("topics:noise=5", "0.05"), ("topics:noise=5 %", "0.05"), ("topics:noise=0,05", "noise=0.05"),
     ("event_level:epsilon=1,5", "epsilon=1.5"), ("topics:noise=0.5%", "0.005")],
)  # fmt: skip
def test_a_probability_in_another_form_is_refused_with_what_was_meant(spec, meant):
    with pytest.raises(ParameterError) as error:
        api_from(spec)
    assert f"did you mean {meant}?" in str(error.value)
    assert api_from(f"{spec.partition(':')[0]}:{meant if '=' in meant else f'noise={meant}'}")


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_a_difference_is_signed(first, second):
    text = difference(first, second)
    assert text == "the same" if first == second else text[0] == ("+" if second > first else "-")


def test_stories_set_the_what_ifs_of_the_paper_the_gate_and_the_epsilons_of_the_draft(get):
    given = presets()
    assert list(given.values())[:2] == [spec(349, 5, 0.05), spec(469, 5, 0.05)]
    settings = [(5, 0.05), (5, 0.47), (6, 0.37), (7, 0.26), (8, 0.15), (9, 0.05)]
    what_ifs = {story.api2 for story in stories() if story.group == "The paper's what-ifs"}
    assert what_ifs == {spec(629, s, r) for s, r in settings}
    answers = {}
    for story in stories():
        pair = [each for each in (story.api, story.api2) if each]
        query = "&".join(f"{name}={quote(each)}" for name, each in zip(("api", "api2"), pair, strict=False))
        answers[story.title] = get(f"/api/design?{query}&along=").json()
        assert list(answers[story.title]["study"]["apis"]) == [api_from(each).spec for each in pair]
        assert {"crowd": "time"}.get(story.picture, story.picture) in answers[story.title]["pictures"]
    passes, refused = answers["The event-level gate"]["notes"]
    assert " passes: " in passes
    assert " is refused: " in refused
    assert large(answers["The W3C draft's epsilon: 1 and 10"])["epsilon"] == [1, 10]


def test_every_api_stands_beside_the_others(get):
    answer = get("/api/compare?api=topics:noise=0.5").json()
    assert set(answer["apis"].values()) == {*Offers().apis, "topics:noise=0.5"}
    limits, across = (table for table in Read(answer["html"]).tables)
    capacities = {row[1]: row[3] for row in limits["rows"]}
    assert set(capacities) == set(answer["apis"])
    assert capacities["Topics API, noise 50 %"] == said(capacity(349, 5, 0.5))
    assert (capacities["Third-party cookie"], capacities["FLoC"]) == ("no limit", "")
    once = {row[1]: row[2] for row in across["rows"]}
    assert once["Topics API"] == "at most 1 in 15,070"
    assert once["Attribution Reporting, event level"] == "known already"
    listed = list(csv.DictReader(io.StringIO(get("/download/compare/apis-0.csv?api=topics:noise=0.5").text)))
    assert {row["API"] for row in listed} == set(answer["apis"])
    assert get("/download/compare/apis-0.svg").text.startswith("<svg")


def test_a_wrong_value_is_told_with_its_field(get):
    for query, field in {
        "api=topics:noise=7": "api",
        "api2=topics:top_s=0": "api2",
        "users=0": "users",
        "prior=2": "prior",
    }.items():
        answer = get(f"/api/design?{query}")
        assert (answer.status_code, answer.headers["quiff-field"]) == (400, field)


def test_tables_are_downloaded_as_csv(get):
    answer = get("/download/design-table.csv?api=topics&api2=topics:n_topics=469")
    assert answer.headers["content-disposition"] == 'attachment; filename="quiff-design.csv"'
    rows = [row for row in csv.DictReader(io.StringIO(answer.text)) if row["number"] == "capacity"]
    first, second = (float(row["value"]) for row in rows)
    assert isclose(first, 0.05 + 349 * 0.95 / 5)
    assert isclose(second, 0.05 + 469 * 0.95 / 5)


def test_the_studies_of_closed_forms_stand_below(get):
    query = f"api={spec(349, 5, 0.05)}&api2=cookies&users=1000&observations=2"
    forms, settings, second = get(f"/api/studies?{query}").json()
    keys = [section["key"] for section in (forms, settings, second)]
    assert keys == ["first-closed", "first-settings", "second-closed"]
    tables = Read(forms["html"]).tables
    worded([table["title"] for table in tables])
    options = Read(settings["html"]).tables[1]
    noises = {row[0]: float(row[1]) for row in options["rows"]}
    for s in (1, 2, 3, 4):  # r = (m - s L)/(m - s), paper, Sec. 4.1.2 solved for r
        assert isclose(noises[str(s)], (349 - s * capacity(349, 5, 0.05)) / (349 - s), rel_tol=1e-2)
    assert settings["figures"][0]["description"].startswith("Privacy against utility")
    for number, table in enumerate(tables):
        rows = get(f"/download/design/first-closed-{number}.csv?{query}").text.splitlines()
        assert len(rows) > len(table["rows"])
    assert get(f"/download/design/first-settings-0.svg?{query}").text.startswith("<svg")
    assert get(f"/download/design/third-closed-0.csv?{query}").status_code == 404
    assert get(f"/download/else/first-closed-0.csv?{query}").status_code == 404
    assert [section["key"] for section in get("/api/studies?api=cookies").json()] == ["first-closed"]


def test_what_an_advertiser_learns_is_shown(get):
    answer = get(f"/api/design?api={spec(349, 5, 0.1)}").json()
    assert isclose(large(answer)["genuine_probability"][0], 0.9 + 0.1 * 5 / 349)
    assert table(answer)["an advertiser is right, at least"][0] == "90 %"
    assert table(answer)["an advertiser is right, at most"][0] == "90.1 %"
    assert "genuine_probability" not in large(get("/api/design?api=cookies").json())


@pytest.mark.parametrize("name", PICTURES)
def test_figures_are_downloaded_as_svg_and_png(get, name):
    assert get(f"/download/design-{name}.svg?api=topics:noise=0").text.startswith("<svg")
    assert get(f"/download/design-{name}.png?api={spec(2, 2, 1)}&api2=cookies").content[1:4] == b"PNG"
    assert get(f"/download/design-{name}.exe").status_code == 404
    assert get("/download/design-parameter.svg?api=cookies").status_code == 404
