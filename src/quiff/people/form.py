"""Which columns of a table say what of people: recognised by their names, or named by ``columns``."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from quiff.errors import ParameterError, QuiffError, setting
from quiff.io.tables import Table
from quiff.people.attribute import TOPICS

# Columns that ``quiff profile`` stores: the ranked topic counts, and how many topics of a set were visited.
RANKING, GENUINE = "ranking", "genuine"
# What people call columns, without case, spaces and underscores; the first that is there counts, and of those
# that stand in one place, there must be one only.
_USERS = (
    ("user",), ("randid",), ("userid", "uid", "anonid", "person", "personid", "visitor", "visitorid",
    "cookieid", "clientid", "member", "memberid", "customer", "customerid"), ("id",),
)  # fmt: skip
_SETS = (
    ("stopics",), ("topics",), ("topicset", "topiclist", "topicids", "interests", "categories", "segments"),
    ("topic",), ("topicid", "interest", "category", "segment"),
)  # fmt: skip
_SINGLE = (*_SETS[3], *_SETS[4])  # names of a column with one topic a row
_EPOCHS = (("epoch",), ("week",))
_NUMBERED = re.compile("(t|topic|interest|category|segment)([0-9]{1,4})")
_ROLES = ("user", "topics", "epoch", "weights")


@dataclass(frozen=True)
class Form:
    """The columns that matter, by their names in the table."""

    user: str | None  # None if users are numbered by their rows
    topics: tuple[str, ...]  # one column of sets or topics, or one a topic; none if there are attributes only
    numbered: bool = False  # whether each topic of a set has a column of its own
    epoch: str | None = None
    weights: str | None = None
    genuine: str | None = None  # says how many topics of the sets were visited
    ranking: str | None = None  # ranked topic counts, which say which topics were visited
    top: int | None = None  # the size of sets to take from these
    attributes: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """All of these columns, each once."""
        single = (self.user, self.epoch, self.weights, self.genuine, self.ranking)
        return tuple(dict.fromkeys([*filter(None, single), *self.topics, *self.attributes]))

    @property
    def ranked(self) -> bool:
        """Whether sets are taken from ranked topic counts."""
        return self.topics == (RANKING,)

    @property
    def is_single(self) -> bool:
        """Whether the column of topics is called as if each row had one."""
        return bool(self.topics) and _plain(self.topics[0]) in _SINGLE


def numbered_columns(names: Iterable[object]) -> tuple[str, ...]:
    """Return the columns t1, t2 and so on, or topic1, topic2, in this order.

    >>> numbered_columns(["Topic 2", "user", "topic_1"]), numbered_columns(["t10", "t9", "topic1"])
    (('topic_1', 'Topic 2'), ('t9', 't10'))
    """
    groups: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        match = _NUMBERED.fullmatch(_plain(name)) if isinstance(name, str) else None
        if match is not None and isinstance(name, str):
            groups.setdefault(match[1], []).append((int(match[2]), name))
    chosen = groups.get("t") or next(iter(groups.values()), [])
    return tuple(name for _, name in sorted(chosen))


def attribute_names(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return the names of attributes, each once."""
    listed = tuple(dict.fromkeys([names] if isinstance(names, str) else names))
    for name in listed:
        if not isinstance(name, str) or not name or name == TOPICS:
            raise ParameterError(
                f"the attribute {name!r} needs another name, a text that is not {TOPICS!r}; rename its"
                " column",
                what="an attribute",
                value=name,
            )
    return listed


def parse_columns(text: str) -> dict[str, list[str]]:
    """Read what ``--columns`` says: ``user=NAME,topics=NAME``, the latter as often as there are columns.

    >>> parse_columns("user=member,topics=first,topics=second")
    {'user': ['member'], 'topics': ['first', 'second']}
    """
    roles: dict[str, list[str]] = {}
    for part in text.split(","):
        role, equals, name = (piece.strip() for piece in part.partition("="))
        if role not in _ROLES or not equals or not name:
            raise ParameterError(
                what="columns", value=text, allowed=f"such as user=NAME,topics=NAME, of {', '.join(_ROLES)}"
            )
        roles.setdefault(role, []).append(name)
    return roles


