"""Writes what the groups measured to the documentation: a page with figures, and two tables elsewhere.

The page says of each group what it measures and how the peers were run, in the words of the group's module.
"""

import importlib
import json
import re
import textwrap
from math import log
from pathlib import Path

from benchmarks.harness import RESULTS, write_public

PROJECT = Path(__file__).parents[1]
DOCS = PROJECT / "docs"
PAGE, FIGURES = DOCS / "benchmarks.md", DOCS / "images" / "benchmarks"
TITLES = {
    "engine": "The engine: six numbers from an array of sets",
    "functions": "Each function and optimal mechanisms, beside qif",
    "measure": "From a file of profiles to privacy, utility and risk",
    "history": "From a raw log to registrable domains",
    "epochs": "Many epochs",
    "attacks": "Attacks",
    "programs": "Programs",
    "stability": "Interests that change",
    "attribution": "The W3C Attribution API",
    "compare": "All APIs side by side",
    "audit": "Audits of logs",
    "growth": "How the cost grows",
    "large": "Users who outgrow memory",
    "before": "Beside an earlier version",
}
SHORT = "In short"
BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"
# job, group, how the title of the part begins and how the peer's name begins; the last such part is taken
HEADLINES = (
    ("an array of sets to six figures", "engine", "End to end, from", "pandas frames row by row"),
    ("channels ready, to six figures", "engine", "Measures alone", "qif, dense matrices ready, Fortran"),
    ("an array of few sets to six figures", "engine", "End to end, at a size", "qiflib"),
    ("a file of profiles to 79 figures", "measure", "A population", "pandas frames row by row"),
    ("a file of profiles to 79 figures", "measure", "A population", "pandas frames filled at once"),
    ("leakage over two epochs", "epochs", "Beside the dense peer: stable sets, 2", "qif"),
    ("attack on 30 epochs of reports", "attacks", "Noise removal", "plain Python"),
    ("an API as a program to its channel", "programs", "Topics as the paper", "lea"),
    ("a raw log to domains", "history", "A log", "pandas + tldextract, row by row"),
    ("a raw log to domains", "history", "A log", "pandas + tldextract, distinct"),
    ("a raw log to domains", "history", "A log", "polars"),
    ("a raw log to domains", "history", "A log", "DuckDB SQL by hand"),
)


def write_page():
    """Write the page, its figures and the README's table from the stored results.

    A group without results keeps its section, which says when it was measured.
    """
    paths = {name: RESULTS / f"{name}.json" for name in TITLES}
    groups = {name: json.loads(path.read_text()) for name, path in paths.items() if path.exists()}
    quick = [name for name, found in groups.items() if found.get("quick", False)]
    if quick or not groups:
        why = f"{', '.join(quick)} ran with --quick" if quick else "no group has run"
        raise SystemExit(f"the page is not written: {why}")
    FIGURES.mkdir(parents=True, exist_ok=True)
    sections = _kept_sections() | {TITLES[name]: _section(name, found) for name, found in groups.items()}
    short = {}
    if groups.keys() >= {group for _, group, *_ in HEADLINES}:
        ran_on = f"{_ran_on(groups['engine'])}:\n\n"
        sections[SHORT] = f"## {SHORT}\n\n{ran_on}{_headlines(groups)}"
        short[PROJECT / "README.md"] = ran_on + _headlines(groups, closest=True)
    covered = RESULTS / "audit-coverage.json"
    if "audit" in groups and covered.exists():
        from benchmarks.audit import coverage_table

        short[DOCS / "how-to" / "audit.md"] = coverage_table(json.loads(covered.read_text()))
    if "growth" in groups:
        grown = [*groups["growth"]["parts"], *groups.get("large", {"parts": []})["parts"]]
        short[DOCS / "scale.md"] = f"{_ran_on(groups['growth'])}:\n\n{_growth(grown)}"
    ordered = [sections[title] for title in (SHORT, *TITLES.values()) if title in sections]
    write_public(PAGE, "\n\n".join(part.strip() for part in (OPENING, *ordered)) + "\n")
    for page, table in short.items():
        write_public(page, _between(page, table))
    print(f"written to {', '.join(map(str, (PAGE, FIGURES, *short)))}")


def _kept_sections():
    """The sections that stand in the page, by their titles."""
    parts = re.split(r"^(?=## )", PAGE.read_text(), flags=re.MULTILINE)[1:]
    return {part.partition("\n")[0].removeprefix("## "): part for part in parts}


def _ran_on(found):
    machine, versions = found["machine"], found["versions"]
    where = f"{machine['cores']} cores of an {machine['processor']}"
    return f"Measured on {machine['date']} with quiff {versions['quiff']}, on {where}"


