"""People merged by their topic sets, or sequences of them, with counts: one text for DuckDB and Spark.

Users never reach this process: only the topics, and then a row for each distinct set.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa

from quiff.core.distinct import distinct_codes
from quiff.core.labels import Labels, SetLabels, as_labels
from quiff.core.numbers import Array
from quiff.errors import LabelError, ParameterError, QuiffError, counted, setting
from quiff.people.cells import ordered_topics
from quiff.people.epochs import chosen_epoch
from quiff.people.filling import Filling
from quiff.people.limits import bytes_of_people
from quiff.people.pairs import PairCounts, TooManySetsError
from quiff.people.population import Population
from quiff.people.weights import summed
from quiff.safe_text import topic_shape
from quiff.theory.parameters import check_whole

_LACKS, _TWICE = -1, -2  # in the place of a topic: of users who lack an epoch, or have two sets in one
_MOST_EPOCHS = 520  # ten years of weeks
_FEW = 2**14  # topics, whose numbers take two bytes
_GROUPS = 1000  # of users by the rarity of their topics, to a factor of e


@dataclass(frozen=True)
class Engine:
    """What computes expressions of Ibis."""

    fetch: Callable[[Any], Any]  # gives an Arrow table
    kept: Callable[
        [Any], AbstractContextManager[tuple[Any, int]]
    ]  # a table that the engine keeps, and its rows


def merge(
    engine: Engine,
    table: Any,
    name: str,
    size: int,
    *,
    epoch: int | None = None,
    missing: str = "error",
    most: float | None = None,
) -> Population:
    """Return the people of a table as `Merging` takes it: of one epoch, or merged by their sequences of sets.

    More than `most` bytes for the distinct sets are a `TooManySetsError` that has the counts of topics.
    """
    if missing not in ("error", "drop"):
        raise ParameterError(what="missing", value=missing, allowed="error or drop, where users are merged")
    epochs: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    every = table
    if "epoch" in table.columns:
        numbers = engine.fetch(table.select("epoch").distinct().limit(_MOST_EPOCHS + 1))["epoch"].to_pylist()
        if len(numbers) > _MOST_EPOCHS or None in numbers:
            raise ParameterError(
                f"epochs must be whole numbers, at most {_MOST_EPOCHS} different ones", where=name
            )
        epochs = tuple(sorted(numbers))
        if epoch is not None and epochs:
            notes = (chosen_epoch(len(epochs), epoch),) if len(epochs) > 1 else ()
            epochs = (epochs[check_whole("the epoch", epoch, 0, len(epochs) - 1)],)
            table = table.filter(table.epoch == epochs[0])
    return Merging(engine, every, table, name, size, epochs, missing, notes).population(most)


@dataclass(frozen=True)
class Merging:
    """A table of people, with the columns user, epoch, n0, n1, ..., v0, v1, ..., genuine and weight.

    All but n0 may be missing. Where users are named, each may have one row an epoch.
    """

    engine: Engine
    every: Any  # with all epochs, whose topics count
    table: Any
    name: str  # what the user calls it
    size: int
    epochs: tuple[int, ...] = ()
    missing: str = "error"
    notes: tuple[str, ...] = ()

    @property
    def _visits(self) -> bool:
        return "v0" in self.table.columns

    @property
    def _genuine(self) -> bool:
        return "genuine" in self.table.columns and not self._visits

    @property
    def _values(self) -> tuple[str, ...]:
        """What is kept of each row: its topics in order, and how many were visited."""
        return (*(f"s{place}" for place in range(self.size)), *["genuine"] * self._genuine)

    @property
    def _columns(self) -> tuple[str, ...]:
        """The same of all epochs."""
        ends = [f"_{place}" for place in range(len(self.epochs))] if len(self.epochs) > 1 else [""]
        return tuple(f"{name}{end}" for end in ends for name in self._values)

    def population(self, most: float | None = None) -> Population:
        """Return the distinct sets and their users; those that take more than `most` bytes are too many."""
        import ibis

        listed = ibis.array([self.every[f"n{place}"] for place in range(self.size)]).unnest().name("topic")
        names = self.engine.fetch(listed.as_table().distinct())["topic"].to_pylist()
        topics, place = ordered_topics(list(map(str, names)))
        coded = ibis.memtable(pa.table({"topic": names, "code": pa.array(place.tolist(), pa.int64())}))
        counted_sets = self._counted(coded, "int16" if len(topics) < _FEW else "int32")
        with self.engine.kept(counted_sets) as (table, n_sets):
            needed = bytes_of_people(n_sets, self.size * max(len(self.epochs), 1))
            if most is not None and needed > most:
                pairs = None if len(self.epochs) > 1 else self._pairs(table, n_sets, topics)
                raise TooManySetsError(
                    f"{self.name}: the {counted(n_sets, 'distinct set')} take about {needed / 2**30:.2g} GiB,"
                    f" but {max(most, 0) / 2**30:.2g} GiB are allowed; allow more (--memory-limit), or"
                    " measure a part of these people",
                    pairs,
                )
            rows = self.engine.fetch(table)
        return self._checked(topics, {name: np.asarray(rows[name]) for name in rows.column_names})

    def _counted(self, coded: Any, kind: str) -> Any:
        """Return the distinct sets, or sequences of them, with the numbers of users."""
        import ibis

        rows, table = self.table, self.table
        for place in range(self.size):
            one = coded.select(**{f"x{place}": coded.topic, f"c{place}": coded.code})
            rows = rows.inner_join(one, rows[f"n{place}"] == one[f"x{place}"])
        codes = [rows[f"c{place}"] for place in range(self.size)]
        if self._visits:  # both in one number
            codes = [2 * code + rows[f"v{place}"].cast("int64") for place, code in enumerate(codes)]
        others = [name for name in ("user", "epoch", "weight") if name in table.columns]
        rows = rows.select(*others, *["genuine"] * self._genuine, codes=ibis.array(codes).sort())
        wide = {f"s{place}": rows.codes[place].cast(kind) for place in range(self.size)}
        rows = rows.select(*others, *["genuine"] * self._genuine, **wide)
        if "user" in others:
            rows = self._by_user(rows)
        sums = {"weight": rows.weight.sum().cast(rows.weight.type())} if "weight" in others else {}
        return rows.group_by(list(self._columns)).agg(users=rows.count(), **sums)

    def _by_user(self, rows: Any) -> Any:
        """Return a row for each user, with the values of each epoch, or signs for what is wrong."""
        import ibis

        if len(self.epochs) > 1:
            when = [rows.epoch == epoch for epoch in self.epochs]
            first = {
                f"{name}_{e}": rows[name].max(where=at) for e, at in enumerate(when) for name in self._values
            }
            times = {f"times_{e}": at.sum() for e, at in enumerate(when)}
        else:
            first, times = {name: rows[name].max() for name in self._values}, {"times": rows.count()}
        weight = {"weight": rows.weight.max()} if "weight" in rows.columns else {}
        users = rows.group_by("user").agg(**first, **times, **weight)
        often = reduce(lambda a, b: a | b, [users[name] > 1 for name in times]) | users.user.isnull()
        seldom = reduce(lambda a, b: a | b, [users[name] < 1 for name in times])
        marked = {name: ibis.cases((often, _TWICE), (seldom, _LACKS), else_=users[name]) for name in first}
        return users.select(*weight, **marked)

    def _pairs(self, table: Any, n_sets: int, topics: list[Any]) -> PairCounts:
        """Count the users of each two topics, from the sets and their counts where the engine keeps them."""
        import ibis

        table = table.filter(table.s0 >= 0)
        codes = [
            (table[f"s{place}"] / (2 if self._visits else 1)).floor().cast("int64")
            for place in range(self.size)
        ]
        listed = table.select("users", codes=ibis.array(codes), one=ibis.array(codes).unnest())
        both = listed.select("users", "one", other=listed.codes.unnest())
        rows = self.engine.fetch(both.group_by("one", "other").agg(users=both.users.sum()))
        sums = table.aggregate(users=table.users.sum(), unique=(table.users == 1).sum())
        (whole,) = self.engine.fetch(sums).to_pylist()
        together = np.zeros((len(topics), len(topics)), dtype=np.int64)
        together[np.asarray(rows["one"]), np.asarray(rows["other"])] = np.asarray(rows["users"])
        counts = together.diagonal()
        occurring = np.flatnonzero(counts)
        holders = ibis.array(counts.tolist())
        shares = (1 / holders[code.cast("int32")] for code in codes)
        rare = table.select("users", rarity=reduce(lambda a, b: a + b, shares))
        groups = rare.group_by(group=(rare.rarity.ln() * _GROUPS).floor().cast("int64")).agg(
            users=rare.users.sum(), least=rare.rarity.min(), most=rare.rarity.max()
        )
        ends = self.engine.fetch(groups.order_by("group"))
        return PairCounts(
            int(whole["users"]), n_sets, int(whole["unique"]), self.size,
            as_labels([topics[place] for place in occurring], "topic"),
            together[np.ix_(occurring, occurring)],
            np.stack([np.asarray(ends[name], dtype=np.float64) for name in ("users", "least", "most")]),
        )  # fmt: skip

    def _checked(self, topics: list[Any], rows: dict[str, Array]) -> Population:
        """Return the population of what the engine counted, or an error that says what is wrong."""
        if not rows["users"].size:
            raise QuiffError("there is no profile; give at least one user", where=self.name)
        first, notes = rows[self._columns[0]], self.notes
        if (first == _TWICE).any():
            raise LabelError(
                f"{counted(int(rows['users'][first == _TWICE].sum()), 'user')} without a name, or there a"
                " second time; give each user one set, or tell them apart by a column epoch",
                where=self.name,
            )
        lacking, n_users = int(rows["users"][first == _LACKS].sum()), int(rows["users"].sum())
        if lacking:
            lack = f"{lacking} of {n_users} users lack some of the {len(self.epochs)} epochs"
            if self.missing == "error" or lacking == n_users:
                raise LabelError(
                    f"{lack}; leave such users out by {setting('missing', 'drop')}", where=self.name
                )
            notes = (*notes, f"{lack} and are left out.")
            rows = {name: column[first >= 0] for name, column in rows.items()}
        n_epochs = max(len(self.epochs), 1)
        values = np.stack([rows[name] for name in self._columns]).reshape(n_epochs, len(self._values), -1)
        codes = values[:, : self.size].transpose(0, 2, 1)
        visited = codes % 2 == 1 if self._visits else None
        codes = codes // 2 if self._visits else codes
        again = codes[..., 1:] == codes[..., :-1]
        if again.any():
            topic = topics[codes[..., 1:][again][0]]
            raise LabelError(
                f"a set has the topic {topic_shape(topic)} twice; name each topic once",
                what="a topic",
                value=topic,
                where=self.name,
            )
        genuine = values[:, self.size] if self._genuine else None
        people = merged_people(topics, codes, rows["users"], visited, genuine, rows.get("weight"))
        return people.replaced(notes=(*people.notes, *notes))


def merged_people(
    topics: list[Any],
    codes: Array,
    users: Array,
    visited: Array | None = None,
    genuine: Array | None = None,
    weights: Array | None = None,
) -> Population:
    """Return people merged by their sets, or by their sequences of sets over several epochs.

    A row of `codes`, (epochs, rows, s) in ascending order, stands for so many `users`; a set may be there
    several times, once for each selection of its topics that was visited, or number of them.
    """
    named = as_labels(topics, "topic")
    labels: Labels
    if len(codes) == 1:
        labels, which = SetLabels.distinct(codes[0], named)
        sets, kind = np.asarray(labels.codes), "distinct set"
    else:
        first, which = distinct_codes(codes.transpose(1, 0, 2).reshape(codes.shape[1], -1), named.size)
        sets, kind = codes[:, first], "distinct sequence"
        labels = as_labels(range(first.shape[0]), "user")
    filling = None if genuine is None else Filling(genuine, None, which, users)
    filling = filling if visited is None else Filling.of(visited, which, users)
    merged = f"{counted(int(users.sum()), 'user')} are merged into {counted(labels.size, kind)}"
    return Population(
        labels, named, sets, None if weights is None else summed(weights, which, labels.size),
        summed(users, which, labels.size), (f"The {merged} with their counts.",), filling,
    )  # fmt: skip
