"""Made-up logs: the published statistics, every odd line, the same bytes, whole files."""

import csv
import gzip
import hashlib
import re
import subprocess
import sys
import tracemalloc
from collections import Counter, defaultdict
from datetime import datetime
from itertools import groupby, islice, pairwise

import numpy as np
import pytest
import tldextract

from quiff.errors import ParameterError
from quiff.logs.synth import SyntheticLog, write_log
from words import refused

USERS = 20_000
ORDINARY = re.compile(r"https?://(?:(?:www|www2|home|shop|news)\.)?([a-z]+-example(?:\.[a-z0-9]+)+)")


def read(path):
    """The rows of one file, by the csv module with quoting off."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    assert header == ["AnonID", "Query", "QueryTime", "ItemRank", "ClickURL"]
    return rows


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return write_log(SyntheticLog(users=USERS, seed=4), tmp_path_factory.mktemp("synth") / "log")


@pytest.fixture(scope="module")
def rows(written):
    return [row for path in written.files for row in read(path)]


@pytest.fixture(scope="module")
def topics(written):
    """The topics of each classified domain."""
    with written.classification.open(newline="") as file:
        header, *lines = csv.reader(file)
    assert header == ["", "domain", "topics"]
    assert [line[0] for line in lines] == [str(index) for index in range(len(lines))]
    assert all(re.fullmatch(r"('[A-Za-z ]+'(, '[A-Za-z ]+')*)?", line[2]) for line in lines)
    assert len({line[1] for line in lines}) == len(lines)
    return {domain: re.findall("'([^']+)'", cell) for _, domain, cell in lines}


@pytest.fixture(scope="module")
def visits(rows):
    """User, time and domain of each click with nothing odd about its URL."""
    found = ((row[0], row[2], ORDINARY.fullmatch(row[4])) for row in rows)
    return [(user, when, match[1]) for user, when, match in found if match]


def test_what_is_told_is_what_is_written(written, rows):
    ids = {row[0].lstrip("\x19") for row in rows}
    assert (written.users, written.rows) == (USERS, len(rows)) == (len(ids), len(rows))
    assert written.rows_without_url == sum(not row[4] for row in rows)


def test_every_line_has_five_fields_and_ends(written, rows):
    assert all(len(row) == 5 for row in rows)
    text = b"".join(gzip.decompress(path.read_bytes()) for path in written.files)
    assert text.count(b"\n") == len(rows) + len(written.files)
    assert b"\r" not in text


def test_rank_and_url_come_together(rows):
    assert all(bool(row[3]) == bool(row[4]) for row in rows)
    ranks = Counter(int(row[3]) for row in rows if row[3])
    assert min(ranks) == 1
    assert ranks[1] > ranks[2] > ranks[3] > ranks[10] > 0


def test_rows_per_user_follow_the_paper(rows):
    sizes = np.array(sorted(Counter(row[0].lstrip("\x19") for row in rows).values()))
    assert sizes.mean() == pytest.approx(55.35, rel=0.07)
    published = {0.25: 5, 0.5: 17, 0.75: 52, 0.95: 228, 0.99: 566}
    for share, size in published.items():
        assert np.quantile(sizes, share) == pytest.approx(size, rel=0.12), share
    assert sizes[0] == 1
    # the heavy tail: one user in a hundred has more than a tenth of all rows, and one user is far off
    assert sizes[-USERS // 100 :].sum() > 0.1 * sizes.sum()
    assert sizes[-1] == round(USERS * 279_430 / 657_426)


def test_clicks_follow_the_paper(rows):
    clicks = Counter(row[0].lstrip("\x19") for row in rows if row[4])
    assert 1 - clicks.total() / len(rows) == pytest.approx(16_946_938 / 36_389_567, abs=0.025)
    assert len(clicks) / USERS == pytest.approx(521_692 / 657_426, abs=0.012)
    for share, size in {0.25: 3, 0.5: 10, 0.75: 33, 0.95: 160, 0.99: 404}.items():
        assert np.quantile(list(clicks.values()), share) == pytest.approx(size, rel=0.15, abs=1), share


def test_domains_follow_the_paper(visits, written):
    popularity = Counter(domain for _, _, domain in visits)
    # of the most visited domain, of the first ten and hundred: 2.3 %, 10 % and 20 % of the AOL log
    ordered = np.array([count for _, count in popularity.most_common()]) / len(visits)
    assert ordered[0] == pytest.approx(0.022, abs=0.006)
    assert ordered[:10].sum() == pytest.approx(0.10, abs=0.03)
    assert ordered[:100].sum() == pytest.approx(0.20, abs=0.04)
    assert np.count_nonzero(ordered * len(visits) < 1.5) > 0.5 * len(ordered)  # most are met once
    labels = Counter(domain.count(".") + 1 for domain in popularity)
    for n_labels, count in {2: 1_194_526, 3: 99_442, 4: 6_494}.items():
        assert labels[n_labels] / labels.total() == pytest.approx(count / 1_300_484, rel=0.2)
    assert 0 <= len(popularity) - written.domains < 100  # a few odd lines look ordinary


def test_users_with_one_domain_are_as_frequent_as_in_the_paper(visits):
    domains = defaultdict(set)
    for user, _, domain in visits:
        domains[user].add(domain)
    singletons = sum(len(found) == 1 for found in domains.values())
    assert singletons / len(domains) == pytest.approx(85_601 / 521_607, abs=0.02)


def test_times_span_the_three_months_in_order(rows):
    assert {row[2][:10] for row in rows} == {
        str(datetime(2006, 3, 1) + np.timedelta64(day, "D").item())[:10] for day in range(92)
    }
    assert all(re.fullmatch(r"2006-0[345]-[0-3]\d [0-2]\d:[0-5]\d:[0-5]\d", row[2]) for row in rows)
    assert all(datetime.fromisoformat(row[2]) for row in rows[:1000])
    users = [
        (int(user), [row[2] for row in own]) for user, own in groupby(rows, lambda r: r[0].lstrip("\x19"))
    ]
    assert all(first < second for (first, _), (second, _) in pairwise(users))
    assert all(times == sorted(times) for _, times in users)


def test_queries_are_short_made_up_words(rows):
    usual = re.compile(r"([bdgklmnrtvwz][aeiou]){2,3}( ([bdgklmnrtvwz][aeiou]){2,3}){0,3}")
    assert sum(bool(usual.fullmatch(row[1])) for row in rows) > 0.999 * len(rows)


def test_domains_of_the_log_are_registrable(visits):
    former = ["bg.ac.yu", "ac.yu", "co.yu", "yu", "or.tp", "tp", "an"]
    extract = tldextract.TLDExtract(
        cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True, extra_suffixes=former
    )
    for domain in sorted({domain for _, _, domain in visits})[::20]:
        found = extract(f"www.{domain}")
        assert f"{found.domain}.{found.suffix}" == domain


def test_the_classification_covers_as_much_as_the_papers(visits, topics):
    classified = [domain for _, _, domain in visits if topics.get(domain)]
    assert len(classified) / len(visits) == pytest.approx(3_135_270 / 19_426_293, abs=0.03)
    assert len(set(classified)) > 3000
    assert {"gov.uk", "gov.br", "k12.tx.us"} <= set(topics)
    assert any(domain.endswith(".gov.uk") for _, _, domain in visits)
    assert sum(not found for found in topics.values()) == 100
    assert Counter(map(len, topics.values())).keys() == {0, 1, 2, 3}
    assert len({topic for found in topics.values() for topic in found}) == 150


def test_users_have_interests_of_their_own_that_last(visits, topics):
    halves = defaultdict(lambda: (Counter(), Counter()))
    for user, when, domain in visits:
        halves[user][when >= "2006-04-16"].update(topics.get(domain, ()))
    tops = [
        tuple({topic for topic, _ in half.most_common(5)} for half in both)
        for both in halves.values()
        if min(half.total() for half in both) >= 10
    ]
    assert len(tops) > 300
    same = np.mean([len(first & second) for first, second in tops])
    other = np.mean([len(first & second) for (first, _), (_, second) in pairwise(tops)])
    assert same > 2 * other
    assert len({frozenset(first) for first, _ in tops}) > 0.95 * len(tops)


ODD_FIELDS = {
    "control character in a number": (0, r"\x19\d+"),
    "control character \\x0e": (4, r".*\x0e.*"),
    "control character \\x0f": (4, r".*\x0f.*"),
    "brackets": (4, r"http://\[.*\]"),
    "lone bracket": (4, r"[^\[]*\]"),
    "port": (4, r"http://www\.[^:]*:8080"),
    "ip address": (4, r"http://\d+\.\d+\.\d+\.\d+"),
    "ip address with port": (4, r"http://\d+\.\d+\.\d+\.\d+:\d+"),
    "no scheme": (4, r"www\.[a-z-]+\.[a-z.]+"),
    "no scheme with path": (4, r"www\.[a-z-]+\.[a-z.]+/.*"),
    "upper case": (4, r"HTTP://WWW\.[A-Z0-9.-]+"),
    "mixed case": (4, r"http://(WWW\.[a-z]|www\.[A-Z]).*"),
    "quote before a query": (1, r'"[^"]*'),
    "quote in a query": (1, r'[^"]+"[^"]+'),
    "quote before a URL": (4, r'"http://.*'),
    "quote after a URL": (4, r'[^"]+"'),
    "suffix of one label": (4, r"http://(com|br)"),
    "suffix of one label after w": (4, r"http://www\.br"),
    "suffix of two labels": (4, r"http://gov\.br"),
    "suffix of two labels after w": (4, r"http://www\.gov\.br"),
    "unicode label": (4, r"http://www\.[^\x00-\x7f].*|http://www\.b[^\x00-\x7f].*"),
    "unicode suffix": (4, r".*\.公司\.cn"),
    "punycode suffix": (4, r".*\.xn--55qx5d\.cn"),
    "ideographic dot": (4, r".*\u3002.*"),
    "full-width dot": (4, r".*\uff0e.*"),
    "unicode query": (1, r".*[^\x00-\x7f].*"),
    "wildcard suffix": (4, r"http://www\.[a-z-]+\.gov\.ck"),
    "bare wildcard suffix": (4, r"http://co\.ck"),
    "deeper wildcard suffix": (4, r"http://www\.[a-z-]+\.[a-z]+\.kobe\.jp"),
    "exception to a wildcard": (4, r"http://www\.ck"),
    "former suffix": (4, r".*\.(co|ac)\.yu"),
    "no suffix": (4, r"http://localhost"),
    "sign as a label": (4, r"http://\+\.gov\.br"),
    "hyphen as a label": (4, r"http://-\.gov\.br"),
    "underscore": (4, r"http://my_.*"),
    "outer hyphens": (4, r"http://www\.--.*--\.net"),
    "path": (4, r"http://www\.[^/]*/.+"),
    "user name": (4, r"http://user@.*"),
    "outer dot": (4, r"http://www\.[a-z.-]*\."),
    "no host": (4, r"http://"),
}


@pytest.fixture(scope="module")
def distinct(rows):
    """The distinct values of the columns that odd values are in."""
    return {field: {row[field] for row in rows} for field in (0, 1, 4)}


@pytest.mark.parametrize("kind", ODD_FIELDS)
def test_each_kind_of_odd_line_is_there(distinct, kind):
    field, pattern = ODD_FIELDS[kind]
    assert any(re.fullmatch(pattern, value) for value in distinct[field])


def test_odd_lines_are_rare(rows, visits):
    clicks = sum(bool(row[4]) for row in rows)
    assert 0 < clicks - len(visits) < 0.003 * clicks
    assert sum(row[0].startswith("\x19") for row in rows) == 1
    assert sum("\x0e" in row[4] or "\x0f" in row[4] for row in rows) < 5


def digests(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def test_the_same_seed_gives_the_same_bytes_in_another_process(tmp_path):
    code = """