def _used(found):
    packages = ", ".join(
        f"{name} {version}" for name, version in found["versions"].items() if name != "quiff"
    )
    return f"{_ran_on(found)}, with Python {found['machine']['python']}, {packages}."


OPENING = """# Benchmarks

<!-- Written by `make bench`; do not edit. -->

`make bench` runs quiff side by side with what its users do without it: on the same inputs, each run in a
fresh process, in turns, so that a noisy machine disturbs all of them alike. Times are medians of wall-clock
time without imports; memory is the most that a process and its children held. Before a ratio is printed, the
results are checked to be equal: floats to nine digits, counts and digests exactly. `make bench GROUP=engine`
runs one group, `make bench GROUP="engine --quick"` a small version of it, and `make bench GROUP=before
BEFORE=FOLDER` sets quiff beside an earlier version of itself. `make bench GROUP=page` writes this page.

Not all sections are of the same day and version: a group that has not run since keeps its section, and each
says when it was measured, with which version of quiff and on which machine.

The machine is shared with others; the ratios are steadier than the times. Where wall-clock time is far above
CPU time, others had the processor meanwhile.
"""


def _headlines(groups, closest=False):
    """All headlines, or of each group the one whose peer comes closest."""
    rows = {}
    for job, group, title, peer in HEADLINES:
        part, theirs = [
            (part, row)
            for part in groups[group]["parts"]
            for row in part["rows"]
            if part["title"].startswith(title) and row["contender"].startswith(peer)
        ][-1]
        (ours,) = (row for row in part["rows"] if row["contender"] == part["ours"])
        times, beside = theirs["times_slower"], f"{theirs['contender']}: {_cost(theirs)}"
        line = f"| {job} | {_size(part)} | {_cost(ours)} | {beside} | {_digits(times)} |"
        rows.setdefault(group, []).append((times, line))
    shown = [line for found in rows.values() for _, line in ([min(found)] if closest else found)]
    return "\n".join(["| job | size | quiff | peer | times faster |", "|---|---|---|---|---:|", *shown, ""])


def _growth(parts):
    """The smallest and the largest size of each series, and how time grows at its end."""
    lines = ["| what grows | from | to | time grows as the size to the power |", "|---|---|---|---:|"]
    for part in parts:
        if len(part["sizes"]) == 1:
            continue
        first, last = part["rows"][0], part["rows"][-1]
        ends = " | ".join(f"{row['contender']}: {_cost(row)}" for row in (first, last))
        lines.append(f"| {part['title']} | {ends} | {_power(part):.2f} |")
    return "\n".join(lines) + "\n"


def _size(part):
    """The size of a part: that of its title, or how many users it is about."""
    found = re.search(r"(\d[\d,]*) (users|rows)", part["title"])
    number, what = (found[1].replace(",", ""), found[2]) if found else (part["facts"]["users"], "users")
    return f"{_many(int(number))} {what}"


def _many(number):
    return f"{number:,}"


def _cost(row):
    memory = row["peak_mib"]
    return (
        f"{_seconds(row['wall_s'])}, {memory / 1024:.1f} GiB"
        if memory > 1000
        else f"{_seconds(row['wall_s'])}, {memory:.0f} MiB"
    )


def _seconds(seconds):
    return f"{_digits(seconds)} s" if seconds >= 0.1 else f"{_digits(1000 * seconds)} ms"


def _digits(value):
    """Two digits, and all those before the point."""
    return _many(round(value)) if value >= 10 else f"{value:.2g}"


def _section(name, found):
    module = importlib.import_module(f"benchmarks.{name}")
    about = textwrap.dedent(module.__doc__).partition("\n\n")[2].strip()
    lines = [f"## {TITLES[name]}", "", about.replace("``", "`"), "", _used(found), ""]
    if name == "before":
        return "\n".join([*lines, module.ratios(found["parts"])])
    if module.PEERS:
        lines += ["How the peers were run:", ""]
        lines += [f"- *{peer}*: {how}" for peer, how in module.PEERS.items()] + [""]
    figure = _growth_figure(found) if name == "growth" else _times_figure(name, found)
    write_public(FIGURES / f"{name}.svg", figure.to_svg())
    lines += [f"![{figure.title}](images/benchmarks/{name}.svg)", ""]
    for part in found["parts"]:
        lines += _table(part, growing=len(part.get("sizes", ())) > 1)
    if found.get("opening"):
        lines += [found["opening"]]
    return "\n".join(lines)


