"""Three logs through every stage of the pipeline, and a digest of each table: what the contract freezes.

The logs are files: searches in the form of AOL's with tabs and damaged lines, a quoted CSV file with zones
and line breaks inside values, and JSON lines with Unix times. `python tests/contract/pipeline.py` freezes the
digests anew.
"""

import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path

import duckdb
from click.testing import CliRunner

FOLDER = Path(__file__).parent
FROZEN = FOLDER / "digests.json"
LOGS = FOLDER / "logs"
TREATED = {
    "searches": ["searches.txt"],
    "visits": ["visits.csv", "--user", "who", "--time", "when", "--url", "where"],
    "records": ["visits.jsonl", "--user", "uid", "--time", "ts", "--url", "url"],
}


def run(*words):
    from quiff.cli import main

    done = CliRunner().invoke(main, [*map(str, words), "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def digest(path):
    """Return the digest of a table's columns and rows, in whatever order the rows were written."""
    table = duckdb.sql(f"SELECT * FROM read_parquet('{path}', hive_partitioning=false)")  # noqa: S608
    rows = sorted(repr(row) for row in table.fetchall())
    content = "\n".join([repr(table.columns), *rows])
    return {"rows": len(rows), "sha256": hashlib.sha256(content.encode()).hexdigest()}


def counts(answer):
    """Keep what a stage counted: whole numbers, and those by reason."""
    kept = {name: number for name, number in answer.items() if type(number) is int}
    return kept | {name: answer[name] for name in ("dropped",) if name in answer}


def stages(name, folder, engine="duckdb"):
    """Take a log through the stages, and return the digest of every table and what each stage counted."""
    first, *columns = TREATED[name]
    engine = ["--engine", engine]
    listed = LOGS / "classification.csv"
    counted = {
        "treat": run("treat", LOGS / first, *columns, "--out", folder, "--seed", 1, *engine),
        "classify": run("classify", folder, "--classification", listed, "--out", folder, *engine),
        "experiment": run("experiment", folder / "reduced.parquet", "--out", folder, *engine),
    }
    profiles = folder / "profiles.parquet"
    profile = ["--out", profiles, "--seed", 1, "--top", 3, "--epoch-days", 7, *engine]
    counted["profile"] = run("profile", folder / "experimental.parquet", *profile)
    tables = sorted(path for path in folder.rglob("*.parquet") if not path.parent.name.endswith(".parquet"))
    return {
        "tables": {path.name: digest(path / "*.parquet" if path.is_dir() else path) for path in tables},
        "counts": {stage: counts(answer) for stage, answer in counted.items()},
    }


def freeze():
    digests = {}
    for name in TREATED:
        with tempfile.TemporaryDirectory() as folder:
            digests[name] = stages(name, Path(folder))
    FROZEN.write_text(json.dumps(digests, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    os.environ["QUIFF_MIRROR"] = ""
    sys.path.insert(0, str(FOLDER.parent))
    freeze()
