"""The peers of `quiff treat`: pandas or polars with tldextract, SQL by hand, and the floor for all of them.

They follow the same rules as quiff: rows without URL, user or time go; control characters are taken out of
user names; the domain of a URL is the label before its public suffix, and the suffix (the list's private
section and twelve extra endings among them), with the paper's cases for what is no such label; users become
random numbers of the operating system. They do less than quiff: they count nothing of what they drop, know of
no malformed line, and write no table of unique domains.
"""

import csv
import random
import re
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

_LARGEST = 2**53
_CONTROL = r"[\x00-\x1f\x7f]"
_REMOVED = str.maketrans("", "", "\x0e\x0f[]")
_LABEL = re.compile("-*[A-Za-z0-9][A-Za-z0-9-]*")
_FIELDS = "columns = {'a': 'VARCHAR', 'b': 'VARCHAR', 'c': 'VARCHAR', 'd': 'VARCHAR', 'e': 'VARCHAR'}"


def logs_of(inputs):
    return sorted(map(str, inputs.glob("log/log-*.txt.gz")))


def suffix_list():
    """The file that quiff takes by default."""
    return files("publicsuffixlist") / "public_suffix_list.dat"


def domains_by_tldextract():
    """Return the function from a URL to its domain, None if it has none."""
    import tldextract

    from quiff.logs.suffixes import EXTRA_SUFFIXES

    extract = tldextract.TLDExtract(
        cache_dir=None,
        suffix_list_urls=[suffix_list().as_uri()],
        fallback_to_snapshot=False,
        include_psl_private_domains=True,
        extra_suffixes=EXTRA_SUFFIXES,
    )

    def domain_of(url):
        parts = urlsplit(url.translate(_REMOVED))
        found = extract(parts.netloc or parts.path)
        label, suffix = found.domain, found.suffix
        if not suffix:
            return None
        if not label.strip("Ww"):
            return suffix if "." in suffix else None
        return f"{label.strip('-')}.{suffix}" if _LABEL.fullmatch(label) else None

    return domain_of


def treat_with_pandas(logs, out, *, distinct):
    """Write the visits of a log, looking at each row's URL or at each distinct URL; return the rows read."""
    import pandas as pd

    columns = ["AnonID", "QueryTime", "ClickURL"]
    frames = [
        pd.read_csv(log, sep="\t", usecols=columns, dtype=str, quoting=csv.QUOTE_NONE, keep_default_na=False)
        for log in logs
    ]
    rows = pd.concat(frames, ignore_index=True)
    n_read = len(rows)
    rows = rows[rows["ClickURL"] != ""]
    visits = pd.DataFrame(
        {
            "name": rows["AnonID"].str.replace(_CONTROL, "", regex=True),
            "time": pd.to_datetime(rows["QueryTime"], format="%Y-%m-%d %H:%M:%S", errors="coerce"),
            "url": rows["ClickURL"],
        }
    )
    visits = visits[(visits["name"] != "") & visits["time"].notna()]
    domain_of = domains_by_tldextract()
    if distinct:
        visits["domain"] = visits["url"].map({url: domain_of(url) for url in visits["url"].unique()})
    else:
        visits["domain"] = visits["url"].map(domain_of)
    names = visits["name"].unique()
    numbers = random.SystemRandom().sample(range(_LARGEST), len(names))
    visits["user"] = visits["name"].map(dict(zip(names, numbers, strict=True)))
    treated = visits.loc[visits["domain"].notna(), ["user", "time", "domain"]]
    treated.to_parquet(out / "treated.parquet", index=False)
    return n_read


def treat_with_polars(logs, out, lap):
    """Write the visits of a log, looking at each distinct URL; `lap` is told when a part is done."""
    import polars as pl

    columns = ["AnonID", "QueryTime", "ClickURL"]
    options = {"separator": "\t", "quote_char": None, "columns": columns, "infer_schema": False}
    rows = pl.concat([pl.read_csv(log, **options) for log in logs])
    lap("read the log")
    time = pl.col("QueryTime").str.to_datetime("%Y-%m-%d %H:%M:%S", strict=False)
    name = pl.col("AnonID").str.replace_all(_CONTROL, "")
    clicks = rows.lazy().filter(pl.col("ClickURL") != "")
    visits = clicks.select(name=name, time=time, url="ClickURL").drop_nulls().filter(pl.col("name") != "")
    visits = visits.collect()
    lap("clean it")
    urls, domain_of = visits["url"].unique(), domains_by_tldextract()
    domains = pl.DataFrame({"url": urls, "domain": pl.Series(map(domain_of, urls), dtype=pl.String)})
    lap("domains of distinct URLs, in Python")
    names = visits["name"].unique()
    numbers = random.SystemRandom().sample(range(_LARGEST), len(names))
    users = pl.DataFrame({"name": names, "user": numbers})
    treated = visits.join(domains.drop_nulls(), on="url").join(users, on="name")
    treated.select("user", "time", "domain").write_parquet(out / "treated.parquet")
    lap("join and write")
    return rows.height


def treat_with_sql(logs, out):
    """Write the visits of a log by the statements of treat.sql."""
    import duckdb
    import pyarrow as pa

    with duckdb.connect(config={"temp_directory": str(out / "spill")}) as con:
        con.execute("SET VARIABLE logs = $logs", {"logs": logs})
        con.execute("CREATE TEMP TABLE rules (ending VARCHAR, kind VARCHAR)")
        con.register("listed", rules_table())
        con.execute("INSERT INTO rules SELECT * FROM listed")
        con.execute(Path(__file__).with_name("treat.sql").read_text(encoding="utf-8"))
        (size,) = con.execute("SELECT count(*) FROM users").fetchone()
        numbers = random.SystemRandom().sample(range(_LARGEST), size)
        con.register("drawn", pa.table({"place": range(1, size + 1), "number": numbers}))
        con.execute("INSERT INTO numbers SELECT * FROM drawn")
        con.execute(f"COPY treated TO '{out / 'treated.parquet'}' (FORMAT parquet)")


def rules_table():
    """Return ending and kind of every rule, in Unicode and in Punycode."""
    import pyarrow as pa

    from quiff.logs.suffixes import EXTRA_SUFFIXES

    lines = suffix_list().read_text(encoding="utf-8").splitlines()
    rules = [line.split()[0] for line in lines if line.strip() and not line.startswith("//")]
    rows = {}
    for rule in [*rules, *EXTRA_SUFFIXES]:
        kind = {"!": "exception", "*": "wildcard"}.get(rule[0], "plain")
        ending = rule.removeprefix("!").removeprefix("*.")
        rows |= {(ending, kind): None, (_in_punycode(ending), kind): None}
    endings, kinds = zip(*rows, strict=True)
    return pa.table({"ending": endings, "kind": kinds})


def _in_punycode(name):
    labels = name.split(".")
    return ".".join(
        label if label.isascii() else "xn--" + label.encode("punycode").decode() for label in labels
    )


def parse_only(logs):
    """Parse user, time and URL of every row, with nothing left to guess, and return the number of rows."""
    import duckdb

    with duckdb.connect() as con:
        found = con.execute(
            f"SELECT count(*), count(a), count(c), count(e) FROM read_csv({logs!r}, {_FIELDS},"  # noqa: S608
            r" delim = '\t', quote = '', escape = '', header = true, auto_detect = false)"
        ).fetchone()
    return found[0]
