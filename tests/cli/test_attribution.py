"""``quiff attribution``: events played, violations found and played again, hostile files told in one line."""

import json

import pytest
from click.testing import CliRunner

from quiff.cli import main
from words import worded

SAVE = {"seconds": 1, "event": "saveImpression", "site": "news.example", "options": {"histogramIndex": 0}}
ASK = {
    "seconds": 2,
    "event": "measureConversion",
    "site": "shop.example",
    "options": {"aggregationService": "https://agg-service.example", "histogramSize": 1},
}


@pytest.fixture
def run(tmp_path):
    def invoke(*words, events=None, config=None):
        words = list(map(str, words))
        for name, data in (("events", events), ("config", config)):
            if data is not None:
                path = tmp_path / f"{name}.json"
                path.write_text(data if isinstance(data, str) else json.dumps(data))
                words += [str(path)] if name == "events" else ["--config", str(path)]
        return CliRunner().invoke(main, ["attribution", *words])

    return invoke


def test_json_has_an_entry_for_every_conversion_and_every_error(run):
    wrong = {**SAVE, "seconds": 3, "options": {"histogramIndex": 0, "conversionSites": ["localhost"]}}
    unknown = {**ASK, "seconds": 4, "options": {**ASK["options"], "aggregationService": "no"}}
    empty = {**ASK, "seconds": 5, "options": {**ASK["options"], "histogramSize": 0}}
    done = run("run", "--json", "--seed", 0, events={"events": [SAVE, ASK, wrong, unknown, empty]})
    found = json.loads(done.output)["payload"]
    assert [(event["kind"], event["outcome"]) for event in found["events"]] == [
        ("impression", None),
        ("released", [1]),
        ("error", "SyntaxError"),
        ("error", "ReferenceError"),
        ("error", "RangeError"),
    ]
    assert found["budgets"]["sites"] == [{"epoch": 0, "site": "shop.example", "left": 0}]
    assert found["charges"][0]["of_site"] == 1_000_000


def test_the_configuration_and_the_rules_are_followed(run):
    events = {"events": [SAVE, *({**ASK, "seconds": 2 + n, "site": f"shop{n}.example"} for n in range(4))]}
    small = {"globalPrivacyBudgetPerEpoch": 2_000_000, "epochStart": 0.5, "fairlyAllocateCreditFraction": 0.5}
    for rules, released in (("draft", [1, 1, 0, 0]), ("reference", [1, 1, 1, 1])):
        done = run("run", "--json", "--rules", rules, events=events, config=small)
        asked = json.loads(done.output)["payload"]["events"][1:]
        assert [event["outcome"][0] for event in asked] == released


def test_text_fits_a_terminal_and_tells_what_was_expected(run, tmp_path):
    events = {"events": [SAVE, {**ASK, "expected": [0]}]}
    done = run("run", "--all", "--seed", 0, "--figure", tmp_path / "t.svg", events=events)
    assert done.exit_code == 0
    worded(done.output, 1, 0)
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert done.stderr == f"Wrote {tmp_path / 't.svg'}\n"
    assert (tmp_path / "t.svg").read_text().startswith("<svg")


def test_a_figure_of_errors_and_one_of_nothing(run, tmp_path):
    errs = {**ASK, "options": {**ASK["options"], "histogramSize": 0}}
    assert run("run", "--figure", tmp_path / "t.svg", events={"events": [errs]}).exit_code == 0
    worded(run("run", "--figure", tmp_path / "u.svg", events={"events": []}).stderr)