def _table(part, growing):
    ratio = "times the smallest" if growing else "times as long"
    lines = [f"### {part['title']}", ""]
    lines += [f"| who | wall | CPU | peak memory | {ratio} | runs |", "|---|---:|---:|---:|---:|---:|"]
    lines += [
        f"| {row['contender']} | {_seconds(row['wall_s'])} | {_seconds(row['cpu_s'])} "
        f"| {row['peak_mib']:.0f} MiB | {_digits(row['times_slower'])} | {row['repeats']} |"
        for row in part["rows"]
    ]
    facts = "; ".join(f"{name}: {_fact(value)}" for name, value in part["facts"].items())
    lines += ["", f"{facts}.", ""]
    if growing:
        lines += [f"At the end of the series, time grows as the size to the power {_power(part):.2f}.", ""]
    for row in part["rows"]:
        if row["laps"]:
            laps = ", ".join(f"{lap} {_seconds(seconds)}" for lap, seconds in row["laps"].items())
            lines += [f"Where the time of {row['contender']} goes: {laps}.", ""]
    return lines


def _fact(value):
    return f"{value:.6g}" if isinstance(value, float) else _many(value) if isinstance(value, int) else value


def _grown(part):
    """The sizes of a series: the option that changes."""
    first, last = part["sizes"][0], part["sizes"][-1]
    (option,) = (name for name in first if first[name] != last[name])
    return [size[option] for size in part["sizes"]]


def _power(part):
    """How time grows at the end of a series: the slope of its logarithm in that of the size."""
    sizes, rows = _grown(part), part["rows"]
    return log(rows[-1]["wall_s"] / rows[-2]["wall_s"]) / log(sizes[-1] / sizes[-2])


def _times_figure(name, found):
    """Wall-clock times of all contenders, part by part, on a logarithmic axis."""
    import altair as alt

    from quiff.results.figures.figure import Figure
    from quiff.results.figures.style import PALETTE, log_axis, panel_title

    seconds = [row["wall_s"] for part in found["parts"] for row in part["rows"]]
    panels = []
    for part in found["parts"]:
        rows = [
            {"who": row["contender"], "seconds": row["wall_s"], "whose": _whose(row["contender"])}
            for row in part["rows"]
        ]
        base = alt.Chart(alt.Data(values=rows), title=panel_title(part["title"])).encode(
            alt.X("seconds:Q", title="seconds", **log_axis(min(seconds), max(seconds))),
            alt.Y("who:N", title=None, sort=None, axis=alt.Axis(labelLimit=320)),
            alt.Color(
                "whose:N", legend=None, scale=alt.Scale(domain=["quiff", "peer"], range=list(PALETTE[:2]))
            ),
        )
        panels.append(base.mark_point(filled=True, size=110).properties(width=420, height=alt.Step(24)))
    return Figure.of(f"{TITLES[name]}: wall-clock time", alt.vconcat(*panels))


def _whose(contender):
    ours = contender.startswith("quiff") or re.match(r"\d", contender)
    return "quiff" if ours else "peer"


def _growth_figure(found):
    """Time and memory of each series against its size, both logarithmic."""
    import altair as alt

    from quiff.results.figures.figure import Figure
    from quiff.results.figures.style import PALETTE, log_axis, panel_title

    panels = []
    for part in found["parts"]:
        rows = [
            {"size": size, "value": row[key] / scale, "what": what}
            for size, row in zip(_grown(part), part["rows"], strict=True)
            for what, key, scale in (("seconds", "wall_s", 1), ("GiB", "peak_mib", 1024))
        ]
        sizes, values = [row["size"] for row in rows], [row["value"] for row in rows]
        chart = alt.Chart(alt.Data(values=rows), title=panel_title(part["title"])).encode(
            alt.X("size:Q", title=None, **log_axis(min(sizes), max(sizes))),
            alt.Y("value:Q", title=None, **log_axis(min(values), max(values))),
            alt.Color(
                "what:N", title=None, scale=alt.Scale(domain=["seconds", "GiB"], range=list(PALETTE[:2]))
            ),
            alt.Shape(
                "what:N", title=None, scale=alt.Scale(domain=["seconds", "GiB"], range=["circle", "square"])
            ),
        )
        panels.append(
            chart.mark_line(point=alt.OverlayMarkDef(size=70, filled=True)).properties(width=300, height=170)
        )
    return Figure.of("Time and memory by size, both axes logarithmic", alt.concat(*panels, columns=2))


def _between(page, table):
    """Return the text of a page, with the table between its two marks."""
    before, _, rest = page.read_text().partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise SystemExit(f"{page} has no place for the table: {BEGIN.strip()} ... {END.strip()}")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


if __name__ == "__main__":
    write_page()
