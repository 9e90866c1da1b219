"""Profiles of more users than fit into memory, reduced by the engine to distinct sets and their counts."""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from quiff.core.numbers import Array
from quiff.core.prior import Prior
from quiff.errors import ParameterError
from quiff.history.engine import connect
from quiff.history.queries import fetch_rows, scalar
from quiff.history.tables import find_table, read_table
from quiff.populations.population import Population

__all__ = ["DistinctProfiles", "distinct_profiles"]


@dataclass(frozen=True)
class DistinctProfiles:
    """Distinct sets, and how many users have each: all that averages over users need.

    Attributes
    ----------
    population
        One made-up user for each distinct set, numbered from 0.
    counts
        How many users have the set.
    """

    population: Population
    counts: Array

    def set_prior(self) -> Prior:
        """Return how probable each distinct set is for a user taken at random."""
        sets, which = self.population.distinct_sets()
        counts = np.zeros(sets.size, dtype=np.int64)
        counts[which] = self.counts
        return Prior.from_count_array(sets, counts)


def distinct_profiles(
    profiles: str | os.PathLike[str], *, con: Any = None, epoch: int | None = None
) -> DistinctProfiles:
    """Reduce a table of profiles to its distinct sets, in the engine.

    ``Population.read`` holds every user in memory; this holds every distinct set.

    Parameters
    ----------
    profiles
        The table that ``quiff profile`` writes.
    con
        The engine, as `quiff.history.engine.connect` returns it; None is DuckDB in this process.
    epoch
        Which epoch to take; None only if there is one.

    Raises
    ------
    ParameterError
        If there is no such table or epoch, or there are several epochs and none is chosen.
    """
    con = connect() if con is None else con
    table, _ = read_table(con, find_table(profiles, ("profiles",)), ("profiles",))
    if epoch is None:
        n_epochs = int(scalar(con, table.epoch.nunique()))
        if n_epochs > 1:
            raise ParameterError(f"{os.fspath(profiles)!r} has {n_epochs} epochs; choose one")
    else:
        table = table.filter(table.epoch == epoch)
    counted = table.group_by("topics").agg(users=table.count())
    rows = fetch_rows(con, counted.order_by([counted.users.desc(), counted.topics]))
    if not rows:
        raise ParameterError(f"{os.fspath(profiles)!r} has no profile in epoch {epoch}")
    named = sorted({topic for row in rows for topic in row["topics"]})
    topics: list[Any] = [int(topic) for topic in named] if all(map(str.isdecimal, named)) else list(named)
    code = {topic: number for number, topic in enumerate(named)}
    sets = np.array([[code[topic] for topic in row["topics"]] for row in rows])
    people = Population.from_array(range(len(rows)), sets, topics=topics)
    return DistinctProfiles(people, np.array([row["users"] for row in rows]))