HUGE = 10**400
HOSTILE = {
    "not JSON": "{",
    "no object": "[]",
    "deep nesting": "[" * 100_000,
    "deep options": '{"events": [{"seconds": 1, "event": "saveImpression", "site": "a.b", "options": '
    + '{"a": ' * 900
    + "1"
    + "}" * 900
    + "}]}",
    "thousands of digits": '{"events": [{"seconds": ' + "9" * 10_000 + "}]}",
    "no text": b"\xff\xfe\x00".decode("latin-1"),
    "unknown field": {"events": [{**SAVE, "extra": 1}]},
    "unknown option": {"events": [{**SAVE, "options": {"histogramIndex": 0, "extra": 1}}]},
    "unknown at the top": {"events": [], "extra": 1},
    "unknown event": {"events": [{"seconds": 1, "event": "reboot"}]},
    "event is a list": {"events": [[]]},
    "missing option": {"events": [{**SAVE, "options": {}}]},
    "missing seconds": {"events": [{"event": "enableAPI"}]},
    "time goes back": {"events": [{**SAVE, "seconds": 5}, ASK]},
    "time stands still": {"events": [SAVE, {**ASK, "seconds": 1}]},
    "negative time": {"events": [{**SAVE, "seconds": -1}]},
    "huge time": {"events": [{**SAVE, "seconds": HUGE}]},
    "fraction of a second": {"events": [{**SAVE, "seconds": 1.5}]},
    "huge index": {"events": [{**SAVE, "options": {"histogramIndex": HUGE}}]},
    "huge epsilon": {"events": [{**ASK, "options": {**ASK["options"], "epsilon": HUGE}}]},
    "infinite epsilon": json.dumps(
        {"events": [{**ASK, "options": {**ASK["options"], "epsilon": 1}}]}
    ).replace('"epsilon": 1', '"histogramSize": 1, "epsilon": 1e999'),
    "no number": json.dumps({"events": [{**ASK, "options": {**ASK["options"], "epsilon": 1}}]}).replace(
        '"epsilon": 1', '"histogramSize": 1, "epsilon": NaN'
    ),
    "huge credit": {"events": [{**ASK, "options": {**ASK["options"], "credit": [HUGE]}}]},
    "truth as a number": {"events": [{**SAVE, "options": {"histogramIndex": True}}]},
    "site is a number": {"events": [{**SAVE, "site": 1}]},
    "nothing to clear": {
        "events": [
            {"seconds": 1, "event": "clearBrowsingHistoryForAttribution", "sites": [], "forgetVisits": False}
        ]
    },
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_events_are_told_in_one_line(run, name):
    done = run("run", events=HOSTILE[name])
    assert done.exit_code == 1, done.output
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1
    assert len(done.stderr) < 400
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "config",
    [
        {"perSitePrivacyBudget": -1},
        {"perSitePrivacyBudget": HUGE},
        {"epochStart": 1},
        {"maxHistogramSize": 10**9},
        {"maxLookbackDays": 10**9},
        {"unknown": 1},
        {"aggregationServices": []},
        [],
    ],
)
def test_hostile_configurations_are_told_in_one_line(run, config):
    done = run("run", events={"events": []}, config=config)
    assert done.exit_code == 1
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_missing_file_and_unknown_rules(run):
    assert run("run", "nowhere.json").exit_code == 1
    assert run("run", "nowhere.json", "--rules", "other").exit_code == 2


def test_a_violation_is_written_and_can_be_played(run, tmp_path):
    out = tmp_path / "found.json"
    done = run("check", "--rules", "attributed-epoch", "--out", out)
    assert done.exit_code == 0
    worded(" ".join(done.output.split()), 1.5, 1)
    histograms = []
    for path in (out, tmp_path / "found-neighbour.json"):
        played = json.loads(run("run", path, "--rules", "attributed-epoch", "--json").output)
        events = played["payload"]["events"]
        histograms.append([event["outcome"] for event in events if event["what"] == "measureConversion"])
    distance = sum(abs(x - y) for h, g in zip(*histograms, strict=True) for x, y in zip(h, g, strict=True))
    assert distance * 1 / 2 == 1.5  # epsilon 1, of scale 2


def test_none_up_to_a_size_is_said_as_that(run):
    done = run("check", "--size", 1)
    worded(done.output)
    found = json.loads(run("check", "--size", 1, "--json").output)["payload"]
    assert (found["violation"], found["finished"], found["size"]) == (None, True, 1)
    assert found["worlds"] > found["worlds_after_symmetry"]


def test_a_limit_is_told(run):
    worded(run("check", "--size", 3, "--limit", 100).output)
