"""Which columns of a file make profiles: its form, told by the names of the columns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quiff.errors import ParameterError, QuiffError
from quiff.safe_text import shapes

RANKING = "ranking"
"""The column of ranked topic counts that ``quiff profile`` stores."""

GENUINE = "genuine"
"""The column that says how many topics of a set were visited; ``quiff profile`` stores it."""

_USERS = ("user", "RandID")
_LISTS = ("sTopics", "topics")


@dataclass(frozen=True)
class Form:
    """The columns that matter."""

    user: str | None  # None if users are numbered by their rows
    topics: tuple[str, ...]  # one column of lists, or t1, t2 and so on; none if there are attributes only
    epoch: bool  # whether there is a column of this name
    weights: str | None
    top: int | None  # the size of the sets that was asked for; None takes that of the file
    genuine: bool = False  # whether a column says how many topics of these sets were visited
    counted: bool = False  # whether there are ranked topic counts, which say which topics were visited
    attributes: tuple[str, ...] = ()

    @property
    def numbered(self) -> bool:
        """Whether each topic of a set has a column of its own."""
        return not {*self.topics} & {*_LISTS, RANKING}

    @property
    def ranked(self) -> bool:
        """Whether sets are taken from ranked topic counts."""
        return self.topics == (RANKING,)

    @property
    def columns(self) -> list[str]:
        """All of these columns, each once; but ranked topic counts only if the sets are taken from them."""
        single = (
            self.user,
            "epoch" if self.epoch else None,
            self.weights,
            GENUINE if self.genuine else None,
        )
        named = (name for name in single if name is not None)
        return list(dict.fromkeys([*named, *self.topics, *self.attributes]))


def form_of(
    at: str,
    names: Sequence[str],
    *,
    top: int | None = None,
    weights: str | None = None,
    attributes: tuple[str, ...] = (),
) -> Form:
    """Return the form of a file from the names of its columns; `at` says where these stand, for messages.

    Examples
    --------
    >>> form_of("'p.csv', line 1:", ["user", "t2", "t1", "note"]).topics
    ('t1', 't2')
    >>> form_of("'p.csv', line 1:", ["name", "topics"])
    Traceback (most recent call last):
    quiff.errors.QuiffError: 'p.csv', line 1: the columns are 'aaaa', 'topics'; profiles need user and \
topics (or t1, t2 and so on), or RandID and sTopics
    """
    numbered = tuple(
        sorted(filter(re.compile(r"t[1-9][0-9]{0,8}").fullmatch, names), key=lambda t: int(t[1:]))
    )
    listed = shapes(names, (*_USERS, *_LISTS, *numbered, "epoch", RANKING, GENUINE))
    user = next((name for name in _USERS if name in names), None)
    lists = tuple(name for name in _LISTS if name in names)[:1]
    topics = (RANKING,) if top is not None and RANKING in names else lists or numbered
    if not (topics and (user or numbered)) and not attributes:
        raise QuiffError(
            f"{at} the columns are {listed}; profiles need user and topics"
            " (or t1, t2 and so on), or RandID and sTopics"
        )
    if weights is not None and weights not in names:
        raise ParameterError(f"{at} there is no column {weights!r} of weights; the columns are {listed}")
    lost = next((name for name in attributes if name not in names), None)
    if lost is not None:
        raise ParameterError(f"{at} there is no column {lost!r} for an attribute; the columns are {listed}")
    counted = RANKING in names and bool(topics)
    genuine = GENUINE in names and topics not in ((RANKING,), ())  # of the sets as they are stored
    form = Form(user, topics, "epoch" in names, weights, top, genuine, counted, attributes)
    if form.epoch and user is None:
        raise QuiffError(f"{at} there is a column epoch, but none for the users; add a column user")
    twice = next((name for name in form.columns if list(names).count(name) > 1), None)
    if twice is not None:
        raise QuiffError(f"{at} the column {twice!r} is there twice; name each column once")
    return form
