"""Every verdict on the paper: the golden lists, values typed in by hand, and what would change a verdict."""

import csv
import math
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import get_args

import pytest

from quiff import QuiffError, theory
from quiff.papers import statements
from quiff.papers.check import check_paper
from quiff.papers.equations import CASES, EQUATIONS
from quiff.papers.items import CAUSES, ITEMS, KINDS, Verdict
from quiff.papers.lists import numbers
from quiff.papers.statements import STATEMENTS
from quiff.theory.taxonomies import TAXONOMY_SIZES, TAXONOMY_SOURCES
from words import refused, worded

GOLDEN = Path(__file__).parents[1] / "golden"
FROM_LISTS = {"citizen-lab-rows", "citizen-lab-urls", "citizen-lab-categories", "citizen-lab-domains"}


def golden(name):
    with (GOLDEN / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_golden_list_of_items(paper):
    expected = [(row["id"], row["printed"], row["verdict"], row["cause"]) for row in golden("paper.csv")]
    assert [(item.id, item.printed, item.verdict, item.cause or "") for item in paper.items] == expected
    assert len({id_ for id_, *_ in expected}) == len(expected), "an id is there twice"


def test_the_golden_list_of_causes_and_classes(paper):
    expected = [(row["id"], row["class"], int(row["places"])) for row in golden("paper-causes.csv")]
    assert [(point.cause.id, point.cause.kind, len(point.places)) for point in paper.points] == expected


def test_points_are_counted_from_the_data(paper):
    for kind in set(KINDS) - {"needs-data"}:
        assert paper.kinds[kind] == len({item.cause for item in paper.items if item.verdict == kind})
    assert sum(paper.counts.values()) + sum(
        len(p.places) for p in paper.points if p.cause.kind != "needs-data"
    ) == len(ITEMS)


# What a version before this one called errata, and should not have.
RIGHT = [
    "eq-generalization-posterior", "eq-lift-capacity-epsilon", "eq-epsilon", "eq-max-case-capacity",
    "thm-iba-gain-final", "counting-a-m629", "counting-q-m629",
    *(
        f"theoretical-worst-case-m629-{row}-{column}"
        for row in ("r005-s5", "r047-s5", "r037-s6", "r026-s7", "r015-s8", "r005-s9")
        for column in ("m", "capacity", "max-case")
    ),
]  # fmt: skip


def test_what_is_right_for_what_is_printed_matches(paper):
    assert [id_ for id_ in RIGHT if paper[id_].verdict != "match"] == []


def test_every_labelled_equation_and_result_is_an_item(paper):
    labelled = [id_ for id_ in EQUATIONS if id_.startswith("eq-")]
    assert (len(labelled), len(EQUATIONS) - len(labelled)) == (30, 6)
    for id_ in EQUATIONS:
        assert paper[id_].verdict in ("match", "wrong")
        if paper[id_].verdict == "match":
            worded(paper[id_].computed)
            assert f"{CASES}" in paper[id_].computed
        else:
            worded(paper[id_].computed)


@pytest.mark.parametrize(
    ("id_", "right", "digits"),
    [
        ("theoretical-google-m629-s5-capacity", 89.16, 2),
        ("theoretical-google-m629-s5-epsilon", 7.486, 3),
        ("theoretical-google-m629-s5-max-case", 1783.2, 1),
        ("theoretical-google-m1679-s5-m", 1558, 0),
        ("theoretical-google-m1679-s5-capacity", 296.07, 2),
        ("theoretical-google-m1679-s5-epsilon", 8.686, 3),
        ("theoretical-google-m1679-s5-max-case", 5921.4, 1),
        ("growth-v2", 34.36, 2),
        ("growth-iab", 346.16, 2),
        ("discussion-s-needed", 7, 0),
        ("counting-figure-n2", 0.354025, 6),
        ("counting-figure-n10", 0.0055612, 7),
        ("counting-figure-n30", 1.71992e-7, 12),
        ("counting-n10", 25.492, 3),
        ("example-cookies-posterior", 1, 0),
        ("example-cookies-leakage", 3, 0),
        ("example-topics-api-posterior", 0.65, 5),
        ("example-topics-api-posterior-bound", 0.80833, 5),
        ("example-topics-api-leakage", 1.95, 5),
        ("example-topics-api-leakage-bound", 2.425, 5),
        ("example-epsilon", 3.8816, 4),
        ("example-max-case-capacity", 48.5, 5),
        ("iba-footnote-prior", 0.6667, 4),
        ("iba-footnote-posterior", 0.97667, 5),
        ("iba-footnote-uniform-posterior", 0.975, 5),
        ("theoretical-aol-google-v1-epsilon", 7.191, 3),
        ("theoretical-aol-google-v1-max-case", 1327.2, 1),
        ("limits-times", 1327, 0),
        ("discussion-epsilon-increase", 50.5, 1),
        ("sets-google-v1-capacity", 198_023, 0),
        ("sets-citizen-lab-binomial", 169_911, 0),
        ("size-smallest", 0.544, 3),
        ("outlier-visits-per-hour", 68.3, 1),
        ("outlier-days", 92, 0),
    ],
)
def test_values_typed_in_by_hand(paper, id_, right, digits):
    assert abs(paper[id_].computed - right) <= 0.5 * 10**-digits


@pytest.mark.parametrize(
    ("id_", "right"),
    [
        ("example-generalization-posterior", Fraction(2, 3)),
        ("example-generalization-posterior-bound", Fraction(10, 3)),
        ("example-generalization-leakage-bound", 10),
        ("example-bounded-noise-posterior", Fraction(2, 3)),
        ("example-bounded-noise-posterior-bound", Fraction(5, 6)),
        ("example-bounded-noise-leakage", 2),
        ("example-bounded-noise-leakage-bound", Fraction(5, 2)),
    ],
)
def test_worked_examples_are_exact(paper, id_, right):
    assert paper[id_].computed == right


@pytest.mark.parametrize(
    ("id_", "readings"),
    [
        ("theoretical-aol-google-v1-epsilon", [6.466, 7.191]),
        ("theoretical-aol-google-v1-max-case", [643.2, 1327.2]),
        ("discussion-epsilon-increase", [35.354, 50.516]),
        ("sets-google-v1-capacity", [1_082_239_158, 198_023]),
        ("counting-n10", [0.55612, 0.56023, 25.492]),
        ("iba-genuine-probability", [0.95, 0.97]),
        ("size-smallest", [6.17, 0.544]),
    ],
)
def test_both_readings_are_computed(paper, id_, readings):
    found = paper[id_].readings
    assert [float(reading.computed) for reading in found] == pytest.approx(readings, rel=1e-3)
    assert [reading.agrees for reading in found] == [True] * (len(found) - 1) + [False]
    assert tuple(reading.name for reading in found) == CAUSES[paper[id_].cause].readings


def test_every_judgement_has_its_reason_and_its_readings(paper):
    for item in paper.items:
        if item.verdict in ("assumption", "too-strong", "ambiguous"):
            assert len(item.readings) >= 2, item.id
            assert {reading.agrees for reading in item.readings} == {True, False}, item.id
            assert all(reading.name for reading in item.readings), item.id
    for cause in CAUSES.values():
        assert len(cause.says) > 10, cause.id
        assert cause.changes, cause.id
        assert bool(cause.readings) or cause.kind not in ("assumption", "too-strong", "ambiguous"), cause.id
    assert all(text in CAUSES["occurring"].source for text in ("Sec. 5.4", "cell 45"))


@pytest.mark.parametrize(
    ("id_", "figure"),
    [
        ("discussion-s-needed", "63.70 and 1274.0"),
        ("counting-n10", "24.609"),
        ("iba-upper-bound-uniform", "0.97667 against the bound 0.98333"),
        ("reach-capacity-privacy", "33.80 and 32.16 of 69.80 and 66.36"),
        ("counting-figure-caption", "1.4161 for N=2, the plotted point 0.354025"),
        ("counting-figure-limit", "1.71992e-07"),
        ("longitudinal-privacy-shape", "leakage 1.9595"),
        ("generalization-below-capacity", "27970 < 169911 and 110870 < 198023"),
        ("utility-iba-citizen-lab-topics-api", ".95806"),
        ("utility-iba-google-v1-topics-api", ".95072"),
    ],
)
def test_what_else_is_said(paper, id_, figure):
    assert figure in f"{paper[id_].computed} {paper[id_].note}"


def test_figures_in_sentences_are_those_that_were_computed(paper):
    changes = " ".join(f"{cause.says} {cause.changes}" for cause in CAUSES.values())
    growths = [f"{round(paper[id_].computed)} %" for id_ in ("growth-v2", "growth-iab")]
    assert all(figure in changes for figure in [*growths, f"{100 * (629 / 349 - 1):.2f} %"])
    assert f"{theory.prior_count_right(10):.3%}" == "24.609%"
    assert f"{float(theory.genuine_probability(31, 5, 0.05)):.5f}" == "0.95806"
    assert f"{float(theory.genuine_probability(349, 5, 0.05)):.5f}" == "0.95072"


def test_every_item_says_what_it_rests_on(paper):
    assert {item.verdict for item in paper.items} == set(get_args(Verdict))
    for item in paper.items:
        assert item.note or item.id in {*STATEMENTS, *EQUATIONS}, item.id
        assert (item.computed is None) == (item.verdict in ("needs-data", "cited"))
    for item in paper.by_verdict("needs-data"):
        assert item.note.startswith("needs "), item.id


def test_every_computation_is_of_an_item():
    known = {item.id for item in ITEMS}
    assert {*STATEMENTS, *EQUATIONS} <= known
    assert all(item.cause in CAUSES for item in ITEMS if item.cause)
    assert all(item.formula or not item.stated for item in ITEMS)


def test_taxonomies_carry_their_sources(paper):
    assert set(TAXONOMY_SOURCES) == set(TAXONOMY_SIZES)
    assert set(paper.sources) == {"v1", "v2", "iab-1.1"}, "1091 is taken as printed, and cited"
    assert paper["theoretical-google-m1091-s5-m"].verdict == "cited"


def test_lists_at_hand_are_counted(paper, mirror):
    counted = check_paper(mirror=mirror)
    assert all(text.startswith("counted in ") for text in counted.sources.values())
    moved = {
        new.id: (old.verdict, new.verdict)
        for old, new in zip(paper.items, counted.items, strict=True)
        if old.verdict != new.verdict
    }
    assert moved == dict.fromkeys(FROM_LISTS, ("needs-data", "match"))
    audience = numbers(mirror / "iab-audience-taxonomy-1.1.tsv")
    assert (len(audience), max(audience)) == (1558, 1679)
    second = numbers(mirror / "topics-taxonomy-v2.md")
    assert (len(second), max(second)) == (469, 629)


def test_a_list_that_is_not_the_pinned_one_is_an_error(tmp_path):
    (tmp_path / "topics-taxonomy-v2.md").write_text("| 1 | /News |\n")
    with refused(QuiffError):
        check_paper(mirror=tmp_path)


@pytest.fixture
def changed(monkeypatch, paper, no_lists):
    def change(name, formula, where=theory):
        monkeypatch.setattr(where, name, formula)
        after = check_paper(mirror=no_lists)
        return {
            old.id: (old.verdict, new.verdict)
            for old, new in zip(paper.items, after.items, strict=True)
            if old.verdict != new.verdict
        }

    return change


def test_a_changed_capacity_changes_verdicts(changed):
    found = changed("bayes_capacity", lambda m, s, r: Fraction(m, s))
    assert found["theoretical-google-m349-s5-capacity"] == ("match", "wrong")
    assert found["example-topics-api-leakage-bound"] == ("match", "wrong")
    assert "discussion-proportional" not in found, "the printed growth is the affine one"


def test_the_formula_of_the_print_makes_its_errata_match(changed):
    printed = {469: 629, 1558: 1679}  # as if a taxonomy had as many topics as its highest id
    found = changed("max_case_capacity", lambda m, s, r: 1 + Fraction(printed.get(m, m)) * (1 - r) / (r * s))
    assert found == dict.fromkeys(
        ("theoretical-google-m629-s5-max-case", "theoretical-google-m1679-s5-max-case"), ("wrong", "match")
    )


def test_a_changed_epsilon_changes_verdicts(changed):
    found = changed("epsilon", lambda m, s, r: math.log(m))
    assert found["theoretical-aol-citizen-lab-epsilon"] == ("match", "wrong")


def test_cookies_without_the_cap_are_what_is_printed(changed):
    found = changed("cookies_leakage", lambda n, c: Fraction(theory.possible_histories(min(c, 20))))
    assert found["example-cookies-leakage"] == ("wrong", "match")


def test_a_statement_is_decided_by_its_computation(changed):
    found = changed("iba_gains", lambda *_: (Fraction(2, 3), Fraction(59, 60)), statements)
    assert found["iba-reach-one"] == ("too-strong", "match")


def test_no_heavy_import(tmp_path):
    code = """
import sys
from pathlib import Path
from quiff.papers.check import check_paper
check_paper(mirror=Path(sys.argv[1]))
print([name for name in ("scipy", "altair", "pandas", "vl_convert", "ibis", "duckdb") if name in sys.modules])
"""
    found = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_it_shows_as_other_results_do(paper):
    points, items = paper.tables()
    assert [row[0] for row in items.rows] == [item.id for item in paper.items]
    assert [row[0] for row in points.rows] == [point.cause.title for point in paper.points]
    line = r"^\| example-genuine-chance \| Sec\. 3\.2.* 95% \| 95% \| match \| 1 - r \| +\|$"
    assert re.search(line, items.to_markdown(), re.M)
    assert "<caption>Points</caption>" in paper._repr_html_()
