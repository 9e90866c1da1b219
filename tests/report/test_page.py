"""The report as its readers see it: ten questions are answered by its text alone, and nobody is named."""

import re
from html.parser import HTMLParser
from itertools import chain

import numpy as np
import pytest

from quiff import Cookies, Population, TopicsAPI, api_from, measure, over_time
from quiff.people.invented import INVENTED_TOPICS
from quiff.report.answers import Answer
from quiff.report.compose import Source, compose_report
from quiff.report.studies import Question
from quiff.results.numbers import probability, said
from quiff.results.rows import Row, Rows
from words import worded

USERS = 150


class Text(HTMLParser):
    """The text of a page by where it stands: unfolded or folded, and what is not read as text."""

    def __init__(self, html):
        super().__init__()
        self.open, self.shown, self.folded = [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if not {"style", "code", "dl"} & {*self.open}:
            (self.folded if "details" in self.open else self.shown).append(data)


def read(parts):
    return " ".join(" ".join(parts).split())


@pytest.fixture(scope="module")
def people(small_people):
    return small_people


@pytest.fixture(scope="module")
def page(small_report):
    return small_report[0]


@pytest.fixture(scope="module")
def html(small_report):
    return small_report[1]


@pytest.fixture(scope="module")
def text(html):
    return read(Text(html).shown)


def answers(people):
    """Each question with the sentence that answers it; the numbers come from the studies themselves."""
    api = TopicsAPI()
    once, time = measure(people, Cookies(), api), over_time(people, api, 6)
    last = time.row("topics", "posterior", 6)
    month, low, high = (probability(value) for value in (last.value, last.low, last.high))
    view, worst, mean, high99 = (
        probability(time["topics", name, 3]) for name in ("posterior", "risk_max", "risk_mean", "risk_99")
    )
    leakage, topic = once["topics", "leakage"], probability(once["topics", "posterior"])
    before, after = (probability(once["topics", f"goal_{when}", "topics"]) for when in ("prior", "posterior"))
    return {
        "Are these real people?": "Synthetic: these people were generated; nobody real is described.",
        "How likely is it that someone is re-identified by one page view, and by whom?": (
            f"One page view (3 observations, each a topic) re-identifies a person with probability {view} on "
            "average, by an observer who knows everybody's topics"
        ),
        "How likely is it that someone is re-identified after a month?": (
            f"in a month (28 days), by 4 weekly page views (6 observations) about {month} ({low} to {high})"
        ),
        "How does that compare with a cookie?": "Third-party cookie: 100 %.",
        "And with guessing?": f"Guessing: 1 in {USERS}.",
        "What does one topic change?": (
            "Topics API: one observation (a topic) multiplies the probability of re-identification by "
            f"{said(leakage)}, from 1 in {USERS} to {topic}."
        ),
        "Can it be worse with other people?": (
            "It can be at most 66.4, whoever the people are and whatever is known of them before"
        ),
        "How bad is it for the person who is worst off?": (
            f"After 3 observations the average user is re-identified with probability {mean}, the median "
            f"user with {probability(time['topics', 'risk_median', 3])}, one in a hundred with {high99} or "
            f"more, and the user most at risk with {worst}"
        ),
        "What does an advertiser learn?": (
            f"Topics API: a receiver guesses a topic of the user correctly with probability {after} "
            f"({before} without)."
        ),
        "Does a small number mean that nobody can be identified?": (
            "What may not be concluded "
            "Not: anything about real people. These are synthetic. "
            "Not: that nobody can be identified, however small a number is. Logins, fingerprinting and "
            "purchases are not measured. "
            f"Not: that a person's risk is the average (Topics API). The most exposed person's is {worst} "
            "after one page view; after 4 weekly page views it is not measured, and at least the average, "
            f"about {month}."
        ),
    }


def test_ten_questions_are_answered_without_unfolding_anything(people, text):
    found = answers(people)
    assert len(found) == 10
    for question, answer in found.items():
        assert answer in text, question
    month = probability(over_time(people, TopicsAPI(), 6)["topics", "posterior", 6])
    worded(text, 4, 6)
    assert f"{month}" in text


def test_a_larger_crowd_is_bounded_from_both_sides(people, page):
    once, months = (over_time(people, TopicsAPI(), 6).row("topics", "leakage", n) for n in (3, 6))
    most = measure(people, TopicsAPI())["topics", "bayes_capacity"] ** 3
    (told,) = (text for text in page.conclusions["What may not be concluded"] if "crowd" in text)
    worded(told, 1000000, 4, 100)
    assert probability(once.value / 10**6) in told
    assert f"{probability(most / 10**6)}" in told
    assert probability(months.low / 10**6) in told


@pytest.mark.parametrize("spec", ["topics:n_topics=occurring", "floc:k=50"])
def test_no_larger_crowd_is_told_of_an_api_that_would_be_another_in_it(spec):
    some = Population.synthetic(300, seed=1, attributes=("history",))
    page = compose_report(some, (api_from(spec),), Source("people"), observations=1)
    concluded, not_concluded = page.conclusions.values()
    assert not any("crowd" in text for text in not_concluded)
    assert not any("about any people" in text for text in concluded)


def test_more_people_never_lower_the_factor_that_the_larger_crowd_starts_from(people):
    more, api = Population.synthetic(2 * USERS, seed=1), TopicsAPI()
    both = Population.from_array(range(3 * USERS), np.concatenate([people.codes, more.codes]), people.topics)
    few, many = (over_time(some, api, 3) for some in (people, both))
    for n in (1, 2, 3):
        assert few["topics", "leakage", n] <= many["topics", "leakage", n]


def test_the_interval_of_an_estimate_stands_beside_it_and_its_ends_differ():
    row = Row("a", None, "a", "user", "population", 1, "posterior", 0.86, 0.8601, 0.8604, "monte-carlo")
    api = TopicsAPI()
    one = Answer(api, "Topics API", Rows((row,)), None)
    assert one.about(1, interval=True) == "about 86 % (86.01 % to 86.04 %)"


def test_what_filling_does_is_told_by_as_many_people_without_it():
    codes = Population.synthetic(80, seed=3).codes
    visited = np.ones(codes.shape, dtype=bool)
    visited[:30, 4] = False
    people = Population.from_array(range(80), codes, range(349), visited=visited)
    page = compose_report(people, (TopicsAPI(),), Source("people"), observations=1)
    whole = probability(over_time(people.genuine(), TopicsAPI(), 1)["topics", "posterior"])
    assert "For 37.5 % of them some topics were filled in at random, as a browser would." in page.about
    _, told = page.limits[0].lead
    worded(told, 50)
    assert f"{whole}" in told


def test_apis_whose_observer_knows_who_it_is_have_an_answer_however_many():
    some = Population.synthetic(30, seed=2, attributes=("conversions",))
    known = [
        api_from(name) for name in ("event_level", "ipa", "private_click_measurement", "ad_attribution_kit")
    ]
    for n in range(1, len(known) + 1):
        page = compose_report(some, known[:n], Source("people"), observations=1)
        assert len(page.headline) >= n
        for sentence in page.headline[:n]:
            assert "the observer already knows who the person is" in sentence.lower()


def test_no_limit_is_a_word_and_large_numbers_are_short(html):
    assert ">inf<" not in html
    assert ">no limit<" in html
    assert "41,922,588,819" not in html


def test_a_first_call_counts_as_the_three_observations_that_it_shows(page):
    assert [row[0] if len(row) < 4 else row[1] for row in page.sections[1].blocks[-1].tables[0].rows] == [
        "One observation",
        "2 weekly observations",
        "One page view (3 observations)",
        "2 weekly page views (4 observations)",
        "3 weekly page views (5 observations)",
        "4 weekly page views (6 observations)",
    ]


def test_five_sections_at_most_and_each_with_one_sentence_figure_and_table(page, html):
    assert html.count("<h2 ") == 5
    for key in ("reveals", "time", "risk", "use"):
        body = html.partition(f'<section id="{key}"')[2].partition("<details")[0]
        apis = 2 if key == "reveals" else 1  # and the cookie
        assert [body.count(tag) for tag in ("<p>", "<figure ", "<table>")] == [apis, 1, 1], key
    assert html.index('id="reading"') < html.index('id="reveals"')


def test_computed_numbers_have_four_significant_digits_at_most(text):
    counts = {str(USERS)}
    for number in re.findall(r"(?<!1 in )(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w^])", text):
        digits = number.replace(",", "").replace(".", "").strip("0")
        assert len(digits) <= 4 or number in counts, number


def test_a_regulators_words_have_their_measures_and_one_word_is_never_used(page, html):
    table = page.limits[0].tables[0]
    assert [row[0] for row in table.rows] == ["singling out", "linkability", "inference"]
    assert "Opinion 05/2014" in table.title
    assert "two sites" in table.rows[1][1]
    assert all("%" in row[3] for row in table.rows)
    assert not re.search(r"\banonymous", html, re.IGNORECASE)


def test_users_are_listed_only_if_asked_for():
    some = Population.from_sets({f"pseudonym-{k}": {k % 7, 7 + k % 5} for k in range(12)})
    api, source = TopicsAPI("occurring", 2), Source("people")
    without = compose_report(some, (api,), source, observations=1).to_html()
    listed = compose_report(some, (api,), source, observations=1, list_users=True, print_all=True).to_html()
    assert "pseudonym-" not in without
    assert "pseudonym-" in listed
    assert "<details open>" not in without
    assert "<details>" not in listed
    assert without.count("<details") >= 5


def test_no_figure_has_bars_on_a_log_axis_or_an_axis_without_a_name(page):
    drawn = [page.figure, *chain.from_iterable(section.figures for section in page.sections)]
    assert len(drawn) > 5
    for figure in drawn:
        assert figure.title
        assert not ("'bar'" in str(figure.spec) and "'log'" in str(figure.spec))
        for axis in _axes(figure.spec):
            assert axis.get("title") or axis["field"] in ("name", "at", "low", "from"), (figure.title, axis)


def _axes(spec):
    """Yield the encodings of x and y that have an axis of their own."""
    if isinstance(spec, dict):
        for key, part in spec.items():
            if key == "encoding":
                yield from (part[side] for side in ("x", "y") if "scale" in part.get(side, {}))
            else:
                yield from _axes(part)
    elif isinstance(spec, list):
        yield from chain.from_iterable(map(_axes, spec))


def test_several_apis_are_compared_first():
    some = Population.synthetic(40, seed=2, attributes=("history",))
    apis = [api_from(spec) for spec in ("cookies", "topics", "floc", "parakeet")]
    page = compose_report(some, apis, Source("people"), observations=1)
    assert [row[0] for row in page.summary.rows] == ["Topics API", "FLoC", "PARAKEET", "third-party cookie"]
    assert [section.key for section in page.sections][-1] == "compare"
    assert page.title == "3 APIs: what they reveal about 40 synthetic people"


def real():
    return Population.from_sets({"Ann": {"/Arts", "/News"}, "Bob": {"/News", "/Games"}})


def from_a_synthetic_log():
    return Population.from_sets({k: set(INVENTED_TOPICS[k : k + 2]) for k in range(4)})


@pytest.mark.parametrize(
    ("people", "source", "synthetic"),
    [
        (lambda: Population.synthetic(5, n_topics=9, top_s=2), Source("people"), True),
        (from_a_synthetic_log, Source("people"), True),
        (lambda: Population.synthetic(5, n_topics=9, top_s=2).epoch(0).replaced(notes=()), Source("p"), True),
        (real, Source("people", about="Synthetic: these are examples."), True),
        (real, Source("people"), False),
    ],
)
def test_every_report_on_synthetic_people_says_so(people, source, synthetic):
    page = compose_report(people(), (TopicsAPI("occurring", 2),), source, observations=1)
    assert page.title.endswith("synthetic people") == synthetic
    assert any(text.startswith("Synthetic: ") for text in page.about) == synthetic
    assert any("synthetic" in text for text in page.conclusions["What may not be concluded"]) == synthetic


def test_a_published_data_set_of_synthetic_people_is_known_by_its_file(tmp_path):
    file = tmp_path / "topics-users-250000.csv.tar.gz"
    file.write_bytes(b"")
    worded(Source.file(file).about)
    assert not Source.file(file.rename(tmp_path / "people.csv")).about


def test_an_answer_takes_the_last_stage_and_the_goal_that_is_no_record(people, page):
    question = Question(people, (Cookies(), TopicsAPI()))
    result, one = question.measured, Answer.of(TopicsAPI(), question)
    assert one.value("posterior") == result["topics", "posterior"]
    assert next(iter(one.goals)) == "topics"
    assert one.capacity == result["topics", "bayes_capacity"]
    assert page.summary.columns == ("probability", "Topics API", "third-party cookie")
