"""What is wrong in somebody's data is told by its place and its shape, never by what it says."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from quiff import Population, TopicsAPI
from quiff.apis.taxonomy import topics_for
from quiff.browser.page_loads import read_page_loads
from quiff.browser.rates import visit_rates
from quiff.browser.reports import Reports
from quiff.cli import main
from quiff.errors import QuiffError, engine_line
from quiff.logs.classifications import read_classification
from quiff.logs.engine import connect
from quiff.logs.tables import read_table
from words import worded

SECRET = "Zaphod"  # noqa: S105 - a user, a topic, a site or a domain
PROFILES = [
    "{s},News\n{s}x,Sports\n", "name,{s}\nu,{s}\n", "user,t1\n{s},News\n{s},Sports\n",
    "user,t1,t2\nu,{s},{s}\n", "user,t1,t2\n{s},News\n", "user,t1\nu,News,{s}\n", 'user,t1\nu,"{s}\nv,News\n',
    "user,topics\nu,__import__('{s}')\n", "user,topics\nu,'{s}', b\n", "user,epoch,t1\nu,{s},News\n",
    "user,epoch,t1\n{s},0,News\n{s},0,Sports\n", "user,epoch,t1\n{s},0,News\nv,0,News\nv,1,News\n",
    "user,t1,w\n{s},News,{s}\n", "user,t1,w\n{s},News,-1\n", "user,t1,genuine\n{s},News,{s}\n",
    "user,t1,genuine\n{s},News,7\n", "user,t1\n{s}\x00,\n", "user,t1\n,{s}\n", "user,t1\n{s}\r{s},News\n",
    "user;t1\n{s};News\n{s};Art\n", '{{"user": "{s}"}}\n', "user,t1\n\ufeff{s},\n",
]  # fmt: skip


def told(work):
    """Return all that an error tells, also where a command repeats it."""
    with pytest.raises(QuiffError) as caught:
        work()
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("text", PROFILES)
def test_profiles(text, packed, merged, tmp_path):
    path = tmp_path / ("profiles.csv.gz" if packed else "profiles.csv")
    content = text.format(s=SECRET).encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    weights = "w" if ",w\n" in text else None
    assert SECRET not in told(lambda: Population.read(path, weights=weights, merged=merged))


def test_profiles_that_are_no_utf8(tmp_path):
    path = tmp_path / "profiles.csv"
    path.write_bytes(b"user,t1\n" + SECRET.encode() + b"\xff,News\n")
    assert SECRET not in told(lambda: Population.read(path))


@pytest.mark.parametrize(
    "columns",
    [{"user": [SECRET, SECRET], "t1": ["a", "b"]}, {"user": [SECRET], "topics": [[SECRET, SECRET]]},
     {"user": [SECRET, "v"], "topics": [["a"], ["a", SECRET]]}],
)  # fmt: skip
def test_profiles_in_parquet(columns, tmp_path):
    pq.write_table(pa.table(columns), tmp_path / "profiles.parquet")
    assert SECRET not in told(lambda: Population.read(tmp_path / "profiles.parquet"))


@pytest.mark.parametrize(
    "text",
    [
        "{s},x,0,1\n", "user,site,epoch,topic\n{s},{s},0,1\nv,y,0,1\n",
        "user,site,epoch,topic\n{s},x,{s},1\n",
        "user,site,epoch,topic\n{s},x,0,1\n{s},x,0,1\n", "user,site,epoch,topic\n{s},x,0\n",
        "user,site,epoch,topic,late\n{s},x,0,1,{s}\n", "user,site,epoch,topic\n{s},x,7,1\n",
    ],
)  # fmt: skip
def test_reports(text, tmp_path):
    (tmp_path / "reports.csv").write_text(text.format(s=SECRET))
    assert SECRET not in told(lambda: Reports.read(tmp_path / "reports.csv"))


def test_a_reported_topic_that_is_not_known(tmp_path):
    (tmp_path / "reports.csv").write_text(f"user,site,epoch,topic\nu,x,0,{SECRET}\n")
    assert SECRET not in told(lambda: Reports.read(tmp_path / "reports.csv", topics=["News"]))


@pytest.mark.parametrize(
    "text",
    ["{s},1,x,y\n", "user,time,site,callers\n{s},{s},x,y\n", "user,time,site,callers\n{s},1,,y\n",
     "user,time,site,callers\n{s},1,x\n", "user,time,site,callers\n{s},888888888888888888,x,y\n"],
)  # fmt: skip
def test_page_loads(text, tmp_path):
    (tmp_path / "loads.csv").write_text(text.format(s=SECRET))
    message = told(lambda: read_page_loads(tmp_path / "loads.csv"))
    assert SECRET not in message
    assert "8888" not in message


def test_rates(tmp_path):
    (tmp_path / "rates.csv").write_text(f"1,2\n3,{SECRET}\n")
    assert SECRET not in told(lambda: visit_rates(tmp_path / "rates.csv"))


def test_a_topic_that_is_not_in_the_taxonomy():
    people = Population.from_sets({"Arthur": {1}, SECRET: {SECRET}})
    assert SECRET not in told(lambda: topics_for(people, "v1"))
    assert TopicsAPI(2, 1).n_topics == 2


@pytest.mark.parametrize(
    "said",
    [
        f"Conversion Error: Could not convert string '{SECRET}' to INT64",
        f"""Invalid Input Error: column "user": value "{SECRET}'s" is '{SECRET}', no "number" """,
        f"CSV parse error: Expected 3 columns, got 4: {SECRET},a,b,c",
        f"[CAST_INVALID_INPUT] The value '{SECRET}' of the type \"STRING\" cannot be cast",
        f"first line\nOriginal Line: {SECRET}",
    ],
)
def test_what_engines_quote_is_left_out(said):
    assert SECRET not in engine_line(ValueError(said))


def test_published_tables_and_classifications_without_their_first_line(tmp_path):
    table, listed = tmp_path / "experimental.csv", tmp_path / "topics.csv"
    table.write_text(f"0,17,\"[('{SECRET}.example', '2006-03-05 07:21:19')]\",\"['{SECRET}']\"\n")
    listed.write_text(f"{SECRET}.example,{SECRET}\n")
    assert SECRET not in told(lambda: read_table(connect(), table, ("experimental",)))
    assert SECRET not in told(lambda: read_classification(listed))


LOGS = {
    "text for sets": ("topics", "topics,observation\n{s},1\n{s}x,2\n"),
    "numbers for sets": ("topics", "topics,observation\n4242,1\n4343,2\n"),
    "sets of other sizes": ("topics", "topics,observation\n['{s}'],1\n['{s}', 'b'],2\n"),
    "no conversions": ("conversions", "conversions,observation\n{s},1\n{s}@x,2\n"),
    "no history": ("history", "history,observation\n4242,1\n4343,2\n"),
}
SPECS = ["topics", "android_topics", "event_level", "floc", "private_aggregation", "parakeet", "rappor"]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("log", LOGS)
def test_a_claim_about_a_log(spec, log, tmp_path):
    column, text = LOGS[log]
    file = tmp_path / "log.csv"
    file.write_text(text.format(s=SECRET))
    for words in ([], ["--people", file]):
        told = CliRunner().invoke(
            main, ["audit", str(file), "--secret", column, "--api", spec, *map(str, words)]
        )
        assert not told.exception or isinstance(told.exception, SystemExit)
        assert SECRET not in told.output
        assert "4242" not in told.output


def test_an_own_api_that_fails_on_a_secret(tmp_path):
    own, log = tmp_path / "own.py", tmp_path / "log.csv"
    own.write_text("import quiff\n\n@quiff.program\ndef api(country, draw):\n    return {}[country]\n")
    log.write_text(f"country,observation\n{SECRET},1\nv,2\n")
    words = ["audit", str(log), "--secret", "country", "--api", f"{own}:api"]
    told = CliRunner().invoke(main, words)
    assert told.exit_code == 1
    assert SECRET not in told.output
    worded(told.output)
    assert SECRET in CliRunner().invoke(main, [*words, "--show-rows"]).output


def test_an_audited_file_without_its_first_line(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text(f"{SECRET},x\n{SECRET}y,z\n")
    told = CliRunner().invoke(main, ["audit", str(log)])
    assert told.exit_code == 1
    assert SECRET not in told.output
    worded(told.output)


def test_a_gain_that_lacks_a_secret(tmp_path):
    log, gain = tmp_path / "log.csv", tmp_path / "gain.csv"
    log.write_text("secret,observation\n" + f"{SECRET},x\nv,z\n" * 20)
    gain.write_text("action,v\nguess,1\n")
    told = CliRunner().invoke(main, ["audit", str(log), "--gain", str(gain)])
    assert told.exit_code == 1
    assert SECRET not in told.output


@pytest.mark.parametrize("cell", ["{s}", "basket@{s}", "basket@1={s}", "4242"])
def test_conversions(cell, tmp_path):
    people = tmp_path / "p.csv"
    people.write_text("user,t1,conversions\nu,1," + cell.format(s=SECRET) + "\nv,2,\n")
    told = CliRunner().invoke(main, ["measure", str(people), "--api", "event_level"])
    assert told.exit_code == 1
    assert SECRET not in told.output
    assert "4242" not in told.output
