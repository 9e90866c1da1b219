"""Profiles from tables: a user and a set of topics, in one column, in a column each, or a row each.

The columns that matter are those of `quiff.people.form`. Whatever their form, they become the view `people`
of DuckDB: a row a user (or user and epoch), with the topics n0, n1 and so on and, where it is known, whether
each was visited (v0, v1, ...). All checks are queries. What does not fit into memory is merged.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quiff.core.labels import as_labels
from quiff.core.numbers import Array
from quiff.errors import LabelError, ParameterError, QuiffError, ShapeError, counted
from quiff.io.tables import Fault, Table, check_rows, open_table, quoted
from quiff.io.targets import as_path
from quiff.io.text import listed, literal
from quiff.people.attribute import Attribute
from quiff.people.cells import SEVERAL_LINES, Split, ordered_topics, split_of
from quiff.people.epochs import Rows, by_epoch, check_missing, first_again
from quiff.people.filling import Filling, visited_in_order
from quiff.people.form import Form, attribute_names, form_of
from quiff.people.joined_topics import joined, joined_topic, several_numbers
from quiff.people.limits import allowed_bytes, bytes_of_people
from quiff.people.merging import Engine, merge
from quiff.people.population import Population
from quiff.people.sets import codes_of_values
from quiff.people.tfrecords import read_tfrecords, tfrecord_files
from quiff.safe_text import shape, topic_shape
from quiff.theory.parameters import check_whole

_WHOLE = "^(0|-?[1-9][0-9]{0,17})$"
_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_REALS = ("FLOAT", "DOUBLE", "DECIMAL")
_BLANKS = " \t\r\v\f\xa0"
_MISSING_WORDS = ("nan", "none", "null", "n/a", "<na>")
_MOST_TEXT = 2**31 - 1  # bytes of a column of text in Arrow
_COPIES = 4  # that are made of text on its way
_MOST_TOPICS = 500  # of a set, each of which becomes a column
_SAMPLE = 20_000  # topics to look at
TWICE = (
    "the user of this row is there a second time; give each user one set,"
    " or tell them apart by a column epoch"
)


def read_profiles(
    source: object,
    *,
    top: int | None = None,
    weights: str | None = None,
    merged: bool | None = None,
    missing: str = "error",
    seed: int = 0,
    attributes: str | Iterable[str] = (),
    columns: str | Mapping[str, str | Sequence[str]] | None = None,
) -> Population:
    """Read people from a file or frame; for the parameters see `Population.read`."""
    names = attribute_names(attributes)
    check_missing(missing, seed)
    top = None if top is None else check_whole("top", top, 1)
    if not hasattr(source, "__arrow_c_stream__") and (records := tfrecord_files(as_path(source))):
        if top is not None or weights is not None or names:
            raise ParameterError("TFRecord files have topics only: no other top, weights or attributes")
        return Population(**read_tfrecords(records, missing, seed))
    with open_table(source, memory=allowed_bytes()) as table:
        form = form_of(table, columns=columns, top=top, weights=weights, attributes=names)
        profiles = Profiles.of(table, form)
        if merged or (merged is None and profiles.bytes_in_memory > allowed_bytes()):
            return profiles.merged(missing=missing)
        return profiles.whole(missing, seed)


def place_of_topic(path: Path, topic: Hashable, **options: Any) -> str:
    """Say where a topic of a population first stands in the file that it was read from."""
    with open_table(path) as table:
        profiles = Profiles.of(table, form_of(table, **options))
        has = " OR ".join(f"CAST({name} AS VARCHAR) = {literal(str(topic))}" for name in profiles.topics)
        query = f"SELECT row FROM (SELECT *, row_number() OVER () - 1 AS row FROM people) WHERE {has} LIMIT 1"  # noqa: S608
        row = table.con.execute(query).fetchone()
        return table.name if row is None else table.at(row[0])


@dataclass(frozen=True)
class Profiles:
    """A table of people as the view `people`, all of whose cells are as they should be."""

    table: Table
    form: Form
    n_rows: int
    size: int  # of the sets; 0 if there are none
    numbers: bool  # whether topics are stored as whole numbers
    visits: bool  # whether it is known which topics were visited
    long: bool  # whether each topic had a row

    @classmethod
    def of(cls, table: Table, form: Form) -> "Profiles":
        """Look at all rows of a table, and raise an error that says where what is wrong."""
        n_rows = table.load(form.columns)
        if not n_rows:
            raise QuiffError("there is no profile; give at least one user", where=table.at(0))
        check_rows(table, _faults_of_users(table, form))
        profiles = _Arrangement(table, form).profiles(n_rows)
        profiles.check_sums()
        return profiles

    @property
    def topics(self) -> tuple[str, ...]:
        """The columns of topics in the view `people`."""
        return tuple(f"n{place}" for place in range(self.size))

    @property
    def bytes_in_memory(self) -> int:
        """About what the rows take in arrays."""
        return bytes_of_people(self.n_rows, self.size)

    def understood(self, users: int, n_topics: int) -> str:
        """Say in one line how the table was understood."""
        wide = "one column a topic" if self.form.numbered else "one column of sets"
        form = "one topic a row" if self.long else wide
        sets = f", {counted(self.size, 'topic')} each of {n_topics:,}, {form}" if self.size else ""
        topics = self.form.topics[0] if self.form.topics and not self.form.numbered else None
        roles = {"user": self.form.user, "topics": topics, "epoch": self.form.epoch}
        renamed = [f"{role} from {name!r}" for role, name in roles.items() if name not in (None, role)]
        return "; ".join([f"{users:,} {'user' if users == 1 else 'users'}{sets}", *renamed])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The distinct topics, as text."""
        every = f"SELECT DISTINCT unnest([{', '.join(self.topics)}]) AS name FROM people"  # noqa: S608
        rows = self.table.con.execute(f"SELECT CAST(name AS VARCHAR) FROM ({every}) ORDER BY name").fetchall()  # noqa: S608
        return tuple(name for (name,) in rows)

    def merged(
        self,
        engine: Engine | None = None,
        *,
        epoch: int | None = None,
        missing: str = "error",
        most: float | None = None,
    ) -> Population:
        """Return people merged by their sets, by an engine on the same connection; see `merge`."""
        import ibis

        if self.form.attributes:
            raise ParameterError(
                f"the attribute {self.form.attributes[0]!r} needs single users, but they would be merged by"
                " their topic sets to save memory; in Python read the file with merged=False, or allow more"
                " memory by quiff.reading_limit",
                where=self.table.name,
            )
        if not self.size:
            raise ParameterError("there are no topic sets to merge by", where=self.table.name)
        names = [*self.topics, *(f"v{k}" for k in range(self.size if self.visits else 0))]
        single = {"user": self.form.user, "epoch": self.form.epoch, "weight": self.form.weights}
        single["genuine"] = self.form.genuine
        names += [name for name, column in single.items() if column is not None]
        con = ibis.duckdb.from_connection(self.table.con)
        kinds = self.table.con.execute("DESCRIBE people").fetchall()
        schema = {column: con.compiler.type_mapper.from_string(kind) for column, kind, *_ in kinds}
        people = _table(con, "people", schema).select(names)
        engine = engine or _engine(con)
        name, size = self.table.name, self.size
        try:
            merged = merge(engine, people, name, size, epoch=epoch, missing=missing, most=most)
        except LabelError as error:
            self._locate(error.value)
            raise
        return merged.replaced(understood=self.understood(merged.n_users, merged.topics.size))

    def _locate(self, topic: object) -> None:
        """Raise an error for the first row with a topic twice, or with a user for a second time."""
        twice = f"len(list_distinct([{', '.join(self.topics)}])) < {self.size}"
        sentence = f"the set has the topic {topic_shape(topic)} twice; name each topic once"
        check_rows(self.table, [Fault(twice, lambda _: sentence, error=LabelError)], "people")
        if self.form.user is not None and self.form.epoch is None:
            rows = 'SELECT "user", row_number() OVER () - 1 AS row FROM people'
            times = 'SELECT row, row_number() OVER (PARTITION BY "user" ORDER BY row) AS times'
            query = f"SELECT min(row) FROM ({times} FROM ({rows})) WHERE times = 2"  # noqa: S608
            ((row,),) = self.table.con.execute(query).fetchall()
            if row is not None:
                raise LabelError(TWICE, where=self.table.at(row))

    def whole(self, missing: str, seed: int) -> Population:
        """Return every user."""
        form = self.form
        rows = self.fetch()
        users = np.arange(self.n_rows) if form.user is None else _labels(rows["user"])
        others = {
            name: Attribute.of_codes(name, *attribute_column(rows[f"a{k}"], self.table.is_text))
            for k, name in enumerate(form.attributes)
        }
        return self.population(rows, users, others, missing, seed)

    def fetch(self) -> Any:
        """Return all rows as an Arrow table."""
        form = self.form
        single = {"user": form.user, "epoch": form.epoch, "weight": form.weights, "genuine": form.genuine}
        columns = [name for name, column in single.items() if column is not None]
        columns += [*self._codes, *(f"v{k}" for k in range(self.size if self.visits else 0))]
        columns += [f"a{k}" for k in range(len(form.attributes))]
        return self.table.con.execute(f"SELECT {', '.join(columns) or '1'} FROM people").to_arrow_table()  # noqa: S608

    def check_sums(self) -> None:
        """Refuse weights that are all 0, and cells that take more than is allowed or than Arrow holds."""
        weights, con = self.form.weights, self.table.con
        if weights is not None and con.execute("SELECT max(weight) FROM people").fetchall() == [(0,)]:
            raise ParameterError(
                f"all weights in {weights} are 0; at least one user must count", where=self.table.name
            )
        texts = {}
        if self.form.user is not None and self.table.column(self.form.user).kind not in _INTEGERS:
            texts["user"] = self.form.user
        texts |= {f"a{k}": name for k, name in enumerate(self.form.attributes)}
        most = min(_MOST_TEXT, max(allowed_bytes(), 1 << 28) // _COPIES)
        if self.size and not self.numbers and max(map(len, self.names)) * self.n_rows > most:
            texts |= {
                name: self.form.topics[k if self.form.numbered else 0] for k, name in enumerate(self.topics)
            }
        for column, name in texts.items():
            query = f"SELECT coalesce(sum(strlen(CAST({column} AS VARCHAR))), 0) FROM people"  # noqa: S608
            ((takes,),) = con.execute(query).fetchall()
            if takes > most:
                raise QuiffError(
                    f"the cells of {name} take {takes / 2**30:.2g} GiB as text, longer than names are; is it"
                    " the right column?",
                    where=self.table.name,
                )

    def population(
        self, rows: Any, users: Array, others: dict[str, Attribute], missing: str, seed: int
    ) -> Population:
        """Return the people of rows that were fetched, with the users and attributes that are named."""
        form, table, topics, sets = self.form, self.table, None, None
        visited = None
        if self.size:
            codes, topics = self._sets(rows)
            sets = np.sort(codes, axis=1)
            self._check_distinct(sets, topics)
            if self.visits:
                flags = np.stack([np.asarray(rows[f"v{k}"]) for k in range(self.size)], axis=1)
                visited = visited_in_order(codes, flags)
        weights = None if form.weights is None else np.asarray(rows["weight"])
        genuine = None if form.genuine is None else np.asarray(rows["genuine"])
        people = Rows(users, sets, weights, genuine, visited, others)
        if form.epoch is not None:
            people = by_epoch(table, people, np.asarray(rows["epoch"]), missing, seed)
        elif (row := first_again(users)) is not None:
            raise LabelError(TWICE, where=table.at(row))
        filling = None if people.genuine is None else Filling(people.genuine)
        filling = filling if people.visited is None else Filling.of(people.visited)  # which tells more
        return Population(
            as_labels(people.users, "user"), topics, people.sets,  # type: ignore[arg-type]  # checked there
            people.weights, None, people.notes, filling,
            people.others, understood=self.understood(len(people.users), len(topics or ())),
        )  # fmt: skip

    @cached_property
    def _codes(self) -> tuple[str, ...]:
        """The topics as DuckDB gives them fastest: numbers as they are, names as an enumeration's numbers."""
        if self.numbers or not self.size:
            return self.topics
        self.table.con.execute(f"CREATE OR REPLACE TYPE topic AS ENUM (SELECT unnest({listed(self.names)}))")
        return tuple(f"CAST({name} AS topic) AS {name}" for name in self.topics)

    def _sets(self, rows: Any) -> tuple[Array, Any]:
        """Return the sets as positions in the topics, and these in their order."""
        columns = [rows[name].combine_chunks() for name in self.topics]
        if self.numbers:
            values = np.stack([np.asarray(column) for column in columns], axis=1)
            return codes_of_values(values, as_labels(range(self.n_rows)))
        topics, place = ordered_topics(self.names)
        codes = [np.asarray(column.indices) for column in columns]
        return place[np.stack(codes, axis=1)], as_labels(topics, "topic")

    def _check_distinct(self, sets: Array, topics: Any) -> None:
        again = sets[:, 1:] == sets[:, :-1]
        rows = np.flatnonzero(again.any(axis=1))
        if rows.size:
            row = int(rows[0])
            topic = topics[int(sets[row, :-1][again[row]][0])]
            raise LabelError(
                f"the set has the topic {topic_shape(topic)} twice; name each topic once",
                where=self.table.at(row),
            )


def _faults_of_users(table: Table, form: Form) -> list[Fault]:
    """Return what may be wrong with users, epochs and weights."""
    faults = []
    if form.user is not None:
        column, kind = quoted(form.user), table.column(form.user).kind
        if _is_nested(kind):
            raise _other_kinds(table)
        if kind not in _INTEGERS:
            user = f"CAST({column} AS VARCHAR)"
            faults.append(Fault(f"contains({user}, chr(10))", lambda _: f"{form.user} {SEVERAL_LINES}"))
            column = f"nullif({user}, '')"
        faults.insert(0, Fault(f"{column} IS NULL", lambda _: f"{form.user} is empty; name every user"))
    if form.epoch is not None:
        column = quoted(form.epoch)
        faults.append(
            Fault(
                f"{_epoch(column)} IS NULL",
                lambda cell: f"the epoch is {shape(cell)}, but must be a whole number",
                column,
            )
        )
    if form.weights is not None:
        column = quoted(form.weights)
        number = f"TRY_CAST({column} AS DOUBLE)"
        faults.append(
            Fault(
                f"{number} IS NULL OR NOT isfinite({number}) OR {number} < 0",
                lambda cell: (
                    f"the weight {form.weights} is {shape(cell)}, but must be a number that is not negative;"
                    " put 0 for users who do not count"
                ),
                column,
                ParameterError,
            )
        )
    return faults


def _epoch(column: str) -> str:
    """Return a whole number from a column, as an expression; null where there is none."""
    text = f"CAST({column} AS VARCHAR)"
    number = f"CAST(CAST({text} AS DECIMAL(38, 9)) AS BIGINT)"
    return f"CASE WHEN {text} ~ '[0-9]{{1,18}}([.]0+)?' THEN {number} END"


@dataclass
class _Arrangement:
    """The steps from `source`, in whatever form, to `people`."""

    table: Table
    form: Form
    long: bool = False
    bare: str = "true"  # whether a row has its topics without quotes, as an expression
    numbers: bool = False  # whether topics are stored as whole numbers

    def profiles(self, n_rows: int) -> Profiles:
        """Make the view `people`, and check all of its topics."""
        kinds = {name: self.table.column(name).kind for name in self.form.columns}
        cells = self._cells(kinds)
        if self.form.top not in (None, len(cells)):
            raise ParameterError(
                f"the set has {counted(len(cells), 'topic')}, and there are no ranked topic counts to take"
                f" sets of {self.form.top} from; quiff profile stores them in its Parquet files, or"
                f" {self._remedy}",
                what="top",
                value=self.form.top,
                where=self.table.at(0),
            )
        visits = self._visits(kinds, cells)
        columns = {f"n{place}": cell for place, cell in enumerate(cells)}
        columns |= {f"v{place}": flag for place, flag in enumerate(visits)} | {"bare": self.bare}
        form = self.form
        if form.user is not None:
            user = quoted(form.user)
            columns["user"] = user if kinds[form.user] in _INTEGERS else f"CAST({user} AS VARCHAR)"
        if form.epoch is not None:
            columns["epoch"] = _epoch(quoted(form.epoch))
        if form.weights is not None:
            columns["weight"] = self._weight(quoted(form.weights), kinds[form.weights])
        columns |= {f"a{place}": quoted(name) for place, name in enumerate(form.attributes)}
        if form.genuine is not None:
            columns["genuine"] = self._genuine(quoted(form.genuine), len(cells))
        if self.long:
            ((n_rows,),) = self.table.con.execute("SELECT count(*) FROM source").fetchall()
        profiles = Profiles(self.table, form, n_rows, len(cells), self.numbers, bool(visits), self.long)
        self._view(columns)
        if (
            cells
            and not self.numbers
            and any(name and name != name.strip(_BLANKS) for name in profiles.names)
        ):
            columns |= {f"n{place}": f"trim({cell}, {literal(_BLANKS)})" for place, cell in enumerate(cells)}
            self._view(columns)
            profiles = replace(profiles, size=len(cells))  # whose names are others
        if cells:
            self._check_topics(profiles)
        return profiles

    def _view(self, columns: Mapping[str, str]) -> None:
        selected = ", ".join(f"{cell} AS {name}" for name, cell in columns.items())
        self.table.con.execute(f"CREATE OR REPLACE TEMP VIEW people AS SELECT {selected} FROM source")  # noqa: S608

    def _cells(self, kinds: Mapping[str, str]) -> list[str]:
        """Return an expression for each topic of a set."""
        form = self.form
        if not form.topics:
            return []
        if form.numbered:
            self._check_size(len(form.topics))
            self.numbers = all(kinds[name] in _INTEGERS for name in form.topics)
            return [self._topic(quoted(name), kinds[name]) for name in form.topics]
        (name,) = form.topics
        column, kind = quoted(name), kinds[name]
        if form.ranked and form.top is not None:
            return self._heads(form.top)
        if kind.endswith("]"):
            self.bare = "false"
        else:
            self._make_lists(name, kind)
            kind = f"{kind}[]"
        element = kind.rpartition("[")[0]
        self.numbers = element in _INTEGERS
        column = f"CAST({column} AS {element}[])"  # some are of a fixed size
        size = self._size(f"coalesce(len({column}), 0)")
        return [self._topic(f"{column}[{place + 1}]", element) for place in range(size)]

    def _make_lists(self, name: str, kind: str) -> None:
        """Turn a column of cells, with a topic or several, into one of lists."""
        if _is_nested(kind):
            raise _other_kinds(self.table)
        column, con = quoted(name), self.table.con
        text = kind == "VARCHAR"
        keys = ", ".join(quoted(key) for key in (self.form.user, self.form.epoch) if key is not None)
        repeated = self.form.user is not None and (
            con.execute(f"SELECT 1 FROM source GROUP BY {keys} HAVING count(*) > 1 LIMIT 1").fetchone()  # noqa: S608
        )
        if repeated and (self.form.is_single or not (text and self._has_lists(column))):
            self._group(column, keys)
        elif text:
            split = split_of(self.table, column)
            cell = quoted("quiff was")
            self.bare = f"NOT {Split(cell, split.numbers).quoted}"
            lists = f"* REPLACE ({split.topics} AS {column})"
            self._replace(f"SELECT {lists}, {split.cell} AS {cell} FROM source")  # noqa: S608 - quoted
        else:
            self._replace(f"SELECT * REPLACE ([{column}] AS {column}) FROM source")  # noqa: S608

    def _has_lists(self, column: str) -> bool:
        signs = " OR ".join(f"contains({column}, '{sign}')" for sign in (",", ";", "|", "[", "{", "''", '"'))
        return self.table.con.execute(f"SELECT 1 FROM source WHERE {signs} LIMIT 1").fetchone() is not None  # noqa: S608

    def _group(self, column: str, keys: str) -> None:
        """Put the topics of a user together, in the order of their rows; else these must say the same."""
        others = set(self.form.columns) - {self.form.user, self.form.epoch, *self.form.topics}
        names = [quoted(name) for name in self.form.columns if name in others]
        same = [f"any_value({name}) AS {name}" for name in names]
        differs = " OR ".join(f"count(DISTINCT {name}) > 1" for name in names) or "false"
        topics = f'list({column} ORDER BY "quiff row") AS {column}'
        parts = ['min("quiff row") AS "quiff first"', keys, topics, *same]
        self._replace(
            f'SELECT {", ".join(parts)}, {differs} AS "quiff differs"'  # noqa: S608 - quoted
            ' FROM (SELECT *, row_number() OVER () - 1 AS "quiff row" FROM source)'
            f' GROUP BY {keys} ORDER BY "quiff first"'
        )
        self.table, self.long, self.bare = replace(self.table, grouped=True), True, "false"
        differing = "what another column says of a user differs from row to row; make it the same in all"
        check_rows(self.table, [Fault('"quiff differs"', lambda _: differing)])

    def _replace(self, query: str) -> None:
        """Replace `source` by a table that is made of it."""
        con = self.table.con
        con.execute(f"CREATE TEMP TABLE arranged AS {query}")
        kind = "TABLE" if self.table.is_text else "VIEW"
        con.execute(f"DROP {kind} source; ALTER TABLE arranged RENAME TO source")

    def _size(self, length: str) -> int:
        """Return the size of the sets, which all must have."""
        ((size,),) = self.table.con.execute(f"SELECT {length} FROM source LIMIT 1").fetchall()  # noqa: S608
        check_rows(
            self.table,
            [
                Fault(
                    f"{length} <> {size} OR {size} = 0",
                    lambda n: (
                        f"the set has {counted(n, 'topic')}, but the first one {size}; all sets must have the"
                        " same size, at least 1: fill up the short ones or cut the long ones"
                    ),
                    length,
                    ShapeError,
                )
            ],
        )
        self._check_size(size)
        return int(size)

    def _check_size(self, size: int) -> None:
        if size > _MOST_TOPICS:
            raise ParameterError(
                what="the number of topics of a set",
                value=size,
                allowed=f"at most {_MOST_TOPICS}",
                where=self.table.at(0),
            )

    @property
    def _remedy(self) -> str:
        return f"run quiff profile again with --top {self.form.top}"

    def _heads(self, top: int) -> list[str]:
        """Return the heads of ranked topics, as long as the sets that were asked for."""
        column = quoted(str(self.form.ranking))
        length = f"coalesce(len({column}), 0)"
        check_rows(
            self.table,
            [
                Fault(
                    f"{length} < {top}",
                    lambda n: (
                        f"the ranking has {counted(n, 'topic')}, too few for sets of {top}; {self._remedy},"
                        " which fills short sets"
                    ),
                    length,
                    ParameterError,
                ),
                Fault(
                    f"list_transform({column}[1:{top}], lambda entry: entry.rank) <> range(1, {top + 1})",
                    lambda _: f"the ranking is not in order; {self._remedy}",
                ),
            ],
        )
        return [self._topic(f"{column}[{place + 1}].topic", "VARCHAR") for place in range(top)]

    def _topic(self, cell: str, kind: str) -> str:
        """Return a topic as text, or as the number that it is stored as if all are."""
        if _is_nested(kind):
            raise _other_kinds(self.table)
        if self.numbers:
            return cell
        if kind.startswith(_REALS):
            text = f"CASE WHEN {cell} = floor({cell}) THEN CAST(CAST({cell} AS BIGINT) AS VARCHAR)"
            return f"{text} WHEN NOT isnan({cell}) THEN CAST({cell} AS VARCHAR) END"
        return cell if kind == "VARCHAR" else f"CAST({cell} AS VARCHAR)"

    def _visits(self, kinds: Mapping[str, str], cells: list[str]) -> list[str]:
        """Return whether each topic was visited, as expressions; none where ranked counts do not say so.

        Their heads then take the place of the topics, since they are the same sets.
        """
        kind = kinds.get(self.form.ranking or "", "")
        of_records = kind.startswith("STRUCT(") and kind.endswith("[]")
        if not (of_records and "visits " in kind and "topic " in kind):
            return []
        column, size = quoted(str(self.form.ranking)), len(cells)
        heads = [self._topic(f"{column}[{place + 1}].topic", "VARCHAR") for place in range(size)]
        if self.form.top is None:
            stored = f"list_sort([{', '.join(f'CAST({cell} AS VARCHAR)' for cell in cells)}])"
            other = f"coalesce(len({column}), 0) < {size} OR {stored} <> list_sort([{', '.join(heads)}])"
            if self.table.con.execute(f"SELECT 1 FROM source WHERE {other} LIMIT 1").fetchone():  # noqa: S608
                return []
            self.numbers = False
            cells[:] = heads
        return [f"coalesce({column}[{place + 1}].visits, 0) > 0" for place in range(size)]

    def _weight(self, column: str, kind: str) -> str:
        """Return weights as whole numbers where all are, as an expression."""
        if kind in _INTEGERS:
            return f"CAST({column} AS BIGINT)"
        whole = f"SELECT 1 FROM source WHERE NOT trim({column}) ~ '[+-]?[0-9]{{1,18}}' LIMIT 1"  # noqa: S608
        if kind == "VARCHAR" and self.table.con.execute(whole).fetchone() is None:
            return f"CAST(trim({column}) AS BIGINT)"
        return f"CAST({column} AS DOUBLE)"

    def _genuine(self, column: str, size: int) -> str:
        number = _epoch(column)
        check_rows(
            self.table,
            [
                Fault(
                    f"coalesce({number} > {size}, true)",
                    lambda cell: (
                        f"the number of visited topics, {self.form.genuine}, is {shape(cell)}, but must be a"
                        f" whole number from 0 to {size}; rename the column if it is something else"
                    ),
                    column,
                )
            ],
        )
        return number

    def _check_topics(self, profiles: Profiles) -> None:
        """Raise an error for a topic that is empty, goes over several lines, or is several.

        The names tell whether a row is looked for.
        """
        topics, same_size = profiles.topics, "all sets must have the same size"
        columns = self.form.topics if self.form.numbered else ("a topic",) * len(topics)
        if self.numbers:
            empty = _among(topics, columns, "{0} IS NULL", f"is empty; {same_size}", ShapeError)
            check_rows(profiles.table, [empty], "people")
            return
        if any(not name or "\n" in name or name.lower() in _MISSING_WORDS for name in profiles.names):
            words = ", ".join(map(literal, _MISSING_WORDS))
            missing = f"is a word for what is missing; {same_size}, and a topic of that name stands in quotes"
            faults = [
                _among(topics, columns, "{0} IS NULL OR {0} = ''", f"is empty; {same_size}", ShapeError),
                _among(topics, columns, f"bare AND lower({{0}}) IN ({words})", missing, ShapeError),
                _among(topics, columns, "contains({0}, chr(10))", SEVERAL_LINES, QuiffError),
            ]
            check_rows(profiles.table, faults, "people")
        several = next(filter(several_numbers, profiles.names), None)
        if several is None and profiles.size == 1:
            query = (
                "SELECT n0 FROM (SELECT n0, bare, row_number() OVER () AS row FROM people) WHERE bare"
                " GROUP BY n0 ORDER BY min(row)"
            )
            cells = profiles.table.con.execute(query).fetchmany(_SAMPLE)
            several = joined_topic(name for (name,) in cells)
        if several is not None:
            has = " OR ".join(f"{name} = {literal(several)}" for name in topics)
            check_rows(profiles.table, [Fault(has, lambda _: joined(several))], "people")


def _among(
    topics: Sequence[str], names: Sequence[str], condition: str, sentence: str, error: type[QuiffError]
) -> Fault:
    """Return the fault that a condition holds of some topic of a row; the message names its column."""
    named = zip(topics, names, strict=True)
    cases = " ".join(f"WHEN {condition.format(topic)} THEN {literal(name)}" for topic, name in named)
    anywhere = " OR ".join(f"({condition.format(topic)})" for topic in topics)
    return Fault(anywhere, lambda name: f"{name} {sentence}", f"CASE {cases} END", error)


def _is_nested(kind: str) -> bool:
    return kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION"))


def _other_kinds(table: Table) -> QuiffError:
    return QuiffError(
        "a column is neither text nor numbers nor lists of these; give users as text or numbers, and"
        " topics as lists of them, or in columns t1, t2 and so on",
        where=table.name,
    )


def attribute_column(column: Any, text: bool) -> tuple[list[Any], Array]:
    """Return the values of a column and the place of each row's; of `text`, whole numbers become numbers."""
    cells = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_nested(cells.type):
        places: dict[Any, int] = {}
        codes = [places.setdefault(_hashable(cell), len(places)) for cell in cells.to_pylist()]
        return list(places), np.array(codes, dtype=np.int64)
    if text:
        cells = _as_numbers(pc.if_else(pc.equal(cells, ""), None, cells))
    encoded = cells if pa.types.is_dictionary(cells.type) else cells.dictionary_encode()
    values = [*encoded.dictionary.to_pylist(), None]
    return values, np.asarray(encoded.indices.fill_null(len(values) - 1))


def _labels(users: Any) -> Array:
    """Return users as numbers where all are whole, else as text."""
    users = users.combine_chunks()
    return np.asarray(users if pa.types.is_integer(users.type) else _as_numbers(users))


def _as_numbers(texts: Any) -> Any:
    whole = pc.all(pc.match_substring_regex(texts, _WHOLE)).as_py()
    return texts.cast(pa.int64()) if whole else texts


def _hashable(cell: Any) -> Any:
    """Return a nested cell as a tuple, of pairs if it has named parts."""
    if isinstance(cell, dict):
        return tuple((name, _hashable(part)) for name, part in cell.items())
    return tuple(map(_hashable, cell)) if isinstance(cell, list) else cell


def _engine(con: Any) -> Engine:
    """Return what computes on a connection of Ibis to DuckDB."""

    @contextmanager
    def kept(expression: Any) -> Iterator[tuple[Any, int]]:
        con.con.execute("SET disabled_optimizers = 'join_order,build_side_probe_side'")
        con._run_pre_execute_hooks(expression)
        ((rows,),) = con.con.execute(f"CREATE TEMP TABLE kept AS {con.compile(expression)}").fetchall()
        yield _table(con, "kept", expression.schema()), int(rows)

    def fetch(expression: Any) -> Any:
        con._run_pre_execute_hooks(expression)
        rows = con.con.execute(con.compile(expression)).to_arrow_table()
        return rows.cast(expression.schema().to_pyarrow())

    return Engine(fetch, kept)


def _table(con: Any, name: str, schema: Any) -> Any:
    """Return a table of DuckDB's as one of Ibis, which would ask for its schema in a way that warns."""
    import ibis
    import ibis.expr.operations as ops

    return ops.DatabaseTable(name, schema=ibis.schema(schema), source=con).to_expr()
