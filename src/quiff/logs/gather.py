"""From a log to people in one go: the stages of the pipeline in order, and what each leaves out."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from quiff.commands import NewFile, command
from quiff.errors import QuiffError
from quiff.io import StrPath, check_suffix, check_target
from quiff.io.targets import resolved
from quiff.logs.classifications import Classification
from quiff.logs.classify import Reduced, classify
from quiff.logs.experiment import DEFAULT_MAX_VISITS, Experimental, experiment
from quiff.logs.profile import Profiled, Taxonomy, profile
from quiff.logs.read import LogFormat
from quiff.logs.suffixes import Suffixes
from quiff.logs.tables import Steps, workspace
from quiff.logs.treat import DEFAULT_MAX_BAD_LINES, DEFAULT_MIN_KEPT, Treated, treat


@dataclass(frozen=True)
class Count:
    """How many rows and users a stage keeps, or leaves out for a reason."""

    stage: str
    what: str  # read, kept, or the reason
    rows: int
    users: int | None = None  # None where that is not counted


@dataclass(frozen=True)
class Gathered:
    """What became of a log on the way to people."""

    counts: tuple[Count, ...]  # what each stage keeps and leaves out, in order
    profiled: Profiled
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the counts, as they are written as JSON."""
        counts = [asdict(count) for count in self.counts]
        return {**self.profiled.to_dict(), "counts": counts, "notes": list(self.notes)}


@command("people", group="log", usual="1200MB")
def people(
    con: Any,
    logs: Sequence[StrPath],
    classification: Classification,
    out: Annotated[StrPath, NewFile(".parquet", parents=True)],
    *,
    form: LogFormat | None = None,
    suffixes: Suffixes | None = None,
    rules: Literal["correct", "as-published"] = "correct",
    max_bad_lines: int = DEFAULT_MAX_BAD_LINES,
    time_format: str | None = None,
    min_kept: float = DEFAULT_MIN_KEPT,
    max_visits: int = DEFAULT_MAX_VISITS,
    top: int = 5,
    taxonomy: Taxonomy | None = None,
    epoch_days: int | None = None,
    conversions: StrPath | None = None,
    seed: int | None = None,
    show_rows: bool = False,
    force: bool = False,
    steps: Steps | None = None,
) -> Gathered:
    """Go from a log to people in one command.

    It does what treat, classify, experiment and profile do one after the other, and keeps the profiles alone.
    One table says what each of them leaves out, and why. LOG is what treat takes. An input is never replaced.

    Parameters
    ----------
    con
        The engine, of `quiff.logs.engine.connect`.
    logs
        The files of the log.
    classification
        The topics of domains.
    out
        The Parquet file of profiles.
    form
        How the log is written.
    suffixes
        A public suffix list; None stands for the installed one.
    rules
        How a host gets its domain: by the suffix list's own algorithm, in small letters as in the DNS; or as
        the paper did, with letters as they are, and suffixes such as gov.br as domains.
    max_bad_lines
        Give up above so many malformed lines.
    time_format
        How times are written, as for quiff treat.
    min_kept
        Give up if less than this share of the rows that have a URL is kept.
    max_visits
        Users with more visits are outliers.
    top
        Topics in a set.
    taxonomy
        Fill short sets from a taxonomy, as the browser does: v1, v2, or a file with one topic a line.
        [default: from the topics seen in the data, as the paper does]
    epoch_days
        A set for each epoch of so many days.  [default: one set over all days]
    conversions
        What these users did after an advertisement: conversions.parquet.
    seed
        Repeatable pseudonyms and profiles, which are not secret: for tests.
    show_rows
        In errors, show cells and rows in full; else what they say of people is left out.
    force
        Whether outputs that are there are replaced.
    steps
        Is told of each step.

    Examples
    --------
    $ quiff people log/*.txt.gz --classification log/classification.csv --out people.parquet
    """
    check_suffix(out, (".parquet",))
    inputs = [*logs, *([] if conversions is None else [conversions])]
    check_target(out, force=force, inputs=inputs)
    with workspace(con, resolved(out).parent, steps=steps) as work:
        folder = work.scratch("stages")
        treated = treat(
            con, logs, folder / "treated", form=form, suffixes=suffixes, rules=rules,
            max_bad_lines=max_bad_lines, time_format=time_format, min_kept=min_kept, show_rows=show_rows,
            conversions=conversions, seed=seed, steps=work.steps,
        )  # fmt: skip
        reduced = classify(con, folder / "treated", classification, folder / "reduced", steps=work.steps)
        if not reduced.rows:
            raise QuiffError(
                f"none of the {treated.domains:,} domains of the log is in {classification.name!r}; name"
                " another classification (--classification)"
            )
        histories = experiment(
            con, folder / "reduced", folder / "experimental", max_visits=max_visits, steps=work.steps
        )
        if not histories.users:
            raise QuiffError(
                f"none of {reduced.users:,} users visited two domains with topics, {max_visits:,} times at"
                " most; give a longer log, or allow for more visits (--max-visits)"
            )
        events = None if conversions is None else folder / "treated" / "conversions.parquet"
        profiled = profile(
            con, folder / "experimental", out, top=top, taxonomy=taxonomy, epoch_days=epoch_days, seed=seed,
            conversions=events, force=force, steps=work.steps,
        )  # fmt: skip
    counts = tuple(_counts(treated, reduced, histories, profiled))
    return Gathered(counts, profiled, (*treated.notes, *classification.notes, *profiled.notes))


def _counts(
    treated: Treated, reduced: Reduced, histories: Experimental, profiled: Profiled
) -> Iterator[Count]:
    yield Count("log", "read", treated.rows_read)
    for reason, rows in treated.dropped.items():
        yield Count("treat", reason, rows)
    yield Count("treat", "kept", treated.rows, treated.users)
    yield Count("classify", "no-topics", reduced.dropped_rows, treated.users - reduced.users)
    yield Count("classify", "kept", reduced.rows, reduced.users)
    for reason, rows in histories.dropped_rows.items():
        yield Count("experiment", reason, rows, histories.dropped_users[reason])
    yield Count("experiment", "kept", histories.rows, histories.users)
    yield Count("profile", "profiles", profiled.users * profiled.epochs, profiled.users)