import sys
from quiff.logs.synth import SyntheticLog, write_log
write_log(SyntheticLog(users=5000, seed=7), sys.argv[1])
"""
    for name in ("one", "two"):
        subprocess.run([sys.executable, "-c", code, tmp_path / name], check=True)
    write_log(SyntheticLog(users=5000, seed=8), tmp_path / "other")
    one, two, other = (digests(tmp_path / name) for name in ("one", "two", "other"))
    assert one == two
    assert (
        one.keys()
        == other.keys()
        == {
            ".quiff-wrote",
            "log-01.txt.gz",
            "classification.csv",
            "conversions.parquet",
        }
    )
    del one[".quiff-wrote"]
    assert not set(one.values()) & set(other.values())


@pytest.mark.parametrize("n_rows", [1, 2, 56, 1000, 300_001])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_rows_are_exactly_as_many_as_asked_for(tmp_path, n_rows, seed):
    written = write_log(SyntheticLog(rows=n_rows, seed=seed), tmp_path / "log")
    assert written.rows == n_rows == sum(len(read(path)) for path in written.files)


@pytest.mark.parametrize("n_users", [1, 2, 4095, 4096, 4097])
def test_users_are_exactly_as_many_as_asked_for(n_users):
    blocks = list(SyntheticLog(users=n_users, seed=1).blocks())
    assert sum(block.n_users for block in blocks) == n_users
    ids = {
        line.split(b"\t")[0].lstrip(b"\x19") for block in blocks for line in bytes(block.text).splitlines()
    }
    assert len(ids) == n_users


def test_users_stay_in_one_file(tmp_path, monkeypatch):
    monkeypatch.setattr("quiff.logs.synth.log._BLOCKS", 1)
    written = write_log(SyntheticLog(users=9000), tmp_path / "log")
    assert [path.name for path in written.files] == ["log-01.txt.gz", "log-02.txt.gz", "log-03.txt.gz"]
    users = [{row[0].lstrip("\x19") for row in read(path)} for path in written.files]
    assert sum(map(len, users)) == len(set.union(*users)) == 9000


def test_blocks_come_one_by_one_however_large_the_log():
    first = list(islice(SyntheticLog(rows=10**10).blocks(), 3))
    assert all(block.n_users <= 4096 and block.n_rows < 10**6 for block in first)


def peak(n_users):
    tracemalloc.start()
    for _ in SyntheticLog(users=n_users).blocks():
        pass
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def test_memory_does_not_grow_with_the_log():
    peak(1000)  # what is loaded once
    assert peak(8 * 4096) < 1.3 * peak(2 * 4096)


def test_a_failed_run_leaves_nothing(tmp_path):
    def fail(rows):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_log(SyntheticLog(users=100), tmp_path / "log", progress=fail)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_run_leaves_the_old_log(tmp_path):
    write_log(SyntheticLog(users=10), tmp_path / "log")
    before = digests(tmp_path / "log")

    def fail(rows):
        raise OSError(28, "No space left on device")

    with refused(ParameterError):
        write_log(SyntheticLog(users=11), tmp_path / "log", force=True, progress=fail)
    assert digests(tmp_path / "log") == before
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


def test_progress_is_told_the_rows(tmp_path):
    told = []
    written = write_log(SyntheticLog(users=9000), tmp_path / "log", progress=told.append)
    assert told == sorted(told)
    assert told[-1] == written.rows


def test_an_empty_folder_is_taken_and_parents_are_made(tmp_path):
    (tmp_path / "empty").mkdir()
    write_log(SyntheticLog(users=2), tmp_path / "empty")
    write_log(SyntheticLog(users=2), tmp_path / "a" / "b")
    assert digests(tmp_path / "empty") == digests(tmp_path / "a" / "b")


def test_only_a_made_up_log_is_replaced(tmp_path):
    out = tmp_path / "log"
    write_log(SyntheticLog(users=2), out)
    with refused(ParameterError):
        write_log(SyntheticLog(users=3), out)
    assert write_log(SyntheticLog(users=3), out, force=True).users == 3
    assert len({row[0].lstrip("\x19") for row in read(out / "log-01.txt.gz")}) == 3
    (out / "thesis.tex").write_text("precious")
    with refused(ParameterError):
        write_log(SyntheticLog(users=4), out, force=True)
    assert (out / "thesis.tex").read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


def test_a_file_is_not_replaced(tmp_path):
    (tmp_path / "log").write_text("precious")
    with refused(ParameterError):
        write_log(SyntheticLog(users=2), tmp_path / "log", force=True)


@pytest.mark.parametrize(
    ("arguments", "numbers"),
    [
        ({}, ()),
        ({"users": 3, "rows": 3}, (3,)),
        ({"users": 0}, (1, 100000000, 0)),
        ({"rows": -5}, (-5,)),
        ({"rows": 1e6}, (1000000.0,)),
        ({"users": 3, "seed": -1}, (-1,)),
    ],
)
def test_numbers_out_of_range(arguments, numbers):
    with refused(ParameterError, *numbers):
        SyntheticLog(**arguments)
