"""Topics in words are taken for some of Chrome's first taxonomy: it is said at once, with what it changes."""

from math import log

import pytest

import quiff
from quiff import AndroidTopics, Population, TopicsAPI
from quiff.report.compose import Source, compose_report
from quiff.report.studies import Question, sections
from words import worded

TWENTY = [f"topic {letter}" for letter in "abcdefghijklmnopqrst"]
WORDS = {f"u{n}": {TWENTY[(n + k * k) % 20] for k in (0, 1, 2, 3, 5)} for n in range(20)}
PEOPLE = Population.from_sets(WORDS)

# r + m(1-r)/s, and the logarithm of ((1-r)/s + r/m)/(r/m), by hand, for 349 and for 20 topics.
MOST, WORST = (0.05 + 349 * 0.95 / 5, log((0.95 / 5 + 0.05 / 349) / (0.05 / 349)))
FEWER, BETTER = (0.05 + 20 * 0.95 / 5, log((0.95 / 5 + 0.05 / 20) / (0.05 / 20)))
WARNING = (
    "Topics API: 20 topics occur; 349 are assumed, Chrome's first taxonomy: "
    f"at most {MOST:.3g}, epsilon {WORST:.3g}; with 20 they are {FEWER:.3g} and {BETTER:.3g}; say n_topics"
)


@pytest.mark.parametrize(
    "study",
    [quiff.measure, quiff.over_time, quiff.compare, quiff.user_risk],
    ids=lambda study: study.__name__,
)
def test_every_study_warns_in_its_first_lines(study):
    assert f"{MOST:.3g} {WORST:.3g} {FEWER:.3g} {BETTER:.3g}" == "66.4 7.19 3.85 4.34"
    result = study(PEOPLE, TopicsAPI())
    assert result.warnings[0].startswith(WARNING)
    before, _, _ = result.to_text(everything=False).partition("say n_topics")
    assert before.count("\n") <= 4
    assert WARNING in str(result.to_dict()["warnings"])


def test_report_and_page_begin_with_it():
    page = compose_report(PEOPLE, (TopicsAPI(),), Source("20 people"), observations=1)
    assert page.about[0].startswith(WARNING)
    first = next(sections(Question(PEOPLE, (TopicsAPI(),), observations=1)))
    assert first.warnings[0].startswith(WARNING)


def test_who_says_how_many_there_are_is_not_warned():
    assert quiff.measure(PEOPLE, TopicsAPI(n_topics=20)).warnings == ()
    assert quiff.measure(PEOPLE, TopicsAPI(n_topics="occurring")).warnings == ()


def test_numbers_of_the_taxonomy_are_taken_for_what_they_are():
    numbers = Population.from_sets({user: {TWENTY.index(t) + 1 for t in own} for user, own in WORDS.items()})
    assert quiff.measure(numbers, TopicsAPI()).warnings == ()


def test_of_android_it_is_the_second_taxonomy():
    (warning,) = quiff.measure(PEOPLE, AndroidTopics()).warnings
    worded(warning, 20, 446)
