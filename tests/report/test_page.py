"""The report as its readers see it: ten questions are answered by its text alone, and nobody is named."""

import re
from html.parser import HTMLParser
from itertools import chain

import pytest

from quiff import Cookies, Population, TopicsAPI, api_from, measure, over_time
from quiff.populations.invented import INVENTED_TOPICS
from quiff.report.compose import Source, compose_report
from quiff.report.first_screen import Answer
from quiff.results.numbers import probability, said

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
def people():
    return Population.synthetic(USERS, seed=1)


@pytest.fixture(scope="module")
def page(people):
    return compose_report(people, (), Source("people"), list_users=False)


@pytest.fixture(scope="module")
def html(page):
    return page.to_html()


@pytest.fixture(scope="module")
def text(html):
    return read(Text(html).shown)


def answers(people):
    """Each question with the sentence that answers it; the numbers come from the studies themselves."""
    api = TopicsAPI()
    once, time = measure(people, Cookies(), api), over_time(people, api, 6)
    month = probability(time["topics", "posterior", 6])
    view, worst, mean, high = (
        probability(time["topics", name, 3]) for name in ("posterior", "risk_max", "risk_mean", "risk_99")
    )
    leakage, topic = once["topics", "leakage"], probability(once["topics", "posterior"])
    before, after = (probability(once["topics", f"goal_{when}", "topics"]) for when in ("prior", "posterior"))
    return {
        "Are these real people?": "Synthetic: these people were generated; nobody real is described.",
        "How likely is it that someone is re-identified by one page view, and by whom?": (
            f"One page view re-identifies a person with probability {view} to an observer who knows "
            "everybody's topics"
        ),
        "How likely is it that someone is re-identified after a month?": (
            f"4 weekly page views do so with about {month}."
        ),
        "How does that compare with a cookie?": "Third-party cookie: 100 %.",
        "And with guessing?": f"Guessing: 1 in {USERS}.",
        "What does one topic change?": (
            "Topics API: one observation (a topic) multiplies the probability of re-identification by "
            f"{said(leakage)}, from 1 in {USERS} to {topic}."
        ),
        "Can it be worse with other people?": "It can be at most 66.4 for any people and any prior",
        "How bad is it for the person who is worst off?": (
            f"After one page view the average person is re-identified with probability {mean}, one person in "
            f"a hundred with {high} or more, and the most exposed person with {worst}."
        ),
        "What does an advertiser learn?": (
            f"Topics API: a receiver guesses a topic of the user correctly with probability {after} "
            f"({before} without)."
        ),
        "Does a small number mean that nobody can be identified?": (
            "What may not "
            "Anything about real people: these are synthetic. "
            f"That a person's risk is the average: the most exposed person's is {worst} after one page view."
        ),
    }


def test_ten_questions_are_answered_without_unfolding_anything(people, text):
    found = answers(people)
    assert len(found) == 10
    for question, answer in found.items():
        assert answer in text, question
    assert "That nobody can be identified: logins, fingerprinting and purchases are not measured." in text


def test_a_first_call_counts_as_the_three_observations_that_it_shows(page):
    seen = {row[1]: row[0] for row in page.sections[1].tables[0].rows}
    assert seen == {
        1: "One observation",
        2: "2 weekly observations",
        3: "One page view",
        4: "2 weekly page views",
        5: "3 weekly page views",
        6: "4 weekly page views",
    }


def test_five_sections_at_most_and_each_with_one_sentence_figure_and_table(page, html):
    assert html.count("<h2 ") == 5
    for key in ("reveals", "time", "risk", "use"):
        body = html.partition(f'<section id="{key}"')[2].partition("<details")[0]
        assert [body.count(tag) for tag in ("<p>", "<figure ", "<table>")] == [1, 1, 1], key
    assert html.index('id="reading"') < html.index('id="reveals"')


def test_computed_numbers_have_four_significant_digits_at_most(text):
    counts = {str(USERS)}
    for number in re.findall(r"(?<!1 in )(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w^])", text):
        digits = number.replace(",", "").replace(".", "").strip("0")
        assert len(digits) <= 4 or number in counts, number


def test_a_regulators_words_have_their_measures_and_one_word_is_never_used(page, html):
    words = [row[0] for row in page.limits.tables[0].rows]
    assert words == ["singling out", "linkability", "inference"]
    assert all("%" in row[2] for row in page.limits.tables[0].rows)
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
    assert [section.key for section in page.beside] == ["compare"]
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
    assert any("synthetic" in text for text in page.may_not) == synthetic


def test_a_published_data_set_of_synthetic_people_is_known_by_its_file(tmp_path):
    file = tmp_path / "topics-users-250000.csv.tar.gz"
    file.write_bytes(b"")
    assert Source.file(file).about.startswith("Synthetic: nobody real is described.")
    assert not Source.file(file.rename(tmp_path / "people.csv")).about


def test_an_answer_takes_the_last_stage_and_the_goal_that_is_no_record(people, page):
    result = measure(people, TopicsAPI(), goals=["topics"])
    one = Answer.of(TopicsAPI(), "Topics", {"reveals": result, "use": result, "risk": result})
    assert one.value("posterior") == result["topics", "posterior"]
    assert one.goal()[0] == "topics"
    assert one.capacity == result["topics", "bayes_capacity"]
    assert page.summary.columns == ("probability", "Topics API", "third-party cookie")