def form_of(
    table: Table,
    *,
    columns: str | Mapping[str, str | Sequence[str]] | None = None,
    top: int | None = None,
    weights: str | None = None,
    attributes: tuple[str, ...] = (),
) -> Form:
    """Return the form of a table from the names of its columns."""
    where = table.at(-1) if table.is_text else table.name
    roles = _named(table, columns, where)
    user = _chosen(table, roles, "user", _USERS, where)
    numbered = () if "topics" in roles else numbered_columns(table.names)
    exact = [name for name in ("sTopics", TOPICS) if name in table.names]
    if "topics" in roles:
        topics = tuple(roles["topics"])
    elif exact or not numbered:
        name = exact[0] if exact else _chosen(table, roles, "topics", _SETS, where)
        topics = () if name is None else (name,)
    else:
        topics = numbered
    is_numbered = topics == numbered or len(topics) > 1
    ranking = RANKING if RANKING in table.names and topics else None
    if top is not None and RANKING in table.names:
        topics, is_numbered, ranking = (RANKING,), False, RANKING
    if not (topics and (user or is_numbered)) and not attributes:
        raise QuiffError(
            f"the columns are {table.listed_columns()}; profiles need user and topics (or t1, t2 and so on),"
            f" or RandID and sTopics; name others by {setting('columns', 'user=NAME,topics=NAME')}",
            where=where,
        )
    weights = roles["weights"][0] if "weights" in roles else weights
    for name, kind in ((weights, "of weights"), *((name, "for an attribute") for name in attributes)):
        if name is not None and name not in table.names:
            listed = table.listed_columns(sure=bool(user and topics))
            raise ParameterError(
                f"there is no column {name!r} {kind}; the columns are {listed}",
                what="a column",
                value=name,
                where=where,
            )
    epoch = _chosen(table, roles, "epoch", _EPOCHS, where)
    if epoch is not None and user is None:
        raise QuiffError(f"there is a column {epoch}, but none for the users; add a column user", where=where)
    genuine = GENUINE if GENUINE in table.names and topics not in ((RANKING,), ()) else None
    form = Form(user, topics, is_numbered, epoch, weights, genuine, ranking, top, attributes)
    twice = next((name for name in form.columns if table.names.count(name) > 1), None)
    if twice is not None:
        raise QuiffError(f"the column {twice!r} is there twice; name each column once", where=where)
    return form


def _named(
    table: Table, columns: str | Mapping[str, str | Sequence[str]] | None, where: str
) -> dict[str, list[str]]:
    """Return the columns that are named by their roles, all of which must be there."""
    if columns is None:
        return {}
    if isinstance(columns, str):
        roles = parse_columns(columns)
    else:
        roles = {role: [names] if isinstance(names, str) else list(names) for role, names in columns.items()}
    for role, names in roles.items():
        lost = next((name for name in names if name not in table.names), None)
        if role not in _ROLES or lost is not None:
            raise ParameterError(
                what=f"the column of {role}",
                value=lost,
                allowed=f"one of {table.listed_columns(sure=True)}",
                where=where,
            )
    return roles


def _chosen(
    table: Table, roles: Mapping[str, list[str]], role: str, places: Sequence[Sequence[str]], where: str
) -> str | None:
    """Return the column of a role: the one that is named, or the one that is called so."""
    if role in roles:
        return roles[role][0]
    for names in places:
        exact = [name for name in table.names if [name] == list(names)]
        alike = exact or list(dict.fromkeys(name for name in table.names if _plain(name) in names))
        if len(alike) > 1 and not exact:
            first, second = alike[:2]
            raise QuiffError(
                f"both {first!r} and {second!r} could be the column of {role}; say which by"
                f" {setting('columns', f'{role}={first}')} or {role}={second}",
                where=where,
            )
        if alike:
            return alike[0]
    return None


def _plain(name: object) -> str:
    """Return a name without case, spaces, underscores, dots and hyphens."""
    return re.sub("[ _.-]", "", str(name)).casefold()
